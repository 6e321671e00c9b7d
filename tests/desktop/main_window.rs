//! The Observatory on live data.

use lwa_tests::planted;
use serde_json::json;

use crate::driver::{App, can_run};
use crate::{Agent, paid_home};

#[test]
fn the_first_start_shows_providers_and_a_key_can_be_added_tested_and_removed() {
    if !can_run() {
        return;
    }
    let (_provider, home) = paid_home();
    let home = home.set("ACME_KEY", "");
    let key = planted::secret("window");
    let app = App::start(&home, &[]);
    app.wait_for_text("provider-acme", "acme");
    app.click("key-edit-acme");
    app.type_into("key-input-acme", &key);
    app.click("key-save-acme");
    app.wait_for_text("provider-acme", &key[key.len() - 4..]);
    assert_eq!(home.lwa(&["keys", "list", "--json"]).json()["keys"][0]["provider"], "acme");
    app.click("key-test-acme");
    app.wait_for_text("provider-acme", "2 models");
    app.click("key-remove-acme");
    app.click("key-remove-confirm-acme-confirm");
    while !home.lwa(&["keys", "list", "--json"]).json()["keys"].as_array().unwrap().is_empty() {}
    assert!(planted::files_with(home.folder(), &key).is_empty());
}

#[test]
fn what_a_client_does_shows_up_in_plans_and_ledger() {
    if !can_run() {
        return;
    }
    let (_provider, home) = paid_home();
    std::fs::create_dir_all(home.lwa_home().join("state")).unwrap();
    std::fs::write(home.lwa_home().join("state/app-seen"), "").unwrap();
    let app = App::start(&home, &[]);
    let mut agent = Agent::with_plan(&home);
    let plan_id = agent.plan["plan_id"].as_str().unwrap().to_owned();
    app.click("nav-plans");
    app.wait_for_text(&format!("plan-row-{plan_id}"), "big-1");
    let compressed = agent.sidecar.tool(
        "prepare_task",
        json!({ "task": "conversation_compression", "prompt": "user: port 8443\n", "provider": "builtin" }),
    );
    let ran = agent.sidecar.tool("run_prepared_task", json!({ "plan_token": compressed["plan_token"] }));
    assert_eq!(ran["status"], "completed");
    app.click("nav-ledger");
    app.wait_for_text("ledger-row", "builtin");
}
