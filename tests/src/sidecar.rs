//! The real sidecar, driven as an MCP client drives it.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::home::{TestHome, program};

/// How long any answer may take before the test gives up.
const LIMIT: Duration = Duration::from_mins(1);

/// Which protocol the client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// `initialize`, 2025-11-25.
    Legacy,
    /// Stateless, 2026-07-28.
    Modern,
}

/// A running sidecar.
#[derive(Debug)]
pub struct Sidecar {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    unread: VecDeque<Value>,
    reader: Option<JoinHandle<()>>,
    errors: Option<JoinHandle<String>>,
    /// Every line of stdout so far.
    pub stdout: Vec<String>,
    era: Era,
    next_id: u64,
}

impl Sidecar {
    /// Starts a sidecar as a child of this test, which is then its client.
    pub fn start(home: &TestHome, era: Era, arguments: &[&str]) -> Self {
        let mut command = home.command(&program("lwa-mcp"));
        command.args(arguments);
        Self::of(command, era)
    }

    /// Starts a sidecar whose client is a process of its own, so that this test can play the human.
    pub fn start_apart(home: &TestHome, era: Era, arguments: &[&str]) -> Self {
        let mut command = home.command(&program("as-client"));
        command.arg(program("lwa-mcp")).args(arguments);
        Self::of(command, era)
    }

    /// Starts a prepared command that ends up as a sidecar.
    pub fn of(mut command: Command, era: Era) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stdout = child.stdout.take().unwrap();
        let mut stderr = child.stderr.take().unwrap();
        let (sender, lines) = channel();
        let reader = std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let Ok(line) = line else { break };
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let errors = std::thread::spawn(move || {
            let mut text = String::new();
            let _ = stderr.read_to_string(&mut text);
            text
        });
        let stdin = child.stdin.take();
        let mut sidecar = Self {
            child,
            stdin,
            lines,
            unread: VecDeque::new(),
            reader: Some(reader),
            errors: Some(errors),
            stdout: Vec::new(),
            era,
            next_id: 0,
        };
        if era == Era::Legacy {
            let hello = json!({
                "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test-client", "version": "7" },
            });
            sidecar.request("initialize", hello);
            sidecar.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        }
        sidecar
    }

    /// The process that was started: the sidecar, or the client in front of it.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends one message as a line.
    pub fn send(&mut self, message: &Value) {
        let mut line = message.to_string();
        line.push('\n');
        self.stdin.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
    }

    /// Sends a request without waiting. Gives its id.
    pub fn post(&mut self, method: &str, mut params: Value) -> u64 {
        self.next_id += 1;
        if self.era == Era::Modern {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
            params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({ "name": "test-client", "version": "7" });
        }
        let id = self.next_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Waits for the answer to a request; other messages are kept.
    pub fn answer(&mut self, id: u64) -> Value {
        let deadline = Instant::now() + LIMIT;
        loop {
            if let Some(place) =
                self.unread.iter().position(|message| message["id"] == id && message.get("method").is_none())
            {
                return self.unread.remove(place).unwrap();
            }
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    let message = serde_json::from_str(&line)
                        .unwrap_or_else(|error| panic!("not JSON on stdout ({error}): {line}"));
                    self.stdout.push(line);
                    self.unread.push_back(message);
                }
                Err(RecvTimeoutError::Timeout) => panic!("no answer to request {id} within {LIMIT:?}"),
                Err(RecvTimeoutError::Disconnected) => panic!("the sidecar ended before it answered request {id}"),
            }
        }
    }

    /// Sends a request and waits for its answer.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.post(method, params);
        self.answer(id)
    }

    #[expect(clippy::needless_pass_by_value, reason = "arguments are written in place")]
    /// Calls a tool; gives its structured content, with `_is_error` beside it.
    pub fn tool(&mut self, name: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({ "name": name, "arguments": arguments }));
        Self::content(&answer)
    }

    /// The structured content of a tool's answer, with `_is_error` beside it.
    pub fn content(answer: &Value) -> Value {
        let result = &answer["result"];
        assert!(result.is_object(), "no tool result: {answer}");
        let mut content = result["structuredContent"].clone();
        if !content.is_object() {
            content = json!({ "_text": result["content"][0]["text"] });
        }
        content["_is_error"] = json!(result["isError"] == true);
        content
    }

    /// Kills the process at once, as a crash would.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Closes stdin and waits for the end. Gives all of stdout and stderr.
    pub fn finish(mut self) -> (String, String) {
        self.stdin = None;
        let deadline = Instant::now() + Duration::from_secs(5);
        while self.child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < deadline, "the sidecar did not end after its stdin did");
            std::thread::yield_now();
        }
        self.reader.take().unwrap().join().unwrap();
        self.stdout.extend(self.lines.try_iter());
        for line in &self.stdout {
            let message: Value =
                serde_json::from_str(line).unwrap_or_else(|error| panic!("not JSON on stdout ({error}): {line}"));
            assert_eq!(message["jsonrpc"], "2.0", "not JSON-RPC on stdout: {line}");
        }
        let errors = self.errors.take().unwrap().join().unwrap();
        (self.stdout.join("\n"), errors)
    }
}

impl Drop for Sidecar {
    fn drop(&mut self) {
        self.stdin = None;
        let deadline = Instant::now() + Duration::from_secs(2);
        while self.child.try_wait().is_ok_and(|status| status.is_none()) {
            if Instant::now() >= deadline {
                let _ = self.child.kill();
                let _ = self.child.wait();
                break;
            }
            std::thread::yield_now();
        }
    }
}
