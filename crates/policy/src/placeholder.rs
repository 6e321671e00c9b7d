//! The placeholders of a session, `[KIND-N]`, as they stand in a command.

use crate::context::{Context, PlaceholderUse};

/// The kinds that a session can have; another word in brackets is a pattern of the shell.
const KINDS: &[&str] = &[
    "PERSON", "ADDRESS", "PHONE", "EMAIL", "SSN", "CARD", "ACCOUNT", "DOB", "ID", "SECRET", "PII", "TERM", "NAME",
    "KEY", "TOKEN", "PASSWORD",
];

/// More bytes than this between brackets are no placeholder.
const LONGEST: usize = 24;

/// One placeholder in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// `KIND-N` in capitals.
    pub(crate) name: String,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The placeholders of a text in their order; spellings that a model is known to produce count as well.
pub(crate) fn all(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    for (start, _) in text.match_indices('[') {
        let rest = text.get(start + 1..).unwrap_or_default();
        let Some(length) = rest.bytes().take(LONGEST + 1).position(|byte| byte == b']') else { continue };
        let inside = rest.get(..length).unwrap_or_default();
        if let Some(name) = name(inside) {
            found.push(Found { name, start, end: start + length + 2 });
        }
    }
    found
}

/// `email_1` as `EMAIL-1`.
fn name(inside: &str) -> Option<String> {
    let trimmed = inside.trim();
    let digits = trimmed.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (head, number) = trimmed.split_at(trimmed.len() - digits);
    let kind =
        head.trim_end_matches(['-', '_', ' ', ':', '#', '.', '/', '\u{2010}', '\u{2011}', '\u{2013}', '\u{2014}']);
    // Without a mark between them it could be a pattern of the shell; a secret is not left to that.
    if kind.len() == head.len() && !kind.eq_ignore_ascii_case("SECRET") {
        return None;
    }
    if number.is_empty() || number.len() > 6 || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let kind = kind.trim().to_uppercase();
    let number = number.trim_start_matches('0');
    KINDS.contains(&kind.as_str()).then(|| format!("{kind}-{number}"))
}

/// What a placeholder stands for; without a session its own kind decides.
pub(crate) fn role(name: &str, context: &Context<'_>) -> Option<PlaceholderUse> {
    let by_kind = if ["SECRET", "KEY", "TOKEN", "PASSWORD"].iter().any(|kind| name.starts_with(kind)) {
        PlaceholderUse::Secret
    } else {
        PlaceholderUse::Data
    };
    match context.placeholders {
        // A secret that the session does not know is still one: it may belong to another session.
        Some(lookup) => lookup(name).or((name.starts_with("SECRET-")).then_some(PlaceholderUse::Secret)),
        None => Some(by_kind),
    }
}

/// Whether the text holds one.
pub(crate) fn has_any(text: &str) -> bool {
    text.contains('[') && !all(text).is_empty()
}

/// Whether every bracket of the text belongs to a placeholder, and nothing else in it is a pattern.
pub(crate) fn covers_brackets(text: &str) -> bool {
    if text.contains(['*', '?']) {
        return false;
    }
    let found = all(text);
    !found.is_empty() && text.matches('[').count() == found.len()
}

#[cfg(test)]
mod tests {
    use super::{all, covers_brackets};

    #[test]
    fn spellings_of_a_model_are_read() {
        let names: Vec<String> =
            all("a [EMAIL-1] [secret_2] [Secret 03] [a-z] [0-9] [id-]").into_iter().map(|found| found.name).collect();
        assert_eq!(names, ["EMAIL-1", "SECRET-2", "SECRET-3"]);
        assert!(covers_brackets("x[EMAIL-1]y"));
        assert!(!covers_brackets("[EMAIL-1]*"));
    }
}
