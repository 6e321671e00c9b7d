//! A client that sends nonsense, too much, or too early.

use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::answers::working;
use crate::support::client::{Client, ERAS, Era, Start};
use crate::support::fake_host::FakeHost;
use crate::support::home;

const MEBIBYTE: usize = 1024 * 1024;

#[test]
fn mc_01_stdout_is_pure_whatever_comes_in() {
    let home = home();
    let _host = FakeHost::at(home.path(), working);
    for era in ERAS {
        let mut client = Start::at(home.path()).set("LWA_LOG", "trace").client(era).open();
        let lines: [&[u8]; 9] = [
            b"npm warn deprecated",
            b"{\"jsonrpc\":",
            b"\xff\xfe\x00",
            b"",
            b"   ",
            b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
            b"null",
            b"{}",
            b"{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{}}",
        ];
        for line in lines {
            client.send_raw(line);
        }
        client.request("tools/call", json!({"name": "nothing"}));
        client.tool("prepare_task", &json!({"wrong": 1}));
        client.tool("router_status", &json!({}));
        client.request("resources/read", json!({"uri": "x"}));
        // The client checks each line as it reads it; here is what must not have been answered, and what must.
        let ended = client.close();
        let without_id: Vec<&Value> = ended.received.iter().filter(|message| message.get("id").is_none()).collect();
        assert_eq!(without_id.len(), 3, "{without_id:?}");
        assert!(without_id.iter().all(|message| message["error"]["code"] == -32600), "{without_id:?}");
        assert!(ended.stderr.contains("skipped a line that is no JSON"), "{}", ended.stderr);
    }
}

#[test]
fn mc_24_a_request_that_is_too_large_is_answered_and_the_connection_lives() {
    let home = home();
    let _host = FakeHost::at(home.path(), working);
    for era in ERAS {
        let mut client = Start::at(home.path()).client(era).open();
        let prompt = "x".repeat(9 * MEBIBYTE);
        let answer = client
            .request("tools/call", json!({"name": "prepare_task", "arguments": {"task": "query", "prompt": prompt}}));
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains("8 MiB"), "{answer}");
        assert_eq!(client.tool("router_status", &json!({}))["isError"], false);
    }
}

#[test]
fn mc_24_a_large_request_within_the_limit_goes_through() {
    let home = home();
    let host = FakeHost::at(home.path(), working);
    let mut client = Start::at(home.path()).client(Era::Legacy).open();
    let prompt = "é".repeat(2_000_000);
    client.tool("prepare_task", &json!({"task": "conversation_compression", "prompt": prompt}));
    assert_eq!(host.call("plan/prepare")["prompt"].as_str().unwrap().len(), prompt.len());
}

#[test]
fn a_byte_order_mark_before_the_first_request_is_tolerated() {
    let home = home();
    let mut client = Start::at(home.path()).client(Era::Legacy);
    let hello = json!({"jsonrpc": "2.0", "id": 50, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}});
    client.send_raw(format!("\u{feff}{hello}").as_bytes());
    assert!(client.answer(50)["result"].is_object());
}

#[test]
fn many_calls_at_once_are_each_answered() {
    let home = home();
    let _host = FakeHost::at(home.path(), working);
    let mut client = Start::at(home.path()).client(Era::Modern).open();
    let ids: Vec<i64> = (0..50).map(|_| client.begin_tool("router_status", &json!({}), None)).collect();
    for id in ids {
        assert_eq!(client.answer(id)["result"]["isError"], false);
    }
}

#[test]
fn a_client_on_sockets_is_served_and_its_end_is_noticed() {
    let home = home();
    let (ours, theirs) = UnixStream::pair().unwrap();
    let ends = || OwnedFd::from(theirs.try_clone().unwrap());
    let mut command = Start::at(home.path()).command();
    let child = command.stdin(ends()).stdout(ends()).stderr(Stdio::piped()).spawn().unwrap();
    drop((theirs, command));
    let mut writer = ours.try_clone().unwrap();
    let mut client = Client::of(child, None, ours, Era::Legacy);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    writer.write_all(format!("{ping}\n").as_bytes()).unwrap();
    assert!(client.answer(1)["result"].is_object());
    writer.shutdown(std::net::Shutdown::Write).unwrap();
    assert!(client.ended().status.success());
}

#[test]
fn requests_from_a_file_are_answered() {
    let home = home();
    let requests = home.path().join("requests");
    std::fs::write(
        &requests,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}",
    )
    .unwrap();
    let input = std::fs::File::open(&requests).unwrap();
    let mut child =
        Start::at(home.path()).command().stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let output = child.stdout.take().unwrap();
    let ended = Client::of(child, None, output, Era::Legacy).ended();
    let ids: Vec<&Value> = ended.received.iter().map(|message| &message["id"]).collect();
    assert_eq!(ids, [1, 2]);
    assert!(ended.status.success());
}

#[test]
fn a_planted_key_appears_nowhere() {
    const KEY: &str = "sk-planted-5f2e9c01";
    let home = home();
    let host = FakeHost::at(home.path(), |method, params| {
        assert!(!params.to_string().contains(KEY));
        working(method, params)
    });
    for era in ERAS {
        let start =
            Start::at(home.path()).set("ANTHROPIC_API_KEY", KEY).set("SECRET_TOKEN", KEY).set("LWA_LOG", "trace");
        let mut client = start.client(era).open();
        client.request("tools/list", json!({}));
        client.tool("prepare_task", &json!({"task": "query", "prompt": "x"}));
        client.tool("prepare_task", &json!({"task": "query", "promt": "x"}));
        client.tool("router_status", &json!({}));
        host.call("router/status");
        let ended = client.close();
        assert!(!format!("{:?}", ended.received).contains(KEY));
        assert!(!ended.stderr.contains(KEY), "{}", ended.stderr);
    }
}

#[test]
fn no_prompt_gets_into_the_log() {
    const PROMPT: &str = "quarterly-figures-7741";
    let home = home();
    let _host = FakeHost::at(home.path(), working);
    for era in ERAS {
        let mut client = Start::at(home.path()).set("LWA_LOG", "trace").client(era).open();
        client.tool("prepare_task", &json!({"task": "query", "prompt": PROMPT}));
        client
            .request("tools/call", json!({"name": "prepare_task", "arguments": {"task": "query", "prompt": [PROMPT]}}));
        client.request("tools/call", json!({"name": "prepare_task", "arguments": PROMPT}));
        client.send_raw(format!("{PROMPT} is no JSON").as_bytes());
        client.request("ping", json!({}));
        let ended = client.close();
        assert!(ended.stderr.contains("DEBUG") || ended.stderr.contains("WARN"), "the log is on: {}", ended.stderr);
        assert!(!ended.stderr.contains(PROMPT), "{}", ended.stderr);
    }
}

#[test]
fn mc_09_an_idle_process_stays_small() {
    let home = home();
    let _host = FakeHost::at(home.path(), working);
    let mut client = Start::at(home.path()).client(Era::Legacy).open();
    let prompt = "x".repeat(4 * MEBIBYTE);
    for _ in 0..5 {
        client.tool("prepare_task", &json!({"task": "query", "prompt": prompt}));
    }
    client.request("tools/list", json!({}));
    let status = std::fs::read_to_string(format!("/proc/{}/status", client.pid())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    let kib: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert!(kib < 96 * 1024, "{line}");
}

#[test]
fn a_client_that_stops_reading_ends_the_process_quietly() {
    let home = home();
    let mut child = Start::at(home.path())
        .command()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    drop(child.stdout.take());
    let _ = input.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
    // Stdin stays open: only the closed output can end it.
    let ended = Client::of(child, Some(input), std::io::empty(), Era::Legacy).ended();
    assert!(ended.status.success() && ended.stderr.is_empty(), "{:?} {}", ended.status, ended.stderr);
    assert!(ended.took < Duration::from_secs(5), "{:?}", ended.took);
}
