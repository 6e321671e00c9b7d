//! Who may do what on the socket: roles come from the program behind a connection, not from its words.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;

use lwa_tests::TestHome;
use rstest::rstest;
use serde_json::{Value, json};

struct Peer {
    reader: BufReader<UnixStream>,
    writer: UnixStream,
}

impl Peer {
    fn greet(home: &TestHome, role: &str, protocol: u32) -> (Self, Value) {
        home.lwa(&["doctor"]);
        let socket = home.host().unwrap()["socket"].as_str().unwrap().to_owned();
        let writer = UnixStream::connect(socket).unwrap();
        let mut peer = Self { reader: BufReader::new(writer.try_clone().unwrap()), writer };
        let client = json!({ "name": "somebody", "version": null, "cwd": null });
        let answer =
            peer.ask(&json!({ "hello": { "protocol": protocol, "product": "9", "role": role, "client": client } }));
        (peer, answer)
    }

    fn ask(&mut self, frame: &Value) -> Value {
        writeln!(self.writer, "{frame}").unwrap();
        let mut line = String::new();
        self.reader.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or(Value::Null)
    }

    fn call(&mut self, method: &str, params: &Value) -> Value {
        self.ask(&json!({ "call": { "id": 1, "method": method, "params": params } }))
    }
}

#[rstest]
#[case("app")]
#[case("cli")]
#[case("sidecar")]
fn a_stranger_gets_the_sidecars_role_whatever_it_claims(#[case] claimed: &str) {
    let home = TestHome::new();
    let (mut peer, welcome) = Peer::greet(&home, claimed, 1);
    assert_eq!(welcome["welcome"]["role"], "sidecar", "{welcome}");
    for (method, params) in [
        ("approval/decide", json!({ "id": "00", "answer": "allow_once", "reason": null, "code": null })),
        ("approval/list", json!({})),
        ("key/set", json!({ "provider": "groq", "key": "x" })),
        ("key/list", json!({})),
        ("config/set", json!({ "key": "router.allow_paid", "value": true })),
        ("config/accept", json!({ "shown": [] })),
        ("config/show", json!({})),
        ("audit/tail", json!({})),
        ("host/pause", json!({ "minutes": 0 })),
        ("host/stop", json!({})),
        ("event/subscribe", json!({})),
    ] {
        let answer = peer.call(method, &params);
        assert_eq!(answer["failed"]["failure"]["code"], "forbidden", "{method}: {answer}");
    }
    assert!(peer.call("router/status", &json!({}))["answer"]["result"]["providers"].is_array());
}

#[test]
fn another_protocol_number_is_refused_with_the_way_out() {
    let home = TestHome::new();
    let (_, answer) = Peer::greet(&home, "sidecar", 99);
    assert_eq!(answer["refused"]["code"], "protocol_mismatch");
    assert!(answer["refused"]["hint"].as_str().unwrap().contains("lwa stop"));
}

#[test]
fn an_unknown_method_and_a_wrong_shape_are_told_apart() {
    let home = TestHome::new();
    let (mut peer, _) = Peer::greet(&home, "sidecar", 1);
    assert_eq!(peer.call("plan/explode", &json!({}))["failed"]["failure"]["code"], "protocol_mismatch");
    assert_eq!(peer.call("plan/run", &json!({ "plan_token": 7 }))["failed"]["failure"]["code"], "invalid_input");
}

#[test]
fn something_that_is_no_greeting_ends_the_connection_and_not_the_host() {
    let home = TestHome::new();
    home.lwa(&["doctor"]);
    let before = home.host().unwrap();
    let mut stream = UnixStream::connect(before["socket"].as_str().unwrap()).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    assert!(line.contains("protocol_mismatch"), "{line}");
    assert_eq!(home.host().unwrap()["pid"], before["pid"]);
}
