//! A consent question while a person is there, who answers in a terminal while the client waits.

use lwa_tests::acme::paid_home;
use lwa_tests::program;
use serde_json::{Value, json};

use crate::client::{Client, Launch};
use crate::model::{ScriptedModel, Turn};
use crate::running::Running;
use crate::{approve, prepare_paid, run, wait_for_no_sidecar};

#[test]
fn codex_waits_for_a_person_and_runs_what_they_allowed() {
    waits_for_a_person_and_runs_what_they_allowed(Client::Codex);
}

#[test]
fn claude_waits_for_a_person_and_runs_what_they_allowed() {
    waits_for_a_person_and_runs_what_they_allowed(Client::Claude);
}

#[test]
fn legacy_claude_waits_for_a_person_and_runs_what_they_allowed() {
    waits_for_a_person_and_runs_what_they_allowed(Client::ClaudeLegacy);
}

fn waits_for_a_person_and_runs_what_they_allowed(client: Client) {
    if !client.is_installed() {
        return;
    }
    let (provider, home) = paid_home();
    // A person's terminal that watches: somewhere to ask.
    let mut watch = home.command(&program("lwa"));
    watch.args(["approvals", "watch", "--json"]);
    let watch = Running::start(watch);
    assert!(watch.error_line().starts_with("Watching for questions"));
    let model = ScriptedModel::start(client.script([prepare_paid(), approve(), run(), Turn::Say("it is planned")]));
    let running = Launch::of(client, &home).start(&model);

    let question: Value = serde_json::from_str(&watch.line()).unwrap();
    assert_eq!((&question["kind"], &question["client"]), (&json!("spend"), &json!(client.own_name())));
    let path = client.program().unwrap().display().to_string();
    assert_eq!(question["asker"]["client_path"], path.as_str(), "{question}");
    assert!(model.results_of("approve_preflight").is_empty(), "the call is held while the question is open");
    assert_eq!(provider.count("POST"), 0);
    let (id, code) = (question["id"].as_str().unwrap(), question["code"].as_str().unwrap());
    let allowed = home.lwa_on_terminal(&["approvals", "allow", id], &format!("{code}\n"));
    assert_eq!(allowed.code, 0, "{allowed:?}");

    let ended = running.finish();
    assert_eq!(ended.code, 0, "{ended:?}");
    model.assert_played();
    let asked = &model.results_of("approve_preflight")[0].content;
    assert_eq!((&asked["status"], &asked["outcome"]), (&json!("ready"), &json!("allowed_once")), "{asked}");
    let ran = &model.results_of("run_prepared_task")[0].content;
    assert_eq!((&ran["status"], &ran["replayed"]), (&json!("completed"), &json!(false)), "{ran}");
    assert_eq!(ran["text"], "This is a scripted answer.");
    assert_eq!(provider.count("POST"), 1);
    wait_for_no_sidecar(&home);
}
