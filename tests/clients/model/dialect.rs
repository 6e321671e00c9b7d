//! The two protocols that clients speak to their models, as far as one tool call or one text a turn needs them.

use std::fmt::Write;

use serde_json::{Value, json};

use super::http::{Request, response};

/// A protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// OpenAI Responses.
    Responses,
    /// Anthropic Messages.
    Messages,
}

/// A tool as a client offers it: some put the tools of a server into a namespace.
#[derive(Debug, Clone)]
pub(super) struct Offered {
    name: String,
    namespace: Option<String>,
}

impl Offered {
    /// Whether this is the tool that the script means: by its whole name, or behind the server's name.
    pub(super) fn is(&self, tool: &str) -> bool {
        match &self.namespace {
            Some(_) => self.name == tool,
            None => self.name == tool || self.name.strip_prefix("mcp__lwa__") == Some(tool),
        }
    }
}

/// The tools that a request offers, in either protocol.
pub(super) fn offered(body: &Value) -> Vec<Offered> {
    let named = |tool: &Value, namespace: Option<&str>| {
        let name = tool["name"].as_str()?.to_owned();
        Some(Offered { name, namespace: namespace.map(str::to_owned) })
    };
    let mut offered = Vec::new();
    for tool in body["tools"].as_array().into_iter().flatten() {
        if tool["type"] == "namespace" {
            let inner = tool["tools"].as_array().into_iter().flatten();
            offered.extend(inner.filter_map(|one| named(one, tool["name"].as_str())));
        } else {
            offered.extend(named(tool, None));
        }
    }
    offered
}

/// What the model replies.
#[derive(Clone, Copy)]
pub(super) enum Reply<'a> {
    Text(&'a str),
    Call { id: &'a str, name: &'a Offered, arguments: &'a Value },
}

impl Dialect {
    /// The protocol of a request; none for anything but the model itself.
    pub(super) fn of(request: &Request) -> Option<Self> {
        match request.line.as_str() {
            "POST /v1/responses" => Some(Self::Responses),
            "POST /v1/messages" => Some(Self::Messages),
            _ => None,
        }
    }

    /// Every tool result of the conversation: the call's id and the texts.
    pub(super) fn results(self, body: &Value) -> Vec<(String, Vec<String>)> {
        let result =
            |item: &Value, id: &str, content: &str| Some((item[id].as_str()?.to_owned(), texts(&item[content])));
        match self {
            Self::Responses => {
                let items = body["input"].as_array().into_iter().flatten();
                items
                    .filter(|item| item["type"] == "function_call_output")
                    .filter_map(|item| result(item, "call_id", "output"))
                    .map(|(id, texts)| (id, texts.into_iter().map(without_timing).collect()))
                    .collect()
            }
            Self::Messages => {
                let messages = body["messages"].as_array().into_iter().flatten();
                messages
                    .flat_map(|message| message["content"].as_array().into_iter().flatten())
                    .filter(|block| block["type"] == "tool_result")
                    .filter_map(|block| result(block, "tool_use_id", "content"))
                    .collect()
            }
        }
    }

    /// The whole HTTP reply.
    pub(super) fn write(self, number: usize, request: &Value, reply: Reply<'_>) -> Vec<u8> {
        match self {
            Self::Responses => stream(&responses(number, reply)),
            Self::Messages if request["stream"] == true => stream(&messages(number, reply)),
            Self::Messages => response("application/json", &message(number, reply).to_string()),
        }
    }
}

fn responses(number: usize, reply: Reply<'_>) -> Vec<Value> {
    let item = match reply {
        Reply::Text(text) => json!({
            "type": "message", "id": format!("msg_{number}"), "role": "assistant",
            "content": [{ "type": "output_text", "text": text }],
        }),
        Reply::Call { id, name, arguments } => {
            let mut item = json!({
                "type": "function_call", "id": format!("fc_{number}"), "call_id": id, "name": name.name,
                "arguments": arguments.to_string(),
            });
            if let Some(namespace) = &name.namespace {
                item["namespace"] = json!(namespace);
            }
            item
        }
    };
    let id = format!("resp_{number}");
    vec![
        json!({ "type": "response.created", "response": { "id": id } }),
        json!({ "type": "response.output_item.added", "output_index": 0, "item": item }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": item }),
        json!({ "type": "response.completed", "response": { "id": id, "output": [item], "usage": {
            "input_tokens": 10, "input_tokens_details": null, "output_tokens": 5, "output_tokens_details": null,
            "total_tokens": 15,
        } } }),
    ]
}

/// The message as a document.
fn message(number: usize, reply: Reply<'_>) -> Value {
    let (block, stop_reason) = match reply {
        Reply::Text(text) => (json!({ "type": "text", "text": text }), "end_turn"),
        Reply::Call { id, name, arguments } => {
            (json!({ "type": "tool_use", "id": id, "name": name.name, "input": arguments }), "tool_use")
        }
    };
    json!({
        "id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": "scripted",
        "content": [block], "stop_reason": stop_reason, "stop_sequence": null,
        "usage": { "input_tokens": 10, "output_tokens": 5 },
    })
}

/// The same message as events.
fn messages(number: usize, reply: Reply<'_>) -> Vec<Value> {
    let whole = message(number, reply);
    let mut begun = whole.clone();
    begun["content"] = json!([]);
    begun["stop_reason"] = Value::Null;
    let mut block = whole["content"][0].clone();
    let delta = if block["type"] == "text" {
        let text = std::mem::replace(&mut block["text"], json!(""));
        json!({ "type": "text_delta", "text": text })
    } else {
        let input = std::mem::replace(&mut block["input"], json!({}));
        json!({ "type": "input_json_delta", "partial_json": input.to_string() })
    };
    vec![
        json!({ "type": "message_start", "message": begun }),
        json!({ "type": "content_block_start", "index": 0, "content_block": block }),
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({
            "type": "message_delta", "delta": { "stop_reason": whole["stop_reason"], "stop_sequence": null },
            "usage": { "output_tokens": 5 },
        }),
        json!({ "type": "message_stop" }),
    ]
}

fn stream(events: &[Value]) -> Vec<u8> {
    let mut text = String::new();
    for event in events {
        writeln!(text, "event: {}\ndata: {event}\n", event["type"].as_str().unwrap_or_default()).unwrap();
    }
    response("text/event-stream", &text)
}

/// A content that is written as one text or as a list of parts.
fn texts(content: &Value) -> Vec<String> {
    match content {
        Value::String(text) => vec![text.clone()],
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str().map(str::to_owned)).collect(),
        _ => Vec::new(),
    }
}

/// Codex tells the model how long a call took before it shows the result.
fn without_timing(text: String) -> String {
    match text.split_once("\nOutput:\n") {
        Some((head, rest)) if head.starts_with("Wall time:") => rest.to_owned(),
        _ => text,
    }
}
