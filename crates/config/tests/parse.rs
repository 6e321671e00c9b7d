//! What a configuration file means once it is read.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the report")]

use std::collections::BTreeMap;
use std::path::Path;

use lwa_config::{Adapter, Config, ConfigError, Home, ModelConfig, ProviderConfig, SecretsBackend, Shipped, to_toml};
use lwa_domain::{BillingClass, Capability, ConsentMode, DataUse, PicoUsd, ReasoningEffort, TaskKind};
use rstest::rstest;

fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::parse(text, Path::new("config.toml"))
}

const FULL: &str = r#"
toolsets = ["core", "router"]

[router]
consent_mode = "Always-Ask"
prefer_free = false
allow_paid = true
global_monthly_usd_cap = 12.5
global_daily_request_cap = 40
task_prompts = { query = "Answer in French." }

[providers.local]
base_url = "http://127.0.0.1:11434/v1"
billing_class = "free"
data_use = "none"

[providers.cloud]
base_url = "https://api.example.com/accounts/{account_id}/v1"
api_key_env = "CLOUD_KEY"
api_key_envs = ["CLOUD_KEY_2", "CLOUD_KEY"]
account_id_env = "CLOUD_ACCOUNT"
billing_class = "paid"
monthly_usd_cap = 5
request_headers = { X-Title = "Lwa" }
timeout_seconds = 12.5

[[models]]
provider = "cloud"
model = "large"
capabilities = ["text", "reasoning"]
reasoning_levels = ["instant", "high"]
context_length = 131072
input_cost_per_million = 0.15
output_cost_per_million = 0.6
task_scores = { query = 90, planning = 100 }
extra_body = { top_k = 4, nested = { deep = [1, 2.5, "x", true] } }

[[models]]
provider = "local"
model = "small"
enabled = false

[secrets]
backend = "file"

[clients.codex]
toolsets = ["all"]
note = "the one in the terminal"

[app]
bring_to_front = true
approval_minutes = 30
"#;

#[test]
fn every_part_of_a_file_is_read() {
    let config = parse(FULL).unwrap();
    assert_eq!(config.toolsets, ["core", "router"]);
    assert_eq!(config.router.consent_mode, ConsentMode::AlwaysAsk);
    assert!(config.router.allow_paid && !config.router.prefer_free && !config.router.allow_user_pays);
    assert_eq!(config.router.global_monthly_usd_cap, PicoUsd::from_dollars(12.5));
    assert_eq!(config.router.task_prompts, BTreeMap::from([(TaskKind::Query, "Answer in French.".to_owned())]));
    let cloud = &config.providers["cloud"];
    assert_eq!(cloud.adapter, Adapter::OpenAi);
    assert_eq!(cloud.key_names(), ["CLOUD_KEY", "CLOUD_KEY_2"]);
    assert_eq!(cloud.credential_names(), ["CLOUD_KEY", "CLOUD_KEY_2", "CLOUD_ACCOUNT"]);
    assert_eq!(cloud.monthly_usd_cap, PicoUsd::from_dollars(5.0));
    assert_eq!((cloud.data_use, cloud.daily_request_cap, cloud.timeout_seconds), (DataUse::Unknown, 0, 12.5));
    assert!(!cloud.is_local() && config.providers["local"].is_local());
    let large = &config.models[0];
    assert_eq!(large.reasoning_levels, [ReasoningEffort::Instant, ReasoningEffort::High]);
    let body = serde_json::json!({"top_k": 4, "nested": {"deep": [1, 2.5, "x", true]}});
    assert_eq!(serde_json::Value::Object(large.extra_body.clone().unwrap()), body);
    assert_eq!(config.secrets.backend, SecretsBackend::File);
    assert_eq!(config.toolsets_of("codex"), ["all"]);
    assert_eq!(config.toolsets_of("another"), ["core", "router"]);
    assert_eq!((config.app.approval_minutes, config.app.bring_to_front, config.app.start_hidden), (30, true, false));
}

#[test]
fn an_empty_file_and_no_file_mean_defaults() {
    let temp = tempfile::tempdir().unwrap();
    let home = Home::at(temp.path()).unwrap();
    assert_eq!(Config::load(&home).unwrap(), Config::default());
    assert_eq!(parse("# nothing yet\n").unwrap(), Config::default());
    let default = Config::default();
    assert_eq!(default.router.consent_mode, ConsentMode::PaidOnly);
    assert!(!default.router.allow_paid && !default.router.allow_user_pays && !default.router.allow_training);
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_and_no_default() {
    let temp = tempfile::tempdir().unwrap();
    let home = Home::at(temp.path()).unwrap();
    home.create().unwrap();
    std::fs::create_dir(home.config_file()).unwrap();
    assert!(matches!(Config::load(&home), Err(ConfigError::Read { .. })));
}

#[rstest]
#[case("always", ConsentMode::AlwaysAsk)]
#[case("always_ask", ConsentMode::AlwaysAsk)]
#[case("automatic", ConsentMode::Automatic)]
#[case("never", ConsentMode::Automatic)]
fn lwa_014_consent_aliases_are_read_from_the_file(#[case] word: &str, #[case] mode: ConsentMode) {
    let config = parse(&format!("[router]\nconsent_mode = \"{word}\"\n")).unwrap();
    assert_eq!(config.router.consent_mode, mode);
}

#[test]
fn lwa_017_a_disabled_experimental_provider_and_model_keep_their_reasons() {
    let text = "[providers.p]\nbase_url = \"https://p.example\"\nexperimental = true\nenabled = false\n\
        disabled_reason = \"answers 401\"\n[[models]]\nprovider = \"p\"\nmodel = \"m\"\nenabled = false\n\
        disabled_reason = \"too slow\"\n";
    let config = parse(text).unwrap();
    assert!(config.providers["p"].experimental);
    assert_eq!(config.providers["p"].disabled().as_deref(), Some("answers 401"));
    let model = config.models[0].to_model(config.providers.get("p"));
    assert_eq!(model.disabled_reason.as_deref(), Some("too slow"));
}

#[test]
fn a_model_takes_the_class_of_its_provider_unless_it_has_its_own() {
    let provider = ProviderConfig { billing_class: BillingClass::Paid, ..ProviderConfig::default() };
    let mut model = ModelConfig::new("p", "m");
    assert_eq!(model.to_model(Some(&provider)).billing_class, BillingClass::Paid);
    assert_eq!(model.to_model(None).billing_class, BillingClass::Unknown);
    model.billing_class = Some(BillingClass::FreeQuota);
    assert_eq!(model.to_model(Some(&provider)).billing_class, BillingClass::FreeQuota);
    assert_eq!(model.to_model(None).capabilities, [Capability::Text].into());
}

#[test]
fn a_price_needs_both_costs_and_zero_makes_nothing_free() {
    let mut model = ModelConfig::new("p", "m");
    model.input_cost_per_million = Some(0.0);
    assert_eq!(model.price(), None);
    model.output_cost_per_million = Some(0.0);
    let seen = model.to_model(None);
    assert_eq!(seen.billing_class, BillingClass::Unknown);
    assert_eq!(seen.price.unwrap().worst_case(1000, 1000), PicoUsd::ZERO);
}

#[rstest]
#[case(0.15, 150_000)]
#[case(0.6, 600_000)]
#[case(0.07, 70_000)]
#[case(2.5, 2_500_000)]
#[case(0.000_000_1, 1)]
#[case(0.0, 0)]
fn costs_become_exact_prices_of_one_token(#[case] dollars_per_million: f64, #[case] pico: i64) {
    let mut model = ModelConfig::new("p", "m");
    model.input_cost_per_million = Some(dollars_per_million);
    model.output_cost_per_million = Some(dollars_per_million);
    let price = model.price().unwrap();
    assert_eq!((price.input_pico_usd.get(), price.output_pico_usd.get()), (pico, pico));
    assert_eq!((price.source.as_str(), price.as_of.as_str()), ("config", "unknown"));
}

#[test]
fn a_later_model_with_the_same_key_replaces_the_earlier_one() {
    let text = "[[models]]\nprovider = \"p\"\nmodel = \"m\"\nenabled = false\ncontext_length = 4096\n\
        [[models]]\nprovider = \"p\"\nmodel = \"m\"\ndisplay_name = \"M\"\n";
    let config = parse(text).unwrap();
    let expected = ModelConfig { display_name: Some("M".to_owned()), ..ModelConfig::new("p", "m") };
    assert_eq!(config.models, [expected]);
    assert!(!config.origin.lines.contains_key("models.p:m.enabled"));
    assert_eq!(config.origin.lines["models.p:m.display_name"], 9);
}

#[test]
fn models_may_be_written_in_one_line() {
    let config = parse("models = [{ provider = \"p\", model = \"m\" }]\n").unwrap();
    assert_eq!(config.models, [ModelConfig::new("p", "m")]);
}

fn shipped() -> Shipped {
    let text = "[providers.groq]\nbase_url = \"https://api.groq.example/v1\"\napi_key_env = \"GROQ_KEY\"\n\
        billing_class = \"free_quota\"\ndaily_request_cap = 900\n\
        [[models]]\nprovider = \"groq\"\nmodel = \"oss\"\ncontext_length = 131072\n";
    parse(text).unwrap().into()
}

#[test]
fn a_file_names_only_what_it_changes_of_a_shipped_provider() {
    let text =
        "[providers.groq]\ndaily_request_cap = 10\n[[models]]\nprovider = \"groq\"\nmodel = \"oss\"\nenabled = false\n";
    let config = Config::parse_over(text, Path::new("config.toml"), &shipped()).unwrap();
    let mut expected = shipped().providers["groq"].clone();
    expected.daily_request_cap = 10;
    assert_eq!(config.providers["groq"], expected);
    assert_eq!(config.models.len(), 1);
    assert_eq!((config.models[0].context_length, config.models[0].enabled), (131_072, false));
    // Without what is shipped, the same file lacks the address.
    assert!(matches!(parse(text), Err(ConfigError::Missing { key: "base_url", .. })));
}

#[test]
fn a_model_of_a_provider_that_does_not_exist_is_refused_with_the_nearest() {
    let text = "\n[[models]]\nmodel = \"oss\"\nprovider = \"grok\"\n";
    let error = Config::parse_over(text, Path::new("config.toml"), &shipped()).unwrap_err();
    assert_eq!(error.to_string(), "`config.toml` line 4: there is no provider `grok`; did you mean `groq`?");
    let config = parse(text).unwrap();
    assert!(config.check_references(&["grok".to_owned()]).is_ok());
    assert_eq!(config.check_references(&[]).unwrap_err().line(), Some(4));
}

#[test]
fn the_builtin_provider_can_be_switched_off_and_not_be_moved() {
    let config = parse("[providers.builtin]\nenabled = false\n").unwrap();
    assert_eq!(config.providers["builtin"].adapter, Adapter::Builtin);
    assert!(config.providers["builtin"].disabled().is_some());
    let error = parse("[providers.builtin]\nenabled = true\nbase_url = \"https://elsewhere.example\"\n").unwrap_err();
    assert_eq!(error.line(), Some(3));
}

#[test]
fn a_configuration_written_out_reads_back_equal() {
    let mut config = parse(FULL).unwrap();
    config.router.global_monthly_usd_cap = Some(PicoUsd::new(5_010_000_000_001));
    let written = to_toml(&config);
    assert_eq!(parse(&written).unwrap(), config, "{written}");
    assert_eq!(to_toml(&parse(&written).unwrap()), written);
    let off = parse("[providers.builtin]\nenabled = false\n").unwrap();
    assert_eq!(parse(&to_toml(&off)).unwrap(), off);
    // Over what is shipped, too, even where the file took something away.
    let keyless = "[providers.groq]\napi_key_env = \"\"\n";
    let keyless = Config::parse_over(keyless, Path::new("config.toml"), &shipped()).unwrap();
    assert!(keyless.providers["groq"].key_names().is_empty());
    assert_eq!(Config::parse_over(&to_toml(&keyless), Path::new("config.toml"), &shipped()).unwrap(), keyless);
}

#[rstest]
#[case("5.01", 5_010_000_000_000)]
#[case("0.07", 70_000_000_000)]
#[case("999999.99", 999_999_990_000_000_000)]
fn caps_are_exact(#[case] dollars: &str, #[case] pico: i64) {
    let config = parse(&format!("router.global_monthly_usd_cap = {dollars}\n")).unwrap();
    assert_eq!(config.router.global_monthly_usd_cap, Some(PicoUsd::new(pico)));
    assert_eq!(parse(&to_toml(&config)).unwrap(), config);
}

#[test]
fn rr_11_a_price_for_one_token_written_as_one_for_a_million_is_refused_until_it_is_confirmed() {
    let text = |more: &str| {
        format!(
            "[providers.p]\nbase_url = \"http://127.0.0.1:1/v1\"\n[[models]]\nprovider = \"p\"\nmodel = \"m\"\ninput_cost_per_million = 3.0\noutput_cost_per_million = 15000\n{more}"
        )
    };
    let parse = |more: &str| Config::parse_over(&text(more), Path::new("/c/config.toml"), &Shipped::default());
    let refused = parse("").unwrap_err().to_string();
    assert!(
        refused.contains("output_cost_per_million")
            && refused.contains("line 7")
            && refused.contains("is_price_confirmed"),
        "{refused}"
    );
    assert!(parse("is_price_confirmed = true\n").is_ok());
}
