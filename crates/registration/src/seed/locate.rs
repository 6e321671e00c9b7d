//! Where the older product keeps its files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::SeedError;

/// Which of the two older products; the second is the first one's former name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SeedKind {
    /// `lwa-mcp`.
    LwaMcp,
    /// `castor-pollux`.
    CastorPollux,
}

impl SeedKind {
    /// Its folders' names.
    const fn namespaces(self) -> &'static [&'static str] {
        match self {
            Self::LwaMcp => &["lwa-mcp"],
            Self::CastorPollux => &["castor-pollux", "castor-pollux-mcp"],
        }
    }
}

/// The files that were found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SeedFiles {
    /// The configuration.
    pub router: Option<PathBuf>,
    /// The file of keys.
    pub keys: Option<PathBuf>,
    /// The ledger.
    pub ledger: Option<PathBuf>,
    /// The folder of the tool library.
    pub library: Option<PathBuf>,
}

/// The names that each file may have, and the variable that may name it.
const ROUTER: (&[&str], &str) = (&["router.yaml", "router.yml"], "LWA_MCP_CONFIG");
const KEYS: (&[&str], &str) = (&["lwa.env", "twins.env"], "LWA_MCP_ENV_FILE");
const LEDGER: (&[&str], &str) = (&["lwa.sqlite3", "router.sqlite3"], "LWA_MCP_DB");
const LIBRARY: (&[&str], &str) = (&["tool-library"], "LWA_MCP_TOOL_LIBRARY");

/// Finds the files in a folder, or takes the one file.
///
/// A folder may hold the files themselves, or be a home folder with the product's own folders in it. A file
/// that is in neither is taken from where one of the product's variables says.
///
/// # Errors
/// There is nothing at the path, or none of the files.
pub fn locate(kind: SeedKind, path: &Path, environment: &BTreeMap<String, String>) -> Result<SeedFiles, SeedError> {
    if !path.exists() {
        return Err(SeedError::Absent(path.to_owned()));
    }
    if path.is_file() {
        return one_file(path).ok_or_else(|| SeedError::UnknownFile(path.to_owned()));
    }
    if path.join("registry.json").is_file() {
        return Ok(SeedFiles { library: Some(path.to_owned()), ..SeedFiles::default() });
    }
    let mut folders = vec![path.to_owned()];
    for base in [".config", ".local/state", ".local/share"] {
        folders.extend(kind.namespaces().iter().map(|name| path.join(base).join(name)));
    }
    let named = |variable: &str| environment.get(variable).map(PathBuf::from);
    let file = |(names, variable): (&[&str], &str)| {
        let inside = folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name)));
        inside.into_iter().find(|path| path.is_file()).or_else(|| named(variable).filter(|path| path.is_file()))
    };
    let library = |(names, variable): (&[&str], &str)| {
        let inside = folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name)));
        inside.into_iter().find(|path| path.is_dir()).or_else(|| named(variable).filter(|path| path.is_dir()))
    };
    let files = SeedFiles { router: file(ROUTER), keys: file(KEYS), ledger: file(LEDGER), library: library(LIBRARY) };
    if files == SeedFiles::default() { Err(SeedError::NothingThere(path.to_owned())) } else { Ok(files) }
}

fn one_file(path: &Path) -> Option<SeedFiles> {
    let file = Some(path.to_owned());
    let none = SeedFiles::default();
    match path.extension()?.to_str()? {
        "yaml" | "yml" => Some(SeedFiles { router: file, ..none }),
        "env" => Some(SeedFiles { keys: file, ..none }),
        "sqlite3" => Some(SeedFiles { ledger: file, ..none }),
        _ => None,
    }
}
