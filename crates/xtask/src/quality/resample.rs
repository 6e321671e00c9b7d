//! How far a figure would move on other rows of the same kind: resamples with a fixed seed.

use super::measured::Interval;

/// How many resamples.
pub(super) const RESAMPLES: u32 = 2_000;
const SEED: u64 = 20_261_130;

/// What is drawn together: rows of one subject are not independent of each other.
#[derive(Debug, Clone)]
pub(super) struct Units {
    /// The unit of each row.
    of_row: Vec<usize>,
    count: usize,
}

impl Units {
    /// Subjects, or rows where there is one subject.
    pub(super) fn of(subjects: &[usize]) -> Self {
        let count = subjects.iter().max().map_or(0, |most| most + 1);
        if count > 1 {
            Self { of_row: subjects.to_vec(), count }
        } else {
            Self { of_row: (0..subjects.len()).collect(), count: subjects.len() }
        }
    }

    /// The figure and the interval that 95 of 100 resamples lie in.
    pub(super) fn interval(&self, figure: impl Fn(&dyn Fn(usize) -> f64) -> f64) -> Interval {
        let mut random = SplitMix(SEED);
        let mut times = vec![0.0; self.count];
        let mut figures: Vec<f64> = (0..RESAMPLES)
            .map(|_| {
                times.fill(0.0);
                for _ in 0..self.count {
                    times[random.below(self.count)] += 1.0;
                }
                figure(&|row| times[self.of_row[row]])
            })
            .filter(|figure| figure.is_finite())
            .collect();
        figures.sort_by(f64::total_cmp);
        let at = |per_mille: usize| figures.get(figures.len() * per_mille / 1000).copied().unwrap_or(f64::NAN);
        Interval { value: figure(&|_| 1.0), low: at(25), high: at(975) }
    }
}

/// A small generator of numbers that look random; the same seed gives the same ones everywhere.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        let wide = u128::from(self.next()) * (bound as u128);
        usize::try_from(wide >> 64).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::Units;

    #[test]
    fn the_interval_of_a_mean_is_about_two_deviations_to_each_side() {
        let values: Vec<f64> = (0..400u32).map(|n| f64::from(n % 2)).collect();
        let units = Units::of(&vec![0; values.len()]);
        let mean = |weights: &dyn Fn(usize) -> f64| {
            let total: f64 = (0..values.len()).map(weights).sum();
            values.iter().enumerate().map(|(row, value)| weights(row) * value).sum::<f64>() / total
        };
        let interval = units.interval(mean);
        assert!((interval.value - 0.5).abs() < 1e-12);
        assert!((interval.low - 0.451).abs() < 0.006 && (interval.high - 0.549).abs() < 0.006, "{interval:?}");
        assert_eq!(interval, units.interval(mean), "the seed is fixed");
    }
}
