//! Cohere's own protocol: what is sent, and what is billed.

use lwa_domain::{PicoUsd, Price, ReasoningEffort};
use lwa_providers::{Adapter, ChatRequest, Endpoint, Limits, ResponseFormat, complete, facts};
use lwa_testkit::{FakeProvider, Reply, Script};
use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{KEY, client, endpoint, request};

const ANSWER: &str = r#"{"id":"x","message":{"role":"assistant","content":[{"type":"text","text":"North."}]},
    "finish_reason":"COMPLETE","usage":{"billed_units":{"input_tokens":5,"output_tokens":3},"tokens":{"input_tokens":71,"output_tokens":9}}}"#;

fn command() -> ChatRequest {
    ChatRequest { profile: facts::find("cohere").unwrap().profile(), ..request() }
}

async fn ask(request: &ChatRequest) -> (lwa_providers::ChatAnswer, FakeProvider) {
    let provider = FakeProvider::start(Script::new().on("POST /v2/chat", [Reply::json(200, ANSWER)])).unwrap();
    let endpoint = Endpoint { provider: "cohere".to_owned(), ..endpoint(&provider) };
    let answer = complete(&client(), Adapter::Cohere, &endpoint, request, Limits::default(), |_| {}).await.unwrap();
    (answer, provider)
}

async fn sent(request: &ChatRequest) -> Value {
    ask(request).await.1.calls()[0].json()
}

#[tokio::test]
async fn the_body_is_what_the_plan_says_and_no_more() {
    let (_, provider) = ask(&command()).await;
    let call = &provider.calls()[0];
    assert_eq!(call.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(
        call.json(),
        json!({
            "model": "example-small",
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What is the answer?"}],
            "max_tokens": 64,
            "temperature": 0.45,
            "stream": true,
        })
    );
}

#[rstest]
#[case(ReasoningEffort::Instant, json!({"type": "disabled"}))]
#[case(ReasoningEffort::Medium, json!({"type": "enabled", "token_budget": 32}))]
#[case(ReasoningEffort::High, json!({"type": "enabled", "token_budget": 51}))]
#[tokio::test]
async fn thinking_has_a_budget(#[case] effort: ReasoningEffort, #[case] written: Value) {
    let mut request = command();
    request.reasoning_effort = Some(effort);
    request.profile.accepted_efforts = ReasoningEffort::ALL.to_vec();
    assert_eq!(sent(&request).await["thinking"], written);
}

#[tokio::test]
async fn a_schema_stands_beside_the_object() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let format = ResponseFormat::JsonSchema { name: "answer".to_owned(), schema: schema.clone() };
    let request = ChatRequest { response_format: Some(format), ..command() };
    assert_eq!(sent(&request).await["response_format"], json!({"type": "json_object", "json_schema": schema}));
}

#[tokio::test]
async fn what_is_billed_counts_and_not_what_was_read() {
    let (answer, _) = ask(&command()).await;
    assert_eq!((answer.usage.input, answer.usage.output), (Some(5), Some(3)));
    let price = Price::flat(PicoUsd::new(10), PicoUsd::new(100), "test", "2026-11-29");
    assert_eq!(price.cost_of(&answer.usage.counts().unwrap()), PicoUsd::new(350));
}
