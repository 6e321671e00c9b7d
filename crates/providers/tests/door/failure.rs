//! Failures and what they mean. Each is one request.

use std::time::Duration;

use lwa_domain::ErrorCode;
use lwa_providers::{LimitKind, ProviderError, QuotaKind, Rejection};
use lwa_testkit::{FakeProvider, Reply, Script};
use rstest::rstest;

use crate::support::{CHAT, KEY, assert_has_no_key, call, failure, failure_at, serve, shape};

#[rstest]
#[case::plain(format!(r#"{{"error":{{"message":"Incorrect API key provided: {KEY}","type":"invalid_request_error","code":"invalid_api_key"}}}}"#))]
#[case::quoted_json(format!(r#"{{"error":{{"message":"bad request {{\"api_key\":\"{KEY}\"}} seen"}}}}"#))]
#[case::bearer(format!(r#"{{"detail":"Authorization: Bearer {KEY} is not valid"}}"#))]
#[case::html(format!("<html><body><h1>401</h1><p>key {KEY}</p></body></html>"))]
#[case::whole_body_is_the_key(KEY.to_owned())]
#[tokio::test]
async fn lwa_038_a_401_that_repeats_the_key_is_redacted(#[case] body: String) {
    let error = failure(Reply::json(401, body).header("x-ratelimit-echo", KEY)).await;
    assert_eq!(error.code(), ErrorCode::ProviderUnauthorized);
    assert_eq!(error.failure().status, Some(401));
    let text = error.to_string();
    assert!(text.contains("example") && text.contains("lwa keys set example") && text.contains("[redacted]"), "{text}");
}

#[tokio::test]
async fn a_33_a_json_error_body_with_a_quoted_key_of_somebody_else_is_redacted() {
    let body = r#"{"error":{"message":"got {\"api_key\":\"other-fake-value-123\", \"x-api-key\": \"third-fake\"}"}}"#;
    let text = failure(Reply::json(400, body)).await.to_string();
    assert!(!text.contains("other-fake-value-123") && !text.contains("third-fake"), "{text}");
}

#[derive(Debug, PartialEq)]
enum Meaning {
    Limit(LimitKind),
    Quota(QuotaKind),
}

#[rstest]
#[case::window(
    "example",
    429,
    r#"{"error":{"message":"Rate limit reached for requests per minute","type":"rate_limit_error"}}"#,
    Meaning::Limit(LimitKind::Window)
)]
#[case::bare("example", 429, "", Meaning::Limit(LimitKind::Window))]
#[case::quota_a_minute("gemini", 429, r#"{"error":{"code":429,"message":"Quota exceeded for quota metric 'requests per minute'","status":"RESOURCE_EXHAUSTED"}}"#, Meaning::Limit(LimitKind::Window))]
#[case::zai_rate("zai", 429, r#"{"error":{"code":"1302","message":"rate limit"}}"#, Meaning::Limit(LimitKind::Window))]
#[case::concurrency(
    "example",
    429,
    r#"{"error":{"message":"Too many concurrent requests"}}"#,
    Meaning::Limit(LimitKind::Concurrency)
)]
#[case::in_flight(
    "example",
    429,
    r#"{"error":{"message":"too many in-flight requests for this key"}}"#,
    Meaning::Limit(LimitKind::Concurrency)
)]
#[case::cloudflare_capacity(
    "cloudflare",
    429,
    r#"{"success":false,"errors":[{"code":3040,"message":"Capacity temporarily exceeded"}],"result":null}"#,
    Meaning::Limit(LimitKind::Capacity)
)]
#[case::zai_overloaded(
    "zai",
    429,
    r#"{"error":{"code":"1305","message":"busy"}}"#,
    Meaning::Limit(LimitKind::Capacity)
)]
#[case::overloaded_503(
    "example",
    503,
    r#"{"error":{"type":"overloaded_error","message":"Overloaded"}}"#,
    Meaning::Limit(LimitKind::Capacity)
)]
#[case::openai_balance("openai", 429, r#"{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}"#, Meaning::Quota(QuotaKind::Balance))]
#[case::zai_balance(
    "zai",
    429,
    r#"{"error":{"code":"1113","message":"please recharge"}}"#,
    Meaning::Quota(QuotaKind::Balance)
)]
#[case::cloudflare_day(
    "cloudflare",
    429,
    r#"{"success":false,"errors":[{"code":3036,"message":"neurons used"}]}"#,
    Meaning::Quota(QuotaKind::Allotment)
)]
#[case::openrouter_day(
    "openrouter",
    429,
    r#"{"error":{"code":429,"message":"Rate limit exceeded: free-models-per-day"}}"#,
    Meaning::Quota(QuotaKind::Allotment)
)]
#[case::groq_day(
    "groq",
    429,
    r#"{"error":{"message":"Rate limit reached on tokens per day (TPD): Limit 100000","code":"rate_limit_exceeded"}}"#,
    Meaning::Quota(QuotaKind::Allotment)
)]
#[case::payment_required(
    "openrouter",
    402,
    r#"{"error":{"message":"Insufficient credits","code":402}}"#,
    Meaning::Quota(QuotaKind::Balance)
)]
#[case::venice_402(
    "venice",
    402,
    r#"{"error":"API key spending cap reached for the day, daily limit"}"#,
    Meaning::Quota(QuotaKind::Allotment)
)]
#[tokio::test]
async fn the_body_decides_which_of_its_meanings_a_429_has(
    #[case] provider: &str,
    #[case] status: u16,
    #[case] body: &str,
    #[case] meaning: Meaning,
) {
    let error = failure_at(provider, Reply::json(status, body)).await;
    let found = match error {
        ProviderError::RateLimited { limit, .. } => Meaning::Limit(limit),
        ProviderError::QuotaExhausted { quota, .. } => Meaning::Quota(quota),
        other => panic!("{other:?}"),
    };
    assert_eq!(found, meaning);
}

#[tokio::test]
async fn rr_15_the_waiting_time_is_passed_on() {
    let reply = Reply::json(429, r#"{"error":{"message":"slow down"}}"#)
        .header("Retry-After", "42")
        .header("X-RateLimit-Reset", "1790000000");
    let error = failure(reply).await;
    assert_eq!(error.retry_after(), Some(Duration::from_secs(42)));
    assert!(error.to_string().contains("in 42 s"), "{error}");
    assert_eq!(error.failure().quota.len(), 2);
    let error = failure(Reply::json(429, r#"{"error":{"message":"Please try again in 6.034s."}}"#)).await;
    assert_eq!(error.retry_after(), Some(Duration::from_millis(6034)));
}

#[tokio::test]
async fn a_day_header_at_zero_makes_it_an_allotment() {
    let error = failure(Reply::json(429, "{}").header("x-ratelimit-remaining-requests-day", "0")).await;
    assert!(matches!(error, ProviderError::QuotaExhausted { quota: QuotaKind::Allotment, .. }), "{error:?}");
}

#[rstest]
#[case::code(400, r#"{"error":{"code":"content_policy_violation","message":"no"}}"#)]
#[case::metadata(
    403,
    r#"{"error":{"code":403,"message":"Your input was flagged","metadata":{"reasons":["violence"]}}}"#
)]
#[case::filter(400, r#"{"error":{"innererror":{},"code":"content_filter","message":"filtered"}}"#)]
#[tokio::test]
async fn a_refusal_of_the_content_is_told_apart(#[case] status: u16, #[case] body: &str) {
    let error = failure(Reply::json(status, body)).await;
    assert_eq!(error.code(), ErrorCode::ProviderRefused);
}

#[rstest]
#[case::openai(
    "openai",
    404,
    r#"{"error":{"code":"model_not_found","message":"The model `x` does not exist"}}"#,
    Rejection::UnknownModel
)]
#[case::siliconflow(
    "siliconflow",
    400,
    r#"{"code":20012,"message":"Model does not exist","data":null}"#,
    Rejection::UnknownModel
)]
#[case::zai("zai", 400, r#"{"error":{"code":"1211","message":"unknown"}}"#, Rejection::UnknownModel)]
#[case::groq_gone(
    "groq",
    400,
    r#"{"error":{"code":"model_decommissioned","message":"has been decommissioned"}}"#,
    Rejection::UnknownModel
)]
#[case::openrouter(
    "openrouter",
    404,
    r#"{"error":{"code":404,"message":"No endpoints found for example/x."}}"#,
    Rejection::UnknownModel
)]
#[case::licence(
    "cloudflare",
    403,
    r#"{"success":false,"errors":[{"code":5016,"message":"agree to the licence first"}]}"#,
    Rejection::ModelNotAllowed
)]
#[case::long(
    "example",
    400,
    r#"{"error":{"code":"context_length_exceeded","message":"maximum context length is 8192"}}"#,
    Rejection::TooLarge
)]
#[case::payload("example", 413, "", Rejection::TooLarge)]
#[case::validation(
    "mistral",
    422,
    r#"{"detail":[{"loc":["body","store"],"msg":"Extra inputs are not permitted","type":"extra_forbidden"}]}"#,
    Rejection::BadRequest
)]
#[case::venice(
    "venice",
    400,
    r#"{"error":"Invalid request","details":{"reasoning_effort":{"_errors":["unsupported"]}}}"#,
    Rejection::BadRequest
)]
#[tokio::test]
async fn rejections_say_why(
    #[case] provider: &str,
    #[case] status: u16,
    #[case] body: &str,
    #[case] expected: Rejection,
) {
    let error = failure_at(provider, Reply::json(status, body)).await;
    assert_eq!(error.code(), ErrorCode::ProviderRejected);
    assert!(!error.may_have_cost());
    match error {
        ProviderError::Rejected { reason, .. } => assert_eq!(reason, expected),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn rr_19_the_text_of_the_provider_reaches_the_user_on_one_line_and_cut() {
    let body = format!(r#"{{"detail":[{{"msg":"Extra inputs are not permitted\nline two {}"}}]}}"#, "x ".repeat(1000));
    let error = failure(Reply::json(422, body)).await;
    let detail = &error.failure().detail;
    assert!(detail.starts_with("Extra inputs are not permitted line two"), "{detail}");
    assert!(detail.ends_with('…') && detail.chars().count() == 300, "{}", detail.chars().count());
}

#[rstest]
#[case(500)]
#[case(502)]
#[case(520)]
#[tokio::test]
async fn a_provider_that_breaks_has_failed(#[case] status: u16) {
    let error = failure(Reply::document(status, "text/html", "<html><head><title>Oops</title></head></html>")).await;
    assert_eq!(error.code(), ErrorCode::ProviderFailed);
    assert!(error.to_string().contains("Oops") && !error.to_string().contains('<'), "{error}");
    assert!(error.may_have_cost());
}

#[rstest]
#[case(408)]
#[case(504)]
#[case(524)]
#[tokio::test]
async fn an_edge_that_gave_up_waiting_is_a_time_out_that_may_cost(#[case] status: u16) {
    let error = failure(Reply::json(status, r#"{"success":false,"errors":[{"code":3007,"message":"timeout"}]}"#)).await;
    assert_eq!(error.code(), ErrorCode::ProviderTimedOut);
    assert!(error.may_have_cost());
}

#[rstest]
#[case(301)]
#[case(302)]
#[case(307)]
#[case(308)]
#[tokio::test]
async fn a_redirect_is_reported_and_the_key_does_not_follow(#[case] status: u16) {
    let elsewhere = FakeProvider::start(Script::new()).unwrap();
    let target = format!("{}/chat/completions?key={KEY}", elsewhere.base_url());
    let error = failure(Reply::redirect(status, &target)).await;
    assert!(matches!(error, ProviderError::Rejected { reason: Rejection::Redirect, .. }), "{error:?}");
    assert!(error.to_string().contains("127.0.0.1"), "{error}");
    assert_eq!(elsewhere.connections(), 0);
}

#[rstest]
#[case::json("chat_empty_choices.json", "no choices")]
#[case::tool_call("chat_tool_call.json", "tool call")]
#[case::all_reasoning("chat_all_reasoning.json", "allow more output tokens")]
#[case::error_in_200("error_in_200.json", "no such deployment")]
#[tokio::test]
async fn a_200_without_an_answer_is_a_failure(#[case] name: &str, #[case] hint: &str) {
    let error = failure(Reply::json(200, shape(name))).await;
    assert_eq!(error.code(), ErrorCode::ProviderFailed);
    assert!(error.to_string().contains(hint), "{error}");
    assert!(error.may_have_cost(), "an empty answer may be billed");
}

#[tokio::test]
async fn a_refusal_inside_an_answer_is_a_refusal() {
    let error = failure(Reply::json(200, shape("chat_refusal.json"))).await;
    assert_eq!(error.code(), ErrorCode::ProviderRefused);
    assert_eq!(error.failure().usage.output, Some(6));
    let error = failure(Reply::events(shape("stream_filtered.sse"))).await;
    assert_eq!(error.code(), ErrorCode::ProviderRefused);
    assert_eq!(error.failure().received_chars, 9);
}

#[rstest]
#[case::balance(r#"{"error":{"code":402,"message":"Insufficient credits"}}"#, ErrorCode::ProviderQuotaExhausted)]
#[case::auth(r#"{"error":{"code":401,"message":"No auth credentials found"}}"#, ErrorCode::ProviderUnauthorized)]
#[case::limit(r#"{"error":{"code":429,"message":"slow down"}}"#, ErrorCode::ProviderRateLimited)]
#[case::moderation(r#"{"error":{"code":403,"message":"flagged"}}"#, ErrorCode::ProviderRefused)]
#[case::text(r#"{"error":"model is loading"}"#, ErrorCode::ProviderFailed)]
#[case::terminal_event(
    r#"{"type":"response.failed","response":{"error":{"code":"server_error","message":"gave up"}}}"#,
    ErrorCode::ProviderFailed
)]
#[tokio::test]
async fn an_error_inside_a_200_is_classified_by_its_code(#[case] body: &str, #[case] code: ErrorCode) {
    assert_eq!(failure(Reply::json(200, body)).await.code(), code);
    assert_eq!(failure(Reply::events(format!("data: {body}\n\n"))).await.code(), code);
}

#[tokio::test]
async fn rr_29_an_error_in_mid_stream_keeps_what_is_known_for_the_ledger() {
    let provider = serve(Reply::events(shape("stream_error.sse")));
    let (outcome, pieces) = call(&provider).await;
    let error = outcome.unwrap_err();
    assert_eq!(error.code(), ErrorCode::ProviderFailed);
    assert_eq!(pieces, ["It began"]);
    assert_eq!(error.failure().received_chars, 8);
    assert_eq!((error.failure().usage.input, error.failure().usage.output), (Some(5), Some(2)));
    assert!(error.to_string().contains("after 8 characters"), "{error}");
    assert_has_no_key(&error);
    assert_eq!(provider.count("POST"), 1);
}

#[rstest]
#[case::ends_early(Reply::events(shape("stream_cut.sse")))]
#[case::connection_closed(Reply::events(shape("stream_cut.sse")).then_cut())]
#[case::connection_reset(Reply::events(shape("stream_cut.sse")).then_reset())]
#[tokio::test]
async fn rr_25_a_stream_that_is_cut_is_no_success_and_keeps_its_counts(#[case] reply: Reply) {
    let error = failure(reply).await;
    assert_eq!(error.code(), ErrorCode::ProviderFailed);
    assert_eq!(error.failure().received_chars, 12);
    assert_eq!(error.failure().usage.output, Some(3));
    assert!(error.may_have_cost());
}

#[rstest]
#[case::inside_an_event(
    b"data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\ndata: {\"choi",
    "cut inside an event"
)]
#[case::not_json(b"data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\ndata: nonsense\n\n", "malformed")]
#[case::not_utf8(b"data: {\"choices\":[{\"delta\":{\"content\":\"\xff\"}}]}\n\n", "not UTF-8")]
#[tokio::test]
async fn rr_26_bad_events_are_errors_of_their_own(#[case] body: &[u8], #[case] hint: &str) {
    let error = failure(Reply::events(body)).await;
    assert_eq!(error.code(), ErrorCode::ProviderFailed);
    assert!(error.to_string().contains(hint), "{error}");
}

#[rstest]
#[case::truncated(r#"{"choices":[{"message":{"content":"x"#, "malformed JSON response")]
#[case::page("<!doctype html><title>Welcome to nginx!</title>", "web page")]
#[case::empty("", "empty")]
#[case::number("[]", "no choices")]
#[tokio::test]
async fn lwa_040_a_body_that_is_no_answer_is_a_failure(#[case] body: &str, #[case] hint: &str) {
    let error = failure(Reply::json(200, body)).await;
    assert_eq!(error.code(), ErrorCode::ProviderFailed);
    assert!(error.to_string().contains(hint), "{error}");
}

#[tokio::test]
async fn a_connection_that_is_reset_before_an_answer_is_not_tried_again() {
    let provider =
        FakeProvider::start(Script::new().on(CHAT, [Reply::reset(), Reply::json(200, shape("chat.json"))])).unwrap();
    let (outcome, _) = call(&provider).await;
    let error = outcome.unwrap_err();
    assert_eq!(error.code(), ErrorCode::ProviderUnreachable);
    assert!(error.failure().was_sent && error.may_have_cost());
    assert_eq!(provider.calls().len(), 1);
    assert_eq!(provider.connections(), 1);
}

#[tokio::test]
async fn a_port_where_nobody_listens_is_unreachable_and_costs_nothing() {
    let base_url = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/v1", listener.local_addr().unwrap())
    };
    let endpoint = lwa_providers::Endpoint::new("example", base_url);
    let error = lwa_providers::chat(&crate::support::client(), &endpoint, &crate::support::request(), |_| {})
        .await
        .unwrap_err();
    assert_eq!(error.code(), ErrorCode::ProviderUnreachable);
    assert!(!error.may_have_cost());
    assert!(error.to_string().contains("check the address"), "{error}");
}

#[test]
fn a_cancelled_call_says_that_it_may_be_billed() {
    let error = ProviderError::cancelled("example");
    assert_eq!(error.code(), ErrorCode::Interrupted);
    assert!(error.may_have_cost() && error.to_string().contains("may still be billed"));
}
