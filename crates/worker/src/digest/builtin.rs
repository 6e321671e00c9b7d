//! The digest without a model: the condenser selects, and says so.

use std::fmt::Write as _;
use std::time::Duration;

use lwa_condense::{Material, Options, condense};

use super::{CommandEnd, Digest, Job};
use crate::verbatim::selection;

/// The name in results.
pub const BUILTIN: &str = "builtin";

/// Less room than this for the lines that match the task is not worth taking it from the digest.
const LEAST_MATCH_BYTES: usize = 120;
/// The longest part of a word that is left out before a mark.
const LONGEST_WORD: usize = 200;

/// Condenses; where the task names something of its own, the lines that hold it come on top.
pub(super) fn digest(job: &Job<'_>) -> Digest {
    let exit_code = match job.end {
        Some(CommandEnd::Exited(code)) => Some(code),
        _ => None,
    };
    let material = if job.end.is_some() { Material::Log } else { Material::Auto };
    let mut notes = String::new();
    if let Some(end @ (CommandEnd::KilledAfter(_) | CommandEnd::Signalled)) = job.end {
        let _ = writeln!(notes, "[the command was {}]", end.sentence().trim_start_matches("was "));
    }
    if job.is_truncated {
        notes.push_str("[the material was truncated before: a marker says where]\n");
    }
    if job.material.trim().is_empty() {
        notes.push_str("[condensed by builtin: there is no material");
        if let Some(code) = exit_code {
            let _ = write!(notes, "; exit code {code}");
        }
        notes.push_str(", and without a model no task can be answered from memory]");
        return result(notes, 0);
    }
    let room = job.most_output_chars.saturating_sub(notes.len());
    let whole = condense(job.material, &Options { material, max_output_bytes: None, exit_code });
    let has_room = whole.text.len() + LEAST_MATCH_BYTES <= room;
    let match_room = if has_room { room - whole.text.len() } else { room / 3 };
    let matched = matching(job, match_room);
    let left = room.saturating_sub(matched.len());
    let condensed = if whole.text.len() <= left {
        whole
    } else {
        condense(job.material, &Options { material, max_output_bytes: Some(left), exit_code })
    };
    result(format!("{notes}{matched}{}", whole_words(&condensed.text)), 1)
}

/// The text without the part of a word before a mark for bytes that were left out: who reads it for names finds no half
/// of one.
fn whole_words(text: &str) -> String {
    const MARK: &str = "[\u{2026} ";
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(MARK) {
        let (before, mark) = rest.split_at(at);
        let (number, behind) =
            mark.get(MARK.len()..).and_then(|inside| inside.split_once(" bytes]")).unwrap_or(("", ""));
        let start = before.rfind(char::is_whitespace).map_or(0, |blank| blank + 1);
        let part = before.get(start..).unwrap_or_default();
        match number.parse::<usize>() {
            Ok(bytes) if start > 0 && !part.is_empty() && part.len() <= LONGEST_WORD => {
                kept.push_str(before.get(..start).unwrap_or(before));
                let _ = write!(kept, "{MARK}{} bytes]", bytes + part.len());
                rest = behind;
            }
            _ => {
                kept.push_str(before);
                kept.push_str(MARK);
                rest = mark.get(MARK.len()..).unwrap_or_default();
            }
        }
    }
    kept.push_str(rest);
    kept
}

/// Lines that hold the words of the task, with their numbers; empty if the task is the usual one or nothing matches.
fn matching(job: &Job<'_>, room: usize) -> String {
    const HEAD: &str = "[lines that match the task, selected by builtin]\n";
    if room < LEAST_MATCH_BYTES || job.task.trim().is_empty() {
        return String::new();
    }
    let lines: Vec<&str> = job.material.lines().collect();
    let width = lines.len().to_string().len();
    let mut text = HEAD.to_owned();
    for range in selection::by_words(&lines, job.task, room - HEAD.len() - 1) {
        for number in range.first..=range.last {
            let line = lines.get(number - 1).copied().unwrap_or_default();
            let row = format!("{number:>width$}: {line}\n");
            if text.len() + row.len() + 1 > room {
                break;
            }
            text.push_str(&row);
        }
    }
    if text.len() == HEAD.len() {
        return String::new();
    }
    text.push('\n');
    text
}

fn result(text: String, chunks: usize) -> Digest {
    Digest {
        text,
        model: BUILTIN.to_owned(),
        chunks,
        is_finalized: false,
        is_merged: true,
        is_cut: false,
        missing: Vec::new(),
        elapsed: Duration::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::whole_words;

    #[test]
    fn no_half_of_a_word_stands_before_a_mark() {
        assert_eq!(
            whole_words("signed by Bartholomew Feathers[\u{2026} 400 bytes]\nnext\n[\u{2026} 3 lines]\n"),
            "signed by Bartholomew [\u{2026} 408 bytes]\nnext\n[\u{2026} 3 lines]\n"
        );
        for same in ["one_word[\u{2026} 4 bytes]", "a [\u{2026} 4 bytes]", "[\u{2026} x bytes]", "plain", "a[\u{2026} "]
        {
            assert_eq!(whole_words(same), same);
        }
    }
}
