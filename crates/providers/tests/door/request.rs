//! What is sent.

use lwa_domain::{ErrorCode, ReasoningEffort};
use lwa_providers::{
    ChatRequest, EffortEncoding, Endpoint, Limits, MaxTokensField, ModelProfile, ProviderError, Rejection,
};
use lwa_testkit::{FakeProvider, Reply, Script};
use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{KEY, assert_has_no_key, call, call_with, endpoint, request, serve, shape};

async fn sent(request: &ChatRequest) -> Value {
    let provider = serve(Reply::json(200, shape("chat.json")));
    call_with(&endpoint(&provider), request, Limits::default()).await.0.unwrap();
    provider.calls()[0].json()
}

/// Expects a refusal for which nothing was sent.
async fn refused(endpoint_change: impl FnOnce(&mut Endpoint), request: &ChatRequest) -> ProviderError {
    let provider = serve(Reply::json(200, shape("chat.json")));
    let mut endpoint = endpoint(&provider);
    endpoint_change(&mut endpoint);
    let error = call_with(&endpoint, request, Limits::default()).await.0.unwrap_err();
    assert_eq!(provider.calls().len(), 0, "nothing may be sent");
    assert!(!error.may_have_cost());
    assert_has_no_key(&error);
    error
}

#[tokio::test]
async fn the_body_is_what_the_plan_says_and_no_more() {
    let body = sent(&request()).await;
    assert_eq!(
        body,
        json!({
            "model": "example-small",
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "What is the answer?"}],
            "max_tokens": 64,
            "temperature": 0.45,
            "stream": true,
            "stream_options": {"include_usage": true},
        })
    );
}

#[tokio::test]
async fn a_12_a_model_that_rejects_temperature_gets_none() {
    let mut request = request();
    request.profile.sends_temperature = false;
    request.profile.sends_stream_options = false;
    request.profile.max_tokens_field = MaxTokensField::MaxCompletionTokens;
    request.system = None;
    let body = sent(&request).await;
    assert_eq!(
        body,
        json!({
            "model": "example-small",
            "messages": [{"role": "user", "content": "What is the answer?"}],
            "max_completion_tokens": 64,
            "stream": true,
        })
    );
}

#[rstest]
#[case(ReasoningEffort::Instant, "none")]
#[case(ReasoningEffort::Medium, "medium")]
#[case(ReasoningEffort::High, "high")]
#[tokio::test]
async fn lwa_034_efforts_are_written_as_levels(#[case] effort: ReasoningEffort, #[case] written: &str) {
    let mut request = request();
    request.reasoning_effort = Some(effort);
    request.profile.accepted_efforts = ReasoningEffort::ALL.to_vec();
    assert_eq!(sent(&request).await["reasoning_effort"], written);
}

#[rstest]
#[case(EffortEncoding::ReasoningObject, ReasoningEffort::Medium, "reasoning", json!({"effort": "medium"}))]
#[case(EffortEncoding::ThinkingToggle, ReasoningEffort::Instant, "thinking", json!({"type": "disabled"}))]
#[case(EffortEncoding::ThinkingToggle, ReasoningEffort::High, "thinking", json!({"type": "enabled"}))]
#[case(EffortEncoding::EnableThinking, ReasoningEffort::Instant, "enable_thinking", json!(false))]
#[tokio::test]
async fn efforts_are_written_as_the_provider_wants_them(
    #[case] effort_encoding: EffortEncoding,
    #[case] effort: ReasoningEffort,
    #[case] field: &str,
    #[case] value: Value,
) {
    let mut request = request();
    request.reasoning_effort = Some(effort);
    request.profile =
        ModelProfile { effort_encoding, accepted_efforts: ReasoningEffort::ALL.to_vec(), ..request.profile };
    let body = sent(&request).await;
    assert_eq!(body[field], value);
    assert!(field == "reasoning_effort" || body.get("reasoning_effort").is_none());
}

#[rstest]
#[case::none_listed(vec![], EffortEncoding::Level, ReasoningEffort::High, "accepts none")]
#[case::other_listed(vec![ReasoningEffort::Instant, ReasoningEffort::High], EffortEncoding::Level, ReasoningEffort::Medium, "instant, high")]
#[case::not_sayable(ReasoningEffort::ALL.to_vec(), EffortEncoding::ThinkingToggle, ReasoningEffort::Medium, "instant, high")]
#[tokio::test]
async fn lwa_035_an_effort_that_is_not_advertised_is_refused_before_sending(
    #[case] accepted_efforts: Vec<ReasoningEffort>,
    #[case] effort_encoding: EffortEncoding,
    #[case] effort: ReasoningEffort,
    #[case] hint: &str,
) {
    let mut request = request();
    request.reasoning_effort = Some(effort);
    request.profile = ModelProfile { accepted_efforts, effort_encoding, ..request.profile };
    let error = refused(|_| {}, &request).await;
    assert_eq!(error.code(), ErrorCode::ProviderRejected);
    assert!(error.to_string().contains("does not advertise") && error.to_string().contains(hint), "{error}");
}

#[tokio::test]
async fn lwa_041_a_response_format_that_is_not_advertised_is_refused_before_sending() {
    let mut request = request();
    request.extra_body = json!({"response_format": {"type": "json_object"}}).as_object().cloned();
    request.profile.supported_parameters = Some(["tools".to_owned()].into());
    let error = refused(|_| {}, &request).await;
    assert!(error.to_string().contains("response_format"), "{error}");
    for advertised in ["response_format", "structured_outputs"] {
        request.profile.supported_parameters = Some([advertised.to_owned()].into());
        assert_eq!(sent(&request).await["response_format"], json!({"type": "json_object"}));
    }
}

#[tokio::test]
async fn extra_fields_are_merged_over_the_body() {
    let mut request = request();
    request.extra_body = json!({"top_p": 0.9, "temperature": 0}).as_object().cloned();
    let body = sent(&request).await;
    assert_eq!((&body["top_p"], &body["temperature"]), (&json!(0.9), &json!(0)));
}

#[rstest]
#[case("model", json!("example-huge"))]
#[case("models", json!(["example-huge"]))]
#[case("route", json!("fallback"))]
#[case("messages", json!([]))]
#[case("stream", json!(false))]
#[case("n", json!(4))]
#[case("max_tokens", json!(100_000))]
#[case("max_completion_tokens", json!(100_000))]
#[tokio::test]
async fn extra_fields_cannot_change_route_text_or_ceiling(#[case] field: &str, #[case] value: Value) {
    let mut request = request();
    request.extra_body = Some([(field.to_owned(), value)].into_iter().collect());
    let error = refused(|_| {}, &request).await;
    assert!(matches!(error, ProviderError::Rejected { reason: Rejection::Unsupported, .. }));
    assert!(error.to_string().contains(field), "{error}");
}

#[tokio::test]
async fn lwa_036_the_key_travels_in_one_header_and_nowhere_else() {
    let provider = serve(Reply::json(200, shape("chat.json")));
    call(&provider).await.0.unwrap();
    let call = &provider.calls()[0];
    assert_eq!(call.target, "/chat/completions");
    let with_key: Vec<_> = call.headers.iter().filter(|(_, value)| value.contains(KEY)).collect();
    assert_eq!(with_key, [&("authorization".to_owned(), format!("Bearer {KEY}"))]);
    assert!(!String::from_utf8_lossy(&call.body).contains(KEY));
}

#[tokio::test]
async fn configured_headers_are_sent_as_they_are_and_win() {
    let provider = serve(Reply::json(200, shape("chat.json")));
    let mut endpoint = endpoint(&provider);
    endpoint.headers = [
        ("HTTP-Referer", "https://example.invalid/a?b=c"),
        ("X-Title", "Ünïcode; \"quoted\""),
        ("X-Twice", "1"),
        ("X-Twice", "2"),
        ("User-Agent", "mine/1"),
        ("Authorization", "Custom abc"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .to_vec();
    call_with(&endpoint, &request(), Limits::default()).await.0.unwrap();
    let call = &provider.calls()[0];
    let values = |name: &str| -> Vec<&str> {
        call.headers.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str()).collect()
    };
    assert_eq!(values("http-referer"), ["https://example.invalid/a?b=c"]);
    assert_eq!(values("x-title"), ["Ünïcode; \"quoted\""]);
    assert_eq!(values("x-twice"), ["1", "2"]);
    assert_eq!(values("user-agent"), ["mine/1"]);
    assert_eq!(values("authorization"), ["Custom abc"]);
}

#[rstest]
#[case::no_account("https://host.invalid/accounts/{account_id}/v1", "account id")]
#[case::no_scheme("host.invalid/v1", "complete address")]
#[case::other_scheme("ftp://host.invalid/v1", "https://")]
#[case::password("https://user:pass@host.invalid/v1", "password")]
#[case::empty("", "complete address")]
#[tokio::test]
async fn a_08_an_address_that_cannot_be_used_is_refused_before_sending(#[case] base_url: &str, #[case] hint: &str) {
    let error = refused(|endpoint| base_url.clone_into(&mut endpoint.base_url), &request()).await;
    assert_eq!(error.code(), ErrorCode::ConfigInvalid);
    assert!(error.to_string().contains(hint), "{error}");
}

#[rstest]
#[case("http://192.0.2.1:1/v1")]
#[case("http://127.0.0.1.example.invalid/v1")]
#[case("http://localhost.example.invalid/v1")]
#[case("http://[2001:db8::1]/v1")]
#[tokio::test]
async fn an_endpoint_declared_local_never_leaves_this_machine(#[case] base_url: &str) {
    let error = refused(
        |endpoint| {
            endpoint.is_local = true;
            base_url.clone_into(&mut endpoint.base_url);
        },
        &request(),
    )
    .await;
    assert!(error.to_string().contains("not on this machine"), "{error}");
}

#[tokio::test]
async fn a_local_endpoint_on_loopback_is_called() {
    let provider = serve(Reply::json(200, shape("chat.json")));
    let mut endpoint = endpoint(&provider);
    endpoint.is_local = true;
    endpoint.key = None;
    call_with(&endpoint, &request(), Limits::default()).await.0.unwrap();
    assert_eq!(provider.calls()[0].header("authorization"), None);
}

#[tokio::test]
async fn the_account_id_is_put_into_the_address_and_cannot_change_the_path() {
    let script =
        Script::new().on("POST /accounts/abc123/ai/v1/chat/completions", [Reply::json(200, shape("chat.json"))]);
    let provider = FakeProvider::start(script).unwrap();
    let mut endpoint = endpoint(&provider);
    endpoint.base_url = format!("{}/accounts/{{account_id}}/ai/v1/", provider.base_url());
    endpoint.account_id = Some("abc123".to_owned());
    call_with(&endpoint, &request(), Limits::default()).await.0.unwrap();
    endpoint.account_id = Some("../../elsewhere".to_owned());
    let error = call_with(&endpoint, &request(), Limits::default()).await.0.unwrap_err();
    assert_eq!(error.code(), ErrorCode::ConfigInvalid);
    assert_eq!(provider.calls().len(), 1);
}

#[tokio::test]
async fn a_key_or_header_that_no_header_can_carry_is_refused_without_being_shown() {
    let error =
        refused(|endpoint| endpoint.key = Some(lwa_secrets::Secret::new(format!("{KEY}\nX-Injected: 1"))), &request())
            .await;
    assert!(error.to_string().contains("enter it again"), "{error}");
    let error =
        refused(|endpoint| endpoint.headers = vec![("X-A".to_owned(), format!("{KEY}\r\nX-B: 1"))], &request()).await;
    assert!(error.to_string().contains("X-A"), "{error}");
    let error = refused(|endpoint| endpoint.headers = vec![("Host".to_owned(), "other".to_owned())], &request()).await;
    assert!(error.to_string().contains("Host"), "{error}");
}
