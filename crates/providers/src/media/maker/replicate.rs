//! Replicate's predictions, for images, videos and text: every model has its own names for its inputs.

mod input;

use std::time::Duration;

use reqwest::header::HeaderValue;
use serde_json::{Value, json};

use super::{Answer, Maker, Phase, SMALL_REPLY, ended, filtered, handle, pace, path_with, ready, segment};
use crate::error::{ProviderError, Rejection};
use crate::media::MediaCall;
use crate::media::exchange::{Exchange, Reply, failed, rejected};
use crate::media::job::{Finished, JobHandle, JobState, Receipt, Source, Submitted};
use crate::media::request::{MediaKind, MediaRequest};

const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(15);

/// How long the provider may hold back its first reply in the hope of a result.
///
/// A minute would be allowed, but a job whose id we do not know yet is a job that a crash loses.
const HOLD: HeaderValue = HeaderValue::from_static("wait=1");

pub(super) struct Replicate;

impl Maker for Replicate {
    fn submit<'a>(&'a self, call: &'a MediaCall<'a>, request: &'a MediaRequest) -> Answer<'a, Submitted> {
        Box::pin(start(call, request))
    }

    fn poll<'a>(&'a self, call: &'a MediaCall<'a>, handle: &'a JobHandle) -> Answer<'a, JobState> {
        Box::pin(async {
            let path = path_with(call, "/predictions/{id}", &handle.id)?;
            let exchange = Exchange::get(&path, call.limits.exchange(call.endpoint));
            let reply = exchange.json(call, reply_size(call, handle.kind)).await?;
            state(call, handle, &reply)
        })
    }
}

async fn start(call: &MediaCall<'_>, request: &MediaRequest) -> Result<Submitted, ProviderError> {
    let input = Value::Object(input::fill(call, request)?);
    let (path, body) = match named(call, &request.model)? {
        Named { owner, name, version: None } => {
            (format!("/models/{}/{}/predictions", segment(call, owner)?, segment(call, name)?), json!({"input": input}))
        }
        Named { version: Some(version), .. } => {
            ("/predictions".to_owned(), json!({"version": version, "input": input}))
        }
    };
    let exchange = Exchange::post(&path, &body, call.limits.exchange(call.endpoint));
    let exchange = Exchange { header: Some(("prefer", HOLD)), ..exchange };
    let reply = exchange.json(call, reply_size(call, request.kind)).await?;
    let Some(id) = reply.text("/id") else {
        reply.refused(call)?;
        return Err(failed(call, "the answer names no job"));
    };
    let job = handle(call, request, id, receipt(call, &reply));
    // A job that has ended badly is told as such when it is asked about; only its success is taken at once.
    Ok(match state(call, &job, &reply) {
        Ok(JobState::Done { handle, text: None }) => Submitted::Job(*handle),
        Ok(JobState::Done { handle, text }) => {
            Submitted::Done(Finished { files: Vec::new(), text, receipt: handle.receipt })
        }
        _ => Submitted::Job(job),
    })
}

struct Named<'a> {
    owner: &'a str,
    name: &'a str,
    version: Option<&'a str>,
}

/// `owner/name`, or `owner/name:version`.
fn named<'a>(call: &MediaCall<'_>, model: &'a str) -> Result<Named<'a>, ProviderError> {
    let (path, version) = match model.split_once(':') {
        Some((path, version)) => (path, Some(version)),
        None => (model, None),
    };
    let is_word = |word: &str| {
        !word.is_empty()
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
            && !word.bytes().all(|byte| byte == b'.')
    };
    match path.split_once('/') {
        Some((owner, name)) if is_word(owner) && is_word(name) && version.is_none_or(is_word) => {
            Ok(Named { owner, name, version })
        }
        _ => Err(rejected(call, "its models are named `owner/name` or `owner/name:version`", Rejection::UnknownModel)),
    }
}

fn state(call: &MediaCall<'_>, handle: &JobHandle, reply: &Reply) -> Result<JobState, ProviderError> {
    let Some(word) = reply.text("/status") else {
        return Err(failed(call, "the answer does not say how the job is doing"));
    };
    Ok(match Phase::of(&word) {
        Phase::Working => JobState::Working { progress: None, wait: pace(handle, reply, FIRST_WAIT, LONGEST_WAIT) },
        Phase::Failed => {
            let reason = reply.text("/error").unwrap_or_else(|| format!("it was {word} and does not say why"));
            ended(call, reply, Some(reason))
        }
        Phase::Filtered => {
            JobState::ContentFiltered(filtered(call, &reply.body, "the result was stopped by a content filter"))
        }
        Phase::Done => done(call, handle, reply),
    })
}

/// A success without output is no success.
fn done(call: &MediaCall<'_>, handle: &JobHandle, reply: &Reply) -> JobState {
    let handle = JobHandle { receipt: receipt(call, reply), ..handle.clone() };
    let output = reply.body.get("output").unwrap_or(&Value::Null);
    if handle.kind == MediaKind::Text {
        let text = text(output);
        if !text.trim().is_empty() {
            return JobState::Done { handle: Box::new(handle), text: Some(text) };
        }
    } else {
        let sources = addresses(output);
        if !sources.is_empty() {
            return ready(&handle, sources);
        }
    }
    let detail = if reply.body.get("data_removed").and_then(Value::as_bool) == Some(true) {
        "the job is done and its output was deleted in the meantime"
    } else {
        "the job is done and has no output"
    };
    JobState::Failed { error: failed(call, detail), may_have_cost: true }
}

/// Language models write their text in pieces, which belong together as they are.
fn text(output: &Value) -> String {
    match output {
        Value::String(text) => text.clone(),
        Value::Array(pieces) => {
            pieces.iter().map(|piece| piece.as_str().map_or_else(|| piece.to_string(), str::to_owned)).collect()
        }
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn addresses(output: &Value) -> Vec<Source> {
    let is_address = |text: &&str| ["https://", "http://", "data:"].iter().any(|begin| text.starts_with(begin));
    let address = |value: &Value| value.as_str().filter(is_address).map(|text| Source::Address(text.to_owned()));
    match output {
        Value::Array(items) => items.iter().filter_map(address).collect(),
        // Some models name their results.
        Value::Object(fields) => fields.values().filter_map(address).collect(),
        single => address(single).into_iter().collect(),
    }
}

fn receipt(call: &MediaCall<'_>, reply: &Reply) -> Receipt {
    let metric = |name: &str| reply.body.pointer(&format!("/metrics/{name}"));
    let work = metric("predict_time").and_then(Value::as_f64).and_then(|time| Duration::try_from_secs_f64(time).ok());
    Receipt {
        input_tokens: metric("input_token_count").and_then(Value::as_u64),
        output_tokens: metric("output_token_count").and_then(Value::as_u64),
        work_ms: work.and_then(|work| u64::try_from(work.as_millis()).ok()),
        ..reply.receipt(call)
    }
}

/// Small results can come inside the reply.
fn reply_size(call: &MediaCall<'_>, kind: MediaKind) -> usize {
    match kind {
        MediaKind::Video => SMALL_REPLY,
        MediaKind::Image | MediaKind::Text => super::reply_bytes(call, kind),
    }
}
