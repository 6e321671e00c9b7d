//! What an answer "always" would store: the narrowest entries that cover the same command again.

use std::fmt::Write as _;

use crate::allow_list::AllowList;
use crate::arg::Arg;
use crate::context::Context;
use crate::decide::coverage;
use crate::finding::{Record, Write};
use crate::judge;

/// Verbs behind which anything can stand, so that only the whole command is stored.
const OPEN_VERBS: &[&str] = &[
    "run",
    "run-script",
    "exec",
    "x",
    "shell",
    "ssh",
    "api",
    "task",
    "script",
    "start",
    "dlx",
    "eval",
    "call",
    "invoke",
];

/// More shapes than these nobody reads, so that none are offered.
const MOST_SHAPES: usize = 40;

/// The shapes of all commands that the list does not cover; none when one of them cannot be stored.
pub(crate) fn of(records: &[Record], list: &AllowList, context: &Context<'_>) -> Vec<String> {
    let mut shapes: Vec<String> = Vec::new();
    let mut add = |shape: String| {
        if !shapes.contains(&shape) {
            shapes.push(shape);
        }
    };
    let exact: Vec<usize> = records
        .iter()
        .filter(|record| record.needs_entry && list.allows(record).is_none())
        .filter(|record| is_runner(record))
        .map(|record| record.id)
        .collect();
    let needed = records.iter().map(|record| usize::from(record.needs_entry) + record.writes.len()).sum::<usize>();
    if needed > MOST_SHAPES * 8 {
        return Vec::new();
    }
    for record in records {
        if !record.is_storable {
            return Vec::new();
        }
        let is_covered = record.cover.is_some_and(|id| {
            exact.contains(&id)
                || records.iter().any(|other| other.id == id && other.cover.is_some_and(|outer| exact.contains(&outer)))
        });
        if record.needs_entry && !is_covered && list.allows(record).is_none() {
            match words(record) {
                Some(shape) => add(shape),
                None => return Vec::new(),
            }
        }
        for write in &record.writes {
            if list.allows_write(write, context).is_none() {
                match target(write, context) {
                    Some(shape) => add(shape),
                    None => return Vec::new(),
                }
            }
        }
    }
    if shapes.len() > MOST_SHAPES {
        return Vec::new();
    }
    // A shape that does not cover its own command would ask for ever.
    let Ok(learnt) =
        AllowList::parse(&list.entries().chain(shapes.iter().map(String::as_str)).collect::<Vec<_>>().join("\n"))
    else {
        return Vec::new();
    };
    if coverage(records, &learnt, context).is_err() {
        return Vec::new();
    }
    shapes
}

/// Whether the command runs code that stands in it.
fn is_runner(record: &Record) -> bool {
    record.effects.iter().any(|effect| matches!(effect, crate::verdict::Effect::Execute { .. }))
}

fn words(record: &Record) -> Option<String> {
    let head = record.words.get(..record.head)?;
    let is_known = |arg: &Arg| arg.is_static() && !arg.has_placeholder;
    if !head.iter().all(is_known) {
        return None;
    }
    let program = head.first()?.text.as_str();
    let verb = head.get(1).map(|arg| arg.text.as_str()).unwrap_or_default();
    let is_wide = record.named.is_empty()
        && !is_runner(record)
        && match record.head {
            1 => judge::is_readable_by_all(program),
            _ => !OPEN_VERBS.contains(&verb) && head.iter().all(|arg| !arg.text.starts_with('-')),
        };
    if is_wide {
        let mut shape = joined(head);
        shape.push('*');
        return Some(shape);
    }
    if !record.argv.iter().all(is_known) {
        return None;
    }
    let mut all = record.argv.clone();
    if let (Some(first), Some(program)) = (all.first_mut(), record.words.first()) {
        *first = program.clone();
    }
    Some(joined(&all))
}

fn joined(args: &[Arg]) -> String {
    args.iter().map(|arg| quoted(&arg.text)).collect::<Vec<_>>().join(" ")
}

/// A word of an entry: control characters in escapes, so that it stays on its line.
fn quoted(text: &str) -> String {
    if text.chars().any(char::is_control) {
        let mut inside = String::from("$'");
        for character in text.chars() {
            match character {
                '\'' => inside.push_str(r"\'"),
                '\\' => inside.push_str(r"\\"),
                '\n' => inside.push_str(r"\n"),
                '\t' => inside.push_str(r"\t"),
                other if other.is_control() => {
                    for byte in other.encode_utf8(&mut [0; 4]).bytes() {
                        let _ = write!(inside, "\\x{byte:02x}");
                    }
                }
                other => inside.push(other),
            }
        }
        inside.push('\'');
        return inside;
    }
    let reads_otherwise =
        text.starts_with(['#', '>']) || ["ask:", "deny:", "allow:", "match:", "not_match:", "because:"].contains(&text);
    let quoted = crate::expand::quote(text);
    if reads_otherwise && quoted == text { format!("'{text}'") } else { quoted }
}

fn target(write: &Write, context: &Context<'_>) -> Option<String> {
    if !write.is_known {
        return None;
    }
    let folder = context.working_folder.as_deref().unwrap_or_default().trim_end_matches('/');
    let shown = write.path.strip_prefix(&format!("{folder}/")).filter(|_| !folder.is_empty()).unwrap_or(&write.path);
    let mark = if write.appends { ">>" } else { ">" };
    Some(format!("{mark} {}", quoted(shown)))
}
