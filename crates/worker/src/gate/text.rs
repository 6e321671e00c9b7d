//! What the gate says, to the human and to the caller.

use std::fmt;

use crate::dialog::{Dialog, visible};
use crate::mode::Mode;

/// The choices for turning the worker on.
const CHOICES: &[(&str, &str)] = &[
    ("off", "Keep it off for this conversation"),
    ("on", "Turn it on: bulk output is shortened, secrets stay here"),
    ("on_pii", "Turn it on for private material: everything personal stays here"),
];

/// The question whether the worker is turned on. It shows no argument of the call.
pub fn turn_on_dialog(tool: &str, model: &str, mode: Mode) -> Dialog {
    let message = format!(
        "A client wants to use the worker on this machine (tool {}).\n\
         Worker model: {}. Mode at present: {mode}.\n\n\
         Once on, it may run commands that your policy allows, read files that it is given, and hand back short results \
         in which private values are replaced.\n\
         Off: nothing is done. On: bulk output is shortened. On for private material: names, addresses and numbers stay \
         here as well.",
        visible(&cut(tool, 60)),
        visible(&cut(model, 80)),
    );
    Dialog { message, choices: CHOICES }
}

fn cut(text: &str, chars: usize) -> String {
    text.chars().take(chars).collect()
}

/// Why the worker is off without a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unasked {
    /// A human chose it.
    Chosen,
    /// Nobody answered the questions.
    NobodyAnswered,
}

/// Why a call does not pass the gate. `Display` is the text for the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It is off.
    Off(Unasked),
    /// There is nowhere to ask.
    NoSurface,
    /// The question got no answer.
    Unanswered {
        /// What happened to it: cancel, timeout, withdrawn, no choice.
        action: &'static str,
    },
}

impl Refusal {
    /// The short form for trailers and status.
    pub const fn label(&self) -> &'static str {
        match self {
            Self::Off(Unasked::Chosen) => "off",
            Self::Off(Unasked::NobodyAnswered) => "off (unanswered)",
            Self::NoSurface => "no surface",
            Self::Unanswered { .. } => "unanswered",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off(Unasked::Chosen) => f.write_str(
                "The worker is off: the user chose off for this conversation. Nothing was done. Do the work yourself, \
                 and do not call the worker again unless the user asks for it; then call local_llm_enable.",
            ),
            Self::Off(Unasked::NobodyAnswered) => f.write_str(
                "The worker is off: it was offered three times and nobody answered. Nothing was done. Do the work \
                 yourself. The user can turn it on in the Lwa app, or with `lwa worker sessions KEY --arm on`; without KEY \
                 that lists the conversations.",
            ),
            Self::NoSurface => f.write_str(
                "The worker is off and there is nowhere to ask the user: this client shows no dialogs, and neither the \
                 Lwa app nor `lwa approvals watch` is open. It never starts without approval, and nothing was done. The \
                 user can open the Lwa app, answer with `lwa approvals` in a terminal, or set `arm = \"on\"` under \
                 `[clients.NAME.worker]` in the configuration for this client. Until then do the work yourself.",
            ),
            Self::Unanswered { action } => write!(
                f,
                "The worker is off: the question to the user was not answered ({action}). Nothing was done. Do the \
                 work yourself; if the user asks for the worker later, call local_llm_enable.",
            ),
        }
    }
}
