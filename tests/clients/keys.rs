//! Keys of the client's own that reach the sidecar's environment and must go no further.

use std::fs;

use lwa_tests::{TestHome, planted};
use serde_json::{Value, json};

use crate::client::{Client, Launch};
use crate::model::{ScriptedModel, Turn, call};
use crate::{run, sidecars, tap};

#[test]
fn a_key_of_codex_is_in_no_file_and_no_reply_of_lwa() {
    is_in_no_file_and_no_reply(Client::Codex, "OPENAI_API_KEY");
}

#[test]
fn a_key_of_claude_is_in_no_file_and_no_reply_of_lwa() {
    is_in_no_file_and_no_reply(Client::Claude, "ANTHROPIC_API_KEY");
}

fn is_in_no_file_and_no_reply(client: Client, variable: &'static str) {
    if !client.is_installed() {
        return;
    }
    let home = TestHome::new();
    let key = planted::secret(client.own_name());
    let text = "user: the port is 8443\n";
    let model = ScriptedModel::start(client.script([
        call("router_status", |_| json!({ "response_detail": "debug" })),
        call("prepare_task", move |_| json!({ "task": "conversation_compression", "prompt": text })),
        run(),
        Turn::Pause,
        Turn::Say("done"),
    ]));
    let running = Launch::of(client, &home).tapped().with(variable, &key).start(&model);
    model.wait_for_pause();
    // The key is where it could be taken from.
    let sidecar = environment(&sidecars(&home)[0]);
    assert!(sidecar.is_none_or(|environment| environment.contains(&key)), "the sidecar does not have the key");
    if variable == "ANTHROPIC_API_KEY" {
        let sent = model.requests().iter().any(|request| request.header("x-api-key") == Some(&key));
        assert!(sent, "the client does not use the key");
        // No provider of Lwa takes this one, so the host does not get it either.
        let host = environment(&home.host().unwrap()).unwrap_or_default();
        planted::assert_clean("the host's environment", &host, &key);
    }
    for arguments in [
        &["status", "--json"][..],
        &["doctor", "--json"],
        &["providers", "--json"],
        &["keys", "list", "--json"],
        &["audit", "tail", "--json"],
        &["config", "show", "--effective", "--json"],
    ] {
        let said = home.lwa(arguments);
        planted::assert_clean(arguments[0], &format!("{}{}", said.stdout, said.stderr), &key);
    }
    model.resume();
    let ended = running.finish();
    assert_eq!(ended.code, 0, "{ended:?}");
    model.assert_played();
    for result in model.results() {
        planted::assert_clean(result.tool, &result.text, &key);
    }
    for file in tap::files(&home) {
        let text = fs::read_to_string(&file).unwrap();
        planted::assert_clean(&file.display().to_string(), &text, &key);
    }
    assert!(planted::files_with(&home.lwa_home(), &key).is_empty());
}

/// The environment of a process in the host's status; none when the system hides it from others.
fn environment(process: &Value) -> Option<String> {
    let pid = process["pid"].as_u64().unwrap();
    let bytes = fs::read(format!("/proc/{pid}/environ")).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
