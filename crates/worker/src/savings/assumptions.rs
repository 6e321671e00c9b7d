//! What is assumed where nothing was measured.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Work, scaled};

/// Characters a token, when nothing usable is set.
const CHARS_PER_TOKEN: f64 = 3.8;

/// What is assumed. A value that makes no sense is the usual one.
#[derive(Debug, Clone, PartialEq)]
pub struct Assumptions {
    /// Characters a token, where tokens were not counted.
    pub chars_per_token: f64,
    /// How many later calls would have read the same input again.
    pub context_reuse_calls: f64,
    /// How much of a result the caller would have written itself.
    pub output_credit: OutputCredit,
    /// The cloud model whose prices are the headline.
    pub caller_model: Option<String>,
    /// Prices that were checked longer ago than this are marked.
    pub stale_after_days: u32,
}

/// How much of a result the caller would have written itself, from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OutputCredit {
    /// Of a command's digest: reading output is no writing.
    pub run: f64,
    /// Of an answer to a task.
    pub delegate: f64,
    /// Of quoted lines.
    pub verbatim: f64,
}

impl OutputCredit {
    pub(super) fn of(self, work: Work, is_verbatim: bool) -> f64 {
        match (is_verbatim, work) {
            (true, _) => self.verbatim,
            (false, Work::Run) => self.run,
            (false, Work::Delegate) => self.delegate,
        }
    }
}

impl Default for Assumptions {
    fn default() -> Self {
        Self {
            chars_per_token: CHARS_PER_TOKEN,
            context_reuse_calls: 8.0,
            output_credit: OutputCredit { run: 0.0, delegate: 1.0, verbatim: 0.0 },
            caller_model: None,
            stale_after_days: 30,
        }
    }
}

impl Assumptions {
    /// Tokens of so many characters, by estimate.
    pub fn tokens(&self, chars: u64) -> u64 {
        let is_usable = self.chars_per_token.is_finite() && self.chars_per_token > 0.0;
        scaled(chars, 1.0 / if is_usable { self.chars_per_token } else { CHARS_PER_TOKEN })
    }

    /// With what a human set in place of the usual values.
    pub fn with(self, set: &AssumptionsOverride) -> Self {
        let positive = |value: Option<f64>, usual: f64| value.filter(|v| v.is_finite() && *v > 0.0).unwrap_or(usual);
        let not_negative =
            |value: Option<f64>, usual: f64| value.filter(|v| v.is_finite() && *v >= 0.0).unwrap_or(usual);
        let credit = set.output_credit.unwrap_or_default();
        Self {
            chars_per_token: positive(set.chars_per_token, self.chars_per_token),
            context_reuse_calls: not_negative(set.context_reuse_calls, self.context_reuse_calls),
            output_credit: OutputCredit {
                run: not_negative(credit.run, self.output_credit.run),
                delegate: not_negative(credit.delegate, self.output_credit.delegate),
                verbatim: not_negative(credit.verbatim, self.output_credit.verbatim),
            },
            caller_model: set.caller_model.clone().or(self.caller_model),
            stale_after_days: set.stale_after_days.unwrap_or(self.stale_after_days),
        }
    }

    /// Names and values, for reports.
    pub fn shown(&self) -> BTreeMap<String, String> {
        let OutputCredit { run, delegate, verbatim } = self.output_credit;
        let mut shown = BTreeMap::from([
            ("chars_per_token".to_owned(), self.chars_per_token.to_string()),
            ("context_reuse_calls".to_owned(), self.context_reuse_calls.to_string()),
            ("output_credit.delegate".to_owned(), delegate.to_string()),
            ("output_credit.run".to_owned(), run.to_string()),
            ("output_credit.verbatim".to_owned(), verbatim.to_string()),
            ("stale_after_days".to_owned(), self.stale_after_days.to_string()),
        ]);
        if let Some(model) = &self.caller_model {
            shown.insert("caller_model".to_owned(), model.clone());
        }
        shown
    }
}

/// What a human set; what is absent is as usual.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AssumptionsOverride {
    /// See [`Assumptions::chars_per_token`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chars_per_token: Option<f64>,
    /// See [`Assumptions::context_reuse_calls`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_reuse_calls: Option<f64>,
    /// See [`Assumptions::output_credit`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_credit: Option<CreditOverride>,
    /// See [`Assumptions::caller_model`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller_model: Option<String>,
    /// See [`Assumptions::stale_after_days`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale_after_days: Option<u32>,
}

/// What a human set of [`OutputCredit`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CreditOverride {
    /// See [`OutputCredit::run`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<f64>,
    /// See [`OutputCredit::delegate`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delegate: Option<f64>,
    /// See [`OutputCredit::verbatim`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verbatim: Option<f64>,
}
