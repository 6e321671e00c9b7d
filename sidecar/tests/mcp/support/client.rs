//! A client that speaks raw JSON-RPC to the built sidecar, and checks every byte it gets.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Longer than anything that is expected to come.
pub const PATIENCE: Duration = Duration::from_secs(15);

/// The protocol era that the client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    Legacy,
    Modern,
}

pub const ERAS: [Era; 2] = [Era::Legacy, Era::Modern];

/// How to start the sidecar.
pub struct Start {
    program: PathBuf,
    arguments: Vec<OsString>,
    environment: Vec<(String, OsString)>,
}

impl Start {
    /// With nothing in the environment but a path and this folder for everything.
    pub fn at(lwa_home: &Path) -> Self {
        Self {
            program: env!("CARGO_BIN_EXE_lwa-mcp").into(),
            arguments: Vec::new(),
            environment: vec![
                ("PATH".into(), std::env::var_os("PATH").unwrap_or_default()),
                ("LWA_HOME".into(), lwa_home.into()),
                ("LWA_NO_APP".into(), "1".into()),
            ],
        }
    }

    pub fn program(mut self, program: &Path) -> Self {
        program.clone_into(&mut self.program);
        self
    }

    pub fn arguments(mut self, arguments: &[&str]) -> Self {
        self.arguments = arguments.iter().map(OsString::from).collect();
        self
    }

    pub fn set(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.environment.retain(|(present, _)| present != name);
        self.environment.push((name.into(), value.into()));
        self
    }

    pub fn unset(mut self, name: &str) -> Self {
        self.environment.retain(|(present, _)| present != name);
        self
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).env_clear().envs(self.environment.iter().cloned());
        command
    }

    pub fn client(&self, era: Era) -> Client {
        let mut command = self.command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let output = child.stdout.take().unwrap();
        let input = child.stdin.take();
        Client::of(child, input, output, era)
    }
}

/// A running sidecar and its client.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    waiting: VecDeque<Value>,
    stderr: Option<JoinHandle<String>>,
    era: Era,
    next_id: i64,
    /// What the client says that it can do.
    pub capabilities: Value,
    /// What it calls itself.
    pub name: &'static str,
    /// Every message that came, for checks over all of them.
    pub received: Vec<Value>,
}

impl Client {
    pub fn of(mut child: Child, input: Option<ChildStdin>, output: impl Read + Send + 'static, era: Era) -> Self {
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let mut reader = BufReader::new(output);
            let mut line = Vec::new();
            while reader.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
                let text = String::from_utf8_lossy(&line).into_owned();
                line.clear();
                if sender.send(text).is_err() {
                    break;
                }
            }
        });
        let stderr = child.stderr.take().map(|mut stderr| {
            std::thread::spawn(move || {
                let mut text = String::new();
                let _ = stderr.read_to_string(&mut text);
                text
            })
        });
        // In the stateless era most tests say nothing of dialogs, as some clients do.
        let capabilities = match era {
            Era::Legacy => json!({"elicitation": {"form": {}, "url": {}}}),
            Era::Modern => json!({}),
        };
        Self {
            child,
            input,
            lines,
            waiting: VecDeque::new(),
            stderr,
            era,
            next_id: 0,
            capabilities,
            name: "test-client",
            received: Vec::new(),
        }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Says something else of itself than most tests do.
    pub fn able(mut self, capabilities: Value) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// Calls itself something else.
    pub fn named(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    /// Opens the session as this era does.
    pub fn open(mut self) -> Self {
        match self.era {
            Era::Legacy => {
                let answer = self.initialize("2025-11-25");
                assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
            }
            Era::Modern => {
                let answer = self.request("server/discover", json!({}));
                assert!(answer["result"]["supportedVersions"].is_array(), "{answer}");
            }
        }
        self
    }

    pub fn initialize(&mut self, version: &str) -> Value {
        let client = json!({"name": self.name, "version": "9.1"});
        let params = json!({"protocolVersion": version, "capabilities": self.capabilities, "clientInfo": client});
        let answer = self.request("initialize", params);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer
    }

    pub fn send(&mut self, message: &Value) {
        self.send_raw(message.to_string().as_bytes());
    }

    pub fn send_raw(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line).and_then(|()| input.write_all(b"\n")).and_then(|()| input.flush()).unwrap();
    }

    /// Sends a request and does not wait.
    pub fn begin(&mut self, method: &str, mut params: Value) -> i64 {
        self.next_id += 1;
        if self.era == Era::Modern && method != "initialize" {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = self.capabilities.clone();
            params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({"name": self.name, "version": "9.1"});
        }
        self.send(&json!({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params}));
        self.next_id
    }

    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.answer(id)
    }

    /// The result of a tool call; a JSON-RPC error fails the test.
    pub fn tool(&mut self, name: &str, arguments: &Value) -> Value {
        let answer = self.request("tools/call", json!({"name": name, "arguments": arguments}));
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    pub fn begin_tool(&mut self, name: &str, arguments: &Value, token: Option<&str>) -> i64 {
        let mut params = json!({"name": name, "arguments": arguments});
        if let Some(token) = token {
            params["_meta"] = json!({"progressToken": token});
        }
        self.begin("tools/call", params)
    }

    pub fn cancel(&mut self, id: i64) {
        let params = json!({"requestId": id, "reason": "test"});
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}));
    }

    /// Waits for the answer to a request; other messages are kept.
    pub fn answer(&mut self, id: i64) -> Value {
        self.find(PATIENCE, |message| message["id"] == id && message.get("method").is_none())
            .unwrap_or_else(|| panic!("no answer to request {id}; so far {:?}", self.received))
    }

    /// Waits for a message of this kind; others are kept.
    pub fn find(&mut self, patience: Duration, is_wanted: impl Fn(&Value) -> bool) -> Option<Value> {
        if let Some(place) = self.waiting.iter().position(&is_wanted) {
            return self.waiting.remove(place);
        }
        let deadline = Instant::now() + patience;
        loop {
            let message = self.receive(deadline.saturating_duration_since(Instant::now()))?;
            if is_wanted(&message) {
                return Some(message);
            }
            self.waiting.push_back(message);
        }
    }

    /// The next message; none when nothing comes in time or the sidecar has closed its end.
    fn receive(&mut self, patience: Duration) -> Option<Value> {
        match self.lines.recv_timeout(patience) {
            Ok(line) => {
                let message = parse(&line);
                self.received.push(message.clone());
                Some(message)
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => None,
        }
    }

    /// Closes our end and waits for the sidecar's.
    pub fn close(mut self) -> Ended {
        self.input = None;
        self.ended()
    }

    /// Waits for the sidecar to end.
    pub fn ended(mut self) -> Ended {
        let began = Instant::now();
        // Its end of the pipe closes with the process, so this waits without polling.
        while self.receive(PATIENCE).is_some() {}
        let status = self.child.wait().unwrap();
        let took = began.elapsed();
        let stderr = self.stderr.take().map(|reading| reading.join().unwrap()).unwrap_or_default();
        Ended { status, took, stderr, received: std::mem::take(&mut self.received) }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How a sidecar ended.
pub struct Ended {
    pub status: ExitStatus,
    pub took: Duration,
    pub stderr: String,
    pub received: Vec<Value>,
}

/// Every line is one JSON-RPC message; anything else on stdout would break a client.
fn parse(line: &str) -> Value {
    let message: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: `{line}`"));
    assert!(line.ends_with('\n') && message["jsonrpc"] == "2.0", "`{line}`");
    let is_message =
        message.get("method").is_some() || message.get("result").is_some() || message.get("error").is_some();
    assert!(is_message, "`{line}`");
    message
}
