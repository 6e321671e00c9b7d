//! What is said differently is routed alike: the router sees token counts and no text.

use lwa_domain::tokens::estimate_tokens;
use lwa_domain::{Quality, TaskKind};
use lwa_routing::Request;
use proptest::prelude::{any, prop_assert_eq, prop_assume, proptest};
use proptest::sample::select;
use rstest::rstest;

use crate::seeds;
use crate::support::{POLICY, REQUEST, World, paid_allowed};

/// As a request is made from a prompt: its length is all that is kept.
fn request(prompt: &str, task: TaskKind, quality: Quality) -> Request<'static> {
    Request { task, quality, estimated_input_tokens: estimate_tokens(prompt), ..REQUEST }
}

/// Token counts at which something changes for a model: it is too small from there, or its headroom becomes scarce or
/// is ample no more.
fn limits(world: &World, max_output_tokens: u64) -> Vec<u64> {
    let of_context = |context: u64| [0, 2_048, 64_000].map(|spare| context.saturating_sub(max_output_tokens + spare));
    let mut limits: Vec<_> = world.models.iter().flat_map(|model| of_context(model.context_length)).collect();
    // The bonus of ample headroom ends one token earlier than the others begin.
    limits.extend(limits.clone().into_iter().map(|limit| limit.saturating_sub(1)));
    limits
}

#[rstest]
#[case::typo("Refactor the parser and explain the change.", "Refactro teh parser adn explain hte change.")]
#[case::case("Refactor the parser and explain the change.", "REFACTOR THE PARSER AND EXPLAIN THE CHANGE.")]
#[case::whitespace("Refactor the parser and explain the change.", "Refactor the parser\tand\nexplain the change.")]
#[case::other_words("Delete the production database now, please.", "Paint a small watercolour of two ducks, ok.")]
#[case::politeness("Fix it", "Could you please have a look at this and fix whatever you find? Thank you!")]
#[case::language("Explain the borrow checker in three sentences.", "Erkläre den Borrow-Checker in drei kurzen Sätzen.")]
#[case::script("Explain the borrow checker.", "借用検査器を説明してください。")]
#[case::a_benchmark_wrapper(
    "What is 6 times 7?",
    "Question: What is 6 times 7?\nA) 42\nB) 43\nAnswer with the letter only.\nAnswer:"
)]
fn rr_51_another_wording_does_not_flip_a_route(#[case] one: &str, #[case] other: &str) {
    let world = seeds::world();
    for task in TaskKind::ALL.iter().copied() {
        for quality in Quality::ALL.iter().copied() {
            let chosen = |prompt| {
                let (leave, policy) = paid_allowed(quality);
                let request = Request { allow_paid: leave.allow_paid, ..request(prompt, task, quality) };
                world.decide(&request, &policy).unwrap().chosen.model.key
            };
            assert_eq!(chosen(one), chosen(other), "{task} at {quality}");
        }
    }
}

#[test]
fn a_text_of_equal_length_is_the_same_request() {
    let (one, other) = ("Refactor the parser.", "refactro  teh_PARSER");
    assert_eq!(request(one, TaskKind::CodingAux, Quality::High), request(other, TaskKind::CodingAux, Quality::High));
}

#[test]
fn padding_flips_a_route_where_it_crosses_a_limit_and_the_reason_says_which() {
    let world = seeds::world();
    let decide = |tokens| {
        let request = Request { estimated_input_tokens: tokens, ..REQUEST };
        world.decide(&request, &POLICY).unwrap()
    };
    // 131,072 less 1,200 less 64,000: the last count with ample headroom is one below.
    let (before, after) = (decide(65_871), decide(65_872));
    assert_eq!(before.chosen.model.key.to_string(), "cerebras:gpt-oss-120b");
    assert_eq!(after.chosen.model.key.to_string(), "gemini:gemini-2.5-flash");
    assert!(after.chosen.reasons.iter().any(|reason| reason.contains("tokens of context to spare")));
}

proptest! {
    #[test]
    fn rr_51_no_length_flips_a_route_between_two_limits(
        a in 1..300_000_u64,
        distance in 1..5_000_u64,
        task in select(TaskKind::ALL),
        quality in select(Quality::ALL),
        allow_paid in any::<bool>(),
    ) {
        let world = seeds::world();
        let b = a + distance;
        prop_assume!(!limits(&world, 1200).iter().any(|limit| (a..b).contains(limit)));
        let (leave, mut policy) = paid_allowed(quality);
        policy.allow_paid = allow_paid;
        let decide = |tokens| {
            let request = Request { task, estimated_input_tokens: tokens, ..leave };
            world.decide(&request, &policy).map(|decision| decision.chosen).ok()
        };
        let (one, other) = (decide(a), decide(b));
        prop_assert_eq!(
            one.map(|chosen| (chosen.model.key, chosen.score_hundredths)),
            other.map(|chosen| (chosen.model.key, chosen.score_hundredths))
        );
    }
}
