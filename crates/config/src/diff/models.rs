//! Models: who pays for them, what they seem to cost, and whether they may be used.

use lwa_domain::{BillingClass, Price};

use super::Comparison;
use super::providers::{is_harmless, needs_less};
use crate::config::{Config, ModelConfig};

pub(super) fn compare(old: &Config, comparison: &mut Comparison) {
    let mut held = Vec::new();
    for new in std::mem::take(&mut comparison.held.models) {
        let before = old.models.iter().find(|model| model.key() == new.key());
        held.push(one(old, before, new, comparison));
    }
    // Without its entry a model may come back from the provider's live list with every default, so
    // an entry that restrained it cannot be dropped silently.
    for gone in &old.models {
        if held.iter().any(|model| model.key() == gone.key()) {
            continue;
        }
        let went_with_provider =
            old.providers.contains_key(&gone.provider) && !comparison.held.providers.contains_key(&gone.provider);
        if went_with_provider {
            continue;
        }
        let so_far = comparison.found.len();
        one(old, Some(gone), ModelConfig::new(&gone.provider, &gone.model), comparison);
        if comparison.found.len() > so_far {
            held.push(gone.clone());
        }
    }
    comparison.held.models = held;
}

fn one(old: &Config, before: Option<&ModelConfig>, mut new: ModelConfig, comparison: &mut Comparison) -> ModelConfig {
    let provider = comparison.held.providers.get(&new.provider).cloned();
    let model_key = new.key();
    let key = |name: &str| format!("models.{model_key}.{name}");
    let harmless = provider.as_ref().is_some_and(is_harmless);
    let inherited = provider.as_ref().or(old.providers.get(&new.provider)).map(|provider| provider.billing_class);

    // A model without a class of its own has its provider's, and keeps the one it had when the
    // provider is gone.
    let provider_before = old.providers.get(&new.provider);
    let class_before = before
        .and_then(|model| model.billing_class.or(provider_before.map(|provider| provider.billing_class)))
        .unwrap_or_else(|| inherited.unwrap_or(BillingClass::Unknown));
    let class_of = |model: &ModelConfig| model.billing_class.or(inherited).unwrap_or(BillingClass::Unknown);
    let class = class_of(&new);
    if needs_less(class_before, class) {
        comparison.note(
            key("billing_class"),
            class_before.as_str(),
            class.as_str(),
            "The model needs another permission than before, or none.",
        );
        new.billing_class = before.and_then(|model| model.billing_class);
    }
    let is_free = class_of(&new).is_free();
    let (price_before, price) = (before.and_then(ModelConfig::price), new.price());
    if !is_free && seems_cheaper(price_before.as_ref(), price.as_ref()) {
        let show = |price: Option<Price>| {
            price.map_or("unknown".to_owned(), |price| {
                format!("{} in, {} out", price.input_pico_usd.times(1_000_000), price.output_pico_usd.times(1_000_000))
            })
        };
        comparison.note(
            key("input_cost_per_million"),
            show(price_before),
            show(price),
            "Plans with the model seem cheaper, and your caps admit more of them.",
        );
        new.input_cost_per_million = before.and_then(|model| model.input_cost_per_million);
        new.output_cost_per_million = before.and_then(|model| model.output_cost_per_million);
    }
    if !is_free {
        let price = before.map_or((None, None), |model| (model.cost_per_image, model.cost_per_second));
        let cheaper = |old: Option<f64>, new: Option<f64>| new.is_some_and(|new| old.is_none_or(|old| new < old));
        if cheaper(price.0, new.cost_per_image) || cheaper(price.1, new.cost_per_second) {
            let show = |(image, second): (Option<f64>, Option<f64>)| {
                let word = |cost: Option<f64>| cost.map_or("unknown".to_owned(), |cost| format!("${cost}"));
                format!("{} a picture, {} a second", word(image), word(second))
            };
            comparison.note(
                key("cost_per_image"),
                show(price),
                show((new.cost_per_image, new.cost_per_second)),
                "Pictures and films of the model seem cheaper, and your caps admit more of them.",
            );
            (new.cost_per_image, new.cost_per_second) = price;
        }
    }
    if new.enabled && before.is_some_and(|model| !model.enabled) && !(harmless && is_free) {
        comparison.note(key("enabled"), "false", "true", "The model may be used.");
        new.enabled = false;
    }
    let body_before = before.and_then(|model| model.extra_body.clone());
    if new.extra_body != body_before && !harmless {
        let show = |body: Option<&serde_json::Map<String, serde_json::Value>>| {
            body.map_or("none".to_owned(), |body| body.keys().cloned().collect::<Vec<_>>().join(", "))
        };
        comparison.note(
            key("extra_body"),
            show(body_before.as_ref()),
            show(new.extra_body.as_ref()),
            "Requests carry other fields, which may change what is billed and what happens to your text.",
        );
        new.extra_body = body_before;
    }
    new
}

/// Whether `new` is a price that admits more under a cap than `old`; an unknown price admits least.
fn seems_cheaper(old: Option<&Price>, new: Option<&Price>) -> bool {
    match (old, new) {
        (_, None) => false,
        (None, Some(_)) => true,
        (Some(old), Some(new)) => new.input_pico_usd < old.input_pico_usd || new.output_pico_usd < old.output_pico_usd,
    }
}
