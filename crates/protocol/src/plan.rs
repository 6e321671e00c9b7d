//! Preparing, approving and running plans.

use lwa_domain::{
    ApprovalId, BillingClass, ClientName, DataUse, Outcome, PicoUsd, PlanId, PlanMode, PlanState, Quality,
    ReasoningEffort, SessionId, TaskKind,
};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::error::Failure;

/// Parameters of `plan/prepare`. Labels are text here, so that one place refuses misspelt ones.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct PrepareParams {
    /// A task kind.
    pub task: String,
    /// What the model is to work on, 1 to 2,000,000 characters.
    pub prompt: String,
    /// Added below the task's own system prompt, never instead of it; at most 200,000 characters.
    pub system_prompt: Option<String>,
    /// A quality label; `balanced` when absent.
    pub quality: Option<String>,
    /// A reasoning effort; none when absent.
    pub reasoning_effort: Option<String>,
    /// Whether paid routes may be considered. States a wish and consents to nothing.
    pub allow_paid: bool,
    /// Whether routes that the user's own subscription pays may be considered.
    pub allow_user_pays: bool,
    /// Tokens the answer may have, 1 to 100,000, as the caller asks.
    pub max_output_tokens: Option<u32>,
    /// Tokens a model's answer may have when the caller asks for no number: the door's own usual; 1200
    /// when absent. The built-in provider is not bound by it and leaves out only what does not matter.
    pub usual_output_tokens: Option<u32>,
    /// Providers in the order they are preferred; position beats score.
    pub preferred_providers: Vec<String>,
    /// Providers that may not be used.
    pub excluded_providers: Vec<String>,
    /// The one provider that may be used.
    pub provider: Option<String>,
    /// The one model that may be used.
    pub model: Option<String>,
    /// The door's own name for the call: a tool or a command.
    pub tool_name: Option<String>,
    /// The form of the answer: the text `json_object`, or an object `{"name", "schema"}`; free text when absent.
    #[ts(type = "unknown")]
    pub response_format: Option<serde_json::Value>,
    /// The most the plan may cost; a plan that might cost more, or whose cost is unknown, is refused.
    pub max_cost_pico_usd: Option<PicoUsd>,
    /// The one billing class that may be used; nothing else is put in its place.
    pub required_billing_class: Option<String>,
    /// How many models may vote at most, for the task `consensus`; every eligible one when absent.
    pub voters: Option<u32>,
    /// What a picture or a film should be like; for those tasks alone.
    pub media: Option<MediaParams>,
    /// The workflow that this is a part of, so that repeated work can become a recipe.
    pub workflow: Option<WorkflowParams>,
    /// The recipe whose prompt this is, if it is one's; such a plan is not observed again.
    pub library_tool: Option<String>,
    /// How many of the candidates that are not chosen the answer names at most; all of them when absent. `plan/show`
    /// has them all, whatever was asked for here.
    pub excluded_limit: Option<u32>,
}

/// What a picture or a film should be like.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct MediaParams {
    /// Of a picture: `1:1`, `16:9`, `9:16`, …; `1:1` when absent.
    pub aspect_ratio: Option<String>,
    /// Of a picture: `png`, `jpeg` or `webp`; `png` when absent.
    pub output_format: Option<String>,
    /// Of a film: its length; `4` when absent.
    pub seconds: Option<String>,
    /// Of a film: `WIDTHxHEIGHT`; `1280x720` when absent.
    pub size: Option<String>,
}

/// What work a plan is a part of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct WorkflowParams {
    /// Its name.
    pub name: Option<String>,
    /// What it does.
    pub description: Option<String>,
    /// The project it belongs to.
    pub project: Option<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
}

/// Answer to `plan/prepare`: a locked plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PlanPrepared {
    /// `ready` or `confirmation_required`.
    pub status: PlanState,
    /// Always `preflight_complete`.
    pub phase: String,
    /// One sentence for the agent: what is locked and what comes next.
    pub message: String,
    /// Names the plan; gives no right to run it.
    pub plan_id: PlanId,
    /// The single-use right to run the plan.
    pub plan_token: String,
    /// Whether `run_prepared_task` would run now.
    pub working_may_begin: bool,
    /// Whether a human has to consent first.
    pub requires_confirmation: bool,
    /// What `approve_preflight` takes; null when no consent is needed.
    pub confirmation_token: Option<String>,
    /// The task.
    pub task: TaskKind,
    /// The quality asked for.
    pub quality: Quality,
    /// The effort asked for.
    pub reasoning_effort: Option<ReasoningEffort>,
    /// The locked routes in order; exactly one for a single plan.
    pub routes: Vec<RouteView>,
    /// The other candidates with the reason each was not chosen: every one, or as many as were asked for.
    pub excluded: Vec<ExcludedView>,
    /// How many other candidates there are.
    #[serde(default)]
    pub excluded_count: u32,
    /// Tokens the prompt is estimated to have.
    pub estimated_input_tokens: u32,
    /// Tokens the answer may have.
    pub max_output_tokens: u32,
    /// The most this plan can cost; null when no price is known.
    pub max_cost_pico_usd: Option<PicoUsd>,
    /// SHA-256 of the prompt, hexadecimal.
    pub prompt_hash: String,
    /// When the plan stops being runnable.
    pub expires_at: String,
    /// What kind of work it is.
    pub mode: PlanMode,
    /// What cannot change any more.
    pub locks: PlanLocks,
    /// What leaves this machine, and what is masked before it does.
    pub egress: EgressView,
    /// Recipes that fit the prompt; empty when none does.
    pub library_suggestions: Vec<LibrarySuggestion>,
    /// Characters of a consensus draft that did not fit and were left out of its middle; 0 when all fits.
    pub omitted_characters: u32,
}

/// What a plan locks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[expect(clippy::struct_excessive_bools, reason = "the named locks of the contract, each said for itself")]
pub struct PlanLocks {
    /// The prompt.
    pub prompt: bool,
    /// The token budget.
    pub token_budget: bool,
    /// The voters and the synthesis, for a consensus.
    pub consensus_plan: bool,
    /// The routes.
    pub model_routes: bool,
    /// Always false: no other model is called while the plan works.
    pub dynamic_rerouting_during_work: bool,
    /// Whether the whole prompt is locked, or a template that takes the reviews in.
    pub prompt_lock_scope: PromptLockScope,
}

impl PlanLocks {
    /// What a plan of this kind locks.
    pub const fn of(mode: PlanMode) -> Self {
        Self {
            prompt: true,
            token_budget: true,
            consensus_plan: true,
            model_routes: true,
            dynamic_rerouting_during_work: false,
            prompt_lock_scope: match mode {
                PlanMode::Consensus => PromptLockScope::Template,
                PlanMode::Single | PlanMode::Image | PlanMode::Video => PromptLockScope::Complete,
            },
        }
    }
}

/// How much of the prompt is fixed before the work begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PromptLockScope {
    /// All of it.
    Complete,
    /// A template whose one gap the reviews fill.
    Template,
}

/// What leaves this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct EgressView {
    /// Whether any route leaves this machine.
    pub leaves_machine: bool,
    /// Values that look like secrets and are replaced by placeholders before anything leaves.
    pub masked_secrets: u32,
    /// Their kinds, each once.
    pub masked_kinds: Vec<String>,
    /// What the strictest and the laxest of the routes do with the text, in words.
    pub data_use: String,
}

/// A recipe that fits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LibrarySuggestion {
    /// Its name in the library.
    pub slug: String,
    /// Its title.
    pub name: String,
    /// What it does.
    pub description: String,
    /// How well it fits, in hundredths.
    pub relevance_hundredths: u32,
}

/// One locked route.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct RouteView {
    /// `primary`, `consensus_voter` or `consensus_synthesis`.
    pub role: String,
    /// The provider.
    pub provider: String,
    /// The model.
    pub model: String,
    /// Who pays.
    pub billing_class: BillingClass,
    /// What the provider does with the text.
    pub data_use: DataUse,
    /// Where that is known from and when it was read; empty when it is not known.
    #[serde(default)]
    pub data_use_source: String,
    /// Whether the text stays on this machine.
    pub is_local: bool,
    /// The score that won, in hundredths.
    pub score_hundredths: i32,
    /// Why, one readable reason a term.
    pub reasons: Vec<String>,
    /// The most this route can cost; null when no price is known.
    pub max_cost_pico_usd: Option<PicoUsd>,
    /// Where the price comes from.
    pub price_source: Option<String>,
    /// The day the price was read.
    pub price_as_of: Option<String>,
    /// Whether the price is so old that more than it is reserved.
    #[serde(default)]
    pub is_price_stale: bool,
    /// Tokens this route is estimated to read.
    #[serde(default)]
    pub estimated_input_tokens: u32,
    /// Tokens this route may write.
    #[serde(default)]
    pub max_output_tokens: u32,
}

/// A candidate that was not chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ExcludedView {
    /// The provider.
    pub provider: String,
    /// The model.
    pub model: String,
    /// The first gate that failed, or how its score compared.
    pub reason: String,
}

/// Parameters of `plan/approve`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ApproveParams {
    /// The confirmation token of the plan.
    pub confirmation_token: String,
    /// How long the caller can wait for the human, in milliseconds.
    pub hold_ms: u32,
}

/// Answer to `plan/approve`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ApproveAnswer {
    /// `ready`, `approval_pending`, or how the question ended.
    pub status: ApproveStatus,
    /// What this means and what to do next.
    pub message: String,
    /// The plan in question.
    pub plan_id: PlanId,
    /// The approval that was opened; null when none was needed.
    pub approval_id: Option<ApprovalId>,
    /// How the question ended; null while it is open.
    pub outcome: Option<Outcome>,
    /// Whether `run_prepared_task` would run now.
    pub working_may_begin: bool,
    /// When the plan stops being runnable.
    pub expires_at: String,
}

/// Where an asked-for consent stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ApproveStatus {
    /// The plan may run.
    Ready,
    /// The human has not answered yet; repeat the same call.
    ApprovalPending,
    /// The human said no.
    Denied,
    /// The human put the question away.
    Dismissed,
    /// Nobody answered in time.
    TimedOut,
    /// The question lost its reason.
    Withdrawn,
    /// There was nowhere to ask; the message says how to approve.
    Unavailable,
}

/// Parameters of `plan/run`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RunParams {
    /// The single-use plan token.
    pub plan_token: String,
    /// How long the caller can wait for the result, in milliseconds.
    pub hold_ms: u32,
    /// Bytes of text the caller can show; a longer text of the built-in provider is condensed further
    /// to fit, one of a model is handed over whole. All of it when absent.
    pub max_text_bytes: Option<u32>,
    /// What the caller thinks the next tier should be, at most 500 characters. It changes no route.
    #[serde(default)]
    pub next_tier_suggestion: Option<String>,
}

/// Parameters of `plan/result` and `plan/show`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PlanParams {
    /// The plan.
    pub plan_id: PlanId,
}

/// Answer to `plan/run` and `plan/result`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct RunAnswer {
    /// Where the run stands.
    pub status: RunStatus,
    /// `work_complete`, `working`, `work_stopped` or `preflight_complete`.
    pub phase: String,
    /// Whether this is the stored result of an earlier run.
    pub replayed: bool,
    /// The plan.
    pub plan_id: PlanId,
    /// Its task.
    pub task: TaskKind,
    /// The locked route that was used.
    pub route: RouteUsed,
    /// Token counts.
    pub usage: Usage,
    /// What the run cost; null when unknown.
    pub cost_pico_usd: Option<PicoUsd>,
    /// From the claim to the stored result; null while working.
    pub latency_ms: Option<u32>,
    /// The answer; null unless completed.
    pub text: Option<String>,
    /// Whether `text` was condensed further to fit the caller; `plan/result` has all of it.
    pub is_text_reduced: bool,
    /// Bytes of the whole answer; null unless completed.
    pub text_bytes: Option<u32>,
    /// Why the answer ended, as the provider says it: `stop`, `length`.
    pub finish_reason: Option<String>,
    /// A short readable account of the run.
    pub display: String,
    /// Why it failed; null unless it did.
    pub error: Option<Failure>,
    /// The reviews behind a consensus; null for other work.
    #[serde(default)]
    pub consensus: Option<ConsensusAnswer>,
    /// The files of a picture or film; null for other work.
    #[serde(default)]
    pub media: Option<MediaAnswer>,
    /// What was masked before the text left; the placeholders may stand in the answer.
    #[serde(default)]
    pub masked: Vec<MaskedValue>,
    /// What the display of the client may show.
    #[serde(default)]
    pub panel: Option<DisplayPanel>,
    /// A thought about the next tier, when guidance is on or one was given. It changes no route.
    #[serde(default)]
    pub next_tier_guidance: Option<TierGuidance>,
    /// Something that went wrong beside the work and did not touch its result.
    #[serde(default)]
    pub warnings: Vec<String>,
}

/// The reviews behind a consensus.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct ConsensusAnswer {
    /// Reviews that arrived, in the order of the locked routes.
    pub reviews: Vec<Review>,
    /// Voters that failed.
    pub voter_failures: Vec<RouteFailure>,
    /// Tries of the synthesis that failed before the one that succeeded.
    pub synthesis_failures: Vec<RouteFailure>,
    /// Voters that were locked.
    pub voters: u32,
    /// Who wrote the synthesis; null when nobody could.
    pub synthesized_by: Option<RouteUsed>,
}

/// One voter's review.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Review {
    /// The voter.
    pub route: RouteUsed,
    /// What it wrote.
    pub text: String,
    /// Token counts.
    pub usage: Usage,
    /// How long it took.
    pub latency_ms: u32,
}

/// A call that failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct RouteFailure {
    /// The provider.
    pub provider: String,
    /// The model.
    pub model: String,
    /// Why.
    pub error: Failure,
}

/// The files of a picture or film.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MediaAnswer {
    /// What was made.
    pub files: Vec<MediaFileView>,
    /// The job at the provider, where it had one.
    pub job_id: Option<String>,
    /// Whether the provider's filter kept the content back.
    pub is_filtered: bool,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MediaFileView {
    /// Its place among the plan's files, from 0.
    pub index: u32,
    /// Where it is on this machine.
    pub path: String,
    /// What it is: `image/png`, `video/mp4`, …
    pub mime_type: String,
    /// Its length.
    pub bytes: u32,
}

/// A value that was masked before the text left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MaskedValue {
    /// What stands in its place.
    pub placeholder: String,
    /// What kind of value it was.
    pub kind: String,
}

/// What a client's display may show about a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DisplayPanel {
    /// Always `LWA`.
    pub surface: String,
    /// The phase in words.
    pub phase_label: String,
    /// The provider.
    pub provider: String,
    /// The model.
    pub model: String,
    /// A name for people.
    pub display_name: Option<String>,
    /// Who pays.
    pub billing_class: BillingClass,
    /// The effort asked for.
    pub reasoning_effort: Option<ReasoningEffort>,
    /// Tokens read.
    pub input_tokens: Option<u32>,
    /// Tokens written.
    pub output_tokens: Option<u32>,
    /// Who has the word again.
    pub returns_control_to: String,
    /// The provider's plan, as declared.
    pub subscription_plan: String,
    /// Its state, as declared.
    pub subscription_status: String,
    /// The measurements as a few readable lines.
    pub telemetry: String,
}

/// A thought about the next tier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TierGuidance {
    /// `local`, `codex_request` or `host_ingested`.
    pub source: String,
    /// The thought.
    pub suggestion: String,
    /// The route that was used.
    pub current: String,
    /// What to do with it.
    pub directive: String,
    /// Always false: it changes no route.
    pub accepted: bool,
}

/// Parameters of `plan/media`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MediaFileParams {
    /// The plan.
    pub plan_id: PlanId,
    /// Which of its files, from 0.
    pub index: u32,
}

/// Answer to `plan/media`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MediaFileContent {
    /// What it is.
    pub mime_type: String,
    /// Its bytes in Base64.
    pub base64: String,
}

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// Done, with a text.
    Completed,
    /// Still running; repeat the same call or ask for the result.
    Working,
    /// A human has to consent first; the plan is unharmed.
    ConfirmationRequired,
    /// It failed; no other model was tried; prepare a new plan.
    RepreflightRequired,
    /// It could not be started.
    Failed,
}

/// The route a run used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RouteUsed {
    /// The provider.
    pub provider: String,
    /// The model as the provider names it.
    pub model: String,
    /// Who pays.
    pub billing_class: BillingClass,
}

/// Token counts of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Usage {
    /// Tokens read; null when nobody counted.
    pub input_tokens: Option<u32>,
    /// Of which from a cache; null when not reported.
    pub cached_tokens: Option<u32>,
    /// Tokens written; null when nobody counted.
    pub output_tokens: Option<u32>,
    /// Whether the provider reported the counts; otherwise they are estimates.
    pub reported: bool,
}

/// Progress of a run, sent while the caller waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RunProgress {
    /// Characters of answer received so far.
    pub characters: u32,
    /// Milliseconds since the claim.
    pub elapsed_ms: u32,
    /// What is going on, in words.
    pub message: String,
}

/// Parameters of `plan/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct PlanListParams {
    /// At most this many, newest first; 50 when absent.
    pub limit: Option<u32>,
}

/// Answer to `plan/list`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PlanList {
    /// Newest first.
    pub plans: Vec<PlanView>,
}

/// A plan as people see it: no tokens, no prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PlanView {
    /// The plan.
    pub plan_id: PlanId,
    /// Where it stands.
    pub state: PlanState,
    /// Its task.
    pub task: TaskKind,
    /// The quality asked for.
    pub quality: Quality,
    /// The effort asked for.
    pub reasoning_effort: Option<ReasoningEffort>,
    /// Who prepared it.
    pub client: ClientName,
    /// In which session.
    pub session: SessionId,
    /// The locked routes.
    pub routes: Vec<RouteView>,
    /// The candidates that were not chosen: every one in `plan/show`, the first ones in `plan/list`.
    pub excluded: Vec<ExcludedView>,
    /// How many candidates were not chosen.
    #[serde(default)]
    pub excluded_count: u32,
    /// Whether a human has to consent.
    pub requires_confirmation: bool,
    /// The open approval for it, if any.
    pub approval_id: Option<ApprovalId>,
    /// Characters of prompt.
    pub prompt_characters: u32,
    /// Tokens the prompt is estimated to have.
    pub estimated_input_tokens: u32,
    /// Tokens the answer may have.
    pub max_output_tokens: u32,
    /// The most it can cost.
    pub max_cost_pico_usd: Option<PicoUsd>,
    /// What it cost; null while unknown.
    pub cost_pico_usd: Option<PicoUsd>,
    /// When it was prepared.
    pub created_at: String,
    /// When it stops being runnable.
    pub expires_at: String,
    /// When it was claimed.
    pub started_at: Option<String>,
    /// When its result was stored.
    pub finished_at: Option<String>,
    /// Why it failed.
    pub error: Option<Failure>,
    /// What kind of work it is.
    pub mode: PlanMode,
    /// What cannot change any more.
    pub locks: PlanLocks,
    /// What leaves this machine, and what is masked before it does; null for a plan of a version that did not keep it.
    #[serde(default)]
    pub egress: Option<EgressView>,
    /// Characters of a consensus draft that did not fit and were left out of its middle; 0 when all fits.
    #[serde(default)]
    pub omitted_characters: u32,
}
