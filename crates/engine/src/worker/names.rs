//! The embedded reader of names: what it finds in a text that is about to leave.

use std::sync::Arc;
use std::time::Duration;

use lwa_ner::{EntityKind, Recogniser};
use lwa_privacy::Kind;
use lwa_worker::outbound::Names;
use tokio::time::Instant;

/// How long the model stays in memory after its last use.
const IDLE: Duration = Duration::from_mins(10);
/// The longest text that is read; what comes behind it counts as unread.
const MOST_CHARS: usize = 20_000;

/// The reader, shared by all sessions; the model is loaded with the first text that may hold a name.
#[derive(Debug, Clone, Default)]
pub struct NameReader {
    recogniser: Arc<Recogniser>,
}

impl NameReader {
    /// Reads a text that is about to leave, as far as there is time. It blocks its thread.
    pub(super) fn read(&self, text: &str, deadline: Instant) -> Names {
        self.read_up_to(MOST_CHARS, text, deadline)
    }

    /// Reads so many characters of a text, as far as there is time. It blocks its thread.
    pub fn read_up_to(&self, most_chars: usize, text: &str, deadline: Instant) -> Names {
        let end = text.char_indices().nth(most_chars).map_or(text.len(), |(at, _)| at);
        // A line is read whole or not at all.
        let end = if end == text.len() {
            end
        } else {
            text.get(..end).and_then(|head| head.rfind('\n')).map_or(0, |at| at + 1)
        };
        let found = self.recogniser.find(text.get(..end).unwrap_or_default(), deadline.into_std());
        let mut names = Names { values: Vec::new(), unread: found.unread };
        for entity in found.entities {
            let (Some(kind), Some(value)) = (kind_of(entity.kind), text.get(entity.start..entity.end)) else {
                continue;
            };
            // An address with its sign is a matter of the rules, which know `git@host:path` from mail.
            if kind != Kind::Email || !value.contains('@') {
                names.values.push((kind, value.to_owned()));
            }
        }
        if end < text.len() {
            names.unread.push(end..text.len());
        }
        names
    }

    /// Gives the memory of the model back when nobody used it for a while.
    pub(crate) fn unload_when_idle(&self) {
        self.recogniser.unload_if_idle(IDLE);
    }

    /// How it stands, for status.
    pub(super) fn summary(&self) -> String {
        let facts = self.recogniser.facts();
        if let Some(failure) = facts.failure {
            return format!("not available: {failure}; lines that may hold names are withheld in `pii`");
        }
        let share = facts.gate_share().map_or_else(|| "none".to_owned(), |share| format!("{:.0} %", share * 100.0));
        format!(
            "embedded model, {}; {share} of {} lines can hold names, {} passages read, {} known from before, {} not read \
             in time",
            if facts.is_loaded { "loaded" } else { "not loaded" },
            facts.lines,
            facts.read_passages,
            facts.cached_passages,
            facts.unread_passages
        )
    }
}

/// What a find is called in placeholders. A town alone says where and not who.
const fn kind_of(kind: EntityKind) -> Option<Kind> {
    match kind {
        EntityKind::Person => Some(Kind::Person),
        EntityKind::Address => Some(Kind::Address),
        EntityKind::Phone => Some(Kind::Phone),
        EntityKind::Email => Some(Kind::Email),
        EntityKind::Account => Some(Kind::Account),
        EntityKind::TaxId => Some(Kind::Ssn),
        EntityKind::Id => Some(Kind::Id),
        EntityKind::Place => None,
    }
}
