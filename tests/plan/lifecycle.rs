//! A plan from preparation to its result, and what happens when it is used again or too late.

use lwa_tests::{Era, Sidecar, TestHome};
use rstest::rstest;
use serde_json::{Value, json};

use crate::{config, fake};

fn transcript() -> String {
    let filler = "assistant: Sounds good, let me take a look at that now.\nuser: Ok.\n";
    format!(
        "{}assistant: Noted: panic at src/auth/session.rs:214 on port 8443.\n{}",
        filler.repeat(200),
        filler.repeat(200)
    )
}

fn prepare(sidecar: &mut Sidecar) -> Value {
    sidecar.tool("prepare_task", json!({ "task": "conversation_compression", "prompt": transcript() }))
}

#[rstest]
#[case(Era::Legacy)]
#[case(Era::Modern)]
fn lwa_052_a_plan_is_prepared_and_run_in_both_eras(#[case] era: Era) {
    let home = TestHome::new();
    let mut sidecar = Sidecar::start(&home, era, &[]);
    let plan = prepare(&mut sidecar);
    assert_eq!((&plan["phase"], &plan["working_may_begin"]), (&json!("preflight_complete"), &json!(true)));
    assert_eq!(plan["routes"][0]["provider"], "builtin");
    let ran = sidecar.tool("run_prepared_task", json!({ "plan_token": plan["plan_token"] }));
    assert_eq!(
        (&ran["status"], &ran["phase"], &ran["replayed"]),
        (&json!("completed"), &json!("work_complete"), &json!(false))
    );
    assert!(ran["text"].as_str().unwrap().contains("src/auth/session.rs:214"));
    assert_eq!(ran["cost_pico_usd"], 0);
    sidecar.finish();
}

#[test]
fn a_26_a_used_token_gives_the_stored_result_again_and_calls_nobody() {
    let provider = fake("answer");
    let home = TestHome::with_config(&config(&provider, "free", "")).set("ACME_KEY", "k-1");
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &[]);
    let plan = sidecar.tool("prepare_task", json!({ "task": "query", "prompt": "why?" }));
    let first = sidecar.tool("run_prepared_task", json!({ "plan_token": plan["plan_token"] }));
    let again = sidecar.tool("run_prepared_task", json!({ "plan_token": plan["plan_token"] }));
    assert_eq!((&first["replayed"], &again["replayed"]), (&json!(false), &json!(true)));
    assert_eq!(first["text"], again["text"]);
    assert_eq!(provider.count("POST"), 1);
    let stored = home.lwa(&["result", plan["plan_id"].as_str().unwrap(), "--json"]).json();
    assert_eq!(stored["text"], first["text"]);
    assert_eq!(
        stored["usage"],
        json!({ "input_tokens": 11, "cached_tokens": null, "output_tokens": 7, "reported": true })
    );
}

#[test]
fn of_two_sidecars_that_race_for_one_token_one_runs_it() {
    let provider = fake("answer");
    let home = TestHome::with_config(&config(&provider, "free", "")).set("ACME_KEY", "k-1");
    let mut sidecars: Vec<Sidecar> = (0..2).map(|_| Sidecar::start(&home, Era::Legacy, &[])).collect();
    let plan = sidecars[0].tool("prepare_task", json!({ "task": "query", "prompt": "why?" }));
    // Both hosts' connections exist before the race.
    sidecars[1].tool("router_status", json!({}));
    let ids: Vec<u64> = sidecars
        .iter_mut()
        .map(|sidecar| {
            sidecar.post(
                "tools/call",
                json!({ "name": "run_prepared_task", "arguments": { "plan_token": plan["plan_token"] } }),
            )
        })
        .collect();
    let answers: Vec<Value> =
        sidecars.iter_mut().zip(ids).map(|(sidecar, id)| Sidecar::content(&sidecar.answer(id))).collect();
    assert!(answers.iter().all(|answer| answer["status"] == "completed"), "{answers:?}");
    assert_eq!(provider.count("POST"), 1);
}

#[test]
fn a_result_outlives_the_client_that_paid_for_it() {
    let provider = fake("answer");
    let home = TestHome::with_config(&config(&provider, "free", "")).set("ACME_KEY", "k-1");
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &[]);
    let plan = sidecar.tool("prepare_task", json!({ "task": "query", "prompt": "why?" }));
    sidecar
        .post("tools/call", json!({ "name": "run_prepared_task", "arguments": { "plan_token": plan["plan_token"] } }));
    provider.wait_for_calls(1);
    sidecar.kill();
    let plan_id = plan["plan_id"].as_str().unwrap();
    let stored = loop {
        let stored = home.lwa(&["result", plan_id, "--json"]).json();
        if stored["status"] != "working" {
            break stored;
        }
    };
    assert_eq!((&stored["status"], &stored["text"]), (&json!("completed"), &json!("This is a scripted answer.")));
}

#[test]
fn an_expired_plan_says_so_and_calls_nobody() {
    let provider = fake("answer");
    let text = config(&provider, "free", "").replace("[router]", "[router]\nconfirmation_ttl_seconds = 1");
    let home = TestHome::with_config(&text).set("ACME_KEY", "k-1");
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &[]);
    let plan = sidecar.tool("prepare_task", json!({ "task": "query", "prompt": "why?" }));
    let expires: String = plan["expires_at"].as_str().unwrap().to_owned();
    // Times compare as text: RFC 3339 in UTC with milliseconds. The ledger's clock is the host's.
    while home.lwa(&["telemetry", "--json"]).json()["as_of"].as_str().unwrap() <= expires.as_str() {}
    let ran = sidecar.tool("run_prepared_task", json!({ "plan_token": plan["plan_token"] }));
    assert_eq!((&ran["_is_error"], &ran["error"]["code"]), (&json!(true), &json!("plan_expired")));
    assert_eq!(provider.count("POST"), 0);
}

#[test]
fn lwa_063_approving_an_expired_plan_is_an_error() {
    let provider = fake("answer");
    let text = config(&provider, "paid", "").replace("[router]", "[router]\nconfirmation_ttl_seconds = 1");
    let home = TestHome::with_config(&text).set("ACME_KEY", "k-1");
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &[]);
    let plan = sidecar.tool("prepare_task", json!({ "task": "query", "prompt": "why?", "allow_paid": true }));
    let expires: String = plan["expires_at"].as_str().unwrap().to_owned();
    while home.lwa(&["telemetry", "--json"]).json()["as_of"].as_str().unwrap() <= expires.as_str() {}
    let asked = sidecar.tool("approve_preflight", json!({ "confirmation_token": plan["confirmation_token"] }));
    assert_eq!((&asked["_is_error"], &asked["error"]["code"]), (&json!(true), &json!("plan_expired")));
    assert!(home.open_approvals().is_empty());
}

#[test]
fn lwa_053_exactly_the_locked_route_is_called_once() {
    let provider = fake("answer");
    let mut text = config(&provider, "free", "");
    text.push_str("\n[[models]]\nprovider = \"acme\"\nmodel = \"other-1\"\ncapabilities = [\"text\"]\n");
    let home = TestHome::with_config(&text).set("ACME_KEY", "k-1");
    let plan = home.lwa(&["plan", "query", "why?", "--json"]).json();
    assert_eq!(provider.calls().len(), 0, "preparing calls nobody");
    let ran =
        home.lwa(&["run", "query", "why?", "--model", plan["routes"][0]["model"].as_str().unwrap(), "--json"]).json();
    assert_eq!((&ran["status"], &ran["route"]["provider"]), (&json!("completed"), &json!("acme")));
    let calls = provider.calls();
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].json()["model"], plan["routes"][0]["model"]);
    assert!(ran["display"].as_str().unwrap().contains("tokens"));
}

#[test]
fn lwa_054_a_requested_effort_is_in_the_plan_and_on_the_wire() {
    let provider = fake("answer");
    let text = config(&provider, "free", "")
        .replace("context_length", "reasoning_levels = [\"instant\", \"high\"]\ncontext_length");
    let home = TestHome::with_config(&text).set("ACME_KEY", "k-1");
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &[]);
    let plan = sidecar.tool("prepare_task", json!({ "task": "query", "prompt": "why?", "reasoning_effort": "high" }));
    assert_eq!(plan["reasoning_effort"], "high");
    sidecar.tool("run_prepared_task", json!({ "plan_token": plan["plan_token"] }));
    assert_eq!(provider.calls()[0].json()["reasoning_effort"], "high");
}

#[test]
fn lwa_055_preparing_asks_no_provider_for_anything() {
    let provider = fake("answer");
    let home = TestHome::with_config(&config(&provider, "free", "")).set("ACME_KEY", "k-1");
    assert_eq!(home.lwa(&["plan", "query", "why?", "--json"]).code, 0);
    assert_eq!(provider.connections(), 0);
}

#[test]
fn lwa_056_an_effort_that_no_model_accepts_gives_no_plan() {
    let provider = fake("answer");
    let home = TestHome::with_config(&config(&provider, "free", "")).set("ACME_KEY", "k-1");
    let ran = home.lwa(&["plan", "query", "why?", "--reasoning-effort", "high", "--json"]);
    assert_eq!((ran.code, &ran.json()["error"]["code"]), (3, &json!("no_route")));
    assert_eq!(home.lwa(&["audit", "tail", "--json"]).json()["events"], json!([]));
}

#[test]
fn an_unknown_token_is_a_typed_error_with_the_way_out() {
    let home = TestHome::new();
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &[]);
    for (tool, argument) in [("run_prepared_task", "plan_token"), ("approve_preflight", "confirmation_token")] {
        let answer = sidecar.tool(tool, json!({ argument: "plan_0000" }));
        assert_eq!((&answer["_is_error"], &answer["error"]["code"]), (&json!(true), &json!("unknown_plan")), "{tool}");
        assert!(answer["error"]["hint"].as_str().unwrap().contains("prepare"), "{tool}");
    }
    let ran = home.lwa(&["result", "000000000000000000000000", "--json"]);
    assert_eq!((ran.code, &ran.json()["error"]["code"]), (2, &json!("unknown_plan")));
}

#[test]
fn the_command_line_runs_and_plans() {
    let home = TestHome::new();
    let text = transcript();
    let ran = home.lwa_with_input(&["run", "conversation_compression", "-", "--json"], text.as_bytes());
    let document = ran.json();
    assert_eq!((ran.code, &document["status"]), (0, &json!("completed")));
    for field in
        ["status", "replayed", "plan_id", "task", "route", "usage", "cost_pico_usd", "latency_ms", "text", "display"]
    {
        assert!(document.get(field).is_some(), "`{field}` is missing");
    }
    let plan = home.lwa_with_input(&["plan", "conversation_compression", "-", "--json"], text.as_bytes()).json();
    for field in [
        "plan_id",
        "plan_token",
        "working_may_begin",
        "requires_confirmation",
        "routes",
        "excluded",
        "estimated_input_tokens",
        "max_output_tokens",
        "max_cost_pico_usd",
        "expires_at",
    ] {
        assert!(plan.get(field).is_some(), "`{field}` is missing");
    }
}

#[test]
fn mc_23_a_long_result_is_condensed_to_what_clients_show_and_linked_whole() {
    let home = TestHome::new();
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &[]);
    let errors = (0..400)
        .map(|n| {
            format!("error[E0{n:03}]: the thing number {n} failed in src/part_{n}.rs:{n}\n   Compiling dep v1.{n}.0\n")
        })
        .collect::<Vec<_>>()
        .concat();
    let plan = sidecar.tool("prepare_task", json!({ "task": "conversation_compression", "prompt": errors }));
    let id = sidecar
        .post("tools/call", json!({ "name": "run_prepared_task", "arguments": { "plan_token": plan["plan_token"] } }));
    let answer = sidecar.answer(id);
    let content = Sidecar::content(&answer);
    let text = content["text"].as_str().unwrap();
    assert!(text.len() <= 8000, "{} bytes", text.len());
    assert_eq!(content["text_truncated"], true);
    assert!(text.contains("number 399 failed"), "the last failure outlives the budget: {text}");
    let link =
        answer["result"]["content"].as_array().unwrap().iter().find(|block| block["type"] == "resource_link").unwrap();
    assert_eq!(link["uri"], content["full_text_uri"]);
    let whole = sidecar.request("resources/read", json!({ "uri": link["uri"] }));
    let whole = whole["result"]["contents"][0]["text"].as_str().unwrap();
    for n in 0..400 {
        assert!(
            whole.contains(&format!("the thing number {n} failed in src/part_{n}.rs:{n}")),
            "error {n} is missing from the whole"
        );
    }
    // Another client's plan is not this one's to read.
    let mut command = home.command(&lwa_tests::program("lwa-mcp"));
    command.args(["--client", "somebody-else"]);
    let mut other = Sidecar::of(command, Era::Modern);
    let refused = other.request("resources/read", json!({ "uri": link["uri"] }));
    assert!(refused.get("error").is_some() || refused.to_string().contains("unknown_plan"), "{refused}");
}
