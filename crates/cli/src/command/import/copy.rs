//! Files beside the configuration that an import writes.

use std::path::Path;

use lwa_config::edit;
use lwa_protocol::Failure;
use lwa_registration::Hidden;

use super::report::{FileReport, FileState};
use super::{back_up, failed};

/// One file, and what would be written.
#[derive(Debug)]
pub struct CopyPlan {
    /// What happens to it.
    pub report: FileReport,
    /// The text that our file gets; none when it stays as it is.
    pub text: Option<Hidden>,
    /// Whether a person has to agree, because the file lets something happen without a question or takes a guard away.
    pub needs_agreement: bool,
}

impl CopyPlan {
    /// A file of theirs that stays where it is.
    pub fn left(name: &'static str, source: &Path, ours: &Path, state: FileState, note: impl Into<String>) -> Self {
        let report = FileReport {
            name,
            source: source.to_owned(),
            path: ours.to_owned(),
            backup: None,
            state,
            added: Vec::new(),
            notes: vec![note.into()],
        };
        Self { report, text: None, needs_agreement: false }
    }

    /// A file of theirs that takes the place of ours, if there is none or the user says so.
    pub fn whole(name: &'static str, source: &Path, ours: &Path, texts: (&str, &str), is_replaced: bool) -> Self {
        let (own, theirs) = texts;
        let state = match own {
            "" => FileState::Copied,
            own if own == theirs => FileState::Same,
            _ if is_replaced => FileState::Replaced,
            _ => FileState::Kept,
        };
        let mut plan = Self::left(name, source, ours, state, "");
        plan.report.notes.clear();
        plan.text = state.moves().then(|| Hidden::new(theirs));
        plan
    }

    /// Writes the file, with a backup of what was there, and notes it.
    pub fn write(&self, is_agreed: bool, stamp: &str, report: &mut FileReport) -> Result<(), Failure> {
        let Some(text) = &self.text else { return Ok(()) };
        if self.needs_agreement && !is_agreed {
            report.state = FileState::LeftOut;
            report.notes.push("run the same again with `--yes` to write it".to_owned());
            return Ok(());
        }
        report.backup = back_up(&report.path, stamp)?;
        edit::write_atomic(&report.path, text.expose()).map_err(|error| failed(&error.into()))
    }
}
