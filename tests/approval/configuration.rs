//! Edits of the configuration file: tightening at once, loosening only by a human.

use lwa_tests::{Era, Sidecar, TestHome};
use serde_json::{Value, json};

use crate::{paid, provider};

fn value(home: &TestHome, key: &str) -> Value {
    let shown = home.lwa(&["config", "show", "--effective", "--json"]).json();
    shown["values"].as_array().unwrap().iter().find(|value| value["key"] == key).unwrap()["value"].clone()
}

#[test]
fn a_loosening_edit_waits_and_a_tightening_one_does_not() {
    let provider = provider();
    let strict = paid(&provider).replace("allow_paid = true", "allow_paid = false");
    let home = TestHome::with_config(&strict).set("ACME_KEY", "k-1");
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &[]);
    sidecar.tool("router_status", json!({}));
    // The agent edits the file.
    home.write_config(&paid(&provider).replace("[router]", "[router]\nconsent_mode = \"automatic\""));
    let plan = sidecar.tool("prepare_task", json!({ "task": "planning", "prompt": "x", "allow_paid": true }));
    assert_eq!(plan["error"]["code"], "no_route", "{plan}");
    assert_eq!(
        (value(&home, "router.allow_paid"), value(&home, "router.consent_mode")),
        (json!(false), json!("paid_only"))
    );
    let open = home.open_approvals();
    assert_eq!((open.len(), &open[0]["kind"]), (1, &json!("policy_change")));
    let changed: Vec<&str> =
        open[0]["detail"]["changes"].as_array().unwrap().iter().map(|change| change["key"].as_str().unwrap()).collect();
    assert!(changed.contains(&"router.allow_paid") && changed.contains(&"router.consent_mode"), "{changed:?}");
    // The agent cannot accept it either.
    assert_eq!(home.lwa(&["config", "accept"]).code, 4);
    assert_eq!(home.lwa(&["config", "set", "router.allow_paid", "true"]).code, 4);
    assert_eq!(value(&home, "router.allow_paid"), json!(false));
    // A restart does not make it the baseline.
    home.lwa(&["stop"]);
    assert_eq!(value(&home, "router.allow_paid"), json!(false));
    // A tightening edit is in force at once.
    home.write_config(&strict.replace("[router]", "[router]\nconsent_mode = \"always_ask\""));
    assert_eq!(value(&home, "router.consent_mode"), json!("always_ask"));
    assert!(home.open_approvals().is_empty(), "nothing loose is left to ask about");
}

#[test]
fn a_person_accepts_what_waits() {
    let provider = provider();
    let home = TestHome::with_config("[router]\nallow_paid = false\n");
    home.lwa(&["doctor"]);
    home.write_config(&paid(&provider));
    assert_eq!(value(&home, "router.allow_paid"), json!(false));
    let accepted = home.lwa(&["config", "accept", "--json"]);
    assert_eq!(accepted.code, 0, "{accepted:?}");
    assert!(accepted.stderr.contains("router.allow_paid: false → true"), "what is accepted is shown: {accepted:?}");
    assert_eq!(value(&home, "router.allow_paid"), json!(true));
    assert!(home.open_approvals().is_empty());
}

#[test]
fn setting_one_value_keeps_comments_and_lets_nothing_else_through() {
    let home = TestHome::with_config("# my file\n[router]\nallow_paid = false # never\n");
    home.lwa(&["doctor"]);
    home.write_config("# my file\n[router]\nallow_paid = true # never\n");
    let set = home.lwa(&["config", "set", "app.approval_minutes", "5", "--json"]);
    assert_eq!(set.code, 0, "{set:?}");
    assert_eq!((value(&home, "app.approval_minutes"), value(&home, "router.allow_paid")), (json!(5), json!(false)));
    let text = std::fs::read_to_string(home.lwa_home().join("config/config.toml")).unwrap();
    assert!(text.contains("# my file") && text.contains("# never"), "{text}");
    let wrong = home.lwa(&["config", "set", "app.aproval_minutes", "5", "--json"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.json()["error"]["message"].as_str().unwrap().contains("approval_minutes"), "{wrong:?}");
}

#[test]
fn a_broken_file_leaves_the_last_good_one_in_force() {
    let home = TestHome::with_config("[router]\nconsent_mode = \"always_ask\"\n");
    home.lwa(&["doctor"]);
    home.write_config("[router]\nconsent_mode = \"automatic\n");
    assert_eq!(value(&home, "router.consent_mode"), json!("always_ask"));
    let status = home.host().unwrap();
    assert_eq!(status["config"]["is_in_force"], false);
    assert!(status["config"]["error"].as_str().unwrap().contains("line 2"), "{status}");
}
