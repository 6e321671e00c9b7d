//! Which edits wait for a human, and that everything else takes effect at once.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in tests a panic is the report")]

use std::path::Path;

use lwa_config::diff::{loosening, without_loosening};
use lwa_config::{Config, Shipped};
use lwa_domain::PicoUsd;
use rstest::rstest;

fn config(text: &str) -> Config {
    Config::parse(text, Path::new("config.toml")).unwrap()
}

fn keys(old: &str, new: &str) -> Vec<String> {
    let (old, new) = (config(old), config(new));
    let found = loosening(&old, &new);
    let held = without_loosening(&old, &new);
    assert_eq!(loosening(&old, &held), [], "held values must not loosen");
    if found.is_empty() {
        assert_eq!(held, new, "an edit that loosens nothing takes effect whole");
    }
    found.into_iter().map(|loosening| loosening.key).collect()
}

#[rstest]
#[case("consent_mode = \"always_ask\"", "consent_mode = \"paid_only\"", "consent_mode")]
#[case("", "consent_mode = \"automatic\"", "consent_mode")]
#[case("", "prefer_free = false", "prefer_free")]
#[case("", "allow_paid = true", "allow_paid")]
#[case("", "allow_user_pays = true", "allow_user_pays")]
#[case("", "allow_training = true", "allow_training")]
#[case("", "confirmation_ttl_seconds = 601", "confirmation_ttl_seconds")]
#[case("global_daily_request_cap = 5", "global_daily_request_cap = 6", "global_daily_request_cap")]
#[case("global_daily_request_cap = 5", "", "global_daily_request_cap")]
#[case("global_monthly_usd_cap = 5", "global_monthly_usd_cap = 5.01", "global_monthly_usd_cap")]
#[case("global_monthly_usd_cap = 5", "global_monthly_usd_cap = 0", "global_monthly_usd_cap")]
fn each_guard_of_the_router_waits_when_it_is_lowered_and_not_when_it_is_raised(
    #[case] strict: &str,
    #[case] loose: &str,
    #[case] key: &str,
) {
    let (strict, loose) = (format!("[router]\n{strict}\n"), format!("[router]\n{loose}\n"));
    assert_eq!(keys(&strict, &loose), [format!("router.{key}")]);
    assert!(keys(&loose, &strict).is_empty());
    assert!(keys(&strict, &strict).is_empty());
}

#[rstest]
#[case(
    "[library]\nallow_reviewed_script_execution = false",
    "[library]\nallow_reviewed_script_execution = true",
    "library.allow_reviewed_script_execution"
)]
#[case("", "[telemetry]\notlp_endpoint = \"http://127.0.0.1:4318\"", "telemetry.otlp_endpoint")]
fn scripts_and_a_place_for_measurements_wait(#[case] strict: &str, #[case] loose: &str, #[case] key: &str) {
    assert_eq!(keys(strict, loose), [key]);
    assert!(keys(loose, strict).is_empty());
}

#[test]
fn edits_that_concern_no_guard_take_effect_at_once() {
    let new = "[router]\ncatalog_refresh_minutes = 5\n[router.task_prompts]\nquery = \"x\"\n\
        [app]\nstart_hidden = true\napproval_minutes = 60\n[clients.c]\nnote = \"n\"\n";
    assert!(keys("", new).is_empty());
}

const CLOUD: &str =
    "[providers.p]\nbase_url = \"https://p.example/v1\"\napi_key_env = \"P_KEY\"\nbilling_class = \"paid\"\n";
const LOCAL: &str = "[providers.p]\nbase_url = \"http://127.0.0.1:1111/v1\"\nbilling_class = \"free\"\n";

#[rstest]
#[case("base_url = \"https://p.example/v1\"", "base_url = \"https://evil.example/v1\"", "base_url")]
#[case("base_url = \"https://p.example/v1\"", "base_url = \"http://p.example/v1\"", "base_url")]
#[case("base_url = \"https://p.example/v1\"", "base_url = \"https://p.example/tenant/v1\"", "base_url")]
#[case("base_url = \"https://p.example/v1\"", "base_url = \"http://127.0.0.1:9/v1\"", "base_url")]
#[case("api_key_env = \"P_KEY\"", "api_key_env = \"OTHER_SECRET\"", "api_key_env")]
#[case("api_key_env = \"P_KEY\"", "api_key_envs = [\"OTHER_SECRET\", \"P_KEY\"]", "api_key_env")]
#[case("billing_class = \"paid\"", "billing_class = \"free\"", "billing_class")]
#[case("billing_class = \"paid\"", "billing_class = \"free_quota\"", "billing_class")]
#[case("billing_class = \"paid\"", "billing_class = \"user_pays\"", "billing_class")]
fn a_changed_line_of_a_provider_with_a_key_waits(#[case] from: &str, #[case] to: &str, #[case] key: &str) {
    assert_eq!(keys(CLOUD, &CLOUD.replace(from, to)), [format!("providers.p.{key}")]);
}

#[rstest]
#[case("chat_path = \"/elsewhere\"", &["providers.p.chat_path"])]
#[case("models_path = \"/elsewhere\"", &["providers.p.models_path"])]
#[case("request_headers = { X-Org = \"theirs\" }", &["providers.p.request_headers"])]
#[case("account_id_env = \"ANY_SECRET\"", &["providers.p.account_id_env"])]
#[case("quota_key_env = \"ANY_SECRET\"", &["providers.p.quota_key_env"])]
#[case("billing_api_key_env = \"ANY_SECRET\"", &["providers.p.billing_api_key_env"])]
#[case("api_key_envs = [\"ANY_SECRET\"]", &["providers.p.api_key_env"])]
#[case("data_use = \"retains\"", &["providers.p.data_use"])]
#[case("data_use = \"none\"", &["providers.p.data_use"])]
#[case("data_use = \"trains\"", &[])]
#[case("enabled = false", &[])]
#[case("daily_request_cap = 5", &[])]
#[case("monthly_usd_cap = 5", &[])]
#[case("timeout_seconds = 5", &[])]
#[case("supports_live_models = false", &[])]
fn a_new_line_of_a_provider_with_a_key(#[case] line: &str, #[case] expected: &[&str]) {
    assert_eq!(keys(CLOUD, &format!("{CLOUD}{line}\n")), expected);
}

#[rstest]
#[case("enabled = false", "enabled")]
#[case("daily_request_cap = 5", "daily_request_cap")]
#[case("monthly_usd_cap = 5", "monthly_usd_cap")]
#[case("data_use = \"trains\"", "data_use")]
#[case("request_headers = { X-No-Training = \"1\" }", "request_headers")]
fn a_guarding_line_of_a_provider_cannot_be_dropped(#[case] line: &str, #[case] key: &str) {
    assert_eq!(keys(&format!("{CLOUD}{line}\n"), CLOUD), [format!("providers.p.{key}")]);
}

#[test]
fn dropping_the_last_of_several_keys_sends_nothing_new_and_dropping_the_first_does() {
    let both = CLOUD.replace("api_key_env = \"P_KEY\"", "api_key_envs = [\"P_FREE\", \"P_PAID\"]");
    assert!(keys(&both, &CLOUD.replace("P_KEY", "P_FREE")).is_empty());
    assert_eq!(keys(&both, &CLOUD.replace("P_KEY", "P_PAID")), ["providers.p.api_key_env"]);
}

#[test]
fn a_new_provider_waits_when_text_or_a_key_would_go_to_it() {
    assert_eq!(keys("", CLOUD), ["providers.p"]);
    assert_eq!(keys("", &CLOUD.replace("api_key_env = \"P_KEY\"\n", "")), ["providers.p"]);
    assert!(keys("", LOCAL).is_empty(), "a local server without a key may be used at once");
    // Any program can listen on a local port.
    assert_eq!(keys("", &format!("{LOCAL}api_key_env = \"P_KEY\"\n")), ["providers.p"]);
    assert!(keys("", &format!("{CLOUD}enabled = false\n")).is_empty());
}

#[test]
fn a_new_provider_that_waits_takes_its_models_with_it() {
    let new = format!("{CLOUD}[[models]]\nprovider = \"p\"\nmodel = \"m\"\n");
    let held = without_loosening(&Config::default(), &config(&new));
    assert!(held.providers.is_empty() && held.models.is_empty());
}

#[test]
fn a_local_server_without_a_key_may_move_on_this_machine_and_not_off_it() {
    assert!(keys(LOCAL, &LOCAL.replace("1111", "2222")).is_empty());
    assert_eq!(keys(LOCAL, &LOCAL.replace("127.0.0.1", "10.0.0.1")), ["providers.p.base_url"]);
}

const MODEL: &str = "[[models]]\nprovider = \"p\"\nmodel = \"m\"\n";

#[rstest]
#[case("", "billing_class = \"free\"\n", &["models.p:m.billing_class"])]
#[case("billing_class = \"unknown\"\n", "billing_class = \"user_pays\"\n", &["models.p:m.billing_class"])]
#[case("", "billing_class = \"unknown\"\n", &[])]
#[case("enabled = false\n", "", &["models.p:m.enabled"])]
#[case("", "enabled = false\n", &[])]
#[case("", "extra_body = { plugins = [\"web\"] }\n", &["models.p:m.extra_body"])]
#[case("extra_body = { data_collection = \"deny\" }\n", "", &["models.p:m.extra_body"])]
#[case("", "input_cost_per_million = 1\noutput_cost_per_million = 1\n", &["models.p:m.input_cost_per_million"])]
#[case("", "input_cost_per_million = 1\n", &[])]
#[case("", "context_length = 9000\ntask_scores = { query = 100 }\n", &[])]
fn models_of_a_paid_provider(#[case] old: &str, #[case] new: &str, #[case] expected: &[&str]) {
    assert_eq!(keys(&format!("{CLOUD}{MODEL}{old}"), &format!("{CLOUD}{MODEL}{new}")), expected);
}

#[test]
fn a_lower_price_of_a_paid_model_waits_and_a_higher_one_does_not() {
    let at = |price: &str| format!("{CLOUD}{MODEL}input_cost_per_million = {price}\noutput_cost_per_million = 8\n");
    assert_eq!(keys(&at("2"), &at("1.9")), ["models.p:m.input_cost_per_million"]);
    assert!(keys(&at("2"), &at("2.1")).is_empty());
}

#[test]
fn an_entry_that_restrains_a_model_cannot_be_dropped() {
    let off = format!("{CLOUD}{MODEL}enabled = false\n");
    assert_eq!(keys(&off, CLOUD), ["models.p:m.enabled"]);
    let held = without_loosening(&config(&off), &config(CLOUD));
    assert!(!held.models[0].enabled);
    assert!(keys(&format!("{CLOUD}{MODEL}"), CLOUD).is_empty());
    // With its provider it may go.
    assert!(keys(&off, "").is_empty());
}

#[rstest]
#[case("toolsets = [\"core\"]", "toolsets = [\"core\", \"worker\"]", &["toolsets"])]
#[case("toolsets = [\"all\"]", "toolsets = [\"core\", \"worker\"]", &[])]
#[case("toolsets = [\"core\", \"router\", \"library\", \"gateway\", \"worker\"]", "toolsets = [\"all\"]", &[])]
#[case("[clients.c]\ntoolsets = [\"core\"]", "[clients.c]\ntoolsets = [\"all\"]", &["clients.c.toolsets"])]
#[case("", "[clients.c]\ntoolsets = [\"worker\"]", &["clients.c.toolsets"])]
#[case("toolsets = [\"all\"]\n[clients.c]\ntoolsets = [\"core\"]", "toolsets = [\"all\"]", &["clients.c.toolsets"])]
#[case("toolsets = [\"all\"]", "toolsets = [\"all\"]\n[clients.c]\ntoolsets = [\"core\"]", &[])]
#[case("[secrets]\nbackend = \"keychain\"", "[secrets]\nbackend = \"file\"", &["secrets.backend"])]
#[case("[secrets]\nbackend = \"file\"", "", &[])]
fn clients_and_the_place_of_keys(#[case] old: &str, #[case] new: &str, #[case] expected: &[&str]) {
    assert_eq!(keys(old, new), expected);
}

#[test]
fn tightening_in_the_same_edit_takes_effect_while_the_loosening_waits() {
    let old = config("[router]\nglobal_monthly_usd_cap = 5\n");
    let new = config("[router]\nallow_paid = true\nglobal_monthly_usd_cap = 2\nconsent_mode = \"always_ask\"\n");
    let held = without_loosening(&old, &new);
    assert!(!held.router.allow_paid);
    assert_eq!(held.router.global_monthly_usd_cap, PicoUsd::from_dollars(2.0));
    assert_eq!(held.router.consent_mode, new.router.consent_mode);
    let found = loosening(&old, &new);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].from.as_str(), found[0].to.as_str()), ("false", "true"));
    assert_eq!(found[0].effect, "Paid routes may be used.");
}

#[test]
fn a_restraint_of_a_shipped_provider_cannot_be_dropped_with_its_table() {
    let shipped = Shipped::from(config(CLOUD));
    let path = Path::new("config.toml");
    let old = Config::parse_over("[providers.p]\nenabled = false\n", path, &shipped).unwrap();
    let new = Config::parse_over("", path, &shipped).unwrap();
    assert_eq!(loosening(&old, &new)[0].key, "providers.p.enabled");
    // A file cannot point a shipped provider's key elsewhere.
    let moved = Config::parse_over("[providers.p]\nbase_url = \"https://evil.example\"\n", path, &shipped).unwrap();
    assert_eq!(loosening(&new, &moved)[0].key, "providers.p.base_url");
    assert_eq!(without_loosening(&new, &moved), new);
}

#[test]
fn what_is_shown_holds_no_value_of_a_header_or_a_body() {
    let new = format!(
        "{CLOUD}request_headers = {{ X-Org = \"fake-value\" }}\n{MODEL}extra_body = {{ user = \"fake-value\" }}\n"
    );
    let shown = format!("{:?}", loosening(&config(CLOUD), &config(&new)));
    assert!(shown.contains("X-Org") && shown.contains("user") && !shown.contains("fake-value"), "{shown}");
}

#[test]
fn a_provider_cannot_be_moved_in_two_harmless_steps() {
    let keyless = CLOUD.replace("api_key_env = \"P_KEY\"\n", "");
    assert!(keys(CLOUD, &keyless).is_empty(), "dropping the key tightens");
    // A stored key may still belong to the name.
    let moved = keyless.replace("https://p.example/v1", "http://127.0.0.1:9/v1");
    assert_eq!(keys(&keyless, &moved), ["providers.p.base_url"]);
}
