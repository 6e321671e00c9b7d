//! The rows that are measured: a prompt and what became of it at each of two models.

/// One prompt with what both models made of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The place of its subject in [`Set::subjects`].
    pub subject: usize,
    /// The prompt as it was sent.
    pub prompt: String,
    /// What the cheap model scored, 0 to 1.
    pub cheap: f64,
    /// What the strong model scored, 0 to 1.
    pub strong: f64,
    /// What the cheap model's call costs, in any unit that is the same for the whole set.
    pub cheap_bill: f64,
    /// What the strong model's call costs, in the same unit.
    pub strong_bill: f64,
}

impl Row {
    /// What choosing the strong model gains.
    pub fn gain(&self) -> f64 {
        self.strong - self.cheap
    }
}

/// A result set.
#[derive(Debug, Clone, PartialEq)]
pub struct Set {
    /// Its name, a word.
    pub name: String,
    /// The name of the cheap model.
    pub cheap_model: String,
    /// The name of the strong model.
    pub strong_model: String,
    /// What the bills of its rows are counted in.
    pub bill_unit: String,
    /// The names of its subjects, in order.
    pub subjects: Vec<String>,
    /// Its rows.
    pub rows: Vec<Row>,
    /// A fingerprint of the bytes that it was read from.
    pub fingerprint: String,
}

/// A fingerprint of bytes, FNV-1a with 64 bits. It notices another version of a file; it proves nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fingerprint(u64);

impl Fingerprint {
    pub(super) const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(super) fn add(self, bytes: &[u8]) -> Self {
        Self(bytes.iter().fold(self.0, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)))
    }

    pub(super) const fn value(self) -> u64 {
        self.0
    }
}
