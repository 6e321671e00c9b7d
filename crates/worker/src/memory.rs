//! What the worker remembers of a conversation, and how much of it a model is shown.

mod key;

use std::fmt::Write as _;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::artifact::ArtifactRef;
use crate::mode::Mode;

pub(crate) use key::is_lower_hex;
pub use key::{InvalidSessionKey, InvalidTurnId, SessionKey, TurnId};

/// The longest task that is stored.
pub const MOST_TASK_CHARS: usize = 2_000;
/// The longest source label that is stored.
pub const MOST_SOURCE_CHARS: usize = 300;
/// The longest excerpt that is stored when nothing else is set.
pub const EXCERPT_CHARS: usize = 1_500;
/// The longest result that is stored.
pub const MOST_RESULT_CHARS: usize = 6_000;
/// The longest context block when nothing else is set.
pub const CONTEXT_CHARS: usize = 12_000;
/// How much may pile up before it is compacted, when nothing else is set.
pub const AUTO_COMPACT_CHARS: usize = 60_000;

/// What a turn was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnKind {
    /// A command's output was digested.
    Run,
    /// A task was answered.
    Delegate,
    /// The mode changed.
    Mode,
    /// The disclosure changed.
    Disclosure,
    /// The memory was compacted.
    Compaction,
}

/// One turn as it is stored. Its texts are scrubbed before they come here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "a stored line of independent facts")]
pub struct Turn {
    /// Its name in trailers.
    pub id: TurnId,
    /// When it ended.
    pub ts: Timestamp,
    /// What it was.
    pub kind: TurnKind,
    /// The mode at the time.
    pub mode: Mode,
    /// What was asked.
    #[serde(default)]
    pub task: String,
    /// What was read.
    #[serde(default)]
    pub source: String,
    /// The beginning of the material.
    #[serde(default)]
    pub excerpt: String,
    /// Lines were quoted.
    #[serde(default)]
    pub verbatim: bool,
    /// What was answered, or the error.
    #[serde(default)]
    pub result: String,
    /// The stored material.
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<ArtifactRef>,
    /// Characters of the material.
    #[serde(default)]
    pub raw_chars: u64,
    /// Characters of the result.
    #[serde(default)]
    pub out_chars: u64,
    /// Seconds from the call to the result.
    #[serde(default)]
    pub secs: f64,
    /// Who answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// It failed, and counts nothing in savings.
    #[serde(default)]
    pub error: bool,
    /// What was decided about private values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disclosure: Option<String>,
    /// Quoting was asked for, and no line matched.
    #[serde(default, skip_serializing_if = "is_false")]
    pub verbatim_fallback: bool,
    /// The command's exit code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rc: Option<i32>,
    /// The command's time was over.
    #[serde(default, skip_serializing_if = "is_false")]
    pub timed_out: bool,
    /// Some of the material was left out before anything read it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncated: bool,
    /// Seconds that the command took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cmd_secs: Option<f64>,
    /// Characters of the material that the caller did not bring itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gathered_chars: Option<u64>,
    /// What the command policy said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde calls")]
fn is_false(value: &bool) -> bool {
    !*value
}

impl Turn {
    /// A turn with nothing but what every turn has.
    pub fn new(id: TurnId, ts: Timestamp, kind: TurnKind, mode: Mode) -> Self {
        Self {
            id,
            ts,
            kind,
            mode,
            task: String::new(),
            source: String::new(),
            excerpt: String::new(),
            verbatim: false,
            result: String::new(),
            artifact: None,
            raw_chars: 0,
            out_chars: 0,
            secs: 0.0,
            model: None,
            error: false,
            disclosure: None,
            verbatim_fallback: false,
            rc: None,
            timed_out: false,
            truncated: false,
            cmd_secs: None,
            gathered_chars: None,
            policy: None,
        }
    }

    /// The turn with its texts cut to what is stored.
    pub fn clipped(self, excerpt_chars: usize) -> Self {
        Self {
            task: clip(&self.task, MOST_TASK_CHARS),
            source: clip(&self.source, MOST_SOURCE_CHARS),
            excerpt: clip(&self.excerpt, excerpt_chars),
            result: clip(&self.result, MOST_RESULT_CHARS),
            ..self
        }
    }

    /// The turns of a text with one JSON object a line; a line that is none is passed over.
    pub fn read_lines(text: &str) -> Vec<Self> {
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// How much it counts towards the next compaction: the characters of its JSON.
    pub fn weight(&self) -> usize {
        serde_json::to_string(self).map_or(0, |json| json.chars().count())
    }

    /// How a model is shown it.
    fn shown(&self) -> String {
        let mut text = format!("[{} {} {}]", self.id, kind_word(self.kind), self.mode);
        let mut part = |label: &str, value: &str, chars: usize| {
            let value = clip(value.trim(), chars);
            if !value.is_empty() {
                let _ = write!(text, "\n{label}: {value}");
            }
        };
        part("task", &self.task, 240);
        part("source", &self.source, 200);
        part("excerpt", &self.excerpt, 400);
        part(if self.error { "error" } else { "result" }, &self.result, 480);
        text
    }
}

fn kind_word(kind: TurnKind) -> &'static str {
    match kind {
        TurnKind::Run => "run",
        TurnKind::Delegate => "delegate",
        TurnKind::Mode => "mode",
        TurnKind::Disclosure => "disclosure",
        TurnKind::Compaction => "compaction",
    }
}

/// The turns since the last compaction, oldest first.
pub fn uncompacted(turns: &[Turn]) -> &[Turn] {
    let first = turns.iter().rposition(|turn| turn.kind == TurnKind::Compaction).map_or(0, |last| last + 1);
    turns.get(first..).unwrap_or_default()
}

/// How much has piled up since the last compaction.
pub fn uncompacted_chars(turns: &[Turn]) -> usize {
    uncompacted(turns).iter().map(Turn::weight).sum()
}

/// Whether it is time to compact.
pub fn is_compaction_due(turns: &[Turn], limit_chars: usize) -> bool {
    uncompacted_chars(turns) > limit_chars
}

/// What a model is shown of the conversation: the summary, then the turns since the last compaction.
///
/// The newest turns that fit are taken and shown oldest first. The newest one is there even when it does not fit whole.
pub fn context_block(summary: &str, turns: &[Turn], limit_chars: usize) -> String {
    let summary = summary.trim();
    let head = if summary.is_empty() { String::new() } else { format!("Summary of earlier work:\n{summary}") };
    let mut room = limit_chars.saturating_sub(head.chars().count());
    let mut chosen: Vec<String> = Vec::new();
    for turn in uncompacted(turns).iter().rev() {
        let shown = turn.shown();
        let chars = shown.chars().count() + 2;
        if chars > room && !chosen.is_empty() {
            break;
        }
        room = room.saturating_sub(chars);
        chosen.push(shown);
    }
    chosen.reverse();
    let mut parts = Vec::with_capacity(chosen.len() + 1);
    if !head.is_empty() {
        parts.push(head);
    }
    parts.extend(chosen);
    parts.join("\n\n")
}

/// The first characters of a text, with a mark when there were more.
pub fn clip(text: &str, chars: usize) -> String {
    if text.char_indices().nth(chars).is_none() {
        return text.to_owned();
    }
    let kept: String = text.chars().take(chars.saturating_sub(1)).collect();
    if chars == 0 { String::new() } else { format!("{kept}…") }
}
