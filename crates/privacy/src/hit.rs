//! A detected value, before it has a placeholder.

use std::borrow::Cow;

use crate::kind::Kind;

/// Which recogniser found a value.
pub(crate) type RuleName = Cow<'static, str>;

/// How sure a recogniser is that the same characters are private wherever they stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Echo {
    /// The value is recognised again without its label.
    Everywhere,
    /// The value is private in its place only, such as a common word after `token:`.
    HereOnly,
}

/// A value that was known before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// A known value, by its place among them.
    Known(u32),
    /// A private term, by its place among them.
    Term(u32),
}

/// A range of a text that holds a private value.
#[derive(Debug, Clone)]
pub(crate) struct Hit {
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
    pub rule: RuleName,
    pub echo: Echo,
    /// The value that this is, when it was found for that reason.
    pub owner: Option<Owner>,
}

impl Hit {
    pub(crate) fn new(start: usize, end: usize, kind: Kind, rule: &'static str) -> Self {
        Self { start, end, kind, rule: Cow::Borrowed(rule), echo: Echo::Everywhere, owner: None }
    }

    pub(crate) fn secret(start: usize, end: usize, rule: &'static str) -> Self {
        Self::new(start, end, Kind::Secret, rule)
    }

    pub(crate) fn here_only(mut self) -> Self {
        self.echo = Echo::HereOnly;
        self
    }
}

/// Joins overlapping hits, so that no part of any of them is left.
///
/// The hit of the strictest tier names the union, the longest one within a tier.
pub(crate) fn unite(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.retain(|hit| hit.start < hit.end);
    hits.sort_by(|a, b| a.start.cmp(&b.start).then(b.end.cmp(&a.end)));
    let mut united: Vec<Hit> = Vec::with_capacity(hits.len());
    // The width of the hit that gave the current union its name.
    let mut width = 0;
    for hit in hits {
        let own_width = hit.end - hit.start;
        match united.last_mut() {
            Some(last) if hit.start < last.end => {
                let end = last.end.max(hit.end);
                let start = last.start;
                let (strictness, last_strictness) = (hit.kind.tier(), last.kind.tier());
                if (strictness, own_width) > (last_strictness, width) {
                    width = own_width;
                    *last = hit;
                } else if strictness == last_strictness && own_width == width && last.owner.is_none() {
                    // The recogniser names it, and the vault says whose it is.
                    last.owner = hit.owner;
                }
                if end - start > width {
                    // A part of a longer range is not the known value itself.
                    last.owner = None;
                }
                last.start = start;
                last.end = end;
            }
            _ => {
                width = own_width;
                united.push(hit);
            }
        }
    }
    united
}
