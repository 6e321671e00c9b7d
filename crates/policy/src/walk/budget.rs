//! What a walk may still do, so that a decision takes time that grows with the length of its text alone.

use super::Walker;

/// Programs that start programs, deeper than this, are not followed.
const MAX_NESTING: u8 = 24;

/// How many steps a walk takes at the least, whatever the length of its text.
const LEAST_STEPS: usize = 400;

/// How much a walk has left to do, and how deep it stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    steps: usize,
    nesting: u8,
}

impl Budget {
    /// The budget for a text.
    pub(crate) const fn of(text: &str) -> Self {
        Self { steps: LEAST_STEPS + text.len() / 2, nesting: 0 }
    }

    /// Whether nothing is left.
    pub(crate) const fn is_spent(self) -> bool {
        self.steps == 0
    }

    /// At most `steps` of it, for a part of the work.
    pub(crate) fn part(self, steps: usize) -> Self {
        Self { steps: self.steps.min(steps), ..self }
    }

    /// What is left of it when a part of the work has come from `part` to `rest`.
    pub(crate) const fn less(self, part: Self, rest: Self) -> Self {
        Self { steps: self.steps.saturating_sub(part.steps.saturating_sub(rest.steps)), ..self }
    }
}

impl Walker<'_> {
    /// Takes the work of one command of `words` words; tells whether there is any left.
    pub(crate) fn spend(&mut self, words: usize) -> bool {
        if self.budget.is_spent() {
            return false;
        }
        self.budget.steps = self.budget.steps.saturating_sub(1 + words / 2);
        if self.budget.is_spent() {
            self.ask("too long", "the command does more than the policy follows");
        }
        true
    }

    /// Goes one program deeper; `None` when that is too deep.
    pub(crate) fn enter(&mut self) -> Option<()> {
        if self.budget.nesting >= MAX_NESTING {
            self.ask("too deep", "programs that start programs are nested deeper than the policy reads");
            return None;
        }
        self.budget.nesting += 1;
        Some(())
    }

    /// Whether a program has started what is judged now.
    pub(crate) const fn is_inside(&self) -> bool {
        self.budget.nesting > 0
    }

    /// Comes back.
    pub(crate) fn leave(&mut self) {
        self.budget.nesting = self.budget.nesting.saturating_sub(1);
    }
}
