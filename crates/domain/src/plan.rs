//! The states of a plan.

use crate::label::labels;

labels! {
    /// Where a plan stands. A plan runs at most once.
    PlanState("plan state") {
        /// Prepared and allowed to run.
        Ready = "ready",
        /// Prepared; a human has yet to consent.
        ConfirmationRequired = "confirmation_required",
        /// A human said no; it can never run.
        Denied = "denied",
        /// Claimed; the provider is being called.
        Working = "working",
        /// Ran and has a result.
        Completed = "completed",
        /// Ran and failed; no other model was tried, and a new plan is needed.
        RepreflightRequired = "repreflight_required",
        /// Its time ran out before it ran.
        Expired = "expired",
    }
}

labels! {
    /// What kind of work a plan locks.
    PlanMode("plan mode") {
        /// One call of one model.
        Single = "single",
        /// Several voters, then a synthesis.
        Consensus = "consensus",
        /// A picture.
        Image = "image",
        /// A film.
        Video = "video",
    }
}

impl PlanMode {
    /// Whether the cost of such a plan is a matter of tokens; a picture or film has a price of its own.
    pub const fn is_billed_by_tokens(self) -> bool {
        matches!(self, Self::Single | Self::Consensus)
    }
}

impl PlanState {
    /// Whether nothing can happen to the plan any more.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Denied | Self::Completed | Self::RepreflightRequired | Self::Expired)
    }
}
