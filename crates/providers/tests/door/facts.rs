//! The table of facts.

use std::collections::BTreeSet;

use lwa_providers::facts::{self, Mark};
use lwa_providers::{Endpoint, catalog};

#[test]
fn every_shipped_provider_and_the_local_one_have_facts() {
    let known: BTreeSet<_> = facts::all().iter().map(|facts| facts.name.as_str()).collect();
    assert_eq!(known.len(), 20);
    for provider in catalog::shipped() {
        assert!(known.contains(provider.name.as_str()), "{}", provider.name);
    }
    assert!(known.contains("local") && known.contains("gemini") && known.contains("stability"));
}

#[test]
fn the_facts_agree_with_the_catalogue_about_parameters() {
    for provider in catalog::shipped() {
        let facts = facts::find(&provider.name).unwrap();
        for (name, shipped, table) in [
            ("sends_temperature", provider.profile.sends_temperature, facts.parameters.sends_temperature),
            ("sends_stream_options", provider.profile.sends_stream_options, facts.parameters.sends_stream_options),
        ] {
            assert!(shipped.is_none_or(|shipped| shipped == table), "{}: {name}", provider.name);
        }
        let field = provider.profile.max_tokens_field;
        assert!(field.is_none_or(|field| field == facts.parameters.max_tokens_field), "{}", provider.name);
    }
}

#[test]
fn every_fact_has_a_source_and_codes_and_headers_are_in_lower_case() {
    for facts in facts::all().iter().chain([facts::usual()]) {
        let name = &facts.name;
        let sources = [&facts.effort.source, &facts.parameters.source, &facts.usage.source, &facts.errors.source];
        assert!(sources.iter().all(|source| !source.is_empty()), "{name}");
        for code in &facts.errors.codes {
            assert!(!code.source.is_empty(), "{name}");
            assert!(
                code.code.is_some() || code.status.is_some() || code.says.is_some(),
                "{name}: a fact about nothing"
            );
            for text in [&code.code, &code.says].into_iter().flatten() {
                assert_eq!(*text, text.to_lowercase(), "{name}");
            }
        }
        for quota in &facts.quota {
            assert!(quota.limit.is_some() || quota.remaining.is_some(), "{name}");
            assert_eq!(quota.reset.is_some(), quota.reset_unit.is_some(), "{name}: a reset without a unit is a guess");
            for header in [&quota.limit, &quota.remaining, &quota.reset].into_iter().flatten() {
                assert_eq!(*header, header.to_lowercase(), "{name}");
            }
        }
        for path in facts.errors.code_at.iter().chain(&facts.errors.message_at) {
            assert!(path.starts_with('/'), "{name}: {path}");
        }
    }
}

#[test]
fn a_provider_is_known_by_its_host_under_any_name() {
    let by_host = Endpoint::new("my-plan", "https://api.z.ai/api/coding/paas/v4");
    assert_eq!(facts::for_endpoint(&by_host).name, "zai");
    // The host decides even where the name claims something else.
    let disguised = Endpoint::new("groq", "https://api.venice.ai/api/v1");
    assert_eq!(facts::for_endpoint(&disguised).name, "venice");
    let local = Endpoint { is_local: true, ..Endpoint::new("ollama", "http://127.0.0.1:11434/v1") };
    assert_eq!(facts::for_endpoint(&local).name, "local");
    let stranger = Endpoint::new("stranger", "https://models.invalid/v1");
    assert_eq!(facts::for_endpoint(&stranger).name, "usual");
}

/// The count that a look at the live services should bring down; it may fall, and a rise has to be meant.
#[test]
fn hypotheses_are_counted() {
    let marks: Vec<_> = facts::all().iter().chain([facts::usual()]).flat_map(facts::WireFacts::marks).collect();
    let unverified = marks.iter().filter(|mark| **mark == Mark::Unverified).count();
    assert!(unverified * 10 < marks.len(), "{unverified} of {} facts are hypotheses", marks.len());
    assert!(unverified <= 17, "{unverified} hypotheses of {}", marks.len());
}
