//! The one provider of most tests: `acme`, with the model `big-1`, at a fake on this machine.

use lwa_testkit::fake_provider::{FakeProvider, scenario};

use crate::home::TestHome;

/// A fake that plays one scenario.
pub fn fake(name: &str) -> FakeProvider {
    FakeProvider::start(scenario::named(name).unwrap()).unwrap()
}

/// A configuration with `acme` at the fake, of this billing class, with these further lines in its table.
pub fn config(provider: &FakeProvider, class: &str, extra: &str) -> String {
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

/// A fake that answers, and a home whose only model is that fake's, paid.
pub fn paid_home() -> (FakeProvider, TestHome) {
    let provider = fake("answer");
    let home = TestHome::with_config(&config(&provider, "paid", "")).set("ACME_KEY", "k-1");
    (provider, home)
}
