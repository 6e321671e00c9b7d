//! An exporter before a collector on the loopback: what arrives, and what never does.

#![allow(clippy::unwrap_used, reason = "a panic in a test is its report")]

use std::time::{Duration, SystemTime};

use lwa_telemetry::{Exporter, MeasuredCall};
use lwa_testkit::{FakeProvider, Reply, Script};

fn call() -> MeasuredCall {
    MeasuredCall {
        operation: "chat",
        task: "query",
        provider: "acme".to_owned(),
        model: "big-1".to_owned(),
        plan: "00ff".to_owned(),
        role: "primary".to_owned(),
        billing_class: "free_quota",
        ended_at: SystemTime::now(),
        took: Duration::from_millis(1250),
        input_tokens: Some(321),
        output_tokens: None,
        cost_pico_usd: Some(0),
        error: Some("provider_timed_out"),
    }
}

fn holds(body: &[u8], text: &str) -> bool {
    body.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn a_call_arrives_as_a_span_and_as_measurements_with_the_conventional_names() {
    let collector = FakeProvider::start(
        Script::new()
            .on("POST /v1/traces", [Reply::document(200, "application/x-protobuf", "")])
            .on("POST /v1/metrics", [Reply::document(200, "application/x-protobuf", "")]),
    )
    .unwrap();
    let exporter = Exporter::new(&collector.base_url(), "1.2.3").unwrap();
    exporter.record(&call());
    exporter.shut_down();
    let calls = collector.calls();
    let body_of = |path: &str| calls.iter().find(|call| call.target == path).unwrap().body.clone();
    let spans = body_of("/v1/traces");
    for name in
        ["chat big-1", "gen_ai.provider.name", "acme", "gen_ai.usage.input_tokens", "provider_timed_out", "1.2.3"]
    {
        assert!(holds(&spans, name), "{name}");
    }
    assert!(!holds(&spans, "gen_ai.usage.output_tokens"), "what nobody counted is left out");
    let metrics = body_of("/v1/metrics");
    for name in ["gen_ai.client.operation.duration", "gen_ai.client.token.usage", "gen_ai.token.type", "big-1"] {
        assert!(holds(&metrics, name), "{name}");
    }
    let host = std::env::var("HOSTNAME").unwrap_or_default();
    for body in [spans, metrics] {
        assert!(!holds(&body, "host.name") && !holds(&body, "process.") && (host.is_empty() || !holds(&body, &host)));
    }
}

#[test]
fn a_collector_that_is_not_there_costs_no_work_and_little_time() {
    let gone = FakeProvider::start(Script::new()).unwrap();
    let address = gone.base_url();
    drop(gone);
    let exporter = Exporter::new(&address, "1").unwrap();
    for _ in 0..10_000 {
        exporter.record(&call());
    }
    exporter.shut_down();
}
