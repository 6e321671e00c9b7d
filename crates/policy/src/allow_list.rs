//! The allow list of the human: one entry a line.
//!
//! ```text
//! # A comment.
//! git log*                  program `git`, verb `log`, anything behind it
//! cargo test --workspace    exactly this command
//! cat docs/*                files of one folder, and nothing that leaves it
//! > out.txt                 writing this one file, by a redirect or an option
//! ask: git push --force*    the human is asked, whatever the other entries say
//! deny: terraform destroy*  refused
//! in '/srv/shop': make test only in this folder and below it
//!   because: the cluster is shared
//!   match: terraform destroy -auto-approve
//!   not_match: terraform plan
//! ```
//!
//! An entry is held against the words of a command after quotes are gone, never against its text. A star at the end of
//! program or verb means "this word, and anything behind it": `ls*` is no `lsblk`. Within an argument a star stands for
//! any characters of that word. A `match` or `not_match` line behind an entry is an example of it, checked when the list
//! is read. Nothing on the list lifts a deny shape, and the words that destroy or run code have to be spelled out.

mod entry;
mod store;

use std::fmt;

use crate::context::Context;
use crate::finding::{Record, Write};
use crate::verdict::Decision;
use crate::walk::Walker;
use crate::walk::state::State;
pub(crate) use entry::Fit;
use entry::{Entry, Pattern};

/// Why a list cannot be used; `line` is nought when the whole file is meant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct AllowListError {
    /// The line, counted from one.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for AllowListError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            write!(formatter, "{}", self.reason)
        } else {
            write!(formatter, "line {}: {}", self.line, self.reason)
        }
    }
}

/// What the human allowed beforehand.
#[derive(Debug, Clone, Default)]
pub struct AllowList {
    entries: Vec<Entry>,
}

impl AllowList {
    /// Reads the lines of a list and checks the examples that its entries carry.
    pub fn parse(text: &str) -> Result<Self, AllowListError> {
        let mut entries: Vec<Entry> = Vec::new();
        for (index, raw) in text.lines().enumerate() {
            let line = index + 1;
            let trimmed = raw.trim();
            if trimmed.is_empty() || trimmed.starts_with('#') {
                continue;
            }
            let wrong = |reason: &str| AllowListError { line, reason: reason.to_owned() };
            let attribute = ["match:", "not_match:", "because:"]
                .iter()
                .find_map(|name| trimmed.strip_prefix(name).map(|rest| (*name, rest.trim())));
            if let Some((name, rest)) = attribute {
                let owner = entries.last_mut().ok_or_else(|| wrong("an example without an entry before it"))?;
                match name {
                    "because:" => owner.because = Some(rest.to_owned()),
                    _ => owner.check(rest, name == "match:").map_err(|reason| AllowListError { line, reason })?,
                }
                continue;
            }
            entries.push(Entry::parse(trimmed).map_err(|reason| AllowListError { line, reason })?);
        }
        Ok(Self { entries })
    }

    /// Whether a line of a list asks or refuses, instead of allowing. One that cannot be read allows nothing.
    pub fn tightens(line: &str) -> bool {
        Entry::parse(line).is_ok_and(|entry| entry.effect != Decision::Allow)
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing is on the list.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries as they are written.
    pub fn entries(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.text.as_str())
    }

    /// The strictest rule of the list that a command falls under, beside plain permission.
    pub(crate) fn rule(&self, record: &Record) -> Option<(&str, Decision, Option<&str>)> {
        self.entries
            .iter()
            .filter(|entry| entry.effect != Decision::Allow && entry.fits(record) != Fit::No)
            .max_by_key(|entry| entry.effect)
            .map(|entry| (entry.text.as_str(), entry.effect, entry.because.as_deref()))
    }

    /// The entry that allows a command.
    pub(crate) fn allows(&self, record: &Record) -> Option<(&str, Fit)> {
        let mut best = None;
        for entry in self.entries.iter().filter(|entry| entry.effect == Decision::Allow) {
            match entry.fits(record) {
                Fit::Exact => return Some((entry.text.as_str(), Fit::Exact)),
                Fit::Pattern if best.is_none() => best = Some((entry.text.as_str(), Fit::Pattern)),
                _ => {}
            }
        }
        best
    }

    /// The entry that spells out a wrapper up to its program and allows that program with what stands behind it.
    pub(crate) fn allows_behind(&self, outer: &Record, at: usize, inner: &Record) -> Option<&str> {
        let entries = self.entries.iter().filter(|entry| entry.effect == Decision::Allow);
        entries.filter(|entry| entry.fits_behind(outer, at, inner)).map(|entry| entry.text.as_str()).next()
    }

    /// The entry that allows a write.
    pub(crate) fn allows_write(&self, write: &Write, context: &Context<'_>) -> Option<&str> {
        if !write.is_known {
            return None;
        }
        self.entries.iter().filter(|entry| entry.effect == Decision::Allow).find_map(|entry| match &entry.pattern {
            Pattern::Write { path, only_appends }
                if (!only_appends || write.appends)
                    && context
                        .working_folder
                        .as_deref()
                        .map_or(entry.folder.is_none(), |folder| entry.holds_in(folder))
                    && entry::path_fits(path, write, context) =>
            {
                Some(entry.text.as_str())
            }
            _ => None,
        })
    }
}

/// The words of an entry, with their stars.
pub(crate) fn words_of(entry: &str) -> Result<Vec<String>, String> {
    let word = |token: &Vec<entry::Sign>| {
        let sign = |sign: &entry::Sign| match sign {
            entry::Sign::Plain(character) => *character,
            entry::Sign::Many => '*',
            entry::Sign::One => '?',
        };
        token.iter().map(sign).collect()
    };
    Ok(entry::tokens(entry)?.iter().map(word).collect())
}

/// The commands of an example.
fn records_of(text: &str) -> Vec<Record> {
    let context = Context::new("/work", "/home/user");
    let mut walker = Walker::new(&context);
    let mut state = State { folder: context.working_folder.clone(), ..State::default() };
    walker.code(text, &mut state, &crate::arg::Flow::Nothing);
    walker.records
}
