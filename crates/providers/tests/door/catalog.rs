//! The shipped providers.

use std::collections::BTreeSet;

use lwa_domain::{BillingClass, Capability, DataUse, PicoUsd, ReasoningEffort, TaskKind};
use lwa_providers::catalog::{find, shipped};
use lwa_providers::{EffortEncoding, MaxTokensField};

const NAMES: [&str; 15] = [
    "openai",
    "openrouter",
    "groq",
    "mistral",
    "cloudflare",
    "siliconflow",
    "venice",
    "pollinations",
    "cohere",
    "nvidia",
    "zai",
    "aion",
    "zenmux",
    "cerebras",
    "blackbox",
];

#[test]
fn lwa_048_the_openai_compatible_providers_are_shipped() {
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
        for variable in provider.key_env.iter().chain(&provider.account_id_env) {
            assert!(variables.insert(variable.clone()), "{variable} serves two providers");
        }
        assert_eq!(provider.data_use == DataUse::Unknown, provider.data_use_source.is_empty(), "{name}");
        assert!(!provider.models.is_empty(), "{name}");
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
            BillingClass::FreeQuota => {
                let cap = if provider.name == "openrouter" { 45 } else { 900 };
                assert_eq!((provider.daily_request_cap, provider.monthly_cap()), (cap, None), "{}", provider.name);
            }
            other => panic!("{}: {other}", provider.name),
        }
    }
}

#[test]
fn seeds_have_a_score_for_each_text_task_and_no_price() {
    for provider in shipped() {
        for model in provider.seeds() {
            let scored: Vec<_> = model.task_scores.keys().copied().collect();
            assert_eq!(scored, &TaskKind::ALL[..10], "{}", model.key);
            assert!(model.task_scores.values().all(|score| (1..=100).contains(score)), "{}", model.key);
            assert_eq!(model.price, None, "{}", model.key);
            assert_eq!((model.source.as_str(), model.billing_class), ("seed", provider.billing_class));
            assert!(model.capabilities.contains(&Capability::Text) && model.context_length >= 8192, "{}", model.key);
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
    assert!(find("replicate").is_none());
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
