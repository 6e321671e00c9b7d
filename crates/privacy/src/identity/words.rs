//! Words that tell people and places from everything else that is written with a capital.
//!
//! The lists are in lower case and without accents, as a shadow reads them.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

/// The lists are fixed, so nobody can choose words that meet in one place, and a hash of few steps will do: FNV-1a.
#[derive(Debug)]
struct WordHasher(u64);

impl Default for WordHasher {
    fn default() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }
}

impl Hasher for WordHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }
}

type Words = LazyLock<HashSet<&'static [u8], BuildHasherDefault<WordHasher>>>;

fn words(text: &'static str) -> HashSet<&'static [u8], BuildHasherDefault<WordHasher>> {
    text.split_whitespace().map(str::as_bytes).collect()
}

/// The longest word of the lists.
const LONGEST: usize = 24;

static GIVEN_NAMES: Words = LazyLock::new(|| words(include_str!("words/given_names.txt")));
static COMMON: Words = LazyLock::new(|| words(include_str!("words/common.txt")));
static ADDRESSEES: Words = LazyLock::new(|| words(include_str!("words/addressees.txt")));
static STREET_TYPES: Words = LazyLock::new(|| words(include_str!("words/street_types.txt")));
static PLAIN_STREET_TYPES: Words = LazyLock::new(|| words(include_str!("words/plain_street_types.txt")));

/// Whether a word is in one of the lists, whatever its case.
fn is_in(list: &Words, word: &str) -> bool {
    let mut buffer = [0; LONGEST];
    let Some(lower) = buffer.get_mut(..word.len()) else { return false };
    lower.copy_from_slice(word.as_bytes());
    lower.make_ascii_lowercase();
    list.contains(&*lower)
}

/// A common given name.
pub(crate) fn is_given_name(word: &str) -> bool {
    is_in(&GIVEN_NAMES, word)
}

/// A word of ordinary or technical language, which is no name in a label's value or an echo.
pub(crate) fn is_common(word: &str) -> bool {
    is_in(&COMMON, word)
}

/// A word that follows a greeting without being a name.
pub(crate) fn is_addressee(word: &str) -> bool {
    // A title is no name, and what stands behind it is found by the title.
    is_in(&ADDRESSEES, word) || TITLES.iter().any(|title| title.eq_ignore_ascii_case(word))
}

/// The last word of a street's name.
pub(crate) fn is_street_type(word: &str) -> bool {
    is_in(&STREET_TYPES, word)
}

/// A street type that is nothing else in lower case.
pub(crate) fn is_plain_street_type(word: &str) -> bool {
    is_in(&PLAIN_STREET_TYPES, word)
}

/// A state, district or territory of the United States.
pub(crate) fn is_state(word: &str) -> bool {
    STATES.binary_search(&word).is_ok()
}

const TITLES: &[&str] =
    &["capt", "captain", "dr", "frau", "herr", "lt", "miss", "mr", "mrs", "ms", "mx", "prof", "rev", "sgt"];

const STATES: &[&str] = &[
    "AK", "AL", "AR", "AS", "AZ", "CA", "CO", "CT", "DC", "DE", "FL", "GA", "GU", "HI", "IA", "ID", "IL", "IN", "KS",
    "KY", "LA", "MA", "MD", "ME", "MI", "MN", "MO", "MP", "MS", "MT", "NC", "ND", "NE", "NH", "NJ", "NM", "NV", "NY",
    "OH", "OK", "OR", "PA", "PR", "RI", "SC", "SD", "TN", "TX", "UT", "VA", "VI", "VT", "WA", "WI", "WV", "WY",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_in_lower_case_and_their_words_are_found_in_any_case() {
        for list in [&GIVEN_NAMES, &COMMON, &ADDRESSEES, &STREET_TYPES, &PLAIN_STREET_TYPES] {
            assert!(list.iter().all(|word| word.len() <= LONGEST && *word == word.to_ascii_lowercase().as_slice()));
        }
        assert!(is_given_name("INES") && is_common("Error") && is_street_type("Road"));
        assert!(!is_given_name("Visual") && !is_common("Faro"));
        assert!(STATES.is_sorted());
    }
}
