//! Text as a reader sees it: no colours, no titles, no control characters, one kind of line end.

use std::borrow::Cow;

/// Removes escape sequences and control characters, takes back what a backspace takes back, and makes every line end
/// `\n`.
///
/// A lone carriage return, with which a program writes over its own line, ends the line: both readings stay.
pub fn plain_text(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_special) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(is_special) {
        plain.push_str(rest.get(..at).unwrap_or_default());
        rest = rest.get(at..).unwrap_or_default();
        rest = take_special(rest, &mut plain);
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

fn is_special(character: char) -> bool {
    character.is_control() && character != '\n' && character != '\t'
}

/// Takes the special character that the text begins with, and what belongs to it; gives the rest.
fn take_special<'t>(text: &'t str, plain: &mut String) -> &'t str {
    let mut characters = text.chars();
    match characters.next() {
        Some('\u{1b}') => escape_sequence(characters.as_str()),
        // The one-character forms of the introducers.
        Some('\u{9b}') => control_sequence(characters.as_str()),
        Some('\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}') => control_string(characters.as_str()),
        Some('\r') => {
            let rest = characters.as_str().trim_start_matches('\r');
            if !rest.is_empty() && !rest.starts_with('\n') && !plain.is_empty() && !plain.ends_with('\n') {
                plain.push('\n');
            }
            rest
        }
        Some('\u{8}') => {
            if !plain.ends_with('\n') {
                plain.pop();
            }
            characters.as_str()
        }
        _ => characters.as_str(),
    }
}

/// What follows an escape character.
fn escape_sequence(text: &str) -> &str {
    let mut characters = text.chars();
    match characters.next() {
        Some('[') => control_sequence(characters.as_str()),
        Some('P' | 'X' | ']' | '^' | '_') => control_string(characters.as_str()),
        // Intermediates and one final byte, as in the choice of a character set.
        Some(' '..='/') => {
            let rest = characters.as_str().trim_start_matches(|byte: char| (' '..='/').contains(&byte));
            skip(rest, |character| ('0'..='~').contains(&character))
        }
        Some('0'..='~') => characters.as_str(),
        _ => text,
    }
}

/// Parameters, intermediates and one final byte.
fn control_sequence(text: &str) -> &str {
    let rest = text.trim_start_matches(|byte: char| ('0'..='?').contains(&byte));
    let rest = rest.trim_start_matches(|byte: char| (' '..='/').contains(&byte));
    skip(rest, |character| ('@'..='~').contains(&character))
}

/// A title or the like: all up to its end. Without an end on the same line it is no such thing, and stays.
fn control_string(text: &str) -> &str {
    let end = text.char_indices().find(|(_, character)| matches!(character, '\u{7}' | '\u{9c}' | '\u{1b}' | '\n'));
    match end {
        Some((at, '\u{1b}')) => {
            let rest = text.get(at + 1..).unwrap_or_default();
            // A new sequence inside is read by itself.
            rest.strip_prefix('\\').unwrap_or_else(|| text.get(at..).unwrap_or_default())
        }
        Some((_, '\n')) | None => text,
        Some((at, terminator)) => text.get(at + terminator.len_utf8()..).unwrap_or_default(),
    }
}

fn skip(text: &str, is_final: impl Fn(char) -> bool) -> &str {
    let mut characters = text.chars();
    if characters.next().is_some_and(is_final) { characters.as_str() } else { text }
}
