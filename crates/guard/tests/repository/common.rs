//! A repository of a test's own.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic in a test is its report")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use lwa_guard::check::Report;
use lwa_guard::{Finding, Repository, Rule, Scanner};
use tempfile::TempDir;

/// A temporary repository; git reads no configuration but its own.
pub struct Repo {
    folder: TempDir,
}

impl Repo {
    pub fn new() -> Self {
        let repo = Self { folder: tempfile::tempdir().unwrap() };
        repo.git(&["init", "--quiet", "--initial-branch=main"]);
        repo.git(&["config", "user.name", "Example Writer"]);
        repo.git(&["config", "user.email", "writer@example.com"]);
        repo
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn open(&self) -> Repository {
        Repository::of(self.path()).unwrap()
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command
            .args(arguments)
            .current_dir(self.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.path())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_EDITOR", "true");
        command
    }

    pub fn try_git(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        let output = self.try_git(arguments);
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let file = self.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        file
    }

    pub fn stage(&self, path: &str, text: impl AsRef<[u8]>) {
        self.write(path, text);
        self.git(&["add", "--", path]);
    }

    pub fn commit(&self, message: &str) -> String {
        self.git(&["commit", "--quiet", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    pub fn staged(&self) -> Report {
        lwa_guard::check::staged(&self.open(), &Scanner::new()).unwrap()
    }
}

/// What was found, short: the name of the place, the line, the rule.
pub fn short(findings: &[Finding]) -> Vec<(&str, usize, Rule)> {
    findings.iter().map(|finding| (finding.place.name.as_str(), finding.line, finding.rule)).collect()
}
