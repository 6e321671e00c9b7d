//! What the clients' own permissions let through when nobody is there to ask.

use lwa_tests::acme::paid_home;
use serde_json::json;

use crate::client::{Client, Launch};
use crate::model::{ScriptedModel, Turn};
use crate::tap::Tap;
use crate::{approve, prepare_paid, run};

#[test]
fn codex_exec_out_of_the_box_runs_only_the_tools_that_read() {
    let client = Client::Codex;
    if !client.is_installed() {
        return;
    }
    let (provider, home) = paid_home();
    let model = ScriptedModel::start(client.script([prepare_paid(), approve(), run(), Turn::Say("not allowed to")]));
    let ended = Launch::of(client, &home).tapped().with_default_permissions().start(&model).finish();
    assert_eq!(ended.code, 0, "{ended:?}");
    model.assert_played();
    // Preparing and asking count as reading, so a model without permission still gets as far as the question.
    assert_eq!(model.results_of("prepare_task")[0].content["status"], "confirmation_required");
    assert_eq!(model.results_of("approve_preflight")[0].content["status"], "unavailable");
    let refused = &model.results_of("run_prepared_task")[0].text;
    assert!(refused.contains("requires approval"), "{refused}");
    let tap = Tap::read(&home);
    assert_eq!((tap.calls().len(), tap.calls_of("run_prepared_task").len()), (2, 0));
    assert_eq!(provider.count("POST"), 0);
}

#[test]
fn claude_p_out_of_the_box_runs_none() {
    let client = Client::Claude;
    if !client.is_installed() {
        return;
    }
    let (_provider, home) = paid_home();
    let model = ScriptedModel::start(client.script([prepare_paid(), Turn::Say("not allowed to")]));
    let ended = Launch::of(client, &home).tapped().with_default_permissions().start(&model).finish();
    assert_eq!(ended.code, 0, "{ended:?}");
    model.assert_played();
    let refused = &model.results_of("prepare_task")[0];
    assert_eq!(refused.content, json!(null));
    assert!(refused.text.contains("permission"), "{refused:?}");
    assert!(Tap::read(&home).calls().is_empty());
}
