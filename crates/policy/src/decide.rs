//! The decision: deny shapes first, then what takes a command off the list, then the list.

use std::collections::{BTreeMap, BTreeSet};

use crate::allow_list::{AllowList, Fit};
use crate::arg::{Arg, Flow, line};
use crate::context::{Context, PlaceholderUse};
use crate::finding::{Finding, Record, Weight};
use crate::placeholder;
use crate::shape;
use crate::shell::fold::{self, Oddities};
use crate::verdict::{Command, Decision, Verdict, Word};
use crate::walk::state::State;
use crate::walk::{Budget, Walker};

/// A segment that is shown is not longer than this; the full text stands in the verdict's commands.
const SEGMENT: usize = 160;

/// The rule of a command that nothing speaks against and no list allows.
pub const UNLISTED: &str = "not on the allow list";

/// Decides about a command text.
pub fn decide(text: &str, list: &AllowList, context: &Context<'_>) -> Verdict {
    if text.trim().is_empty() {
        return plain(Decision::Deny, "empty", "There is no command.".to_owned());
    }
    if let Some(verdict) = secrets(text, context) {
        return verdict;
    }
    let mut walker = Walker::new(context);
    let mut state = State { folder: context.working_folder.clone(), ..State::default() };
    walker.budget = Budget::of(text);
    oddities(text, &mut walker, &state);
    walker.code(text, &mut state, &Flow::Nothing);
    if walker.budget.is_spent() {
        // What was not followed to its end is still looked through.
        walker.segment = shortened(text);
        walker.scan(text);
    }
    if let Some(verdict) = spelled_secret(&walker, context) {
        return verdict;
    }
    verdict(&walker, list, context)
}

/// A secret that only shows itself once the quotes are gone.
fn spelled_secret(walker: &Walker<'_>, context: &Context<'_>) -> Option<Verdict> {
    let words = walker.records.iter().flat_map(|record| &record.argv).filter(|word| word.has_placeholder);
    words.into_iter().find_map(|word| secrets(&word.text, context))
}

/// Decides about a command whose placeholders have been replaced: as strict as for the text that was written, and stricter
/// when the values change what runs. A reason that only the values give is told without them.
pub fn decide_expanded(written: &str, expanded: &str, list: &AllowList, context: &Context<'_>) -> Verdict {
    let first = decide(written, list, context);
    if written == expanded {
        return first;
    }
    let second = decide(expanded, list, context);
    let hides = |decision: Decision, rule: String, reason: String| Verdict {
        decision,
        rule,
        reason,
        segment: None,
        commands: first.commands.clone(),
        allowed_by: Vec::new(),
        warnings: first.warnings.clone(),
        shapes: Vec::new(),
    };
    if second.decision == Decision::Deny && first.decision != Decision::Deny {
        return hides(
            Decision::Deny,
            second.rule,
            "With its private values put in, the command is one that is refused.".to_owned(),
        );
    }
    let same = first.commands.len() == second.commands.len()
        && first
            .commands
            .iter()
            .zip(&second.commands)
            .all(|(one, other)| one.argv.len() == other.argv.len() && (one.program == other.program));
    if !same && first.decision != Decision::Deny {
        return hides(
            Decision::Deny,
            "value changes the command".to_owned(),
            "A private value would change which commands run.".to_owned(),
        );
    }
    if second.decision > first.decision {
        return hides(
            second.decision,
            second.rule,
            "With its private values put in, the command is not covered by the list.".to_owned(),
        );
    }
    first
}

fn plain(decision: Decision, rule: &str, reason: String) -> Verdict {
    Verdict {
        decision,
        rule: rule.to_owned(),
        reason,
        segment: None,
        commands: Vec::new(),
        allowed_by: Vec::new(),
        warnings: Vec::new(),
        shapes: Vec::new(),
    }
}

fn secrets(text: &str, context: &Context<'_>) -> Option<Verdict> {
    let mut names: Vec<String> = Vec::new();
    for found in placeholder::all(text) {
        if placeholder::role(&found.name, context) == Some(PlaceholderUse::Secret) && !names.contains(&found.name) {
            names.push(found.name);
        }
    }
    if names.is_empty() {
        return None;
    }
    let shown: Vec<String> = names.iter().map(|name| format!("`[{name}]`")).collect();
    Some(plain(
        Decision::Deny,
        "secret in command",
        format!(
            "The command holds {}: a secret is never put into a shell text. Keep it in a file that the program reads, or hand it over with `secret_env`.",
            shown.join(", ")
        ),
    ))
}

/// Characters that a human does not see: ask, and look at the text as another reader would take it.
fn oddities(text: &str, walker: &mut Walker<'_>, state: &State) {
    let odd = Oddities::of(text);
    if !odd.any() {
        return;
    }
    walker.segment = shortened(text);
    if odd.has_nul {
        walker.ask("control character", "the command holds a zero byte");
    }
    if odd.has_control {
        walker.ask("control character", "the command holds control characters");
    }
    if odd.has_invisible {
        walker.ask("invisible character", "the command holds characters that hide or turn text");
    }
    if odd.has_lookalike {
        walker.note("look-alike character", "the command holds characters that look like plain ones");
    }
    let folded = fold::plain(text);
    let before = walker.findings.len();
    walker.denied_in_code(&folded, &Flow::Nothing, state);
    let is_only_look = !(odd.has_nul || odd.has_control || odd.has_invisible);
    for finding in walker.findings.iter_mut().skip(before) {
        if is_only_look && finding.weight == Weight::Deny {
            finding.weight = Weight::Ask;
        }
    }
}

fn verdict(walker: &Walker<'_>, list: &AllowList, context: &Context<'_>) -> Verdict {
    let commands: Vec<Command> = walker.records.iter().filter(|record| !record.argv.is_empty()).map(command).collect();
    let warnings: Vec<String> = distinct(
        walker.findings.iter().filter(|finding| finding.weight == Weight::Note).map(|finding| finding.reason.clone()),
    );
    let mut verdict = Verdict { commands, warnings, ..plain(Decision::Ask, UNLISTED, String::new()) };
    if let Some(finding) = walker.findings.iter().find(|finding| finding.weight == Weight::Deny) {
        return with_finding(verdict, finding, Decision::Deny);
    }
    let rules = walker.records.iter().filter_map(|record| list.rule(record).map(|rule| (record, rule)));
    if let Some((record, (entry, effect, because))) = rules.max_by_key(|(_, rule)| rule.1) {
        let reason = because.map_or_else(|| format!("the list holds `{entry}`"), str::to_owned);
        let finding =
            Finding { weight: Weight::Ask, rule: "rule of the list", reason, segment: record.segment.clone() };
        if effect == Decision::Deny {
            return with_finding(verdict, &finding, Decision::Deny);
        }
        return with_finding(verdict, &finding, Decision::Ask);
    }
    let asks: Vec<&Finding> = walker.findings.iter().filter(|finding| finding.weight == Weight::Ask).collect();
    if let Some(finding) = asks.first() {
        verdict.warnings.extend(
            distinct(asks.iter().skip(1).map(|finding| finding.reason.clone()))
                .into_iter()
                .filter(|reason| *reason != finding.reason),
        );
        return with_finding(verdict, finding, Decision::Ask);
    }
    match coverage(&walker.records, list, context) {
        Ok(allowed_by) => {
            verdict.decision = Decision::Allow;
            "allow-list".clone_into(&mut verdict.rule);
            verdict.reason = if allowed_by.is_empty() {
                "The command does nothing that needs to be allowed.".to_owned()
            } else {
                format!("Every command is on the allow list: {}.", quoted(&allowed_by))
            };
            verdict.allowed_by = allowed_by;
            verdict
        }
        Err(missing) => {
            verdict.reason = sentence(&missing.reason);
            missing.rule.clone_into(&mut verdict.rule);
            verdict.segment = Some(shortened(&missing.segment));
            verdict.shapes = shape::of(&walker.records, list, context);
            verdict
        }
    }
}

fn with_finding(mut verdict: Verdict, finding: &Finding, decision: Decision) -> Verdict {
    verdict.decision = decision;
    finding.rule.clone_into(&mut verdict.rule);
    verdict.reason = sentence(&finding.reason);
    verdict.segment = Some(shortened(&finding.segment)).filter(|segment| !segment.is_empty());
    verdict
}

/// The entries that cover all commands, or what is not covered.
pub(crate) fn coverage(records: &[Record], list: &AllowList, context: &Context<'_>) -> Result<Vec<String>, Finding> {
    let mut allowed_by: Vec<String> = Vec::new();
    let mut exact: BTreeSet<usize> = BTreeSet::new();
    // A record stands behind what it covers, so the exact ones are found first.
    for record in records {
        if record.needs_entry && matches!(list.allows(record), Some((_, Fit::Exact))) {
            exact.insert(record.id);
        }
    }
    let covers: BTreeMap<usize, Option<usize>> = records.iter().map(|record| (record.id, record.cover)).collect();
    let is_covered = |record: &Record| {
        let mut cover = record.cover;
        for _ in 0..16 {
            let Some(id) = cover else { return false };
            if exact.contains(&id) {
                return true;
            }
            cover = covers.get(&id).copied().flatten();
        }
        false
    };
    let mut used = |entry: &str| {
        if !allowed_by.iter().any(|known| known == entry) {
            allowed_by.push(entry.to_owned());
        }
    };
    for record in records {
        if record.needs_entry && !is_covered(record) {
            let outer = record.behind.and_then(|(id, at)| Some((records.iter().find(|other| other.id == id)?, at)));
            let behind = || outer.and_then(|(outer, at)| list.allows_behind(outer, at, record));
            match list.allows(record).map(|(entry, _)| entry).or_else(behind) {
                Some(entry) => used(entry),
                None => {
                    let shown = line(&record.argv);
                    return Err(Finding {
                        weight: Weight::Ask,
                        rule: UNLISTED,
                        reason: format!("`{}` is not on the allow list", shortened(&shown)),
                        segment: record.segment.clone(),
                    });
                }
            }
        }
        for write in &record.writes {
            match list.allows_write(write, context) {
                Some(entry) => used(entry),
                None => {
                    let path = write.path.replace(crate::arg::UNKNOWN, "…");
                    return Err(Finding {
                        weight: Weight::Ask,
                        rule: "write",
                        reason: format!("it writes `{path}`, and that write is not on the allow list"),
                        segment: record.segment.clone(),
                    });
                }
            }
        }
    }
    Ok(allowed_by)
}

fn command(record: &Record) -> Command {
    Command {
        argv: record.argv.iter().map(word).collect(),
        program: record.words.first().map(Arg::shown).unwrap_or_default(),
        effects: record.effects.clone(),
    }
}

fn word(arg: &Arg) -> Word {
    Word { text: arg.shown(), is_static: arg.is_static() }
}

fn distinct(texts: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = Vec::new();
    for text in texts {
        if !seen.contains(&text) {
            seen.push(text);
        }
    }
    seen
}

fn quoted(entries: &[String]) -> String {
    entries.iter().map(|entry| format!("`{entry}`")).collect::<Vec<_>>().join(", ")
}

/// A reason as a sentence: a capital letter first, unless a name stands there, and a full stop.
fn sentence(reason: &str) -> String {
    let mut characters = reason.chars();
    let Some(first) = characters.next() else { return String::new() };
    let mut text: String = first.to_uppercase().collect();
    text.push_str(characters.as_str());
    if !text.ends_with('.') {
        text.push('.');
    }
    text
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= SEGMENT {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(SEGMENT - 1).collect();
    short.push('…');
    short
}
