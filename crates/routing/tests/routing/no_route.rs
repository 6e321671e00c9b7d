//! What a caller is told when nothing is left.

use lwa_domain::{BillingClass, Capability, ReasoningEffort, TaskKind};
use lwa_routing::Request;
use rstest::rstest;

use crate::seeds;
use crate::support::{POLICY, REQUEST, World, model, names};

#[test]
fn pictures_name_the_task_the_capability_and_what_to_set() {
    let request = Request { task: TaskKind::ImageGeneration, max_output_tokens: 1, ..REQUEST };
    let none = seeds::world().refusal(&request, &POLICY);
    assert_eq!(none.required, [Capability::Image]);
    assert_eq!(
        none.to_string(),
        "no route for `image_generation` (needs image): 22 × missing capabilities (image), 3 × paid route disabled \
         (allowed by neither request nor configuration), 1 × model disabled: answers 401; nearest: \
         `openai:gpt-image-1`, `stability:stable-image-core`, `replicate:black-forest-labs/flux-schnell`; way out: image \
         models are paid: for `openai:gpt-image-1`, allow paid routes in the configuration and ask with `allow_paid`"
    );
}

#[test]
fn on_a_fresh_machine_the_best_free_key_is_named_first() {
    let mut world = seeds::world();
    for facts in world.providers.values_mut() {
        facts.has_credential = false;
    }
    let none = world.refusal(&REQUEST, &POLICY);
    assert_eq!(
        none.way_out,
        "for `cerebras:gpt-oss-120b`, store a key for `cerebras` with `lwa keys` (or set CEREBRAS_API_KEY)"
    );
    assert_eq!(none.examples.len(), 8);
}

#[test]
fn missing_keys_are_one_reason_with_the_number_of_providers() {
    let mut world = seeds::world();
    for facts in world.providers.values_mut() {
        facts.has_credential = false;
    }
    let none = world.refusal(&REQUEST, &POLICY);
    let first = (16, "no key for 12 providers (`aion`, `blackbox`, `cerebras`, `gemini` and 8 more)".to_owned());
    assert_eq!(none.reasons()[0], first);
    assert!(none.to_string().contains("16 × no key for 12 providers") && none.way_out.contains("`lwa keys`"), "{none}");
    let world = World::of([model("a:a", BillingClass::Free, 80), model("b:b", BillingClass::Free, 80)])
        .with("a", |facts| facts.has_credential = false)
        .with("b", |facts| facts.has_credential = false);
    assert_eq!(world.refusal(&REQUEST, &POLICY).reasons(), [(2, "no key for 2 providers (`a`, `b`)".to_owned())]);
    let alone = World { models: vec![model("a:a", BillingClass::Free, 80)], ..world };
    assert_eq!(alone.refusal(&REQUEST, &POLICY).reasons(), [(1, "missing credential (A_API_KEY)".to_owned())]);
}

#[test]
fn many_reasons_are_counted_by_count_and_then_by_text_and_eight_are_told() {
    let mut world = seeds::world();
    for (number, model) in world.models.iter_mut().enumerate() {
        model.disabled_reason = Some(format!("reason {}", number / 2));
    }
    let none = world.refusal(&REQUEST, &POLICY);
    let groups = none.reasons();
    let is_in_order = |pair: &[(usize, String)]| (pair[1].0, &pair[0].1) < (pair[0].0, &pair[1].1);
    assert!(groups.len() > 8 && groups.windows(2).all(is_in_order), "{groups:?}");
    assert!(none.to_string().contains("more reasons"), "{none}");
}

#[test]
fn an_empty_catalogue_says_so() {
    let none = World::of([]).refusal(&REQUEST, &POLICY);
    assert_eq!(
        none.to_string(),
        "no route for `coding_aux` (needs text+reasoning); way out: configure a provider with a model, or start a local \
         model server"
    );
}

#[rstest]
#[case::misspelt_provider(Some("opnai"), None, "no provider is named `opnai`; did you mean `openai`?")]
#[case::strange_provider(Some("zzzz"), None, "no provider is named `zzzz`")]
#[case::misspelt_model(None, Some("gpt-5.22"), "no model is named `gpt-5.22`; did you mean `gpt-5.2`?")]
#[case::model_elsewhere(
    Some("groq"),
    Some("gpt-5.2"),
    "the named provider has no model `gpt-5.2`; `openai:gpt-5.2` has that name"
)]
fn a_name_that_nothing_has_is_answered_with_the_nearest(
    #[case] provider: Option<&str>,
    #[case] name: Option<&str>,
    #[case] way_out: &str,
) {
    let none = seeds::world().refusal(&Request { provider, model: name, ..REQUEST }, &POLICY);
    assert_eq!(none.way_out, way_out);
}

#[test]
fn a_provider_without_models_is_told_apart_from_an_unknown_one() {
    let mut world = seeds::world();
    world.models.retain(|model| model.key.provider != "zai");
    let none = world.refusal(&Request { provider: Some("zai"), ..REQUEST }, &POLICY);
    assert_eq!(none.way_out, "`zai` has no model in the catalogue; refresh it or configure one");
}

#[test]
fn a_very_long_name_is_cut_before_it_is_echoed() {
    let name = "x".repeat(10_000);
    let none = seeds::world().refusal(&Request { provider: Some(&name), ..REQUEST }, &POLICY);
    assert_eq!(none.way_out, format!("no provider is named `{}`", "x".repeat(60)));
}

/// What the way out says is done, and then there must be a route.
#[test]
fn following_the_way_out_leads_to_a_route() {
    let mut world =
        World::of([model("shop:a", BillingClass::Paid, 90)]).with("shop", |shop| shop.has_credential = false);
    world.models[0].reasoning_levels = vec![ReasoningEffort::Medium];
    let excluded = names(&["shop"]);
    let mut request =
        Request { reasoning_effort: Some(ReasoningEffort::High), excluded_providers: &excluded, ..REQUEST };
    let mut policy = POLICY;
    let none = world.refusal(&request, &policy);
    assert_eq!(
        none.way_out,
        "for `shop:a`, take `shop` off the excluded providers and ask for reasoning effort `medium`, or for none, \
         instead of `high` and store a key for `shop` with `lwa keys` (or set SHOP_API_KEY) and set `allow_paid` in the request and the configuration"
    );
    request.excluded_providers = &[];
    request.reasoning_effort = Some(ReasoningEffort::Medium);
    world.providers.get_mut("shop").unwrap().has_credential = true;
    (request.allow_paid, policy.allow_paid) = (true, true);
    assert_eq!(world.chosen(&request, &policy), "shop:a");
}

#[test]
fn when_the_named_model_cannot_serve_another_is_offered_but_not_taken() {
    let mut world = World::of([model("free:a", BillingClass::Free, 90), model("free:b", BillingClass::Free, 90)]);
    world.models[0].capabilities.clear();
    let none = world.refusal(&Request { model: Some("a"), ..REQUEST }, &POLICY);
    assert_eq!(none.way_out, "for `free:b`, leave out the model that the request names");
}

#[test]
fn when_no_setting_helps_the_missing_capability_is_named() {
    let world = World::of([model("free:a", BillingClass::Free, 90)]);
    let none = world.refusal(&Request { task: TaskKind::VideoGeneration, ..REQUEST }, &POLICY);
    assert_eq!(none.way_out, "configure a model with the capabilities video");
}

#[test]
fn refusals_that_differ_in_numbers_alone_are_one_reason_that_names_the_best() {
    let world = World::of(["a:a", "b:b", "c:c", "d:d"].map(|key| model(key, BillingClass::Free, 80)))
        .with_model("a:a", |model| model.context_length = 1000)
        .with_model("b:b", |model| model.context_length = 1200)
        .with_model("c:c", |model| model.max_output_tokens = Some(900))
        .with_model("d:d", |model| model.max_output_tokens = Some(800));
    assert_eq!(
        world.refusal(&REQUEST, &POLICY).reasons(),
        [
            (2, "answer too large (1200 tokens asked for, 900 written by the largest)".to_owned()),
            (2, "context too small (1400 tokens needed, 1200 in the largest)".to_owned()),
        ]
    );
}

#[test]
fn refused_efforts_are_one_reason_that_names_what_some_accept() {
    let world = World::of(["a:a", "b:b", "c:c"].map(|key| model(key, BillingClass::Free, 80)))
        .with_model("a:a", |model| model.reasoning_levels = vec![ReasoningEffort::Medium])
        .with_model("b:b", |model| model.reasoning_levels = vec![ReasoningEffort::Instant]);
    let request = Request { reasoning_effort: Some(ReasoningEffort::High), ..REQUEST };
    let reasons = world.refusal(&request, &POLICY).reasons();
    assert_eq!(reasons, [(3, "reasoning effort `high` not offered (some accept `instant`, `medium`)".to_owned())]);
}

#[test]
fn inputs_that_are_too_large_are_one_reason_too() {
    let world = World::of(["a:a", "b:b"].map(|key| model(key, BillingClass::Free, 80)))
        .with_model("a:a", |model| model.max_input_tokens = Some(100))
        .with_model("b:b", |model| model.max_input_tokens = Some(150));
    let reasons = world.refusal(&REQUEST, &POLICY).reasons();
    assert_eq!(reasons, [(2, "input too large (200 tokens needed, 150 read by the largest)".to_owned())]);
}

#[test]
fn a_consensus_without_a_voter_is_told_which_key_gives_one() {
    let world = World::of([model("shop:a", BillingClass::Paid, 90), model("free:b", BillingClass::FreeQuota, 60)])
        .with("free", |free| free.has_credential = false);
    let request = Request { task: TaskKind::Consensus, ..REQUEST };
    let none = world.voters(&request, &POLICY, None).unwrap_err();
    assert!(none.is_for_voters);
    assert_eq!(none.way_out, "for `free:b`, store a key for `free` with `lwa keys` (or set FREE_API_KEY)");
    assert_eq!(none.examples.len(), 1);
}
