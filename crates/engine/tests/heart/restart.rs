//! What a host that ended leaves to the next one.

use std::time::Duration;

use lwa_domain::{ErrorCode, Outcome, PlanState};
use lwa_protocol::approval::Answer;
use lwa_protocol::ledger::LedgerParams;
use lwa_protocol::plan::{PlanParams, PrepareParams, RunParams, RunStatus};
use lwa_testkit::FakeProvider;
use lwa_testkit::fake_provider::scenario;

use crate::support::{ALWAYS_ASK, Host, Place, agent, app, approve, id};

/// Runs a life of a host that ends without a word, as a killed one does.
fn crash<T>(life: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let left = runtime.block_on(life);
    runtime.shutdown_timeout(Duration::from_millis(1));
    left
}

#[test]
fn open_questions_are_withdrawn_and_the_plan_can_still_be_asked_about() {
    let place = Place::new(ALWAYS_ASK);
    let agent = agent();
    let (plan, asked) = crash(async {
        let host = Host { engine: place.open().await, place: Place::new("") };
        let plan = host.prepare(&agent).await;
        let asked = host.approve(&agent, &plan).await.unwrap();
        (plan, asked)
    });
    crash(async {
        let host = Host { engine: place.open().await, place: Place::new("") };
        let questions = host.questions().await;
        assert_eq!(
            (questions[0].outcome, questions[0].decided_by.as_deref()),
            (Some(Outcome::Withdrawn), Some("host"))
        );
        assert!(questions[0].outcome_reason.as_deref().unwrap().contains("restarted"));
        assert!(host.decide(&app(), &id(&asked), Answer::AllowOnce).await.is_err());
        assert_eq!(host.run(&agent, &plan).await.unwrap().status, RunStatus::ConfirmationRequired);
        let again = approve(&host.engine, &agent, &plan, 0).await.unwrap();
        host.decide(&app(), &id(&again), Answer::AllowOnce).await.unwrap();
        assert_eq!(host.run(&agent, &plan).await.unwrap().status, RunStatus::Completed);
        assert!(host.engine.verify_audit().await.unwrap().ok);
    });
}

#[test]
fn a_plan_that_was_working_is_interrupted_and_keeps_what_it_reserved() {
    let fake = FakeProvider::start(scenario::named("stall").unwrap()).unwrap();
    let place = Place::new(&format!(
        "[router]\nallow_paid = true\nconsent_mode = \"automatic\"\n[providers.acme]\nbase_url = \"{}/v1\"\nbilling_class = \"paid\"\n[[models]]\nprovider = \"acme\"\nmodel = \"big-1\"\ninput_cost_per_million = 5.0\noutput_cost_per_million = 20.0\n",
        fake.base_url()
    ));
    let agent = agent();
    let plan = crash(async {
        let host = Host { engine: place.open().await, place: Place::new("") };
        let params = PrepareParams { task: "query".to_owned(), allow_paid: true, ..PrepareParams::default() };
        let plan = host.prepare_with(&agent, params).await.unwrap();
        let params = RunParams {
            plan_token: plan.plan_token.clone(),
            hold_ms: 0,
            max_text_bytes: None,
            next_tier_suggestion: None,
        };
        assert_eq!(host.engine.run(&agent, &params, None).await.unwrap().status, RunStatus::Working);
        let fake = &fake;
        tokio::task::block_in_place(|| fake.wait_for_calls(1));
        plan
    });
    crash(async {
        let host = Host { engine: place.open().await, place: Place::new("") };
        assert_eq!(host.plan(&plan).await.state, PlanState::RepreflightRequired);
        let told = host.engine.result(&agent, &PlanParams { plan_id: plan.plan_id.clone() }).await.unwrap();
        assert_eq!(told.error.unwrap().code, ErrorCode::Interrupted);
        let row = host.engine.list_ledger(&LedgerParams::default()).await.unwrap().rows.pop().unwrap();
        assert_eq!((row.reserved_pico_usd, row.cost_pico_usd), (plan.max_cost_pico_usd, None), "unknown, not nothing");
        assert!(row.reserved_pico_usd.is_some());
        // The used token calls nobody again.
        assert_eq!(host.run(&agent, &plan).await.unwrap().status, RunStatus::RepreflightRequired);
        assert_eq!(fake.count("POST"), 1);
        assert!(host.engine.verify_audit().await.unwrap().ok);
    });
}

#[test]
fn a_question_that_an_older_version_wrote_does_not_keep_the_host_from_starting() {
    let place = Place::new(ALWAYS_ASK);
    let agent = agent();
    crash(async {
        let host = Host { engine: place.open().await, place: Place::new("") };
        let plan = host.prepare(&agent).await;
        host.approve(&agent, &plan).await.unwrap();
        let url = format!("sqlite://{}", place.home().database().display());
        let mut database = <sqlx::SqliteConnection as sqlx::Connection>::connect(&url).await.unwrap();
        sqlx::query("UPDATE approvals SET detail = '{\"type\":\"spend\"}'").execute(&mut database).await.unwrap();
    });
    crash(async {
        let engine = place.open().await;
        assert_eq!(engine.status().await.unwrap().waiting, 0);
    });
}
