//! The worker inside the real clients: bulk output comes back short, and what is private stays here.

use lwa_tests::TestHome;
use serde_json::json;

use crate::client::{Client, Launch};
use crate::model::{ScriptedModel, Turn, call};
use crate::wait_for_no_sidecar;

#[test]
fn codex_gets_a_digest_and_no_secret() {
    gets_a_digest_and_no_secret(Client::Codex);
}

#[test]
fn claude_gets_a_digest_and_no_secret() {
    gets_a_digest_and_no_secret(Client::Claude);
}

#[test]
fn legacy_claude_gets_a_digest_and_no_secret() {
    gets_a_digest_and_no_secret(Client::ClaudeLegacy);
}

fn gets_a_digest_and_no_secret(client: Client) {
    if !client.is_installed() {
        return;
    }
    // As people write it; Codex calls itself something longer.
    let name = if client == Client::Codex { "codex" } else { "claude-code" };
    let home = TestHome::with_config(&format!("[clients.{name}.worker]\narm = \"on\"\nrun_policy = \"allow\"\n"));
    let secret = format!("ghp_{}", lwa_tests::planted::secret("worker").replace(['-', '_'], "Q"));
    let command = format!("seq 1 3000; echo 'error: the last step failed'; echo GITHUB_TOKEN={secret}");
    let model = ScriptedModel::start(client.script([
        call("local_llm_run", move |_| json!({ "command": command, "task": "What failed?" })),
        Turn::Say("it failed at the last step"),
    ]));
    let ended = Launch::of(client, &home).start(&model).finish();
    assert_eq!(ended.code, 0, "{ended:?}");
    model.assert_played();
    let ran = &model.results_of("local_llm_run")[0];
    assert!(ran.text.contains("error: the last step failed"), "{}", ran.text);
    assert!(ran.text.contains("rc 0") && ran.text.contains("builtin"), "{}", ran.text);
    assert!(ran.text.len() < 6_000, "{} bytes", ran.text.len());
    assert!(!ran.text.contains(&secret), "{}", ran.text);
    let sessions = home.lwa(&["worker", "sessions", "--json"]);
    assert!(!sessions.stdout.contains(&secret), "{sessions:?}");
    let session = &sessions.json()["sessions"][0];
    assert_eq!((&session["turns"], &session["placeholders"]["SECRET"]), (&json!(1), &json!(1)), "{session}");
    assert!(session["key"].as_str().is_some_and(|key| key.starts_with(&format!("{name}."))), "{session}");
    wait_for_no_sidecar(&home);
}
