//! What goes wrong when a job is started, for every way of asking.

use std::time::Duration;

use lwa_domain::ErrorCode;
use lwa_providers::media::{MediaCall, MediaKind, MediaRequest, submit};
use lwa_providers::{LimitKind, ProviderError, QuotaKind, Rejection};
use lwa_testkit::Reply;
use rstest::rstest;

use crate::media_support::{hasty, named, send, serve};
use crate::support::{assert_has_no_key, client};

/// A provider, what it is asked for, by which model, and where.
const WAYS: [(&str, MediaKind, &str, &str); 10] = [
    ("openai", MediaKind::Image, "gpt-image-1", "POST /images/generations"),
    ("openai", MediaKind::Video, "sora-2", "POST /videos"),
    ("openrouter", MediaKind::Video, "google/veo-3.1", "POST /videos"),
    ("zenmux", MediaKind::Video, "bytedance/doubao-seedance-2.0", "POST /videos"),
    ("zai", MediaKind::Video, "cogvideox-3", "POST /videos/generations"),
    ("siliconflow", MediaKind::Video, "Wan-AI/Wan2.2-T2V-A14B", "POST /video/submit"),
    ("venice", MediaKind::Video, "wan-2.5-preview-text-to-video", "POST /video/queue"),
    ("stability", MediaKind::Image, "stable-image-core", "POST /v2beta/stable-image/generate/core"),
    ("replicate", MediaKind::Text, "meta/llama", "POST /models/meta/llama/predictions"),
    ("blackbox", MediaKind::Image, "blackboxai/flux", "POST /chat/completions"),
];

/// Starts a job at every provider, each of which plays `reply`; checks what holds for every failure.
async fn failures(reply: Reply) -> Vec<(&'static str, ProviderError)> {
    let mut failures = Vec::new();
    for (name, kind, model, line) in WAYS {
        let provider = serve(&[(line, vec![reply.clone()])]);
        let request = MediaRequest::new(name, kind, model, "a fox in the snow");
        let error = send(&named(&provider, name), &request).await.expect_err(name);
        assert_eq!(provider.calls().len(), 1, "{name}: a failed request must not be repeated");
        assert_has_no_key(&error);
        assert!(!error.to_string().contains("fox"), "{name}: {error}");
        failures.push((name, error));
    }
    failures
}

#[tokio::test]
async fn a_rejected_key_is_told_as_such_and_not_repeated_in_the_message() {
    let body = r#"{"error":{"message":"Incorrect API key provided: visibly-fake-key-0123456789abcdef"}}"#;
    for (name, error) in failures(Reply::json(401, body)).await {
        assert_eq!(error.code(), ErrorCode::ProviderUnauthorized, "{name}: {error}");
        assert!(!error.may_have_cost(), "{name}");
    }
}

#[tokio::test]
async fn a_short_limit_says_how_long_to_wait() {
    let reply = Reply::json(429, r#"{"error":{"message":"Too many requests."}}"#).header("retry-after", "7");
    for (name, error) in failures(reply).await {
        assert!(matches!(error, ProviderError::RateLimited { limit: LimitKind::Window, .. }), "{name}: {error:?}");
        assert_eq!(error.retry_after(), Some(Duration::from_secs(7)), "{name}");
        assert!(!error.may_have_cost(), "{name}");
    }
}

#[rstest]
#[case::code(429, r#"{"error":{"code":"insufficient_quota","message":"Check your plan."}}"#)]
#[case::status(402, r#"{"error":"Insufficient balance"}"#)]
#[case::detail(402, r#"{"title":"Insufficient credit","detail":"You have insufficient credit.","status":402}"#)]
#[tokio::test]
async fn an_empty_balance_is_no_matter_of_waiting(#[case] status: u16, #[case] body: &str) {
    for (name, error) in failures(Reply::json(status, body)).await {
        let is_balance = matches!(error, ProviderError::QuotaExhausted { quota: QuotaKind::Balance, .. });
        assert!(is_balance, "{name}: {error:?}");
        assert!(!error.may_have_cost(), "{name}");
    }
}

#[tokio::test]
async fn a_model_that_is_gone_is_told_as_such() {
    let body = r#"{"error":{"code":"model_not_found","message":"The model does not exist."}}"#;
    for (name, error) in failures(Reply::json(404, body)).await {
        let is_gone = matches!(error, ProviderError::Rejected { reason: Rejection::UnknownModel, .. });
        assert!(is_gone, "{name}: {error:?}");
        assert!(!error.may_have_cost(), "{name}");
    }
}

#[rstest]
#[case::cut("{\"id\":\"job")]
#[case::empty("")]
#[case::page("<html>maintenance</html>")]
#[case::list("[]")]
#[case::nothing("{}")]
#[tokio::test]
async fn a_success_that_cannot_be_read_may_be_billed(#[case] body: &str) {
    for (name, error) in failures(Reply::json(200, body)).await {
        assert!(matches!(error, ProviderError::Failed { .. }), "{name}: {error:?}");
        assert!(error.may_have_cost(), "{name}");
    }
}

#[tokio::test]
async fn a_failure_of_the_provider_may_be_billed() {
    for (name, error) in failures(Reply::json(500, r#"{"error":{"message":"oops"}}"#)).await {
        assert!(matches!(error, ProviderError::Failed { .. }) && error.may_have_cost(), "{name}: {error:?}");
    }
}

#[tokio::test]
async fn the_key_follows_no_redirect() {
    let elsewhere = serve(&[]);
    for (name, error) in failures(Reply::redirect(307, &elsewhere.base_url())).await {
        let is_redirect = matches!(error, ProviderError::Rejected { reason: Rejection::Redirect, .. });
        assert!(is_redirect, "{name}: {error:?}");
    }
    assert_eq!(elsewhere.connections(), 0);
}

#[tokio::test]
async fn an_answer_that_does_not_come_in_time_may_be_billed() {
    for (name, kind, model, line) in WAYS {
        let provider = serve(&[(line, vec![Reply::silence()])]);
        let mut endpoint = named(&provider, name);
        endpoint.timeout = Duration::from_millis(100);
        let client = client();
        let call = MediaCall { limits: hasty(), ..MediaCall::new(&client, &endpoint) };
        let error = submit(&call, &MediaRequest::new(name, kind, model, "a fox")).await.unwrap_err();
        assert!(matches!(error, ProviderError::TimedOut { .. }), "{name}: {error:?}");
        assert!(error.may_have_cost(), "{name}");
    }
}
