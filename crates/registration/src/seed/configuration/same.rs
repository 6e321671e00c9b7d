//! Whether two values mean the same.

use serde_json::Value;

/// Whether a value that holds and one that was written mean the same.
///
/// Whole numbers and numbers with a point are compared by value; nothing, an empty table, an empty list and
/// a cap of 0 mean the same.
pub(super) fn is_same(held: &Value, written: &Value) -> bool {
    match (held, written) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, value)| b.get(key).is_some_and(|other| is_same(value, other)))
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b)),
        _ if is_nothing(held) && is_nothing(written) => true,
        _ => held == written,
    }
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::Array(values) => values.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}
