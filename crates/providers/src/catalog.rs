//! The providers and models that are known before anything was asked: facts of `catalog/providers.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use lwa_domain::{BillingClass, Capability, DataUse, Model, ModelKey, PicoUsd, ReasoningEffort, TaskKind};
use serde::{Deserialize, Serialize};

use crate::chat::profile::{EffortEncoding, MaxTokensField, ModelProfile};

const TEXT: &str = include_str!("../catalog/providers.toml");

/// The protocol that a provider speaks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AdapterKind {
    /// Chat completions as most providers speak them.
    #[default]
    #[serde(rename = "openai")]
    OpenAi,
    /// Chat completions, and pictures and films beside them.
    #[serde(rename = "openai_media")]
    OpenAiMedia,
    /// Google's own.
    Gemini,
    /// Cohere's own, version 2.
    Cohere,
    /// Chat completions with a list of models at another address.
    Puter,
    /// Predictions of Replicate.
    Replicate,
    /// Pictures of Stability AI.
    Stability,
}

impl AdapterKind {
    /// Every protocol, in the order of the declaration.
    pub const ALL: [Self; 7] =
        [Self::OpenAi, Self::OpenAiMedia, Self::Gemini, Self::Cohere, Self::Puter, Self::Replicate, Self::Stability];

    /// Its name in the configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::OpenAiMedia => "openai_media",
            Self::Gemini => "gemini",
            Self::Cohere => "cohere",
            Self::Puter => "puter",
            Self::Replicate => "replicate",
            Self::Stability => "stability",
        }
    }

    /// The protocol of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|adapter| adapter.as_str() == name)
    }
}

/// A provider as it is shipped.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShippedProvider {
    /// Its name in the configuration.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// The protocol it speaks.
    #[serde(default)]
    pub adapter: AdapterKind,
    /// The base address; may hold `{account_id}`.
    pub base_url: String,
    /// The path of the model list, with a query where it needs one.
    #[serde(default = "models_path")]
    pub models_path: String,
    /// The path of chat completions.
    #[serde(default = "chat_path")]
    pub chat_path: String,
    /// Whether it lists its models.
    #[serde(default = "yes")]
    pub lists_models: bool,
    /// The variables that may hold its key, the usual one first.
    pub key_env: Vec<String>,
    /// The variables that may hold the account id, where the address needs one.
    #[serde(default)]
    pub account_id_env: Vec<String>,
    /// The variables that may hold a key that reads the balance or the quota, where the usual one may not.
    #[serde(default)]
    pub billing_key_env: Vec<String>,
    /// Where the balance or the quota is read, below the base address; none where nothing can be read by key.
    #[serde(default)]
    pub quota_path: Option<String>,
    /// Whether it is known to be unreliable, and is shown so until a list of its models was read.
    #[serde(default)]
    pub is_experimental: bool,
    /// Who pays.
    pub billing_class: BillingClass,
    /// Where that differs between its models; the first rule that holds counts, and without one the class above.
    #[serde(default)]
    pub class_rules: Vec<ClassRule>,
    /// Requests allowed a day unless the configuration says otherwise; 0 for no cap.
    #[serde(default)]
    pub daily_request_cap: u32,
    /// Dollars allowed a month unless the configuration says otherwise.
    #[serde(default)]
    pub monthly_usd_cap: Option<f64>,
    /// What it does with the text it is sent.
    pub data_use: DataUse,
    /// Where that is known from, and when it was read; empty when it is not known.
    #[serde(default)]
    pub data_use_source: String,
    /// The page where a person gets a key.
    pub key_url: String,
    /// Why it is shipped switched off, if it is.
    #[serde(default)]
    pub disabled_reason: Option<String>,
    /// What to know about it: limits of free use and the like.
    #[serde(default)]
    pub note: String,
    /// How its parameters are written.
    #[serde(default)]
    pub profile: ShippedProfile,
    /// The models known in advance.
    #[serde(default)]
    pub models: Vec<ShippedModel>,
}

/// How a provider or model wants its parameters; what is absent is as usual.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShippedProfile {
    /// Whether a temperature is accepted.
    pub sends_temperature: Option<bool>,
    /// Whether `stream_options` is accepted.
    pub sends_stream_options: Option<bool>,
    /// The field that limits the answer.
    pub max_tokens_field: Option<MaxTokensField>,
    /// How a reasoning effort is written.
    pub effort_encoding: Option<EffortEncoding>,
}

/// A model as it is shipped. No price is: prices come from lists and the configuration.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShippedModel {
    /// Its name at the provider.
    pub name: String,
    /// Tokens of input and output together.
    pub context_length: u64,
    /// What it can do.
    pub capabilities: Vec<Capability>,
    /// The reasoning efforts it accepts.
    #[serde(default)]
    pub reasoning_levels: Vec<ReasoningEffort>,
    /// Suitability per task, 0 to 100.
    pub scores: BTreeMap<TaskKind, u8>,
    /// The path it is called at, where each model has its own.
    #[serde(default)]
    pub endpoint: Option<String>,
    /// The fields of its input, where each model has its own, with `$PROMPT` and the like where a value of the call
    /// belongs.
    #[serde(default)]
    pub input_mapping: serde_json::Map<String, serde_json::Value>,
    /// Why it is shipped switched off, if it is.
    #[serde(default)]
    pub disabled_reason: Option<String>,
    /// Where it differs from its provider.
    #[serde(default)]
    pub profile: ShippedProfile,
}

/// Who pays for some of a provider's models, where that is not the same for all of them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassRule {
    /// The models it holds for, by name; all of them where neither this nor the ending is given.
    #[serde(default)]
    pub models: Vec<String>,
    /// The ending of the names it holds for.
    #[serde(default)]
    pub ends_with: Option<String>,
    /// Who pays for them.
    pub billing_class: BillingClass,
}

impl ClassRule {
    fn holds_for(&self, model: &str) -> bool {
        let is_for_all = self.models.is_empty() && self.ends_with.is_none();
        is_for_all
            || self.models.iter().any(|name| name == model)
            || self.ends_with.as_deref().is_some_and(|ending| model.ends_with(ending))
    }
}

fn models_path() -> String {
    "/models".to_owned()
}

fn chat_path() -> String {
    "/chat/completions".to_owned()
}

const fn yes() -> bool {
    true
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Catalog {
    providers: Vec<ShippedProvider>,
}

#[expect(clippy::expect_used, reason = "BUG otherwise: the text is part of the program, and a test reads it")]
static SHIPPED: LazyLock<Vec<ShippedProvider>> =
    LazyLock::new(|| toml::from_str::<Catalog>(TEXT).expect("BUG: the shipped catalogue is not readable").providers);

/// Every shipped provider, in the order of the file.
pub fn shipped() -> &'static [ShippedProvider] {
    &SHIPPED
}

/// The shipped provider of this name.
pub fn find(name: &str) -> Option<&'static ShippedProvider> {
    shipped().iter().find(|provider| provider.name == name)
}

/// Who pays for `model`, given the class that the configuration has for its provider.
///
/// A class that a person has set for the provider holds for all its models; only where it is the shipped one do the
/// shipped rules for single models apply. No price changes it, least of all one of zero.
pub fn class_of(provider: &str, model: &str, configured: BillingClass) -> BillingClass {
    find(provider)
        .filter(|shipped| shipped.billing_class == configured)
        .map_or(configured, |shipped| shipped.class_of(model))
}

impl ShippedProvider {
    /// Who pays for `model`.
    pub fn class_of(&self, model: &str) -> BillingClass {
        self.class_rules.iter().find(|rule| rule.holds_for(model)).map_or(self.billing_class, |rule| rule.billing_class)
    }

    /// The monthly cap as an amount.
    pub fn monthly_cap(&self) -> Option<PicoUsd> {
        self.monthly_usd_cap.and_then(PicoUsd::from_dollars)
    }

    /// The seed models as routing sees them.
    pub fn seeds(&self) -> Vec<Model> {
        self.models
            .iter()
            .map(|model| Model {
                capabilities: model.capabilities.iter().copied().collect(),
                reasoning_levels: model.reasoning_levels.clone(),
                context_length: model.context_length,
                task_scores: model.scores.clone(),
                disabled_reason: model.disabled_reason.clone(),
                ..Model::named(
                    ModelKey { provider: self.name.clone(), model: model.name.clone() },
                    self.class_of(&model.name),
                    "seed",
                )
            })
            .collect()
    }

    /// What may be sent to `model`, known in advance or not.
    ///
    /// The accepted efforts of a model that is not among the seeds come from its list, so they are left empty here.
    pub fn profile_for(&self, model: &str) -> ModelProfile {
        let seed = self.models.iter().find(|seed| seed.name == model);
        let own = seed.map(|seed| &seed.profile);
        let usual = crate::facts::find(&self.name).map(crate::facts::WireFacts::profile).unwrap_or_default();
        ModelProfile {
            sends_temperature: own
                .and_then(|own| own.sends_temperature)
                .or(self.profile.sends_temperature)
                .unwrap_or(usual.sends_temperature),
            sends_stream_options: own
                .and_then(|own| own.sends_stream_options)
                .or(self.profile.sends_stream_options)
                .unwrap_or(usual.sends_stream_options),
            max_tokens_field: own
                .and_then(|own| own.max_tokens_field)
                .or(self.profile.max_tokens_field)
                .unwrap_or(usual.max_tokens_field),
            effort_encoding: own
                .and_then(|own| own.effort_encoding)
                .or(self.profile.effort_encoding)
                .unwrap_or(usual.effort_encoding),
            accepted_efforts: seed.map(|seed| seed.reasoning_levels.clone()).unwrap_or_default(),
            supported_parameters: None,
            ..usual
        }
    }
}
