//! Laws of the order: what may only help, what may only harm, and what must change nothing.

use std::collections::BTreeSet;

use lwa_domain::{BillingClass, Capability, Model, ModelKey, PicoUsd, Pipeline, Price, Quality, TaskKind, TrackRecord};
use lwa_routing::{Decision, Gate, Policy};
use proptest::prelude::{
    Strategy, any, prop_assert, prop_assert_eq, prop_assert_ne, prop_assume, prop_oneof, proptest,
};
use proptest::sample::{Index, select};
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::support::World;
use crate::worlds::{Asked, a_policy, a_request, a_track, a_world};

/// Who came after whom: the chosen one, then the eligible others in their order.
fn ranks(decision: &Decision) -> Vec<ModelKey> {
    let eligible = decision.others.iter().filter(|other| {
        other.reason.is_eligible() && !matches!(other.reason, Gate::BelowFloor { .. } | Gate::BuiltinStepsBack)
    });
    [decision.chosen.model.key.clone()].into_iter().chain(eligible.map(|other| other.key.clone())).collect()
}

/// Whether the floor moved the choice: the laws are about the order, and the floor is a rule beside it.
fn is_escalated(decision: &Decision) -> bool {
    decision.others.iter().any(|other| matches!(other.reason, Gate::BelowFloor { .. }))
}

fn rank(decision: &Decision, key: &ModelKey) -> Option<usize> {
    ranks(decision).iter().position(|ranked| ranked == key)
}

/// Ranks of one eligible model before and after a change to it; `None` where the floor or a gate interferes.
fn ranks_of_one(
    world: &World,
    asked: &Asked,
    policy: &Policy,
    pick: Index,
    change: impl FnOnce(&mut World, &ModelKey),
) -> Option<(usize, usize)> {
    let before = world.decide(&asked.request(), policy).ok().filter(|decision| !is_escalated(decision))?;
    let key = pick.get(&ranks(&before)).clone();
    let mut changed = world.clone();
    change(&mut changed, &key);
    let after = changed.decide(&asked.request(), policy).ok().filter(|decision| !is_escalated(decision))?;
    Some((rank(&before, &key)?, rank(&after, &key)?))
}

fn model_mut<'w>(world: &'w mut World, key: &ModelKey) -> &'w mut Model {
    world.models.iter_mut().find(|model| model.key == *key).unwrap()
}

fn scores_of(decision: &Decision) -> Vec<(ModelKey, i32)> {
    let score = |gate: &Gate| match gate {
        Gate::Outscored { score, .. }
        | Gate::Tied { score, .. }
        | Gate::LessPreferred { score, .. }
        | Gate::BelowFloor { score, .. }
        | Gate::Dearer { score, .. } => Some(*score),
        _ => None,
    };
    let mut scores: Vec<_> =
        decision.others.iter().filter_map(|other| Some((other.key.clone(), score(&other.reason)?))).collect();
    scores.push((decision.chosen.model.key.clone(), decision.chosen.score_hundredths));
    scores.sort();
    scores
}

fn a_case() -> impl Strategy<Value = (World, Asked, Policy, Index)> {
    prop_oneof![4 => (a_world(), a_request(), a_policy(), any::<Index>()), 1 => a_frugal_case()]
}

/// `economy` with leave to pay, and hardly a route that costs nothing: prices are compared here.
fn a_frugal_case() -> impl Strategy<Value = (World, Asked, Policy, Index)> {
    let classes = vec![BillingClass::Paid, BillingClass::Paid, BillingClass::Unknown, BillingClass::Free];
    let classes = proptest::collection::vec(select(classes), 15);
    (a_world(), a_request(), a_policy(), any::<Index>(), classes).prop_map(
        |(mut world, mut asked, policy, pick, classes)| {
            for (model, class) in world.models.iter_mut().zip(classes) {
                model.billing_class = class;
            }
            (asked.request.quality, asked.request.allow_paid) = (Quality::Economy, true);
            (world, asked, Policy { allow_paid: true, prefer_free: false, ..policy }, pick)
        },
    )
}

proptest! {
    #[test]
    fn a_better_task_score_never_lowers_a_rank((world, asked, policy, pick) in a_case(), gain in 1..=100_u8) {
        let task = asked.request.task;
        let ranks = ranks_of_one(&world, &asked, &policy, pick, |world, key| {
            let score = model_mut(world, key).task_scores.entry(task).or_insert(40);
            *score = score.saturating_add(gain).min(100);
        });
        if let Some((before, after)) = ranks {
            prop_assert!(after <= before, "{} after {}", after, before);
        }
    }

    #[test]
    fn a_better_task_score_never_loses_a_choice((world, asked, policy, _) in a_case(), gain in 1..=100_u8) {
        if let Ok(decision) = world.decide(&asked.request(), &policy) {
            let key = decision.chosen.model.key.clone();
            let mut better = world.clone();
            let score = model_mut(&mut better, &key).task_scores.entry(asked.request.task).or_insert(40);
            *score = score.saturating_add(gain).min(100);
            let again = better.decide(&asked.request(), &policy).unwrap();
            prop_assert_eq!(again.chosen.model.key, key);
            prop_assert!(again.chosen.score_hundredths >= decision.chosen.score_hundredths);
        }
    }

    #[test]
    fn more_context_never_lowers_a_rank((world, asked, policy, pick) in a_case(), gain in 1..200_000_u64) {
        let ranks = ranks_of_one(&world, &asked, &policy, pick, |world, key| {
            let model = model_mut(world, key);
            model.context_length += gain;
            model.max_input_tokens = model.max_input_tokens.map(|most| most + gain);
        });
        if let Some((before, after)) = ranks {
            prop_assert!(after <= before, "{} after {}", after, before);
        }
    }

    /// The price is no part of the score; between equal scores it decides, and a price that nobody knows comes last.
    #[test]
    fn a_lower_price_never_lowers_a_rank((world, asked, policy, pick) in a_case(), percent in 0..=100_i64) {
        let ranks = ranks_of_one(&world, &asked, &policy, pick, |world, key| {
            let model = model_mut(world, key);
            let lower = |price: PicoUsd| PicoUsd::new(price.get() * percent / 100);
            let price = model.price.take();
            model.price = Some(price.map_or_else(
                || Price::flat(PicoUsd::new(1_000), PicoUsd::new(1_000), "config", "2026-01-01"),
                |price| Price {
                    input_pico_usd: lower(price.input_pico_usd),
                    output_pico_usd: lower(price.output_pico_usd),
                    ..price
                },
            ));
        });
        if let Some((before, after)) = ranks {
            prop_assert!(after <= before, "{} after {}", after, before);
        }
    }

    /// A saving is never a reason to lose something: what is chosen at `economy` is never dearer than a paid route that
    /// scores as much or more.
    #[test]
    fn economy_never_takes_the_dearer_of_two_paid_routes_that_scores_no_more(
        (world, asked, policy, _) in a_frugal_case(),
    ) {
        let request = asked.request();
        if let Ok(decision) = world.decide(&request, &policy) {
            let chosen = &decision.chosen;
            let is_billed = |class| matches!(class, BillingClass::Paid | BillingClass::Unknown);
            prop_assume!(is_billed(chosen.model.billing_class) && !is_escalated(&decision));
            prop_assume!(!matches!(asked.request.task.pipeline(), Pipeline::Image | Pipeline::Video));
            let unknown = PicoUsd::new(i64::MAX);
            let cost = |model: &Model| model.price.as_ref().map_or(unknown, |price| price.worst_case(200, 1200));
            for (key, score) in scores_of(&decision) {
                let model = world.models.iter().find(|model| model.key == key).unwrap();
                if is_billed(model.billing_class)
                    && asked.position(&key) == asked.position(&chosen.model.key)
                    && score >= chosen.score_hundredths
                {
                    prop_assert!(cost(&chosen.model) <= cost(model), "{} instead of {}", chosen.model.key, key);
                }
            }
        }
    }

    #[test]
    fn no_price_changes_a_score_or_a_gate((world, asked, policy, _) in a_case(), input in 0..1_000_000_i64) {
        let mut repriced = world.clone();
        for (index, model) in repriced.models.iter_mut().enumerate() {
            let input = PicoUsd::new(input * i64::try_from(index).unwrap());
            model.price = Some(Price::flat(input, PicoUsd::ZERO, "config", "2026-01-01"));
        }
        let before = world.decide(&asked.request(), &policy);
        let after = repriced.decide(&asked.request(), &policy);
        prop_assert_eq!(before.is_ok(), after.is_ok());
        if let (Ok(before), Ok(after)) = (before, after) {
            prop_assert_eq!(scores_of(&before), scores_of(&after));
        }
    }

    #[test]
    fn more_failures_never_raise_a_rank((world, asked, policy, pick) in a_case(), more in 1..=100_u32) {
        let ranks = ranks_of_one(&world, &asked, &policy, pick, |world, key| {
            if let Some(track) = world.tracks.get_mut(key) {
                track.failures = (track.failures + more).min(track.calls);
            }
        });
        if let Some((before, after)) = ranks {
            prop_assert!(after >= before, "{} after {}", after, before);
        }
    }

    #[test]
    fn another_failed_call_never_raises_a_rank((world, asked, policy, pick) in a_case()) {
        let ranks = ranks_of_one(&world, &asked, &policy, pick, |world, key| {
            if let Some(track) = world.tracks.get_mut(key).filter(|track| track.calls >= 20) {
                *track = TrackRecord { calls: track.calls + 1, failures: track.failures + 1, ..*track };
            }
        });
        if let Some((before, after)) = ranks {
            prop_assert!(after >= before, "{} after {}", after, before);
        }
    }

    #[test]
    fn a_slower_model_never_gains_a_rank((world, asked, policy, pick) in a_case(), more_ms in 1..20_000_u32) {
        let ranks = ranks_of_one(&world, &asked, &policy, pick, |world, key| {
            if let Some(track) = world.tracks.get_mut(key) {
                track.median_latency_ms = track.median_latency_ms.map(|ms| ms + more_ms);
            }
        });
        if let Some((before, after)) = ranks {
            prop_assert!(after >= before, "{} after {}", after, before);
        }
    }

    /// Records take at most six points for health and three for latency, and give none.
    #[test]
    fn records_are_bounded_and_only_take_points_away((world, asked, policy, _) in a_case()) {
        let blank = World { tracks: [].into(), ..world.clone() };
        let (with, without) = (world.decide(&asked.request(), &policy), blank.decide(&asked.request(), &policy));
        prop_assert_eq!(with.is_ok(), without.is_ok());
        if let (Ok(with), Ok(without)) = (with, without) {
            prop_assume!(!is_escalated(&with) && !is_escalated(&without));
            for ((key, with), (same, without)) in scores_of(&with).into_iter().zip(scores_of(&without)) {
                prop_assert_eq!(&key, &same);
                let taken = without - with;
                prop_assert!((0..=900).contains(&taken), "{} lost {}", key, taken);
                let counts = world.tracks.get(&key).is_some_and(|track| track.calls >= 20);
                prop_assert!(counts || taken == 0, "{} lost {} without a record that counts", key, taken);
            }
        }
    }

    /// At economy and balanced the free bonus is larger than anything a record can take.
    #[test]
    fn below_high_no_record_turns_a_free_route_into_a_bill((world, mut asked, mut policy, _) in a_case()) {
        policy.prefer_free = true;
        if asked.request.quality == Quality::High {
            asked.request.quality = Quality::Balanced;
        }
        let mut even = world.clone();
        for model in &mut even.models {
            model.task_scores.clear();
            (model.context_length, model.max_input_tokens) = (131_072, None);
        }
        if let Ok(decision) = even.decide(&asked.request(), &policy) {
            let free_was_there = decision.others.iter().any(|other| {
                let is_free = even.models.iter().any(|model| model.key == other.key && model.billing_class.is_free());
                let was_compared = matches!(other.reason, Gate::Outscored { .. } | Gate::Tied { .. });
                is_free && was_compared
            });
            let class = decision.chosen.model.billing_class;
            let is_paid = matches!(class, BillingClass::Paid | BillingClass::Unknown);
            prop_assert!(!is_paid || !free_was_there || asked.position(&decision.chosen.model.key) != usize::MAX);
        }
    }

    #[test]
    fn a_forbidden_class_is_never_chosen((world, asked, policy, _) in a_case(), class in select(BillingClass::ALL)) {
        let mut without = asked.clone();
        match class {
            BillingClass::Paid | BillingClass::Unknown => without.request.allow_paid = false,
            BillingClass::UserPays => without.request.allow_user_pays = false,
            free => without.request.required_billing_class = BillingClass::ALL.iter().copied().find(|other| *other != free),
        }
        if let Ok(decision) = world.decide(&without.request(), &policy) {
            prop_assert_ne!(decision.chosen.model.billing_class, class);
        }
    }

    #[test]
    fn a_listed_provider_that_can_serve_is_taken_before_any_other((world, asked, policy, _) in a_case()) {
        if let Ok(decision) = world.decide(&asked.request(), &policy) {
            let best = ranks(&decision).iter().map(|key| asked.position(key)).min().unwrap();
            let passed_over = decision.others.iter().filter(|other| other.reason.is_eligible());
            let listed = passed_over.map(|other| asked.position(&other.key)).min().unwrap_or(usize::MAX);
            prop_assert_eq!(asked.position(&decision.chosen.model.key), best.min(listed));
        }
    }

    /// A candidate that fails a gate is in the account of the decision and nowhere else in it.
    #[test]
    fn an_ineligible_candidate_changes_nothing(
        (world, asked, policy, _) in a_case(),
        track in a_track(),
        class in select(BillingClass::ALL),
    ) {
        let mut more = world.clone();
        let key = ModelKey { provider: "alpha".to_owned(), model: "switched-off".to_owned() };
        let mut extra = Model::named(key.clone(), class, "live");
        extra.capabilities = Capability::ALL.iter().copied().collect();
        extra.task_scores = TaskKind::ALL.iter().map(|task| (*task, 100)).collect();
        extra.disabled_reason = Some("off".to_owned());
        more.models.push(extra);
        more.tracks.insert(key.clone(), track);
        let before = world.decide(&asked.request(), &policy);
        let after = more.decide(&asked.request(), &policy);
        match (before, after) {
            (Ok(before), Ok(mut after)) => {
                let place = after.others.iter().position(|other| other.key == key).unwrap();
                prop_assert_eq!(after.others.remove(place).reason.label(), "model_disabled");
                prop_assert_eq!(before, after);
            }
            (before, after) => prop_assert!(before.is_err() && after.is_err()),
        }
    }

    /// Leaving out a candidate that lost leaves the winner, unless its time was part of what is usual, or it was a free one
    /// that kept `economy` from looking for a cheaper paid one behind it.
    #[test]
    fn a_loser_that_leaves_does_not_change_the_winner((mut world, asked, policy, pick) in a_case()) {
        world.tracks.clear();
        if let Ok(decision) = world.decide(&asked.request(), &policy) {
            prop_assume!(!decision.others.is_empty() && !is_escalated(&decision));
            let loser = pick.get(&decision.others).key.clone();
            let is_billed = |class| matches!(class, BillingClass::Paid | BillingClass::Unknown);
            let class = world.models.iter().find(|model| model.key == loser).unwrap().billing_class;
            prop_assume!(asked.request.quality != Quality::Economy || is_billed(class) || !is_billed(decision.chosen.model.billing_class));
            world.models.retain(|model| model.key != loser);
            let again = world.decide(&asked.request(), &policy).unwrap().chosen;
            let chosen = decision.chosen;
            // Its reasons may name the one that left: why a dearer route was passed over.
            prop_assert_eq!(
                (again.model, again.score_hundredths, again.max_cost),
                (chosen.model, chosen.score_hundredths, chosen.max_cost)
            );
        }
    }
}

/// The strategies do produce what the laws are about; a law over nothing would pass.
#[test]
fn the_random_worlds_reach_every_gate_of_a_single_route() {
    let mut runner = TestRunner::deterministic();
    let mut seen = BTreeSet::new();
    let case = a_case();
    for _ in 0..3000 {
        let (world, asked, policy, _) = case.new_tree(&mut runner).unwrap().current();
        let rejected = match world.decide(&asked.request(), &policy) {
            Ok(decision) => decision.others,
            Err(none) => none.rejected,
        };
        seen.extend(rejected.iter().map(|other| other.reason.label()));
    }
    let consensus_only = ["voters_are_free", "provider_votes", "enough_voters", "synthesis_elsewhere"];
    let missing: Vec<_> =
        Gate::LABELS.iter().filter(|label| !seen.contains(*label) && !consensus_only.contains(label)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
