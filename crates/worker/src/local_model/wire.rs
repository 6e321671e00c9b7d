//! The chat protocol on the wire: what is sent and what is read.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::model::{ChatRequest, Finish, Usage};

/// Whether the model may think aloud before it answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Thinking {
    /// It answers at once.
    #[default]
    Off,
    /// It may spend tokens on reasoning, which is not part of the answer.
    On,
}

/// The body of a question.
pub(super) fn question(model: &str, request: &ChatRequest, thinking: Thinking) -> Value {
    let mut body = json!({
        "model": model,
        "messages": [
            {"role": "system", "content": request.system},
            {"role": "user", "content": request.user},
        ],
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "stream": false,
    });
    if thinking == Thinking::Off {
        body["chat_template_kwargs"] = json!({"enable_thinking": false});
    }
    if let Some(format) = &request.format {
        body["response_format"] = json!({
            "type": "json_schema",
            "json_schema": {"name": format.name, "strict": true, "schema": format.schema},
        });
    }
    body
}

/// What a server answered.
pub(super) enum Answer {
    /// Text.
    Text(String, Finish, Option<Usage>),
    /// Nothing but reasoning.
    OnlyReasoning,
    /// Nothing.
    Empty(Finish),
}

/// Reads the body of an answer; an error says what is missing and repeats nothing.
pub(super) fn answer(body: &[u8]) -> Result<Answer, &'static str> {
    let completion: Completion = serde_json::from_slice(body).map_err(|_| "the body is not a chat completion")?;
    let choice = completion.choices.into_iter().next().ok_or("it holds no choice")?;
    let finish = Finish::from_wire(choice.finish_reason.as_deref());
    let message = choice.message.ok_or("its choice holds no message")?;
    let content = match message.content {
        Some(Content::Text(text)) => text,
        Some(Content::Parts(parts)) => parts.into_iter().filter_map(|part| part.text).collect(),
        None => String::new(),
    };
    let reasoning = [message.reasoning_content, message.reasoning];
    let has_reasoned = reasoning.iter().flatten().any(|text| !text.trim().is_empty());
    let usage = completion
        .usage
        .and_then(|usage| Some(Usage { input_tokens: usage.prompt_tokens?, output_tokens: usage.completion_tokens? }));
    Ok(match without_thoughts(&content) {
        Some(text) if !text.is_empty() => Answer::Text(text.to_owned(), finish, usage),
        None => Answer::OnlyReasoning,
        Some(_) if has_reasoned || !content.trim().is_empty() => Answer::OnlyReasoning,
        Some(_) => Answer::Empty(finish),
    })
}

/// The text behind a leading block of reasoning, which some servers leave in the answer; none if the block never ends.
///
/// Several of them open the block in the prompt, so the answer may hold its end alone. A model that quotes both signs
/// from material has them in their order and behind words of its own, and is left as it is.
fn without_thoughts(content: &str) -> Option<&str> {
    const OPEN: &str = "<think>";
    const CLOSE: &str = "</think>";
    let text = content.trim();
    let close = text.find(CLOSE);
    if text.starts_with(OPEN) {
        return close.map(|end| text[end + CLOSE.len()..].trim());
    }
    match (close, text.find(OPEN)) {
        (Some(end), None) => Some(text[end + CLOSE.len()..].trim()),
        (Some(end), Some(start)) if end < start => Some(text[end + CLOSE.len()..].trim()),
        _ => Some(text),
    }
}

#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Counted>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    message: Option<Message>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    content: Option<Content>,
    #[serde(default)]
    reasoning_content: Option<String>,
    #[serde(default)]
    reasoning: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Deserialize)]
struct Part {
    #[serde(default)]
    text: Option<String>,
}

#[derive(Deserialize)]
struct Counted {
    #[serde(default)]
    prompt_tokens: Option<u64>,
    #[serde(default)]
    completion_tokens: Option<u64>,
}

/// The names in a list of models: a server may write anything there, so they are short and on one line.
pub(super) fn model_names(body: &[u8]) -> Result<Vec<String>, &'static str> {
    const MOST: usize = 200;
    const LONGEST_CHARS: usize = 200;
    #[derive(Deserialize)]
    struct List {
        data: Vec<Listed>,
    }
    #[derive(Deserialize)]
    struct Listed {
        id: String,
    }
    let list: List = serde_json::from_slice(body).map_err(|_| "the body is not a list of models")?;
    let name = |listed: Listed| listed.id.chars().filter(|c| !c.is_control()).take(LONGEST_CHARS).collect::<String>();
    Ok(list.data.into_iter().take(MOST).map(name).filter(|name| !name.trim().is_empty()).collect())
}

/// The number of tokens in either dialect's answer.
pub(super) fn token_count(body: &[u8]) -> Result<u64, &'static str> {
    #[derive(Deserialize)]
    struct Tokens {
        #[serde(default)]
        count: Option<u64>,
        #[serde(default)]
        tokens: Option<Vec<serde::de::IgnoredAny>>,
    }
    let read: Tokens = serde_json::from_slice(body).map_err(|_| "the body is not a list of tokens")?;
    let listed = read.tokens.map(|tokens| tokens.len() as u64);
    read.count.or(listed).ok_or("it counts no tokens")
}
