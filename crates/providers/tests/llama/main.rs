//! The adapter against a real `llama-server`: what recorded shapes say about local servers, asked of one.
//!
//! `scripts/model.sh` installs the server and small weights, which are no part of this project. Without them every
//! test here says so and passes.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic in a test is its report")]
#![allow(clippy::print_stderr, reason = "a test that is skipped, and what was measured, have to be said")]

mod server;

use std::time::Instant;

use lwa_providers::local::{LocalCandidate, LocalKind, detect};
use lwa_providers::{
    Adapter, ChatAnswer, ChatRequest, Endpoint, Finish, Limits, ModelProfile, ProviderError, Rejection, ResponseFormat,
    complete, http_client, probe,
};
use lwa_secrets::Secret;
use serde_json::{Value, json};

use server::{CONTEXT, Server};

fn request(prompt: &str, max_output_tokens: u32) -> ChatRequest {
    ChatRequest {
        model: "the-one-that-is-loaded".to_owned(),
        system: Some("Be brief.".to_owned()),
        prompt: prompt.to_owned(),
        max_output_tokens,
        temperature: Some(0.0),
        reasoning_effort: None,
        response_format: None,
        extra_body: None,
        profile: ModelProfile::default(),
    }
}

fn endpoint(server: &Server) -> Endpoint {
    let base_url = format!("http://127.0.0.1:{}/v1", server.port());
    Endpoint { is_local: true, timeout: server::LIMIT, ..Endpoint::new("llamacpp", base_url) }
}

async fn ask(
    endpoint: &Endpoint,
    request: &ChatRequest,
    on_text: impl FnMut(&str) + Send,
) -> Result<ChatAnswer, ProviderError> {
    let client = http_client().unwrap();
    let limits = Limits { idle: server::LIMIT, ..Limits::default() };
    complete(&client, Adapter::OpenAi, endpoint, request, limits, on_text).await
}

#[tokio::test]
async fn a_real_llama_server_is_recognised_with_its_context_and_its_version() {
    let Some(server) = Server::start(None) else { return };
    let candidates = LocalKind::ALL.map(|kind| LocalCandidate { kind, port: server.port() });
    // The first look can be slow on a machine that does other things; the server has nothing else to do.
    let mut found = Vec::new();
    for _ in 0..20 {
        found = detect(&http_client().unwrap(), &candidates).await;
        if !found.is_empty() {
            break;
        }
    }
    assert_eq!(found.len(), 1, "one server is of one kind: {found:?}");
    assert_eq!((found[0].kind, found[0].name.as_str()), (LocalKind::LlamaCpp, "llamacpp"));
    assert!(found[0].version.is_some(), "it tells its build");
    assert_eq!(found[0].models.len(), 1, "{found:?}");
    assert_eq!(found[0].models[0].context_length, Some(u64::from(CONTEXT)), "what it runs with, not what it could");

    let report = probe(&http_client().unwrap(), Adapter::OpenAi, &endpoint(&server)).await;
    assert_eq!((report.status, report.items, report.failure), (Some(200), Some(1), None));
    assert!(report.list_shape.contains(&"data[].id: string".to_owned()), "{:?}", report.list_shape);
}

#[tokio::test]
async fn a_real_stream_arrives_in_pieces_with_its_counts_and_the_reason_for_its_end() {
    let Some(server) = Server::start(None) else { return };
    let (mut pieces, mut text) = (0, String::new());
    let begun = Instant::now();
    let answer = ask(&endpoint(&server), &request("Count from one to thirty in words.", 32), |piece| {
        pieces += 1;
        text.push_str(piece);
    })
    .await
    .unwrap();
    let took = begun.elapsed();
    assert!(pieces > 4, "{pieces} pieces");
    assert_eq!(text, answer.text);
    assert!(answer.usage.reported && answer.usage.input.is_some_and(|tokens| tokens > 10), "{:?}", answer.usage);
    let output = answer.usage.output.unwrap();
    // The least of what a limit may mean: never more than was asked for.
    assert!((1..=32).contains(&output), "{output} tokens");
    let ended = answer.finish();
    assert!(
        if output == 32 { ended == Finish::Length } else { ended == Finish::Complete },
        "{ended:?} at {output} tokens"
    );
    assert!(answer.cost.is_none(), "a server on this machine bills nothing");
    eprintln!("measured: {output} tokens in {pieces} pieces, {:.1} s in all", took.as_secs_f64());
}

#[tokio::test]
async fn a_prompt_beyond_a_real_context_is_too_large_and_not_a_broken_server() {
    let Some(server) = Server::start(None) else { return };
    let prompt = "one two three four five six seven eight nine ten ".repeat(400);
    let error = ask(&endpoint(&server), &request(&prompt, 16), |_| {}).await.unwrap_err();
    assert!(matches!(error, ProviderError::Rejected { reason: Rejection::TooLarge, .. }), "{error:?}");
    assert!(!error.to_string().contains("seven eight"), "an error repeats no prompt: {error}");
}

#[tokio::test]
async fn a_real_server_keeps_to_a_schema() {
    let Some(server) = Server::start(None) else { return };
    let schema = json!({
        "type": "object",
        "properties": {
            "colour": {"type": "string", "enum": ["red", "green"]},
            "count": {"type": "integer", "minimum": 0, "maximum": 9},
        },
        "required": ["colour", "count"],
        "additionalProperties": false,
    });
    let format = ResponseFormat::JsonSchema { name: "apple".to_owned(), schema };
    let asked = ChatRequest { response_format: Some(format), ..request("Describe three green apples.", 64) };
    let answer = ask(&endpoint(&server), &asked, |_| {}).await.unwrap();
    // Small weights say what they like inside a schema, and never anything outside of it.
    let value: Value = serde_json::from_str(&answer.text).unwrap_or_else(|error| panic!("{error}: {}", answer.text));
    assert!(["red", "green"].map(Value::from).contains(&value["colour"]), "{value}");
    assert!(value["count"].as_u64().is_some_and(|count| count <= 9), "{value}");
    assert_eq!(answer.notes, Vec::<String>::new(), "it was sent as it is");
}

#[tokio::test]
async fn a_wrong_key_at_a_real_server_is_about_the_key_and_appears_nowhere() {
    let Some(server) = Server::start(Some("visibly-fake-right-key")) else { return };
    let with = |key: &str| Endpoint { key: Some(Secret::new(key.to_owned())), ..endpoint(&server) };
    let error = ask(&with("visibly-fake-wrong-key"), &request("Hello.", 8), |_| {}).await.unwrap_err();
    assert!(matches!(error, ProviderError::Unauthorized { .. }), "{error:?}");
    assert!(!format!("{error} {error:?}").contains("visibly-fake"), "{error:?}");
    let answer = ask(&with("visibly-fake-right-key"), &request("Hello.", 8), |_| {}).await.unwrap();
    assert!(!answer.text.trim().is_empty());
}
