//! The snapshot of the package `model-prices`: dated prices of providers that sell their own models.

use anyhow::{Context, Result};
use serde_json::Value;

use super::decimal::per_million;
use super::offer::{Offers, Rates, Source, StatedPrice, Tier};
use super::providers::{PROVIDERS, may_cost_nothing};

/// Adds the latest standard price of each model that is known already.
pub(super) fn add(offers: &mut Offers, snapshot: &Value) -> Result<()> {
    let day = snapshot["updated_at"].as_str().and_then(|day| day.get(..10));
    let as_of = day.context("the snapshot of model-prices has no day")?.to_owned();
    let source = Source { letter: 'p', name: "model-prices", as_of };
    for names in PROVIDERS {
        let Some(models) = names.model_prices.and_then(|theirs| snapshot["prices"][theirs].as_object()) else {
            continue;
        };
        for (id, price) in models {
            let Some(offer) = offers.get_mut(names.ours).and_then(|models| models.get_mut(id)) else { continue };
            let latest = price["standard"].as_array().and_then(|entries| entries.last()).map(|entry| &entry["rates"]);
            let Some(price) = latest.and_then(|rates| stated(rates, &source)) else { continue };
            if (price.rates.input, price.rates.output) != (0, 0) || may_cost_nothing(names.ours, id) {
                offer.prices.push(price);
            }
        }
    }
    Ok(())
}

fn stated(entry: &Value, source: &Source) -> Option<StatedPrice> {
    let tiers = entry["tiers"].as_array().map(Vec::as_slice).unwrap_or_default();
    Some(StatedPrice {
        source: source.clone(),
        rates: rates(entry)?,
        tiers: tiers
            .iter()
            .map(|tier| Some(Tier { above: tier["above"].as_u64()?, rates: rates(tier)? }))
            .collect::<Option<_>>()?,
    })
}

fn rates(entry: &Value) -> Option<Rates> {
    let rate = |name: &str| entry[name].as_f64().and_then(per_million);
    Some(Rates {
        input: rate("input")?,
        output: rate("output")?,
        cache_read: rate("cache_read"),
        cache_write: rate("cache_write"),
    })
}
