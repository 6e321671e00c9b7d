//! Least, median and 99th percentile of a list of durations.

use std::fmt;
use std::time::Duration;

/// The middle and the slow end of what was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Percentiles {
    /// How many were measured.
    pub runs: usize,
    /// The shortest one: on a machine with other work, the nearest to what the thing itself takes.
    pub least: Duration,
    /// The middle one.
    pub median: Duration,
    /// The one that 99 of 100 do not exceed.
    pub p99: Duration,
}

impl Percentiles {
    /// Of `durations`; none of nothing.
    pub fn of(mut durations: Vec<Duration>) -> Option<Self> {
        durations.sort_unstable();
        let rank = |percent: usize| (durations.len() * percent).div_ceil(100).saturating_sub(1);
        let (least, median, p99) = (*durations.first()?, *durations.get(rank(50))?, *durations.get(rank(99))?);
        Some(Self { runs: durations.len(), least, median, p99 })
    }
}

impl fmt::Display for Percentiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [least, median, p99] = [self.least, self.median, self.p99].map(Readable);
        write!(f, "median {median}, p99 {p99}, least {least} over {} runs", self.runs)
    }
}

/// A duration in the unit that suits it.
pub(super) struct Readable(pub Duration);

impl fmt::Display for Readable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = self.0.as_secs_f64() * 1e6;
        if micros < 1.0 {
            write!(f, "{:.0} ns", micros * 1e3)
        } else if micros < 1000.0 {
            write!(f, "{micros:.1} µs")
        } else {
            write!(f, "{:.2} ms", micros / 1e3)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, Percentiles, Readable};

    #[test]
    fn the_middle_and_the_99th_of_a_hundred() {
        let found = Percentiles::of((1..=100).rev().map(Duration::from_millis).collect()).unwrap();
        assert_eq!((found.median.as_millis(), found.p99.as_millis(), found.runs), (50, 99, 100));
        assert_eq!(found.least.as_millis(), 1);
        assert_eq!(Percentiles::of(Vec::new()), None);
    }

    #[test]
    fn a_duration_is_shown_in_its_unit() {
        let shown = [90, 1_500, 2_340_000].map(|nanos| Readable(Duration::from_nanos(nanos)).to_string());
        assert_eq!(shown, ["90 ns", "1.5 µs", "2.34 ms"]);
    }
}
