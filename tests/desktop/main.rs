//! The real app under a real display, driven through WebDriver: what a person sees and answers.
//!
//! Needs a display, a session bus, `WebKitWebDriver` and `tauri-driver`; `scripts/test.sh` brings all of
//! them and sets `LWA_TESTS_NEED_DISPLAY`, so that there a missing one is a failure and not a skip.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a panic in a test is its report"
)]

mod approval_window;
mod driver;
mod main_window;

use lwa_testkit::fake_provider::FakeProvider;
use lwa_tests::{Era, Sidecar, TestHome, acme};
use serde_json::{Value, json};

/// A fake provider that answers, and a home whose only route is that provider, paid. Keys are kept in the
/// private file, since the session's keychain is everybody's.
fn paid_home() -> (FakeProvider, TestHome) {
    let provider = acme::fake("answer");
    let config = format!("{}\n[secrets]\nbackend = \"file\"\n", acme::config(&provider, "paid", ""));
    (provider, TestHome::with_config(&config).set("ACME_KEY", "k-1"))
}

/// An agent in a process tree of its own, with a paid plan that waits for consent.
struct Agent {
    sidecar: Sidecar,
    plan: Value,
}

impl Agent {
    fn with_plan(home: &TestHome) -> Self {
        let mut sidecar = Sidecar::start_apart(home, Era::Legacy, &[]);
        let plan =
            sidecar.tool("prepare_task", json!({ "task": "planning", "prompt": "plan a thing", "allow_paid": true }));
        assert_eq!(plan["requires_confirmation"], true, "{plan}");
        Self { sidecar, plan }
    }

    /// Asks for consent; the call is left waiting.
    fn ask(&mut self) -> u64 {
        let arguments = json!({ "confirmation_token": self.plan["confirmation_token"] });
        self.sidecar.post("tools/call", json!({ "name": "approve_preflight", "arguments": arguments }))
    }

    /// The end of a call that was left waiting, repeated for as long as it says that nobody answered.
    fn answered(&mut self, mut id: u64) -> Value {
        loop {
            let answer = Sidecar::content(&self.sidecar.answer(id));
            if answer["status"] != "approval_pending" {
                return answer;
            }
            id = self.ask();
        }
    }

    fn run(&mut self) -> Value {
        self.sidecar.tool("run_prepared_task", json!({ "plan_token": self.plan["plan_token"] }))
    }
}
