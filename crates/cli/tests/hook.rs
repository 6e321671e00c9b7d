//! The hooks of clients, through the program: they never fail, say little, and start no host.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic in a test is its report")]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

fn command(home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lwa"));
    command
        .args(arguments)
        .current_dir(home)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", home)
        .env("LWA_HOME", home.join("l"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn run(home: &Path, arguments: &[&str], input: &[u8]) -> Ran {
    let mut child = command(home, arguments).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let feed = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    feed.join().unwrap();
    Ran {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn home() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// The fields that Claude Code hands to its hooks.
fn claude(tool: &str, input: &Value) -> Vec<u8> {
    let payload = json!({
        "session_id": "5f0c1f3e", "transcript_path": "/h/.claude/projects/p/5f0c1f3e.jsonl", "cwd": "/srv/project",
        "hook_event_name": "PreToolUse", "prompt_id": "p", "permission_mode": "default",
        "tool_name": tool, "tool_input": input, "tool_use_id": "toolu_1",
    });
    payload.to_string().into_bytes()
}

/// The fields that Codex hands to its hooks.
fn codex(tool: &str, input: &Value) -> Vec<u8> {
    let payload = json!({
        "session_id": "019a", "turn_id": "1", "transcript_path": "/h/.codex/sessions/rollout-1.jsonl", "cwd": "/srv/project",
        "model": "m", "permission_mode": "default", "hook_event_name": "PreToolUse",
        "tool_name": tool, "tool_input": input, "tool_use_id": "call_1",
    });
    payload.to_string().into_bytes()
}

#[test]
fn an_event_never_fails_and_prints_nothing() {
    let home = home();
    let large = vec![b'['; (1 << 20) + 10];
    let deep = b"[".repeat(100_000);
    let inputs: [&[u8]; 8] = [
        b"",
        b"no json",
        b"[1, 2]",
        b"{\"session_id\": 7}",
        b"\xff\xfe",
        &large,
        &deep,
        &claude("mcp__lwa__local_llm_run", &json!({})),
    ];
    for input in inputs {
        for arguments in [
            &["hook", "SessionStart"][..],
            &["hook", "PreToolUse", "--client", "claude-code"],
            &["hook", "PreCompact", "--client", "nobody", "--unknown"],
            &["hook", "NoSuchEvent", "--client"],
        ] {
            let ran = run(home.path(), arguments, input);
            assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""), "{arguments:?}");
        }
    }
    assert!(!home.path().join("l").exists(), "a hook starts no host and writes nothing");
}

#[test]
fn an_event_does_not_wait_for_a_client_that_keeps_stdin_open() {
    let home = home();
    let mut child = command(home.path(), &["hook", "SessionStart"]).spawn().unwrap();
    // Waiting would close it.
    let held = child.stdin.take();
    let started = Instant::now();
    let status = child.wait().unwrap();
    // The product's own limit is 100 ms; a machine that is busy with other tests gets more.
    assert!(started.elapsed() < Duration::from_secs(5));
    drop(held);
    assert_eq!(status.code(), Some(0));
}

#[test]
fn the_guard_stops_a_denied_command_in_the_way_of_each_client() {
    let home = home();
    for input in [json!({"command": "sudo id"}), json!({"command": "ls; sudo id"})] {
        let ran = run(home.path(), &["hook", "guard"], &claude("Bash", &input));
        assert_eq!(ran.code, 0);
        let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
        let answer = &answer["hookSpecificOutput"];
        assert_eq!(answer["hookEventName"], "PreToolUse");
        assert_eq!(answer["permissionDecision"], "deny");
        assert!(answer["permissionDecisionReason"].as_str().unwrap().contains("sudo"));
    }
    for (tool, input) in [
        ("Bash", json!({"command": "sudo id"})),
        ("shell", json!({"command": ["bash", "-lc", "sudo id"]})),
        ("exec_command", json!({"cmd": "sudo id"})),
    ] {
        let ran = run(home.path(), &["hook", "guard"], &codex(tool, &input));
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{tool}");
        assert!(ran.stderr.contains("sudo"), "{}", ran.stderr);
    }
}

#[test]
fn the_guard_leaves_what_the_list_allows_to_the_client() {
    let home = home();
    fs::create_dir_all(home.path().join("l/config")).unwrap();
    fs::write(home.path().join("l/config/run-allow.txt"), "ls*\nask: make*\n").unwrap();
    for input in [claude("Bash", &json!({"command": "ls -l"})), codex("Bash", &json!({"command": "ls -l"}))] {
        let ran = run(home.path(), &["hook", "guard"], &input);
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
    }
    // What is merely on no list is asked about by the client's own rules, and not twice.
    let unlisted = json!({"command": "cmake --version"});
    let ran = run(home.path(), &["hook", "guard"], &claude("Bash", &unlisted));
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
    let other = json!({"command": "make all"});
    let ran = run(home.path(), &["hook", "guard"], &claude("Bash", &other));
    assert!(ran.stdout.contains("\"permissionDecision\":\"ask\""), "{}", ran.stdout);
    let ran = run(home.path(), &["hook", "guard"], &codex("Bash", &other));
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
}

#[test]
fn the_guard_turns_reads_of_private_files_to_the_worker() {
    let home = home();
    let key = home.path().join(".ssh/id_ed25519").display().to_string();
    let ran = run(home.path(), &["hook", "guard"], &claude("Read", &json!({"file_path": key})));
    assert!(ran.stdout.contains("\"permissionDecision\":\"deny\""), "{}", ran.stdout);
    assert!(ran.stdout.contains("local_llm_delegate"));
    let readme = home.path().join("README.md").display().to_string();
    let ran = run(home.path(), &["hook", "guard"], &claude("Read", &json!({"file_path": readme})));
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    for (tool, input) in [
        ("Grep", json!({"pattern": ".", "path": key, "output_mode": "content"})),
        ("Grep", json!({"pattern": ".", "path": home.path().join(".ssh")})),
        ("Grep", json!({"pattern": ".", "path": home.path(), "glob": ".ssh/*"})),
    ] {
        let ran = run(home.path(), &["hook", "guard"], &claude(tool, &input));
        assert!(ran.stdout.contains("\"permissionDecision\":\"deny\""), "{tool} {input}: {}", ran.stdout);
    }
    let ran = run(home.path(), &["hook", "guard"], &claude("Grep", &json!({"pattern": "x"})));
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    // Codex reads files by its shell, and its hooks cannot ask.
    for (tool, input) in [
        ("exec_command", json!({"cmd": format!("cat {key}")})),
        ("write_stdin", json!({"session_id": 1, "chars": format!("cat {key}\n")})),
        ("view_image", json!({"path": key})),
    ] {
        let ran = run(home.path(), &["hook", "guard"], &codex(tool, &input));
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{tool}");
        assert!(ran.stderr.contains("local_llm_delegate"), "{}", ran.stderr);
    }
}

#[test]
fn the_guard_keeps_tools_from_writing_what_is_protected() {
    let home = home();
    let own = home.path().join("l/config/run-allow.txt").display().to_string();
    let settings = home.path().join(".claude/settings.json").display().to_string();
    let plain = home.path().join("README.md").display().to_string();
    for path in [&own, &settings] {
        for tool in ["Write", "Edit", "MultiEdit"] {
            let ran = run(home.path(), &["hook", "guard"], &claude(tool, &json!({"file_path": path})));
            assert!(ran.stdout.contains("\"permissionDecision\":\"deny\""), "{tool} {path}: {}", ran.stdout);
        }
        let patch = format!("*** Begin Patch\n*** Add File: {plain}\n+x\n*** Update File: {path}\n+x\n*** End Patch");
        let ran = run(home.path(), &["hook", "guard"], &codex("apply_patch", &json!({"input": patch})));
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{path}: {}", ran.stderr);
    }
    for input in [claude("Write", &json!({"file_path": plain})), claude("TodoWrite", &json!({"todos": []}))] {
        let ran = run(home.path(), &["hook", "guard"], &input);
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
    }
}

#[test]
fn every_tool_that_the_guard_knows_is_named_in_the_hooks_that_are_installed() {
    let home = home();
    for (client, payload) in [("claude-code", claude as fn(&str, &Value) -> Vec<u8>), ("codex", codex)] {
        let file = home.path().join(client).display().to_string();
        let ran = run(home.path(), &["hook", "install", client, "--guard", "--file", &file], b"");
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let document: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let groups = document["hooks"]["PreToolUse"].as_array().unwrap();
        let matcher = groups.iter().filter_map(|group| group["matcher"].as_str()).find(|text| text.contains("Bash"));
        let tools: Vec<&str> = matcher.unwrap().split('|').collect();
        let shared = ["Bash", "Write", "Edit"];
        let own: &[&str] = if client == "codex" {
            &["shell", "local_shell", "shell_command", "exec_command", "write_stdin", "view_image", "apply_patch"]
        } else {
            &["Read", "Grep", "MultiEdit", "NotebookEdit", "NotebookRead"]
        };
        assert!(shared.iter().chain(own).all(|tool| tools.contains(tool)), "{tools:?}");
        // The other way round, each of them is something to the guard: without arguments none is waved through.
        for tool in tools.iter().filter(|tool| !["Grep", "grep_files", "write_stdin"].contains(tool)) {
            let ran = run(home.path(), &["hook", "guard", "--client", client], &payload(tool, &json!({})));
            assert!(ran.code == 2 || ran.stdout.contains("\"ask\""), "{tool}: {} {}", ran.code, ran.stdout);
        }
    }
}

#[test]
fn the_guard_does_not_wave_through_what_it_cannot_read() {
    let home = home();
    let ran = run(home.path(), &["hook", "guard", "--client", "claude-code"], b"no json");
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.contains("\"permissionDecision\":\"ask\""), "{}", ran.stdout);
    // Codex's hooks cannot ask, so they stop it.
    let plain = String::from_utf8(codex("Bash", &json!({"command": "ls"}))).unwrap();
    let padded = codex("Bash", &json!({"command": format!("rm -rf /home/x # {}", "a".repeat(2 << 20))}));
    let huge = codex("Bash", &json!({"command": format!("ls # {}", "a".repeat(17 << 20))}));
    let no_text = codex("Bash", &json!({"command": 7}));
    let broken = plain.get(..plain.len() - 1).unwrap().as_bytes();
    for input in [b"no json".as_slice(), b"", b"{", b"{}", &padded, &huge, &no_text, broken] {
        let ran = run(home.path(), &["hook", "guard", "--client", "codex"], input);
        let beginning = String::from_utf8_lossy(input.get(..40.min(input.len())).unwrap());
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{beginning}");
        assert!(ran.stderr.contains("Lwa's command policy"), "{}", ran.stderr);
    }
    let ran = run(home.path(), &["hook", "guard", "--client", "codex"], plain.as_bytes());
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
}

#[test]
fn entries_are_written_once_beside_others_and_go_again() {
    let home = home();
    let file = home.path().join("settings.json");
    let before = json!({"model": "m", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}});
    fs::write(&file, before.to_string()).unwrap();
    let path = file.display().to_string();
    let install = ["hook", "install", "claude-code", "--guard", "--file", &path, "--json"];
    let done = |arguments: &[&str]| -> Value {
        let ran = run(home.path(), arguments, b"");
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        serde_json::from_str(&ran.stdout).unwrap()
    };
    let dry: Vec<&str> = install.iter().copied().chain(["--dry-run"]).collect();
    assert_eq!(done(&dry)["changed"], true);
    assert_eq!(fs::read_to_string(&file).unwrap(), before.to_string());
    let first = done(&install);
    let backup = fs::read_to_string(first["backup"].as_str().unwrap()).unwrap();
    assert_eq!(backup, before.to_string());
    let written = fs::read_to_string(&file).unwrap();
    let document: Value = serde_json::from_str(&written).unwrap();
    assert_eq!(document["hooks"]["Stop"], before["hooks"]["Stop"]);
    let command = document["hooks"]["SessionStart"][0]["hooks"][0]["command"].as_str().unwrap();
    assert!(command.contains(env!("CARGO_BIN_EXE_lwa")) && command.contains("LWA_HOME="), "{command}");
    assert_eq!(document["hooks"]["PreToolUse"].as_array().unwrap().len(), 2);
    assert_eq!(done(&install)["changed"], false);
    assert_eq!(fs::read_to_string(&file).unwrap(), written);
    assert_eq!(done(&["hook", "remove", "claude-code", "--file", &path, "--json"])["changed"], true);
    let after: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(after, before);
}

#[test]
fn the_file_of_a_client_is_found_by_its_variable_and_not_guessed_beside_lwa_home() {
    let home = home();
    let ran = run(home.path(), &["hook", "install", "codex"], b"");
    assert_eq!(ran.code, 2);
    assert!(!home.path().join(".codex").exists());
    let mut child = command(home.path(), &["hook", "install", "codex"]);
    let output = child.env("CODEX_HOME", home.path().join("c")).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success());
    let document: Value = serde_json::from_str(&fs::read_to_string(home.path().join("c/hooks.json")).unwrap()).unwrap();
    assert_eq!(document["hooks"]["PreToolUse"][0]["matcher"], "mcp__lwa.*");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("trusted"), "{stderr}");
}

#[test]
fn a_file_that_is_no_json_is_left_alone() {
    let home = home();
    let file = home.path().join("settings.json");
    fs::write(&file, "{ // a note\n}").unwrap();
    let ran = run(home.path(), &["hook", "install", "claude-code", "--file", file.to_str().unwrap()], b"");
    assert_eq!(ran.code, 2);
    assert_eq!(fs::read_to_string(&file).unwrap(), "{ // a note\n}");
}
