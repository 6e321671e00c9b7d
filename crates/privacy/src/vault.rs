//! The values of one conversation and what stands in their place.
//!
//! A value gets its placeholder at first sight and keeps it, in every spelling that means the same.
//! The vault is memory alone: it hands out records of what is new, which the caller appends to a journal, and is built
//! again from that journal. Nothing is ever written twice, so ten thousand values cost ten thousand lines.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use zeroize::Zeroizing;

use crate::hit::Echo;
use crate::kind::Kind;
use crate::normal;
use crate::placeholder::Placeholder;
use crate::values::ValueIndex;

mod adopt;
mod journal;
mod text;

pub use adopt::Adoption;
pub use journal::{Record, VaultError};
use text::PrivateText;

/// A value and its place in the vault.
struct Entry {
    placeholder: Placeholder,
    value: Zeroizing<String>,
    is_echoed: bool,
}

/// What a placeholder stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Entry(usize),
    /// It was given to two values, so it stands for none.
    Ambiguous,
    /// It stands literally in a text, and is given to no value.
    Reserved,
}

/// What a placeholder resolves to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Resolved<'v> {
    /// The value, and its kind as it is known today.
    Value(Kind, &'v str),
    /// It was given to two values in two vaults that are one now; it means neither.
    Ambiguous,
    /// It is not from here.
    Unknown,
}

impl fmt::Debug for Resolved<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(kind, _) => write!(f, "Value({kind}, redacted)"),
            Self::Ambiguous => f.write_str("Ambiguous"),
            Self::Unknown => f.write_str("Unknown"),
        }
    }
}

/// The vault of one conversation.
#[derive(Default)]
pub struct Vault {
    entries: Vec<Entry>,
    standings: HashMap<Placeholder, Standing>,
    /// By the exact value, whatever its kind.
    by_value: HashMap<PrivateText, usize>,
    /// By the kind and what all spellings of a value share.
    by_key: HashMap<Kind, HashMap<PrivateText, usize>>,
    last_numbers: HashMap<Kind, u32>,
    index: ValueIndex,
    records: Vec<Record>,
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vault").field("counts", &self.counts()).finish_non_exhaustive()
    }
}

impl Vault {
    /// An empty vault.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many values it holds.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many values of each kind it holds.
    pub fn counts(&self) -> BTreeMap<Kind, usize> {
        let mut counts = BTreeMap::new();
        for entry in &self.entries {
            *counts.entry(entry.placeholder.kind).or_insert(0) += 1;
        }
        counts
    }

    /// The placeholder of a value, given now if it has none yet.
    ///
    /// A value keeps the kind of its first sight, unless it turns out to be of a stricter tier: then it gets a new
    /// placeholder of the stricter kind, and the old one still resolves.
    pub fn mint(&mut self, kind: Kind, value: &str) -> Placeholder {
        self.mint_with(kind, value, Echo::Everywhere)
    }

    pub(crate) fn mint_with(&mut self, kind: Kind, value: &str, echo: Echo) -> Placeholder {
        let value = value.trim();
        let is_echoed = echo == Echo::Everywhere;
        if let Some(index) = self.index_of(kind, value) {
            return self.seen_again(index, kind, value, is_echoed);
        }
        let placeholder = self.next(kind);
        self.records.push(Record::minted(placeholder, value, is_echoed));
        self.insert(placeholder, value, is_echoed);
        placeholder
    }

    fn seen_again(&mut self, index: usize, kind: Kind, value: &str, is_echoed: bool) -> Placeholder {
        let Some(entry) = self.entries.get(index) else { return self.next(kind) };
        let (old, was_echoed, original) = (entry.placeholder, entry.is_echoed, entry.value.clone());
        self.by_value.entry(PrivateText::new(value)).or_insert(index);
        let is_stricter = kind.tier() > old.kind.tier();
        if is_stricter {
            let placeholder = self.next(kind);
            self.records.push(Record::moved(old, placeholder, is_echoed || was_echoed));
            self.rename(index, placeholder, is_echoed || was_echoed);
            return placeholder;
        }
        if is_echoed && !was_echoed {
            self.records.push(Record::moved(old, old, true));
            self.rename(index, old, true);
        }
        if value != original.as_str() {
            self.add_aliases(old.kind, value, index, is_echoed);
        }
        old
    }

    /// A number for a new value: never one that is taken or stands in a text.
    fn next(&mut self, kind: Kind) -> Placeholder {
        let last = self.last_numbers.entry(kind).or_insert(0);
        loop {
            *last = last.saturating_add(1);
            let placeholder = Placeholder { kind, number: *last };
            if !self.standings.contains_key(&placeholder) {
                return placeholder;
            }
        }
    }

    fn insert(&mut self, placeholder: Placeholder, value: &str, is_echoed: bool) {
        let index = self.entries.len();
        let value = Zeroizing::new(value.to_owned());
        self.add_key(placeholder.kind, &value, index);
        self.by_value.insert(PrivateText::new(&value), index);
        self.standings.insert(placeholder, Standing::Entry(index));
        self.add_aliases(placeholder.kind, &value, index, is_echoed);
        self.entries.push(Entry { placeholder, value, is_echoed });
    }

    /// Gives an entry another placeholder; the old one goes on resolving to it.
    fn rename(&mut self, index: usize, placeholder: Placeholder, is_echoed: bool) {
        let Some(entry) = self.entries.get_mut(index) else { return };
        entry.placeholder = placeholder;
        entry.is_echoed = is_echoed;
        let value = entry.value.clone();
        self.standings.insert(placeholder, Standing::Entry(index));
        self.add_key(placeholder.kind, &value, index);
        self.add_aliases(placeholder.kind, &value, index, is_echoed);
    }

    fn add_key(&mut self, kind: Kind, value: &str, index: usize) {
        let key = Zeroizing::new(normal::key(kind, value));
        self.by_key.entry(kind).or_default().insert(PrivateText::new(&key), index);
    }

    fn add_aliases(&mut self, kind: Kind, value: &str, index: usize, is_echoed: bool) {
        let Ok(owner) = u32::try_from(index) else { return };
        if is_echoed {
            for alias in normal::aliases(kind, value) {
                self.index.add(&alias.text, owner, alias.spelling);
            }
        }
    }

    /// Keeps a placeholder that stands literally in a text from being given to a value.
    pub fn reserve(&mut self, placeholder: Placeholder) {
        if let std::collections::hash_map::Entry::Vacant(e) = self.standings.entry(placeholder) {
            e.insert(Standing::Reserved);
            self.records.push(Record::reserved(placeholder));
        }
    }

    /// What a placeholder stands for.
    pub fn resolve(&self, placeholder: Placeholder) -> Resolved<'_> {
        match self.standings.get(&placeholder) {
            Some(Standing::Entry(index)) => match self.entries.get(*index) {
                Some(entry) => Resolved::Value(entry.placeholder.kind, &entry.value),
                None => Resolved::Unknown,
            },
            Some(Standing::Ambiguous) => Resolved::Ambiguous,
            Some(Standing::Reserved) | None => Resolved::Unknown,
        }
    }

    /// The placeholder that a value has, without giving it one.
    pub fn placeholder_of(&self, kind: Kind, value: &str) -> Option<Placeholder> {
        Some(self.entries.get(self.index_of(kind, value)?)?.placeholder)
    }

    fn index_of(&self, kind: Kind, value: &str) -> Option<usize> {
        let value = value.trim();
        let by_key = || self.by_key.get(&kind)?.get(normal::key(kind, value).as_str());
        self.by_value.get(value).or_else(by_key).copied()
    }

    /// The placeholders that mean nothing any more, since two values had them.
    pub fn ambiguous(&self) -> Vec<Placeholder> {
        let mut ambiguous: Vec<Placeholder> = self
            .standings
            .iter()
            .filter(|(_, standing)| **standing == Standing::Ambiguous)
            .map(|(placeholder, _)| *placeholder)
            .collect();
        ambiguous.sort();
        ambiguous
    }

    /// Every placeholder with its value, in the order of first sight: for the vault's owner alone.
    pub fn values(&self) -> impl Iterator<Item = (Placeholder, &str)> {
        self.entries.iter().map(|entry| (entry.placeholder, entry.value.as_str()))
    }

    pub(crate) fn index(&self) -> &ValueIndex {
        &self.index
    }

    /// The present placeholder of the value that a sighting belongs to.
    pub(crate) fn owner(&self, owner: u32) -> Option<Placeholder> {
        Some(self.entries.get(usize::try_from(owner).ok()?)?.placeholder)
    }
}
