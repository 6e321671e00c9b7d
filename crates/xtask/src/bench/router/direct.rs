//! Calls of the client of the providers, without plan, host and store, in a process of its own.
//!
//! The program is an example of this crate, so that the tools themselves need not be built with an HTTP client.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::child::LineChild;

/// What one call took.
#[derive(Debug, Clone, Copy)]
pub(super) struct DirectCall {
    /// From the call to the first token.
    pub first: Duration,
    /// From the first token to the last one.
    pub span: Duration,
    /// From the call to its answer.
    pub total: Duration,
}

/// The program, running.
pub(super) struct Direct(LineChild);

impl Direct {
    /// Starts it for the provider at `port`.
    pub(super) fn start(program: &Path, port: u16) -> Result<Self> {
        let mut command = Command::new(program);
        command.arg(port.to_string());
        Ok(Self(LineChild::start("the client of the providers", command)?))
    }

    /// One call.
    pub(super) fn call(&mut self) -> Result<DirectCall> {
        let line = self.0.ask("call")?;
        let times: Vec<_> = line.split(' ').filter_map(|text| text.parse().ok().map(Duration::from_nanos)).collect();
        let [first, span, total] = times[..] else { bail!("the client of the providers answered with no times") };
        Ok(DirectCall { first, span, total })
    }

    /// Its process id.
    pub(super) fn pid(&self) -> u32 {
        self.0.pid()
    }
}

/// Builds the program once; answers its path.
pub(super) fn build(root: &Path) -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["build", "--quiet", "--release", "--locked", "--package", "xtask", "--example", "direct_chat"])
        .args(["--message-format", "json"])
        .current_dir(root)
        .stderr(std::process::Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    if !output.status.success() {
        bail!("the example `direct_chat` cannot be built");
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let artifacts = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    artifacts
        .filter(|artifact| artifact["target"]["name"] == "direct_chat")
        .find_map(|artifact| artifact["executable"].as_str().map(PathBuf::from))
        .context("cargo does not say where the example `direct_chat` is")
}
