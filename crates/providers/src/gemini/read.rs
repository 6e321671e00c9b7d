//! Reading one `GenerateContentResponse`, which is a whole answer and an event of a stream alike.

use serde_json::Value;

use crate::chat::finish::Finish;
use crate::chat::piece::{Fault, Piece};
use crate::chat::usage::{Usage, whole};

pub(crate) fn piece(chunk: &Value) -> Piece {
    let word =
        |path: &str| chunk.pointer(path).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
    let mut piece = Piece {
        model: word("/modelVersion"),
        response_id: word("/responseId"),
        usage: chunk.get("usageMetadata").map(usage).unwrap_or_default(),
        ..Piece::default()
    };
    let candidates = chunk.get("candidates").and_then(Value::as_array).filter(|candidates| !candidates.is_empty());
    let Some(candidates) = candidates else {
        // A prompt that is blocked has no candidate, and the status is 200 all the same.
        if let Some(reason) = word("/promptFeedback/blockReason") {
            let words = word("/promptFeedback/blockReasonMessage");
            piece.fault = Some(Fault::Refused(words.unwrap_or_else(|| format!("the prompt was blocked: {reason}"))));
        }
        return piece;
    };
    let first = |candidate: &&Value| candidate.get("index").and_then(Value::as_u64).unwrap_or(0) == 0;
    let Some(candidate) = candidates.iter().find(first) else { return piece };
    piece.seen.choice = true;
    for part in candidate.pointer("/content/parts").and_then(Value::as_array).into_iter().flatten() {
        let text = part.get("text").and_then(Value::as_str);
        if part.get("thought").and_then(Value::as_bool) == Some(true) {
            piece.seen.reasoning = true;
        } else if let Some(text) = text.filter(|text| !text.is_empty()) {
            piece.texts.push(text.to_owned());
        }
        piece.seen.tool_call |= part.get("functionCall").is_some();
    }
    let reason = candidate.get("finishReason").and_then(Value::as_str);
    piece.finish_reason = reason.filter(|reason| !reason.ends_with("_UNSPECIFIED")).map(str::to_owned);
    if let Some(reason) = piece.finish_reason.as_deref().filter(|reason| Finish::of(reason) == Finish::Error) {
        let words = candidate.get("finishMessage").and_then(Value::as_str);
        piece.fault = Some(Fault::Failed(format!("it stopped with {reason}: {}", words.unwrap_or("no reason given"))));
    }
    piece
}

/// Counts. Cached tokens are part of the prompt; thoughts stand beside the answer and are billed like it.
fn usage(usage: &Value) -> Usage {
    let count = |name: &str| usage.get(name).and_then(whole);
    let input = count("promptTokenCount").map(|prompt| prompt + count("toolUsePromptTokenCount").unwrap_or(0));
    let (answer, thoughts) = (count("candidatesTokenCount"), count("thoughtsTokenCount"));
    let output = match (answer, thoughts) {
        (None, None) => None,
        (answer, thoughts) => Some(answer.unwrap_or(0).saturating_add(thoughts.unwrap_or(0))),
    };
    Usage {
        input,
        cached: count("cachedContentTokenCount").map(|cached| input.map_or(cached, |input| cached.min(input))),
        cache_written: None,
        output,
        reasoning: thoughts,
        reported: input.is_some() || output.is_some(),
    }
}
