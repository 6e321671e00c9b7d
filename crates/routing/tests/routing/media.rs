//! Pictures and films: chosen by capability, never on the user's subscription, without a reasoning effort.

use lwa_domain::{BillingClass, Capability, Model, Quality, ReasoningEffort, TaskKind};
use lwa_routing::{Gate, InvalidRequest, Policy, Request};
use rstest::rstest;

use crate::seeds;
use crate::support::{POLICY, REQUEST, World, model, paid_allowed};

const PICTURE: Request = Request { task: TaskKind::ImageGeneration, max_output_tokens: 1, ..REQUEST };

fn painter(key: &str, class: BillingClass) -> Model {
    Model { capabilities: [Capability::Image].into(), ..model(key, class, 90) }
}

#[rstest]
#[case(TaskKind::ImageGeneration, "openai:gpt-image-1")]
#[case(TaskKind::VideoGeneration, "openai:sora-2")]
fn with_leave_the_best_model_of_the_capability_is_chosen_and_asked_for(#[case] task: TaskKind, #[case] key: &str) {
    for quality in Quality::ALL {
        let (request, policy) = paid_allowed(*quality);
        let decision = seeds::world().decide(&Request { task, max_output_tokens: 1, ..request }, &policy).unwrap();
        assert_eq!(decision.chosen.model.key.to_string(), key);
        assert!(decision.requires_consent);
    }
}

#[rstest]
#[case(false, false, "allow paid routes in the configuration and ask with `allow_paid`")]
#[case(true, false, "allow paid routes in the configuration")]
#[case(false, true, "ask with `allow_paid`")]
fn when_all_are_paid_the_way_out_says_so_and_what_to_allow(
    #[case] asked: bool,
    #[case] configured: bool,
    #[case] steps: &str,
) {
    for (task, what, key) in [
        (TaskKind::ImageGeneration, "image", "openai:gpt-image-1"),
        (TaskKind::VideoGeneration, "video", "openai:sora-2"),
    ] {
        let request = Request { task, allow_paid: asked, ..PICTURE };
        let none = seeds::world().refusal(&request, &Policy { allow_paid: configured, ..POLICY });
        assert_eq!(none.way_out, format!("{what} models are paid: for `{key}`, {steps}"));
    }
}

#[test]
fn a_missing_key_is_part_of_the_same_way_out() {
    let mut world = seeds::world();
    for facts in world.providers.values_mut() {
        facts.has_credential = false;
    }
    assert_eq!(
        world.refusal(&PICTURE, &POLICY).way_out,
        "image models are paid: for `openai:gpt-image-1`, store a key for `openai` with `lwa keys` (or set OPENAI_API_KEY) and allow paid routes \
         in the configuration and ask with `allow_paid`"
    );
}

#[test]
fn with_a_free_model_that_lacks_its_key_they_are_not_called_paid() {
    let world = World::of([painter("free:a", BillingClass::Free), painter("shop:b", BillingClass::Paid)])
        .with("free", |free| free.has_credential = false);
    assert_eq!(
        world.refusal(&PICTURE, &POLICY).way_out,
        "for `free:a`, store a key for `free` with `lwa keys` (or set FREE_API_KEY)"
    );
}

#[test]
fn with_no_free_model_among_them_they_are_called_paid() {
    let classes = [("a:a", BillingClass::Paid), ("b:b", BillingClass::UserPays), ("c:c", BillingClass::Unknown)];
    let none = World::of(classes.map(|(key, class)| painter(key, class))).refusal(&PICTURE, &POLICY);
    assert_eq!(
        none.way_out,
        "image models are paid: for `a:a`, allow paid routes in the configuration and ask with `allow_paid`"
    );
}

#[test]
fn a_free_local_model_needs_no_leave() {
    let world = World::of([painter("comfy:a", BillingClass::Free)]).with("comfy", |comfy| comfy.is_local = true);
    assert_eq!(world.chosen(&PICTURE, &POLICY), "comfy:a");
}

#[test]
fn the_users_subscription_makes_no_picture_whatever_is_allowed() {
    let world = World::of([painter("puter:a", BillingClass::UserPays)]);
    let request = Request { allow_paid: true, allow_user_pays: true, ..PICTURE };
    let none = world.refusal(&request, &Policy { allow_paid: true, allow_user_pays: true, ..POLICY });
    assert_eq!(none.rejected[0].reason, Gate::UserPaysNotForMedia);
    assert_eq!(none.way_out, "configure a model with the capabilities image");
}

#[rstest]
#[case(TaskKind::ImageGeneration)]
#[case(TaskKind::VideoGeneration)]
fn a_reasoning_effort_is_an_error_even_where_a_model_lists_it(#[case] task: TaskKind) {
    let request = Request { task, reasoning_effort: Some(ReasoningEffort::High), ..PICTURE };
    assert_eq!(request.check(), Err(InvalidRequest::EffortForMedia(task)));
    assert_eq!(request.check().unwrap_err().to_string(), format!("`{task}` takes no reasoning effort"));
    let mut painter = painter("free:a", BillingClass::Free);
    painter.capabilities.insert(Capability::Video);
    painter.reasoning_levels = ReasoningEffort::ALL.to_vec();
    let none = World::of([painter]).refusal(&request, &POLICY);
    assert_eq!(none.rejected[0].reason.label(), "effort_not_offered");
    assert_eq!(none.way_out, "for `free:a`, ask for no reasoning effort instead of `high`");
}

#[test]
fn a_response_format_is_an_error() {
    let request = Request { wants_structured: true, ..PICTURE };
    assert_eq!(request.check(), Err(InvalidRequest::FormatForMedia(TaskKind::ImageGeneration)));
    let none = World::of([painter("free:a", BillingClass::Free)]).refusal(&request, &POLICY);
    assert_eq!(none.rejected[0].reason, Gate::FormatNotAccepted);
}
