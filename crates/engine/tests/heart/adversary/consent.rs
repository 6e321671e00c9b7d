//! Who is asked, about what, and what a yes is good for.

use std::time::Duration;

use lwa_domain::{ConsentMode, ErrorCode, PicoUsd, PlanState};
use lwa_protocol::approval::{Answer, ApprovalDetail};
use lwa_protocol::plan::{ApproveStatus, PrepareParams, RunStatus};
use lwa_protocol::router::ConsentSetParams;
use lwa_testkit::FakeProvider;
use lwa_testkit::fake_provider::Script;
use lwa_testkit::fake_provider::reply::Reply;
use rstest::rstest;

use super::{CHAT, PAID_ALLOWED, consented, edit, fake, member, query, refresh, saying};
use crate::support::{ALWAYS_ASK, Host, agent, app, run};

fn mode(mode: &str) -> ConsentSetParams {
    ConsentSetParams { mode: mode.to_owned(), hold_ms: 0 }
}

/// A session that a human let run unasked.
async fn unasked_session(host: &Host) -> lwa_engine::caller::Caller {
    let agent = agent();
    host.engine.set_consent_mode(&agent, &mode("automatic")).await.unwrap();
    let question = host.open_questions().await.remove(0);
    host.decide(&app(), &question.id, Answer::AllowOnce).await.unwrap();
    agent
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_human_let_a_session_run_unasked_runs() {
    let acme = fake(vec![saying("Yes.")]);
    let host = Host::new(&(PAID_ALLOWED.to_owned() + &member("acme", &acme.base_url(), "paid", 90, ""))).await;
    let agent = unasked_session(&host).await;
    let plan = host.prepare_with(&agent, query()).await.unwrap();
    assert!(plan.working_may_begin, "{}", plan.message);
    let ran = run(&host.engine, &agent, &plan).await.unwrap();
    assert_eq!((ran.status, acme.count("POST")), (RunStatus::Completed, 1));
}

#[tokio::test]
async fn a_session_that_asks_for_more_asking_gets_it_for_plans_that_wait_too() {
    let host = Host::new("").await;
    let agent = agent();
    let plan = host.prepare(&agent).await;
    assert!(plan.working_may_begin);
    let set = host.engine.set_consent_mode(&agent, &mode("always_ask")).await.unwrap();
    assert_eq!((set.status, set.consent_mode), (ApproveStatus::Ready, ConsentMode::AlwaysAsk));
    let refused = run(&host.engine, &agent, &plan).await;
    assert!(refused.as_ref().is_err_and(|failure| failure.code == ErrorCode::RepreflightRequired), "{refused:?}");
    assert_eq!(host.plan(&plan).await.state, PlanState::Ready);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_configuration_that_becomes_stricter_ends_an_override() {
    let acme = fake(vec![saying("Yes.")]);
    let acme_text = member("acme", &acme.base_url(), "paid", 90, "");
    let host = Host::new(&(PAID_ALLOWED.to_owned() + &acme_text)).await;
    let agent = unasked_session(&host).await;
    let before = host.prepare_with(&agent, query()).await.unwrap();
    edit(&host, &format!("{PAID_ALLOWED}consent_mode = \"always_ask\"\n{acme_text}")).await;
    assert!(host.prepare_with(&agent, query()).await.unwrap().requires_confirmation);
    let refused = run(&host.engine, &agent, &before).await;
    assert!(refused.as_ref().is_err_and(|failure| failure.code == ErrorCode::RepreflightRequired), "{refused:?}");
    assert_eq!(acme.count("POST"), 0);
}

#[tokio::test]
async fn an_override_is_for_one_session_and_for_no_later_host() {
    let host = Host::new(&(PAID_ALLOWED.to_owned() + &member("acme", "http://127.0.0.1:9", "paid", 90, ""))).await;
    let granted = unasked_session(&host).await;
    assert!(!host.prepare_with(&granted, query()).await.unwrap().requires_confirmation);
    // Another connection of the same client is another session.
    assert!(host.prepare_with(&agent(), query()).await.unwrap().requires_confirmation);
    host.engine.shut_down(Duration::from_secs(5)).await;
    let host = Host { engine: host.place.open().await, ..host };
    assert!(host.prepare_with(&granted, query()).await.unwrap().requires_confirmation);
}

#[tokio::test]
async fn a_question_about_a_consensus_names_everybody_who_gets_the_text() {
    let host = Host::new(
        &[
            ALWAYS_ASK.to_owned(),
            member("here", "http://127.0.0.1:9", "free", 90, ""),
            member("far-1", "https://far-1.example", "free_quota", 80, "data_use = \"retains\""),
            member("far-2", "https://far-2.example", "free_quota", 70, ""),
        ]
        .concat(),
    )
    .await;
    let params = PrepareParams { task: "consensus".to_owned(), ..PrepareParams::default() };
    let plan = host.prepare_with(&agent(), params).await.unwrap();
    assert!(plan.routes.last().unwrap().is_local && plan.egress.leaves_machine);
    host.approve(&agent(), &plan).await.unwrap();
    let question = host.open_questions().await.remove(0);
    let ApprovalDetail::Spend(detail) = &question.detail else { panic!("{question:?}") };
    let told = &question.consequence;
    assert!(told.contains("far-1") && told.contains("far-2") && !told.contains("Stays on this machine"), "{told}");
    assert!(!detail.is_local && question.is_serious);
}

// The claim under other settings.

#[rstest]
#[case::listed_and_unasked("", "new-1")]
#[case::configured_and_consented("consent_mode = \"always_ask\"\n", "m-1")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_route_that_was_free_when_it_was_planned_is_not_run_once_it_is_paid(
    #[case] router: &str,
    #[case] model: &str,
) {
    let list = r#"{"data":[{"id":"new-1","context_length":65536}]}"#;
    let script = Script::new().on("GET /v1/models", [Reply::json(200, list)]).on(CHAT, [saying("Yes.")]);
    let acme = FakeProvider::start(script).unwrap();
    let text = |class| format!("{PAID_ALLOWED}{router}{}", member("acme", &acme.base_url(), class, 90, ""));
    let host = Host::new(&text("free_quota")).await;
    refresh(&host).await;
    let params = PrepareParams { provider: Some("acme".to_owned()), model: Some(model.to_owned()), ..query() };
    let plan = host.prepare_with(&agent(), params).await.unwrap();
    if plan.requires_confirmation {
        consented(&host, &plan).await;
    }
    assert_eq!(plan.max_cost_pico_usd, Some(PicoUsd::ZERO));
    edit(&host, &text("paid")).await;
    let refused = run(&host.engine, &agent(), &plan).await;
    assert!(refused.as_ref().is_err_and(|failure| failure.code == ErrorCode::RepreflightRequired), "{refused:?}");
    assert_eq!(acme.count("POST"), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plan_that_was_to_stay_on_this_machine_does_not_leave_it_after_an_edit() {
    let host = Host::new(&member("acme", "http://127.0.0.1:9", "free", 90, "")).await;
    let plan = host.prepare_with(&agent(), query()).await.unwrap();
    assert!(plan.routes[0].is_local && plan.working_may_begin);
    edit(&host, &member("acme", "http://127.0.0.1.nip.example", "free", 90, "")).await;
    let accept = crate::support::what_waits(&host);
    host.engine.accept_configuration(&app(), &accept).await.unwrap();
    let refused = run(&host.engine, &agent(), &plan).await;
    assert!(refused.as_ref().is_err_and(|failure| failure.code == ErrorCode::RepreflightRequired), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_listed_model_whose_list_is_no_longer_used_is_not_run_as_free_at_a_paid_provider() {
    let list = r#"{"data":[{"id":"new-1","context_length":65536}]}"#;
    let script = Script::new().on("GET /v1/models", [Reply::json(200, list)]).on(CHAT, [saying("Yes.")]);
    let acme = FakeProvider::start(script).unwrap();
    let text = |class, more| format!("{PAID_ALLOWED}{}", member("acme", &acme.base_url(), class, 90, more));
    let host = Host::new(&text("free_quota", "")).await;
    refresh(&host).await;
    let params = PrepareParams { provider: Some("acme".to_owned()), model: Some("new-1".to_owned()), ..query() };
    let plan = host.prepare_with(&agent(), params).await.unwrap();
    edit(&host, &text("paid", "supports_live_models = false")).await;
    let refused = run(&host.engine, &agent(), &plan).await;
    assert!(refused.as_ref().is_err_and(|failure| failure.code == ErrorCode::RepreflightRequired), "{refused:?}");
    assert_eq!(acme.count("POST"), 0);
}

#[tokio::test]
async fn a_configuration_that_becomes_stricter_while_a_session_waits_for_its_yes_wins() {
    let acme = member("acme", "http://127.0.0.1:9", "paid", 90, "");
    let host = Host::new(&(PAID_ALLOWED.to_owned() + &acme)).await;
    let agent = agent();
    host.engine.set_consent_mode(&agent, &mode("automatic")).await.unwrap();
    let question = host.open_questions().await.remove(0);
    edit(&host, &format!("{PAID_ALLOWED}consent_mode = \"always_ask\"\n{acme}")).await;
    host.decide(&app(), &question.id, Answer::AllowOnce).await.unwrap();
    assert!(host.prepare_with(&agent, query()).await.unwrap().requires_confirmation);
}

#[tokio::test]
async fn a_question_about_a_consensus_tells_the_most_worrying_use_of_the_text() {
    let host = Host::new(
        &[
            ALWAYS_ASK.to_owned(),
            member("here", "http://127.0.0.1:9", "free", 90, ""),
            member("far-1", "https://far-1.example", "free_quota", 80, "data_use = \"retains\""),
        ]
        .concat(),
    )
    .await;
    let params = PrepareParams { task: "consensus".to_owned(), ..PrepareParams::default() };
    let plan = host.prepare_with(&agent(), params).await.unwrap();
    host.approve(&agent(), &plan).await.unwrap();
    let question = host.open_questions().await.remove(0);
    let ApprovalDetail::Spend(detail) = &question.detail else { panic!("{question:?}") };
    assert_eq!(detail.data_use, lwa_domain::DataUse::Retains);
}
