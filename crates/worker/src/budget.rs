//! How often a human may be asked, and how asking becomes possible again.

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// Questions about commands in one hour.
pub const MOST_COMMAND_QUESTIONS: usize = 12;
/// The hour after which a question no longer counts.
const WINDOW: SignedDuration = SignedDuration::from_hours(1);

/// The questions of the last hour. It refills by itself, and a human can empty it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct QuestionBudget {
    asked_at: Vec<Timestamp>,
}

/// Nobody may be asked for now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the limit of {limit} questions in an hour is reached")]
pub struct BudgetSpent {
    /// How many questions an hour has.
    pub limit: usize,
    /// When the next one may be asked.
    pub free_at: Timestamp,
}

impl QuestionBudget {
    /// Counts a question that is about to be asked.
    ///
    /// # Errors
    /// As many as `limit` were asked within the hour before `now`.
    pub fn take(&mut self, limit: usize, now: Timestamp) -> Result<(), BudgetSpent> {
        self.forget_old(now);
        if self.asked_at.len() >= limit {
            let oldest = self.asked_at.first().copied().unwrap_or(now);
            return Err(BudgetSpent { limit, free_at: oldest.saturating_add(WINDOW).unwrap_or(now) });
        }
        self.asked_at.push(now);
        Ok(())
    }

    /// Gives back the newest question, which no human saw.
    pub fn give_back(&mut self) {
        self.asked_at.pop();
    }

    /// How many questions of the last hour count.
    pub fn used(&self, now: Timestamp) -> usize {
        self.asked_at.iter().filter(|asked| counts(**asked, now)).count()
    }

    /// A human lets the questions begin again.
    pub fn reset(&mut self) {
        self.asked_at.clear();
    }

    fn forget_old(&mut self, now: Timestamp) {
        self.asked_at.retain(|asked| counts(*asked, now));
    }
}

/// A time that lies ahead comes from a clock that was put back, and would count for ever.
fn counts(asked: Timestamp, now: Timestamp) -> bool {
    asked <= now && now.duration_since(asked) < WINDOW
}
