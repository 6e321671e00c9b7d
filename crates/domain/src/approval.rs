//! Approvals: the kinds of question a human is asked, and the distinct ways a question ends.

use crate::label::labels;

labels! {
    /// What the human is asked to allow.
    ApprovalKind("approval kind") {
        /// Arm the worker for a session.
        TurnOn = "turn_on",
        /// Run one command.
        Command = "command",
        /// Run a plan that may cost money, or any plan under `always_ask`.
        Spend = "spend",
        /// Let private values leave in clear.
        Disclosure = "disclosure",
        /// Call an upstream tool.
        ToolCall = "tool_call",
        /// Start using an upstream server.
        NewServer = "new_server",
        /// Go on using a tool whose description or schema changed.
        ChangedTool = "changed_tool",
        /// Run a script recipe.
        Script = "script",
        /// Serve a client that was never seen before.
        NewClient = "new_client",
        /// Put a loosening change of the configuration into force.
        PolicyChange = "policy_change",
    }
}

impl ApprovalKind {
    /// Whether the asking client's own dialog may carry the answer.
    ///
    /// Programs can answer client dialogs, so everything that spends, persists or widens access is
    /// answered in the app or in a terminal only.
    pub const fn is_answerable_in_client(self) -> bool {
        matches!(self, Self::TurnOn | Self::Command | Self::Disclosure)
    }

    /// Whether the human may allow every later question of this shape at once.
    pub const fn offers_always(self) -> bool {
        matches!(
            self,
            Self::Command | Self::ToolCall | Self::NewServer | Self::ChangedTool | Self::NewClient | Self::PolicyChange
        )
    }
}

labels! {
    /// How a question ended. Only the first three are a yes.
    Outcome("outcome") {
        /// Yes, this once.
        AllowedOnce = "allowed_once",
        /// Yes, until the session ends.
        AllowedSession = "allowed_session",
        /// Yes, from now on.
        AllowedAlways = "allowed_always",
        /// The human said no.
        Denied = "denied",
        /// The human put the question away without an answer.
        Dismissed = "dismissed",
        /// Nobody answered in time.
        TimedOut = "timed_out",
        /// The question lost its reason: the client left, the plan ended, the host restarted.
        Withdrawn = "withdrawn",
        /// There was nowhere to ask.
        Unavailable = "unavailable",
    }
}

impl Outcome {
    /// Whether the outcome is a yes.
    pub const fn is_allowed(self) -> bool {
        matches!(self, Self::AllowedOnce | Self::AllowedSession | Self::AllowedAlways)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_three_outcomes_are_a_yes() {
        let yes: Vec<_> = Outcome::ALL.iter().filter(|outcome| outcome.is_allowed()).collect();
        assert_eq!(yes, [&Outcome::AllowedOnce, &Outcome::AllowedSession, &Outcome::AllowedAlways]);
    }

    #[test]
    fn money_is_never_answered_in_a_client_dialog() {
        assert!(!ApprovalKind::Spend.is_answerable_in_client());
        assert!(!ApprovalKind::PolicyChange.is_answerable_in_client());
        assert!(!ApprovalKind::Spend.offers_always());
    }
}
