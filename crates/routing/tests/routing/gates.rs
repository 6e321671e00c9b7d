//! Each gate, and their order.

use lwa_domain::{BillingClass, Capability, DataUse, Model, ProviderFacts, Quality, ReasoningEffort, TaskKind};
use lwa_routing::{Gate, Leave, Policy, Request};
use rstest::rstest;

use crate::support::{POLICY, REQUEST, World, model, names, paid_allowed, price, reason_for};

/// `free:a` is the subject; `spare:b` is always eligible and worse.
fn pair() -> World {
    World::of([model("free:a", BillingClass::Free, 90), model("spare:b", BillingClass::Free, 50)])
}

fn refusal_of_a(world: &World, request: &Request, policy: &Policy) -> Gate {
    let decision = world.decide(request, policy).unwrap();
    assert_eq!(decision.chosen.model.key.to_string(), "spare:b");
    reason_for(&decision, "free:a")
}

#[rstest]
#[case(|m: &mut Model| m.disabled_reason = Some("too slow".into()), "model_disabled", "model disabled: too slow")]
#[case(
    |m: &mut Model| _ = m.capabilities.remove(&Capability::Reasoning),
    "missing_capabilities",
    "missing capabilities (reasoning)"
)]
#[case(|m: &mut Model| m.capabilities.clear(), "missing_capabilities", "missing capabilities (text+reasoning)")]
#[case(
    |m: &mut Model| m.context_length = 1399,
    "context_too_small",
    "context too small (1400 tokens needed, 1399 there)"
)]
#[case(
    |m: &mut Model| m.billing_class = BillingClass::Paid,
    "paid_route_disabled",
    "paid route disabled (allowed by neither request nor configuration)"
)]
#[case(
    |m: &mut Model| m.billing_class = BillingClass::UserPays,
    "user_pays_route_disabled",
    "user-pays route disabled (allowed by neither request nor configuration)"
)]
fn a_model_that_fails_a_gate_is_refused_with_its_reason(
    #[case] break_it: fn(&mut Model),
    #[case] label: &str,
    #[case] text: &str,
) {
    let mut world = pair();
    break_it(&mut world.models[0]);
    let gate = refusal_of_a(&world, &REQUEST, &POLICY);
    assert_eq!((gate.label(), gate.to_string().as_str(), gate.is_eligible()), (label, text, false));
}

#[rstest]
#[case(|f: &mut ProviderFacts| f.disabled_reason = Some("moved".into()), "provider disabled: moved")]
#[case(|f: &mut ProviderFacts| f.unhealthy_reason = Some("HTTP 401".into()), "provider unhealthy: HTTP 401")]
#[case(|f: &mut ProviderFacts| f.has_credential = false, "missing credential (FREE_API_KEY)")]
#[case(
    |f: &mut ProviderFacts| {
        f.has_credential = false;
        f.credential_names.push("FREE_TOKEN".into());
    },
    "missing credential (FREE_API_KEY or FREE_TOKEN)"
)]
#[case(|f: &mut ProviderFacts| f.exhausted_cap = Some("1 request a day".into()), "cap exhausted: 1 request a day")]
#[case(
    |f: &mut ProviderFacts| f.data_use = DataUse::Trains,
    "the provider trains on what it is sent (not allowed by the configuration)"
)]
fn a_provider_that_fails_a_gate_is_refused_with_its_reason(
    #[case] break_it: fn(&mut ProviderFacts),
    #[case] text: &str,
) {
    assert_eq!(refusal_of_a(&pair().with("free", break_it), &REQUEST, &POLICY).to_string(), text);
}

#[test]
fn a_provider_without_configuration_is_refused() {
    let mut world = pair();
    world.providers.remove("free");
    assert_eq!(refusal_of_a(&world, &REQUEST, &POLICY), Gate::ProviderNotConfigured);
}

#[test]
fn a_context_that_fits_exactly_is_enough() {
    let mut world = pair();
    world.models[0].context_length = 1400;
    assert_eq!(world.chosen(&REQUEST, &POLICY), "free:a");
}

#[test]
fn a_token_count_beyond_every_number_is_refused_and_does_not_wrap() {
    let request = Request { estimated_input_tokens: u64::MAX, ..REQUEST };
    let none = pair().refusal(&request, &POLICY);
    assert!(none.rejected.iter().all(|rejected| rejected.reason.label() == "context_too_small"), "{none}");
}

/// Breaks everything at once and mends it gate by gate: each time the next gate in the order must speak.
#[test]
fn the_first_failing_gate_in_the_order_is_the_recorded_reason() {
    let mut world = pair();
    let subject = &mut world.models[0];
    subject.disabled_reason = Some("off".into());
    subject.capabilities.clear();
    subject.context_length = 10;
    (subject.max_input_tokens, subject.max_output_tokens) = (Some(10), Some(10));
    subject.supported_parameters = Some(["tools".to_owned()].into());
    subject.billing_class = BillingClass::Paid;
    let broken = world.providers.get_mut("free").unwrap();
    broken.disabled_reason = Some("off".into());
    broken.unhealthy_reason = Some("down".into());
    broken.has_credential = false;
    broken.exhausted_cap = Some("daily".into());
    broken.data_use = DataUse::Trains;
    let excluded = names(&["free"]);

    let mut seen = Vec::new();
    let mut request = Request {
        reasoning_effort: Some(ReasoningEffort::High),
        wants_structured: true,
        required_billing_class: Some(BillingClass::FreeQuota),
        excluded_providers: &excluded,
        provider: Some("spare"),
        model: Some("b"),
        ..REQUEST
    };
    let mut policy = POLICY;
    world.models[1].reasoning_levels = vec![ReasoningEffort::High];
    world.models[1].billing_class = BillingClass::FreeQuota;
    let configured = world.providers.remove("free").unwrap();
    loop {
        let decision = world.decide(&request, &policy).unwrap();
        let Some(other) = decision.others.iter().find(|other| other.key.provider == "free") else { break };
        let label = other.reason.label();
        assert!(!seen.contains(&label), "{label} was mended and still speaks");
        seen.push(label);
        let subject = &mut world.models[0];
        match label {
            "model_disabled" => subject.disabled_reason = None,
            "other_provider_named" => request.provider = None,
            "other_model_named" => request.model = None,
            "provider_excluded" => request.excluded_providers = &[],
            "other_class_required" => request.required_billing_class = None,
            "missing_capabilities" => subject.capabilities = [Capability::Text, Capability::Reasoning].into(),
            "effort_not_offered" => subject.reasoning_levels = vec![ReasoningEffort::High],
            "format_not_accepted" => request.wants_structured = false,
            "context_too_small" => subject.context_length = 131_072,
            "input_too_large" => subject.max_input_tokens = Some(200),
            "output_too_large" => subject.max_output_tokens = Some(1200),
            "provider_not_configured" => _ = world.providers.insert("free".into(), configured.clone()),
            "provider_disabled" => world.providers.get_mut("free").unwrap().disabled_reason = None,
            "provider_unhealthy" => world.providers.get_mut("free").unwrap().unhealthy_reason = None,
            "missing_credential" => world.providers.get_mut("free").unwrap().has_credential = true,
            "cap_exhausted" => world.providers.get_mut("free").unwrap().exhausted_cap = None,
            "paid_route_disabled" => (request.allow_paid, policy.allow_paid) = (true, true),
            "trains_on_text" => policy.allow_training = true,
            _ => break,
        }
    }
    assert_eq!(
        seen,
        [
            "model_disabled",
            "other_provider_named",
            "other_model_named",
            "provider_excluded",
            "other_class_required",
            "missing_capabilities",
            "effort_not_offered",
            "format_not_accepted",
            "context_too_small",
            "input_too_large",
            "output_too_large",
            "provider_not_configured",
            "provider_disabled",
            "provider_unhealthy",
            "missing_credential",
            "cap_exhausted",
            "paid_route_disabled",
            "trains_on_text",
        ]
    );
    assert_eq!(world.chosen(&request, &policy), "free:a");
}

#[rstest]
#[case(BillingClass::Paid, "paid_route_disabled")]
#[case(BillingClass::Unknown, "unknown_class_disabled")]
#[case(BillingClass::UserPays, "user_pays_route_disabled")]
fn a_route_that_may_cost_money_needs_leave_from_both_sides(#[case] class: BillingClass, #[case] label: &str) {
    let world = World::of([model("shop:a", class, 100)]);
    for (asked, configured, leave) in [
        (false, false, Some(Leave::OfBoth)),
        (true, false, Some(Leave::OfConfiguration)),
        (false, true, Some(Leave::OfRequest)),
        (true, true, None),
    ] {
        let is_user_pays = class == BillingClass::UserPays;
        // The other class's flags are all set: they must not help.
        let request = Request { allow_paid: asked || is_user_pays, allow_user_pays: asked || !is_user_pays, ..REQUEST };
        let policy =
            Policy { allow_paid: configured || is_user_pays, allow_user_pays: configured || !is_user_pays, ..POLICY };
        match (world.decide(&request, &policy), leave) {
            (Ok(decision), None) => assert_eq!(decision.chosen.model.billing_class, class),
            (Err(none), Some(leave)) => {
                let gate = &none.rejected[0].reason;
                assert_eq!(gate.label(), label);
                assert!(gate.to_string().contains(&leave.to_string()), "{gate}");
            }
            (decided, leave) => panic!("{leave:?} gave {decided:?}"),
        }
    }
}

#[test]
fn a_01_a_price_of_zero_or_none_does_not_make_a_paid_route_free() {
    for price in [Some(price(0, 0)), None] {
        let mut paid = model("shop:a", BillingClass::Paid, 100);
        paid.price = price;
        let none = World::of([paid]).refusal(&REQUEST, &POLICY);
        assert_eq!(none.rejected[0].reason, Gate::PaidRouteDisabled(Leave::OfBoth));
    }
}

#[test]
fn a_02_a_user_pays_route_without_a_price_cannot_vote() {
    let world = World::of([model("puter:a", BillingClass::UserPays, 100)]);
    let request = Request { task: TaskKind::Consensus, ..REQUEST };
    let policy = Policy { allow_paid: true, allow_user_pays: true, ..POLICY };
    assert!(world.decide(&request, &policy).is_err());
}

#[test]
fn a_03_an_unknown_class_needs_leave_and_consent() {
    let world = World::of([model("shop:a", BillingClass::Unknown, 100)]);
    assert_eq!(world.refusal(&REQUEST, &POLICY).rejected[0].reason, Gate::UnknownClassDisabled(Leave::OfBoth));
    let (request, policy) = paid_allowed(Quality::Balanced);
    let decision = world.decide(&request, &policy).unwrap();
    assert!(decision.requires_consent, "{}", decision.consent_reason);
    assert!(decision.consent_reason.contains("treated as paid"), "{}", decision.consent_reason);
}

#[test]
fn a_provider_that_trains_passes_with_leave_and_a_local_one_without() {
    let world = pair().with("free", |free| free.data_use = DataUse::Trains);
    assert_eq!(world.chosen(&REQUEST, &POLICY), "spare:b");
    assert_eq!(world.chosen(&REQUEST, &Policy { allow_training: true, ..POLICY }), "free:a");
    assert_eq!(world.with("free", |free| free.is_local = true).chosen(&REQUEST, &POLICY), "free:a");
}

#[test]
fn lwa_022_no_route_names_both_models_the_paid_gate_and_the_effort() {
    let mut free = model("alpha:free", BillingClass::Free, 90);
    free.reasoning_levels = vec![ReasoningEffort::Instant];
    let mut paid = model("beta:paid", BillingClass::Paid, 100);
    paid.reasoning_levels = vec![ReasoningEffort::High];
    let request = Request { reasoning_effort: Some(ReasoningEffort::High), ..REQUEST };
    let text = World::of([free, paid]).refusal(&request, &POLICY).to_string();
    for part in ["alpha:free", "beta:paid", "paid route disabled", "reasoning effort `high` not offered"] {
        assert!(text.contains(part), "{part} is missing from: {text}");
    }
}

#[test]
fn lwa_025_an_unhealthy_free_provider_gives_way_to_a_paid_one() {
    let world = World::of([model("free:a", BillingClass::Free, 90), model("paid:b", BillingClass::Paid, 80)])
        .with("free", |free| free.unhealthy_reason = Some("HTTP 401".into()));
    let (request, policy) = paid_allowed(Quality::Balanced);
    assert_eq!(world.chosen(&request, &policy), "paid:b");
}

#[test]
fn lwa_026_a_provider_without_its_key_gives_way() {
    let world = pair().with("free", |free| free.has_credential = false);
    assert_eq!(world.chosen(&REQUEST, &POLICY), "spare:b");
}

#[test]
fn lwa_028_only_a_listed_effort_is_served() {
    let mut subject = model("free:a", BillingClass::Free, 90);
    subject.reasoning_levels = vec![ReasoningEffort::Instant, ReasoningEffort::Medium];
    let world = World::of([subject]);
    let with = |effort| Request { reasoning_effort: Some(effort), ..REQUEST };
    assert_eq!(
        world.refusal(&with(ReasoningEffort::High), &POLICY).rejected[0].reason.to_string(),
        "reasoning effort `high` not offered (accepts `instant`, `medium`)"
    );
    let decision = world.decide(&with(ReasoningEffort::Medium), &POLICY).unwrap();
    assert!(decision.chosen.reasons.iter().any(|reason| reason.contains("`medium`")), "{:?}", decision.chosen.reasons);
}

#[test]
fn lwa_029_a_used_up_cap_sends_the_next_decision_elsewhere() {
    assert_eq!(pair().chosen(&REQUEST, &POLICY), "free:a");
    let world = pair().with("free", |free| free.exhausted_cap = Some("1 request a day".into()));
    assert_eq!(world.chosen(&REQUEST, &POLICY), "spare:b");
}
