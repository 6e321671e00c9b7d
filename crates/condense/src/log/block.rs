//! The lines around a failure that explain it.

use crate::class::Class;
use crate::shape::{has_stamp, is_progress};

/// So many lines below a failure are near it.
const NEAR_LINES: usize = 6;
/// So many lines below a failure can belong to it.
const FAR_LINES: usize = 40;
/// So many can belong to the report below a heading.
const REPORT_LINES: usize = 120;
/// So many lines of an indented report go on behind an empty line.
const INSIDE_LINES: usize = 24;
/// So many stack frames are near.
const NEAR_FRAMES: usize = 4;
/// A line that is not indented belongs to the failure only so far below it.
const LOOSE_LINES: usize = 2;

/// The place below a failure or below the heading of a report.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block {
    lines: usize,
    frames: usize,
    blanks: usize,
    /// Whether a heading opened it, so that blank lines do not end it.
    is_report: bool,
    report_lines: usize,
    is_failure: bool,
    /// How far its first line is indented.
    indent: usize,
}

impl Block {
    /// The block below a new failure, inside the report that `outer` may be.
    pub(crate) fn open(outer: Option<Self>, is_heading: bool, is_failure: bool, indent: usize) -> Self {
        let (is_report, since) = match outer {
            Some(outer) if outer.is_report && !is_heading => (true, outer.report_lines),
            _ => (is_heading, 0),
        };
        Self { lines: 0, frames: 0, blanks: 0, is_report, report_lines: since, is_failure, indent }
    }

    /// Whether it belongs to a failure and not to a warning.
    pub(crate) fn is_failure(&self) -> bool {
        self.is_failure
    }

    /// What is left of it below an empty line.
    pub(crate) fn after_blank(mut self) -> Option<Self> {
        self.blanks += 1;
        (self.blanks <= 1 || (self.is_report || self.indent > 0) && self.blanks <= 3).then_some(self)
    }

    /// The class of the next line, or nothing when the line does not belong to the failure.
    pub(crate) fn place(&mut self, line: &str, trimmed: &str) -> Option<Class> {
        self.lines += 1;
        self.report_lines += 1;
        if self.is_report {
            if self.report_lines > REPORT_LINES || trimmed.starts_with("====") {
                return None;
            }
            self.blanks = 0;
            return Some(self.rank(trimmed));
        }
        let is_loose = self.lines <= LOOSE_LINES && self.blanks == 0 && !has_stamp(line) && !is_progress(trimmed);
        // Below an empty line only notes still belong, and what is indented like an indented report.
        let indent = line.len() - line.trim_start().len();
        let is_inside = self.indent > 0 && indent >= self.indent && self.lines <= INSIDE_LINES;
        let belongs =
            if self.blanks > 0 { is_note(trimmed) || is_inside } else { is_continuation(line, trimmed) || is_loose };
        if !belongs || self.lines > FAR_LINES {
            return None;
        }
        Some(self.rank(trimmed))
    }

    fn rank(&mut self, trimmed: &str) -> Class {
        if is_frame(trimmed) {
            self.frames += 1;
            return if self.frames <= NEAR_FRAMES { Class::NearContext } else { Class::FarContext };
        }
        if self.lines <= NEAR_LINES || trimmed.starts_with('>') || is_note(trimmed) {
            Class::NearContext
        } else {
            Class::FarContext
        }
    }
}

/// Whether a line is the heading of a test's report: `---- name stdout ----`, `____ name ____`.
pub(crate) fn is_heading(trimmed: &str) -> bool {
    let is_ruled = |rule: &str| trimmed.starts_with(rule) && trimmed.ends_with(rule) && trimmed.contains(' ');
    trimmed.len() < 300 && (is_ruled("----") || is_ruled("____"))
}

/// Whether a line names the place of the report above it, as rustc does.
pub(crate) fn is_location(trimmed: &str) -> bool {
    trimmed.starts_with("--> ")
}

/// Whether pytest marks the line as evidence of a failure.
pub(crate) fn is_evidence(line: &str) -> bool {
    line.starts_with("E   ")
}

/// Whether a line introduces the failure below it.
pub(crate) fn is_introduction(line: &str) -> bool {
    let trimmed = line.trim();
    trimmed.starts_with("In file included from")
        || trimmed.starts_with("$ ")
        || trimmed.ends_with(':') && trimmed.len() < 200 && !has_stamp(line)
}

fn is_note(trimmed: &str) -> bool {
    [
        "note:",
        "help:",
        "= note",
        "= help",
        "Caused by",
        "hint:",
        "left:",
        "right:",
        "-->",
        "left ==",
        "Expected",
        "Received",
        "expected",
        "actual",
        "stderr:",
        "stdout:",
    ]
    .iter()
    .any(|opener| trimmed.starts_with(opener))
}

fn is_frame(trimmed: &str) -> bool {
    trimmed.starts_with("at ")
        || trimmed.starts_with("File \"")
        || trimmed.split_once(": ").is_some_and(|(number, _)| {
            !number.is_empty() && number.len() < 4 && number.bytes().all(|byte| byte.is_ascii_digit())
        })
}

fn is_continuation(line: &str, trimmed: &str) -> bool {
    line.starts_with([' ', '\t', '|', '>', '+', '-', '^', '~', '@', '=', '?', '!'])
        || is_note(trimmed)
        || is_frame(trimmed)
        || trimmed.starts_with("...")
        || is_numbered_source(trimmed)
}

/// Whether the line is source behind a number and a bar, as compilers print it.
fn is_numbered_source(trimmed: &str) -> bool {
    let rest = trimmed.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < trimmed.len() && rest.trim_start().starts_with('|')
}
