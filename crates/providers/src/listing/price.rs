//! Prices in lists: the shape names the unit, the size of a number never does.

use lwa_domain::PicoUsd;
use serde_json::Value;

use super::ListedPrice;
use crate::decimal::{dollars, dollars_per_million};

/// No model costs this much a token; such a figure is in another unit.
const IMPLAUSIBLE: PicoUsd = PicoUsd::new(1_000_000_000);

/// The price of a model, if its list states both halves in dollars and in a known unit.
pub(super) fn read(item: &Value) -> Option<ListedPrice> {
    let price = [per_token, per_million, tiers].iter().find_map(|shape| shape(item))?;
    (price.input_pico_usd < IMPLAUSIBLE && price.output_pico_usd < IMPLAUSIBLE).then_some(price)
}

/// `pricing.prompt` and `pricing.completion`, decimal strings of dollars per token, as OpenRouter writes them.
fn per_token(item: &Value) -> Option<ListedPrice> {
    let pricing = item.get("pricing")?;
    let half = |place: &Value, name: &str| place.get(name).and_then(dollars);
    // A fee per request cannot be expressed per token, and leaving it out would understate the price.
    if pricing.get("request").and_then(dollars).is_some_and(|fee| fee > PicoUsd::ZERO) {
        return None;
    }
    let mut price =
        ListedPrice { input_pico_usd: half(pricing, "prompt")?, output_pico_usd: half(pricing, "completion")? };
    // Larger prompts or certain hours cost more; what is reserved must cover them.
    for tier in pricing.get("overrides").and_then(Value::as_array).into_iter().flatten() {
        let dearer = |known: PicoUsd, name: &str| half(tier, name).map_or(known, |other| known.max(other));
        price.input_pico_usd = dearer(price.input_pico_usd, "prompt");
        price.output_pico_usd = dearer(price.output_pico_usd, "completion");
    }
    Some(price)
}

/// Dollars per million tokens under names that say so: Venice's `model_spec.pricing.input.usd`, and
/// `input_cost_per_million`.
fn per_million(item: &Value) -> Option<ListedPrice> {
    let pairs = [
        ("/model_spec/pricing/input/usd", "/model_spec/pricing/output/usd"),
        ("/input_cost_per_million", "/output_cost_per_million"),
    ];
    pairs.iter().find_map(|(input, output)| {
        Some(ListedPrice {
            input_pico_usd: dollars_per_million(item.pointer(input)?)?,
            output_pico_usd: dollars_per_million(item.pointer(output)?)?,
        })
    })
}

/// `pricings.prompt[]` and `pricings.completion[]` with a value, a unit and a currency each, as one relay writes them.
fn tiers(item: &Value) -> Option<ListedPrice> {
    let pricings = item.get("pricings")?;
    Some(ListedPrice {
        input_pico_usd: dearest(pricings.get("prompt")?)?,
        output_pico_usd: dearest(pricings.get("completion")?)?,
    })
}

/// The dearest of the tiers, since a prompt may reach any of them; unknown if one of them cannot be read.
fn dearest(tiers: &Value) -> Option<PicoUsd> {
    let tiers = tiers.as_array().filter(|tiers| !tiers.is_empty())?;
    tiers.iter().map(tier).collect::<Option<Vec<_>>>()?.into_iter().max()
}

fn tier(tier: &Value) -> Option<PicoUsd> {
    let currency = tier.get("currency").and_then(Value::as_str)?;
    if !currency.eq_ignore_ascii_case("usd") {
        return None;
    }
    let value = tier.get("value")?;
    match tier.get("unit").and_then(Value::as_str)?.to_lowercase().as_str() {
        "permtokens" | "per_m_tokens" | "permilliontokens" | "per_million_tokens" => dollars_per_million(value),
        "pertoken" | "per_token" => dollars(value),
        _ => None,
    }
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
    #[case::override_is_dearer(
        json!({"pricing": {"prompt": "0.000001", "completion": "0.000002", "overrides": [{"min_context": 200_000, "prompt": "0.000004"}]}}),
        Some((4_000_000, 2_000_000))
    )]
    #[case::millions_by_name(json!({"model_spec": {"pricing": {"input": {"usd": 0.005}, "output": {"usd": 0.9}}}}), Some((5_000, 900_000)))]
    #[case::tiers(
        json!({"pricings": {
            "prompt": [{"value": 2, "unit": "perMTokens", "currency": "USD"}, {"value": 4, "unit": "perMTokens", "currency": "USD"}],
            "completion": [{"value": 12, "unit": "perMTokens", "currency": "USD"}]}}),
        Some((4_000_000, 12_000_000))
    )]
    #[case::other_currency(
        json!({"pricings": {
            "prompt": [{"value": 2, "unit": "perMTokens", "currency": "CNY"}],
            "completion": [{"value": 12, "unit": "perMTokens", "currency": "CNY"}]}}),
        None
    )]
    #[case::unit_unknown(json!({"pricing": {"input": 0.2, "output": 0.6}}), None)]
    #[case::dollars_per_million_where_tokens_are_meant(json!({"pricing": {"prompt": "3", "completion": "15"}}), None)]
    fn a_01_a_price_has_a_known_unit_or_is_unknown(#[case] item: Value, #[case] expected: Option<(i64, i64)>) {
        let expected = expected.map(|(input, output)| ListedPrice {
            input_pico_usd: PicoUsd::new(input),
            output_pico_usd: PicoUsd::new(output),
        });
        assert_eq!(read(&item), expected);
    }
}
