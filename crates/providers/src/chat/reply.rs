//! An answer in the making: a stream of events, or one JSON document.

use serde_json::Value;

use super::finish::Finish;
use super::piece::{Fault, Piece, Seen};
use super::read;
use super::usage::Usage;
use super::{ChatAnswer, ChatRequest};
use crate::adapter::Adapter;
use crate::endpoint::Endpoint;
use crate::error::{Failure, ProviderError, cut};
use crate::facts::{self, UsageFacts};
use crate::redact::redact;
use crate::sse::{SseEvent, SseParser};
use crate::{classify, cohere, gemini};
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
    adapter: Adapter,
    endpoint: &'a Endpoint,
    meaning: &'static UsageFacts,
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
    notes: Vec<String>,
    seen: Seen,
    is_done: bool,
}

impl<'a> Reply<'a> {
    pub(super) fn new(adapter: Adapter, endpoint: &'a Endpoint, request: &'a ChatRequest, body_limit: usize) -> Self {
        Self {
            adapter,
            endpoint,
            meaning: &facts::for_endpoint(endpoint).usage,
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
            quota: Vec::new(),
            notes: Vec::new(),
            seen: Seen::default(),
            is_done: false,
        }
    }

    /// Keeps what is known before the body: the rate-limit headers, and what was sent in a weaker form.
    pub(super) fn keep(&mut self, quota: Vec<(String, String)>, notes: Vec<String>) {
        self.quota = quota;
        self.notes = notes;
    }

    /// Whether not one byte of the body that means anything has come.
    pub(super) fn is_untouched(&self) -> bool {
        matches!(self.shape, Shape::Undecided(_))
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
            if self.take_chunk(&chunk, &event.event, on_text)? == Progress::Done {
                return Ok(Progress::Done);
            }
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
                self.take_chunk(&document, "", on_text)?;
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
        event: &str,
        on_text: &mut impl FnMut(&str),
    ) -> Result<Progress, ProviderError> {
        let is_stream = matches!(self.shape, Shape::Events(_));
        // A stream that was asked for and not delivered as one: the events stand in a list.
        let chunks: &[Value] = match chunk {
            Value::Array(chunks) if !is_stream && self.adapter == Adapter::Gemini => chunks,
            chunk => std::slice::from_ref(chunk),
        };
        for chunk in chunks {
            let piece = match self.adapter {
                Adapter::Gemini => gemini::piece(chunk),
                Adapter::Cohere => cohere::piece(chunk, event),
                _ => read::piece(chunk, is_stream, self.meaning),
            };
            let error = classify::embedded(self.endpoint, chunk);
            let fault = self.take_piece(piece, on_text);
            if let Some(error) = error.or(fault) {
                return Err(error);
            }
        }
        Ok(if self.is_done { Progress::Done } else { Progress::More })
    }

    fn take_piece(&mut self, piece: Piece, on_text: &mut impl FnMut(&str)) -> Option<ProviderError> {
        self.model = piece.model.or(self.model.take());
        self.response_id = piece.response_id.or(self.response_id.take());
        self.finish_reason = piece.finish_reason.or(self.finish_reason.take());
        self.usage.update(piece.usage);
        self.cost = piece.cost.or(self.cost);
        self.seen.add(piece.seen);
        self.refusal.push_str(piece.refusal.as_deref().unwrap_or_default());
        for text in &piece.texts {
            self.text.push_str(text);
            on_text(text);
        }
        self.is_done |= piece.is_last;
        Some(match piece.fault? {
            Fault::Refused(detail) => ProviderError::Refused { failure: Box::new(self.failure(&detail)) },
            Fault::Failed(detail) => self.failed(&detail),
            Fault::TimedOut(detail) => ProviderError::TimedOut { failure: Box::new(self.failure(&detail)) },
        })
    }

    /// The answer, or why what arrived is none.
    pub(super) fn into_answer(self) -> Result<ChatAnswer, ProviderError> {
        let finish = self.finish_reason.as_deref().map_or(Finish::Other, Finish::of);
        if finish == Finish::Filtered || (self.text.is_empty() && !self.refusal.is_empty()) {
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
                Finish::Length => "all output tokens went into reasoning and no text came; allow more output tokens",
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
            notes: self.notes,
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
