//! A model's own names for its inputs, filled with what was asked for.

use serde_json::{Map, Value, json};

use crate::error::ProviderError;
use crate::media::MediaCall;
use crate::media::exchange::misconfigured;
use crate::media::request::{MediaKind, MediaRequest};

/// Inputs that bound the length of text; a plan's own bound is never exceeded by them.
const TOKEN_BOUNDS: [&str; 4] = ["max_tokens", "max_new_tokens", "max_output_tokens", "max_completion_tokens"];

pub(super) fn fill(call: &MediaCall<'_>, request: &MediaRequest) -> Result<Map<String, Value>, ProviderError> {
    let mut usual = Map::new();
    usual.insert("prompt".to_owned(), json!("$PROMPT"));
    let mapping = if request.input_mapping.is_empty() { &usual } else { &request.input_mapping };
    let names_system = mapping.values().any(|value| mentions(value, "$SYSTEM"));
    if !mapping.values().any(|value| mentions(value, "$PROMPT")) {
        return Err(misconfigured(call, "`input_mapping` does not say with `$PROMPT` where the prompt belongs"));
    }
    let places = places(request, names_system);
    let mut input: Map<String, Value> =
        mapping.iter().map(|(name, value)| (name.clone(), filled(value, &places))).collect();
    if let Some(most) = request.max_output_tokens {
        for name in TOKEN_BOUNDS {
            if let Some(bound) = input.get_mut(name) {
                *bound = bound.as_u64().map_or(u64::from(most), |bound| bound.min(u64::from(most))).into();
            }
        }
    }
    Ok(input)
}

fn places(request: &MediaRequest, names_system: bool) -> Vec<(&'static str, Value)> {
    let options = &request.options;
    let system = request.system.clone().unwrap_or_default();
    let prompt = if request.kind == MediaKind::Text && !names_system && !system.is_empty() {
        // A model without a place for it still has to be told.
        format!("{system}\n\n{}", request.prompt)
    } else {
        request.prompt.clone()
    };
    vec![
        ("$PROMPT", json!(prompt)),
        ("$SYSTEM", json!(system)),
        ("$ASPECT_RATIO", json!(options.aspect_ratio.to_string())),
        ("$OUTPUT_FORMAT", json!(options.output_format.as_str())),
        ("$SECONDS", json!(options.seconds)),
        ("$SIZE", json!(options.size.to_string())),
        ("$MAX_TOKENS", json!(request.max_output_tokens.unwrap_or(1024))),
    ]
}

fn mentions(value: &Value, place: &str) -> bool {
    match value {
        Value::String(text) => text.contains(place),
        Value::Array(items) => items.iter().any(|item| mentions(item, place)),
        Value::Object(fields) => fields.values().any(|field| mentions(field, place)),
        _ => false,
    }
}

fn filled(value: &Value, places: &[(&'static str, Value)]) -> Value {
    match value {
        Value::String(text) => match places.iter().find(|(place, _)| text == place) {
            // Alone it keeps its type, so that a number stays one.
            Some((_, value)) => value.clone(),
            None => Value::String(filled_text(text, places)),
        },
        Value::Array(items) => items.iter().map(|item| filled(item, places)).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, field)| (name.clone(), filled(field, places))).collect())
        }
        other => other.clone(),
    }
}

/// One pass from left to right: what a prompt contains is never taken for a place.
fn filled_text(text: &str, places: &[(&'static str, Value)]) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, after) = rest.split_at(at);
        result.push_str(before);
        let found = places.iter().filter(|(place, _)| after.starts_with(place)).max_by_key(|(place, _)| place.len());
        rest = if let Some((place, value)) = found {
            match value {
                Value::String(text) => result.push_str(text),
                other => result.push_str(&other.to_string()),
            }
            after.get(place.len()..).unwrap_or_default()
        } else {
            result.push('$');
            after.get(1..).unwrap_or_default()
        };
    }
    result.push_str(rest);
    result
}
