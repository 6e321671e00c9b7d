//! The host comes, goes, hangs; calls are cancelled; nothing blocks for long.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::answers::{router_status, working};
use crate::support::client::{ERAS, Era, Start};
use crate::support::fake_host::{Act, FakeHost, Seen};
use crate::support::home;

/// A folder with the sidecar and a program `lwa` that is this script.
fn installed(script: Option<&str>) -> (TempDir, PathBuf) {
    let folder = home();
    let sidecar = folder.path().join("lwa-mcp");
    std::fs::copy(env!("CARGO_BIN_EXE_lwa-mcp"), &sidecar).unwrap();
    if let Some(script) = script {
        let program = folder.path().join("lwa");
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    (folder, sidecar)
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

#[test]
fn without_a_host_program_a_call_says_what_to_do() {
    let home = home();
    let (_folder, sidecar) = installed(None);
    for era in ERAS {
        let mut client = Start::at(home.path()).program(&sidecar).client(era).open();
        let began = Instant::now();
        let result = client.tool("router_status", &json!({}));
        assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
        assert_eq!(result["isError"], true);
        assert!(text(&result).contains("lwa host"), "{result}");
        assert_eq!(result["structuredContent"]["error"]["code"], "host_unreachable");
    }
}

#[test]
fn a_host_that_does_not_start_is_given_up_in_three_seconds() {
    let home = home();
    let (_folder, sidecar) = installed(Some("exit 0"));
    let mut client = Start::at(home.path()).program(&sidecar).client(Era::Legacy).open();
    let began = Instant::now();
    // Both wait for the same attempt, so the second does not wait twice as long.
    let first = client.begin_tool("router_status", &json!({}), None);
    let second = client.begin_tool("router_status", &json!({}), None);
    for id in [first, second] {
        let answer = client.answer(id);
        assert!(text(&answer["result"]).contains("lwa host"), "{answer}");
    }
    assert!(began.elapsed() < Duration::from_millis(3600), "{:?}", began.elapsed());
}

#[test]
fn the_first_call_starts_the_host() {
    let home = home();
    let signal = home.path().join("started");
    assert!(Command::new("mkfifo").arg(&signal).status().unwrap().success());
    let (_folder, sidecar) = installed(Some("echo \"$1 $2\" > \"$LWA_HOME/started\""));
    let mut client = Start::at(home.path()).program(&sidecar).client(Era::Legacy).open();
    let id = client.begin_tool("router_status", &json!({}), None);
    // Reading waits until the program that the sidecar started writes.
    assert_eq!(std::fs::read_to_string(&signal).unwrap(), "host --detached\n");
    let _host = FakeHost::at(home.path(), working);
    assert_eq!(client.answer(id)["result"]["isError"], false);
}

#[test]
fn lwa_106_nothing_is_started_before_a_call_needs_it() {
    let home = home();
    let (_folder, sidecar) = installed(Some("echo > \"$LWA_HOME/started\""));
    for era in ERAS {
        let mut client = Start::at(home.path()).program(&sidecar).client(era).open();
        for method in ["tools/list", "resources/list", "prompts/list"] {
            client.request(method, json!({}));
        }
        client.tool("prepare_task", &json!({"task": "query"}));
        client.close();
    }
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn mc_03_the_list_does_not_wait_for_a_host_that_hangs() {
    let home = home();
    let host = FakeHost::at(home.path(), |_, _| Vec::new());
    for era in ERAS {
        let mut client = Start::at(home.path()).client(era).open();
        let hanging = client.begin_tool("router_status", &json!({}), None);
        host.call("router/status");
        let began = Instant::now();
        client.request("tools/list", json!({}));
        assert!(began.elapsed() < Duration::from_millis(500), "{:?}", began.elapsed());
        assert!(client.received.iter().all(|message| message["id"] != hanging));
    }
}

#[test]
fn a_new_host_is_found_after_the_old_one_is_gone() {
    let home = home();
    let host = FakeHost::at(home.path(), working);
    let mut client = Start::at(home.path()).client(Era::Modern).open();
    assert_eq!(client.tool("router_status", &json!({}))["isError"], false);
    host.call("router/status");
    drop(host);
    let second = FakeHost::at(home.path(), working);
    assert_eq!(client.tool("router_status", &json!({}))["isError"], false);
    second.call("router/status");
}

#[test]
fn a_call_whose_host_ends_is_made_again_once() {
    let home = home();
    let calls = AtomicUsize::new(0);
    let host = FakeHost::at(home.path(), move |_, _| match calls.fetch_add(1, Ordering::SeqCst) {
        0 => vec![Act::HangUp],
        _ => router_status(),
    });
    let mut client = Start::at(home.path()).client(Era::Legacy).open();
    assert_eq!(client.tool("router_status", &json!({}))["isError"], false);
    host.call("router/status");
    host.call("router/status");
}

#[test]
fn a_host_that_always_ends_is_reported() {
    let home = home();
    let _host = FakeHost::at(home.path(), |_, _| vec![Act::HangUp]);
    let mut client = Start::at(home.path()).client(Era::Legacy).open();
    let result = client.tool("router_status", &json!({}));
    assert_eq!(result["structuredContent"]["error"]["code"], "host_unreachable", "{result}");
}

#[test]
fn mc_13_a_cancellation_reaches_the_host_and_nothing_more_is_sent() {
    let home = home();
    let host = FakeHost::at(home.path(), |method, params| match method {
        "plan/run" => Vec::new(),
        _ => working(method, params),
    });
    for era in ERAS {
        let mut client = Start::at(home.path()).client(era).open();
        let id = client.begin_tool("run_prepared_task", &json!({"plan_token": "t"}), Some("p"));
        host.call("plan/run");
        let began = Instant::now();
        client.cancel(id);
        host.wait_for(|seen| matches!(seen, Seen::Cancel).then_some(()));
        assert!(began.elapsed() < Duration::from_millis(200), "{:?}", began.elapsed());
        // Later calls are answered, so whatever the cancelled one would have sent is there by now.
        client.tool("router_status", &json!({}));
        let ended = client.close();
        let about_it = |message: &&Value| message["id"] == id || message["params"]["progressToken"] == "p";
        assert_eq!(ended.received.iter().find(about_it), None);
    }
}

#[test]
fn mc_13_an_unknown_or_malformed_cancellation_is_ignored() {
    let home = home();
    let _host = FakeHost::at(home.path(), working);
    for era in ERAS {
        let mut client = Start::at(home.path()).client(era).open();
        client.cancel(4711);
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled"}));
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": {}}}));
        assert_eq!(client.tool("router_status", &json!({}))["isError"], false);
    }
}

#[test]
fn mc_13_a_call_has_its_own_time_limit() {
    let home = home();
    let host = FakeHost::at(home.path(), |_, _| Vec::new());
    let mut client = Start::at(home.path()).client(Era::Legacy).open();
    let began = Instant::now();
    let result = client.tool("router_status", &json!({}));
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    assert!(result["isError"] == true && text(&result).contains("repeat the call"), "{result}");
    // The host is told that nobody waits any more.
    host.wait_for(|seen| matches!(seen, Seen::Cancel).then_some(()));
}

#[test]
fn mc_22_a_waiting_client_with_a_token_hears_something_every_few_seconds() {
    let home = home();
    let _host = FakeHost::at(home.path(), |_, _| Vec::new());
    let mut client = Start::at(home.path()).client(Era::Legacy).open();
    client.begin_tool("approve_preflight", &json!({"confirmation_token": "c"}), Some("p"));
    let progress = client.find(Duration::from_secs(7), |message| message["method"] == "notifications/progress");
    let params = &progress.expect("no progress within seven seconds")["params"];
    assert_eq!(params["progressToken"], "p");
    let said = params["message"].as_str().unwrap();
    assert!(said.contains("Lwa window") && said.contains("lwa approvals"), "{said}");
}

/// A host where a process with nothing but `HOME` looks for it.
fn host_of_user(home: &Path) -> FakeHost {
    let state = home.join(".local/state/lwa");
    std::fs::create_dir_all(&state).unwrap();
    FakeHost::on(&state.join("host.lock"), &home.join("h.sock"), working)
}

#[test]
fn mc_15_home_and_path_are_enough() {
    let home = home();
    let _host = host_of_user(home.path());
    for era in ERAS {
        let start = Start::at(home.path()).unset("LWA_HOME").unset("LWA_NO_APP").set("HOME", home.path());
        let mut client = start.client(era).open();
        assert_eq!(client.tool("router_status", &json!({}))["isError"], false);
    }
}

#[test]
fn mc_19_what_codex_passes_is_enough() {
    let home = home();
    let _host = host_of_user(home.path());
    let start = Start::at(home.path())
        .unset("LWA_HOME")
        .unset("LWA_NO_APP")
        .set("HOME", home.path())
        .set("LANG", "de_AT.UTF-8")
        .set("TERM", "dumb")
        .set("USER", "somebody")
        .set("SHELL", "/bin/sh");
    let mut client = start.client(Era::Legacy).open();
    assert_eq!(client.tool("router_status", &json!({}))["isError"], false);
}

#[test]
fn an_environment_without_a_home_is_an_answer_and_no_end() {
    let home = home();
    let start = Start::at(home.path()).set("LWA_HOME", "not/absolute");
    let mut client = start.client(Era::Legacy).open();
    let result = client.tool("router_status", &json!({}));
    assert!(text(&result).contains("LWA_HOME"), "{result}");
}
