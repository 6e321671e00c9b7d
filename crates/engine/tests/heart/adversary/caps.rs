//! Caps, to the last pico-dollar, with everybody at once.

use jiff::Timestamp;
use lwa_domain::{BillingClass, ErrorCode, PicoUsd, PlanId, PlanMode, Quality, TaskKind};
use lwa_protocol::plan::{PrepareParams, RunStatus};
use lwa_store::{CapLimits, Claim, ClaimOutcome, Db, NewAudit, NewPlan, PlannedCall};
use lwa_testkit::fake_provider::reply::Reply;
use rstest::rstest;

use super::{UNASKED, fake, member, paid_consensus, query, rows, said, saying, start};
use crate::support::{Host, agent, minutes, run};

fn bare_plan(number: u8) -> NewPlan {
    let now: Timestamp = "2026-06-15T12:00:00Z".parse().unwrap();
    NewPlan {
        plan_id: PlanId::new(format!("{number:024x}")),
        plan_token: [number; 32],
        confirmation_token: None,
        task: TaskKind::Consensus,
        quality: Quality::Balanced,
        reasoning_effort: None,
        client: "codex".to_owned(),
        session: "s".to_owned(),
        tool_name: None,
        prompt: "q".to_owned(),
        system_prompt: String::new(),
        prompt_hash: String::new(),
        provider: "dear".to_owned(),
        model: "m-1".to_owned(),
        billing_class: BillingClass::Paid,
        routes: serde_json::json!([]),
        excluded: "[]".to_owned(),
        estimated_input_tokens: 1,
        max_output_tokens: 1,
        max_cost: None,
        created_at: now,
        expires_at: now + minutes(10),
        mode: PlanMode::Consensus,
        work: None,
        facts: serde_json::Value::Null,
    }
}

/// `dear` for itself, and all providers together, to the last pico-dollar.
#[rstest]
#[case::exactly_seven(7 * 123_456_789_001, 7)]
#[case::one_less(7 * 123_456_789_001 - 1, 6)]
#[case::none_at_all(123_456_789_000, 0)]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_64_claims_at_once_no_pico_dollar_passes_a_cap(
    #[case] cap: i64,
    #[case] admitted: usize,
    #[values(true, false)] is_of_provider: bool,
) {
    let temp = tempfile::tempdir().unwrap();
    let db = Db::open(&temp.path().join("db.sqlite3")).await.unwrap();
    let cost = PicoUsd::new(123_456_789_001);
    let audit = |at| NewAudit {
        at,
        actor: "codex",
        session: None,
        action: "plan.claimed",
        object: None,
        decision: None,
        detail: serde_json::json!({}),
    };
    let cap = PicoUsd::new(cap);
    let limits = CapLimits {
        provider_monthly: is_of_provider.then_some(cap),
        global_monthly: (!is_of_provider).then_some(cap),
        ..CapLimits::default()
    };
    let mut claims = Vec::new();
    for number in 0..64 {
        let plan = bare_plan(number);
        db.insert_plan(&plan, &audit(plan.created_at)).await.unwrap();
        let call = |ordinal, provider: &str, reserved| PlannedCall {
            ordinal,
            role: "r".to_owned(),
            provider: provider.to_owned(),
            model: "m-1".to_owned(),
            billing_class: BillingClass::Paid,
            limits: if provider == "dear" || !is_of_provider { limits } else { CapLimits::default() },
            reserved: Some(reserved),
        };
        let calls = vec![call(0, "a", PicoUsd::ZERO), call(1, "b", PicoUsd::ZERO), call(2, "dear", cost)];
        let claim = Claim { plan_token: plan.plan_token, calls, now: plan.created_at };
        let db = db.clone();
        claims.push(tokio::spawn(async move { db.claim_plan(&claim, &audit(claim.now)).await.unwrap() }));
    }
    let mut claimed = 0;
    for outcome in claims {
        match outcome.await.unwrap() {
            ClaimOutcome::Claimed(_) => claimed += 1,
            ClaimOutcome::CapBroken(_) => {}
            other => panic!("{other:?}"),
        }
    }
    let used = db.cap_use(Some("dear"), bare_plan(0).created_at).await.unwrap();
    assert_eq!(claimed, admitted);
    assert_eq!(used.spent_this_month.get(), cost.get() * i64::try_from(admitted).unwrap());
    assert!(used.spent_this_month <= cap);
    // What was turned away left nothing behind: three reservations for each that was let in.
    assert_eq!(db.calls(None, 1000).await.unwrap().len(), admitted * 3);
}

#[rstest]
#[case::money_of_the_synthesis("monthly_usd_cap = ", "", 5)]
#[case::requests_of_a_voter("", "daily_request_cap = 7", 7)]
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_64_consensus_plans_at_once_as_many_run_as_a_cap_allows(
    #[case] money: &str,
    #[case] requests: &str,
    #[case] admitted: usize,
) {
    let (a, b, dear) = (fake(vec![saying("A.")]), fake(vec![saying("B.")]), fake(vec![Reply::silence()]));
    let text = |cap: &str| {
        [
            UNASKED.to_owned(),
            member("a", &a.base_url(), "free", 90, requests),
            member("b", &b.base_url(), "free", 80, ""),
            member("dear", &dear.base_url(), "paid", 100, cap),
        ]
        .concat()
    };
    let cost = Host::new(&text("")).await.prepare_with(&agent(), paid_consensus()).await.unwrap().max_cost_pico_usd;
    let cost = cost.unwrap().get();
    let cap = cost * 11 / 2;
    let written = format!("{}.{:012}", cap / 1_000_000_000_000, cap % 1_000_000_000_000);
    let host = Host::new(&text(&if money.is_empty() { String::new() } else { format!("{money}{written}") })).await;
    let mut plans = Vec::new();
    for _ in 0..64 {
        let plan = host.prepare_with(&agent(), paid_consensus()).await.unwrap();
        assert!(plan.working_may_begin && plan.max_cost_pico_usd == Some(PicoUsd::new(cost)), "{}", plan.message);
        plans.push(plan);
    }
    let runs = plans.iter().map(|plan| start(&host, plan));
    let mut started = 0;
    for ran in futures_of(runs).await {
        match ran {
            Ok(answer) => {
                assert_ne!(answer.status, RunStatus::Completed);
                started += 1;
            }
            Err(refused) => assert_eq!(refused.code, ErrorCode::CapExceeded, "{refused}"),
        }
    }
    assert_eq!(started, admitted);
    let rows = rows(&host).await;
    assert_eq!(rows.len(), admitted * 3);
    let reserved: i64 = rows.iter().map(|row| row.cost_pico_usd.or(row.reserved_pico_usd).unwrap().get()).sum();
    assert_eq!(reserved, cost * i64::try_from(admitted).unwrap());
}

/// All of them at once, on tasks of this thread.
async fn futures_of<T>(calls: impl Iterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut calls: Vec<_> = calls.map(|call| (Box::pin(call), None)).collect();
    std::future::poll_fn(|context| {
        for (call, done) in &mut calls {
            if done.is_none()
                && let std::task::Poll::Ready(value) = call.as_mut().poll(context)
            {
                *done = Some(value);
            }
        }
        if calls.iter().all(|(_, done)| done.is_some()) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    calls.into_iter().filter_map(|(_, done)| done).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_that_states_absurd_costs_cannot_break_the_sums_of_the_others() {
    let usage = serde_json::json!({ "prompt_tokens": 11, "completion_tokens": 7, "cost": 9_000_000 });
    let acme = fake(vec![said("Yes.", &usage)]);
    let other = fake(vec![saying("Yes.")]);
    let host = Host::new(
        &[
            "[router]\nglobal_daily_request_cap = 1000\n".to_owned(),
            member("acme", &acme.base_url(), "free", 90, ""),
            member("other", &other.base_url(), "free", 80, ""),
        ]
        .concat(),
    )
    .await;
    for provider in ["acme", "acme", "other"] {
        let params = PrepareParams { provider: Some(provider.to_owned()), ..query() };
        let plan = host.prepare_with(&agent(), params).await.unwrap();
        assert_eq!(run(&host.engine, &agent(), &plan).await.unwrap().status, RunStatus::Completed);
    }
}
