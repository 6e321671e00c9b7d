//! Google's `generateContent`, always as a stream.
//!
//! What differs from chat completions: the model stands in the path, thoughts are counted beside the answer, a
//! blocked prompt has no candidate at all, and only a part of JSON Schema is understood.

mod read;
mod schema;

use lwa_domain::ReasoningEffort;
use serde_json::{Map, Value, json};

use crate::chat::format::{self, ResponseFormat};
use crate::chat::profile::EffortEncoding;
use crate::chat::{ChatRequest, Outgoing, body, effort, refusal};
use crate::endpoint::Endpoint;
use crate::error::ProviderError;
use crate::facts;

pub(crate) use read::piece;

/// Fields that decide which text is read, how much is written, and what else is looked up for money.
const LOCKED: [&str; 8] =
    ["model", "contents", "systemInstruction", "system_instruction", "cachedContent", "tools", "toolConfig", "stream"];

/// The same inside `generationConfig`.
const LOCKED_CONFIG: [&str; 8] = [
    "maxOutputTokens",
    "candidateCount",
    "thinkingConfig",
    "responseMimeType",
    "responseSchema",
    "responseJsonSchema",
    "_responseJsonSchema",
    "responseModalities",
];

pub(crate) fn encode(endpoint: &Endpoint, request: &ChatRequest) -> Result<Outgoing, ProviderError> {
    let provider = &endpoint.provider;
    let parameters = &facts::for_endpoint(endpoint).parameters;
    effort::check(provider, request)?;
    let mut body = Map::new();
    body.insert("contents".to_owned(), json!([{"role": "user", "parts": [{"text": request.prompt}]}]));
    if let Some(system) = request.system.as_deref().filter(|system| !system.is_empty()) {
        body.insert("systemInstruction".to_owned(), json!({"parts": [{"text": system}]}));
    }
    let mut config = config(provider, request)?;
    let mut extra = request.extra_body.clone().unwrap_or_default();
    if let Some(own) = extra.remove("generationConfig") {
        let Value::Object(own) = own else {
            return Err(refusal(provider, "`extra_body.generationConfig` must be a table"));
        };
        for (field, value) in own {
            if LOCKED_CONFIG.contains(&field.as_str()) {
                let detail = format!("`extra_body` must not set `generationConfig.{field}`, which the plan has fixed");
                return Err(refusal(provider, &detail));
            }
            config.insert(field, value);
        }
    }
    body.insert("generationConfig".to_owned(), config.into());
    let extra = body::Extra { fields: &extra, locked: &LOCKED, refused: &parameters.refuses };
    body::add_extra(provider, request, &mut body, &extra)?;
    let path = format!("/models/{}:streamGenerateContent?alt=sse", model_in_path(provider, &request.model)?);
    Ok(Outgoing { path, body: body::written(provider, &body)?, notes: Vec::new() })
}

/// The model's name as a part of the path. A name that could change the path is refused.
fn model_in_path<'a>(provider: &str, model: &'a str) -> Result<&'a str, ProviderError> {
    let name = model.strip_prefix("models/").unwrap_or(model);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if name.is_empty() || name.starts_with('.') || !name.bytes().all(is_plain) {
        return Err(refusal(provider, "the model's name holds characters other than letters, digits, `-`, `_`, `.`"));
    }
    Ok(name)
}

fn config(provider: &str, request: &ChatRequest) -> Result<Map<String, Value>, ProviderError> {
    let mut config = Map::new();
    config.insert("maxOutputTokens".to_owned(), request.max_output_tokens.into());
    if let Some(temperature) = request.temperature.filter(|_| request.profile.sends_temperature) {
        config.insert("temperature".to_owned(), body::shortest(temperature));
    }
    if let Some(effort) = request.reasoning_effort {
        config.insert("thinkingConfig".to_owned(), thinking(request, effort));
    }
    if let Some(wanted) = &request.response_format {
        if !format::is_advertised(&request.profile) {
            return Err(refusal(provider, "the model does not advertise `response_format`"));
        }
        config.insert("responseMimeType".to_owned(), "application/json".into());
        if let ResponseFormat::JsonSchema { schema, .. } = wanted {
            let schema = schema::convert(schema).map_err(|lossy| refusal(provider, &lossy.to_string()))?;
            config.insert("responseJsonSchema".to_owned(), schema);
        }
    }
    Ok(config)
}

fn thinking(request: &ChatRequest, effort: ReasoningEffort) -> Value {
    match request.profile.effort_encoding {
        EffortEncoding::GeminiBudget => json!({"thinkingBudget": effort::budget(effort, request.max_output_tokens)}),
        _ => json!({"thinkingLevel": effort.wire_value().to_uppercase()}),
    }
}
