//! Hashes of short windows, and a set that says "surely not" for most of them.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Hands a hash that is one already through.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct PassThrough(u64);

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

/// A map by hashes of windows.
pub(super) type Hashes<V> = HashMap<u64, V, BuildHasherDefault<PassThrough>>;

const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// Mixes eight bytes and the rest of a window into one hash.
fn mix(left: u64, right: u64) -> u64 {
    let product = u128::from(left ^ SPREAD) * u128::from(right ^ 0xD1B5_4A32_D192_ED03);
    #[expect(clippy::cast_possible_truncation, reason = "both halves of the product are mixed")]
    {
        (product >> 64) as u64 ^ product as u64
    }
}

fn load(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// Eight bytes as a number.
fn load8(window: &[u8]) -> u64 {
    window.first_chunk().map_or(0, |window| u64::from_le_bytes(*window))
}

/// Four bytes as a number.
fn load4(window: &[u8]) -> u64 {
    window.first_chunk().map_or(0, |window| u64::from(u32::from_le_bytes(*window)))
}

/// The hash of a window of twelve bytes.
#[inline]
pub(super) fn hash12(window: &[u8]) -> u64 {
    mix(load8(window), load4(window.get(8..).unwrap_or_default()))
}

/// The hash of the first `N` bytes of a window, eight at most. It is taken at many places of a text, so it is as cheap
/// as it can be: the upper bits of the product depend on all bytes, and a sieve takes those.
#[inline]
pub(super) fn hash_of<const N: usize>(window: &[u8]) -> u64 {
    let word = match window.first_chunk() {
        Some(eight) => u64::from_le_bytes(*eight),
        // Only at the end of a reading.
        None => load(window),
    };
    let word = word & (u64::MAX >> (64 - 8 * N));
    (word ^ word >> 32).wrapping_mul(SPREAD)
}

/// The hash of a value of up to sixteen bytes, with its length.
pub(super) fn hash_short(value: &[u8]) -> u64 {
    let (head, tail) = value.split_at(value.len().min(8));
    mix(load(head), load(tail) ^ (u64::try_from(value.len()).unwrap_or_default() << 56))
}

/// The hash of a value of any length.
pub(super) fn hash_long(value: &[u8]) -> u64 {
    value.chunks(8).fold(0x2545_F491_4F6C_DD1D, |hash, chunk| mix(hash, load(chunk)))
}

/// The grams of some values: every `LENGTH` bytes in a row.
///
/// A value of at least `LENGTH + STEP - 1` bytes holds one of them at each multiple of `STEP` that it covers, wherever it
/// stands, so a text need not be looked at anywhere else.
#[derive(Debug, Clone, Default)]
pub(super) struct Grams<const LENGTH: usize, const STEP: usize> {
    /// Every one that was added, for when the sieve has to grow. One that comes again stands here again, which costs
    /// less than to look for it.
    known: Vec<u64>,
    sieve: Sieve,
}

impl<const LENGTH: usize, const STEP: usize> Grams<LENGTH, STEP> {
    /// The shortest value that is found.
    pub(super) const SHORTEST: usize = LENGTH + STEP - 1;

    pub(super) fn add(&mut self, value: &[u8]) {
        for gram in value.windows(LENGTH) {
            let hash = hash_of::<LENGTH>(gram);
            self.known.push(hash);
            self.sieve.add(hash, self.known.iter());
        }
    }

    /// Calls `look` for rising places at which a value may begin.
    #[inline]
    pub(super) fn places(&self, bytes: &[u8], mut look: impl FnMut(usize)) {
        const LOADED: usize = 8;
        if self.sieve.is_empty() {
            return;
        }
        let sieve = self.sieve.view();
        let mut rest = bytes;
        // A hash is taken of more bytes than the gram has, of which the last ones count for nothing.
        while let Some(loaded) = rest.first_chunk::<LOADED>() {
            if sieve.may_hold(hash_of::<LENGTH>(loaded)) {
                look_from::<STEP>(bytes.len() - rest.len(), &mut look);
            }
            rest = &rest[STEP..];
        }
        while let Some(gram) = rest.get(..LENGTH) {
            if sieve.may_hold(hash_of::<LENGTH>(gram)) {
                look_from::<STEP>(bytes.len() - rest.len(), &mut look);
            }
            rest = &rest[STEP..];
        }
    }
}

/// Each place belongs to the first multiple of the step that is not in front of it.
///
/// It stands apart, and the loop that seldom comes here stays in the registers.
#[cold]
#[inline(never)]
fn look_from<const STEP: usize>(probe: usize, look: &mut impl FnMut(usize)) {
    ((probe + 1).saturating_sub(STEP)..=probe).for_each(look);
}

/// A set of bits that says "surely not" for most hashes. It grows with what it holds, so that a small one stays near.
///
/// A hash sets one bit: a second one would let fewer hashes through, and costs more at each place of a text than those
/// that it keeps back.
#[derive(Debug, Clone, Default)]
pub(super) struct Sieve {
    words: Vec<u64>,
    count: usize,
    /// How far a hash is shifted to the right for its word.
    shift: u32,
}

impl Sieve {
    /// The words of the smallest one.
    const LEAST: usize = 64;
    /// The fewest bits for each hash.
    const SPARSE: usize = 16;

    /// Adds a hash; `all` are the ones that were added before, for when the set has to grow.
    pub(super) fn add<'h>(&mut self, hash: u64, all: impl Iterator<Item = &'h u64>) {
        self.count += 1;
        if self.count * Self::SPARSE > self.words.len() * 64 {
            let words = (self.words.len() * 2).max(Self::LEAST);
            self.words = vec![0; words];
            self.shift = 64 - words.trailing_zeros();
            for &known in all {
                self.set(known);
            }
        }
        self.set(hash);
    }

    fn set(&mut self, hash: u64) {
        let (word, bit) = place(hash, self.shift);
        if let Some(slot) = self.words.get_mut(word) {
            *slot |= 1 << bit;
        }
    }

    /// Whether a hash may be in it.
    #[inline]
    pub(super) fn may_hold(&self, hash: u64) -> bool {
        self.view().may_hold(hash)
    }

    #[inline]
    fn view(&self) -> View<'_> {
        View { words: &self.words, shift: self.shift }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

/// The word and the bit of a hash: its highest bits, and some below them.
#[inline]
fn place(hash: u64, shift: u32) -> (usize, u64) {
    const BIT: u32 = 32;
    (usize::try_from(hash >> (shift & 63)).unwrap_or_default(), hash >> BIT & 63)
}

/// A sieve for a loop: both parts of it in registers.
#[derive(Clone, Copy)]
struct View<'s> {
    words: &'s [u64],
    shift: u32,
}

impl View<'_> {
    #[inline]
    fn may_hold(self, hash: u64) -> bool {
        let (word, bit) = place(hash, self.shift);
        self.words.get(word).is_some_and(|slot| slot >> bit & 1 == 1)
    }
}
