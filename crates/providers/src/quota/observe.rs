//! From headers and numbers to observations.

use jiff::fmt::rfc2822;
use jiff::{SignedDuration, Timestamp};

use super::{Confidence, QuotaObservation, QuotaWindow, ResetUnit, wait};
use crate::decimal::scaled;
use crate::facts::{self, Mark, QuotaFact};

/// No renewal is further away than this; a larger figure is in another unit.
const FARTHEST: SignedDuration = SignedDuration::from_hours(24 * 400);

/// What `headers`, as a [`crate::ChatAnswer`] or [`crate::Failure`] keeps them, say about the limits at `provider`.
///
/// A value of -1, an empty one and one that is no number say nothing.
/// A limit of 0 says nothing either, and a remaining 0 only where its limit is stated with it.
/// For a provider without facts the windows are unstated and the confidence is a guess.
pub fn observe(provider: &str, headers: &[(String, String)], now: Timestamp) -> Vec<QuotaObservation> {
    let (facts, is_known) = match facts::find(provider) {
        Some(facts) => (facts, true),
        None => (facts::usual(), false),
    };
    facts.quota.iter().filter_map(|fact| read(fact, headers, now, is_known)).collect()
}

fn read(fact: &QuotaFact, headers: &[(String, String)], now: Timestamp, is_known: bool) -> Option<QuotaObservation> {
    let value = |name: &Option<String>| {
        let name = name.as_deref()?;
        headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    };
    let limit = value(&fact.limit).and_then(|text| amount(fact.window, text)).filter(|limit| *limit > 0);
    let remaining = value(&fact.remaining)
        .and_then(|text| amount(fact.window, text))
        .filter(|rest| *rest > 0 || limit.is_some() || fact.window.is_account());
    let resets_at = value(&fact.reset).zip(fact.reset_unit).and_then(|(text, unit)| moment(unit, text, now));
    if limit.is_none() && remaining.is_none() {
        return None;
    }
    let source = [(&fact.remaining, remaining), (&fact.limit, limit)];
    let source = source.into_iter().find_map(|(name, value)| value.and(name.clone()))?;
    Some(QuotaObservation {
        window: fact.window,
        limit,
        remaining,
        resets_at,
        confidence: match fact.mark {
            _ if !is_known => Confidence::Guess,
            Mark::Unverified => Confidence::Hypothesis,
            Mark::Verified | Mark::SecondHand => Confidence::Known,
        },
        source,
        is_before_call: fact.is_before_call,
    })
}

/// A number in the unit of `window`; rounded down, so that nothing is promised that is not there.
pub(crate) fn amount(window: QuotaWindow, text: &str) -> Option<u64> {
    let text = text.trim();
    let rounded_up = u64::try_from(scaled(text, window.digits())?.get()).ok()?;
    // A count with a fraction was rounded up on the way.
    let is_whole = window.digits() > 0 || !text.contains('.') || text.split('.').nth(1)?.bytes().all(|b| b == b'0');
    Some(if is_whole { rounded_up } else { rounded_up.saturating_sub(1) })
}

/// The moment that `text` means, if it lies ahead and not absurdly far.
pub(crate) fn moment(unit: ResetUnit, text: &str, now: Timestamp) -> Option<Timestamp> {
    let seconds = || text.parse::<f64>().ok().filter(|number| *number > 0.0);
    let at = match unit {
        ResetUnit::Seconds => now.checked_add(SignedDuration::try_from_secs_f64(seconds()?).ok()?).ok()?,
        ResetUnit::Milliseconds => {
            now.checked_add(SignedDuration::try_from_secs_f64(seconds()? / 1000.0).ok()?).ok()?
        }
        ResetUnit::Duration => now.checked_add(SignedDuration::try_from(wait::duration(text)?).ok()?).ok()?,
        ResetUnit::UnixSeconds => Timestamp::from_second(text.parse().ok()?).ok()?,
        ResetUnit::UnixMillis => Timestamp::from_millisecond(text.parse().ok()?).ok()?,
        ResetUnit::HttpDate => rfc2822::DateTimeParser::new().parse_timestamp(text).ok()?,
        ResetUnit::Rfc3339 => text.parse().ok()?,
    };
    let ahead = at.duration_since(now);
    (ahead.is_positive() && ahead <= FARTHEST).then_some(at)
}
