//! The older worker's ledger of savings, line by line.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::seed::SeedError;

/// The largest ledger that is read; a turn has some two hundred bytes.
const MAX_BYTES: u64 = 256 << 20;
/// Lines that are no turn and are named; further ones are counted.
const MOST_NAMED: usize = 20;
/// The longest name of a session or turn.
const MOST_NAME_CHARS: usize = 128;
/// More characters or tokens than any turn can have.
const MOST_OF_A_TURN: u64 = 1 << 50;

/// A ledger that was read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SavingsLedger {
    /// Its turns, each once, in the order of the file.
    pub turns: Vec<SavedTurn>,
    /// What it holds.
    pub count: SavingsCount,
}

/// One turn that the older worker counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedTurn {
    /// The session.
    pub session: String,
    /// The turn.
    pub turn: String,
    /// When.
    pub at: Timestamp,
    /// `run` or `delegate`.
    pub kind: &'static str,
    /// Whether lines were quoted.
    pub is_verbatim: bool,
    /// Whether it failed.
    pub is_error: bool,
    /// Characters of command output and files.
    pub gathered_chars: u64,
    /// Characters handed back.
    pub returned_chars: u64,
    /// Tokens gathered, where they were counted.
    pub gathered_tokens: Option<u64>,
    /// Tokens handed back, where they were counted.
    pub returned_tokens: Option<u64>,
}

/// What a ledger holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SavingsCount {
    /// Turns that can be read, each once.
    pub turns: u64,
    /// Sessions that they belong to.
    pub sessions: u64,
    /// Lines whose turn stands further up: a conversation that got its name later was counted under both.
    pub repeated: u64,
    /// Lines of another kind of turn, which saved nothing.
    pub other_kinds: u64,
    /// Lines that are no turn.
    pub broken: u64,
    /// The first of those lines.
    pub broken_lines: Vec<BrokenLine>,
    /// When the first turn was.
    pub since: Option<String>,
    /// When the last turn was.
    pub until: Option<String>,
}

/// A line that is no turn. What stands in it is not repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct BrokenLine {
    /// Its number, counted from 1.
    pub line: u64,
    /// What is wrong with it.
    pub reason: &'static str,
}

/// What one line is.
enum Line {
    Turn(SavedTurn),
    OtherKind,
    Broken(&'static str),
}

/// Reads a ledger as it stands at `now`. A line that is no turn is counted and named, and stops nothing.
///
/// # Errors
/// The file cannot be read, or is larger than any ledger.
pub fn read_savings(path: &Path, now: Timestamp) -> Result<SavingsLedger, SeedError> {
    let failed = |source| SeedError::Read { path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.len() > MAX_BYTES {
        return Err(SeedError::Form { path: path.to_owned(), form: "of a ledger: it is too large" });
    }
    let mut ledger = SavingsLedger::default();
    // A turn keeps its name and its time when its session gets another name.
    let mut seen: BTreeSet<(String, Timestamp)> = BTreeSet::new();
    for (number, line) in (1_u64..).zip(BufReader::new(file).split(b'\n')) {
        let line = line.map_err(failed)?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        match read_line(&line, now) {
            Line::Turn(turn) if !seen.insert((turn.turn.clone(), turn.at)) => ledger.count.repeated += 1,
            Line::Turn(turn) => ledger.turns.push(turn),
            Line::OtherKind => ledger.count.other_kinds += 1,
            Line::Broken(reason) => {
                ledger.count.broken += 1;
                if ledger.count.broken_lines.len() < MOST_NAMED {
                    ledger.count.broken_lines.push(BrokenLine { line: number, reason });
                }
            }
        }
    }
    let sessions: BTreeSet<&str> = ledger.turns.iter().map(|turn| turn.session.as_str()).collect();
    ledger.count.sessions = u64::try_from(sessions.len()).unwrap_or(u64::MAX);
    ledger.count.turns = u64::try_from(ledger.turns.len()).unwrap_or(u64::MAX);
    let times = || ledger.turns.iter().map(|turn| turn.at);
    let (since, until) = (times().min(), times().max());
    ledger.count.since = since.map(|at| at.to_string());
    ledger.count.until = until.map(|at| at.to_string());
    Ok(ledger)
}

fn read_line(line: &[u8], now: Timestamp) -> Line {
    let Ok(Value::Object(turn)) = serde_json::from_slice(line) else { return Line::Broken("is no JSON object") };
    let name = |key: &str| turn.get(key).and_then(Value::as_str).filter(|name| is_name(name)).map(str::to_owned);
    let kind = match turn.get("kind").and_then(Value::as_str) {
        Some("run") => "run",
        Some("delegate") => "delegate",
        Some(_) => return Line::OtherKind,
        None => return Line::Broken("names no kind of turn"),
    };
    let Some(session) = name("session") else { return Line::Broken("names no session") };
    let Some(id) = name("turn") else { return Line::Broken("names no turn") };
    let Some(at) = turn.get("ts").and_then(time) else { return Line::Broken("has no time that can be read") };
    if at > now {
        return Line::Broken("has a time that is still to come");
    }
    let count = |key: &str| turn.get(key).and_then(Value::as_u64).filter(|count| *count <= MOST_OF_A_TURN);
    let (Some(gathered_chars), Some(returned_chars)) = (count("gathered_chars"), count("out_chars")) else {
        return Line::Broken("has no count of characters that can be read");
    };
    let is = |key: &str| turn.get(key).and_then(Value::as_bool).unwrap_or_default();
    Line::Turn(SavedTurn {
        session,
        turn: id,
        at,
        kind,
        is_verbatim: is("verbatim"),
        is_error: is("error"),
        gathered_chars,
        returned_chars,
        gathered_tokens: count("gathered_tokens"),
        returned_tokens: count("returned_tokens"),
    })
}

pub(super) fn is_name(text: &str) -> bool {
    (1..=MOST_NAME_CHARS).contains(&text.len())
        && !text.starts_with(['.', '-'])
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

/// A time with its zone, or seconds since 1970.
fn time(value: &Value) -> Option<Timestamp> {
    if let Some(text) = value.as_str() {
        return text.trim().parse().ok();
    }
    let seconds = value.as_i64().or_else(|| {
        #[expect(clippy::cast_possible_truncation, reason = "a part of a second does not count")]
        value.as_f64().filter(|seconds| (0.0..1e11).contains(seconds)).map(|seconds| seconds as i64)
    })?;
    Timestamp::from_second(seconds).ok()
}
