//! The file part, through Landlock.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, BitFlags, LandlockStatus, PathBeneath, PathFd, RestrictionStatus, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};

use super::readable::{parts_without, readable_parts};
use super::{Held, Sandbox};
use crate::error::ProcessError;

/// The first version that knows cutting a file short; before it, a file outside could be emptied.
const WHOLE: ABI = ABI::V3;

/// Devices that a program writes to without changing anything.
const SINKS: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/tty"];

/// Restricts reading and writing on this thread.
pub(super) fn restrict(sandbox: &Sandbox) -> Result<Held, ProcessError> {
    rule_out(sandbox).map(|status| held(&status)).map_err(|error| failed("files", error))
}

/// Restricts signals to processes of the same sandbox, where the system knows that.
pub(super) fn restrict_signals() -> Result<Held, ProcessError> {
    let rules = || Ruleset::default().scope(Scope::Signal)?.create()?.restrict_self();
    rules().map(|status| held(&status)).map_err(|error| failed("signals", error))
}

fn rule_out(sandbox: &Sandbox) -> Result<RestrictionStatus, RulesetError> {
    let reading = AccessFs::ReadFile | AccessFs::Execute;
    let mut rules = Ruleset::default().handle_access(AccessFs::from_all(WHOLE))?.create()?;
    // Names may be listed everywhere: a rule holds for all that is beneath, so a folder on the way to
    // a hidden one could otherwise not be listed at all.
    rules = allow(rules, [PathBuf::from("/")], AccessFs::ReadDir.into())?;
    rules = allow(rules, readable_parts(&sandbox.hidden), reading)?;
    rules = allow(rules, SINKS.iter().map(PathBuf::from), AccessFs::ReadFile | AccessFs::WriteFile)?;
    // A rule for a folder holds for all that is beneath, so one that has a hidden place in it is named by its parts.
    let writable = sandbox.writable.iter().flat_map(|folder| parts_without(folder, &sandbox.hidden));
    rules = allow(rules, writable, AccessFs::from_all(WHOLE))?;
    rules.restrict_self()
}

/// Adds a rule for each path that exists. One that does not exist cannot be opened anyway, and one
/// that vanished since is no failure.
fn allow(
    mut rules: RulesetCreated,
    paths: impl IntoIterator<Item = PathBuf>,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    for path in paths {
        let Ok(opened) = PathFd::new(&path) else { continue };
        let fitting = if is_folder(&path) { access } else { access & AccessFs::from_file(WHOLE) };
        if !fitting.is_empty() {
            rules = rules.add_rule(PathBeneath::new(opened, fitting))?;
        }
    }
    Ok(rules)
}

fn is_folder(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

fn held(status: &RestrictionStatus) -> Held {
    match (&status.ruleset, &status.landlock) {
        (RulesetStatus::FullyEnforced, LandlockStatus::Available { .. }) => Held::Full,
        (RulesetStatus::PartiallyEnforced, LandlockStatus::Available { .. }) => Held::Partial,
        _ => Held::Unavailable,
    }
}

fn failed(what: &'static str, error: RulesetError) -> ProcessError {
    ProcessError::Sandbox { what, source: Box::new(error) }
}
