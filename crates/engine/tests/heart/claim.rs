//! The claim: once, within caps, at the price that was shown, and never lost halfway.

use std::future::Future;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use lwa_domain::{ErrorCode, PlanState};
use lwa_protocol::Failure;
use lwa_protocol::approval::Answer;
use lwa_protocol::host::PauseParams;
use lwa_protocol::plan::{PlanParams, PlanPrepared, PrepareParams, RunStatus};
use lwa_testkit::FakeProvider;
use lwa_testkit::fake_provider::scenario;
use rstest::rstest;
use sqlx::Connection;

use crate::support::{ALWAYS_ASK, Host, agent, app, id, minutes, run};

/// Polls a call a number of times and then lets it fall, as a connection that ends does.
pub async fn poll_and_drop<T>(mut call: Pin<Box<impl Future<Output = T>>>, polls: usize) {
    let mut left = polls;
    std::future::poll_fn(|context| {
        if left == 0 || call.as_mut().poll(context).is_ready() {
            return Poll::Ready(());
        }
        left -= 1;
        Poll::Pending
    })
    .await;
}

fn provider(scenario: &str) -> FakeProvider {
    FakeProvider::start(scenario::named(scenario).unwrap()).unwrap()
}

/// One provider on loopback without a key.
fn config(provider: &FakeProvider, router: &str, of_provider: &str, of_model: &str) -> String {
    format!(
        "[router]\nallow_paid = true\n{router}\n[providers.acme]\nbase_url = \"{}/v1\"\n{of_provider}\n[[models]]\nprovider = \"acme\"\nmodel = \"big-1\"\n{of_model}\n",
        provider.base_url()
    )
}

async fn prepare(host: &Host) -> Result<PlanPrepared, Failure> {
    let params = PrepareParams {
        task: "query".to_owned(),
        allow_paid: true,
        max_output_tokens: Some(100),
        provider: Some("acme".to_owned()),
        ..PrepareParams::default()
    };
    host.prepare_with(&agent(), params).await
}

/// A plan that a human consented to.
async fn approved(host: &Host) -> PlanPrepared {
    let plan = prepare(host).await.unwrap();
    let asked = host.approve(&agent(), &plan).await.unwrap();
    host.decide(&app(), &id(&asked), Answer::AllowOnce).await.unwrap();
    plan
}

const PRICE: &str = "input_cost_per_million = 5.0\noutput_cost_per_million = 20.0";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_vanishes_at_any_moment_of_the_claim_leaves_no_plan_working_for_ever() {
    for polls in 1..25 {
        let host = Host::new("").await;
        let agent = agent();
        let plan = host.prepare(&agent).await;
        let (engine, caller, token) = (host.engine.clone(), agent.clone(), plan.clone());
        poll_and_drop(Box::pin(async move { run(&engine, &caller, &token).await }), polls).await;
        let answer = host.run(&agent, &plan).await.unwrap();
        assert_eq!(answer.status, RunStatus::Completed, "after {polls} polls: {}", answer.display);
        assert_eq!(host.claims().await, (1, 1));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_runs_of_one_token_one_is_no_replay() {
    let fake = provider("answer");
    let host = Host::new(&config(&fake, "", "billing_class = \"free\"", "")).await;
    let plan = prepare(&host).await.unwrap();
    let runs: Vec<_> = (0..16)
        .map(|_| {
            let (engine, plan) = (host.engine.clone(), plan.clone());
            tokio::spawn(async move { run(&engine, &agent(), &plan).await.unwrap() })
        })
        .collect();
    let mut first = 0;
    for answer in runs {
        let answer = answer.await.unwrap();
        assert_ne!(answer.status, RunStatus::RepreflightRequired);
        first += usize::from(!answer.replayed);
    }
    assert_eq!((first, fake.count("POST")), (1, 1));
    assert_eq!(host.claims().await, (1, 1));
}

#[tokio::test]
async fn a_pause_blocks_preparing_and_running_and_harms_no_plan() {
    let host = Host::new("").await;
    let (agent, app) = (agent(), app());
    let plan = host.prepare(&agent).await;
    host.engine.set_pause(&app, &PauseParams { minutes: Some(5) }).await.unwrap();
    assert_eq!(host.prepare_with(&agent, PrepareParams::default()).await.unwrap_err().code, ErrorCode::Paused);
    assert_eq!(host.run(&agent, &plan).await.unwrap_err().code, ErrorCode::Paused);
    assert_eq!(host.plan(&plan).await.state, PlanState::Ready);
    host.pass(minutes(5)).await;
    assert_eq!(host.run(&agent, &plan).await.unwrap().status, RunStatus::Completed);
}

#[tokio::test]
async fn caps_are_checked_at_the_claim_and_the_plan_stays_as_it_is() {
    let fake = provider("answer");
    let host = Host::new(&config(&fake, "", "billing_class = \"free\"\ndaily_request_cap = 1", "")).await;
    let (first, second) = (prepare(&host).await.unwrap(), prepare(&host).await.unwrap());
    assert_eq!(host.run(&agent(), &first).await.unwrap().status, RunStatus::Completed);
    let refused = host.run(&agent(), &second).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::CapExceeded);
    assert_eq!(host.plan(&second).await.state, PlanState::Ready);
    assert_eq!((fake.count("POST"), host.claims().await), (1, (1, 1)));
}

#[tokio::test]
async fn a_price_that_rose_stops_the_run_and_harms_no_plan() {
    let fake = provider("answer");
    let paid = "billing_class = \"paid\"";
    let host = Host::new(&config(&fake, "", paid, PRICE)).await;
    let plan = approved(&host).await;
    host.place.write_config(&config(&fake, "", paid, &PRICE.replace("20.0", "21.0")));
    host.engine.sweep().await;
    let refused = host.run(&agent(), &plan).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::RepreflightRequired);
    assert!(refused.message.contains("price rose"), "{refused}");
    assert_eq!(host.plan(&plan).await.state, PlanState::Ready);
    assert_eq!((fake.count("POST"), host.claims().await), (0, (0, 0)));
}

#[tokio::test]
async fn a_price_that_is_no_longer_known_does_not_slip_past_the_cap() {
    let fake = provider("answer");
    let paid = "billing_class = \"paid\"\nmonthly_usd_cap = 0.0021";
    let host = Host::new(&config(&fake, "", paid, PRICE)).await;
    let plan = approved(&host).await;
    assert!(plan.max_cost_pico_usd.is_some(), "0.00221 dollars by its price");
    host.place.write_config(&config(&fake, "", paid, ""));
    host.engine.sweep().await;
    assert_eq!(host.run(&agent(), &plan).await.unwrap_err().code, ErrorCode::CapExceeded);
    assert_eq!(host.plan(&plan).await.state, PlanState::Ready);
    assert_eq!(fake.count("POST"), 0);
}

#[rstest]
#[case::provider_off("allow_paid = true", "enabled = false\nbilling_class = \"free\"", "switched off")]
#[case::now_asks("consent_mode = \"always_ask\"", "billing_class = \"free\"", "has to consent")]
#[case::now_paid("", "billing_class = \"paid\"", "may cost money now")]
#[tokio::test]
async fn settings_that_became_stricter_hold_for_plans_that_wait(
    #[case] router: &str,
    #[case] of_provider: &str,
    #[case] told: &str,
) {
    let fake = provider("answer");
    let host = Host::new(&config(&fake, "", "billing_class = \"free\"", "")).await;
    let plan = prepare(&host).await.unwrap();
    assert!(plan.working_may_begin);
    let router = router.replace("allow_paid = true", "");
    host.place.write_config(&config(&fake, &router, of_provider, ""));
    host.engine.sweep().await;
    let refused = host.run(&agent(), &plan).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::RepreflightRequired);
    assert!(refused.message.contains(told), "{refused}");
    assert_eq!(host.plan(&plan).await.state, PlanState::Ready);
    assert_eq!((fake.count("POST"), host.claims().await), (0, (0, 0)));
}

#[tokio::test]
async fn paid_routes_that_were_switched_off_do_not_run_though_a_human_consented() {
    let fake = provider("answer");
    let host = Host::new(&config(&fake, "", "billing_class = \"paid\"", PRICE)).await;
    let plan = approved(&host).await;
    let text = config(&fake, "", "billing_class = \"paid\"", PRICE).replace("allow_paid = true", "allow_paid = false");
    host.place.write_config(&text);
    host.engine.sweep().await;
    let refused = host.run(&agent(), &plan).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::RepreflightRequired);
    assert_eq!(fake.count("POST"), 0);
}

#[tokio::test]
async fn a_result_that_cannot_be_stored_is_handed_to_repeats_and_nobody_is_called_twice() {
    let fake = provider("answer");
    let host = Host::new(&config(&fake, "", "billing_class = \"free\"", "")).await;
    let plan = prepare(&host).await.unwrap();
    let url = format!("sqlite://{}", host.place.home().database().display());
    let mut database = sqlx::SqliteConnection::connect(&url).await.unwrap();
    let full = "CREATE TRIGGER full BEFORE UPDATE ON plans WHEN NEW.state = 'completed'
                BEGIN SELECT RAISE(ABORT, 'no space'); END";
    sqlx::query(full).execute(&mut database).await.unwrap();
    let first = host.run(&agent(), &plan).await.unwrap();
    let second = host.run(&agent(), &plan).await.unwrap();
    assert_eq!((first.status, second.status), (RunStatus::Completed, RunStatus::Completed));
    assert_eq!((first.text, second.replayed), (second.text, true));
    assert_eq!(fake.count("POST"), 1);
    // The next host knows that the call was made, though not how it went.
    host.engine.shut_down(Duration::from_secs(5)).await;
    let host = Host { engine: host.place.open().await, ..host };
    let told = host.engine.result(&app(), &PlanParams { plan_id: plan.plan_id.clone() }).await.unwrap();
    assert_eq!(told.error.unwrap().code, ErrorCode::Interrupted);
}

#[tokio::test]
async fn a_result_is_for_the_client_that_prepared_it_and_for_people() {
    let host = Host::new(ALWAYS_ASK).await;
    let mine = agent();
    let mut other = agent();
    other.client.name = lwa_domain::ClientName::new("another-client");
    let plan = host.prepare(&mine).await;
    let params = PlanParams { plan_id: plan.plan_id.clone() };
    assert!(host.engine.result(&mine, &params).await.is_ok());
    assert!(host.engine.result(&app(), &params).await.is_ok());
    assert_eq!(host.engine.result(&other, &params).await.unwrap_err().code, ErrorCode::UnknownPlan);
    let unknown = PlanParams { plan_id: crate::support::no_plan() };
    assert_eq!(host.engine.result(&app(), &unknown).await.unwrap_err().code, ErrorCode::UnknownPlan);
}
