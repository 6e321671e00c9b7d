//! What is known from use: whether a provider is tried, and how calls of a model went on this machine.
//!
//! Every term takes points away and none gives any. A bonus would entrench the first choice, because the model that is
//! chosen is the one that gets calls. The bounds are argued in `docs/reference/routing.md`.

use lwa_domain::{Model, ProviderFacts, TrackRecord};

use crate::points::Points;
use crate::request::Catalog;

/// Calls needed before a record counts.
const CALLS_NEEDED: u32 = 20;
const EXPERIMENTAL_MALUS: i32 = -200;
/// Failures up to this share, in hundredths of a per cent, are what chance gives at twenty calls.
const TOLERATED_SHARE: u64 = 500;
/// The share beyond the tolerated one that costs all of `WORST_HEALTH`.
const WORST_SHARE: u64 = 3_000;
const WORST_HEALTH: u64 = 600;
/// A time up to this many per cent of the usual one is what different prompts give.
const TOLERATED_TIME: u64 = 125;
/// The per cent beyond the tolerated ones that cost all of `WORST_LATENCY`.
const WORST_TIME: u64 = 175;
const WORST_LATENCY: u64 = 300;

/// What is known of one candidate from use, and what it costs in hundredths of a point.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Record {
    is_experimental: bool,
    track: Option<TrackRecord>,
    usual_ms: Option<u32>,
}

impl Record {
    pub(crate) fn of(model: &Model, facts: Option<&ProviderFacts>, catalog: &Catalog, usual_ms: Option<u32>) -> Self {
        Self {
            is_experimental: facts.is_some_and(|facts| facts.is_experimental),
            track: catalog.tracks.get(&model.key).copied().filter(|track| track.calls > 0),
            usual_ms,
        }
    }

    pub(crate) fn total(&self) -> i32 {
        self.experimental() + self.health() + self.latency()
    }

    const fn experimental(&self) -> i32 {
        if self.is_experimental { EXPERIMENTAL_MALUS } else { 0 }
    }

    fn health(&self) -> i32 {
        let Some(track) = self.track.filter(counts) else { return 0 };
        let share = u64::from(track.failures.min(track.calls)) * 10_000 / u64::from(track.calls);
        malus(share.saturating_sub(TOLERATED_SHARE), WORST_SHARE, WORST_HEALTH)
    }

    fn latency(&self) -> i32 {
        let Some((own_ms, usual_ms)) = self.times() else { return 0 };
        let percent = u64::from(own_ms) * 100 / u64::from(usual_ms.max(1));
        malus(percent.saturating_sub(TOLERATED_TIME), WORST_TIME, WORST_LATENCY)
    }

    /// The model's own median time and the usual one, when both are known.
    fn times(&self) -> Option<(u32, u32)> {
        self.track.filter(counts)?.median_latency_ms.zip(self.usual_ms)
    }

    /// What is known, with the size of the sample, and what it costs.
    pub(crate) fn reasons(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        let mut add = |why: String, points: i32| {
            let cost = if points == 0 { "no points off".to_owned() } else { Points(points).to_string() };
            reasons.push(format!("{why}: {cost}"));
        };
        if self.is_experimental {
            add("the provider is experimental, only its documentation vouches for it".to_owned(), self.experimental());
        }
        let Some(track) = self.track else { return reasons };
        if !counts(&track) {
            let why = format!("{} calls on record, fewer than the {CALLS_NEEDED} that count", track.calls);
            add(why, 0);
            return reasons;
        }
        add(format!("{} of the last {} calls failed", track.failures.min(track.calls), track.calls), self.health());
        if let Some((own_ms, usual_ms)) = self.times() {
            let why = format!(
                "median time {own_ms} ms over {} calls, where {usual_ms} ms is usual among the eligible models",
                track.calls
            );
            add(why, self.latency());
        }
        reasons
    }
}

/// The usual time among `models`: the median of those that have a record, the lower of two in the middle.
///
/// It is one of the times and no mean, so that a slower model never gains on another one by moving it.
pub(crate) fn usual_ms<'a>(models: impl Iterator<Item = &'a Model>, catalog: &Catalog) -> Option<u32> {
    if catalog.tracks.is_empty() {
        return None;
    }
    let track = |model: &Model| catalog.tracks.get(&model.key).filter(|track| counts(track));
    let mut times: Vec<_> = models.filter_map(|model| track(model)?.median_latency_ms).collect();
    let middle = times.len().checked_sub(1)? / 2;
    Some(*times.select_nth_unstable(middle).1)
}

const fn counts(track: &TrackRecord) -> bool {
    track.calls >= CALLS_NEEDED
}

fn malus(excess: u64, worst_excess: u64, worst: u64) -> i32 {
    let points = excess.min(worst_excess) * worst / worst_excess;
    -i32::try_from(points).unwrap_or(i32::MAX)
}
