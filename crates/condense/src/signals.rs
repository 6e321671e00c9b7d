//! The table of signals: which words make a line worth keeping.
//!
//! The whole text is searched once for all words of the table.
//! A word counts only with the edges that its row asks for; everything else a row may match is a mention.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::lines::Line;

mod table;

use table::{Edge, Kind, SIGNALS};

/// White space and list marks may stand so far before or behind a word at the edge of its line.
const MARGIN_BYTES: usize = 64;
/// What may stand before the first word of a line; the last three bytes are the information sign of test runners.
const LIST_MARKS: &[u8] = b" \t#>*-\xE2\x84\xB9";

/// What the words of one line say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Marks(u16);

impl Marks {
    const FAILURE: u16 = 1;
    const WARNING: u16 = 1 << 1;
    const MENTION: u16 = 1 << 2;
    const PASSING: u16 = 1 << 3;
    const SUMMARY: u16 = 1 << 4;
    const DECISION: u16 = 1 << 5;
    const ACTION: u16 = 1 << 6;
    const REQUIREMENT: u16 = 1 << 7;
    const COMMAND: u16 = 1 << 8;
    const HARMLESS: u16 = 1 << 9;

    fn has(self, bit: u16) -> bool {
        self.0 & bit != 0
    }

    /// A failure is reported.
    pub(crate) fn is_failure(self) -> bool {
        self.has(Self::FAILURE)
    }

    /// A warning is reported.
    pub(crate) fn is_warning(self) -> bool {
        self.has(Self::WARNING)
    }

    /// A word of failure stands somewhere, perhaps inside a name.
    pub(crate) fn is_mention(self) -> bool {
        self.has(Self::MENTION | Self::FAILURE | Self::WARNING)
    }

    /// A phrase such as `0 errors` takes the sting out of every word of failure.
    pub(crate) fn is_harmless(self) -> bool {
        self.has(Self::HARMLESS | Self::PASSING | Self::COMMAND)
    }

    /// A test passed.
    pub(crate) fn is_passing(self) -> bool {
        self.has(Self::PASSING)
    }

    /// A closing count.
    pub(crate) fn is_summary(self) -> bool {
        self.has(Self::SUMMARY)
    }

    /// Something was decided or found out.
    pub(crate) fn is_decision(self) -> bool {
        self.has(Self::DECISION)
    }

    /// Something is open, due or to be done.
    pub(crate) fn is_action(self) -> bool {
        self.has(Self::ACTION)
    }

    /// Something must or must not be.
    pub(crate) fn is_requirement(self) -> bool {
        self.has(Self::REQUIREMENT)
    }

    /// The line is the command line of a compiler, whose words are options and names.
    pub(crate) fn is_command(self) -> bool {
        self.has(Self::COMMAND)
    }
}

static SEARCHER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(SIGNALS.iter().map(|signal| signal.word))
        .ok()
});

/// Marks every line, in the order of `lines`.
pub(crate) fn mark(text: &str, lines: &[Line]) -> Vec<Marks> {
    let mut marks = vec![Marks::default(); lines.len()];
    // The table is a constant, so the search can be built or the tests of this module fail.
    let Some(searcher) = SEARCHER.as_ref() else { return marks };
    let bytes = text.as_bytes();
    let mut index = 0;
    let mut tally = Tally::default();
    for found in searcher.find_overlapping_iter(bytes) {
        while let Some(line) = lines.get(index)
            && line.end < found.end()
        {
            tally.close(marks.get_mut(index));
            index += 1;
        }
        let (Some(line), Some(signal)) = (lines.get(index), SIGNALS.get(found.pattern().as_usize())) else { break };
        if found.start() >= line.start {
            let line_bytes = bytes.get(line.start..line.end).unwrap_or_default();
            tally.add(signal, line_bytes, found.start() - line.start, found.end() - line.start);
        }
    }
    tally.close(marks.get_mut(index));
    marks
}

/// Marks one line.
pub(crate) fn mark_one(line: &str) -> Marks {
    let whole = Line { start: 0, end: line.len(), is_joined: false, is_overwritten: false };
    mark(line, &[whole]).first().copied().unwrap_or_default()
}

/// Collects the matches of one line.
#[derive(Debug, Default)]
struct Tally {
    bits: u16,
    failures: u32,
    warnings: u32,
    harmless: u32,
}

impl Tally {
    fn add(&mut self, signal: &table::Signal, line: &[u8], start: usize, end: usize) {
        let fits = edges_fit(signal.edge, line, start, end);
        match signal.kind {
            Kind::Mention => self.bits |= Marks::MENTION,
            // Inside a name: only the words that report as such are worth a mention.
            Kind::Failure | Kind::Warning if !fits && signal.edge == Edge::Report => self.bits |= Marks::MENTION,
            _ if !fits => {}
            Kind::Failure => self.failures += 1,
            Kind::Warning => self.warnings += 1,
            Kind::Harmless => self.harmless += 1,
            Kind::Passing => self.bits |= Marks::PASSING,
            Kind::Summary => self.bits |= Marks::SUMMARY,
            Kind::Decision => self.bits |= Marks::DECISION,
            Kind::Action => self.bits |= Marks::ACTION,
            Kind::Requirement => self.bits |= Marks::REQUIREMENT,
            Kind::Command => self.bits |= Marks::COMMAND,
        }
    }

    /// Gives the marks of the line and starts the next one.
    fn close(&mut self, marks: Option<&mut Marks>) {
        let mut bits = self.bits;
        // `0 errors, 3 failed` has one word of failure more than the harmless phrase takes away.
        if self.failures + self.warnings > self.harmless {
            if self.failures > 0 {
                bits |= Marks::FAILURE;
            }
            if self.warnings > 0 {
                bits |= Marks::WARNING;
            }
        } else if self.failures + self.warnings > 0 {
            bits |= Marks::MENTION | Marks::HARMLESS;
        }
        if let Some(marks) = marks {
            *marks = Marks(bits);
        }
        *self = Self::default();
    }
}

fn edges_fit(edge: Edge, line: &[u8], start: usize, end: usize) -> bool {
    let before = start.checked_sub(1).and_then(|at| line.get(at)).copied();
    let after = line.get(end).copied();
    let is_word = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    match edge {
        Edge::Any => true,
        Edge::Word => !is_word(before) && !is_word(after),
        Edge::WordStart => !is_word(before),
        // The bounds keep a line of white space and many matches from costing its length for each match.
        Edge::LineStart => {
            start <= MARGIN_BYTES && line.get(..start).unwrap_or_default().iter().all(|byte| LIST_MARKS.contains(byte))
        }
        Edge::LineEnd => {
            let tail = line.get(end..).unwrap_or_default();
            tail.len() <= MARGIN_BYTES && tail.iter().all(u8::is_ascii_whitespace)
        }
        Edge::NoDigitBefore => !before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'.'),
        Edge::Report => {
            // `TypeError` and `IOException` report; `error_handler`, `error.rs`, `thiserror` and `--fail-fast` name.
            let is_camel = line.get(start).is_some_and(u8::is_ascii_uppercase)
                && before.is_some_and(|byte| byte.is_ascii_alphanumeric())
                && line.get(start + 1).is_some_and(u8::is_ascii_lowercase);
            let is_start = is_camel
                || !(is_word(before) || matches!(before, Some(b'-' | b'/' | b'.')) && before_is_name(line, start));
            let next = line.get(end + 1).copied();
            let is_end = match after {
                Some(b'.' | b'-' | b'/') => !next.is_some_and(|byte| byte.is_ascii_alphanumeric()),
                Some(b':') => next != Some(b':'),
                other => !is_word(other),
            };
            is_start && is_end
        }
    }
}

/// Whether the mark before a word belongs to an option, a path or a name, as in `--error`, `src/error` and `x.fail`.
fn before_is_name(line: &[u8], start: usize) -> bool {
    let earlier = start.checked_sub(2).and_then(|at| line.get(at)).copied();
    earlier.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'/' | b'.' | b'_'))
}

#[cfg(test)]
mod tests;
