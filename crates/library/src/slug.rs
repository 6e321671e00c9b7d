//! The name of a tool in paths and calls.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::LibraryError;

/// The longest name.
const LONGEST: usize = 64;
/// What a name without a usable letter becomes.
const FALLBACK: &str = "library-tool";

/// Lower-case letters a to z and digits, in words that single hyphens join; at most 64 characters.
///
/// Such a name is one plain folder on every system, and can never lead out of the library.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Slug(String);

impl Slug {
    /// The name of a tool that people call `name`.
    pub fn from_name(name: &str) -> Self {
        let mut slug = String::new();
        for character in name.trim().to_lowercase().chars() {
            if character.is_ascii_alphanumeric() {
                slug.push(character);
            } else if !slug.is_empty() && !slug.ends_with('-') {
                slug.push('-');
            }
        }
        slug.truncate(LONGEST);
        let slug = slug.trim_end_matches('-');
        Self(if slug.is_empty() { FALLBACK } else { slug }.to_owned())
    }

    /// This name, or the first of `-2`, `-3` and so on that is free.
    pub fn free_of(&self, is_taken: impl Fn(&Self) -> bool) -> Self {
        if !is_taken(self) {
            return self.clone();
        }
        let mut number: u64 = 2;
        loop {
            let ending = format!("-{number}");
            let room = LONGEST.saturating_sub(ending.len());
            let beginning = self.0.get(..room.min(self.0.len())).unwrap_or(&self.0).trim_end_matches('-');
            let candidate = Self(format!("{beginning}{ending}"));
            if !is_taken(&candidate) {
                return candidate;
            }
            number += 1;
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Slug {
    type Err = LibraryError;

    fn from_str(text: &str) -> Result<Self, LibraryError> {
        let is_word = |word: &str| {
            !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        if text.len() <= LONGEST && text.split('-').all(is_word) {
            Ok(Self(text.to_owned()))
        } else {
            Err(LibraryError::InvalidSlug(text.chars().take(LONGEST).collect::<String>().escape_default().to_string()))
        }
    }
}

impl TryFrom<String> for Slug {
    type Error = LibraryError;

    fn try_from(text: String) -> Result<Self, LibraryError> {
        text.parse()
    }
}

impl From<Slug> for String {
    fn from(slug: Slug) -> Self {
        slug.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("Release Notes", "release-notes")]
    #[case("  a__b  ", "a-b")]
    #[case("../../etc", "etc")]
    #[case("---", "library-tool")]
    #[case("", "library-tool")]
    #[case("Заметки", "library-tool")]
    fn a_name_becomes_a_slug(#[case] name: &str, #[case] slug: &str) {
        assert_eq!(Slug::from_name(name).as_str(), slug);
    }

    #[test]
    fn a_taken_slug_gets_the_next_number() {
        let taken = ["a", "a-2"];
        assert_eq!(Slug::from_name("a").free_of(|slug| taken.contains(&slug.as_str())).as_str(), "a-3");
        assert_eq!(Slug::from_name("b").free_of(|slug| taken.contains(&slug.as_str())).as_str(), "b");
    }

    proptest! {
        #[test]
        fn every_name_becomes_a_valid_slug(name in any::<String>(), taken in 0_usize..30) {
            let slug = Slug::from_name(&name);
            assert_eq!(slug.as_str().parse::<Slug>().unwrap(), slug);
            let mut used = vec![];
            for _ in 0..taken {
                let next = slug.free_of(|candidate| used.contains(candidate));
                assert_eq!(next.as_str().parse::<Slug>().unwrap(), next);
                assert!(!used.contains(&next));
                used.push(next);
            }
        }

        #[test]
        fn no_accepted_text_leaves_the_folder(text in "[a-z./\\\\-]{0,12}") {
            if let Ok(slug) = text.parse::<Slug>() {
                assert!(!slug.as_str().contains(['.', '/', '\\']));
            }
        }
    }
}
