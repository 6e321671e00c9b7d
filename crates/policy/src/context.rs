//! What a decision may know: everything comes in as an argument.

use std::collections::BTreeMap;
use std::fmt;

/// What a placeholder of the session stands for, as far as a command is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceholderUse {
    /// A credential: it is never handed to a shell.
    Secret,
    /// A private value that may be a word of a command.
    Data,
}

/// What the caller can find out about files, so that links and programs are judged by where they lead.
///
/// Without it paths are resolved by their text alone.
pub trait Files: Send + Sync {
    /// The path that `path` (absolute and normal) leads to when links are followed, as far as it exists.
    fn resolve(&self, path: &str) -> Option<String>;
    /// The absolute path of the program that a bare `name` starts.
    fn find_program(&self, name: &str) -> Option<String>;
}

/// Tells what a placeholder (`KIND-N` in capitals, without brackets) stands for; `None` means not a placeholder.
pub type PlaceholderLookup<'a> = dyn Fn(&str) -> Option<PlaceholderUse> + Send + Sync + 'a;

/// Where and for whom a command would run.
#[derive(Default)]
pub struct Context<'a> {
    /// The folder in which the command would start; `None` makes every relative target unknown.
    pub working_folder: Option<String>,
    /// The home folder of the user.
    pub home: Option<String>,
    /// The name of the user.
    pub user: Option<String>,
    /// Environment variables whose values the shell will see.
    pub variables: BTreeMap<String, String>,
    /// Files and folders that no command may write, beyond the general list: the product's own.
    pub protected: Vec<String>,
    /// A look at the file system, when the caller has one.
    pub files: Option<&'a dyn Files>,
    /// The placeholders of the session; without it the kind in the placeholder's own name decides.
    pub placeholders: Option<&'a PlaceholderLookup<'a>>,
}

impl fmt::Debug for Context<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Context")
            .field("working_folder", &self.working_folder)
            .field("home", &self.home)
            .field("variables", &self.variables.len())
            .field("protected", &self.protected.len())
            .field("has_files", &self.files.is_some())
            .field("has_placeholders", &self.placeholders.is_some())
            .finish_non_exhaustive()
    }
}

impl Context<'_> {
    /// A context that knows the working folder and the home folder.
    pub fn new(working_folder: impl Into<String>, home: impl Into<String>) -> Self {
        Self { working_folder: Some(working_folder.into()), home: Some(home.into()), ..Self::default() }
    }
}
