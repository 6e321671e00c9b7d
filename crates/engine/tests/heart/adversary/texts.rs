//! What leaves the machine, and what is kept.

use std::time::Duration;

use lwa_domain::{ErrorCode, PicoUsd};
use lwa_privacy::egress::{KnownSecrets, scrub_secrets};
use lwa_protocol::plan::{PrepareParams, RunStatus};
use lwa_testkit::FakeProvider;
use lwa_testkit::fake_provider::Script;
use lwa_testkit::fake_provider::reply::Reply;
use sqlx::Row;

use super::{CHAT, database, fake, member, planted, query, refresh, rows, saying, store_key};
use crate::support::{Host, agent, run};

#[tokio::test]
async fn a_secret_in_a_schema_counts_as_one_that_would_leave() {
    let host = Host::new(&member("far", "https://far.example", "free_quota", 90, "")).await;
    let schema = serde_json::json!({ "type": "object", "description": format!("like {}", planted()) });
    let format = serde_json::json!({ "name": "form", "schema": schema });
    let plan = host.prepare_with(&agent(), PrepareParams { response_format: Some(format), ..query() }).await.unwrap();
    assert_eq!(plan.egress.masked_secrets, 1, "{:?}", plan.egress);
}

#[tokio::test]
async fn no_half_of_a_key_is_left_where_a_long_question_is_cut() {
    let host = Host::new(
        &[
            member("far-1", "https://far-1.example", "free_quota", 90, ""),
            member("far-2", "https://far-2.example", "free_quota", 80, ""),
        ]
        .concat(),
    )
    .await;
    let key = planted();
    // Where the head ends: of the question that voters get, and of the one that the synthesis gets.
    for place in (11_420..11_500).step_by(8).chain((2_780..2_860).step_by(8)) {
        let mut prompt = "word ".repeat(place / 5);
        prompt = format!("{prompt}{key} {}", "more ".repeat(8_000));
        let params = PrepareParams { task: "consensus".to_owned(), prompt, ..PrepareParams::default() };
        let plan = host.engine.prepare(&agent(), &params).await.unwrap();
        let row = sqlx::query("SELECT prompt, work FROM plans WHERE plan_id = ?")
            .bind(plan.plan_id.as_str())
            .fetch_one(&mut database(&host).await)
            .await
            .unwrap();
        for column in ["prompt", "work"] {
            let kept: String = row.get(column);
            let sent = scrub_secrets(&kept, &KnownSecrets::none()).text.into_owned();
            for start in 0..key.len() - 12 {
                assert!(!sent.contains(&key[start..start + 12]), "{column}: a key at {place} leaves a part of itself");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_that_a_local_server_runs_elsewhere_is_not_taken_for_a_local_one() {
    let tags = r#"{"models":[{"name":"small:1b","model":"small:1b","details":{}},
        {"name":"large:120b-cloud","model":"large:120b-cloud","remote_model":"large:120b",
         "remote_host":"https://models.example:443","details":{}}]}"#;
    let script = Script::new()
        .on("GET /api/version", [Reply::json(200, r#"{"version":"0.12.0"}"#)])
        .on("GET /api/tags", [Reply::json(200, tags)])
        .on("GET /api/ps", [Reply::json(200, r#"{"models":[]}"#)]);
    let ollama = FakeProvider::start(script).unwrap();
    let candidate =
        lwa_providers::local::LocalCandidate { kind: lwa_providers::local::LocalKind::Ollama, port: ollama.port() };
    let client = lwa_providers::http_client().unwrap();
    let found = lwa_providers::local::detect(&client, &[candidate]).await.remove(0);
    let names: Vec<&str> = found.models.iter().map(|model| model.id.as_str()).collect();
    assert_eq!(names, ["small:1b"]);
}

async fn with_key(acme: &FakeProvider) -> Host {
    let member = member("acme", &acme.base_url(), "free", 90, "api_key_env = \"ACME_TEST_KEY\"");
    let host = Host::new(&member).await;
    store_key(&host, "acme").await;
    host
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_limited_key_is_not_sent_again_at_once_though_the_provider_says_zero() {
    let limited = Reply::json(429, r#"{"error":{"code":"rate_limit_exceeded","message":"Slow down"}}"#);
    let acme = fake(vec![limited.header("retry-after", "0"), saying("Yes.")]);
    let host = with_key(&acme).await;
    let (one, other) =
        (host.prepare_with(&agent(), query()).await.unwrap(), host.prepare_with(&agent(), query()).await.unwrap());
    assert_eq!(run(&host.engine, &agent(), &one).await.unwrap().status, RunStatus::RepreflightRequired);
    let second = run(&host.engine, &agent(), &other).await.unwrap();
    assert_eq!((second.error.unwrap().code, acme.count("POST")), (ErrorCode::ProviderRateLimited, 1));
    // Nothing was sent, so nothing was spent.
    assert_eq!(rows(&host).await[0].cost_pico_usd, Some(PicoUsd::ZERO));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_that_repeats_the_key_plants_it_nowhere() {
    let key = planted();
    let list = serde_json::json!({ "data": [{ "id": "m-1" }, { "id": key, "name": key }] }).to_string();
    let script =
        Script::new().on("GET /v1/models", [Reply::json(200, list).header("x-ratelimit-limit-requests", &key)]).on(
            CHAT,
            [
                saying(&format!("You sent Bearer {key}, thank you.")).header("x-ratelimit-reset-requests", &key),
                Reply::json(401, serde_json::json!({ "error": { "message": format!("bad key {key}") } }).to_string()),
            ],
        );
    let acme = FakeProvider::start(script).unwrap();
    let host = with_key(&acme).await;
    refresh(&host).await;
    for _ in 0..2 {
        let plan = host.prepare_with(&agent(), query()).await.unwrap();
        let answer = run(&host.engine, &agent(), &plan).await.unwrap();
        assert!(!serde_json::to_string(&answer).unwrap().contains(&key), "{:?} {:?}", answer.text, answer.error);
    }
    host.engine.shut_down(Duration::from_secs(5)).await;
    for entry in std::fs::read_dir(host.place.home().state_dir()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = if path.is_file() { std::fs::read(&path).unwrap() } else { Vec::new() };
        assert!(!bytes.windows(key.len()).any(|part| part == key.as_bytes()), "{}", path.display());
    }
}

#[tokio::test]
async fn no_part_of_a_private_key_of_many_lines_is_left_where_a_long_question_is_cut() {
    let host = Host::new(
        &[
            member("far-1", "https://far-1.example", "free_quota", 90, ""),
            member("far-2", "https://far-2.example", "free_quota", 80, ""),
        ]
        .concat(),
    )
    .await;
    let line = |number: usize| {
        let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        (0..64).map(|at| char::from(letters[(at * 37 + number * 11 + at * at * 5) % 64])).collect::<String>()
    };
    let lines: Vec<String> = (0..24).map(line).collect();
    let what = "PRIVATE KEY";
    let key = format!("-----BEGIN RSA {what}-----\n{}\n-----END RSA {what}-----", lines.join("\n"));
    for place in [10_800, 2_200] {
        let prompt = format!("{}\n{key}\n{}", "word ".repeat(place / 5), "more ".repeat(8_000));
        let params = PrepareParams { task: "consensus".to_owned(), prompt, ..PrepareParams::default() };
        let plan = host.engine.prepare(&agent(), &params).await.unwrap();
        let row = sqlx::query("SELECT prompt, work FROM plans WHERE plan_id = ?")
            .bind(plan.plan_id.as_str())
            .fetch_one(&mut database(&host).await)
            .await
            .unwrap();
        for column in ["prompt", "work"] {
            let kept: String = row.get(column);
            let sent = scrub_secrets(&kept.replace("\\n", "\n"), &KnownSecrets::none()).text.into_owned();
            let left = lines.iter().filter(|line| sent.contains(line.as_str())).count();
            assert_eq!(left, 0, "{column}: a private key at {place} leaves {left} of its lines");
        }
    }
}
