//! Brings results home: without the key wherever an address is not the provider's own.

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use lwa_domain::ErrorCode;
use reqwest::header::{ACCEPT, HeaderValue, LOCATION, USER_AGENT};
use reqwest::{Method, Response, Url};
use thiserror::Error;
use tokio::time::{Instant, timeout_at};

use super::MediaCall;
use super::exchange::{Exchange, failed, timed_out};
use super::file::{Draft, MediaFile, MediaFolder, SavedFile};
use super::format::Stranger;
use super::job::{JobHandle, Source};
use super::request::MediaKind;
use crate::classify;
use crate::endpoint::{Endpoint, is_loopback};
use crate::error::ProviderError;

/// How often a file's host may point elsewhere.
const MOST_REDIRECTS: usize = 3;

/// Why a result is not on the disk. The job is not lost: its handle still tells where the result lies.
#[derive(Debug, Error)]
pub enum FetchError {
    /// The exchange with the provider or with the file's host failed.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// The provider gave an address that is not followed.
    #[error("the provider gave an address for the file that is not followed: {reason}")]
    Address {
        /// What is wrong with it. The address itself may be signed and is not shown.
        reason: &'static str,
    },
    /// The file is too large.
    #[error("the file is larger than {limit_mb} MB and was not kept")]
    TooLarge {
        /// The limit, in millions of bytes.
        limit_mb: u64,
    },
    /// What arrived is neither an image nor a video.
    #[error("{what} arrived in place of an image or video, and was not kept", what = found.as_str())]
    NotMedia {
        /// What it is.
        found: Stranger,
    },
    /// There is nothing to fetch yet.
    #[error("the job is not done yet, or has made no file")]
    NothingToFetch,
    /// The plan's name cannot be part of a file's name.
    #[error("the plan's name holds characters that no file name of ours has")]
    PlanName,
    /// The file could not be written.
    #[error("the file could not be written")]
    Write(#[source] io::Error),
}

impl FetchError {
    /// The code that callers branch on.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Provider(error) => error.code(),
            Self::Address { .. } | Self::TooLarge { .. } | Self::NotMedia { .. } => ErrorCode::ProviderFailed,
            Self::NothingToFetch | Self::PlanName | Self::Write(_) => ErrorCode::Internal,
        }
    }
}

/// What arrived of a job's files, and what did not.
#[derive(Debug, Default)]
pub struct Fetched {
    /// The files that are on the disk now, at least one.
    pub files: Vec<SavedFile>,
    /// Why others are not.
    pub failures: Vec<FetchError>,
}

/// Fetches everything that `handle` knows of into `folder`.
///
/// One file that fails does not keep the others away: all of them are paid for.
pub(super) async fn fetch(
    call: &MediaCall<'_>,
    handle: &JobHandle,
    folder: &MediaFolder,
) -> Result<Fetched, FetchError> {
    let mut fetched = Fetched::default();
    for source in &handle.sources {
        match fetch_one(call, handle.kind, source, folder).await {
            Ok(file) => fetched.files.push(file),
            Err(error) => fetched.failures.push(error),
        }
    }
    if !fetched.files.is_empty() {
        return Ok(fetched);
    }
    Err(fetched.failures.into_iter().next().unwrap_or(FetchError::NothingToFetch))
}

async fn fetch_one(
    call: &MediaCall<'_>,
    kind: MediaKind,
    source: &Source,
    folder: &MediaFolder,
) -> Result<SavedFile, FetchError> {
    let limit = call.limits.bytes(kind);
    match source {
        Source::Address(address) if address.starts_with("data:") => {
            let file = inline(address, limit)?;
            folder.save(&file).await
        }
        Source::Address(address) => {
            let url = allowed(call.endpoint, address)?;
            let response = keyless(call, url).await?;
            keep(call, response, limit, folder).await
        }
        Source::Provider { path, body } => {
            let exchange = match body {
                Some(body) => Exchange::post(path, body, call.limits.exchange(call.endpoint)),
                None => Exchange::get(path, call.limits.exchange(call.endpoint)),
            };
            let exchange = Exchange { header: Some((ACCEPT.as_str(), HeaderValue::from_static("*/*"))), ..exchange };
            let pending = exchange.send(call).await?;
            let response = if pending.response.status().is_redirection() {
                let url = target(call, &pending.response)?;
                keyless(call, url).await?
            } else {
                pending.successful(call).await?.response
            };
            keep(call, response, limit, folder).await
        }
    }
}

/// Follows addresses without the key and without any header of the configuration.
async fn keyless(call: &MediaCall<'_>, mut url: Url) -> Result<Response, FetchError> {
    for _ in 0..=MOST_REDIRECTS {
        let deadline = Instant::now() + call.limits.exchange(call.endpoint);
        let agent = HeaderValue::from_static(concat!("lwa/", env!("CARGO_PKG_VERSION")));
        let sending = call.client.request(Method::GET, url).header(USER_AGENT, agent).send();
        let response = match timeout_at(deadline, sending).await {
            Ok(Ok(response)) => response,
            // The network's own words may repeat a signed address.
            Ok(Err(error)) => return Err(classify::transport(call.endpoint, &error.without_url()).into()),
            Err(_) => return Err(timed_out(call, "the file's host did not answer", None).into()),
        };
        if response.status().is_redirection() {
            url = target(call, &response)?;
            continue;
        }
        if !response.status().is_success() {
            let host = response.url().host_str().unwrap_or_default().to_owned();
            let detail = format!("the file's host `{host}` answered with HTTP {}", response.status().as_u16());
            return Err(failed(call, &detail).into());
        }
        return Ok(response);
    }
    Err(FetchError::Address { reason: "it points elsewhere again and again" })
}

/// Where a redirect leads, if it may be followed.
fn target(call: &MediaCall<'_>, response: &Response) -> Result<Url, FetchError> {
    let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
    let url = location
        .and_then(|location| response.url().join(location).ok())
        .ok_or(FetchError::Address { reason: "it is a redirect that leads nowhere" })?;
    allowed(call.endpoint, url.as_str())
}

/// An address that may be asked: encrypted, and not inside this machine or its network.
///
/// A provider may name its own host, and one on this machine any place on this machine; where it is itself called
/// without encryption, so are those.
fn allowed(endpoint: &Endpoint, address: &str) -> Result<Url, FetchError> {
    let refused = |reason| Err(FetchError::Address { reason });
    let Ok(url) = Url::parse(address) else { return refused("it is not a complete address") };
    if !url.username().is_empty() || url.password().is_some() {
        return refused("it holds a user name or password");
    }
    let base = endpoint.url("/")?;
    let is_own = (is_loopback(&url) && is_loopback(&base)) || (url.host().is_some() && url.host() == base.host());
    if is_own && (url.scheme() == "https" || url.scheme() == base.scheme()) {
        return Ok(url);
    }
    if is_loopback(&url) {
        return refused("it is on this machine and the provider is not");
    }
    if url.scheme() != "https" {
        return refused("it is not encrypted");
    }
    if endpoint.is_local {
        return refused("the provider is declared local and the address is not on this machine");
    }
    if is_inside(&url) {
        return refused("it is inside a private network");
    }
    Ok(url)
}

/// Whether an address is written as a number that no public host has.
fn is_inside(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return true };
    let Ok(address) = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() else { return false };
    let address = address.to_canonical();
    match address {
        IpAddr::V4(four) => {
            four.is_private()
                || four.is_link_local()
                || four.is_unspecified()
                || four.is_broadcast()
                || four.is_multicast()
                // Shared by the customers of one provider (RFC 6598).
                || (four.octets()[0] == 100 && (64..128).contains(&four.octets()[1]))
        }
        IpAddr::V6(six) => {
            six.is_unspecified() || six.is_unique_local() || six.is_unicast_link_local() || six.is_multicast()
        }
    }
}

/// Writes a reply down as it arrives, and gives up as soon as it is plain that it is not to be kept.
async fn keep(
    call: &MediaCall<'_>,
    mut response: Response,
    limit: u64,
    folder: &MediaFolder,
) -> Result<SavedFile, FetchError> {
    let too_large = || FetchError::TooLarge { limit_mb: limit / 1_000_000 };
    if response.content_length().is_some_and(|length| length > limit) {
        return Err(too_large());
    }
    let end = Instant::now() + call.limits.download;
    let mut draft: Draft = folder.draft()?;
    loop {
        let deadline = end.min(Instant::now() + call.limits.idle);
        let chunk = match timeout_at(deadline, response.chunk()).await {
            Ok(Ok(Some(chunk))) => chunk,
            Ok(Ok(None)) => break,
            Ok(Err(error)) => return Err(classify::cut_answer(call.endpoint, &error.without_url()).into()),
            Err(_) => return Err(timed_out(call, "the file stopped arriving", Some(200)).into()),
        };
        if draft.len() + chunk.len() as u64 > limit {
            return Err(too_large());
        }
        draft.push(&chunk)?;
        if draft.is_decided() {
            draft.sniff().map_err(|found| FetchError::NotMedia { found })?;
        }
    }
    draft.keep().await
}

/// The file that an address holds in itself: `data:image/png;base64,…`.
fn inline(address: &str, limit: u64) -> Result<MediaFile, FetchError> {
    let Some((_, digits)) = address.split_once(";base64,") else {
        return Err(FetchError::Address { reason: "it holds data that is not in base64" });
    };
    let bytes = decoded(digits, limit)?.ok_or(FetchError::Address { reason: "its base64 is damaged" })?;
    MediaFile::new(bytes).map_err(|found| FetchError::NotMedia { found })
}

/// Base64 of either alphabet, with or without padding and line breaks.
pub(super) fn decoded(digits: &str, limit: u64) -> Result<Option<Vec<u8>>, FetchError> {
    if digits.len() as u64 / 4 * 3 > limit {
        return Err(FetchError::TooLarge { limit_mb: limit / 1_000_000 });
    }
    let lenient = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let mut digits = digits.to_owned();
    digits.retain(|c| !c.is_ascii_whitespace());
    let alphabet = if digits.contains(['-', '_']) { URL_SAFE } else { STANDARD };
    Ok(GeneralPurpose::new(&alphabet, lenient).decode(digits).ok())
}

/// Bounds on exchanges and files. None of them ends a job: they end one exchange, and the job can be asked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MediaLimits {
    /// The longest wait for a request that is answered with the result itself.
    pub submit: Duration,
    /// The longest wait for a reply to a question.
    pub poll: Duration,
    /// How long a file that is arriving may be silent.
    pub idle: Duration,
    /// How long a file may take to arrive.
    pub download: Duration,
    /// The most bytes of an image.
    pub image_bytes: u64,
    /// The most bytes of a video.
    pub video_bytes: u64,
    /// The most bytes of text.
    pub text_bytes: u64,
}

impl Default for MediaLimits {
    fn default() -> Self {
        Self {
            submit: Duration::from_mins(10),
            poll: Duration::from_mins(1),
            idle: Duration::from_mins(1),
            download: Duration::from_mins(30),
            image_bytes: 20_000_000,
            video_bytes: 100_000_000,
            text_bytes: 4_000_000,
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::itself("http://10.0.0.7:8188/v1", "http://10.0.0.7:9/a.png", true)]
    #[case::itself_encrypted("http://10.0.0.7:8188/v1", "https://10.0.0.7/a.png", true)]
    #[case::a_neighbour("http://10.0.0.7:8188/v1", "http://10.0.0.8/a.png", false)]
    #[case::a_neighbour_encrypted("http://10.0.0.7:8188/v1", "https://10.0.0.8/a.png", false)]
    #[case::no_longer_encrypted("https://media.example/v1", "http://media.example/a.png", false)]
    #[case::this_machine("http://127.0.0.1:1/v1", "http://localhost:2/a.png", true)]
    #[case::this_machine_by_script("http://127.0.0.1:1/v1", "ftp://localhost:2/a.png", false)]
    #[case::outside("http://127.0.0.1:1/v1", "https://files.example/a.png", true)]
    #[case::outside_unencrypted("http://127.0.0.1:1/v1", "http://files.example/a.png", false)]
    fn a_provider_may_name_its_own_place_and_public_ones(
        #[case] base: &str,
        #[case] address: &str,
        #[case] is_followed: bool,
    ) {
        assert_eq!(allowed(&Endpoint::new("example", base), address).is_ok(), is_followed);
    }
}
