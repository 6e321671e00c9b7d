//! Cohere's `/v2/chat`, always as a stream.
//!
//! What differs from chat completions: the events have types of their own, what is billed is counted apart from
//! what was read and written, and thinking has a budget.

mod read;

use serde_json::{Map, Value, json};

use crate::chat::format::{self, ResponseFormat};
use crate::chat::profile::EffortEncoding;
use crate::chat::{ChatRequest, Outgoing, body, effort, refusal};
use crate::endpoint::Endpoint;
use crate::error::ProviderError;
use crate::facts;

pub(crate) use read::piece;

/// The path of the native chat; the usual path belongs to the other protocol.
const PATH: &str = "/v2/chat";
const USUAL_PATH: &str = "/chat/completions";

/// Fields that decide which model runs, what it reads, or how much it may cost.
const LOCKED: [&str; 9] =
    ["model", "messages", "stream", "max_tokens", "tools", "documents", "tool_choice", "thinking", "n"];

pub(crate) fn encode(endpoint: &Endpoint, request: &ChatRequest) -> Result<Outgoing, ProviderError> {
    let provider = &endpoint.provider;
    let parameters = &facts::for_endpoint(endpoint).parameters;
    effort::check(provider, request)?;
    let mut body = Map::new();
    body.insert("model".to_owned(), request.model.clone().into());
    body.insert("messages".to_owned(), body::messages(request));
    body.insert("max_tokens".to_owned(), request.max_output_tokens.into());
    if let Some(temperature) = request.temperature.filter(|_| request.profile.sends_temperature) {
        body.insert("temperature".to_owned(), body::shortest(temperature));
    }
    body.insert("stream".to_owned(), true.into());
    if let Some(effort) = request.reasoning_effort {
        let value = match request.profile.effort_encoding {
            EffortEncoding::ThinkingToggle => {
                let is_on = effort != lwa_domain::ReasoningEffort::Instant;
                json!({"type": if is_on { "enabled" } else { "disabled" }})
            }
            _ => effort::token_budget(effort, request.max_output_tokens),
        };
        body.insert("thinking".to_owned(), value);
    }
    if let Some(wanted) = &request.response_format {
        if !format::is_advertised(&request.profile) {
            return Err(refusal(provider, "the model does not advertise `response_format`"));
        }
        let value = match wanted {
            ResponseFormat::JsonObject => json!({"type": "json_object"}),
            ResponseFormat::JsonSchema { schema, .. } => json!({"type": "json_object", "json_schema": schema}),
        };
        body.insert("response_format".to_owned(), value);
    }
    if let Some(fields) = &request.extra_body {
        let extra = body::Extra { fields, locked: &LOCKED, refused: &parameters.refuses };
        body::add_extra(provider, request, &mut body, &extra)?;
    }
    let path = if endpoint.chat_path == USUAL_PATH { PATH } else { &endpoint.chat_path };
    Ok(Outgoing { path: path.to_owned(), body: body::written(provider, &body)?, notes: Vec::new() })
}

/// What a part of a message adds: text, or the knowledge that the model thinks.
fn text_of(content: &Value) -> Option<&str> {
    content.get("text").and_then(Value::as_str).filter(|text| !text.is_empty())
}
