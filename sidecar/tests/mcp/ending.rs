//! How a sidecar ends: with its client, soon, and never before.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;

use crate::support::answers::working;
use crate::support::client::{Client, ERAS, Era, Start};
use crate::support::fake_host::{FakeHost, Seen};
use crate::support::home;

#[test]
fn mc_09_the_end_of_input_ends_an_idle_process_at_once() {
    let home = home();
    for era in ERAS {
        let ended = Start::at(home.path()).client(era).open().close();
        assert!(ended.status.success() && ended.took < Duration::from_millis(300), "{:?}", ended.took);
        assert_eq!(ended.stderr, "");
    }
}

#[test]
fn mc_09_the_end_of_input_before_the_first_request_is_no_error() {
    let home = home();
    let ended = Start::at(home.path()).client(Era::Legacy).close();
    assert!(ended.status.success() && ended.stderr.is_empty(), "{:?} {}", ended.status, ended.stderr);
}

#[test]
fn mc_09_a_call_in_flight_delays_the_end_by_half_a_second_at_most() {
    let home = home();
    let host = FakeHost::at(home.path(), |_, _| Vec::new());
    for era in ERAS {
        let mut client = Start::at(home.path()).client(era).open();
        client.begin_tool("run_prepared_task", &json!({"plan_token": "t"}), None);
        host.call("plan/run");
        let ended = client.close();
        assert!(ended.status.success() && ended.took < Duration::from_secs(1), "{:?}", ended.took);
        host.wait_for(|seen| matches!(seen, Seen::Gone).then_some(()));
    }
}

#[test]
fn an_answer_that_comes_in_time_is_still_written() {
    let home = home();
    let _host = FakeHost::at(home.path(), working);
    let mut client = Start::at(home.path()).client(Era::Legacy).open();
    let id = client.begin_tool("router_status", &json!({}), None);
    let ended = client.close();
    assert!(ended.received.iter().any(|message| message["id"] == id && message.get("result").is_some()));
}

#[test]
fn mc_09_each_signal_ends_the_process_with_success() {
    let home = home();
    let host = FakeHost::at(home.path(), |_, _| Vec::new());
    for signal in ["TERM", "INT", "HUP"] {
        let mut client = Start::at(home.path()).client(Era::Legacy).open();
        client.begin_tool("run_prepared_task", &json!({"plan_token": "t"}), None);
        host.call("plan/run");
        let pid = client.pid().to_string();
        assert!(Command::new("kill").args(["-s", signal, &pid]).status().unwrap().success());
        let ended = client.ended();
        assert_eq!(ended.status.code(), Some(0), "{signal}");
        assert!(ended.took < Duration::from_secs(1), "{signal}: {:?}", ended.took);
    }
}

#[test]
fn mc_09_the_death_of_the_parent_ends_the_process_though_stdin_stays_open() {
    let home = home();
    let sidecar = Start::at(home.path()).command();
    let program = sidecar.get_program().to_owned();
    // The shell keeps no end of our pipes to itself: what stays open is what this test holds.
    let mut wrapper = Start::at(home.path()).program("/bin/sh".as_ref()).command();
    wrapper.args(["-c", "exec 3<&0; \"$0\" <&3 & wait"]).arg(program);
    let mut child = wrapper.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
    let mut client = Client::of(child, input, output, Era::Legacy).open();
    client.request("tools/list", json!({}));
    let pid = client.pid().to_string();
    assert!(Command::new("kill").args(["-s", "KILL", &pid]).status().unwrap().success());
    // The sidecar's end of the pipe closes when it ends.
    let ended = client.ended();
    assert!(ended.took < Duration::from_secs(5), "{:?}", ended.took);
}
