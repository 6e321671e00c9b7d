//! Limits of time and size, cancellation, proxies.

use std::time::Duration;

use lwa_domain::ErrorCode;
use lwa_providers::{HttpClientError, Limits, ProxySettings, chat, http_client_with};
use lwa_testkit::{FakeProvider, Reply, Script};
use tokio::time::timeout;

use crate::support::{CHAT, KEY, assert_has_no_key, call_with, client, endpoint, request, serve, shape};

#[tokio::test]
async fn lwa_039_a_provider_that_says_nothing_times_out() {
    let provider = serve(Reply::silence());
    let mut endpoint = endpoint(&provider);
    endpoint.timeout = Duration::from_millis(100);
    let error = call_with(&endpoint, &request(), Limits::default()).await.0.unwrap_err();
    assert_eq!(error.code(), ErrorCode::ProviderTimedOut);
    assert!(
        error.to_string().contains("did not finish in time") && error.to_string().contains("timeout_seconds"),
        "{error}"
    );
    assert!(error.may_have_cost());
    assert_eq!(provider.count("POST"), 1);
}

#[tokio::test]
async fn rr_31_an_answer_that_stops_arriving_times_out_before_the_whole_call_does() {
    let provider = serve(Reply::events(shape("stream_cut.sse")).then_stall());
    let limits = Limits { idle: Duration::from_millis(80), ..Limits::default() };
    let error = call_with(&endpoint(&provider), &request(), limits).await.0.unwrap_err();
    assert_eq!(error.code(), ErrorCode::ProviderTimedOut);
    assert!(error.to_string().contains("stopped arriving"), "{error}");
    assert_eq!(error.failure().received_chars, 12);
    assert_eq!(provider.count("POST"), 1);
}

#[tokio::test]
async fn the_limit_of_the_whole_call_ends_an_answer_that_has_begun() {
    let provider = serve(Reply::events(shape("stream_cut.sse")).then_stall());
    let mut endpoint = endpoint(&provider);
    endpoint.timeout = Duration::from_millis(150);
    let error = call_with(&endpoint, &request(), Limits::default()).await.0.unwrap_err();
    assert_eq!(error.code(), ErrorCode::ProviderTimedOut);
    assert!(error.to_string().contains("whole call"), "{error}");
}

#[tokio::test]
async fn an_error_whose_body_stalls_keeps_its_status() {
    let provider = serve(Reply::json(401, r#"{"error":{"message":"bad key"#).then_stall());
    let mut endpoint = endpoint(&provider);
    endpoint.timeout = Duration::from_millis(150);
    let error = call_with(&endpoint, &request(), Limits::default()).await.0.unwrap_err();
    assert_eq!(error.code(), ErrorCode::ProviderUnauthorized);
    assert!(error.to_string().contains("bad key"), "{error}");
}

#[tokio::test]
async fn an_answer_larger_than_the_limit_is_given_up() {
    let limits = Limits { body_bytes: 1000, ..Limits::default() };
    for reply in [Reply::json(200, format!("{{{}", " ".repeat(2000))), Reply::events(": ping\n\n".repeat(200))] {
        let provider = serve(reply.split_every(100));
        let error = call_with(&endpoint(&provider), &request(), limits).await.0.unwrap_err();
        assert_eq!(error.code(), ErrorCode::ProviderFailed);
        assert!(error.to_string().contains("larger than"), "{error}");
        assert_eq!(provider.count("POST"), 1);
    }
}

#[tokio::test]
async fn one_event_larger_than_a_mebibyte_is_given_up() {
    let provider = serve(Reply::events(format!("data: {}", "x".repeat(1024 * 1024 + 1))).split_every(65_536));
    let error = call_with(&endpoint(&provider), &request(), Limits::default()).await.0.unwrap_err();
    assert!(error.to_string().contains("1 MiB"), "{error}");
}

#[tokio::test]
async fn a_huge_error_body_is_cut() {
    let provider = serve(Reply::json(500, "x".repeat(4 * 1024 * 1024)));
    let error = call_with(&endpoint(&provider), &request(), Limits::default()).await.0.unwrap_err();
    assert_eq!(error.failure().detail.chars().count(), 300);
    assert_has_no_key(&error);
}

#[tokio::test]
async fn dropping_the_call_ends_it_and_nothing_is_sent_again() {
    let script = Script::new().on(CHAT, [Reply::silence(), Reply::json(200, shape("chat.json"))]);
    let provider = std::sync::Arc::new(FakeProvider::start(script).unwrap());
    let arrived = tokio::task::spawn_blocking({
        let provider = provider.clone();
        move || provider.wait_for_calls(1)
    });
    let (client, endpoint, request) = (client(), endpoint(&provider), request());
    tokio::select! {
        _ = chat(&client, &endpoint, &request, |_| {}) => panic!("nobody answers"),
        done = arrived => done.unwrap(),
    }
    assert_eq!(provider.calls().len(), 1);
    assert_eq!(provider.connections(), 1);
}

/// Every proxy is a port that takes nothing, so only a direct connection can succeed.
#[tokio::test]
async fn traffic_to_this_machine_never_goes_through_a_proxy() {
    let proxy = FakeProvider::start(Script::new()).unwrap();
    let settings = ProxySettings {
        https: Some(proxy.base_url()),
        http: Some(proxy.base_url()),
        all: Some(proxy.base_url()),
        none_for: None,
    };
    let client = http_client_with(&settings).unwrap();
    let provider = serve(Reply::json(200, shape("chat.json")));
    for host in ["127.0.0.1", "localhost"] {
        let mut endpoint = endpoint(&provider);
        endpoint.base_url = format!("http://{host}:{}", provider.port());
        chat(&client, &endpoint, &request(), |_| {}).await.unwrap();
    }
    assert_eq!(proxy.connections(), 0);
    assert_eq!(provider.count("POST"), 2);
}

#[tokio::test]
async fn other_hosts_go_through_the_proxy_that_is_set() {
    let proxy = FakeProvider::start(Script::new()).unwrap();
    let settings = ProxySettings { http: Some(format!("127.0.0.1:{}", proxy.port())), ..ProxySettings::default() };
    let client = http_client_with(&settings).unwrap();
    let mut endpoint = endpoint(&proxy);
    endpoint.base_url = "http://provider.invalid/v1".to_owned();
    let outcome = timeout(Duration::from_secs(10), chat(&client, &endpoint, &request(), |_| {})).await.unwrap();
    assert!(outcome.is_err());
    assert_eq!(proxy.calls()[0].target, "http://provider.invalid/v1/chat/completions");
}

#[test]
fn a_proxy_that_is_no_address_is_named_by_its_variable_and_not_shown() {
    let settings = ProxySettings { https: Some(format!("http://user:{KEY}@")), ..ProxySettings::default() };
    let error = http_client_with(&settings).unwrap_err();
    assert!(matches!(error, HttpClientError::BadProxy { variable: "https_proxy" }));
    assert!(!format!("{error} {error:?} {settings:?}").contains(KEY));
}

#[test]
fn lower_case_variables_come_first_and_a_web_server_s_header_is_not_a_proxy() {
    let read = |variables: &[(&str, &str)]| {
        let variables: Vec<_> = variables.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
        ProxySettings::from_variables(move |name| {
            variables.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
        })
    };
    let settings = read(&[
        ("https_proxy", "a:1"),
        ("HTTPS_PROXY", "b:1"),
        ("HTTP_PROXY", "c:1"),
        ("ALL_PROXY", " "),
        ("NO_PROXY", "d"),
    ]);
    let expected = ProxySettings {
        https: Some("a:1".to_owned()),
        http: Some("c:1".to_owned()),
        all: None,
        none_for: Some("d".to_owned()),
    };
    assert_eq!(settings, expected);
    assert_eq!(read(&[("HTTP_PROXY", "c:1"), ("REQUEST_METHOD", "GET")]).http, None);
}
