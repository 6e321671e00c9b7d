//! A provider's list of models: what it states, and nothing that it does not.

mod merge;
mod price;
mod read;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use lwa_domain::{Capability, PicoUsd, ReasoningEffort};
use reqwest::header::{ACCEPT, HeaderValue};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use crate::chat::read_some;
use crate::classify;
use crate::endpoint::Endpoint;
use crate::error::{Failure, ProviderError, cut};
use crate::redact::redact;

/// The most models that are taken from a list.
pub const MODEL_LIMIT: usize = 10_000;
/// The largest list that is read.
const BODY_LIMIT: usize = 16 * 1024 * 1024;
/// The longest that a list may take.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// What a list states about one model. What it does not state is `None`, so that a merge keeps what is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListedModel {
    /// The name to send.
    pub id: String,
    /// A name for people.
    pub display_name: Option<String>,
    /// Who owns or runs it, as the list says.
    pub owned_by: Option<String>,
    /// What a token costs, if both prices are stated in dollars and in a known unit.
    ///
    /// A stated zero is a price of zero; it says nothing about who pays, which is the provider's rule.
    pub price: Option<ListedPrice>,
    /// Tokens of input and output together.
    pub context_length: Option<u64>,
    /// The most tokens of output.
    pub max_output_tokens: Option<u64>,
    /// What it reads: `text`, `image`, …
    pub input_modalities: Option<BTreeSet<String>>,
    /// What it writes.
    pub output_modalities: Option<BTreeSet<String>>,
    /// What the list says that it can or cannot do; what is absent was not said.
    pub capabilities: BTreeMap<Capability, bool>,
    /// Whether it answers chat requests; `None` when the list does not say.
    pub is_chat: Option<bool>,
    /// The efforts it accepts, of those that we know.
    pub reasoning_levels: Option<Vec<ReasoningEffort>>,
    /// The parameters it accepts.
    pub supported_parameters: Option<BTreeSet<String>>,
    /// Whether the provider is about to take it away.
    pub is_deprecated: Option<bool>,
}

/// Prices per token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedPrice {
    /// Per input token.
    pub input_pico_usd: PicoUsd,
    /// Per output token.
    pub output_pico_usd: PicoUsd,
}

/// Asks `endpoint` for its models, once.
pub async fn list_models(client: &reqwest::Client, endpoint: &Endpoint) -> Result<Vec<ListedModel>, ProviderError> {
    let url = endpoint.url(&endpoint.models_path)?;
    let mut headers = endpoint.header_map()?;
    headers.entry(ACCEPT).or_insert(HeaderValue::from_static("application/json"));
    let deadline = Instant::now() + endpoint.timeout.min(TIME_LIMIT);
    let timed_out = || {
        let failure = Failure::after_sending(&endpoint.provider, "the list of models did not arrive");
        ProviderError::TimedOut { failure: Box::new(failure) }
    };
    let response = match timeout_at(deadline, client.get(url).headers(headers).send()).await {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => return Err(classify::transport(endpoint, &error)),
        Err(_) => return Err(timed_out()),
    };
    if !response.status().is_success() {
        return Err(classify::read_failure(endpoint, response, deadline).await);
    }
    let bytes = match timeout_at(deadline, read_whole(response)).await {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(Unread::TooLarge)) => return Err(failed(endpoint, "the list of models is larger than 16 MiB")),
        Ok(Err(Unread::Broken(error))) => return Err(classify::cut_answer(endpoint, &error)),
        Err(_) => return Err(timed_out()),
    };
    let Ok(body) = serde_json::from_slice::<Value>(&bytes) else {
        return Err(failed(endpoint, "malformed JSON response"));
    };
    if let Some(error) = classify::embedded(endpoint, &body) {
        return Err(error);
    }
    read::models(&body).ok_or_else(|| failed(endpoint, "the answer holds no list of models"))
}

enum Unread {
    TooLarge,
    Broken(reqwest::Error),
}

async fn read_whole(mut response: reqwest::Response) -> Result<Vec<u8>, Unread> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(Unread::Broken)? {
        if bytes.len() + chunk.len() > BODY_LIMIT {
            return Err(Unread::TooLarge);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

fn failed(endpoint: &Endpoint, detail: &str) -> ProviderError {
    let detail = cut(&redact(detail, &endpoint.secrets()));
    let failure = Failure { status: Some(200), ..Failure::after_sending(&endpoint.provider, &detail) };
    ProviderError::Failed { failure: Box::new(failure) }
}

pub(crate) use read::models as read_models;

/// Reads at most a mebibyte of JSON from a server that may be anything.
pub(crate) async fn read_small_json(response: reqwest::Response, deadline: Instant) -> Option<Value> {
    if !response.status().is_success() {
        return None;
    }
    serde_json::from_slice(&read_some(response, 1024 * 1024, deadline).await).ok()
}
