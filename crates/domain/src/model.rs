//! Models and providers as routing sees them: facts, no secrets, no connections.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::billing::{BillingClass, Capability, DataUse};
use crate::money::PicoUsd;
use crate::task::{ReasoningEffort, TaskKind};

/// The pair that identifies a route: `provider:model`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ModelKey {
    /// Who sells or runs it.
    pub provider: String,
    /// The model's name at that provider.
    pub model: String,
}

impl std::fmt::Display for ModelKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.provider, self.model)
    }
}

/// What one token costs, with where and when that was learnt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Price {
    /// Per input token.
    pub input_pico_usd: PicoUsd,
    /// Per output token.
    pub output_pico_usd: PicoUsd,
    /// Where the price comes from: `config`, `listing`, a catalogue's name.
    pub source: String,
    /// The day the price was read, `YYYY-MM-DD`, or `unknown`.
    pub as_of: String,
}

impl Price {
    /// The cost of a call with these token counts.
    pub fn cost(&self, input_tokens: u64, output_tokens: u64) -> PicoUsd {
        self.input_pico_usd.times(input_tokens) + self.output_pico_usd.times(output_tokens)
    }
}

/// A model that may be chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// Provider and model name.
    pub key: ModelKey,
    /// A name for people, if it has one.
    pub display_name: Option<String>,
    /// Who pays.
    pub billing_class: BillingClass,
    /// What it can do.
    pub capabilities: BTreeSet<Capability>,
    /// The reasoning efforts it accepts; empty when it accepts none.
    pub reasoning_levels: Vec<ReasoningEffort>,
    /// Tokens of input and output together.
    pub context_length: u64,
    /// What a token costs; unknown when absent.
    pub price: Option<Price>,
    /// Suitability per task, 0 to 100.
    pub task_scores: BTreeMap<TaskKind, u8>,
    /// Why it is switched off, if it is.
    pub disabled_reason: Option<String>,
    /// `seed`, `config` or `live`.
    pub source: String,
}

/// What routing knows about a provider at the moment of a decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProviderFacts {
    /// The provider's name.
    pub name: String,
    /// Why it is switched off, if it is.
    pub disabled_reason: Option<String>,
    /// Why it is known to be unhealthy, if it is.
    pub unhealthy_reason: Option<String>,
    /// Names of the credentials of which one must be present; empty when none is needed.
    pub credential_names: Vec<String>,
    /// Whether a credential is present, or none is needed.
    pub has_credential: bool,
    /// Why today's or this month's own cap is used up, if it is.
    pub exhausted_cap: Option<String>,
    /// Whether its traffic never leaves this machine.
    pub is_local: bool,
    /// What it does with the text it is sent.
    pub data_use: DataUse,
}
