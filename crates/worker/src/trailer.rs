//! The line under every result: what was done, by whom, and what was hidden.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use lwa_privacy::Kind;

use crate::artifact::ArtifactRef;
use crate::command::SandboxNote;
use crate::memory::TurnId;
use crate::mode::Mode;

/// Ranges of lines that are named; more would make the line longer than the result.
const MOST_RANGES: usize = 20;

/// Everything that a trailer can say; what is not there is left out.
///
/// Its words come from here, from settings and from closed sets. The two texts of others, the model's name and the
/// globs of the allow list, leave through the same scrub as the result.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trailer {
    /// The mode of the conversation.
    pub mode: Mode,
    /// The stored turn.
    pub turn: Option<TurnId>,
    /// The stored material.
    pub artifact: Option<ArtifactRef>,
    /// Why the material was not stored, where it was to be.
    pub not_kept: Option<String>,
    /// How the command ended; none when there was no command.
    pub command: Option<CommandEnd>,
    /// What the command policy said.
    pub policy: Option<PolicyLabel>,
    /// What the command was kept from doing.
    pub sandbox: Option<SandboxNote>,
    /// Variables that the command did not get.
    pub reduced_environment: Option<usize>,
    /// What the worker read.
    pub raw: Option<Raw>,
    /// Into how many pieces it was cut.
    pub chunks: usize,
    /// The answer was written anew without its second thoughts.
    pub is_finalized: bool,
    /// How the result was quoted.
    pub verbatim: Quoting,
    /// Who answered: the configured name of a model, or the built-in condenser.
    pub model: Option<String>,
    /// From the call to the result.
    pub elapsed: Option<Duration>,
    /// Tokens that the caller did not read.
    pub saved_tokens: u64,
    /// What was decided about private values.
    pub disclosure: Option<String>,
    /// The last look for names before the result left.
    pub leak_check: Option<LeakCheck>,
    /// Lines that could not be looked at and were left out.
    pub withheld_lines: usize,
    /// What was hidden.
    pub scrubbed: BTreeMap<Kind, usize>,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandEnd {
    /// By itself, with this code.
    Exited(i32),
    /// By a signal that did not come from here.
    Signalled(i32),
    /// Its time was over.
    TimedOut,
    /// The caller or the user ended it.
    Cancelled,
    /// The system did not say how.
    Unknown,
}

/// What the worker read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Raw {
    /// Nothing but the task and the memory.
    NoMaterial,
    /// So many characters.
    Chars {
        /// How many there were.
        chars: u64,
        /// Some of it was left out before anything read it.
        is_truncated: bool,
    },
}

/// How a result was quoted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Quoting {
    /// It was not asked for.
    #[default]
    Digest,
    /// Lines of the material, and the ranges of lines that had no room.
    Verbatim {
        /// First and last line of each.
        not_shown: Vec<(usize, usize)>,
    },
    /// It was asked for, and no line matched.
    NoLines,
}

/// The last look for names before a result leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeakCheck {
    /// It was done.
    Passed,
    /// It was not done, or not for all of the result.
    Failed,
}

/// What the command policy said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PolicyLabel {
    /// A rule denies it.
    RefusedByRule(String),
    /// A human said no.
    RefusedByUser,
    /// The question got no answer.
    RefusedUnanswered(&'static str),
    /// As many questions as an hour has were asked.
    RefusedAskLimit,
    /// There is nowhere to ask.
    RefusedNoSurface,
    /// These entries of the list allow it.
    AllowList(Vec<String>),
    /// A human said yes, this once.
    AskedOnce,
    /// A human said yes for good, and these shapes were added.
    AskedAlways(Vec<String>),
    /// A human said yes for good, and the list could not be written.
    AskedAlwaysUnwritten(String),
    /// The setting for this client runs everything that no rule denies.
    AllowedBySetting,
    /// The policy is off.
    Off,
}

impl fmt::Display for PolicyLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RefusedByRule(rule) => write!(f, "refused: {rule}"),
            Self::RefusedByUser => f.write_str("refused: user"),
            Self::RefusedUnanswered(action) => write!(f, "refused: {action}"),
            Self::RefusedAskLimit => f.write_str("refused: ask limit"),
            Self::RefusedNoSurface => f.write_str("refused: no surface to ask on"),
            Self::AllowList(globs) if globs.is_empty() => f.write_str("needs no entry"),
            Self::AllowList(globs) => write!(f, "allow-list ({})", globs.join(", ")),
            Self::AskedOnce => f.write_str("asked:run"),
            Self::AskedAlways(shapes) if shapes.is_empty() => f.write_str("asked:run"),
            Self::AskedAlways(shapes) => write!(f, "asked:always ({})", shapes.join(", ")),
            Self::AskedAlwaysUnwritten(file) => write!(f, "asked:run (could not write {file})"),
            Self::AllowedBySetting => f.write_str("not asked: run_policy = allow"),
            Self::Off => f.write_str("off"),
        }
    }
}

impl fmt::Display for CommandEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "rc {code}"),
            Self::Signalled(signal) => write!(f, "rc {} (signal {signal})", 128 + signal),
            Self::TimedOut => f.write_str("rc none (timed out)"),
            Self::Cancelled => f.write_str("rc none (cancelled)"),
            Self::Unknown => f.write_str("rc unknown"),
        }
    }
}

/// A slice of an artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SliceTrailer {
    /// The artifact.
    pub artifact: ArtifactRef,
    /// `lines 3-9 of 120` or `chars 0-4000 of 9000`.
    pub range: String,
    /// `next line 10`, `next offset 4000` or `end`.
    pub next: String,
    /// The last look for names.
    pub leak_check: Option<LeakCheck>,
    /// Lines that could not be looked at and were left out.
    pub withheld_lines: usize,
    /// What was hidden.
    pub scrubbed: BTreeMap<Kind, usize>,
}

impl Trailer {
    /// The trailer of a failure: mode, turn, artifact and time, and nothing else.
    pub fn of_failure(mode: Mode, turn: Option<TurnId>, artifact: Option<ArtifactRef>, elapsed: Duration) -> Self {
        Self { mode, turn, artifact, elapsed: Some(elapsed), ..Self::default() }
    }

    /// The result with its notice and this trailer under it.
    pub fn under(&self, result: &str, notice: Option<&str>) -> String {
        under(result, notice, &self.to_string())
    }

    fn parts(&self) -> Vec<String> {
        let mut parts = vec![self.mode.to_string()];
        parts.extend(self.turn.as_ref().map(|turn| format!("turn {turn}")));
        parts.extend(self.artifact.as_ref().map(|artifact| format!("ref {artifact}")));
        parts.extend(self.not_kept.as_ref().map(|reason| format!("not kept: {}", one_line(reason, 120))));
        parts.extend(self.command.map(|end| end.to_string()));
        parts.extend(self.policy.as_ref().map(|policy| format!("policy: {policy}")));
        parts.extend(self.sandbox.as_ref().map(|sandbox| format!("sandbox: {sandbox}")));
        parts.extend(self.reduced_environment.map(|_| "environment reduced".to_owned()));
        parts.extend(self.raw.map(|raw| match raw {
            Raw::NoMaterial => "no material".to_owned(),
            Raw::Chars { chars, is_truncated } => {
                format!("raw {} chars{}", grouped(chars), if is_truncated { " (truncated)" } else { "" })
            }
        }));
        if self.chunks > 1 {
            parts.push(format!("{} chunks", self.chunks));
        }
        if self.is_finalized {
            parts.push("finalized".to_owned());
        }
        match &self.verbatim {
            Quoting::Digest => {}
            Quoting::Verbatim { not_shown } => parts.push(verbatim(not_shown)),
            Quoting::NoLines => parts.push("verbatim: no lines matched, digested instead".to_owned()),
        }
        parts.extend(self.model.as_ref().map(|model| one_line(model, 80)));
        parts.extend(self.elapsed.map(|elapsed| format!("{:.2}s", elapsed.as_secs_f64())));
        if self.saved_tokens > 0 {
            parts.push(format!("saved ≈ {} tok", short_number(self.saved_tokens)));
        }
        parts.extend(self.disclosure.as_ref().map(|label| format!("disclosure: {label}")));
        parts.extend(last_parts(self.leak_check, self.withheld_lines, &self.scrubbed));
        parts
    }
}

impl fmt::Display for Trailer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_line(f, &self.parts())
    }
}

impl SliceTrailer {
    /// The slice with this trailer under it.
    pub fn under(&self, slice: &str) -> String {
        under(slice, None, &self.to_string())
    }
}

impl fmt::Display for SliceTrailer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = vec![format!("ref {}", self.artifact), self.range.clone(), self.next.clone()];
        parts.extend(last_parts(self.leak_check, self.withheld_lines, &self.scrubbed));
        write_line(f, &parts)
    }
}

fn write_line(f: &mut fmt::Formatter<'_>, parts: &[String]) -> fmt::Result {
    write!(f, "— local-llm")?;
    for part in parts.iter().filter(|part| !part.is_empty()) {
        write!(f, " · {part}")?;
    }
    Ok(())
}

fn under(result: &str, notice: Option<&str>, line: &str) -> String {
    let result = result.trim_end();
    let notice = notice.map(|notice| format!("\n\n{notice}")).unwrap_or_default();
    format!("{result}{notice}\n\n{line}")
}

fn verbatim(not_shown: &[(usize, usize)]) -> String {
    if not_shown.is_empty() {
        return "verbatim".to_owned();
    }
    let mut ranges: Vec<String> =
        not_shown.iter().take(MOST_RANGES).map(|(first, last)| format!("{first}-{last}")).collect();
    if not_shown.len() > MOST_RANGES {
        ranges.push(format!("{} more", not_shown.len() - MOST_RANGES));
    }
    format!("verbatim (not shown: lines {}; fetch them by line with local_llm_artifact)", ranges.join(", "))
}

fn last_parts(check: Option<LeakCheck>, withheld_lines: usize, scrubbed: &BTreeMap<Kind, usize>) -> Vec<String> {
    let mut parts = Vec::new();
    parts.extend(check.map(|check| {
        match check {
            LeakCheck::Passed => "leak-check ok",
            LeakCheck::Failed => "leak-check FAILED (deterministic layers only)",
        }
        .to_owned()
    }));
    if withheld_lines > 0 {
        parts.push(format!("withheld {withheld_lines} unread {}", if withheld_lines == 1 { "line" } else { "lines" }));
    }
    parts.push(scrubbed_part(scrubbed));
    parts
}

/// `scrubbed 2 EMAIL, 1 SECRET`, sorted by the kinds' names; empty when nothing was hidden.
pub fn scrubbed_part(scrubbed: &BTreeMap<Kind, usize>) -> String {
    let mut kinds: Vec<(&'static str, usize)> =
        scrubbed.iter().filter(|(_, count)| **count > 0).map(|(kind, count)| (kind.as_str(), *count)).collect();
    if kinds.is_empty() {
        return String::new();
    }
    kinds.sort_unstable();
    let kinds: Vec<String> = kinds.into_iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    format!("scrubbed {}", kinds.join(", "))
}

/// Plain under a thousand, then with one decimal and `K` or `M`.
pub fn short_number(number: u64) -> String {
    // The second bound is where one decimal of thousands would be written as `1000.0K`.
    match number {
        0..1_000 => number.to_string(),
        1_000..999_950 => tenths(number, 1_000, 'K'),
        _ => tenths(number, 1_000_000, 'M'),
    }
}

fn tenths(number: u64, unit: u64, suffix: char) -> String {
    let tenth = unit / 10;
    let rounded = number / tenth + u64::from(number % tenth >= tenth / 2);
    format!("{}.{}{suffix}", rounded / 10, rounded % 10)
}

/// With a comma between thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn one_line(text: &str, chars: usize) -> String {
    text.chars().filter(|character| !character.is_control()).take(chars).collect()
}
