//! Answers of a host, as the protocol's own types write them.

use lwa_domain::{BillingClass, DataUse, ErrorCode, PicoUsd, PlanId, PlanState, Quality, TaskKind};
use lwa_protocol::Failure;
use lwa_protocol::doctor::{Check, CheckStatus, Diagnosis, RouterStatus};
use lwa_protocol::ledger::TelemetrySum;
use lwa_protocol::plan::{
    ApproveAnswer, ApproveStatus, ExcludedView, PlanPrepared, RouteUsed, RouteView, RunAnswer, RunStatus, Usage,
};
use lwa_protocol::provider::{ProviderState, ProviderView};
use serde::Serialize;
use serde_json::Value;

use super::fake_host::Act;

pub const PLAN: &str = "a1b2c3d4e5f6a1b2c3d4e5f6";

fn answer(answer: impl Serialize) -> Vec<Act> {
    vec![Act::Answer(serde_json::to_value(answer).unwrap())]
}

pub fn prepared(excluded: usize) -> Vec<Act> {
    let excluded = (0..excluded)
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
        }],
        excluded,
        estimated_input_tokens: 12,
        max_output_tokens: 1200,
        max_cost_pico_usd: Some(PicoUsd::new(1_500_000)),
        prompt_hash: "00".repeat(32),
        expires_at: "2026-12-01T00:00:00Z".to_owned(),
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
        "router/status" => router_status(),
        "model/list" => answer(lwa_protocol::provider::ModelList { models: Vec::new() }),
        "doctor/run" => answer(diagnosis()),
        "host/identify" => answer(lwa_protocol::host::Nothing {}),
        other => panic!("a sidecar does not call `{other}`"),
    }
}
