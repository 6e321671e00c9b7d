//! The classes that decide what stays, from the least to the most worth keeping.

use std::collections::HashMap;
use std::ops::Range;

/// What a unit is worth; the order of the variants is the order of loss.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Class {
    /// An empty line.
    Blank,
    /// A line that an earlier one said already.
    Repeated,
    /// A pleasantry.
    Filler,
    /// A progress line or other text without a signal.
    Routine,
    /// A sentence whose facts all stood before.
    SeenFact,
    /// A line further from its failure, or a deep stack frame.
    FarContext,
    /// The first line of a kind, the head and the tail of a log.
    Landmark,
    /// A line that explains the failure beside it.
    NearContext,
    /// A passing test or a command line that holds the word of a failure.
    HarmlessMention,
    /// A line that holds the word of a failure without reporting one.
    Mention,
    /// A line of a code block.
    Code,
    /// A warning of a shape that stood before.
    RepeatWarning,
    /// A warning.
    Warning,
    /// A sentence with a new name or number.
    Fact,
    /// A sentence with a new path, version, ticket, date or other identifier.
    KeyFact,
    /// A failure of a shape that stood before.
    RepeatFailure,
    /// A decision, requirement, question or next action.
    Statement,
    /// A closing count, such as the result of a test run.
    Summary,
    /// A failure.
    Failure,
}

impl Class {
    /// Every class that may be kept, the most worth first.
    pub(crate) const BY_WORTH: [Self; 15] = [
        Self::Failure,
        Self::Summary,
        Self::Statement,
        Self::RepeatFailure,
        Self::KeyFact,
        Self::Fact,
        Self::Warning,
        Self::RepeatWarning,
        Self::Code,
        Self::Mention,
        Self::HarmlessMention,
        Self::NearContext,
        Self::Landmark,
        Self::FarContext,
        Self::SeenFact,
    ];

    /// How many classes there are.
    pub(crate) const COUNT: usize = Self::Failure as usize + 1;

    /// Whether units of this class always stand when there is no budget.
    pub(crate) fn is_binding(self) -> bool {
        matches!(
            self,
            Self::Failure | Self::RepeatFailure | Self::Warning | Self::RepeatWarning | Self::Statement | Self::Summary
        )
    }

    /// Whether losing a unit of this class is a loss that the result must own up to.
    pub(crate) fn is_loss(self) -> bool {
        self >= Self::RepeatWarning
    }

    /// Whether the line reports a failure or a warning.
    pub(crate) fn is_alert(self) -> bool {
        matches!(self, Self::Failure | Self::RepeatFailure | Self::Warning | Self::RepeatWarning)
    }
}

/// A line, or a part of a long one, with its class.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unit {
    /// Where it starts in the clean text.
    pub(crate) start: usize,
    /// Where it ends, without the line end.
    pub(crate) end: usize,
    /// What it is worth.
    pub(crate) class: Class,
    /// Whether it goes on in the line of the unit before it.
    pub(crate) is_joined: bool,
    /// Whether it stands in the result.
    pub(crate) is_kept: bool,
}

impl Unit {
    /// A unit for a span of the clean text.
    pub(crate) fn new(span: Range<usize>, class: Class, is_joined: bool) -> Self {
        Self { start: span.start, end: span.end, class, is_joined, is_kept: false }
    }

    /// Its length in bytes.
    pub(crate) fn len(&self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Its text.
    pub(crate) fn text<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// A text on its way to a result: its units, and what the kept ones stand for.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    /// All lines, and the sentences of long ones, in the order of the text.
    pub(crate) units: Vec<Unit>,
    /// How many lines a unit stands for, by the index of the unit.
    pub(crate) folds: HashMap<usize, Fold>,
    /// Where turns start: the index of the first unit and the label of the speaker.
    pub(crate) labels: Vec<(usize, Range<usize>)>,
    /// Code blocks: the index of the opening and of the closing fence.
    pub(crate) blocks: Vec<(usize, usize)>,
}

/// A fold: how many further lines one kept line stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fold {
    /// The same line stands so many times more.
    Same(usize),
    /// So many further lines have the same shape.
    Alike(usize),
}

impl Fold {
    /// Whether a marker is worth its bytes; one or two lines of the same shape are in the count of the gap.
    pub(crate) fn is_worth_saying(self) -> bool {
        match self {
            Self::Same(count) => count > 0,
            Self::Alike(count) => count > 2,
        }
    }

    /// Counts one more line.
    pub(crate) fn add_one(&mut self) {
        match self {
            Self::Same(count) | Self::Alike(count) => *count += 1,
        }
    }

    /// Takes one line back.
    pub(crate) fn take_one(&mut self) {
        match self {
            Self::Same(count) | Self::Alike(count) => *count = count.saturating_sub(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Class;

    #[test]
    fn order_of_worth_is_the_order_of_the_variants() {
        let mut sorted = Class::BY_WORTH;
        sorted.sort_by(|one, other| other.cmp(one));
        assert_eq!(sorted, Class::BY_WORTH);
    }
}
