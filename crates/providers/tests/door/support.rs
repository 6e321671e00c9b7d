//! What the tests share: a client, an endpoint at the fake, and one call.

use std::time::Duration;

use lwa_providers::{
    ChatAnswer, ChatRequest, Endpoint, Limits, ModelProfile, ProviderError, ProxySettings, chat_within,
    http_client_with,
};
use lwa_secrets::Secret;
use lwa_testkit::{FakeProvider, Reply, Script};

/// A key that is visibly fake, and that no pattern recognises: only knowing it can remove it.
pub const KEY: &str = "visibly-fake-key-0123456789abcdef";
/// What every chat request is counted as.
pub const CHAT: &str = "POST /chat/completions";

pub fn client() -> reqwest::Client {
    http_client_with(&ProxySettings::default()).unwrap()
}

pub fn endpoint(provider: &FakeProvider) -> Endpoint {
    Endpoint {
        key: Some(Secret::new(KEY.to_owned())),
        timeout: Duration::from_secs(20),
        ..Endpoint::new("example", provider.base_url())
    }
}

pub fn request() -> ChatRequest {
    ChatRequest {
        model: "example-small".to_owned(),
        system: Some("Be brief.".to_owned()),
        prompt: "What is the answer?".to_owned(),
        max_output_tokens: 64,
        temperature: Some(0.45),
        reasoning_effort: None,
        response_format: None,
        extra_body: None,
        profile: ModelProfile::default(),
    }
}

pub fn serve(reply: Reply) -> FakeProvider {
    FakeProvider::start(Script::new().on(CHAT, [reply])).unwrap()
}

/// One call: the outcome, and the pieces of text in their order.
pub async fn call_with(
    endpoint: &Endpoint,
    request: &ChatRequest,
    limits: Limits,
) -> (Result<ChatAnswer, ProviderError>, Vec<String>) {
    let mut pieces = Vec::new();
    let outcome = chat_within(&client(), endpoint, request, limits, |text| pieces.push(text.to_owned())).await;
    (outcome, pieces)
}

pub async fn call(provider: &FakeProvider) -> (Result<ChatAnswer, ProviderError>, Vec<String>) {
    call_with(&endpoint(provider), &request(), Limits::default()).await
}

/// Plays `reply`, expects a failure, and checks what holds for every failure: one request, no key anywhere.
pub async fn failure(reply: Reply) -> ProviderError {
    failure_at("example", reply).await
}

/// [`failure`] at a provider of this name, whose facts count.
pub async fn failure_at(name: &str, reply: Reply) -> ProviderError {
    let provider = serve(reply);
    let endpoint = Endpoint { provider: name.to_owned(), ..endpoint(&provider) };
    let (outcome, _) = call_with(&endpoint, &request(), Limits::default()).await;
    let error = outcome.expect_err("the reply is no answer");
    assert_eq!(provider.count("POST"), 1, "a failed call must not be repeated");
    assert_eq!(provider.calls().len(), 1);
    assert_has_no_key(&error);
    error
}

pub fn assert_has_no_key(error: &ProviderError) {
    for text in [error.to_string(), format!("{error:?}")] {
        assert!(!text.contains(KEY), "{text}");
        assert!(!text.contains("visibly-fake"), "{text}");
    }
    assert!(error.failure().detail.chars().count() <= 300);
}

pub fn shape(name: &str) -> Vec<u8> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shapes").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
