//! Answers of a host, as the protocol's own types write them.

use lwa_domain::{
    BillingClass, ConsentMode, DataUse, ErrorCode, PicoUsd, PlanId, PlanMode, PlanState, Quality, TaskKind,
};
use lwa_protocol::Failure;
use lwa_protocol::doctor::{Check, CheckStatus, Diagnosis, RouterStatus};
use lwa_protocol::ledger::TelemetrySum;
use lwa_protocol::plan::{
    ApproveAnswer, ApproveStatus, ConsensusAnswer, EgressView, ExcludedView, MediaAnswer, MediaFileContent,
    MediaFileView, PlanLocks, PlanPrepared, Review, RouteFailure, RouteUsed, RouteView, RunAnswer, RunStatus, Usage,
};
use lwa_protocol::provider::{ProviderState, ProviderView};
use lwa_protocol::router::{
    CatalogueRefreshed, ConsentSetAnswer, GuidanceSetting, ListStatus, ListTried, PipelineForgotten, PipelineList,
    PipelineReadiness, PipelineStatus, PipelineView, QuotaRefreshed, QuotaStatus, QuotaTried, QuotaView, TierList,
    TierView,
};
use serde::Serialize;
use serde_json::Value;

use super::fake_host::Act;

pub const PLAN: &str = "a1b2c3d4e5f6a1b2c3d4e5f6";

fn answer(answer: impl Serialize) -> Vec<Act> {
    vec![Act::Answer(serde_json::to_value(answer).unwrap())]
}

pub fn prepared(excluded: usize) -> Vec<Act> {
    let excluded: Vec<_> = (0..excluded)
        .map(|number| ExcludedView {
            provider: "bar".to_owned(),
            model: format!("m-{number}"),
            reason: "needs a key".to_owned(),
        })
        .collect();
    answer(PlanPrepared {
        status: PlanState::Ready,
        phase: "preflight_complete".to_owned(),
        message: "a route is locked; call run_prepared_task".to_owned(),
        plan_id: PlanId::new(PLAN),
        plan_token: "token-1".to_owned(),
        working_may_begin: true,
        requires_confirmation: false,
        confirmation_token: None,
        task: TaskKind::ConversationCompression,
        quality: Quality::Economy,
        reasoning_effort: None,
        routes: vec![RouteView {
            role: "primary".to_owned(),
            provider: "builtin".to_owned(),
            model: "condense-1".to_owned(),
            billing_class: BillingClass::Free,
            data_use: DataUse::None,
            is_local: true,
            score_hundredths: 100,
            reasons: vec!["the only one".to_owned()],
            max_cost_pico_usd: Some(PicoUsd::ZERO),
            price_source: None,
            price_as_of: None,
            data_use_source: String::new(),
            is_price_stale: false,
            estimated_input_tokens: 12,
            max_output_tokens: 1200,
        }],
        excluded_count: u32::try_from(excluded.len()).unwrap(),
        excluded,
        estimated_input_tokens: 12,
        max_output_tokens: 1200,
        max_cost_pico_usd: Some(PicoUsd::new(1_500_000)),
        prompt_hash: "00".repeat(32),
        expires_at: "2026-12-01T00:00:00Z".to_owned(),
        mode: PlanMode::Single,
        locks: PlanLocks::of(PlanMode::Single),
        egress: EgressView {
            leaves_machine: false,
            masked_secrets: 0,
            masked_kinds: Vec::new(),
            data_use: "nothing leaves this machine".to_owned(),
        },
        library_suggestions: Vec::new(),
        omitted_characters: 0,
    })
}

pub fn run_answer(status: RunStatus, text: Option<&str>) -> RunAnswer {
    RunAnswer {
        status,
        phase: "work_complete".to_owned(),
        replayed: false,
        plan_id: PlanId::new(PLAN),
        task: TaskKind::ConversationCompression,
        route: RouteUsed {
            provider: "builtin".to_owned(),
            model: "condense-1".to_owned(),
            billing_class: BillingClass::Free,
        },
        usage: Usage { input_tokens: Some(12), cached_tokens: None, output_tokens: Some(3), reported: false },
        cost_pico_usd: Some(PicoUsd::new(42)),
        latency_ms: Some(3),
        text: text.map(str::to_owned),
        is_text_reduced: false,
        text_bytes: text.and_then(|text| u32::try_from(text.len()).ok()),
        finish_reason: Some("stop".to_owned()),
        display: "condensed by builtin".to_owned(),
        error: None,
        consensus: None,
        media: None,
        masked: Vec::new(),
        panel: None,
        next_tier_guidance: None,
        warnings: Vec::new(),
    }
}

pub fn completed(text: &str) -> Vec<Act> {
    answer(run_answer(RunStatus::Completed, Some(text)))
}

pub fn run(status: RunStatus) -> Vec<Act> {
    answer(run_answer(status, None))
}

pub fn failed_run() -> Vec<Act> {
    let mut failed = run_answer(RunStatus::RepreflightRequired, None);
    failed.error =
        Some(Failure::new(ErrorCode::ProviderTimedOut, "the provider did not answer").hint("prepare a new plan"));
    answer(failed)
}

pub fn approved(status: ApproveStatus, message: &str) -> Vec<Act> {
    answer(ApproveAnswer {
        status,
        message: message.to_owned(),
        plan_id: PlanId::new(PLAN),
        approval_id: None,
        outcome: None,
        working_may_begin: status == ApproveStatus::Ready,
        expires_at: "2026-12-01T00:00:00Z".to_owned(),
    })
}

pub fn diagnosis() -> Diagnosis {
    let detail = "no provider has a key".to_owned();
    let check = Check { id: "keys".to_owned(), status: CheckStatus::Warn, detail, fix: None };
    Diagnosis {
        level: CheckStatus::Warn,
        checks: vec![check],
        hard_blockers: Vec::new(),
        soft_blockers: vec!["no provider has a key".to_owned()],
        next_actions: vec!["lwa keys".to_owned()],
    }
}

pub fn router_status() -> Vec<Act> {
    answer(RouterStatus {
        product: "0.1.0".to_owned(),
        consent_mode: "paid_only".to_owned(),
        allow_paid: false,
        is_paused: false,
        catalog_models: 1,
        providers: vec![ProviderView {
            name: "builtin".to_owned(),
            adapter: "builtin".to_owned(),
            base_url: None,
            state: ProviderState::Ready,
            detail: None,
            billing_class: BillingClass::Free,
            data_use: DataUse::None,
            data_use_source: String::new(),
            is_experimental: false,
            listed_at: None,
            list_problem: None,
            is_local: true,
            is_detected: false,
            needs_key: false,
            key: None,
            models: 1,
            daily_request_cap: 0,
            requests_today: 0,
            monthly_cap_pico_usd: None,
            spent_this_month_pico_usd: PicoUsd::ZERO,
            checked_at: None,
        }],
        usage_today: TelemetrySum::default(),
        waiting: 0,
        doctor: diagnosis(),
    })
}

/// A host on which everything works.
pub fn working(method: &str, _params: &Value) -> Vec<Act> {
    match method {
        "plan/prepare" => prepared(1),
        "plan/run" => completed("short"),
        "plan/approve" => approved(ApproveStatus::Ready, "consent is there"),
        "plan/result" => completed("the whole text"),
        "plan/media" => answer(MediaFileContent { mime_type: "image/png".to_owned(), base64: "iVBORw==".to_owned() }),
        "catalogue/refresh" => answer(refreshed()),
        "quota/refresh" => answer(quotas()),
        "pipeline/status" => answer(PipelineList { pipelines: (0..30).map(pipeline).collect() }),
        "pipeline/mark" => answer(pipeline(0)),
        "pipeline/forget" => answer(PipelineForgotten { invalidated: 1 }),
        "tier/list" => answer(TierList { tiers: (1..=300).map(tier).collect() }),
        "consent/set" => answer(consent(ApproveStatus::Ready)),
        "guidance/set" => answer(GuidanceSetting { enabled: true, mode: "local".to_owned() }),
        "router/status" => router_status(),
        "model/list" => answer(lwa_protocol::provider::ModelList { models: Vec::new() }),
        "doctor/run" => answer(diagnosis()),
        "host/identify" => answer(lwa_protocol::host::Nothing {}),
        other => panic!("a sidecar does not call `{other}`"),
    }
}

fn route(provider: &str) -> RouteUsed {
    RouteUsed { provider: provider.to_owned(), model: "m".to_owned(), billing_class: BillingClass::Free }
}

/// A consensus of so many reviews, each of `words` words, and one voter that failed.
pub fn consensus(reviews: usize, words: usize, synthesis: Option<&str>) -> RunAnswer {
    let status = if synthesis.is_some() { RunStatus::Completed } else { RunStatus::RepreflightRequired };
    let review = |number: usize| Review {
        route: route(&format!("p-{number}")),
        text: format!("\n---\nreview {number} {}", "word ".repeat(words)),
        usage: Usage::default(),
        latency_ms: 1,
    };
    let mut answer = run_answer(status, synthesis);
    answer.task = TaskKind::Consensus;
    answer.consensus = Some(ConsensusAnswer {
        reviews: (0..reviews).map(review).collect(),
        voter_failures: vec![RouteFailure {
            provider: "slow".to_owned(),
            model: "m".to_owned(),
            error: Failure::new(ErrorCode::ProviderTimedOut, "it took too long"),
        }],
        synthesis_failures: Vec::new(),
        voters: u32::try_from(reviews).unwrap() + 1,
        synthesized_by: synthesis.map(|_| route("p-0")),
    });
    if synthesis.is_none() {
        answer.error = Some(Failure::new(ErrorCode::ProviderFailed, "too few voters answered"));
    }
    answer
}

/// A plan that made pictures of these lengths.
pub fn pictures(bytes: &[u32]) -> RunAnswer {
    let files: Vec<MediaFileView> = (0..)
        .zip(bytes)
        .map(|(index, bytes)| MediaFileView {
            index,
            path: format!("/home/someone/generated/{index}.png"),
            mime_type: "image/png".to_owned(),
            bytes: *bytes,
        })
        .collect();
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let mut answer = run_answer(RunStatus::Completed, Some(&paths.join("\n")));
    answer.media = Some(MediaAnswer { files, job_id: None, is_filtered: false });
    answer
}

pub fn consent(status: ApproveStatus) -> ConsentSetAnswer {
    let message = "open the Lwa app, or run `lwa approvals allow a1b2c3d4`".to_owned();
    ConsentSetAnswer { status, consent_mode: ConsentMode::PaidOnly, message, approval_id: None }
}

fn refreshed() -> CatalogueRefreshed {
    let tried = |number: usize| ListTried {
        provider: format!("provider-{number}"),
        status: ListStatus::Ok,
        models: Some(12),
        is_cut: false,
        listed_at: Some("2026-12-01T00:00:00Z".to_owned()),
        detail: None,
    };
    CatalogueRefreshed { models: 40, refreshed: 12, providers: (0..3).map(tried).collect() }
}

fn quotas() -> QuotaRefreshed {
    let quota = QuotaView {
        provider: "acme".to_owned(),
        window: "requests_day".to_owned(),
        limit: Some("50".to_owned()),
        remaining: Some("41".to_owned()),
        unit: "requests".to_owned(),
        resets_at: None,
        source: "x-ratelimit-remaining-requests".to_owned(),
        confidence: "stated".to_owned(),
        observed_at: "2026-12-01T00:00:00Z".to_owned(),
        age_seconds: 3,
    };
    let tried = QuotaTried { provider: "acme".to_owned(), status: QuotaStatus::Ok, detail: None };
    QuotaRefreshed { providers: vec![tried], quotas: vec![quota] }
}

fn pipeline(number: usize) -> PipelineView {
    PipelineView {
        provider: format!("provider-{number}"),
        status: if number == 0 { PipelineStatus::Ready } else { PipelineStatus::MissingCredentials },
        readiness: PipelineReadiness::Configured,
        enabled: true,
        configured: number == 0,
        credentialed: number == 0,
        endpoint_configured: true,
        catalog_models: 3,
        billing_class: BillingClass::FreeQuota,
        check_mode: "offline".to_owned(),
        checked_at: "2026-12-01T00:00:00Z".to_owned(),
        data_transmitted: false,
        cost_incurred: false,
        live_verified: false,
        quota_verified: false,
        detail: "store a key with `lwa keys set PROVIDER`, or set PROVIDER_API_KEY".to_owned(),
        network_calls: 0,
        cache_hit: false,
        cache_age_seconds: None,
        manual_mark: None,
    }
}

fn tier(rank: u32) -> TierView {
    TierView {
        rank,
        provider: "acme".to_owned(),
        model: format!("model-{rank}"),
        display_name: None,
        service_tiers: vec!["flex".to_owned()],
        supported_parameters: vec!["tools".to_owned()],
        reasoning_levels: Vec::new(),
        capabilities: vec![lwa_domain::Capability::Text],
        source: "seed".to_owned(),
        enabled: true,
        free_plan_max_tokens: Some(900),
        pro_plan_max_tokens: None,
        billing_class: BillingClass::FreeQuota,
        subscription_plan: "unknown".to_owned(),
        subscription_status: "unknown".to_owned(),
        subscription_monthly_token_limit: None,
        context_length: 32_768,
    }
}
