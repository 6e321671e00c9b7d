//! A provider's list of models: what it states, and nothing that it does not.
//!
//! A list comes in pages, in as many shapes as there are providers. All pages are read, or the list has failed: half
//! of a list would look as if the other half had been taken away.

mod discovery;
mod kind;
mod merge;
mod page;
mod price;
mod read;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use lwa_domain::{Capability, EffortSupport, PicoUsd, Price, PriceTier, ReasoningEffort};
use reqwest::Url;
use reqwest::header::{ACCEPT, HeaderMap, HeaderValue};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use crate::adapter::Adapter;
use crate::chat::read_some;
use crate::classify;
use crate::endpoint::Endpoint;
use crate::error::{Failure, ProviderError, cut};
use crate::prices::Retirement;
use crate::redact::redact;

pub use discovery::DiscoveryState;
pub use merge::{MergedModel, Sources, merge_model};

/// The most models that are taken from a list.
pub const MODEL_LIMIT: usize = 10_000;
/// The largest page that is read.
const BODY_LIMIT: usize = 16 * 1024 * 1024;
/// The longest that a list may take, all its pages together.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// How much of a list is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLimits {
    /// The most pages; at least one is read.
    pub pages: usize,
    /// The most models.
    pub models: usize,
}

impl Default for PageLimits {
    fn default() -> Self {
        Self { pages: 100, models: MODEL_LIMIT }
    }
}

/// A list as far as it was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// The models, in the order of the list, each once.
    pub models: Vec<ListedModel>,
    /// Whether the list went on beyond the limits.
    pub is_cut: bool,
    /// How many pages were read.
    pub pages: usize,
}

/// What a list states about one model. What it does not state is `None`, so that a merge keeps what is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
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
    /// The most tokens of input, where that is a limit of its own.
    pub max_input_tokens: Option<u64>,
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
    /// How its efforts are said, in the list's own words.
    pub effort: Option<EffortSupport>,
    /// The parameters it accepts.
    pub supported_parameters: Option<BTreeSet<String>>,
    /// Whether the provider is about to take it away.
    pub is_deprecated: Option<bool>,
    /// When it takes it away and what replaces it, where the list says so.
    pub retirement: Option<Retirement>,
}

/// Prices per token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedPrice {
    /// Per input token.
    pub input_pico_usd: PicoUsd,
    /// Per output token.
    pub output_pico_usd: PicoUsd,
    /// Per input token that comes from a cache.
    pub cached_input_pico_usd: Option<PicoUsd>,
    /// Per input token that is written to a cache.
    pub cache_write_pico_usd: Option<PicoUsd>,
    /// Other prices for larger prompts, smallest bound first.
    pub tiers: Vec<PriceTier>,
}

impl ListedPrice {
    /// A price that is the same for every prompt.
    pub const fn flat(input_pico_usd: PicoUsd, output_pico_usd: PicoUsd) -> Self {
        Self {
            input_pico_usd,
            output_pico_usd,
            cached_input_pico_usd: None,
            cache_write_pico_usd: None,
            tiers: Vec::new(),
        }
    }

    /// The price with its source and `as_of`, the day of the list.
    pub fn to_price(&self, as_of: &str) -> Price {
        Price {
            cached_input_pico_usd: self.cached_input_pico_usd,
            cache_write_pico_usd: self.cache_write_pico_usd,
            tiers: self.tiers.clone(),
            ..Price::flat(self.input_pico_usd, self.output_pico_usd, "listing", as_of)
        }
    }
}

/// Asks `endpoint` for its models in the chat-completions protocol.
pub async fn list_models(client: &reqwest::Client, endpoint: &Endpoint) -> Result<Vec<ListedModel>, ProviderError> {
    let listing = list_models_within(client, Adapter::OpenAi, endpoint, PageLimits::default()).await?;
    Ok(listing.models)
}

/// Asks `endpoint` for its models in the protocol of `adapter`, page after page until `limits` are reached.
///
/// Nothing is asked twice, and one page that fails makes the whole list fail.
pub async fn list_models_within(
    client: &reqwest::Client,
    adapter: Adapter,
    endpoint: &Endpoint,
    limits: PageLimits,
) -> Result<Listing, ProviderError> {
    let mut url = endpoint.url(&endpoint.models_path)?;
    let mut headers = endpoint.header_map_for(adapter)?;
    headers.entry(ACCEPT).or_insert(HeaderValue::from_static("application/json"));
    let deadline = Instant::now() + endpoint.timeout.min(TIME_LIMIT);
    let mut listing = Listing::default();
    let mut seen = BTreeSet::new();
    loop {
        let body = fetch(client, endpoint, url.clone(), headers.clone(), deadline).await?;
        let Some(models) = read::models(&body) else {
            return Err(failed(endpoint, "the answer holds no list of models"));
        };
        listing.pages += 1;
        let is_empty = models.is_empty();
        for model in models {
            if listing.models.len() == limits.models {
                listing.is_cut = true;
                return Ok(listing);
            }
            if seen.insert(model.id.clone()) {
                listing.models.push(model);
            }
        }
        let next = page::next(&url, &body).filter(|next| !is_empty && *next != url);
        let Some(next) = next else { return Ok(listing) };
        if listing.pages >= limits.pages {
            listing.is_cut = true;
            return Ok(listing);
        }
        url = next;
    }
}

async fn fetch(
    client: &reqwest::Client,
    endpoint: &Endpoint,
    url: Url,
    headers: HeaderMap,
    deadline: Instant,
) -> Result<Value, ProviderError> {
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
    classify::embedded(endpoint, &body).map_or(Ok(body), Err)
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
