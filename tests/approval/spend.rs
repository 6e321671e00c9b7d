//! Paid plans: who may say yes, and what a yes allows.

use lwa_tests::{Era, Sidecar, TestHome};
use serde_json::{Value, json};

use crate::{paid, provider};

fn prepare(sidecar: &mut Sidecar) -> Value {
    let plan =
        sidecar.tool("prepare_task", json!({ "task": "planning", "prompt": "plan a thing", "allow_paid": true }));
    assert_eq!((&plan["requires_confirmation"], &plan["working_may_begin"]), (&json!(true), &json!(false)), "{plan}");
    plan
}

fn approve(sidecar: &mut Sidecar, plan: &Value) -> Value {
    sidecar.tool("approve_preflight", json!({ "confirmation_token": plan["confirmation_token"] }))
}

fn run(sidecar: &mut Sidecar, plan: &Value) -> Value {
    sidecar.tool("run_prepared_task", json!({ "plan_token": plan["plan_token"] }))
}

#[test]
fn a_24_without_a_human_nothing_that_the_agent_calls_makes_a_paid_plan_run() {
    let provider = provider();
    let home = TestHome::with_config(&paid(&provider)).set("ACME_KEY", "k-1");
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &["--toolsets", "all"]);
    let plan = prepare(&mut sidecar);
    assert_eq!(run(&mut sidecar, &plan)["status"], "confirmation_required");
    let asked = approve(&mut sidecar, &plan);
    assert_eq!((&asked["status"], &asked["working_may_begin"]), (&json!("unavailable"), &json!(false)));
    assert!(asked["message"].as_str().unwrap().contains("lwa approvals allow"), "the way to approve is said: {asked}");
    assert_eq!(approve(&mut sidecar, &plan)["status"], "unavailable");
    assert_eq!(run(&mut sidecar, &plan)["status"], "confirmation_required");
    assert_eq!(provider.count("POST"), 0);
    // Repeats join one question.
    let open = home.open_approvals();
    assert_eq!((open.len(), &open[0]["kind"], &open[0]["count"]), (1, &json!("spend"), &json!(2)));
}

#[test]
fn the_agents_own_shell_cannot_answer_even_with_the_right_code() {
    let provider = provider();
    let home = TestHome::with_config(&paid(&provider)).set("ACME_KEY", "k-1");
    // This test is the client here, so everything it starts is the agent's.
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &[]);
    let plan = prepare(&mut sidecar);
    approve(&mut sidecar, &plan);
    let open = home.open_approvals();
    let (id, code) = (open[0]["id"].as_str().unwrap(), open[0]["code"].as_str().unwrap());
    let piped = home.lwa_with_input(&["approvals", "allow", id], format!("{code}\n").as_bytes());
    assert_eq!(piped.code, 4, "{piped:?}");
    let typed = home.lwa_on_terminal(&["approvals", "allow", id], &format!("{code}\n"));
    assert_eq!(typed.code, 4, "{typed:?}");
    assert!(typed.stdout.contains("does not count"), "{typed:?}");
    assert_eq!(run(&mut sidecar, &plan)["status"], "confirmation_required");
    assert_eq!(provider.count("POST"), 0);
    let log = home.lwa(&["audit", "tail", "--json"]).json();
    assert!(log["events"].as_array().unwrap().iter().any(|event| event["action"] == "approval.refused"), "{log}");
}

#[test]
fn a_person_at_a_terminal_allows_exactly_one_run() {
    let provider = provider();
    let home = TestHome::with_config(&paid(&provider)).set("ACME_KEY", "k-1");
    let mut sidecar = Sidecar::start_apart(&home, Era::Legacy, &[]);
    let plan = prepare(&mut sidecar);
    approve(&mut sidecar, &plan);
    let open = home.open_approvals();
    let (id, code) = (open[0]["id"].as_str().unwrap(), open[0]["code"].as_str().unwrap());
    let wrong = home.lwa_on_terminal(&["approvals", "allow", id], "NOPE\n");
    assert_eq!(wrong.code, 4, "{wrong:?}");
    assert_eq!(run(&mut sidecar, &plan)["status"], "confirmation_required");
    let allowed = home.lwa_on_terminal(&["approvals", "allow", id], &format!("{code}\n"));
    assert_eq!(allowed.code, 0, "{allowed:?}");
    assert_eq!(approve(&mut sidecar, &plan)["status"], "ready");
    let ran = run(&mut sidecar, &plan);
    assert_eq!((&ran["status"], &ran["replayed"]), (&json!("completed"), &json!(false)));
    assert_eq!(run(&mut sidecar, &plan)["replayed"], true);
    assert_eq!(provider.count("POST"), 1);
    let again = home.lwa_on_terminal(&["approvals", "allow", id], &format!("{code}\n"));
    assert_ne!(again.code, 0, "a question is answered once");
}

#[test]
fn a_denial_ends_the_plan_and_is_told_with_its_reason() {
    let provider = provider();
    let home = TestHome::with_config(&paid(&provider)).set("ACME_KEY", "k-1");
    let mut sidecar = Sidecar::start_apart(&home, Era::Modern, &[]);
    let plan = prepare(&mut sidecar);
    approve(&mut sidecar, &plan);
    let open = home.open_approvals();
    let id = open[0]["id"].as_str().unwrap();
    assert_eq!(home.lwa(&["approvals", "deny", id, "--reason", "too dear"]).code, 0);
    let asked = approve(&mut sidecar, &plan);
    assert_eq!((&asked["status"], &asked["outcome"]), (&json!("denied"), &json!("denied")));
    assert!(asked["message"].as_str().unwrap().contains("too dear"));
    let ran = run(&mut sidecar, &plan);
    assert_eq!((&ran["_is_error"], &ran["error"]["code"]), (&json!(true), &json!("denied")));
    assert_eq!(provider.count("POST"), 0);
    assert!(home.open_approvals().is_empty());
}

#[test]
fn the_command_line_asks_its_own_person_and_says_when_nobody_can_be_asked() {
    let provider = provider();
    let home = TestHome::with_config(&paid(&provider)).set("ACME_KEY", "k-1");
    let unattended = home.lwa(&["run", "planning", "plan a thing", "--allow-paid", "--json"]);
    assert_eq!((unattended.code, &unattended.json()["status"]), (4, &json!("confirmation_required")));
    // What was prepared is not lost: once a person has consented, it can be resumed.
    let document = unattended.json();
    let open = home.open_approvals();
    let (id, code) = (open[0]["id"].as_str().unwrap(), open[0]["code"].as_str().unwrap());
    assert!(document["error"]["message"].as_str().unwrap().contains("lwa resume"), "{document}");
    let token = document["plan_token"].as_str().unwrap();
    let early = home.lwa(&["resume", token, "--json"]);
    assert_eq!((early.code, &early.json()["status"]), (4, &json!("confirmation_required")));
    assert_eq!(provider.count("POST"), 0);
    assert_eq!(home.lwa_on_terminal(&["approvals", "allow", id], &format!("{code}\n")).code, 0);
    let resumed = home.lwa(&["resume", token, "--json"]);
    assert_eq!((resumed.code, &resumed.json()["status"]), (0, &json!("completed")));
    assert_eq!(provider.count("POST"), 1);
    let refused = home.lwa_on_terminal(&["run", "planning", "plan a thing", "--allow-paid"], "no\n");
    assert_eq!(refused.code, 4, "{refused:?}");
    assert_eq!(provider.count("POST"), 1, "the refused one was not called");
}

#[test]
fn a_host_that_is_killed_while_a_question_waits_withdraws_it_and_the_plan_can_ask_again() {
    let provider = provider();
    let home = TestHome::with_config(&paid(&provider)).set("ACME_KEY", "k-1");
    let mut sidecar = Sidecar::start_apart(&home, Era::Legacy, &[]);
    let plan = prepare(&mut sidecar);
    approve(&mut sidecar, &plan);
    let before = home.open_approvals()[0]["id"].clone();
    let pid = i32::try_from(home.host().unwrap()["pid"].as_u64().unwrap()).unwrap();
    rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), rustix::process::Signal::KILL).unwrap();
    assert_eq!(run(&mut sidecar, &plan)["status"], "confirmation_required", "a restart is never a yes");
    assert!(home.open_approvals().is_empty(), "a question is never restored as answerable");
    let ended = home.lwa(&["approvals", "list", "--all", "--json"]).json();
    assert_eq!((&ended[0]["id"], &ended[0]["outcome"]), (&before, &json!("withdrawn")));
    approve(&mut sidecar, &plan);
    assert_ne!(home.open_approvals()[0]["id"], before);
    assert_eq!(provider.count("POST"), 0);
}

#[test]
fn lwa_061_under_always_ask_even_the_builtin_waits_for_a_person_and_then_runs_once() {
    let home = TestHome::with_config("[router]\nconsent_mode = \"always_ask\"\n");
    let mut sidecar = Sidecar::start_apart(&home, Era::Legacy, &[]);
    let plan =
        sidecar.tool("prepare_task", json!({ "task": "conversation_compression", "prompt": "user: port 8443\n" }));
    assert_eq!(plan["requires_confirmation"], true, "{plan}");
    assert_eq!(run(&mut sidecar, &plan)["status"], "confirmation_required");
    approve(&mut sidecar, &plan);
    let open = home.open_approvals();
    assert_eq!(open[0]["is_serious"], false, "nothing leaves the machine: {}", open[0]);
    let (id, code) = (open[0]["id"].as_str().unwrap(), open[0]["code"].as_str().unwrap());
    assert_eq!(home.lwa_on_terminal(&["approvals", "allow", id], &format!("{code}\n")).code, 0);
    assert_eq!(run(&mut sidecar, &plan)["replayed"], false);
    assert_eq!(run(&mut sidecar, &plan)["replayed"], true);
    assert_eq!(home.lwa(&["telemetry", "--json"]).json()["total"]["calls"], 1);
}

#[test]
fn lwa_062_approving_twice_asks_once_and_runs_once() {
    let provider = provider();
    let home = TestHome::with_config(&paid(&provider)).set("ACME_KEY", "k-1");
    let mut sidecar = Sidecar::start_apart(&home, Era::Legacy, &[]);
    let plan = prepare(&mut sidecar);
    approve(&mut sidecar, &plan);
    let open = home.open_approvals();
    let (id, code) = (open[0]["id"].as_str().unwrap(), open[0]["code"].as_str().unwrap());
    assert_eq!(home.lwa_on_terminal(&["approvals", "allow", id], &format!("{code}\n")).code, 0);
    assert_eq!(approve(&mut sidecar, &plan)["status"], "ready");
    assert_eq!(approve(&mut sidecar, &plan)["status"], "ready");
    assert!(home.open_approvals().is_empty());
    run(&mut sidecar, &plan);
    approve(&mut sidecar, &plan);
    assert_eq!(run(&mut sidecar, &plan)["replayed"], true);
    assert_eq!(provider.count("POST"), 1);
}
