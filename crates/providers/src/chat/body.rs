//! The body of a chat request.

use serde_json::{Map, Value, json};

use super::format::{self, FormatSupport, ResponseFormat};
use super::{ChatRequest, Outgoing, effort, refusal};
use crate::endpoint::Endpoint;
use crate::error::ProviderError;
use crate::facts;

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

pub(super) fn encode(endpoint: &Endpoint, request: &ChatRequest) -> Result<Outgoing, ProviderError> {
    let provider = &endpoint.provider;
    let parameters = &facts::for_endpoint(endpoint).parameters;
    let profile = &request.profile;
    effort::check(provider, request)?;
    let mut body = Map::new();
    body.insert("model".to_owned(), request.model.clone().into());
    body.insert("messages".to_owned(), messages(request));
    body.insert(profile.max_tokens_field.as_str().to_owned(), request.max_output_tokens.into());
    if let Some(temperature) = request.temperature.filter(|_| profile.sends_temperature) {
        body.insert("temperature".to_owned(), shortest(temperature));
    }
    body.insert("stream".to_owned(), true.into());
    if profile.sends_stream_options {
        body.insert("stream_options".to_owned(), json!({"include_usage": true}));
    }
    if let Some(effort) = request.reasoning_effort {
        let fields = effort::fields(profile.effort_encoding, effort, request.max_output_tokens);
        body.extend(fields.into_iter().map(|(field, value)| (field.to_owned(), value)));
    }
    let mut notes = Vec::new();
    if let Some(format) = &request.response_format {
        let (value, note) = response_format(provider, request, format, parameters.response_format)?;
        body.insert("response_format".to_owned(), value);
        notes.extend(note);
    }
    if let Some(fields) = &request.extra_body {
        add_extra(provider, request, &mut body, &Extra { fields, locked: &LOCKED, refused: &parameters.refuses })?;
    }
    Ok(Outgoing { path: endpoint.chat_path.clone(), body: written(provider, &body)?, notes })
}

/// The messages of a request: the system prompt, if there is one, and the prompt.
pub(crate) fn messages(request: &ChatRequest) -> Value {
    let system = request.system.as_deref().filter(|system| !system.is_empty());
    let system = system.map(|system| json!({"role": "system", "content": system}));
    system.into_iter().chain([json!({"role": "user", "content": request.prompt})]).collect()
}

/// The body as bytes.
pub(crate) fn written(provider: &str, body: &Map<String, Value>) -> Result<Vec<u8>, ProviderError> {
    serde_json::to_vec(body).map_err(|_| refusal(provider, "the request cannot be written as JSON"))
}

/// Configured fields, and which of them may not travel.
pub(crate) struct Extra<'a> {
    /// The fields.
    pub fields: &'a Map<String, Value>,
    /// Fields that would change what was approved.
    pub locked: &'a [&'a str],
    /// Fields that the provider is known to refuse.
    pub refused: &'a [String],
}

/// Merges the configured fields over the body, unless one of them would change what was approved.
pub(crate) fn add_extra(
    provider: &str,
    request: &ChatRequest,
    body: &mut Map<String, Value>,
    extra: &Extra<'_>,
) -> Result<(), ProviderError> {
    for (field, value) in extra.fields {
        if extra.locked.contains(&field.as_str()) {
            let detail = format!("`extra_body` must not set `{field}`, which the plan has fixed");
            return Err(refusal(provider, &detail));
        }
        if extra.refused.contains(field) {
            return Err(refusal(provider, &format!("`{provider}` refuses requests with `{field}`")));
        }
        if field == "response_format" {
            if !format::is_advertised(&request.profile) {
                return Err(refusal(provider, "the model does not advertise `response_format`"));
            }
            if request.response_format.is_some() {
                return Err(refusal(provider, "`response_format` is given twice, by the plan and by `extra_body`"));
            }
        }
        body.insert(field.clone(), value.clone());
    }
    Ok(())
}

/// The field that asks for a shape, and what to say where less is asked for than was wanted.
fn response_format(
    provider: &str,
    request: &ChatRequest,
    format: &ResponseFormat,
    support: FormatSupport,
) -> Result<(Value, Option<String>), ProviderError> {
    if !format::is_advertised(&request.profile) || support == FormatSupport::None {
        return Err(refusal(provider, "the model does not advertise `response_format`"));
    }
    Ok(match format {
        ResponseFormat::JsonObject => (json!({"type": "json_object"}), None),
        ResponseFormat::JsonSchema { .. } if support == FormatSupport::Object => (
            json!({"type": "json_object"}),
            Some(format!(
                "`{provider}` takes no schema: any JSON object was asked for, and nobody there checks it against the schema"
            )),
        ),
        ResponseFormat::JsonSchema { name, schema } => {
            let is_name = |name: &str| {
                (1..=64).contains(&name.len())
                    && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
            };
            if !is_name(name) {
                return Err(refusal(provider, "the schema's name must be 1 to 64 letters, digits, `_` or `-`"));
            }
            let strict = format::can_be_strict(schema);
            (json!({"type": "json_schema", "json_schema": {"name": name, "schema": schema, "strict": strict}}), None)
        }
    })
}

/// A 32-bit 0.45 would travel as 0.44999998807907104.
pub(crate) fn shortest(temperature: f32) -> Value {
    temperature
        .to_string()
        .parse::<f64>()
        .ok()
        .and_then(serde_json::Number::from_f64)
        .map_or(Value::Null, Value::Number)
}
