//! The main job with nothing configured: prepare and run on the built-in provider.

use std::fs;
use std::path::Path;

use lwa_tests::TestHome;
use serde_json::json;

use crate::client::{Client, Launch};
use crate::model::{ScriptedModel, Turn, call};
use crate::tap::Tap;
use crate::{run, sidecars, wait_for_no_sidecar};

#[test]
fn codex_completes_prepare_and_run_on_builtin() {
    completes_prepare_and_run_on_builtin(Client::Codex);
}

#[test]
fn claude_completes_prepare_and_run_on_builtin() {
    completes_prepare_and_run_on_builtin(Client::Claude);
}

#[test]
fn legacy_claude_completes_prepare_and_run_on_builtin() {
    completes_prepare_and_run_on_builtin(Client::ClaudeLegacy);
}

fn completes_prepare_and_run_on_builtin(client: Client) {
    if !client.is_installed() {
        return;
    }
    let home = TestHome::new();
    let transcript = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/transcript.md")).unwrap();
    let whole = transcript.len();
    let model = ScriptedModel::start(client.script([
        call("prepare_task", move |_| json!({ "task": "conversation_compression", "prompt": transcript })),
        run(),
        Turn::Pause,
        Turn::Say("the conversation is compressed"),
    ]));
    let running = Launch::of(client, &home).tapped().start(&model);
    model.wait_for_pause();

    let known = sidecars(&home);
    assert_eq!((known.len(), &known[0]["client"]), (1, &json!(client.own_name())), "{known:?}");
    assert!(known[0]["client_version"].as_str().is_some_and(|version| version.contains('.')), "{known:?}");
    model.resume();
    let ended = running.finish();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stdout.contains("the conversation is compressed"), "{ended:?}");
    model.assert_played();

    let prepared = &model.results_of("prepare_task")[0].content;
    assert_eq!((&prepared["status"], &prepared["working_may_begin"]), (&json!("ready"), &json!(true)), "{prepared}");
    assert_eq!(prepared["routes"][0]["provider"], "builtin");
    let ran = &model.results_of("run_prepared_task")[0];
    // Codex takes the middle out of a reply that it finds too long, and says so in its place.
    assert!(!ran.text.contains("tokens truncated"), "{}", ran.text);
    assert_eq!(
        (&ran.content["status"], &ran.content["route"]["provider"]),
        (&json!("completed"), &json!("builtin")),
        "{}",
        ran.text
    );
    let text = ran.content["text"].as_str().unwrap();
    assert!(text.len() * 3 < whole, "{} of {whole} bytes", text.len());
    for fact in ["2026-12-04", "api/openapi.yaml", "v2.31.7"] {
        assert!(text.contains(fact), "`{fact}` is missing: {text}");
    }

    wait_for_no_sidecar(&home);
    let tap = Tap::read(&home);
    assert_eq!(tap.requests[0]["method"], client.opening());
    assert_eq!(tap.calls().len(), 2, "{:?}", tap.calls());
    assert_eq!(tap.errors, "", "the sidecar has nothing to complain about");
}
