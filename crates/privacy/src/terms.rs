//! The human's own private terms: names, addresses and numbers that are private wherever they stand.

use serde::Deserialize;

use crate::kind::Kind;
use crate::normal;
use crate::values::{Edges, Spelling, ValueIndex};

/// Why a file of terms is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TermsError {
    /// The file is no JSON of the known form.
    #[error(
        "the private terms are not in the form `{{\"terms\": [{{\"kind\": …, \"values\": […]}}]}}` (line {line}, column {column})"
    )]
    Form {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
}

#[derive(Deserialize)]
struct File {
    terms: Vec<Group>,
}

#[derive(Deserialize)]
struct Group {
    kind: String,
    values: Vec<String>,
}

/// The private terms in force.
#[derive(Default)]
pub struct Terms {
    values: Vec<(Kind, String)>,
    index: ValueIndex,
    fingerprint: u64,
}

impl std::fmt::Debug for Terms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Terms").field("count", &self.values.len()).finish_non_exhaustive()
    }
}

/// Shorter values are ignored.
const SHORTEST: usize = 2;

impl Terms {
    /// No terms.
    pub fn none() -> Self {
        Self::default()
    }

    /// Reads the text of a terms file. An unknown kind becomes [`Kind::Pii`]; values under two characters are ignored.
    pub fn parse(text: &str) -> Result<Self, TermsError> {
        let file: File = serde_json::from_str(text.trim_start_matches('\u{FEFF}'))
            .map_err(|error| TermsError::Form { line: error.line(), column: error.column() })?;
        let mut terms = Self { fingerprint: fingerprint(text), ..Self::default() };
        let mut values: Vec<(Kind, String)> = file
            .terms
            .iter()
            .flat_map(|group| {
                let kind = Kind::from_name(&group.kind);
                group.values.iter().map(move |value| (kind, value.trim().to_owned()))
            })
            .filter(|(_, value)| value.chars().count() >= SHORTEST)
            .collect();
        // The longest first: it owns the spellings that it shares with a shorter one.
        values.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
        for (kind, value) in values {
            terms.add(kind, value);
        }
        Ok(terms)
    }

    fn add(&mut self, kind: Kind, value: String) {
        let Ok(owner) = u32::try_from(self.values.len()) else { return };
        let rank = kind.tier() as u8;
        if kind == Kind::Person {
            // A name is a term as a whole; its parts are names of other people too.
            for alias in normal::whole_name(&value) {
                let ignores_gaps = !alias.contains(',');
                self.index.add(&alias, owner, Spelling { ignores_gaps, ..Spelling::new(Edges::Word, rank) });
            }
        } else {
            for alias in normal::aliases(kind, &value) {
                let spelling = Spelling { edges: Edges::Word, ..alias.spelling };
                self.index.add(&alias.text, owner, spelling);
            }
        }
        self.values.push((kind, value));
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// A number that changes with the content of the file, so that a file restored with its old time is seen as new.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    pub(crate) fn index(&self) -> &ValueIndex {
        &self.index
    }

    pub(crate) fn term(&self, owner: u32) -> Option<(Kind, &str)> {
        self.values.get(usize::try_from(owner).ok()?).map(|(kind, value)| (*kind, value.as_str()))
    }
}

/// FNV-1a, which is the same in every run.
pub(crate) fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}
