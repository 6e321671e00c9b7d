//! Finds known values in a text, whole or in fragments, in any case, spacing and punctuation.
//!
//! The index grows by one value at a time, without being built anew: it holds hashes of short windows of the values.
//! A reading probes it once for each byte, so its time depends on the text alone and not on the number of values.
//!
//! Two readings are probed: the text in lower case, and its letters and digits alone, which sees through spaces,
//! hyphens, quotes and line ends between the characters of a value.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

/// So many characters of a value in a row are a leak, even when the rest is missing.
pub(crate) const FRAGMENT: usize = 12;
/// Shorter values are found as whole words only, by their exact spelling.
const SHORTEST: usize = 4;
/// A value of this length needs no word boundary in letters and digits alone.
const SHORTEST_SQUEEZED: usize = 8;

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

#[derive(Debug, Default, Clone, Copy)]
struct PassThrough(u64);

impl Hasher for PassThrough {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

type Hashes<V> = HashMap<u64, V, BuildHasherDefault<PassThrough>>;

/// Mixes eight bytes and the rest of a window into one hash.
fn mix(left: u64, right: u64) -> u64 {
    let product = u128::from(left ^ 0x9E37_79B9_7F4A_7C15) * u128::from(right ^ 0xD1B5_4A32_D192_ED03);
    #[expect(clippy::cast_possible_truncation, reason = "both halves of the product are mixed")]
    {
        (product >> 64) as u64 ^ product as u64
    }
}

fn load(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

#[inline]
fn load8(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..at + 8).and_then(|window| window.try_into().ok()).map_or(0, u64::from_le_bytes)
}

#[inline]
fn load4(bytes: &[u8], at: usize) -> u64 {
    bytes
        .get(at..at + 4)
        .and_then(|window| window.try_into().ok())
        .map_or(0, |window| u64::from(u32::from_le_bytes(window)))
}

/// The hash of a window of [`FRAGMENT`] bytes.
fn window_hash(bytes: &[u8], at: usize) -> u64 {
    mix(load8(bytes, at), load4(bytes, at + 8))
}

/// The hash of a whole short value.
fn whole_hash(value: &[u8]) -> u64 {
    let (head, tail) = value.split_at(value.len().min(8));
    mix(load(head), load(tail) ^ (u64::try_from(value.len()).unwrap_or_default() << 56))
}

/// A set of bits that says "surely not" for most windows. It grows with what it holds, so that a small one stays near.
#[derive(Debug, Clone, Default)]
struct Sieve {
    bits: Vec<u64>,
    count: usize,
    /// How far a hash is shifted to the right for its place.
    shift: u32,
}

impl Sieve {
    /// The words of the smallest one.
    const LEAST: usize = 64;
    /// Bits for each window.
    const SPARSE: usize = 16;

    fn place(&self, hash: u64) -> (usize, u64) {
        let index = usize::try_from(hash >> self.shift).unwrap_or_default();
        (index / 64, 1 << (index % 64))
    }

    /// Adds a hash; `all` are the ones that were added before, for when the set has to grow.
    fn add<'h>(&mut self, hash: u64, all: impl Iterator<Item = &'h u64>) {
        self.count += 1;
        if self.count * Self::SPARSE > self.bits.len() * 64 {
            let words = (self.bits.len() * 4).max(Self::LEAST);
            self.bits = vec![0; words];
            self.shift = 64 - (words * 64).trailing_zeros();
            for &known in all {
                self.set(known);
            }
        }
        self.set(hash);
    }

    fn set(&mut self, hash: u64) {
        let (word, bit) = self.place(hash);
        if let Some(slot) = self.bits.get_mut(word) {
            *slot |= bit;
        }
    }

    #[inline]
    fn may_hold(&self, hash: u64) -> bool {
        let (word, bit) = self.place(hash);
        self.bits.get(word).is_some_and(|slot| slot & bit != 0)
    }

    fn is_empty(&self) -> bool {
        self.bits.is_empty()
    }
}

#[derive(Debug, Clone, Copy)]
struct Whole {
    owner: u32,
    edges: Edges,
    rank: u8,
}

#[derive(Debug, Clone, Copy)]
struct Fragment {
    owner: u32,
    edges: Edges,
    rank: u8,
    /// It is a leak by itself, and not only behind another fragment.
    is_private: bool,
}

/// The windows of all values in one reading.
#[derive(Debug, Clone, Default)]
struct Windows {
    fragments: Hashes<Fragment>,
    /// By the first four bytes of every window and value: the lengths of the whole values that begin so, one bit each.
    heads: Hashes<u16>,
    head_sieve: Sieve,
    fragment_sieve: Sieve,
    /// Whole values shorter than a fragment.
    wholes: Hashes<Whole>,
    /// Whole values that are as long as a fragment or longer, for their owner.
    exact: Hashes<Whole>,
}

/// The hash of four bytes; this one is taken at every place of a text, so it is as cheap as it can be.
#[inline]
fn head_hash(head: [u8; 4]) -> u64 {
    u64::from(u32::from_le_bytes(head)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn head_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at + 4)?.try_into().ok().map(head_hash)
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

/// Tells whether a stretch of a reading stands between word boundaries of the text.
type WordTest<'a> = &'a dyn Fn(usize, usize) -> bool;

impl Windows {
    fn add(&mut self, value: &[u8], owner: u32, spelling: Spelling) {
        if value.len() >= FRAGMENT {
            let whole = Whole { owner, edges: spelling.edges, rank: spelling.rank };
            keep_higher(&mut self.exact, long_hash(value), whole, |whole| whole.rank);
            for at in 0..=value.len() - FRAGMENT {
                let hash = window_hash(value, at);
                let is_private = at < spelling.public_from;
                let fragment = Fragment { owner, edges: spelling.edges, rank: spelling.rank, is_private };
                let is_new = keep_higher(&mut self.fragments, hash, fragment, |fragment| {
                    fragment.rank * 2 + u8::from(fragment.is_private)
                });
                if is_new {
                    self.fragment_sieve.add(hash, self.fragments.keys());
                    self.add_head(value, at, 0);
                }
            }
        } else {
            self.add_head(value, 0, 1 << value.len());
            let whole = Whole { owner, edges: spelling.edges, rank: spelling.rank };
            keep_higher(&mut self.wholes, whole_hash(value), whole, |whole| whole.rank);
        }
    }

    fn add_head(&mut self, value: &[u8], at: usize, lengths: u16) {
        let Some(hash) = head_at(value, at) else { return };
        match self.heads.entry(hash) {
            Entry::Occupied(mut slot) => *slot.get_mut() |= lengths,
            Entry::Vacant(slot) => {
                slot.insert(lengths);
                self.head_sieve.add(hash, self.heads.keys());
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.head_sieve.is_empty()
    }

    /// Reports stretches of `bytes`; windows that follow one another are joined.
    fn search(&self, bytes: &[u8], is_word: WordTest<'_>, report: &mut dyn FnMut(usize, usize, u32)) {
        if self.is_empty() {
            return;
        }
        let places: Vec<usize> = bytes
            .windows(SHORTEST)
            .enumerate()
            .filter_map(|(at, window)| {
                let head = head_hash(window.try_into().ok()?);
                self.head_sieve.may_hold(head).then_some(at)
            })
            .collect();
        self.search_fragments(bytes, &places, is_word, report);
        if !self.wholes.is_empty() {
            for at in places {
                self.search_wholes(bytes, at, is_word, report);
            }
        }
    }

    fn search_fragments(
        &self,
        bytes: &[u8],
        places: &[usize],
        is_word: WordTest<'_>,
        report: &mut dyn FnMut(usize, usize, u32),
    ) {
        let mut open: Option<(usize, usize, Fragment)> = None;
        let mut close = |(start, end, first): (usize, usize, Fragment)| {
            // The value that is exactly this stretch, else the one whose window came first.
            let exact = bytes.get(start..end).and_then(|stretch| self.exact.get(&long_hash(stretch)));
            let (owner, edges) = exact.map_or((first.owner, first.edges), |whole| (whole.owner, whole.edges));
            if edges == Edges::Free || is_word(start, end) {
                report(start, end, owner);
            }
        };
        for &at in places.iter().take_while(|at| **at + FRAGMENT <= bytes.len()) {
            let hash = window_hash(bytes, at);
            if !self.fragment_sieve.may_hold(hash) {
                continue;
            }
            let Some(&fragment) = self.fragments.get(&hash) else { continue };
            match &mut open {
                // Windows of one occurrence follow one another byte by byte.
                Some((_, end, first)) if *end + 1 == at + FRAGMENT => {
                    *end += 1;
                    if fragment.edges == Edges::Free {
                        first.edges = Edges::Free;
                    }
                }
                _ if fragment.is_private => {
                    if let Some(stretch) = open.replace((at, at + FRAGMENT, fragment)) {
                        close(stretch);
                    }
                }
                _ => {}
            }
        }
        if let Some(stretch) = open {
            close(stretch);
        }
    }

    fn search_wholes(&self, bytes: &[u8], at: usize, is_word: WordTest<'_>, report: &mut dyn FnMut(usize, usize, u32)) {
        let Some(&lengths) = head_at(bytes, at).and_then(|head| self.heads.get(&head)) else { return };
        for length in (SHORTEST..FRAGMENT).rev().filter(|length| lengths & (1 << length) != 0) {
            let Some(whole) = bytes.get(at..at + length).and_then(|window| self.wholes.get(&whole_hash(window))) else {
                continue;
            };
            if whole.edges == Edges::Free || is_word(at, at + length) {
                report(at, at + length, whole.owner);
                return;
            }
        }
    }
}

/// Keeps the first value of the highest rank.
///
/// Returns whether the hash is new.
fn keep_higher<V: Copy>(hashes: &mut Hashes<V>, hash: u64, value: V, rank: impl Fn(&V) -> u8) -> bool {
    match hashes.entry(hash) {
        Entry::Vacant(slot) => {
            slot.insert(value);
            true
        }
        Entry::Occupied(mut slot) => {
            if rank(&value) > rank(slot.get()) {
                slot.insert(value);
            }
            false
        }
    }
}

fn long_hash(value: &[u8]) -> u64 {
    value.chunks(8).fold(0x2545_F491_4F6C_DD1D, |hash, chunk| mix(hash, load(chunk)))
}

/// The letters and digits of a text alone, with the place of each.
struct Squeezed {
    bytes: Vec<u8>,
    places: Vec<u32>,
}

impl Squeezed {
    fn of(lower: &[u8]) -> Self {
        // Every byte is written, and the place moves on behind letters and digits alone: no branch to guess.
        let mut bytes = vec![0; lower.len() + 1];
        let mut places = vec![0; lower.len() + 1];
        let mut length = 0;
        for (&byte, place) in lower.iter().zip(0_u32..) {
            if let (Some(slot), Some(place_slot)) = (bytes.get_mut(length), places.get_mut(length)) {
                *slot = byte;
                *place_slot = place;
            }
            length += usize::from(IS_WORD[usize::from(byte)]);
        }
        bytes.truncate(length);
        places.truncate(length);
        Self { bytes, places }
    }

    fn place(&self, index: usize) -> usize {
        self.places.get(index).map_or(0, |&place| usize::try_from(place).unwrap_or_default())
    }
}

static IS_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    loop {
        table[byte as usize] = byte.is_ascii_alphanumeric() || byte >= 0x80;
        if byte == u8::MAX {
            break;
        }
        byte += 1;
    }
    table
};

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
                self.tiny.entry(whole_hash(value.as_bytes())).or_insert(owner);
            }
            return;
        }
        self.raw.add(&lower, owner, spelling);
        let squeezed = Squeezed::of(&lower);
        if spelling.ignores_gaps && squeezed.bytes.len() >= SHORTEST_SQUEEZED {
            let public_from =
                (0..squeezed.places.len()).take_while(|&index| squeezed.place(index) < spelling.public_from).count();
            let public_from = if public_from == squeezed.places.len() { usize::MAX } else { public_from };
            self.squeezed.add(&squeezed.bytes, owner, Spelling { public_from, ..spelling });
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
        if self.raw.is_empty() {
            return sightings;
        }
        let lower = text.to_ascii_lowercase().into_bytes();
        let is_word = |start: usize, end: usize| {
            let before = start.checked_sub(1).and_then(|before| lower.get(before));
            !before.copied().is_some_and(is_word_byte) && !lower.get(end).copied().is_some_and(is_word_byte)
        };
        self.raw.search(&lower, &is_word, &mut |start, end, owner| sightings.push(Sighting { start, end, owner }));
        if !self.squeezed.is_empty() {
            let squeezed = Squeezed::of(&lower);
            let range = |start: usize, end: usize| (squeezed.place(start), squeezed.place(end - 1) + 1);
            let is_word = |start: usize, end: usize| {
                let (start, end) = range(start, end);
                is_word(start, end)
            };
            self.squeezed.search(&squeezed.bytes, &is_word, &mut |start, end, owner| {
                let (start, end) = range(start, end);
                sightings.push(Sighting { start, end, owner });
            });
        }
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
                let found = self.tiny.get(&whole_hash(word)).or_else(|| self.tiny.get(&whole_hash(&title)));
                if let Some(&owner) = found {
                    sightings.push(Sighting { start: at, end: at + length, owner });
                }
            }
            at += length + 1;
        }
    }
}
