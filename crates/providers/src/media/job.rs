//! A job's life: the handle that outlives this process, and the states that it can be in.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use lwa_domain::PicoUsd;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::file::MediaFile;
use super::request::{ImageFormat, MediaKind};
use crate::error::{Failure, ProviderError};

/// Everything that is needed to find a job again, except the key.
///
/// It is made to be stored before the first wait, and to be stored again when [`JobState::Done`] gives a new one.
/// It may hold addresses that are signed, so it is printed without them and belongs into a private place.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobHandle {
    /// The provider's name in the configuration.
    pub provider: String,
    /// The model's name at the provider.
    pub model: String,
    /// What the job makes.
    pub kind: MediaKind,
    /// Which entry of the catalogue tells how to ask for it.
    pub shape: String,
    /// The provider's id for the job; empty when there was nothing to wait for.
    pub id: String,
    /// When it was started, in seconds since 1970.
    pub submitted_at: u64,
    /// The format that was asked for; what arrives may differ.
    #[serde(default)]
    pub wanted_format: Option<ImageFormat>,
    /// What the provider has said about cost and usage.
    #[serde(default)]
    pub receipt: Receipt,
    /// Where the results lie, once the job is done.
    #[serde(default)]
    pub(crate) sources: Vec<Source>,
    /// Where the results will lie, if the provider said so in advance.
    #[serde(default)]
    pub(crate) later: Vec<Source>,
}

impl fmt::Debug for JobHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JobHandle")
            .field("provider", &self.provider)
            .field("model", &self.model)
            .field("kind", &self.kind)
            .field("id", &self.id)
            .field("sources", &self.sources.len())
            .finish_non_exhaustive()
    }
}

impl JobHandle {
    /// How long ago the job was started; nothing if the clock was set back.
    pub fn age(&self) -> Duration {
        Duration::from_secs(now().saturating_sub(self.submitted_at))
    }

    /// Whether the results only have to be fetched.
    pub fn is_ready(&self) -> bool {
        !self.sources.is_empty()
    }
}

pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Where one result lies.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Source {
    /// At an address of the provider's choice, which never gets the key.
    Address(String),
    /// At the provider itself, behind the key; with a body it is a POST.
    Provider {
        /// The path below the base address.
        path: String,
        /// What to send.
        #[serde(default)]
        body: Option<Value>,
    },
}

/// What a provider says about a job besides its result.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The cost, only if the provider states it.
    pub cost: Option<PicoUsd>,
    /// Tokens read, if the provider counts them.
    pub input_tokens: Option<u64>,
    /// Tokens written, if the provider counts them.
    pub output_tokens: Option<u64>,
    /// Milliseconds of work, if the provider counts them.
    pub work_ms: Option<u64>,
    /// The rate-limit headers of the reply.
    #[serde(default)]
    pub quota: Vec<(String, String)>,
}

/// What a submission led to.
#[derive(Debug, Clone, PartialEq)]
pub enum Submitted {
    /// The result is here; write it down at once, nobody else keeps it.
    Done(Finished),
    /// A job, which is to be stored before anything else happens.
    Job(JobHandle),
    /// The provider refused to show what it made, or to make it.
    ContentFiltered(ContentFilter),
}

/// A result that came with the reply.
#[derive(Clone, PartialEq, Default)]
pub struct Finished {
    /// Images or videos, in their order.
    pub files: Vec<MediaFile>,
    /// Text, of a model that writes text.
    pub text: Option<String>,
    /// What the provider says about it.
    pub receipt: Receipt,
}

/// Prints sizes, never the text.
impl fmt::Debug for Finished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Finished")
            .field("files", &self.files)
            .field("text_bytes", &self.text.as_ref().map(String::len))
            .field("receipt", &self.receipt)
            .finish()
    }
}

/// What a job is doing.
#[derive(Clone, PartialEq)]
pub enum JobState {
    /// It is not done; ask again after `wait`.
    Working {
        /// Percent, if the provider tells.
        progress: Option<u8>,
        /// How long to wait before the next question.
        wait: Duration,
    },
    /// It is done.
    Done {
        /// The handle that knows where the results lie; it takes the place of the former one.
        handle: Box<JobHandle>,
        /// Text, of a model that writes text; then there is nothing to fetch.
        text: Option<String>,
    },
    /// It has ended without a result.
    Failed {
        /// Why.
        error: ProviderError,
        /// Whether it may be billed all the same.
        may_have_cost: bool,
    },
    /// The provider refused to show what it made, or to make it.
    ContentFiltered(ContentFilter),
}

/// Prints sizes, never the text.
impl fmt::Debug for JobState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Working { progress, wait } => {
                f.debug_struct("Working").field("progress", progress).field("wait", wait).finish()
            }
            Self::Done { handle, text } => f
                .debug_struct("Done")
                .field("handle", handle)
                .field("text_bytes", &text.as_ref().map(String::len))
                .finish(),
            Self::Failed { error, may_have_cost } => {
                f.debug_struct("Failed").field("error", error).field("may_have_cost", may_have_cost).finish()
            }
            Self::ContentFiltered(filter) => f.debug_tuple("ContentFiltered").field(filter).finish(),
        }
    }
}

/// A refusal on account of the content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentFilter {
    /// What happened.
    pub failure: Box<Failure>,
    /// Whether it is billed.
    pub charge: Charge,
}

impl From<ContentFilter> for ProviderError {
    fn from(filter: ContentFilter) -> Self {
        Self::Refused { failure: filter.failure }
    }
}

/// What is known about the bill of a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charge {
    /// The provider says that it costs nothing.
    NotCharged,
    /// The provider says that it is billed.
    Charged,
    /// Nobody says; a reservation is kept.
    Unknown,
}

/// A price before the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quote {
    /// The price, if there is one.
    pub cost: Option<PicoUsd>,
    /// Who says so.
    pub source: QuoteSource,
}

/// Where a price comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuoteSource {
    /// The provider, for exactly this request.
    Provider,
    /// The caller, from the configuration or a catalogue.
    Caller,
    /// Nowhere: the price is unknown, and unknown is not free.
    Unknown,
}
