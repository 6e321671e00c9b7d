//! The line under a result.

use std::collections::BTreeMap;
use std::time::Duration;

use lwa_privacy::Kind;
use lwa_worker::artifact::ArtifactRef;
use lwa_worker::memory::TurnId;
use lwa_worker::mode::Mode;
use lwa_worker::trailer::{
    CommandEnd, LeakCheck, PolicyLabel, Quoting, Raw, SliceTrailer, Trailer, grouped, short_number,
};
use rstest::rstest;

fn full() -> Trailer {
    Trailer {
        mode: Mode::Assist,
        turn: Some(TurnId::from_random([1, 2, 3])),
        artifact: Some(ArtifactRef::from_random([1, 2, 3, 4])),
        not_kept: None,
        command: Some(CommandEnd::Exited(2)),
        policy: Some(PolicyLabel::AllowList(vec!["git log*".to_owned(), "head*".to_owned()])),
        sandbox: None,
        reduced_environment: Some(3),
        raw: Some(Raw::Chars { chars: 412_345, is_truncated: true }),
        chunks: 3,
        is_finalized: true,
        verbatim: Quoting::Digest,
        model: Some("qwen\u{1b}[31m".to_owned()),
        elapsed: Some(Duration::from_millis(1_234)),
        saved_tokens: 9_500,
        disclosure: Some("identity open".to_owned()),
        leak_check: Some(LeakCheck::Passed),
        withheld_lines: 2,
        scrubbed: BTreeMap::from([(Kind::Secret, 1), (Kind::Email, 2), (Kind::Card, 0)]),
    }
}

#[test]
fn everything_stands_in_its_order() {
    assert_eq!(
        full().to_string(),
        "— local-llm · assist · turn t_010203 · ref a_01020304 · rc 2 · policy: allow-list (git log*, head*) · \
         environment reduced · raw 412,345 chars (truncated) · 3 chunks · finalized · qwen[31m · 1.23s · \
         saved ≈ 9.5K tok · disclosure: identity open · leak-check ok · withheld 2 unread lines · \
         scrubbed 2 EMAIL, 1 SECRET"
    );
}

#[test]
fn what_is_not_there_is_left_out_and_a_failure_is_short() {
    assert_eq!(Trailer::default().to_string(), "— local-llm · assist");
    let failure = Trailer::of_failure(Mode::Pii, Some(TurnId::from_random([0, 0, 1])), None, Duration::from_secs(2));
    assert_eq!(failure.to_string(), "— local-llm · pii · turn t_000001 · 2.00s");
    assert_eq!(
        failure.under("Error: x\n", Some("Note: y")),
        "Error: x\n\nNote: y\n\n— local-llm · pii · turn t_000001 · 2.00s"
    );
}

#[rstest]
#[case(PolicyLabel::RefusedByRule("recursive rm".into()), "policy: refused: recursive rm")]
#[case(PolicyLabel::RefusedByUser, "policy: refused: user")]
#[case(PolicyLabel::RefusedUnanswered("timeout"), "policy: refused: timeout")]
#[case(PolicyLabel::RefusedAskLimit, "policy: refused: ask limit")]
#[case(PolicyLabel::AskedOnce, "policy: asked:run")]
#[case(PolicyLabel::AskedAlways(vec!["git log*".into()]), "policy: asked:always (git log*)")]
#[case(PolicyLabel::AskedAlwaysUnwritten("run-allow.txt".into()), "policy: asked:run (could not write run-allow.txt)")]
#[case(PolicyLabel::RefusedNoSurface, "policy: refused: no surface to ask on")]
#[case(PolicyLabel::AllowedBySetting, "policy: not asked: run_policy = allow")]
#[case(PolicyLabel::Off, "policy: off")]
fn w_06_each_way_of_deciding_has_a_label_of_its_own(#[case] policy: PolicyLabel, #[case] shown: &str) {
    let line = Trailer { policy: Some(policy), ..Trailer::default() }.to_string();
    assert_eq!(line, format!("— local-llm · assist · {shown}"));
}

#[rstest]
#[case(CommandEnd::Signalled(9), "rc 137 (signal 9)")]
#[case(CommandEnd::TimedOut, "rc none (timed out)")]
#[case(CommandEnd::Cancelled, "rc none (cancelled)")]
#[case(CommandEnd::Unknown, "rc unknown")]
fn every_end_is_told_apart(#[case] end: CommandEnd, #[case] shown: &str) {
    assert_eq!(end.to_string(), shown);
}

#[test]
fn quoting_says_what_is_not_shown_and_stays_short() {
    let of = |verbatim| Trailer { verbatim, ..Trailer::default() }.to_string();
    assert!(of(Quoting::Verbatim { not_shown: Vec::new() }).ends_with("· verbatim"));
    let line = of(Quoting::Verbatim { not_shown: vec![(1, 2), (5, 9)] });
    assert!(
        line.ends_with("verbatim (not shown: lines 1-2, 5-9; fetch them by line with local_llm_artifact)"),
        "{line}"
    );
    let many = of(Quoting::Verbatim { not_shown: (1..=500).map(|n| (n * 3, n * 3)).collect() });
    assert!(many.contains(", 480 more;") && many.chars().count() < 400, "{many}");
    assert!(of(Quoting::NoLines).contains("verbatim: no lines matched, digested instead"));
}

#[test]
fn w_12_a_failed_check_is_seen() {
    let line = Trailer { leak_check: Some(LeakCheck::Failed), ..Trailer::default() }.to_string();
    assert!(line.ends_with("leak-check FAILED (deterministic layers only)"));
}

#[test]
fn a_slice_says_where_it_goes_on() {
    let trailer = SliceTrailer {
        artifact: ArtifactRef::from_random([1, 2, 3, 4]),
        range: "lines 3-9 of 120".to_owned(),
        next: "next line 10".to_owned(),
        leak_check: Some(LeakCheck::Passed),
        withheld_lines: 1,
        scrubbed: BTreeMap::new(),
    };
    assert_eq!(
        trailer.under("3: x\n"),
        "3: x\n\n— local-llm · ref a_01020304 · lines 3-9 of 120 · next line 10 · leak-check ok · withheld 1 unread line"
    );
}

#[rstest]
#[case(0, "0", "0")]
#[case(999, "999", "999")]
#[case(1_000, "1.0K", "1,000")]
#[case(999_949, "999.9K", "999,949")]
#[case(999_950, "1.0M", "999,950")]
#[case(12_345_678, "12.3M", "12,345,678")]
fn numbers_are_short_or_grouped(#[case] number: u64, #[case] short: &str, #[case] in_groups: &str) {
    assert_eq!((short_number(number).as_str(), grouped(number).as_str()), (short, in_groups));
}
