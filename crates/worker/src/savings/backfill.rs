//! Counts of turns that were stored before there were counts.

use super::{TurnCounts, Work};
use crate::memory::{Turn, TurnKind};

impl TurnCounts {
    /// The counts of a stored turn; none for turns that are not counted. Tokens were never counted for it.
    ///
    /// Old turns do not say how much was gathered: of a command it is the whole material, of a task the material
    /// without what the label of its source calls inline.
    pub fn of_turn(turn: &Turn) -> Option<Self> {
        let work = match turn.kind {
            TurnKind::Run => Work::Run,
            TurnKind::Delegate => Work::Delegate,
            TurnKind::Mode | TurnKind::Disclosure | TurnKind::Compaction => return None,
        };
        let gathered_chars = turn.gathered_chars.unwrap_or_else(|| match work {
            Work::Run => turn.raw_chars,
            Work::Delegate => without_inline(turn.raw_chars, &turn.source),
        });
        Some(Self {
            work,
            // Lines that were asked for and not found came back as a digest.
            is_verbatim: turn.verbatim && !turn.verbatim_fallback,
            is_error: turn.error,
            gathered_chars,
            returned_chars: turn.out_chars,
            gathered_tokens: None,
            returned_tokens: None,
        })
    }
}

/// The material without its inline parts; nothing when all of it is inline.
fn without_inline(raw_chars: u64, source: &str) -> u64 {
    let mut inline = 0;
    let mut has_others = false;
    for part in source.split("; ") {
        match inline_chars(part) {
            Some(chars) => inline += chars,
            None => has_others |= !part.trim().is_empty(),
        }
    }
    if has_others { raw_chars.saturating_sub(inline) } else { 0 }
}

/// `inline (120 chars)`.
fn inline_chars(part: &str) -> Option<u64> {
    part.trim().strip_prefix("inline (")?.strip_suffix(" chars)")?.parse().ok()
}
