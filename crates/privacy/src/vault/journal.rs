//! What a vault writes down: one line for each change, never a line twice.

use std::fmt;

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::{Standing, Vault};
use crate::placeholder::Placeholder;

/// A change of a vault. Its value is private: it goes into the vault's own file and nowhere else.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    op: Op,
    placeholder: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    was: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    value: Option<Zeroizing<String>>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    echo: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Op {
    Mint,
    Move,
    Reserve,
    Retire,
}

impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record").field("op", &self.op).field("placeholder", &self.placeholder).finish_non_exhaustive()
    }
}

impl Record {
    fn new(op: Op, placeholder: Placeholder) -> Self {
        Self { op, placeholder: placeholder.to_string(), was: None, value: None, echo: None }
    }

    pub(super) fn minted(placeholder: Placeholder, value: &str, is_echoed: bool) -> Self {
        let value = Some(Zeroizing::new(value.to_owned()));
        Self { value, echo: Some(is_echoed), ..Self::new(Op::Mint, placeholder) }
    }

    pub(super) fn moved(was: Placeholder, placeholder: Placeholder, is_echoed: bool) -> Self {
        Self { was: Some(was.to_string()), echo: Some(is_echoed), ..Self::new(Op::Move, placeholder) }
    }

    pub(super) fn reserved(placeholder: Placeholder) -> Self {
        Self::new(Op::Reserve, placeholder)
    }

    pub(super) fn retired(placeholder: Placeholder) -> Self {
        Self::new(Op::Retire, placeholder)
    }

    /// The record as one line of the journal, without its line end.
    pub fn to_line(&self) -> Zeroizing<String> {
        Zeroizing::new(serde_json::to_string(self).unwrap_or_default())
    }
}

/// Why a journal cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum VaultError {
    /// A line that this version cannot read. An unread vault is never taken for an empty one.
    #[error("line {line} of the vault's journal cannot be read")]
    Unreadable {
        /// The line, from 1.
        line: usize,
    },
    /// A line that speaks of a placeholder that no line before it gave.
    #[error("line {line} of the vault's journal speaks of a placeholder that it never gave")]
    Dangling {
        /// The line, from 1.
        line: usize,
    },
}

impl Vault {
    /// Builds a vault from its journal.
    ///
    /// A last line that was cut off in the middle of writing is an error too: the caller decides whether to drop it.
    /// A placeholder that two lines give to two values, as two programs without a lock would write it, is ambiguous
    /// from then on and stands for neither.
    pub fn replay(journal: &str) -> Result<Self, VaultError> {
        let mut vault = Self::new();
        let mut conflicts = Vec::new();
        for (index, text) in journal.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
            let line = index + 1;
            let unreadable = VaultError::Unreadable { line };
            let record: Record = serde_json::from_str(text).map_err(|_| unreadable)?;
            let placeholder = Placeholder::parse(&record.placeholder).ok_or(unreadable)?;
            match (record.op, record.value, record.was) {
                (Op::Mint, Some(value), None) => {
                    let is_echoed = record.echo.unwrap_or(true);
                    if vault.holds_another(placeholder, &value) {
                        conflicts.push((placeholder, value, is_echoed));
                    } else if !matches!(vault.standings.get(&placeholder), Some(Standing::Entry(_))) {
                        vault.insert(placeholder, &value, is_echoed);
                    }
                }
                (Op::Move, None, Some(was)) => {
                    let was = Placeholder::parse(&was).ok_or(unreadable)?;
                    let Some(Standing::Entry(entry)) = vault.standings.get(&was).copied() else {
                        return Err(VaultError::Dangling { line });
                    };
                    vault.rename(entry, placeholder, record.echo.unwrap_or(true));
                }
                (Op::Reserve, None, None) => {
                    vault.standings.entry(placeholder).or_insert(Standing::Reserved);
                }
                (Op::Retire, None, None) => {
                    vault.standings.insert(placeholder, Standing::Ambiguous);
                }
                _ => return Err(unreadable),
            }
            let last = vault.last_numbers.entry(placeholder.kind).or_insert(0);
            if record.op != Op::Reserve {
                *last = placeholder.number.max(*last);
            }
        }
        for (placeholder, value, is_echoed) in conflicts {
            if vault.standings.get(&placeholder) != Some(&Standing::Ambiguous) {
                vault.retire(placeholder);
            }
            if vault.index_of(placeholder.kind, &value).is_none() {
                let fresh = vault.next(placeholder.kind);
                vault.records.push(Record::minted(fresh, &value, is_echoed));
                vault.insert(fresh, &value, is_echoed);
            }
        }
        Ok(vault)
    }

    /// Whether a placeholder stands for another value than this, or for none any more.
    fn holds_another(&self, placeholder: Placeholder, value: &str) -> bool {
        match self.standings.get(&placeholder) {
            Some(Standing::Entry(index)) => self.entries.get(*index).is_none_or(|entry| entry.value.as_str() != value),
            Some(Standing::Ambiguous) => true,
            Some(Standing::Reserved) | None => false,
        }
    }

    /// Takes what has changed since the last call, for the journal.
    pub fn take_records(&mut self) -> Vec<Record> {
        std::mem::take(&mut self.records)
    }
}
