//! What every kind of provider has to be able to do, and what they share.

mod chat_address;
mod images;
mod jobs;
mod replicate;
mod stability;
mod venice;

use std::time::Duration;

use futures_util::future::BoxFuture;
use lwa_domain::PicoUsd;
use serde_json::Value;

use super::MediaCall;
use super::exchange::{Reply, failed, failure};
use super::fetch::{FetchError, decoded};
use super::file::MediaFile;
use super::job::{Charge, ContentFilter, JobHandle, JobState, Receipt, Source, Submitted, now};
use super::request::{MediaKind, MediaRequest};
use super::shape::{self, Protocol};
use crate::error::ProviderError;

pub(crate) type Answer<'a, T> = BoxFuture<'a, Result<T, ProviderError>>;

/// One way of making media. Whatever it returns as an error happened in one exchange.
pub(crate) trait Maker: Send + Sync {
    /// The price of exactly this request, where the provider tells one.
    fn quote<'a>(&'a self, _call: &'a MediaCall<'a>, _request: &'a MediaRequest) -> Answer<'a, Option<PicoUsd>> {
        Box::pin(async { Ok(None) })
    }

    /// Starts a job.
    fn submit<'a>(&'a self, call: &'a MediaCall<'a>, request: &'a MediaRequest) -> Answer<'a, Submitted>;

    /// Asks about a job that is not ready.
    fn poll<'a>(&'a self, call: &'a MediaCall<'a>, _handle: &'a JobHandle) -> Answer<'a, JobState> {
        // Whoever answers at once hands out ready handles only.
        Box::pin(async { Err(failed(call, "this provider has no jobs to ask about")) })
    }

    /// Lets the provider forget a result.
    fn release<'a>(&'a self, _call: &'a MediaCall<'a>, _handle: &'a JobHandle) -> Answer<'a, ()> {
        Box::pin(async { Ok(()) })
    }
}

/// The maker that `shape` names for this kind.
pub(crate) fn maker_for(shape: &str, kind: MediaKind) -> Option<Box<dyn Maker>> {
    Some(match shape::find(shape)?.protocol(kind)? {
        Protocol::Images(shape) => Box::new(images::Images { shape }),
        Protocol::Jobs(shape) => Box::new(jobs::Jobs { shape }),
        Protocol::Venice => Box::new(venice::Venice),
        Protocol::Stability => Box::new(stability::Stability),
        Protocol::Replicate => Box::new(replicate::Replicate),
        Protocol::ChatAddress => Box::new(chat_address::ChatAddress),
    })
}

/// A handle for a job that was just started.
fn handle(call: &MediaCall<'_>, request: &MediaRequest, id: String, receipt: Receipt) -> JobHandle {
    JobHandle {
        provider: call.endpoint.provider.clone(),
        model: request.model.clone(),
        kind: request.kind,
        shape: request.shape.clone(),
        id,
        submitted_at: now(),
        wanted_format: (request.kind == MediaKind::Image).then_some(request.options.output_format),
        receipt,
        sources: Vec::new(),
        later: Vec::new(),
    }
}

/// A handle whose results only have to be fetched.
fn ready(handle: &JobHandle, sources: Vec<Source>) -> JobState {
    JobState::Done { handle: Box::new(JobHandle { sources, ..handle.clone() }), text: None }
}

/// What a job's state word means, in all the ways that providers write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Working,
    Done,
    Failed,
    Filtered,
}

impl Phase {
    /// An unknown word means that the job goes on: it neither loses a result nor pretends one.
    fn of(word: &str) -> Self {
        match word.to_ascii_lowercase().as_str() {
            "completed" | "succeeded" | "succeed" | "success" => Self::Done,
            "failed" | "fail" | "failure" | "error" | "cancelled" | "canceled" | "aborted" | "expired" => Self::Failed,
            "content_filtered" | "moderated" | "content_moderated" | "request_moderated" => Self::Filtered,
            _ => Self::Working,
        }
    }
}

/// How long to wait before the next question: longer for an older job, and never shorter than the provider asks.
///
/// It depends on the job's age alone, so it goes on where it was after a restart.
fn pace(handle: &JobHandle, reply: &Reply, first: Duration, longest: Duration) -> Duration {
    let grown = Duration::from_secs(handle.age().as_secs() / 6).clamp(first, longest.max(first));
    reply.retry_after().map_or(grown, |asked| grown.max(asked))
}

/// How a job ended that the provider calls failed: by its content, or otherwise.
fn ended(call: &MediaCall<'_>, reply: &Reply, reason: Option<String>) -> JobState {
    let said = reason.clone().unwrap_or_default();
    let error = reply.job_error(call, reason);
    let error = if speaks_of_content(&reply.body, &said) {
        ProviderError::Refused { failure: Box::new(error.failure().clone()) }
    } else {
        error
    };
    match error {
        ProviderError::Refused { failure } => {
            JobState::ContentFiltered(ContentFilter { failure, charge: charge_of(&reply.body) })
        }
        error => JobState::Failed { error, may_have_cost: true },
    }
}

/// A refusal that came as a success.
fn filtered(call: &MediaCall<'_>, body: &Value, detail: &str) -> ContentFilter {
    ContentFilter { failure: Box::new(failure(call, detail)), charge: charge_of(body) }
}

fn charge_of(body: &Value) -> Charge {
    match body.pointer("/error/credits_refunded").or_else(|| body.get("credits_refunded")).and_then(Value::as_bool) {
        Some(true) => Charge::NotCharged,
        Some(false) => Charge::Charged,
        None => Charge::Unknown,
    }
}

/// Whether a failure is about the content; makers of images have words for that which chats do not use.
fn speaks_of_content(body: &Value, reason: &str) -> bool {
    let mut words = reason.to_lowercase();
    for pointer in ["/error", "/error/code", "/error/type", "/error/message", "/reason"] {
        if let Some(text) = body.pointer(pointer).and_then(Value::as_str) {
            words.push(' ');
            words.push_str(&text.to_lowercase());
        }
    }
    let phrases = [
        "nsfw",
        "content_policy",
        "content policy",
        "moderation",
        "sensitive content",
        "flagged as sensitive",
        "safety checker",
        "safety filter",
        "safety policy",
        "safety system",
    ];
    phrases.iter().any(|phrase| words.contains(phrase))
}

/// Bytes that came inside a reply.
fn inline_file(call: &MediaCall<'_>, kind: MediaKind, digits: &str) -> Result<MediaFile, ProviderError> {
    let digits = digits.split_once(";base64,").map_or(digits, |(_, digits)| digits);
    let bytes = match decoded(digits, call.limits.bytes(kind)) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Err(failed(call, "its base64 is damaged")),
        Err(error @ FetchError::TooLarge { .. }) => return Err(failed(call, &error.to_string())),
        Err(_) => return Err(failed(call, "the file in its answer cannot be read")),
    };
    MediaFile::new(bytes).map_err(|found| failed(call, &format!("{} came in place of a {kind}", found.as_str())))
}

/// The most bytes of a reply that holds files in base64.
fn reply_bytes(call: &MediaCall<'_>, kind: MediaKind) -> usize {
    usize::try_from(call.limits.bytes(kind) / 3 * 4 + SMALL_REPLY as u64).unwrap_or(usize::MAX)
}

/// The most bytes of a reply that holds words only.
const SMALL_REPLY: usize = 1_000_000;

/// `template` with a job's id in place of `{id}`, so that no id can lead elsewhere.
fn path_with(call: &MediaCall<'_>, template: &str, id: &str) -> Result<String, ProviderError> {
    Ok(template.replace("{id}", &segment(call, id)?))
}

/// A name as one part of a path.
fn segment(call: &MediaCall<'_>, name: &str) -> Result<String, ProviderError> {
    // An address reads these two as a way upwards, however they are written.
    if name.is_empty() || name.len() > 500 || name == "." || name == ".." {
        return Err(failed(call, "the job's id cannot be part of an address"));
    }
    let mut encoded = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~' | b':' | b'@') {
            encoded.push(char::from(byte));
        } else {
            encoded.push('%');
            for half in [byte >> 4, byte & 15] {
                encoded.push(char::from_digit(u32::from(half), 16).unwrap_or('0').to_ascii_uppercase());
            }
        }
    }
    Ok(encoded)
}
