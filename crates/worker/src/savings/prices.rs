//! The list of prices that savings are shown in.

use jiff::civil::Date;
use lwa_domain::{PicoUsd, Price};

use super::assumptions::Assumptions;
use super::price_file::{PriceFile, PriceFileError, RowOverride, day};

/// List prices as providers state them, with the day on which that was read.
const SHIPPED: &str = include_str!("../../data/prices.json");
/// Factors outside this range are no tokenizer's.
const FACTORS: std::ops::RangeInclusive<f64> = 0.1..=10.0;

/// What one model costs.
#[derive(Debug, Clone, PartialEq)]
pub struct PriceRow {
    /// Who sells it.
    pub provider: String,
    /// Its name at the provider.
    pub model_id: String,
    /// Its name for people.
    pub display_name: String,
    /// For one input token.
    pub input: PicoUsd,
    /// For one output token.
    pub output: PicoUsd,
    /// For one input token from the cache; as any input token when there is no such price.
    pub cache_read: Option<PicoUsd>,
    /// For one input token into the cache.
    pub cache_write: Option<PicoUsd>,
    /// What the price depends on.
    pub context_note: String,
    /// Where the price stands.
    pub source: String,
    /// The day on which it stood there; none when that is unknown.
    pub checked: Option<Date>,
    /// How sure it is.
    pub confidence: String,
    /// How many tokens of this model stand for one counted token.
    pub tokenizer_factor: f64,
    /// Where that comes from.
    pub tokenizer_note: String,
    is_enabled: bool,
}

impl PriceRow {
    /// A row for a price of the host's own catalogue.
    pub fn of(provider: &str, model_id: &str, price: &Price) -> Self {
        Self {
            provider: provider.to_owned(),
            display_name: model_id.to_owned(),
            input: price.input_pico_usd,
            output: price.output_pico_usd,
            cache_read: price.cached_input_pico_usd,
            cache_write: price.cache_write_pico_usd,
            source: price.source.clone(),
            checked: day(&price.as_of),
            ..Self::empty(model_id)
        }
    }

    /// The factor, or one if the stated one is no tokenizer's.
    pub fn factor(&self) -> f64 {
        if FACTORS.contains(&self.tokenizer_factor) { self.tokenizer_factor } else { 1.0 }
    }

    /// The factor in thousandths.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies between 0.1 and 10")]
    pub(super) fn factor_milli(&self) -> u64 {
        (self.factor() * 1_000.0).round() as u64
    }

    /// Whether it was checked too long ago, or nobody knows when.
    pub fn is_stale(&self, today: Date, stale_after_days: u32) -> bool {
        is_stale(self.checked, today, stale_after_days)
    }

    /// Source, day and what the factor rests on, for people.
    pub fn note(&self) -> String {
        let day = self.checked.map_or_else(|| "day unknown".to_owned(), |day| day.to_string());
        let mut parts = vec![format!("{}, {day}", if self.source.is_empty() { "no source" } else { &self.source })];
        parts.extend([&self.context_note, &self.tokenizer_note].into_iter().filter(|note| !note.is_empty()).cloned());
        parts.join("; ")
    }

    fn empty(model_id: &str) -> Self {
        Self {
            provider: String::new(),
            model_id: model_id.to_owned(),
            display_name: model_id.to_owned(),
            input: PicoUsd::ZERO,
            output: PicoUsd::ZERO,
            cache_read: None,
            cache_write: None,
            context_note: String::new(),
            source: String::new(),
            checked: None,
            confidence: String::new(),
            tokenizer_factor: 1.0,
            tokenizer_note: String::new(),
            is_enabled: true,
        }
    }

    fn overlay(&mut self, over: &RowOverride) -> Result<(), PriceFileError> {
        let price = |field: &'static str, amount: Option<f64>| match amount {
            None => Ok(None),
            // A price of a million tokens is a million times that of one.
            Some(dollars) => match PicoUsd::from_dollars(dollars / 1e6) {
                Some(pico) if dollars <= 1e6 => Ok(Some(rounded(pico, dollars))),
                _ => Err(PriceFileError::Amount { model_id: over.model_id.clone(), field }),
            },
        };
        if let Some(input) = price("input_per_m", over.input_per_m)? {
            self.input = input;
        }
        if let Some(output) = price("output_per_m", over.output_per_m)? {
            self.output = output;
        }
        if let Some(read) = over.cache_read_per_m {
            self.cache_read = price("cache_read_per_m", read)?;
        }
        if let Some(write) = over.cache_write_per_m {
            self.cache_write = price("cache_write_per_m", write)?;
        }
        let texts = [
            (&mut self.provider, &over.provider),
            (&mut self.display_name, &over.display_name),
            (&mut self.context_note, &over.context_note),
            (&mut self.source, &over.source_url),
            (&mut self.confidence, &over.confidence),
            (&mut self.tokenizer_note, &over.tokenizer_note),
        ];
        for (text, set) in texts {
            if let Some(set) = set {
                text.clone_from(set);
            }
        }
        if let Some(checked) = &over.checked {
            self.checked = day(checked);
        }
        self.tokenizer_factor = over.tokenizer_factor.unwrap_or(self.tokenizer_factor);
        self.is_enabled = over.enabled.unwrap_or(self.is_enabled);
        Ok(())
    }
}

/// Dollars for a million tokens are millionths of a dollar for one: six decimals are exact, and floating point is not.
#[expect(clippy::cast_possible_truncation, reason = "at most a million dollars, so at most 10^12")]
fn rounded(roughly: PicoUsd, dollars_per_m: f64) -> PicoUsd {
    let exact = dollars_per_m * 1e6;
    if exact.is_finite() { PicoUsd::new(exact.round() as i64) } else { roughly }
}

/// Prices, and what is assumed about the caller.
#[derive(Debug, Clone, PartialEq)]
pub struct PriceList {
    rows: Vec<PriceRow>,
    assumptions: Assumptions,
    checked: Option<Date>,
    is_overridden: bool,
}

impl PriceList {
    /// The list that comes with the program.
    pub fn shipped() -> Self {
        let empty = Self { rows: Vec::new(), assumptions: Assumptions::default(), checked: None, is_overridden: false };
        // The file is part of the program and read by a test; a broken one would show nothing, and stop nobody.
        let read = PriceFile::parse(SHIPPED).and_then(|file| empty.clone().with(&file));
        read.map_or(empty, |list| Self { is_overridden: false, ..list })
    }

    /// Other rows in place of the shipped ones, for instance those of the host's own catalogue.
    pub fn with_rows(self, rows: Vec<PriceRow>, checked: Option<Date>) -> Self {
        Self { rows, checked, ..self }
    }

    /// The list with a human's file over it.
    ///
    /// # Errors
    /// An amount is none, or a new model lacks one; then nothing of the file is used.
    pub fn with(mut self, file: &PriceFile) -> Result<Self, PriceFileError> {
        for over in &file.models {
            if let Some(row) = self.rows.iter_mut().find(|row| row.model_id == over.model_id) {
                row.overlay(over)?;
                continue;
            }
            let missing = |field| PriceFileError::Incomplete { model_id: over.model_id.clone(), field };
            over.input_per_m.ok_or_else(|| missing("input_per_m"))?;
            over.output_per_m.ok_or_else(|| missing("output_per_m"))?;
            let mut row = PriceRow::empty(&over.model_id);
            row.overlay(over)?;
            self.rows.push(row);
        }
        if let Some(set) = &file.assumptions {
            self.assumptions = self.assumptions.with(set);
        }
        self.checked = file.day_over(self.checked);
        self.rows.retain(|row| row.is_enabled);
        self.is_overridden = true;
        Ok(self)
    }

    /// The prices, without those that were taken out.
    pub fn rows(&self) -> &[PriceRow] {
        &self.rows
    }

    /// The row of a model.
    pub fn row(&self, model_id: &str) -> Option<&PriceRow> {
        self.rows.iter().find(|row| row.model_id == model_id)
    }

    /// What is assumed.
    pub fn assumptions(&self) -> &Assumptions {
        &self.assumptions
    }

    /// Whether a human's file lies over the shipped list.
    pub fn is_overridden(&self) -> bool {
        self.is_overridden
    }

    /// The day on which the list was checked; none if it cannot be read.
    pub fn checked(&self) -> Option<Date> {
        self.checked
    }

    /// Days since then.
    pub fn age_days(&self, today: Date) -> Option<u32> {
        age(self.checked?, today)
    }

    /// Whether that is too long ago, or unknown.
    pub fn is_stale(&self, today: Date) -> bool {
        is_stale(self.checked, today, self.assumptions.stale_after_days)
    }

    /// The model whose prices are the headline: the configured one, else the assumed one, else the first. A name that
    /// the list does not have is passed over.
    pub fn headline(&self, configured: Option<&str>) -> Option<&PriceRow> {
        let assumed = self.assumptions.caller_model.as_deref();
        [configured, assumed].into_iter().flatten().find_map(|model| self.row(model)).or_else(|| self.rows.first())
    }
}

fn age(checked: Date, today: Date) -> Option<u32> {
    let days = checked.until(today).ok()?.get_days();
    // A day that lies ahead is today: clocks differ by a time zone.
    Some(u32::try_from(days).unwrap_or(0))
}

fn is_stale(checked: Option<Date>, today: Date, stale_after_days: u32) -> bool {
    checked.and_then(|day| age(day, today)).is_none_or(|days| days > stale_after_days)
}
