//! Plans through the store's public door: one claim wins, caps hold, prompts are wiped.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic in a test is its report")]

use std::sync::atomic::{AtomicU32, Ordering};

use jiff::{SignedDuration, Timestamp};
use lwa_domain::{
    ApprovalId, ApprovalKind, BillingClass, ErrorCode, Outcome, PicoUsd, PlanId, PlanMode, PlanState, Quality, TaskKind,
};
use lwa_store::{
    CapLimits, CapUse, Claim, ClaimOutcome, Db, Decided, Decision, Effect, Finish, NewApproval, NewAudit, NewPlan,
    PlannedCall, Settlement,
};
use serde_json::json;

fn now() -> Timestamp {
    "2026-06-15T12:00:00Z".parse().unwrap()
}

fn event(action: &'static str) -> NewAudit<'static> {
    NewAudit { at: now(), actor: "test", session: None, action, object: None, decision: None, detail: json!({}) }
}

async fn open(folder: &std::path::Path) -> Db {
    Db::open(&folder.join("host.sqlite3")).await.unwrap()
}

async fn add_plan(db: &Db, n: u16, needs_consent: bool) -> [u8; 32] {
    let mut token = [0; 32];
    token[..2].copy_from_slice(&n.to_be_bytes());
    let plan = NewPlan {
        plan_id: PlanId::new(format!("{n:024x}")),
        plan_token: token,
        confirmation_token: needs_consent.then(|| {
            let mut other = token;
            other[31] = 1;
            other
        }),
        task: TaskKind::Query,
        quality: Quality::Balanced,
        reasoning_effort: None,
        client: "codex".into(),
        session: "s".into(),
        tool_name: None,
        prompt: "a prompt nobody should find later".into(),
        system_prompt: "system".into(),
        prompt_hash: "00".into(),
        provider: "acme".into(),
        model: "m".into(),
        billing_class: BillingClass::Paid,
        routes: json!([]),
        excluded: "[]".into(),
        estimated_input_tokens: 10,
        max_output_tokens: 100,
        max_cost: Some(PicoUsd::new(1000)),
        created_at: now(),
        expires_at: now() + SignedDuration::from_mins(10),
        mode: PlanMode::Single,
        work: Some(json!({"workflow": {"name": "a name nobody should find later"}})),
        facts: json!({"masked": 2}),
    };
    db.insert_plan(&plan, &event("plan.prepared")).await.unwrap();
    token
}

async fn ask(db: &Db, n: u16, session: &str) -> Option<ApprovalId> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let approval = NewApproval {
        id: ApprovalId::new(format!("{:032x}", NEXT.fetch_add(1, Ordering::Relaxed))),
        kind: ApprovalKind::Spend,
        merge_key: format!("spend:{n}"),
        title: "Spend?".into(),
        client: "codex".into(),
        session: session.into(),
        asker: json!({}),
        detail: json!({}),
        consequence: "Costs money.".into(),
        is_serious: true,
        offers: json!([]),
        variants: json!([]),
        code: "BCDF".into(),
        created_at: now(),
        expires_at: now() + SignedDuration::from_mins(30),
    };
    let plan = PlanId::new(format!("{n:024x}"));
    let opened = db.open_approval(&approval, Some(&plan), &event("approval.opened")).await.unwrap();
    opened.map(|(record, _)| record.id)
}

async fn decide(db: &Db, id: &ApprovalId, outcome: Outcome, effect: Effect<'_>) -> Decided {
    let decision = Decision { id, outcome, reason: None, by: "app", variant: None, now: now() };
    db.decide_approval(&decision, effect, "user").await.unwrap()
}

fn call(ordinal: u32, provider: &str, limits: CapLimits, reserved: i64) -> PlannedCall {
    PlannedCall {
        ordinal,
        role: "primary".into(),
        provider: provider.into(),
        model: "m".into(),
        billing_class: BillingClass::Paid,
        limits,
        reserved: Some(PicoUsd::new(reserved)),
    }
}

fn claim(token: [u8; 32], limits: CapLimits) -> Claim {
    Claim { plan_token: token, calls: vec![call(0, "acme", limits, 1000)], now: now() }
}

fn settlement(cost: Option<i64>) -> Settlement {
    Settlement {
        error_code: None,
        input_tokens: Some(3),
        output_tokens: Some(2),
        cached_tokens: None,
        usage_reported: true,
        cost: cost.map(PicoUsd::new),
        latency_ms: 5,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_claims_of_one_token_exactly_one_wins() {
    let temp = tempfile::tempdir().unwrap();
    let db = open(temp.path()).await;
    let token = add_plan(&db, 1, false).await;
    let claims: Vec<_> = (0..32)
        .map(|_| {
            let db = db.clone();
            tokio::spawn(async move {
                db.claim_plan(&claim(token, CapLimits::default()), &event("plan.claimed")).await.unwrap()
            })
        })
        .collect();
    let mut won = 0;
    for claim in claims {
        if matches!(claim.await.unwrap(), ClaimOutcome::Claimed(_)) {
            won += 1;
        }
    }
    assert_eq!(won, 1);
    assert_eq!(db.calls(None, 100).await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_money_cap_holds_to_the_pico_dollar_under_64_concurrent_claims() {
    let temp = tempfile::tempdir().unwrap();
    let db = open(temp.path()).await;
    let mut tokens = Vec::new();
    for n in 0..64 {
        tokens.push(add_plan(&db, n, false).await);
    }
    let limits = CapLimits { provider_monthly: Some(PicoUsd::new(10_999)), ..CapLimits::default() };
    let claims: Vec<_> = tokens
        .into_iter()
        .map(|token| {
            let db = db.clone();
            tokio::spawn(async move { db.claim_plan(&claim(token, limits), &event("plan.claimed")).await.unwrap() })
        })
        .collect();
    let mut won = 0;
    for claim in claims {
        match claim.await.unwrap() {
            ClaimOutcome::Claimed(_) => won += 1,
            ClaimOutcome::CapBroken(reason) => assert!(reason.contains("monthly cap"), "{reason}"),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(won, 10);
    assert_eq!(db.cap_use(Some("acme"), now()).await.unwrap().spent_this_month, PicoUsd::new(10_000));
}

#[tokio::test]
async fn a_06_with_a_daily_cap_of_one_the_second_plan_is_refused_and_stays_unharmed() {
    let temp = tempfile::tempdir().unwrap();
    let db = open(temp.path()).await;
    let limits = CapLimits { provider_daily_requests: 1, ..CapLimits::default() };
    let (first, second) = (add_plan(&db, 1, false).await, add_plan(&db, 2, false).await);
    assert!(matches!(db.claim_plan(&claim(first, limits), &event("c")).await.unwrap(), ClaimOutcome::Claimed(_)));
    assert!(matches!(db.claim_plan(&claim(second, limits), &event("c")).await.unwrap(), ClaimOutcome::CapBroken(_)));
    assert_eq!(db.plan_by_token(&second).await.unwrap().unwrap().state, PlanState::Ready);
}

#[tokio::test]
async fn a_07_a_budget_that_does_not_cover_the_worst_case_is_refused_before_the_call() {
    let temp = tempfile::tempdir().unwrap();
    let db = open(temp.path()).await;
    let token = add_plan(&db, 1, false).await;
    let limits = CapLimits { provider_monthly: Some(PicoUsd::new(999)), ..CapLimits::default() };
    assert!(matches!(db.claim_plan(&claim(token, limits), &event("c")).await.unwrap(), ClaimOutcome::CapBroken(_)));
}

#[tokio::test]
async fn a_settled_cost_replaces_the_reservation_and_an_unknown_one_does_not() {
    let temp = tempfile::tempdir().unwrap();
    let db = open(temp.path()).await;
    for (n, cost) in [(1, Some(400)), (2, None)] {
        let token = add_plan(&db, n, false).await;
        let ClaimOutcome::Claimed(plan) =
            db.claim_plan(&claim(token, CapLimits::default()), &event("c")).await.unwrap()
        else {
            panic!("not claimed")
        };
        let finish = Finish {
            plan_id: plan.plan_id,
            state: PlanState::Completed,
            answer: json!({"text": "t"}),
            settlements: vec![(0, settlement(cost))],
            cost: cost.map(PicoUsd::new),
            now: now(),
        };
        db.finish_plan(&finish, &event("plan.ran")).await.unwrap();
    }
    assert_eq!(db.cap_use(Some("acme"), now()).await.unwrap().spent_this_month, PicoUsd::new(1400));
    assert_eq!(db.cap_use(None, now()).await.unwrap().requests_today, 2);
}

#[tokio::test]
async fn consent_restarts_the_time_to_live_once() {
    let temp = tempfile::tempdir().unwrap();
    let db = open(temp.path()).await;
    let token = add_plan(&db, 1, true).await;
    let plan = db.plan_by_token(&token).await.unwrap().unwrap();
    let later = now() + SignedDuration::from_mins(60);
    assert!(matches!(
        db.claim_plan(&claim(token, CapLimits::default()), &event("c")).await.unwrap(),
        ClaimOutcome::NotReady(_)
    ));
    let question = ask(&db, 1, "s").await.unwrap();
    let asked_until = db.plan_by_token(&token).await.unwrap().unwrap().expires_at;
    assert_eq!(asked_until, now() + SignedDuration::from_mins(31), "the plan outlives its question");
    let yes = Effect::ApprovePlan(&plan.plan_id, later);
    assert!(matches!(decide(&db, &question, Outcome::AllowedOnce, yes).await, Decided::Taken(_)));
    assert_eq!(decide(&db, &question, Outcome::AllowedOnce, yes).await, Decided::AlreadyEnded);
    assert_eq!(ask(&db, 1, "s").await, None, "an approved plan is not asked about");
    assert_eq!(db.plan_by_token(&token).await.unwrap().unwrap().expires_at, later);
    assert!(matches!(
        db.claim_plan(&claim(token, CapLimits::default()), &event("c")).await.unwrap(),
        ClaimOutcome::Claimed(_)
    ));
}

#[tokio::test]
async fn a_yes_to_a_plan_that_no_longer_waits_is_not_taken() {
    let temp = tempfile::tempdir().unwrap();
    let db = open(temp.path()).await;
    let token = add_plan(&db, 1, true).await;
    let question = ask(&db, 1, "s").await.unwrap();
    db.expire_plans(now() + SignedDuration::from_hours(1)).await.unwrap();
    let plan = db.plan_by_token(&token).await.unwrap().unwrap();
    let yes = Effect::ApprovePlan(&plan.plan_id, now() + SignedDuration::from_hours(2));
    assert_eq!(decide(&db, &question, Outcome::AllowedOnce, yes).await, Decided::Pointless);
    assert_eq!(db.approval(&question).await.unwrap().unwrap().outcome, None);
    assert_eq!(db.verify_audit().await.unwrap().first_bad, None);
}

#[tokio::test]
async fn a_question_belongs_to_the_session_that_joined_it_last() {
    let temp = tempfile::tempdir().unwrap();
    let db = open(temp.path()).await;
    add_plan(&db, 1, true).await;
    let first = ask(&db, 1, "before").await.unwrap();
    assert_eq!(ask(&db, 1, "after").await.unwrap(), first);
    let record = db.approval(&first).await.unwrap().unwrap();
    assert_eq!((record.session.as_str(), record.count), ("after", 2));
}

#[tokio::test]
async fn ended_plans_keep_no_prompt() {
    let temp = tempfile::tempdir().unwrap();
    let db = open(temp.path()).await;
    let (ran, denied, expired) =
        (add_plan(&db, 1, false).await, add_plan(&db, 2, true).await, add_plan(&db, 3, false).await);
    let ClaimOutcome::Claimed(plan) = db.claim_plan(&claim(ran, CapLimits::default()), &event("c")).await.unwrap()
    else {
        panic!("not claimed")
    };
    assert_eq!(plan.prompt.as_deref(), Some("a prompt nobody should find later"));
    let settlement = Settlement { error_code: Some(ErrorCode::ProviderFailed), ..settlement(None) };
    let finish = Finish {
        plan_id: plan.plan_id,
        state: PlanState::RepreflightRequired,
        answer: json!({}),
        settlements: vec![(0, settlement)],
        cost: None,
        now: now(),
    };
    db.finish_plan(&finish, &event("plan.ran")).await.unwrap();
    let other = db.plan_by_token(&denied).await.unwrap().unwrap();
    let question = ask(&db, 2, "s").await.unwrap();
    decide(&db, &question, Outcome::Denied, Effect::DenyPlan(&other.plan_id)).await;
    let due = db.expire_plans(now() + SignedDuration::from_mins(11)).await.unwrap();
    assert_eq!(due.len(), 1);
    for token in [ran, denied, expired] {
        let plan = db.plan_by_token(&token).await.unwrap().unwrap();
        assert!(plan.state.is_final());
        assert_eq!((plan.prompt, plan.system_prompt, plan.work), (None, None, None));
    }
}

#[tokio::test]
async fn a_plan_of_several_calls_reserves_all_of_them_or_none() {
    let temp = tempfile::tempdir().unwrap();
    let db = open(temp.path()).await;
    let limits = CapLimits { global_monthly: Some(PicoUsd::new(2500)), ..CapLimits::default() };
    let calls = |third: i64| vec![call(0, "a", limits, 1000), call(1, "b", limits, 1000), call(2, "c", limits, third)];
    let first = add_plan(&db, 1, false).await;
    let too_much = Claim { plan_token: first, calls: calls(501), now: now() };
    let broken = db.claim_plan(&too_much, &event("c")).await.unwrap();
    assert!(matches!(broken, ClaimOutcome::CapBroken(reason) if reason.contains("all providers together")));
    assert_eq!(db.cap_use(None, now()).await.unwrap(), CapUse::default(), "nothing stays reserved");
    let exact = Claim { plan_token: first, calls: calls(500), now: now() };
    assert!(matches!(db.claim_plan(&exact, &event("c")).await.unwrap(), ClaimOutcome::Claimed(_)));
    assert_eq!(db.cap_use(None, now()).await.unwrap().spent_this_month, PicoUsd::new(2500));
}

#[tokio::test]
async fn what_was_never_called_is_released_and_what_was_settled_stays() {
    let temp = tempfile::tempdir().unwrap();
    let db = open(temp.path()).await;
    let none = CapLimits::default();
    let token = add_plan(&db, 1, false).await;
    let calls = vec![call(0, "a", none, 1000), call(1, "b", none, 1000), call(2, "c", none, 1000)];
    let claim = Claim { plan_token: token, calls, now: now() };
    let ClaimOutcome::Claimed(plan) = db.claim_plan(&claim, &event("c")).await.unwrap() else { panic!("not claimed") };
    db.settle_call(&plan.plan_id, 0, &settlement(Some(300)), now()).await.unwrap();
    let finish = Finish {
        plan_id: plan.plan_id.clone(),
        state: PlanState::RepreflightRequired,
        answer: json!({}),
        // The first is settled already, and the second settlement of a call changes nothing.
        settlements: vec![(0, settlement(Some(999))), (1, settlement(None))],
        cost: None,
        now: now(),
    };
    db.finish_plan(&finish, &event("plan.ran")).await.unwrap();
    let used = db.cap_use(None, now()).await.unwrap();
    assert_eq!((used.requests_today, used.spent_this_month), (2, PicoUsd::new(1300)));
    let calls = db.calls(None, 10).await.unwrap();
    let told: Vec<_> = calls.iter().map(|call| (call.provider.as_str(), call.is_released)).collect();
    assert_eq!(told, [("c", true), ("b", false), ("a", false)]);
    assert!(
        db.reserve_call(&plan.plan_id, &call(3, "a", CapLimits { provider_daily_requests: 1, ..none }, 0), now())
            .await
            .unwrap()
            .is_some()
    );
    assert!(
        db.reserve_call(&plan.plan_id, &call(3, "c", CapLimits { provider_daily_requests: 1, ..none }, 0), now())
            .await
            .unwrap()
            .is_none()
    );
}

#[tokio::test]
async fn tracks_count_what_speaks_for_or_against_a_provider() {
    let temp = tempfile::tempdir().unwrap();
    let db = open(temp.path()).await;
    let ends = [
        None,
        None,
        Some(ErrorCode::ProviderTimedOut),
        Some(ErrorCode::ProviderUnauthorized),
        Some(ErrorCode::ProviderRefused),
    ];
    for (n, (code, latency_ms)) in (1..).zip(ends.into_iter().zip([40, 20, 900, 1, 2])) {
        let token = add_plan(&db, n, false).await;
        let ClaimOutcome::Claimed(plan) =
            db.claim_plan(&claim(token, CapLimits::default()), &event("c")).await.unwrap()
        else {
            panic!("not claimed")
        };
        let settlement = Settlement { error_code: code, latency_ms, ..settlement(Some(1)) };
        db.settle_call(&plan.plan_id, 0, &settlement, now()).await.unwrap();
    }
    let tracks = db.tracks(now() - SignedDuration::from_hours(1)).await.unwrap();
    let track = tracks.values().next().unwrap();
    assert_eq!((tracks.len(), track.calls, track.failures, track.median_latency_ms), (1, 3, 1, Some(40)));
    assert!(db.tracks(now() + SignedDuration::from_hours(1)).await.unwrap().is_empty());
}

#[tokio::test]
async fn ledger_rows_cannot_be_changed_or_removed() {
    let temp = tempfile::tempdir().unwrap();
    let db = open(temp.path()).await;
    let token = add_plan(&db, 1, false).await;
    db.claim_plan(&claim(token, CapLimits::default()), &event("c")).await.unwrap();
    for statement in ["UPDATE ledger_reserved SET provider = 'x'", "DELETE FROM ledger_reserved"] {
        let mut tx = db.begin().await.unwrap();
        let error = sqlx::query(statement).execute(&mut *tx).await.unwrap_err();
        assert!(error.to_string().contains("append-only"), "{error}");
    }
}
