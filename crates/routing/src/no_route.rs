//! What a caller is told when no candidate is left.

use std::collections::BTreeMap;
use std::fmt;

use lwa_domain::{Capability, ModelKey, TaskKind};
use thiserror::Error;

use crate::capability_set::CapabilitySet;
use crate::decide::Rejected;
use crate::eligibility::Rules;
use crate::request::Catalog;
use crate::way_out::{self, Attempt};

const REASONS_SHOWN: usize = 8;
const EXAMPLES_SHOWN: usize = 8;

/// No configured route may serve the task.
///
/// Its text names the task, what it needs, the commonest reasons, the candidates that came nearest and the shortest
/// way out. It never holds a prompt or a key.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct NoRoute {
    /// The task.
    pub task: TaskKind,
    /// What a model needs for it.
    pub required: Vec<Capability>,
    /// Every candidate with the first gate it failed, by name.
    pub rejected: Vec<Rejected>,
    /// The candidates that came nearest, nearest first; at most eight.
    pub examples: Vec<ModelKey>,
    /// The shortest way to a route: what to set, or which name was meant.
    pub way_out: String,
}

impl NoRoute {
    pub(crate) fn new(rules: &Rules, catalog: &Catalog, rejected: Vec<Rejected>) -> Self {
        let mut nearest = way_out::nearest_first(rules, catalog);
        let way_out = way_out::describe(rules, catalog, &nearest);
        if nearest.first().is_some_and(Attempt::is_within_reach) {
            nearest.retain(Attempt::is_within_reach);
        }
        Self {
            task: rules.request.task,
            required: rules.request.task.required_capabilities().to_vec(),
            rejected,
            way_out,
            examples: nearest.into_iter().take(EXAMPLES_SHOWN).map(|attempt| attempt.model.key.clone()).collect(),
        }
    }

    /// The reasons with the number of candidates each one refused: count descending, then text.
    pub fn reasons(&self) -> Vec<(usize, String)> {
        let mut counts = BTreeMap::<String, usize>::new();
        for rejected in &self.rejected {
            *counts.entry(rejected.reason.to_string()).or_default() += 1;
        }
        let mut reasons: Vec<_> = counts.into_iter().map(|(text, count)| (count, text)).collect();
        // The sort is stable, and the map has ordered the texts.
        reasons.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        reasons
    }
}

impl fmt::Display for NoRoute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let required: CapabilitySet = self.required.iter().copied().collect();
        write!(f, "no route for `{}` (needs {required})", self.task)?;
        let reasons = self.reasons();
        let shown = reasons.iter().take(REASONS_SHOWN).map(|(count, text)| format!("{count} × {text}"));
        if !reasons.is_empty() {
            write!(f, ": {}", shown.collect::<Vec<_>>().join(", "))?;
        }
        if reasons.len() > REASONS_SHOWN {
            write!(f, ", {} more reasons", reasons.len() - REASONS_SHOWN)?;
        }
        if !self.examples.is_empty() {
            let examples: Vec<_> = self.examples.iter().map(|key| format!("`{key}`")).collect();
            write!(f, "; nearest: {}", examples.join(", "))?;
        }
        write!(f, "; way out: {}", self.way_out)
    }
}
