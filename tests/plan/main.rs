//! Plans through the real programs: prepare, run once, results, failures, bad input.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic in a test is its report")]

mod bad_input;
mod lifecycle;
mod money;
mod providers;

use lwa_testkit::fake_provider::FakeProvider;
use lwa_testkit::fake_provider::scenario;

/// A fake provider that plays one scenario.
fn fake(scenario: &str) -> FakeProvider {
    FakeProvider::start(scenario::named(scenario).unwrap()).unwrap()
}

/// A configuration with one provider `acme` and one model at the fake.
fn config(provider: &FakeProvider, class: &str, extra: &str) -> String {
    format!(
        r#"
[router]
allow_paid = true

[providers.acme]
base_url = "{}/v1"
api_key_env = "ACME_KEY"
billing_class = "{class}"
{extra}

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
