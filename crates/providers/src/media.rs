//! Images, videos and slow text: one request starts a job, which is asked about until it is done and then fetched.
//!
//! What it is for: [`quote`] tells a price where a provider has one; [`submit`] starts a job once; [`poll`] asks
//! about it; [`fetch()`] writes the result into a file of ours; [`release`] lets the provider forget it.
//! What it must never do: start a job twice, wait by itself, give up a job that may be paid, follow an address with
//! the key, or let a name that came from outside into a path.
//! A [`JobHandle`] is all that has to survive: store it when [`submit`] returns it and again when [`poll`] says
//! [`JobState::Done`], and another process can go on from there.
//! Dropping the future of [`submit`] loses what the provider answers, so its caller lets it run to its end.
//! An error of [`poll`] means that one question failed, not the job; [`is_worth_asking_again`] tells which.
//! Trust boundary: replies, addresses and bytes are foreign. Bytes are kept only if they begin like an image or a
//! video, in a file whose name and extension are ours.
//! Start reading at [`MediaRequest`], then [`JobHandle`]; `catalog/media.toml` tells what is known about whom.

pub mod fetch;
pub mod file;
pub mod format;
pub mod job;
pub mod request;
pub mod shape;

mod exchange;
mod form;
mod maker;

use std::time::Duration;

use lwa_domain::PicoUsd;

use exchange::misconfigured;
pub use fetch::{FetchError, Fetched, MediaLimits};
pub use file::{MediaFile, MediaFolder, SavedFile};
pub use format::{FileFormat, Stranger};
pub use job::{Charge, ContentFilter, Finished, JobHandle, JobState, Quote, QuoteSource, Receipt, Submitted};
use maker::{Maker, maker_for};
pub use request::{AspectRatio, ImageFormat, MediaKind, MediaOptions, MediaRequest, MediaRequestError, VideoSize};

use crate::endpoint::Endpoint;
use crate::error::ProviderError;

/// Whom to call, and within which bounds.
#[derive(Debug, Clone, Copy)]
pub struct MediaCall<'a> {
    /// The HTTP client.
    pub client: &'a reqwest::Client,
    /// The provider.
    pub endpoint: &'a Endpoint,
    /// The bounds.
    pub limits: MediaLimits,
}

impl<'a> MediaCall<'a> {
    /// A call with the usual bounds.
    pub fn new(client: &'a reqwest::Client, endpoint: &'a Endpoint) -> Self {
        Self { client, endpoint, limits: MediaLimits::default() }
    }

    fn maker(&self, shape: &str, kind: MediaKind) -> Result<Box<dyn Maker>, ProviderError> {
        maker_for(shape, kind).ok_or_else(|| misconfigured(self, &format!("it is not known how to ask for {kind}")))
    }
}

impl MediaLimits {
    /// The bound of a short exchange: the provider's own, if that is tighter.
    pub(crate) fn exchange(&self, endpoint: &Endpoint) -> Duration {
        self.poll.min(endpoint.timeout)
    }

    /// The bound of a request whose reply is the result; a tight bound of the provider's is for chats.
    pub(crate) fn whole(&self, endpoint: &Endpoint) -> Duration {
        self.submit.max(endpoint.timeout)
    }

    pub(crate) fn bytes(&self, kind: MediaKind) -> u64 {
        match kind {
            MediaKind::Image => self.image_bytes,
            MediaKind::Video => self.video_bytes,
            MediaKind::Text => self.text_bytes,
        }
    }
}

/// What the job would cost: as the provider says, else as `known` says, else unknown. It starts nothing.
pub async fn quote(
    call: &MediaCall<'_>,
    request: &MediaRequest,
    known: Option<PicoUsd>,
) -> Result<Quote, ProviderError> {
    let maker = call.maker(&request.shape, request.kind)?;
    if let Some(cost) = maker.quote(call, request).await? {
        return Ok(Quote { cost: Some(cost), source: QuoteSource::Provider });
    }
    let source = if known.is_some() { QuoteSource::Caller } else { QuoteSource::Unknown };
    Ok(Quote { cost: known, source })
}

/// Starts the job, once.
pub async fn submit(call: &MediaCall<'_>, request: &MediaRequest) -> Result<Submitted, ProviderError> {
    let maker = call.maker(&request.shape, request.kind)?;
    match maker.submit(call, request).await {
        Err(ProviderError::Refused { failure }) => {
            let charge = Charge::Unknown;
            Ok(Submitted::ContentFiltered(ContentFilter { failure, charge }))
        }
        other => other,
    }
}

/// Asks about the job, once. An error means that the question failed, and the job may well go on.
pub async fn poll(call: &MediaCall<'_>, handle: &JobHandle) -> Result<JobState, ProviderError> {
    let maker = checked(call, handle)?;
    if handle.is_ready() {
        return Ok(JobState::Done { handle: Box::new(handle.clone()), text: None });
    }
    match maker.poll(call, handle).await {
        Err(ProviderError::Refused { failure }) => {
            Ok(JobState::ContentFiltered(ContentFilter { failure, charge: Charge::Unknown }))
        }
        // The provider took the job and knows it no more; asking again will not bring it back.
        Err(error) if matches!(error.failure().status, Some(404 | 410)) => {
            Ok(JobState::Failed { error, may_have_cost: true })
        }
        other => other,
    }
}

/// Writes what the job made into `folder`, where it never takes the place of what is there.
///
/// It may be called again, and then it fetches again; an error says that nothing arrived.
pub async fn fetch(call: &MediaCall<'_>, handle: &JobHandle, folder: &MediaFolder) -> Result<Fetched, FetchError> {
    let _known = checked(call, handle)?;
    fetch::fetch(call, handle, folder).await
}

/// Tells the provider that it may delete its copy, where it can be told. Call it once the files are on record.
pub async fn release(call: &MediaCall<'_>, handle: &JobHandle) -> Result<(), ProviderError> {
    checked(call, handle)?.release(call, handle).await
}

/// Whether a failed question is worth repeating without anybody doing something first.
///
/// A rejected key or an empty balance has to be mended; the job stays where it is meanwhile.
pub fn is_worth_asking_again(error: &ProviderError) -> bool {
    matches!(
        error,
        ProviderError::RateLimited { .. }
            | ProviderError::Unreachable { .. }
            | ProviderError::TimedOut { .. }
            | ProviderError::Failed { .. }
    )
}

/// A handle leads to its own provider only: another one must not learn the job's id, nor answer for it.
fn checked(call: &MediaCall<'_>, handle: &JobHandle) -> Result<Box<dyn Maker>, ProviderError> {
    if handle.provider != call.endpoint.provider {
        return Err(misconfigured(call, &format!("the job belongs to `{}`", handle.provider)));
    }
    call.maker(&handle.shape, handle.kind)
}
