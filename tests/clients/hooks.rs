//! The hooks inside the real clients: the guard stops a denied command, and a tool use names its conversation.

use lwa_tests::TestHome;
use serde_json::json;

use crate::client::{Client, Launch};
use crate::model::{ScriptedModel, Turn, call};
use crate::wait_for_no_sidecar;

#[test]
fn claude_runs_no_denied_command_and_names_its_conversation() {
    guards_and_names(Client::Claude);
}

#[test]
fn codex_runs_no_denied_command() {
    guards_and_names(Client::Codex);
}

fn guards_and_names(client: Client) {
    if !client.is_installed() {
        return;
    }
    let (name, shell) = if client == Client::Codex { ("codex", "exec_command") } else { ("claude-code", "Bash") };
    let home = TestHome::with_config(&format!("[clients.{name}.worker]\narm = \"on\"\nrun_policy = \"allow\"\n"));
    let file = home.folder().join(if client == Client::Codex {
        "user/.codex/hooks.json"
    } else {
        "user/.claude/settings.json"
    });
    let installed = home.lwa(&["hook", "install", name, "--guard", "--file", &file.display().to_string()]);
    assert_eq!(installed.code, 0, "{installed:?}");
    let marker = home.folder().join("made");
    // What is in front of the denied program would run, if any of it did.
    let denied = format!("touch {} && sudo id", marker.display());
    let model = ScriptedModel::start(client.script([
        call(shell, move |_| if shell == "Bash" { json!({ "command": denied }) } else { json!({ "cmd": denied }) }),
        call("local_llm_run", |_| json!({ "command": "seq 1 3000", "task": "How many?" })),
        Turn::Say("done"),
    ]));
    let ended = Launch::of(client, &home)
        .with("LWA_HOME", &home.lwa_home().display().to_string())
        .trusting_hooks()
        .start(&model)
        .finish();
    assert_eq!(ended.code, 0, "{ended:?}");
    model.assert_played();
    assert!(!marker.exists(), "the denied command ran");
    let said = &model.results_of(shell)[0];
    assert!(said.text.contains("`sudo` runs a command with another identity"), "{}", said.text);
    let sessions = home.lwa(&["worker", "sessions", "--json"]);
    let session = &sessions.json()["sessions"][0];
    assert!(session["key"].as_str().is_some_and(|key| key.starts_with(&format!("{name}."))), "{session}");
    wait_for_no_sidecar(&home);
}
