//! The fake provider as a process of its own.

#![allow(clippy::unwrap_used, reason = "a panic in what the tests share is the report")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

struct Fake {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Fake {
    fn start(scenario: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_fake-provider"))
            .arg(scenario)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output }
    }

    fn line(&mut self) -> serde_json::Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        // Both fail when the process has ended already.
        let _killed = self.child.kill();
        let _ended = self.child.wait();
    }
}

fn post(port: u16, body: &str) -> String {
    let mut connection = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let length = body.len();
    write!(connection, "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n{body}")
        .unwrap();
    connection.shutdown(std::net::Shutdown::Write).unwrap();
    let mut reply = String::new();
    connection.read_to_string(&mut reply).unwrap();
    reply
}

#[test]
fn it_tells_its_port_records_calls_and_ends_with_its_input() {
    let mut fake = Fake::start("answer");
    let port = u16::try_from(fake.line()["port"].as_u64().unwrap()).unwrap();
    let reply = post(port, r#"{"model":"asked-for"}"#);
    assert!(reply.starts_with("HTTP/1.1 200"), "{reply}");
    assert!(reply.contains(r#""model":"asked-for""#) && reply.contains("[DONE]"), "{reply}");
    writeln!(fake.input.as_mut().unwrap(), "calls").unwrap();
    let calls = fake.line();
    assert_eq!(calls[0]["target"], "/v1/chat/completions");
    assert_eq!(calls[0]["body"], r#"{"model":"asked-for"}"#);
    assert_eq!(calls[1], serde_json::Value::Null);
    drop(fake.input.take());
    assert!(fake.child.wait().unwrap().success());
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
}

#[test]
fn an_unknown_scenario_is_refused_with_the_list() {
    let output = Command::new(env!("CARGO_BIN_EXE_fake-provider")).arg("nonsense").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("error_mid_stream"));
}
