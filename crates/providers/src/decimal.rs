//! Dollars from the decimal text that providers write, without a detour through binary fractions.

use lwa_domain::PicoUsd;
use serde_json::Value;

/// Ten to the power of this many pico-dollars make one dollar.
const PICO_DIGITS: i64 = 12;

/// An amount from a JSON number or a numeric string, rounded up to the next pico-dollar.
///
/// `None` for anything else, for negative amounts and for amounts beyond nine million dollars.
pub(crate) fn dollars(value: &Value) -> Option<PicoUsd> {
    match value {
        // The shortest text that reads back as the same number, which is what the provider wrote.
        Value::Number(number) => scaled(&number.to_string(), PICO_DIGITS),
        Value::String(text) => scaled(text.trim(), PICO_DIGITS),
        _ => None,
    }
}

/// A price per million tokens as a price per token, rounded up.
pub(crate) fn dollars_per_million(value: &Value) -> Option<PicoUsd> {
    match value {
        Value::Number(number) => scaled(&number.to_string(), PICO_DIGITS - 6),
        Value::String(text) => scaled(text.trim(), PICO_DIGITS - 6),
        _ => None,
    }
}

/// `text` times ten to the power of `shift`, rounded up.
pub(crate) fn scaled(text: &str, shift: i64) -> Option<PicoUsd> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (text, 0),
    };
    if !(-400..=400).contains(&exponent) || text.len() > 60 {
        return None;
    }
    let mantissa = mantissa.strip_prefix('+').unwrap_or(mantissa);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() || !(whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit())) {
        return None;
    }
    let digits = format!("{whole}{fraction}");
    let point = i64::try_from(whole.len()).ok()? + exponent + shift;
    let mut amount: i64 = 0;
    let mut has_rest = false;
    for (index, digit) in digits.bytes().enumerate() {
        if i64::try_from(index).ok()? < point {
            amount = amount.checked_mul(10)?.checked_add(i64::from(digit - b'0'))?;
        } else {
            has_rest |= digit != b'0';
        }
    }
    let missing = u32::try_from((point - i64::try_from(digits.len()).ok()?).max(0)).ok()?;
    if amount != 0 {
        amount = amount.checked_mul(10_i64.checked_pow(missing)?)?;
    }
    Some(PicoUsd::new(amount.checked_add(i64::from(has_rest))?))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case(json!("0.00000015"), Some(150_000))]
    #[case(json!(0.000_123), Some(123_000_000))]
    #[case(json!(1.5e-7), Some(150_000))]
    #[case(json!("1E-13"), Some(1))]
    #[case(json!(0), Some(0))]
    #[case(json!("0"), Some(0))]
    #[case(json!(0.0), Some(0))]
    #[case(json!(2), Some(2_000_000_000_000))]
    #[case(json!("-1"), None)]
    #[case(json!(-0.1), None)]
    #[case(json!(""), None)]
    #[case(json!("."), None)]
    #[case(json!("NaN"), None)]
    #[case(json!("1e400"), None)]
    #[case(json!("99999999999"), None)]
    #[case(json!(null), None)]
    #[case(json!({"usd": 1}), None)]
    fn amounts_are_exact_or_absent(#[case] value: Value, #[case] pico: Option<i64>) {
        assert_eq!(dollars(&value), pico.map(PicoUsd::new));
    }

    #[test]
    fn prices_per_million_become_prices_per_token() {
        assert_eq!(dollars_per_million(&json!(0.15)), Some(PicoUsd::new(150_000)));
        // Below a hundredth of a dollar a million, which a guess by size would take for a price per token.
        assert_eq!(dollars_per_million(&json!("0.005")), Some(PicoUsd::new(5_000)));
    }
}
