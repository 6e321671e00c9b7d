//! One exchange with a provider: sent once, bounded in time and size, read as JSON or as bytes.

use std::time::Duration;

use jiff::Timestamp;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Method, Response};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::job::Receipt;
use super::{MediaCall, form};
use crate::chat::read_some;
use crate::chat::usage::reported_cost;
use crate::classify;
use crate::error::{Failure, ProviderError, Rejection, cut};
use crate::quota::{quota_headers, retry_after};
use crate::redact::redact;

/// As much of a refusal as is read.
const FAILURE_BYTES: usize = 64 * 1024;

/// What to send.
pub(crate) struct Exchange<'a> {
    pub(crate) method: Method,
    pub(crate) path: &'a str,
    pub(crate) payload: Payload<'a>,
    /// A header beside the usual ones.
    pub(crate) header: Option<(&'static str, HeaderValue)>,
    /// The longest that the exchange may take.
    pub(crate) limit: Duration,
}

pub(crate) enum Payload<'a> {
    None,
    Json(&'a Value),
    Form(&'a [(&'a str, String)]),
}

impl<'a> Exchange<'a> {
    pub(crate) fn get(path: &'a str, limit: Duration) -> Self {
        Self { method: Method::GET, path, payload: Payload::None, header: None, limit }
    }

    pub(crate) fn post(path: &'a str, body: &'a Value, limit: Duration) -> Self {
        Self { method: Method::POST, path, payload: Payload::Json(body), header: None, limit }
    }

    pub(crate) fn form(path: &'a str, fields: &'a [(&'a str, String)], limit: Duration) -> Self {
        Self { method: Method::POST, path, payload: Payload::Form(fields), header: None, limit }
    }

    /// Sends it; the reply's status is still to be looked at.
    pub(crate) async fn send(self, call: &MediaCall<'_>) -> Result<Pending, ProviderError> {
        let endpoint = call.endpoint;
        let url = endpoint.url(self.path)?;
        let mut headers = endpoint.header_map()?;
        let (body, content_type) = match self.payload {
            Payload::None => (Vec::new(), None),
            Payload::Json(value) => {
                let body = serde_json::to_vec(value)
                    .map_err(|_| unsupported(call, "the request cannot be written as JSON"))?;
                (body, Some("application/json".to_owned()))
            }
            Payload::Form(fields) => {
                let form = form::encode(fields);
                (form.body, Some(form.content_type))
            }
        };
        if let Some(value) = content_type.as_deref().and_then(|text| HeaderValue::from_str(text).ok()) {
            headers.insert(CONTENT_TYPE, value);
        }
        headers.entry(ACCEPT).or_insert(HeaderValue::from_static("application/json"));
        if let Some((name, value)) = self.header {
            headers.insert(name, value);
        }
        let deadline = Instant::now() + self.limit;
        tracing::debug!(provider = %endpoint.provider, path = self.path, bytes = body.len(), "asking for media");
        let sending = call.client.request(self.method, url).headers(headers).body(body).send();
        let response = match timeout_at(deadline, sending).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(classify::transport(endpoint, &error)),
            Err(_) => return Err(timed_out(call, "no answer began", None)),
        };
        Ok(Pending { response, deadline })
    }

    /// Sends it and reads the JSON of a successful reply, at most `size` bytes of it.
    pub(crate) async fn json(self, call: &MediaCall<'_>, size: usize) -> Result<Reply, ProviderError> {
        self.send(call).await?.json(call, size).await
    }
}

/// A reply whose body is still to be read.
pub(crate) struct Pending {
    pub(crate) response: Response,
    pub(crate) deadline: Instant,
}

impl Pending {
    /// A reply that is no success becomes an error.
    pub(crate) async fn successful(self, call: &MediaCall<'_>) -> Result<Self, ProviderError> {
        if self.response.status().is_success() {
            Ok(self)
        } else {
            Err(classify::read_failure(call.endpoint, self.response, self.deadline).await)
        }
    }

    /// What JSON there is, whatever the status; null if there is none.
    pub(crate) async fn any_json(self) -> Value {
        serde_json::from_slice(&read_some(self.response, FAILURE_BYTES, self.deadline).await).unwrap_or_default()
    }

    /// Reads the JSON of a successful reply, at most `size` bytes of it.
    pub(crate) async fn json(self, call: &MediaCall<'_>, size: usize) -> Result<Reply, ProviderError> {
        let Self { mut response, deadline } = self.successful(call).await?;
        let headers = response.headers().clone();
        let mut bytes = Vec::new();
        loop {
            match timeout_at(deadline, response.chunk()).await {
                Ok(Ok(Some(chunk))) if bytes.len() + chunk.len() > size => {
                    return Err(failed(call, &format!("its answer is larger than {} MB", size / 1_000_000)));
                }
                Ok(Ok(Some(chunk))) => bytes.extend_from_slice(&chunk),
                Ok(Ok(None)) => break,
                Ok(Err(error)) => return Err(classify::cut_answer(call.endpoint, &error)),
                Err(_) => return Err(timed_out(call, "the answer stopped arriving", Some(200))),
            }
        }
        let Ok(body) = serde_json::from_slice::<Value>(&bytes) else {
            return Err(failed(call, "malformed JSON response"));
        };
        Ok(Reply { headers, body })
    }
}

/// A successful reply.
pub(crate) struct Reply {
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl Reply {
    /// Whether an error hides behind the success.
    pub(crate) fn refused(self, call: &MediaCall<'_>) -> Result<Self, ProviderError> {
        match classify::embedded(call.endpoint, &self.body) {
            Some(error) => Err(error),
            None => Ok(self),
        }
    }

    /// The text at `pointer`, if there is some; a number counts as text.
    pub(crate) fn text(&self, pointer: &str) -> Option<String> {
        match self.body.pointer(pointer)? {
            Value::String(text) if !text.is_empty() => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    /// What is said about cost and usage.
    pub(crate) fn receipt(&self, call: &MediaCall<'_>) -> Receipt {
        let count = |names: [&str; 2]| {
            let usage = self.body.get("usage")?;
            names.iter().find_map(|name| usage.get(name).and_then(Value::as_u64))
        };
        Receipt {
            cost: reported_cost(&self.body),
            input_tokens: count(["input_tokens", "prompt_tokens"]),
            output_tokens: count(["output_tokens", "completion_tokens"]),
            work_ms: None,
            quota: quota_headers(&self.headers, &call.endpoint.secrets()),
        }
    }

    /// How long the provider asks to wait.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        retry_after(&self.headers, None, "", Timestamp::now())
    }

    /// Why the job failed, which this reply tells.
    pub(crate) fn job_error(&self, call: &MediaCall<'_>, reason: Option<String>) -> ProviderError {
        if let Some(reason) = reason {
            return failed(call, &format!("the job failed: {reason}"));
        }
        classify::embedded(call.endpoint, &self.body)
            .unwrap_or_else(|| failed(call, "the job failed and it does not say why"))
    }
}

/// A reply that was a success and is of no use.
pub(crate) fn failed(call: &MediaCall<'_>, detail: &str) -> ProviderError {
    ProviderError::Failed { failure: Box::new(failure(call, detail)) }
}

pub(crate) fn failure(call: &MediaCall<'_>, detail: &str) -> Failure {
    let detail = cut(&redact(detail, &call.endpoint.secrets()));
    Failure { status: Some(200), ..Failure::after_sending(&call.endpoint.provider, &detail) }
}

/// A request that is not sent because the model does not take it.
pub(crate) fn unsupported(call: &MediaCall<'_>, detail: &str) -> ProviderError {
    rejected(call, detail, Rejection::Unsupported)
}

/// A request that is not sent because the configuration does not fit it.
pub(crate) fn misconfigured(call: &MediaCall<'_>, detail: &str) -> ProviderError {
    rejected(call, detail, Rejection::Misconfigured)
}

pub(crate) fn rejected(call: &MediaCall<'_>, detail: &str, reason: Rejection) -> ProviderError {
    let failure = Failure::before_sending(&call.endpoint.provider, detail);
    ProviderError::Rejected { failure: Box::new(failure), reason }
}

pub(crate) fn timed_out(call: &MediaCall<'_>, detail: &str, status: Option<u16>) -> ProviderError {
    let failure = Failure { status, ..Failure::after_sending(&call.endpoint.provider, detail) };
    ProviderError::TimedOut { failure: Box::new(failure) }
}
