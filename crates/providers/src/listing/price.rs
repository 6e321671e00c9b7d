//! Prices in lists: the shape names the unit, the size of a number never does.

mod tiers;

use lwa_domain::{PicoUsd, PriceTier};
use serde_json::Value;

use super::ListedPrice;
use crate::decimal::{dollars, dollars_per_million};

/// No model costs this much a token; such a figure is in another unit.
const IMPLAUSIBLE: PicoUsd = PicoUsd::new(1_000_000_000);

/// The price of a model, if its list states both halves in dollars and in a known unit.
pub(super) fn read(item: &Value) -> Option<ListedPrice> {
    let price = [per_token, per_million, tiers::read, cents, cloudflare].iter().find_map(|shape| shape(item))?;
    let is_plausible = |input: PicoUsd, output: PicoUsd| input < IMPLAUSIBLE && output < IMPLAUSIBLE;
    let tiers_are = price.tiers.iter().all(|tier| is_plausible(tier.input_pico_usd, tier.output_pico_usd));
    (tiers_are && is_plausible(price.input_pico_usd, price.output_pico_usd)).then_some(price)
}

/// `pricing.prompt` and `pricing.completion`, decimal strings of dollars per token, as OpenRouter writes them.
fn per_token(item: &Value) -> Option<ListedPrice> {
    let pricing = item.get("pricing")?;
    // A fee per request cannot be expressed per token, and leaving it out would understate the price.
    if pricing.get("request").and_then(dollars).is_some_and(|fee| fee > PicoUsd::ZERO) {
        return None;
    }
    let rate = |place: &Value, name: &str| place.get(name).and_then(dollars);
    let mut price = ListedPrice {
        cached_input_pico_usd: rate(pricing, "input_cache_read"),
        cache_write_pico_usd: rate(pricing, "input_cache_write"),
        ..ListedPrice::flat(rate(pricing, "prompt")?, output_rate(pricing)?)
    };
    let overrides: Vec<&Value> = pricing.get("overrides").and_then(Value::as_array).into_iter().flatten().collect();
    // What depends on the hour or on anything else that is not known in advance holds at every hour.
    for entry in overrides.iter().filter(|entry| lower_bound(entry).is_none()) {
        raise(&mut price, entry);
    }
    for entry in overrides {
        let Some(bound) = lower_bound(entry) else { continue };
        let mut tier = PriceTier {
            above_input_tokens: bound.saturating_sub(1),
            input_pico_usd: price.input_pico_usd,
            output_pico_usd: price.output_pico_usd,
            cached_input_pico_usd: price.cached_input_pico_usd,
        };
        // What a later entry does not name, it inherits from the base price; the dearer of two is kept.
        tier.input_pico_usd = rate(entry, "prompt").unwrap_or(tier.input_pico_usd);
        tier.output_pico_usd = output_rate(entry).unwrap_or(tier.output_pico_usd);
        tier.cached_input_pico_usd = rate(entry, "input_cache_read").or(tier.cached_input_pico_usd);
        tiers::add(&mut price.tiers, tier);
    }
    Some(price)
}

/// What is written, reasoning included: nobody knows in advance how much of it will be reasoning.
fn output_rate(place: &Value) -> Option<PicoUsd> {
    let rate = |name: &str| place.get(name).and_then(dollars);
    rate("completion").map(|written| written.max(rate("internal_reasoning").unwrap_or(PicoUsd::ZERO)))
}

/// The prompt from which an override holds, if that is its only condition.
fn lower_bound(entry: &Value) -> Option<u64> {
    let has_clock = ["utc_start", "utc_end", "days"].iter().any(|name| entry.get(name).is_some_and(|v| !v.is_null()));
    let bound = ["min_prompt_tokens", "min_context"].iter().find_map(|name| entry.get(name)?.as_u64());
    bound.filter(|_| !has_clock)
}

fn raise(price: &mut ListedPrice, entry: &Value) {
    let rate = |name: &str| entry.get(name).and_then(dollars).unwrap_or(PicoUsd::ZERO);
    price.input_pico_usd = price.input_pico_usd.max(rate("prompt"));
    price.output_pico_usd = price.output_pico_usd.max(output_rate(entry).unwrap_or(PicoUsd::ZERO));
    price.cached_input_pico_usd = price.cached_input_pico_usd.map(|known| known.max(rate("input_cache_read")));
    price.cache_write_pico_usd = price.cache_write_pico_usd.map(|known| known.max(rate("input_cache_write")));
}

/// Dollars per million tokens under names that say so: Venice's `model_spec.pricing.input.usd`, and
/// `input_cost_per_million`.
fn per_million(item: &Value) -> Option<ListedPrice> {
    let names = [
        ("/model_spec/pricing/input/usd", "/model_spec/pricing/output/usd", "/model_spec/pricing/cache_input/usd"),
        ("/input_cost_per_million", "/output_cost_per_million", "/cached_input_cost_per_million"),
    ];
    names.iter().find_map(|(input, output, cached)| {
        let rate = |path: &str| item.pointer(path).and_then(dollars_per_million);
        Some(ListedPrice { cached_input_pico_usd: rate(cached), ..ListedPrice::flat(rate(input)?, rate(output)?) })
    })
}

/// `costs` in cents for so many tokens, with the names of the two counts beside it, as Puter writes them.
fn cents(item: &Value) -> Option<ListedPrice> {
    if item.get("costs_currency").and_then(Value::as_str) != Some("usd-cents") {
        return None;
    }
    let costs = item.get("costs")?;
    let tokens = costs.get("tokens").and_then(Value::as_i64).filter(|tokens| *tokens > 0)?;
    let divisor = tokens.checked_mul(100)?;
    let rate = |name: &str| {
        let whole = costs.get(name).and_then(dollars)?.get();
        Some(PicoUsd::new(whole / divisor + i64::from(whole % divisor != 0)))
    };
    let named = |key: &str, usual: &[&str]| match item.get(key).and_then(Value::as_str) {
        Some(name) => rate(name),
        None => usual.iter().find_map(|name| rate(name)),
    };
    Some(ListedPrice {
        // A zero stands there for every model without a price for cached tokens.
        cached_input_pico_usd: ["cached_tokens", "input_cache_read"]
            .iter()
            .find_map(|name| rate(name))
            .filter(|price| *price > PicoUsd::ZERO),
        ..ListedPrice::flat(
            named("input_cost_key", &["prompt_tokens", "input_tokens", "input"])?,
            named("output_cost_key", &["completion_tokens", "output_tokens", "output"])?,
        )
    })
}

/// `properties[]` with a `price` of `{unit, price, currency}` each, as Cloudflare's search of models has them.
fn cloudflare(item: &Value) -> Option<ListedPrice> {
    let properties = item.get("properties")?.as_array()?;
    let prices = properties.iter().find(|property| property["property_id"] == "price")?.get("value")?.as_array()?;
    let rate = |unit: &str| {
        let price = prices.iter().find(|price| price["unit"] == unit && price["currency"] == "USD")?;
        dollars_per_million(price.get("price")?)
    };
    Some(ListedPrice {
        cached_input_pico_usd: rate("per M cached input tokens"),
        ..ListedPrice::flat(rate("per M input tokens")?, rate("per M output tokens")?)
    })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::per_token(json!({"pricing": {"prompt": "0.00000015", "completion": "0.0000006"}}), Some((150_000, 600_000)))]
    #[case::zero(json!({"pricing": {"prompt": "0", "completion": "0"}}), Some((0, 0)))]
    #[case::absent(json!({"id": "m"}), None)]
    #[case::one_half_missing(json!({"pricing": {"prompt": "0"}}), None)]
    #[case::variable(json!({"pricing": {"prompt": "-1", "completion": "-1"}}), None)]
    #[case::request_fee(json!({"pricing": {"prompt": "0", "completion": "0", "request": "0.01"}}), None)]
    #[case::request_without_fee(json!({"pricing": {"prompt": "0.1e-6", "completion": "0", "request": "0"}}), Some((100_000, 0)))]
    #[case::dear_reasoning(
        json!({"pricing": {"prompt": "0.000001", "completion": "0.000002", "internal_reasoning": "0.000003"}}),
        Some((1_000_000, 3_000_000))
    )]
    #[case::dearest_hour(
        json!({"pricing": {"prompt": "0.000001", "completion": "0.000002",
            "overrides": [{"utc_start": "22:00", "utc_end": "06:00", "prompt": "0.000004"}]}}),
        Some((4_000_000, 2_000_000))
    )]
    #[case::millions_by_name(json!({"model_spec": {"pricing": {"input": {"usd": 0.005}, "output": {"usd": 0.9}}}}), Some((5_000, 900_000)))]
    #[case::cents(
        json!({"costs_currency": "usd-cents", "input_cost_key": "prompt_tokens", "output_cost_key": "completion_tokens",
            "costs": {"tokens": 1_000_000, "prompt_tokens": 56, "completion_tokens": 168.5, "cached_tokens": 0}}),
        Some((560_000, 1_685_000))
    )]
    #[case::credits(
        json!({"costs_currency": "credits", "costs": {"tokens": 1_000_000, "prompt_tokens": 56, "completion_tokens": 168}}),
        None
    )]
    #[case::cents_for_no_tokens(
        json!({"costs_currency": "usd-cents", "costs": {"tokens": 0, "prompt_tokens": 56, "completion_tokens": 168}}),
        None
    )]
    #[case::cloudflare(
        json!({"properties": [{"property_id": "price", "value": [
            {"unit": "per M input tokens", "price": 0.293, "currency": "USD"},
            {"unit": "per M output tokens", "price": 2.253, "currency": "USD"}]}]}),
        Some((293_000, 2_253_000))
    )]
    #[case::other_currency(
        json!({"pricings": {
            "prompt": [{"value": 2, "unit": "perMTokens", "currency": "CNY"}],
            "completion": [{"value": 12, "unit": "perMTokens", "currency": "CNY"}]}}),
        None
    )]
    #[case::pollen(json!({"pricing": {"promptTextTokens": 0.1, "completionTextTokens": 0.2, "currency": "pollen"}}), None)]
    #[case::unit_unknown(json!({"pricing": {"input": 0.2, "output": 0.6}}), None)]
    #[case::dollars_per_million_where_tokens_are_meant(json!({"pricing": {"prompt": "3", "completion": "15"}}), None)]
    fn a_01_a_price_has_a_known_unit_or_is_unknown(#[case] item: Value, #[case] expected: Option<(i64, i64)>) {
        let found = read(&item).map(|price| (price.input_pico_usd.get(), price.output_pico_usd.get()));
        assert_eq!(found, expected);
    }

    #[test]
    fn rr_12_an_override_for_long_prompts_is_a_tier_that_begins_at_its_bound() {
        let item = json!({"pricing": {
            "prompt": "0.000001", "completion": "0.000002", "input_cache_read": "0.0000001",
            "overrides": [{"min_prompt_tokens": 200_000, "prompt": "0.000004"}]}});
        let price = read(&item).unwrap();
        let pico = PicoUsd::new;
        let tier = PriceTier {
            above_input_tokens: 199_999,
            input_pico_usd: pico(4_000_000),
            output_pico_usd: pico(2_000_000),
            cached_input_pico_usd: Some(pico(100_000)),
        };
        assert_eq!(price.tiers, [tier]);
        let price = price.to_price("2026-11-29");
        assert_eq!(price.worst_case(100_000, 1_000), pico(102_000_000_000));
        // The estimate and the longest answer together reach the bound.
        assert_eq!(price.worst_case(199_500, 1_000), pico(800_000_000_000));
    }
}
