//! The features of a text before they become digests: words of any script, without endings, without
//! function words, and without anything that looks like a key.

mod function_words;

use std::collections::{BTreeMap, HashSet};

use rust_stemmers::{Algorithm, Stemmer};
use unicode_script::{Script, UnicodeScript};
use unicode_segmentation::UnicodeSegmentation;

use crate::key_shape::{is_key_shaped, raw_words};
use crate::search::Word;

/// How much of a text is looked at, in characters.
const CHARACTERS: usize = 1600;
/// How many features are kept, the most frequent first.
pub(crate) const MOST_FEATURES: usize = 48;

/// The features of a text, most frequent first and then in order.
pub(crate) fn features(text: &str) -> Vec<String> {
    let text: String = text.to_lowercase().chars().take(CHARACTERS).collect();
    let words: Vec<&str> = raw_words(&text)
        .filter(|word| !is_key_shaped(word))
        .flat_map(UnicodeSegmentation::unicode_words)
        .filter(|word| !is_key_shaped(word))
        .collect();
    let language = function_words::language(&words);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for feature in words_apart(&words, language).into_iter().chain(runs_together(&text)) {
        *counts.entry(feature).or_default() += 1;
    }
    let mut ranked: Vec<(String, usize)> = counts.into_iter().collect();
    ranked.sort_by(|(_, a), (_, b)| b.cmp(a));
    ranked.into_iter().take(MOST_FEATURES).map(|(feature, _)| feature).collect()
}

/// The words of a text in lower case by which tools are looked for, at most so many, in order, each once, with their
/// endings and without. Unlike features they hold numbers and short words, and Latin letters are read as English
/// always, so that a short text meets a long one.
pub(crate) fn search_words(text: &str, most: usize) -> Vec<Word> {
    let english = Stemmer::create(Algorithm::English);
    let is_apart = |word: &&str| {
        word.chars().nth(1).is_some()
            && !function_words::holds(word)
            && !is_key_shaped(word)
            && (word.is_ascii() || !word.chars().any(|character| piece_length(character).is_some()))
    };
    let apart = raw_words(text)
        .filter(|word| !is_key_shaped(word))
        .flat_map(UnicodeSegmentation::unicode_words)
        .filter(is_apart);
    let together = if text.is_ascii() { Vec::new() } else { runs_together(text) };
    let mut seen = HashSet::new();
    let mut words = Vec::new();
    for form in apart.map(str::to_owned).chain(together) {
        if words.len() >= most {
            break;
        }
        if !seen.contains(&form) {
            let stem = match stemmer_for(&form, Some(Algorithm::English)) {
                Some(Algorithm::English) => english.stem(&form).into_owned(),
                Some(algorithm) => Stemmer::create(algorithm).stem(&form).into_owned(),
                None => form.clone(),
            };
            seen.insert(form.clone());
            words.push(Word { form, stem });
        }
    }
    words
}

/// Words of scripts that put blanks between words.
fn words_apart(words: &[&str], language: Option<Algorithm>) -> Vec<String> {
    words
        .iter()
        .filter(|word| is_usable(word) && !function_words::holds(word))
        .map(|word| match stemmer_for(word, language) {
            Some(algorithm) => Stemmer::create(algorithm).stem(word).into_owned(),
            None => (*word).to_owned(),
        })
        .collect()
}

/// Three characters or more, at least one letter, and no script of [`piece_length`].
fn is_usable(word: &str) -> bool {
    word.chars().count() >= 3
        && word.chars().any(char::is_alphabetic)
        && !word.chars().any(|character| piece_length(character).is_some())
}

/// The rules for taking off endings: those of the script where it tells, else those of the text.
fn stemmer_for(word: &str, latin: Option<Algorithm>) -> Option<Algorithm> {
    match word.chars().next().map(|character| character.script()) {
        Some(Script::Latin) => latin,
        Some(Script::Cyrillic) => Some(Algorithm::Russian),
        Some(Script::Greek) => Some(Algorithm::Greek),
        Some(Script::Arabic) => Some(Algorithm::Arabic),
        Some(Script::Tamil) => Some(Algorithm::Tamil),
        _ => None,
    }
}

/// How long the pieces are in scripts that run words together, or hang so much on them that whole
/// words never meet; none for all others.
fn piece_length(character: char) -> Option<usize> {
    match character.script() {
        Script::Han | Script::Hiragana | Script::Katakana | Script::Hangul => Some(2),
        Script::Thai | Script::Lao | Script::Khmer | Script::Myanmar => Some(3),
        _ => None,
    }
}

/// Overlapping pieces of each run of such a script.
fn runs_together(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut run: Vec<char> = Vec::new();
    let mut length = None;
    for character in text.chars().chain([' ']) {
        let here = piece_length(character);
        // Marks above and below letters belong to the run that they stand in.
        if here == length || (length.is_some() && character.script() == Script::Inherited) {
            if length.is_some() {
                run.push(character);
            }
            continue;
        }
        if let Some(length) = length {
            pieces.extend(run.windows(length).map(|piece| piece.iter().collect::<String>()));
        }
        run.clear();
        length = here;
        if here.is_some() {
            run.push(character);
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(text: &str) -> Vec<String> {
        let mut found = features(text);
        found.sort();
        found
    }

    #[test]
    fn a_plural_meets_its_singular() {
        assert_eq!(sorted("Summarise the release notes"), sorted("summarising release note"));
        assert_eq!(sorted("напиши заметки выпуска"), sorted("напиши заметка выпуск"));
    }

    #[test]
    fn scripts_without_blanks_give_pieces() {
        assert_eq!(sorted("总结发布"), ["发布", "总结", "结发"]);
        assert_eq!(sorted("สรุป"), ["รุป", "สรุ"]);
    }

    #[test]
    fn keys_numbers_and_function_words_give_nothing() {
        assert_eq!(features("the and of 12345 99 sk-planted-00000000 a3f5e7d9c1b2a4f6e8d0"), Vec::<String>::new());
    }

    #[test]
    fn no_more_than_the_limit_is_kept() {
        let text: Vec<String> = (0..200)
            .map(|n| format!("w{}x", "abcdefghij".chars().nth(n % 10).unwrap().to_string().repeat(n / 10 + 1)))
            .collect();
        assert_eq!(features(&text.join(" ")).len(), MOST_FEATURES);
    }
}
