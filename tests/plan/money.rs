//! Paid routes, caps and unknown prices.

use lwa_tests::{Era, Sidecar, TestHome};
use serde_json::json;

use crate::{config, fake};

#[test]
fn a_route_of_unknown_class_needs_permission_and_consent() {
    let provider = fake("answer");
    let home = TestHome::with_config(&config(&provider, "unknown", "")).set("ACME_KEY", "k-1");
    let refused = home.lwa(&["plan", "query", "why?", "--provider", "acme", "--json"]);
    assert_eq!((refused.code, &refused.json()["error"]["code"]), (3, &json!("no_route")));
    let plan = home.lwa(&["plan", "query", "why?", "--provider", "acme", "--allow-paid", "--json"]).json();
    assert_eq!((&plan["requires_confirmation"], &plan["working_may_begin"]), (&json!(true), &json!(false)));
    assert_eq!(provider.count("POST"), 0);
}

#[test]
fn a_paid_plan_states_its_worst_case_and_its_price_source() {
    let provider = fake("answer");
    let home = TestHome::with_config(&config(&provider, "paid", "")).set("ACME_KEY", "k-1");
    let plan = home.lwa(&["plan", "query", "why?", "--allow-paid", "--max-output-tokens", "100", "--json"]).json();
    // 5 and 20 dollars a million are 5 and 20 million pico-dollars a token.
    let tokens = plan["estimated_input_tokens"].as_u64().unwrap();
    assert_eq!(plan["max_cost_pico_usd"], tokens * 5_000_000 + 100 * 20_000_000);
    assert_eq!(plan["routes"][0]["price_source"], "config");
}

#[test]
fn with_a_daily_cap_of_one_the_second_plan_is_refused_at_its_run_and_stays_unharmed() {
    let provider = fake("answer");
    let home = TestHome::with_config(&config(&provider, "free", "daily_request_cap = 1")).set("ACME_KEY", "k-1");
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &[]);
    let plans: Vec<_> =
        (0..2).map(|_| sidecar.tool("prepare_task", json!({ "task": "query", "prompt": "why?" }))).collect();
    let first = sidecar.tool("run_prepared_task", json!({ "plan_token": plans[0]["plan_token"] }));
    let second = sidecar.tool("run_prepared_task", json!({ "plan_token": plans[1]["plan_token"] }));
    assert_eq!(first["status"], "completed");
    assert_eq!((&second["_is_error"], &second["error"]["code"]), (&json!(true), &json!("cap_exceeded")));
    assert_eq!(provider.count("POST"), 1);
    // And a third is not even routed there.
    let third = home.lwa(&["plan", "query", "why?", "--json"]);
    assert_eq!(third.json()["error"]["code"], "no_route");
}

#[test]
fn a_reported_cost_is_kept_and_an_unreported_one_is_computed() {
    let computed = 11 * 5_000_000 + 7 * 20_000_000;
    // A free class is the provider's rule, whatever a list price says; only its own word makes a cost of such a call.
    for (scenario, class, cost) in [
        ("answer", "paid", 120_000_000_u64),
        ("json", "paid", computed),
        ("answer", "free", 120_000_000),
        ("json", "free", 0),
    ] {
        let provider = fake(scenario);
        let text = config(&provider, class, "").replace("[router]", "[router]\nconsent_mode = \"automatic\"");
        let home = TestHome::with_config(&text).set("ACME_KEY", "k-1");
        let ran = home.lwa(&["run", "query", "why?", "--allow-paid", "--json"]).json();
        assert_eq!(ran["cost_pico_usd"], cost, "{scenario}");
        let telemetry = home.lwa(&["telemetry", "--json"]).json();
        assert_eq!(telemetry["total"]["cost_pico_usd"], cost, "{scenario}");
    }
}

#[test]
fn a_paid_call_whose_connection_breaks_keeps_its_reservation_and_a_refused_key_does_not() {
    for (scenario, is_kept) in
        [("reset", true), ("cut", true), ("server_error", true), ("unauthorized", false), ("refused", false)]
    {
        let provider = fake(scenario);
        let home = TestHome::with_config(&config(&provider, "paid", "monthly_usd_cap = 1.0")).set("ACME_KEY", "k-1");
        let mut sidecar = Sidecar::start_apart(&home, Era::Legacy, &[]);
        let plan = sidecar.tool("prepare_task", json!({ "task": "query", "prompt": "why?", "allow_paid": true }));
        sidecar.tool("approve_preflight", json!({ "confirmation_token": plan["confirmation_token"] }));
        let open = home.lwa(&["approvals", "list", "--json"]).json();
        let (id, code) = (open[0]["id"].as_str().unwrap().to_owned(), open[0]["code"].as_str().unwrap().to_owned());
        assert_eq!(home.lwa_on_terminal(&["approvals", "allow", &id], &format!("{code}\n")).code, 0);
        let ran = sidecar.tool("run_prepared_task", json!({ "plan_token": plan["plan_token"] }));
        assert_eq!(ran["status"], "repreflight_required", "{scenario}: {ran}");
        let providers = home.lwa(&["providers", "--json"]).json();
        let acme = providers["providers"]
            .as_array()
            .unwrap()
            .iter()
            .find(|provider| provider["name"] == "acme")
            .unwrap()
            .clone();
        let spent = acme["spent_this_month_pico_usd"].as_u64().unwrap();
        assert_eq!(spent > 0, is_kept, "{scenario}: {spent}");
    }
}
