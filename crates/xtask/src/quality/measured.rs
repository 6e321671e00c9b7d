//! What is kept of a measurement: sums and figures, no prompt and no single result.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

/// Every set that was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// How many resamples an interval is made of.
    pub resamples: u32,
    /// The sets.
    pub sets: Vec<MeasuredSet>,
}

/// One set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredSet {
    /// Its name.
    pub name: String,
    /// The cheap model.
    pub cheap_model: String,
    /// The strong model.
    pub strong_model: String,
    /// What its bills are counted in.
    pub bill_unit: String,
    /// A fingerprint of what it was read from.
    pub fingerprint: String,
    /// The fewest, the median and the most estimated tokens of a prompt.
    pub tokens: [u64; 3],
    /// The mean bill of a call of the cheap model; zero where the strong one's is so much larger that it is left out.
    pub cheap_bill: f64,
    /// The mean bill of a call of the strong model.
    pub strong_bill: f64,
    /// The sums for each subject.
    pub subjects: Vec<Subject>,
    /// The share of calls that each subject's majority sends to the strong model, and the quality it reaches.
    pub majority: [f64; 2],
    /// The methods that order prompts.
    pub methods: Vec<Curve>,
    /// By how much one method's area exceeds another's, on the same resamples.
    pub differences: Vec<Difference>,
}

/// By how much the area of one method exceeds that of another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// The one.
    pub method: Method,
    /// The other.
    pub than: Method,
    /// What both areas are taken over.
    pub axis: Axis,
    /// The difference; 0 is none.
    pub area: Interval,
}

/// The sums of one subject.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// How many rows it has.
    pub rows: u32,
    /// What the cheap model scored, summed.
    pub cheap: f64,
    /// What the strong model scored, summed.
    pub strong: f64,
    /// What the better of the two scored on each row, summed.
    pub best: f64,
    /// On how many rows the strong model scored more.
    pub strong_better: u32,
}

/// A way of putting prompts in order, those for the strong model first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Longer prompts first; nothing is learnt.
    Longest,
    /// Shorter prompts first; nothing is learnt.
    Shortest,
    /// A line over the lexical features, fitted without the subject.
    Lexical,
    /// The gain that this line expects, for each estimated token.
    LexicalPerToken,
    /// The same with hashed words.
    Words,
    /// The line over the lexical features, fitted on another set of the same models.
    LexicalElsewhere,
    /// The same with hashed words.
    WordsElsewhere,
    /// The mean gain of the subject on its other rows: needs a label that no prompt carries.
    SubjectMajority,
    /// The true gain, or the true gain for each unit of the bill: not reachable.
    Oracle,
}

/// What is counted along the lower edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// Calls.
    Calls,
    /// The strong model's bill.
    Bill,
}

/// How one method did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Curve {
    /// The method.
    pub method: Method,
    /// The area under the share of the gap that is won, over the share of strong calls; 0.5 is chance.
    pub area: Interval,
    /// The same over the share of the strong model's bill, where that is the larger one.
    pub bill_area: Option<Interval>,
    /// The mean quality at 0, 5, …, 100 per cent of strong calls.
    pub quality: Vec<f64>,
    /// The shares of strong calls at which 50, 80 and 95 per cent of the gap are won.
    pub needed: [f64; 3],
}

/// A figure with the interval that 95 of 100 resamples lie in.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interval {
    /// The figure.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Where the interval lies beside `value`: above it, below it, or around it.
    pub fn beside(&self, value: f64) -> Ordering {
        if self.low > value {
            Ordering::Greater
        } else if self.high < value {
            Ordering::Less
        } else {
            Ordering::Equal
        }
    }
}

impl MeasuredSet {
    /// How many rows there are.
    pub fn rows(&self) -> u32 {
        self.subjects.iter().map(|subject| subject.rows).sum()
    }

    /// Mean quality of cheap, strong and the better of both.
    pub fn qualities(&self) -> [f64; 3] {
        let rows = f64::from(self.rows().max(1));
        let mean = |of: fn(&Subject) -> f64| self.subjects.iter().map(of).sum::<f64>() / rows;
        [mean(|subject| subject.cheap), mean(|subject| subject.strong), mean(|subject| subject.best)]
    }

    /// On what share of the rows the strong model is better.
    pub fn strong_needed(&self) -> f64 {
        let better: u32 = self.subjects.iter().map(|subject| subject.strong_better).sum();
        f64::from(better) / f64::from(self.rows().max(1))
    }

    /// The difference of two methods along `axis`.
    pub fn difference(&self, method: Method, than: Method, axis: Axis) -> Option<Interval> {
        let is_it = |found: &&Difference| (found.method, found.than, found.axis) == (method, than, axis);
        self.differences.iter().find(is_it).map(|found| found.area)
    }

    /// The curve of `method`.
    pub fn curve(&self, method: Method) -> Option<&Curve> {
        self.methods.iter().find(|curve| curve.method == method)
    }
}
