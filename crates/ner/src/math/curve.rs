//! Curves over the elements of a row: activation, normalisation, shares.
//!
//! They are written without calls, tables and branches, so that the compiler turns them into vector instructions.

#![expect(
    clippy::inline_always,
    reason = "only what is inlined into a dispatched function is compiled for its instructions"
)]

use pulp::{Arch, NullaryFnOnce};

/// Running sums that are independent of each other.
const LANES: usize = 16;

/// e to the power of `x`, with a relative error of about 1e-7.
#[inline(always)]
fn exp(x: f32) -> f32 {
    // Adding this constant leaves the nearest whole number in the low bits.
    const ROUND: f32 = 12_582_912.0;
    let x = x.clamp(-87.0, 88.0);
    let rounded = x * std::f32::consts::LOG2_E + ROUND;
    let power = rounded.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(127) << 23;
    let whole = rounded - ROUND;
    let rest = x - whole * 0.693_359_4 + whole * 2.121_944_4e-4;
    let mut sum = 1.987_569_1e-4;
    for factor in [1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 0.166_666_65, 0.5] {
        sum = sum * rest + factor;
    }
    (sum * rest * rest + rest + 1.0) * f32::from_bits(power)
}

/// The error function by formula 7.1.26 of Abramowitz and Stegun, with an error of at most 1.5e-7.
#[inline(always)]
fn erf(x: f32) -> f32 {
    let size = x.abs();
    let t = 1.0 / (1.0 + 0.327_591_1 * size);
    let mut sum = 1.061_405_4;
    for factor in [-1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6] {
        sum = sum * t + factor;
    }
    (1.0 - sum * t * exp(-size * size)).copysign(x)
}

struct Gelu<'a>(&'a mut [f32]);

impl NullaryFnOnce for Gelu<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for x in self.0 {
            *x = 0.5 * *x * (1.0 + erf(*x * std::f32::consts::FRAC_1_SQRT_2));
        }
    }
}

/// The activation between the two products of a layer's inner part.
pub(crate) fn gelu(arch: Arch, values: &mut [f32]) {
    arch.dispatch(Gelu(values));
}

#[inline(always)]
fn sum_of(row: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let (lanes, rest) = pulp::as_arrays::<LANES, _>(row);
    let mut sums = [0.0; LANES];
    for lane in lanes {
        for (sum, value) in sums.iter_mut().zip(lane) {
            *sum += of(*value);
        }
    }
    sums.iter().sum::<f32>() + rest.iter().map(|value| of(*value)).sum::<f32>()
}

struct Softmax<'a> {
    row: &'a mut [f32],
    scale: f32,
}

impl NullaryFnOnce for Softmax<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let (lanes, rest) = pulp::as_arrays::<LANES, _>(self.row);
        let mut tops = [f32::MIN; LANES];
        for lane in lanes {
            for (top, value) in tops.iter_mut().zip(lane) {
                *top = if *value > *top { *value } else { *top };
            }
        }
        let top = tops.iter().chain(rest).fold(f32::MIN, |top, value| top.max(*value));
        for value in self.row.iter_mut() {
            *value = exp((*value - top) * self.scale);
        }
        let share = 1.0 / sum_of(self.row, |value| value);
        for value in self.row.iter_mut() {
            *value *= share;
        }
    }
}

/// The shares that the elements of a row have, after they were multiplied by `scale`.
pub(crate) fn softmax(arch: Arch, row: &mut [f32], scale: f32) {
    arch.dispatch(Softmax { row, scale });
}

struct Normalise<'a> {
    rows: &'a mut [f32],
    added: Option<&'a [f32]>,
    gain: &'a [f32],
    shift: &'a [f32],
}

impl NullaryFnOnce for Normalise<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let width = self.gain.len();
        if let Some(added) = self.added {
            for (value, added) in self.rows.iter_mut().zip(added) {
                *value += added;
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "the width is a few hundred")]
        let share = 1.0 / width as f32;
        for row in self.rows.chunks_exact_mut(width) {
            let mean = sum_of(row, |value| value) * share;
            let variance = sum_of(row, |value| (value - mean) * (value - mean)) * share;
            let scale = 1.0 / (variance + 1e-12).sqrt();
            for ((value, gain), shift) in row.iter_mut().zip(self.gain).zip(self.shift) {
                *value = (*value - mean) * scale * gain + shift;
            }
        }
    }
}

/// Brings each row to mean 0 and variance 1, then to the learnt gain and shift.
pub(crate) fn normalise(arch: Arch, rows: &mut [f32], gain: &[f32], shift: &[f32]) {
    arch.dispatch(Normalise { rows, added: None, gain, shift });
}

/// Adds other rows and normalises the sums.
pub(crate) fn add_and_normalise(arch: Arch, rows: &mut [f32], added: &[f32], gain: &[f32], shift: &[f32]) {
    arch.dispatch(Normalise { rows, added: Some(added), gain, shift });
}

#[cfg(test)]
mod tests {
    use super::{erf, exp};

    #[test]
    fn the_curves_follow_the_exact_ones() {
        for step in -400..=400_i16 {
            let x = f32::from(step) / 20.0;
            let exact = f64::from(x).exp();
            assert!((f64::from(exp(x)) / exact - 1.0).abs() < 5e-7, "exp({x})");
        }
        // Values of the error function from the tables.
        for (x, exact) in [(0.0, 0.0), (0.5, 0.520_499_9), (1.0, 0.842_700_8), (2.0, 0.995_322_3), (4.0, 1.0)] {
            assert!((erf(x) - exact).abs() < 5e-7, "erf({x})");
            assert!((erf(-x) + exact).abs() < 5e-7, "erf(-{x})");
        }
    }
}
