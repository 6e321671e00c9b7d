//! Deny shapes in a text that has no tree: piece by piece, so that a broken quote hides nothing.

use std::collections::BTreeSet;

use crate::context::Context;
use crate::finding::{Finding, Weight};
use crate::walk::state::State;
use crate::walk::{Budget, Walker};

/// More pieces than this are not looked at; the human is asked in any case.
const MOST: usize = 4096;

/// No piece takes more steps than this.
const STEPS: usize = 64;

/// What a command of a piece denies.
pub(crate) fn deny_shapes(text: &str, context: &Context<'_>) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    let marks = |next: char| matches!(next, '\n' | ';' | '|' | '&' | '(' | ')' | '`' | '{' | '}' | '\r');
    let outer = |next: char| marks(next) && !matches!(next, '|' | '&');
    // Whole lines and whole pipes first, since a pipe is a shape of its own.
    let pieces = text.lines().chain(text.split(outer)).chain(text.split(marks));
    let mut seen = BTreeSet::new();
    let mut left = Budget::of(text);
    for piece in pieces {
        if left.is_spent() {
            break;
        }
        if !seen.insert(piece) {
            continue;
        }
        if seen.len() > MOST {
            break;
        }
        let piece = piece.trim().trim_start_matches(['!', '$', '\\', ' ']);
        if piece.is_empty() || piece.len() > 4096 {
            continue;
        }
        let plain: String = piece.chars().filter(|next| !matches!(next, '\'' | '"')).collect();
        for candidate in [piece, plain.as_str()] {
            let candidate = without_keyword(candidate);
            let mut walker = Walker::scanning(context);
            let mut state = State { folder: context.working_folder.clone(), ..State::default() };
            let part = left.part(STEPS);
            walker.budget = part;
            walker.code(candidate, &mut state, &crate::arg::Flow::Nothing);
            left = left.less(part, walker.budget);
            for finding in walker.findings {
                if finding.weight == Weight::Deny && !found.contains(&finding) {
                    found.push(finding);
                }
            }
        }
        if !found.is_empty() {
            break;
        }
    }
    found
}

/// The text behind a word of the grammar that opens a compound.
fn without_keyword(text: &str) -> &str {
    let mut text = text;
    for _ in 0..4 {
        let Some((first, rest)) = text.split_once(char::is_whitespace) else { return text };
        if !matches!(first, "if" | "then" | "else" | "elif" | "do" | "while" | "until" | "fi" | "done") {
            return text;
        }
        text = rest.trim_start();
    }
    text
}
