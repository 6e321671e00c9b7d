//! The network: six layers of attention over the pieces of a window, and a label for each piece.

mod weights;

use pulp::Arch;

use crate::error::LoadError;
use crate::math::{Multiply, PANEL, Unpack, add_and_normalise, gelu, normalise, softmax};
use weights::{Matrix, Weights};

use weights::{BLOCK, HEADS, INNER, WIDTH};
pub(crate) use weights::{LABELS, POSITIONS};

/// Inputs of a panel that are unpacked at once: with 32 columns it stays in the nearest cache.
const DEPTH: usize = 192;
/// Width of one head.
const HEAD: usize = WIDTH / HEADS;
/// Width of queries, keys and values side by side.
const TRIPLE: usize = 3 * WIDTH;

/// The shares of the labels of one piece.
pub(crate) type Shares = [f32; LABELS];

/// The network with its weights.
#[derive(Debug)]
pub(crate) struct Network {
    weights: Weights,
    arch: Arch,
}

/// Memory of one run, kept for the next.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    state: Vec<f32>,
    triple: Vec<f32>,
    mixed: Vec<f32>,
    inner: Vec<f32>,
    added: Vec<f32>,
    panel: Vec<f32>,
    scores: Vec<f32>,
}

impl Network {
    /// The network of a weights file.
    pub(crate) fn parse(bytes: &'static [u8]) -> Result<Self, LoadError> {
        Ok(Self { weights: Weights::parse(bytes)?, arch: Arch::new() })
    }

    /// How many pieces it knows.
    pub(crate) fn words(&self) -> usize {
        self.weights.words()
    }

    /// The shares of the labels for each piece of each window, in order.
    ///
    /// Windows of any length run together without filling them up: only attention looks at them one by one.
    /// Returns nothing when `is_stopped` says so between two layers.
    pub(crate) fn run(
        &self,
        windows: &[&[u32]],
        scratch: &mut Scratch,
        is_stopped: &dyn Fn() -> bool,
    ) -> Option<Vec<Shares>> {
        let rows: usize = windows.iter().map(|window| window.len()).sum();
        scratch.state.resize(rows * WIDTH, 0.0);
        let pieces = windows.iter().flat_map(|window| window.iter().enumerate());
        for (row, (position, piece)) in scratch.state.chunks_exact_mut(WIDTH).zip(pieces) {
            self.weights.embed(*piece as usize, position, row);
        }
        let norm = &self.weights.norm;
        normalise(self.arch, &mut scratch.state, &norm.gain, &norm.shift);
        for layer in &self.weights.layers {
            if is_stopped() {
                return None;
            }
            self.multiply(&layer.triple, &scratch.state, &mut scratch.triple, &mut scratch.panel);
            scratch.mixed.resize(rows * WIDTH, 0.0);
            let mut start = 0;
            for window in windows {
                self.attend(window.len(), start, scratch);
                start += window.len();
            }
            self.multiply(&layer.mixed, &scratch.mixed, &mut scratch.added, &mut scratch.panel);
            let norm = &layer.mixed_norm;
            add_and_normalise(self.arch, &mut scratch.state, &scratch.added, &norm.gain, &norm.shift);
            self.multiply(&layer.inner, &scratch.state, &mut scratch.inner, &mut scratch.panel);
            gelu(self.arch, &mut scratch.inner);
            self.multiply(&layer.outer, &scratch.inner, &mut scratch.added, &mut scratch.panel);
            let norm = &layer.outer_norm;
            add_and_normalise(self.arch, &mut scratch.state, &scratch.added, &norm.gain, &norm.shift);
        }
        self.multiply(&self.weights.labels, &scratch.state, &mut scratch.added, &mut scratch.panel);
        let width = self.weights.labels.columns();
        let shares = scratch.added.chunks_exact_mut(width).map(|row| {
            let mut shares = [0.0; LABELS];
            shares.copy_from_slice(&row[..LABELS]);
            softmax(self.arch, &mut shares, 1.0);
            shares
        });
        Some(shares.collect())
    }

    /// `out` becomes the product of rows and a matrix, plus its bias.
    fn multiply(&self, matrix: &Matrix, left: &[f32], out: &mut Vec<f32>, panel: &mut Vec<f32>) {
        let (inputs, columns) = (matrix.inputs, matrix.columns());
        let rows = left.len() / inputs;
        out.clear();
        for _ in 0..rows {
            out.extend_from_slice(&matrix.bias);
        }
        panel.resize(DEPTH * PANEL, 0.0);
        for column in (0..columns).step_by(PANEL) {
            for input in (0..inputs).step_by(DEPTH) {
                let (numbers, scales) = matrix.part(column / PANEL, input, DEPTH);
                self.arch.dispatch(Unpack { numbers, scales, panel });
                self.arch.dispatch(Multiply {
                    panel,
                    left: &left[input..],
                    left_stride: inputs,
                    rows,
                    out: &mut out[column..],
                    out_stride: columns,
                });
            }
        }
    }

    /// Mixes the values of one window's pieces by how well their keys answer the queries, head by head.
    fn attend(&self, length: usize, start: usize, scratch: &mut Scratch) {
        let width = length.next_multiple_of(PANEL);
        let triple = &scratch.triple[start * TRIPLE..(start + length) * TRIPLE];
        let mixed = &mut scratch.mixed[start * WIDTH..(start + length) * WIDTH];
        mixed.fill(0.0);
        #[expect(clippy::cast_precision_loss, reason = "a small constant")]
        let scale = 1.0 / (HEAD as f32).sqrt();
        for head in 0..HEADS {
            let (queries, keys, values) = (head * HEAD, WIDTH + head * HEAD, 2 * WIDTH + head * HEAD);
            scratch.scores.clear();
            scratch.scores.resize(length * width, 0.0);
            for first in (0..length).step_by(PANEL) {
                scratch.panel.clear();
                scratch.panel.resize(HEAD * PANEL, 0.0);
                for (column, row) in triple.chunks_exact(TRIPLE).skip(first).take(PANEL).enumerate() {
                    for (input, key) in row[keys..keys + HEAD].iter().enumerate() {
                        scratch.panel[input * PANEL + column] = *key;
                    }
                }
                self.arch.dispatch(Multiply {
                    panel: &scratch.panel,
                    left: &triple[queries..],
                    left_stride: TRIPLE,
                    rows: length,
                    out: &mut scratch.scores[first..],
                    out_stride: width,
                });
            }
            for row in scratch.scores.chunks_exact_mut(width) {
                softmax(self.arch, &mut row[..length], scale);
            }
            scratch.panel.clear();
            for row in triple.chunks_exact(TRIPLE) {
                scratch.panel.extend_from_slice(&row[values..values + HEAD]);
            }
            self.arch.dispatch(Multiply {
                panel: &scratch.panel,
                left: &scratch.scores,
                left_stride: width,
                rows: length,
                out: &mut mixed[head * HEAD..],
                out_stride: WIDTH,
            });
        }
    }
}

// A head is as wide as a panel, and what is unpacked at once is whole blocks; both are relied on above.
const _: () = assert!(HEAD == PANEL && DEPTH.is_multiple_of(BLOCK) && WIDTH.is_multiple_of(DEPTH));
const _: () = assert!(INNER.is_multiple_of(DEPTH));
