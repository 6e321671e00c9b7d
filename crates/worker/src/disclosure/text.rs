//! What the human is asked about private values, and what the caller is told.

use std::collections::BTreeMap;

use lwa_privacy::{Kind, Tier};

use super::Opening;
use crate::dialog::{Dialog, visible};

/// The longest name of a source in a question.
const SOURCE_CHARS: usize = 90;

/// Stands behind a result that was hidden without a question.
pub(super) const HOW_TO_OPEN: &str = "Note: names and addresses in this result are replaced by placeholders, since nobody \
    could be asked about them. Placeholders can be used in later calls as they are. If the user says in chat that they \
    may be shown, call local_llm_disclosure; the user then confirms it.";

/// Stands behind a result whose question was answered with the private mode.
pub(super) const SWITCHED: &str = "Note: the user switched this conversation to private mode (pii). Everything personal \
    is replaced by placeholders from now on, in this result and in what was remembered. Work with the placeholders, and \
    do not ask what they stand for.";

const RESULT_CHOICES: &[(&str, &str)] = &[
    ("switch", "Private mode: hide everything personal from now on"),
    ("continue", "Show names, addresses and mail in this conversation; numbers stay hidden"),
    ("everything", "Show names and numbers in this conversation"),
];

const OPENING_CHOICES: &[(&str, &str)] = &[("keep", "Keep them hidden"), ("open", "Show them in this conversation")];

/// The question of a result: kinds, counts and the source, never a value and never a word of secrets.
pub fn disclosure_dialog(counts: &BTreeMap<Kind, usize>, source: &str) -> Dialog {
    let kinds: Vec<String> = counts
        .iter()
        .filter(|(kind, count)| kind.tier() != Tier::Secrets && **count > 0)
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    let source: String = source.chars().take(SOURCE_CHARS).collect();
    let message = format!(
        "The material that the worker is reading holds private values: {}.\nSource: {}\n\n\
         May they be shown to the client's model? Credentials stay here in any case. Cancelling hides them in this \
         result.",
        kinds.join(", "),
        visible(&source),
    );
    Dialog { message, choices: RESULT_CHOICES }
}

/// The question of a caller that wants to see more.
pub fn opening_dialog(opening: Opening, reason: &str) -> Dialog {
    let what = match (opening.identity, opening.numbers) {
        (true, true) => "names, addresses, mail, and numbers such as cards and dates of birth",
        (false, true) => "numbers such as cards, accounts and dates of birth",
        _ => "names, addresses, telephone numbers and mail",
    };
    let reason: String = reason.trim().chars().take(300).collect();
    let reason = if reason.is_empty() { "none given".to_owned() } else { visible(&reason).into_owned() };
    let message = format!(
        "The client's model asks to see {what} in clear, in this conversation.\nIts reason: {reason}\n\n\
         Credentials stay here in any case. Cancelling keeps them hidden.",
    );
    Dialog { message, choices: OPENING_CHOICES }
}
