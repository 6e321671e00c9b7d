//! The approval window: the one place where a person says yes.

use serde_json::json;

use crate::driver::{App, InTray, can_run};
use crate::{Agent, paid_home};

#[test]
fn a_paid_plan_appears_with_the_focus_on_deny_and_deny_refuses_it() {
    if !can_run() {
        return;
    }
    let (provider, home) = paid_home();
    let app = App::start(&home, &["--approval"]);
    let mut agent = Agent::with_plan(&home);
    let id = agent.ask();
    app.wait_for_text("approval-title", "big-1");
    assert!(
        app.text("approval-title").contains("$0.02"),
        "the worst case is in the heading: {}",
        app.text("approval-title")
    );
    assert_eq!(app.focused(), "deny");
    app.click("deny");
    let asked = agent.answered(id);
    assert_eq!((&asked["status"], &asked["working_may_begin"]), (&json!("denied"), &json!(false)));
    assert_eq!(agent.run()["error"]["code"], "denied");
    assert_eq!(provider.count("POST"), 0);
}

#[test]
fn allow_once_lets_exactly_one_run_through() {
    if !can_run() {
        return;
    }
    let (provider, home) = paid_home();
    let app = App::start(&home, &["--approval"]);
    let mut agent = Agent::with_plan(&home);
    let id = agent.ask();
    app.wait_for_text("approval-title", "big-1");
    // A click in the grace period is not an answer.
    app.click_now("allow-once");
    app.click("allow-once");
    assert_eq!(agent.answered(id)["status"], "ready");
    assert_eq!(agent.run()["status"], "completed");
    assert_eq!(agent.run()["replayed"], true);
    assert_eq!(provider.count("POST"), 1);
    let mut second = Agent::with_plan(&home);
    assert_eq!(second.run()["status"], "confirmation_required", "a yes is for one plan");
    assert_eq!(provider.count("POST"), 1);
}

#[test]
fn closing_the_window_hides_the_question_and_is_never_a_yes() {
    if !can_run() {
        return;
    }
    let (provider, home) = paid_home();
    let app = App::start(&home, &["--approval"]);
    let mut agent = Agent::with_plan(&home);
    let id = agent.ask();
    app.wait_for_text("approval-title", "big-1");
    app.close_window();
    let answer = lwa_tests::Sidecar::content(&agent.sidecar.answer(id));
    assert_eq!(answer["status"], "approval_pending", "{answer}");
    assert_eq!(agent.run()["status"], "confirmation_required");
    assert_eq!(home.open_approvals().len(), 1, "the question still waits");
    assert_eq!(provider.count("POST"), 0);
}

#[test]
fn the_queue_holds_three_in_the_order_of_their_arrival() {
    if !can_run() {
        return;
    }
    let (provider, home) = paid_home();
    let app = App::start(&home, &["--approval"]);
    let mut agents: Vec<Agent> = (0..3).map(|_| Agent::with_plan(&home)).collect();
    let mut ids = Vec::new();
    for (n, agent) in agents.iter_mut().enumerate() {
        ids.push(agent.ask());
        while home.open_approvals().len() <= n {}
    }
    app.wait_for_text("approval-queue", "1 of 3");
    for (n, (agent, id)) in agents.iter_mut().zip(ids).enumerate() {
        let first = home.open_approvals()[0]["detail"]["plan_id"].clone();
        assert_eq!(first, agent.plan["plan_id"], "first in, first out");
        app.click("deny");
        assert_eq!(agent.answered(id)["status"], "denied", "answer {n} went to another");
        while home.open_approvals().len() > 2 - n {}
    }
    app.find_nothing_waiting();
    assert_eq!(provider.count("POST"), 0);
}

#[test]
fn no_answer_in_time_means_no() {
    if !can_run() {
        return;
    }
    let (provider, home) = paid_home();
    let text = std::fs::read_to_string(home.lwa_home().join("config/config.toml")).unwrap();
    home.write_config(&format!("{text}\n[app]\napproval_minutes = 1\n"));
    // The app is there to ask, in the tray, and nobody looks.
    let _app = InTray::start(&home);
    let mut agent = Agent::with_plan(&home);
    let id = agent.ask();
    let asked = agent.answered(id);
    assert_eq!((&asked["status"], &asked["outcome"]), (&json!("timed_out"), &json!("timed_out")), "{asked}");
    assert_eq!(agent.run()["status"], "confirmation_required");
    assert_eq!(provider.count("POST"), 0);
}

#[test]
fn an_app_that_is_killed_loses_neither_plan_nor_question() {
    if !can_run() {
        return;
    }
    let (provider, home) = paid_home();
    let mut app = App::start(&home, &["--approval"]);
    let mut agent = Agent::with_plan(&home);
    let id = agent.ask();
    app.wait_for_text("approval-title", "big-1");
    let before = home.open_approvals();
    app.crash();
    drop(app);
    let answer = lwa_tests::Sidecar::content(&agent.sidecar.answer(id));
    assert_ne!(answer["status"], "ready", "a crash is never a yes");
    assert_eq!(home.open_approvals()[0]["id"], before[0]["id"]);
    let app = App::start(&home, &["--approval"]);
    app.wait_for_text("approval-title", "big-1");
    app.click("allow-once");
    let id = agent.ask();
    assert_eq!(agent.answered(id)["status"], "ready");
    assert_eq!(agent.run()["status"], "completed");
    assert_eq!(provider.count("POST"), 1);
}

#[test]
fn a_host_that_is_killed_takes_its_question_back_and_the_window_says_so() {
    if !can_run() {
        return;
    }
    let (provider, home) = paid_home();
    let app = App::start(&home, &["--approval"]);
    let mut agent = Agent::with_plan(&home);
    agent.ask();
    app.wait_for_text("approval-title", "big-1");
    let before = home.open_approvals()[0]["id"].clone();
    let pid = i32::try_from(home.host().unwrap()["pid"].as_u64().unwrap()).unwrap();
    rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), rustix::process::Signal::KILL).unwrap();
    assert_eq!(agent.run()["status"], "confirmation_required");
    app.wait_for_text("approval-closed-reason", "restarted");
    // The sidecar repeats its call at the new host, which asks anew; the old question is not restored.
    assert!(home.open_approvals().iter().all(|open| open["id"] != before));
    let ended = home.lwa(&["approvals", "list", "--all", "--json"]).json();
    let old = ended.as_array().unwrap().iter().find(|item| item["id"] == before).unwrap();
    assert_eq!(old["outcome"], "withdrawn");
    assert_eq!(provider.count("POST"), 0);
}

#[test]
fn the_app_starts_by_itself_when_a_question_needs_it() {
    if !can_run() {
        return;
    }
    let (provider, mut home) = paid_home();
    home = home.set("LWA_NO_APP", "0");
    for name in ["DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS"] {
        if let Ok(value) = std::env::var(name) {
            home = home.set(name, &value);
        }
    }
    let mut agent = Agent::with_plan(&home);
    let id = agent.ask();
    let answer = lwa_tests::Sidecar::content(&agent.sidecar.answer(id));
    assert_eq!(answer["status"], "approval_pending", "the app came up to ask: {answer}");
    let host = home.host().unwrap();
    let app = host["connections"].as_array().unwrap().iter().find(|face| face["role"] == "app").unwrap();
    let pid = i32::try_from(app["pid"].as_u64().unwrap()).unwrap();
    rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), rustix::process::Signal::TERM).unwrap();
    assert_eq!(provider.count("POST"), 0);
}
