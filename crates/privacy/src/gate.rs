//! The one pass that finds every word at which a recogniser has to look.

use std::sync::LazyLock;

use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::dfa::{Builder, DFA};
use aho_corasick::{Anchored, MatchKind};

use crate::{identity, secrets};

/// A text is read in parts of this length, which stay near the processor.
const PART: usize = 32 * 1024;
/// Each part is read at so many places at once: one step of the automaton waits for the one before, and the processor
/// does the steps of the other places meanwhile.
const LANES: usize = 4;

/// What a word announces.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Trigger {
    /// Something for the recognisers of secrets.
    Secret(secrets::Trigger),
    /// Something for the recognisers of people, places and numbers.
    Identity(identity::Trigger),
}

/// A word of the gate in a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Word {
    pub trigger: Trigger,
    pub start: usize,
    pub end: usize,
}

/// An automaton over lower case, and the meaning of its words.
pub(crate) struct Gate {
    automaton: DFA,
    start: StateID,
    triggers: Vec<Trigger>,
    /// The length of the longest word.
    longest: usize,
}

/// The gate for secrets alone.
pub(crate) static SECRETS: LazyLock<Gate> = LazyLock::new(|| Gate::of(secret_words().collect()));

/// The gate for everything.
pub(crate) static ALL: LazyLock<Gate> = LazyLock::new(|| Gate::of(secret_words().chain(identity_words()).collect()));

fn secret_words() -> impl Iterator<Item = (&'static str, Trigger)> {
    secrets::words().map(|(word, trigger)| (word, Trigger::Secret(trigger)))
}

fn identity_words() -> impl Iterator<Item = (&'static str, Trigger)> {
    identity::WORDS
        .iter()
        .flat_map(|&(trigger, words)| words.iter().map(move |&word| (word, Trigger::Identity(trigger))))
}

impl Gate {
    #[expect(clippy::expect_used, reason = "BUG: the tables are fixed and within the limits of the automaton")]
    fn of(words: Vec<(&'static str, Trigger)>) -> Self {
        let lower = words.iter().map(|(word, _)| word.to_ascii_lowercase());
        // A table without upper case is half as large, and stays nearer to the processor.
        let automaton = Builder::new()
            .match_kind(MatchKind::Standard)
            .prefilter(false)
            .build(lower)
            .expect("BUG: the table of words makes an automaton");
        let start = automaton.start_state(Anchored::No).expect("BUG: the automaton may begin anywhere");
        let longest = words.iter().map(|(word, _)| word.len()).max().unwrap_or_default();
        Self { automaton, start, triggers: words.into_iter().map(|(_, trigger)| trigger).collect(), longest }
    }

    /// Calls `look` for every word in a text, overlapping ones included, by rising end.
    pub(crate) fn words(&self, text: &str, mut look: impl FnMut(Word)) {
        let bytes = text.as_bytes();
        let mut lower = Vec::with_capacity(bytes.len().min(PART) + self.longest);
        let mut ends: [Vec<(StateID, usize)>; LANES] = Default::default();
        for start in (0..bytes.len()).step_by(PART) {
            // A word that begins in one part may end in the next one.
            let from = start.saturating_sub(self.longest);
            let part = bytes.get(from..bytes.len().min(start + PART)).unwrap_or_default();
            lower.clear();
            lower.extend(part.iter().map(u8::to_ascii_lowercase));
            self.ends(&lower, start - from, &mut ends);
            for (state, end) in ends.iter_mut().flat_map(|lane| lane.drain(..)) {
                for index in 0..self.automaton.match_len(state) {
                    let pattern = self.automaton.match_pattern(state, index);
                    let end = from + end;
                    if let Some(&trigger) = self.triggers.get(pattern.as_usize()) {
                        look(Word { trigger, start: end - self.automaton.pattern_len(pattern), end });
                    }
                }
            }
        }
    }

    /// Where words end in a part, from `first` on, with the state of the automaton there; each lane by rising end.
    fn ends(&self, part: &[u8], first: usize, ends: &mut [Vec<(StateID, usize)>; LANES]) {
        let length = (part.len() - first) / LANES;
        let begin = |lane: usize| first + lane * length;
        let mut states = [self.start; LANES];
        // What stands in front of a lane may be the beginning of its first word.
        for (lane, state) in states.iter_mut().enumerate() {
            let begin = begin(lane);
            for &byte in part.get(begin.saturating_sub(self.longest)..begin).unwrap_or_default() {
                *state = self.automaton.next_state(Anchored::No, *state, byte);
            }
        }
        let lanes: [&[u8]; LANES] =
            std::array::from_fn(|lane| part.get(begin(lane)..begin(lane) + length).unwrap_or_default());
        for at in 0..length {
            for (lane, bytes) in lanes.iter().enumerate() {
                let state = self.automaton.next_state(Anchored::No, states[lane], bytes[at]);
                states[lane] = state;
                if self.automaton.is_special(state) {
                    ends[lane].push((state, begin(lane) + at + 1));
                }
            }
        }
        // The last lane goes on to the end of the part.
        let mut state = states[LANES - 1];
        for (at, &byte) in part.iter().enumerate().skip(begin(LANES)) {
            state = self.automaton.next_state(Anchored::No, state, byte);
            if self.automaton.is_special(state) {
                ends[LANES - 1].push((state, at + 1));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where words end, one comparison after the other.
    fn plainly(text: &str) -> Vec<(usize, usize)> {
        let lower = text.to_ascii_lowercase();
        let mut found: Vec<(usize, usize)> = secret_words()
            .chain(identity_words())
            .flat_map(|(word, _)| {
                let word = word.to_ascii_lowercase();
                memchr::memmem::find_iter(lower.as_bytes(), &word).map(|at| (at, at + word.len())).collect::<Vec<_>>()
            })
            .collect();
        // Words that overlap themselves are found by their first place only here, and none does.
        found.sort_by_key(|&(start, end)| (end, start));
        found
    }

    fn by_lanes(text: &str) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        ALL.words(text, |word| found.push((word.start, word.end)));
        assert!(found.is_sorted_by_key(|&(_, end)| end), "words come by rising end");
        found.sort_by_key(|&(start, end)| (end, start));
        found
    }

    #[test]
    fn every_word_is_found_once_wherever_lanes_and_parts_meet() {
        let words = "Password: BEARER api_key passport number geboren St. mr. é // ";
        for filler in ["", "x", "xyz ", "\n"] {
            for length in [0, 1, 3, 4, 5, 63, 1000, PART - 7, PART, PART + 1, 2 * PART + 13] {
                let text: String = format!("{words}{filler}").chars().cycle().take(length).collect();
                assert_eq!(by_lanes(&text), plainly(&text), "{length} characters of words and {filler:?}");
            }
        }
    }

    #[test]
    fn a_word_alone_is_found_at_each_place() {
        for length in [40, PART + 40] {
            for at in (0..30).chain(length / LANES - 9..length / LANES + 3).chain(length - 30..length - 8) {
                let text = [&" ".repeat(at), "password", &" ".repeat(length - at)].concat();
                assert!(by_lanes(&text).contains(&(at, at + "passw".len())), "{at} in {length}");
            }
        }
    }
}
