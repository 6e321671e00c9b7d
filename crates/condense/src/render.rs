//! Writes the chosen units, with a marker wherever something is missing.

use std::fmt::Write as _;

use crate::class::{Class, Draft, Fold, Unit};
use crate::condensed::LeftOut;

/// So few lines of context get a bare sign; a marker for each would cost more than it tells.
const SHORT_CONTEXT_LINES: usize = 6;

/// The result without its first line.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// The text.
    pub(crate) text: String,
    /// What is missing.
    pub(crate) left_out: LeftOut,
}

/// Writes a draft; units longer than `longest` are cut.
pub(crate) fn render(draft: &Draft, source: &str, longest: usize) -> Page {
    let mut writer =
        Writer { source, page: Page::default(), gap: Gap::default(), fold: None, longest, is_line_open: false };
    let mut labels = draft.labels.iter().peekable();
    let mut label = None;
    for (index, unit) in draft.units.iter().enumerate() {
        if let Some((_, range)) = labels.next_if(|(first, _)| *first == index) {
            label = Some(range);
            if unit.is_kept {
                label = None;
            }
        }
        if !unit.is_kept {
            writer.skip(unit);
            continue;
        }
        writer.close_gap(unit.is_joined);
        if let Some(range) = label.take() {
            writer.line(source.get(range.clone()).unwrap_or_default());
        }
        writer.keep(unit);
        writer.fold = draft.folds.get(&index).copied().filter(|fold| fold.is_worth_saying());
    }
    writer.close_gap(false);
    writer.end_line();
    writer.page
}

/// What was skipped since the last kept unit.
#[derive(Debug, Default)]
struct Gap {
    lines: usize,
    pieces: usize,
    /// Lines that explain nothing but the failure above them, or repeat.
    context: usize,
    is_open: bool,
}

struct Writer<'a> {
    source: &'a str,
    page: Page,
    gap: Gap,
    fold: Option<Fold>,
    longest: usize,
    is_line_open: bool,
}

impl Writer<'_> {
    fn skip(&mut self, unit: &Unit) {
        self.gap.is_open = true;
        if unit.class == Class::Blank {
            // Empty lines need no marker.
        } else if unit.is_joined && self.gap.lines == 0 {
            self.gap.pieces += 1;
        } else if !unit.is_joined {
            self.gap.lines += 1;
            self.gap.context +=
                usize::from(matches!(unit.class, Class::NearContext | Class::FarContext | Class::Repeated));
        }
        count(&mut self.page.left_out, unit);
    }

    /// Writes the marker for what was skipped; `is_joined` tells that the line before the gap goes on.
    fn close_gap(&mut self, is_joined: bool) {
        let gap = std::mem::take(&mut self.gap);
        let fold = self.fold.take();
        if !gap.is_open && fold.is_none() {
            return;
        }
        if gap.pieces > 0 && self.is_line_open {
            self.page.text.push('\u{2026}');
        }
        if gap.lines == 0 && fold.is_none() {
            if is_joined && self.is_line_open {
                self.page.text.push(' ');
            }
            return;
        }
        self.end_line();
        let said = match fold {
            Some(Fold::Same(1)) => "this line once more".to_owned(),
            Some(Fold::Same(times)) => format!("this line {times} more times"),
            Some(Fold::Alike(lines)) => format!("{lines} more like this"),
            None => String::new(),
        };
        if said.is_empty() && gap.lines <= SHORT_CONTEXT_LINES && gap.context == gap.lines {
            self.line("\u{2026}");
            return;
        }
        let marker = match (said.is_empty(), gap.lines) {
            (false, 0) => format!("[\u{2026} {said}]"),
            (false, 1) => format!("[\u{2026} {said}; 1 line]"),
            (false, lines) => format!("[\u{2026} {said}; {lines} lines]"),
            (true, 1) => "[\u{2026} 1 line]".to_owned(),
            (true, lines) => format!("[\u{2026} {lines} lines]"),
        };
        self.line(&marker);
    }

    fn line(&mut self, text: &str) {
        self.end_line();
        self.page.text.push_str(text);
        self.page.text.push('\n');
    }

    fn end_line(&mut self) {
        if self.is_line_open {
            self.page.text.push('\n');
            self.is_line_open = false;
        }
    }

    fn keep(&mut self, unit: &Unit) {
        if !unit.is_joined {
            self.end_line();
        }
        let text = unit.text(self.source);
        if text.len() > self.longest {
            let head = text.floor_char_boundary(self.longest.saturating_sub(24));
            self.page.text.push_str(text.get(..head).unwrap_or_default());
            let _ = write!(self.page.text, "[\u{2026} {} bytes]", text.len() - head);
        } else {
            self.page.text.push_str(text);
        }
        self.is_line_open = true;
    }
}

fn count(left_out: &mut LeftOut, unit: &Unit) {
    left_out.bytes += unit.len();
    if unit.is_joined {
        return;
    }
    left_out.lines += 1;
    let slot = match unit.class {
        Class::Blank => &mut left_out.blank,
        Class::Repeated => &mut left_out.repeated,
        Class::Filler => &mut left_out.filler,
        Class::Routine | Class::Landmark => &mut left_out.routine,
        Class::FarContext | Class::NearContext | Class::Code => &mut left_out.context,
        Class::SeenFact | Class::Mention | Class::HarmlessMention => &mut left_out.mentions,
        Class::Warning | Class::RepeatWarning => &mut left_out.warnings,
        Class::Failure | Class::RepeatFailure => &mut left_out.failures,
        Class::Fact | Class::KeyFact | Class::Statement | Class::Summary => &mut left_out.statements,
    };
    *slot += 1;
}
