//! `[[models]]`.

use std::collections::{BTreeMap, BTreeSet};

use lwa_domain::{BillingClass, Capability, Model, ModelKey, PicoUsd, Price, ReasoningEffort, TaskKind};
use serde::Serialize;

use super::money::pico_usd;
use super::provider::{ProviderConfig, disabled};

/// A model that may be chosen.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ModelConfig {
    /// Who sells or runs it.
    pub provider: String,
    /// Its name at that provider.
    pub model: String,
    /// A name for people.
    pub display_name: Option<String>,
    /// Who pays; without it, the provider's class.
    pub billing_class: Option<BillingClass>,
    /// What it can do.
    pub capabilities: BTreeSet<Capability>,
    /// The reasoning efforts it accepts.
    pub reasoning_levels: Vec<ReasoningEffort>,
    /// Tokens of input and output together.
    pub context_length: u64,
    /// Dollars for a million tokens of input.
    pub input_cost_per_million: Option<f64>,
    /// Dollars for a million tokens of output.
    pub output_cost_per_million: Option<f64>,
    /// Suitability by task, 0 to 100.
    pub task_scores: BTreeMap<TaskKind, u8>,
    /// Whether it may be used.
    pub enabled: bool,
    /// Why it is switched off.
    pub disabled_reason: Option<String>,
    /// More fields of the request.
    pub extra_body: Option<serde_json::Map<String, serde_json::Value>>,
}

impl ModelConfig {
    /// A model with every default.
    pub fn new(provider: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            provider: provider.into(),
            model: model.into(),
            display_name: None,
            billing_class: None,
            capabilities: BTreeSet::from([Capability::Text]),
            reasoning_levels: Vec::new(),
            context_length: 8192,
            input_cost_per_million: None,
            output_cost_per_million: None,
            task_scores: BTreeMap::new(),
            enabled: true,
            disabled_reason: None,
            extra_body: None,
        }
    }

    /// Provider and model name.
    pub fn key(&self) -> ModelKey {
        ModelKey { provider: self.provider.clone(), model: self.model.clone() }
    }

    /// Who pays, given the provider; unknown when neither says.
    pub fn effective_class(&self, provider: Option<&ProviderConfig>) -> BillingClass {
        self.billing_class.or(provider.map(|provider| provider.billing_class)).unwrap_or(BillingClass::Unknown)
    }

    /// What a token costs; none unless both costs are given.
    ///
    /// The price says nothing about who pays: with both costs at zero the class stays what it is.
    pub fn price(&self) -> Option<Price> {
        Some(Price {
            input_pico_usd: per_token(self.input_cost_per_million?),
            output_pico_usd: per_token(self.output_cost_per_million?),
            source: "config".to_owned(),
            as_of: "unknown".to_owned(),
        })
    }

    /// The model as routing sees it.
    pub fn to_model(&self, provider: Option<&ProviderConfig>) -> Model {
        Model {
            key: self.key(),
            display_name: self.display_name.clone(),
            billing_class: self.effective_class(provider),
            capabilities: self.capabilities.clone(),
            reasoning_levels: self.reasoning_levels.clone(),
            context_length: self.context_length,
            price: self.price(),
            task_scores: self.task_scores.clone(),
            disabled_reason: disabled(self.enabled, self.disabled_reason.as_deref()),
            source: "config".to_owned(),
        }
    }
}

/// Dollars for a million tokens as pico-dollars for one.
fn per_token(dollars_per_million: f64) -> PicoUsd {
    pico_usd(dollars_per_million * 1e6)
}
