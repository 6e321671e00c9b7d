//! The one way out: every text that leaves is an [`Outbound`], and every [`Outbound`] was scrubbed.
//!
//! A result, an error, a notice, a field of status: none leaves as a string. [`Exit`] holds what is needed to scrub, and
//! gives out texts that are clean, or a refusal when it cannot tell.

mod document;
mod frame;
mod withhold;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use lwa_privacy::{Exposure, Kind, ScrubError, Scrubber, Vault};
use serde::Serialize;

use crate::trailer::LeakCheck;

pub use document::OutboundJson;
pub(crate) use frame::is_own_words;

/// Stands where a line was that nobody could look at in time.
pub const WITHHELD_LINE: &str = "[line withheld: names could not be checked in time]";
/// The longest error text that leaves.
const MOST_ERROR_CHARS: usize = 1_000;

/// What a reader of names found in a text.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Names {
    /// The values, as they stand in the text.
    pub values: Vec<(Kind, String)>,
    /// The bytes of the text that it did not read.
    pub unread: Vec<Range<usize>>,
}

impl fmt::Debug for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Names").field("values", &self.values.len()).field("unread", &self.unread).finish()
    }
}

impl Names {
    /// Whether all of the text was read.
    pub fn is_whole(&self) -> bool {
        self.unread.iter().all(Range::is_empty)
    }

    /// Nothing of the text was read.
    pub fn unread(text: &str) -> Self {
        let whole = 0..text.len();
        Self { values: Vec::new(), unread: vec![whole] }
    }
}

/// A reader of names. It gets a text that was scrubbed once.
pub type ReadNames<'r> = &'r dyn Fn(&str) -> Names;

/// What is needed to let texts out of one conversation.
#[derive(Debug)]
pub struct Exit<'e> {
    /// The recognisers with the human's terms and rules.
    pub scrubber: &'e Scrubber,
    /// The values of the conversation.
    pub vault: &'e mut Vault,
    /// What may leave in clear.
    pub exposure: Exposure,
    /// Whether a line that was not read for names stays here: in private mode, and where names are hidden because
    /// somebody decided so.
    pub withholds_unread: bool,
}

/// A text that may leave. It holds nothing of what it was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outbound {
    text: String,
    counts: BTreeMap<Kind, usize>,
    withheld_lines: usize,
    leak_check: Option<LeakCheck>,
    is_refusal: bool,
}

/// A text that was scrubbed and not yet read for names. It may be shown to a reader on this machine, and does not leave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    text: String,
    /// The text with blanks in place of our own sentences, where it has any.
    reading: Option<String>,
    counts: BTreeMap<Kind, usize>,
}

impl Draft {
    /// The text, for a reader of names on this machine. Our own sentences are blanks in it, so that every byte keeps its
    /// place.
    pub fn for_reading(&self) -> &str {
        self.reading.as_deref().unwrap_or(&self.text)
    }
}

impl Outbound {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text, as a string that is on its way.
    pub fn into_text(self) -> String {
        self.text
    }

    /// How many values of each kind were hidden.
    pub fn counts(&self) -> &BTreeMap<Kind, usize> {
        &self.counts
    }

    /// Lines that nobody could look at and that were left out.
    pub fn withheld_lines(&self) -> usize {
        self.withheld_lines
    }

    /// Whether it was read for names; none when that was not due.
    pub fn leak_check(&self) -> Option<LeakCheck> {
        self.leak_check
    }

    /// The same text, marked as not wholly checked: another reader, who looked as well, did not come to its end.
    pub fn with_failed_check(self) -> Self {
        Self { leak_check: Some(LeakCheck::Failed), ..self }
    }

    /// The same text with what a reader said who saw more than is in it, and how many lines were left out.
    pub fn with_reading(self, check: LeakCheck, withheld_lines: usize) -> Self {
        Self { leak_check: Some(check), withheld_lines, ..self }
    }

    /// Whether it stands for a text that could not be checked and did not leave.
    pub fn is_refusal(&self) -> bool {
        self.is_refusal
    }

    fn refusal(error: ScrubError) -> Self {
        let text = format!(
            "Error: the text was held back, since it could not be checked for private values ({error}). Nothing of it \
             is shown. Ask for a smaller part of it, or narrow the command.",
        );
        Self { text, counts: BTreeMap::new(), withheld_lines: 0, leak_check: None, is_refusal: true }
    }
}

impl fmt::Display for Outbound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Serialize for Outbound {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl Exit<'_> {
    /// Whether a text has to be read for names before it leaves: names are hidden.
    pub fn is_reading_due(&self) -> bool {
        self.exposure.masks(Kind::Person)
    }

    /// Lets a result out. With a reader, names that it finds are hidden as well.
    pub fn text(&mut self, text: &str, read: Option<ReadNames<'_>>) -> Outbound {
        let draft = match self.draft(text) {
            Ok(draft) => draft,
            Err(error) => return Outbound::refusal(error),
        };
        let names = read.filter(|_| self.is_reading_due()).map(|read| read(draft.for_reading()));
        self.finish(draft, names)
    }

    /// Lets an error text out: what a program, a server or a model said when it failed may repeat what it was given.
    pub fn error(&mut self, text: &str) -> Outbound {
        let mut outbound = self.text(text.trim(), None);
        if outbound.is_refusal {
            return outbound;
        }
        // It is cut behind the scrub: a cut before it could leave half a value that nobody knows.
        if let Some((end, _)) = outbound.text.char_indices().nth(MOST_ERROR_CHARS) {
            outbound.text.truncate(end);
            outbound.text.push('…');
        }
        if !outbound.text.starts_with("Error: ") {
            outbound.text.insert_str(0, "Error: ");
        }
        outbound
    }

    /// The first half of [`Exit::text`], for a reader that takes its time.
    ///
    /// # Errors
    /// The text cannot be scrubbed; nothing of it may leave.
    pub fn draft(&mut self, text: &str) -> Result<Draft, ScrubError> {
        let scrubbed = self.scrubber.scrub(self.vault, text, self.exposure)?;
        let text = scrubbed.text.into_owned();
        Ok(Draft { reading: frame::without_frames(&text), text, counts: scrubbed.counts })
    }

    /// A text as a reader of names on this machine may see it before anything is hidden: without our own sentences.
    pub fn reading_of(text: &str) -> std::borrow::Cow<'_, str> {
        frame::without_frames(text).map_or(std::borrow::Cow::Borrowed(text), std::borrow::Cow::Owned)
    }

    /// The same as [`Exit::draft`], for a text that was read for names as it stands.
    ///
    /// # Errors
    /// The text cannot be scrubbed; nothing of it may leave.
    pub fn draft_of_read(&mut self, text: &str, names: &Names) -> Result<Draft, ScrubError> {
        let values = names.values.iter().filter(|(_, value)| !is_own_words(value));
        let values = values.map(|(kind, value)| (*kind, value.as_str()));
        self.scrubber.register_entities(self.vault, text, self.exposure, values)?;
        self.draft(text)
    }

    /// Takes what a reader found in a text into the vault.
    pub fn register(&mut self, names: &Names, text: &str) {
        for (kind, value) in &names.values {
            if !is_own_words(value) {
                // A value that would hide ordinary text is not taken, and that is not a failure.
                let _ = self.scrubber.register_entity(self.vault, *kind, value, text);
            }
        }
    }

    /// The second half: takes what was found in the draft into the vault, leaves out what was not read where that stays
    /// here, and scrubs once more.
    pub fn finish(&mut self, draft: Draft, names: Option<Names>) -> Outbound {
        let Draft { text, mut counts, .. } = draft;
        let Some(names) = names else {
            return Outbound { text, counts, withheld_lines: 0, leak_check: None, is_refusal: false };
        };
        self.register(&names, &text);
        let is_read = names.is_whole();
        let (text, withheld_lines) =
            if self.withholds_unread && !is_read { withhold::without_unread(&text, &names.unread) } else { (text, 0) };
        let again = match self.scrubber.scrub(self.vault, &text, self.exposure) {
            Ok(again) => again,
            Err(error) => return Outbound::refusal(error),
        };
        for (kind, count) in &again.counts {
            *counts.entry(*kind).or_insert(0) += count;
        }
        let leak_check = Some(if is_read { LeakCheck::Passed } else { LeakCheck::Failed });
        Outbound { text: again.text.into_owned(), counts, withheld_lines, leak_check, is_refusal: false }
    }

    /// Lets a document out: every string in it is scrubbed by itself, and the whole once more.
    pub fn json(&mut self, value: &serde_json::Value) -> OutboundJson {
        document::scrub(self, value)
    }
}
