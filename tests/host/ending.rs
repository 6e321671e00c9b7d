//! Ending while a provider is being called: in time, and nothing is forgotten.

use std::time::{Duration, Instant};

use lwa_testkit::FakeProvider;
use lwa_testkit::fake_provider::scenario;
use lwa_tests::{Era, Sidecar, TestHome};
use serde_json::{Value, json};

/// A provider that takes a paid call and never ends its answer.
fn stalled() -> (FakeProvider, TestHome) {
    let provider = FakeProvider::start(scenario::named("stall").unwrap()).unwrap();
    let config = format!(
        r#"
[router]
allow_paid = true
consent_mode = "automatic"

[providers.acme]
base_url = "{}/v1"
billing_class = "paid"

[[models]]
provider = "acme"
model = "big-1"
input_cost_per_million = 5.0
output_cost_per_million = 20.0
"#,
        provider.base_url()
    );
    (provider, TestHome::with_config(&config))
}

fn start_a_run(provider: &FakeProvider, home: &TestHome) -> (Sidecar, Value) {
    let mut sidecar = Sidecar::start(home, Era::Legacy, &[]);
    let plan = sidecar.tool("prepare_task", json!({ "task": "query", "prompt": "why?", "allow_paid": true }));
    sidecar
        .post("tools/call", json!({ "name": "run_prepared_task", "arguments": { "plan_token": plan["plan_token"] } }));
    provider.wait_for_calls(1);
    (sidecar, plan)
}

#[test]
fn a_host_with_a_stalled_call_ends_in_time_and_the_plan_is_interrupted_afterwards() {
    let (provider, home) = stalled();
    let (mut sidecar, plan) = start_a_run(&provider, &home);
    sidecar.kill();
    let began = Instant::now();
    let stopped = home.lwa(&["stop", "--json"]);
    assert_eq!((stopped.code, &stopped.json()["stopped"]), (0, &json!(true)), "{stopped:?}");
    assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    let told = home.lwa(&["result", plan["plan_id"].as_str().unwrap(), "--json"]).json();
    assert_eq!(
        (&told["status"], &told["error"]["code"], &told["cost_pico_usd"]),
        (&json!("repreflight_required"), &json!("interrupted"), &Value::Null)
    );
    let telemetry = home.lwa(&["telemetry", "--json"]).json();
    assert_eq!((&telemetry["total"]["calls"], &telemetry["total"]["cost_known"]), (&json!(1), &json!(0)));
    // What was reserved still counts, since nobody knows that it was not billed.
    let providers = home.lwa(&["providers", "--json"]).json();
    let acme = providers["providers"].as_array().unwrap().iter().find(|known| known["name"] == "acme").unwrap();
    assert_eq!(acme["spent_this_month_pico_usd"], plan["max_cost_pico_usd"], "{acme}");
    assert_eq!(home.lwa(&["audit", "verify", "--json"]).json()["ok"], true);
    assert_eq!(provider.count("POST"), 1);
}

#[test]
fn a_command_that_comes_while_the_old_host_ends_leaves_a_host_that_takes_over() {
    let (provider, home) = stalled();
    let (mut sidecar, _) = start_a_run(&provider, &home);
    sidecar.kill();
    let first = home.host().unwrap()["pid"].clone();
    std::thread::scope(|scope| {
        let stopping = scope.spawn(|| home.lwa(&["stop", "--json"]));
        // The socket goes at once; the process ends when the call did not.
        while home.lwa_home().join("run/host.sock").exists() {
            std::thread::yield_now();
        }
        // This command may give up before the old host has ended, but what it started does not.
        home.lwa(&["doctor", "--json"]);
        assert_eq!(stopping.join().unwrap().code, 0);
    });
    // Asking for the status starts nothing.
    let deadline = Instant::now() + Duration::from_secs(10);
    let next = loop {
        if let Some(host) = home.host() {
            break host["pid"].clone();
        }
        assert!(Instant::now() < deadline, "nobody took over");
    };
    assert_ne!(next, first);
}
