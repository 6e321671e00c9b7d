//! Linear regression with a penalty, on standardised columns, from sums that are added up once for each fold.

use super::folds::FOLDS;

/// What is tried for the penalty; the best one inside the training part is taken.
const PENALTIES: [f64; 7] = [0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0];
/// A column that varies less than this carries nothing.
const FLAT: f64 = 1e-9;

/// A row as the places and values of what is not zero, with what is to be predicted.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    pub values: Vec<(usize, f64)>,
    pub target: f64,
}

/// Sums over samples: enough to fit, whatever the penalty.
#[derive(Debug, Clone)]
struct Sums {
    width: usize,
    count: f64,
    target: f64,
    column: Vec<f64>,
    column_target: Vec<f64>,
    /// The lower triangle, row by row.
    product: Vec<f64>,
}

/// A fitted line.
#[derive(Debug, Clone)]
pub(super) struct Line {
    base: f64,
    weights: Vec<f64>,
}

impl Line {
    pub(super) fn predict(&self, values: &[(usize, f64)]) -> f64 {
        self.base + values.iter().map(|(place, value)| self.weights[*place] * value).sum::<f64>()
    }
}

/// Predicts every sample from a line that was fitted without the sample's fold.
///
/// The penalty is chosen inside the training part: each of its folds is predicted from the others.
pub(super) fn predict_held_out(samples: &[Sample], folds: &[usize], width: usize) -> Vec<f64> {
    let sums = by_fold(samples, folds, width);
    let lines: Vec<Line> = (0..FOLDS).map(|held_out| fit_without(&sums, samples, folds, Some(held_out))).collect();
    samples.iter().zip(folds).map(|(sample, fold)| lines[*fold].predict(&sample.values)).collect()
}

/// Fits on everything, with a penalty chosen by leaving out folds.
pub(super) fn fit_all(samples: &[Sample], folds: &[usize], width: usize) -> Line {
    fit_without(&by_fold(samples, folds, width), samples, folds, None)
}

fn by_fold(samples: &[Sample], folds: &[usize], width: usize) -> Vec<Sums> {
    let mut sums = vec![Sums::new(width); FOLDS];
    for (sample, fold) in samples.iter().zip(folds) {
        sums[*fold].add(sample);
    }
    sums
}

fn fit_without(sums: &[Sums], samples: &[Sample], folds: &[usize], held_out: Option<usize>) -> Line {
    let training: Vec<usize> = (0..FOLDS).filter(|fold| Some(*fold) != held_out).collect();
    let mut errors = [0.0; PENALTIES.len()];
    for inner in &training {
        let rest = Sums::total(sums, training.iter().filter(|fold| *fold != inner));
        for (error, penalty) in errors.iter_mut().zip(PENALTIES) {
            let line = rest.fit(penalty);
            let inside = samples.iter().zip(folds).filter(|(_, fold)| *fold == inner);
            *error += inside.map(|(sample, _)| (line.predict(&sample.values) - sample.target).powi(2)).sum::<f64>();
        }
    }
    let best = (0..PENALTIES.len()).min_by(|a, b| errors[*a].total_cmp(&errors[*b])).unwrap_or_default();
    Sums::total(sums, training.iter()).fit(PENALTIES[best])
}

impl Sums {
    fn new(width: usize) -> Self {
        Self {
            width,
            count: 0.0,
            target: 0.0,
            column: vec![0.0; width],
            column_target: vec![0.0; width],
            product: vec![0.0; width * (width + 1) / 2],
        }
    }

    fn add(&mut self, sample: &Sample) {
        self.count += 1.0;
        self.target += sample.target;
        for (index, (place, value)) in sample.values.iter().enumerate() {
            self.column[*place] += value;
            self.column_target[*place] += value * sample.target;
            for (other, other_value) in &sample.values[..=index] {
                self.product[triangle(*place, *other)] += value * other_value;
            }
        }
    }

    fn total<'a>(sums: &[Self], folds: impl Iterator<Item = &'a usize>) -> Self {
        let mut total = Self::new(sums.first().map_or(0, |sums| sums.width));
        for fold in folds {
            let part = &sums[*fold];
            total.count += part.count;
            total.target += part.target;
            add_each(&mut total.column, &part.column);
            add_each(&mut total.column_target, &part.column_target);
            add_each(&mut total.product, &part.product);
        }
        total
    }

    fn fit(&self, penalty: f64) -> Line {
        let count = self.count.max(1.0);
        let target = self.target / count;
        let mean: Vec<f64> = self.column.iter().map(|sum| sum / count).collect();
        let spread: Vec<f64> = (0..self.width)
            .map(|place| (self.product[triangle(place, place)] / count - mean[place].powi(2)).max(0.0).sqrt())
            .collect();
        // The system is as large as there are columns that vary.
        let varying: Vec<usize> = (0..self.width).filter(|place| spread[*place] > FLAT).collect();
        let mut matrix = Vec::with_capacity(varying.len() * (varying.len() + 1) / 2);
        for (index, place) in varying.iter().enumerate() {
            for other in &varying[..index] {
                let together = self.product[triangle(*place, *other)] / count - mean[*place] * mean[*other];
                matrix.push(together / (spread[*place] * spread[*other]));
            }
            matrix.push(1.0 + penalty);
        }
        let together = |place: &usize| (self.column_target[*place] / count - mean[*place] * target) / spread[*place];
        let mut solution: Vec<f64> = varying.iter().map(together).collect();
        solve(&mut matrix, &mut solution);
        let mut weights = vec![0.0; self.width];
        for (place, slope) in varying.iter().zip(&solution) {
            weights[*place] = slope / spread[*place];
        }
        let base = target - weights.iter().zip(&mean).map(|(weight, mean)| weight * mean).sum::<f64>();
        Line { base, weights }
    }
}

fn add_each(to: &mut [f64], from: &[f64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += from;
    }
}

/// The place of an entry of a symmetric matrix in its lower triangle.
const fn triangle(a: usize, b: usize) -> usize {
    let (row, column) = if a > b { (a, b) } else { (b, a) };
    row * (row + 1) / 2 + column
}

/// Solves a positive definite system in place, by Cholesky's method.
fn solve(matrix: &mut [f64], right: &mut [f64]) {
    let width = right.len();
    for row in 0..width {
        let row_at = triangle(row, 0);
        for column in 0..=row {
            let column_at = triangle(column, 0);
            let dot: f64 = (0..column).map(|k| matrix[row_at + k] * matrix[column_at + k]).sum();
            let rest = matrix[row_at + column] - dot;
            matrix[row_at + column] =
                if row == column { rest.max(FLAT).sqrt() } else { rest / matrix[column_at + column] };
        }
    }
    for row in 0..width {
        let at = triangle(row, 0);
        let dot: f64 = (0..row).map(|k| matrix[at + k] * right[k]).sum();
        right[row] = (right[row] - dot) / matrix[at + row];
    }
    for row in (0..width).rev() {
        let dot: f64 = (row + 1..width).map(|k| matrix[triangle(k, row)] * right[k]).sum();
        right[row] = (right[row] - dot) / matrix[triangle(row, row)];
    }
}

#[cfg(test)]
mod tests {
    use super::{Sample, fit_all, predict_held_out, solve};

    #[test]
    fn a_small_system_is_solved() {
        // [4 2; 2 3] x = [10; 9] has the solution [1.5; 2].
        let (mut matrix, mut right) = (vec![4.0, 2.0, 3.0], vec![10.0, 9.0]);
        solve(&mut matrix, &mut right);
        assert!((right[0] - 1.5).abs() < 1e-12 && (right[1] - 2.0).abs() < 1e-12, "{right:?}");
    }

    #[test]
    fn a_line_that_is_there_is_found_without_the_fold() {
        let samples: Vec<Sample> = (0..200)
            .map(|n| {
                let (a, b) = (f64::from(n % 17), f64::from(n % 5));
                Sample { values: vec![(0, a), (1, b), (2, 1.0)], target: 3.0 * a - 2.0 * b + 1.0 }
            })
            .collect();
        let folds = super::super::folds::of_rows(samples.len());
        let line = fit_all(&samples, &folds, 3);
        for (sample, held_out) in samples.iter().zip(predict_held_out(&samples, &folds, 3)) {
            assert!((held_out - sample.target).abs() < 0.5, "{held_out} for {}", sample.target);
            assert!((line.predict(&sample.values) - sample.target).abs() < 0.5);
        }
    }
}
