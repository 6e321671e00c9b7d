//! What works, what does not, and the way out.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ledger::TelemetrySum;
use crate::provider::ProviderView;

/// Parameters of `doctor/run`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct DoctorParams {
    /// Whether providers are contacted; nothing but a model listing is asked for.
    pub probe: bool,
}

/// Answer to `doctor/run`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Diagnosis {
    /// The worst status of all checks.
    pub level: CheckStatus,
    /// Every check.
    pub checks: Vec<Check>,
    /// What stops work altogether.
    pub hard_blockers: Vec<String>,
    /// What limits work.
    pub soft_blockers: Vec<String>,
    /// What to do, most useful first.
    pub next_actions: Vec<String>,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Check {
    /// Its name.
    pub id: String,
    /// How it went.
    pub status: CheckStatus,
    /// What was found.
    pub detail: String,
    /// The way out: a command or a sentence.
    pub fix: Option<String>,
}

/// How a check went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// As it should be.
    Ok,
    /// Works with limits.
    Warn,
    /// Does not work.
    Fail,
}

/// Answer to `router/status`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct RouterStatus {
    /// Product version.
    pub product: String,
    /// The consent mode in force.
    pub consent_mode: String,
    /// Whether paid routes may be considered at all.
    pub allow_paid: bool,
    /// Whether work is paused.
    pub is_paused: bool,
    /// Models known.
    pub catalog_models: u32,
    /// Providers and whether they can be used.
    pub providers: Vec<ProviderView>,
    /// Today's usage.
    pub usage_today: TelemetrySum,
    /// Approvals that wait for the human.
    pub waiting: u32,
    /// What works and what does not.
    pub doctor: Diagnosis,
}
