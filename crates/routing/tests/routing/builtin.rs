//! The provider that is part of the product: it serves when it is named or when no model is eligible.

use lwa_domain::{BillingClass, Capability, ConsentMode, DataUse, Model, Quality, ReasoningEffort, TaskKind};
use lwa_routing::{BUILTIN_PROVIDER, Gate, Policy, Request};
use rstest::rstest;

use crate::support::{POLICY, REQUEST, World, model, names, reason_for};

const COMPRESS: Request = Request { task: TaskKind::ConversationCompression, ..REQUEST };

fn condense() -> Model {
    let mut condense = model("builtin:condense", BillingClass::Free, 60);
    condense.capabilities = [Capability::Text].into();
    condense
}

fn world(others: impl IntoIterator<Item = Model>) -> World {
    World::of(others.into_iter().chain([condense()])).with(BUILTIN_PROVIDER, |builtin| {
        builtin.is_local = true;
        builtin.data_use = DataUse::None;
        builtin.credential_names.clear();
    })
}

fn weak_cloud() -> Model {
    model("cloud:weak", BillingClass::FreeQuota, 1)
}

#[rstest]
#[case(TaskKind::ConversationCompression)]
#[case(TaskKind::TokenOptimization)]
fn with_nothing_configured_the_builtin_serves(#[case] task: TaskKind) {
    let decision = world([]).decide(&Request { task, ..REQUEST }, &POLICY).unwrap();
    assert_eq!(decision.chosen.model.key.to_string(), "builtin:condense");
    assert!(!decision.requires_consent);
    assert_eq!(decision.chosen.reasons.last().unwrap(), "no model is eligible, and the task needs none");
}

#[test]
fn an_eligible_model_goes_first_however_weak() {
    let decision = world([weak_cloud()]).decide(&COMPRESS, &POLICY).unwrap();
    assert_eq!(decision.chosen.model.key.to_string(), "cloud:weak");
    assert_eq!(reason_for(&decision, "builtin:condense"), Gate::BuiltinStepsBack);
}

#[test]
fn a_model_that_is_not_eligible_does_not_keep_the_builtin_back() {
    let world = world([weak_cloud()]).with("cloud", |cloud| cloud.has_credential = false);
    assert_eq!(world.chosen(&COMPRESS, &POLICY), "builtin:condense");
}

#[test]
fn named_as_provider_or_model_or_preferred_the_builtin_serves() {
    let preferred = names(&[BUILTIN_PROVIDER]);
    let world = world([model("cloud:strong", BillingClass::FreeQuota, 99)]);
    for request in [
        Request { provider: Some("builtin"), ..COMPRESS },
        Request { model: Some("condense"), ..COMPRESS },
        Request { preferred_providers: &preferred, ..COMPRESS },
    ] {
        assert_eq!(world.chosen(&request, &POLICY), "builtin:condense");
    }
}

#[test]
fn preferred_in_second_place_it_comes_after_the_first() {
    let preferred = names(&["cloud", BUILTIN_PROVIDER]);
    let request = Request { preferred_providers: &preferred, ..COMPRESS };
    assert_eq!(world([weak_cloud()]).chosen(&request, &POLICY), "cloud:weak");
}

#[test]
fn it_serves_no_task_that_needs_a_model_and_never_votes() {
    for task in TaskKind::ALL.iter().copied().filter(|task| !task.is_served_without_model()) {
        for provider in [None, Some("builtin")] {
            let none = world([]).refusal(&Request { task, provider, ..REQUEST }, &POLICY);
            let label = none.rejected[0].reason.label();
            assert!(["needs_model", "missing_capabilities"].contains(&label), "{task}: {label}");
        }
    }
}

#[test]
fn it_does_not_vote_even_if_its_entry_claims_to_reason() {
    let mut world = world([]);
    world.models[0].capabilities.insert(Capability::Reasoning);
    let none = world.refusal(&Request { task: TaskKind::Consensus, ..REQUEST }, &POLICY);
    assert_eq!(none.rejected[0].reason, Gate::NeedsModel);
}

#[test]
fn it_has_no_reasoning_effort_but_any_quality() {
    let request = Request { reasoning_effort: Some(ReasoningEffort::Instant), ..COMPRESS };
    let none = world([]).refusal(&request, &POLICY);
    let gate = &none.rejected[0].reason;
    assert_eq!(gate.to_string(), "reasoning effort `instant` not offered (accepts none)");
    assert!(none.way_out.contains("ask for no reasoning effort"), "{}", none.way_out);
    for quality in Quality::ALL {
        assert_eq!(world([]).chosen(&Request { quality: *quality, ..COMPRESS }, &POLICY), "builtin:condense");
    }
}

#[test]
fn under_always_ask_it_asks() {
    let policy = Policy { consent_mode: ConsentMode::AlwaysAsk, ..POLICY };
    assert!(world([]).decide(&COMPRESS, &policy).unwrap().requires_consent);
}
