//! The placeholders of a session, `[KIND-N]`, as they stand in a command.

use crate::context::{Context, PlaceholderUse};

/// The kinds that a session can have; another word in brackets is a pattern of the shell.
const KINDS: &[&str] = &[
    "PERSON", "ADDRESS", "PHONE", "EMAIL", "SSN", "CARD", "ACCOUNT", "DOB", "ID", "SECRET", "PII", "TERM", "NAME",
    "KEY", "TOKEN", "PASSWORD",
];

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
        let Some(length) = rest.find(']').filter(|length| *length <= 24) else { continue };
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
    let (kind, number) = trimmed.rsplit_once(['-', '_', ' ', ':', '#'])?;
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
