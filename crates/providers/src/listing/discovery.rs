//! What is known about a provider's list, from one attempt to read it to the next.

use jiff::civil::Date;
use lwa_domain::ErrorCode;

use super::Listing;
use crate::error::ProviderError;

/// How reading a provider's list went so far.
///
/// A list that fails leaves every model as it was: the seeds stay, and so does the last list that was read.
/// Only a refused key with no list ever read takes the seeds away, since none of them could be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscoveryState {
    /// Whether nothing vouches for the provider; shown until a list was read.
    pub is_experimental: bool,
    /// Whether the last attempt succeeded; `None` before the first.
    pub is_healthy: Option<bool>,
    /// The last attempt in words.
    pub detail: String,
    /// The day of the last list that was read.
    pub listed_on: Option<Date>,
    is_key_refused: bool,
}

impl DiscoveryState {
    /// Before any attempt; `is_experimental` as it is shipped or configured.
    pub const fn new(is_experimental: bool) -> Self {
        Self { is_experimental, is_healthy: None, detail: String::new(), listed_on: None, is_key_refused: false }
    }

    /// After a list was read. An empty one is a success, which shows that the provider answers.
    #[must_use]
    pub fn after_success(&self, listing: &Listing, on: Date) -> Self {
        let bounded = if listing.is_cut { ", bounded" } else { "" };
        let detail = match listing.models.len() {
            0 => "configured".to_owned(),
            count => format!("{count} live models{bounded}"),
        };
        Self { is_experimental: false, is_healthy: Some(true), detail, listed_on: Some(on), is_key_refused: false }
    }

    /// After an attempt that failed.
    #[must_use]
    pub fn after_failure(&self, error: &ProviderError) -> Self {
        Self {
            is_experimental: true,
            is_healthy: Some(false),
            detail: error.to_string(),
            listed_on: self.listed_on,
            is_key_refused: error.code() == ErrorCode::ProviderUnauthorized,
        }
    }

    /// Why the seeds of the provider are switched off for now, if they are.
    pub fn seeds_disabled_reason(&self) -> Option<String> {
        (self.is_key_refused && self.listed_on.is_none()).then(|| format!("experimental provider: {}", self.detail))
    }
}
