//! What is reserved, what is booked, and answers that were paid for.

use std::time::Duration;

use lwa_domain::tokens::estimate_tokens;
use lwa_domain::{ErrorCode, PicoUsd};
use lwa_protocol::plan::{MediaFileParams, MediaParams, PrepareParams, RunStatus};
use lwa_testkit::FakeProvider;
use lwa_testkit::fake_provider::Script;
use lwa_testkit::fake_provider::reply::Reply;

use super::{
    CHAT, PAID_ALLOWED, UNASKED, broken, consented, database, edit, fake, member, paid_consensus, query, refresh, rows,
    saying, start, store_key, until,
};
use crate::support::{Host, Place, agent, run};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_paid_synthesis_survives_a_settlement_that_fails_for_a_moment() {
    let (a, b) = (fake(vec![saying("A.")]), fake(vec![saying("B.")]));
    let dear = fake(vec![saying("The synthesis.")]);
    let host = Host::new(
        &[
            UNASKED.to_owned(),
            member("a", &a.base_url(), "free", 90, ""),
            member("b", &b.base_url(), "free", 80, ""),
            member("dear", &dear.base_url(), "paid", 100, ""),
        ]
        .concat(),
    )
    .await;
    let plan = host.prepare_with(&agent(), paid_consensus()).await.unwrap();
    let busy = "CREATE TRIGGER busy BEFORE INSERT ON ledger_settled WHEN EXISTS (
            SELECT 1 FROM ledger_reserved r JOIN plans p ON p.plan_id = r.plan_id
            WHERE r.id = NEW.reserved_id AND r.role = 'consensus_synthesis' AND p.state = 'working')
        BEGIN SELECT RAISE(ABORT, 'busy'); END";
    sqlx::query(busy).execute(&mut database(&host).await).await.unwrap();
    let answer = run(&host.engine, &agent(), &plan).await.unwrap();
    assert_eq!(dear.count("POST"), 1);
    let paid = rows(&host).await.into_iter().find(|row| row.provider == "dear").unwrap();
    assert_ne!(paid.status, "released", "the call was made");
    assert_eq!((answer.status, answer.text.as_deref()), (RunStatus::Completed, Some("The synthesis.")));
    assert_eq!(paid.cost_pico_usd, Some(PicoUsd::new(11 * 5_000_000 + 7 * 20_000_000)));
}

/// An answer that begins and then ends in this way.
fn begun(end: &str) -> Reply {
    let delta = r#"data: {"choices":[{"index":0,"delta":{"content":"It beg"},"finish_reason":null}]}"#;
    Reply::events(format!("{delta}\n\n{end}"))
}

/// Two providers that could serve the same plan; the first one is locked.
async fn two(acme: &FakeProvider, other: &FakeProvider) -> Host {
    Host::new(
        &[
            UNASKED.to_owned(),
            member("acme", &acme.base_url(), "paid", 90, ""),
            member("other", &other.base_url(), "paid", 60, ""),
        ]
        .concat(),
    )
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rr_28_a_stream_that_breaks_is_given_to_no_other_provider() {
    let error = "data: {\"error\":{\"message\":\"overloaded\",\"code\":503}}\n\n";
    for broken in [begun("").then_cut(), begun(error), begun("").then_reset()] {
        let (acme, other) = (fake(vec![broken, saying("Again.")]), fake(vec![saying("Instead.")]));
        let host = two(&acme, &other).await;
        let plan = host.prepare_with(&agent(), query()).await.unwrap();
        assert_eq!(plan.routes[0].provider, "acme");
        let answer = run(&host.engine, &agent(), &plan).await.unwrap();
        assert_eq!((answer.status, answer.text), (RunStatus::RepreflightRequired, None));
        assert_eq!((acme.count("POST"), other.connections()), (1, 0));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rr_30_a_stream_that_was_cut_is_booked_as_failed_at_what_was_reserved_and_never_as_a_success() {
    let (acme, other) = (fake(vec![begun("").then_cut()]), fake(vec![saying("Instead.")]));
    let host = two(&acme, &other).await;
    let plan = host.prepare_with(&agent(), query()).await.unwrap();
    let answer = run(&host.engine, &agent(), &plan).await.unwrap();
    assert_ne!(answer.status, RunStatus::Completed);
    assert_eq!(answer.error.unwrap().code, ErrorCode::ProviderFailed);
    let row = rows(&host).await.remove(0);
    assert_eq!((row.status.as_str(), row.error_code), ("error", Some(ErrorCode::ProviderFailed)));
    // Nobody counted its tokens, and they may be billed all the same: nothing is not what it cost.
    assert_eq!((row.input_tokens, row.output_tokens, row.usage_reported), (None, None, false));
    assert_eq!((row.cost_pico_usd, row.reserved_pico_usd), (None, plan.max_cost_pico_usd));
    // Whoever comes back for it gets the failure again.
    let again = run(&host.engine, &agent(), &plan).await.unwrap();
    assert_eq!((again.status, again.replayed, acme.count("POST")), (answer.status, true, 1));
}

/// The smallest bytes that begin like a film.
const FILM: &[u8] = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom";

fn films() -> FakeProvider {
    let script = Script::new()
        .on("POST /v1/videos", [Reply::json(200, r#"{"id":"job-7","status":"queued"}"#)])
        .on("GET /v1/videos/job-7", [Reply::json(200, r#"{"id":"job-7","status":"completed"}"#)])
        .on("GET /v1/videos/job-7/content", [Reply::document(200, "video/mp4", FILM)]);
    FakeProvider::start(script).unwrap()
}

fn film_config(fake: &FakeProvider, router: &str, per_second: f64) -> String {
    format!(
        "{router}[providers.openai]\nbase_url = \"{}/v1\"\napi_key_env = \"\"\napi_key_envs = []\n\
         billing_class = \"paid\"\n[[models]]\nprovider = \"openai\"\nmodel = \"film-1\"\ncapabilities = [\"video\"]\n\
         cost_per_second = {per_second}\n",
        fake.base_url()
    )
}

fn film() -> PrepareParams {
    PrepareParams {
        task: "video_generation".to_owned(),
        allow_paid: true,
        provider: Some("openai".to_owned()),
        model: Some("film-1".to_owned()),
        media: Some(MediaParams { seconds: Some("8".to_owned()), ..MediaParams::default() }),
        ..PrepareParams::default()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_paid_film_arrives_though_its_job_could_not_be_noted() {
    let fake = films();
    let host = Host::new(&film_config(&fake, UNASKED, 0.1)).await;
    let plan = host.prepare_with(&agent(), film()).await.unwrap();
    assert_eq!(plan.max_cost_pico_usd, Some(PicoUsd::new(800_000_000_000)));
    let full = "CREATE TRIGGER full BEFORE INSERT ON media_jobs BEGIN SELECT RAISE(ABORT, 'no space'); END";
    sqlx::query(full).execute(&mut database(&host).await).await.unwrap();
    let answer = run(&host.engine, &agent(), &plan).await.unwrap();
    assert_eq!(answer.status, RunStatus::Completed, "{}", answer.display);
    assert_eq!(answer.media.unwrap().files.len(), 1);
    // What nobody states the cost of counts as what was reserved.
    let row = rows(&host).await.remove(0);
    assert_eq!((row.cost_pico_usd, row.reserved_pico_usd), (None, plan.max_cost_pico_usd));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_film_whose_price_rose_after_the_yes_does_not_run() {
    let fake = films();
    let host = Host::new(&film_config(&fake, PAID_ALLOWED, 0.1)).await;
    let plan = host.prepare_with(&agent(), film()).await.unwrap();
    consented(&host, &plan).await;
    edit(&host, &film_config(&fake, PAID_ALLOWED, 0.5)).await;
    let refused = run(&host.engine, &agent(), &plan).await;
    assert!(refused.as_ref().is_err_and(|failure| failure.code == ErrorCode::RepreflightRequired), "{refused:?}");
    assert!(fake.calls().is_empty());
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_link_in_place_of_a_film_is_not_followed() {
    let fake = films();
    let host = Host::new(&film_config(&fake, UNASKED, 0.1)).await;
    let plan = host.prepare_with(&agent(), film()).await.unwrap();
    let answer = run(&host.engine, &agent(), &plan).await.unwrap();
    let path = answer.media.unwrap().files.remove(0).path;
    let params = MediaFileParams { plan_id: plan.plan_id.clone(), index: 0 };
    assert!(host.engine.media_file(&agent(), &params).await.is_ok());
    let private = host.place.temp.path().join("private");
    std::fs::write(&private, "not for agents").unwrap();
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink(&private, &path).unwrap();
    assert_eq!(host.engine.media_file(&agent(), &params).await.unwrap_err().code, ErrorCode::NotFound);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_list_that_claims_a_lower_price_after_the_yes_does_not_lower_what_is_reserved() {
    let list = |price: &str| {
        let pricing = serde_json::json!({ "prompt": price, "completion": price });
        let item = serde_json::json!({ "id": "new-1", "context_length": 65_536, "pricing": pricing });
        Reply::json(200, serde_json::json!({ "data": [item] }).to_string())
    };
    let script = Script::new().on("GET /v1/models", [list("0.00001"), list("0.0000001")]).on(CHAT, [Reply::silence()]);
    let acme = FakeProvider::start(script).unwrap();
    let host = Host::new(&(PAID_ALLOWED.to_owned() + &member("acme", &acme.base_url(), "paid", 90, ""))).await;
    refresh(&host).await;
    let params = PrepareParams { model: Some("new-1".to_owned()), provider: Some("acme".to_owned()), ..query() };
    let plan = host.prepare_with(&agent(), params).await.unwrap();
    consented(&host, &plan).await;
    refresh(&host).await;
    start(&host, &plan).await.unwrap();
    let row = rows(&host).await.remove(0);
    assert!(
        row.reserved_pico_usd >= plan.max_cost_pico_usd,
        "{:?} {:?}",
        row.reserved_pico_usd,
        plan.max_cost_pico_usd
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_listed_price_of_zero_for_a_paid_model_is_shown_as_unknown() {
    let list = r#"{"data":[{"id":"new-1","context_length":65536,"pricing":{"prompt":"0","completion":"0"}}]}"#;
    let acme = FakeProvider::start(Script::new().on("GET /v1/models", [Reply::json(200, list)])).unwrap();
    let host = Host::new(&(PAID_ALLOWED.to_owned() + &member("acme", &acme.base_url(), "paid", 90, ""))).await;
    refresh(&host).await;
    let params = PrepareParams { model: Some("new-1".to_owned()), provider: Some("acme".to_owned()), ..query() };
    let plan = host.prepare_with(&agent(), params).await.unwrap();
    assert!(plan.requires_confirmation);
    assert_eq!(plan.max_cost_pico_usd, None, "nobody may be told that it costs nothing");
}

#[tokio::test]
async fn a_large_schema_is_part_of_what_a_plan_may_cost() {
    let host = Host::new(&(PAID_ALLOWED.to_owned() + &member("acme", "http://127.0.0.1:9", "paid", 90, ""))).await;
    let plain = host.prepare_with(&agent(), query()).await.unwrap();
    let schema = serde_json::json!({ "type": "object", "description": "long ".repeat(40_000) });
    let format = serde_json::json!({ "name": "form", "schema": schema });
    let formed =
        host.prepare_with(&agent(), PrepareParams { response_format: Some(format.clone()), ..query() }).await.unwrap();
    let more = estimate_tokens(&format.to_string());
    assert!(
        u64::from(formed.estimated_input_tokens) >= u64::from(plain.estimated_input_tokens) + more,
        "{} tokens of schema, and {} for all of it",
        more,
        formed.estimated_input_tokens
    );
    assert!(formed.max_cost_pico_usd > plain.max_cost_pico_usd);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reviews_in_a_dense_script_do_not_make_the_synthesis_larger_than_its_reservation() {
    let review = "審査の結果は次のとおりである。".repeat(300);
    let voters: Vec<FakeProvider> = (0..5).map(|_| fake(vec![saying(&review)])).collect();
    let dear = fake(vec![saying("The synthesis.")]);
    let mut text = UNASKED.to_owned();
    for (number, voter) in voters.iter().enumerate() {
        text += &member(&format!("v{number}"), &voter.base_url(), "free", 80, "");
    }
    let host = Host::new(&(text + &member("dear", &dear.base_url(), "paid", 100, ""))).await;
    let plan = host.prepare_with(&agent(), paid_consensus()).await.unwrap();
    let answer = run(&host.engine, &agent(), &plan).await.unwrap();
    assert_eq!(answer.status, RunStatus::Completed, "{}", answer.display);
    let sent = dear.calls()[0].json();
    let tokens: u64 = (0..2).map(|at| estimate_tokens(sent["messages"][at]["content"].as_str().unwrap())).sum();
    let locked = u64::from(plan.routes.last().unwrap().estimated_input_tokens);
    assert!(tokens <= locked, "{tokens} tokens were sent and {locked} were paid for in advance");
}

/// Runs a life of a host that ends without a word, as a killed one does.
fn crash<T>(life: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let left = runtime.block_on(life);
    runtime.shutdown_timeout(Duration::from_millis(1));
    left
}

#[test]
fn a_host_that_dies_after_two_of_five_voters_keeps_every_reservation_and_asks_nobody_again() {
    let quick: Vec<FakeProvider> = (0..2).map(|_| fake(vec![saying("Yes.")])).collect();
    let slow: Vec<FakeProvider> = (0..3).map(|_| fake(vec![Reply::silence()])).collect();
    let dear = fake(vec![saying("The synthesis.")]);
    let mut text = UNASKED.to_owned();
    for (number, voter) in quick.iter().chain(&slow).enumerate() {
        text += &member(&format!("v{number}"), &voter.base_url(), "free", 80, "");
    }
    let place = Place::new(&(text + &member("dear", &dear.base_url(), "paid", 100, "")));
    let calls = || quick.iter().chain(&slow).map(|voter| voter.count("POST")).sum::<usize>();
    let plan = crash(async {
        let host = Host { engine: place.open().await, place: Place::new("") };
        let plan = host.prepare_with(&agent(), paid_consensus()).await.unwrap();
        start(&host, &plan).await.unwrap();
        let host = &host;
        until(|| async move { rows(host).await.iter().filter(|row| row.status == "ok").count() == 2 }).await;
        until(|| async { calls() == 5 }).await;
        plan
    });
    crash(async {
        let host = Host { engine: place.open().await, place: Place::new("") };
        let told = run(&host.engine, &agent(), &plan).await.unwrap();
        assert_eq!((told.error.unwrap().code, told.replayed), (ErrorCode::Interrupted, true));
        let rows = rows(&host).await;
        assert_eq!(rows.iter().filter(|row| row.status == "ok").count(), 2, "what was settled stays settled");
        assert!(rows.len() == 6 && rows.iter().all(|row| row.status == "ok" || row.status == "error"));
        let paid = rows.iter().find(|row| row.provider == "dear").unwrap();
        assert_eq!((paid.cost_pico_usd, paid.reserved_pico_usd), (None, plan.max_cost_pico_usd));
    });
    assert_eq!((calls(), dear.count("POST")), (5, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_spare_voter_that_became_paid_meanwhile_does_not_write_the_synthesis() {
    let (a, b) = (fake(vec![saying("A.")]), fake(vec![saying("B.")]));
    let dear = fake(vec![Reply::silence()]);
    let text = |class: &str| {
        [
            UNASKED.to_owned(),
            member("a", &a.base_url(), class, 90, ""),
            member("b", &b.base_url(), "free", 80, ""),
            member("dear", &dear.base_url(), "paid", 100, ""),
        ]
        .concat()
    };
    let host = Host::new(&text("free")).await;
    let plan = host.prepare_with(&agent(), paid_consensus()).await.unwrap();
    start(&host, &plan).await.unwrap();
    until(|| async { dear.count("POST") == 1 }).await;
    edit(&host, &text("paid")).await;
    drop(dear);
    let answer = run(&host.engine, &agent(), &plan).await.unwrap();
    assert_eq!((a.count("POST"), b.count("POST")), (1, 2));
    assert_eq!((answer.status, answer.route.provider.as_str()), (RunStatus::Completed, "b"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_spare_voter_stays_within_its_cap_and_nobody_outside_the_plan_is_asked() {
    let (a, b) = (fake(vec![saying("A.")]), fake(vec![saying("B.")]));
    let (dear, idle) = (fake(vec![broken()]), fake(vec![saying("Idle.")]));
    let host = Host::new(
        &[
            UNASKED.to_owned(),
            member("a", &a.base_url(), "free", 90, "daily_request_cap = 1"),
            member("b", &b.base_url(), "free", 80, "daily_request_cap = 1"),
            member("dear", &dear.base_url(), "paid", 100, ""),
            member("idle", &idle.base_url(), "paid", 99, ""),
        ]
        .concat(),
    )
    .await;
    let plan = host.prepare_with(&agent(), paid_consensus()).await.unwrap();
    let answer = run(&host.engine, &agent(), &plan).await.unwrap();
    assert_eq!(answer.status, RunStatus::RepreflightRequired);
    assert_eq!(answer.consensus.unwrap().reviews.len(), 2, "the reviews are handed over");
    assert_eq!([&a, &b, &dear, &idle].map(|fake| fake.count("POST")), [1, 1, 1, 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_that_rests_makes_no_film_and_what_was_not_sent_is_not_reserved() {
    let limited = Reply::json(429, r#"{"error":{"code":"rate_limit_exceeded","message":"Slow down"}}"#);
    let fake = FakeProvider::start(Script::new().on("POST /v1/videos", [limited.header("retry-after", "7")])).unwrap();
    let config = film_config(&fake, UNASKED, 0.1).replace("api_key_env = \"\"", "api_key_env = \"ACME_TEST_KEY\"");
    let host = Host::new(&config).await;
    store_key(&host, "openai").await;
    for _ in 0..2 {
        let plan = host.prepare_with(&agent(), film()).await.unwrap();
        let answer = run(&host.engine, &agent(), &plan).await.unwrap();
        assert_eq!(answer.error.unwrap().code, ErrorCode::ProviderRateLimited);
    }
    assert_eq!(fake.calls().len(), 1);
    assert!(rows(&host).await.iter().all(|row| row.cost_pico_usd == Some(PicoUsd::ZERO)));
}

#[test]
fn a_host_that_dies_before_it_hears_of_its_film_submits_no_second_one() {
    let fake = FakeProvider::start(Script::new().on("POST /v1/videos", [Reply::silence()])).unwrap();
    let place = Place::new(&film_config(&fake, UNASKED, 0.1));
    let plan = crash(async {
        let host = Host { engine: place.open().await, place: Place::new("") };
        let plan = host.prepare_with(&agent(), film()).await.unwrap();
        start(&host, &plan).await.unwrap();
        until(|| async { fake.calls().len() == 1 }).await;
        plan
    });
    crash(async {
        let host = Host { engine: place.open().await, place: Place::new("") };
        let told = run(&host.engine, &agent(), &plan).await.unwrap();
        assert_eq!(told.error.unwrap().code, ErrorCode::Interrupted);
        let row = rows(&host).await.remove(0);
        assert_eq!((row.cost_pico_usd, row.reserved_pico_usd), (None, plan.max_cost_pico_usd));
    });
    assert_eq!(fake.calls().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_listed_price_of_zero_does_not_hide_the_price_that_a_person_wrote() {
    let list = r#"{"data":[{"id":"m-1","pricing":{"prompt":"0","completion":"0"}}]}"#;
    let script = Script::new().on("GET /v1/models", [Reply::json(200, list)]).on(CHAT, [saying("Yes.")]);
    let acme = FakeProvider::start(script).unwrap();
    let host = Host::new(&(UNASKED.to_owned() + &member("acme", &acme.base_url(), "paid", 90, ""))).await;
    let before = host.prepare_with(&agent(), query()).await.unwrap().max_cost_pico_usd;
    refresh(&host).await;
    let plan = host.prepare_with(&agent(), query()).await.unwrap();
    assert!(before.is_some() && plan.max_cost_pico_usd == before, "{before:?} {:?}", plan.max_cost_pico_usd);
    let answer = run(&host.engine, &agent(), &plan).await.unwrap();
    assert_eq!(answer.cost_pico_usd, Some(PicoUsd::new(11 * 5_000_000 + 7 * 20_000_000)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_fails_for_a_moment_releases_no_call_that_may_be_billed_and_keeps_the_reviews() {
    let (a, b) = (fake(vec![saying("A.")]), fake(vec![saying("B.")]));
    let dear = fake(vec![broken()]);
    let host = Host::new(
        &[
            UNASKED.to_owned(),
            member("a", &a.base_url(), "free", 90, ""),
            member("b", &b.base_url(), "free", 80, ""),
            member("dear", &dear.base_url(), "paid", 100, ""),
        ]
        .concat(),
    )
    .await;
    let plan = host.prepare_with(&agent(), paid_consensus()).await.unwrap();
    let mut database = database(&host).await;
    for busy in [
        "CREATE TRIGGER busy BEFORE INSERT ON ledger_settled WHEN EXISTS (
            SELECT 1 FROM ledger_reserved r JOIN plans p ON p.plan_id = r.plan_id
            WHERE r.id = NEW.reserved_id AND r.role = 'consensus_synthesis' AND p.state = 'working')
         BEGIN SELECT RAISE(ABORT, 'busy'); END",
        "CREATE TRIGGER full BEFORE INSERT ON ledger_reserved WHEN NEW.ordinal > 2
         BEGIN SELECT RAISE(ABORT, 'busy'); END",
    ] {
        sqlx::query(busy).execute(&mut database).await.unwrap();
    }
    let answer = run(&host.engine, &agent(), &plan).await.unwrap();
    let paid = rows(&host).await.into_iter().find(|row| row.provider == "dear").unwrap();
    assert_eq!(
        (paid.status.as_str(), paid.cost_pico_usd, paid.reserved_pico_usd),
        ("error", None, plan.max_cost_pico_usd)
    );
    assert_eq!(answer.consensus.unwrap().reviews.len(), 2);
}
