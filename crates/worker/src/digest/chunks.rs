//! Cutting material into parts that a model can read at once.

/// A part of the material.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chunk<'m> {
    /// Its text.
    pub(crate) text: &'m str,
    /// Its number, from one.
    pub(crate) part: usize,
    /// Its lines.
    pub(crate) lines: LineRange,
}

/// Lines by number, from one, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineRange {
    /// The first line.
    pub first: usize,
    /// The last line.
    pub last: usize,
}

impl std::fmt::Display for LineRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.first == self.last {
            return write!(f, "{}", self.first);
        }
        write!(f, "{}-{}", self.first, self.last)
    }
}

/// Parts of at most `most_chars` characters, each cut behind the last line break of its second half.
///
/// Without a line break there, the cut is behind the last blank of the second half, and without one of those anywhere.
/// Material without text is one empty part.
pub(crate) fn split(material: &str, most_chars: usize) -> Vec<Chunk<'_>> {
    let most_chars = most_chars.max(2);
    let mut chunks = Vec::new();
    let mut rest = material;
    let mut first = 1;
    loop {
        let text = &rest[..cut(rest, most_chars)];
        rest = &rest[text.len()..];
        let breaks = text.bytes().filter(|byte| *byte == b'\n').count();
        let last = if text.ends_with('\n') { first + breaks - 1 } else { first + breaks };
        chunks.push(Chunk { text, part: chunks.len() + 1, lines: LineRange { first, last } });
        if rest.is_empty() {
            return chunks;
        }
        // A part that was cut inside a line leaves the rest of it to the next one.
        first += breaks;
    }
}

/// Where a part ends.
fn cut(text: &str, most_chars: usize) -> usize {
    // A character has four bytes at most, so only that much is counted.
    let Some(end) = nth_char(text, most_chars) else { return text.len() };
    let half = nth_char(&text[..end], most_chars / 2).unwrap_or(0);
    let second_half = &text[half..end];
    match second_half.rfind('\n').or_else(|| second_half.rfind([' ', '\t'])) {
        Some(at) => half + at + 1,
        None => end,
    }
}

/// The byte at which a character begins; none if the text is not longer than that.
fn nth_char(text: &str, chars: usize) -> Option<usize> {
    if text.len() <= chars {
        return None;
    }
    text.char_indices().nth(chars).map(|(at, _)| at)
}

/// The first characters of a text.
pub(crate) fn head(text: &str, chars: usize) -> &str {
    &text[..nth_char(text, chars).unwrap_or(text.len())]
}
