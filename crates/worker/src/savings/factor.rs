//! How many tokens of a model stand for one counted token, measured over public texts.

use thiserror::Error;

/// Ratios outside this range are a mistake of the measurement and not a tokenizer.
const PLAUSIBLE: std::ops::RangeInclusive<f64> = 0.4..=3.0;
/// A difference counts only when it is this much larger than what a provider's counts vary by without any text.
const LEAST_SIGNAL: f64 = 20.0;

/// What a sample consists of. Material of a worker is mostly listings, so they weigh most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SampleClass {
    /// Output of programs.
    Listing,
    /// Source code.
    Code,
    /// Prose.
    Prose,
    /// JSON.
    Json,
}

impl SampleClass {
    /// Every class.
    pub const ALL: [Self; 4] = [Self::Listing, Self::Code, Self::Prose, Self::Json];

    /// Its share.
    pub const fn weight(self) -> f64 {
        match self {
            Self::Listing => 0.45,
            Self::Code => 0.30,
            Self::Prose => 0.15,
            Self::Json => 0.10,
        }
    }
}

/// One text, counted here and by the provider of the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FactorSample {
    /// What it consists of.
    pub class: SampleClass,
    /// Its tokens, as the counts of the savings have them.
    pub counted: u64,
    /// Input tokens that the provider reported for a question with the text.
    pub reported: u64,
    /// Input tokens that the provider reported for the same question without it.
    pub baseline: u64,
}

impl FactorSample {
    /// Tokens of the model for one counted token; none if the sample shows nothing.
    pub fn ratio(&self, baseline_spread: u64) -> Option<f64> {
        let signal = float(self.reported.checked_sub(self.baseline)?);
        let is_clear = self.counted > 0 && signal > LEAST_SIGNAL * float(baseline_spread);
        let ratio = signal / float(self.counted);
        (is_clear && PLAUSIBLE.contains(&ratio)).then_some(ratio)
    }
}

/// Why there is no factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Unmeasurable {
    /// No sample of any class showed anything.
    #[error("no sample gave a plausible ratio")]
    NoSample,
}

/// The weighted mean over the classes that have a usable sample, of the middle ratio of each.
///
/// # Errors
/// No class has one.
pub fn measured_factor(samples: &[FactorSample], baseline_spread: u64) -> Result<f64, Unmeasurable> {
    let mut sum = 0.0;
    let mut weights = 0.0;
    for class in SampleClass::ALL {
        let of_class = samples.iter().filter(|sample| sample.class == class);
        let mut ratios: Vec<f64> = of_class.filter_map(|sample| sample.ratio(baseline_spread)).collect();
        ratios.sort_by(f64::total_cmp);
        if let Some(middle) = ratios.get(ratios.len() / 2) {
            sum += middle * class.weight();
            weights += class.weight();
        }
    }
    if weights > 0.0 { Ok(sum / weights) } else { Err(Unmeasurable::NoSample) }
}

#[expect(clippy::cast_precision_loss, reason = "token counts are far below the exact range")]
fn float(count: u64) -> f64 {
    count as f64
}
