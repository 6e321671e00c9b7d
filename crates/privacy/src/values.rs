//! Finds known values in a text, whole or in fragments, in any case, spacing and punctuation.
//!
//! The index grows by one value at a time, without being built anew: it holds hashes of short windows of the values.
//! A reading probes it at every few bytes, so its time depends on the text alone and not on the number of values.
//!
//! Two readings are probed: the text in lower case, and its letters and digits alone, which sees through spaces,
//! hyphens, quotes and line ends between the characters of a value.

mod sieve;
mod squeezed;
mod windows;

use sieve::{Hashes, hash_short};
use squeezed::{Squeezed, is_word_byte, squeeze};
use windows::{Block, CARRY, Progress, Report, Windows};

/// So many characters of a value in a row are a leak, even when the rest is missing.
pub(crate) const FRAGMENT: usize = 12;
/// Shorter values are found as whole words only, by their exact spelling.
const SHORTEST: usize = 4;
/// A value of this length needs no word boundary in letters and digits alone.
const SHORTEST_SQUEEZED: usize = 8;

/// A text is read in parts of this length, which stay near the processor.
const PART: usize = 16 * 1024;

/// Whether a value is one inside a longer word as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edges {
    /// Anywhere.
    Free,
    /// Neither a letter nor a digit may touch it.
    Word,
}

/// How a value is recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spelling {
    pub edges: Edges,
    /// From this byte on the value is no secret of its own, such as the domain of a mail address: fragments of the
    /// rest alone are no leaks.
    pub public_from: usize,
    /// Where two values share a window, the owner with the higher rank is reported.
    pub rank: u8,
    /// Signs and blanks between its characters do not matter.
    pub ignores_gaps: bool,
}

impl Spelling {
    /// A value that is private in all its parts.
    pub(crate) fn new(edges: Edges, rank: u8) -> Self {
        Self { edges, public_from: usize::MAX, rank, ignores_gaps: true }
    }
}

/// A stretch of a text that holds a known value or a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sighting {
    pub start: usize,
    pub end: usize,
    /// The owner that was given at insertion.
    pub owner: u32,
}

/// The index of all known values.
#[derive(Debug, Clone, Default)]
pub(crate) struct ValueIndex {
    raw: Windows,
    squeezed: Windows,
    /// Values of two and three characters, as they are written.
    tiny: Hashes<u32>,
    count: usize,
}

impl ValueIndex {
    /// Adds a value in its folded reading. The first owner of a spelling keeps it.
    pub(crate) fn add(&mut self, value: &str, owner: u32, spelling: Spelling) {
        let value = value.trim();
        let lower = value.to_ascii_lowercase().into_bytes();
        self.count += 1;
        if lower.len() < SHORTEST {
            if lower.len() >= 2 {
                self.tiny.entry(hash_short(value.as_bytes())).or_insert(owner);
            }
            return;
        }
        let squeezed = squeeze(&lower);
        let ignores_gaps = spelling.ignores_gaps && squeezed.len() >= SHORTEST_SQUEEZED;
        // A value of letters and digits alone stands in both readings wherever it stands in one.
        if !ignores_gaps || squeezed.len() < lower.len() {
            self.raw.add(&lower, owner, spelling);
        }
        if ignores_gaps {
            let before = lower.get(..spelling.public_from).map_or(squeezed.len(), |private| squeeze(private).len());
            let public_from = if before == squeezed.len() { usize::MAX } else { before };
            self.squeezed.add(&squeezed, owner, Spelling { public_from, ..spelling });
        }
    }

    /// Whether there is nothing to look for.
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Every stretch of a folded text that holds a known value or a fragment of one. They may overlap.
    pub(crate) fn search(&self, text: &str) -> Vec<Sighting> {
        let mut sightings = Vec::new();
        if self.is_empty() {
            return sightings;
        }
        if !self.tiny.is_empty() {
            self.search_tiny(text.as_bytes(), &mut sightings);
        }
        if self.raw.is_empty() && self.squeezed.is_empty() {
            return sightings;
        }
        let bytes = text.as_bytes();
        let mut lower = Vec::with_capacity(PART + CARRY);
        let mut squeezed = Squeezed::new(bytes);
        let mut in_raw = Progress::new(<[u8]>::to_ascii_lowercase);
        let mut in_squeezed = Progress::new(|text| squeeze(&text.to_ascii_lowercase()));
        let mut report = Report { text: bytes, sightings: &mut sightings };
        for start in (0..bytes.len()).step_by(PART) {
            let from = start.saturating_sub(CARRY);
            let part = bytes.get(from..bytes.len().min(start + PART)).unwrap_or_default();
            lower.clear();
            lower.extend(part.iter().map(u8::to_ascii_lowercase));
            let block = Block { bytes: &lower, first: from, place: &|index| from + index };
            self.raw.search(&block, &mut in_raw, &mut report);
            if !self.squeezed.is_empty() {
                squeezed.read(lower.get(start - from..).unwrap_or_default(), start);
                let place = |index| squeezed.place(index);
                let block = Block { bytes: squeezed.bytes(), first: squeezed.first(), place: &place };
                self.squeezed.search(&block, &mut in_squeezed, &mut report);
            }
        }
        self.raw.finish(&in_raw, &mut report);
        self.squeezed.finish(&in_squeezed, &mut report);
        sightings.sort_by(|a, b| a.start.cmp(&b.start).then(b.end.cmp(&a.end)));
        // A multi-byte character is taken whole.
        for sighting in &mut sightings {
            sighting.start = (0..=sighting.start).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
            sighting.end = (sighting.end..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len());
        }
        sightings
    }

    fn search_tiny(&self, bytes: &[u8], sightings: &mut Vec<Sighting>) {
        let mut at = 0;
        while at < bytes.len() {
            let length = bytes[at..].iter().take_while(|&&byte| is_word_byte(byte)).count();
            if (2..SHORTEST).contains(&length) {
                let word = &bytes[at..at + length];
                let title: Vec<u8> = std::iter::once(word[0]).chain(word[1..].to_ascii_lowercase()).collect();
                let found = self.tiny.get(&hash_short(word)).or_else(|| self.tiny.get(&hash_short(&title)));
                if let Some(&owner) = found {
                    sightings.push(Sighting { start: at, end: at + length, owner });
                }
            }
            at += length + 1;
        }
    }
}
