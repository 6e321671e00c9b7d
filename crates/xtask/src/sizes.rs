//! How long our files are. Short files are read; long ones are scrolled.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// Above this many lines a file is named.
pub const WARN_ABOVE: usize = 700;
/// Above this many lines the check fails.
pub const FAIL_ABOVE: usize = 900;

/// Folders that hold nothing we wrote by hand.
const SKIPPED: &[&str] = &["target", "node_modules", "dist", "gen", "generated", "coverage", "binaries"];

/// What a file is counted as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Rust, without its tests.
    Rust,
    /// Svelte components.
    Svelte,
    /// TypeScript, without its tests.
    TypeScript,
    /// Tests in any language; listed, with no limit.
    Tests,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Rust => "Rust",
            Self::Svelte => "Svelte",
            Self::TypeScript => "TypeScript",
            Self::Tests => "tests",
        })
    }
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// Its path from the root.
    pub path: PathBuf,
    /// What it is counted as.
    pub kind: Kind,
    /// Its lines; a Rust file ends where its test module begins.
    pub lines: usize,
}

/// One row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// What is counted.
    pub kind: Kind,
    /// How many files.
    pub files: usize,
    /// Lines of the middle file.
    pub median: usize,
    /// Lines that nine of ten files do not exceed.
    pub ninetieth: usize,
    /// The longest file.
    pub largest: Counted,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, files, median, ninetieth, largest } = self;
        write!(f, "{kind:<11} {files:>5} {median:>7} {ninetieth:>5} {:>8}  {}", largest.lines, largest.path.display())
    }
}

/// Counts every file below `root`.
///
/// # Errors
/// A folder or a file cannot be read.
pub fn count(root: &Path) -> Result<Vec<Counted>> {
    let (mut found, mut folders) = (Vec::new(), vec![root.to_owned()]);
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).with_context(|| format!("cannot read `{}`", folder.display()))?;
        for entry in entries {
            let path = entry.with_context(|| format!("cannot read `{}`", folder.display()))?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_symlink() || name.starts_with('.') || SKIPPED.contains(&name.as_str()) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if let Some(kind) = kind_of(path.strip_prefix(root).unwrap_or(&path)) {
                let text = fs::read_to_string(&path).with_context(|| format!("cannot read `{}`", path.display()))?;
                let relative = path.strip_prefix(root).unwrap_or(&path).to_owned();
                found.push(Counted { path: relative, kind, lines: lines_of(&text, kind) });
            }
        }
    }
    found.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(found)
}

fn kind_of(path: &Path) -> Option<Kind> {
    let name = path.file_name()?.to_string_lossy();
    let kind = match path.extension()?.to_str()? {
        "rs" => Kind::Rust,
        "svelte" => Kind::Svelte,
        "ts" => Kind::TypeScript,
        _ => return None,
    };
    let is_test = path.iter().any(|part| part == "tests" || part == "e2e")
        || name == "tests.rs"
        || name.contains(".test.")
        || name.contains(".spec.");
    Some(if is_test { Kind::Tests } else { kind })
}

/// Lines of the part that is not a test module.
fn lines_of(text: &str, kind: Kind) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let tests_at = lines.windows(2).position(|pair| pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod "));
    match (kind, tests_at) {
        (Kind::Rust, Some(at)) => at,
        _ => lines.len(),
    }
}

/// The table of `files`, one row a kind that occurs.
pub fn table(files: &[Counted]) -> Vec<Row> {
    let mut kinds: BTreeMap<Kind, Vec<&Counted>> = BTreeMap::new();
    for file in files {
        kinds.entry(file.kind).or_default().push(file);
    }
    kinds.into_iter().filter_map(|(kind, files)| row(kind, files)).collect()
}

fn row(kind: Kind, mut files: Vec<&Counted>) -> Option<Row> {
    files.sort_by_key(|file| file.lines);
    let at = |percent: usize| files.get((files.len() - 1) * percent / 100).map(|file| file.lines);
    Some(Row { kind, files: files.len(), median: at(50)?, ninetieth: at(90)?, largest: (*files.last()?).clone() })
}

/// Files of `files` above `limit` lines, tests apart.
pub fn above(files: &[Counted], limit: usize) -> Vec<&Counted> {
    files.iter().filter(|file| file.kind != Kind::Tests && file.lines > limit).collect()
}

/// Refuses files above [`FAIL_ABOVE`] lines.
///
/// # Errors
/// There is one.
pub fn refuse_too_long(files: &[Counted]) -> Result<()> {
    let names: Vec<String> =
        above(files, FAIL_ABOVE).iter().map(|file| format!("`{}` has {}", file.path.display(), file.lines)).collect();
    if names.is_empty() {
        return Ok(());
    }
    bail!("files of more than {FAIL_ABOVE} lines: {}; split them by concept", names.join(", "))
}
