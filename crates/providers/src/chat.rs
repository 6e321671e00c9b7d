//! One chat request, sent once.

pub mod profile;
pub mod usage;

mod body;
mod reply;

use std::time::Duration;

use lwa_domain::{PicoUsd, ReasoningEffort};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use serde_json::{Map, Value};
use tokio::time::{Instant, timeout, timeout_at};

use crate::classify;
use crate::endpoint::Endpoint;
use crate::error::{Failure, ProviderError};
use crate::quota::quota_headers;
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
    /// The rate-limit headers.
    pub quota: Vec<(String, String)>,
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
    /// How long an answer that has begun may be silent. Heartbeats and reasoning are not silence.
    pub idle: Duration,
    /// How long to wait for usage and the end of the stream once the answer is complete.
    pub trailer: Duration,
    /// The most bytes of an answer.
    pub body_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { idle: Duration::from_mins(1), trailer: Duration::from_secs(5), body_bytes: 16 * 1024 * 1024 }
    }
}

/// Sends `request` to `endpoint` once and reads the answer; `on_text` gets each piece of text as it arrives.
///
/// Asks for a stream and takes a plain JSON answer as well.
/// Dropping the future closes the connection; what the provider does then is its own affair, so a caller that
/// pays lets it run to its end.
pub async fn chat(
    client: &reqwest::Client,
    endpoint: &Endpoint,
    request: &ChatRequest,
    on_text: impl FnMut(&str) + Send,
) -> Result<ChatAnswer, ProviderError> {
    chat_within(client, endpoint, request, Limits::default(), on_text).await
}

/// [`chat`] with other bounds.
pub async fn chat_within(
    client: &reqwest::Client,
    endpoint: &Endpoint,
    request: &ChatRequest,
    limits: Limits,
    on_text: impl FnMut(&str) + Send,
) -> Result<ChatAnswer, ProviderError> {
    let url = endpoint.url(&endpoint.chat_path)?;
    let mut headers = endpoint.header_map()?;
    let body = body::encode(&endpoint.provider, request)?;
    headers.entry(CONTENT_TYPE).or_insert(HeaderValue::from_static("application/json"));
    headers.entry(ACCEPT).or_insert(HeaderValue::from_static("text/event-stream, application/json"));
    let deadline = Instant::now() + endpoint.timeout;

    tracing::debug!(provider = %endpoint.provider, model = %request.model, bytes = body.len(), "calling provider");
    let sending = client.post(url).headers(headers).body(body).send();
    let response = match timeout_at(deadline, sending).await {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => return Err(classify::transport(endpoint, &error)),
        Err(_) => return Err(timed_out(endpoint, "no answer began", None)),
    };
    let status = response.status();
    if !status.is_success() {
        return Err(classify::read_failure(endpoint, response, deadline).await);
    }
    let mut reply =
        Reply::new(endpoint, request, limits.body_bytes, quota_headers(response.headers(), &endpoint.secrets()));
    match read_answer(response, &mut reply, deadline, limits, on_text).await {
        Ok(()) => reply.into_answer(),
        Err(mut error) => {
            reply.complete_failure(error.failure_mut());
            tracing::debug!(provider = %endpoint.provider, code = %error.code(), "provider call failed");
            Err(error)
        }
    }
}

async fn read_answer(
    mut response: reqwest::Response,
    reply: &mut Reply<'_>,
    deadline: Instant,
    limits: Limits,
    mut on_text: impl FnMut(&str) + Send,
) -> Result<(), ProviderError> {
    let mut wait_until = deadline;
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
            Err(_) => return Err(timed_out(reply.endpoint(), "the answer stopped arriving", Some(200))),
        };
        match reply.push(&chunk, &mut on_text)? {
            Progress::Done => return Ok(()),
            Progress::More if reply.has_finished() => wait_until = deadline.min(Instant::now() + limits.trailer),
            Progress::More => wait_until = deadline.min(Instant::now() + limits.idle),
        }
    }
}

fn timed_out(endpoint: &Endpoint, detail: &str, status: Option<u16>) -> ProviderError {
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
