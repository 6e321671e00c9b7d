//! The shape of a JSON document without anything that it says.

use std::collections::BTreeSet;

use serde_json::Value;

/// The most paths, items of a list and levels that are looked at.
const PATH_LIMIT: usize = 200;
const ITEM_LIMIT: usize = 100;
const DEPTH_LIMIT: usize = 8;

/// Paths with the type that stands there.
pub(super) fn of(document: &Value) -> Vec<String> {
    let mut paths = BTreeSet::new();
    walk(document, "", 0, &mut paths);
    paths.into_iter().take(PATH_LIMIT).collect()
}

/// How many items the longest list at the top has.
pub(super) fn items(document: &Value) -> Option<usize> {
    match document {
        Value::Array(items) => Some(items.len()),
        Value::Object(fields) => fields.values().filter_map(Value::as_array).map(Vec::len).max(),
        _ => None,
    }
}

fn walk(value: &Value, place: &str, depth: usize, paths: &mut BTreeSet<String>) {
    if paths.len() > PATH_LIMIT * 2 || depth > DEPTH_LIMIT {
        return;
    }
    let kind = match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let dot = if place.is_empty() { "" } else { "." };
                walk(value, &format!("{place}{dot}{}", field(name)), depth + 1, paths);
            }
            return;
        }
        Value::Array(items) => {
            for item in items.iter().take(ITEM_LIMIT) {
                walk(item, &format!("{place}[]"), depth + 1, paths);
            }
            if !items.is_empty() {
                return;
            }
            "list"
        }
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
    };
    paths.insert(format!("{place}: {kind}"));
}

/// A field's name, unless it looks like a value that somebody uses as a name.
fn field(name: &str) -> &str {
    let is_name = name.len() <= 40
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-' | b'1'..=b'9'));
    if is_name { name } else { "*" }
}
