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
    /// Whether a person has confirmed costs that are beyond anything that is known.
    pub is_price_confirmed: bool,
    /// Dollars for one picture.
    pub cost_per_image: Option<f64>,
    /// Dollars for a second of film.
    pub cost_per_second: Option<f64>,
    /// Tiers it is offered in, for display.
    pub service_tiers: Vec<String>,
    /// The parameters it accepts; empty when that is not known.
    pub supported_parameters: Vec<String>,
    /// Tokens that the free plan allows, for display.
    pub free_plan_max_tokens: Option<u32>,
    /// Tokens that the paid plan allows, for display.
    pub pro_plan_max_tokens: Option<u32>,
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
    /// No model is known to cost more dollars than this for a million tokens; a greater figure is most likely meant
    /// for something else than a million.
    pub const PLAUSIBLE_COST_PER_MILLION: f64 = 1000.0;

    /// The greater of the two costs, if it is beyond anything that is known and therefore wants to be confirmed.
    pub fn implausible_cost(&self) -> Option<f64> {
        let costs = [self.input_cost_per_million, self.output_cost_per_million];
        costs.into_iter().flatten().filter(|cost| *cost > Self::PLAUSIBLE_COST_PER_MILLION).reduce(f64::max)
    }

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
            is_price_confirmed: false,
            cost_per_image: None,
            cost_per_second: None,
            service_tiers: Vec::new(),
            supported_parameters: Vec::new(),
            free_plan_max_tokens: None,
            pro_plan_max_tokens: None,
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
        Some(Price::flat(
            per_token(self.input_cost_per_million?),
            per_token(self.output_cost_per_million?),
            "config",
            "unknown",
        ))
    }

    /// What a picture and a second of film cost, where that is given.
    pub fn media_prices(&self) -> (Option<PicoUsd>, Option<PicoUsd>) {
        let price = |dollars: Option<f64>| dollars.and_then(PicoUsd::from_dollars);
        (price(self.cost_per_image), price(self.cost_per_second))
    }

    /// The model as routing sees it.
    pub fn to_model(&self, provider: Option<&ProviderConfig>) -> Model {
        Model {
            display_name: self.display_name.clone(),
            capabilities: self.capabilities.clone(),
            reasoning_levels: self.reasoning_levels.clone(),
            context_length: self.context_length,
            price: self.price(),
            task_scores: self.task_scores.clone(),
            disabled_reason: disabled(self.enabled, self.disabled_reason.as_deref()),
            ..Model::named(self.key(), self.effective_class(provider), "config")
        }
    }
}

/// Dollars for a million tokens as pico-dollars for one.
fn per_token(dollars_per_million: f64) -> PicoUsd {
    pico_usd(dollars_per_million * 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_beyond_a_thousand_dollars_a_million_wants_to_be_confirmed() {
        let cost = |input: Option<f64>, output: Option<f64>| {
            let model = ModelConfig {
                input_cost_per_million: input,
                output_cost_per_million: output,
                ..ModelConfig::new("example", "model")
            };
            model.implausible_cost()
        };
        assert_eq!(cost(None, None), None);
        assert_eq!(cost(Some(0.0), Some(1000.0)), None);
        assert_eq!(cost(Some(3.0), Some(1500.0)), Some(1500.0));
        assert_eq!(cost(Some(3_000_000.0), Some(15_000_000.0)), Some(15_000_000.0));
    }
}
