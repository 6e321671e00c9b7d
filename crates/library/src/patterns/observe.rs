//! One observation: which pattern it belongs to, and what follows.

use std::cmp::Reverse;

use jiff::Timestamp;
use lwa_domain::TaskKind;

use super::feature::{Feature, RunMark, features};
use super::pattern::{Pattern, REMEMBERED_RUNS, Seen};
use crate::content::hex;
use crate::key::InstallationKey;
use crate::key_shape::without_keys;
use crate::manifest::tidy;
use crate::slug::Slug;

/// A text with fewer features says too little to be like another.
const FEWEST_FEATURES: usize = 3;
/// How many hexadecimal digits a signature has.
const SIGNATURE_DIGITS: usize = 20;
/// How many patterns of a task an unnamed text is compared with.
const COMPARED: usize = 200;
/// The longest name, in characters.
const LONGEST_NAME: usize = 120;
/// The longest description and project, in characters.
const LONGEST_TEXT: usize = 500;
/// The most tags of a pattern.
const MOST_TAGS: usize = 20;

/// When runs are alike, and when they are enough for a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PatternSettings {
    /// From which similarity on two texts are the same work, in ten-thousandths.
    pub similarity: u16,
    /// How many distinct runs a tool needs.
    pub min_occurrences: u32,
    /// How many of them must have succeeded.
    pub min_successes: u32,
    /// Whether a tool is made without being asked for.
    pub auto_create: bool,
    /// Whether such a tool is in use at once.
    pub auto_activate: bool,
}

impl Default for PatternSettings {
    fn default() -> Self {
        Self { similarity: 6800, min_occurrences: 3, min_successes: 3, auto_create: true, auto_activate: true }
    }
}

/// What was seen. The texts are looked at and not kept, but for an explicit name and its description.
#[derive(Debug, Clone)]
pub struct Observation {
    /// The task.
    pub task: TaskKind,
    /// The name that somebody gave the workflow.
    pub workflow_name: Option<String>,
    /// What somebody said about the named workflow.
    pub description: Option<String>,
    /// The prompt, or a part of it.
    pub sample: Option<String>,
    /// Where the work was done.
    pub project: Option<String>,
    /// Whether the work succeeded.
    pub is_success: bool,
    /// Explicit tags.
    pub tags: Vec<String>,
    /// The run that this is about. All that one plan does is one run.
    pub run_id: String,
}

/// What an observation came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Observed {
    /// The text has too few features to be like any other, and nobody named it.
    TooLittle,
    /// This run is counted already, for the pattern with this signature.
    AlreadyCounted(String),
    /// The run was counted.
    Counted(Box<Counted>),
}

/// A pattern after one more run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// The pattern as it is to be stored, under its signature.
    pub pattern: Pattern,
    /// Whether it is the first run of its kind.
    pub is_new: bool,
    /// What to do about a tool.
    pub next: Next,
}

/// What to do about a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Nothing yet.
    Wait,
    /// The pattern's tool gets the new numbers.
    RefreshEvidence(Slug),
    /// There is enough for a tool.
    CreateRecipe,
}

/// Counts an observation into the pattern that it belongs to.
///
/// `known` holds at least the patterns of the observation's task. A run is counted once, whatever
/// pattern its further observations would belong to.
pub fn observe(
    key: &InstallationKey,
    settings: &PatternSettings,
    known: &[Pattern],
    observation: &Observation,
    now: Timestamp,
) -> Observed {
    let run = RunMark::of(key, &observation.run_id);
    let same_task = || known.iter().filter(|pattern| pattern.task == observation.task);
    if let Some(counted) = same_task().find(|pattern| pattern.recent_runs.contains(&run)) {
        return Observed::AlreadyCounted(counted.signature.clone());
    }
    let name = observation.workflow_name.as_deref().map(|name| explicit(name, LONGEST_NAME)).unwrap_or_default();
    let text =
        [observation.workflow_name.as_deref(), observation.description.as_deref(), observation.sample.as_deref()]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join("\n");
    let features = features(key, &text);

    let present = if name.is_empty() {
        if features.len() < FEWEST_FEATURES {
            return Observed::TooLittle;
        }
        most_alike(settings, same_task(), &features)
    } else {
        let signature = named_signature(key, observation.task, &name);
        same_task().find(|pattern| pattern.signature == signature)
    };
    let is_new = present.is_none();
    let mut pattern = match present {
        Some(pattern) => pattern.clone(),
        None => new_pattern(key, observation, name, &features, now),
    };
    count(&mut pattern, observation, &features, run, now);
    let next = next(settings, &pattern);
    Observed::Counted(Box::new(Counted { pattern, is_new, next }))
}

/// The patterns that have enough runs for a tool and none yet.
pub fn eligible<'a>(settings: &'a PatternSettings, patterns: &'a [Pattern]) -> impl Iterator<Item = &'a Pattern> {
    patterns.iter().filter(|pattern| pattern.tool.is_none() && is_enough(settings, pattern))
}

const fn is_enough(settings: &PatternSettings, pattern: &Pattern) -> bool {
    pattern.occurrences >= settings.min_occurrences && pattern.successes >= settings.min_successes
}

fn next(settings: &PatternSettings, pattern: &Pattern) -> Next {
    match &pattern.tool {
        Some(slug) => Next::RefreshEvidence(slug.clone()),
        None if settings.auto_create && is_enough(settings, pattern) => Next::CreateRecipe,
        None => Next::Wait,
    }
}

fn most_alike<'a>(
    settings: &PatternSettings,
    patterns: impl Iterator<Item = &'a Pattern>,
    features: &[Feature],
) -> Option<&'a Pattern> {
    let mut candidates: Vec<&Pattern> = patterns.collect();
    candidates.sort_by_key(|pattern| Reverse(pattern.occurrences));
    candidates
        .into_iter()
        .take(COMPARED)
        .map(|pattern| (pattern.similarity(features), pattern))
        .filter(|(similarity, _)| *similarity >= settings.similarity)
        // Of equals the most frequent wins, which is the first.
        .reduce(|best, other| if other.0 > best.0 { other } else { best })
        .map(|(_, pattern)| pattern)
}

fn new_pattern(
    key: &InstallationKey,
    observation: &Observation,
    name: String,
    features: &[Feature],
    now: Timestamp,
) -> Pattern {
    let is_named = !name.is_empty();
    let task = observation.task;
    let (signature, label, description) = if is_named {
        let description = observation.description.as_deref().map(|text| explicit(text, LONGEST_TEXT));
        (named_signature(key, task, &name), name, description.unwrap_or_default())
    } else {
        (unnamed_signature(key, task, features), task_label(task), String::new())
    };
    Pattern {
        signature,
        task,
        label,
        description,
        is_named,
        features: features.iter().map(|feature| Seen { feature: *feature, runs: 0 }).collect(),
        occurrences: 0,
        successes: 0,
        project: String::new(),
        tags: Vec::new(),
        recent_runs: Vec::new(),
        tool: None,
        first_seen_at: now,
        last_seen_at: now,
    }
}

fn count(pattern: &mut Pattern, observation: &Observation, features: &[Feature], run: RunMark, now: Timestamp) {
    pattern.occurrences = pattern.occurrences.saturating_add(1);
    pattern.successes = pattern.successes.saturating_add(u32::from(observation.is_success));
    for seen in &mut pattern.features {
        if features.binary_search(&seen.feature).is_ok() {
            seen.runs = seen.runs.saturating_add(1);
        }
    }
    let project = observation.project.as_deref().map(|project| explicit(project, LONGEST_TEXT)).unwrap_or_default();
    if !project.is_empty() {
        pattern.project = project;
    }
    let mut tags: Vec<String> = observation.tags.iter().map(|tag| explicit(tag, LONGEST_NAME)).collect();
    tags.append(&mut pattern.tags);
    pattern.tags = tidy(&tags);
    pattern.tags.truncate(MOST_TAGS);
    pattern.recent_runs.push(run);
    let excess = pattern.recent_runs.len().saturating_sub(REMEMBERED_RUNS);
    pattern.recent_runs.drain(..excess);
    pattern.last_seen_at = now;
}

/// A text that somebody gave on purpose: on one line, without keys, and not endless.
fn explicit(text: &str, longest: usize) -> String {
    let line = without_keys(text).split_whitespace().collect::<Vec<_>>().join(" ");
    // A text of which nothing but keys was given says nothing.
    if line.chars().all(|character| character == '…' || character.is_whitespace()) {
        return String::new();
    }
    line.chars().take(longest).collect()
}

/// The task's label with capitals, as people read it.
fn task_label(task: TaskKind) -> String {
    let words = task.as_str().split('_').map(|word| {
        let mut characters = word.chars();
        characters.next().map(|first| first.to_uppercase().chain(characters).collect::<String>()).unwrap_or_default()
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The signature of a named workflow depends on its name alone, in any script.
fn named_signature(key: &InstallationKey, task: TaskKind, name: &str) -> String {
    let folded: String = name
        .to_lowercase()
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join("-");
    let name = if folded.is_empty() { name } else { &folded };
    signature(&key.digest("named pattern", &[task.as_str().as_bytes(), name.as_bytes()]))
}

fn unnamed_signature(key: &InstallationKey, task: TaskKind, features: &[Feature]) -> String {
    let features: Vec<String> = features.iter().map(ToString::to_string).collect();
    signature(&key.digest("unnamed pattern", &[task.as_str().as_bytes(), features.join(" ").as_bytes()]))
}

fn signature(digest: &[u8]) -> String {
    hex(digest).chars().take(SIGNATURE_DIGITS).collect()
}
