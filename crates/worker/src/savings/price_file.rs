//! The file of prices: the shipped one, and the human's own, which lies over it.

use jiff::civil::Date;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use thiserror::Error;

use super::assumptions::AssumptionsOverride;

/// A file of prices as it is written. What a row leaves out is as in the list below it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PriceFile {
    /// The version of the form; others' files have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// The day on which all of it was checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked: Option<String>,
    /// A remark for readers of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What is assumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumptions: Option<AssumptionsOverride>,
    /// Prices.
    pub models: Vec<RowOverride>,
}

/// A row of such a file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RowOverride {
    /// Which model.
    pub model_id: String,
    /// Who sells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Its name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// US dollars for a million input tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_per_m: Option<f64>,
    /// US dollars for a million output tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_per_m: Option<f64>,
    /// US dollars for a million input tokens from the cache; null says that there is no such price.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub cache_read_per_m: Option<Option<f64>>,
    /// US dollars for a million input tokens into the cache; null says that there is no such price.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub cache_write_per_m: Option<Option<f64>>,
    /// What the price depends on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_note: Option<String>,
    /// Where the price stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_url: Option<String>,
    /// The day on which it stood there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked: Option<String>,
    /// How sure it is: `official`, `unsure` or the like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<String>,
    /// How many tokens of this model stand for one counted token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokenizer_factor: Option<f64>,
    /// Where that comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokenizer_note: Option<String>,
    /// False takes the model out of the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
}

/// A field that is there, be it null.
#[expect(clippy::option_option, reason = "absent, null and a price are three things")]
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<f64>>, D::Error> {
    Option::<f64>::deserialize(deserializer).map(Some)
}

/// Why a file of prices is not used. Nothing of it is, then.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PriceFileError {
    /// It is no JSON of this form.
    #[error("the file of prices cannot be read at line {line}, column {column}")]
    Json {
        /// Where, from one.
        line: usize,
        /// Where, from one.
        column: usize,
    },
    /// A row names no model.
    #[error("row {row} of the file of prices has no `model_id`")]
    NoModel {
        /// Which one, from one.
        row: usize,
    },
    /// An amount is negative, not finite or beyond all prices.
    #[error("`{field}` of `{model_id}` is no price")]
    Amount {
        /// The model.
        model_id: String,
        /// The field.
        field: &'static str,
    },
    /// A model that the list below does not have lacks a price.
    #[error("`{model_id}` is new and has no `{field}`")]
    Incomplete {
        /// The model.
        model_id: String,
        /// The field.
        field: &'static str,
    },
}

impl PriceFile {
    /// Reads a file; blank text is an empty one.
    ///
    /// # Errors
    /// It is no JSON of this form.
    pub fn parse(text: &str) -> Result<Self, PriceFileError> {
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let file: Self = serde_json::from_str(text)
            .map_err(|error| PriceFileError::Json { line: error.line(), column: error.column() })?;
        match file.models.iter().position(|row| row.model_id.trim().is_empty()) {
            Some(index) => Err(PriceFileError::NoModel { row: index + 1 }),
            None => Ok(file),
        }
    }

    /// The file as it is written.
    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Lays the fields of a row over those that the file has for its model.
    pub fn set(&mut self, row: RowOverride) {
        match self.models.iter_mut().find(|known| known.model_id == row.model_id) {
            Some(known) => known.take(row),
            None => self.models.push(row),
        }
    }

    /// Takes a model's row out; says whether there was one.
    pub fn reset(&mut self, model_id: &str) -> bool {
        let before = self.models.len();
        self.models.retain(|row| row.model_id != model_id);
        self.models.len() < before
    }

    /// The day of the list with this file over it: a day of its own that cannot be read is none.
    pub(super) fn day_over(&self, below: Option<Date>) -> Option<Date> {
        self.checked.as_deref().map_or(below, day)
    }
}

impl RowOverride {
    fn take(&mut self, over: Self) {
        let Self {
            model_id: _,
            provider,
            display_name,
            input_per_m,
            output_per_m,
            cache_read_per_m,
            cache_write_per_m,
            context_note,
            source_url,
            checked,
            confidence,
            tokenizer_factor,
            tokenizer_note,
            enabled,
        } = over;
        self.provider = provider.or(self.provider.take());
        self.display_name = display_name.or(self.display_name.take());
        self.input_per_m = input_per_m.or(self.input_per_m);
        self.output_per_m = output_per_m.or(self.output_per_m);
        self.cache_read_per_m = cache_read_per_m.or(self.cache_read_per_m);
        self.cache_write_per_m = cache_write_per_m.or(self.cache_write_per_m);
        self.context_note = context_note.or(self.context_note.take());
        self.source_url = source_url.or(self.source_url.take());
        self.checked = checked.or(self.checked.take());
        self.confidence = confidence.or(self.confidence.take());
        self.tokenizer_factor = tokenizer_factor.or(self.tokenizer_factor);
        self.tokenizer_note = tokenizer_note.or(self.tokenizer_note.take());
        self.enabled = enabled.or(self.enabled);
    }
}

/// A day; none if it cannot be read, which counts as long ago.
pub(super) fn day(text: &str) -> Option<Date> {
    text.trim().parse().ok()
}
