//! Google's own protocol: what is sent, and what its counts cost.

use lwa_domain::{ErrorCode, PicoUsd, Price, ReasoningEffort};
use lwa_providers::{
    Adapter, ChatAnswer, ChatRequest, EffortEncoding, Endpoint, Limits, ProviderError, Usage, complete, facts, probe,
};
use lwa_testkit::{FakeProvider, Reply, Script};
use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{KEY, assert_has_no_key, client, endpoint, request};

const PATH: &str = "POST /models/example-flash:streamGenerateContent";
const ANSWER: &str = r#"{"candidates":[{"content":{"parts":[{"text":"Paris."}]},"finishReason":"STOP"}],
    "usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":7,"totalTokenCount":18}}"#;

fn at(provider: &FakeProvider) -> Endpoint {
    Endpoint { provider: "gemini".to_owned(), ..endpoint(provider) }
}

fn flash() -> ChatRequest {
    ChatRequest {
        model: "models/example-flash".to_owned(),
        profile: facts::find("gemini").unwrap().profile(),
        ..request()
    }
}

async fn ask(request: &ChatRequest, reply: Reply) -> (Result<ChatAnswer, ProviderError>, FakeProvider) {
    let provider = FakeProvider::start(Script::new().on(PATH, [reply])).unwrap();
    let outcome = complete(&client(), Adapter::Gemini, &at(&provider), request, Limits::default(), |_| {}).await;
    (outcome, provider)
}

async fn sent(request: &ChatRequest) -> Value {
    let (outcome, provider) = ask(request, Reply::json(200, ANSWER)).await;
    outcome.unwrap();
    provider.calls()[0].json()
}

async fn refused(request: &ChatRequest) -> ProviderError {
    let (outcome, provider) = ask(request, Reply::json(200, ANSWER)).await;
    let error = outcome.unwrap_err();
    assert_eq!(provider.calls().len(), 0, "nothing may be sent");
    assert!(!error.may_have_cost());
    assert_has_no_key(&error);
    error
}

#[tokio::test]
async fn lwa_047_a_list_and_a_completion_are_two_calls_with_the_key_in_its_own_header() {
    let list = r#"{"models":[{"name":"models/example-flash","supportedGenerationMethods":["generateContent"]}]}"#;
    let script = Script::new().on("GET /models", [Reply::json(200, list)]).on(PATH, [Reply::json(200, ANSWER)]);
    let provider = FakeProvider::start(script).unwrap();
    let endpoint = at(&provider);
    let report = probe(&client(), Adapter::Gemini, &endpoint).await;
    assert_eq!((report.auth_ok, report.items), (Some(true), Some(1)));
    let answer = complete(&client(), Adapter::Gemini, &endpoint, &flash(), Limits::default(), |_| {}).await.unwrap();
    assert_eq!(answer.usage, Usage { input: Some(11), output: Some(7), reported: true, ..Usage::default() });
    let calls = provider.calls();
    assert_eq!(calls.len(), 2);
    for call in &calls {
        assert!(!call.target.contains(KEY) && !call.target.contains("key="), "{}", call.target);
        let with_key: Vec<_> = call.headers.iter().filter(|(_, value)| value.contains(KEY)).collect();
        assert_eq!(with_key, [&("x-goog-api-key".to_owned(), KEY.to_owned())]);
        assert_eq!(call.header("authorization"), None);
    }
    assert_eq!(calls[1].target, "/models/example-flash:streamGenerateContent?alt=sse");
}

#[tokio::test]
async fn the_body_is_what_the_plan_says_and_no_more() {
    assert_eq!(
        sent(&flash()).await,
        json!({
            "contents": [{"role": "user", "parts": [{"text": "What is the answer?"}]}],
            "systemInstruction": {"parts": [{"text": "Be brief."}]},
            "generationConfig": {"maxOutputTokens": 64, "temperature": 0.45},
        })
    );
}

#[rstest]
#[case::level(EffortEncoding::GeminiLevel, ReasoningEffort::High, json!({"thinkingLevel": "HIGH"}))]
#[case::no_budget(EffortEncoding::GeminiBudget, ReasoningEffort::Instant, json!({"thinkingBudget": 0}))]
#[case::half(EffortEncoding::GeminiBudget, ReasoningEffort::Medium, json!({"thinkingBudget": 32}))]
#[case::most(EffortEncoding::GeminiBudget, ReasoningEffort::High, json!({"thinkingBudget": 51}))]
#[tokio::test]
async fn an_effort_is_a_level_or_a_share_of_the_output(
    #[case] encoding: EffortEncoding,
    #[case] effort: ReasoningEffort,
    #[case] written: Value,
) {
    let mut request = flash();
    request.reasoning_effort = Some(effort);
    request.profile.effort_encoding = encoding;
    request.profile.accepted_efforts = ReasoningEffort::ALL.to_vec();
    assert_eq!(sent(&request).await["generationConfig"]["thinkingConfig"], written);
}

#[tokio::test]
async fn extra_fields_join_the_body_and_the_generation_config() {
    let mut request = flash();
    request.extra_body = json!({
        "safetySettings": [{"category": "X", "threshold": "BLOCK_NONE"}],
        "generationConfig": {"topK": 4, "temperature": 1},
    })
    .as_object()
    .cloned();
    let body = sent(&request).await;
    assert_eq!(body["safetySettings"][0]["category"], "X");
    assert_eq!(body["generationConfig"], json!({"maxOutputTokens": 64, "temperature": 1, "topK": 4}));
}

#[rstest]
#[case(json!({"contents": []}), "contents")]
#[case(json!({"tools": [{"googleSearch": {}}]}), "tools")]
#[case(json!({"cachedContent": "cachedContents/x"}), "cachedContent")]
#[case(json!({"generationConfig": {"maxOutputTokens": 100_000}}), "maxOutputTokens")]
#[case(json!({"generationConfig": {"candidateCount": 8}}), "candidateCount")]
#[case(json!({"generationConfig": 1}), "generationConfig")]
#[tokio::test]
async fn extra_fields_cannot_change_text_or_ceiling(#[case] extra: Value, #[case] field: &str) {
    let request = ChatRequest { extra_body: extra.as_object().cloned(), ..flash() };
    let error = refused(&request).await;
    assert!(error.to_string().contains(field), "{error}");
}

#[rstest]
#[case("../files")]
#[case("example:streamGenerateContent?key=1&x=")]
#[case("")]
#[case("..")]
#[tokio::test]
async fn a_model_cannot_change_the_path(#[case] model: &str) {
    let request = ChatRequest { model: model.to_owned(), ..flash() };
    assert_eq!(refused(&request).await.code(), ErrorCode::ProviderRejected);
}

/// The figures of a public report, whose bill was four times too high: 5005 fresh and 257955 cached tokens.
#[tokio::test]
async fn rr_01_cache_hits_are_charged_once() {
    let body = r#"{"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":"STOP"}],"usageMetadata":
        {"promptTokenCount":262960,"cachedContentTokenCount":257955,"candidatesTokenCount":1744,"totalTokenCount":264704}}"#;
    let counts = ask(&flash(), Reply::json(200, body)).await.0.unwrap().usage.counts().unwrap();
    let mut price = Price::flat(PicoUsd::new(1_250_000), PicoUsd::new(10_000_000), "test", "2026-11-29");
    price.cached_input_pico_usd = Some(PicoUsd::new(625_000));
    // 0.1849 dollars, as the report rounds it.
    assert_eq!(price.cost_of(&counts), PicoUsd::new(184_918_125_000));
}

#[tokio::test]
async fn rr_06_thoughts_are_output_and_are_paid() {
    let body = r#"{"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":"STOP"}],"usageMetadata":
        {"promptTokenCount":100,"candidatesTokenCount":20,"thoughtsTokenCount":380,"totalTokenCount":500}}"#;
    let usage = ask(&flash(), Reply::json(200, body)).await.0.unwrap().usage;
    assert_eq!(usage.input.unwrap() + usage.output.unwrap(), 500);
    let price = Price::flat(PicoUsd::new(1), PicoUsd::new(1000), "test", "2026-11-29");
    assert_eq!(price.cost_of(&usage.counts().unwrap()), PicoUsd::new(100 + 400_000));
}

#[tokio::test]
async fn a_list_of_events_in_one_document_is_one_answer() {
    let body = r#"[{"candidates":[{"content":{"parts":[{"text":"One "}]}}],"usageMetadata":{"promptTokenCount":3}},
        {"candidates":[{"content":{"parts":[{"text":"two."}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2}}]"#;
    let answer = ask(&flash(), Reply::json(200, body)).await.0.unwrap();
    assert_eq!((answer.text.as_str(), answer.usage.output), ("One two.", Some(2)));
}
