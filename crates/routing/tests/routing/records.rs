//! What experience takes away: failures, slowness, and a provider that nobody has tried.

use lwa_domain::{BillingClass, Quality, TaskKind};
use lwa_routing::{Gate, Request};
use rstest::rstest;

use crate::support::{POLICY, REQUEST, World, model, names, paid_allowed, reason_for};

/// What a record takes from the only model there is, in hundredths.
fn taken(calls: u32, failures: u32, median_ms: Option<u32>) -> i32 {
    let world = World::of([model("free:a", BillingClass::Free, 70)]).with_track("free:a", calls, failures, median_ms);
    world.decide(&REQUEST, &POLICY).unwrap().chosen.score_hundredths - (7000 + 2100 + 600)
}

#[rstest]
#[case::none_failed(20, 0, 0)]
#[case::one_in_twenty_is_chance(20, 1, 0)]
#[case::two_in_twenty(20, 2, -100)]
#[case::a_fifth(100, 20, -300)]
#[case::just_before_the_bound(100, 34, -580)]
#[case::at_the_bound(100, 35, -600)]
#[case::all(1000, 1000, -600)]
#[case::more_failures_than_calls(20, 400, -600)]
#[case::too_few(19, 19, 0)]
#[case::no_call(0, 0, 0)]
fn failures_take_up_to_six_points(#[case] calls: u32, #[case] failures: u32, #[case] expected: i32) {
    assert_eq!(taken(calls, failures, None), expected);
}

/// `slow:a` beside `usual:b` at 1000 ms and `usual:c` at 1000 ms.
#[rstest]
#[case::faster(100, 0)]
#[case::a_quarter_more_is_what_prompts_do(1250, 0)]
#[case::half_more(1500, -42)]
#[case::twice(2000, -128)]
#[case::just_before_the_bound(2990, -298)]
#[case::three_times(3000, -300)]
#[case::far_slower(4_000_000, -300)]
fn slowness_takes_up_to_three_points(#[case] own_ms: u32, #[case] expected: i32) {
    let world = World::of([
        model("slow:a", BillingClass::Free, 90),
        model("usual:b", BillingClass::Free, 50),
        model("usual:c", BillingClass::Free, 50),
    ])
    .with_track("slow:a", 20, 0, Some(own_ms))
    .with_track("usual:b", 20, 0, Some(1000))
    .with_track("usual:c", 20, 0, Some(1000));
    let decision = world.decide(&REQUEST, &POLICY).unwrap();
    assert_eq!(decision.chosen.score_hundredths - (9000 + 2100 + 600), expected);
}

#[test]
fn a_model_alone_is_as_fast_as_is_usual() {
    assert_eq!(taken(50, 0, Some(60_000)), 0);
}

/// Of two, the faster one is what is usual.
#[test]
fn of_two_the_slower_one_pays() {
    let world = World::of([model("fast:a", BillingClass::Free, 80), model("slow:b", BillingClass::Free, 82)])
        .with_track("fast:a", 30, 0, Some(500))
        .with_track("slow:b", 30, 0, Some(2000));
    let decision = world.decide(&REQUEST, &POLICY).unwrap();
    assert_eq!(decision.chosen.model.key.to_string(), "fast:a");
    assert_eq!(reason_for(&decision, "slow:b").to_string(), "scored 106.0, below `fast:a` with 107.0");
}

#[test]
fn the_time_of_a_model_that_is_not_eligible_is_not_usual() {
    let world = World::of([
        model("a:a", BillingClass::Free, 80),
        model("b:b", BillingClass::Free, 80),
        model("shop:c", BillingClass::Paid, 80),
    ])
    .with_track("b:b", 30, 0, Some(2000))
    .with_track("shop:c", 30, 0, Some(10));
    let decision = world.decide(&REQUEST, &POLICY).unwrap();
    assert_eq!(reason_for(&decision, "b:b").label(), "tied");
}

/// The built-in provider answers within a millisecond; a model is not slow beside it.
#[test]
fn the_time_of_the_builtin_provider_is_not_usual() {
    let preferred = names(&["builtin"]);
    let request = Request { task: TaskKind::ConversationCompression, preferred_providers: &preferred, ..REQUEST };
    let world = World::of([model("builtin:condense", BillingClass::Free, 60), model("b:b", BillingClass::Free, 80)])
        .with_track("builtin:condense", 30, 0, Some(1))
        .with_track("b:b", 30, 0, Some(2000));
    let decision = world.decide(&request, &POLICY).unwrap();
    assert!(matches!(reason_for(&decision, "b:b"), Gate::LessPreferred { score: 10_700, .. }));
}

#[test]
fn a_bad_record_reorders_near_equals_and_no_others() {
    let world = |lead: u8| {
        World::of([model("flaky:a", BillingClass::Free, 80 + lead), model("sound:b", BillingClass::Free, 80)])
            .with_track("flaky:a", 50, 50, Some(9000))
            .with_track("sound:b", 50, 0, Some(900))
    };
    assert_eq!(world(8).chosen(&REQUEST, &POLICY), "sound:b");
    assert_eq!(world(10).chosen(&REQUEST, &POLICY), "flaky:a");
}

#[test]
fn the_reasons_tell_the_sample_and_the_cost() {
    let world = World::of([model("a:a", BillingClass::Free, 90), model("b:b", BillingClass::Free, 50)])
        .with("a", |a| a.is_experimental = true)
        .with_track("a:a", 40, 6, Some(2000))
        .with_track("b:b", 25, 0, Some(1000));
    let reasons = world.decide(&REQUEST, &POLICY).unwrap().chosen.reasons;
    assert_eq!(
        reasons[3..],
        [
            "the provider is experimental, only its documentation vouches for it: -2.0",
            "6 of the last 40 calls failed: -2.0",
            "median time 2000 ms over 40 calls, where 1000 ms is usual among the eligible models: -1.28",
        ]
    );
}

#[test]
fn a_record_that_does_not_count_is_told_too() {
    let reasons = |calls, failures| {
        let world = World::of([model("a:a", BillingClass::Free, 90)]).with_track("a:a", calls, failures, Some(700));
        world.decide(&REQUEST, &POLICY).unwrap().chosen.reasons.split_off(3)
    };
    assert_eq!(reasons(7, 7), ["7 calls on record, fewer than the 20 that count: no points off"]);
    assert_eq!(
        reasons(20, 0),
        [
            "0 of the last 20 calls failed: no points off",
            "median time 700 ms over 20 calls, where 700 ms is usual among the eligible models: no points off",
        ]
    );
}

#[test]
fn an_experimental_provider_is_eligible_and_yields_to_a_near_equal() {
    let world = |lead: u8| {
        World::of([model("new:a", BillingClass::Free, 80 + lead), model("old:b", BillingClass::Free, 80)])
            .with("new", |new| new.is_experimental = true)
    };
    assert_eq!(world(1).chosen(&REQUEST, &POLICY), "old:b");
    assert_eq!(world(3).chosen(&REQUEST, &POLICY), "new:a");
    let alone = World::of([model("new:a", BillingClass::Free, 80)]).with("new", |new| new.is_experimental = true);
    assert_eq!(alone.chosen(&REQUEST, &POLICY), "new:a");
}

/// 30 + 21 + 0 is 51, above the floor of 35; 20 + 21 − 12 is 29, below it.
#[test]
fn a_record_never_pushes_a_free_route_under_the_floor_and_into_a_bill() {
    let (request, policy) = paid_allowed(Quality::Balanced);
    let scarce = |world: World| world.with_model("free:a", |free| free.context_length = 1500);
    let world = scarce(World::of([model("free:a", BillingClass::Free, 27), model("shop:b", BillingClass::Paid, 1)]));
    assert_eq!(world.chosen(&request, &policy), "free:a");
    // 27 + 21 − 12 is 36, and six points for failures make it 30.
    let failing = world.with_track("free:a", 50, 50, None);
    let decision = failing.decide(&request, &policy).unwrap();
    assert_eq!(decision.chosen.model.key.to_string(), "free:a");
    assert_eq!(decision.chosen.score_hundredths, 3000);
}

#[test]
fn below_high_the_worst_record_does_not_turn_a_free_quota_into_a_bill() {
    let world = World::of([model("quota:a", BillingClass::FreeQuota, 80), model("shop:b", BillingClass::Paid, 80)])
        .with("quota", |quota| quota.is_experimental = true)
        .with_track("quota:a", 100, 100, Some(90_000))
        .with_track("shop:b", 100, 0, Some(300));
    for quality in [Quality::Economy, Quality::Balanced] {
        let (request, policy) = paid_allowed(quality);
        assert_eq!(world.chosen(&request, &policy), "quota:a");
    }
    let (request, policy) = paid_allowed(Quality::High);
    let decision = world.decide(&request, &policy).unwrap();
    assert_eq!(decision.chosen.model.key.to_string(), "shop:b");
    assert!(decision.requires_consent);
}

#[test]
fn below_the_floor_the_shown_score_leaves_the_record_aside() {
    let (request, policy) = paid_allowed(Quality::Balanced);
    let world = World::of([model("free:a", BillingClass::Free, 20), model("shop:b", BillingClass::Paid, 1)])
        .with_model("free:a", |free| free.context_length = 1500)
        .with_track("free:a", 50, 50, None);
    let decision = world.decide(&Request { ..request }, &policy).unwrap();
    assert!(matches!(reason_for(&decision, "free:a"), Gate::BelowFloor { score: 2900, .. }));
}
