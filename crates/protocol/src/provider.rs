//! Providers, models and keys.

use lwa_domain::{BillingClass, Capability, DataUse, PicoUsd, Price, ReasoningEffort};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Answer to `provider/list`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ProviderList {
    /// Ready ones first.
    pub providers: Vec<ProviderView>,
}

/// Whether a provider can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ProviderState {
    /// Configured, and a probe or a call succeeded.
    Ready,
    /// Configured; nothing was tried yet.
    Unverified,
    /// The last probe or call failed.
    Failing,
    /// A key is missing.
    NeedsKey,
    /// Switched off.
    Disabled,
}

/// One provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts on the wire, not one state")]
pub struct ProviderView {
    /// Its name.
    pub name: String,
    /// The protocol it is spoken to in: `openai`, `gemini`, `replicate`, …; `builtin` for the built-in one.
    pub adapter: String,
    /// Where its requests go; null for the built-in one.
    pub base_url: Option<String>,
    /// Whether it can be used.
    pub state: ProviderState,
    /// Why it is in that state, in words.
    pub detail: Option<String>,
    /// Who pays.
    pub billing_class: BillingClass,
    /// What it does with the text it is sent.
    pub data_use: DataUse,
    /// Where that is known from and when it was read; empty when it is not known.
    #[serde(default)]
    pub data_use_source: String,
    /// Whether nothing but its documentation vouches for it yet, or its list could not be read lately.
    #[serde(default)]
    pub is_experimental: bool,
    /// When the list of its models in use was read; null without one.
    #[serde(default)]
    pub listed_at: Option<String>,
    /// Why the last try to read its list failed; null when it did not.
    #[serde(default)]
    pub list_problem: Option<String>,
    /// Whether its traffic stays on this machine.
    pub is_local: bool,
    /// Whether a running local server was found rather than configured.
    pub is_detected: bool,
    /// Whether it needs a key.
    pub needs_key: bool,
    /// The key in use, masked.
    pub key: Option<KeyView>,
    /// How many models are known.
    pub models: u32,
    /// Requests allowed a day; 0 for no cap.
    pub daily_request_cap: u32,
    /// Requests counted or reserved today.
    pub requests_today: u32,
    /// Money allowed a month; null for no cap.
    pub monthly_cap_pico_usd: Option<PicoUsd>,
    /// Money spent or reserved this month.
    pub spent_this_month_pico_usd: PicoUsd,
    /// When it was last tried.
    pub checked_at: Option<String>,
}

/// Parameters that name a provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ProviderParams {
    /// The provider.
    pub provider: String,
}

/// Answer to `provider/test`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ProviderTested {
    /// Whether it answered as expected.
    pub ok: bool,
    /// What was found, in words: reachable, key rejected, wrong address.
    pub detail: String,
    /// How long it took.
    pub latency_ms: u32,
    /// Models it lists; null when it lists none.
    pub models: Option<u32>,
}

/// Parameters of `model/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct ModelListParams {
    /// Only this provider's.
    pub provider: Option<String>,
}

/// Answer to `model/list`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ModelList {
    /// By provider, then by name.
    pub models: Vec<ModelView>,
}

/// One model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ModelView {
    /// The provider.
    pub provider: String,
    /// The model's name there.
    pub model: String,
    /// A name for people.
    pub display_name: Option<String>,
    /// Who pays.
    pub billing_class: BillingClass,
    /// What it can do.
    pub capabilities: Vec<Capability>,
    /// The efforts it accepts.
    pub reasoning_levels: Vec<ReasoningEffort>,
    /// The levels of reasoning in the provider's own words; empty when it has none or they are not known.
    #[serde(default)]
    pub effort_words: Vec<String>,
    /// Tokens of input and output together.
    pub context_length: u32,
    /// The most tokens of output, where that is a limit of its own.
    #[serde(default)]
    pub max_output_tokens: Option<u32>,
    /// What a token costs; null when unknown.
    pub price: Option<Price>,
    /// Whether the price is so old that more than it is reserved.
    #[serde(default)]
    pub is_price_stale: bool,
    /// Why it is switched off.
    pub disabled_reason: Option<String>,
    /// `seed`, `config` or `live`.
    pub source: String,
    /// Where single facts come from; the price has its own source.
    #[serde(default)]
    pub provenance: Vec<FactSource>,
}

/// Where one fact about a model comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FactSource {
    /// The name of the field.
    pub field: String,
    /// `seed`, `config`, `listing`, or a catalogue's name.
    pub source: String,
    /// The day it was read, `YYYY-MM-DD`, or `unknown`.
    pub as_of: String,
}

/// A key as people may see it: never the value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct KeyView {
    /// The provider.
    pub provider: String,
    /// `keychain`, `file` or `environment`.
    pub backend: String,
    /// The variable it came from, for the environment.
    pub variable: Option<String>,
    /// The last characters behind dots, `…f3a9`; nothing when the key is short.
    pub masked: String,
}

/// Answer to `key/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct KeyList {
    /// By provider.
    pub keys: Vec<KeyView>,
}

/// Parameters of `key/set`. Printing shows that a key is there, never the key.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct KeySetParams {
    /// The provider.
    pub provider: String,
    /// The key.
    pub key: String,
}

impl std::fmt::Debug for KeySetParams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeySetParams")
            .field("provider", &self.provider)
            .field("has_key", &!self.key.is_empty())
            .finish()
    }
}
