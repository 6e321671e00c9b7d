//! Both eras, and every order in which clients are known to open.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::client::{ERAS, Era, Start};
use crate::support::home;

fn tool_names(answer: &Value) -> Vec<String> {
    let tools = answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}"));
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn mc_02_a_cold_start_answers_within_the_budget() {
    let home = home();
    let mut took: Vec<Duration> = (0..9)
        .map(|_| {
            let began = Instant::now();
            let mut client = Start::at(home.path()).client(Era::Legacy).open();
            client.request("tools/list", json!({}));
            began.elapsed()
        })
        .collect();
    took.sort();
    assert!(took[4] < Duration::from_millis(300), "{took:?}");
}

#[test]
fn the_server_says_who_it_is_in_both_eras() {
    let home = home();
    let mut legacy = Start::at(home.path()).client(Era::Legacy);
    let result = legacy.initialize("2025-06-18")["result"].clone();
    assert_eq!(result["protocolVersion"], "2025-06-18");
    assert_eq!((&result["serverInfo"]["name"], &result["serverInfo"]["title"]), (&json!("lwa"), &json!("Lwa")));
    let mut modern = Start::at(home.path()).client(Era::Modern);
    let result = modern.request("server/discover", json!({}))["result"].clone();
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "lwa");
    assert_eq!(result["resultType"], "complete");
    assert!(result["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")));
}

#[test]
fn an_unknown_or_stateless_version_in_the_handshake_gets_the_newest_that_has_one() {
    let home = home();
    for version in ["2026-07-28", "2031-01-01", "1.0"] {
        let mut client = Start::at(home.path()).client(Era::Legacy);
        assert_eq!(client.initialize(version)["result"]["protocolVersion"], "2025-11-25", "{version}");
        let listed = client.request("tools/list", json!({}));
        assert!(listed["result"].get("ttlMs").is_none(), "a handshake client got the stateless shape: {listed}");
    }
}

#[test]
fn a_stateless_request_with_an_unknown_version_is_told_the_known_ones() {
    let home = home();
    let mut client = Start::at(home.path()).client(Era::Legacy);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2031-01-01",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let answer = client.request("tools/list", json!({"_meta": meta}));
    assert_eq!(answer["error"]["code"], -32022, "{answer}");
    assert_eq!(answer["error"]["data"]["requested"], "2031-01-01");
    assert!(answer["error"]["data"]["supported"].as_array().unwrap().contains(&json!("2026-07-28")));
}

#[test]
fn a_stateless_list_carries_what_that_revision_asks_for() {
    let home = home();
    let mut client = Start::at(home.path()).client(Era::Modern).open();
    for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
        let result = client.request(method, json!({}))["result"].clone();
        assert_eq!(result["resultType"], "complete", "{method}");
        assert!(result["ttlMs"].is_u64() && result["cacheScope"].is_string(), "{method}: {result}");
    }
}

#[test]
fn mc_10_discover_is_answered_and_a_handshake_may_follow() {
    let home = home();
    let mut client = Start::at(home.path()).client(Era::Modern).open();
    let stateless = tool_names(&client.request("tools/list", json!({})));
    assert_eq!(client.initialize("2025-11-25")["result"]["protocolVersion"], "2025-11-25");
    // The session is in the handshake era now: requests say nothing of the version any more.
    client.send(&json!({"jsonrpc": "2.0", "id": 900, "method": "tools/list"}));
    let answer = client.answer(900);
    assert_eq!(tool_names(&answer), stateless);
    assert!(answer["result"].get("resultType").is_none(), "{answer}");
    // Yet a stateless request is still one.
    assert_eq!(client.request("tools/list", json!({}))["result"]["resultType"], "complete");
}

#[test]
fn mc_10_a_probe_and_a_handshake_that_wait_together_end_in_the_handshake() {
    let home = home();
    let mut client = Start::at(home.path()).client(Era::Legacy);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    client.send(&json!({"jsonrpc": "2.0", "id": 800, "method": "server/discover", "params": {"_meta": meta}}));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 800}}));
    let answer = client.initialize("2025-11-25");
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(tool_names(&client.request("tools/list", json!({}))).len(), 16);
}

#[test]
fn mc_10_a_second_handshake_is_answered() {
    let home = home();
    let mut client = Start::at(home.path()).client(Era::Legacy).open();
    assert_eq!(client.initialize("2025-06-18")["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(tool_names(&client.request("tools/list", json!({}))).len(), 16);
}

#[test]
fn mc_10_a_notification_first_does_not_end_the_process() {
    let home = home();
    let mut client = Start::at(home.path()).client(Era::Legacy);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/whatever"}));
    client = client.open();
    assert_eq!(tool_names(&client.request("tools/list", json!({}))).len(), 16);
}

#[test]
fn mc_10_an_unknown_request_before_the_handshake_is_an_error_and_no_end() {
    let home = home();
    let mut client = Start::at(home.path()).client(Era::Legacy);
    assert_eq!(client.request("server/discover", json!({}))["error"]["code"], -32602);
    assert_eq!(client.request("no/such", json!({}))["error"]["code"], -32602);
    client = client.open();
    assert_eq!(client.request("no/such", json!({}))["error"]["code"], -32601);
    let mut client = Start::at(home.path()).client(Era::Modern).open();
    assert_eq!(client.request("no/such", json!({}))["error"]["code"], -32601);
}

#[test]
fn a_subscription_is_accepted_empty_and_ends_with_the_client() {
    let home = home();
    let mut client = Start::at(home.path()).client(Era::Modern).open();
    let id = client.begin("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
    let method = "notifications/subscriptions/acknowledged";
    let acknowledged = client.find(Duration::from_secs(5), |message| message["method"] == method).unwrap();
    assert_eq!(acknowledged["params"]["notifications"], json!({}));
    let ended = client.close();
    assert!(ended.status.success() && ended.took < Duration::from_millis(300), "{:?}", ended.took);
    assert!(ended.received.iter().any(|message| message["id"] == id && message.get("result").is_some()));
}

#[test]
fn mc_20_a_start_by_an_unknown_client_leaves_no_trace() {
    let home = home();
    for era in ERAS {
        let start = Start::at(home.path()).unset("LWA_HOME").set("HOME", home.path());
        let mut client = start.client(era).open();
        client.request("tools/list", json!({}));
        client.request("prompts/list", json!({}));
        let ended = client.close();
        assert_eq!(ended.stderr, "");
        let is_all_answers = ended.received.iter().all(|message| message.get("method").is_none());
        assert!(is_all_answers, "the server asked something: {:?}", ended.received);
    }
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
}
