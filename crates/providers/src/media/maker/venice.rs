//! Venice's videos: a price for exactly this video, a queue, and an answer that is a status or the video itself.

use std::time::Duration;

use lwa_domain::PicoUsd;
use reqwest::StatusCode;
use reqwest::header::CONTENT_TYPE;
use serde_json::{Map, Value, json};

use super::{Answer, Maker, Phase, SMALL_REPLY, charge_of, ended, handle, pace, ready};
use crate::classify;
use crate::decimal::dollars;
use crate::error::ProviderError;
use crate::media::MediaCall;
use crate::media::exchange::{Exchange, Pending, failed};
use crate::media::job::{ContentFilter, JobHandle, JobState, Source, Submitted};
use crate::media::request::MediaRequest;

const FIRST_WAIT: Duration = Duration::from_secs(3);
const LONGEST_WAIT: Duration = Duration::from_secs(20);

pub(super) struct Venice;

impl Maker for Venice {
    fn quote<'a>(&'a self, call: &'a MediaCall<'a>, request: &'a MediaRequest) -> Answer<'a, Option<PicoUsd>> {
        Box::pin(price(call, request))
    }

    fn submit<'a>(&'a self, call: &'a MediaCall<'a>, request: &'a MediaRequest) -> Answer<'a, Submitted> {
        Box::pin(start(call, request))
    }

    fn poll<'a>(&'a self, call: &'a MediaCall<'a>, handle: &'a JobHandle) -> Answer<'a, JobState> {
        Box::pin(ask(call, handle))
    }

    fn release<'a>(&'a self, call: &'a MediaCall<'a>, handle: &'a JobHandle) -> Answer<'a, ()> {
        Box::pin(async {
            let body = json!({"model": handle.model, "queue_id": handle.id});
            let exchange = Exchange::post("/video/complete", &body, call.limits.exchange(call.endpoint));
            exchange.json(call, SMALL_REPLY).await.map(|_| ())
        })
    }
}

/// What decides the price; the prompt does not.
fn priced(request: &MediaRequest) -> Map<String, Value> {
    let size = request.options.size;
    [
        ("model", request.model.clone()),
        ("duration", format!("{}s", request.options.seconds)),
        ("resolution", size.resolution()),
        ("aspect_ratio", size.ratio()),
    ]
    .map(|(name, value)| (name.to_owned(), value.into()))
    .into_iter()
    .collect()
}

async fn price(call: &MediaCall<'_>, request: &MediaRequest) -> Result<Option<PicoUsd>, ProviderError> {
    let body = Value::Object(priced(request));
    let exchange = Exchange::post("/video/quote", &body, call.limits.exchange(call.endpoint));
    let reply = exchange.json(call, SMALL_REPLY).await?.refused(call)?;
    match reply.body.get("quote").and_then(dollars) {
        Some(price) => Ok(Some(price)),
        None => Err(failed(call, "the answer names no price")),
    }
}

async fn start(call: &MediaCall<'_>, request: &MediaRequest) -> Result<Submitted, ProviderError> {
    let mut body = priced(request);
    body.insert("prompt".to_owned(), request.prompt.clone().into());
    let body = Value::Object(body);
    let exchange = Exchange::post("/video/queue", &body, call.limits.exchange(call.endpoint));
    let pending = match refusal(call, exchange.send(call).await?).await? {
        Ok(pending) => pending,
        Err(filter) => return Ok(Submitted::ContentFiltered(filter)),
    };
    let reply = pending.json(call, SMALL_REPLY).await?;
    let Some(id) = reply.text("/queue_id") else {
        reply.refused(call)?;
        return Err(failed(call, "the answer names no job"));
    };
    let job = handle(call, request, id, reply.receipt(call));
    // Private models tell the address of the video now and never again.
    let Some(address) = reply.text("/download_url") else { return Ok(Submitted::Job(job)) };
    Ok(Submitted::Job(JobHandle { later: vec![Source::Address(address)], ..job }))
}

async fn ask(call: &MediaCall<'_>, handle: &JobHandle) -> Result<JobState, ProviderError> {
    let body = json!({"model": handle.model, "queue_id": handle.id});
    let exchange = Exchange::post("/video/retrieve", &body, call.limits.exchange(call.endpoint));
    let pending = match refusal(call, exchange.send(call).await?).await? {
        Ok(pending) => pending.successful(call).await?,
        Err(filter) => return Ok(JobState::ContentFiltered(filter)),
    };
    let again = Source::Provider { path: "/video/retrieve".to_owned(), body: Some(body) };
    let content_type = pending.response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    if content_type.is_some_and(|content_type| content_type.starts_with("video/")) {
        // The video is not read here: it stays at the provider and is asked for again when it can be written down.
        return Ok(ready(handle, vec![again]));
    }
    let reply = pending.json(call, SMALL_REPLY).await?;
    let Some(word) = reply.text("/status") else {
        reply.refused(call)?;
        return Err(failed(call, "the answer does not say how the job is doing"));
    };
    Ok(match Phase::of(&word) {
        Phase::Working => {
            let millis = |name: &str| reply.body.get(name).and_then(Value::as_f64).filter(|value| *value > 0.0);
            let spent = millis("execution_duration").zip(millis("average_execution_time"));
            let progress = spent.map(|(spent, usual)| percent(spent, usual));
            JobState::Working { progress, wait: pace(handle, &reply, FIRST_WAIT, LONGEST_WAIT) }
        }
        Phase::Done => {
            let sources = if handle.later.is_empty() { vec![again] } else { handle.later.clone() };
            ready(handle, sources)
        }
        Phase::Failed | Phase::Filtered => ended(call, &reply, None),
    })
}

/// How far a job of the usual length would be. It is an estimate and never says that the job is done.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 99 by then")]
fn percent(spent: f64, usual: f64) -> u8 {
    (spent / usual * 100.0).clamp(0.0, 99.0) as u8
}

/// A refusal for the content, which tells whether the credits came back; any other reply is handed on.
async fn refusal(call: &MediaCall<'_>, pending: Pending) -> Result<Result<Pending, ContentFilter>, ProviderError> {
    if pending.response.status() != StatusCode::UNPROCESSABLE_ENTITY {
        return Ok(Ok(pending));
    }
    let body = pending.any_json().await;
    let mut error = classify::embedded(call.endpoint, &body)
        .unwrap_or_else(|| failed(call, "it cannot process the request and does not say why"));
    error.failure_mut().status = Some(StatusCode::UNPROCESSABLE_ENTITY.as_u16());
    match error {
        ProviderError::Refused { failure } => Ok(Err(ContentFilter { failure, charge: charge_of(&body) })),
        other => Err(other),
    }
}
