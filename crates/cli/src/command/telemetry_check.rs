//! `lwa telemetry --check`: whether a document of calls is what it says: whole, attributed, and without texts.

use std::collections::BTreeSet;
use std::path::Path;

use lwa_domain::ErrorCode;
use lwa_protocol::Failure;
use serde_json::{Map, Value, json};

use crate::output::Output;

/// The version that is checked.
const VERSION: u64 = 1;
/// The largest document that is read.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// Fields of every record that are texts and must say something: they tell whose call it was.
const ATTRIBUTION: [&str; 5] = ["call_id", "parent_call_id", "session_id", "tool_name", "phase"];
/// Fields of every record that are texts.
const TEXTS: [&str; 7] = ["created_at", "task", "provider", "model", "billing_class", "status", "usage_status"];
/// Fields of every record that are whole numbers, or null when nobody counted.
const NUMBERS: [&str; 4] = ["input_tokens", "output_tokens", "cost_pico_usd", "latency_ms"];
/// Fields that would carry a text, a key or whatever a provider sent.
const FORBIDDEN: [&str; 12] = [
    "prompt",
    "system_prompt",
    "text",
    "answer",
    "messages",
    "raw_usage",
    "metadata_json",
    "metadata",
    "api_key",
    "key",
    "token",
    "plan_token",
];

/// Checks a document. One that is not valid gives exit code 2.
///
/// # Errors
/// The file cannot be read or is no JSON.
pub fn check(path: &Path, output: Output) -> Result<u8, Failure> {
    let unreadable = |reason: &dyn std::fmt::Display| {
        Failure::new(ErrorCode::InvalidInput, format!("cannot read `{}`: {reason}", path.display()))
    };
    let length = std::fs::metadata(path).map_err(|error| unreadable(&error))?.len();
    if length > MAX_BYTES {
        return Err(unreadable(&format!("it has {length} bytes, and {MAX_BYTES} are the limit")));
    }
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(&error))?;
    let document: Value = serde_json::from_str(&text).map_err(|error| unreadable(&error))?;
    let errors = errors_of(&document);
    let records = document["records"].as_array().map_or(0, Vec::len);
    let report = json!({ "valid": errors.is_empty(), "records": records, "errors": errors });
    output.result(&report, |_| match errors.as_slice() {
        [] => format!("Valid: {records} records."),
        errors => format!("Not valid:\n  {}", errors.join("\n  ")),
    });
    Ok(if errors.is_empty() { 0 } else { ErrorCode::InvalidInput.exit_code() })
}

/// Everything that is wrong with a document; nothing when it is valid.
fn errors_of(document: &Value) -> Vec<String> {
    let mut errors = Vec::new();
    if document["schema_version"] != json!(VERSION) {
        errors.push(format!("`schema_version` is not {VERSION}"));
    }
    if document["redacted"] != json!(true) {
        errors.push("the document is not marked `redacted`".to_owned());
    }
    match document["records"].as_array() {
        None => errors.push("`records` is missing or no list".to_owned()),
        Some(records) => {
            for (place, record) in records.iter().enumerate() {
                match record.as_object() {
                    None => errors.push(format!("record {place} is no object")),
                    Some(record) => errors.extend(of_record(record).map(|error| format!("record {place}: {error}"))),
                }
            }
        }
    }
    errors
}

fn of_record(record: &Map<String, Value>) -> impl Iterator<Item = String> {
    let mut errors: Vec<String> =
        sensitive(record).into_iter().map(|name| format!("sensitive field `{name}`")).collect();
    for name in ATTRIBUTION {
        match record.get(name).and_then(Value::as_str) {
            Some(text) if !text.trim().is_empty() => {}
            Some(_) => errors.push(format!("missing attribution: `{name}` is empty")),
            None => errors.push(format!("missing attribution: `{name}`")),
        }
    }
    for name in TEXTS {
        if !record.get(name).is_some_and(Value::is_string) {
            errors.push(format!("`{name}` is missing or no text"));
        }
    }
    if let Some(status) = record.get("usage_status").and_then(Value::as_str)
        && !matches!(status, "reported" | "not_reported")
    {
        errors.push("`usage_status` is neither `reported` nor `not_reported`".to_owned());
    }
    for name in NUMBERS {
        match record.get(name) {
            None => errors.push(format!("`{name}` is missing")),
            Some(value) if !is_count(name, value) => {
                errors.push(format!("`{name}` is neither a whole number from 0 nor null"));
            }
            Some(_) => {}
        }
    }
    errors.into_iter()
}

/// Amounts that are too large to be exact as a number are written as text.
fn is_count(name: &str, value: &Value) -> bool {
    let is_text = |value: &Value| {
        name == "cost_pico_usd"
            && value.as_str().is_some_and(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
    };
    value.is_null() || value.is_u64() || is_text(value)
}

/// Forbidden names, at any depth.
fn sensitive(record: &Map<String, Value>) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    for (name, value) in record {
        if FORBIDDEN.contains(&name.as_str()) {
            found.insert(name.as_str());
        }
        let within: Vec<&Map<String, Value>> = match value {
            Value::Object(fields) => vec![fields],
            Value::Array(items) => items.iter().filter_map(Value::as_object).collect(),
            _ => Vec::new(),
        };
        found.extend(within.into_iter().flat_map(sensitive));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> Value {
        json!({"schema_version": 1, "redacted": true, "records": [{
            "call_id": "1", "parent_call_id": "p", "session_id": "s", "tool_name": "lwa run", "phase": "primary",
            "created_at": "2026-12-01T00:00:00Z", "task": "query", "provider": "acme", "model": "big-1",
            "billing_class": "paid", "status": "ok", "usage_status": "reported", "input_tokens": 11,
            "output_tokens": null, "cost_pico_usd": "9007199254740993", "latency_ms": 7,
        }]})
    }

    /// The errors of the document after this change of its record.
    fn after(change: impl FnOnce(&mut Map<String, Value>)) -> Vec<String> {
        let mut document = document();
        change(document["records"][0].as_object_mut().unwrap());
        errors_of(&document)
    }

    fn set(name: &str, value: Value) -> Vec<String> {
        after(|record| drop(record.insert(name.to_owned(), value)))
    }

    #[test]
    fn lwa_092_each_fault_is_named() {
        assert_eq!(errors_of(&document()), Vec::<String>::new());
        assert_eq!(set("prompt", json!("x")), ["record 0: sensitive field `prompt`"]);
        assert_eq!(set("extra", json!([{"api_key": "x"}])), ["record 0: sensitive field `api_key`"]);
        for name in ATTRIBUTION {
            assert_eq!(set(name, json!(" ")), [format!("record 0: missing attribution: `{name}` is empty")]);
            assert_eq!(after(|record| drop(record.remove(name))), [format!("record 0: missing attribution: `{name}`")]);
        }
        for name in NUMBERS {
            for wrong in [json!(-1), json!(1.5), json!("x")] {
                assert_eq!(set(name, wrong), [format!("record 0: `{name}` is neither a whole number from 0 nor null")]);
            }
            assert_eq!(after(|record| drop(record.remove(name))), [format!("record 0: `{name}` is missing")]);
        }
        assert_eq!(
            set("usage_status", json!("maybe")),
            ["record 0: `usage_status` is neither `reported` nor `not_reported`"]
        );
        assert_eq!(
            errors_of(&json!({"schema_version": 2, "records": 5})),
            ["`schema_version` is not 1", "the document is not marked `redacted`", "`records` is missing or no list"]
        );
    }
}
