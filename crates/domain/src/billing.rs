//! What a route costs in kind: billing classes, consent modes, capabilities, and what happens to data.

use crate::label::{UnknownLabel, labels};

labels! {
    /// Who pays for a route.
    ///
    /// It is a rule about the provider; a price of zero never makes a model free.
    BillingClass("billing class") {
        /// Costs nothing and has no quota that matters.
        Free = "free",
        /// Costs nothing within a quota.
        FreeQuota = "free_quota",
        /// The end user's own subscription pays.
        UserPays = "user_pays",
        /// Billed to the key's owner.
        Paid = "paid",
        /// Not known, and therefore treated as paid.
        Unknown = "unknown",
    }
}

impl BillingClass {
    /// Whether this class may cost somebody money; `unknown` may.
    pub const fn may_cost_money(self) -> bool {
        matches!(self, Self::Paid | Self::UserPays | Self::Unknown)
    }

    /// Whether this class is free or free within a quota.
    pub const fn is_free(self) -> bool {
        !self.may_cost_money()
    }
}

labels! {
    /// When the human is asked before a plan may run.
    ConsentMode("consent mode") {
        /// Before every plan.
        AlwaysAsk = "always_ask",
        /// Before a plan that may cost money; the default.
        PaidOnly = "paid_only",
        /// Never.
        Automatic = "automatic",
    }
}

impl ConsentMode {
    /// Parses a mode as people write it: any case, hyphens, and the older names.
    ///
    /// `always` and `ask_always` mean `always_ask`; `never` means `automatic`.
    pub fn parse_lenient(value: &str) -> Result<Self, UnknownLabel> {
        let folded = value.trim().to_lowercase().replace('-', "_");
        match folded.as_str() {
            "always" | "ask_always" => Ok(Self::AlwaysAsk),
            "never" => Ok(Self::Automatic),
            other => other.parse(),
        }
    }

    /// Whether a plan of class `class` needs a human's consent under this mode.
    pub const fn requires_consent(self, class: BillingClass) -> bool {
        match self {
            Self::AlwaysAsk => true,
            Self::PaidOnly => class.may_cost_money(),
            Self::Automatic => false,
        }
    }

    /// Whether moving from `self` to `other` asks the human less often.
    pub fn is_loosened_by(self, other: Self) -> bool {
        other > self
    }
}

labels! {
    /// What a model can do.
    Capability("capability") {
        /// Reads and writes text.
        Text = "text",
        /// Thinks before it answers.
        Reasoning = "reasoning",
        /// Calls tools.
        Tools = "tools",
        /// Answers in a given JSON schema.
        Structured = "structured",
        /// Reads pictures.
        Vision = "vision",
        /// Makes pictures.
        Image = "image",
        /// Makes films.
        Video = "video",
        /// Turns text into vectors.
        Embedding = "embedding",
        /// Orders documents by relevance.
        Rerank = "rerank",
    }
}

labels! {
    /// What a provider does with the text it is sent, as it says itself.
    DataUse("data use") {
        /// Trains models on it.
        Trains = "trains",
        /// Keeps it for a time, without training.
        Retains = "retains",
        /// Keeps nothing; true of anything that runs on this machine.
        None = "none",
        /// Not known.
        Unknown = "unknown",
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("always", ConsentMode::AlwaysAsk)]
    #[case("always_ask", ConsentMode::AlwaysAsk)]
    #[case("automatic", ConsentMode::Automatic)]
    #[case("never", ConsentMode::Automatic)]
    #[case(" Paid-Only ", ConsentMode::PaidOnly)]
    fn lwa_014_consent_aliases_are_read(#[case] text: &str, #[case] mode: ConsentMode) {
        assert_eq!(ConsentMode::parse_lenient(text).unwrap(), mode);
    }

    #[test]
    fn a_03_unknown_class_needs_consent_under_paid_only() {
        assert!(ConsentMode::PaidOnly.requires_consent(BillingClass::Unknown));
        assert!(BillingClass::Unknown.may_cost_money());
        assert!(!ConsentMode::PaidOnly.requires_consent(BillingClass::FreeQuota));
    }

    #[test]
    fn a_mode_that_asks_less_is_a_loosening() {
        assert!(ConsentMode::PaidOnly.is_loosened_by(ConsentMode::Automatic));
        assert!(!ConsentMode::PaidOnly.is_loosened_by(ConsentMode::AlwaysAsk));
        assert!(!ConsentMode::PaidOnly.is_loosened_by(ConsentMode::PaidOnly));
    }
}
