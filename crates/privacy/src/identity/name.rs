//! The grammar of a name: capitalised words, initials, particles.

use super::words::is_common;
use crate::shadow::Shadow;

/// Which spellings count as a word of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    /// A capital and small letters.
    Title,
    /// The same, or capitals throughout.
    TitleOrUpper,
    /// Any letters.
    Any,
}

/// Words that stand between the parts of a name in small letters.
const PARTICLES: &[&str] = &[
    "van", "der", "den", "de", "la", "le", "du", "von", "zu", "zur", "vom", "af", "av", "bin", "ibn", "al", "el", "da",
    "di", "dos", "das", "del", "della", "ter", "ten", "y", "e", "bint", "abu", "do", "dela",
];

/// Whether a word is a particle of names.
pub(crate) fn is_particle(word: &str) -> bool {
    PARTICLES.iter().any(|particle| particle.eq_ignore_ascii_case(word))
}

/// A range of a text that reads as a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Name {
    pub end: usize,
    /// How many words of it are more than an initial or a particle.
    pub words: usize,
}

const LONGEST_WORD: usize = 30;
const MOST_HYPHENS: usize = 2;

/// The length of one word of a name at the start of `bytes`; zero when there is none.
fn word_length(bytes: &[u8], case: Case) -> usize {
    let is_part = |byte: u8| byte.is_ascii_alphabetic() || byte >= 0x80;
    let mut length = 0;
    // More hyphens than a double name has are those of an identifier.
    for _ in 0..=MOST_HYPHENS {
        let run = bytes[length..].iter().take(LONGEST_WORD).take_while(|&&byte| is_part(byte)).count();
        if run == 0 {
            break;
        }
        length += run;
        // `O'Brien`, `Faro-Lind`; but not the quote that closes the name, nor the s of a possessive.
        let joins = match bytes.get(length) {
            Some(b'-') => bytes.get(length + 1).is_some_and(|byte| is_part(*byte)),
            Some(b'\'') => bytes.get(length + 1).is_some_and(|byte| is_part(*byte)) && run <= 3,
            _ => false,
        };
        if !joins {
            break;
        }
        length += 1;
    }
    let word = &bytes[..length];
    if is_spelled(word, case) && word.last() != Some(&b'-') { length } else { 0 }
}

fn is_spelled(word: &[u8], case: Case) -> bool {
    let Some(&first) = word.first() else { return false };
    if word.len() < 2 || word.len() > 2 * LONGEST_WORD {
        return false;
    }
    let humps = word
        .windows(2)
        .filter(|pair| matches!(pair, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()))
        .count();
    if case == Case::Any {
        // `JohnDoe` and `someName` are names of code.
        return humps == 0;
    }
    if !first.is_ascii_uppercase() && first < 0x80 {
        return false;
    }
    let is_upper = word.iter().all(|byte| !byte.is_ascii_lowercase());
    if is_upper {
        return case == Case::TitleOrUpper;
    }
    // Capitals inside stand at the start of a part, or behind a prefix: McDonald, O'Brien, DeLuca.
    let has_prefix = [b"Mc".as_slice(), b"Mac", b"De", b"Di", b"Du", b"La", b"Le", b"Fitz", b"Van"]
        .iter()
        .any(|prefix| word.starts_with(prefix));
    humps == 0 || (humps == 1 && has_prefix)
}

/// The name at a place, of at most so many words.
pub(crate) fn name_at(text: &str, start: usize, most: usize, case: Case) -> Option<Name> {
    let bytes = text.as_bytes();
    let mut at = start;
    let mut end = start;
    let mut words = 0;
    while words < most {
        let rest = bytes.get(at..)?;
        if let [first, b'.', ..] = rest
            && first.is_ascii_uppercase()
        {
            // An initial counts when a name follows or went before.
            at += 2;
            if words > 0 {
                end = at;
            }
            at += usize::from(bytes.get(at) == Some(&b' '));
            continue;
        }
        let mut length = word_length(rest, case);
        if case != Case::Any || words > 0 {
            // `van der Berg`: particles stand in front of a word, and are none alone.
            let mut behind = at;
            while let Some(particle) = particle_length(text, behind) {
                behind += particle + 1;
                length = word_length(bytes.get(behind..)?, case);
                if length > 0 && particle_length(text, behind).is_none() {
                    break;
                }
            }
            if behind > at && length > 0 {
                at = behind;
            }
        }
        if length == 0 {
            break;
        }
        words += 1;
        end = at + length;
        at = end;
        match bytes.get(at) {
            Some(b' ') if bytes.get(at + 1) != Some(&b' ') => at += 1,
            _ => break,
        }
    }
    (words > 0 && text.is_char_boundary(end)).then_some(Name { end, words })
}

/// Whether a whole text reads as the name of a person.
pub(crate) fn is_name(text: &str) -> bool {
    let shadow = Shadow::of(text);
    let read = shadow.text();
    name_at(read, 0, 4, Case::TitleOrUpper).is_some_and(|name| name.end == read.len() && (2..=4).contains(&name.words))
}

/// The length of a particle at a place, when a blank follows.
fn particle_length(text: &str, at: usize) -> Option<usize> {
    let rest = text.as_bytes().get(at..)?;
    let length = rest.iter().take(6).take_while(|byte| byte.is_ascii_lowercase()).count();
    let is_one = length > 0 && rest.get(length) == Some(&b' ') && text.get(at..at + length).is_some_and(is_particle);
    is_one.then_some(length)
}

/// The parts of a name that stand for it alone: words of three letters and more that mean nothing else.
pub(crate) fn parts(name: &str) -> Vec<&str> {
    name.split(|character: char| character.is_whitespace() || character == ',' || character == '.')
        .filter(|part| part.chars().count() >= 3 && !is_common(part) && !is_particle(part))
        .collect()
}
