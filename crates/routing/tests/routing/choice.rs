//! Order, ties, preferences, names, the quality floor.

use lwa_domain::{BillingClass, Capability, Model, Quality, TaskKind};
use lwa_routing::{Gate, Policy, Request};
use rstest::rstest;

use crate::support::{POLICY, REQUEST, World, model, names, paid_allowed, price, reason_for};

fn free_and_paid() -> World {
    World::of([model("free:a", BillingClass::Free, 90), model("paid:b", BillingClass::Paid, 100)])
}

#[test]
fn lwa_018_economy_takes_the_free_route_without_asking() {
    let (request, policy) = paid_allowed(Quality::Economy);
    let decision = free_and_paid().decide(&request, &policy).unwrap();
    assert_eq!(decision.chosen.model.key.to_string(), "free:a");
    assert!(!decision.requires_consent);
}

#[test]
fn lwa_019_high_takes_the_better_paid_route_and_asks() {
    let (request, policy) = paid_allowed(Quality::High);
    let decision = free_and_paid().decide(&request, &policy).unwrap();
    assert_eq!(decision.chosen.model.key.to_string(), "paid:b");
    assert!(decision.requires_consent);
}

#[test]
fn lwa_020_high_without_the_callers_leave_stays_free() {
    let request = Request { quality: Quality::High, ..REQUEST };
    assert_eq!(free_and_paid().chosen(&request, &Policy { allow_paid: true, ..POLICY }), "free:a");
}

#[rstest]
#[case(true)]
#[case(false)]
fn lwa_021_the_preferred_list_beats_the_score(#[case] is_paid_allowed: bool) {
    let (mut request, mut policy) = paid_allowed(Quality::High);
    (request.allow_paid, policy.allow_paid) = (is_paid_allowed, is_paid_allowed);
    let preferred = names(&["free", "paid"]);
    request.preferred_providers = &preferred;
    assert_eq!(free_and_paid().chosen(&request, &policy), "free:a");
}

#[test]
fn lwa_023_equal_scores_go_to_the_first_provider_by_name() {
    let world = World::of([
        model("beta:x", BillingClass::Free, 80),
        model("alpha:y", BillingClass::Free, 80),
        model("alpha:x", BillingClass::Free, 80),
    ]);
    let decision = world.decide(&REQUEST, &POLICY).unwrap();
    assert_eq!(decision.chosen.model.key.to_string(), "alpha:x");
    assert_eq!(
        reason_for(&decision, "beta:x").to_string(),
        "scored 107.0, level with `alpha:x`, which comes first by name"
    );
}

#[test]
fn lwa_024_a_user_pays_route_wins_only_with_its_flag() {
    let world = World::of([model("free:a", BillingClass::Free, 90), model("puter:b", BillingClass::UserPays, 100)]);
    let request = Request { quality: Quality::High, ..REQUEST };
    let policy = Policy { allow_user_pays: true, ..POLICY };
    assert_eq!(world.chosen(&request, &policy), "free:a");
    assert_eq!(world.chosen(&Request { allow_user_pays: true, ..request }, &policy), "puter:b");
}

#[test]
fn between_equal_scores_the_one_that_can_cost_less_comes_first() {
    let (request, policy) = paid_allowed(Quality::Balanced);
    let world = World::of([
        model("alpha:unknown", BillingClass::Paid, 80),
        model("beta:dear", BillingClass::Paid, 80),
        model("gamma:cheap", BillingClass::Paid, 80),
    ])
    .with_model("beta:dear", |dear| dear.price = Some(price(2_000, 8_000)))
    .with_model("gamma:cheap", |cheap| cheap.price = Some(price(1_000, 8_000)));
    let decision = world.decide(&request, &policy).unwrap();
    assert_eq!(decision.chosen.model.key.to_string(), "gamma:cheap");
    let order: Vec<_> = decision.others.iter().map(|other| other.key.to_string()).collect();
    assert_eq!(order, ["beta:dear", "alpha:unknown"]);
    for key in order {
        let reason = reason_for(&decision, &key).to_string();
        assert_eq!(reason, "scored 86.0, level with `gamma:cheap`, which can cost less");
    }
}

/// A listed price does not make a free class cost anything, so it does not order free routes either.
#[test]
fn between_equal_free_scores_a_listed_price_decides_nothing() {
    let world =
        World::of([model("alpha:a", BillingClass::FreeQuota, 80), model("beta:b", BillingClass::FreeQuota, 80)])
            .with_model("alpha:a", |dear| dear.price = Some(price(9_000, 9_000)));
    assert_eq!(world.chosen(&REQUEST, &POLICY), "alpha:a");
}

#[test]
fn above_economy_a_price_never_beats_a_better_score() {
    let world = World::of([model("cheap:a", BillingClass::Paid, 80), model("dear:b", BillingClass::Paid, 81)])
        .with_model("cheap:a", |cheap| cheap.price = Some(price(1, 1)))
        .with_model("dear:b", |dear| dear.price = Some(price(9_000_000, 9_000_000)));
    for quality in [Quality::Balanced, Quality::High] {
        let (request, policy) = paid_allowed(quality);
        assert_eq!(world.chosen(&request, &policy), "dear:b");
    }
}

#[rstest]
#[case::listed_in_order(&["beta", "alpha"], "beta:b")]
#[case::the_first_position_counts(&["beta", "alpha", "beta"], "beta:b")]
#[case::unknown_names_are_ignored(&["nobody", "beta"], "beta:b")]
#[case::ineligible_ones_are_skipped(&["down", "beta"], "beta:b")]
#[case::unlisted_ones_come_after(&["beta"], "beta:b")]
#[case::without_a_list_the_score_decides(&[], "alpha:a")]
fn a_preferred_list_is_read_in_order(#[case] preferred: &[&str], #[case] chosen: &str) {
    let world = World::of([
        model("alpha:a", BillingClass::Free, 90),
        model("beta:b", BillingClass::Free, 50),
        model("down:c", BillingClass::Free, 99),
    ])
    .with("down", |down| down.unhealthy_reason = Some("timeout".into()));
    let preferred = names(preferred);
    let request = Request { preferred_providers: &preferred, ..REQUEST };
    assert_eq!(world.chosen(&request, &POLICY), chosen);
}

#[test]
fn a_better_candidate_that_is_less_preferred_is_told_so() {
    let preferred = names(&["beta"]);
    let request = Request { preferred_providers: &preferred, ..REQUEST };
    let world = World::of([model("alpha:a", BillingClass::Free, 90), model("beta:b", BillingClass::Free, 50)]);
    let decision = world.decide(&request, &POLICY).unwrap();
    assert_eq!(
        reason_for(&decision, "alpha:a").to_string(),
        "scored 117.0, but `beta:b` comes earlier in the preferred list"
    );
    assert!(decision.chosen.reasons.contains(&"number 1 in the preferred list".to_owned()));
}

#[test]
fn an_excluded_provider_is_not_saved_by_being_preferred() {
    let both = names(&["free"]);
    let request = Request { preferred_providers: &both, excluded_providers: &both, ..REQUEST };
    let world = World::of([model("free:a", BillingClass::Free, 90), model("spare:b", BillingClass::Free, 50)]);
    let decision = world.decide(&request, &POLICY).unwrap();
    assert_eq!(reason_for(&decision, "free:a"), Gate::ProviderExcluded);
}

#[test]
fn an_outscored_candidate_is_told_both_scores() {
    let world = World::of([model("alpha:a", BillingClass::Free, 90), model("beta:b", BillingClass::FreeQuota, 90)]);
    let decision = world.decide(&REQUEST, &POLICY).unwrap();
    assert_eq!(reason_for(&decision, "beta:b").to_string(), "scored 112.8, below `alpha:a` with 117.0");
}

#[rstest]
#[case(Some("beta"), None, "beta:x")]
#[case(None, Some("y"), "alpha:y")]
#[case(Some("beta"), Some("x"), "beta:x")]
fn a_named_provider_or_model_is_used(#[case] provider: Option<&str>, #[case] name: Option<&str>, #[case] chosen: &str) {
    let world = World::of([
        model("alpha:x", BillingClass::Free, 90),
        model("alpha:y", BillingClass::Free, 40),
        model("beta:x", BillingClass::Free, 50),
    ]);
    assert_eq!(world.chosen(&Request { provider, model: name, ..REQUEST }, &POLICY), chosen);
}

#[test]
fn a_32_a_named_paid_route_without_leave_is_an_error_and_never_a_free_substitute() {
    let request = Request { provider: Some("paid"), ..REQUEST };
    let none = free_and_paid().refusal(&request, &POLICY);
    let reasons: Vec<_> = none.rejected.iter().map(|rejected| rejected.reason.label()).collect();
    assert_eq!(reasons, ["other_provider_named", "paid_route_disabled"]);
    assert!(none.way_out.contains("for `paid:b`, set `allow_paid`"), "{}", none.way_out);
}

/// A weak free route scores 30 + 21 + 0 at balanced with an ordinary headroom; nine more below the floor needs a
/// malus, which a nearly full context gives.
fn weak_and_weaker(class: BillingClass) -> World {
    let mut weak = model("free:a", BillingClass::Free, 20);
    weak.context_length = 1500;
    let mut weaker = model("shop:b", class, 10);
    weaker.context_length = 1500;
    World::of([weak, weaker])
}

#[rstest]
#[case(BillingClass::Paid)]
#[case(BillingClass::UserPays)]
#[case(BillingClass::Unknown)]
fn below_the_floor_the_first_route_that_may_cost_money_is_taken(#[case] class: BillingClass) {
    let (mut request, mut policy) = paid_allowed(Quality::Balanced);
    (request.allow_user_pays, policy.allow_user_pays) = (true, true);
    let decision = weak_and_weaker(class).decide(&request, &policy).unwrap();
    assert_eq!(decision.chosen.model.key.to_string(), "shop:b");
    assert_eq!(reason_for(&decision, "free:a").to_string(), "scored 29.0, below the floor of 35.0 for `balanced`");
    assert!(decision.chosen.reasons.last().unwrap().contains("floor of 35.0"), "{:?}", decision.chosen.reasons);
    assert!(decision.requires_consent);
}

#[test]
fn below_the_floor_a_free_route_is_kept_when_nothing_else_is_allowed() {
    assert_eq!(weak_and_weaker(BillingClass::Paid).chosen(&REQUEST, &POLICY), "free:a");
}

#[test]
fn economy_has_no_floor() {
    let (request, policy) = paid_allowed(Quality::Economy);
    assert_eq!(weak_and_weaker(BillingClass::Paid).chosen(&request, &policy), "free:a");
}

#[test]
fn the_floor_of_high_is_higher() {
    let (high, policy) = paid_allowed(Quality::High);
    let world = World::of([model("free:a", BillingClass::Free, 43), model("paid:b", BillingClass::Paid, 10)]);
    // 43 + 5.25 + 6 is 54.25, below 55; at balanced 43 + 21 + 6 is far above 35.
    assert_eq!(world.chosen(&high, &policy), "paid:b");
    assert_eq!(world.chosen(&Request { quality: Quality::Balanced, ..high }, &policy), "free:a");
    let world = World::of([model("free:a", BillingClass::Free, 44), model("paid:b", BillingClass::Paid, 10)]);
    assert_eq!(world.chosen(&high, &policy), "free:a");
}

#[test]
fn a_preferred_provider_below_the_floor_is_kept_and_not_turned_into_a_bill() {
    let (mut request, policy) = paid_allowed(Quality::Balanced);
    let preferred = names(&["free"]);
    request.preferred_providers = &preferred;
    assert_eq!(weak_and_weaker(BillingClass::Paid).chosen(&request, &policy), "free:a");
}

/// Three paid ones, good enough for `economy` all but the last, and each cheaper than the one before.
fn a_price_list() -> World {
    World::of([
        model("shop:best", BillingClass::Paid, 96),
        model("shop:good", BillingClass::Paid, 80),
        model("shop:weak", BillingClass::Paid, 60),
    ])
    .with_model("shop:best", |model| model.price = Some(price(3_000_000, 15_000_000)))
    .with_model("shop:good", |model| model.price = Some(price(200_000, 600_000)))
    .with_model("shop:weak", |model| model.price = Some(price(1, 1)))
}

#[test]
fn economy_takes_the_cheapest_paid_route_that_is_good_enough_and_says_so() {
    let (request, policy) = paid_allowed(Quality::Economy);
    let decision = a_price_list().decide(&request, &policy).unwrap();
    assert_eq!(decision.chosen.model.key.to_string(), "shop:good");
    assert_eq!(
        decision.chosen.reasons.last().unwrap(),
        "at `economy` the cheapest of the routes that cost money and have 75.0 points or more"
    );
    assert_eq!(
        reason_for(&decision, "shop:best").to_string(),
        "scored 102.0, but `shop:good` can cost less and is good enough for `economy`"
    );
    assert_eq!(reason_for(&decision, "shop:weak").label(), "outscored");
    for quality in [Quality::Balanced, Quality::High] {
        let (request, policy) = paid_allowed(quality);
        assert_eq!(a_price_list().chosen(&request, &policy), "shop:best");
    }
}

#[test]
fn economy_lets_the_score_decide_while_no_paid_route_is_good_enough() {
    let (request, policy) = paid_allowed(Quality::Economy);
    let world = World::of([model("a:a", BillingClass::Paid, 68), model("b:b", BillingClass::Paid, 60)])
        .with_model("a:a", |model| model.price = Some(price(9, 9)))
        .with_model("b:b", |model| model.price = Some(price(1, 1)));
    assert_eq!(world.chosen(&request, &policy), "a:a");
}

#[test]
fn economy_takes_a_known_price_before_an_unknown_one_and_without_any_the_score_decides() {
    let (request, policy) = paid_allowed(Quality::Economy);
    let unpriced = |key: &str| a_price_list().with_model(key, |model| model.price = None);
    assert_eq!(unpriced("shop:good").chosen(&request, &policy), "shop:best");
    let none = unpriced("shop:good").with_model("shop:best", |model| model.price = None);
    assert_eq!(none.chosen(&request, &policy), "shop:best");
}

/// Nothing is billed for a saving, and a wish for a provider is about that provider.
#[test]
fn economy_passes_over_no_free_route_and_no_preferred_provider() {
    let (mut request, policy) = paid_allowed(Quality::Economy);
    let with = |others: &[Model]| World::of(a_price_list().models.into_iter().chain(others.iter().cloned()));
    // 55 + 35 + 8 + 6 is 104, ahead of all of them; 50 is 99, between the first two.
    let (ahead, between) = (model("free:a", BillingClass::Free, 55), model("free:a", BillingClass::Free, 50));
    assert_eq!(with(&[ahead]).chosen(&request, &policy), "free:a");
    assert_eq!(with(std::slice::from_ref(&between)).chosen(&request, &policy), "shop:best");
    let cheap = Model { price: Some(price(1, 1)), ..model("other:cheap", BillingClass::Paid, 95) };
    let world = with(&[between, cheap]);
    assert_eq!(world.chosen(&request, &policy), "other:cheap");
    let preferred = names(&["shop"]);
    request.preferred_providers = &preferred;
    assert_eq!(world.chosen(&request, &policy), "shop:good");
}

/// A price for tokens says nothing about a picture.
#[test]
fn economy_compares_no_prices_of_tokens_for_pictures() {
    let (request, policy) = paid_allowed(Quality::Economy);
    let request = Request { task: TaskKind::ImageGeneration, max_output_tokens: 1, ..request };
    let mut world = World::of([model("a:a", BillingClass::Paid, 90), model("b:b", BillingClass::Paid, 90)])
        .with_model("b:b", |model| model.price = Some(price(1, 1)))
        .with_model("a:a", |model| model.price = Some(price(9, 9)));
    for model in &mut world.models {
        model.capabilities.insert(Capability::Image);
        model.task_scores.insert(TaskKind::ImageGeneration, 90);
    }
    assert_eq!(world.chosen(&request, &policy), "a:a");
}
