//! How a call can fail, in words for people and in variants for programs.

use std::fmt;
use std::time::Duration;

use lwa_domain::{ErrorCode, PicoUsd};
use thiserror::Error;

use crate::chat::usage::Usage;

/// The longest detail that an error carries, in characters.
pub(crate) const DETAIL_LIMIT: usize = 300;

/// What every failure knows. The detail is redacted and cut; it never holds a key.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Failure {
    /// The provider's name.
    pub provider: String,
    /// The HTTP status, when there was one.
    pub status: Option<u16>,
    /// What the provider or the network said.
    pub detail: String,
    /// Whether the request may have reached the provider.
    pub was_sent: bool,
    /// How much answer text had arrived.
    pub received_chars: u64,
    /// What the provider reported before it failed, for the ledger.
    pub usage: Usage,
    /// The cost it reported before it failed.
    pub cost: Option<PicoUsd>,
    /// Its rate-limit headers.
    pub quota: Vec<(String, String)>,
}

impl Failure {
    /// A failure for which nothing was sent.
    pub fn before_sending(provider: &str, detail: &str) -> Self {
        Self { provider: provider.to_owned(), detail: cut(detail), ..Self::default() }
    }

    /// A failure after the request was handed to the network.
    pub fn after_sending(provider: &str, detail: &str) -> Self {
        Self { was_sent: true, ..Self::before_sending(provider, detail) }
    }
}

/// Shortens to [`DETAIL_LIMIT`] characters on one line.
pub(crate) fn cut(text: &str) -> String {
    let mut line = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        let space = if length == 0 { None } else { Some(' ') };
        for c in space.into_iter().chain(word.chars()) {
            if length == DETAIL_LIMIT - 1 {
                line.push('…');
                return line;
            }
            line.push(if c.is_control() { '\u{fffd}' } else { c });
            length += 1;
        }
    }
    line
}

/// Which limit a provider says was hit; waiting helps with all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitKind {
    /// Too many requests or tokens in a short window.
    Window,
    /// Too many requests at the same time.
    Concurrency,
    /// The provider has no capacity; the account is not to blame.
    Capacity,
}

/// What is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuotaKind {
    /// A daily or monthly allotment, which comes back.
    Allotment,
    /// Money or credits, which somebody has to add.
    Balance,
}

/// Why a request was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rejection {
    /// The provider does not have the model, or no longer.
    UnknownModel,
    /// The account may not use the model.
    ModelNotAllowed,
    /// The prompt does not fit.
    TooLarge,
    /// The provider does not accept the shape or a parameter.
    BadRequest,
    /// The provider answered with a redirect, which is never followed.
    Redirect,
    /// The provider's entry in the configuration cannot be used; nothing was sent.
    Misconfigured,
    /// The model does not accept what the request asks for; nothing was sent.
    Unsupported,
}

/// A call that gave no usable answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProviderError {
    /// The key was rejected or lacks a right.
    #[error("`{name}` rejected the key{failure}; enter a new one in the app or with `lwa keys set {name}`", name = failure.provider)]
    Unauthorized {
        /// What happened.
        failure: Box<Failure>,
    },
    /// The provider asks to slow down.
    #[error("`{name}` {meaning}{failure}; {wait}", name = failure.provider, meaning = limit_text(*limit), wait = wait_text(*retry_after))]
    RateLimited {
        /// What happened.
        failure: Box<Failure>,
        /// Which limit.
        limit: LimitKind,
        /// How long the provider asks to wait, if it says.
        retry_after: Option<Duration>,
    },
    /// The account's quota or balance is used up.
    #[error("`{name}` says that the account's {what} used up{failure}; {way_out}", name = failure.provider, what = quota_text(*quota), way_out = quota_way_out(*quota, *retry_after))]
    QuotaExhausted {
        /// What happened.
        failure: Box<Failure>,
        /// What is used up.
        quota: QuotaKind,
        /// When it comes back, if the provider says.
        retry_after: Option<Duration>,
    },
    /// The provider refused the content.
    #[error("`{name}` refused the content{failure}; change the text or choose another model", name = failure.provider)]
    Refused {
        /// What happened.
        failure: Box<Failure>,
    },
    /// The request cannot be served as it is.
    #[error("{meaning}{failure}; {way_out}", meaning = rejection_text(*reason, &failure.provider), way_out = rejection_way_out(*reason))]
    Rejected {
        /// What happened.
        failure: Box<Failure>,
        /// Why.
        reason: Rejection,
    },
    /// The provider failed or its answer could not be read.
    #[error("`{name}` failed{failure}; prepare the task again, or choose another model", name = failure.provider)]
    Failed {
        /// What happened.
        failure: Box<Failure>,
    },
    /// No connection.
    #[error("`{name}` could not be reached{failure}; check the address and the network", name = failure.provider)]
    Unreachable {
        /// What happened.
        failure: Box<Failure>,
    },
    /// No answer, or no complete answer, in time.
    #[error("`{name}` did not finish in time{failure}; raise its `timeout_seconds` or ask for less", name = failure.provider)]
    TimedOut {
        /// What happened.
        failure: Box<Failure>,
    },
    /// The call was given up on our side.
    #[error("the call to `{name}` was cancelled{failure}; it may still be billed", name = failure.provider)]
    Cancelled {
        /// What happened.
        failure: Box<Failure>,
    },
}

/// ` (HTTP 429, after 120 characters): detail`, whatever of it is known.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.status, self.received_chars) {
            (Some(status), 0) => write!(f, " (HTTP {status})")?,
            (None, 0) => {}
            (_, received) => write!(f, " (after {received} characters of answer)")?,
        }
        if self.detail.is_empty() { Ok(()) } else { write!(f, ": {}", self.detail) }
    }
}

fn limit_text(limit: LimitKind) -> &'static str {
    match limit {
        LimitKind::Window => "limits how often it may be called",
        LimitKind::Concurrency => "limits how many calls may run at once",
        LimitKind::Capacity => "has no capacity at the moment",
    }
}

fn wait_text(retry_after: Option<Duration>) -> String {
    match retry_after {
        Some(wait) => format!("prepare the task again in {}", duration_text(wait)),
        None => "wait a little and prepare the task again".to_owned(),
    }
}

fn quota_text(quota: QuotaKind) -> &'static str {
    match quota {
        QuotaKind::Allotment => "allotment is",
        QuotaKind::Balance => "balance or credit is",
    }
}

fn quota_way_out(quota: QuotaKind, retry_after: Option<Duration>) -> String {
    match (quota, retry_after) {
        (QuotaKind::Balance, _) => "add credit there or choose another provider".to_owned(),
        (QuotaKind::Allotment, Some(wait)) => {
            format!("it comes back in {}; until then choose another provider", duration_text(wait))
        }
        (QuotaKind::Allotment, None) => {
            "it comes back with the next day or month; until then choose another provider".to_owned()
        }
    }
}

fn rejection_text(reason: Rejection, provider: &str) -> String {
    match reason {
        Rejection::UnknownModel => format!("`{provider}` does not have this model"),
        Rejection::ModelNotAllowed => format!("`{provider}` does not let this account use the model"),
        Rejection::TooLarge => format!("the prompt is too long for this model at `{provider}`"),
        Rejection::BadRequest => format!("`{provider}` does not accept the request"),
        Rejection::Redirect => format!("`{provider}` sent the request elsewhere"),
        Rejection::Misconfigured => format!("the entry of `{provider}` cannot be used"),
        Rejection::Unsupported => format!("the model at `{provider}` does not accept what was asked"),
    }
}

fn rejection_way_out(reason: Rejection) -> &'static str {
    match reason {
        Rejection::UnknownModel => "refresh the catalogue and choose another model",
        Rejection::ModelNotAllowed => "ask for access at the provider or choose another model",
        Rejection::TooLarge => "shorten the prompt or choose a model with a longer context",
        Rejection::BadRequest => "choose another model, or correct the model's settings",
        Rejection::Redirect => "a key never follows a redirect, so correct `base_url`",
        Rejection::Misconfigured => "correct it in the configuration; nothing was sent",
        Rejection::Unsupported => "leave it out or choose another model; nothing was sent",
    }
}

fn duration_text(duration: Duration) -> String {
    let seconds = duration.as_secs() + u64::from(duration.subsec_nanos() > 0);
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h", seconds.div_ceil(3600)),
    }
}

impl ProviderError {
    /// What happened.
    pub fn failure(&self) -> &Failure {
        match self {
            Self::Unauthorized { failure }
            | Self::RateLimited { failure, .. }
            | Self::QuotaExhausted { failure, .. }
            | Self::Refused { failure }
            | Self::Rejected { failure, .. }
            | Self::Failed { failure }
            | Self::Unreachable { failure }
            | Self::TimedOut { failure }
            | Self::Cancelled { failure } => failure,
        }
    }

    pub(crate) fn failure_mut(&mut self) -> &mut Failure {
        match self {
            Self::Unauthorized { failure }
            | Self::RateLimited { failure, .. }
            | Self::QuotaExhausted { failure, .. }
            | Self::Refused { failure }
            | Self::Rejected { failure, .. }
            | Self::Failed { failure }
            | Self::Unreachable { failure }
            | Self::TimedOut { failure }
            | Self::Cancelled { failure } => failure,
        }
    }

    /// The code that callers branch on.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Unauthorized { .. } => ErrorCode::ProviderUnauthorized,
            Self::RateLimited { .. } => ErrorCode::ProviderRateLimited,
            Self::QuotaExhausted { .. } => ErrorCode::ProviderQuotaExhausted,
            Self::Refused { .. } => ErrorCode::ProviderRefused,
            Self::Rejected { reason: Rejection::Misconfigured, .. } => ErrorCode::ConfigInvalid,
            Self::Rejected { .. } => ErrorCode::ProviderRejected,
            Self::Failed { .. } => ErrorCode::ProviderFailed,
            Self::Unreachable { .. } => ErrorCode::ProviderUnreachable,
            Self::TimedOut { .. } => ErrorCode::ProviderTimedOut,
            Self::Cancelled { .. } => ErrorCode::Interrupted,
        }
    }

    /// How long the provider asks to wait, if it says.
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::QuotaExhausted { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// Whether the provider may bill the call all the same.
    ///
    /// True when an answer had begun, when the provider failed while it worked, and when the request left and
    /// nothing came back; a reservation is then kept rather than released.
    pub fn may_have_cost(&self) -> bool {
        let failure = self.failure();
        let is_turned_away = failure.status.is_some_and(|status| (300..500).contains(&status) && status != 408);
        failure.was_sent && !is_turned_away
    }

    /// The error for a call that its owner gave up, for example because the host stops.
    pub fn cancelled(provider: &str) -> Self {
        Self::Cancelled { failure: Box::new(Failure::after_sending(provider, "")) }
    }
}
