//! Reading the events of a stream, or the one document that stands for all of them.

use serde_json::Value;

use super::text_of;
use crate::chat::piece::{Fault, Piece};
use crate::chat::usage::{Usage, whole};

/// Reads one event, whose type stands in it, or a whole document.
pub(crate) fn piece(chunk: &Value, event: &str) -> Piece {
    let mut piece =
        Piece { response_id: chunk.get("id").and_then(Value::as_str).map(str::to_owned), ..Piece::default() };
    let kind = chunk.get("type").and_then(Value::as_str).unwrap_or(event);
    let message = chunk.pointer("/delta/message").or_else(|| chunk.get("message")).filter(|value| value.is_object());
    match kind {
        "message-start" => piece.seen.choice = true,
        "content-start" | "content-delta" => {
            piece.seen.choice = true;
            if let Some(content) = message.and_then(|message| message.get("content")) {
                read_content(&mut piece, content);
            }
        }
        "tool-plan-delta" => piece.seen.reasoning = true,
        "tool-call-start" | "tool-call-delta" => piece.seen.tool_call = true,
        "message-end" => {
            piece.is_last = true;
            if let Some(delta) = chunk.get("delta") {
                end(&mut piece, delta, delta.get("error").and_then(Value::as_str));
            }
        }
        _ => {
            if let Some(message) = message {
                piece.seen.choice = true;
                for content in message.get("content").and_then(Value::as_array).into_iter().flatten() {
                    read_content(&mut piece, content);
                }
                if let Some(Value::String(text)) = message.get("content") {
                    piece.texts.push(text.clone());
                }
                piece.seen.tool_call |=
                    message.get("tool_calls").and_then(Value::as_array).is_some_and(|calls| !calls.is_empty());
                end(&mut piece, chunk, None);
            }
        }
    }
    piece
}

fn read_content(piece: &mut Piece, content: &Value) {
    if let Some(text) = text_of(content) {
        piece.texts.push(text.to_owned());
    }
    piece.seen.reasoning |= content.get("thinking").is_some_and(|thinking| !thinking.is_null())
        || content.get("type").and_then(Value::as_str) == Some("thinking");
}

/// The finish reason, which may be a failure, and the counts.
fn end(piece: &mut Piece, place: &Value, error: Option<&str>) {
    piece.finish_reason = place.get("finish_reason").and_then(Value::as_str).map(str::to_owned);
    piece.usage = place.get("usage").map(usage).unwrap_or_default();
    let words = error.unwrap_or("no reason given");
    piece.fault = match piece.finish_reason.as_deref() {
        Some("ERROR") => Some(Fault::Failed(format!("it stopped with an error: {words}"))),
        Some("TIMEOUT") => Some(Fault::TimedOut(format!("it ran out of time: {words}"))),
        Some("ERROR_TOXIC") => Some(Fault::Refused("the answer was stopped by its content filter".to_owned())),
        _ => None,
    };
}

/// Counts. What is billed differs from what was read and written, and the bill is what counts here.
fn usage(usage: &Value) -> Usage {
    let count = |paths: [&str; 2]| paths.iter().find_map(|path| usage.pointer(path)).and_then(whole);
    let input = count(["/billed_units/input_tokens", "/tokens/input_tokens"]);
    let output = count(["/billed_units/output_tokens", "/tokens/output_tokens"]);
    let cached = usage.get("cached_tokens").and_then(whole);
    Usage {
        input,
        cached: cached.map(|cached| input.map_or(cached, |input| cached.min(input))),
        cache_written: None,
        output,
        reasoning: None,
        reported: input.is_some() || output.is_some(),
    }
}
