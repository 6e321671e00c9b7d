//! Finds identifier-like facts: paths, versions, tickets, dates, ports, hashes, names and quoted text.

use std::collections::HashSet;

use crate::shape::hash_folded;

/// How much a fact weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Weight {
    /// A bare small number.
    Number,
    /// A name: a capital in mid-sentence, CamelCase, capitals.
    Name,
    /// Something that stands for one thing only: a path, a version, a ticket, a date, a unit.
    Key,
}

/// What a sentence adds to the facts that stood before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    /// The heaviest fact.
    pub(crate) heaviest: Option<Weight>,
    /// The heaviest fact that did not stand before.
    pub(crate) new: Option<Weight>,
}

/// The facts that stood so far.
#[derive(Debug, Default)]
pub(crate) struct Known(HashSet<u64>);

impl Known {
    /// Weighs the facts of a sentence and remembers them.
    pub(crate) fn learn(&mut self, sentence: &str) -> Facts {
        let mut facts = Facts::default();
        each_fact(sentence, |weight, fact| {
            facts.heaviest = facts.heaviest.max(Some(weight));
            if self.0.insert(hash_folded(fact)) {
                facts.new = facts.new.max(Some(weight));
            }
        });
        facts
    }
}

/// The heaviest fact of a sentence.
pub(crate) fn heaviest(sentence: &str) -> Option<Weight> {
    let mut heaviest = None;
    each_fact(sentence, |weight, _| heaviest = heaviest.max(Some(weight)));
    heaviest
}

/// Calls `visit` for every fact.
pub(crate) fn each_fact<'a>(sentence: &'a str, mut visit: impl FnMut(Weight, &'a str)) {
    let mut is_first = true;
    for raw in sentence.split_whitespace() {
        let token =
            raw.trim_matches(|c: char| c.is_ascii_punctuation() && !matches!(c, '/' | '~' | '_' | '-' | '`' | '%'));
        let weight = if raw.contains("()") { Some(Weight::Key) } else { weigh(token, is_first) };
        if let Some(weight) = weight {
            visit(weight, token);
        }
        is_first = raw.ends_with(['.', '!', '?', ':']);
    }
    quoted(sentence, |text| visit(Weight::Key, text));
}

/// What one word weighs.
fn weigh(token: &str, is_first: bool) -> Option<Weight> {
    let bytes = token.as_bytes();
    let mut digits = 0usize;
    let mut letters = 0usize;
    let mut capitals = 0usize;
    let mut humps = 0usize;
    let mut slashes = 0usize;
    let mut inner_marks = 0usize;
    let mut before = b' ';
    for (at, byte) in bytes.iter().copied().enumerate() {
        match byte {
            b'0'..=b'9' => digits += 1,
            b'A'..=b'Z' => {
                letters += 1;
                capitals += 1;
                humps += usize::from(before.is_ascii_lowercase());
            }
            b'a'..=b'z' => letters += 1,
            b'/' => slashes += 1,
            b'`' | b'@' | b'\\' | b'=' => return Some(Weight::Key),
            _ => {}
        }
        let after = bytes.get(at + 1).copied().unwrap_or(b' ');
        let is_inside = before.is_ascii_alphanumeric() && (after.is_ascii_alphanumeric() || after == b'_');
        let is_doubled = byte == b':' && after == b':' || byte == b'(' && after == b')';
        if is_inside && matches!(byte, b'_' | b':' | b'#') || is_doubled {
            inner_marks += 1;
        }
        before = byte;
    }
    if letters + digits == 0 {
        return None;
    }
    let is_key = inner_marks > 0
        || is_path(token, slashes)
        || has_extension(token)
        || token.starts_with("--") && letters > 1
        || is_number_with_meaning(token, digits, letters)
        || is_ticket(token)
        || is_hash(token, digits, letters);
    if is_key {
        Some(Weight::Key)
    } else if humps > 0 || capitals >= 2 && !matches!(token, "OK" | "LGTM") || is_name(token, is_first) {
        Some(Weight::Name)
    } else if digits > 0 {
        Some(Weight::Number)
    } else {
        None
    }
}

fn is_path(token: &str, slashes: usize) -> bool {
    if slashes == 0 || token.len() < 3 {
        return false;
    }
    // `and/or` and `read/write` are words; `src/auth` alone cannot be told from them, so two short words pass as one.
    slashes > 1
        || token.starts_with(['/', '~', '.'])
        || token.contains(['.', '-'])
        || token
            .split('/')
            .any(|part| matches!(part, "src" | "lib" | "bin" | "tests" | "docs" | "crates" | "etc" | "origin"))
}

/// Whether the word ends like a file or a host: `session.rs`, `Cargo.toml`, `example.com`.
fn has_extension(token: &str) -> bool {
    token.rsplit_once('.').is_some_and(|(stem, extension)| {
        stem.len() >= 2
            && stem.bytes().any(|byte| byte.is_ascii_alphanumeric())
            && (1..=6).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    })
}

/// Whether a number is long, dotted, dated, or has a unit.
fn is_number_with_meaning(token: &str, digits: usize, letters: usize) -> bool {
    let starts = token
        .trim_start_matches(['~', '-', '+', '<', '>', '$', 'v', 'V', '('])
        .starts_with(|c: char| c.is_ascii_digit());
    digits >= 3
        || digits > 0 && starts && (token.contains(['.', '%', ':']) || letters > 0 || token.matches('-').count() == 2)
}

/// Whether the word is like `OPS-2291` or `E0308`.
fn is_ticket(token: &str) -> bool {
    let prefix = token.bytes().take_while(u8::is_ascii_uppercase).count();
    let rest = token.get(prefix..).unwrap_or_default();
    let number = rest.strip_prefix('-').unwrap_or(rest);
    prefix > 0 && number.starts_with(|c: char| c.is_ascii_digit())
}

fn is_hash(token: &str, digits: usize, letters: usize) -> bool {
    digits > 0 && letters > 0 && token.len() >= 7 && token.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a capital stands in mid-sentence.
fn is_name(token: &str, is_first: bool) -> bool {
    const NOT_NAMES: [&str; 9] = ["I", "I'm", "I'll", "I've", "I'd", "Ok", "Yes", "No", "Thanks"];
    !is_first && token.starts_with(char::is_uppercase) && !NOT_NAMES.contains(&token)
}

/// Calls `visit` for every quoted text of four bytes or more.
fn quoted<'a>(sentence: &'a str, mut visit: impl FnMut(&'a str)) {
    let mut parts = sentence.split('"');
    parts.next();
    while let (Some(inside), Some(_)) = (parts.next(), parts.next()) {
        if inside.len() >= 4 {
            visit(inside);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Known, Weight, heaviest};
    use rstest::rstest;

    #[rstest]
    #[case("see src/auth/session.rs:214 now")]
    #[case("it is v2.31.7 that breaks")]
    #[case("code ERR_CONN_4471 again")]
    #[case("it listens on port 8443 now")]
    #[case("filed as OPS-2291 now")]
    #[case("on 2026-12-04 at the latest")]
    #[case("commit 3f2a91c did it")]
    #[case("see https://example.com/a for more")]
    #[case("call parse_header first")]
    #[case("call `go` first")]
    #[case("pass --locked there")]
    #[case("takes 30ms there")]
    #[case("at 15% now")]
    #[case("it said \"no such user\" there")]
    #[case("std::mem is used")]
    #[case("call flush() there")]
    #[case("mail ops@example.com about it")]
    #[case("in Cargo.toml there")]
    #[case("around 14:30 today")]
    fn sees_key_facts(#[case] sentence: &str) {
        assert_eq!(heaviest(sentence), Some(Weight::Key));
    }

    #[rstest]
    #[case("ask Maria about it", Some(Weight::Name))]
    #[case("the SessionStore holds it", Some(Weight::Name))]
    #[case("the API is slow", Some(Weight::Name))]
    #[case("there are 3 of them", Some(Weight::Number))]
    #[case("Sounds good, let me take a look at that now. (again)", None)]
    #[case("Thanks, that makes sense to me.", None)]
    #[case("read and/or write it", None)]
    #[case("I think I'll wait", None)]
    #[case("well-known and up-to-date", None)]
    fn weighs_lighter_facts(#[case] sentence: &str, #[case] expected: Option<Weight>) {
        assert_eq!(heaviest(sentence), expected);
    }

    #[test]
    fn a_fact_is_new_once() {
        let mut known = Known::default();
        assert_eq!(known.learn("port 8443").new, Some(Weight::Key));
        assert_eq!(known.learn("port 8443 again").new, None);
        assert_eq!(known.learn("port 8443, ask Ann").new, Some(Weight::Name));
    }
}
