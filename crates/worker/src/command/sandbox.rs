//! What a command may be kept from doing, and how far that is in force.

use std::fmt;
use std::path::{Component, Path, PathBuf};

use lwa_process::{Environment, Held, Need, Network, ProcessError, Sandbox, SandboxReport};
use serde::{Deserialize, Serialize};

/// Where a command may write. The order is from loose to strict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileAccess {
    /// Wherever the user may.
    All,
    /// In its folder and in the folder for temporary files.
    Workspace,
    /// Nowhere.
    ReadOnly,
}

/// Whether a command reaches the network. The order is from loose to strict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NetworkAccess {
    /// It may open sockets.
    Open,
    /// It may not.
    Closed,
}

/// What happens where the system cannot hold all of it. The order is from loose to strict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SandboxNeed {
    /// The command runs with what is available, and the trailer says what that is.
    WhereAvailable,
    /// The command does not run.
    Required,
}

/// A sandbox as settings and callers name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxChoice {
    /// Where it may write.
    pub files: FileAccess,
    /// Whether it reaches the network.
    pub network: NetworkAccess,
    /// How much depends on it.
    pub need: SandboxNeed,
    /// What it may not read either.
    #[serde(default)]
    pub hidden: Vec<PathBuf>,
}

impl SandboxChoice {
    /// No writing and no network.
    pub fn read_only() -> Self {
        Self::strict(FileAccess::ReadOnly)
    }

    /// Writing in the work folder, and no network.
    pub fn workspace() -> Self {
        Self::strict(FileAccess::Workspace)
    }

    /// No network.
    pub fn no_network() -> Self {
        Self::strict(FileAccess::All)
    }

    /// What a caller is itself held to, by the word that its client declares. A word that is not known is taken for
    /// the strictest.
    pub fn floor(declared: Option<&str>) -> Option<Self> {
        match declared.map(str::trim) {
            None | Some("" | "danger-full-access" | "none") => None,
            Some("workspace-write" | "workspace_write") => Some(Self::workspace()),
            Some(_) => Some(Self::read_only()),
        }
    }

    /// Both at once: the stricter of each part.
    pub fn with_floor(self, floor: &Self) -> Self {
        let mut hidden = self.hidden;
        hidden.extend(floor.hidden.iter().cloned());
        hidden.sort();
        hidden.dedup();
        Self {
            files: self.files.max(floor.files),
            network: self.network.max(floor.network),
            need: self.need.max(floor.need),
            hidden,
        }
    }

    /// How far this system can hold it.
    ///
    /// # Errors
    /// The system knows the sandbox and yet refuses it.
    pub fn probe(&self) -> Result<SandboxReport, ProcessError> {
        let none = Environment::empty();
        self.sandbox(&std::env::temp_dir(), &none).probe()
    }

    fn strict(files: FileAccess) -> Self {
        Self { files, network: NetworkAccess::Closed, need: SandboxNeed::Required, hidden: Vec::new() }
    }

    pub(super) fn sandbox(&self, folder: &Path, environment: &Environment) -> Sandbox {
        let writable = match self.files {
            FileAccess::All => vec![PathBuf::from("/")],
            FileAccess::Workspace => {
                vec![folder.to_owned(), temporary_folder(environment)]
            }
            FileAccess::ReadOnly => Vec::new(),
        };
        Sandbox {
            writable,
            hidden: self.hidden.clone(),
            network: match self.network {
                NetworkAccess::Open => Network::Open,
                NetworkAccess::Closed => Network::Closed,
            },
            need: match self.need {
                SandboxNeed::Required => Need::Required,
                SandboxNeed::WhereAvailable => Need::WhereAvailable,
            },
        }
    }
}

/// The caller's folder for temporary files, where it is one: a variable must not open the whole disk.
fn temporary_folder(environment: &Environment) -> PathBuf {
    const PLACES: [&str; 3] = ["/tmp", "/var/tmp", "/var/folders"];
    let named = environment.value("TMPDIR").map(PathBuf::from);
    let is_temporary = |path: &PathBuf| {
        !path.components().any(|part| part == Component::ParentDir)
            && PLACES.iter().any(|place| path.starts_with(place))
    };
    named.filter(is_temporary).unwrap_or_else(|| PathBuf::from("/tmp"))
}

/// What a command was kept from doing, for the trailer: what was chosen, and what the system confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxNote {
    files: FileAccess,
    network: NetworkAccess,
    report: SandboxReport,
}

impl SandboxNote {
    pub(super) fn new(choice: &SandboxChoice, report: SandboxReport) -> Self {
        Self { files: choice.files, network: choice.network, report }
    }

    /// What the system confirmed.
    pub fn report(&self) -> SandboxReport {
        self.report
    }
}

impl fmt::Display for SandboxNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files = match self.files {
            FileAccess::All => "",
            FileAccess::Workspace => "workspace",
            FileAccess::ReadOnly => "read-only",
        };
        let network = match self.network {
            NetworkAccess::Open => "",
            NetworkAccess::Closed => "no network",
        };
        let comma = if files.is_empty() || network.is_empty() { "" } else { ", " };
        write!(f, "{files}{comma}{network}")?;
        if self.report.is_as_required() && self.report.overall() != Held::NotRequested {
            return Ok(());
        }
        write!(f, " (NOT FULL: {})", self.report)
    }
}
