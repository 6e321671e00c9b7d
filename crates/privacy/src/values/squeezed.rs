//! A reading without the signs and blanks between letters and digits.

use super::windows::CARRY;

/// So many bytes of the text share one count.
const BLOCK: usize = 64;

/// The letters and digits of a text.
pub(super) fn squeeze(text: &[u8]) -> Vec<u8> {
    text.iter().copied().filter(|&byte| is_word_byte(byte)).collect()
}

/// The letters and digits of a text part by part, and the way back to their places.
#[derive(Debug)]
pub(super) struct Squeezed<'t> {
    text: &'t [u8],
    /// The last letters and digits of the part before, and those of this one.
    bytes: Vec<u8>,
    /// The places of the first ones, from the part before.
    carried: Vec<usize>,
    /// How many stand in front of `bytes` in the whole text.
    first: usize,
    /// Where this part begins in the text.
    start: usize,
    /// How many stand in this part in front of each of its blocks: a place for each of them would be more to write than
    /// the text itself.
    counts: Vec<usize>,
}

impl<'t> Squeezed<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        Self { text, bytes: Vec::new(), carried: Vec::new(), first: 0, start: 0, counts: Vec::new() }
    }

    /// Reads the next part: the text from `start`, folded.
    pub(super) fn read(&mut self, part: &[u8], start: usize) {
        let kept = self.bytes.len().saturating_sub(CARRY);
        self.carried = (kept..self.bytes.len()).map(|index| self.place(index)).collect();
        self.bytes.drain(..kept);
        self.first += kept;
        self.start = start;
        self.counts.clear();
        // Every byte is written, and the place moves on behind letters and digits alone: no branch to guess.
        let mut length = self.bytes.len();
        self.bytes.resize(length + part.len() + 1, 0);
        for block in part.chunks(BLOCK) {
            self.counts.push(length - self.carried.len());
            for &byte in block {
                if let Some(slot) = self.bytes.get_mut(length) {
                    *slot = byte;
                }
                length += usize::from(is_word_byte(byte));
            }
        }
        self.bytes.truncate(length);
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many letters and digits stand in front of these in the whole text.
    pub(super) fn first(&self) -> usize {
        self.first
    }

    /// Where a letter or digit stands in the text.
    pub(super) fn place(&self, index: usize) -> usize {
        let Some(index) = index.checked_sub(self.carried.len()) else {
            return self.carried.get(index).copied().unwrap_or_default();
        };
        let block = self.counts.partition_point(|&before| before <= index).saturating_sub(1);
        let before = self.counts.get(block).copied().unwrap_or_default();
        let part = self.text.iter().enumerate().skip(self.start + block * BLOCK).take(BLOCK);
        let mut words = part.filter(|&(_, &byte)| is_word_byte(byte));
        words.nth(index - before).map_or(self.text.len(), |(at, _)| at)
    }
}

/// Whether a byte is a letter, a digit or part of a character beyond ASCII.
#[inline]
pub(super) fn is_word_byte(byte: u8) -> bool {
    IS_WORD[usize::from(byte)]
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
