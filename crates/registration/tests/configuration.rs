//! The older product's configuration becomes an edit of ours: what differs is set, the rest is listed.

#![allow(clippy::unwrap_used, reason = "a panic in a test is its report")]

use std::collections::BTreeMap;
use std::path::Path;

use lwa_config::{Config, Shipped};
use lwa_registration::seed::{ConfigurationPlan, Ours, plan_configuration};
use rstest::rstest;

const SHIPPED: &str = r#"
[providers.groq]
base_url = "https://api.groq.example/v1"
api_key_env = "GROQ_API_KEY"
api_key_envs = ["GROQ_KEY"]
billing_class = "free_quota"
daily_request_cap = 900

[providers.openai]
base_url = "https://api.openai.example/v1"
api_key_env = "OPENAI_API_KEY"
billing_class = "paid"
monthly_usd_cap = 5.0

[[models]]
provider = "groq"
model = "openai/gpt-oss-20b"
capabilities = ["text", "reasoning", "tools"]
context_length = 131072
task_scores = { query = 84, planning = 80 }
"#;

fn shipped() -> Shipped {
    Config::parse(SHIPPED, Path::new("shipped")).unwrap().into()
}

fn plan_over(yaml: &str, ours: &str, is_replaced: bool) -> ConfigurationPlan {
    let shipped = shipped();
    plan_configuration(yaml, Ours { text: ours, path: Path::new("config.toml"), shipped: &shipped, is_replaced })
        .unwrap()
}

fn plan(yaml: &str) -> ConfigurationPlan {
    plan_over(yaml, "", false)
}

fn changes(plan: &ConfigurationPlan) -> Vec<(&str, &str, &str)> {
    plan.changes.iter().map(|change| (change.key.as_str(), change.from.as_str(), change.to.as_str())).collect()
}

fn not_carried(plan: &ConfigurationPlan) -> BTreeMap<&str, &str> {
    plan.not_carried.iter().map(|one| (one.key.as_str(), one.reason.as_str())).collect()
}

#[test]
fn what_already_holds_is_not_written() {
    let yaml = r"
consent_mode: paid_only
prefer_free: yes
allow_paid: false
catalog_refresh_minutes: 30
providers:
  groq:
    name: groq
    enabled: true
    experimental: false
    disabled_reason: null
    adapter: openai
    base_url: https://api.groq.example/v1
    api_key_env: GROQ_API_KEY
    api_key_envs: []
    billing_class: free_quota
    models_path: /models
    request_headers: {}
    subscription_plan: unknown
    subscription_status: unknown
    monthly_usd_cap: 0.0
    daily_request_cap: 900
    timeout_seconds: 90.0
    supports_live_models: true
models:
  - provider: groq
    model: openai/gpt-oss-20b
    billing_class: free_quota
    capabilities: [tools, text, reasoning]
    context_length: 131072
    task_scores: {planning: 80.0, query: 84}
    service_tiers: []
    supported_parameters: {}
    input_cost_per_million: null
    enabled: true
    source: seed
    metadata: {}
";
    let plan = plan(yaml);
    assert_eq!((changes(&plan), plan.text.as_str()), (vec![], ""));
    assert!(plan.not_carried.is_empty() && plan.waiting.is_empty(), "{plan:?}");
}

#[test]
fn settings_are_carried_with_their_older_names_and_words() {
    let yaml = "consent_mode: Always\nconfirmation_ttl_seconds: 120\nprefer_free: true\n\
        task_prompts:\n  query: Answer in one line.\n  dancing: x\n";
    let plan = plan(yaml);
    assert_eq!(
        changes(&plan),
        [
            ("router.consent_mode", "paid_only", "always_ask"),
            ("router.confirmation_ttl_seconds", "600", "120"),
            ("router.task_prompts", "none", "query: Answer in one line."),
        ]
    );
    assert!(not_carried(&plan)["router.task_prompts.dancing"].contains("quick_response"));
    assert!(plan.waiting.is_empty());
    let config = Config::parse_over(&plan.text, Path::new("c"), &shipped()).unwrap();
    assert_eq!(config.router.confirmation_ttl_seconds, 120);
}

#[rstest]
#[case("allow_paid: true\n", "router.allow_paid")]
#[case("allow_user_pays: true\n", "router.allow_user_pays")]
#[case("consent_mode: never\n", "router.consent_mode")]
#[case("prefer_free: false\n", "router.prefer_free")]
#[case("providers: {openai: {monthly_usd_cap: 50}}\n", "providers.openai.monthly_usd_cap")]
#[case("providers: {groq: {base_url: \"https://other.example/v1\"}}\n", "providers.groq.base_url")]
#[case("providers: {groq: {billing_class: free}}\n", "")]
#[case("providers: {openai: {billing_class: free}}\n", "providers.openai.billing_class")]
#[case("providers: {mine: {base_url: \"https://mine.example/v1\", api_key_env: MINE_KEY}}\n", "providers.mine")]
fn what_loosens_is_told_apart(#[case] yaml: &str, #[case] key: &str) {
    let plan = plan(yaml);
    assert!(!plan.changes.is_empty(), "{yaml}");
    let waiting: Vec<&str> = plan.waiting.iter().map(|one| one.key.as_str()).collect();
    assert_eq!(waiting, if key.is_empty() { vec![] } else { vec![key] });
}

#[test]
fn what_has_no_counterpart_is_listed_with_its_reason() {
    let yaml = "routing: {mode: codex_first}\nauxiliary_provider_mode: configured\nmade_up: 1\n\
        providers: {groq: {made_up: 1, adapter: telepathy, name: other}, nowhere: {enabled: true}, builtin: {enabled: true}}\n\
        models: [{provider: nowhere, model: m}, {model: m}, {provider: groq, model: openai/gpt-oss-20b, metadata: {raw: {a: 1}, made_up: /x}}]\n";
    let plan = plan(yaml);
    let reasons = not_carried(&plan);
    for key in ["routing", "auxiliary_provider_mode"] {
        assert!(reasons[key].contains("never calls another model"), "{key}");
    }
    for key in [
        "made_up",
        "providers.groq.made_up",
        "providers.groq.adapter",
        "providers.groq.name",
        "providers.nowhere",
        "providers.builtin",
        "models.nowhere:m",
        "models",
        "models.groq:openai/gpt-oss-20b.metadata.made_up",
    ] {
        assert!(reasons.contains_key(key), "{key}: {reasons:?}");
    }
    assert!(reasons["providers.nowhere"].contains("address"), "{reasons:?}");
    assert!(changes(&plan).is_empty(), "{plan:?}");
}

#[test]
fn a_provider_and_a_model_of_ones_own_are_carried_whole() {
    let yaml = r"
providers:
  mine:
    name: mine
    adapter: openai
    base_url: https://mine.example/{account_id}/v1
    account_id_env: MINE_ACCOUNT
    api_key_env: MINE_KEY
    billing_class: paid
    monthly_usd_cap: 2.5
    request_headers: {X-Title: lwa, Authorization: Bearer abcdefghijklmnop0123}
models:
  - provider: mine
    model: plain
  - provider: mine
    model: big
    display_name: Big
    capabilities: [text, reasoning]
    reasoning_levels: [medium, high]
    context_length: 200000
    input_cost_per_million: 1.5
    output_cost_per_million: 6
    task_scores: {planning: 91.6}
    metadata: {extra_body: {safe: true}}
";
    let plan = plan(yaml);
    let config = &plan.config;
    let mine = &config.providers["mine"];
    assert_eq!(mine.base_url.as_deref(), Some("https://mine.example/{account_id}/v1"));
    assert_eq!(mine.account_id_env.as_deref(), Some("MINE_ACCOUNT"));
    assert_eq!(mine.request_headers, BTreeMap::from([("X-Title".to_owned(), "lwa".to_owned())]));
    let models: Vec<_> = config.models.iter().filter(|model| model.provider == "mine").collect();
    assert_eq!(models.iter().map(|model| model.model.as_str()).collect::<Vec<_>>(), ["plain", "big"]);
    assert_eq!((models[1].context_length, models[1].display_name.as_deref()), (200_000, Some("Big")));
    assert_eq!(models[1].output_cost_per_million, Some(6.0));
    assert_eq!(models[1].task_scores.values().copied().collect::<Vec<_>>(), [92]);
    assert!(models[1].extra_body.as_ref().unwrap().contains_key("safe"));
    assert!(not_carried(&plan)["providers.mine.request_headers.Authorization"].contains("lwa keys set"));
    // A default is not spelled out, and the address stands in the list once.
    let keys: Vec<&str> = changes(&plan).into_iter().map(|(key, _, _)| key).collect();
    assert!(!keys.contains(&"providers.mine.adapter") && !keys.contains(&"models.mine:big.billing_class"), "{keys:?}");
    assert_eq!(keys.iter().filter(|key| **key == "providers.mine.base_url").count(), 1, "{keys:?}");
}

#[test]
fn a_key_where_a_variable_belongs_is_refused_and_shown_nowhere() {
    let key = "gsk_fake0fake1fake2fake3fake4";
    let yaml =
        format!("providers: {{groq: {{api_key_env: {key}, request_headers: {{X-Api-Key: {key}, X-Note: {key}}}}}}}\n");
    let plan = plan(&yaml);
    assert!(not_carried(&plan)["providers.groq.api_key_env"].contains("lwa keys set"));
    let shown = format!("{:?} {:?} {:?}", plan.changes, plan.kept, plan.not_carried);
    assert!(!shown.contains(key), "{shown}");
}

#[test]
fn an_address_that_cannot_be_one_leaves_the_provider_out_as_a_whole() {
    let plan = plan("providers: {mine: {base_url: nowhere, api_key_env: MINE_KEY}}\n");
    assert!(not_carried(&plan)["providers.mine"].starts_with("`base_url` "), "{:?}", plan.not_carried);
    assert_eq!((plan.not_carried.len(), plan.text.as_str()), (1, ""));
}

#[test]
fn an_older_word_for_what_holds_already_is_not_written() {
    assert_eq!(plan("providers: {openai: {adapter: openai_media}}\n").text, "");
    assert_eq!(plan("consent_mode: Paid-Only\n").text, "");
}

#[test]
fn further_variables_of_a_key_come_before_ours() {
    let plan = plan("providers: {groq: {api_key_envs: [GROQ_API_KEY_1]}}\n");
    assert_eq!(changes(&plan), [("providers.groq.api_key_envs", "GROQ_KEY", "GROQ_API_KEY_1, GROQ_KEY")]);
}

#[test]
fn comments_stay_and_what_our_file_says_gives_way_only_when_asked() {
    let ours = "# mine\n[router]\nconfirmation_ttl_seconds = 60 # short\n\n[providers.groq]\ndaily_request_cap = 10\n";
    let yaml =
        "confirmation_ttl_seconds: 90\ncatalog_refresh_minutes: 60\nproviders: {groq: {daily_request_cap: 20}}\n";
    let kept = plan_over(yaml, ours, false);
    assert_eq!(changes(&kept), [("router.catalog_refresh_minutes", "30", "60")]);
    let pairs: Vec<_> =
        kept.kept.iter().map(|kept| (kept.key.as_str(), kept.ours.as_str(), kept.theirs.as_str())).collect();
    assert_eq!(
        pairs,
        [("router.confirmation_ttl_seconds", "60", "90"), ("providers.groq.daily_request_cap", "10", "20")]
    );
    assert!(kept.text.starts_with("# mine\n[router]\nconfirmation_ttl_seconds = 60 # short\n"), "{}", kept.text);
    let replaced = plan_over(yaml, ours, true);
    assert!(replaced.kept.is_empty());
    assert_eq!(replaced.changes.len(), 3);
    assert!(replaced.text.contains("# mine") && replaced.text.contains("confirmation_ttl_seconds = 90 # short"));
}

#[test]
fn a_second_import_changes_nothing() {
    let yaml = "consent_mode: always\nproviders: {mine: {base_url: \"https://mine.example/v1\", request_headers: {X-A: b}}}\n\
        models: [{provider: mine, model: m, task_scores: {query: 1}}]\n";
    let first = plan(yaml);
    let second = plan_over(yaml, &first.text, false);
    assert_eq!((changes(&second), second.kept.len(), &second.text), (vec![], 0, &first.text));
}
