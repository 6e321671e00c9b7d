//! Amounts as JSON numbers, for readers that calculate with them.

use serde_json::Value;

/// The first whole number that a double cannot tell from its neighbour.
const EXACT_LIMIT: u64 = 1 << 53;

/// The same JSON with every `…_pico_usd` decimal string that is exact as a number turned into one.
///
/// On our own wire amounts are strings, because a web view reads numbers as doubles. The command line and the MCP tools
/// promise numbers; an amount that is too large to be exact stays a string.
pub fn numeric_money(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .map(|(name, field)| {
                let field = if name.ends_with("_pico_usd") { as_number(field) } else { numeric_money(field) };
                (name, field)
            })
            .collect(),
        Value::Array(items) => items.into_iter().map(numeric_money).collect(),
        other => other,
    }
}

fn as_number(value: Value) -> Value {
    let number = value.as_str().and_then(|text| text.parse::<u64>().ok()).filter(|number| *number < EXACT_LIMIT);
    number.map_or(value, Value::from)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn amounts_become_numbers_wherever_they_are() {
        let wire =
            json!({"cost_pico_usd": "12", "routes": [{"max_cost_pico_usd": "0", "model": "7"}], "a_pico_usd": null});
        let shown =
            json!({"cost_pico_usd": 12, "routes": [{"max_cost_pico_usd": 0, "model": "7"}], "a_pico_usd": null});
        assert_eq!(numeric_money(wire), shown);
    }

    #[test]
    fn an_amount_that_is_not_exact_as_a_number_stays_text() {
        let large = json!({"cost_pico_usd": "9007199254740992"});
        assert_eq!(numeric_money(large.clone()), large);
        assert_eq!(
            numeric_money(json!({"cost_pico_usd": "9007199254740991"})),
            json!({"cost_pico_usd": 9_007_199_254_740_991_u64})
        );
    }
}
