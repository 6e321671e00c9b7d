//! Tokens in money, at list prices.

use lwa_domain::PicoUsd;

use super::prices::{PriceList, PriceRow};
use super::{Totals, scaled};

/// What was spared, in money of one model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    /// Of the input that was not read and the output that was not written.
    pub direct: PicoUsd,
    /// Of the same input on later calls, from the cache where that has a price.
    pub carried: PicoUsd,
}

impl Cost {
    /// What these sums would have cost with a model at this price.
    pub fn of(totals: &Totals, price: &PriceRow) -> Self {
        let milli = price.factor_milli();
        let input = amount(price.input, totals.avoided_input, milli);
        let output = amount(price.output, totals.avoided_output, milli);
        Self { direct: input + output, carried: amount(price.cache_read.unwrap_or(price.input), totals.carried, milli) }
    }

    /// Both.
    pub fn with_carry(self) -> PicoUsd {
        self.direct + self.carried
    }
}

/// The sums in tokens and money of one model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelCost {
    /// The model.
    pub model_id: String,
    /// Its name for people.
    pub display_name: String,
    /// Tokens of this model: the counted ones times its factor.
    pub avoided_input: u64,
    /// See [`ModelCost::avoided_input`].
    pub avoided_output: u64,
    /// See [`ModelCost::avoided_input`].
    pub carried: u64,
    /// The money.
    pub cost: Cost,
    /// How many tokens of this model stand for one counted token.
    pub tokenizer_factor: f64,
    /// Where the price and the factor come from, and when the price was checked.
    pub price_note: String,
    /// That was too long ago.
    pub is_stale: bool,
}

impl PriceList {
    /// The sums for every model of the list.
    pub fn per_model(&self, totals: &Totals, today: jiff::civil::Date) -> Vec<ModelCost> {
        let cost = |price: &PriceRow| {
            let factor = price.factor();
            ModelCost {
                model_id: price.model_id.clone(),
                display_name: price.display_name.clone(),
                avoided_input: scaled(totals.avoided_input, factor),
                avoided_output: scaled(totals.avoided_output, factor),
                carried: scaled(totals.carried, factor),
                cost: Cost::of(totals, price),
                tokenizer_factor: factor,
                price_note: price.note(),
                is_stale: price.is_stale(today, self.assumptions().stale_after_days),
            }
        };
        self.rows().iter().map(cost).collect()
    }
}

/// Tokens at a price, times a factor in thousandths; what does not fit is the largest amount.
fn amount(price: PicoUsd, tokens: u64, factor_milli: u64) -> PicoUsd {
    let price = u128::try_from(price.get()).unwrap_or_default();
    let product = price.checked_mul(u128::from(tokens)).and_then(|pico| pico.checked_mul(u128::from(factor_milli)));
    let pico = product.map_or(u128::MAX, |thousandths| thousandths.saturating_add(500) / 1_000);
    PicoUsd::new(i64::try_from(pico).unwrap_or(i64::MAX))
}

/// An amount in dollars with four decimals, without a sign of its currency.
pub fn four_decimals(amount: PicoUsd) -> String {
    const UNIT: i64 = 100_000_000;
    let rounded = amount.get().saturating_add(UNIT / 2) / UNIT;
    format!("{}.{:04}", rounded / 10_000, rounded % 10_000)
}
