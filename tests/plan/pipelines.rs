//! How the way to each provider stands, without sending anything and with a probe.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};

use lwa_testkit::FakeProvider;
use lwa_testkit::fake_provider::Script;
use lwa_tests::{Era, Sidecar, TestHome};
use serde_json::{Value, json};

use crate::{config, fake};

const ROUTER: &[&str] = &["--toolsets", "router"];

fn home(provider: &FakeProvider) -> TestHome {
    TestHome::with_config(&config(provider, "free", "")).set("ACME_KEY", "k-1")
}

fn status(sidecar: &mut Sidecar, probe: bool) -> Value {
    sidecar.tool("pipeline_status", json!({ "provider": "acme", "probe": probe }))["pipelines"][0].clone()
}

#[test]
fn lwa_108_the_offline_status_sends_nothing_and_claims_nothing() {
    let provider = fake("answer");
    let home = home(&provider);
    let mut sidecar = Sidecar::start(&home, Era::Legacy, ROUTER);
    let row = status(&mut sidecar, false);
    let told = |name: &str| row[name].clone();
    assert_eq!(
        (told("status"), told("check_mode"), told("readiness")),
        (json!("ready"), json!("offline"), json!("configured"))
    );
    assert_eq!((told("configured"), told("credentialed"), told("enabled")), (json!(true), json!(true), json!(true)));
    for claim in ["live_verified", "quota_verified", "data_transmitted", "cost_incurred", "cache_hit"] {
        assert_eq!(row[claim], false, "{claim}");
    }
    assert_eq!((told("network_calls"), provider.connections()), (json!(0), 0));
}

#[test]
fn lwa_109_a_probe_is_one_request_without_a_text() {
    let provider = fake("answer");
    let home = home(&provider);
    let mut sidecar = Sidecar::start(&home, Era::Legacy, ROUTER);
    let first = status(&mut sidecar, true);
    assert_eq!(
        (&first["status"], &first["check_mode"], &first["readiness"], &first["network_calls"]),
        (&json!("reachable"), &json!("zero_payload_probe"), &json!("probe_verified"), &json!(1))
    );
    assert_eq!((&first["data_transmitted"], &first["cost_incurred"]), (&json!(false), &json!(false)));
    assert_eq!((provider.count("GET"), provider.count("POST")), (1, 0), "one request, and no text in it");
    assert_eq!(first["cache_hit"], false);
}

#[test]
fn lwa_110_what_a_probe_found_is_told_again_without_another_one() {
    let provider = fake("answer");
    let home = home(&provider);
    let mut sidecar = Sidecar::start(&home, Era::Legacy, ROUTER);
    let first = status(&mut sidecar, true);
    let second = status(&mut sidecar, true);
    assert_eq!((&second["cache_hit"], &second["network_calls"]), (&json!(true), &json!(0)), "{second}");
    for name in ["status", "check_mode", "readiness", "live_verified"] {
        assert_eq!(second[name], first[name], "{name}");
    }
    assert!(second["cache_age_seconds"].is_u64());
    assert_eq!(provider.connections(), 1);
    // The command line reads the same memory.
    let shown = home.lwa(&["pipelines", "--provider", "acme", "--probe", "--json"]);
    assert_eq!((shown.code, &shown.json()["pipelines"][0]["cache_hit"]), (0, &json!(true)), "{shown:?}");
}

#[test]
fn lwa_111_a_failed_probe_is_believed_until_it_is_forgotten() {
    let provider = FakeProvider::start(Script::new().on("GET /v1/models", [crate::fakes::broken()])).unwrap();
    let home = home(&provider);
    let mut sidecar = Sidecar::start(&home, Era::Modern, ROUTER);
    let first = status(&mut sidecar, true);
    assert_eq!((&first["status"], &first["readiness"]), (&json!("unreachable"), &json!("probe_failed")), "{first}");
    let second = status(&mut sidecar, true);
    assert_eq!((&second["status"], &second["cache_hit"]), (&json!("unreachable"), &json!(true)), "{second}");
    assert_eq!(provider.count("GET"), 1);
    let forgotten = sidecar.tool("invalidate_pipeline_probe_cache", json!({ "provider": "acme" }));
    assert_eq!(forgotten["invalidated"], 1);
    assert_eq!(sidecar.tool("invalidate_pipeline_probe_cache", json!({}))["invalidated"], 0);
    let third = status(&mut sidecar, true);
    assert_eq!((&third["network_calls"], &third["cache_hit"]), (&json!(1), &json!(false)), "{third}");
    assert_eq!(provider.count("GET"), 2);
    let shown = home.lwa(&["pipelines", "--provider", "acme", "--probe"]);
    assert!(shown.code == 5 && shown.stdout.contains("unreachable"), "{shown:?}");
}

/// A provider that answers only when it is told to.
struct Held {
    address: String,
    count: Arc<AtomicUsize>,
    release: Sender<()>,
}

impl Held {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let count = Arc::new(AtomicUsize::new(0));
        let (release, released) = channel();
        let seen = Arc::clone(&count);
        // Ends when the test lets go of `release`.
        std::thread::spawn(move || {
            for connection in listener.incoming() {
                let Ok(mut connection) = connection else { return };
                seen.fetch_add(1, Ordering::SeqCst);
                let mut head = Vec::new();
                let mut byte = [0];
                while !head.ends_with(b"\r\n\r\n") && connection.read(&mut byte).is_ok_and(|read| read == 1) {
                    head.push(byte[0]);
                }
                if released.recv().is_err() {
                    return;
                }
                let body = r#"{"data":[{"id":"big-1"}]}"#;
                let _ = write!(
                    connection,
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
                    body.len()
                );
            }
        });
        Self { address, count, release }
    }
}

#[test]
fn lwa_112_two_probes_at_once_are_one_request() {
    let held = Held::start();
    let home = TestHome::with_config(&format!(
        "[providers.acme]\nbase_url = \"{}/v1\"\nbilling_class = \"free\"\n[[models]]\nprovider = \"acme\"\nmodel = \"big-1\"\n",
        held.address
    ));
    let mut sidecars: Vec<Sidecar> = (0..2).map(|_| Sidecar::start(&home, Era::Legacy, ROUTER)).collect();
    let call = json!({ "name": "pipeline_status", "arguments": { "provider": "acme", "probe": true } });
    let first = sidecars[0].post("tools/call", call.clone());
    while held.count.load(Ordering::SeqCst) == 0 {
        std::thread::yield_now();
    }
    let second = sidecars[1].post("tools/call", call);
    // The host serves a connection's calls in order, so after this one it has taken the second probe.
    sidecars[1].tool("model_tiers", json!({ "limit": 1 }));
    held.release.send(()).unwrap();
    let mut rows: Vec<Value> = Vec::new();
    for (sidecar, id) in sidecars.iter_mut().zip([first, second]) {
        rows.push(Sidecar::content(&sidecar.answer(id))["pipelines"][0].clone());
    }
    assert!(rows.iter().all(|row| row["status"] == "reachable"), "{rows:?}");
    assert_eq!((&rows[0]["network_calls"], &rows[1]["network_calls"]), (&json!(1), &json!(0)));
    assert_eq!(held.count.load(Ordering::SeqCst), 1);
}

#[test]
fn lwa_113_without_a_key_the_pipeline_says_so_and_nothing_is_sent() {
    let provider = fake("answer");
    let home = TestHome::with_config(&config(&provider, "free", ""));
    let mut sidecar = Sidecar::start(&home, Era::Legacy, ROUTER);
    for probe in [false, true] {
        let row = status(&mut sidecar, probe);
        assert_eq!((&row["status"], &row["credentialed"]), (&json!("missing_credentials"), &json!(false)), "{row}");
        assert!(row["detail"].as_str().unwrap().contains("ACME_KEY"), "{row}");
    }
    let refused = sidecar.tool("prepare_task", json!({ "task": "query", "prompt": "why?", "provider": "acme" }));
    assert_eq!(refused["error"]["code"], "no_route");
    assert_eq!(provider.connections(), 0);
}

#[test]
fn lwa_114_a_note_is_shown_outlives_the_host_and_gates_nothing() {
    let provider = fake("answer");
    let home = home(&provider);
    let mut sidecar = Sidecar::start(&home, Era::Legacy, ROUTER);
    let note = json!({ "provider": "acme", "status": "maintenance", "detail": "until noon" });
    let marked = sidecar.tool("mark_pipeline", note);
    assert_eq!(marked["pipeline"]["manual_mark"]["status"], "maintenance", "{marked}");
    home.lwa(&["stop"]);
    let row = status(&mut sidecar, false);
    assert_eq!((&row["manual_mark"]["detail"], &row["status"]), (&json!("until noon"), &json!("ready")), "{row}");
    let plan = sidecar.tool("prepare_task", json!({ "task": "query", "prompt": "why?" }));
    assert_eq!(plan["routes"][0]["provider"], "acme");
    for wrong in [
        json!({ "provider": "acme", "status": "sleepy" }),
        json!({ "provider": "acme", "status": "ready", "detail": "x".repeat(501) }),
    ] {
        assert_eq!(sidecar.tool("mark_pipeline", wrong)["error"]["code"], "invalid_input");
    }
    let unknown = sidecar.tool("mark_pipeline", json!({ "provider": "acmee", "status": "ready" }));
    assert_eq!(unknown["error"]["code"], "not_found", "{unknown}");
}
