//! What can be known of a prompt before any model is called.
//!
//! Everything here is a count over characters and words of the prompt as a whole.
//! Nothing looks for the wrapper of a benchmark, an option's letter or the word `Answer`: matching those raises a
//! measured figure and says nothing about other prompts.

use std::collections::BTreeSet;

use lwa_domain::tokens::estimate_tokens;

use super::rows::Fingerprint;

/// The names of the lexical features, in their order.
pub(super) const LEXICAL: [&str; 16] = [
    "estimated tokens, logarithm",
    "mean length of a word",
    "share of long words",
    "share of different words",
    "words in a sentence, logarithm",
    "share of digits",
    "numbers, logarithm",
    "share of mathematical signs",
    "share of brackets and code signs",
    "share of capital letters",
    "share of capitalised words",
    "share of letters outside ASCII",
    "share of negations",
    "share of logical words",
    "share of personal pronouns",
    "question marks, logarithm",
];

/// Into how many buckets words are hashed.
pub(super) const BUCKETS: usize = 512;
/// A word of this many characters is long.
const LONG: usize = 10;

const NEGATIONS: &[&str] = &["not", "no", "never", "none", "neither", "nor", "cannot", "without", "except", "false"];
const LOGICAL: &[&str] = &[
    "if",
    "then",
    "all",
    "every",
    "some",
    "any",
    "only",
    "unless",
    "must",
    "either",
    "or",
    "and",
    "therefore",
    "because",
    "implies",
    "iff",
    "least",
    "most",
];
const PRONOUNS: &[&str] =
    &["i", "you", "he", "she", "we", "they", "me", "him", "her", "us", "them", "my", "your", "his", "our", "their"];

/// A prompt in numbers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Features {
    /// As [`LEXICAL`] names them.
    pub lexical: [f64; LEXICAL.len()],
    /// The buckets of its words, each once, in order.
    pub buckets: Vec<usize>,
}

impl Features {
    pub(super) fn of(prompt: &str) -> Self {
        let words: Vec<String> = prompt
            .split(|c: char| !c.is_alphanumeric() && c != '\'')
            .filter(|word| word.chars().any(char::is_alphabetic))
            .map(str::to_owned)
            .collect();
        let lower: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        let different: BTreeSet<&str> = lower.iter().map(String::as_str).collect();
        let share_of_words =
            |is: &dyn Fn(&str) -> bool| share(lower.iter().filter(|word| is(word)).count(), lower.len());
        let characters = prompt.chars().count();
        let share_of_text = |is: &dyn Fn(char) -> bool| share(prompt.chars().filter(|c| is(*c)).count(), characters);
        let letters: usize = words.iter().map(|word| word.chars().count()).sum();
        let sentences = prompt.split(['.', '?', '!', '\n']).filter(|part| part.trim().len() > 1).count().max(1);
        let numbers = prompt.split(|c: char| !c.is_ascii_digit() && c != '.').filter(|part| is_number(part)).count();
        let capitalised = words.iter().filter(|word| word.chars().next().is_some_and(char::is_uppercase)).count();
        Self {
            lexical: [
                logarithm(usize::try_from(estimate_tokens(prompt)).unwrap_or(usize::MAX)),
                ratio(letters, words.len()),
                share_of_words(&|word| word.chars().count() >= LONG),
                share(different.len(), words.len()),
                ratio(words.len(), sentences).ln_1p(),
                share_of_text(&|c| c.is_ascii_digit()),
                logarithm(numbers),
                share_of_text(&is_mathematical),
                share_of_text(&|c| matches!(c, '{' | '}' | '(' | ')' | '[' | ']' | ';' | '_' | '\\' | '`' | '#')),
                share_of_text(&char::is_uppercase),
                share(capitalised, words.len()),
                share_of_text(&|c| c.is_alphabetic() && !c.is_ascii()),
                share_of_words(&|word| NEGATIONS.contains(&word) || word.ends_with("n't")),
                share_of_words(&|word| LOGICAL.contains(&word)),
                share_of_words(&|word| PRONOUNS.contains(&word)),
                logarithm(prompt.matches('?').count()),
            ],
            buckets: different.iter().map(|word| bucket(word)).collect::<BTreeSet<_>>().into_iter().collect(),
        }
    }
}

fn is_number(part: &str) -> bool {
    part.chars().any(|c| c.is_ascii_digit())
}

fn is_mathematical(c: char) -> bool {
    matches!(c, '+' | '*' | '/' | '=' | '<' | '>' | '^' | '%' | '|' | '~' | '$' | '±' | '×' | '÷' | '√' | 'π')
        || ('\u{2200}'..='\u{22ff}').contains(&c)
}

fn bucket(word: &str) -> usize {
    let hash = Fingerprint::new().add(word.as_bytes()).value();
    // The low bits of this hash are its weak ones, so the high half is folded in.
    usize::try_from((hash ^ (hash >> 32)) & (BUCKETS as u64 - 1)).unwrap_or_default()
}

#[expect(clippy::cast_precision_loss, reason = "counts of characters and words are far below 2^52")]
fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn share(part: usize, whole: usize) -> f64 {
    ratio(part, whole)
}

fn logarithm(count: usize) -> f64 {
    ratio(count, 1).ln_1p()
}

#[cfg(test)]
mod tests {
    use super::{BUCKETS, Features};

    #[test]
    fn words_numbers_and_signs_are_counted() {
        let [tokens, length, .., questions] = Features::of("Is 3 + 4.5 not more than she has?").lexical;
        assert!((tokens - 11f64.ln()).abs() < 1e-9, "{tokens}");
        assert!((length - 19.0 / 6.0).abs() < 1e-9, "{length}");
        assert!((questions - 2f64.ln()).abs() < 1e-9);
        let features = Features::of("Is 3 + 4.5 not more than she has?").lexical;
        assert!((features[6] - 3f64.ln()).abs() < 1e-9, "two numbers");
        assert!((features[12] - 1.0 / 6.0).abs() < 1e-9, "one negation");
        assert!((features[14] - 1.0 / 6.0).abs() < 1e-9, "one pronoun");
    }

    #[test]
    fn nothing_is_a_number_that_is_none() {
        for text in ["", "...", "?!", "日本語"] {
            assert!(Features::of(text).lexical.iter().all(|value| value.is_finite()), "`{text}`");
        }
    }

    #[test]
    fn a_word_has_one_bucket_however_often_and_in_whatever_case_it_stands() {
        assert_eq!(Features::of("Heat heat HEAT").buckets, Features::of("heat").buckets);
        assert!(Features::of("heat").buckets.iter().all(|bucket| *bucket < BUCKETS));
    }
}
