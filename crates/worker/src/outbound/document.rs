//! Documents: status, reports and other results with fields.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{Exit, Outbound};

/// A document that may leave.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct OutboundJson {
    value: Value,
}

impl OutboundJson {
    /// The document.
    pub fn as_value(&self) -> &Value {
        &self.value
    }

    /// The document, on its way.
    pub fn into_value(self) -> Value {
        self.value
    }
}

/// Scrubs every string, then the written document, in which a label and its value may stand in two fields.
pub(super) fn scrub(exit: &mut Exit<'_>, value: &Value) -> OutboundJson {
    let by_strings = strings(exit, value);
    let written = by_strings.to_string();
    let whole = exit.text(&written, None);
    if whole.as_str() == written {
        return OutboundJson { value: by_strings };
    }
    // A value across fields may take a sign of the document with it; then none of the document leaves.
    let value = match serde_json::from_str(whole.as_str()) {
        Ok(value) if !whole.is_refusal() => value,
        _ => held_back(),
    };
    OutboundJson { value }
}

fn strings(exit: &mut Exit<'_>, value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(exit.text(text, None).into_text()),
        Value::Array(items) => Value::Array(items.iter().map(|item| strings(exit, item)).collect()),
        Value::Object(fields) => {
            let mut scrubbed = Map::new();
            for (name, field) in fields {
                scrubbed.insert(exit.text(name, None).into_text(), strings(exit, field));
            }
            Value::Object(scrubbed)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn held_back() -> Value {
    let text = Outbound::refusal(lwa_privacy::ScrubError::NotClean).into_text();
    Value::Object(Map::from_iter([("error".to_owned(), Value::String(text))]))
}
