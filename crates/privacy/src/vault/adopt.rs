//! Two vaults become one, when a conversation turns out to be an older one.

use super::{Record, Standing, Vault};
use crate::placeholder::Placeholder;

/// What happened to the placeholders of the vault that was taken in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Adoption {
    /// They mean the same as before.
    pub kept: Vec<Placeholder>,
    /// They were given to different values in the two vaults, and stand for none from now on.
    /// The values themselves have new placeholders at their next sight.
    pub ambiguous: Vec<Placeholder>,
}

impl Vault {
    /// Takes in another vault.
    ///
    /// A placeholder that was already given to the caller never resolves to the value of another: where both vaults
    /// gave the same one to different values, it resolves to nothing any more.
    pub fn adopt(&mut self, other: Self) -> Adoption {
        let mut adoption = Adoption::default();
        // Fresh numbers must not take the ones that are still to come.
        for placeholder in other.standings.keys() {
            let last = self.last_numbers.entry(placeholder.kind).or_insert(0);
            *last = placeholder.number.max(*last);
        }
        let mut other_standings: Vec<(Placeholder, Standing)> = other.standings.into_iter().collect();
        other_standings.sort_by_key(|(placeholder, _)| *placeholder);
        let mut given: Vec<Option<usize>> = vec![None; other.entries.len()];
        for (placeholder, standing) in other_standings {
            let Standing::Entry(theirs) = standing else {
                self.adopt_mark(placeholder, standing, &mut adoption);
                continue;
            };
            let Some(entry) = other.entries.get(theirs) else { continue };
            let kind = entry.placeholder.kind;
            let mine = self.index_of(kind, &entry.value).or(given[theirs]);
            match (self.standings.get(&placeholder).copied(), mine) {
                (Some(Standing::Entry(index)), Some(mine)) if index == mine => adoption.kept.push(placeholder),
                (None, Some(mine)) => {
                    // One value, two placeholders: both resolve.
                    self.records.extend(
                        self.entries.get(mine).map(|own| Record::moved(own.placeholder, placeholder, entry.is_echoed)),
                    );
                    self.rename(mine, placeholder, entry.is_echoed);
                    adoption.kept.push(placeholder);
                }
                (None, None) => {
                    self.records.push(Record::minted(placeholder, &entry.value, entry.is_echoed));
                    given[theirs] = Some(self.entries.len());
                    self.insert(placeholder, &entry.value, entry.is_echoed);
                    adoption.kept.push(placeholder);
                }
                (Some(_), _) => {
                    self.retire(placeholder);
                    adoption.ambiguous.push(placeholder);
                    if mine.is_none() {
                        // The value stays known, so that it goes on being hidden.
                        let fresh = self.next(kind);
                        self.records.push(Record::minted(fresh, &entry.value, entry.is_echoed));
                        given[theirs] = Some(self.entries.len());
                        self.insert(fresh, &entry.value, entry.is_echoed);
                    }
                }
            }
        }
        adoption
    }

    fn adopt_mark(&mut self, placeholder: Placeholder, standing: Standing, adoption: &mut Adoption) {
        match (self.standings.get(&placeholder), standing) {
            (None, Standing::Reserved) => self.reserve(placeholder),
            (Some(Standing::Entry(_)), Standing::Ambiguous | Standing::Reserved) | (None, Standing::Ambiguous) => {
                self.retire(placeholder);
                adoption.ambiguous.push(placeholder);
            }
            _ => {}
        }
    }

    /// Makes a placeholder mean nothing; the value that had it gets a new one.
    pub(super) fn retire(&mut self, placeholder: Placeholder) {
        if let Some(Standing::Entry(index)) = self.standings.get(&placeholder).copied()
            && self.entries.get(index).is_some_and(|entry| entry.placeholder == placeholder)
        {
            let fresh = self.next(placeholder.kind);
            let is_echoed = self.entries[index].is_echoed;
            self.records.push(Record::moved(placeholder, fresh, is_echoed));
            self.rename(index, fresh, is_echoed);
        }
        self.records.push(Record::retired(placeholder));
        self.standings.insert(placeholder, Standing::Ambiguous);
    }
}
