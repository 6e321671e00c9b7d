//! What the worker spared the caller: tokens that it did not have to read or write, and what they would have cost.
//!
//! What is stored of a turn are raw counts. What is assumed (characters a token, how often a context is read again,
//! prices) is applied when somebody looks, so a changed assumption changes the past as well, and nothing has to be
//! written anew. Every sum is a whole number of tokens, every amount a whole number of pico-dollars.

mod assumptions;
mod backfill;
mod cost;
mod factor;
mod price_file;
mod prices;

pub use assumptions::{Assumptions, AssumptionsOverride, CreditOverride, OutputCredit};
pub use cost::{Cost, ModelCost, four_decimals};
pub use factor::{FactorSample, SampleClass, Unmeasurable, measured_factor};
pub use price_file::{PriceFile, PriceFileError, RowOverride};
pub use prices::{PriceList, PriceRow};

/// The formula in words, for reports.
pub const METHOD: &str = "gathered = tokens of command output and files that the worker read; returned = tokens that it \
handed back; both as counted, or characters / chars_per_token where one of the two was not counted. avoided_input = \
gathered - returned, never below 0. avoided_output = returned x output_credit. carried = avoided_input x \
context_reuse_calls. US dollars = (avoided_input x input price + avoided_output x output price + carried x cache price) \
x tokenizer_factor; an estimate at list prices, and no bill.";

/// The work whose turns are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Work {
    /// A command whose output was digested.
    Run,
    /// A task that was answered.
    Delegate,
}

impl Work {
    /// The word in records.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Delegate => "delegate",
        }
    }

    /// The work of a word; other turns are not counted.
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "run" => Some(Self::Run),
            "delegate" => Some(Self::Delegate),
            _ => None,
        }
    }
}

/// The raw counts of one turn, as they are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnCounts {
    /// What it was.
    pub work: Work,
    /// Lines were quoted.
    pub is_verbatim: bool,
    /// It failed, and spared nobody anything.
    pub is_error: bool,
    /// Characters of command output and files; what the caller brought itself counts for nothing.
    pub gathered_chars: u64,
    /// Characters that went back.
    pub returned_chars: u64,
    /// Tokens gathered, where they were counted.
    pub gathered_tokens: Option<u64>,
    /// Tokens that went back, where they were counted.
    pub returned_tokens: Option<u64>,
}

/// What one turn spared, in tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Saved {
    /// Read by the worker.
    pub gathered: u64,
    /// Handed back.
    pub returned: u64,
    /// Of input, that the caller did not read.
    pub avoided_input: u64,
    /// Of output, that the caller did not write.
    pub avoided_output: u64,
    /// What the avoided input would have cost again on later calls.
    pub carried: u64,
    /// By how much the result was longer than what was gathered.
    pub excess: u64,
    /// Both counts are exact.
    pub is_measured: bool,
}

impl Saved {
    /// What a turn spared under these assumptions.
    pub fn of(turn: &TurnCounts, assumptions: &Assumptions) -> Self {
        if turn.is_error {
            return Self::default();
        }
        let (gathered, returned, is_measured) = match (turn.gathered_tokens, turn.returned_tokens) {
            (Some(gathered), Some(returned)) => (gathered, returned, true),
            // One exact count beside an estimate would compare two different measures.
            _ => (assumptions.tokens(turn.gathered_chars), assumptions.tokens(turn.returned_chars), false),
        };
        let has_gathered = gathered > 0;
        let avoided_input = if has_gathered { gathered.saturating_sub(returned) } else { 0 };
        Self {
            gathered,
            returned,
            avoided_input,
            avoided_output: scaled(returned, assumptions.output_credit.of(turn.work, turn.is_verbatim)),
            carried: scaled(avoided_input, assumptions.context_reuse_calls),
            excess: if has_gathered { returned.saturating_sub(gathered) } else { 0 },
            is_measured,
        }
    }

    /// What stands in the trailer: input that was not read and output that was not written.
    pub fn total(&self) -> u64 {
        self.avoided_input.saturating_add(self.avoided_output)
    }
}

/// Sums over turns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Turns that were counted, failed ones included.
    pub turns: u64,
    /// Turns whose tokens were counted exactly.
    pub measured_turns: u64,
    /// See [`Saved::gathered`].
    pub gathered: u64,
    /// See [`Saved::returned`].
    pub returned: u64,
    /// See [`Saved::avoided_input`].
    pub avoided_input: u64,
    /// See [`Saved::avoided_output`].
    pub avoided_output: u64,
    /// See [`Saved::carried`].
    pub carried: u64,
    /// See [`Saved::excess`].
    pub excess: u64,
}

impl Totals {
    /// The sums of these turns under these assumptions.
    pub fn of<'t>(turns: impl IntoIterator<Item = &'t TurnCounts>, assumptions: &Assumptions) -> Self {
        turns.into_iter().fold(Self::default(), |sums, turn| sums.with(&Saved::of(turn, assumptions)))
    }

    /// The sums with one turn more.
    pub fn with(self, saved: &Saved) -> Self {
        Self {
            turns: self.turns.saturating_add(1),
            measured_turns: self.measured_turns.saturating_add(u64::from(saved.is_measured)),
            gathered: self.gathered.saturating_add(saved.gathered),
            returned: self.returned.saturating_add(saved.returned),
            avoided_input: self.avoided_input.saturating_add(saved.avoided_input),
            avoided_output: self.avoided_output.saturating_add(saved.avoided_output),
            carried: self.carried.saturating_add(saved.carried),
            excess: self.excess.saturating_add(saved.excess),
        }
    }
}

/// A count times a factor, to the nearest whole; what does not fit is the largest count.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the product is an estimate; the cast back saturates, and a negative or missing factor gives nothing"
)]
pub(crate) fn scaled(count: u64, factor: f64) -> u64 {
    (count as f64 * factor).round() as u64
}
