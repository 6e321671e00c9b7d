//! `pricings.prompt[]` and `pricings.completion[]` with a value, a unit, a currency and conditions each, as one relay
//! writes them.

use lwa_domain::{PicoUsd, PriceTier};
use serde_json::Value;

use super::ListedPrice;
use crate::decimal::{dollars, dollars_per_million};

/// Rates by the prompt from which they hold.
struct Steps(Vec<(u64, PicoUsd)>);

pub(super) fn read(item: &Value) -> Option<ListedPrice> {
    let pricings = item.get("pricings")?;
    let input = steps(pricings.get("prompt")?)?;
    let output = steps(pricings.get("completion")?)?;
    let cached = pricings.get("input_cache_read").and_then(steps);
    let written = ["input_cache_write_1_h", "input_cache_write_5_min", "input_cache_write"];
    let mut bounds: Vec<u64> =
        input.0.iter().chain(&output.0).chain(cached.iter().flat_map(|steps| &steps.0)).map(|step| step.0).collect();
    bounds.sort_unstable();
    bounds.dedup();
    let mut price = ListedPrice {
        cached_input_pico_usd: cached.as_ref().map(|cached| cached.at(0)),
        cache_write_pico_usd: written
            .iter()
            .filter_map(|name| pricings.get(name))
            .filter_map(steps)
            .map(|steps| steps.dearest())
            .max(),
        ..ListedPrice::flat(input.at(0), output.at(0))
    };
    for bound in bounds.into_iter().filter(|bound| *bound > 0) {
        let tier = PriceTier {
            above_input_tokens: bound - 1,
            input_pico_usd: input.at(bound),
            output_pico_usd: output.at(bound),
            cached_input_pico_usd: cached.as_ref().map(|cached| cached.at(bound)),
        };
        add(&mut price.tiers, tier);
    }
    Some(price)
}

/// Adds a tier in the order of the bounds; of two with the same bound the dearer rates are kept.
pub(super) fn add(tiers: &mut Vec<PriceTier>, tier: PriceTier) {
    match tiers.binary_search_by_key(&tier.above_input_tokens, |known| known.above_input_tokens) {
        Ok(index) => {
            if let Some(known) = tiers.get_mut(index) {
                known.input_pico_usd = known.input_pico_usd.max(tier.input_pico_usd);
                known.output_pico_usd = known.output_pico_usd.max(tier.output_pico_usd);
                // Without a price of its own, what comes from a cache costs as much as any input, which is dearer.
                known.cached_input_pico_usd =
                    known.cached_input_pico_usd.zip(tier.cached_input_pico_usd).map(|(one, other)| one.max(other));
            }
        }
        Err(index) => tiers.insert(index, tier),
    }
}

impl Steps {
    /// The rate at a prompt of this many tokens; the dearest one where none holds.
    fn at(&self, tokens: u64) -> PicoUsd {
        let highest = self.0.iter().filter(|(bound, _)| *bound <= tokens).map(|(bound, _)| *bound).max();
        let rates = self.0.iter().filter(|(bound, _)| Some(*bound) == highest).map(|(_, rate)| *rate);
        rates.max().unwrap_or_else(|| self.dearest())
    }

    fn dearest(&self) -> PicoUsd {
        self.0.iter().map(|(_, rate)| *rate).max().unwrap_or(PicoUsd::ZERO)
    }
}

/// The steps; if one of them has a condition that is not a size of the prompt, the dearest rate from the first token
/// on; nothing if one of them cannot be read.
fn steps(list: &Value) -> Option<Steps> {
    let list = list.as_array().filter(|list| !list.is_empty())?;
    let rates = list.iter().map(rate).collect::<Option<Vec<_>>>()?;
    let bounds: Option<Vec<u64>> = list.iter().map(bound).collect();
    match bounds {
        Some(bounds) => Some(Steps(bounds.into_iter().zip(rates).collect())),
        None => rates.into_iter().max().map(|dearest| Steps(vec![(0, dearest)])),
    }
}

/// The prompt from which an entry holds.
fn bound(entry: &Value) -> Option<u64> {
    let Some(conditions) = entry.get("conditions").filter(|conditions| !conditions.is_null()) else { return Some(0) };
    let conditions = conditions.as_object()?;
    if conditions.is_empty() {
        return Some(0);
    }
    if conditions.len() > 1 {
        return None;
    }
    let size = conditions.get("prompt_tokens")?;
    let factor = match size.get("unit").and_then(Value::as_str) {
        Some("kTokens") => 1000,
        Some("tokens") | None => 1,
        Some(_) => return None,
    };
    let number = |name: &str| size.get(name).and_then(Value::as_u64);
    match (number("gte"), number("gt")) {
        (Some(bound), _) => bound.checked_mul(factor),
        (None, Some(bound)) => bound.checked_mul(factor)?.checked_add(1),
        (None, None) => Some(0),
    }
}

fn rate(entry: &Value) -> Option<PicoUsd> {
    let currency = entry.get("currency").and_then(Value::as_str)?;
    if !currency.eq_ignore_ascii_case("usd") {
        return None;
    }
    let value = entry.get("value")?;
    match entry.get("unit").and_then(Value::as_str)?.to_lowercase().as_str() {
        "permtokens" | "per_m_tokens" | "permilliontokens" | "per_million_tokens" => dollars_per_million(value),
        "pertoken" | "per_token" => dollars(value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn dollars_of(value: u32, conditions: &Value) -> Value {
        json!({"value": value, "unit": "perMTokens", "currency": "USD", "conditions": conditions})
    }

    #[test]
    fn rr_12_conditions_on_the_size_of_the_prompt_become_tiers() {
        let item = json!({"pricings": {
            "prompt": [
                dollars_of(2, &json!({"prompt_tokens": {"unit": "kTokens", "lt": 200}})),
                dollars_of(4, &json!({"prompt_tokens": {"unit": "kTokens", "gte": 200}}))],
            "completion": [dollars_of(12, &Value::Null)]}});
        let price = read(&item).unwrap();
        let pico = PicoUsd::new;
        assert_eq!((price.input_pico_usd, price.output_pico_usd), (pico(2_000_000), pico(12_000_000)));
        let tier = PriceTier {
            above_input_tokens: 199_999,
            input_pico_usd: pico(4_000_000),
            output_pico_usd: pico(12_000_000),
            cached_input_pico_usd: None,
        };
        assert_eq!(price.tiers, [tier]);
    }

    #[test]
    fn a_condition_that_nobody_can_know_in_advance_makes_the_dearest_rate_hold() {
        let item = json!({"pricings": {
            "prompt": [dollars_of(2, &json!({"hour": {"lt": 8}})), dollars_of(3, &Value::Null)],
            "completion": [dollars_of(9, &Value::Null)]}});
        assert_eq!(read(&item), Some(ListedPrice::flat(PicoUsd::new(3_000_000), PicoUsd::new(9_000_000))));
    }

    #[test]
    fn a_rate_that_cannot_be_read_makes_the_price_unknown() {
        let item = json!({"pricings": {
            "prompt": [dollars_of(2, &Value::Null), json!({"value": 1, "unit": "perHour", "currency": "USD"})],
            "completion": [dollars_of(9, &Value::Null)]}});
        assert_eq!(read(&item), None);
    }
}
