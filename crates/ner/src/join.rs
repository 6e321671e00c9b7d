//! From words with labels to groups: what belongs together is one range.

use crate::entity::EntityKind;
use crate::label::Label;
use crate::words::is_particle;

/// The share from which on a word counts.
const LEAST_SHARE: f32 = 0.3;
/// The share from which on a word counts beside one that does.
const LEAST_SHARE_BESIDE: f32 = 0.2;
/// The longest gap inside a group, in bytes.
const WIDEST_GAP: usize = 16;

/// A word as the network reads it: letters and digits, or one mark.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Word {
    pub start: usize,
    pub end: usize,
    /// What it most probably is.
    pub label: Label,
    /// How probable it is that it is anything.
    pub share: f32,
}

/// Words that belong together, with what they are.
#[derive(Debug, Clone)]
pub(crate) struct Group {
    pub start: usize,
    pub end: usize,
    pub kind: EntityKind,
    /// One bit for each label that a word of it has.
    labels: u32,
    sum: f32,
    words: u16,
}

impl Group {
    fn of(word: &Word) -> Option<Self> {
        Some(Self {
            start: word.start,
            end: word.end,
            kind: EntityKind::of(word.label)?,
            labels: 1 << word.label as u32,
            sum: word.share,
            words: 1,
        })
    }

    /// Whether a word of it has one of these labels.
    pub(crate) fn has(&self, labels: &[Label]) -> bool {
        labels.iter().any(|label| self.labels & (1 << *label as u32) != 0)
    }

    /// Whether every word of it has one of these labels.
    pub(crate) fn has_only(&self, labels: &[Label]) -> bool {
        let allowed = labels.iter().fold(0, |bits, label| bits | 1 << *label as u32);
        self.labels & !allowed == 0
    }

    /// The mean over its words.
    pub(crate) fn score(&self) -> f32 {
        self.sum / f32::from(self.words.max(1))
    }

    /// Takes a group behind it into this one.
    pub(crate) fn absorb(&mut self, other: &Self) {
        self.end = other.end;
        self.labels |= other.labels;
        self.sum += other.sum;
        self.words = self.words.saturating_add(other.words);
    }
}

/// Joins the words of a text.
pub(crate) fn join(text: &str, words: &[Word]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let sure = word.share >= LEAST_SHARE;
        if !sure && word.share < LEAST_SHARE_BESIDE {
            continue;
        }
        let Some(new) = Group::of(word) else { continue };
        let before = groups.last_mut().filter(|group| group.kind == new.kind && belongs(text, group, &new));
        match before {
            Some(group) => group.absorb(&new),
            // In front of a sure word of the same kind, a less sure one begins the group.
            None if sure || leads(text, &new, words.get(at + 1)) => groups.push(new),
            None => {}
        }
    }
    groups
}

fn leads(text: &str, group: &Group, next: Option<&Word>) -> bool {
    next.filter(|next| next.share >= LEAST_SHARE)
        .and_then(Group::of)
        .is_some_and(|next| next.kind == group.kind && belongs(text, group, &next))
}

/// Whether a group belongs to the one in front of it, by what stands between them.
fn belongs(text: &str, group: &Group, next: &Group) -> bool {
    let Some(gap) = text.get(group.end..next.start) else { return false };
    if gap.is_empty() || gap.len() > WIDEST_GAP {
        return gap.is_empty();
    }
    // Columns of a table.
    if gap.contains("  ") && !gap.contains('\n') {
        return false;
    }
    let is_of = |allowed: &str| gap.chars().all(|character| allowed.contains(character));
    match group.kind {
        EntityKind::Person => {
            // `Doe, Jane` is one name; `Jane, Joe` and `Jane Doe, Joe` are two.
            let is_turned = gap == ", " && group.has_only(&[Label::Surname]) && next.has_only(&[Label::GivenName]);
            let is_inside = matches!(gap, "-" | "'" | "\u{2019}");
            let between = gap.trim_start_matches('.').trim_matches(' ');
            let is_initial = between.len() <= 2
                && !gap.contains(['\n', '\t'])
                && between.trim_end_matches('.').chars().all(char::is_uppercase);
            is_turned || is_inside || is_initial || between.split(' ').all(is_particle)
        }
        // Lines of a quoted letter begin with a mark.
        EntityKind::Address | EntityKind::Place => is_of(" ,.-/#:;\n\t\r()'>?"),
        EntityKind::Email => is_of("@.-_+"),
        EntityKind::Phone => is_of(" -.()+/\u{2013}"),
        EntityKind::Account | EntityKind::TaxId | EntityKind::Id => is_of(" -./"),
    }
}
