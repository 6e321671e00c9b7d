//! Our own sentences in a result: nobody reads them for names, and no word of them becomes a private value.
//!
//! They are known by their form: a bracket on one line that begins like one of ours and holds nothing but our words and
//! numbers. A document that copies the form can hide no name in it, since a name is none of these words.

use std::ops::Range;

/// How our brackets begin.
const BEGINNINGS: &[&str] = &[
    "\u{2026} ",
    "condensed by builtin:",
    "lines that match the task",
    "the command was ",
    "the material was truncated",
    "the answer ",
    "the answers ",
    "lines ",
];

/// Every word of our own sentences, and the names of what works without a model.
const WORDS: &[&str] = &[
    "a",
    "according",
    "after",
    "alike",
    "and",
    "answer",
    "answered",
    "answers",
    "are",
    "as",
    "asked",
    "because",
    "before",
    "blank",
    "budget",
    "builtin",
    "by",
    "bytes",
    "can",
    "characters",
    "code",
    "command",
    "condensed",
    "context",
    "could",
    "cut",
    "dropped",
    "end",
    "ended",
    "ends",
    "exit",
    "facts",
    "failures",
    "filler",
    "for",
    "from",
    "given",
    "goes",
    "here",
    "is",
    "it",
    "its",
    "kept",
    "killed",
    "left",
    "like",
    "limit",
    "line",
    "lines",
    "local",
    "marker",
    "match",
    "material",
    "memory",
    "mentions",
    "merged",
    "middle",
    "missing",
    "model",
    "more",
    "no",
    "not",
    "nothing",
    "of",
    "on",
    "once",
    "one",
    "other",
    "out",
    "parts",
    "reached",
    "repeated",
    "routine",
    "s",
    "save",
    "says",
    "searched",
    "selected",
    "signal",
    "so",
    "stand",
    "statements",
    "task",
    "that",
    "the",
    "there",
    "this",
    "time",
    "times",
    "to",
    "tokens",
    "truncated",
    "up",
    "warnings",
    "was",
    "were",
    "where",
    "without",
];
/// The longest run of digits in a bracket of ours; a longer one may be somebody's number.
const MOST_DIGITS: usize = 8;
/// The longest bracket of ours.
const MOST_BYTES: usize = 600;

/// Whether a text holds nothing but words of ours, so that hiding it would hide our own sentences and no person.
pub(crate) fn is_own_words(text: &str) -> bool {
    let mut has_word = false;
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            if word.len() > MOST_DIGITS {
                return false;
            }
        } else if WORDS.binary_search(&word).is_ok() {
            has_word = true;
        } else {
            return false;
        }
    }
    has_word
}

/// The places of our own brackets.
pub(super) fn frames(text: &str) -> Vec<Range<usize>> {
    let mut frames = Vec::new();
    let mut rest = 0;
    while let Some(open) = text.get(rest..).and_then(|part| part.find('[')).map(|at| rest + at) {
        rest = open + 1;
        let inside = text.get(rest..).unwrap_or_default();
        let Some(length) = inside.find([']', '[', '\n']).filter(|length| *length <= MOST_BYTES) else { continue };
        let Some(content) = inside.get(..length).filter(|_| inside.as_bytes().get(length) == Some(&b']')) else {
            continue;
        };
        if BEGINNINGS.iter().any(|beginning| content.starts_with(beginning)) && is_own_words(content) {
            frames.push(open..rest + length + 1);
            rest += length + 1;
        }
    }
    frames
}

/// The text with blanks in place of our own brackets, byte for byte as long; none when it has none.
pub(super) fn without_frames(text: &str) -> Option<String> {
    let frames = frames(text);
    if frames.is_empty() {
        return None;
    }
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    for frame in frames {
        kept.push_str(text.get(at..frame.start).unwrap_or_default());
        kept.extend(std::iter::repeat_n(' ', frame.len()));
        at = frame.end;
    }
    kept.push_str(text.get(at..).unwrap_or_default());
    Some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_words_are_in_order() {
        assert!(WORDS.is_sorted());
    }

    #[test]
    fn only_brackets_of_ours_are_left_out() {
        let text = "[condensed by builtin: 4,120 \u{2192} 310 bytes (7.5 %), 12 of 40 lines left out: 12 routine; exit code 0]\n\
            [\u{2026} 274 lines]\n[\u{2026} Erika Mustermann lines]\n[lines 4 of Jo]\na[\u{2026} 31 bytes]\n[5551234567 lines]\n";
        let shown: Vec<&str> = frames(text).into_iter().map(|frame| &text[frame]).collect();
        assert_eq!(shown.len(), 3, "{shown:?}");
        assert!(shown[1].contains("274") && shown[2].contains("31"));
        let read = without_frames(text).unwrap();
        assert_eq!(read.len(), text.len());
        assert!(read.contains("Erika Mustermann") && !read.contains("274"));
        assert_eq!(without_frames("[a] plain [list]"), None);
    }

    #[test]
    fn own_words_are_no_names() {
        assert!(is_own_words("builtin") && is_own_words("274 lines"));
        assert!(!is_own_words("Builtin") && !is_own_words("5551234567 lines") && !is_own_words("12"));
        assert!(!is_own_words("Erika") && !is_own_words(""));
    }
}
