//! `lwa`: the command line, and the host itself as `lwa host`.
//!
//! What it is for: everything a person does without a screen, for scripts too: with `--json` one
//! JSON document on stdout and nothing else, diagnostics on stderr, exit codes by kind of failure.
//! What it must never do: decide anything itself. It asks the host; only `lwa host` holds an engine.
//! Trust boundary: arguments and stdin come from people and from agents' shells; the host tells them
//! apart.
//! Start reading at [`args`] for the verbs and [`command`] for what they do.

mod args;
mod command;
mod face;
mod host;
mod output;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};
use crate::output::Output;

fn main() -> ExitCode {
    let args = Args::parse();
    let output = Output::new(args.json);
    if let Command::Host(host) = args.command {
        return host::main(&host, output);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let result = match runtime {
        Ok(runtime) => runtime.block_on(command::run(args.command, output)),
        Err(error) => Err(face::internal(&error)),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(failure) => output.fail(&failure),
    }
}
