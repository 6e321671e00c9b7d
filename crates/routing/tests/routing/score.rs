//! The terms of the score, by the numbers.

use lwa_domain::{BillingClass, Quality};
use lwa_routing::{Points, Policy, Request};
use rstest::rstest;

use crate::support::{POLICY, REQUEST, World, model};

/// The score of one model alone, with all leave given by `policy` and mirrored by the request.
fn score(class: BillingClass, task_score: u8, quality: Quality, policy: &Policy) -> i32 {
    let request =
        Request { quality, allow_paid: policy.allow_paid, allow_user_pays: policy.allow_user_pays, ..REQUEST };
    World::of([model("p:m", class, task_score)]).decide(&request, policy).unwrap().chosen.score_hundredths
}

// 131,072 tokens of context leave ample headroom, worth 600 in every row.
#[rstest]
#[case(BillingClass::Free, Quality::Economy, 7000 + 3500 + 800 + 600)]
#[case(BillingClass::FreeQuota, Quality::Economy, 7000 + 2800 + 800 + 600)]
#[case(BillingClass::UserPays, Quality::Economy, 7000 + 1800 + 600)]
#[case(BillingClass::Paid, Quality::Economy, 7000 + 600)]
#[case(BillingClass::Unknown, Quality::Economy, 7000 - 800 + 600)]
#[case(BillingClass::Free, Quality::Balanced, 7000 + 2100 + 600)]
#[case(BillingClass::FreeQuota, Quality::Balanced, 7000 + 1680 + 600)]
#[case(BillingClass::UserPays, Quality::Balanced, 7000 + 1080 + 600)]
#[case(BillingClass::Paid, Quality::Balanced, 7000 + 600)]
#[case(BillingClass::Unknown, Quality::Balanced, 7000 - 480 + 600)]
#[case(BillingClass::Free, Quality::High, 7000 + 525 + 600)]
#[case(BillingClass::FreeQuota, Quality::High, 7000 + 420 + 600)]
#[case(BillingClass::UserPays, Quality::High, 7000 + 270 + 600)]
#[case(BillingClass::Paid, Quality::High, 7000 + 600)]
#[case(BillingClass::Unknown, Quality::High, 7000 - 120 + 600)]
fn billing_bonuses_are_exact(#[case] class: BillingClass, #[case] quality: Quality, #[case] expected: i32) {
    let policy = Policy { allow_paid: true, allow_user_pays: true, ..POLICY };
    assert_eq!(score(class, 70, quality, &policy), expected);
}

#[rstest]
#[case(Quality::Economy, 7000 + 800 + 600)]
#[case(Quality::Balanced, 7000 + 600)]
#[case(Quality::High, 7000 + 600)]
fn without_prefer_free_only_economy_favours_free(#[case] quality: Quality, #[case] expected: i32) {
    assert_eq!(score(BillingClass::Free, 70, quality, &Policy { prefer_free: false, ..POLICY }), expected);
}

#[rstest]
#[case(74, 7400 + 525 + 600)]
#[case(75, 7500 + 525 + 1200 + 600)]
#[case(92, 9200 + 525 + 1200 + 600)]
fn high_rewards_a_task_score_from_75(#[case] task_score: u8, #[case] expected: i32) {
    assert_eq!(score(BillingClass::Free, task_score, Quality::High, &POLICY), expected);
}

#[rstest]
#[case(74, 7400 + 525 + 600)]
#[case(75, 7500 + 525 + 1200 + 600)]
#[case(92, 9200 + 525 + 1200 + 1700 + 600)]
#[case(100, 10_000 + 525 + 1200 + 2500 + 600)]
fn high_with_paid_open_rewards_each_point_above_75_twice(#[case] task_score: u8, #[case] expected: i32) {
    let policy = Policy { allow_paid: true, ..POLICY };
    assert_eq!(score(BillingClass::Free, task_score, Quality::High, &policy), expected);
}

#[rstest]
#[case(1400 + 2047, -1200)]
#[case(1400 + 2048, 0)]
#[case(1400 + 64_000, 0)]
#[case(1400 + 64_001, 600)]
fn headroom_counts_at_its_two_edges(#[case] context: u64, #[case] expected: i32) {
    let mut subject = model("p:m", BillingClass::Free, 70);
    subject.context_length = context;
    let decision = World::of([subject]).decide(&REQUEST, &POLICY).unwrap();
    assert_eq!(decision.chosen.score_hundredths, 7000 + 2100 + expected);
}

#[test]
fn a_model_without_a_task_score_starts_with_forty() {
    let mut subject = model("ollama:qwen", BillingClass::Free, 0);
    subject.task_scores.clear();
    let world = World::of([subject]).with("ollama", |ollama| {
        ollama.is_local = true;
        ollama.credential_names.clear();
    });
    let decision = world.decide(&REQUEST, &POLICY).unwrap();
    assert_eq!(decision.chosen.score_hundredths, 4000 + 2100 + 600);
    assert_eq!(
        decision.chosen.reasons,
        [
            "no task score for `coding_aux`, so 40.0 is assumed",
            "billing class `free` at quality `balanced`: +21.0",
            "129672 tokens of context to spare: +6.0",
        ]
    );
}

#[test]
fn a_detected_local_server_is_as_free_as_free_gets() {
    let world =
        World::of([model("ollama:qwen", BillingClass::Free, 80), model("cloud:quota", BillingClass::FreeQuota, 84)])
            .with("ollama", |ollama| ollama.is_local = true);
    assert_eq!(world.chosen(&REQUEST, &POLICY), "ollama:qwen");
}

#[test]
fn a_score_above_one_hundred_counts_as_one_hundred() {
    let score = |points| score(BillingClass::Free, points, Quality::Balanced, &POLICY);
    assert_eq!(score(255), score(100));
}

#[rstest]
#[case(11_480, "114.8")]
#[case(525, "5.25")]
#[case(-1200, "-12.0")]
#[case(-5, "-0.05")]
#[case(0, "0.0")]
fn points_print_as_people_write_them(#[case] hundredths: i32, #[case] text: &str) {
    assert_eq!(Points(hundredths).to_string(), text);
}
