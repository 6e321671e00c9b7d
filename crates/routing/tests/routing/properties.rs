//! What holds in every world.

use lwa_domain::{BillingClass, ConsentMode, DataUse, Model, PicoUsd, Pipeline, Quality};
use lwa_routing::{BUILTIN_PROVIDER, Gate};
use proptest::prelude::{Just, Strategy, prop_assert, prop_assert_eq, proptest};

use crate::support::World;
use crate::worlds::{Asked, a_policy, a_request, a_world};

/// What a tie is broken by before the name.
fn ceiling(model: &Model, asked: &Asked) -> PicoUsd {
    let is_billed_by_tokens = !matches!(asked.request.task.pipeline(), Pipeline::Image | Pipeline::Video);
    match &model.price {
        _ if model.billing_class.is_free() => PicoUsd::ZERO,
        Some(price) if is_billed_by_tokens => price.worst_case(200, 1200),
        _ => PicoUsd::new(i64::MAX),
    }
}

proptest! {
    #[test]
    fn the_order_of_the_catalogue_changes_nothing(
        (world, shuffled) in a_world().prop_flat_map(|world| {
            let models = Just(world.models.clone()).prop_shuffle();
            (Just(world), models)
        }),
        asked in a_request(),
        policy in a_policy(),
    ) {
        let other = World { models: shuffled, ..world.clone() };
        let request = asked.request();
        let decision = world.decide(&request, &policy);
        prop_assert_eq!(&decision, &other.decide(&request, &policy));
        let voters = world.voters(&request, &policy, None);
        prop_assert_eq!(&voters, &other.voters(&request, &policy, None));
        if let Ok(voters) = voters {
            prop_assert_eq!(world.synthesis(&request, &policy, &voters), other.synthesis(&request, &policy, &voters));
        }
    }

    #[test]
    fn every_candidate_is_accounted_for_once(world in a_world(), asked in a_request(), policy in a_policy()) {
        let mut seen: Vec<_> = match world.decide(&asked.request(), &policy) {
            Ok(decision) => {
                let others = decision.others.into_iter().map(|other| other.key);
                others.chain([decision.chosen.model.key]).collect()
            }
            Err(none) => none.rejected.into_iter().map(|rejected| rejected.key).collect(),
        };
        let mut all: Vec<_> = world.models.iter().map(|model| model.key.clone()).collect();
        seen.sort();
        all.sort();
        prop_assert_eq!(seen, all);
    }

    /// The oracle decides each candidate alone, where no comparison can go wrong. Records are left out, because a time
    /// is slow or fast only beside others.
    #[test]
    fn the_chosen_one_is_the_best_of_those_that_would_do_alone(
        mut world in a_world(),
        asked in a_request(),
        policy in a_policy(),
    ) {
        world.tracks.clear();
        for facts in world.providers.values_mut() {
            facts.is_experimental = false;
        }
        let request = asked.request();
        let mut alone: Vec<_> = world.models.iter().filter_map(|model| {
            let lonely = World { models: vec![model.clone()], ..world.clone() };
            let decision = lonely.decide(&request, &policy).ok()?;
            Some((model, decision.chosen.score_hundredths))
        }).collect();
        let is_model = |model: &Model| model.key.provider != BUILTIN_PROVIDER;
        let names_builtin = asked.names_builtin();
        if !names_builtin && alone.iter().any(|(model, _)| is_model(model)) {
            alone.retain(|(model, _)| is_model(model));
        }
        alone.sort_by_key(|(model, score)| (asked.position(&model.key), -score, ceiling(model, &asked), model.key.clone()));
        let floor = match request.quality {
            Quality::Economy => 0,
            Quality::Balanced => 3500,
            Quality::High => 5500,
        };
        let expected = alone.first().map(|best| {
            let costly = alone.iter().find(|(model, _)| model.billing_class.may_cost_money());
            let is_escalated = best.1 < floor && asked.position(&best.0.key) == usize::MAX;
            // Records are left out, so a score is the same with them and without.
            let is_alike = |(model, score): &&(&Model, i32)| {
                matches!(model.billing_class, BillingClass::Paid | BillingClass::Unknown)
                    && asked.position(&model.key) == asked.position(&best.0.key)
                    && *score >= 7500
            };
            let is_frugal = request.quality == Quality::Economy;
            match alone.iter().take_while(is_alike).min_by_key(|(model, _)| ceiling(model, &asked)) {
                _ if is_escalated => costly.unwrap_or(best),
                Some(cheapest) if is_frugal => cheapest,
                _ => best,
            }
        });
        let decision = world.decide(&request, &policy).ok();
        prop_assert_eq!(
            decision.map(|decision| (decision.chosen.model.key, decision.chosen.score_hundredths)),
            expected.map(|(model, score)| (model.key.clone(), *score))
        );
    }

    /// No candidate with a higher score is passed over, but for the preferred list and the floor, which both say so.
    #[test]
    fn rr_51_the_highest_score_is_chosen(world in a_world(), asked in a_request(), policy in a_policy()) {
        if let Ok(decision) = world.decide(&asked.request(), &policy) {
            let chosen = decision.chosen.score_hundredths;
            let position = asked.position(&decision.chosen.model.key);
            for other in &decision.others {
                let model = world.models.iter().find(|model| model.key == other.key).unwrap();
                match &other.reason {
                    Gate::Outscored { score, winning_score, .. } => {
                        prop_assert!(score < winning_score && *winning_score == chosen);
                    }
                    Gate::Tied { score, .. } => {
                        prop_assert_eq!(*score, chosen);
                        let ahead = (ceiling(&decision.chosen.model, &asked), &decision.chosen.model.key);
                        prop_assert!(ahead < (ceiling(model, &asked), &model.key));
                    }
                    Gate::LessPreferred { .. } => prop_assert!(position < asked.position(&other.key)),
                    Gate::BelowFloor { score, floor, .. } => {
                        prop_assert!(score < floor && position == usize::MAX);
                        prop_assert!(decision.chosen.model.billing_class.may_cost_money());
                        prop_assert!(model.billing_class.is_free());
                    }
                    Gate::Dearer { score, .. } => {
                        prop_assert!(asked.request.quality == Quality::Economy && chosen >= 7500 && *score >= chosen);
                        prop_assert!(ceiling(&decision.chosen.model, &asked) < ceiling(model, &asked));
                        for model in [model, &decision.chosen.model] {
                            prop_assert!(matches!(model.billing_class, BillingClass::Paid | BillingClass::Unknown));
                        }
                    }
                    reason => prop_assert!(!reason.is_eligible() || *reason == Gate::BuiltinStepsBack),
                }
            }
        }
    }

    #[test]
    fn nothing_is_spent_and_nothing_trains_without_leave(
        world in a_world(),
        asked in a_request(),
        policy in a_policy(),
    ) {
        if let Ok(decision) = world.decide(&asked.request(), &policy) {
            let class = decision.chosen.model.billing_class;
            let has_leave = match class {
                BillingClass::Free | BillingClass::FreeQuota => true,
                BillingClass::UserPays => asked.request.allow_user_pays && policy.allow_user_pays,
                BillingClass::Paid | BillingClass::Unknown => asked.request.allow_paid && policy.allow_paid,
            };
            prop_assert!(has_leave, "{} without leave", class);
            prop_assert!(policy.consent_mode == ConsentMode::Automatic || !class.may_cost_money() || decision.requires_consent);
            let facts = &world.providers[&decision.chosen.model.key.provider];
            prop_assert!(facts.data_use != DataUse::Trains || facts.is_local || policy.allow_training);
        }
    }

    #[test]
    fn what_the_request_names_or_requires_is_never_replaced(
        world in a_world(),
        asked in a_request(),
        policy in a_policy(),
    ) {
        if let Ok(decision) = world.decide(&asked.request(), &policy) {
            let key = &decision.chosen.model.key;
            prop_assert!(asked.provider.is_none_or(|name| name == key.provider));
            prop_assert!(asked.model.is_none_or(|name| name == key.model));
            prop_assert!(!asked.excluded.contains(&key.provider));
            let required = asked.request.required_billing_class;
            prop_assert!(required.is_none_or(|class| class == decision.chosen.model.billing_class));
        }
    }

    #[test]
    fn a_refusal_is_short_and_holds_no_eligible_candidate(
        world in a_world(),
        asked in a_request(),
        policy in a_policy(),
    ) {
        if let Err(none) = world.decide(&asked.request(), &policy) {
            prop_assert!(none.rejected.iter().all(|rejected| !rejected.reason.is_eligible()));
            prop_assert!(none.examples.len() <= 8 && none.examples.is_empty() == world.models.is_empty());
            prop_assert!(!none.way_out.is_empty());
            prop_assert!(none.to_string().len() < 3000, "{}", none);
        }
    }

    #[test]
    fn every_reason_has_a_known_label(world in a_world(), asked in a_request(), policy in a_policy()) {
        let rejected = match world.decide(&asked.request(), &policy) {
            Ok(decision) => decision.others,
            Err(none) => none.rejected,
        };
        for other in rejected {
            prop_assert!(Gate::LABELS.contains(&other.reason.label()));
        }
    }

    #[test]
    fn a_request_that_contradicts_its_task_is_refused_by_the_decision_too(
        world in a_world(),
        asked in a_request(),
        policy in a_policy(),
    ) {
        let request = asked.request();
        if request.check().is_err() {
            prop_assert!(world.decide(&request, &policy).is_err());
        }
    }
}
