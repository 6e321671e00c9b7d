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

/// Token counts of one call. Each token is counted once, whatever its provider's own habit is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenCounts {
    /// Everything read, what came from a cache or was written to one included.
    pub input: u64,
    /// Of the input: read from a cache.
    pub cached: u64,
    /// Of the input: written to a cache.
    pub cache_written: u64,
    /// Everything written, reasoning included.
    pub output: u64,
}

impl TokenCounts {
    /// A call without a cache.
    pub const fn plain(input: u64, output: u64) -> Self {
        Self { input, cached: 0, cache_written: 0, output }
    }
}

/// What tokens cost once a prompt is larger than a bound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PriceTier {
    /// The tier holds for prompts of more than this many input tokens.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub above_input_tokens: u64,
    /// Per input token.
    pub input_pico_usd: PicoUsd,
    /// Per output token.
    pub output_pico_usd: PicoUsd,
    /// Per input token that comes from a cache; as any input token when absent.
    #[serde(default)]
    pub cached_input_pico_usd: Option<PicoUsd>,
}

/// What one token costs, with where and when that was learnt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Price {
    /// Per input token.
    pub input_pico_usd: PicoUsd,
    /// Per output token.
    pub output_pico_usd: PicoUsd,
    /// Per input token that comes from a cache; as any input token when absent.
    #[serde(default)]
    pub cached_input_pico_usd: Option<PicoUsd>,
    /// Per input token that is written to a cache; as any input token when absent.
    #[serde(default)]
    pub cache_write_pico_usd: Option<PicoUsd>,
    /// Other prices for larger prompts, smallest bound first; mostly empty.
    #[serde(default)]
    pub tiers: Vec<PriceTier>,
    /// Where the price comes from: `config`, `listing`, a catalogue's name.
    pub source: String,
    /// The day the price was read, `YYYY-MM-DD`, or `unknown`.
    pub as_of: String,
}

impl Price {
    /// A price that is the same for every token read and for every token written.
    pub fn flat(
        input_pico_usd: PicoUsd,
        output_pico_usd: PicoUsd,
        source: impl Into<String>,
        as_of: impl Into<String>,
    ) -> Self {
        Self {
            input_pico_usd,
            output_pico_usd,
            cached_input_pico_usd: None,
            cache_write_pico_usd: None,
            tiers: Vec::new(),
            source: source.into(),
            as_of: as_of.into(),
        }
    }

    /// What a call with these counts costs, at the tier that its input reaches.
    ///
    /// Cached and cache-written tokens are part of the input and are billed once, at their own price where there is
    /// one; a provider that reports more of them than input never makes the rest negative.
    pub fn cost_of(&self, counts: &TokenCounts) -> PicoUsd {
        let tier = self.tier(counts.input);
        let (input, output, cached) = tier
            .map_or((self.input_pico_usd, self.output_pico_usd, self.cached_input_pico_usd), |tier| {
                (tier.input_pico_usd, tier.output_pico_usd, tier.cached_input_pico_usd)
            });
        let cached_tokens = counts.cached.min(counts.input);
        let written = counts.cache_written.min(counts.input - cached_tokens);
        let fresh = counts.input - cached_tokens - written;
        input.times(fresh)
            + cached.unwrap_or(input).times(cached_tokens)
            + self.cache_write_pico_usd.unwrap_or(input).times(written)
            + output.times(counts.output)
    }

    /// The most a call can cost that reads `input_tokens` and may write `max_output_tokens`: nothing comes from a
    /// cache, and the tier is the one that both together reach, since an estimate may be short.
    pub fn worst_case(&self, input_tokens: u64, max_output_tokens: u64) -> PicoUsd {
        // Some providers write prompts to a cache unasked, at a price above that of reading them.
        let of = |input: PicoUsd, output: PicoUsd| {
            input.max(self.cache_write_pico_usd.unwrap_or(input)).times(input_tokens) + output.times(max_output_tokens)
        };
        let plain = of(self.input_pico_usd, self.output_pico_usd);
        self.tier(input_tokens.saturating_add(max_output_tokens))
            .map_or(plain, |tier| plain.max(of(tier.input_pico_usd, tier.output_pico_usd)))
    }

    fn tier(&self, input_tokens: u64) -> Option<&PriceTier> {
        self.tiers
            .iter()
            .filter(|tier| input_tokens > tier.above_input_tokens)
            .max_by_key(|tier| tier.above_input_tokens)
    }
}

/// Where and when a fact was learnt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Provenance {
    /// `seed`, `config`, `listing`, or a catalogue's name.
    pub source: String,
    /// The day, `YYYY-MM-DD`, or `unknown`.
    pub as_of: String,
}

/// How a model is told how long to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum EffortForm {
    /// One of several named levels.
    Level,
    /// On or off.
    Toggle,
    /// A number of tokens.
    Budget,
}

/// The reasoning efforts of one model, in its provider's own words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct EffortSupport {
    /// How an effort is said.
    pub form: EffortForm,
    /// The level names it accepts; empty for the other forms.
    pub levels: Vec<String>,
    /// Whether reasoning cannot be switched off.
    pub is_mandatory: bool,
}

/// How the calls of one model went lately, by this machine's own ledger.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TrackRecord {
    /// Calls that ended.
    pub calls: u32,
    /// Of which failed for the provider's part: not for a refused key, a moderated text or a bad request.
    pub failures: u32,
    /// The median time of those that succeeded.
    pub median_latency_ms: Option<u32>,
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
    /// How its efforts are said, where that is known.
    pub effort: Option<EffortSupport>,
    /// Tokens of input and output together.
    pub context_length: u64,
    /// The most tokens of input, where that is a limit of its own.
    pub max_input_tokens: Option<u64>,
    /// The most tokens of output, where that is a limit of its own.
    pub max_output_tokens: Option<u64>,
    /// The parameters it accepts, where its list names them.
    pub supported_parameters: Option<BTreeSet<String>>,
    /// What a token costs; unknown when absent.
    pub price: Option<Price>,
    /// Suitability per task, 0 to 100.
    pub task_scores: BTreeMap<TaskKind, u8>,
    /// Why it is switched off, if it is.
    pub disabled_reason: Option<String>,
    /// `seed`, `config` or `live`.
    pub source: String,
    /// Where single facts come from, by the name of the field; the price has its own.
    pub provenance: BTreeMap<String, Provenance>,
}

impl Model {
    /// The context of a model about which nobody says anything.
    pub const CAUTIOUS_CONTEXT: u64 = 8192;

    /// A model about which only its name and who pays are known.
    pub fn named(key: ModelKey, billing_class: BillingClass, source: impl Into<String>) -> Self {
        Self {
            key,
            display_name: None,
            billing_class,
            capabilities: BTreeSet::new(),
            reasoning_levels: Vec::new(),
            effort: None,
            context_length: Self::CAUTIOUS_CONTEXT,
            max_input_tokens: None,
            max_output_tokens: None,
            supported_parameters: None,
            price: None,
            task_scores: BTreeMap::new(),
            disabled_reason: None,
            source: source.into(),
            provenance: BTreeMap::new(),
        }
    }
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
    /// Where that is known from and when it was read; empty when it is not known.
    pub data_use_source: String,
    /// Whether nothing but its documentation vouches for it yet.
    pub is_experimental: bool,
}
