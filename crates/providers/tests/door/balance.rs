//! Balances on request.

use lwa_domain::ErrorCode;
use lwa_providers::{BalanceSpec, Confidence, Endpoint, KeyKind, ProviderError, QuotaWindow, facts, probe_balance};
use lwa_secrets::Secret;
use lwa_testkit::{FakeProvider, Reply, Script};
use rstest::rstest;

use crate::support::{KEY, assert_has_no_key, client, endpoint};

fn spec(provider: &str, path: &str) -> &'static BalanceSpec {
    let specs = &facts::find(provider).unwrap().balance;
    specs.iter().find(|spec| spec.path == path).unwrap()
}

async fn ask(
    provider: &str,
    path: &str,
    base: &str,
    reply: Reply,
) -> (Result<Vec<lwa_providers::QuotaObservation>, ProviderError>, FakeProvider) {
    let spec = spec(provider, path);
    let at = if spec.is_from_root { path.to_owned() } else { format!("{base}{path}") };
    let fake = FakeProvider::start(Script::new().on(&format!("GET {at}"), [reply])).unwrap();
    let endpoint =
        Endpoint { provider: provider.to_owned(), base_url: format!("{}{base}", fake.base_url()), ..endpoint(&fake) };
    (probe_balance(&client(), &endpoint, spec).await, fake)
}

#[rstest]
#[case::openrouter_key("openrouter", "/key", "/api/v1",
    r#"{"data":{"label":"sk-or-v1-x","limit":10,"limit_remaining":7.5,"limit_reset":"monthly","usage":2.5,"is_free_tier":false}}"#,
    &[(QuotaWindow::KeyUsd, Some(10_000_000_000_000), Some(7_500_000_000_000))])]
#[case::openrouter_key_without_limit("openrouter", "/key", "/api/v1",
    r#"{"data":{"limit":null,"limit_remaining":null,"free_model_daily_requests":{"limit":50,"remaining":42}}}"#,
    &[(QuotaWindow::RequestsDay, Some(50), Some(42))])]
#[case::openrouter_credits("openrouter", "/credits", "/api/v1",
    r#"{"data":{"total_credits":20,"total_usage":19.25}}"#,
    &[(QuotaWindow::BalanceUsd, Some(20_000_000_000_000), Some(750_000_000_000))])]
#[case::overdrawn("openrouter", "/credits", "/api/v1",
    r#"{"data":{"total_credits":5,"total_usage":5.5}}"#,
    &[(QuotaWindow::BalanceUsd, Some(5_000_000_000_000), Some(0))])]
#[case::venice("venice", "/billing/balance", "/api/v1",
    r#"{"canConsume":true,"consumptionCurrency":"DIEM","balances":{"usd":12.5,"diem":1.25},"diemEpochAllocation":3}"#,
    &[(QuotaWindow::BalanceUsd, None, Some(12_500_000_000_000)), (QuotaWindow::Credits, Some(3000), Some(1250))])]
#[case::zenmux("zenmux", "/management/payg/balance", "/api/v1",
    r#"{"success":true,"data":{"currency":"usd","total_credits":482.74}}"#,
    &[(QuotaWindow::BalanceUsd, None, Some(482_740_000_000_000))])]
#[case::stability("stability", "/v1/user/balance", "",
    r#"{"credits":12.345678}"#, &[(QuotaWindow::Credits, None, Some(12346))])]
#[case::siliconflow("siliconflow", "/user/info", "/v1",
    r#"{"code":20000,"message":"OK","status":true,"data":{"id":"x","balance":"0.88","chargeBalance":"88.00","totalBalance":"88.88"}}"#,
    &[(QuotaWindow::BalanceUsd, None, Some(88_880_000_000_000))])]
#[case::pollinations("pollinations", "/account/balance", "/v1",
    r#"{"balance":4.2}"#, &[(QuotaWindow::Credits, None, Some(4200))])]
#[case::zai("zai", "/api/monitor/usage/quota/limit", "/api/paas/v4",
    r#"{"code":200,"data":{"limits":[
        {"type":"TIME_LIMIT","unit":5,"number":1,"usage":100,"currentValue":3,"remaining":97,"percentage":3},
        {"type":"TOKENS_LIMIT","unit":3,"number":5,"usage":40000000,"currentValue":10000000,"remaining":30000000,"percentage":25,"nextResetTime":4102444800000}]},"success":true}"#,
    &[(QuotaWindow::TokensFiveHours, Some(40_000_000), Some(30_000_000)), (QuotaWindow::ToolCallsMonth, Some(100), Some(97))])]
#[tokio::test]
async fn a_balance_is_read_in_whole_numbers(
    #[case] provider: &str,
    #[case] path: &str,
    #[case] base: &str,
    #[case] body: &str,
    #[case] expected: &[(QuotaWindow, Option<u64>, Option<u64>)],
) {
    let (outcome, fake) = ask(provider, path, base, Reply::json(200, body)).await;
    let found: Vec<_> = outcome.unwrap().iter().map(|seen| (seen.window, seen.limit, seen.remaining)).collect();
    assert_eq!(found, expected);
    let calls = fake.calls();
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].method, "GET");
    assert!(calls[0].body.is_empty(), "asking for a balance has no payload");
}

#[tokio::test]
async fn the_source_names_path_and_pointer() {
    let body = r#"{"data":{"total_credits":20,"total_usage":1}}"#;
    let (outcome, _) = ask("openrouter", "/credits", "/api/v1", Reply::json(200, body)).await;
    let seen = &outcome.unwrap()[0];
    assert_eq!((seen.source.as_str(), seen.confidence), ("/credits#/data/total_usage", Confidence::Known));
}

#[rstest]
#[case::auth(401, r#"{"error":{"message":"no"}}"#, ErrorCode::ProviderUnauthorized)]
#[case::limit(429, r#"{"error":{"message":"slow down"}}"#, ErrorCode::ProviderRateLimited)]
#[case::nothing_to_read(200, r#"{"data":{}}"#, ErrorCode::ProviderFailed)]
#[case::words(200, r#"{"data":{"total_credits":"lots","total_usage":null}}"#, ErrorCode::ProviderFailed)]
#[case::page(200, "<html>", ErrorCode::ProviderFailed)]
#[tokio::test]
async fn a_balance_that_cannot_be_read_is_an_error_and_never_a_zero(
    #[case] status: u16,
    #[case] body: &str,
    #[case] code: ErrorCode,
) {
    let (outcome, _) = ask("openrouter", "/credits", "/api/v1", Reply::json(status, body)).await;
    let error = outcome.unwrap_err();
    assert_eq!(error.code(), code);
    assert_has_no_key(&error);
}

#[tokio::test]
async fn a_host_that_no_longer_tells_is_not_asked() {
    let fake = FakeProvider::start(Script::new()).unwrap();
    let endpoint = Endpoint {
        provider: "siliconflow".to_owned(),
        base_url: "https://api.siliconflow.cn/v1".to_owned(),
        ..endpoint(&fake)
    };
    let error = probe_balance(&client(), &endpoint, spec("siliconflow", "/user/info")).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::ProviderRejected);
    assert!(!error.failure().was_sent);
}

/// Generation carries the pool's key and the balance the billing key; where a management key is wanted, the pool's key
/// is never sent.
#[tokio::test]
async fn lwa_032_generation_uses_the_pool_key_and_the_balance_the_billing_key() {
    let pool = Secret::new(KEY.to_owned());
    let billing = Secret::new("visibly-fake-billing-key-000".to_owned());
    let (usual, management) = (spec("openrouter", "/key"), spec("zenmux", "/management/payg/balance"));
    assert_eq!((usual.key, management.key), (KeyKind::Usual, KeyKind::Management));
    let chosen = |key: Option<&Secret>| key.map(|key| key.expose().to_owned());
    assert_eq!(chosen(usual.choose_key(Some(&billing), Some(&pool))), chosen(Some(&billing)));
    assert_eq!(chosen(usual.choose_key(None, Some(&pool))), chosen(Some(&pool)));
    assert_eq!(chosen(management.choose_key(Some(&billing), Some(&pool))), chosen(Some(&billing)));
    assert_eq!(chosen(management.choose_key(None, Some(&pool))), None);

    let script = Script::new()
        .on(crate::support::CHAT, [Reply::json(200, crate::support::shape("chat.json"))])
        .on("GET /key", [Reply::json(200, r#"{"data":{"limit":1,"limit_remaining":1}}"#)]);
    let fake = FakeProvider::start(script).unwrap();
    let endpoint = endpoint(&fake);
    crate::support::call(&fake).await.0.unwrap();
    let asking = Endpoint { key: usual.choose_key(Some(&billing), Some(&pool)).cloned(), ..endpoint };
    probe_balance(&client(), &asking, usual).await.unwrap();
    let keys: Vec<_> = fake.calls().iter().map(|call| call.header("authorization").unwrap().to_owned()).collect();
    assert_eq!(keys, [format!("Bearer {KEY}"), "Bearer visibly-fake-billing-key-000".to_owned()]);
}
