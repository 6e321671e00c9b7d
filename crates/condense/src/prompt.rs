//! Takes waste out of a prompt without touching what it asks for.

use std::collections::HashSet;

use crate::condensed::LeftOut;
use crate::facts::heaviest;
use crate::shape::hash_folded;
use crate::signals::{Marks, mark_one};

mod phrases;

use phrases::{CLOSINGS, OPENINGS, ROUNDABOUT};

/// A sentence shorter than this may stand twice: it may be an item or a label.
const REPEATABLE_BYTES: usize = 24;

/// A prompt without waste.
#[derive(Debug, Default)]
pub(crate) struct Tidied {
    /// The text.
    pub(crate) text: String,
    /// What went.
    pub(crate) left_out: LeftOut,
}

/// Takes out white space, polite phrases and sentences that stand twice.
pub(crate) fn tidy(prompt: &str) -> Tidied {
    let mut tidied = Tidied { text: String::with_capacity(prompt.len()), left_out: LeftOut::default() };
    let mut said = HashSet::new();
    let mut fence: Option<&str> = None;
    let mut blanks = 0usize;
    for line in prompt.split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        let trimmed = content.trim_start();
        if let Some(mark) = fence {
            tidied.text.push_str(line);
            if trimmed.starts_with(mark) && trimmed.trim_end().trim_start_matches(['`', '~']).is_empty() {
                fence = None;
            }
            continue;
        }
        if content.trim().is_empty() {
            blanks += 1;
            if blanks > 1 || tidied.text.is_empty() {
                tidied.left_out.lines += 1;
                tidied.left_out.blank += 1;
            } else {
                tidied.text.push('\n');
            }
            continue;
        }
        blanks = 0;
        fence = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        // Indented text, tables, quotes and markup may be data.
        let is_data = fence.is_some()
            || content.starts_with("    ")
            || content.starts_with('\t')
            || trimmed.starts_with(['|', '>', '<', '{']);
        if is_data {
            tidied.text.push_str(line);
            continue;
        }
        let shorter = tidy_line(content, &mut said);
        if shorter.trim().is_empty() {
            tidied.left_out.lines += 1;
            tidied.left_out.repeated += 1;
            continue;
        }
        tidied.text.push_str(&shorter);
        if line.ends_with('\n') {
            tidied.text.push('\n');
        }
    }
    let end = tidied.text.trim_end_matches('\n').len();
    let is_blank_tail = tidied.text.len() > end + 1;
    if is_blank_tail && fence.is_none() {
        tidied.text.truncate(end + 1);
    }
    tidied
}

/// A line without polite phrases and without sentences that stood before.
fn tidy_line(line: &str, said: &mut HashSet<u64>) -> String {
    let indent_len = line.len() - line.trim_start().len();
    let (indent, body) = line.split_at_checked(indent_len).unwrap_or(("", line));
    let mut out = String::with_capacity(line.len());
    out.push_str(indent);
    for sentence in sentences(body.trim_end()) {
        if is_closing(sentence, mark_one(sentence)) {
            continue;
        }
        let shorter = tidied(sentence);
        let is_long = shorter.trim().len() >= REPEATABLE_BYTES;
        if is_long && !said.insert(hash_folded(shorter.trim())) {
            continue;
        }
        out.push_str(&shorter);
    }
    out.truncate(out.trim_end().len());
    out
}

/// The sentences of a line; marks inside quotes and code end none.
fn sentences(line: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut guard = None;
    let mut chars = line.char_indices().peekable();
    while let Some((at, next)) = chars.next() {
        guard = guarded(guard, next);
        let is_end = guard.is_none() && matches!(next, '.' | '!' | '?');
        if is_end && chars.peek().is_some_and(|(_, after)| *after == ' ') {
            sentences.push(line.get(start..at + 2).unwrap_or_default());
            start = at + 2;
        }
    }
    sentences.push(line.get(start..).unwrap_or_default());
    sentences
}

/// The mark that ends the quote or code behind `next`, if one is open.
fn guarded(guard: Option<char>, next: char) -> Option<char> {
    match (guard, next) {
        (None, '`' | '"') => Some(next),
        (None, '\u{201c}') => Some('\u{201d}'),
        (Some(mark), next) if mark == next => None,
        (guard, _) => guard,
    }
}

/// Whether a sentence only thanks, greets or offers; nothing that carries a fact or a signal is one.
fn is_closing(sentence: &str, marks: Marks) -> bool {
    let sentence = sentence.trim();
    sentence.len() <= 90
        && marks == Marks::default()
        && heaviest(sentence).is_none()
        && CLOSINGS.iter().any(|opening| starts_with_folded(sentence, opening))
}

fn starts_with_folded(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}

/// A sentence without its polite opening, with short forms of roundabout phrases and single spaces.
fn tidied(sentence: &str) -> String {
    let mut out = String::with_capacity(sentence.len());
    let mut rest = sentence.trim_start();
    let mut is_opened = false;
    while let Some(opening) = OPENINGS.iter().find(|opening| starts_with_folded(rest, opening)) {
        rest = rest.get(opening.len()..).unwrap_or_default().trim_start();
        is_opened = true;
    }
    let mut chars = rest.chars();
    if is_opened && let Some(first) = chars.next() {
        out.extend(first.to_uppercase());
        rest = chars.as_str();
    }
    let mut guard = None;
    let mut before = ' ';
    while let Some(next) = rest.chars().next() {
        if guard.is_none() {
            if !before.is_alphanumeric()
                && let Some((long, short)) = ROUNDABOUT.iter().find(|(long, _)| rest.starts_with(long))
            {
                out.push_str(short);
                rest = rest.get(long.len()..).unwrap_or_default();
                before = ' ';
                continue;
            }
            if next == ' ' && before == ' ' && !out.trim_start().is_empty() {
                rest = rest.get(1..).unwrap_or_default();
                continue;
            }
        }
        guard = guarded(guard, next);
        out.push(next);
        before = next;
        rest = rest.get(next.len_utf8()..).unwrap_or_default();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::tidy;
    use rstest::rstest;

    #[rstest]
    #[case("Could you please list the files?  Thanks in advance!\n", "List the files?\n")]
    #[case("Please note that the API must not change.\n", "The API must not change.\n")]
    #[case("Use it in order to build.\n", "Use it to build.\n")]
    #[case("a\n\n\n\nb\n\n\n", "a\n\nb\n")]
    #[case("Say `in order to  go` and \"please  wait\".\n", "Say `in order to  go` and \"please  wait\".\n")]
    #[case("```\nplease   x\n\n\n\ny  \n```\n", "```\nplease   x\n\n\n\ny  \n```\n")]
    #[case(
        "Keep the tests green at all times. Keep the tests green at all times.\n",
        "Keep the tests green at all times.\n"
    )]
    #[case("- item\n- item\n", "- item\n- item\n")]
    #[case("| a  | b |\n", "| a  | b |\n")]
    #[case("Thanks, but never touch main.\n", "Thanks, but never touch main.\n")]
    #[case("no newline", "no newline")]
    fn takes_only_waste(#[case] prompt: &str, #[case] expected: &str) {
        assert_eq!(tidy(prompt).text, expected);
    }
}
