//! The part about privileges: none are gained, and those of an administrator are given up.

use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities, set_no_new_privs};

use crate::error::ProcessError;

/// From here on no program gains anything by being run.
pub(super) fn gain_none() -> Result<(), ProcessError> {
    set_no_new_privs(true).map_err(|error| failed("no new privileges", error))
}

/// Gives up every capability of this thread. It matters where the host runs as root: some of them open
/// the environment of other processes, past every other rule.
pub(super) fn give_up_all() -> Result<(), ProcessError> {
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    set_capabilities(None, sets).map_err(|error| failed("capabilities", error))
}

fn failed(what: &'static str, error: rustix::io::Errno) -> ProcessError {
    ProcessError::Sandbox { what, source: Box::new(error) }
}
