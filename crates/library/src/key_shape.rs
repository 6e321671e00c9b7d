//! Words that look like keys: they become no feature, no label and no tag.

use lwa_domain::key_mark::KEY_BEGINNINGS;

/// A word of an issuer is at least this long.
const SHORTEST_MARKED: usize = 12;
/// A word that mixes letters and digits is suspicious from here.
const SHORTEST_MIXED: usize = 16;
/// A word of letters alone is suspicious from here, if its letters are spread as by chance.
const SHORTEST_RANDOM: usize = 20;
/// In bits a character; text in any language stays below, and chance goes above.
const CHANCE_BITS: f64 = 3.95;

/// Whether the beginning of the word is that of a well-known kind of key.
pub(crate) fn has_key_beginning(word: &str) -> bool {
    word.len() >= SHORTEST_MARKED && {
        let begins = |mark: &str| word.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark));
        KEY_BEGINNINGS.iter().any(|mark| begins(mark)) || begins("-----BEGIN")
    }
}

/// Whether a word looks like a key, a token or a digest. Too often is better than too rarely: the
/// price of an error is one feature less.
pub(crate) fn is_key_shaped(word: &str) -> bool {
    if has_key_beginning(word) {
        return true;
    }
    let inner: Vec<char> = word.chars().filter(char::is_ascii_alphanumeric).collect();
    // Words of other scripts hold no key; keys are written in ASCII.
    if inner.len() * 2 < word.chars().count() {
        return false;
    }
    let has_digit = inner.iter().any(char::is_ascii_digit);
    let has_letter = inner.iter().any(char::is_ascii_alphabetic);
    (has_digit && has_letter && inner.len() >= SHORTEST_MIXED)
        || (inner.len() >= SHORTEST_RANDOM && bits_a_character(&inner) >= CHANCE_BITS)
}

/// The words of a text, as they stand between blanks, quotes, brackets and signs of assignment.
pub(crate) fn raw_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || "\"'`()[]{}<>=,;:|".contains(c)).filter(|word| !word.is_empty())
}

/// The text without its key-shaped words.
pub(crate) fn without_keys(text: &str) -> String {
    let mut kept = text.to_owned();
    for word in raw_words(text).filter(|word| is_key_shaped(word)) {
        kept = kept.replace(word, "…");
    }
    kept
}

#[expect(clippy::cast_precision_loss, reason = "lengths of words are far below the limit of exact integers")]
fn bits_a_character(word: &[char]) -> f64 {
    let mut sorted = word.to_vec();
    sorted.sort_unstable();
    let total = sorted.len() as f64;
    sorted
        .chunk_by(|a, b| a == b)
        .map(|same| {
            let share = same.len() as f64 / total;
            -share * share.log2()
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::proptest;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("sk-proj-planted00")]
    #[case("AKIAPLANTED00EXAMPLE")]
    #[case("ghp_plantedplanted")]
    #[case("a3f5e7d9c1b2a4f6e8d0")]
    #[case("550e8400-e29b-41d4-a716-446655440000")]
    #[case("qWxZvKjYpLmNbTcRfGhD")]
    fn keys_are_known_by_their_shape(#[case] word: &str) {
        assert!(is_key_shaped(word));
    }

    #[rstest]
    #[case("release")]
    #[case("internationalization")]
    #[case("Donaudampfschifffahrtsgesellschaft")]
    #[case("2026-08-08")]
    #[case("v1.2.3")]
    #[case("достопримечательность")]
    #[case("src/main.rs")]
    #[case("gpt-5.2-mini")]
    fn words_are_not(#[case] word: &str) {
        assert!(!is_key_shaped(word));
    }

    proptest! {
        #[test]
        fn a_long_mix_of_letters_and_digits_never_stays(word in "[a-z]{8}[0-9]{8}[A-Za-z0-9]{0,20}", lead in "[a-z ]{0,10}") {
            let text = format!("{lead} token={word} end");
            assert!(!without_keys(&text).contains(&word));
        }
    }
}
