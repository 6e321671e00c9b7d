//! Reads turns of a conversation, or prose, and gives each sentence a class.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::class::{Class, Draft, Unit};
use crate::facts::{Facts, Known, Weight};
use crate::filler::{is_filler, without_remark};
use crate::lines::{Line, Lines};
use crate::log::Reader;
use crate::shape::{hash_folded, shape};
use crate::signals::{Marks, mark_one};
use crate::speaker::{Role, Speakers};

mod fence;

use fence::Fence;

/// A line longer than this is read sentence by sentence.
const PARAGRAPH_BYTES: usize = 200;
/// The task that opens a conversation is kept up to this length.
const TASK_BYTES: usize = 1500;
/// So much of the end is kept, for the state in which the conversation stopped.
const END_BYTES: usize = 1500;
/// Sentences of one shape that differ only in numbers say no more after so many.
const SAME_SHAPE_NUMBERS: usize = 3;
/// Sentences of one shape with other facts are kept as key facts so often.
const SAME_SHAPE_FACTS: usize = 40;

/// Reads a whole conversation.
pub(crate) fn read(lines: &Lines<'_>, marks: &[Marks]) -> Draft {
    let speakers = Speakers::of(lines);
    let mut talk = Talk::new(&lines.text, &speakers);
    for (index, (line, marks)) in lines.spans.iter().zip(marks).enumerate() {
        let ahead = lines.spans.get(index + 1..).unwrap_or_default();
        talk.read(line, *marks, ahead);
    }
    talk.finish()
}

/// Where the reader is in a conversation.
struct Talk<'a, 'b> {
    text: &'a str,
    speakers: &'b Speakers<'b>,
    draft: Draft,
    log: Reader<'a>,
    known: Known,
    said: HashSet<u64>,
    shapes: HashMap<u64, usize>,
    fence: Option<Fence>,
    /// The unit of the last opening fence.
    opened_at: usize,
    role: Option<Role>,
    turns: usize,
    task_bytes: usize,
}

impl<'a, 'b> Talk<'a, 'b> {
    fn new(text: &'a str, speakers: &'b Speakers<'b>) -> Self {
        Self {
            text,
            speakers,
            draft: Draft::default(),
            log: Reader::new(text),
            known: Known::default(),
            said: HashSet::new(),
            shapes: HashMap::new(),
            fence: None,
            opened_at: 0,
            role: None,
            turns: 0,
            task_bytes: 0,
        }
    }

    fn read(&mut self, line: &Line, marks: Marks, ahead: &[Line]) {
        let text = self.text.get(line.range()).unwrap_or_default();
        if let Some(fence) = self.fence.as_mut() {
            let is_last = fence.ends_at(text);
            let class = fence.class();
            let is_log = fence.is_log();
            if is_last {
                self.fence = None;
            }
            match (is_log, is_last) {
                (true, false) => self.output(line, text, marks),
                (true, true) => self.push(line.range(), Class::Blank, line.is_joined),
                (false, _) => self.code(line, text, class),
            }
            if is_last && !is_log {
                self.draft.blocks.push((self.opened_at, self.draft.units.len() - 1));
            }
            return;
        }
        if let Some(fence) = Fence::open(text, self.text, ahead) {
            self.log.end_block();
            // The marks around a log go: they are no part of what it says, and its inside is no longer whole.
            let class = if fence.is_log() { Class::Blank } else { Class::Code };
            self.opened_at = self.draft.units.len();
            self.push(line.range(), class, line.is_joined);
            self.fence = Some(fence);
            return;
        }
        let body_start = self.turn(line, text);
        let body = text.get(body_start..).unwrap_or_default();
        if body.trim().is_empty() {
            // A label on its own line comes back when something of its turn stands.
            self.push(line.range(), Class::Blank, line.is_joined);
            return;
        }
        let is_pasted = line.is_joined || line.end - line.start > PARAGRAPH_BYTES && text.contains("\\n");
        if is_pasted || self.role == Some(Role::Tool) || fence::is_log_line(body) || line.is_overwritten {
            self.output(line, text, marks);
            return;
        }
        self.log.end_block();
        self.prose(line, body_start, marks);
    }

    /// Notes a new speaker and tells where the words start.
    fn turn(&mut self, line: &Line, text: &str) -> usize {
        let Some(label) = self.speakers.label(text) else { return 0 };
        if line.is_joined {
            return 0;
        }
        self.log.end_block();
        self.turns += 1;
        self.role = Some(label.role);
        let shown = text.get(..label.end).unwrap_or_default().trim_end();
        self.draft.labels.push((self.draft.units.len(), line.start..line.start + shown.len()));
        label.end
    }

    fn push(&mut self, span: Range<usize>, class: Class, is_joined: bool) {
        self.draft.units.push(Unit::new(span, class, is_joined));
    }

    /// A line that a program wrote; a command stands for what was run.
    fn output(&mut self, line: &Line, text: &str, marks: Marks) {
        if text.starts_with("$ ") {
            self.log.end_block();
            self.push(line.range(), Class::Fact, line.is_joined);
        } else {
            self.log.read(&mut self.draft, line, marks);
        }
    }

    fn code(&mut self, line: &Line, text: &str, class: Class) {
        self.known.learn(text);
        self.push(line.range(), class, line.is_joined);
    }

    fn prose(&mut self, line: &Line, body_start: usize, marks: Marks) {
        let text = self.text.get(line.range()).unwrap_or_default();
        let body = text.get(body_start..).unwrap_or_default();
        if marks.is_mention() || body.len() <= PARAGRAPH_BYTES {
            let class = self.weigh(body, marks);
            self.push(line.range(), class, line.is_joined);
            return;
        }
        let mut start = line.start;
        let mut is_joined = line.is_joined;
        for end in sentence_ends(body) {
            let end = line.start + body_start + end;
            let sentence = self.text.get(start.max(line.start + body_start)..end).unwrap_or_default();
            let class = self.weigh(sentence, mark_one(sentence));
            self.push(start..end, class, is_joined);
            start = end;
            is_joined = true;
        }
    }

    /// The class of one sentence or short line.
    fn weigh(&mut self, sentence: &str, marks: Marks) -> Class {
        let said = without_remark(sentence);
        let facts = self.known.learn(said);
        let said_hash = hash_folded(if marks.is_mention() { sentence } else { said });
        if facts.heaviest.is_none() && !marks.is_mention() && is_filler(said) {
            return Class::Filler;
        }
        let class = self.worth(said, marks, facts);
        if class == Class::Routine && self.is_task(sentence) {
            return Class::Statement;
        }
        if class > Class::SeenFact && !self.said.insert(said_hash) {
            return Class::Repeated;
        }
        class
    }

    fn worth(&mut self, said: &str, marks: Marks, facts: Facts) -> Class {
        let is_asked = said.ends_with('?') || said.contains("? ");
        let is_binding = marks.is_requirement() && self.role != Some(Role::Assistant);
        if marks.is_failure() {
            return Class::Failure;
        }
        if marks.is_decision() || marks.is_action() || is_asked || is_binding {
            return Class::Statement;
        }
        if marks.is_warning() {
            return Class::Warning;
        }
        let by_fact = match facts.new {
            Some(Weight::Key) if self.repeats_shape(said) <= SAME_SHAPE_FACTS => Class::KeyFact,
            Some(Weight::Key | Weight::Name) => Class::Fact,
            Some(Weight::Number) if self.repeats_shape(said) <= SAME_SHAPE_NUMBERS => Class::Fact,
            _ if facts.heaviest.is_some() => Class::SeenFact,
            _ if marks.is_requirement() => Class::SeenFact,
            _ => Class::Routine,
        };
        if marks.is_mention() { by_fact.max(Class::Mention) } else { by_fact }
    }

    /// How often the shape of a sentence has come up.
    fn repeats_shape(&mut self, said: &str) -> usize {
        let count = self.shapes.entry(shape(said)).or_default();
        *count += 1;
        *count
    }

    /// Whether a sentence belongs to the task that opens the conversation.
    fn is_task(&mut self, sentence: &str) -> bool {
        let is_open = self.turns <= 1 && self.task_bytes < TASK_BYTES;
        self.task_bytes += if is_open { sentence.len() } else { 0 };
        is_open
    }

    fn finish(mut self) -> Draft {
        let mut rest = END_BYTES;
        for unit in self.draft.units.iter_mut().rev() {
            let Some(less) = rest.checked_sub(unit.len()) else { break };
            rest = less;
            // How a conversation ended is what the next one starts from.
            if matches!(unit.class, Class::SeenFact | Class::Routine | Class::Fact | Class::KeyFact) && self.turns != 1
            {
                unit.class = Class::Statement;
            }
        }
        self.draft
    }
}

/// Where sentences end, white space behind them included.
fn sentence_ends(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let mut ends = Vec::new();
    for at in memchr::memchr3_iter(b'.', b'?', b'!', bytes) {
        let is_end = bytes.get(at + 1) == Some(&b' ');
        let is_abbreviation = matches!(text.get(..at).map(str::as_bytes), Some([.., b'.' | b' ' | b'(', _]));
        if is_end && !is_abbreviation {
            ends.push(at + 2);
        }
    }
    if ends.last() != Some(&text.len()) {
        ends.push(text.len());
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::sentence_ends;

    #[test]
    fn sentences_end_behind_their_space() {
        let text = "One. Two, e.g. this? v1.2 three! Four";
        let mut start = 0;
        let mut shown = Vec::new();
        for end in sentence_ends(text) {
            shown.push(&text[start..end]);
            start = end;
        }
        assert_eq!(shown, ["One. ", "Two, e.g. this? ", "v1.2 three! ", "Four"]);
    }
}
