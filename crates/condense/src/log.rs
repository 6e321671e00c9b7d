//! Reads the output of programs line by line and gives each line a class.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use crate::class::{Class, Draft, Fold, Unit};
use crate::lines::{Line, Lines};
use crate::shape::{has_stamp, is_progress, shape, stamp_len};
use crate::signals::Marks;

mod block;

use block::Block;

/// So many lines at the beginning and the end of a log are landmarks.
const HEAD_LINES: usize = 2;
const TAIL_LINES: usize = 4;

/// A longer command line of a compiler is routine, whatever its options are called.
const LONG_COMMAND_BYTES: usize = 300;

/// A shorter line may stand often without a word about it.
const TELLING_BYTES: usize = 12;

/// Reads a whole log.
pub(crate) fn read(lines: &Lines<'_>, marks: &[Marks]) -> Draft {
    let mut draft = Draft { units: Vec::with_capacity(lines.spans.len()), ..Draft::default() };
    let mut reader = Reader::new(&lines.text);
    for (line, marks) in lines.spans.iter().zip(marks) {
        reader.read(&mut draft, line, *marks);
    }
    reader.fold_stamps(&mut draft);
    mark_ends(&mut draft);
    draft
}

/// Makes landmarks of the first and the last routine lines.
fn mark_ends(draft: &mut Draft) {
    let promote = |unit: &mut Unit| {
        if unit.class == Class::Routine {
            unit.class = Class::Landmark;
        }
    };
    draft.units.iter_mut().take(HEAD_LINES).for_each(promote);
    draft.units.iter_mut().rev().take(TAIL_LINES).for_each(promote);
}

/// Remembers what it has seen of a log.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    text: &'a str,
    /// The unit that first showed each alert line.
    alerts: HashMap<&'a str, usize>,
    /// The unit that first showed each shape of routine line.
    shapes: HashMap<u64, usize>,
    alert_shapes: HashSet<u64>,
    context: HashSet<&'a str>,
    block: Option<Block>,
    /// The unit that the line before repeats, if it is an alert.
    repeat: Option<usize>,
}

impl<'a> Reader<'a> {
    /// A reader of lines of `text`.
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            alerts: HashMap::new(),
            shapes: HashMap::new(),
            alert_shapes: HashSet::new(),
            context: HashSet::new(),
            block: None,
            repeat: None,
        }
    }

    /// Forgets the failure whose context may follow.
    pub(crate) fn end_block(&mut self) {
        self.block = None;
    }

    /// Gives the next line its class and adds it to the draft.
    pub(crate) fn read(&mut self, draft: &mut Draft, line: &Line, marks: Marks) {
        let text = self.text.get(line.range()).unwrap_or_default();
        let class = self.classify(draft, text, marks, line.is_overwritten);
        draft.units.push(Unit::new(line.range(), class, line.is_joined));
    }

    fn classify(&mut self, draft: &mut Draft, text: &'a str, marks: Marks, is_overwritten: bool) -> Class {
        let trimmed = text.trim();
        if trimmed.is_empty() {
            self.block = self.block.take().and_then(Block::after_blank);
            return Class::Blank;
        }
        let is_alert = (marks.is_failure() || marks.is_warning()) && !marks.is_passing() && !marks.is_command();
        let is_heading = block::is_heading(trimmed);
        if is_alert || is_heading || block::is_evidence(text) {
            return self.alert(draft, text, marks.is_failure() || !is_alert, is_heading);
        }
        if marks.is_summary() && !is_progress(trimmed) && !has_stamp(text) {
            return match self.alerts.insert(text, draft.units.len()) {
                Some(_) => Class::Repeated,
                None => Class::Summary,
            };
        }
        if marks.is_mention() && !(marks.is_command() && text.len() > LONG_COMMAND_BYTES) {
            return self.mention(draft, text, marks.is_harmless());
        }
        if block::is_location(trimmed)
            && let Some(block) = &self.block
        {
            let class = if block.is_failure() { Class::RepeatFailure } else { Class::RepeatWarning };
            return self.location(draft, text, class);
        }
        self.repeat = None;
        if let Some(class) = self.block.as_mut().and_then(|block| block.place(text, trimmed)) {
            let is_said = trimmed.len() >= TELLING_BYTES && !self.context.insert(text);
            return if is_said { Class::Repeated } else { class };
        }
        self.block = None;
        if is_overwritten {
            return Class::Routine;
        }
        self.routine(draft, text)
    }

    /// A line that reports; the first of its bytes stays, the others are counted.
    fn alert(&mut self, draft: &mut Draft, text: &'a str, is_failure: bool, is_heading: bool) -> Class {
        let index = draft.units.len();
        if let Some(unit) = draft.units.last_mut()
            && matches!(unit.class, Class::Routine | Class::Landmark)
            && block::is_introduction(unit.text(self.text))
        {
            unit.class = Class::NearContext;
        }
        let indent = text.len() - text.trim_start().len();
        self.block = Some(Block::open(self.block.take(), is_heading, is_failure, indent));
        self.repeat = None;
        if let Some(first) = self.alerts.get(text) {
            self.repeat = Some(*first);
            // A heading such as `failures:` says nothing by standing often.
            if text.len() >= TELLING_BYTES {
                count(draft, *first, Fold::Same);
            }
            return Class::Repeated;
        }
        self.alerts.insert(text, index);
        let is_new_shape = self.alert_shapes.insert(shape(text));
        match (is_failure, is_new_shape) {
            (true, true) => Class::Failure,
            (true, false) => Class::RepeatFailure,
            (false, true) => Class::Warning,
            (false, false) => Class::RepeatWarning,
        }
    }

    /// The place of a failure: with a new place, a report that stood before is another one and stands again.
    fn location(&mut self, draft: &mut Draft, text: &'a str, class: Class) -> Class {
        let repeat = self.repeat.take();
        if !self.context.insert(text) {
            return Class::Repeated;
        }
        if let Some(first) = repeat
            && let Some(unit) = draft.units.last_mut()
        {
            unit.class = class;
            if let Some(fold) = draft.folds.get_mut(&first) {
                fold.take_one();
            }
        }
        class
    }

    fn mention(&mut self, draft: &mut Draft, text: &'a str, is_harmless: bool) -> Class {
        if let Some(first) = self.alerts.get(text) {
            count(draft, *first, Fold::Same);
            return Class::Repeated;
        }
        self.alerts.insert(text, draft.units.len());
        // The first of each kind stands for the others where they do not all fit.
        let is_new_shape = self.alert_shapes.insert(shape(text));
        if is_harmless && !is_new_shape { Class::HarmlessMention } else { Class::Mention }
    }

    fn routine(&mut self, draft: &mut Draft, text: &str) -> Class {
        match self.shapes.entry(shape(text)) {
            Entry::Occupied(first) => {
                count(draft, *first.get(), Fold::Alike);
                Class::Routine
            }
            Entry::Vacant(place) => {
                place.insert(draft.units.len());
                Class::Landmark
            }
        }
    }

    /// Folds alert lines that differ only in their time stamps, when alerts fill most of a long text.
    fn fold_stamps(&self, draft: &mut Draft) {
        const LONG_BYTES: usize = 64 * 1024;
        let alert_bytes: usize = draft.units.iter().filter(|unit| unit.class.is_alert()).map(Unit::len).sum();
        if alert_bytes < LONG_BYTES || alert_bytes < self.text.len() / 2 {
            return;
        }
        let mut firsts: HashMap<&str, usize> = HashMap::new();
        for index in 0..draft.units.len() {
            let Some(unit) = draft.units.get_mut(index).filter(|unit| unit.class.is_alert()) else { continue };
            let line = unit.text(self.text);
            let said = line.get(stamp_len(line)..).unwrap_or_default();
            if let Some(first) = firsts.get(said) {
                unit.class = Class::Repeated;
                let first = *first;
                count(draft, first, Fold::Same);
            } else {
                firsts.insert(said, index);
            }
        }
    }
}

/// Counts one more line for the unit that stands for it.
fn count(draft: &mut Draft, first: usize, fold: fn(usize) -> Fold) {
    draft.folds.entry(first).and_modify(Fold::add_one).or_insert(fold(1));
}
