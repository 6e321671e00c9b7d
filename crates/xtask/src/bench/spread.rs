//! Median and 95th percentile of a list of durations.

use std::fmt;
use std::time::Duration;

/// The spread of what was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spread {
    /// How many were measured.
    pub runs: usize,
    /// The middle one.
    pub median: Duration,
    /// The one that 95 of 100 do not exceed.
    pub p95: Duration,
}

impl Spread {
    /// The spread of `durations`; none of nothing.
    pub fn of(mut durations: Vec<Duration>) -> Option<Self> {
        durations.sort_unstable();
        let rank = |percent: usize| (durations.len() * percent).div_ceil(100).saturating_sub(1);
        let (median, p95) = (*durations.get(rank(50))?, *durations.get(rank(95))?);
        Some(Self { runs: durations.len(), median, p95 })
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |duration: Duration| duration.as_secs_f64() * 1000.0;
        write!(f, "median {:.1} ms, p95 {:.1} ms over {} runs", ms(self.median), ms(self.p95), self.runs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_and_the_95th_of_a_hundred() {
        let durations = (1..=100).rev().map(Duration::from_millis).collect();
        let spread = Spread::of(durations).unwrap();
        assert_eq!((spread.median.as_millis(), spread.p95.as_millis()), (50, 95));
    }

    #[test]
    fn nothing_has_no_spread() {
        assert_eq!(Spread::of(Vec::new()), None);
    }
}
