//! What one document or one event of a stream adds to an answer, whatever protocol it came in.

use lwa_domain::PicoUsd;

use super::usage::Usage;

/// One part of an answer.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Text of the answer, in its order.
    pub texts: Vec<String>,
    /// Words with which the model declines.
    pub refusal: Option<String>,
    /// The model, as the provider names it.
    pub model: Option<String>,
    /// The provider's id for the answer.
    pub response_id: Option<String>,
    /// Why the answer ended, as the provider writes it.
    pub finish_reason: Option<String>,
    /// Counts, of which later ones replace earlier ones.
    pub usage: Usage,
    /// The stated cost.
    pub cost: Option<PicoUsd>,
    /// What else came along.
    pub seen: Seen,
    /// Whether nothing follows.
    pub is_last: bool,
    /// What ends the answer without success.
    pub fault: Option<Fault>,
}

/// What came along, to explain an answer without text.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    /// A place for an answer.
    pub choice: bool,
    /// A call of a tool.
    pub tool_call: bool,
    /// Reasoning.
    pub reasoning: bool,
}

impl Seen {
    pub(crate) fn add(&mut self, other: Self) {
        self.choice |= other.choice;
        self.tool_call |= other.tool_call;
        self.reasoning |= other.reasoning;
    }
}

/// An end without success that a provider puts into the place of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The content was refused.
    Refused(String),
    /// The provider gave up.
    Failed(String),
    /// The provider ran out of time.
    TimedOut(String),
}
