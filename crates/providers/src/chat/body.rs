//! The body of a chat request.

use lwa_domain::ReasoningEffort;
use serde_json::{Map, Value, json};

use super::ChatRequest;
use super::profile::EffortEncoding;
use crate::error::{Failure, ProviderError, Rejection};

/// Fields that decide which model runs, what it reads, or how much it may cost.
///
/// The route, the text and the ceiling were approved, so nothing may change them on the way; `models` and
/// `route` even name other models to fall back to.
const LOCKED: [&str; 14] = [
    "model",
    "models",
    "route",
    "fallbacks",
    "messages",
    "prompt",
    "input",
    "stream",
    "stream_options",
    "n",
    "best_of",
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
];

pub(super) fn encode(provider: &str, request: &ChatRequest) -> Result<Vec<u8>, ProviderError> {
    let profile = &request.profile;
    let mut messages = Vec::new();
    if let Some(system) = request.system.as_deref().filter(|system| !system.is_empty()) {
        messages.push(json!({"role": "system", "content": system}));
    }
    messages.push(json!({"role": "user", "content": request.prompt}));
    let mut body = Map::new();
    body.insert("model".to_owned(), request.model.clone().into());
    body.insert("messages".to_owned(), messages.into());
    body.insert(profile.max_tokens_field.as_str().to_owned(), request.max_output_tokens.into());
    if let Some(temperature) = request.temperature.filter(|_| profile.sends_temperature) {
        body.insert("temperature".to_owned(), shortest(temperature));
    }
    body.insert("stream".to_owned(), true.into());
    if profile.sends_stream_options {
        body.insert("stream_options".to_owned(), json!({"include_usage": true}));
    }
    if let Some(effort) = request.reasoning_effort {
        if !(profile.accepted_efforts.contains(&effort) && profile.effort_encoding.can_say(effort)) {
            return Err(unsupported(provider, &format!("{}; {}", not_advertised(effort), accepted(request))));
        }
        let (field, value) = encode_effort(profile.effort_encoding, effort);
        body.insert(field.to_owned(), value);
    }
    for (field, value) in request.extra_body.iter().flatten() {
        if LOCKED.contains(&field.as_str()) {
            return Err(unsupported(
                provider,
                &format!("`extra_body` must not set `{field}`, which the plan has fixed"),
            ));
        }
        if field == "response_format" && !accepts_response_format(request) {
            return Err(unsupported(provider, "the model does not advertise `response_format`"));
        }
        body.insert(field.clone(), value.clone());
    }
    serde_json::to_vec(&body).map_err(|_| unsupported(provider, "the request cannot be written as JSON"))
}

/// A 32-bit 0.45 would travel as 0.44999998807907104.
fn shortest(temperature: f32) -> Value {
    temperature
        .to_string()
        .parse::<f64>()
        .ok()
        .and_then(serde_json::Number::from_f64)
        .map_or(Value::Null, Value::Number)
}

fn encode_effort(encoding: EffortEncoding, effort: ReasoningEffort) -> (&'static str, Value) {
    let is_on = !matches!(effort, ReasoningEffort::Instant);
    match encoding {
        EffortEncoding::Level => ("reasoning_effort", effort.wire_value().into()),
        EffortEncoding::ReasoningObject => ("reasoning", json!({"effort": effort.wire_value()})),
        EffortEncoding::ThinkingToggle => ("thinking", json!({"type": if is_on { "enabled" } else { "disabled" }})),
        EffortEncoding::EnableThinking => ("enable_thinking", is_on.into()),
    }
}

fn not_advertised(effort: ReasoningEffort) -> String {
    format!("the model does not advertise reasoning effort `{effort}`")
}

fn accepted(request: &ChatRequest) -> String {
    let profile = &request.profile;
    let names: Vec<_> = profile
        .accepted_efforts
        .iter()
        .filter(|effort| profile.effort_encoding.can_say(**effort))
        .map(|effort| effort.as_str())
        .collect();
    if names.is_empty() { "it accepts none".to_owned() } else { format!("it accepts {}", names.join(", ")) }
}

fn accepts_response_format(request: &ChatRequest) -> bool {
    request
        .profile
        .supported_parameters
        .as_ref()
        .is_none_or(|names| names.contains("response_format") || names.contains("structured_outputs"))
}

fn unsupported(provider: &str, detail: &str) -> ProviderError {
    ProviderError::Rejected {
        failure: Box::new(Failure::before_sending(provider, detail)),
        reason: Rejection::Unsupported,
    }
}
