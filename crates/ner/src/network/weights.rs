//! The weights file: what stands where. `convert/README.md` describes the format.

use crate::error::LoadError;

const MAGIC: &[u8; 8] = b"lwa-ner\x01";
/// The longest window, in pieces.
pub(crate) const POSITIONS: usize = 512;
/// Labels of a piece.
pub(crate) const LABELS: usize = 35;
const LAYERS: usize = 6;
/// Width of the state of a piece.
pub(super) const WIDTH: usize = 384;
/// Width between the two products of a layer's inner part.
pub(super) const INNER: usize = 1536;
/// Heads of attention.
pub(super) const HEADS: usize = 12;
/// Inputs that share one scale.
pub(super) const BLOCK: usize = 32;
const PANEL: usize = 32;

/// A matrix of 4-bit numbers in panels of 32 columns. The numbers stay where the program's file has them.
#[derive(Debug)]
pub(super) struct Matrix {
    pub inputs: usize,
    numbers: &'static [u8],
    scales: Vec<f32>,
    pub bias: Vec<f32>,
}

impl Matrix {
    pub(super) fn columns(&self) -> usize {
        self.bias.len()
    }

    /// The numbers and scales of some inputs of a panel.
    pub(super) fn part(&self, panel: usize, input: usize, depth: usize) -> (&[u8], &[f32]) {
        let bytes = (panel * self.inputs + input) * PANEL / 2;
        let scales = (panel * self.inputs + input) / BLOCK * PANEL;
        (&self.numbers[bytes..bytes + depth * PANEL / 2], &self.scales[scales..scales + depth / BLOCK * PANEL])
    }
}

/// The learnt part of a normalisation.
#[derive(Debug)]
pub(super) struct Norm {
    pub gain: Vec<f32>,
    pub shift: Vec<f32>,
}

/// One layer.
#[derive(Debug)]
pub(super) struct Layer {
    /// Queries, keys and values side by side.
    pub triple: Matrix,
    pub mixed: Matrix,
    pub inner: Matrix,
    pub outer: Matrix,
    pub mixed_norm: Norm,
    pub outer_norm: Norm,
}

/// Rows of 8-bit numbers.
#[derive(Debug)]
struct Table {
    scale: f32,
    zero: f32,
    rows: &'static [u8],
}

impl Table {
    fn add(&self, index: usize, row: &mut [f32]) {
        let numbers = self.rows.get(index * WIDTH..(index + 1) * WIDTH).unwrap_or_default();
        for (value, number) in row.iter_mut().zip(numbers) {
            *value += (f32::from(*number) - self.zero) * self.scale;
        }
    }
}

/// All weights.
#[derive(Debug)]
pub(super) struct Weights {
    words: Table,
    positions: Table,
    segment: Table,
    pub norm: Norm,
    pub layers: Vec<Layer>,
    pub labels: Matrix,
}

impl Weights {
    pub(super) fn parse(bytes: &'static [u8]) -> Result<Self, LoadError> {
        let mut reader = Reader { rest: bytes };
        if reader.take(MAGIC.len())? != MAGIC {
            return Err(LoadError::Layout);
        }
        let words = reader.number()?;
        for expected in [POSITIONS, LAYERS, WIDTH, INNER, HEADS, LABELS] {
            if reader.number()? != expected {
                return Err(LoadError::Layout);
            }
        }
        let weights = Self {
            words: reader.table(words)?,
            positions: reader.table(POSITIONS)?,
            segment: reader.table(1)?,
            norm: reader.norm()?,
            layers: (0..LAYERS).map(|_| reader.layer()).collect::<Result<_, _>>()?,
            labels: reader.matrix(WIDTH, LABELS)?,
        };
        if reader.rest.is_empty() { Ok(weights) } else { Err(LoadError::Layout) }
    }

    pub(super) fn words(&self) -> usize {
        self.words.rows.len() / WIDTH
    }

    /// The first state of a piece.
    pub(super) fn embed(&self, piece: usize, position: usize, row: &mut [f32]) {
        row.fill(0.0);
        self.words.add(piece, row);
        self.segment.add(0, row);
        self.positions.add(position, row);
    }
}

struct Reader {
    rest: &'static [u8],
}

impl Reader {
    fn take(&mut self, length: usize) -> Result<&'static [u8], LoadError> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(LoadError::Layout)?;
        self.rest = rest;
        Ok(taken)
    }

    fn word(&mut self) -> Result<[u8; 4], LoadError> {
        self.take(4)?.try_into().map_err(|_| LoadError::Layout)
    }

    fn number(&mut self) -> Result<usize, LoadError> {
        usize::try_from(u32::from_le_bytes(self.word()?)).map_err(|_| LoadError::Layout)
    }

    fn floats(&mut self, count: usize) -> Result<Vec<f32>, LoadError> {
        let (words, _) = self.take(count * 4)?.as_chunks::<4>();
        Ok(words.iter().map(|word| f32::from_le_bytes(*word)).collect())
    }

    fn table(&mut self, rows: usize) -> Result<Table, LoadError> {
        let scale = f32::from_le_bytes(self.word()?);
        let zero = u8::try_from(self.number()?).map_err(|_| LoadError::Layout)?;
        Ok(Table { scale, zero: f32::from(zero), rows: self.take(rows * WIDTH)? })
    }

    fn norm(&mut self) -> Result<Norm, LoadError> {
        Ok(Norm { gain: self.floats(WIDTH)?, shift: self.floats(WIDTH)? })
    }

    fn matrix(&mut self, inputs: usize, columns: usize) -> Result<Matrix, LoadError> {
        let columns = columns.next_multiple_of(PANEL);
        let numbers = self.take(inputs * columns / 2)?;
        let scales = self.floats(inputs / BLOCK * columns)?;
        Ok(Matrix { inputs, numbers, scales, bias: self.floats(columns)? })
    }

    fn layer(&mut self) -> Result<Layer, LoadError> {
        Ok(Layer {
            triple: self.matrix(WIDTH, 3 * WIDTH)?,
            mixed: self.matrix(WIDTH, WIDTH)?,
            inner: self.matrix(WIDTH, INNER)?,
            outer: self.matrix(INNER, WIDTH)?,
            mixed_norm: self.norm()?,
            outer_norm: self.norm()?,
        })
    }
}
