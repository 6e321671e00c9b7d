//! What an import would do, or did.

use std::path::PathBuf;

use lwa_config::diff::Loosening;
use lwa_protocol::approval::PolicyChangeLine;
use lwa_registration::seed::local_llm::{LocalLlmFiles, SavingsCount};
use lwa_registration::seed::{Change, CopyTool, Kept, NotCarried, SeedFiles, ToolState};
use serde::Serialize;

use crate::command::config::edit;
use crate::command::keys_wizard::found::Left;
use crate::output::counted;

/// The files of an older product.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Source {
    /// A router's.
    Router(SeedFiles),
    /// A worker's.
    Worker(LocalLlmFiles),
}

/// What an import would do, or did.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The files that were read.
    pub source: Source,
    /// Whether nothing was written.
    #[serde(rename = "dry_run")]
    pub is_dry_run: bool,
    /// The configuration.
    pub config: Option<ConfigReport>,
    /// What waits until a person accepts it.
    pub waiting: Vec<PolicyChangeLine>,
    /// The keys.
    pub keys: Vec<KeyReport>,
    /// What of the file of keys is not taken.
    #[serde(rename = "keys_left")]
    pub left: Vec<Left>,
    /// The tool library.
    pub library: Option<LibraryReport>,
    /// Files beside the configuration.
    pub files: Vec<FileReport>,
    /// The ledger.
    pub ledger: Option<LedgerReport>,
}

/// The configuration.
#[derive(Debug, Serialize)]
pub struct ConfigReport {
    /// Our file.
    pub path: PathBuf,
    /// A copy of it as it was before.
    pub backup: Option<PathBuf>,
    /// What is set.
    pub changes: Vec<Change>,
    /// What our file says otherwise and keeps.
    pub kept: Vec<Kept>,
    /// What has no counterpart.
    pub not_carried: Vec<NotCarried>,
}

/// One key.
#[derive(Debug, Serialize)]
pub struct KeyReport {
    /// The provider.
    pub provider: String,
    /// The variable it stands in.
    pub variable: String,
    /// Its last characters.
    pub masked: String,
    /// What becomes of it.
    pub state: KeyState,
    /// Why, or the way on.
    pub detail: Option<String>,
}

/// What becomes of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyState {
    /// It would be stored.
    Planned,
    /// It was stored.
    Stored,
    /// The provider has a stored key, which stays.
    Kept,
    /// It was not stored.
    LeftOut,
}

/// The tool library.
#[derive(Debug, Serialize)]
pub struct LibraryReport {
    /// Our folder.
    pub path: PathBuf,
    /// What of ours gave way.
    pub backup: Option<PathBuf>,
    /// Tool by tool.
    pub tools: Vec<CopyTool>,
}

/// A file beside the configuration.
#[derive(Debug, Clone, Serialize)]
pub struct FileReport {
    /// Its name here.
    pub name: &'static str,
    /// The older product's file.
    pub source: PathBuf,
    /// Our file.
    pub path: PathBuf,
    /// A copy of it as it was before.
    pub backup: Option<PathBuf>,
    /// What becomes of it.
    pub state: FileState,
    /// What it gets that it did not have, as far as that may be shown.
    pub added: Vec<String>,
    /// What to know about it.
    pub notes: Vec<String>,
}

/// What becomes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileState {
    /// There was none here.
    Copied,
    /// Ours gets what it lacks.
    Merged,
    /// Ours has all of it.
    Same,
    /// Ours differs and stays.
    Kept,
    /// Ours differs and gives way.
    Replaced,
    /// It cannot be taken over.
    Refused,
    /// It was not taken over.
    LeftOut,
}

impl FileState {
    /// Whether our file changes.
    pub const fn moves(self) -> bool {
        matches!(self, Self::Copied | Self::Merged | Self::Replaced)
    }

    const fn word(self, is_dry_run: bool) -> &'static str {
        match (self, is_dry_run) {
            (Self::Copied, true) => "to be written",
            (Self::Copied, false) => "written",
            (Self::Merged, true) => "to be added to",
            (Self::Merged, false) => "added to",
            (Self::Same, _) => "has all of it",
            (Self::Kept, _) => "ours differs and stays; `--force` replaces it",
            (Self::Replaced, true) => "to be replaced",
            (Self::Replaced, false) => "replaced",
            (Self::Refused, _) => "cannot be taken over",
            (Self::LeftOut, _) => "not taken over",
        }
    }
}

/// The ledger.
#[derive(Debug, Clone, Serialize)]
pub struct LedgerReport {
    /// The file.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// What it holds, where that was counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counted: Option<SavingsCount>,
    /// Whether its rows were taken over.
    #[serde(rename = "carried")]
    pub is_carried: bool,
    /// How many of its rows we do not have, or did not; null when no host runs that could tell.
    pub new: Option<u64>,
    /// How many of its rows we have already.
    pub known: Option<u64>,
    /// What becomes of it, or why nothing does.
    pub reason: String,
}

/// A loosening as the host reports it.
pub fn line(change: &Loosening) -> PolicyChangeLine {
    PolicyChangeLine {
        key: change.key.clone(),
        from: change.from.clone(),
        to: change.to.clone(),
        effect: change.effect.to_owned(),
    }
}

impl Report {
    /// Whether anything would be written or stored.
    pub fn has_changes(&self) -> bool {
        self.config.as_ref().is_some_and(|config| !config.changes.is_empty())
            || self.keys.iter().any(|key| key.state == KeyState::Planned)
            || self.files.iter().any(|file| file.state.moves())
            || self.library.iter().flat_map(|library| &library.tools).any(|tool| moves(tool.state))
            || self.ledger.as_ref().is_some_and(|ledger| ledger.new.is_some_and(|new| new > 0))
    }

    /// For people.
    pub fn readable(&self) -> String {
        let mut lines = Vec::new();
        if let Some(config) = &self.config {
            self.configuration(config, &mut lines);
        }
        for change in &self.waiting {
            let verb = if self.is_dry_run { "Will wait for you" } else { "Waits for you" };
            lines.push(format!("{verb}: {}", edit(change)));
        }
        if !self.waiting.is_empty() {
            lines.push("Until you accept with `lwa config accept` or in the app, the old values hold.".to_owned());
        }
        for key in &self.keys {
            let state = match key.state {
                KeyState::Planned => "to be stored",
                KeyState::Stored => "stored",
                KeyState::Kept => "a stored key stays",
                KeyState::LeftOut => "not stored",
            };
            let detail = key.detail.as_deref().map(|detail| format!("; {detail}")).unwrap_or_default();
            lines.push(format!("Key of {} ({}, {}): {state}{detail}", key.provider, key.variable, key.masked));
        }
        lines.extend(self.left.iter().map(|one| format!("Not taken: {} ({})", one.variable, one.reason)));
        if let Some(library) = &self.library {
            for tool in &library.tools {
                let note = tool.note.as_deref().map(|note| format!("; {note}")).unwrap_or_default();
                lines.push(format!("Tool {}: {}{note}", tool.slug, word(tool.state, self.is_dry_run)));
            }
            lines.extend(library.backup.iter().map(|path| format!("What gave way is in {}", path.display())));
        }
        for file in &self.files {
            lines.push(format!("{}: {}", file.name, file.state.word(self.is_dry_run)));
            lines.extend(file.added.iter().map(|one| format!("  + {one}")));
            lines.extend(file.notes.iter().map(|note| format!("  {note}")));
            lines.extend(file.backup.iter().map(|path| format!("  as it was before: {}", path.display())));
        }
        if let Some(ledger) = &self.ledger {
            let size = match &ledger.counted {
                Some(count) => {
                    let (turns, sessions) = (counted(count.turns, "turn"), counted(count.sessions, "session"));
                    let since = count.since.as_deref().and_then(|since| since.get(..10));
                    let since = since.map(|day| format!(" since {day}")).unwrap_or_default();
                    format!("{turns} of {sessions}{since}")
                }
                None => format!("{} bytes", ledger.bytes),
            };
            lines.push(format!("Ledger {} ({size}): {}", ledger.path.display(), ledger.reason));
            lines.extend(ledger.counted.iter().flat_map(uncounted));
        }
        if lines.is_empty() {
            lines.push("Everything is here already.".to_owned());
        }
        if self.is_dry_run {
            lines.push("Nothing was written yet.".to_owned());
        }
        lines.join("\n")
    }

    fn configuration(&self, config: &ConfigReport, lines: &mut Vec<String>) {
        if config.changes.is_empty() {
            lines.push(format!("{}: nothing to change", config.path.display()));
        } else {
            let verb = if self.is_dry_run { "would set" } else { "sets" };
            lines.push(format!("{} {verb}:", config.path.display()));
        }
        lines.extend(
            config.changes.iter().map(|change| format!("  {} = {} (was {})", change.key, change.to, change.from)),
        );
        lines.extend(config.backup.iter().map(|path| format!("  as it was before: {}", path.display())));
        for kept in &config.kept {
            lines.push(format!("Stays: {} = {} (not {}; `--force` replaces it)", kept.key, kept.ours, kept.theirs));
        }
        for one in &config.not_carried {
            lines.push(format!("Not carried: {} ({})", one.key, one.reason));
        }
    }
}

/// The lines of a ledger that nothing becomes of.
fn uncounted(count: &SavingsCount) -> Vec<String> {
    let mut lines = Vec::new();
    if count.repeated > 0 {
        lines.push(format!("  {} for a turn that stands further up; it counts once", counted(count.repeated, "line")));
    }
    if count.other_kinds > 0 {
        lines.push(format!("  {} that saved nothing are left out", counted(count.other_kinds, "line")));
    }
    if count.broken > 0 {
        lines.push(format!("  {} that are no turn are left out:", counted(count.broken, "line")));
        lines.extend(count.broken_lines.iter().map(|broken| format!("    line {} {}", broken.line, broken.reason)));
        let named = u64::try_from(count.broken_lines.len()).unwrap_or(u64::MAX);
        if count.broken > named {
            lines.push(format!("    and {} more", count.broken - named));
        }
    }
    lines
}

const fn moves(state: ToolState) -> bool {
    matches!(state, ToolState::Copied | ToolState::Replaced)
}

const fn word(state: ToolState, is_dry_run: bool) -> &'static str {
    match (state, is_dry_run) {
        (ToolState::Copied, true) => "to be copied",
        (ToolState::Copied, false) => "copied",
        (ToolState::Replaced, true) => "to be replaced",
        (ToolState::Replaced, false) => "replaced",
        (ToolState::Same, _) => "the same here",
        (ToolState::Kept, _) => "not copied",
        (ToolState::Refused, _) => "cannot be copied",
    }
}
