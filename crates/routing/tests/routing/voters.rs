//! Who votes in a consensus, and who puts the reviews together.

use lwa_domain::{BillingClass, Capability, ConsentMode, DataUse, Quality, TaskKind};
use lwa_routing::consensus::Voters;
use lwa_routing::{Gate, Policy, Request};
use proptest::option;
use proptest::prelude::{prop_assert, prop_assert_eq, proptest};
use rstest::rstest;

use crate::seeds;
use crate::support::{POLICY, REQUEST, World, model, names, reason_among, reason_for};
use crate::worlds::{Asked, a_policy, a_request, a_world};

const VOTE: Request = Request { task: TaskKind::Consensus, max_output_tokens: 1000, ..REQUEST };
const SYNTHESIS: Request = Request { max_output_tokens: 1400, ..VOTE };
const ALL_ALLOWED: Policy = Policy { allow_paid: true, allow_user_pays: true, ..POLICY };

fn keys(voters: &Voters) -> Vec<String> {
    voters.chosen.iter().map(|voter| voter.model.key.to_string()).collect()
}

fn all_allowed(request: Request<'static>) -> Request<'static> {
    Request { allow_paid: true, allow_user_pays: true, ..request }
}

#[test]
fn voters_come_one_a_provider_in_the_known_order() {
    let world = seeds::world();
    let voters = world.voters(&VOTE, &POLICY, None).unwrap();
    let providers: Vec<_> = voters.chosen.iter().map(|voter| voter.model.key.provider.as_str()).collect();
    assert_eq!(providers, ["cerebras", "groq", "gemini", "pollinations", "zai", "aion", "openrouter"]);
    let synthesis = world.synthesis(&SYNTHESIS, &POLICY, &voters).unwrap();
    assert_eq!(synthesis.chosen.model.key.to_string(), "cerebras:gpt-oss-120b");
    assert!(synthesis.chosen.reasons.last().unwrap().starts_with("votes too"), "{:?}", synthesis.chosen.reasons);
}

#[test]
fn lwa_065_three_free_providers_vote_and_the_paid_one_does_not() {
    let world = World::of([
        model("a:free", BillingClass::Free, 80),
        model("b:quota", BillingClass::FreeQuota, 85),
        model("c:free", BillingClass::Free, 70),
        model("d:paid", BillingClass::Paid, 100),
    ]);
    for (request, policy) in [(VOTE, POLICY), (all_allowed(VOTE), ALL_ALLOWED)] {
        let voters = world.voters(&request, &policy, None).unwrap();
        // 85 + 16.8, 80 + 21, 70 + 21.
        assert_eq!(keys(&voters), ["b:quota", "a:free", "c:free"]);
        assert!(voters.chosen.iter().all(|voter| voter.model.billing_class.is_free()));
        let reason = reason_among(&voters.others, "d:paid");
        assert_eq!(reason.to_string(), "billing class `paid`, and only free routes vote");
    }
}

#[test]
fn lwa_066_a_user_pays_model_of_top_score_never_votes() {
    let world = World::of([model("a:free", BillingClass::Free, 10), model("puter:top", BillingClass::UserPays, 100)]);
    let voters = world.voters(&all_allowed(VOTE), &ALL_ALLOWED, None).unwrap();
    assert_eq!(keys(&voters), ["a:free"]);
    assert_eq!(reason_among(&voters.others, "puter:top"), Gate::VotersAreFree(BillingClass::UserPays));
}

#[test]
fn a_02_a_user_pays_provider_without_prices_is_never_a_voter() {
    let world = World::of([model("puter:a", BillingClass::UserPays, 100)]);
    let none = world.voters(&all_allowed(VOTE), &ALL_ALLOWED, None).unwrap_err();
    assert_eq!(
        none.to_string(),
        "no voter for `consensus` (needs text+reasoning): 1 × billing class `user_pays`, and only free routes vote; \
         nearest: `puter:a`; way out: only free routes vote: configure a free provider with a model that has the \
         capabilities text+reasoning"
    );
}

#[rstest]
#[case(BillingClass::Paid)]
#[case(BillingClass::Unknown)]
#[case(BillingClass::UserPays)]
fn requiring_a_class_that_costs_money_changes_no_voter(#[case] required: BillingClass) {
    let world = World::of([model("a:free", BillingClass::Free, 10), model("b:b", required, 100)]);
    let request = Request { required_billing_class: Some(required), ..all_allowed(VOTE) };
    let voters = world.voters(&request, &ALL_ALLOWED, None).unwrap();
    assert_eq!(keys(&voters), ["a:free"]);
    let synthesis = world.synthesis(&request, &ALL_ALLOWED, &voters).unwrap();
    assert_eq!(synthesis.chosen.model.key.to_string(), "b:b");
    assert!(synthesis.requires_consent);
}

#[test]
fn requiring_a_free_class_holds_for_voters_too() {
    let world = World::of([model("a:a", BillingClass::Free, 10), model("b:b", BillingClass::FreeQuota, 100)]);
    let request = Request { required_billing_class: Some(BillingClass::Free), ..VOTE };
    assert_eq!(keys(&world.voters(&request, &POLICY, None).unwrap()), ["a:a"]);
}

fn two_a_provider() -> World {
    World::of([
        model("a:second", BillingClass::Free, 88),
        model("a:first", BillingClass::Free, 90),
        model("b:only", BillingClass::Free, 89),
        model("c:only", BillingClass::Free, 60),
    ])
}

#[test]
fn a_provider_has_one_vote_and_its_best_model_casts_it() {
    let voters = two_a_provider().voters(&VOTE, &POLICY, None).unwrap();
    assert_eq!(keys(&voters), ["a:first", "b:only", "c:only"]);
    assert_eq!(reason_among(&voters.others, "a:second").to_string(), "`a:first` votes for the provider");
}

#[rstest]
#[case(Some(0), 1)]
#[case(Some(1), 1)]
#[case(Some(2), 2)]
#[case(Some(3), 3)]
#[case(Some(99), 3)]
#[case(None, 3)]
fn a_given_number_caps_and_none_means_all(#[case] max: Option<usize>, #[case] count: usize) {
    let voters = two_a_provider().voters(&VOTE, &POLICY, max).unwrap();
    assert_eq!(keys(&voters), ["a:first", "b:only", "c:only"][..count]);
    if count < 3 {
        let reason = reason_among(&voters.others, "c:only");
        assert_eq!(reason.to_string(), format!("{count} better ones vote, and no more were asked for"));
    }
}

#[test]
fn the_builtin_provider_never_votes_whatever_the_task_or_the_wish() {
    let builtin = || model("builtin:condense", BillingClass::Free, 100);
    let preferred = names(&["builtin"]);
    for task in TaskKind::ALL.iter().copied().filter(|task| task.required_capabilities().contains(&Capability::Text)) {
        let request = Request { task, preferred_providers: &preferred, ..VOTE };
        let voters =
            World::of([builtin(), model("a:a", BillingClass::Free, 1)]).voters(&request, &POLICY, None).unwrap();
        assert_eq!(keys(&voters), ["a:a"]);
        assert_eq!(reason_among(&voters.others, "builtin:condense"), Gate::NeedsModel);
        let synthesis = World::of([builtin()]).synthesis(&request, &POLICY, &voters).unwrap_err();
        assert_eq!(synthesis.rejected[0].reason, Gate::NeedsModel);
    }
}

#[test]
fn every_other_gate_holds_for_voters_with_its_reason() {
    let world = World::of(
        ["off", "down", "keyless", "full", "trains", "good"]
            .map(|name| model(&format!("{name}:m"), BillingClass::Free, 80)),
    )
    .with("off", |off| off.disabled_reason = Some("moved".into()))
    .with("down", |down| down.unhealthy_reason = Some("timeout".into()))
    .with("keyless", |keyless| keyless.has_credential = false)
    .with("full", |full| full.exhausted_cap = Some("daily".into()))
    .with("trains", |trains| trains.data_use = DataUse::Trains);
    let voters = world.voters(&VOTE, &POLICY, None).unwrap();
    assert_eq!(keys(&voters), ["good:m"]);
    for (key, label) in [
        ("off:m", "provider_disabled"),
        ("down:m", "provider_unhealthy"),
        ("keyless:m", "missing_credential"),
        ("full:m", "cap_exhausted"),
        ("trains:m", "trains_on_text"),
    ] {
        assert_eq!(reason_among(&voters.others, key).label(), label);
    }
}

#[test]
fn the_preferred_list_orders_the_voters() {
    let preferred = names(&["c", "b"]);
    let request = Request { preferred_providers: &preferred, ..VOTE };
    let voters = two_a_provider().voters(&request, &POLICY, Some(2)).unwrap();
    assert_eq!(keys(&voters), ["c:only", "b:only"]);
    assert_eq!(reason_among(&voters.others, "a:first").label(), "enough_voters");
}

#[test]
fn the_synthesis_goes_to_a_free_model_that_did_not_vote() {
    let world = two_a_provider();
    let voters = world.voters(&VOTE, &POLICY, Some(2)).unwrap();
    let synthesis = world.synthesis(&SYNTHESIS, &POLICY, &voters).unwrap();
    assert_eq!(synthesis.chosen.model.key.to_string(), "c:only");
    assert_eq!(synthesis.chosen.reasons.last().unwrap(), "did not vote, so it reads the reviews with a fresh eye");
    assert_eq!(
        reason_for(&synthesis, "a:first").to_string(),
        "scored 117.0, but `c:only` did not vote and costs nothing"
    );
}

/// The other model of a provider that voted is no fresh eye: it often is a sibling of the voter.
#[test]
fn without_an_outsider_the_best_voter_does_both() {
    let world = two_a_provider();
    let voters = world.voters(&VOTE, &POLICY, None).unwrap();
    let synthesis = world.synthesis(&SYNTHESIS, &POLICY, &voters).unwrap();
    assert_eq!(synthesis.chosen.model.key.to_string(), "a:first");
}

fn voters_and_shop(score: u8) -> World {
    World::of([model("a:a", BillingClass::FreeQuota, 92), model("shop:b", BillingClass::Paid, score)])
}

#[test]
fn a_fresh_eye_is_no_reason_to_spend() {
    let world = voters_and_shop(92);
    for quality in Quality::ALL.iter().copied() {
        let voters = world.voters(&VOTE, &POLICY, None).unwrap();
        let request = Request { quality, ..all_allowed(SYNTHESIS) };
        let synthesis = world.synthesis(&request, &ALL_ALLOWED, &voters).unwrap();
        assert_eq!(synthesis.chosen.model.key.to_string(), "a:a");
        assert!(!synthesis.requires_consent);
    }
}

#[rstest]
#[case(false, false)]
#[case(true, false)]
#[case(false, true)]
#[case(true, true)]
fn the_synthesis_may_be_paid_only_with_leave_from_both_sides(#[case] asked: bool, #[case] configured: bool) {
    let world = voters_and_shop(98);
    let voters = world.voters(&VOTE, &POLICY, None).unwrap();
    let request = Request { quality: Quality::High, allow_paid: asked, ..SYNTHESIS };
    let synthesis = world.synthesis(&request, &Policy { allow_paid: configured, ..POLICY }, &voters).unwrap();
    let is_paid = asked && configured;
    assert_eq!(synthesis.chosen.model.key.to_string(), if is_paid { "shop:b" } else { "a:a" });
    assert_eq!(synthesis.requires_consent, is_paid);
}

/// 89 + 5.25 is ahead of 90 + 4.2; with paid routes open each point would count twice, and voters are no matter of that.
#[test]
fn leave_to_pay_does_not_order_the_voters_anew() {
    let world = World::of([model("a:quota", BillingClass::FreeQuota, 90), model("b:free", BillingClass::Free, 89)]);
    let request = Request { quality: Quality::High, ..all_allowed(VOTE) };
    assert_eq!(keys(&world.voters(&request, &ALL_ALLOWED, None).unwrap()), ["b:free", "a:quota"]);
}

#[test]
fn a_paid_model_that_wins_by_itself_keeps_the_synthesis_although_its_provider_votes() {
    let world = World::of([
        model("a:free", BillingClass::FreeQuota, 90),
        model("a:paid", BillingClass::Paid, 98),
        model("b:free", BillingClass::FreeQuota, 60),
    ]);
    let voters = world.voters(&VOTE, &POLICY, Some(1)).unwrap();
    assert_eq!(keys(&voters), ["a:free"]);
    let request = Request { quality: Quality::High, ..all_allowed(SYNTHESIS) };
    let synthesis = world.synthesis(&request, &ALL_ALLOWED, &voters).unwrap();
    assert_eq!(synthesis.chosen.model.key.to_string(), "a:paid");
}

#[test]
fn a_paid_outsider_that_is_ahead_of_the_fresh_eye_is_told_why() {
    let world = World::of([
        model("a:a", BillingClass::Free, 92),
        model("b:b", BillingClass::Free, 40),
        model("shop:c", BillingClass::Paid, 90),
    ]);
    let voters = world.voters(&VOTE, &POLICY, Some(1)).unwrap();
    let synthesis = world.synthesis(&all_allowed(SYNTHESIS), &ALL_ALLOWED, &voters).unwrap();
    assert_eq!(synthesis.chosen.model.key.to_string(), "b:b");
    assert_eq!(reason_for(&synthesis, "shop:c").label(), "synthesis_elsewhere");
}

#[test]
fn a_preferred_provider_keeps_the_synthesis_although_it_votes() {
    let preferred = names(&["a"]);
    let world = two_a_provider();
    let voters = world.voters(&VOTE, &POLICY, Some(2)).unwrap();
    let request = Request { preferred_providers: &preferred, ..SYNTHESIS };
    assert_eq!(world.synthesis(&request, &POLICY, &voters).unwrap().chosen.model.key.to_string(), "a:first");
}

#[test]
fn under_always_ask_the_synthesis_asks_for_the_whole_consensus() {
    let policy = Policy { consent_mode: ConsentMode::AlwaysAsk, ..POLICY };
    let world = two_a_provider();
    let voters = world.voters(&VOTE, &policy, None).unwrap();
    assert!(world.synthesis(&SYNTHESIS, &policy, &voters).unwrap().requires_consent);
}

proptest! {
    #[test]
    fn voters_are_free_models_one_a_provider_and_everybody_is_accounted_for(
        world in a_world(),
        asked in a_request(),
        policy in a_policy(),
        max in option::of(0..4_usize),
    ) {
        let request = asked.request();
        let (chosen, others) = match world.voters(&request, &policy, max) {
            Ok(voters) => (voters.chosen, voters.others),
            Err(none) => (Vec::new(), none.rejected),
        };
        let mut providers: Vec<_> = chosen.iter().map(|voter| voter.model.key.provider.as_str()).collect();
        providers.sort_unstable();
        providers.dedup();
        prop_assert_eq!(providers.len(), chosen.len());
        prop_assert!(chosen.len() <= max.map_or(usize::MAX, |max| max.max(1)));
        for voter in &chosen {
            prop_assert!(voter.model.billing_class.is_free() && voter.model.key.provider != "builtin");
        }
        let mut seen: Vec<_> = chosen.iter().map(|voter| &voter.model.key).chain(others.iter().map(|other| &other.key)).collect();
        let mut all: Vec<_> = world.models.iter().map(|model| &model.key).collect();
        seen.sort();
        all.sort();
        prop_assert_eq!(seen, all);
        if max.is_none() {
            prop_assert!(others.iter().all(|other| !matches!(other.reason, Gate::EnoughVoters(_))));
        }
    }

    #[test]
    fn what_a_request_allows_changes_no_voter(world in a_world(), asked in a_request(), policy in a_policy()) {
        let mut open = asked.clone();
        (open.request.allow_paid, open.request.allow_user_pays) = (true, true);
        let policy_open = Policy { allow_paid: true, allow_user_pays: true, ..policy.clone() };
        let voters = |asked: &Asked, policy: &Policy| {
            world.voters(&asked.request(), policy, None).map(|voters| keys(&voters)).unwrap_or_default()
        };
        prop_assert_eq!(voters(&asked, &policy), voters(&open, &policy_open));
    }

    #[test]
    fn the_synthesis_spends_only_what_a_plain_decision_would(
        world in a_world(),
        asked in a_request(),
        policy in a_policy(),
        max in option::of(1..3_usize),
    ) {
        let request = asked.request();
        if let Ok(voters) = world.voters(&request, &policy, max)
            && let Ok(synthesis) = world.synthesis(&request, &policy, &voters)
        {
            let chosen = &synthesis.chosen.model;
            prop_assert!(chosen.key.provider != "builtin");
            if chosen.billing_class.may_cost_money() {
                let without_builtin = World {
                    models: world.models.iter().filter(|model| model.key.provider != "builtin").cloned().collect(),
                    ..world.clone()
                };
                let plain = without_builtin.decide(&request, &policy).unwrap();
                prop_assert_eq!(&plain.chosen.model.key, &chosen.key);
            }
            prop_assert_eq!(synthesis.others.len() + 1, world.models.len());
        }
    }
}
