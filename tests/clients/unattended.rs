//! A consent question while nobody is there: the model is told how it can be answered, and nothing is spent.

use lwa_tests::acme::paid_home;
use serde_json::json;

use crate::client::{Client, Launch};
use crate::model::{ScriptedModel, Turn};
use crate::tap::Tap;
use crate::{approve, prepare_paid, run, wait_for_no_sidecar};

#[test]
fn codex_is_told_that_nobody_can_be_asked() {
    is_told_that_nobody_can_be_asked(Client::Codex);
}

#[test]
fn claude_is_told_that_nobody_can_be_asked() {
    is_told_that_nobody_can_be_asked(Client::Claude);
}

#[test]
fn legacy_claude_is_told_that_nobody_can_be_asked() {
    is_told_that_nobody_can_be_asked(Client::ClaudeLegacy);
}

fn is_told_that_nobody_can_be_asked(client: Client) {
    if !client.is_installed() {
        return;
    }
    let (provider, home) = paid_home();
    let model = ScriptedModel::start(client.script([
        prepare_paid(),
        approve(),
        run(),
        Turn::Pause,
        Turn::Say("somebody has to answer first"),
    ]));
    let running = Launch::of(client, &home).tapped().start(&model);
    model.wait_for_pause();

    let open = home.open_approvals();
    assert_eq!((open.len(), &open[0]["kind"], &open[0]["count"]), (1, &json!("spend"), &json!(1)), "{open:?}");
    assert_eq!(open[0]["client"], client.own_name());
    model.resume();
    let ended = running.finish();
    assert_eq!(ended.code, 0, "{ended:?}");
    model.assert_played();

    let asked = &model.results_of("approve_preflight")[0].content;
    assert_eq!((&asked["status"], &asked["working_may_begin"]), (&json!("unavailable"), &json!(false)), "{asked}");
    let id = open[0]["id"].as_str().unwrap();
    let way = format!("lwa approvals allow {}", &id[..8]);
    assert!(asked["message"].as_str().unwrap().contains(&way), "the way to approve is said: {asked}");
    let ran = &model.results_of("run_prepared_task")[0].content;
    assert_eq!(ran["status"], "confirmation_required", "a model that goes on all the same gets nowhere: {ran}");

    wait_for_no_sidecar(&home);
    // Neither the client nor the sidecar repeats what the model asked for once.
    let tap = Tap::read(&home);
    assert_eq!((tap.calls_of("approve_preflight").len(), tap.calls().len()), (1, 3), "{:?}", tap.calls());
    // Nor is the question put into a dialog that such a client answers by itself.
    let asks: Vec<_> = tap.replies.iter().filter(|reply| reply.get("method").is_some()).collect();
    assert!(asks.iter().all(|ask| ask["method"] != "elicitation/create"), "{asks:?}");
    assert_eq!(provider.count("POST"), 0);
}
