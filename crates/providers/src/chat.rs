//! One chat request, sent once.

pub mod finish;
pub mod format;
pub mod profile;
pub mod usage;

pub(crate) mod body;
pub(crate) mod effort;
pub(crate) mod piece;
mod read;
mod reply;

use std::time::Duration;

use lwa_domain::{PicoUsd, ReasoningEffort};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use serde_json::{Map, Value};
use tokio::time::{Instant, timeout, timeout_at};

use crate::adapter::Adapter;
use crate::endpoint::Endpoint;
use crate::error::{Failure, ProviderError, Rejection};
use crate::quota::quota_headers;
use crate::{classify, cohere, gemini};
use finish::Finish;
use format::ResponseFormat;
use profile::ModelProfile;
use reply::{Progress, Reply};
use usage::Usage;

/// What to ask of which model.
#[derive(Clone)]
pub struct ChatRequest {
    /// The model's name at the provider.
    pub model: String,
    /// The system prompt.
    pub system: Option<String>,
    /// The prompt.
    pub prompt: String,
    /// The most tokens that the answer may have, reasoning included.
    pub max_output_tokens: u32,
    /// The temperature; sent only if the profile says that the model accepts one.
    pub temperature: Option<f32>,
    /// How long the model may think; refused before sending if the profile does not list it.
    pub reasoning_effort: Option<ReasoningEffort>,
    /// The shape that the answer must have; refused before sending if the model cannot promise it.
    pub response_format: Option<ResponseFormat>,
    /// Further fields of the body. Fields that could change the route, the text or the cost are refused.
    pub extra_body: Option<Map<String, Value>>,
    /// What the model accepts.
    pub profile: ModelProfile,
}

/// Prints sizes, never the text.
impl std::fmt::Debug for ChatRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChatRequest")
            .field("model", &self.model)
            .field("system_bytes", &self.system.as_ref().map(String::len))
            .field("prompt_bytes", &self.prompt.len())
            .field("max_output_tokens", &self.max_output_tokens)
            .field("reasoning_effort", &self.reasoning_effort)
            .finish_non_exhaustive()
    }
}

/// A complete answer.
#[derive(Clone, PartialEq, Eq)]
pub struct ChatAnswer {
    /// The text, without reasoning.
    pub text: String,
    /// The model that answered, as the provider names it; as requested if it names none.
    pub model: String,
    /// Why the answer ended, kept as the provider writes it.
    pub finish_reason: Option<String>,
    /// The provider's id for the answer.
    pub response_id: Option<String>,
    /// Token counts.
    pub usage: Usage,
    /// The cost, only if the provider states it.
    pub cost: Option<PicoUsd>,
    /// The rate-limit headers; [`crate::quota::observe`] reads them.
    pub quota: Vec<(String, String)>,
    /// What was asked for and sent in a weaker form, in sentences for people; mostly empty.
    pub notes: Vec<String>,
}

impl ChatAnswer {
    /// What the finish reason means; [`Finish::Other`] when there is none or nobody knows it.
    pub fn finish(&self) -> Finish {
        self.finish_reason.as_deref().map_or(Finish::Other, Finish::of)
    }
}

/// Prints sizes, never the text.
impl std::fmt::Debug for ChatAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChatAnswer")
            .field("text_bytes", &self.text.len())
            .field("model", &self.model)
            .field("finish_reason", &self.finish_reason)
            .field("usage", &self.usage)
            .field("cost", &self.cost)
            .finish_non_exhaustive()
    }
}

/// Bounds on an answer beside the endpoint's own time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How long to wait for the first byte of the answer; as long as the whole call may take when absent.
    ///
    /// Models that reason may be silent for minutes before they begin.
    pub first_byte: Option<Duration>,
    /// How long an answer that has begun may be silent. Heartbeats and reasoning are not silence.
    pub idle: Duration,
    /// How long to wait for usage and the end of the stream once the answer is complete.
    pub trailer: Duration,
    /// The most bytes of an answer.
    pub body_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            first_byte: None,
            idle: Duration::from_mins(1),
            trailer: Duration::from_secs(5),
            body_bytes: 16 * 1024 * 1024,
        }
    }
}

/// A request as it is sent.
pub(crate) struct Outgoing {
    /// The path and query after the base address.
    pub path: String,
    /// The body.
    pub body: Vec<u8>,
    /// What was made weaker on the way.
    pub notes: Vec<String>,
}

/// Sends `request` to `endpoint` once, in the protocol of `adapter`, and reads the answer; `on_text` gets each piece
/// of text as it arrives.
///
/// Asks for a stream and takes a plain JSON answer as well.
/// Dropping the future closes the connection; what the provider does then is its own affair, so a caller that
/// pays lets it run to its end.
pub async fn complete(
    client: &reqwest::Client,
    adapter: Adapter,
    endpoint: &Endpoint,
    request: &ChatRequest,
    limits: Limits,
    on_text: impl FnMut(&str) + Send,
) -> Result<ChatAnswer, ProviderError> {
    let outgoing = prepare(adapter, endpoint, request)?;
    let url = endpoint.url(&outgoing.path)?;
    let mut headers = endpoint.header_map_for(adapter)?;
    headers.entry(CONTENT_TYPE).or_insert(HeaderValue::from_static("application/json"));
    headers.entry(ACCEPT).or_insert(HeaderValue::from_static("text/event-stream, application/json"));
    let deadline = Instant::now() + endpoint.timeout;
    let first_byte = limits.first_byte.map_or(deadline, |limit| deadline.min(Instant::now() + limit));

    tracing::debug!(
        provider = %endpoint.provider, model = %request.model, bytes = outgoing.body.len(), "calling provider"
    );
    let sending = client.post(url).headers(headers).body(outgoing.body).send();
    let response = match timeout_at(first_byte, sending).await {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => return Err(classify::transport(endpoint, &error)),
        Err(_) => return Err(timed_out(endpoint, "no answer began", None)),
    };
    if !response.status().is_success() {
        return Err(classify::read_failure(endpoint, response, deadline).await);
    }
    let quota = quota_headers(response.headers(), &endpoint.secrets());
    let mut reply = Reply::new(adapter, endpoint, request, limits.body_bytes);
    reply.keep(quota, outgoing.notes);
    match read_answer(response, &mut reply, (first_byte, deadline), limits, on_text).await {
        Ok(()) => reply.into_answer(),
        Err(mut error) => {
            reply.complete_failure(error.failure_mut());
            tracing::debug!(provider = %endpoint.provider, code = %error.code(), "provider call failed");
            Err(error)
        }
    }
}

/// [`complete`] in the chat-completions protocol with the usual bounds.
pub async fn chat(
    client: &reqwest::Client,
    endpoint: &Endpoint,
    request: &ChatRequest,
    on_text: impl FnMut(&str) + Send,
) -> Result<ChatAnswer, ProviderError> {
    complete(client, Adapter::OpenAi, endpoint, request, Limits::default(), on_text).await
}

/// [`complete`] in the chat-completions protocol.
pub async fn chat_within(
    client: &reqwest::Client,
    endpoint: &Endpoint,
    request: &ChatRequest,
    limits: Limits,
    on_text: impl FnMut(&str) + Send,
) -> Result<ChatAnswer, ProviderError> {
    complete(client, Adapter::OpenAi, endpoint, request, limits, on_text).await
}

/// Whether `request` could be sent at all; what [`complete`] would refuse before sending, this refuses too.
///
/// For preparation: a plan that cannot be sent is not worth a person's consent.
pub fn check(adapter: Adapter, endpoint: &Endpoint, request: &ChatRequest) -> Result<Vec<String>, ProviderError> {
    let outgoing = prepare(adapter, endpoint, request)?;
    endpoint.url(&outgoing.path)?;
    Ok(outgoing.notes)
}

fn prepare(adapter: Adapter, endpoint: &Endpoint, request: &ChatRequest) -> Result<Outgoing, ProviderError> {
    match adapter {
        Adapter::OpenAi | Adapter::OpenAiMedia | Adapter::Puter => body::encode(endpoint, request),
        Adapter::Gemini => gemini::encode(endpoint, request),
        Adapter::Cohere => cohere::encode(endpoint, request),
        Adapter::Replicate | Adapter::Stability => {
            Err(refusal(&endpoint.provider, &format!("the adapter `{}` does not chat", adapter.as_str())))
        }
    }
}

/// The model does not accept what was asked, so nothing is sent.
pub(crate) fn refusal(provider: &str, detail: &str) -> ProviderError {
    ProviderError::Rejected {
        failure: Box::new(Failure::before_sending(provider, detail)),
        reason: Rejection::Unsupported,
    }
}

async fn read_answer(
    mut response: reqwest::Response,
    reply: &mut Reply<'_>,
    (first_byte, deadline): (Instant, Instant),
    limits: Limits,
    mut on_text: impl FnMut(&str) + Send,
) -> Result<(), ProviderError> {
    let mut wait_until = first_byte;
    loop {
        let chunk = match timeout_at(wait_until, response.chunk()).await {
            Ok(Ok(Some(chunk))) => chunk,
            Ok(Ok(None)) => return reply.end(&mut on_text),
            // The text is complete; that its trailer is missing is no reason to throw a paid answer away.
            Ok(Err(_)) | Err(_) if reply.has_finished() => return Ok(()),
            Ok(Err(error)) => return Err(classify::cut_answer(reply.endpoint(), &error)),
            Err(_) if wait_until == deadline => {
                return Err(timed_out(reply.endpoint(), "the whole call took too long", Some(200)));
            }
            Err(_) if reply.is_untouched() => {
                return Err(timed_out(reply.endpoint(), "no answer began", Some(200)));
            }
            Err(_) => return Err(timed_out(reply.endpoint(), "the answer stopped arriving", Some(200))),
        };
        match reply.push(&chunk, &mut on_text)? {
            Progress::Done => return Ok(()),
            Progress::More if reply.has_finished() => wait_until = deadline.min(Instant::now() + limits.trailer),
            Progress::More => wait_until = deadline.min(Instant::now() + limits.idle),
        }
    }
}

pub(crate) fn timed_out(endpoint: &Endpoint, detail: &str, status: Option<u16>) -> ProviderError {
    let failure = Failure { status, ..Failure::after_sending(&endpoint.provider, detail) };
    ProviderError::TimedOut { failure: Box::new(failure) }
}

/// Reads at most `limit` bytes of a body before `deadline`; what comes later is left unread.
pub(crate) async fn read_some(mut response: reqwest::Response, limit: usize, deadline: Instant) -> Vec<u8> {
    let mut bytes = Vec::new();
    let remaining = deadline.saturating_duration_since(Instant::now());
    let reading = async {
        while let Ok(Some(chunk)) = response.chunk().await {
            bytes.extend_from_slice(&chunk);
            if bytes.len() >= limit {
                bytes.truncate(limit);
                break;
            }
        }
    };
    // A body that stalls still has its status, and what did arrive is worth reading.
    let _in_time = timeout(remaining.min(Duration::from_secs(10)), reading).await;
    bytes
}
