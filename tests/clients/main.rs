//! The real Codex and Claude Code, each against a scripted model on this machine.
//!
//! The clients are programs of their vendors, so they are not part of this project: `scripts/clients.sh`
//! installs the versions that these tests know. Without them a test says so and passes.
//! Every client gets a home, a model and an environment of its own, is registered with Lwa by the words of the
//! README, and ends with its test.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic in a test is its report")]
#![allow(clippy::print_stderr, reason = "a test that is skipped has to say so")]

mod attended;
mod builtin;
mod client;
mod hooks;
mod keys;
mod model;
mod permission;
mod registration;
mod running;
mod tap;
mod unattended;
mod worker;

use lwa_tests::TestHome;
use serde_json::{Value, json};

use crate::model::{Turn, call};

/// A preparation that only the paid provider can serve.
fn prepare_paid() -> Turn {
    call("prepare_task", |_| json!({ "task": "planning", "prompt": "plan a thing", "allow_paid": true }))
}

fn approve() -> Turn {
    call("approve_preflight", |seen| json!({ "confirmation_token": seen.field("confirmation_token") }))
}

fn run() -> Turn {
    call("run_prepared_task", |seen| json!({ "plan_token": seen.field("plan_token") }))
}

/// The sidecars that the host knows.
fn sidecars(home: &TestHome) -> Vec<Value> {
    let status = home.host().unwrap();
    let faces = status["connections"].as_array().unwrap();
    faces.iter().filter(|face| face["role"] == "sidecar").cloned().collect()
}

/// Waits until no sidecar is left; a client that has ended takes its own along.
fn wait_for_no_sidecar(home: &TestHome) {
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while !sidecars(home).is_empty() {
        assert!(std::time::Instant::now() < deadline, "a sidecar outlives its client: {:?}", sidecars(home));
    }
}
