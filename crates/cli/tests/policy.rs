//! `lwa policy check`: what people and scripts see of the command policy.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic in a test is its report")]

use std::io::Write;
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// The exit code, and what was printed on both streams.
fn check(arguments: &[&str], input: &str) -> (i32, String, String) {
    let home = TempDir::new().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_lwa"))
        .args(["policy", "check"])
        .args(arguments)
        .env("LWA_HOME", home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_command_is_given_as_one_word_or_as_its_words() {
    let whole = ["rm -rf /", "--"].map(|first| if first == "--" { vec!["--", "rm -rf /"] } else { vec![first] });
    let words = [vec!["rm", "-rf", "/"], vec!["--", "rm", "-rf", "/"]];
    for arguments in whole.iter().chain(&words) {
        let (code, out, err) = check(arguments, "");
        assert_eq!(code, 4, "{arguments:?}: {out}{err}");
        assert!(out.contains("deny"), "{arguments:?}: {out}");
    }
    let (code, _, err) = check(&[], "");
    assert_eq!(code, 2);
    assert!(err.contains("lwa policy check 'git push'"), "{err}");
}

#[test]
fn many_lines_are_decided_in_their_order() {
    let input = "{\"cmd\": \"ls -la\", \"allow\": [\"ls*\"]}\n{\"cmd\": \"lsblk\", \"allow\": [\"ls*\"]}\n";
    let (code, out, err) = check(&["--jsonl"], input);
    assert_eq!(code, 0, "{err}");
    let decisions: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let decisions: Vec<&str> = decisions.iter().map(|line| line["decision"].as_str().unwrap()).collect();
    assert_eq!(decisions, ["allow", "ask"]);
}
