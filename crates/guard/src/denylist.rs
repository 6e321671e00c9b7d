//! The human's own words that no commit may carry.

use std::path::Path;

use regex::{Regex, RegexBuilder};

use crate::error::GuardError;

/// Shorter words have to stand alone: inside others they would be everywhere.
const SHORTEST_INSIDE: usize = 4;
/// What the compiled pattern may take; some ten thousand words.
const PATTERN_LIMIT: usize = 256 << 20;

/// Words that no commit may carry, in any case; the parts of a word may be joined by blanks, `-`, `_`, `.` or nothing.
#[derive(Default)]
pub struct Denylist {
    pattern: Option<Regex>,
    words: usize,
}

/// The words are private.
impl std::fmt::Debug for Denylist {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Denylist").field("words", &self.words).finish_non_exhaustive()
    }
}

impl Denylist {
    /// Reads a file that was named; that it is missing is an error.
    ///
    /// # Errors
    /// It cannot be read, is no text, or is too large.
    pub fn read(path: &Path) -> Result<Self, GuardError> {
        let text =
            std::fs::read_to_string(path).map_err(|source| GuardError::Unreadable { path: path.to_owned(), source })?;
        Self::parse(&text)
    }

    /// Reads one word or phrase a line; empty lines and lines that start with `#` say nothing.
    ///
    /// # Errors
    /// They are too many.
    pub fn parse(text: &str) -> Result<Self, GuardError> {
        let lines = text.trim_start_matches('\u{FEFF}').lines().map(str::trim);
        let mut words: Vec<&str> = lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
        // The longest wins where two start at the same place.
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        let patterns: Vec<String> = words.iter().filter_map(|word| pattern(word)).collect();
        if patterns.is_empty() {
            return Ok(Self::default());
        }
        let pattern = RegexBuilder::new(&patterns.join("|"))
            .case_insensitive(true)
            .size_limit(PATTERN_LIMIT)
            .build()
            .map_err(|_| GuardError::Denylist)?;
        Ok(Self { pattern: Some(pattern), words: patterns.len() })
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.words
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.words == 0
    }

    /// Where they stand.
    pub(crate) fn find(&self, text: &str) -> Vec<(usize, usize)> {
        let found = self.pattern.iter().flat_map(|pattern| pattern.find_iter(text));
        found.map(|found| (found.start(), found.end())).collect()
    }
}

fn pattern(word: &str) -> Option<String> {
    let is_joint = |c: char| c.is_whitespace() || matches!(c, '-' | '_' | '.');
    let parts: Vec<&str> = word.split(is_joint).filter(|part| !part.is_empty()).collect();
    let letters: usize = parts.iter().map(|part| part.chars().count()).sum();
    if letters == 0 {
        return None;
    }
    let joined = parts.iter().map(|part| regex::escape(part)).collect::<Vec<_>>().join(r"[\s_.\-]{0,4}");
    // `\b` takes `_` for a letter, and names are joined by it.
    if letters >= SHORTEST_INSIDE {
        return Some(format!("(?:{joined})"));
    }
    let edge = |part: Option<&&str>| part.is_some_and(|part| part.chars().all(char::is_alphanumeric));
    let start = if edge(parts.first()) { r"\b" } else { "" };
    let end = if edge(parts.last()) { r"\b" } else { "" };
    Some(format!("(?:{start}{joined}{end})"))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("in the ACMEcorp tree", 1)]
    #[case("project_falcon, Project-Falcon and projectfalcon", 3)]
    #[case("the words zq and ZQ, not azq or zqa", 2)]
    #[case("nothing of it", 0)]
    fn words_are_found_in_any_case_and_joint(#[case] text: &str, #[case] expected: usize) {
        let list = Denylist::parse("# mine\nacme\nproject falcon\n\nzq\n").unwrap();
        assert_eq!(list.len(), 3);
        assert_eq!(list.find(text).len(), expected);
    }

    #[test]
    fn signs_of_patterns_are_letters() {
        let list = Denylist::parse("a+b(c|d).*\n").unwrap();
        assert_eq!(list.find("x a+b(c|d).* y").len(), 1);
        assert!(list.find("aab cd").is_empty());
    }

    #[test]
    fn a_missing_file_that_was_named_is_an_error() {
        assert!(matches!(Denylist::read(Path::new("/nonexistent/denylist")), Err(GuardError::Unreadable { .. })));
    }
}
