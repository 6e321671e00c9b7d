//! The scrub of everything that leaves for a provider: secrets out, the rest byte for byte as it was.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::detect::{Detector, Scope, secret_kind};
use crate::found::Found;
use crate::hit::{Hit, Owner, unite};
use crate::kind::Kind;
use crate::placeholder::{Placeholder, literal};
use crate::shadow::Shadow;
use crate::values::{Edges, Spelling, ValueIndex};

/// Shorter values are too common to be looked for everywhere.
const SHORTEST_KNOWN: usize = 4;

/// Values that are secret whatever they look like, such as the keys in the keychain.
///
/// They are found in any case, in fragments of 12 characters and more, with other characters between theirs, and
/// behind base64, hexadecimal, percent and JSON escapes.
#[derive(Default)]
pub struct KnownSecrets {
    index: ValueIndex,
    values: Vec<String>,
}

impl KnownSecrets {
    /// No known values.
    pub fn none() -> Self {
        Self::default()
    }

    /// Adds a value. Values under four bytes are ignored: they would hide ordinary text.
    pub fn add(&mut self, value: &str) {
        let value = value.trim();
        if value.len() < SHORTEST_KNOWN || self.values.iter().any(|known| known == value) {
            return;
        }
        let Ok(owner) = u32::try_from(self.values.len()) else { return };
        let edges = if value.len() < 6 { Edges::Word } else { Edges::Free };
        self.index.add(Shadow::of(value).text(), owner, Spelling::new(edges, 0));
        self.values.push(value.to_owned());
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl<S: AsRef<str>> FromIterator<S> for KnownSecrets {
    fn from_iter<I: IntoIterator<Item = S>>(values: I) -> Self {
        let mut known = Self::none();
        for value in values {
            known.add(value.as_ref());
        }
        known
    }
}

impl std::fmt::Debug for KnownSecrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KnownSecrets").field("count", &self.values.len()).finish_non_exhaustive()
    }
}

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scrubbed<'t> {
    /// The text, borrowed when there was nothing to hide.
    pub text: Cow<'t, str>,
    /// What was hidden, in the order of the text.
    pub found: Vec<Found>,
}

/// The numbers that were given to secrets, for several texts that leave together.
#[derive(Default)]
pub struct Numbering {
    numbers: HashMap<String, u32>,
    taken: HashSet<u32>,
    last: u32,
}

impl std::fmt::Debug for Numbering {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Numbering").field("count", &self.numbers.len()).finish_non_exhaustive()
    }
}

impl Numbering {
    /// The number of a value; one that stands literally in a text is never given to another value.
    fn number(&mut self, value: &str) -> u32 {
        if let Some(&number) = self.numbers.get(value) {
            return number;
        }
        loop {
            self.last += 1;
            if !self.taken.contains(&self.last) {
                break;
            }
        }
        self.numbers.insert(value.to_owned(), self.last);
        self.last
    }
}

/// Replaces every secret in a text by a placeholder `[SECRET-n]`; the same value gets the same placeholder.
///
/// Everything outside the found ranges is byte-exact, and the time grows with the length of the text alone.
pub fn scrub_secrets<'t>(text: &'t str, known: &KnownSecrets) -> Scrubbed<'t> {
    scrub_secrets_with(text, known, &mut Numbering::default())
}

/// The same with numbers that several texts share, such as a system prompt and its prompt.
///
/// Pass the texts in which a human or a client may have written placeholders first, or all in one go through
/// [`Numbering`], so that their numbers are left alone.
pub fn scrub_secrets_with<'t>(text: &'t str, known: &KnownSecrets, numbering: &mut Numbering) -> Scrubbed<'t> {
    let hits = secret_hits(text, known);
    if hits.is_empty() {
        return Scrubbed { text: Cow::Borrowed(text), found: Vec::new() };
    }
    let written = literal(text).filter(|(_, _, placeholder)| placeholder.kind == Kind::Secret);
    numbering.taken.extend(written.map(|(_, _, placeholder)| placeholder.number));
    let mut scrubbed = String::with_capacity(text.len());
    let mut found = Vec::with_capacity(hits.len());
    let mut at = 0;
    for hit in hits {
        let owner = match hit.owner {
            Some(Owner::Known(owner)) => usize::try_from(owner).ok().and_then(|owner| known.values.get(owner)),
            _ => None,
        };
        let value = owner.map_or(&text[hit.start..hit.end], String::as_str);
        let placeholder = Placeholder { kind: Kind::Secret, number: numbering.number(value) };
        scrubbed.push_str(&text[at..hit.start]);
        scrubbed.push_str(&placeholder.to_string());
        at = hit.end;
        found.push(Found {
            placeholder: placeholder.to_string(),
            kind: hit.kind,
            rule: hit.rule,
            start: hit.start,
            end: hit.end,
        });
    }
    scrubbed.push_str(&text[at..]);
    Scrubbed { text: Cow::Owned(scrubbed), found }
}

/// The secrets of a text as ranges of its bytes, with the known value that each one is, if any.
fn secret_hits(text: &str, known: &KnownSecrets) -> Vec<Hit> {
    let detector = Detector {
        known: &known.index,
        kind_of: &secret_kind,
        terms: None,
        rules: None,
        scope: Scope::Secrets,
        hides_random: false,
    };
    let mut hits = detector.detect(text);
    hits.retain(|hit| hit.kind == Kind::Secret);
    unite(hits)
}
