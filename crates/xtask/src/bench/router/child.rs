//! A helper process that answers one line for each line.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result};

/// A running helper; dropping it ends it.
pub(super) struct LineChild {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    name: &'static str,
}

impl LineChild {
    /// Starts `command`, which errors call `name`.
    pub(super) fn start(name: &'static str, mut command: Command) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {name}"))?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let stdin = stdin.with_context(|| format!("{name} has no input"))?;
        let stdout = BufReader::new(stdout.with_context(|| format!("{name} has no output"))?);
        Ok(Self { child, stdin, stdout, name })
    }

    /// Writes a line and reads one.
    pub(super) fn ask(&mut self, line: &str) -> Result<String> {
        writeln!(self.stdin, "{line}").and_then(|()| self.stdin.flush()).with_context(|| self.ended())?;
        self.line()
    }

    /// Reads a line.
    pub(super) fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        if self.stdout.read_line(&mut line).with_context(|| self.ended())? == 0 {
            anyhow::bail!("{}", self.ended());
        }
        Ok(line.trim().to_owned())
    }

    /// Its process id.
    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    fn ended(&self) -> String {
        format!("{} ended", self.name)
    }
}

impl Drop for LineChild {
    fn drop(&mut self) {
        // Both calls fail only when it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
