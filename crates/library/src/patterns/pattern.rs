//! What is known about one kind of repeated work.

use jiff::Timestamp;
use lwa_domain::TaskKind;
use serde::{Deserialize, Serialize};

use super::feature::{Feature, RunMark};
use crate::confidence::Confidence;
use crate::slug::Slug;

/// How many of the latest runs are remembered, so that one run is counted once.
pub(super) const REMEMBERED_RUNS: usize = 64;

/// A feature of the first text, and in how many runs it was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Which feature.
    pub feature: Feature,
    /// In how many distinct runs.
    pub runs: u32,
}

/// One kind of repeated work.
///
/// Its features are those of the text that it began with. Later texts change how much each of them
/// counts and add none, so a pattern cannot wander off to another kind of work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    /// Twenty hexadecimal digits.
    pub signature: String,
    /// The task.
    pub task: TaskKind,
    /// The explicit name of the workflow, or the task's label.
    pub label: String,
    /// The explicit description; empty when nobody named the workflow.
    pub description: String,
    /// Whether the workflow was named.
    pub is_named: bool,
    /// The features of the first text with their weights.
    pub features: Vec<Seen>,
    /// How many distinct runs there were.
    pub occurrences: u32,
    /// How many of them succeeded.
    pub successes: u32,
    /// Where the work was done; empty when nobody said.
    pub project: String,
    /// Explicit tags, sorted, each once.
    pub tags: Vec<String>,
    /// The latest runs, oldest first.
    pub recent_runs: Vec<RunMark>,
    /// The tool that came of it.
    pub tool: Option<Slug>,
    /// When it was seen first.
    pub first_seen_at: Timestamp,
    /// When it was seen last.
    pub last_seen_at: Timestamp,
}

impl Pattern {
    /// How sure it is.
    pub fn confidence(&self) -> Confidence {
        Confidence::of(self.occurrences, self.successes, self.is_named)
    }

    /// How like a set of features is to this pattern, in ten-thousandths.
    ///
    /// It is the Jaccard index with weights: a feature counts as much as the share of runs that had it,
    /// and a feature that the pattern does not know counts whole.
    pub fn similarity(&self, features: &[Feature]) -> u16 {
        let runs = u64::from(self.occurrences.max(1));
        let mut shared = 0_u64;
        let mut all = 0_u64;
        for seen in &self.features {
            let weight = u64::from(seen.runs).min(runs);
            all += weight;
            if features.binary_search(&seen.feature).is_ok() {
                shared += weight;
            }
        }
        let is_known = |feature: &&Feature| self.features.iter().any(|seen| seen.feature == **feature);
        all += runs * features.iter().filter(|feature| !is_known(feature)).count() as u64;
        (shared * 10_000).checked_div(all).map_or(0, |share| u16::try_from(share).unwrap_or(10_000))
    }
}
