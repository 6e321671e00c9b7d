//! The router's upkeep: catalogue, quotas, pipelines, tiers, consent of a session, guidance.

use lwa_domain::{ApprovalId, BillingClass, Capability, ConsentMode, ReasoningEffort};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::plan::ApproveStatus;

/// Parameters of `catalogue/refresh`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct CatalogueRefreshParams {
    /// Only this provider's list; every provider's when absent.
    pub provider: Option<String>,
    /// Whether lists that are still fresh are asked for again.
    pub force: bool,
}

/// Answer to `catalogue/refresh`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CatalogueRefreshed {
    /// Models known afterwards.
    pub models: u32,
    /// Models that lists brought or confirmed this time.
    pub refreshed: u32,
    /// How it went with each provider that was looked at.
    pub providers: Vec<ListTried>,
}

/// How a provider's list stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ListStatus {
    /// It was read now.
    Ok,
    /// It was read lately and not asked for again.
    Fresh,
    /// The provider offers none, so what is known comes from other sources.
    NotSupported,
    /// A key is missing.
    MissingCredential,
    /// The provider is switched off.
    Disabled,
    /// It could not be read; the last good one stays in use.
    Failed,
}

/// How asking one provider for its list went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ListTried {
    /// The provider.
    pub provider: String,
    /// How its list stands.
    pub status: ListStatus,
    /// Models on the list in use; null without one.
    pub models: Option<u32>,
    /// Whether a limit cut the list.
    pub is_cut: bool,
    /// When the list in use was read; null without one.
    pub listed_at: Option<String>,
    /// What went wrong or what it means, in words.
    pub detail: Option<String>,
}

/// Answer to `quota/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct QuotaList {
    /// The newest observation of every quota, by provider.
    pub quotas: Vec<QuotaView>,
}

/// What a provider said about one of its quotas.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct QuotaView {
    /// The provider.
    pub provider: String,
    /// Which quota: `requests_day`, `tokens_minute`, `balance`, …
    pub window: String,
    /// How much there is in all, as decimal text; null when it was not said.
    pub limit: Option<String>,
    /// How much is left, as decimal text; null when it was not said.
    pub remaining: Option<String>,
    /// What is counted: `requests`, `tokens`, `usd`, …
    pub unit: String,
    /// When it starts anew; null when it was not said.
    pub resets_at: Option<String>,
    /// The header or probe it was read from.
    pub source: String,
    /// How sure the reading is: `stated`, `derived` or `uncertain`.
    pub confidence: String,
    /// When it was read.
    pub observed_at: String,
    /// Seconds since then.
    pub age_seconds: u32,
}

/// Answer to `quota/refresh`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct QuotaRefreshed {
    /// How it went with each provider.
    pub providers: Vec<QuotaTried>,
    /// The newest observations afterwards.
    pub quotas: Vec<QuotaView>,
}

/// How asking for a balance went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum QuotaStatus {
    /// It was read.
    Ok,
    /// The provider has nothing to ask, or nothing an ordinary key may ask.
    NotSupported,
    /// A key is missing.
    NotConfigured,
    /// It could not be read.
    Error,
}

/// How asking one provider for its balance went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct QuotaTried {
    /// The provider.
    pub provider: String,
    /// How it went.
    pub status: QuotaStatus,
    /// What is missing or went wrong, in words.
    pub detail: Option<String>,
}

/// Parameters of `pipeline/status`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct PipelineParams {
    /// Only this provider; all of them when absent.
    pub provider: Option<String>,
    /// Whether to ask the provider with a request that carries no text and costs nothing.
    pub probe: bool,
}

/// Answer to `pipeline/status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PipelineList {
    /// By name.
    pub pipelines: Vec<PipelineView>,
}

/// Where a pipeline stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PipelineStatus {
    /// Configured; requests can be sent.
    Ready,
    /// Switched off.
    Blocked,
    /// No address is configured.
    Unavailable,
    /// A key or an account id is missing.
    MissingCredentials,
    /// It failed lately.
    Unhealthy,
    /// A probe reached it.
    Reachable,
    /// A probe did not reach it.
    Unreachable,
}

/// What the readiness rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PipelineReadiness {
    /// The configuration alone.
    Configured,
    /// A call or a list that succeeded.
    LiveVerified,
    /// A probe that succeeded.
    ProbeVerified,
    /// A probe that failed.
    ProbeFailed,
}

/// The way to one provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts on the wire, not one state")]
pub struct PipelineView {
    /// The provider.
    pub provider: String,
    /// Where it stands.
    pub status: PipelineStatus,
    /// What that rests on.
    pub readiness: PipelineReadiness,
    /// Whether it is switched on.
    pub enabled: bool,
    /// Whether what it needs is configured.
    pub configured: bool,
    /// Whether a key is there, or none is needed.
    pub credentialed: bool,
    /// Whether an address is configured.
    pub endpoint_configured: bool,
    /// Models known.
    pub catalog_models: u32,
    /// Who pays.
    pub billing_class: BillingClass,
    /// `offline` or `zero_payload_probe`.
    pub check_mode: String,
    /// When this was found out.
    pub checked_at: String,
    /// Always false: neither check sends text.
    pub data_transmitted: bool,
    /// Always false: neither check costs anything.
    pub cost_incurred: bool,
    /// Whether a call or a list succeeded lately.
    pub live_verified: bool,
    /// Whether the provider stated a quota lately.
    pub quota_verified: bool,
    /// In words.
    pub detail: String,
    /// Requests that this answer made.
    pub network_calls: u32,
    /// Whether the probe's answer came from memory.
    pub cache_hit: bool,
    /// How old that answer is; null without one.
    pub cache_age_seconds: Option<u32>,
    /// What an operator noted.
    pub manual_mark: Option<PipelineMark>,
}

/// An operator's note on a pipeline. It informs and gates nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PipelineMark {
    /// `ready`, `degraded`, `blocked` or `maintenance`.
    pub status: String,
    /// Why, at most 500 characters.
    pub detail: String,
    /// When it was noted.
    pub at: String,
}

/// Parameters of `pipeline/mark`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PipelineMarkParams {
    /// The provider.
    pub provider: String,
    /// `ready`, `degraded`, `blocked` or `maintenance`.
    pub status: String,
    /// Why, at most 500 characters.
    #[serde(default)]
    pub detail: String,
}

/// Parameters of `pipeline/forget`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct PipelineForgetParams {
    /// Only this provider's probe; all of them when absent.
    pub provider: Option<String>,
}

/// Answer to `pipeline/forget`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PipelineForgotten {
    /// How many answers of probes were forgotten.
    pub invalidated: u32,
}

/// Parameters of `tier/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct TierListParams {
    /// At most this many; 100 when absent.
    pub limit: Option<u32>,
}

/// Answer to `tier/list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TierList {
    /// Models with a declared free allowance first, the largest before.
    pub tiers: Vec<TierView>,
}

/// One model with what is declared about plans and tiers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TierView {
    /// Its place, from 1.
    pub rank: u32,
    /// The provider.
    pub provider: String,
    /// The model.
    pub model: String,
    /// A name for people.
    pub display_name: Option<String>,
    /// Tiers the operator declared.
    pub service_tiers: Vec<String>,
    /// Parameters it accepts, where that is known.
    pub supported_parameters: Vec<String>,
    /// Efforts it accepts.
    pub reasoning_levels: Vec<ReasoningEffort>,
    /// What it can do.
    pub capabilities: Vec<Capability>,
    /// `seed`, `config` or `live`.
    pub source: String,
    /// Whether it is switched on.
    pub enabled: bool,
    /// Tokens the free plan allows, as the operator declared.
    pub free_plan_max_tokens: Option<u32>,
    /// Tokens the paid plan allows, as the operator declared.
    pub pro_plan_max_tokens: Option<u32>,
    /// Who pays.
    pub billing_class: BillingClass,
    /// The provider's plan, as the operator declared.
    pub subscription_plan: String,
    /// `unknown`, `active`, `inactive` or `expired`, as the operator declared.
    pub subscription_status: String,
    /// Tokens a month of that plan, as the operator declared.
    pub subscription_monthly_token_limit: Option<u32>,
    /// Tokens of input and output together.
    pub context_length: u32,
}

/// Parameters of `consent/set`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ConsentSetParams {
    /// `always_ask`, `paid_only` or `automatic`, or one of their older names.
    pub mode: String,
    /// How long the caller can wait for the human, in milliseconds.
    pub hold_ms: u32,
}

/// Answer to `consent/set`: a mode for this session alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ConsentSetAnswer {
    /// `ready` when the mode is in force; else where the question to the human stands.
    pub status: ApproveStatus,
    /// The mode in force for this session now.
    pub consent_mode: ConsentMode,
    /// What this means and what to do next.
    pub message: String,
    /// The approval that was opened; null when none was needed.
    pub approval_id: Option<ApprovalId>,
}

/// Whether a result carries a suggestion for the next tier, and where it comes from. Parameters and answer of
/// `guidance/set`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct GuidanceSetting {
    /// Whether it is on; off unless somebody turns it on.
    pub enabled: bool,
    /// `local` or `codex_request`.
    pub mode: String,
}

/// Parameters of `ledger/export`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct LedgerExportParams {
    /// At most this many, newest first; 1000 when absent.
    pub limit: Option<u32>,
}

/// Answer to `ledger/export`: no prompt, no answer, no key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LedgerExport {
    /// The version of this form: 1.
    pub schema_version: u32,
    /// Always true.
    pub redacted: bool,
    /// One for each call.
    pub records: Vec<ExportRecord>,
}

/// One call as it is exported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ExportRecord {
    /// Row number in the ledger, as text.
    pub call_id: String,
    /// The plan it belongs to; the same for all calls of a consensus.
    pub parent_call_id: String,
    /// In which session.
    pub session_id: String,
    /// The tool or command that prepared it.
    pub tool_name: String,
    /// Its part: `primary`, `consensus_voter` or `consensus_synthesis`.
    pub phase: String,
    /// When it began.
    pub created_at: String,
    /// What for.
    pub task: String,
    /// The provider.
    pub provider: String,
    /// The model.
    pub model: String,
    /// Who pays.
    pub billing_class: BillingClass,
    /// `ok`, `error`, `released` or `open`.
    pub status: String,
    /// `reported` or `not_reported`.
    pub usage_status: String,
    /// Tokens read.
    pub input_tokens: Option<u32>,
    /// Tokens written.
    pub output_tokens: Option<u32>,
    /// Pico-dollars as text; null when unknown.
    pub cost_pico_usd: Option<lwa_domain::PicoUsd>,
    /// From the claim to the end.
    pub latency_ms: Option<u32>,
}
