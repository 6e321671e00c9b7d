//! The older worker, turned into ours: its variables, keys, allow-list, private terms, rules, prices and savings.
//!
//! Its variables stand in a file of lines, or in the table `env` of its entry in a client's configuration, or in the
//! environment; they also say where its other files are. Sessions stay behind: placeholders of one product stand for
//! nothing in the other, which is why those that it gave out are not given out again.

mod client;
mod expand;
mod files;
mod given;
mod lists;
mod savings;
mod settings;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

pub use given::{GivenIn, GivenPlaceholders, read_given};
pub use lists::{RulesMerge, TermsMerge, merge_allow_list, merge_terms, usable_rules};
pub use savings::{BrokenLine, SavedTurn, SavingsCount, SavingsLedger, read_savings};
pub use settings::plan_worker;

use super::SeedError;
use crate::discover::{Found, Source};
use crate::hidden::Hidden;

/// What its variables begin with.
pub const PREFIX: &str = "LOCAL_LLM_MCP_";

/// What the older worker left.
#[derive(Debug, Clone, Default)]
pub struct LocalLlmSeed {
    /// Its files.
    pub files: LocalLlmFiles,
    /// Its variables that are set, each once, without the prefix.
    pub variables: Vec<Variable>,
    /// Its keys, under the names that ours have.
    pub keys: Vec<Found>,
    /// Variables that nothing becomes of already here, with the reason.
    pub left: Vec<(String, &'static str)>,
}

/// One variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Its name without the prefix.
    pub name: String,
    /// What it is set to, with other variables put in.
    pub value: Hidden,
    /// Where it is set.
    pub source: Source,
}

/// The files that were found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct LocalLlmFiles {
    /// The file of variables.
    pub settings: Option<PathBuf>,
    /// A client's configuration with its variables.
    pub client: Option<PathBuf>,
    /// The commands that run without a question.
    pub allow_list: Option<PathBuf>,
    /// The private terms.
    pub private_terms: Option<PathBuf>,
    /// Shape rules.
    pub rules: Option<PathBuf>,
    /// Prices and assumptions.
    pub prices: Option<PathBuf>,
    /// What it saved, turn by turn.
    pub savings: Option<PathBuf>,
    /// The folder of its sessions.
    pub sessions: Option<PathBuf>,
}

/// Reads what is at a path: a folder of the older worker, a home folder, or one of its files.
///
/// Variables of `environment` that begin with [`PREFIX`] count more than the file of variables, and less than a
/// client's configuration, as they did there; the others are put in where a value names them.
///
/// # Errors
/// There is nothing at the path, none of its files, or one that cannot be read.
pub fn read_local_llm(path: &Path, environment: &BTreeMap<String, String>) -> Result<LocalLlmSeed, SeedError> {
    let mut seed = files::locate(path)?;
    // A single file of terms, rules or the like is taken alone, whatever the environment says.
    if path.is_dir() || seed.files.settings.is_some() || seed.files.client.is_some() {
        settings::read(&mut seed, environment)?;
        files::named_by_variables(&mut seed);
        settings::keys(&mut seed);
    }
    if seed.files == LocalLlmFiles::default() && seed.variables.is_empty() {
        return Err(SeedError::NoWorkerThere(path.to_owned()));
    }
    Ok(seed)
}

impl LocalLlmSeed {
    /// A variable that is set to something.
    fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|variable| variable.name == name && !variable.value.is_blank())
    }

    /// The file that a variable names; none when it is not set. A path that is not whole is noted and not followed.
    fn file_of(&mut self, name: &str) -> Option<PathBuf> {
        let path = PathBuf::from(self.variable(name)?.value.expose().trim());
        if path.is_absolute() {
            return Some(path);
        }
        self.left.push((format!("{PREFIX}{name}"), "it names no whole path, so that nobody knows which file it was"));
        None
    }
}
