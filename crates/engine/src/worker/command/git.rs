//! What git runs beside itself: programs that the configuration of a repository names, which come with the folder and
//! not from the user.

mod links;

use std::path::{Path, PathBuf};

use lwa_policy::{Command, Verdict};

/// Verbs that only read, whatever stands behind them.
const READS: &[&str] = &[
    "blame",
    "cat-file",
    "check-ignore",
    "count-objects",
    "describe",
    "diff",
    "for-each-ref",
    "grep",
    "log",
    "ls-files",
    "ls-tree",
    "merge-base",
    "name-rev",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-ref",
    "status",
    "whatchanged",
];

/// Programs that start no git of their own.
const COMPANIONS: &[&str] = &[
    "cat", "cd", "cut", "echo", "false", "grep", "head", "ls", "printf", "pwd", "sort", "tail", "tr", "true", "uniq",
    "wc",
];

/// Parts of keys below a named section whose values git runs.
const RUNS: &[(&str, &[&str])] = &[
    ("filter", &["clean", "smudge", "process"]),
    ("diff", &["command", "textconv", "external"]),
    ("merge", &["driver"]),
    ("gpg", &["program", "defaultkeycommand"]),
    ("include", &["path"]),
    ("includeif", &["path"]),
];

/// A configuration that is longer is none that is read here.
const MOST_BYTES: u64 = 1 << 20;

/// The same of an index.
const MOST_INDEX: u64 = 1 << 26;
/// No more files are looked at than those of some hundred repositories in one.
const MOST_FILES: usize = 1_000;

/// Whether a command reads with git, and nothing in it would miss the hooks and programs of the repository.
pub(super) fn only_reads(verdict: &Verdict) -> bool {
    let is_git = |command: &&Command| command.program == "git";
    verdict.commands.iter().any(|command| is_git(&command))
        && verdict.commands.iter().all(|command| match command.program.as_str() {
            "git" => verb(command).is_some_and(|verb| READS.contains(&verb)),
            program => COMPANIONS.contains(&program),
        })
}

/// The key of a program that a reading git would run because the repository says so. What writes is asked about
/// as it is.
pub(super) fn program_of_a_repository(verdict: &Verdict, folder: &Path) -> Option<String> {
    let mut folders = vec![folder.to_owned()];
    let mut has_reading = false;
    for command in &verdict.commands {
        let words: Vec<&str> = command.argv.iter().map(|word| word.text.as_str()).collect();
        match (command.program.as_str(), words.as_slice()) {
            ("cd" | "pushd", [_, .., to]) => folders.push(folder.join(to)),
            ("git", _) => {
                has_reading |= verb(command).is_some_and(|verb| READS.contains(&verb));
                for (at, word) in words.iter().enumerate() {
                    let named = match *word {
                        "-C" | "--git-dir" | "--work-tree" => words.get(at + 1).copied(),
                        word => word.strip_prefix("--git-dir=").or_else(|| word.strip_prefix("--work-tree=")),
                    };
                    folders.extend(named.map(|named| folder.join(named)));
                }
            }
            _ => {}
        }
    }
    if !has_reading {
        return None;
    }
    folders.iter().flat_map(|folder| configurations(folder)).find_map(|path| runs_a_program(&path))
}

/// The verb of a git command.
fn verb(command: &Command) -> Option<&str> {
    let mut words = command.argv.iter().skip(1);
    while let Some(word) = words.next() {
        if !word.is_static {
            return None;
        }
        match word.text.as_str() {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--exec-path" | "--config-env" => {
                words.next();
            }
            option if option.starts_with('-') => {}
            verb => return Some(verb),
        }
    }
    None
}

/// The files in which the repository around a folder keeps its configuration, and those of the repositories in it, into
/// which a reading git goes as well.
fn configurations(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.join("config")];
    collect(folder, &mut found);
    found
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for folder in folder.ancestors() {
        let entry = folder.join(".git");
        let Ok(facts) = std::fs::metadata(&entry) else { continue };
        let own = if facts.is_dir() {
            entry
        } else {
            // A work tree beside its repository, or a submodule.
            let text = read(&entry).unwrap_or_default();
            folder.join(text.strip_prefix("gitdir:").unwrap_or_default().trim())
        };
        if let Some(common) = read(&own.join("commondir")) {
            found.push(own.join(common.trim()).join("config"));
        }
        found.extend([own.join("config"), own.join("config.worktree")]);
        let index = bytes(&own.join("index"), MOST_INDEX).unwrap_or_default();
        let object_name = if is_sha256(&own) { 32 } else { 20 };
        for inner in links::links(&index, object_name) {
            let inner = folder.join(inner);
            if found.len() < MOST_FILES && inner.join(".git").exists() {
                collect(&inner, found);
            }
        }
        return;
    }
}

/// Whether the objects of a repository have the longer names.
fn is_sha256(own: &Path) -> bool {
    let common = read(&own.join("commondir")).map_or_else(|| own.to_owned(), |common| own.join(common.trim()));
    read(&common.join("config")).is_some_and(|text| text.to_lowercase().contains("sha256"))
}

fn read(path: &Path) -> Option<String> {
    bytes(path, MOST_BYTES).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn bytes(path: &Path, most: u64) -> Option<Vec<u8>> {
    use std::io::Read as _;

    let file = std::fs::File::open(path).ok().filter(|file| file.metadata().is_ok_and(|facts| facts.is_file()))?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The first key of a configuration that names a program, as people write it.
fn runs_a_program(path: &Path) -> Option<String> {
    let text = read(path)?.to_lowercase();
    let mut section = "";
    for line in text.lines().map(str::trim) {
        let mut rest = line;
        if let Some(head) = line.strip_prefix('[') {
            // A key may stand behind the bracket of its section.
            let (head, behind) = closed(head);
            section = head.split([' ', '.', '"', '\t']).next().unwrap_or_default();
            rest = behind.trim();
        }
        let name = rest.split(['=', ' ', '\t']).next().unwrap_or_default();
        let is_known = RUNS.iter().any(|(table, names)| *table == section && names.contains(&name));
        if is_known {
            return Some(format!("{section}.{name}"));
        }
    }
    None
}

/// The head of a section and what stands behind its bracket; a bracket in quotes closes nothing.
fn closed(head: &str) -> (&str, &str) {
    let mut is_quoted = false;
    for (at, character) in head.char_indices() {
        match character {
            '"' => is_quoted = !is_quoted,
            ']' if !is_quoted => return (head.get(..at).unwrap_or(head), head.get(at + 1..).unwrap_or_default()),
            _ => {}
        }
    }
    (head, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key_of(text: &str) -> Option<String> {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("config");
        std::fs::write(&path, text).unwrap();
        runs_a_program(&path)
    }

    #[test]
    fn keys_that_name_programs_are_found_however_they_are_written() {
        assert_eq!(key_of("[core]\n\tbare = false\n[remote \"origin\"]\n\turl = x\n"), None);
        assert_eq!(key_of("[filter \"a\"]\n\tclean = ./x\n").as_deref(), Some("filter.clean"));
        assert_eq!(key_of("[Diff.pdf] TextConv=./x\n").as_deref(), Some("diff.textconv"));
        assert_eq!(key_of("[diff]\nexternal=./x").as_deref(), Some("diff.external"));
        assert_eq!(key_of("[filter \"a]b\"] clean = x]\n").as_deref(), Some("filter.clean"));
        assert_eq!(key_of("[include]\n  path = ../other\n").as_deref(), Some("include.path"));
    }
}
