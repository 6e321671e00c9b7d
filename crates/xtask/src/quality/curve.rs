//! Quality over the share that goes to the strong model, for prompts in a given order.

use super::measured::Axis;
use super::rows::Row;

/// Rows in the order in which they go to the strong model. Rows of equal score go together.
#[derive(Debug, Clone)]
pub(super) struct Order {
    rows: Vec<usize>,
    /// Where each group of equal score ends.
    ends: Vec<usize>,
}

/// The weight of each row; a resample has another one.
pub(super) type Weights<'a> = &'a dyn Fn(usize) -> f64;

impl Order {
    /// The largest score first.
    pub(super) fn by(scores: &[f64]) -> Self {
        let mut rows: Vec<usize> = (0..scores.len()).collect();
        rows.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
        let mut ends: Vec<usize> =
            (1..rows.len()).filter(|at| scores[rows[*at]].total_cmp(&scores[rows[at - 1]]).is_ne()).collect();
        ends.push(rows.len());
        Self { rows, ends }
    }

    /// The corners of the curve: share along `axis`, gain in quality. Within a group of equal score the line is
    /// straight, as for a choice by lot.
    pub(super) fn corners(&self, rows: &[Row], axis: Axis, weights: Weights) -> Vec<(f64, f64)> {
        let along = |row: usize| match axis {
            Axis::Calls => weights(row),
            Axis::Bill => weights(row) * (rows[row].strong_bill - rows[row].cheap_bill),
        };
        let whole: f64 = self.rows.iter().map(|row| along(*row)).sum();
        let count: f64 = self.rows.iter().map(|row| weights(*row)).sum();
        let (mut corners, mut begin, mut share, mut gain) = (vec![(0.0, 0.0)], 0, 0.0, 0.0);
        for end in &self.ends {
            for row in &self.rows[begin..*end] {
                share += along(*row) / whole;
                gain += weights(*row) * rows[*row].gain() / count;
            }
            corners.push((share, gain));
            begin = *end;
        }
        corners
    }

    /// The area under the share of the gap that is won; 0.5 for a choice by lot.
    pub(super) fn area(&self, rows: &[Row], axis: Axis, weights: Weights) -> f64 {
        let corners = self.corners(rows, axis, weights);
        let under: f64 =
            corners.windows(2).map(|pair| (pair[1].0 - pair[0].0) * f64::midpoint(pair[0].1, pair[1].1)).sum();
        let (width, gap) = corners.last().copied().unwrap_or_default();
        under / (width * gap)
    }
}

/// The height of a curve at `share`.
pub(super) fn height(corners: &[(f64, f64)], share: f64) -> f64 {
    let after = corners.partition_point(|corner| corner.0 < share).clamp(1, corners.len() - 1);
    let ((x0, y0), (x1, y1)) = (corners[after - 1], corners[after]);
    if x1 > x0 { y0 + (y1 - y0) * ((share - x0) / (x1 - x0)).clamp(0.0, 1.0) } else { y1 }
}

/// The smallest share at which the curve reaches `height`; 1 if it never does.
pub(super) fn reaches(corners: &[(f64, f64)], height: f64) -> f64 {
    corners.windows(2).find(|pair| pair[1].1 >= height).map_or(1.0, |pair| {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        if y1 > y0 { x0 + (x1 - x0) * ((height - y0) / (y1 - y0)).clamp(0.0, 1.0) } else { x1 }
    })
}

#[cfg(test)]
mod tests {
    use super::{Order, height, reaches};
    use crate::quality::measured::Axis;
    use crate::quality::rows::Row;

    fn rows(gains: &[f64]) -> Vec<Row> {
        gains
            .iter()
            .map(|gain| Row {
                subject: 0,
                prompt: String::new(),
                cheap: if *gain < 0.0 { 1.0 } else { 0.0 },
                strong: gain.max(0.0),
                cheap_bill: 0.0,
                strong_bill: 1.0,
            })
            .collect()
    }

    #[test]
    fn equal_scores_are_a_straight_line_and_the_right_order_is_not() {
        let rows = rows(&[0.0, 1.0, 0.0, 1.0]);
        let all = |_: usize| 1.0;
        assert!((Order::by(&[7.0; 4]).area(&rows, Axis::Calls, &all) - 0.5).abs() < 1e-12);
        let right = Order::by(&[0.0, 1.0, 0.0, 1.0]);
        assert!((right.area(&rows, Axis::Calls, &all) - 0.75).abs() < 1e-12);
        let wrong = Order::by(&[1.0, 0.0, 1.0, 0.0]);
        assert!((wrong.area(&rows, Axis::Calls, &all) - 0.25).abs() < 1e-12);
        let corners = right.corners(&rows, Axis::Calls, &all);
        assert!((height(&corners, 0.25) - 0.25).abs() < 1e-12);
        assert!((reaches(&corners, 0.25) - 0.25).abs() < 1e-12);
    }

    #[test]
    fn a_long_prompt_moves_further_along_the_bill() {
        let mut rows = rows(&[1.0, 0.0]);
        rows[0].strong_bill = 3.0;
        let order = Order::by(&[1.0, 0.0]);
        let all = |_: usize| 1.0;
        assert!((order.area(&rows, Axis::Calls, &all) - 0.75).abs() < 1e-12);
        assert!((order.area(&rows, Axis::Bill, &all) - 0.625).abs() < 1e-12);
    }
}
