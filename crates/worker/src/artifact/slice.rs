//! Slices that cannot cut a hidden value in two.
//!
//! The whole text is scrubbed once. A slice is asked for in characters or lines of the source and is taken from the
//! scrubbed text, where a hidden value is one piece: a slice that touches any part of it shows its placeholder, and
//! none of the value. What a reader of names has to see first is the lines that the slice touches, whole, so that no
//! name is read in halves either.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;

use lwa_privacy::{Kind, Scrubbed};

use crate::outbound::WITHHELD_LINE;

/// Characters of a slice when nothing is asked for.
pub const DEFAULT_LIMIT: usize = 4_000;
/// The longest slice.
pub const MOST_LIMIT: usize = 20_000;
/// Lines of a slice whose end is not given.
const DEFAULT_LINES: usize = 200;
/// Characters between two places whose byte is known.
const STRIDE: usize = 4_096;
/// The longest line that is read whole for a slice that touches a part of it.
const LONG_LINE: usize = 4_000;
/// How much of a longer line is read on either side of the slice: more than any name has.
const MARGIN: usize = 400;

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

/// Lines that fit into one slice.
#[derive(Debug, Clone, Copy)]
struct Plan {
    first: usize,
    last: usize,
    /// The last character that is shown, in the source.
    end: usize,
    width: usize,
}

/// The report of a scrub that does not belong to the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the hidden places do not belong to the text")]
pub struct Mismatch;

/// What is wanted of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Characters of the source.
    Chars {
        /// The first one, counted from 0.
        offset: usize,
        /// How many at most.
        limit: usize,
    },
    /// Lines of the source.
    Lines {
        /// The first one, counted from 1.
        first: usize,
        /// The last one; 0 for two hundred lines.
        last: usize,
    },
}

/// What a reader of names has to see before a slice is cut. It was scrubbed, and does not leave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    text: String,
    /// Where each line stands in the text, and its number in the source.
    lines: Vec<(Range<usize>, usize)>,
}

impl Reading {
    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The lines of the source that these parts of the text are in.
    pub fn lines_at(&self, parts: &[Range<usize>]) -> BTreeSet<usize> {
        let touches = |line: &Range<usize>| {
            parts.iter().any(|part| !part.is_empty() && part.start < line.end && line.start < part.end)
        };
        self.lines.iter().filter(|(line, _)| touches(line)).map(|(_, number)| *number).collect()
    }
}

/// A slice with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// The slice, with placeholders.
    pub text: String,
    /// `chars 0-4000 of 9000` or `lines 1-200 of 431`.
    pub range: String,
    /// Where the next slice begins, in characters or lines; none at the end.
    pub next: Option<usize>,
    /// Whether the next slice is one of lines.
    pub is_by_lines: bool,
    /// Lines of it that were left out.
    pub withheld_lines: usize,
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

    /// What has to be read for names before this is cut: every line that it touches, whole; of a very long one as much as
    /// can hold a name that begins or ends in the slice.
    pub fn reading(&self, wanted: Wanted) -> Reading {
        let (start, end) = match wanted {
            Wanted::Chars { offset, limit } => self.chars_of(offset, limit),
            Wanted::Lines { first, last } => match self.lines_of(first, last) {
                Some(plan) => (self.line_at(plan.first).0, plan.end),
                None => return Reading::default(),
            },
        };
        let mut reading = Reading::default();
        for number in self.numbers_between(start, end) {
            let (from, to) = self.line_at(number);
            let part = if to - from <= LONG_LINE {
                self.between(from, to)
            } else {
                self.around(from, to, start.max(from), end.min(to))
            };
            let at = reading.text.len();
            reading.text.push_str(part);
            reading.lines.push((at..reading.text.len(), number));
            reading.text.push('\n');
        }
        reading
    }

    /// The slice that is wanted, with a mark in place of lines that stay here.
    pub fn slice(&self, wanted: Wanted, withheld: &BTreeSet<usize>) -> Slice {
        match wanted {
            Wanted::Chars { offset, limit } => self.sliced_chars(offset, limit, withheld),
            Wanted::Lines { first, last } => self.sliced_lines(first, last, withheld),
        }
    }

    /// Characters of the source from `offset` on, at most `limit` of them.
    pub fn slice_chars(&self, offset: usize, limit: usize) -> Slice {
        self.sliced_chars(offset, limit, &BTreeSet::new())
    }

    /// Lines of the source from `first` on, counted from 1, with their numbers. A `last` of 0 means two hundred lines.
    /// The slice ends early, with a whole line, at the longest slice; a longer line is cut, and says where it goes on.
    pub fn slice_lines(&self, first: usize, last: usize) -> Slice {
        self.sliced_lines(first, last, &BTreeSet::new())
    }

    fn chars_of(&self, offset: usize, limit: usize) -> (usize, usize) {
        let start = offset.min(self.chars);
        (start, start.saturating_add(limit.clamp(1, MOST_LIMIT)).min(self.chars))
    }

    fn sliced_chars(&self, offset: usize, limit: usize, withheld: &BTreeSet<usize>) -> Slice {
        let (start, end) = self.chars_of(offset, limit);
        let mut text = String::new();
        let mut withheld_lines = 0;
        if withheld.is_empty() {
            self.between(start, end).clone_into(&mut text);
        } else {
            for number in self.numbers_between(start, end) {
                let (from, to) = self.line_at(number);
                let part = self.between(start.max(from), end.min(to));
                if withheld.contains(&number) && !part.trim().is_empty() {
                    text.push_str(WITHHELD_LINE);
                    withheld_lines += 1;
                } else {
                    text.push_str(part);
                }
                if to < end {
                    text.push('\n');
                }
            }
        }
        Slice {
            text,
            range: format!("chars {start}-{end} of {}", self.chars),
            next: (end < self.chars).then_some(end),
            is_by_lines: false,
            withheld_lines,
        }
    }

    fn sliced_lines(&self, first: usize, last: usize, withheld: &BTreeSet<usize>) -> Slice {
        let lines = self.lines();
        let Some(plan) = self.lines_of(first, last) else {
            let first = first.max(1);
            return Slice {
                text: String::new(),
                range: format!("lines {first}-{first} of {lines}"),
                next: None,
                is_by_lines: true,
                withheld_lines: 0,
            };
        };
        let mut text = String::new();
        let mut withheld_lines = 0;
        for number in plan.first..=plan.last {
            let (from, to) = self.line_at(number);
            let mut line = self.between(from, to.min(plan.end)).trim_end_matches('\r');
            if withheld.contains(&number) && !line.trim().is_empty() {
                line = WITHHELD_LINE;
                withheld_lines += 1;
            }
            let _ = writeln!(text, "{number:>width$}: {line}", width = plan.width);
        }
        text.pop();
        let range = format!("lines {}-{} of {lines}", plan.first, plan.last);
        if plan.end < self.line_at(plan.last).1 {
            // By lines the rest of this one cannot be reached.
            let range = format!("{range}, the last one in part");
            return Slice { text, range, next: Some(plan.end), is_by_lines: false, withheld_lines };
        }
        let next = (plan.last < lines).then_some(plan.last + 1);
        Slice { text, range, next, is_by_lines: true, withheld_lines }
    }

    /// The lines that have room in a slice. How long they are in the source decides, so that what was read of them and
    /// what is shown are the same lines; none behind the end.
    fn lines_of(&self, first: usize, last: usize) -> Option<Plan> {
        let lines = self.lines();
        let first = first.max(1);
        let last = if last == 0 { first.saturating_add(DEFAULT_LINES - 1) } else { last.max(first) }.min(lines);
        if first > lines {
            return None;
        }
        let width = last.to_string().len();
        let mut plan = Plan { first, last: first, end: 0, width };
        let mut room = MOST_LIMIT;
        for number in first..=last {
            let (from, to) = self.line_at(number);
            let chars = to - from + width + 3;
            if chars > room && number > first {
                break;
            }
            plan.last = number;
            plan.end = to.min(from + MOST_LIMIT);
            room = room.saturating_sub(chars);
        }
        Some(plan)
    }

    /// Where a line stands in the source, in characters and without its end; counted from 1.
    fn line_at(&self, number: usize) -> (usize, usize) {
        self.lines.get(number - 1).copied().unwrap_or((self.chars, self.chars))
    }

    /// The numbers of the lines that characters of the source touch.
    fn numbers_between(&self, start: usize, end: usize) -> Range<usize> {
        if start >= end {
            return 0..0;
        }
        let first = self.lines.partition_point(|(_, to)| *to < start);
        let last = self.lines.partition_point(|(from, _)| *from < end);
        first + 1..last + 1
    }

    /// A part of a long line with as much around it as a name may have, from word to word.
    fn around(&self, from: usize, to: usize, start: usize, end: usize) -> &str {
        let (left, right) = (from.max(start.saturating_sub(MARGIN)), to.min(end.saturating_add(MARGIN)));
        let mut text = self.between(left, right);
        if left > from {
            let margin = self.between(left, start).len();
            let word = text.get(..margin).and_then(|head| head.find(char::is_whitespace)).unwrap_or(0);
            text = text.get(word..).unwrap_or(text);
        }
        if right < to {
            let margin = text.len().saturating_sub(self.between(end, right).len());
            let word = text.get(margin..).and_then(|tail| tail.rfind(char::is_whitespace));
            text = text.get(..word.map_or(text.len(), |at| margin + at)).unwrap_or(text);
        }
        text
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
