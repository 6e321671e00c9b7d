//! One row of SQLite, as durable as ours: what a preparation is held against.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use super::child::LineChild;

/// Answers each line, a number of bytes, with the nanoseconds that one insert of so many bytes took.
const SCRIPT: &str = r#"
import sqlite3, sys, time
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("PRAGMA journal_mode=WAL")
database.execute("PRAGMA synchronous=FULL")
database.execute("CREATE TABLE row (id INTEGER PRIMARY KEY, body TEXT NOT NULL)")
print(sqlite3.sqlite_version, flush=True)
for line in sys.stdin:
    body = "x" * int(line)
    begin = time.perf_counter_ns()
    database.execute("INSERT INTO row (body) VALUES (?)", (body,))
    print(time.perf_counter_ns() - begin, flush=True)
"#;

/// A database of its own in a process of its own.
pub(super) struct Inserts {
    child: LineChild,
    /// The version of its SQLite.
    pub version: String,
}

impl Inserts {
    /// Starts it with its database in `folder`.
    ///
    /// # Errors
    /// There is no such Python, or it has no SQLite.
    pub(super) fn start(python: &Path, folder: &Path) -> Result<Self> {
        let mut command = Command::new(python);
        command.args(["-c", SCRIPT]).arg(folder.join("compared.sqlite3"));
        let mut child = LineChild::start("the database to compare with", command)?;
        let version = child.line()?;
        Ok(Self { child, version })
    }

    /// Inserts one row of `bytes` bytes; answers how long that took.
    pub(super) fn insert(&mut self, bytes: usize) -> Result<Duration> {
        let nanos = self.child.ask(&bytes.to_string())?;
        Ok(Duration::from_nanos(nanos.parse().context("the database to compare with answered with no number")?))
    }
}
