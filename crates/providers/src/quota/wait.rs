//! How long a provider asks to wait, and whether an allotment is spent.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use serde_json::Value;

/// Whether a header that names a day or a month in itself says that nothing is left.
pub(crate) fn has_spent_allotment(headers: &HeaderMap) -> bool {
    headers.iter().any(|(name, value)| {
        let words: Vec<_> = name.as_str().split('-').collect();
        words.contains(&"remaining")
            && words.iter().any(|word| matches!(*word, "day" | "daily" | "month" | "monthly"))
            && value.to_str().is_ok_and(|value| value.trim().parse::<f64>().is_ok_and(|left| left <= 0.0))
    })
}

/// How long the provider asks to wait: from headers, then from the body.
///
/// `now` is used for dates when the reply carries no date of its own.
pub(crate) fn retry_after(
    headers: &HeaderMap,
    body: Option<&Value>,
    message: &str,
    now: Timestamp,
) -> Option<Duration> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(millis) = header("retry-after-ms").and_then(|value| value.parse::<f64>().ok()) {
        return seconds(millis / 1000.0);
    }
    if let Some(value) = header(RETRY_AFTER.as_str()) {
        if let Ok(wait) = value.parse::<f64>() {
            return seconds(wait);
        }
        let now = header(DATE.as_str()).and_then(http_date).unwrap_or(now);
        if let Some(then) = http_date(value) {
            return Some(Duration::try_from(now.until(then).ok()?).unwrap_or(Duration::ZERO));
        }
    }
    body.and_then(wait_in_details).or_else(|| wait_in_words(message))
}

fn http_date(text: &str) -> Option<Timestamp> {
    rfc2822::DateTimeParser::new().parse_timestamp(text).ok()
}

fn seconds(value: f64) -> Option<Duration> {
    // A year is the longest wait that anybody could mean.
    Duration::try_from_secs_f64(value).ok().filter(|wait| wait.as_secs() <= 366 * 86_400)
}

/// `error.details[].retryDelay`, and the fields that relays use.
fn wait_in_details(body: &Value) -> Option<Duration> {
    // Some put the one error into a list.
    let body = body.get(0).unwrap_or(body);
    let details = body.pointer("/error/details").and_then(Value::as_array).into_iter().flatten();
    details
        .filter_map(|detail| detail.get("retryDelay"))
        .chain(body.pointer("/error/metadata/retry_after"))
        .chain(body.pointer("/error/retry_after"))
        .chain(body.get("retry_after"))
        .find_map(|value| match value {
            Value::String(text) => duration(text),
            Value::Number(number) => number.as_f64().and_then(seconds),
            _ => None,
        })
}

/// `Please try again in 2m59.5s`: a hint for people, so only what clearly is a duration is taken.
fn wait_in_words(message: &str) -> Option<Duration> {
    let lower = message.to_lowercase();
    ["try again in ", "retry in ", "retry after ", "resets in ", "reset in "].iter().find_map(|phrase| {
        let rest = lower.split_once(phrase)?.1.trim_start_matches('~');
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        let word = word.trim_end_matches('.');
        if word.ends_with(|c: char| c.is_ascii_digit()) {
            let unit = rest.trim_start();
            let unit = ["ms", "milli", "sec", "min", "hour"].iter().find(|name| unit.starts_with(*name))?;
            let number: f64 = word.parse().ok()?;
            return seconds(
                number
                    * match *unit {
                        "min" => 60.0,
                        "hour" => 3600.0,
                        "sec" => 1.0,
                        _ => 0.001,
                    },
            );
        }
        duration(word)
    })
}

/// `6m0s`, `2m59.5s`, `30s`, `120ms`, `1h2m`, `1d`.
pub(crate) fn duration(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    let mut total = 0.0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
        let (number, after) = rest.split_at(end);
        let number: f64 = number.parse().ok()?;
        let unit_end = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_end);
        total += number
            * match unit {
                "ms" => 0.001,
                "s" => 1.0,
                "m" => 60.0,
                "h" => 3600.0,
                "d" => 86_400.0,
                _ => return None,
            };
        rest = after;
    }
    seconds(total)
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case("6m0s", Some(360_000))]
    #[case("2m59.5s", Some(179_500))]
    #[case("120ms", Some(120))]
    #[case("1h", Some(3_600_000))]
    #[case("30", None)]
    #[case("soon", None)]
    #[case("", None)]
    #[case("9999999999999999999d", None)]
    fn durations_with_units_are_read(#[case] text: &str, #[case] millis: Option<u64>) {
        assert_eq!(duration(text), millis.map(Duration::from_millis));
    }

    #[rstest]
    #[case("Rate limit reached. Please try again in 6.034s. Visit …", Some(6_034))]
    #[case("Request was throttled. Your rate limit resets in ~30s.", Some(30_000))]
    #[case("retry after 12 seconds", Some(12_000))]
    #[case("please try again in a moment", None)]
    #[case("try again in 5 apples", None)]
    fn waiting_times_in_words_are_hints(#[case] message: &str, #[case] millis: Option<u64>) {
        let wait = retry_after(&HeaderMap::new(), None, message, Timestamp::UNIX_EPOCH);
        assert_eq!(wait, millis.map(Duration::from_millis));
    }

    #[test]
    fn a_date_is_counted_from_the_date_of_the_reply() {
        let mut headers = HeaderMap::new();
        headers.insert(DATE, HeaderValue::from_static("Sun, 29 Nov 2026 10:00:00 GMT"));
        headers.insert(RETRY_AFTER, HeaderValue::from_static("Sun, 29 Nov 2026 10:00:42 GMT"));
        let wait = retry_after(&headers, None, "", Timestamp::UNIX_EPOCH);
        assert_eq!(wait, Some(Duration::from_secs(42)));
    }

    #[test]
    fn a_date_that_has_passed_means_no_wait() {
        let mut headers = HeaderMap::new();
        headers.insert(DATE, HeaderValue::from_static("Sun, 29 Nov 2026 10:00:00 GMT"));
        headers.insert(RETRY_AFTER, HeaderValue::from_static("Sun, 29 Nov 2026 09:00:00 GMT"));
        assert_eq!(retry_after(&headers, None, "", Timestamp::UNIX_EPOCH), Some(Duration::ZERO));
    }

    #[test]
    fn the_delay_in_error_details_is_read() {
        let body = json!({"error": {"details": [{"@type": "x"}, {"retryDelay": "34s"}]}});
        let wait = retry_after(&HeaderMap::new(), Some(&body), "", Timestamp::UNIX_EPOCH);
        assert_eq!(wait, Some(Duration::from_secs(34)));
    }
}
