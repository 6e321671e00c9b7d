//! The shipped providers.

use std::collections::BTreeSet;

use lwa_domain::{BillingClass, Capability, DataUse, PicoUsd, ReasoningEffort, TaskKind};
use lwa_providers::catalog::{AdapterKind, class_of, find, shipped};
use lwa_providers::{EffortEncoding, MaxTokensField};
use rstest::rstest;

const NAMES: [&str; 19] = [
    "gemini",
    "openai",
    "openrouter",
    "groq",
    "mistral",
    "cloudflare",
    "siliconflow",
    "venice",
    "pollinations",
    "cohere",
    "replicate",
    "stability",
    "nvidia",
    "zai",
    "aion",
    "zenmux",
    "cerebras",
    "blackbox",
    "puter",
];

#[test]
fn lwa_048_the_nineteen_providers_are_shipped() {
    let names: Vec<_> = shipped().iter().map(|provider| provider.name.as_str()).collect();
    assert_eq!(names, NAMES);
}

#[test]
fn lwa_049_every_provider_is_complete() {
    let mut variables = BTreeSet::new();
    for provider in shipped() {
        let name = &provider.name;
        assert!(provider.base_url.starts_with("https://") && !provider.base_url.ends_with('/'), "{name}");
        assert!(provider.chat_path.starts_with('/') && provider.models_path.starts_with('/'), "{name}");
        assert!(provider.key_url.starts_with("https://"), "{name}");
        assert!(!provider.title.is_empty() && !provider.note.is_empty(), "{name}");
        assert_eq!(provider.base_url.contains("{account_id}"), !provider.account_id_env.is_empty(), "{name}");
        assert!(!provider.key_env.is_empty(), "{name}");
        for variable in provider.key_env.iter().chain(&provider.account_id_env).chain(&provider.billing_key_env) {
            assert!(variables.insert(variable.clone()), "{variable} serves two providers");
        }
        assert_eq!(provider.data_use == DataUse::Unknown, provider.data_use_source.is_empty(), "{name}");
        assert!(!provider.models.is_empty(), "{name}");
        assert!(provider.quota_path.as_ref().is_none_or(|path| path.starts_with('/')), "{name}");
        assert_eq!(AdapterKind::parse(provider.adapter.as_str()), Some(provider.adapter), "{name}");
    }
}

#[test]
fn paid_providers_have_a_monthly_cap_and_the_others_a_daily_one() {
    for provider in shipped() {
        match provider.billing_class {
            BillingClass::Paid => {
                assert_eq!(provider.monthly_cap(), Some(PicoUsd::new(5_000_000_000_000)), "{}", provider.name);
                assert_eq!(provider.daily_request_cap, 0);
            }
            BillingClass::FreeQuota | BillingClass::UserPays => {
                let cap = if provider.name == "openrouter" { 45 } else { 900 };
                assert_eq!((provider.daily_request_cap, provider.monthly_cap()), (cap, None), "{}", provider.name);
            }
            other => panic!("{}: {other}", provider.name),
        }
    }
}

#[test]
fn seeds_have_a_score_for_each_task_that_they_can_do_and_no_price() {
    for provider in shipped() {
        for model in provider.seeds() {
            let scored: Vec<_> = model.task_scores.keys().copied().collect();
            let able: Vec<_> = TaskKind::ALL
                .iter()
                .copied()
                .filter(|task| match task.required_capabilities() {
                    [Capability::Image] => model.capabilities.contains(&Capability::Image),
                    [Capability::Video] => model.capabilities.contains(&Capability::Video),
                    _ => model.capabilities.contains(&Capability::Text),
                })
                .collect();
            assert_eq!(scored, able, "{}", model.key);
            assert!(model.task_scores.values().all(|score| (1..=100).contains(score)), "{}", model.key);
            assert_eq!(model.price, None, "{}", model.key);
            assert_eq!((model.source.as_str(), model.billing_class), ("seed", provider.billing_class));
            assert!(!model.capabilities.is_empty() && model.context_length >= 8192, "{}", model.key);
            // An effort without reasoning would be a contradiction.
            assert!(
                model.reasoning_levels.is_empty() || model.capabilities.contains(&Capability::Reasoning),
                "{}",
                model.key
            );
            let profile = provider.profile_for(&model.key.model);
            assert!(
                profile.accepted_efforts.iter().all(|effort| profile.effort_encoding.can_say(*effort)),
                "{}",
                model.key
            );
        }
    }
}

#[test]
fn some_facts_are_what_they_are() {
    let model = &find("groq").unwrap().seeds()[1];
    assert_eq!(model.key.to_string(), "groq:openai/gpt-oss-120b");
    assert_eq!(model.context_length, 131_072);
    assert_eq!((model.task_scores[&TaskKind::QuickResponse], model.task_scores[&TaskKind::Verification]), (78, 93));
    assert_eq!(find("blackbox").unwrap().base_url, "https://api.blackbox.ai");
    assert!(find("siliconflow").unwrap().disabled_reason.is_some());
    assert_eq!(shipped().iter().filter(|provider| provider.disabled_reason.is_some()).count(), 1);
    assert!(find("siliconflow").unwrap().is_experimental);
    let sol = &find("puter").unwrap().seeds()[0];
    assert_eq!((sol.key.model.as_str(), sol.billing_class), ("openai/gpt-5.6-sol", BillingClass::UserPays));
    assert_eq!((sol.task_scores[&TaskKind::Query], sol.task_scores[&TaskKind::CodingAux]), (96, 97));
    let flux = &find("replicate").unwrap().models[1];
    assert_eq!(flux.input_mapping["prompt"], "$PROMPT");
    assert_eq!(flux.input_mapping["output_quality"], 90);
    let core = &find("stability").unwrap().models[0];
    assert_eq!(core.endpoint.as_deref(), Some("/v2beta/stable-image/generate/core"));
    assert_eq!(find("zenmux").unwrap().billing_key_env, ["ZENMUX_MANAGEMENT_API_KEY"]);
}

#[test]
fn what_is_said_about_the_use_of_text_names_its_source_and_its_day() {
    let said: Vec<_> = shipped().iter().filter(|provider| provider.data_use != DataUse::Unknown).collect();
    assert!(said.len() >= 7);
    for provider in said {
        let day = provider.data_use_source.rsplit_once(", ").map(|(_, day)| day).unwrap_or_default();
        assert!(day.parse::<jiff::civil::Date>().is_ok(), "{}: {}", provider.name, provider.data_use_source);
    }
    assert_eq!(find("gemini").unwrap().data_use, DataUse::Trains);
    assert_eq!(find("cerebras").unwrap().data_use, DataUse::None);
    assert_eq!(find("openrouter").unwrap().data_use, DataUse::Unknown);
}

#[rstest]
#[case("openrouter", "example/gift:free", BillingClass::FreeQuota, BillingClass::FreeQuota)]
#[case("openrouter", "openrouter/free", BillingClass::FreeQuota, BillingClass::FreeQuota)]
#[case("openrouter", "example/dear", BillingClass::FreeQuota, BillingClass::Paid)]
#[case("zai", "glm-4.7-flash", BillingClass::FreeQuota, BillingClass::FreeQuota)]
#[case("zai", "glm-5", BillingClass::FreeQuota, BillingClass::Paid)]
#[case::only_openrouter_means_it_so("groq", "example:free", BillingClass::FreeQuota, BillingClass::FreeQuota)]
#[case::never_free_for_money("venice", "example:free", BillingClass::Paid, BillingClass::Paid)]
#[case::a_person_has_said_otherwise("openrouter", "example/gift:free", BillingClass::Paid, BillingClass::Paid)]
#[case::nobody_knows("elsewhere", "example:free", BillingClass::Unknown, BillingClass::Unknown)]
fn a_01_who_pays_is_a_rule_of_the_provider_and_not_of_a_price(
    #[case] provider: &str,
    #[case] model: &str,
    #[case] configured: BillingClass,
    #[case] expected: BillingClass,
) {
    assert_eq!(class_of(provider, model, configured), expected);
}

#[test]
fn a_12_profiles_know_what_a_model_refuses() {
    let openai = find("openai").unwrap().profile_for("gpt-5.2");
    assert!(!openai.sends_temperature);
    assert_eq!(openai.max_tokens_field, MaxTokensField::MaxCompletionTokens);
    assert_eq!(openai.accepted_efforts, ReasoningEffort::ALL);
    let zai = find("zai").unwrap().profile_for("glm-4.7-flash");
    assert_eq!(zai.effort_encoding, EffortEncoding::ThinkingToggle);
    assert!(zai.sends_temperature);
    assert!(!find("mistral").unwrap().profile_for("anything").sends_stream_options);
    assert!(find("mistral").unwrap().profile_for("anything").accepted_efforts.is_empty());
}
