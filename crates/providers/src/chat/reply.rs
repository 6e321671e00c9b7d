//! An answer in the making: a stream of events, or one JSON document.

use serde_json::Value;

use super::usage::{Usage, reported_cost};
use super::{ChatAnswer, ChatRequest};
use crate::classify;
use crate::endpoint::Endpoint;
use crate::error::{Failure, ProviderError, cut};
use crate::redact::redact;
use crate::sse::{SseEvent, SseParser};
use lwa_domain::PicoUsd;

/// Whether more is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    More,
    Done,
}

/// What the first bytes told about the shape of the body; the content type is often wrong.
enum Shape {
    Undecided(Vec<u8>),
    Events(SseParser),
    Document(Vec<u8>),
}

/// Collects an answer.
pub(super) struct Reply<'a> {
    endpoint: &'a Endpoint,
    shape: Shape,
    bytes_left: usize,
    text: String,
    refusal: String,
    model: Option<String>,
    requested_model: &'a str,
    finish_reason: Option<String>,
    response_id: Option<String>,
    usage: Usage,
    cost: Option<PicoUsd>,
    quota: Vec<(String, String)>,
    seen: Seen,
    is_done: bool,
}

/// What came along, to explain an answer without text.
#[derive(Debug, Default)]
struct Seen {
    choice: bool,
    tool_call: bool,
    reasoning: bool,
}

impl<'a> Reply<'a> {
    pub(super) fn new(
        endpoint: &'a Endpoint,
        request: &'a ChatRequest,
        body_limit: usize,
        quota: Vec<(String, String)>,
    ) -> Self {
        Self {
            endpoint,
            shape: Shape::Undecided(Vec::new()),
            bytes_left: body_limit,
            text: String::new(),
            refusal: String::new(),
            model: None,
            requested_model: &request.model,
            finish_reason: None,
            response_id: None,
            usage: Usage::default(),
            cost: None,
            quota,
            seen: Seen::default(),
            is_done: false,
        }
    }

    pub(super) fn endpoint(&self) -> &'a Endpoint {
        self.endpoint
    }

    /// Whether the model said that its answer is complete, even if more events may follow.
    pub(super) fn has_finished(&self) -> bool {
        self.is_done || self.finish_reason.is_some()
    }

    /// Takes the next bytes of the body.
    pub(super) fn push(&mut self, bytes: &[u8], on_text: &mut impl FnMut(&str)) -> Result<Progress, ProviderError> {
        self.bytes_left = match self.bytes_left.checked_sub(bytes.len()) {
            Some(left) => left,
            None => return Err(self.failed("the answer is larger than 16 MiB or the limit set for it")),
        };
        if let Shape::Undecided(start) = &mut self.shape {
            start.extend_from_slice(bytes);
            let start = std::mem::take(start);
            let begin = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&start).trim_ascii_start().first().copied();
            match begin {
                None => {
                    self.shape = Shape::Undecided(start);
                    return Ok(Progress::More);
                }
                Some(b'{' | b'[') => self.shape = Shape::Document(start),
                Some(b'<') => {
                    return Err(
                        self.failed("it answered with a web page, not with an API's answer; is `base_url` right?")
                    );
                }
                Some(_) => {
                    self.shape = Shape::Events(SseParser::new());
                    return self.push_events(&start, on_text);
                }
            }
            return Ok(Progress::More);
        }
        match &mut self.shape {
            Shape::Document(document) => {
                document.extend_from_slice(bytes);
                Ok(Progress::More)
            }
            Shape::Undecided(_) | Shape::Events(_) => self.push_events(bytes, on_text),
        }
    }

    fn push_events(&mut self, bytes: &[u8], on_text: &mut impl FnMut(&str)) -> Result<Progress, ProviderError> {
        let Shape::Events(parser) = &mut self.shape else { return Ok(Progress::More) };
        match parser.push(bytes) {
            Ok(events) => self.take_events(events, on_text),
            Err(error) => Err(self.failed(&error.to_string())),
        }
    }

    fn take_events(
        &mut self,
        events: impl IntoIterator<Item = SseEvent>,
        on_text: &mut impl FnMut(&str),
    ) -> Result<Progress, ProviderError> {
        for event in events {
            let data = event.data.trim();
            if data == "[DONE]" {
                self.is_done = true;
                return Ok(Progress::Done);
            }
            if data.is_empty() {
                continue;
            }
            let Ok(chunk) = serde_json::from_str::<Value>(data) else {
                return Err(self.failed("an event of the stream is malformed JSON"));
            };
            if event.event == "error" && !chunk.is_object() {
                return Err(self.failed(data));
            }
            self.take_chunk(&chunk, "/delta", on_text)?;
        }
        Ok(Progress::More)
    }

    /// The body has ended.
    pub(super) fn end(&mut self, on_text: &mut impl FnMut(&str)) -> Result<(), ProviderError> {
        match &mut self.shape {
            Shape::Undecided(_) => Err(self.failed("the answer is empty")),
            Shape::Document(document) => {
                let document = std::mem::take(document);
                let document = document.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&document);
                let Ok(document) = serde_json::from_slice::<Value>(document) else {
                    return Err(self.failed("malformed JSON response"));
                };
                self.take_chunk(&document, "/message", on_text)?;
                self.is_done = true;
                Ok(())
            }
            Shape::Events(parser) => {
                let last = match parser.finish() {
                    Ok(last) => last,
                    Err(error) => return Err(self.failed(&error.to_string())),
                };
                if last.as_ref().is_some_and(|event| {
                    event.data.trim() != "[DONE]" && serde_json::from_str::<Value>(&event.data).is_err()
                }) {
                    return Err(self.failed("the stream was cut inside an event"));
                }
                self.take_events(last, on_text)?;
                if self.has_finished() { Ok(()) } else { Err(self.failed("the stream was cut before its end")) }
            }
        }
    }

    fn take_chunk(
        &mut self,
        chunk: &Value,
        message: &str,
        on_text: &mut impl FnMut(&str),
    ) -> Result<(), ProviderError> {
        self.read_envelope(chunk);
        if let Some(error) = classify::embedded(self.endpoint, chunk) {
            return Err(error);
        }
        let Some(choices) = chunk.get("choices").and_then(Value::as_array) else {
            if let Some(text) = chunk.get("output_text").and_then(Value::as_str) {
                self.seen.choice = true;
                self.add_text(text, on_text);
            }
            return Ok(());
        };
        // A single answer was asked for; another index would interleave with it.
        let Some(choice) = choices.iter().find(|choice| choice.get("index").and_then(Value::as_u64).unwrap_or(0) == 0)
        else {
            return Ok(());
        };
        self.seen.choice = true;
        let message = choice.pointer(message).or_else(|| choice.get("message")).or_else(|| choice.get("delta"));
        if let Some(message) = message {
            self.read_message(message, on_text);
        }
        if let Some(text) = choice.get("text").and_then(Value::as_str) {
            self.add_text(text, on_text);
        }
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str).filter(|reason| !reason.is_empty()) {
            self.finish_reason = Some(reason.to_owned());
        }
        match self.finish_reason.as_deref() {
            Some("error") => {
                let detail = choice.get("error").map(Value::to_string).unwrap_or_default();
                Err(self.failed(if detail.is_empty() { "it stopped with an error" } else { &detail }))
            }
            _ => Ok(()),
        }
    }

    fn read_envelope(&mut self, chunk: &Value) {
        let text =
            |name: &str| chunk.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned);
        self.model = text("model").or(self.model.take());
        self.response_id = text("id").or(self.response_id.take());
        // Groq keeps the usage of a stream in its own corner.
        for usage in [chunk.get("usage"), chunk.pointer("/x_groq/usage")].into_iter().flatten() {
            self.usage.update(Usage::read(usage));
        }
        self.cost = reported_cost(chunk).or(self.cost);
    }

    fn read_message(&mut self, message: &Value, on_text: &mut impl FnMut(&str)) {
        match message.get("content") {
            Some(Value::String(text)) => self.add_text(text, on_text),
            Some(Value::Array(parts)) => {
                for part in parts {
                    if let Some(text) = part_text(part) {
                        self.add_text(text, on_text);
                    }
                }
            }
            _ => {}
        }
        if let Some(refusal) = message.get("refusal").and_then(Value::as_str) {
            self.refusal.push_str(refusal);
        }
        self.seen.tool_call |=
            message.get("tool_calls").and_then(Value::as_array).is_some_and(|calls| !calls.is_empty());
        self.seen.reasoning |= ["reasoning", "reasoning_content", "reasoning_details"]
            .iter()
            .any(|name| message.get(name).is_some_and(|value| !value.is_null()));
    }

    fn add_text(&mut self, text: &str, on_text: &mut impl FnMut(&str)) {
        if !text.is_empty() {
            self.text.push_str(text);
            on_text(text);
        }
    }

    /// The answer, or why what arrived is none.
    pub(super) fn into_answer(self) -> Result<ChatAnswer, ProviderError> {
        let finish = self.finish_reason.as_deref().unwrap_or_default();
        if finish == "content_filter" || (self.text.is_empty() && !self.refusal.is_empty()) {
            let detail =
                if self.refusal.is_empty() { "the answer was stopped by its content filter" } else { &self.refusal };
            let failure = Box::new(self.failure(detail));
            return Err(ProviderError::Refused { failure });
        }
        if !self.seen.choice {
            return Err(self.failed("the answer has no choices"));
        }
        if self.text.trim().is_empty() {
            let detail = match finish {
                "length" => "all output tokens went into reasoning and no text came; allow more output tokens",
                _ if self.seen.tool_call => "it answered with a tool call although no tool was offered",
                _ if self.seen.reasoning => "it sent reasoning and no answer",
                _ => "the answer has no text",
            };
            return Err(self.failed(detail));
        }
        Ok(ChatAnswer {
            text: self.text,
            model: self.model.unwrap_or_else(|| self.requested_model.to_owned()),
            finish_reason: self.finish_reason,
            response_id: self.response_id,
            usage: self.usage,
            cost: self.cost,
            quota: self.quota,
        })
    }

    fn failed(&self, detail: &str) -> ProviderError {
        ProviderError::Failed { failure: Box::new(self.failure(detail)) }
    }

    fn failure(&self, detail: &str) -> Failure {
        let detail = cut(&redact(detail, &self.endpoint.secrets()));
        let mut failure = Failure { status: Some(200), ..Failure::after_sending(&self.endpoint.provider, &detail) };
        self.complete_failure(&mut failure);
        failure
    }

    /// Adds what had arrived before a failure.
    pub(super) fn complete_failure(&self, failure: &mut Failure) {
        failure.received_chars = self.text.chars().count() as u64;
        failure.usage = self.usage;
        failure.cost = self.cost;
        if failure.quota.is_empty() {
            failure.quota.clone_from(&self.quota);
        }
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
