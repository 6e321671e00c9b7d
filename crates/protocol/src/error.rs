//! The failure that a method answers with.

use lwa_domain::ErrorCode;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Why a call failed, what it means, and the way out.
///
/// Never holds a prompt, a key, an argument value or the text of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// What a program may branch on.
    pub code: ErrorCode,
    /// What happened, for people: lower case, no full stop.
    pub message: String,
    /// What to do next: a command or a sentence.
    pub hint: Option<String>,
}

impl Failure {
    /// A failure without advice.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None }
    }

    /// The same failure with the way out.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl From<lwa_domain::UnknownLabel> for Failure {
    fn from(error: lwa_domain::UnknownLabel) -> Self {
        let hint = error.nearest.as_ref().map(|name| format!("use `{name}`"));
        Self { code: ErrorCode::InvalidInput, message: error.to_string(), hint }
    }
}
