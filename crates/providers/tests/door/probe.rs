//! What `doctor --probe` records.

use lwa_providers::{Adapter, Endpoint, ProbeReport, probe};
use lwa_testkit::{FakeProvider, Reply, Script};

use crate::support::{KEY, client, endpoint};

async fn report(reply: Reply) -> (ProbeReport, FakeProvider) {
    let fake = FakeProvider::start(Script::new().on("GET /models", [reply])).unwrap();
    (probe(&client(), Adapter::OpenAi, &endpoint(&fake)).await, fake)
}

#[tokio::test]
async fn names_and_shapes_are_recorded_and_no_value() {
    let body = format!(
        r#"{{"object":"list","data":[{{"id":"secret-model","n":7,"on":true,"tags":["private"],"sk-0123456789":1,"meta":null}},
            {{"id":"{KEY}","pricing":{{"prompt":"0.1"}}}}]}}"#
    );
    let (report, fake) = report(Reply::json(200, body).header("X-Balance-Usd", "12.5").header("X-Echo", KEY)).await;
    assert_eq!(
        report.list_shape,
        [
            "data[].*: number",
            "data[].id: string",
            "data[].meta: null",
            "data[].n: number",
            "data[].on: boolean",
            "data[].pricing.prompt: string",
            "data[].tags[]: string",
            "object: string",
        ]
    );
    assert_eq!((report.reachable, report.auth_ok, report.status, report.items), (true, Some(true), Some(200), Some(2)));
    assert!(report.header_names.contains(&"x-balance-usd".to_owned()));
    let written = serde_json::to_string(&report).unwrap();
    for value in ["12.5", "secret-model", "private", "0.1", KEY, "sk-0123"] {
        assert!(!written.contains(value), "{value} in {written}");
    }
    let call = &fake.calls()[0];
    assert!(call.method == "GET" && call.body.is_empty(), "nothing is spent");
    assert_eq!(fake.calls().len(), 1);
}

#[tokio::test]
async fn a_rejected_key_is_told_apart_from_an_unreachable_host() {
    let (rejected, _) = report(Reply::json(401, format!(r#"{{"error":"bad key {KEY}"}}"#))).await;
    assert_eq!((rejected.reachable, rejected.auth_ok, rejected.status), (true, Some(false), Some(401)));
    assert!(!rejected.failure.unwrap().contains(KEY));
    let (broken, _) = report(Reply::json(500, "{}")).await;
    assert_eq!((broken.reachable, broken.auth_ok, broken.status), (true, None, Some(500)));
    let gone = {
        let fake = FakeProvider::start(Script::new()).unwrap();
        endpoint(&fake)
    };
    let gone = probe(&client(), Adapter::OpenAi, &gone).await;
    assert_eq!((gone.reachable, gone.auth_ok, gone.status), (false, None, None));
    assert!(gone.failure.unwrap().contains("could not be reached"));
}

#[tokio::test]
async fn a_list_elsewhere_is_asked_without_the_key() {
    let other = FakeProvider::start(Script::new().on("GET /public/models", [Reply::json(200, "[]")])).unwrap();
    let fake = FakeProvider::start(Script::new()).unwrap();
    let address = other.base_url().replace("127.0.0.1", "localhost");
    let endpoint = Endpoint { models_path: format!("{address}/public/models"), ..endpoint(&fake) };
    let report = probe(&client(), Adapter::OpenAi, &endpoint).await;
    assert_eq!((report.items, fake.calls().len()), (Some(0), 0));
    assert_eq!(other.calls()[0].header("authorization"), None);
}
