//! Finding keys that are already on this machine, in places that people keep them in.
//!
//! The places are fixed and few: the environment, the configuration of Codex, and a handful of files with
//! lines `NAME=value`. No folder is walked, and no file of sign-in tokens is opened.

mod codex;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::dotenv;
use crate::file;
use crate::hidden::Hidden;
use crate::variables::{Holds, ProviderVariables};

/// Where to look. What is not given is not looked at.
#[derive(Default, Clone)]
pub struct Places {
    /// The environment.
    pub environment: BTreeMap<String, String>,
    /// The folder of Codex, with its `config.toml` and files of variables.
    pub codex_home: Option<PathBuf>,
    /// Further files of variables, in the order in which they are read.
    pub files: Vec<PathBuf>,
    /// The older product's file of keys.
    pub seed_file: Option<PathBuf>,
}

/// The environment may hold keys, so that it is not printed.
impl fmt::Debug for Places {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Places")
            .field("codex_home", &self.codex_home)
            .field("files", &self.files)
            .field("seed_file", &self.seed_file)
            .finish_non_exhaustive()
    }
}

/// What was found, and where was looked.
#[derive(Debug)]
pub struct Discovery {
    /// By provider, then in the order of the places.
    pub found: Vec<Found>,
    /// The files that were looked for, in order.
    pub looked_in: Vec<LookedIn>,
}

/// One value that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Whose it is.
    pub provider: String,
    /// The provider's variable that it belongs to.
    pub variable: String,
    /// What the variable holds.
    pub holds: Holds,
    /// Where it was found.
    pub source: Source,
    /// The value.
    pub value: Hidden,
}

/// Where a value was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Source {
    /// The kind of place.
    pub kind: SourceKind,
    /// The file; null for the environment.
    pub path: Option<PathBuf>,
    /// The line in the file, counted from 1.
    pub line: Option<usize>,
    /// Which entry led there, where the name alone does not say.
    pub entry: Option<String>,
}

/// A kind of place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// The environment of this process.
    Environment,
    /// The configuration of Codex.
    CodexConfig,
    /// A file of variables.
    File,
    /// The older product's file of keys.
    SeedFile,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.path, self.line) {
            (Some(path), Some(line)) => write!(f, "{}:{line}", path.display())?,
            (Some(path), None) => write!(f, "{}", path.display())?,
            (None, _) => f.write_str("environment")?,
        }
        self.entry.as_ref().map_or(Ok(()), |entry| write!(f, " ({entry})"))
    }
}

/// A file that was looked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LookedIn {
    /// The file.
    pub path: PathBuf,
    /// How it went.
    pub state: LookState,
    /// Why it could not be read; never a part of it.
    pub problem: Option<String>,
}

/// How looking for a file went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LookState {
    /// It was read.
    Read,
    /// There is none.
    Absent,
    /// It is there and cannot be read.
    Unreadable,
}

/// Looks for the variables of `table` in the places, and keeps the first value of each.
pub fn discover(table: &[ProviderVariables], places: &Places) -> Discovery {
    let mut search = Search { table, aliases: BTreeMap::new(), found: Vec::new(), looked_in: Vec::new() };
    search.environment(&places.environment);
    if let Some(folder) = &places.codex_home {
        search.codex(&folder.join("config.toml"), &places.environment);
        for name in [".env", "keys.env", "secrets.env"] {
            search.file(&folder.join(name), SourceKind::File);
        }
    }
    for path in &places.files {
        search.file(path, SourceKind::File);
    }
    if let Some(path) = &places.seed_file {
        search.file(path, SourceKind::SeedFile);
    }
    let mut found = search.found;
    // Stable, so that within a provider the order of the places stays.
    found.sort_by(|a, b| (&a.provider, a.holds).cmp(&(&b.provider, b.holds)));
    Discovery { found, looked_in: search.looked_in }
}

/// The values of one file of variables: those of known variables, and the names of the others.
///
/// # Errors
/// The file is missing or cannot be read.
pub fn in_file(table: &[ProviderVariables], path: &Path) -> std::io::Result<FileContent> {
    let text =
        file::read(path)?.ok_or_else(|| std::io::Error::new(std::io::ErrorKind::NotFound, "there is no such file"))?;
    let mut search = Search { table, aliases: BTreeMap::new(), found: Vec::new(), looked_in: Vec::new() };
    let assignments = dotenv::parse(&text);
    search.take_assignments(&assignments, path, SourceKind::File);
    let known: BTreeSet<&str> = table.iter().flat_map(|one| one.names.iter().map(|(name, _)| name.as_str())).collect();
    let mut unknown: Vec<String> = Vec::new();
    for assignment in assignments.iter().filter(|assignment| !known.contains(assignment.name.as_str())) {
        let name = if is_telling(&assignment.name) { &assignment.name } else { "(not shown)" };
        if !unknown.iter().any(|known| known == name) {
            unknown.push(name.to_owned());
        }
    }
    let broken = assignments.iter().filter(|one| one.value.is_none()).map(|one| one.line).collect();
    Ok(FileContent { found: search.found, unknown, broken })
}

/// Whether a name is surely a name. A key that stands alone on its line and ends in `=` is read as one.
fn is_telling(name: &str) -> bool {
    name.split('_').all(|part| {
        let mixes = part.contains(|c: char| c.is_ascii_lowercase()) && part.contains(|c: char| c.is_ascii_digit());
        part.len() <= 14 && !mixes
    })
}

/// What a file of variables holds.
#[derive(Debug)]
pub struct FileContent {
    /// Values of known variables.
    pub found: Vec<Found>,
    /// Names that belong to no provider; what could be a key itself is not among them.
    pub unknown: Vec<String>,
    /// Lines that set a variable and have no proper end.
    pub broken: Vec<usize>,
}

/// A search while it goes through the places.
struct Search<'a> {
    table: &'a [ProviderVariables],
    /// Further names of a provider's usual variable, as Codex is configured: the name, the provider and
    /// the entry that says so.
    aliases: BTreeMap<String, (usize, String)>,
    found: Vec<Found>,
    looked_in: Vec<LookedIn>,
}

impl Search<'_> {
    /// Keeps a value unless the place before it had one for the variable.
    fn keep(&mut self, provider: &str, variable: &str, holds: Holds, value: &str, source: Source) {
        let is_known = self.found.iter().any(|found| found.provider == provider && found.variable == variable);
        if !is_known && !value.trim().is_empty() {
            self.found.push(Found {
                provider: provider.to_owned(),
                variable: variable.to_owned(),
                holds,
                source,
                value: Hidden::new(value.trim()),
            });
        }
    }

    /// Keeps a value for every provider that has the variable.
    fn keep_named(&mut self, name: &str, value: &str, source: &Source) {
        let table = self.table;
        for one in table {
            for (variable, holds) in one.names.iter().filter(|(variable, _)| variable == name) {
                self.keep(&one.provider, variable, *holds, value, source.clone());
            }
        }
        if let Some((index, entry)) = self.aliases.get(name).cloned() {
            self.keep_for(index, value, Source { entry: Some(entry), ..source.clone() });
        }
    }

    /// Keeps a value as the usual key of a provider.
    fn keep_for(&mut self, index: usize, value: &str, source: Source) {
        let table = self.table;
        if let Some((one, variable)) = table.get(index).and_then(|one| Some((one, one.usual_key()?))) {
            self.keep(&one.provider, variable, Holds::Key, value, source);
        }
    }

    fn environment(&mut self, environment: &BTreeMap<String, String>) {
        let source = Source { kind: SourceKind::Environment, path: None, line: None, entry: None };
        let table = self.table;
        for (name, _) in table.iter().flat_map(|one| &one.names) {
            if let Some(value) = environment.get(name) {
                self.keep_named(name, value, &source);
            }
        }
    }

    fn codex(&mut self, path: &Path, environment: &BTreeMap<String, String>) {
        let Some(text) = self.open(path) else { return };
        let content = match codex::read(&text) {
            Ok(content) => content,
            Err(line) => {
                let problem = format!("line {line} is not valid TOML");
                self.looked_in.pop();
                self.note(path, LookState::Unreadable, Some(problem));
                return;
            }
        };
        let source = |line, entry| Source {
            kind: SourceKind::CodexConfig,
            path: Some(path.to_owned()),
            line,
            entry: Some(entry),
        };
        for provider in content.providers {
            let Some(index) = provider.position_in(self.table) else { continue };
            let entry = format!("model_providers.{}.env_key = {}", provider.id, provider.env_key);
            if let Some(value) = environment.get(&provider.env_key) {
                self.keep_for(index, value, source(provider.line, entry.clone()));
            }
            // The variable may stand in one of the files that follow.
            self.aliases.entry(provider.env_key).or_insert((index, entry));
        }
        for variable in content.variables {
            let value = match &variable.value {
                Some(value) => Some(value.expose()),
                None => environment.get(&variable.name).map(String::as_str),
            };
            if let Some(value) = value {
                self.keep_named(&variable.name, value, &source(variable.line, variable.entry));
            }
        }
    }

    fn file(&mut self, path: &Path, kind: SourceKind) {
        if let Some(text) = self.open(path) {
            self.take_assignments(&dotenv::parse(&text), path, kind);
        }
    }

    fn take_assignments(&mut self, assignments: &[dotenv::Assignment], path: &Path, kind: SourceKind) {
        for assignment in assignments {
            // The last line of a name counts; the others are passed over.
            let counts = dotenv::last_of(assignments, &assignment.name) == Some(assignment);
            if let Some(value) = assignment.value.as_ref().filter(|_| counts) {
                let source = Source { kind, path: Some(path.to_owned()), line: Some(assignment.line), entry: None };
                self.keep_named(&assignment.name, value.expose(), &source);
            }
        }
    }

    /// The text of a file, and a note of how looking for it went.
    fn open(&mut self, path: &Path) -> Option<zeroize::Zeroizing<String>> {
        match file::read(path) {
            Ok(Some(text)) => {
                self.note(path, LookState::Read, None);
                Some(text)
            }
            Ok(None) => {
                self.note(path, LookState::Absent, None);
                None
            }
            Err(error) => {
                self.note(path, LookState::Unreadable, Some(error.to_string()));
                None
            }
        }
    }

    fn note(&mut self, path: &Path, state: LookState, problem: Option<String>) {
        self.looked_in.push(LookedIn { path: path.to_owned(), state, problem });
    }
}
