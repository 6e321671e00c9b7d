//! What headers say about limits.

use jiff::{SignedDuration, Timestamp};
use lwa_providers::{Confidence, QuotaObservation, QuotaWindow, observe};
use rstest::rstest;

fn now() -> Timestamp {
    "2026-11-29T10:00:00Z".parse().unwrap()
}

fn seen(provider: &str, headers: &[(&str, &str)]) -> Vec<QuotaObservation> {
    let headers: Vec<_> = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    observe(provider, &headers, now())
}

fn in_ms(observation: &QuotaObservation) -> Option<i128> {
    observation.resets_at.map(|at| at.duration_since(now()).as_millis())
}

#[test]
fn the_same_header_is_a_day_here_and_a_minute_there_and_unstated_elsewhere() {
    let headers = [("x-ratelimit-limit-requests", "100"), ("x-ratelimit-remaining-requests", "99")];
    let windows: Vec<_> = ["groq", "venice", "openai", "nobody"]
        .iter()
        .map(|provider| {
            let seen = seen(provider, &headers);
            assert_eq!(seen.len(), 1, "{provider}");
            (seen[0].window, seen[0].confidence)
        })
        .collect();
    assert_eq!(
        windows,
        [
            (QuotaWindow::RequestsDay, Confidence::Known),
            (QuotaWindow::RequestsMinute, Confidence::Known),
            (QuotaWindow::RequestsMinute, Confidence::Known),
            (QuotaWindow::RequestsUnstated, Confidence::Guess),
        ]
    );
}

#[rstest]
#[case::duration("groq", "x-ratelimit-reset-requests", "2m59.56s", Some(179_560))]
#[case::millis("groq", "x-ratelimit-reset-requests", "120ms", Some(120))]
#[case::unix("venice", "x-ratelimit-reset-requests", "1795946460", Some(60_000))]
#[case::unix_in_the_past("venice", "x-ratelimit-reset-requests", "1795946300", None)]
#[case::seconds_where_unix_is_meant("venice", "x-ratelimit-reset-requests", "60", None)]
#[case::unix_where_a_duration_is_meant("groq", "x-ratelimit-reset-requests", "1795946460", None)]
#[case::zero("groq", "x-ratelimit-reset-requests", "0s", None)]
#[case::empty("groq", "x-ratelimit-reset-requests", "", None)]
#[case::absurd("groq", "x-ratelimit-reset-requests", "9000d", None)]
#[case::words("groq", "x-ratelimit-reset-requests", "soon", None)]
fn a_reset_is_read_in_its_provider_s_unit_or_not_at_all(
    #[case] provider: &str,
    #[case] header: &str,
    #[case] value: &str,
    #[case] millis: Option<i128>,
) {
    let seen = seen(provider, &[("x-ratelimit-limit-requests", "10"), (header, value)]);
    assert_eq!(in_ms(&seen[0]), millis);
}

#[test]
fn one_provider_writes_two_units_in_one_reply() {
    let seen = seen(
        "venice",
        &[
            ("X-RateLimit-Limit-Requests", "500"),
            ("X-RateLimit-Reset-Requests", "1795946460"),
            ("X-RateLimit-Limit-Tokens", "1000"),
            ("X-RateLimit-Reset-Tokens", "36.5"),
        ],
    );
    assert_eq!(seen.iter().map(in_ms).collect::<Vec<_>>(), [Some(60_000), Some(36_500)]);
}

/// What says nothing leaves nothing behind, so that a former observation still stands.
#[rstest]
#[case::minus_one(&[("x-ratelimit-limit-requests", "-1"), ("x-ratelimit-remaining-requests", "-1")], None)]
#[case::zeros(&[("x-ratelimit-limit-requests", "0"), ("x-ratelimit-remaining-requests", "0")], None)]
#[case::lone_zero(&[("x-ratelimit-remaining-requests", "0")], None)]
#[case::empty(&[("x-ratelimit-limit-requests", ""), ("x-ratelimit-remaining-requests", " ")], None)]
#[case::words(&[("x-ratelimit-limit-requests", "unlimited")], None)]
#[case::absent(&[], None)]
#[case::used_up(&[("x-ratelimit-limit-requests", "20"), ("x-ratelimit-remaining-requests", "0")], Some((Some(20), Some(0))))]
#[case::half_known(&[("x-ratelimit-limit-requests", "20"), ("x-ratelimit-remaining-requests", "-1")], Some((Some(20), None)))]
#[case::fraction(&[("x-ratelimit-remaining-requests", "7.9")], Some((None, Some(7))))]
fn minus_one_zero_empty_and_absent_say_nothing(
    #[case] headers: &[(&str, &str)],
    #[case] expected: Option<(Option<u64>, Option<u64>)>,
) {
    let seen = seen("groq", headers);
    assert_eq!(seen.first().map(|seen| (seen.limit, seen.remaining)), expected);
}

#[test]
fn a_balance_of_nothing_is_a_statement_and_is_the_one_before_the_call() {
    let seen = seen("venice", &[("x-venice-balance-usd", "0"), ("x-venice-balance-diem", "1.25")]);
    let told: Vec<_> = seen.iter().map(|seen| (seen.window, seen.remaining, seen.is_before_call)).collect();
    assert_eq!(told, [(QuotaWindow::BalanceUsd, Some(0), true), (QuotaWindow::Credits, Some(1250), true)]);
    assert_eq!(seen[0].source, "x-venice-balance-usd");
}

#[test]
fn a_reset_far_ahead_is_kept_and_one_beyond_a_year_is_not() {
    let month = now().checked_add(SignedDuration::from_hours(24 * 30)).unwrap();
    let seen = seen(
        "venice",
        &[("x-ratelimit-limit-requests", "5"), ("x-ratelimit-reset-requests", &month.as_second().to_string())],
    );
    assert_eq!(seen[0].resets_at, Some(month));
}
