//! Products of matrices, 32 columns at a time.
//!
//! The right side comes as a panel: for each input a run of 32 numbers, one for each column.
//! A tile of a few rows by the whole panel stays in the registers while it runs down the panel, so each number of the
//! panel that is read is used for all rows of the tile.

#![expect(
    clippy::inline_always,
    reason = "only what is inlined into a dispatched function is compiled for its instructions"
)]

use pulp::{Simd, WithSimd};

/// Columns of a panel.
pub(crate) const PANEL: usize = 32;
/// Inputs that share one scale.
pub(crate) const BLOCK: usize = 32;

/// Adds the product of rows and a panel to the output.
pub(crate) struct Multiply<'a> {
    /// A run of 32 numbers for each input.
    pub panel: &'a [f32],
    /// The left side from its first element on.
    pub left: &'a [f32],
    /// From the start of a row of the left side to the next.
    pub left_stride: usize,
    /// How many rows there are.
    pub rows: usize,
    /// The output from its first element on.
    pub out: &'a mut [f32],
    /// From the start of a row of the output to the next.
    pub out_stride: usize,
}

impl WithSimd for Multiply<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // As many registers as hold a panel's width, and rows for about a dozen running sums.
        match S::F32_LANES {
            16 => self.run::<S, 2, 6>(simd),
            8 => self.run::<S, 4, 3>(simd),
            4 => self.run::<S, 8, 2>(simd),
            _ => self.run::<S, PANEL, 1>(simd),
        }
    }
}

impl Multiply<'_> {
    #[inline(always)]
    fn run<S: Simd, const V: usize, const R: usize>(mut self, simd: S) {
        let mut row = 0;
        while row + R <= self.rows {
            self.tile::<S, V, R>(simd, row);
            row += R;
        }
        match self.rows - row {
            5 => self.tile::<S, V, 5>(simd, row),
            4 => self.tile::<S, V, 4>(simd, row),
            3 => self.tile::<S, V, 3>(simd, row),
            2 => self.tile::<S, V, 2>(simd, row),
            1 => self.tile::<S, V, 1>(simd, row),
            _ => {}
        }
    }

    #[inline(always)]
    fn tile<S: Simd, const V: usize, const R: usize>(&mut self, simd: S, row: usize) {
        let panel = pulp::as_arrays::<V, _>(S::as_simd_f32s(self.panel).0).0;
        let depth = panel.len();
        let mut left = [[].as_slice(); R];
        for (index, slice) in left.iter_mut().enumerate() {
            let start = (row + index) * self.left_stride;
            *slice = &self.left[start..start + depth];
        }
        let mut sums = [[simd.splat_f32s(0.0); V]; R];
        for (at, columns) in panel.iter().enumerate() {
            for (sums, left) in sums.iter_mut().zip(&left) {
                let factor = simd.splat_f32s(left[at]);
                for (sum, column) in sums.iter_mut().zip(columns) {
                    *sum = simd.mul_add_e_f32s(factor, *column, *sum);
                }
            }
        }
        for (index, sums) in sums.iter().enumerate() {
            let start = (row + index) * self.out_stride;
            let out = S::as_mut_simd_f32s(&mut self.out[start..start + PANEL]).0;
            for (out, sum) in out.iter_mut().zip(sums) {
                *out = simd.add_f32s(*out, *sum);
            }
        }
    }
}

/// Turns 4-bit numbers into a panel.
pub(crate) struct Unpack<'a> {
    /// For each input 16 bytes: columns 0 to 15 in the low halves, 16 to 31 in the high ones.
    pub numbers: &'a [u8],
    /// For each block of inputs a run of 32 scales.
    pub scales: &'a [f32],
    /// The panel.
    pub panel: &'a mut [f32],
}

impl WithSimd for Unpack<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let blocks = pulp::as_arrays_mut::<PANEL, _>(self.panel).0.chunks_exact_mut(BLOCK);
        let numbers = pulp::as_arrays::<{ PANEL / 2 }, _>(self.numbers).0.chunks_exact(BLOCK);
        let scales = pulp::as_arrays::<PANEL, _>(self.scales).0;
        for ((block, numbers), scales) in blocks.zip(numbers).zip(scales) {
            for (columns, bytes) in block.iter_mut().zip(numbers) {
                for at in 0..PANEL / 2 {
                    columns[at] = f32::from(i16::from(bytes[at] & 0x0F) - 8) * scales[at];
                    columns[at + PANEL / 2] = f32::from(i16::from(bytes[at] >> 4) - 8) * scales[at + PANEL / 2];
                }
            }
        }
    }
}
