//! Usage and money.

use lwa_domain::{BillingClass, ClientName, ErrorCode, PicoUsd, PlanId, SessionId, TaskKind};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Parameters of `ledger/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct LedgerParams {
    /// Only rows at or after this time.
    pub since: Option<String>,
    /// At most this many, newest first; 200 when absent.
    pub limit: Option<u32>,
}

/// Answer to `ledger/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LedgerList {
    /// Newest first.
    pub rows: Vec<LedgerRow>,
}

/// One call of a provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LedgerRow {
    /// Row number.
    pub id: u32,
    /// The plan it belongs to.
    pub plan_id: PlanId,
    /// When the call began.
    pub at: String,
    /// Who asked.
    pub client: ClientName,
    /// In which session.
    pub session: SessionId,
    /// What for.
    pub task: TaskKind,
    /// The provider.
    pub provider: String,
    /// The model.
    pub model: String,
    /// Who pays.
    pub billing_class: BillingClass,
    /// `reserved` while the call runs, then `ok` or `error`.
    pub status: String,
    /// Why it failed.
    pub error_code: Option<ErrorCode>,
    /// Tokens read; null when unknown.
    pub input_tokens: Option<u32>,
    /// Tokens written; null when unknown.
    pub output_tokens: Option<u32>,
    /// Of the tokens read, from a cache; null when not reported.
    pub cached_tokens: Option<u32>,
    /// Whether the provider reported the counts.
    pub usage_reported: bool,
    /// The amount reserved for the worst case; null when no price was known.
    pub reserved_pico_usd: Option<PicoUsd>,
    /// What it cost; null when unknown.
    pub cost_pico_usd: Option<PicoUsd>,
    /// How long it took; null while it runs.
    pub latency_ms: Option<u32>,
}

/// Parameters of `ledger/telemetry`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct TelemetryParams {
    /// Only calls at or after this time; the last 30 days when absent.
    pub since: Option<String>,
}

/// Answer to `ledger/telemetry`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Telemetry {
    /// The first moment that is counted.
    pub since: String,
    /// The moment of the answer.
    pub as_of: String,
    /// Everything since then.
    pub total: TelemetrySum,
    /// Today, in UTC.
    pub today: TelemetrySum,
    /// By UTC day, oldest first, days without calls included as zero.
    pub days: Vec<TelemetryDay>,
    /// By provider, most calls first.
    pub providers: Vec<TelemetryProvider>,
}

/// Sums over calls.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TelemetrySum {
    /// Calls.
    pub calls: u32,
    /// Of which failed.
    pub failed: u32,
    /// Of which with reported token counts.
    pub usage_reported: u32,
    /// Of which with a known cost.
    pub cost_known: u32,
    /// Tokens read, where known.
    pub input_tokens: u32,
    /// Tokens written, where known.
    pub output_tokens: u32,
    /// Money, where known.
    pub cost_pico_usd: PicoUsd,
}

/// One UTC day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TelemetryDay {
    /// `YYYY-MM-DD`.
    pub day: String,
    /// Its sums.
    pub sum: TelemetrySum,
}

/// One provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TelemetryProvider {
    /// Its name.
    pub provider: String,
    /// Its sums.
    pub sum: TelemetrySum,
    /// Median latency of its finished calls.
    pub latency_p50_ms: Option<u32>,
    /// 95th percentile of the same.
    pub latency_p95_ms: Option<u32>,
    /// When it was last called.
    pub last_used: Option<String>,
}
