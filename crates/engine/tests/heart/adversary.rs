//! What somebody would try who wants money spent without a yes, a cap passed, a paid answer lost, or a text or key let
//! out.

mod caps;
mod consent;
mod money;
mod texts;

use std::time::Duration;

use lwa_protocol::Failure;
use lwa_protocol::approval::Answer;
use lwa_protocol::ledger::{LedgerParams, LedgerRow};
use lwa_protocol::plan::{PlanPrepared, PrepareParams, RunAnswer, RunParams};
use lwa_protocol::provider::KeySetParams;
use lwa_protocol::router::CatalogueRefreshParams;
use lwa_testkit::FakeProvider;
use lwa_testkit::fake_provider::Script;
use lwa_testkit::fake_provider::reply::Reply;
use sqlx::Connection;

use crate::support::{Host, agent, app, id};

const CHAT: &str = "POST /v1/chat/completions";
/// Whoever plans and runs without being asked, so that only the caps stand in the way.
const UNASKED: &str = "[router]\nallow_paid = true\nconsent_mode = \"automatic\"\nmax_parallel_consensus = 8\n";
const PAID_ALLOWED: &str = "[router]\nallow_paid = true\n";
const PRICE: &str = "input_cost_per_million = 5.0\noutput_cost_per_million = 20.0";

fn saying(text: &str) -> Reply {
    said(text, &serde_json::json!({ "prompt_tokens": 11, "completion_tokens": 7 }))
}

fn said(text: &str, usage: &serde_json::Value) -> Reply {
    let delta = serde_json::json!({
        "id": "fake-1", "model": "m-1", "usage": usage,
        "choices": [{ "index": 0, "delta": { "content": text }, "finish_reason": "stop" }],
    });
    Reply::events(format!("data: {delta}\n\ndata: [DONE]\n\n"))
}

fn broken() -> Reply {
    Reply::json(500, r#"{"error":{"message":"Something broke"}}"#)
}

fn fake(replies: Vec<Reply>) -> FakeProvider {
    FakeProvider::start(Script::new().on(CHAT, replies)).unwrap()
}

/// A provider with one model, in the form of the configuration.
fn member(name: &str, base: &str, class: &str, score: u8, more: &str) -> String {
    format!(
        "[providers.{name}]\nbase_url = \"{base}/v1\"\nbilling_class = \"{class}\"\n{more}\n[[models]]\n\
         provider = \"{name}\"\nmodel = \"m-1\"\ncapabilities = [\"text\", \"reasoning\"]\ncontext_length = 200000\n\
         {PRICE}\ntask_scores = {{ consensus = {score}, query = {score} }}\n"
    )
}

fn query() -> PrepareParams {
    PrepareParams {
        task: "query".to_owned(),
        allow_paid: true,
        max_output_tokens: Some(100),
        ..PrepareParams::default()
    }
}

/// Free voters, and a synthesis that is paid.
fn paid_consensus() -> PrepareParams {
    PrepareParams {
        task: "consensus".to_owned(),
        allow_paid: true,
        required_billing_class: Some("paid".to_owned()),
        ..PrepareParams::default()
    }
}

async fn start(host: &Host, plan: &PlanPrepared) -> Result<RunAnswer, Failure> {
    let params =
        RunParams { plan_token: plan.plan_token.clone(), hold_ms: 0, max_text_bytes: None, next_tier_suggestion: None };
    host.engine.run(&agent(), &params, None).await
}

async fn consented(host: &Host, plan: &PlanPrepared) {
    let asked = host.approve(&agent(), plan).await.unwrap();
    host.decide(&app(), &id(&asked), Answer::AllowOnce).await.unwrap();
}

async fn rows(host: &Host) -> Vec<LedgerRow> {
    host.engine.list_ledger(&LedgerParams::default()).await.unwrap().rows
}

async fn database(host: &Host) -> sqlx::SqliteConnection {
    sqlx::SqliteConnection::connect(&format!("sqlite://{}", host.place.home().database().display())).await.unwrap()
}

async fn edit(host: &Host, config: &str) {
    host.place.write_config(config);
    host.engine.sweep().await;
}

async fn refresh(host: &Host) {
    let params = CatalogueRefreshParams { provider: Some("acme".to_owned()), force: true };
    host.engine.refresh_catalogue(&params).await.unwrap();
}

/// Waits for something that other tasks do, without measuring time.
async fn until<F: Future<Output = bool>>(mut holds: impl FnMut() -> F) {
    let looking = async {
        while !holds().await {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_mins(1), looking).await.expect("it never came to that");
}

/// Made up at run time, so that no scanner finds a key in this file.
fn planted() -> String {
    format!("sk-proj-{}", ["Ab3dEf6hIj9k", "Lm2nOp5qRs8t", "Uv1wXy4zBc7d", "Gh0jKl6mNp3r"].concat())
}

/// Stores the planted key for a provider.
async fn store_key(host: &Host, provider: &str) {
    let params = KeySetParams { provider: provider.to_owned(), key: planted() };
    host.engine.set_key(&app(), params).await.unwrap();
}
