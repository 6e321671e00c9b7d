//! What stands around a group.

use std::ops::Range;

use crate::gate::is_technical;
use crate::join::Group;

/// How far in front of a value a word may stand that announces it, in bytes.
const ANNOUNCED_WITHIN: usize = 48;
/// The longest placeholder.
const LONGEST_PLACEHOLDER: usize = 24;

pub(super) struct Context<'t> {
    pub text: &'t str,
    /// Whether anything in the text begins with a capital.
    pub has_capitals: bool,
    /// How many words the text has.
    pub words: usize,
}

impl<'t> Context<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let words = text.split(|character: char| !character.is_alphabetic()).filter(|word| !word.is_empty());
        let has_capitals = words.clone().any(|word| word.starts_with(char::is_uppercase));
        Self { text, has_capitals, words: words.count() }
    }

    pub(super) fn of(&self, group: &Group) -> &'t str {
        self.text.get(group.start..group.end).unwrap_or_default()
    }

    pub(super) fn has_digit(&self, group: &Group) -> bool {
        self.of(group).contains(|character: char| character.is_ascii_digit())
    }

    /// The groups without what stands in a placeholder, which hides something already.
    pub(super) fn without_placeholders(&self, groups: Vec<Group>) -> Vec<Group> {
        let placeholders = placeholders(self.text);
        let mut rest = Vec::with_capacity(groups.len());
        for mut group in groups {
            for place in &placeholders {
                if place.end <= group.start || place.start >= group.end {
                    continue;
                }
                if place.start > group.start {
                    let mut front = group.clone();
                    front.end = place.start;
                    rest.push(self.trimmed(front));
                }
                group.start = place.end.min(group.end);
            }
            rest.push(self.trimmed(group));
        }
        rest.retain(|group| group.start < group.end);
        rest
    }

    /// Without marks and blanks at its ends.
    fn trimmed(&self, mut group: Group) -> Group {
        let value = self.of(&group);
        let is_outside = |character: char| character.is_whitespace() || ",;:[]{}<>\"=|*?!".contains(character);
        group.end = group.start + value.trim_end_matches(is_outside).len();
        group.start = group.end - self.of(&group).trim_start_matches(is_outside).len();
        group
    }

    fn before(&self, at: usize) -> Option<char> {
        self.text.get(..at)?.chars().next_back()
    }

    fn after(&self, at: usize) -> Option<char> {
        self.text.get(at..)?.chars().next()
    }

    /// Whether something of a program is glued to the end of a word.
    pub(super) fn is_glued(&self, end: usize) -> bool {
        let rest = self.text.get(end..).unwrap_or_default();
        let mut next = rest.chars();
        match (next.next(), next.next()) {
            (Some('(' | '_' | '/' | '\\' | '$' | '='), _) | (Some(':'), Some(':')) => true,
            (Some('<' | '.' | '!' | '-' | '@'), Some(second)) => second.is_alphanumeric() || second == '(',
            (Some(first), _) => first.is_alphanumeric(),
            _ => false,
        }
    }

    /// Whether a group is a part of a word of a program: a path, a call, an option, an identifier.
    pub(super) fn is_technical(&self, group: &Group) -> bool {
        let before = self.text.get(..group.start).unwrap_or_default();
        let mut previous = before.chars().rev();
        let is_glued_before = match (previous.next(), previous.next()) {
            (Some('_' | '/' | '\\' | '@' | '$' | '&' | '~' | '%' | '#'), _) | (Some(':'), Some(':')) => true,
            (Some('-' | '.'), second) => second.is_none_or(|second| !second.is_whitespace() || second == ' '),
            (Some(first), _) => first.is_alphanumeric(),
            _ => false,
        };
        is_glued_before
            || self.is_glued(group.end)
            || self.of(group).split_whitespace().any(|word| {
                let core = word.trim_matches(|mark: char| !mark.is_alphanumeric());
                core.contains(char::is_alphabetic) && !core.contains(['#', '/', '+']) && is_technical(core)
            })
    }

    /// Whether a number is a part of a word of a program. An extension or a mark may follow it.
    pub(super) fn is_in_program(&self, group: &Group) -> bool {
        let after = self.text.get(group.end..).unwrap_or_default();
        let is_glued_before =
            self.before(group.start).is_some_and(|before| before.is_alphanumeric() || "_/\\.-:#@$%".contains(before));
        let is_glued =
            after.starts_with(|next: char| (next.is_alphanumeric() && next != 'x') || "_/:@%=".contains(next));
        is_glued_before || is_glued
    }

    /// Whether a number stands in a row of numbers.
    pub(super) fn is_in_row(&self, group: &Group) -> bool {
        let is_digit = |character: char| character.is_ascii_digit();
        let before = self.text.get(..group.start).and_then(|before| before.strip_suffix(' '));
        let after = self.text.get(group.end..).and_then(|after| after.strip_prefix(' '));
        before.is_some_and(|before| before.ends_with(is_digit))
            || after.is_some_and(|after| after.starts_with(is_digit))
    }

    /// Whether the line of a group reads like language, and not like a program or a table.
    pub(super) fn is_prose(&self, group: &Group) -> bool {
        let start = self.text.get(..group.start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
        let line = self.text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
        let marks = |character: char| "_{}|=<\\`\t".contains(character);
        !line.contains(marks) && !line.contains("::") && !line.contains("()") && !line.ends_with(';')
    }

    /// Whether one of some words stands in front of a group, and near it.
    pub(super) fn is_announced(&self, group: &Group, by: &[&str]) -> bool {
        let mut from = group.start.saturating_sub(ANNOUNCED_WITHIN);
        while !self.text.is_char_boundary(from) {
            from += 1;
        }
        let mut words = self
            .text
            .get(from..group.start)
            .unwrap_or_default()
            .split(|character: char| !character.is_alphabetic())
            .filter(|word| !word.is_empty());
        words.any(|word| by.iter().any(|known| known.eq_ignore_ascii_case(word)))
    }

    /// Whether one of some words stands behind a group, with a blank or a hyphen between.
    pub(super) fn is_followed(&self, group: &Group, by: &[&str]) -> bool {
        let word = self.word_behind(group.end, " ").or_else(|| self.word_behind(group.end, "-"));
        word.is_some_and(|(word, _)| by.iter().any(|known| known.eq_ignore_ascii_case(word)))
    }

    /// The word behind a place and a gap, with its end.
    pub(super) fn word_behind(&self, from: usize, gap: &str) -> Option<(&'t str, usize)> {
        let rest = self.text.get(from..)?.strip_prefix(gap)?;
        let word = rest.split(|character: char| !character.is_alphanumeric() && character != '-').next()?;
        (!word.is_empty()).then(|| (word, from + gap.len() + word.len()))
    }

    /// The place behind a mark, if the mark stands there.
    pub(super) fn behind_mark(&self, at: usize, mark: char) -> usize {
        if self.after(at) == Some(mark) { at + mark.len_utf8() } else { at }
    }

    /// The word in front of a place and a blank, with its start.
    pub(super) fn word_before(&self, at: usize) -> Option<(&'t str, usize)> {
        let before = self.text.get(..at)?.strip_suffix(' ')?;
        let before = before.strip_suffix('.').filter(|rest| rest.ends_with(char::is_alphabetic)).unwrap_or(before);
        let start = before.rfind(|character: char| !character.is_alphanumeric()).map_or(0, |found| {
            found + before.get(found..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
        });
        let is_alone = !matches!(self.before(start), Some('-' | '/' | '.' | ':' | '_' | '$' | '#' | ','));
        let word = before.get(start..)?;
        (is_alone && !word.is_empty()).then_some((word, start))
    }
}

/// Where placeholders stand: `[PERSON-12]`, `[REDACTED]`.
fn placeholders(text: &str) -> Vec<Range<usize>> {
    let places = text.match_indices('[').filter_map(|(start, _)| {
        let rest = text.get(start + 1..)?;
        let length = rest.bytes().take(LONGEST_PLACEHOLDER).position(|byte| byte == b']')?;
        let inside = rest.get(..length)?;
        let word = inside.trim_end_matches(|character: char| character.is_ascii_digit() || character == '-');
        let is_placeholder = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        is_placeholder.then_some(start..start + length + 2)
    });
    places.collect()
}
