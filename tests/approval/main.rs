//! Consent across processes: asked, answered by a person, never by the agent.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic in a test is its report")]

mod configuration;
mod spend;

use lwa_testkit::fake_provider::FakeProvider;
use lwa_tests::acme;

/// A configuration with a paid provider at the fake.
fn paid(provider: &FakeProvider) -> String {
    acme::config(provider, "paid", "")
}

fn provider() -> FakeProvider {
    acme::fake("answer")
}
