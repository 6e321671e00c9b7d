//! What holds in every world.

use std::collections::BTreeMap;

use lwa_domain::{
    BillingClass, Capability, ConsentMode, DataUse, Model, ModelKey, ProviderFacts, Quality, ReasoningEffort, TaskKind,
};
use lwa_routing::{BUILTIN_PROVIDER, Gate, Policy, Request};
use proptest::option::weighted;
use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::sample::{select, subsequence};

use crate::support::{World, price};

/// A request that owns its lists.
#[derive(Debug, Clone)]
struct Asked {
    request: Request<'static>,
    preferred: Vec<String>,
    excluded: Vec<String>,
    provider: Option<String>,
    model: Option<String>,
}

impl Asked {
    fn request(&self) -> Request<'_> {
        Request {
            preferred_providers: &self.preferred,
            excluded_providers: &self.excluded,
            provider: self.provider.as_deref(),
            model: self.model.as_deref(),
            ..self.request
        }
    }
}

const PROVIDERS: [&str; 5] = ["alpha", "beta", BUILTIN_PROVIDER, "delta", "echo"];
const MODELS: [&str; 3] = ["large", "small", "tiny"];

fn owned(list: &'static [&'static str]) -> Vec<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

/// Mostly usable, so that choices happen; every gate fails now and then.
fn a_model(key: ModelKey) -> impl Strategy<Value = Model> {
    let capabilities = prop_oneof![
        8 => Just(vec![Capability::Text, Capability::Reasoning]),
        2 => subsequence(Capability::ALL, 0..=4),
    ];
    let levels = subsequence(ReasoningEffort::ALL, 0..=3);
    let context = select(vec![900_u64, 1500, 8192, 131_072]);
    let scores = weighted(0.9, 0_u8..=100);
    let disabled = weighted(0.05, Just("off".to_owned()));
    let cost = weighted(0.5, (0..1_000_000_i64, 0..1_000_000_i64));
    (select(BillingClass::ALL), capabilities, levels, context, scores, disabled, cost).prop_map(
        move |(class, capabilities, levels, context_length, score, disabled_reason, cost)| Model {
            key: key.clone(),
            display_name: None,
            billing_class: class,
            capabilities: capabilities.into_iter().collect(),
            reasoning_levels: levels,
            context_length,
            price: cost.map(|(input, output)| price(input, output)),
            task_scores: TaskKind::ALL.iter().filter_map(|task| Some((*task, score?))).collect(),
            disabled_reason,
            source: "live".to_owned(),
        },
    )
}

fn a_provider(name: &'static str) -> impl Strategy<Value = ProviderFacts> {
    let reason = || weighted(0.05, Just("down".to_owned()));
    (reason(), reason(), any::<[bool; 3]>(), reason(), select(DataUse::ALL), any::<bool>()).prop_map(
        move |(disabled_reason, unhealthy_reason, key, exhausted_cap, data_use, is_local)| ProviderFacts {
            name: name.to_owned(),
            disabled_reason,
            unhealthy_reason,
            credential_names: vec![format!("{}_API_KEY", name.to_uppercase())],
            has_credential: key.contains(&true),
            exhausted_cap,
            is_local,
            data_use,
        },
    )
}

fn a_world() -> impl Strategy<Value = World> {
    let keys: Vec<_> = PROVIDERS
        .iter()
        .flat_map(|provider| MODELS.iter().map(|model| (*provider).to_owned() + ":" + model))
        .map(|key| {
            let (provider, model) = key.split_once(':').unwrap();
            ModelKey { provider: provider.to_owned(), model: model.to_owned() }
        })
        .collect();
    let models = subsequence(keys, 0..=15).prop_flat_map(|keys| keys.into_iter().map(a_model).collect::<Vec<_>>());
    let providers: Vec<_> = PROVIDERS.into_iter().map(a_provider).collect();
    (models.prop_shuffle(), providers, weighted(0.1, select(PROVIDERS.to_vec()))).prop_map(
        |(models, providers, missing)| {
            let mut providers: BTreeMap<_, _> =
                providers.into_iter().map(|facts| (facts.name.clone(), facts)).collect();
            if let Some(name) = missing {
                providers.remove(name);
            }
            World { models, providers }
        },
    )
}

fn a_request() -> impl Strategy<Value = Asked> {
    (
        select(TaskKind::ALL),
        select(Quality::ALL),
        weighted(0.2, select(ReasoningEffort::ALL)),
        any::<[bool; 2]>(),
        subsequence(owned(&PROVIDERS), 0..=2).prop_shuffle(),
        subsequence(owned(&PROVIDERS), 0..=1),
        weighted(0.15, select(owned(&["alpha", "beta", BUILTIN_PROVIDER, "alfa"]))),
        weighted(0.1, select(owned(&["large", "small", "huge"]))),
    )
        .prop_map(|(task, quality, reasoning_effort, [paid, user_pays], preferred, excluded, provider, model)| {
            Asked {
                request: Request {
                    task,
                    quality,
                    reasoning_effort,
                    estimated_input_tokens: 200,
                    max_output_tokens: 1200,
                    allow_paid: paid,
                    allow_user_pays: user_pays,
                    preferred_providers: &[],
                    excluded_providers: &[],
                    provider: None,
                    model: None,
                },
                preferred,
                excluded,
                provider,
                model,
            }
        })
}

fn a_policy() -> impl Strategy<Value = Policy> {
    (select(ConsentMode::ALL), any::<[bool; 4]>()).prop_map(
        |(consent_mode, [prefer_free, allow_paid, allow_user_pays, allow_training])| Policy {
            consent_mode,
            prefer_free,
            allow_paid,
            allow_user_pays,
            allow_training,
        },
    )
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
        let other = World { models: shuffled, providers: world.providers.clone() };
        prop_assert_eq!(world.decide(&asked.request(), &policy), other.decide(&asked.request(), &policy));
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

    /// The oracle decides each candidate alone, where no comparison can go wrong.
    #[test]
    fn the_chosen_one_is_the_best_of_those_that_would_do_alone(
        world in a_world(),
        asked in a_request(),
        policy in a_policy(),
    ) {
        let request = asked.request();
        let position = |key: &ModelKey| {
            asked.preferred.iter().position(|name| *name == key.provider).unwrap_or(usize::MAX)
        };
        let is_builtin_named = request.provider == Some(BUILTIN_PROVIDER)
            || asked.preferred.iter().any(|name| name == BUILTIN_PROVIDER);
        let mut alone: Vec<_> = world.models.iter().filter_map(|model| {
            let lonely = World { models: vec![model.clone()], providers: world.providers.clone() };
            let decision = lonely.decide(&request, &policy).ok()?;
            Some((position(&model.key), -decision.chosen.score_hundredths, model.key.clone(), model.billing_class))
        }).collect();
        if !is_builtin_named && alone.iter().any(|candidate| candidate.2.provider != BUILTIN_PROVIDER) {
            alone.retain(|candidate| candidate.2.provider != BUILTIN_PROVIDER);
        }
        alone.sort_by(|a, b| (a.0, a.1, &a.2).cmp(&(b.0, b.1, &b.2)));
        let floor = match request.quality {
            Quality::Economy => 0,
            Quality::Balanced => 3500,
            Quality::High => 5500,
        };
        let expected = alone.first().map(|best| {
            let costly = alone.iter().find(|candidate| candidate.3.may_cost_money());
            let is_escalated = -best.1 < floor && best.0 == usize::MAX;
            if is_escalated { costly.unwrap_or(best) } else { best }
        });
        let decision = world.decide(&request, &policy).ok();
        prop_assert_eq!(
            decision.map(|decision| (decision.chosen.model.key, decision.chosen.score_hundredths)),
            expected.map(|best| (best.2.clone(), -best.1))
        );
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
    fn a_better_task_score_never_loses_a_choice(
        world in a_world(),
        asked in a_request(),
        policy in a_policy(),
        gain in 1..=100_u8,
    ) {
        if let Ok(decision) = world.decide(&asked.request(), &policy) {
            let key = decision.chosen.model.key;
            let mut better = world.clone();
            let model = better.models.iter_mut().find(|model| model.key == key).unwrap();
            let score = model.task_scores.entry(asked.request.task).or_insert(40);
            *score = score.saturating_add(gain).min(100);
            let again = better.decide(&asked.request(), &policy).unwrap();
            prop_assert_eq!(again.chosen.model.key, key);
            prop_assert!(again.chosen.score_hundredths >= decision.chosen.score_hundredths);
        }
    }

    #[test]
    fn a_price_changes_the_ceiling_and_nothing_else(
        world in a_world(),
        asked in a_request(),
        policy in a_policy(),
        input in 0..1_000_000_i64,
    ) {
        let mut repriced = world.clone();
        for model in &mut repriced.models {
            model.price = Some(price(input, 0));
        }
        let before = world.decide(&asked.request(), &policy);
        let after = repriced.decide(&asked.request(), &policy);
        prop_assert_eq!(before.is_ok(), after.is_ok());
        if let (Ok(before), Ok(after)) = (before, after) {
            prop_assert_eq!(&before.chosen.model.key, &after.chosen.model.key);
            prop_assert_eq!(before.chosen.score_hundredths, after.chosen.score_hundredths);
            prop_assert_eq!(before.others, after.others);
            prop_assert_eq!(after.chosen.max_cost.map(lwa_domain::PicoUsd::get), Some(200 * input));
        }
    }

    #[test]
    fn a_named_provider_or_model_is_never_replaced(
        world in a_world(),
        asked in a_request(),
        policy in a_policy(),
    ) {
        if let Ok(decision) = world.decide(&asked.request(), &policy) {
            let key = decision.chosen.model.key;
            prop_assert!(asked.provider.is_none_or(|name| name == key.provider));
            prop_assert!(asked.model.is_none_or(|name| name == key.model));
            prop_assert!(!asked.excluded.contains(&key.provider));
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
    fn losers_never_show_a_better_score_than_the_winner(
        world in a_world(),
        asked in a_request(),
        policy in a_policy(),
    ) {
        if let Ok(decision) = world.decide(&asked.request(), &policy) {
            for other in &decision.others {
                if let Gate::Outscored { score, winning_score, .. } = &other.reason {
                    prop_assert!(score < winning_score);
                    prop_assert_eq!(*winning_score, decision.chosen.score_hundredths);
                }
            }
        }
    }
}
