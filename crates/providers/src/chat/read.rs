//! Reading the chat-completions protocol, in every dialect that providers speak.

use serde_json::Value;

use super::piece::{Fault, Piece};
use super::usage::{Usage, reported_cost};
use crate::facts::UsageFacts;

/// Reads one event of a stream, or one whole document.
pub(crate) fn piece(chunk: &Value, is_stream: bool, meaning: &UsageFacts) -> Piece {
    let mut piece = envelope(chunk, meaning);
    let Some(choices) = chunk.get("choices").and_then(Value::as_array) else {
        if let Some(text) = chunk.get("output_text").and_then(Value::as_str) {
            piece.seen.choice = true;
            add(&mut piece, text);
        }
        return piece;
    };
    // A single answer was asked for; another index would interleave with it.
    let Some(choice) = choices.iter().find(|choice| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0)
    else {
        return piece;
    };
    piece.seen.choice = true;
    let places = if is_stream { ["delta", "message"] } else { ["message", "delta"] };
    if let Some(message) = places.iter().find_map(|place| choice.get(*place)) {
        read_message(&mut piece, message);
    }
    if let Some(text) = choice.get("text").and_then(Value::as_str) {
        add(&mut piece, text);
    }
    piece.finish_reason = word(choice, "finish_reason");
    if piece.finish_reason.as_deref() == Some("error") {
        let detail = choice.get("error").map(Value::to_string);
        piece.fault = Some(Fault::Failed(detail.unwrap_or_else(|| "it stopped with an error".to_owned())));
    }
    piece
}

/// What stands beside the choices.
fn envelope(chunk: &Value, meaning: &UsageFacts) -> Piece {
    let mut piece = Piece {
        model: word(chunk, "model"),
        response_id: word(chunk, "id"),
        cost: reported_cost(chunk),
        ..Piece::default()
    };
    // One provider keeps the usage of a stream in a corner of its own.
    for usage in [chunk.get("usage"), chunk.pointer("/x_groq/usage")].into_iter().flatten() {
        piece.usage.update(Usage::read(usage, meaning));
    }
    piece
}

fn word(value: &Value, name: &str) -> Option<String> {
    value.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}

fn read_message(piece: &mut Piece, message: &Value) {
    match message.get("content") {
        Some(Value::String(text)) => add(piece, text),
        Some(Value::Array(parts)) => {
            for part in parts {
                match part_text(part) {
                    Some(text) => add(piece, text),
                    None => piece.seen.reasoning |= part.get("type").and_then(Value::as_str) == Some("thinking"),
                }
            }
        }
        _ => {}
    }
    piece.refusal = word(message, "refusal");
    piece.seen.tool_call |= message.get("tool_calls").and_then(Value::as_array).is_some_and(|calls| !calls.is_empty());
    piece.seen.reasoning |= ["reasoning", "reasoning_content", "reasoning_details"]
        .iter()
        .any(|name| message.get(name).is_some_and(|value| !value.is_null()));
}

fn add(piece: &mut Piece, text: &str) {
    if !text.is_empty() {
        piece.texts.push(text.to_owned());
    }
}

/// The text of one part of a content list; thinking is not answer text.
fn part_text(part: &Value) -> Option<&str> {
    if let Value::String(text) = part {
        return Some(text);
    }
    match part.get("type").and_then(Value::as_str) {
        None | Some("text" | "output_text") => part.get("text").and_then(Value::as_str),
        Some(_) => None,
    }
}
