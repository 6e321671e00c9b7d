//! Slices that cannot cut a hidden value in two.
//!
//! The whole text is scrubbed once. A slice is asked for in characters or lines of the source and is taken from the
//! scrubbed text, where a hidden value is one piece: a slice that touches any part of it shows its placeholder, and
//! none of the value.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use lwa_privacy::{Kind, Scrubbed};

/// Characters of a slice when nothing is asked for.
pub const DEFAULT_LIMIT: usize = 4_000;
/// The longest slice.
pub const MOST_LIMIT: usize = 20_000;
/// Lines of a slice whose end is not given.
const DEFAULT_LINES: usize = 200;
/// Characters between two places whose byte is known.
const STRIDE: usize = 4_096;

/// A hidden value: where it stood in the source, in characters, and where its placeholder stands, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    source: (usize, usize),
    text: (usize, usize),
}

/// A text that was scrubbed whole, with the places of the source. The source itself is not in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScrubbedText {
    text: String,
    places: Vec<Place>,
    counts: BTreeMap<Kind, usize>,
    /// Characters of the source.
    chars: usize,
    /// The lines of the source without their ends, in characters.
    lines: Vec<(usize, usize)>,
    /// Where the line begins that is being read.
    line_start: usize,
    /// Known pairs of a character of the source and a byte of the text, in order, none inside a hidden value.
    marks: Vec<(usize, usize)>,
}

/// The report of a scrub that does not belong to the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the hidden places do not belong to the text")]
pub struct Mismatch;

/// A slice with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// The slice, with placeholders.
    pub text: String,
    /// `chars 0-4000 of 9000` or `lines 1-200 of 431`.
    pub range: String,
    /// Where the next slice begins, in characters or lines; none at the end.
    pub next: Option<usize>,
    /// Whether it was taken by lines.
    pub is_by_lines: bool,
}

impl Slice {
    /// What the trailer says about what follows.
    pub fn next_label(&self) -> String {
        match (self.next, self.is_by_lines) {
            (Some(line), true) => format!("next line {line}"),
            (Some(offset), false) => format!("next offset {offset}"),
            (None, _) => "end".to_owned(),
        }
    }
}

impl ScrubbedText {
    /// Joins a scrubbed text with the places of its source.
    ///
    /// # Errors
    /// The report is not about this source.
    pub fn of(source: &str, scrubbed: &Scrubbed<'_>) -> Result<Self, Mismatch> {
        let mut built = Self {
            text: String::with_capacity(scrubbed.text.len()),
            places: Vec::with_capacity(scrubbed.found.len()),
            counts: scrubbed.counts.clone(),
            chars: 0,
            lines: Vec::new(),
            line_start: 0,
            marks: vec![(0, 0)],
        };
        let mut at = 0;
        for found in &scrubbed.found {
            let before = source.get(at..found.start).ok_or(Mismatch)?;
            let hidden = source.get(found.start..found.end).ok_or(Mismatch)?;
            built.push_open(before);
            built.push_hidden(hidden, &found.placeholder);
            at = found.end;
        }
        built.push_open(source.get(at..).ok_or(Mismatch)?);
        if built.text != scrubbed.text {
            return Err(Mismatch);
        }
        // A text that ends with a line end has no line behind it.
        if built.line_start < built.chars {
            built.lines.push((built.line_start, built.chars));
        }
        Ok(built)
    }

    /// The scrubbed text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How many values of each kind are hidden in the whole.
    pub fn counts(&self) -> &BTreeMap<Kind, usize> {
        &self.counts
    }

    /// Characters of the source.
    pub fn chars(&self) -> usize {
        self.chars
    }

    /// Lines of the source.
    pub fn lines(&self) -> usize {
        self.lines.len()
    }

    /// Characters of the source from `offset` on, at most `limit` of them.
    pub fn slice_chars(&self, offset: usize, limit: usize) -> Slice {
        let start = offset.min(self.chars);
        let end = start.saturating_add(limit.clamp(1, MOST_LIMIT)).min(self.chars);
        Slice {
            text: self.between(start, end).to_owned(),
            range: format!("chars {start}-{end} of {}", self.chars),
            next: (end < self.chars).then_some(end),
            is_by_lines: false,
        }
    }

    /// Lines of the source from `first` on, counted from 1, with their numbers. A `last` of 0 means two hundred lines.
    /// The slice ends early, with a whole line, at the longest slice; a longer line is cut.
    pub fn slice_lines(&self, first: usize, last: usize) -> Slice {
        let lines = self.lines();
        let first = first.max(1);
        let last = if last == 0 { first.saturating_add(DEFAULT_LINES - 1) } else { last.max(first) }.min(lines);
        if first > lines {
            return Slice {
                text: String::new(),
                range: format!("lines {first}-{first} of {lines}"),
                next: None,
                is_by_lines: true,
            };
        }
        let width = last.to_string().len();
        let mut text = String::new();
        let mut room = MOST_LIMIT;
        let mut shown = first;
        for number in first..=last {
            let line = self.line(number);
            let chars = line.chars().count() + width + 3;
            if chars > room && number > first {
                break;
            }
            let line: String = line.chars().take(MOST_LIMIT).collect();
            let _ = writeln!(text, "{number:>width$}: {line}");
            room = room.saturating_sub(chars);
            shown = number;
        }
        text.pop();
        Slice {
            text,
            range: format!("lines {first}-{shown} of {lines}"),
            next: (shown < lines).then_some(shown + 1),
            is_by_lines: true,
        }
    }

    /// A line of the source without its end, counted from 1.
    fn line(&self, number: usize) -> &str {
        let (start, end) = self.lines.get(number - 1).copied().unwrap_or_default();
        self.between(start, end).trim_end_matches('\r')
    }

    /// The scrubbed text between two characters of the source. A hidden value that is touched is there as a whole.
    fn between(&self, start: usize, end: usize) -> &str {
        if start >= end {
            return "";
        }
        let from = match self.place_around(start) {
            Some(place) => place.text.0,
            None => self.byte_at(start),
        };
        // The end is behind the last character that is wanted.
        let to = match self.place_around(end - 1) {
            Some(place) => place.text.1,
            None => self.byte_at(end),
        };
        self.text.get(from..to).unwrap_or_default()
    }

    /// The hidden value that a character of the source belongs to.
    fn place_around(&self, at: usize) -> Option<&Place> {
        let index = self.places.partition_point(|place| place.source.1 <= at);
        self.places.get(index).filter(|place| place.source.0 <= at)
    }

    /// The byte of a character of the source that is not inside a hidden value.
    fn byte_at(&self, at: usize) -> usize {
        let index = self.marks.partition_point(|(source, _)| *source <= at).saturating_sub(1);
        let (source, byte) = self.marks.get(index).copied().unwrap_or_default();
        let rest = self.text.get(byte..).unwrap_or_default();
        byte + rest.char_indices().nth(at - source).map_or(rest.len(), |(offset, _)| offset)
    }

    fn push_open(&mut self, part: &str) {
        for (offset, character) in part.char_indices() {
            let mark = (self.chars, self.text.len() + offset);
            if self.marks.last().is_none_or(|(source, _)| self.chars - source >= STRIDE) {
                self.marks.push(mark);
            }
            self.step(character);
        }
        self.text.push_str(part);
    }

    fn step(&mut self, character: char) {
        self.chars += 1;
        if character == '\n' {
            self.lines.push((self.line_start, self.chars - 1));
            self.line_start = self.chars;
        }
    }

    fn push_hidden(&mut self, value: &str, placeholder: &str) {
        let (source, text) = (self.chars, self.text.len());
        for character in value.chars() {
            self.step(character);
        }
        self.text.push_str(placeholder);
        self.places.push(Place { source: (source, self.chars), text: (text, self.text.len()) });
        self.marks.push((self.chars, self.text.len()));
    }
}
