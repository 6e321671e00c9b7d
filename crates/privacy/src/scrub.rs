//! The full scrub: every recogniser, the vault, and a second look at what is about to leave.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::detect::{Detector, Scope};
use crate::exposure::Exposure;
use crate::found::Found;
use crate::hit::{Echo, Hit, Owner, unite};
use crate::identity::{bare_phones, is_common, is_name};
use crate::kind::Kind;
use crate::placeholder::{Placeholder, literal};
use crate::rules::Rules;
use crate::shadow::Shadow;
use crate::terms::Terms;
use crate::vault::Vault;

/// What stands for a value that the second look found.
const REDACTED: &str = "[REDACTED]";
/// How often the second look is repeated until it finds nothing.
const MOST_LOOKS: usize = 4;

/// A text that may leave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scrubbed<'t> {
    /// The text, borrowed when there was nothing to hide.
    pub text: Cow<'t, str>,
    /// What was hidden, in the order of the text.
    pub found: Vec<Found>,
    /// How many values of each kind were hidden.
    pub counts: BTreeMap<Kind, usize>,
}

/// Why a text was not scrubbed. Nothing of it may leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ScrubError {
    /// The text is longer than the limit that the caller set.
    #[error("the text has {length} bytes, and {limit} at most can be scrubbed")]
    TooLong {
        /// Its length.
        length: usize,
        /// The limit.
        limit: usize,
    },
    /// What is private is not known, so nothing can be told clean.
    #[error("a file of private terms or rules cannot be used")]
    Refused,
    /// The second look went on finding values.
    #[error("the scrubbed text still holds private values")]
    NotClean,
}

/// A value that is still in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leak {
    /// What it belongs to, when the vault knows it.
    pub placeholder: Option<Placeholder>,
    /// Its kind.
    pub kind: Kind,
    /// Its first byte.
    pub start: usize,
    /// The byte behind its last one.
    pub end: usize,
}

/// Why a value that a model named is not taken into the vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EntityRefusal {
    /// Under three characters.
    #[error("too short")]
    TooShort,
    /// It does not stand in the material.
    #[error("not in the material")]
    NotInMaterial,
    /// It is a placeholder.
    #[error("a placeholder")]
    IsPlaceholder,
    /// It is the name of a variable.
    #[error("an identifier")]
    IsIdentifier,
    /// It is a word of ordinary language, which would be hidden everywhere.
    #[error("an ordinary word")]
    IsOrdinary,
}

/// The recognisers with the human's terms and rules.
#[derive(Debug)]
pub struct Scrubber {
    terms: Terms,
    rules: Rules,
    has_shapes: bool,
    is_strict: bool,
    limit: usize,
    refuses: bool,
}

impl Default for Scrubber {
    fn default() -> Self {
        Self {
            terms: Terms::none(),
            rules: Rules::default(),
            has_shapes: true,
            is_strict: false,
            limit: usize::MAX,
            refuses: false,
        }
    }
}

impl Scrubber {
    /// The built-in recognisers alone.
    pub fn new() -> Self {
        Self::default()
    }

    /// With private terms.
    pub fn with_terms(self, terms: Terms) -> Self {
        Self { terms, ..self }
    }

    /// With rules of the human's own, which come on top of the built-in recognisers.
    pub fn with_rules(self, rules: Rules) -> Self {
        Self { rules, ..self }
    }

    /// Without the recognisers of people, places and numbers.
    pub fn without_shapes(self) -> Self {
        Self { has_shapes: false, ..self }
    }

    /// One that refuses every text, for when the human's terms or rules are not known.
    pub fn refusing(self) -> Self {
        Self { refuses: true, ..self }
    }

    /// Strict about telephone numbers: ten bare digits are one without a word near them that says so.
    pub fn with_strict_numbers(self, is_strict: bool) -> Self {
        Self { is_strict, ..self }
    }

    /// With a limit on the length of a text; longer ones are refused.
    pub fn with_limit(self, bytes: usize) -> Self {
        Self { limit: bytes, ..self }
    }

    /// Gives placeholders to everything private in incoming material, whatever is open at the moment.
    ///
    /// Returns how many different values of each kind stand in it, which is what a question to the human is about.
    pub fn register(
        &self,
        vault: &mut Vault,
        material: &str,
        exposure: Exposure,
    ) -> Result<BTreeMap<Kind, usize>, ScrubError> {
        self.check(material)?;
        let hits = self.hits(vault, material, Scope::Everything, exposure.hides_random());
        reserve_literals(vault, material);
        let mut values: BTreeSet<Placeholder> = BTreeSet::new();
        for hit in unite(hits) {
            values.insert(self.mint(vault, material, &hit));
        }
        let mut counts = BTreeMap::new();
        for placeholder in values {
            *counts.entry(placeholder.kind).or_insert(0) += 1;
        }
        Ok(counts)
    }

    /// Replaces everything that the exposure hides by placeholders of the vault, then looks again.
    pub fn scrub<'t>(&self, vault: &mut Vault, text: &'t str, exposure: Exposure) -> Result<Scrubbed<'t>, ScrubError> {
        self.check(text)?;
        let first = self.pass(vault, text, exposure);
        let mut result = Scrubbed { text: Cow::Borrowed(text), found: Vec::new(), counts: BTreeMap::new() };
        if first.is_empty() {
            return Ok(result);
        }
        let mut edits = first;
        for _ in 0..MOST_LOOKS {
            let written = apply(text, &edits);
            let again = self.look_again(vault, &written, exposure);
            if again.is_empty() {
                result.found = edits.iter().map(Edit::found).collect();
                for edit in edits.iter().filter(|edit| edit.counts) {
                    *result.counts.entry(edit.kind).or_insert(0) += 1;
                }
                result.text = Cow::Owned(written.text);
                return Ok(result);
            }
            edits = merge(&edits, again, &written.places);
        }
        Err(ScrubError::NotClean)
    }

    /// Everything in a text that the exposure hides: the last test of what is about to leave, from whatever hand.
    pub fn leaks(&self, vault: &Vault, text: &str, exposure: Exposure) -> Vec<Leak> {
        let hits = self.hits(vault, text, self.scope(exposure), exposure.hides_random());
        let masked: Vec<Hit> = hits.into_iter().filter(|hit| exposure.masks(hit.kind)).collect();
        outside_literals(text, unite(masked))
            .into_iter()
            .map(|hit| {
                let placeholder = match hit.owner {
                    Some(Owner::Known(owner)) => vault.owner(owner),
                    _ => text.get(hit.start..hit.end).and_then(|value| vault.placeholder_of(hit.kind, value)),
                };
                Leak { placeholder, kind: hit.kind, start: hit.start, end: hit.end }
            })
            .collect()
    }

    /// Takes a value that a model found in the material into the vault, unless it would hide ordinary text.
    pub fn register_entity(
        &self,
        vault: &mut Vault,
        kind: Kind,
        value: &str,
        material: &str,
    ) -> Result<Placeholder, EntityRefusal> {
        let value = value.trim();
        if value.chars().count() < 3 {
            return Err(EntityRefusal::TooShort);
        }
        let Some(at) = material.find(value) else { return Err(EntityRefusal::NotInMaterial) };
        if value.starts_with('[') && value.ends_with(']') || literal(value).next().is_some() {
            return Err(EntityRefusal::IsPlaceholder);
        }
        let is_upper = value.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
        let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
        let is_assigned = material[at + value.len()..].trim_start().starts_with('=');
        // A token has digits among its letters; a variable has none, or a value behind it.
        if is_upper && value.bytes().any(|byte| byte.is_ascii_uppercase()) && (!has_digit || is_assigned) {
            return Err(EntityRefusal::IsIdentifier);
        }
        let words: Vec<&str> = value.split_whitespace().collect();
        if words.iter().all(|word| is_common(word.trim_matches(|character: char| !character.is_alphanumeric()))) {
            return Err(EntityRefusal::IsOrdinary);
        }
        Ok(vault.mint(kind, value))
    }

    /// Takes values into the vault that a reader found in a text as it stands, before anything was hidden in it.
    ///
    /// A reader of names sees more in a whole sentence than in one with placeholders. What it says of a secret or of a
    /// number that the rules know is left out: the rules know better.
    ///
    /// # Errors
    /// The text cannot be scrubbed.
    pub fn register_entities<'v>(
        &self,
        vault: &mut Vault,
        text: &str,
        exposure: Exposure,
        entities: impl IntoIterator<Item = (Kind, &'v str)>,
    ) -> Result<(), ScrubError> {
        let scrubbed = self.scrub(vault, text, exposure)?;
        let is_known_better =
            |kind: Kind| !matches!(kind, Kind::Person | Kind::Address | Kind::Phone | Kind::Pii | Kind::Dob);
        let known: Vec<&str> = scrubbed
            .found
            .iter()
            .filter(|found| is_known_better(found.kind))
            .filter_map(|found| text.get(found.start..found.end))
            .collect();
        for (kind, value) in entities {
            if !known.iter().any(|known| known.contains(value) || value.contains(known)) {
                // A value that would hide ordinary text is not taken, and that is no failure.
                let _ = self.register_entity(vault, kind, value, text);
            }
        }
        Ok(())
    }

    /// Takes a value that somebody says is private into the vault; the kind is the one that its own shape shows, a name
    /// for two to four words that read like one, and a secret for anything else.
    pub fn register_value(&self, vault: &mut Vault, value: &str) -> Placeholder {
        let value = value.trim();
        let hits = unite(self.hits(vault, value, Scope::Everything, false));
        let kind = match hits.as_slice() {
            [hit] if hit.start == 0 && hit.end == value.len() => hit.kind,
            _ if is_name(value) => Kind::Person,
            _ => Kind::Secret,
        };
        vault.mint(kind, value)
    }

    fn check(&self, text: &str) -> Result<(), ScrubError> {
        if self.refuses {
            return Err(ScrubError::Refused);
        }
        if text.len() > self.limit {
            return Err(ScrubError::TooLong { length: text.len(), limit: self.limit });
        }
        Ok(())
    }

    fn scope(&self, exposure: Exposure) -> Scope {
        if exposure.masks_secrets_only() || !self.has_shapes { Scope::Secrets } else { Scope::Everything }
    }

    fn hits(&self, vault: &Vault, text: &str, scope: Scope, hides_random: bool) -> Vec<Hit> {
        let kind_of = |owner: u32| vault.owner(owner).map_or(Kind::Secret, |placeholder| placeholder.kind);
        let scope = if self.has_shapes { scope } else { Scope::Secrets };
        let detector = Detector {
            known: vault.index(),
            kind_of: &kind_of,
            terms: Some(&self.terms).filter(|terms| !terms.is_empty()),
            rules: Some(&self.rules).filter(|rules| !rules.is_empty()),
            scope,
            hides_random,
        };
        let mut hits = detector.detect(text);
        if self.is_strict && scope == Scope::Everything {
            hits.extend(bare_phones(text));
        }
        hits
    }

    /// The placeholder of a hit, minted now if it has none.
    fn mint(&self, vault: &mut Vault, text: &str, hit: &Hit) -> Placeholder {
        match hit.owner {
            Some(Owner::Known(owner))
                if vault.owner(owner).is_some_and(|known| known.kind.tier() >= hit.kind.tier()) =>
            {
                vault.owner(owner).unwrap_or(Placeholder { kind: hit.kind, number: 0 })
            }
            Some(Owner::Term(owner)) if self.terms.term(owner).is_some() => {
                let (kind, value) = self.terms.term(owner).unwrap_or((hit.kind, ""));
                vault.mint_with(kind, value, hit.echo)
            }
            _ => vault.mint_with(hit.kind, text.get(hit.start..hit.end).unwrap_or_default(), echo_of(hit, text)),
        }
    }

    /// The first look: what is replaced by what.
    fn pass(&self, vault: &mut Vault, text: &str, exposure: Exposure) -> Vec<Edit> {
        let hits = self.hits(vault, text, self.scope(exposure), exposure.hides_random());
        let mut masked: Vec<Hit> = hits.into_iter().filter(|hit| exposure.masks(hit.kind)).collect();
        let mut hits = outside_literals(text, unite(masked.clone()));
        reserve_literals(vault, text);
        let known = vault.len();
        for hit in &hits {
            self.mint(vault, text, hit);
        }
        if vault.len() > known {
            // What was just learnt may stand in the same text without its label.
            masked.extend(known_hits(vault, text).into_iter().filter(|hit| exposure.masks(hit.kind)));
            hits = outside_literals(text, unite(masked));
        }
        let mut edits: Vec<Edit> =
            hits.iter().map(|hit| Edit::new(hit, self.mint(vault, text, hit).to_string())).collect();
        unwrap_nested(text, &mut edits);
        edits
    }

    /// The second look: what is still private near the replacements. Further away, nothing has changed since the first.
    fn look_again(&self, vault: &Vault, written: &Written, exposure: Exposure) -> Vec<Edit> {
        let text = written.text.as_str();
        let mut edits = Vec::new();
        for (start, end) in neighbourhoods(text, &written.places) {
            let Some(part) = text.get(start..end) else { continue };
            let hits = self.hits(vault, part, self.scope(exposure), exposure.hides_random());
            let masked: Vec<Hit> = hits.into_iter().filter(|hit| exposure.masks(hit.kind)).collect();
            let found = outside_literals(part, unite(masked));
            edits.extend(found.iter().map(|hit| {
                let edit = Edit::new(hit, REDACTED.to_owned());
                Edit { start: edit.start + start, end: edit.end + start, ..edit }
            }));
        }
        unwrap_nested(text, &mut edits);
        edits
    }
}

/// The lines around the replacements, with two more on both sides.
fn neighbourhoods(text: &str, places: &[(usize, usize)]) -> Vec<(usize, usize)> {
    const LINES: usize = 2;
    let bytes = text.as_bytes();
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &(start, end) in places {
        let floor = ranges.last().map_or(0, |last| last.1);
        let last_end = if end <= floor { continue } else { end };
        let mut from = start.max(floor);
        for line in 0..=LINES {
            if let Some(found) = memchr::memrchr(b'\n', &bytes[floor..from]) {
                from = floor + found + usize::from(line == LINES);
            } else {
                from = floor;
                break;
            }
        }
        let mut to = last_end;
        for _ in 0..=LINES {
            to = memchr::memchr(b'\n', &bytes[to..]).map_or(bytes.len(), |found| to + found + 1);
        }
        match ranges.last_mut() {
            Some(last) if from <= last.1 => last.1 = to,
            _ => ranges.push((from, to)),
        }
    }
    ranges
}

/// The values of the vault that stand in a text.
fn known_hits(vault: &Vault, text: &str) -> Vec<Hit> {
    let shadow = Shadow::of(text);
    let sightings = vault.index().search(shadow.text());
    sightings
        .into_iter()
        .filter_map(|sighting| {
            let kind = vault.owner(sighting.owner)?.kind;
            let (start, end) = shadow.source(sighting.start, sighting.end);
            Some(Hit { owner: Some(Owner::Known(sighting.owner)), ..Hit::new(start, end, kind, "known-value") })
        })
        .collect()
}

/// A value that is too short to be looked for is private in its place only.
fn echo_of(hit: &Hit, text: &str) -> Echo {
    let value = text.get(hit.start..hit.end).unwrap_or_default();
    let letters_and_digits = value.chars().filter(|character| character.is_alphanumeric()).count();
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_punctuation() || byte == b' ');
    if hit.kind != Kind::Person && is_number && letters_and_digits < 5 { Echo::HereOnly } else { hit.echo }
}

/// A replacement in a text.
#[derive(Debug, Clone)]
struct Edit {
    start: usize,
    end: usize,
    with: String,
    kind: Kind,
    rule: Cow<'static, str>,
    /// It hides a value, and does not only take a wrapping away.
    counts: bool,
}

impl Edit {
    fn new(hit: &Hit, with: String) -> Self {
        Self { start: hit.start, end: hit.end, with, kind: hit.kind, rule: hit.rule.clone(), counts: true }
    }

    fn found(&self) -> Found {
        Found {
            placeholder: self.with.clone(),
            kind: self.kind,
            rule: self.rule.clone(),
            start: self.start,
            end: self.end,
        }
    }
}

/// A text with its edits, and the places of these in it.
struct Written {
    text: String,
    places: Vec<(usize, usize)>,
}

fn apply(text: &str, edits: &[Edit]) -> Written {
    let mut written = Written { text: String::with_capacity(text.len()), places: Vec::with_capacity(edits.len()) };
    let mut at = 0;
    for edit in edits {
        written.text.push_str(&text[at..edit.start]);
        let start = written.text.len();
        written.text.push_str(&edit.with);
        written.places.push((start, written.text.len()));
        at = edit.end;
    }
    written.text.push_str(&text[at..]);
    written
}

/// Edits of a text, and further ones that were found in what they wrote, as edits of the text.
fn merge(edits: &[Edit], further: Vec<Edit>, places: &[(usize, usize)]) -> Vec<Edit> {
    // The place in the source of a place in what was written.
    let source = |at: usize, is_end: bool| {
        let index = places.partition_point(|(start, _)| *start < at + usize::from(!is_end));
        match index.checked_sub(1).and_then(|index| Some((places.get(index)?, edits.get(index)?))) {
            Some(((start, end), edit)) if at < *end || (is_end && at == *end) => {
                if is_end || at > *start {
                    edit.end
                } else {
                    edit.start
                }
            }
            Some(((_, end), edit)) => edit.end + (at - end),
            None => at,
        }
    };
    let mut moved: Vec<Edit> = further
        .into_iter()
        .map(|edit| Edit { start: source(edit.start, false), end: source(edit.end, true), ..edit })
        .collect();
    moved.extend(edits.iter().cloned());
    moved.sort_by(|a, b| a.start.cmp(&b.start).then(b.end.cmp(&a.end)));
    let mut merged: Vec<Edit> = Vec::with_capacity(moved.len());
    for edit in moved {
        match merged.last_mut() {
            Some(last) if edit.start < last.end => last.end = last.end.max(edit.end),
            _ => merged.push(edit),
        }
    }
    merged
}

/// The part of hits that is no placeholder already.
fn outside_literals(text: &str, hits: Vec<Hit>) -> Vec<Hit> {
    if hits.is_empty() {
        return hits;
    }
    let mut literals: Vec<(usize, usize)> = literal(text).map(|(start, end, _)| (start, end)).collect();
    literals.extend(memchr::memmem::find_iter(text.as_bytes(), REDACTED).map(|start| (start, start + REDACTED.len())));
    literals.sort_unstable();
    if literals.is_empty() {
        return hits;
    }
    let mut outside = Vec::with_capacity(hits.len());
    for hit in hits {
        let mut start = hit.start;
        let first = literals.partition_point(|(_, end)| *end <= hit.start);
        for &(from, to) in literals.iter().skip(first).take_while(|(from, _)| *from < hit.end) {
            push_part(text, &hit, start, from, &mut outside);
            start = start.max(to);
        }
        push_part(text, &hit, start, hit.end, &mut outside);
    }
    outside
}

/// A part of a hit between placeholders, without the blanks and signs at its ends.
fn push_part(text: &str, hit: &Hit, start: usize, end: usize, parts: &mut Vec<Hit>) {
    if start >= end {
        return;
    }
    if start == hit.start && end == hit.end {
        parts.push(hit.clone());
        return;
    }
    let Some(part) = text.get(start..end) else { return };
    let is_edge = |character: char| !character.is_alphanumeric();
    let trimmed = part.trim_matches(is_edge);
    if trimmed.is_empty() {
        return;
    }
    let from = start + (part.len() - part.trim_start_matches(is_edge).len());
    parts.push(Hit { start: from, end: from + trimmed.len(), owner: None, ..hit.clone() });
}

fn reserve_literals(vault: &mut Vault, text: &str) {
    for (_, _, placeholder) in literal(text) {
        vault.reserve(placeholder);
    }
}

/// `[CARD-[CARD-1]]`, which models write around a placeholder, is the placeholder.
fn unwrap_nested(text: &str, edits: &mut Vec<Edit>) {
    let is_wrapping = |start: usize| {
        let window = text.as_bytes().get(start.saturating_sub(10)..start)?;
        let open = start - window.len() + memchr::memrchr(b'[', window)?;
        let kind = text.get(open + 1..start)?.strip_suffix('-')?;
        kind.parse::<Kind>().ok().map(|_| open)
    };
    for edit in edits.iter_mut() {
        if let Some(open) = is_wrapping(edit.start).filter(|_| text[edit.end..].starts_with(']')) {
            edit.start = open;
            edit.end += 1;
        }
    }
    let nested: Vec<Edit> = literal(text)
        .filter(|(_, end, _)| text[*end..].starts_with(']'))
        .filter_map(|(start, end, placeholder)| {
            let open = is_wrapping(start)?;
            let rule = Cow::Borrowed("nested-placeholder");
            Some(Edit {
                start: open,
                end: end + 1,
                with: placeholder.to_string(),
                kind: placeholder.kind,
                rule,
                counts: false,
            })
        })
        .filter(|nested| !edits.iter().any(|edit| edit.start < nested.end && nested.start < edit.end))
        .collect();
    if !nested.is_empty() {
        edits.extend(nested);
        edits.sort_by_key(|edit| edit.start);
    }
}
