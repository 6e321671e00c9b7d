//! A small MCP client over a child's standard streams: one request at a time, as a script would use it.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};

/// The protocol revision that this client asks for.
const REVISION: &str = "2025-11-25";

/// A running server and the session with it. Dropping it ends the server.
pub struct McpClient {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    last_id: u64,
}

impl McpClient {
    /// Starts `program` with `variables` on top of this process's environment.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn start(program: &Path, arguments: &[&str], variables: &[(&str, &Path)]) -> Result<Self> {
        let mut child = Command::new(program)
            .args(arguments)
            .envs(variables.iter().copied())
            .env("LWA_NO_APP", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start `{}`", program.display()))?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().context("the server has no standard output")?;
        let (sender, lines) = channel();
        // The thread ends with the server: its standard output closes then.
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self { child, stdin, lines, last_id: 0 })
    }

    /// Opens the session; answers what the server says about itself.
    ///
    /// # Errors
    /// See [`Self::request`].
    pub fn open(&mut self, limit: Duration) -> Result<Value> {
        let hello = json!({
            "protocolVersion": REVISION,
            "capabilities": { "elicitation": {} },
            "clientInfo": { "name": "lwa-xtask", "version": env!("CARGO_PKG_VERSION") },
        });
        let welcome = self.request("initialize", &hello, limit)?;
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(welcome)
    }

    /// Sends a request and waits for its answer; declines whatever the server asks meanwhile.
    ///
    /// # Errors
    /// The server ends, answers with an error, writes something that is not JSON, or takes longer than `limit`.
    pub fn request(&mut self, method: &str, params: &Value, limit: Duration) -> Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        let deadline = Instant::now() + limit;
        loop {
            let mut message = self.next(method, deadline)?;
            if message.get("method").is_some() {
                if let Some(asked) = message.get("id") {
                    self.send(&json!({ "jsonrpc": "2.0", "id": asked, "result": { "action": "decline" } }))?;
                }
            } else if message["id"] == id {
                if let Some(error) = message.get("error") {
                    bail!("`{method}` was refused: {}", error["message"].as_str().unwrap_or("no reason given"));
                }
                return Ok(message["result"].take());
            }
        }
    }

    /// Calls a tool and answers its structured content.
    ///
    /// # Errors
    /// See [`Self::request`]; also when the tool reports that it failed.
    pub fn call(&mut self, tool: &str, arguments: &Value, limit: Duration) -> Result<Value> {
        let mut result = self.request("tools/call", &json!({ "name": tool, "arguments": arguments }), limit)?;
        let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        if result["isError"] == true {
            bail!("`{tool}` failed: {text}");
        }
        match result["structuredContent"].take() {
            Value::Null => serde_json::from_str(&text).with_context(|| format!("`{tool}` answered with no JSON")),
            content => Ok(content),
        }
    }

    /// The server's process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Closes the server's input and waits for its end.
    ///
    /// # Errors
    /// It does not end within `limit`; it is killed then.
    pub fn close(mut self, limit: Duration) -> Result<ExitStatus> {
        drop(self.stdin.take());
        let deadline = Instant::now() + limit;
        loop {
            if let Some(status) = self.child.try_wait().context("cannot wait for the server")? {
                return Ok(status);
            }
            if Instant::now() >= deadline {
                bail!("the server did not end within {} ms of the end of its input", limit.as_millis());
            }
            thread::sleep(Duration::from_micros(200));
        }
    }

    fn next(&self, method: &str, deadline: Instant) -> Result<Value> {
        let left = deadline.saturating_duration_since(Instant::now());
        let line = self.lines.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Timeout => anyhow!("no answer to `{method}` in time"),
            RecvTimeoutError::Disconnected => anyhow!("the server ended before it answered `{method}`"),
        })?;
        serde_json::from_str(&line).context("the server wrote a line that is no JSON")
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let stdin = self.stdin.as_mut().context("the server's input is closed")?;
        writeln!(stdin, "{message}").and_then(|()| stdin.flush()).context("the server no longer reads")
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        // Both calls fail only when the server has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
