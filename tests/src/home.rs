//! A home of a test's own, and the command line in it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A built program of the workspace.
pub fn program(name: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap();
    // target/PROFILE/deps/TEST-HASH
    let folder = own.parent().unwrap().parent().unwrap();
    let path = folder.join(name);
    assert!(path.is_file(), "`{}` is not built: run `cargo build --workspace --bins` first", path.display());
    path
}

/// A temporary `LWA_HOME` with its own environment. Its host ends with it.
#[derive(Debug)]
pub struct TestHome {
    folder: TempDir,
    variables: BTreeMap<String, String>,
}

/// What a command printed and how it ended.
#[derive(Debug)]
pub struct Ran {
    /// The exit code.
    pub code: i32,
    /// Stdout.
    pub stdout: String,
    /// Stderr.
    pub stderr: String,
}

impl Ran {
    /// Stdout as the one JSON document it has to be.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("stdout is no JSON ({error}): {self:?}"))
    }
}

impl Default for TestHome {
    fn default() -> Self {
        Self::new()
    }
}

impl TestHome {
    /// An empty home; no app is started from it.
    pub fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("lwa-t").tempdir().unwrap();
        let path = |part: &str| folder.path().join(part).display().to_string();
        let variables = BTreeMap::from([
            ("HOME".to_owned(), path("user")),
            ("LWA_HOME".to_owned(), path("l")),
            ("LWA_NO_APP".to_owned(), "1".to_owned()),
            ("PATH".to_owned(), std::env::var("PATH").unwrap()),
        ]);
        fs::create_dir(folder.path().join("user")).unwrap();
        Self { folder, variables }
    }

    /// The same with a configuration file.
    pub fn with_config(text: &str) -> Self {
        let home = Self::new();
        home.write_config(text);
        home
    }

    /// Sets a variable for every process started from here on.
    pub fn set(mut self, name: &str, value: &str) -> Self {
        self.variables.insert(name.to_owned(), value.to_owned());
        self
    }

    /// The folder that holds everything.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// `LWA_HOME`.
    pub fn lwa_home(&self) -> PathBuf {
        self.folder.path().join("l")
    }

    /// The variables of processes started here.
    pub fn variables(&self) -> &BTreeMap<String, String> {
        &self.variables
    }

    /// Writes `config.toml`.
    pub fn write_config(&self, text: &str) {
        let path = self.lwa_home().join("config/config.toml");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A command with this home's environment and nothing else.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(&self.variables).current_dir(self.folder.path());
        command
    }

    /// Runs `lwa` with nothing on stdin.
    pub fn lwa(&self, arguments: &[&str]) -> Ran {
        self.lwa_with_input(arguments, b"")
    }

    /// Runs `lwa` with this on stdin.
    pub fn lwa_with_input(&self, arguments: &[&str], input: &[u8]) -> Ran {
        let mut command = self.command(&program("lwa"));
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        // A command that does not read its stdin closes it, which is no fault.
        let feed = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let output = child.wait_with_output().unwrap();
        feed.join().unwrap();
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Runs `lwa` on a terminal of its own and types `typed` into it. Stderr shows up in stdout.
    pub fn lwa_on_terminal(&self, arguments: &[&str], typed: &str) -> Ran {
        let quoted: Vec<String> = std::iter::once(program("lwa").display().to_string())
            .chain(arguments.iter().map(|argument| (*argument).to_owned()))
            .map(|word| format!("'{word}'"))
            .collect();
        let mut command = self.command(Path::new("script"));
        command.args(["--quiet", "--return", "--command", &quoted.join(" "), "/dev/null"]);
        command
            .env("TERM", "dumb")
            .env("SHELL", "/bin/sh")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The state of the running host; `None` when none runs.
    pub fn host(&self) -> Option<Value> {
        let status = self.lwa(&["status", "--json"]).json();
        (status["running"] == true).then_some(status)
    }

    /// The open questions.
    pub fn open_approvals(&self) -> Vec<Value> {
        self.lwa(&["approvals", "list", "--json"]).json().as_array().unwrap().clone()
    }
}

impl Drop for TestHome {
    fn drop(&mut self) {
        let _ = self.lwa(&["stop"]);
    }
}
