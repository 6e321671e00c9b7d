//! What a human accepted of a list, against what its file says now.
//!
//! What tightens holds at once: a new `ask:` or `deny:`, an allowing line that is gone. What loosens waits for a human:
//! a new allowing line, and a rule that is gone.

use lwa_policy::AllowList;
use lwa_privacy::egress::{KnownSecrets, scrub_secrets};
use lwa_protocol::approval::PolicyChangeLine;

/// The key of a line in the question about it.
const LINE_KEY: &str = "run-allow";

/// An entry with the lines below it: its reason and its examples.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Block {
    entry: String,
    text: String,
}

impl Block {
    /// Whether it asks or refuses, instead of allowing.
    fn tightens(&self) -> bool {
        AllowList::tightens(&self.entry)
    }
}

/// A difference that waits for a human.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// A line that allows something.
    Added(String),
    /// A line that asks or refuses.
    Removed(String),
}

/// What is in force.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Merged {
    /// The text of the list.
    pub text: String,
    /// What a human accepted and what tightens, to be kept: each an entry with the lines below it.
    pub accepted: Vec<String>,
    /// What waits.
    pub waiting: Vec<Waiting>,
}

/// Merges the text of a file with what was accepted of it; `None` stands for a file that cannot be used, which leaves
/// everything accepted in force.
pub(super) fn merge(file: Option<&str>, accepted: &[String]) -> Merged {
    let accepted: Vec<Block> = accepted.iter().flat_map(|text| blocks(text)).collect();
    let Some(file) = file else {
        return Merged::of(accepted, Vec::new());
    };
    let (mut in_force, mut waiting) = (Vec::new(), Vec::new());
    let written = blocks(file);
    for block in &written {
        if block.tightens() || accepted.iter().any(|known| known.entry == block.entry) {
            in_force.push(block.clone());
        } else {
            waiting.push(Waiting::Added(block.entry.clone()));
        }
    }
    for block in accepted {
        if block.tightens() && !written.iter().any(|known| known.entry == block.entry) {
            waiting.push(Waiting::Removed(block.entry.clone()));
            in_force.push(block);
        }
    }
    Merged::of(in_force, waiting)
}

/// A file as a whole, when a human has it so.
pub(super) fn all_of(file: &str) -> Vec<String> {
    blocks(file).into_iter().map(|block| block.text).collect()
}

/// What was accepted, after a human said yes to these lines of what waits.
pub(super) fn accept(mut accepted: Vec<String>, waiting: &[Waiting], lines: &[PolicyChangeLine]) -> Vec<String> {
    for change in waiting.iter().filter(|change| lines.contains(&change.change())) {
        match change {
            Waiting::Added(line) => accepted.push(line.clone()),
            Waiting::Removed(line) => {
                accepted.retain(|text| blocks(text).first().is_none_or(|block| block.entry != *line));
            }
        }
    }
    accepted
}

impl Merged {
    fn of(in_force: Vec<Block>, waiting: Vec<Waiting>) -> Self {
        let accepted: Vec<String> = in_force.into_iter().map(|block| block.text).collect();
        Self { text: accepted.concat(), accepted, waiting }
    }
}

impl Waiting {
    /// As the question shows it: a key that somebody wrote into a line is nothing to show.
    pub(super) fn change(&self) -> PolicyChangeLine {
        let shown = |line: &str| scrub_secrets(line, &KnownSecrets::none()).text.into_owned();
        let (from, to, effect) = match self {
            Self::Added(line) => ("", line.as_str(), "commands of this shape run without a question"),
            Self::Removed(line) => (line.as_str(), "", "the rule counts no more"),
        };
        PolicyChangeLine { key: LINE_KEY.to_owned(), from: shown(from), to: shown(to), effect: effect.to_owned() }
    }
}

fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for raw in text.lines() {
        let line = raw.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let is_below = ["match:", "not_match:", "because:"].iter().any(|name| line.starts_with(name));
        match blocks.last_mut().filter(|_| is_below) {
            Some(block) => {
                block.text.push_str("  ");
                block.text.push_str(line);
                block.text.push('\n');
            }
            None => blocks.push(Block { entry: line.to_owned(), text: format!("{line}\n") }),
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(lines: &[&str]) -> Vec<String> {
        lines.iter().map(|line| format!("{line}\n")).collect()
    }

    #[test]
    fn what_tightens_holds_at_once_and_what_loosens_waits() {
        let had = list(&["git*", "deny: git push*", "ls*"]);
        // The file, what is in force then, and what waits.
        let added = |line: &str| Waiting::Added(line.to_owned());
        let removed = |line: &str| Waiting::Removed(line.to_owned());
        for (file, in_force, waiting) in [
            ("git*\ndeny: git push*\nls*", vec!["git*", "deny: git push*", "ls*"], vec![]),
            ("git*\ndeny: git push*", vec!["git*", "deny: git push*"], vec![]),
            ("git*\ndeny: git push*\nask: git tag*", vec!["git*", "deny: git push*", "ask: git tag*"], vec![]),
            ("git*\nls*", vec!["git*", "ls*", "deny: git push*"], vec![removed("deny: git push*")]),
            ("git*\ndeny: git push*\nrm*", vec!["git*", "deny: git push*"], vec![added("rm*")]),
            ("", vec!["deny: git push*"], vec![removed("deny: git push*")]),
            (
                "git*\ndeny: git push*\nin /srv: deny: ls*\nin /srv: make*",
                vec!["git*", "deny: git push*", "in /srv: deny: ls*"],
                vec![added("in /srv: make*")],
            ),
            (
                "deny: git push --force*",
                vec!["deny: git push --force*", "deny: git push*"],
                vec![removed("deny: git push*")],
            ),
        ] {
            let merged = merge(Some(file), &had);
            assert_eq!(merged.accepted, list(&in_force), "{file}");
            assert_eq!(merged.text, list(&in_force).concat(), "{file}");
            assert_eq!(merged.waiting, waiting, "{file}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_used_leaves_what_was_accepted() {
        let had = list(&["git*", "deny: git push*"]);
        let merged = merge(None, &had);
        assert_eq!((merged.accepted, merged.waiting), (had, Vec::new()));
        assert_eq!(merge(None, &[]), Merged::default());
    }

    #[test]
    fn reasons_and_examples_go_with_their_entry() {
        let file = "deny: terraform destroy*\n  because: shared\n# a comment\n  match: terraform destroy -y\nls*\n";
        let kept = all_of(file);
        assert_eq!(
            kept,
            [
                "deny: terraform destroy*\n  because: shared\n  match: terraform destroy -y\n".to_owned(),
                "ls*\n".to_owned()
            ]
        );
        assert_eq!(merge(Some("ls*"), &kept).text, format!("{}{}", kept[1], kept[0]));
    }

    #[test]
    fn a_yes_takes_lines_in_and_out() {
        let had = list(&["git*", "deny: git push*"]);
        let key = format!("sk-{}", "a8Kd73LmQz".repeat(3));
        let waiting = [
            Waiting::Added("rm*".to_owned()),
            Waiting::Removed("deny: git push*".to_owned()),
            Waiting::Added(format!("deploy {key}")),
            Waiting::Added("ssh*".to_owned()),
        ];
        let shown: Vec<PolicyChangeLine> = waiting.iter().take(3).map(Waiting::change).collect();
        assert!(!shown[2].to.contains(&key), "{:?}", shown[2]);
        let now = accept(had, &waiting, &shown);
        assert_eq!(merge(Some(&format!("deploy {key}\nssh*")), &now).waiting, [Waiting::Added("ssh*".to_owned())]);
        assert_eq!(merge(Some("git*\nrm*"), &now).waiting, []);
    }
}
