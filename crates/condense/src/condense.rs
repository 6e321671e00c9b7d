//! The way of a text through the crate.

use crate::budget::{Limit, Shelf, longest_unit, settle};
use crate::class::Draft;
use crate::condensed::{Condensed, LeftOut, Material, Options};
use crate::lines::Lines;
use crate::render::{Page, render};
use crate::signals::mark;
use crate::{conversation, detect, jsonl, log, prompt};

mod report;

use report::{first_line, ratio_note};

/// How often a result that is too long is chosen again with less room.
const TRIES: usize = 6;

/// Makes a text shorter and keeps what the material's reader needs.
///
/// Terminal escape sequences are removed.
/// Without [`Options::max_output_bytes`] every distinct line that reports a failure or a warning stands as given;
/// with it the result never is longer, and classes are lost in the order that the crate's page states.
/// The first line of the result states the ratio; a text that cannot be made shorter comes back as it was, with that
/// line above it.
pub fn condense(text: &str, options: &Options) -> Condensed {
    if options.material == Material::Prompt {
        return optimize(text, options.max_output_bytes);
    }
    let unfolded = if options.material == Material::Log { None } else { jsonl::unfold(text) };
    let source = unfolded.as_deref().unwrap_or(text);
    let lines = Lines::new(source);
    let marks = mark(&lines.text, &lines.spans);
    let material = match options.material {
        Material::Auto if unfolded.is_some() => Material::Conversation,
        Material::Auto => detect::detect(&lines),
        given => given,
    };
    let mut draft = match material {
        Material::Log | Material::Auto => log::read(&lines, &marks),
        Material::Conversation | Material::Prompt => conversation::read(&lines, &marks),
    };
    let job = Job { text, source: &lines.text, skipped: lines.skipped, material, options };
    job.finish(&mut draft)
}

/// Makes a prompt shorter and keeps every binding requirement.
///
/// Only waste goes: white space, polite openings, roundabout phrases and sentences that stand twice.
/// Code blocks, inline code and quotes stay byte for byte.
/// A budget below what that gives costs further text in the order of loss.
/// The result holds no line about itself, because it is a prompt; the ratio stands in [`Condensed::notes`].
pub fn optimize(prompt: &str, max_output_bytes: Option<usize>) -> Condensed {
    let tidied = prompt::tidy(prompt);
    let mut left_out = LeftOut { of_lines: prompt.lines().count(), ..tidied.left_out };
    let mut text = if tidied.text.len() < prompt.len() { tidied.text } else { prompt.to_owned() };
    let mut is_cut_to_budget = false;
    if let Some(budget) = max_output_bytes
        && text.len() > budget
    {
        let lines = Lines::new(&text);
        let marks = mark(&lines.text, &lines.spans);
        let mut draft = conversation::read(&lines, &marks);
        let page = fit(&mut draft, &lines.text, budget, text.len());
        left_out = add(left_out, &page.left_out);
        text = page.text;
        is_cut_to_budget = true;
    }
    left_out.bytes = prompt.len().saturating_sub(text.len());
    let mut condensed = Condensed {
        material: Material::Prompt,
        input_bytes: prompt.len(),
        output_bytes: text.len(),
        left_out,
        is_cut_to_budget,
        notes: Vec::new(),
        text,
    };
    condensed.notes.push(ratio_note(&condensed, None));
    condensed
}

fn add(one: LeftOut, other: &LeftOut) -> LeftOut {
    LeftOut {
        of_lines: one.of_lines,
        lines: one.lines + other.lines,
        bytes: one.bytes + other.bytes,
        blank: one.blank + other.blank,
        repeated: one.repeated + other.repeated,
        routine: one.routine + other.routine,
        filler: one.filler + other.filler,
        context: one.context + other.context,
        mentions: one.mentions + other.mentions,
        warnings: one.warnings + other.warnings,
        failures: one.failures + other.failures,
        statements: one.statements + other.statements,
    }
}

/// One text on its way.
struct Job<'a> {
    text: &'a str,
    source: &'a str,
    /// Empty lines that are in no unit.
    skipped: usize,
    material: Material,
    options: &'a Options,
}

impl Job<'_> {
    fn finish(&self, draft: &mut Draft) -> Condensed {
        let by_worth = Shelf::of(draft);
        by_worth.choose(draft, Limit::Binding, self.text.len());
        settle(draft);
        let page = render(draft, self.source, usize::MAX);
        let of_lines = draft.units.iter().filter(|unit| !unit.is_joined).count() + self.skipped;
        let whole = self.compose(&page, of_lines, false);
        let budget = self.options.max_output_bytes.unwrap_or(usize::MAX);
        if whole.text.len() <= budget && whole.text.len() < self.text.len() {
            return whole;
        }
        let unchanged = self.unchanged(of_lines);
        if unchanged.text.len() <= budget && unchanged.text.len() <= whole.text.len() {
            return unchanged;
        }
        if self.text.len() <= budget && self.text.len() <= whole.text.len() {
            // There is room for the text but not for the line about it.
            return Condensed { text: self.text.to_owned(), output_bytes: self.text.len(), ..unchanged };
        }
        if whole.text.len() <= budget {
            return whole;
        }
        self.cut(draft, budget, of_lines)
    }

    /// Chooses again with less room until the result fits.
    fn cut(&self, draft: &mut Draft, budget: usize, of_lines: usize) -> Condensed {
        // The line about the result is written last; its length hardly varies.
        let above = self.compose(
            &Page { text: String::new(), left_out: LeftOut { failures: 1, ..everything(of_lines) } },
            of_lines,
            true,
        );
        let room = budget.saturating_sub(above.text.len() + 8);
        let page = fit(draft, self.source, room, self.text.len());
        let is_loss = draft.units.iter().any(|unit| !unit.is_kept && unit.class.is_loss());
        let mut condensed = self.compose(&page, of_lines, is_loss);
        if condensed.text.len() > budget {
            condensed.text.truncate(condensed.text.floor_char_boundary(budget));
            condensed.output_bytes = condensed.text.len();
            condensed.is_cut_to_budget = true;
        }
        condensed
    }

    fn unchanged(&self, of_lines: usize) -> Condensed {
        let mut condensed = Condensed {
            text: String::new(),
            material: self.material,
            input_bytes: self.text.len(),
            output_bytes: self.text.len(),
            left_out: LeftOut { of_lines, ..LeftOut::default() },
            is_cut_to_budget: false,
            notes: Vec::new(),
        };
        let line = first_line(&condensed, self.options);
        condensed.text = format!("{line}\n{}", self.text);
        condensed.output_bytes = condensed.text.len();
        condensed.notes.push(ratio_note(&condensed, self.options.exit_code));
        condensed
    }

    /// Puts the line about the result above it.
    fn compose(&self, page: &Page, of_lines: usize, is_cut_to_budget: bool) -> Condensed {
        let mut condensed = Condensed {
            text: String::new(),
            material: self.material,
            input_bytes: self.text.len(),
            output_bytes: page.text.len(),
            left_out: LeftOut {
                of_lines,
                lines: page.left_out.lines + self.skipped,
                blank: page.left_out.blank + self.skipped,
                bytes: page.left_out.bytes + self.skipped,
                ..page.left_out
            },
            is_cut_to_budget,
            notes: Vec::new(),
        };
        // The line states the length of a text that it is part of: the second try settles its digits.
        let mut line = first_line(&condensed, self.options);
        condensed.output_bytes = page.text.len() + line.len() + 1;
        line = first_line(&condensed, self.options);
        condensed.output_bytes = page.text.len() + line.len() + 1;
        condensed.text = format!("{line}\n{}", page.text);
        condensed.notes.push(ratio_note(&condensed, self.options.exit_code));
        condensed
    }
}

/// A page of at most `room` bytes.
fn fit(draft: &mut Draft, source: &str, room: usize, input_bytes: usize) -> Page {
    let by_worth = Shelf::of(draft);
    let mut target = room;
    let mut page = Page::default();
    for _ in 0..TRIES {
        by_worth.choose(draft, Limit::Bytes(target), input_bytes);
        settle(draft);
        page = render(draft, source, longest_unit(target));
        if page.text.len() <= room {
            return page;
        }
        let over = page.text.len() - room;
        target = target.saturating_sub(over + over / 4 + 16);
    }
    page.text.truncate(page.text.floor_char_boundary(room));
    page
}

/// Counts as large as they can get, to know how long the line about the result can be.
fn everything(lines: usize) -> LeftOut {
    LeftOut {
        of_lines: lines,
        lines,
        bytes: 0,
        blank: lines,
        repeated: lines,
        routine: lines,
        filler: lines,
        context: lines,
        mentions: lines,
        warnings: lines,
        failures: lines,
        statements: lines,
    }
}
