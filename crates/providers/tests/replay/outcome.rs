//! Playing a shape, and comparing what came of it with what is expected.

use std::sync::LazyLock;
use std::time::Duration;

use jiff::Timestamp;
use lwa_providers::{
    ChatAnswer, ChatRequest, Confidence, Endpoint, LimitKind, Limits, ModelProfile, ProviderError, ProxySettings,
    QuotaKind, QuotaObservation, Rejection, Usage, complete, http_client_with, observe, probe,
};
use lwa_secrets::Secret;

use crate::job::{self, Job};
use crate::mock::{Mock, Step};
use crate::shape::{KEY, Plays, Shape};

/// The moment at which the recorded headers are read: 2026-11-29, 10:00 UTC.
const NOW: i64 = 1_795_946_400;

/// One client for all: making one reads the system's certificates.
pub fn client() -> reqwest::Client {
    static CLIENT: LazyLock<reqwest::Client> = LazyLock::new(|| http_client_with(&ProxySettings::default()).unwrap());
    CLIENT.clone()
}

pub fn endpoint(shape: &Shape, mock: &Mock) -> Endpoint {
    Endpoint {
        key: Some(Secret::new(KEY.to_owned())),
        models_path: shape.models_path.clone(),
        timeout: Duration::from_secs(30),
        ..Endpoint::new(shape.provider.clone(), mock.base_url())
    }
}

pub fn request() -> ChatRequest {
    ChatRequest {
        model: "example-model".to_owned(),
        system: Some("Be brief.".to_owned()),
        prompt: "What is the answer?".to_owned(),
        max_output_tokens: 64,
        temperature: None,
        reasoning_effort: None,
        response_format: None,
        extra_body: None,
        profile: ModelProfile::default(),
    }
}

/// What came of a call when nothing went wrong.
#[derive(Debug)]
pub enum Came {
    Answer(Box<ChatAnswer>),
    Job(Job),
}

/// One call of which the mock plays `play`: what came of it, and the text as it arrived.
pub async fn call(shape: &Shape, play: Vec<Step>) -> (Result<Came, ProviderError>, String) {
    let mock = Mock::start(vec![play]).await;
    let mut text = String::new();
    let endpoint = endpoint(shape, &mock);
    let outcome = if shape.is_media() {
        job::ask(shape, &endpoint).await.map(Came::Job)
    } else {
        let on_text = |piece: &str| text.push_str(piece);
        let answer = complete(&client(), shape.adapter, &endpoint, &request(), Limits::default(), on_text).await;
        answer.map(|answer| Came::Answer(Box::new(answer)))
    };
    let asked = mock.asked();
    assert_eq!(asked.len(), 1, "{}: one call is one request: {outcome:?}", shape.id());
    let path = asked[0].head.lines().next().unwrap();
    assert!(!path.contains(KEY), "{}: {path}", shape.id());
    assert!(!String::from_utf8_lossy(&asked[0].body).contains(KEY), "{}", shape.id());
    assert_eq!(asked[0].head.matches(KEY).count(), 1, "{}: the key stands in one header", shape.id());
    if let Err(error) = &outcome {
        for words in [error.to_string(), format!("{error:?}")] {
            assert!(!words.contains("visibly-fake"), "{}: {words}", shape.id());
        }
    }
    (outcome, text)
}

/// Plays `play` and compares everything that is expected.
pub async fn check(shape: &Shape, play: Vec<Step>) {
    match shape.expect.plays {
        Plays::Balance => return job::check_balance(shape, play).await,
        _ if shape.is_list() => return check_list(shape, play).await,
        Plays::Call | Plays::Poll => {}
    }
    let (outcome, text) = call(shape, play).await;
    let (id, expect) = (shape.id(), &shape.expect);
    assert_eq!(word(&outcome), expect.outcome, "{id}: {outcome:?}");
    match outcome {
        Ok(Came::Job(job)) => {
            assert_eq!((&job.text, job.files), (&expect.text, expect.files), "{id}");
            let receipt = job.receipt.unwrap_or_default();
            assert_eq!((receipt.input_tokens, receipt.output_tokens), (expect.input, expect.output), "{id}");
            assert_eq!(quota(shape, &receipt.quota), expect.quota, "{id}");
        }
        Ok(Came::Answer(answer)) => {
            assert_eq!(Some(&answer.text), expect.text.as_ref(), "{id}");
            assert_eq!(answer.text, text, "{id}: what arrived in pieces is the whole");
            assert_eq!(answer.finish_reason, expect.finish, "{id}");
            if let Some(model) = &expect.model {
                assert_eq!(answer.model, *model, "{id}");
            }
            assert_counts(shape, &answer.usage);
            assert_eq!(answer.cost.map(lwa_domain::PicoUsd::get), expect.cost_pico, "{id}: cost");
            assert_eq!(quota(shape, &answer.quota), expect.quota, "{id}");
        }
        Err(error) => {
            let wait = error.retry_after().map(|wait| u64::try_from(wait.as_millis()).unwrap());
            assert_eq!(wait, expect.retry_after_ms, "{id}: {error:?}");
            assert_eq!(error.failure().received_chars, expect.received, "{id}");
            if let Some(says) = &expect.says {
                assert!(error.to_string().contains(says.as_str()), "{id}: {error}");
            }
            if expect.input.is_some() || expect.output.is_some() {
                assert_counts(shape, &error.failure().usage);
            }
            if expect.cost_pico.is_some() {
                assert_eq!(error.failure().cost.map(lwa_domain::PicoUsd::get), expect.cost_pico, "{id}: cost");
            }
            if !expect.quota.is_empty() {
                assert_eq!(quota(shape, &error.failure().quota), expect.quota, "{id}");
            }
        }
    }
}

async fn check_list(shape: &Shape, play: Vec<Step>) {
    let mock = Mock::start(vec![play]).await;
    let report = probe(&client(), shape.adapter, &endpoint(shape, &mock)).await;
    let (id, expect) = (shape.id(), &shape.expect);
    assert!(report.reachable, "{id}: {report:?}");
    assert_eq!(report.items, expect.items, "{id}: {report:?}");
    for field in &expect.fields {
        assert!(report.list_shape.contains(field), "{id}: `{field}` is not among {:?}", report.list_shape);
    }
    let failure = report.failure.unwrap_or_default();
    assert!(failure.contains(expect.says.as_deref().unwrap_or_default()), "{id}: {failure}");
    assert_eq!(failure.is_empty(), expect.outcome == "list", "{id}: {failure}");
    assert!(report.header_names.contains(&"content-type".to_owned()), "{id}");
    let asked = mock.asked();
    assert_eq!(asked.len(), 1, "{id}");
    assert!(asked[0].head.starts_with(&format!("GET {} ", shape.models_path)), "{id}: {}", asked[0].head);
}

fn assert_counts(shape: &Shape, usage: &Usage) {
    let expect = &shape.expect;
    let expected = Usage {
        input: expect.input,
        cached: expect.cached,
        cache_written: expect.cache_written,
        output: expect.output,
        reasoning: expect.reasoning,
        reported: !expect.is_estimated,
    };
    assert_eq!(*usage, expected, "{}", shape.id());
}

fn quota(shape: &Shape, headers: &[(String, String)]) -> Vec<String> {
    observed(&observe(&shape.provider, headers, Timestamp::from_second(NOW).unwrap()))
}

/// Observations as the expectations write them.
pub fn observed(observations: &[QuotaObservation]) -> Vec<String> {
    let now = Timestamp::from_second(NOW).unwrap();
    observations
        .iter()
        .map(|seen| {
            let mut words = vec![seen.window.as_str().to_owned()];
            words.extend(seen.limit.map(|limit| format!("limit={limit}")));
            words.extend(seen.remaining.map(|rest| format!("remaining={rest}")));
            words.extend(seen.resets_at.map(|at| format!("resets_in_ms={}", at.duration_since(now).as_millis())));
            words.push(
                match seen.confidence {
                    Confidence::Guess => "guess",
                    Confidence::Hypothesis => "hypothesis",
                    Confidence::Known => "known",
                }
                .to_owned(),
            );
            words.extend(seen.is_before_call.then(|| "before".to_owned()));
            words.join(" ")
        })
        .collect()
}

/// The outcome as the expectations write it.
pub fn word(outcome: &Result<Came, ProviderError>) -> String {
    match outcome {
        Ok(Came::Answer(_)) => "answer".to_owned(),
        Ok(Came::Job(job)) => job.word.to_owned(),
        Err(error) => failure_word(error),
    }
}

fn failure_word(error: &ProviderError) -> String {
    match error {
        ProviderError::Unauthorized { .. } => "unauthorized",
        ProviderError::RateLimited { limit: LimitKind::Window, .. } => "rate_limited/window",
        ProviderError::RateLimited { limit: LimitKind::Concurrency, .. } => "rate_limited/concurrency",
        ProviderError::RateLimited { limit: LimitKind::Capacity, .. } => "rate_limited/capacity",
        ProviderError::QuotaExhausted { quota: QuotaKind::Allotment, .. } => "quota_exhausted/allotment",
        ProviderError::QuotaExhausted { quota: QuotaKind::Balance, .. } => "quota_exhausted/balance",
        ProviderError::Refused { .. } => "refused",
        ProviderError::Rejected { reason: Rejection::UnknownModel, .. } => "rejected/unknown_model",
        ProviderError::Rejected { reason: Rejection::ModelNotAllowed, .. } => "rejected/model_not_allowed",
        ProviderError::Rejected { reason: Rejection::TooLarge, .. } => "rejected/too_large",
        ProviderError::Rejected { reason: Rejection::BadRequest, .. } => "rejected/bad_request",
        ProviderError::Failed { .. } => "failed",
        ProviderError::TimedOut { .. } => "timed_out",
        other => return format!("{other:?}"),
    }
    .to_owned()
}
