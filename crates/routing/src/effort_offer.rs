//! Which reasoning efforts a model does accept, for a caller that asked for another.

use std::fmt;
use std::sync::Arc;

use lwa_domain::{EffortForm, EffortSupport, Model, ReasoningEffort};

/// A provider's own words are shown up to this many, each up to this length: they come from its listing.
const WORDS_SHOWN: usize = 8;
const WORD_LENGTH: usize = 24;

/// The efforts of one model: ours as a set of bits, and its provider's own words where they are known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EffortOffer {
    ours: u8,
    support: Option<Arc<EffortSupport>>,
}

impl EffortOffer {
    pub(crate) fn of(model: &Model) -> Self {
        let ours = model.reasoning_levels.iter().fold(0, |bits, effort| bits | Self::bit(*effort));
        Self { ours, support: model.effort.clone().map(Arc::new) }
    }

    /// The efforts of ours that are accepted, in canonical order.
    pub fn efforts(&self) -> impl Iterator<Item = ReasoningEffort> + use<> {
        let ours = self.ours;
        ReasoningEffort::ALL.iter().copied().filter(move |effort| ours & Self::bit(*effort) != 0)
    }

    /// The efforts of ours that either accepts; what the providers call them is left out.
    pub(crate) const fn union(&self, other: &Self) -> Self {
        Self { ours: self.ours | other.ours, support: None }
    }

    const fn bit(effort: ReasoningEffort) -> u8 {
        1 << effort as u8
    }
}

/// A list of labels in backticks.
pub(crate) fn labels<T: fmt::Display>(items: impl Iterator<Item = T>, separator: &str) -> String {
    items.map(|item| format!("`{item}`")).collect::<Vec<_>>().join(separator)
}

/// `accepts …`, in our words and in the provider's.
impl fmt::Display for EffortOffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match labels(self.efforts(), ", ") {
            none if none.is_empty() => f.write_str("accepts none")?,
            some => write!(f, "accepts {some}")?,
        }
        let Some(support) = &self.support else { return Ok(()) };
        match support.form {
            EffortForm::Level if support.levels.is_empty() => {}
            EffortForm::Level => {
                let shown = support.levels.iter().take(WORDS_SHOWN).map(|word| printable(word));
                write!(f, "; its provider's levels are {}", labels(shown, ", "))?;
            }
            EffortForm::Toggle => f.write_str("; its provider knows on and off")?,
            EffortForm::Budget => f.write_str("; its provider takes a number of tokens")?,
        }
        if support.is_mandatory {
            f.write_str("; it always reasons")?;
        }
        Ok(())
    }
}

fn printable(word: &str) -> String {
    word.chars().filter(|c| !c.is_control() && *c != '`').take(WORD_LENGTH).collect()
}
