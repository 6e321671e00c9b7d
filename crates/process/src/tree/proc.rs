//! What `/proc` says about a process, read so that an id that was given to another is noticed.

use std::fs;

/// A process, told apart from a later one with the same id by when it started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Identity {
    pub(super) pid: i32,
    /// In ticks since the system started.
    pub(super) started: u64,
}

/// One line of the table of processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) identity: Identity,
    pub(super) parent: i32,
    pub(super) group: i32,
    pub(super) session: i32,
    /// Ended, and waiting for its parent to notice.
    pub(super) has_ended: bool,
}

/// The entry of one process.
pub(super) fn entry(pid: i32) -> Option<Entry> {
    parse(pid, &fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// All entries, as far as they can be read.
pub(super) fn entries() -> Vec<Entry> {
    let Ok(folder) = fs::read_dir("/proc") else { return Vec::new() };
    folder.filter_map(|found| entry(found.ok()?.file_name().to_str()?.parse().ok()?)).collect()
}

/// The children of a process, of whichever of its threads.
pub(super) fn children(pid: i32) -> Vec<i32> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    threads
        .filter_map(|thread| fs::read_to_string(thread.ok()?.path().join("children")).ok())
        .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}

/// Whether the environment that the process was started with has this line. None when it cannot be
/// told: of another user's process, and of one that is just being replaced by another program.
pub(super) fn environment_holds(pid: i32, line: &[u8]) -> Option<bool> {
    let block = fs::read(format!("/proc/{pid}/environ")).ok().filter(|block| !block.is_empty())?;
    Some(block.split(|byte| *byte == 0).any(|found| found == line))
}

/// Whether a variable that the process was started with begins like this; no when it cannot be told.
pub(super) fn environment_begins(pid: i32, beginning: &[u8]) -> bool {
    let block = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    block.split(|byte| *byte == 0).any(|found| found.starts_with(beginning))
}

/// The name of a program may hold anything, so the fields are counted from its closing bracket.
fn parse(pid: i32, line: &str) -> Option<Entry> {
    let (_, rest) = line.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<i32>().ok();
    Some(Entry {
        identity: Identity { pid, started: fields.get(19)?.parse().ok()? },
        parent: number(1)?,
        group: number(2)?,
        session: number(3)?,
        has_ended: matches!(*fields.first()?, "Z" | "X"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_blanks_is_no_trap() {
        let line = "42 (a) b (c) S 7 42 40 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 987 0 0";
        let expected =
            Entry { identity: Identity { pid: 42, started: 987 }, parent: 7, group: 42, session: 40, has_ended: false };
        assert_eq!(parse(42, line), Some(expected));
        assert_eq!(parse(42, "garbage"), None);
    }

    #[test]
    fn this_process_is_in_the_table() {
        let own = i32::try_from(std::process::id()).unwrap();
        let found = entries().into_iter().find(|entry| entry.identity.pid == own).unwrap();
        assert!(!found.has_ended && found.identity.started > 0);
    }
}
