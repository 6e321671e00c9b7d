//! Asking for a job, asking about one, and asking for a balance: what providers without a chat answer.

use lwa_providers::media::{self, JobHandle, JobState, MediaCall, MediaKind, MediaRequest, Receipt, Submitted};
use lwa_providers::{Adapter, Endpoint, ProviderError, facts, probe_balance};
use serde_json::json;

use crate::mock::{Mock, Step};
use crate::outcome::{client, endpoint, observed};
use crate::shape::{KEY, Plays, Shape};

/// What came of a job's question when nothing went wrong.
#[derive(Debug)]
pub struct Job {
    /// `job`, `working` or `done`.
    pub word: &'static str,
    pub text: Option<String>,
    /// How many files came inside the reply.
    pub files: usize,
    pub receipt: Option<Receipt>,
}

impl Job {
    fn new(word: &'static str) -> Self {
        Self { word, text: None, files: 0, receipt: None }
    }
}

/// Starts a job or asks about one, as the shape says.
pub async fn ask(shape: &Shape, endpoint: &Endpoint) -> Result<Job, ProviderError> {
    let client = client();
    let call = MediaCall::new(&client, endpoint);
    if shape.expect.plays == Plays::Poll {
        return came_of_poll(media::poll(&call, &handle(shape)).await?);
    }
    let request = MediaRequest::new(shape.provider.clone(), kind(shape), model(shape), "What is the answer?");
    match media::submit(&call, &request).await? {
        Submitted::ContentFiltered(filter) => Err(filter.into()),
        Submitted::Job(handle) => Ok(Job { receipt: Some(handle.receipt), ..Job::new("job") }),
        Submitted::Done(finished) => Ok(Job {
            text: finished.text,
            files: finished.files.len(),
            receipt: Some(finished.receipt),
            ..Job::new("done")
        }),
    }
}

fn came_of_poll(state: JobState) -> Result<Job, ProviderError> {
    match state {
        JobState::Working { .. } => Ok(Job::new("working")),
        JobState::Done { handle, text } => {
            assert!(text.is_some() || handle.is_ready(), "it is done and has nothing to fetch: {handle:?}");
            Ok(Job { text, receipt: Some(handle.receipt), ..Job::new("done") })
        }
        JobState::Failed { error, .. } => Err(error),
        JobState::ContentFiltered(filter) => Err(filter.into()),
    }
}

/// A job that an earlier process has started, as it would have been stored.
fn handle(shape: &Shape) -> JobHandle {
    let stored = json!({
        "provider": shape.provider,
        "model": model(shape),
        "kind": kind(shape),
        "shape": shape.provider,
        "id": "fixture",
        "submitted_at": 1_795_946_000,
    });
    serde_json::from_value(stored).unwrap()
}

fn kind(shape: &Shape) -> MediaKind {
    let usual = if shape.adapter == Adapter::Stability { MediaKind::Image } else { MediaKind::Text };
    shape.expect.kind.unwrap_or(usual)
}

fn model(shape: &Shape) -> &str {
    let usual = if shape.adapter == Adapter::Stability { "stable-image-core" } else { "example/model" };
    shape.expect.asks.as_deref().unwrap_or(usual)
}

/// Plays a reply to the question for a balance, and compares every figure.
pub async fn check_balance(shape: &Shape, play: Vec<Step>) {
    let (id, mock) = (shape.id(), Mock::start(vec![play]).await);
    let facts = facts::find(&shape.provider).unwrap();
    let spec = facts.balance.iter().find(|spec| spec.path == shape.models_path).unwrap();
    let seen = probe_balance(&client(), &endpoint(shape, &mock), spec).await.unwrap_or_else(|e| panic!("{id}: {e}"));
    assert_eq!(observed(&seen), shape.expect.quota, "{id}");
    let asked = mock.asked();
    assert_eq!(asked.len(), 1, "{id}");
    assert!(asked[0].head.starts_with(&format!("GET {} ", spec.path)), "{id}: {}", asked[0].head);
    assert_eq!(asked[0].head.matches(KEY).count(), 1, "{id}: the key stands in one header");
}
