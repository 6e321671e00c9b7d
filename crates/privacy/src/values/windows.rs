//! The windows of all values in one reading, and the search for them.
//!
//! Values are told apart by length, since a long one can be found from few places of a text. From twelve bytes on, each
//! window of twelve bytes counts; shorter ones count as a whole.

use std::collections::hash_map::Entry;

use super::sieve::{Grams, Hashes, Sieve, hash_long, hash_of, hash_short, hash12};
use super::squeezed::is_word_byte;
use super::{Edges, FRAGMENT, SHORTEST, Sighting, Spelling};

/// Six bytes at each third place of a text.
type LongGrams = Grams<6, 3>;
/// Three bytes at each second place.
type ShortGrams = Grams<3, 2>;

/// Values of this length and more are looked for by longer grams.
const MIDDLE: usize = LongGrams::SHORTEST;

const _: () = assert!(MIDDLE == 8 && MIDDLE <= FRAGMENT && ShortGrams::SHORTEST == SHORTEST);

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

/// Hashes and the sieve in front of them.
#[derive(Debug, Clone)]
struct Sifted<V> {
    hashes: Hashes<V>,
    sieve: Sieve,
}

impl<V> Default for Sifted<V> {
    fn default() -> Self {
        Self { hashes: Hashes::default(), sieve: Sieve::default() }
    }
}

impl<V> Sifted<V> {
    /// Changes what stands at a hash, or puts a new value there.
    fn put(&mut self, hash: u64, new: V, change: impl FnOnce(&mut V, V)) {
        match self.hashes.entry(hash) {
            Entry::Occupied(mut slot) => change(slot.get_mut(), new),
            Entry::Vacant(slot) => {
                slot.insert(new);
                self.sieve.add(hash, self.hashes.keys());
            }
        }
    }

    #[inline]
    fn get(&self, hash: u64) -> Option<&V> {
        if self.sieve.may_hold(hash) { self.hashes.get(&hash) } else { None }
    }
}

/// The windows of all values in one reading.
#[derive(Debug, Clone, Default)]
pub(super) struct Windows {
    /// The grams of all values from [`MIDDLE`] bytes on.
    long_grams: LongGrams,
    fragments: Sifted<Fragment>,
    /// Whole values that are as long as a fragment or longer, for their owner.
    exact: Hashes<Whole>,
    /// By their first eight bytes: the lengths of the values from [`MIDDLE`] bytes that begin so, one bit each.
    middle_heads: Sifted<u16>,
    /// The grams of shorter values.
    short_grams: ShortGrams,
    /// The same for them, by their first four bytes.
    short_heads: Sifted<u16>,
    /// Whole values shorter than a fragment.
    wholes: Hashes<Whole>,
}

/// A part of a reading, small enough to stay near the processor.
pub(super) struct Block<'b> {
    /// The last [`CARRY`] bytes of the part before, and the bytes of this one.
    pub bytes: &'b [u8],
    /// Where the first of them stands in the reading.
    pub first: usize,
    /// Where in the text the byte at an index of `bytes` stands.
    pub place: &'b dyn Fn(usize) -> usize,
}

/// So many bytes of a part stand in front of the next one: no window and no short value is cut.
pub(super) const CARRY: usize = FRAGMENT - 1;

impl Block<'_> {
    /// The range of the text behind a range of `bytes`.
    fn range(&self, start: usize, end: usize) -> (usize, usize) {
        ((self.place)(start), (self.place)(end - 1) + 1)
    }
}

/// Windows of known values that follow one another.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    /// Where it begins in the text.
    start: usize,
    /// Where it ends in the reading.
    end_index: usize,
    /// Where it ends in the text, as far as its part of the reading goes.
    end: Option<usize>,
    fragment: Fragment,
}

/// What a search goes on with in the next part of a reading.
#[derive(Debug)]
pub(super) struct Progress {
    open: Option<Stretch>,
    /// A stretch of the text as it stands in the reading.
    reading_of: fn(&[u8]) -> Vec<u8>,
}

impl Progress {
    pub(super) fn new(reading_of: fn(&[u8]) -> Vec<u8>) -> Self {
        Self { open: None, reading_of }
    }
}

/// The text that is searched, and where sightings go.
pub(super) struct Report<'r> {
    pub text: &'r [u8],
    pub sightings: &'r mut Vec<Sighting>,
}

impl Report<'_> {
    /// Reports a stretch, if it is one there; whether it is.
    fn sight(&mut self, start: usize, end: usize, owner: u32, edges: Edges) -> bool {
        let is_one = edges == Edges::Free || self.is_word(start, end);
        if is_one {
            self.sightings.push(Sighting { start, end, owner });
        }
        is_one
    }

    /// Whether neither a letter nor a digit touches a stretch of the text.
    fn is_word(&self, start: usize, end: usize) -> bool {
        let is_word_at =
            |at: Option<usize>| at.and_then(|at| self.text.get(at)).is_some_and(|&byte| is_word_byte(byte));
        !is_word_at(start.checked_sub(1)) && !is_word_at(Some(end))
    }
}

impl Windows {
    pub(super) fn add(&mut self, value: &[u8], owner: u32, spelling: Spelling) {
        let whole = Whole { owner, edges: spelling.edges, rank: spelling.rank };
        if value.len() >= FRAGMENT {
            keep_higher(&mut self.exact, hash_long(value), whole);
            for (at, window) in value.windows(FRAGMENT).enumerate() {
                let is_private = at < spelling.public_from;
                let fragment = Fragment { owner, edges: spelling.edges, rank: spelling.rank, is_private };
                let weight = |fragment: &Fragment| fragment.rank * 2 + u8::from(fragment.is_private);
                self.fragments.put(hash12(window), fragment, |old, new| {
                    if weight(&new) > weight(old) {
                        *old = new;
                    }
                });
            }
            self.long_grams.add(value);
            return;
        }
        keep_higher(&mut self.wholes, hash_short(value), whole);
        let length = 1 << value.len();
        if value.len() >= MIDDLE {
            self.middle_heads.put(hash_of::<MIDDLE>(value), length, |lengths, length| *lengths |= length);
            self.long_grams.add(value);
        } else {
            self.short_grams.add(value);
            self.short_heads.put(hash_of::<SHORTEST>(value), length, |lengths, length| *lengths |= length);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.wholes.is_empty()
    }

    /// Reports what stands in a part of a reading; windows that follow one another are joined, over its edges too.
    pub(super) fn search(&self, block: &Block<'_>, progress: &mut Progress, report: &mut Report<'_>) {
        let bytes = block.bytes;
        self.search_long(block, progress, report);
        self.short_grams.places(bytes, |at| {
            let head = bytes.get(at..at + SHORTEST);
            if let Some(&lengths) = head.and_then(|head| self.short_heads.get(hash_of::<SHORTEST>(head))) {
                self.search_wholes(block, at, lengths, report);
            }
        });
    }

    /// Ends a search.
    pub(super) fn finish(&self, progress: &Progress, report: &mut Report<'_>) {
        if let Some(stretch) = progress.open {
            self.close(stretch, progress.reading_of, report);
        }
    }

    fn search_long(&self, block: &Block<'_>, progress: &mut Progress, report: &mut Report<'_>) {
        let end_of = |stretch: &Stretch| match stretch.end {
            Some(end) => end,
            None => (block.place)(stretch.end_index - 1 - block.first) + 1,
        };
        self.long_grams.places(block.bytes, |at| {
            let Some(head) = block.bytes.get(at..at + MIDDLE) else { return };
            if let Some(&lengths) = self.middle_heads.get(hash_of::<MIDDLE>(head)) {
                self.search_wholes(block, at, lengths, report);
            }
            let Some(window) = block.bytes.get(at..at + FRAGMENT) else { return };
            let Some(&fragment) = self.fragments.get(hash12(window)) else { return };
            let end_index = block.first + at + FRAGMENT;
            match &mut progress.open {
                // Windows of one occurrence follow one another byte by byte.
                Some(open) if open.end_index + 1 == end_index => {
                    (open.end_index, open.end) = (end_index, None);
                    if fragment.edges == Edges::Free {
                        open.fragment.edges = Edges::Free;
                    }
                }
                _ if fragment.is_private => {
                    let start = (block.place)(at);
                    if let Some(before) = progress.open.replace(Stretch { start, end_index, end: None, fragment }) {
                        let before = Stretch { end: Some(end_of(&before)), ..before };
                        self.close(before, progress.reading_of, report);
                    }
                }
                _ => {}
            }
        });
        if let Some(open) = &mut progress.open {
            open.end = Some(end_of(open));
        }
    }

    /// Reports a stretch that has come to its end.
    fn close(&self, stretch: Stretch, reading_of: fn(&[u8]) -> Vec<u8>, report: &mut Report<'_>) {
        let Stretch { start, end: Some(end), fragment, .. } = stretch else { return };
        // The value that is exactly this stretch, else the one whose window came first.
        let written = report.text.get(start..end).map(reading_of);
        let exact = written.and_then(|written| self.exact.get(&hash_long(&written)));
        let (owner, edges) = exact.map_or((fragment.owner, fragment.edges), |whole| (whole.owner, whole.edges));
        report.sight(start, end, owner, edges);
    }

    /// The longest value of one of these lengths that begins at a place.
    fn search_wholes(&self, block: &Block<'_>, at: usize, lengths: u16, report: &mut Report<'_>) {
        for length in (SHORTEST..FRAGMENT).rev().filter(|length| lengths & (1 << length) != 0) {
            let window = block.bytes.get(at..at + length);
            let Some(whole) = window.and_then(|window| self.wholes.get(&hash_short(window))) else { continue };
            let (start, end) = block.range(at, at + length);
            if report.sight(start, end, whole.owner, whole.edges) {
                return;
            }
        }
    }
}

/// Keeps the first value of the highest rank.
fn keep_higher(hashes: &mut Hashes<Whole>, hash: u64, new: Whole) {
    match hashes.entry(hash) {
        Entry::Vacant(slot) => {
            slot.insert(new);
        }
        Entry::Occupied(mut slot) if new.rank > slot.get().rank => {
            slot.insert(new);
        }
        Entry::Occupied(_) => {}
    }
}
