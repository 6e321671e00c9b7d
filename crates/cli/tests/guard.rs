//! The gate of git, through the program and through git's own hooks.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic in a test is its report")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A repository, and a home beside it.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(place.repository()).unwrap();
        place.git(&["init", "--quiet", "--initial-branch=main"]);
        place.git(&["config", "user.name", "Example Writer"]);
        place.git(&["config", "user.email", "writer@example.com"]);
        place
    }

    fn repository(&self) -> PathBuf {
        self.folder.path().join("repository")
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Output {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.repository())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.folder.path())
            .env("LWA_HOME", self.folder.path().join("l"))
            .env("GIT_CONFIG_NOSYSTEM", "1");
        command.output().unwrap()
    }

    fn try_git(&self, arguments: &[&str]) -> Output {
        self.run("git", arguments)
    }

    fn git(&self, arguments: &[&str]) -> String {
        let output = self.try_git(arguments);
        assert!(output.status.success(), "git {arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    fn lwa(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = self.run(env!("CARGO_BIN_EXE_lwa"), arguments);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    fn stage(&self, path: &str, text: &str) {
        fs::write(self.repository().join(path), text).unwrap();
        self.git(&["add", "--", path]);
    }

    fn hook(&self, name: &str) -> PathBuf {
        self.repository().join(".git/hooks").join(name)
    }

    fn commits(&self) -> usize {
        let output = self.try_git(&["rev-list", "--all", "--count"]);
        String::from_utf8(output.stdout).unwrap().trim().parse().unwrap()
    }
}

fn foreign(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, "#!/bin/sh\nexit 0\n").unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_finding_is_named_and_its_value_is_not() {
    let place = Place::new();
    place.stage("a.txt", "one\nmail mia.jordan@firm.de\n");
    let (code, stdout, stderr) = place.lwa(&["guard", "check", "--staged"]);
    assert_eq!(code, 4, "{stdout}{stderr}");
    assert!(stdout.starts_with("file a.txt:2: mail (hidden, 18 characters)\n"), "{stdout}");
    let (code, json, _) = place.lwa(&["guard", "check", "--staged", "--json"]);
    assert_eq!(code, 4);
    let document: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(document["clean"], false);
    assert_eq!(document["findings"][0]["rule"], "mail");
    assert_eq!(document["findings"][0]["line"], 2);
    assert!(!format!("{stdout}{stderr}{json}").contains("jordan"));
}

#[test]
fn a_name_that_is_the_finding_is_hidden_too() {
    let place = Place::new();
    place.stage("for-mia.jordan@firm.de.txt", "fine\n");
    let (code, stdout, _) = place.lwa(&["guard", "check", "--staged"]);
    assert_eq!(code, 4);
    assert!(stdout.contains("[hidden]") && !stdout.contains("jordan"), "{stdout}");
}

#[test]
fn a_clean_index_ends_with_0_and_bad_input_with_2() {
    let place = Place::new();
    place.stage("a.txt", "mail writer@example.com from 192.0.2.1\n");
    assert_eq!(place.lwa(&["guard", "check", "--staged"]).0, 0);
    assert_eq!(place.lwa(&["guard", "check", "--range", "nowhere..here"]).0, 2);
    assert_eq!(place.lwa(&["guard", "check"]).0, 2);
    assert_eq!(place.lwa(&["guard", "check", "--staged", "--all"]).0, 2);
    let (code, _, stderr) = place.lwa(&["guard", "check", "--staged", "--denylist", "missing.txt"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("missing.txt"), "{stderr}");
}

#[test]
fn the_denylist_of_the_home_holds_without_being_named() {
    let place = Place::new();
    place.stage("a.txt", "the Quokka plan\n");
    assert_eq!(place.lwa(&["guard", "check", "--staged"]).0, 0);
    let config = place.folder.path().join("l/config");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("denylist.txt"), "quokka\n").unwrap();
    let (code, stdout, _) = place.lwa(&["guard", "check", "--staged"]);
    assert_eq!(code, 4);
    assert!(stdout.contains("denylist (hidden, 6 characters)"), "{stdout}");
    // An exception for every rule is none for the denylist, one for the rule is.
    fs::write(config.join("guard-allow.txt"), "* a.txt\n").unwrap();
    assert_eq!(place.lwa(&["guard", "check", "--staged"]).0, 4);
    fs::write(config.join("guard-allow.txt"), "denylist a.txt\n").unwrap();
    assert_eq!(place.lwa(&["guard", "check", "--staged"]).0, 0);
}

#[test]
fn the_hooks_refuse_a_commit_until_it_is_clean() {
    let place = Place::new();
    assert_eq!(place.lwa(&["guard", "install-hooks"]).0, 0);
    place.stage("a.txt", "server 10.4.5.6\n");
    let refused = place.try_git(&["commit", "-m", "first"]);
    assert!(!refused.status.success());
    assert!(!String::from_utf8_lossy(&refused.stderr).contains("10.4.5.6"), "{refused:?}");
    assert_eq!(place.commits(), 0);
    place.stage("a.txt", "server of example\n");
    let refused = place.try_git(&["commit", "-m", "seen in /home/mjordan/x"]);
    assert!(!refused.status.success());
    // A line that looks like a comment stays in a message that no editor saw.
    let refused = place.try_git(&["commit", "-m", "first", "-m", "# seen in /home/mjordan/x"]);
    assert!(!refused.status.success());
    assert_eq!(place.commits(), 0);
    place.git(&["commit", "--quiet", "-m", "first"]);
    assert_eq!(place.commits(), 1);
}

#[test]
fn the_hooks_refuse_a_push_of_what_was_committed_around_them() {
    let place = Place::new();
    let remote = place.folder.path().join("remote.git");
    place.git(&["init", "--quiet", "--bare", remote.to_str().unwrap()]);
    place.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
    place.stage("a.txt", "fine\n");
    place.git(&["commit", "--quiet", "-m", "first"]);
    assert_eq!(place.lwa(&["guard", "install-hooks"]).0, 0);
    place.git(&["push", "--quiet", "origin", "main"]);
    place.stage("a.txt", "server 10.4.5.6\n");
    place.git(&["commit", "--quiet", "--no-verify", "-m", "second"]);
    assert!(!place.try_git(&["push", "--quiet", "origin", "main"]).status.success());
    let there = place.git(&["--git-dir", remote.to_str().unwrap(), "rev-list", "--count", "main"]);
    assert_eq!(there, "1");
}

#[test]
fn autopush_pushes_what_passed_and_nothing_else() {
    let place = Place::new();
    let remote = place.folder.path().join("remote.git");
    place.git(&["init", "--quiet", "--bare", remote.to_str().unwrap()]);
    place.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
    place.stage("a.txt", "fine\n");
    place.git(&["commit", "--quiet", "-m", "first"]);
    place.git(&["push", "--quiet", "-u", "origin", "main"]);
    assert_eq!(place.lwa(&["guard", "install-hooks", "--autopush"]).0, 0);
    let there = || place.git(&["--git-dir", remote.to_str().unwrap(), "rev-list", "--count", "main"]);
    place.stage("a.txt", "better\n");
    place.git(&["commit", "--quiet", "-m", "second"]);
    assert_eq!(there(), "2");
    place.stage("a.txt", "server 10.4.5.6\n");
    place.git(&["commit", "--quiet", "--no-verify", "-m", "third"]);
    assert_eq!(there(), "2");
}

#[test]
fn a_foreign_hook_stays_unless_it_is_to_go_and_then_it_is_kept() {
    let place = Place::new();
    foreign(&place.hook("commit-msg"));
    let (code, _, stderr) = place.lwa(&["guard", "install-hooks"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("commit-msg"), "{stderr}");
    assert!(!place.hook("pre-commit").exists());
    assert_eq!(place.lwa(&["guard", "install-hooks", "--force", "--dry-run"]).0, 0);
    assert!(!place.hook("pre-commit").exists());
    let (code, json, _) = place.lwa(&["guard", "install-hooks", "--force", "--json"]);
    assert_eq!(code, 0);
    let document: serde_json::Value = serde_json::from_str(&json).unwrap();
    let hooks = document["installed"]["hooks"].as_array().unwrap();
    let replaced = hooks.iter().find(|hook| hook["name"] == "commit-msg").unwrap();
    assert_eq!(replaced["state"], "replaced");
    let backup = fs::read_to_string(replaced["backup"].as_str().unwrap()).unwrap();
    assert_eq!(backup, "#!/bin/sh\nexit 0\n");
    let (_, json, _) = place.lwa(&["guard", "install-hooks", "--json"]);
    let document: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(document["installed"]["hooks"].as_array().unwrap().iter().all(|hook| hook["state"] == "unchanged"));
}

#[test]
fn the_folder_of_hooks_is_the_one_that_git_uses() {
    let place = Place::new();
    place.git(&["config", "core.hooksPath", ".githooks"]);
    assert_eq!(place.lwa(&["guard", "install-hooks"]).0, 0);
    assert!(place.repository().join(".githooks/pre-push").exists());
    assert!(!place.hook("pre-push").exists());
    place.stage("a.txt", "server 10.4.5.6\n");
    assert!(!place.try_git(&["commit", "-m", "first"]).status.success());
}
