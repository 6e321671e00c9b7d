//! What a decision is made from: the request, the policy, the catalogue.

use std::collections::BTreeMap;

use lwa_domain::{
    BillingClass, ConsentMode, Model, ModelKey, ProviderFacts, Quality, ReasoningEffort, TaskKind, TrackRecord,
};

use crate::capability_set::CapabilitySet;
use crate::gate::Leave;

/// The provider that is part of the product and has no model.
///
/// It serves only tasks that need no model, and only when it is named or when no model is eligible.
pub const BUILTIN_PROVIDER: &str = "builtin";

/// What the built-in provider offers in place of a model.
pub const BUILTIN_MODEL: &str = "condense";

/// What the caller wants.
///
/// There is no text in it: two prompts of equal length are one request, whatever they say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request<'a> {
    /// The kind of work.
    pub task: TaskKind,
    /// How much quality for the money.
    pub quality: Quality,
    /// How long the model may think; only models that list this effort are eligible.
    pub reasoning_effort: Option<ReasoningEffort>,
    /// What a model must be able to do, when that is more than the task needs; [`Request::check`] refuses less.
    pub capabilities: Option<CapabilitySet>,
    /// Whether the answer has to follow a response format.
    pub wants_structured: bool,
    /// Tokens the input is estimated to have.
    pub estimated_input_tokens: u64,
    /// Tokens the answer may have.
    pub max_output_tokens: u32,
    /// The caller's half of the leave for paid routes; it consents to nothing.
    pub allow_paid: bool,
    /// The caller's half of the leave for routes that the user's subscription pays.
    pub allow_user_pays: bool,
    /// The one billing class that may be used; it gives no leave. Voters of a consensus stay free all the same.
    pub required_billing_class: Option<BillingClass>,
    /// Providers in the order they are preferred; position beats score.
    pub preferred_providers: &'a [String],
    /// Providers that may not be used.
    pub excluded_providers: &'a [String],
    /// The one provider that may be used.
    pub provider: Option<&'a str>,
    /// The one model that may be used.
    pub model: Option<&'a str>,
}

impl Request<'_> {
    /// What a model must be able to do: what the task needs and what the caller adds.
    pub(crate) fn required_capabilities(&self) -> CapabilitySet {
        let needed: CapabilitySet = self.task.required_capabilities().iter().collect();
        needed.union(self.capabilities.unwrap_or_default())
    }

    /// Input and output together.
    pub(crate) fn total_tokens(&self) -> u64 {
        self.estimated_input_tokens.saturating_add(u64::from(self.max_output_tokens))
    }

    /// Whether the request asks for the built-in provider in one of the three ways there are.
    pub(crate) fn names_builtin(&self) -> bool {
        self.provider == Some(BUILTIN_PROVIDER)
            || self.model == Some(BUILTIN_MODEL)
            || self.preferred_position(BUILTIN_PROVIDER).is_some()
    }

    /// The position of a provider in the preferred list, if it is there.
    pub(crate) fn preferred_position(&self, provider: &str) -> Option<usize> {
        self.preferred_providers.iter().position(|name| name == provider)
    }
}

/// What the configuration says, for every request.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "four independent switches of the configuration, not one state")]
pub struct Policy {
    /// When the human is asked.
    pub consent_mode: ConsentMode,
    /// Whether routes that cost nothing get a bonus.
    pub prefer_free: bool,
    /// The configuration's half of the leave for paid routes.
    pub allow_paid: bool,
    /// The configuration's half of the leave for routes that the user's subscription pays.
    pub allow_user_pays: bool,
    /// Whether text may go to providers that train on it.
    pub allow_training: bool,
}

impl Policy {
    /// The half of the leave that `class` lacks for this request, if any. An unknown class counts as paid.
    pub(crate) fn missing_leave(&self, request: &Request, class: BillingClass) -> Option<Leave> {
        let (asked, configured) = match class {
            BillingClass::Free | BillingClass::FreeQuota => return None,
            BillingClass::UserPays => (request.allow_user_pays, self.allow_user_pays),
            BillingClass::Paid | BillingClass::Unknown => (request.allow_paid, self.allow_paid),
        };
        match (asked, configured) {
            (true, true) => None,
            (false, true) => Some(Leave::OfRequest),
            (true, false) => Some(Leave::OfConfiguration),
            (false, false) => Some(Leave::OfBoth),
        }
    }
}

/// What there is to choose from. Each `provider:model` stands once.
#[derive(Debug, Clone, Copy)]
pub struct Catalog<'a> {
    /// The candidates, in any order.
    pub models: &'a [Model],
    /// What is known about each provider, by name.
    pub providers: &'a BTreeMap<String, ProviderFacts>,
    /// How the calls of models went lately on this machine; models without a call are missing.
    pub tracks: &'a BTreeMap<ModelKey, TrackRecord>,
}
