//! What a request may require beyond its task: a response format, capabilities, a billing class, limits, an effort.

use std::collections::BTreeSet;

use lwa_domain::{BillingClass, Capability, EffortForm, EffortSupport, Quality, ReasoningEffort, TaskKind};
use lwa_routing::{CapabilitySet, Gate, InvalidRequest, Leave, Policy, Request};
use rstest::rstest;

use crate::support::{POLICY, REQUEST, World, model, names, paid_allowed, reason_for};

fn only() -> World {
    World::of([model("free:a", BillingClass::Free, 90)])
}

fn parameters(list: &[&str]) -> BTreeSet<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

const STRUCTURED: Request = Request { wants_structured: true, ..REQUEST };

#[test]
fn lwa_027_a_model_that_lists_tools_alone_takes_no_response_format() {
    let world = only().with_model("free:a", |model| model.supported_parameters = Some(parameters(&["tools"])));
    let none = world.refusal(&STRUCTURED, &POLICY);
    assert_eq!(none.rejected[0].reason, Gate::FormatNotAccepted);
    assert_eq!(none.way_out, "for `free:a`, ask for no response format");
    assert_eq!(world.chosen(&REQUEST, &POLICY), "free:a");
}

#[rstest]
#[case(&["tools", "response_format"])]
#[case(&["structured_outputs"])]
fn a_model_that_lists_either_way_of_a_response_format_takes_one(#[case] list: &[&str]) {
    let world = only().with_model("free:a", |model| model.supported_parameters = Some(parameters(list)));
    let reasons = world.decide(&STRUCTURED, &POLICY).unwrap().chosen.reasons;
    assert!(reasons.contains(&"accepts a response format".to_owned()), "{reasons:?}");
}

#[test]
fn an_empty_list_of_parameters_is_a_list_without_a_response_format() {
    let world = only().with_model("free:a", |model| model.supported_parameters = Some(parameters(&[])));
    assert_eq!(world.refusal(&STRUCTURED, &POLICY).rejected[0].reason, Gate::FormatNotAccepted);
}

#[test]
fn a_model_that_lists_nothing_may_take_a_response_format_and_that_is_said() {
    let reasons = only().decide(&STRUCTURED, &POLICY).unwrap().chosen.reasons;
    assert!(reasons.iter().any(|reason| reason.contains("is not known")), "{reasons:?}");
}

#[test]
fn capabilities_beyond_the_task_are_required_and_the_text_says_them_all() {
    let wanted: CapabilitySet = [Capability::Text, Capability::Reasoning, Capability::Vision].into_iter().collect();
    let request = Request { capabilities: Some(wanted), ..REQUEST };
    assert_eq!(request.check(), Ok(()));
    let none = only().refusal(&request, &POLICY);
    assert_eq!(
        none.to_string(),
        "no route for `coding_aux` (needs text+reasoning+vision): 1 × missing capabilities (vision); nearest: `free:a`; \
         way out: for `free:a`, leave out the capabilities vision that the request adds"
    );
    let world = only().with_model("free:a", |model| _ = model.capabilities.insert(Capability::Vision));
    assert_eq!(world.chosen(&request, &POLICY), "free:a");
}

#[test]
fn capabilities_that_leave_out_what_the_task_needs_are_an_error_and_lower_no_gate() {
    let request = Request { capabilities: Some([Capability::Text].into_iter().collect()), ..REQUEST };
    assert_eq!(
        request.check().unwrap_err().to_string(),
        "the capabilities for `coding_aux` have to include reasoning; it needs text+reasoning"
    );
    let world = only().with_model("free:a", |model| _ = model.capabilities.remove(&Capability::Reasoning));
    assert_eq!(world.refusal(&request, &POLICY).rejected[0].reason.label(), "missing_capabilities");
}

#[test]
fn every_task_accepts_its_own_capabilities_and_refuses_an_empty_set() {
    for task in TaskKind::ALL.iter().copied() {
        let with = |capabilities| Request { task, capabilities: Some(capabilities), ..REQUEST };
        let own: CapabilitySet = task.required_capabilities().iter().collect();
        assert_eq!(with(own).check(), Ok(()));
        let refused = with(CapabilitySet::default()).check();
        assert_eq!(refused, Err(InvalidRequest::CapabilitiesTooFew { task, needed: own, missing: own }));
    }
}

#[test]
fn a_32_paid_required_and_none_eligible_is_an_error_that_says_so() {
    let request = Request { required_billing_class: Some(BillingClass::Paid), allow_paid: true, ..REQUEST };
    let policy = Policy { allow_paid: true, ..POLICY };
    let none = only().refusal(&request, &policy);
    assert_eq!(
        none.to_string(),
        "no route for `coding_aux` (needs text+reasoning, billing class `paid` required): 1 × billing class `free`, and \
         the request requires `paid`; nearest: `free:a`; way out: for `free:a`, leave out the billing class `paid` that \
         the request requires"
    );
}

#[test]
fn a_32_requiring_paid_gives_no_leave_to_pay() {
    let world = World::of([model("free:a", BillingClass::Free, 90), model("shop:b", BillingClass::Paid, 10)]);
    let request = Request { required_billing_class: Some(BillingClass::Paid), ..REQUEST };
    let none = world.refusal(&request, &POLICY);
    assert_eq!(none.rejected[1].reason, Gate::PaidRouteDisabled(Leave::OfBoth));
    assert_eq!(none.way_out, "for `shop:b`, set `allow_paid` in the request and the configuration");
    let (with_leave, policy) = paid_allowed(Quality::Economy);
    let request = Request { required_billing_class: Some(BillingClass::Paid), ..with_leave };
    let decision = world.decide(&request, &policy).unwrap();
    assert_eq!(decision.chosen.model.key.to_string(), "shop:b");
    assert!(decision.requires_consent);
    assert_eq!(reason_for(&decision, "free:a").label(), "other_class_required");
}

/// An unknown class counts as paid where leave is concerned, but nobody who requires paid asked for a guess.
#[rstest]
#[case(BillingClass::Paid, BillingClass::Unknown)]
#[case(BillingClass::Free, BillingClass::FreeQuota)]
fn a_required_class_is_met_by_that_class_alone(#[case] required: BillingClass, #[case] class: BillingClass) {
    let (request, policy) = paid_allowed(Quality::Balanced);
    let world = World::of([model("shop:a", class, 90)]);
    let request = Request { required_billing_class: Some(required), ..request };
    assert_eq!(world.refusal(&request, &policy).rejected[0].reason, Gate::OtherClassRequired { required, class });
}

#[test]
fn rr_38_context_input_and_output_are_three_limits() {
    let world = |context, input, output| {
        only().with_model("free:a", |model| {
            (model.context_length, model.max_input_tokens, model.max_output_tokens) = (context, input, output);
        })
    };
    let reason = |world: World| world.refusal(&REQUEST, &POLICY).rejected[0].reason.to_string();
    assert_eq!(world(1400, Some(200), Some(1200)).chosen(&REQUEST, &POLICY), "free:a");
    assert_eq!(reason(world(1399, None, None)), "context too small (1400 tokens needed, 1399 there)");
    assert_eq!(reason(world(131_072, Some(199), None)), "input too large (200 tokens needed, 199 read at most)");
    assert_eq!(
        reason(world(131_072, None, Some(1199))),
        "answer too large (1200 tokens asked for, 1199 written at most)"
    );
}

#[test]
fn the_way_out_of_a_limit_says_how_much() {
    let world = only().with_model("free:a", |model| {
        (model.max_input_tokens, model.max_output_tokens) = (Some(150), Some(1000));
    });
    let none = world.refusal(&REQUEST, &POLICY);
    assert_eq!(none.way_out, "for `free:a`, cut the input by 50 tokens and ask for at most 1000 output tokens");
    let request = Request { estimated_input_tokens: 150, max_output_tokens: 1000, ..REQUEST };
    assert_eq!(world.chosen(&request, &POLICY), "free:a");
}

#[test]
fn an_input_limit_that_is_nearly_reached_is_scarce_headroom_too() {
    let score = |most| {
        let world = only().with_model("free:a", |model| model.max_input_tokens = most);
        world.decide(&REQUEST, &POLICY).unwrap().chosen.score_hundredths
    };
    assert_eq!(score(None) - score(Some(300)), 600 + 1200);
}

#[rstest]
#[case(EffortForm::Level, &["low", "max"], false, "accepts none; its provider's levels are `low`, `max`")]
#[case(EffortForm::Level, &["low"], true, "accepts none; its provider's levels are `low`; it always reasons")]
#[case(EffortForm::Toggle, &[], false, "accepts none; its provider knows on and off")]
#[case(EffortForm::Budget, &[], true, "accepts none; its provider takes a number of tokens; it always reasons")]
fn a_refused_effort_names_what_the_model_does_accept(
    #[case] form: EffortForm,
    #[case] levels: &[&str],
    #[case] is_mandatory: bool,
    #[case] offer: &str,
) {
    let world = only().with_model("free:a", |model| {
        model.effort = Some(EffortSupport { form, levels: names(levels), is_mandatory });
    });
    let request = Request { reasoning_effort: Some(ReasoningEffort::High), ..REQUEST };
    let none = world.refusal(&request, &POLICY);
    assert_eq!(none.rejected[0].reason.to_string(), format!("reasoning effort `high` not offered ({offer})"));
    assert_eq!(none.way_out, "for `free:a`, ask for no reasoning effort instead of `high`");
}

#[test]
fn the_way_out_of_an_effort_names_ours() {
    let world = only().with_model("free:a", |model| {
        model.reasoning_levels = vec![ReasoningEffort::Medium, ReasoningEffort::Instant];
        let levels = names(&["none", "low", "medium"]);
        model.effort = Some(EffortSupport { form: EffortForm::Level, levels, is_mandatory: false });
    });
    let none = world.refusal(&Request { reasoning_effort: Some(ReasoningEffort::High), ..REQUEST }, &POLICY);
    assert_eq!(
        none.rejected[0].reason.to_string(),
        "reasoning effort `high` not offered (accepts `instant`, `medium`; its provider's levels are `none`, `low`, \
         `medium`)"
    );
    assert_eq!(
        none.way_out,
        "for `free:a`, ask for reasoning effort `instant` or `medium`, or for none, instead of `high`"
    );
}

/// The words come from a listing: none of them can end the quotation or run on.
#[test]
fn a_providers_words_are_cut_and_cleaned_before_they_are_shown() {
    let world = only().with_model("free:a", |model| {
        let levels = vec![format!("a`b\n{}", "c".repeat(500)); 100];
        model.effort = Some(EffortSupport { form: EffortForm::Level, levels, is_mandatory: false });
    });
    let none = world.refusal(&Request { reasoning_effort: Some(ReasoningEffort::High), ..REQUEST }, &POLICY);
    let text = none.rejected[0].reason.to_string();
    let shown = format!("`ab{}`", "c".repeat(22));
    assert_eq!(text.matches(&shown).count(), 8, "{text}");
    assert!(text.len() < 350 && !text.contains('\n'), "{text}");
}

#[test]
fn rr_46_restrictions_that_leave_no_model_are_a_refusal_that_says_which() {
    let world = World::of([
        model("alpha:a", BillingClass::Free, 90),
        model("beta:b", BillingClass::Free, 80),
        model("gamma:c", BillingClass::Paid, 95),
        model("delta:d", BillingClass::Free, 70),
    ])
    .with("beta", |beta| beta.disabled_reason = Some("switched off in the configuration".into()))
    .with("delta", |delta| delta.has_credential = false);
    let excluded = names(&["alpha"]);
    let none = world.refusal(&Request { excluded_providers: &excluded, ..REQUEST }, &POLICY);
    assert_eq!(
        none.reasons(),
        [
            (1, "missing credential (DELTA_API_KEY)".to_owned()),
            (1, "paid route disabled (allowed by neither request nor configuration)".to_owned()),
            (1, "provider disabled: switched off in the configuration".to_owned()),
            (1, "provider excluded by the request".to_owned()),
        ]
    );
    assert_eq!(none.way_out, "for `delta:d`, store a key for `delta` with `lwa keys` (or set DELTA_API_KEY)");
    assert!(World::of([]).decide(&REQUEST, &POLICY).is_err());
}

/// A local server and the built-in provider, no key anywhere: each decision says what it was made of.
#[test]
fn rr_50_routing_explains_itself_and_needs_no_key() {
    let mut condense = model("builtin:condense", BillingClass::Free, 60);
    condense.capabilities = [Capability::Text].into();
    let world = World::of([
        model("ollama:qwen", BillingClass::Free, 70),
        model("cloud:large", BillingClass::FreeQuota, 95),
        condense,
    ])
    .with("ollama", |ollama| (ollama.is_local, ollama.credential_names) = (true, Vec::new()))
    .with("builtin", |builtin| (builtin.is_local, builtin.credential_names) = (true, Vec::new()))
    .with("cloud", |cloud| cloud.has_credential = false);
    let decision = world.decide(&REQUEST, &POLICY).unwrap();
    assert_eq!(decision.chosen.model.key.to_string(), "ollama:qwen");
    assert_eq!(
        decision.chosen.reasons,
        [
            "task score for `coding_aux`: 70.0",
            "billing class `free` at quality `balanced`: +21.0",
            "129672 tokens of context to spare: +6.0",
        ]
    );
    assert_eq!(decision.chosen.score_hundredths, 7000 + 2100 + 600);
    assert_eq!(reason_for(&decision, "cloud:large").to_string(), "missing credential (CLOUD_API_KEY)");
    let compress = Request { task: TaskKind::ConversationCompression, provider: Some("builtin"), ..REQUEST };
    assert_eq!(world.chosen(&compress, &POLICY), "builtin:condense");
}

#[test]
fn a_request_without_wishes_agrees_with_every_task() {
    for task in TaskKind::ALL.iter().copied() {
        assert_eq!(Request { task, ..REQUEST }.check(), Ok(()));
    }
}
