//! Results as clients show them to a model: structured content that is complete, and a text that is complete as well.

use lwa_domain::ErrorCode;
use lwa_protocol::Failure;
use lwa_protocol::money_json::numeric_money;
use rmcp::model::{CallToolResult, ContentBlock, ErrorData};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// A struct of the protocol as structured content: amounts as numbers, nothing that is null.
pub(crate) fn structured(answer: &impl Serialize) -> Result<Map<String, Value>, Failure> {
    let value = serde_json::to_value(answer)
        .map_err(|error| Failure::new(ErrorCode::Internal, format!("the answer cannot be written as JSON: {error}")))?;
    match without_nulls(numeric_money(value)) {
        Value::Object(fields) => Ok(fields),
        _ => Err(Failure::new(ErrorCode::Internal, "the answer is no object")),
    }
}

fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .into_iter()
            .filter(|(_, field)| !field.is_null())
            .map(|(name, field)| (name, without_nulls(field)))
            .collect(),
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        other => other,
    }
}

/// Bytes of a reply that every client shows whole.
const BUDGET: usize = 8000;

/// Whether a reply is larger than what every client shows whole.
pub(crate) fn is_over_budget(fields: &Map<String, Value>) -> bool {
    length(fields) > BUDGET
}

/// Leaves out items at the end of the list `key` until the reply is small enough, and says how many in `KEY_more`.
pub(crate) fn fit(fields: &mut Map<String, Value>, key: &str) -> bool {
    // What `KEY_more` and a link to the whole take.
    const RESERVE: usize = 120;
    let mut bytes = length(fields) + RESERVE;
    if bytes <= BUDGET {
        return false;
    }
    let Some(Value::Array(items)) = fields.get_mut(key) else { return false };
    let before = items.len();
    while bytes > BUDGET
        && let Some(item) = items.pop()
    {
        bytes -= item.to_string().len() + 1;
    }
    let more = before - items.len();
    fields.insert(format!("{key}_more"), more.into());
    more > 0
}

fn length(fields: &Map<String, Value>) -> usize {
    serde_json::to_string(fields).map_or(0, |text| text.len())
}

/// A result whose text repeats the structured content, since clients show one or the other.
pub(crate) fn succeeded(fields: Map<String, Value>) -> CallToolResult {
    CallToolResult::structured(Value::Object(fields))
}

/// A failure that the model can act on.
pub(crate) fn failed(failure: &Failure) -> CallToolResult {
    failed_with(failure, Map::new())
}

/// A failure together with what else is known.
pub(crate) fn failed_with(failure: &Failure, mut fields: Map<String, Value>) -> CallToolResult {
    let mut text = failure_text(failure);
    if !fields.is_empty() {
        fields.remove("error");
        text = format!("{text}\n{}", Value::Object(fields.clone()));
    }
    fields.insert("error".to_owned(), failure_value(failure));
    let mut result = CallToolResult::structured_error(Value::Object(fields));
    result.content = vec![ContentBlock::text(text)];
    result
}

fn failure_value(failure: &Failure) -> Value {
    let mut value = json!({"code": failure.code, "message": failure.message});
    if let Some(hint) = &failure.hint {
        value["hint"] = hint.as_str().into();
    }
    value
}

/// `MESSAGE — HINT (CODE)`.
fn failure_text(failure: &Failure) -> String {
    match &failure.hint {
        Some(hint) => format!("{} — {hint} ({})", failure.message, failure.code),
        None => format!("{} ({})", failure.message, failure.code),
    }
}

/// The failure of something that is no tool call.
pub(crate) fn protocol_error(failure: &Failure) -> ErrorData {
    let data = Some(json!({"error": failure_value(failure)}));
    match failure.code {
        // The SDK turns this into -32602 for clients of the stateless era, as that revision asks.
        ErrorCode::NotFound | ErrorCode::UnknownPlan => ErrorData::resource_not_found(failure_text(failure), data),
        ErrorCode::InvalidInput => ErrorData::invalid_params(failure_text(failure), data),
        _ => ErrorData::internal_error(failure_text(failure), data),
    }
}
