//! Choosing lines without a model: numbers that the task names, words of the task, signs of failure.

use std::collections::{HashMap, HashSet};

use super::reply::merged;
use crate::digest::LineRange;

/// Lines that stand for more than this share of the material are not what a task is looking for.
const MOST_RANGES: usize = 60;
/// The lines of a stack or of a message that follow a failure.
const MOST_FOLLOWING: usize = 8;

/// Words of a task that name nothing in the material.
const STOP_WORDS: &[&str] = &[
    "about", "after", "all", "also", "and", "any", "are", "before", "but", "can", "could", "did", "does", "each",
    "every", "exact", "exactly", "find", "for", "from", "get", "give", "has", "have", "how", "into", "its", "just",
    "line", "lines", "list", "look", "me", "not", "only", "out", "please", "print", "quote", "report", "return",
    "show", "tell", "text", "that", "the", "their", "them", "then", "there", "these", "this", "those", "verbatim",
    "want", "was", "were", "what", "when", "where", "which", "who", "why", "will", "with", "word", "words", "would",
    "you", "your", "material", "file", "output",
];

/// Words of a task that ask for failures.
const FAILURE_WORDS: &[&str] = &[
    "error",
    "errors",
    "fail",
    "failed",
    "failing",
    "fails",
    "failure",
    "failures",
    "panic",
    "panics",
    "exception",
    "exceptions",
    "crash",
    "crashed",
    "wrong",
    "broke",
    "broken",
    "problem",
    "problems",
    "happened",
];
/// Words of a task that ask for warnings.
const WARNING_WORDS: &[&str] = &["warning", "warnings", "warn", "deprecated", "deprecation", "deprecations"];

/// Beginnings of words in a line that report a failure.
const FAILURE_SIGNS: &[&str] = &[
    "error",
    "fail",
    "panic",
    "fatal",
    "exception",
    "traceback",
    "abort",
    "segfault",
    "denied",
    "cannot",
    "undefined",
];
/// Beginnings of words in a line that report a warning.
const WARNING_SIGNS: &[&str] = &["warn", "deprecat"];

/// The lines that a task asks for: those that it numbers, else those with its words, else those that report failures.
pub(crate) fn select(lines: &[&str], task: &str, most_chars: usize) -> Vec<LineRange> {
    let numbered = numbered(task, lines.len());
    if !numbered.is_empty() {
        return merged(numbered);
    }
    let wanted = Wanted::of(task);
    chosen(lines, &wanted, most_chars)
}

/// The lines that hold the words of a task, and no others.
pub(crate) fn by_words(lines: &[&str], task: &str, most_chars: usize) -> Vec<LineRange> {
    let wanted = Wanted { has_failures: false, has_warnings: false, ..Wanted::of(task) };
    chosen(lines, &wanted, most_chars)
}

/// What a task is looking for.
struct Wanted {
    words: Vec<String>,
    phrases: Vec<String>,
    has_failures: bool,
    has_warnings: bool,
}

impl Wanted {
    fn of(task: &str) -> Self {
        let phrases = phrases(task);
        let all: Vec<String> = words(task).map(str::to_lowercase).collect();
        let mut seen = HashSet::new();
        let is_sign = |word: &String| FAILURE_WORDS.contains(&word.as_str()) || WARNING_WORDS.contains(&word.as_str());
        let words: Vec<String> = all
            .iter()
            .filter(|word| word.chars().count() >= 3 && !STOP_WORDS.contains(&word.as_str()) && !is_sign(word))
            .filter(|word| seen.insert((*word).clone()))
            .cloned()
            .collect();
        let names_nothing = words.is_empty() && phrases.is_empty();
        let asks = |table: &[&str]| all.iter().any(|word| table.contains(&word.as_str()));
        Self {
            has_failures: asks(FAILURE_WORDS) || (names_nothing && !asks(WARNING_WORDS)),
            has_warnings: asks(WARNING_WORDS) || names_nothing,
            words,
            phrases,
        }
    }
}

/// Words with the signs that identifiers hold.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.' | '/' | ':'))
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
}

/// What a task puts between quotation marks or backticks.
fn phrases(task: &str) -> Vec<String> {
    let mut phrases = Vec::new();
    for sign in ['`', '"'] {
        for (index, part) in task.split(sign).enumerate() {
            let part = part.trim();
            if index % 2 == 1 && part.chars().count() >= 2 {
                phrases.push(part.to_lowercase());
            }
        }
    }
    phrases
}

/// `lines 10-20`, `line 7`, `first 5 lines`, `last 5 lines`.
fn numbered(task: &str, count: usize) -> Vec<LineRange> {
    if count == 0 {
        return Vec::new();
    }
    let lower = task.to_lowercase();
    let tokens: Vec<&str> = lower.split_whitespace().collect();
    let mut ranges = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let next = |by: usize| tokens.get(at + by).copied().unwrap_or_default();
        match token.trim_matches(|c: char| !c.is_alphanumeric()) {
            "line" | "lines" => {
                let joined = [next(1), next(2), next(3)].join(" ");
                if let Some((first, last)) = pair(&joined) {
                    ranges.push((first, last));
                }
            }
            "first" if next(2).starts_with("line") => {
                ranges.extend(next(1).parse::<usize>().ok().map(|n| (1, n)));
            }
            "last" if next(2).starts_with("line") => {
                ranges.extend(next(1).parse::<usize>().ok().map(|n| (count.saturating_sub(n) + 1, count)));
            }
            _ => {}
        }
    }
    let clipped = |(first, last): (usize, usize)| {
        let range = LineRange { first: first.max(1), last: last.min(count) };
        (range.first <= range.last).then_some(range)
    };
    ranges.into_iter().filter_map(clipped).collect()
}

/// `10-20`, `10 to 20`, `10 and`, at the beginning of a text.
fn pair(text: &str) -> Option<(usize, usize)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    let first: usize = text.get(..length)?.parse().ok()?;
    let rest = text[length..].trim_start();
    let rest = ["-", "\u{2013}", "to ", "through ", ".."].iter().find_map(|sign| rest.strip_prefix(sign));
    let Some(rest) = rest.map(str::trim_start) else { return Some((first, first)) };
    let length = rest.bytes().take_while(u8::is_ascii_digit).count();
    Some((first, rest[..length].parse().unwrap_or(first)))
}

/// Scores every line, takes the best while there is room, and adds what belongs to them.
fn chosen(lines: &[&str], wanted: &Wanted, most_chars: usize) -> Vec<LineRange> {
    let lower: Vec<String> = lines.iter().map(|line| line.to_lowercase()).collect();
    let weights = weights(&lower, wanted);
    let mut scored: Vec<(u64, usize)> = lower
        .iter()
        .enumerate()
        .map(|(index, line)| (score(line, wanted, &weights), index))
        .filter(|(score, _)| *score > 0)
        .collect();
    // The best first, and among equals the earliest.
    scored.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    let best = scored.first().map_or(0, |(score, _)| *score);
    let mut taken: HashSet<usize> = HashSet::new();
    let mut ranges = Vec::new();
    let mut used = 0;
    for (score, index) in scored {
        // Lines with one common word of many are no match beside lines with the rare ones.
        if score * 3 < best || ranges.len() >= MOST_RANGES {
            break;
        }
        if taken.contains(&index) {
            continue;
        }
        let last = unit_end(lines, index, reports(&lower[index], FAILURE_SIGNS));
        let cost: usize = lines[index..=last].iter().map(|line| line.chars().count() + 12).sum();
        if used + cost > most_chars && !ranges.is_empty() {
            continue;
        }
        used += cost;
        taken.extend(index..=last);
        ranges.push(LineRange { first: index + 1, last: last + 1 });
    }
    merged(ranges)
}

/// A word counts the more, the fewer lines hold it.
fn weights<'w>(lower: &[String], wanted: &'w Wanted) -> HashMap<&'w str, u64> {
    let total = lower.len().max(1);
    let mut weights = HashMap::new();
    for word in &wanted.words {
        let holding = lower.iter().filter(|line| line.contains(word.as_str())).count();
        if holding == 0 {
            continue;
        }
        let rarity = (total / holding).max(1).ilog2();
        let is_identifier = word.contains(['_', '-', '.', '/', ':']) || word.bytes().any(|byte| byte.is_ascii_digit());
        let bonus = if is_identifier { 4 } else { 1 };
        weights.insert(word.as_str(), u64::from(rarity) + bonus);
    }
    weights
}

fn score(line: &str, wanted: &Wanted, weights: &HashMap<&str, u64>) -> u64 {
    let words: u64 = weights.iter().filter(|(word, _)| line.contains(**word)).map(|(_, weight)| *weight).sum();
    let phrases = wanted.phrases.iter().filter(|phrase| line.contains(phrase.as_str())).count() as u64 * 20;
    let failure = if wanted.has_failures && reports(line, FAILURE_SIGNS) { 6 } else { 0 };
    let warning = if wanted.has_warnings && reports(line, WARNING_SIGNS) { 4 } else { 0 };
    words + phrases + failure + warning
}

/// Whether a word of the line begins with a sign, and is not part of a count of none.
fn reports(line: &str, signs: &[&str]) -> bool {
    let mut previous = "";
    for word in line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if !matches!(previous, "0" | "no" | "without") && signs.iter().any(|sign| holds_sign(word, sign)) {
            return true;
        }
        previous = word;
    }
    false
}

/// `error`, `errors`, `valueerror`, `failed`.
fn holds_sign(word: &str, sign: &str) -> bool {
    word.starts_with(sign) || (matches!(sign, "error" | "exception") && word.ends_with(sign))
}

/// The last line of the unit that begins with a line: a failure takes along the deeper lines behind it.
fn unit_end(lines: &[&str], index: usize, is_failure: bool) -> usize {
    if !is_failure {
        return index;
    }
    let depth = indent(lines[index]);
    let following = lines[index + 1..]
        .iter()
        .take(MOST_FOLLOWING)
        .take_while(|line| !line.trim().is_empty() && indent(line) > depth)
        .count();
    index + following
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}
