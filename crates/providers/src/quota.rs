//! What a reply says about limits.
//!
//! The same header counts a day at one provider and a minute at another, and a reset is seconds, a clock time or
//! `6m0s`; so what a header means is a fact of the provider, see [`crate::facts`], and nothing is guessed.

mod observe;
mod wait;

use jiff::Timestamp;
use lwa_secrets::Secret;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde::{Deserialize, Serialize};

use crate::redact::redact;

pub use observe::observe;
pub(crate) use observe::{amount, moment};
pub(crate) use wait::{has_spent_allotment, retry_after};

/// The most headers that are kept, and the longest value.
const HEADER_LIMIT: usize = 40;
const VALUE_LIMIT: usize = 200;

/// What is counted, and over which time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuotaWindow {
    /// Requests a second.
    RequestsSecond,
    /// Requests a minute.
    RequestsMinute,
    /// Requests a day.
    RequestsDay,
    /// Requests a month.
    RequestsMonth,
    /// Requests over a time that is not known: worth a line in a log, never a decision.
    RequestsUnstated,
    /// Tokens a minute.
    TokensMinute,
    /// Input tokens a minute.
    InputTokensMinute,
    /// Output tokens a minute.
    OutputTokensMinute,
    /// Tokens in five hours.
    TokensFiveHours,
    /// Tokens a day.
    TokensDay,
    /// Tokens a week.
    TokensWeek,
    /// Tokens a month.
    TokensMonth,
    /// Tokens over a time that is not known.
    TokensUnstated,
    /// Money on the account, in pico-dollars.
    BalanceUsd,
    /// Money that one key may spend, in pico-dollars.
    KeyUsd,
    /// Money in five hours, in pico-dollars.
    UsdFiveHours,
    /// Money a week, in pico-dollars.
    UsdWeek,
    /// The provider's own credits, in thousandths of one.
    Credits,
    /// Calls of a provider's extra tools a month.
    ToolCallsMonth,
}

impl QuotaWindow {
    /// Its word, as files and the ledger use it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RequestsSecond => "requests_second",
            Self::RequestsMinute => "requests_minute",
            Self::RequestsDay => "requests_day",
            Self::RequestsMonth => "requests_month",
            Self::RequestsUnstated => "requests_unstated",
            Self::TokensMinute => "tokens_minute",
            Self::InputTokensMinute => "input_tokens_minute",
            Self::OutputTokensMinute => "output_tokens_minute",
            Self::TokensFiveHours => "tokens_five_hours",
            Self::TokensDay => "tokens_day",
            Self::TokensWeek => "tokens_week",
            Self::TokensMonth => "tokens_month",
            Self::TokensUnstated => "tokens_unstated",
            Self::BalanceUsd => "balance_usd",
            Self::KeyUsd => "key_usd",
            Self::UsdFiveHours => "usd_five_hours",
            Self::UsdWeek => "usd_week",
            Self::Credits => "credits",
            Self::ToolCallsMonth => "tool_calls_month",
        }
    }

    /// Powers of ten between what a provider writes and the whole number that is kept.
    const fn digits(self) -> i64 {
        match self {
            Self::BalanceUsd | Self::KeyUsd | Self::UsdFiveHours | Self::UsdWeek => 12,
            Self::Credits => 3,
            _ => 0,
        }
    }

    /// Whether a remaining zero is a statement by itself. A balance of nothing is; a counter of nothing is what some
    /// gateways write when they do not know.
    const fn is_account(self) -> bool {
        matches!(self, Self::BalanceUsd | Self::KeyUsd | Self::Credits)
    }
}

/// How the moment of renewal is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResetUnit {
    /// Seconds from now, with or without a fraction.
    Seconds,
    /// Milliseconds from now.
    Milliseconds,
    /// Time from now such as `6m0s`.
    Duration,
    /// Seconds since 1970.
    UnixSeconds,
    /// Milliseconds since 1970.
    UnixMillis,
    /// The date form of HTTP.
    HttpDate,
    /// RFC 3339.
    Rfc3339,
}

/// How far an observation can be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// Nobody said what the header means: for logs only.
    Guess,
    /// What it means is a hypothesis: for showing, not for refusing.
    Hypothesis,
    /// What it means was read.
    Known,
}

/// One limit as a provider stated it at one moment.
///
/// What is absent was not stated, and a former observation of it still stands, with its age.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuotaObservation {
    /// What is counted, and over which time.
    pub window: QuotaWindow,
    /// The whole: a count, pico-dollars or thousandths of a credit, as the window says.
    pub limit: Option<u64>,
    /// The rest, in the same unit.
    pub remaining: Option<u64>,
    /// When the whole comes back.
    pub resets_at: Option<Timestamp>,
    /// How far this can be relied on.
    pub confidence: Confidence,
    /// The header, or the path and pointer, that said so.
    pub source: String,
    /// Whether the rest is the one before the call that was answered, so that this call's own cost is still in it.
    pub is_before_call: bool,
}

/// The headers of a reply that speak of limits, in lower case and in their order.
pub(crate) fn quota_headers(headers: &HeaderMap, secrets: &[&Secret]) -> Vec<(String, String)> {
    headers
        .iter()
        .filter(|(name, _)| speaks_of_limits(name.as_str()))
        .filter_map(|(name, value)| {
            let value = value.to_str().ok().filter(|value| value.len() <= VALUE_LIMIT)?;
            Some((name.as_str().to_owned(), redact(value, secrets)))
        })
        .take(HEADER_LIMIT)
        .collect()
}

fn speaks_of_limits(name: &str) -> bool {
    name == RETRY_AFTER.as_str()
        || name.split(['-', '_']).any(|word| {
            matches!(word, "ratelimit" | "rate" | "limit" | "limits" | "remaining" | "reset" | "quota" | "balance")
        })
}

#[cfg(test)]
mod tests {
    use super::speaks_of_limits;

    #[test]
    fn names_that_merely_contain_a_word_are_not_limits() {
        assert!(speaks_of_limits("x-ratelimit-remaining-tokens"));
        assert!(speaks_of_limits("x-venice-balance-usd"));
        assert!(!speaks_of_limits("x-operator"));
        assert!(!speaks_of_limits("x-generated-by"));
    }
}
