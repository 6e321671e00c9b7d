//! What is stored about the disclosure of one conversation, and what it can be set to.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::budget::QuestionBudget;

/// Names, addresses, telephone numbers and mail.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "&'static str")]
pub enum Identity {
    /// Nobody has decided, which hides them.
    #[default]
    Undecided,
    /// They leave in clear.
    Open,
    /// They are hidden.
    Masked,
}

impl From<String> for Identity {
    fn from(stored: String) -> Self {
        match stored.as_str() {
            "open" => Self::Open,
            "masked" => Self::Masked,
            _ => Self::Undecided,
        }
    }
}

impl From<Identity> for &'static str {
    fn from(identity: Identity) -> Self {
        match identity {
            Identity::Undecided => "undecided",
            Identity::Open => "open",
            Identity::Masked => "masked",
        }
    }
}

/// Cards, accounts, dates of birth and the like.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "&'static str")]
pub enum Numbers {
    /// As the setting says.
    #[default]
    Default,
    /// They leave in clear.
    Open,
    /// They are hidden.
    Masked,
}

impl From<String> for Numbers {
    fn from(stored: String) -> Self {
        match stored.as_str() {
            "open" => Self::Open,
            "masked" => Self::Masked,
            _ => Self::Default,
        }
    }
}

impl From<Numbers> for &'static str {
    fn from(numbers: Numbers) -> Self {
        match numbers {
            Numbers::Default => "default",
            Numbers::Open => "open",
            Numbers::Masked => "masked",
        }
    }
}

/// Who decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DisclosureSource {
    /// A human's answer to the question of a call.
    Dialog,
    /// The tool: closing by itself, opening with a human's yes.
    Tool,
    /// The setting that opens without a question.
    Policy,
    /// Nobody could be asked.
    Auto,
}

/// What happens when private values turn up that nobody has decided about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Escalation {
    /// A human is asked.
    #[default]
    Ask,
    /// They are hidden, and the caller is told how a human opens them.
    Auto,
    /// They leave in clear.
    Off,
}

/// What is stored about one conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Stored {
    /// Names, addresses, mail.
    pub identity: Identity,
    /// Numbers.
    pub numbers: Numbers,
    /// Who decided.
    pub source: Option<DisclosureSource>,
    /// Questions since the last reset.
    pub asked: u32,
    /// The questions of the last hour.
    pub recent: QuestionBudget,
    /// When it was decided.
    pub ts: Option<Timestamp>,
    /// A human or the caller has hidden names since a human last opened them, so no setting opens them.
    pub was_closed: bool,
    /// When a human last said that the private mode stays.
    pub stays_private: Option<Timestamp>,
}
