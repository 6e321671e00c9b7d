//! Consent across processes: asked, answered by a person, never by the agent.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic in a test is its report")]

mod configuration;
mod spend;

use lwa_testkit::fake_provider::{FakeProvider, scenario};

/// A configuration with a paid provider at a fake that answers.
fn paid(provider: &FakeProvider) -> String {
    format!(
        r#"
[router]
allow_paid = true

[providers.acme]
base_url = "{}/v1"
api_key_env = "ACME_KEY"
billing_class = "paid"

[[models]]
provider = "acme"
model = "big-1"
capabilities = ["text", "reasoning"]
context_length = 100000
input_cost_per_million = 5.0
output_cost_per_million = 20.0
"#,
        provider.base_url()
    )
}

fn provider() -> FakeProvider {
    FakeProvider::start(scenario::named("answer").unwrap()).unwrap()
}
