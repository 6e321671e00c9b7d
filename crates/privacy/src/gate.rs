//! The one pass that finds every word at which a recogniser has to look.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::{identity, secrets};

/// What a word announces.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Trigger {
    /// Something for the recognisers of secrets.
    Secret(secrets::Trigger),
    /// Something for the recognisers of people, places and numbers.
    Identity(identity::Trigger),
}

/// An automaton and the meaning of its words.
pub(crate) struct Gate {
    automaton: AhoCorasick,
    triggers: Vec<Trigger>,
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
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::DFA))
            .build(words.iter().map(|(word, _)| word))
            .expect("BUG: the table of words makes an automaton");
        Self { automaton, triggers: words.into_iter().map(|(_, trigger)| trigger).collect() }
    }

    /// Every word in a text with its range, overlapping ones included, by rising end.
    pub(crate) fn words<'g>(&'g self, text: &'g str) -> impl Iterator<Item = (Trigger, usize, usize)> + 'g {
        self.automaton.find_overlapping_iter(text).filter_map(|found| {
            let trigger = self.triggers.get(found.pattern().as_usize()).copied()?;
            Some((trigger, found.start(), found.end()))
        })
    }
}
