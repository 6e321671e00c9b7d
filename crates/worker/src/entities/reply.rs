//! Reading a list of private values; whether it was whole is part of what is read.

use serde_json::Value;

use super::NamedValue;

/// The kinds that a model may name.
pub(super) const KINDS: [&str; 9] = ["PERSON", "ADDRESS", "PHONE", "EMAIL", "ACCOUNT", "DOB", "ID", "SECRET", "PII"];

/// What an answer holds.
pub(super) struct List {
    pub(super) values: Vec<NamedValue>,
    /// Whether it is one array that holds objects of the right form and nothing else.
    pub(super) is_whole: bool,
}

/// Reads from the first opening to the last closing bracket.
///
/// An answer that is broken keeps what can be read of it, and is not whole.
pub(super) fn values(answer: &str) -> List {
    let whole = bracketed(answer).and_then(|text| serde_json::from_str::<Vec<Value>>(text).ok());
    match whole {
        Some(items) => {
            let values: Vec<NamedValue> = items.iter().filter_map(named).collect();
            let is_whole = values.len() == items.len();
            List { values, is_whole }
        }
        None => List { values: salvaged(answer), is_whole: false },
    }
}

fn bracketed(answer: &str) -> Option<&str> {
    answer.get(answer.find('[')?..=answer.rfind(']')?)
}

fn named(item: &Value) -> Option<NamedValue> {
    let text = |key: &str| item.get(key).and_then(Value::as_str).map(str::to_owned);
    Some(NamedValue { kind: text("kind")?, value: text("value")? })
}

/// The complete objects at the beginning of a list that was cut.
fn salvaged(answer: &str) -> Vec<NamedValue> {
    let Some(start) = answer.find('[') else { return Vec::new() };
    let mut values = Vec::new();
    let mut rest = answer.get(start + 1..).unwrap_or_default();
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        let mut objects = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        let Some(Ok(item)) = objects.next() else { return values };
        let read = objects.byte_offset();
        values.extend(named(&item));
        rest = rest.get(read..).unwrap_or_default();
    }
}
