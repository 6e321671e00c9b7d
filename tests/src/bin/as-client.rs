//! Stands where a client stands: starts a program, lends it its own stdin, stdout and stderr, waits.
//!
//! With it the sidecar's client is a process of its own, and the test that plays the human is not its
//! ancestor's descendant.

use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let Some(program) = arguments.next() else { return ExitCode::from(2) };
    match Command::new(program).args(arguments).status() {
        Ok(status) => ExitCode::from(u8::try_from(status.code().unwrap_or(1)).unwrap_or(1)),
        Err(_) => ExitCode::from(127),
    }
}
