//! Chooses which units stand in the result.

use crate::class::{Class, Draft};

/// Without a budget, what may go fills the result up to this share of the text, in per cent.
const FULL_SHARE: usize = 25;
/// Code and lines that mention failures may fill it up to this share, so that few of them are lost.
const MENTION_SHARE: usize = 31;
/// Passing tests named after failures stand while all of them take no more than this share.
const HARMLESS_SHARE: usize = 12;
/// The least worth keeping fills it only up to this share.
const LEAN_SHARE: usize = 12;
/// Landmarks alone take at most this share.
const LANDMARK_SHARE: usize = 5;
/// A short text may keep so many bytes whatever its length.
const FLOOR_BYTES: usize = 1024;
/// Landmarks of a long log do not take more than this.
const LANDMARK_BYTES: usize = 12 * 1024;

/// How much may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Limit {
    /// All failures, warnings and statements, and a share of the rest.
    Binding,
    /// At most so many bytes.
    Bytes(usize),
}

/// The units of a draft by class.
#[derive(Debug)]
pub(crate) struct Shelf {
    by_class: Vec<(Class, Vec<usize>, usize)>,
}

impl Shelf {
    /// Sorts the units of a draft.
    pub(crate) fn of(draft: &Draft) -> Self {
        let mut by_class: Vec<_> = Class::BY_WORTH.iter().map(|class| (*class, Vec::new(), 0)).collect();
        let mut place = [usize::MAX; Class::COUNT];
        for (at, class) in Class::BY_WORTH.iter().enumerate() {
            if let Some(slot) = place.get_mut(*class as usize) {
                *slot = at;
            }
        }
        for (index, unit) in draft.units.iter().enumerate() {
            let at = place.get(unit.class as usize).copied().unwrap_or(usize::MAX);
            if let Some((_, units, bytes)) = by_class.get_mut(at) {
                units.push(index);
                *bytes += unit.len() + 1;
            }
        }
        Self { by_class }
    }

    /// Marks the units that stand; `input_bytes` is the length of the whole text.
    pub(crate) fn choose(&self, draft: &mut Draft, limit: Limit, input_bytes: usize) {
        for unit in &mut draft.units {
            unit.is_kept = false;
        }
        match limit {
            Limit::Binding => self.choose_binding(draft, input_bytes),
            Limit::Bytes(bytes) => self.choose_bytes(draft, bytes),
        }
    }

    fn choose_bytes(&self, draft: &mut Draft, bytes: usize) {
        let longest = longest_unit(bytes);
        let mut used = 0;
        for (at, (_, units, total)) in self.by_class.iter().enumerate() {
            // A text full of failures must not crowd out its decisions, nor the other way round.
            let later = self.by_class.get(at + 1..).unwrap_or_default();
            let reserved: usize = later.iter().map(|(class, _, total)| (*total).min(least_share(*class, bytes))).sum();
            used += take(draft, units, *total, bytes.saturating_sub(used + reserved), longest);
        }
    }

    fn choose_binding(&self, draft: &mut Draft, input_bytes: usize) {
        let mut used = 0;
        for (_, units, total) in self.by_class.iter().filter(|(class, ..)| class.is_binding()) {
            used += take(draft, units, *total, usize::MAX, usize::MAX);
        }
        let share = |per_cent: usize| (input_bytes / 100).saturating_mul(per_cent).max(FLOOR_BYTES);
        // Mentions are many where tests are named after failures; they must leave room for what explains real ones.
        let free = share(MENTION_SHARE).saturating_sub(used);
        let near: usize =
            self.by_class.iter().filter(|(class, ..)| *class == Class::NearContext).map(|(.., total)| total).sum();
        let reserved = near.min(free / 4);
        for (class, units, total) in self.by_class.iter().filter(|(class, ..)| !class.is_binding()) {
            let room = match class {
                Class::Landmark => {
                    share(LANDMARK_SHARE).min(LANDMARK_BYTES).min(share(FULL_SHARE).saturating_sub(used))
                }
                Class::Code => share(MENTION_SHARE).saturating_sub(used),
                Class::Mention => share(MENTION_SHARE).saturating_sub(used + reserved),
                // A part of the passing tests tells nothing: all of them stand, or none.
                Class::HarmlessMention
                    if *total > share(HARMLESS_SHARE).min(share(FULL_SHARE).saturating_sub(used + reserved)) =>
                {
                    0
                }
                Class::NearContext => share(FULL_SHARE).saturating_sub(used).max(reserved),
                Class::SeenFact | Class::FarContext => share(LEAN_SHARE).saturating_sub(used),
                _ => share(FULL_SHARE).saturating_sub(used),
            };
            used += take(draft, units, *total, room, usize::MAX);
        }
    }
}

/// Lets the fences of a code block stand exactly when some of its lines do, and fills small gaps.
pub(crate) fn settle(draft: &mut Draft) {
    for (open, close) in &draft.blocks {
        let Some(units) = draft.units.get_mut(*open..=*close) else { continue };
        let [first, inner @ .., last] = units else { continue };
        let is_shown = inner.iter().any(|unit| unit.is_kept);
        first.is_kept = is_shown;
        last.is_kept = is_shown;
    }
    fill_small_gaps(draft);
}

/// Keeps what is skipped between two kept units when its marker would be as long.
fn fill_small_gaps(draft: &mut Draft) {
    const MARKER_BYTES: usize = 12;
    let mut last_kept: Option<usize> = None;
    for index in 0..draft.units.len() {
        if !draft.units.get(index).is_some_and(|unit| unit.is_kept) {
            continue;
        }
        if let Some(before) = last_kept
            && index > before + 1
            && let Some(gap) = draft.units.get_mut(before + 1..index)
        {
            let is_small =
                gap.len() <= MARKER_BYTES && gap.iter().map(|unit| unit.len() + 1).sum::<usize>() <= MARKER_BYTES;
            if is_small && gap.iter().any(|unit| unit.class > Class::Filler) {
                for unit in gap {
                    unit.is_kept = true;
                }
            }
        }
        last_kept = Some(index);
    }
}

/// What a class keeps of a budget although a class of more worth could fill it.
fn least_share(class: Class, bytes: usize) -> usize {
    match class {
        Class::Statement => bytes / 2,
        Class::Summary => bytes / 8,
        _ => 0,
    }
}

/// Under a budget no single unit takes more than a part of it.
pub(crate) fn longest_unit(budget: usize) -> usize {
    (budget / 5).max(160)
}

/// Keeps all units if there is room for `total`, else the first and the last ones; gives the bytes taken.
fn take(draft: &mut Draft, units: &[usize], total: usize, room: usize, longest: usize) -> usize {
    if total <= room {
        for index in units {
            keep(draft, *index);
        }
        return total;
    }
    let mut used = 0;
    let mut front = 0;
    let mut back = units.len();
    // The back gets half of the room, the front what is left, and the back again what the front could not use.
    for (part, is_front) in [(room / 2, false), (room, true), (room, false)] {
        while front < back {
            let at = if is_front { front } else { back - 1 };
            let Some(index) = units.get(at).copied() else { break };
            let cost = draft.units.get(index).map_or(0, |unit| unit.len().min(longest) + 1);
            if used + cost > part {
                break;
            }
            used += cost;
            keep(draft, index);
            if is_front {
                front += 1;
            } else {
                back -= 1;
            }
        }
    }
    used
}

fn keep(draft: &mut Draft, index: usize) {
    if let Some(unit) = draft.units.get_mut(index) {
        unit.is_kept = true;
    }
}
