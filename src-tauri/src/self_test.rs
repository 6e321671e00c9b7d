//! Whether a client would be served: the sidecar is started as a client starts it, and asked for its tools.

use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::{Value, json};
use tauri::AppHandle;
use tauri_plugin_shell::ShellExt;
use tauri_plugin_shell::process::{CommandChild, CommandEvent};
use tokio::sync::mpsc::Receiver;
use tokio::time::timeout;

/// The sidecar, in the app's own folder.
const SIDECAR: &str = "lwa-mcp";
/// The first revision of the protocol that every client we know speaks.
const MCP_REVISION: &str = "2025-06-18";
/// How long the whole exchange may take.
const LIMIT: Duration = Duration::from_secs(10);

/// What the self-test found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SelfTest {
    /// Whether the sidecar listed its tools.
    pub ok: bool,
    /// How long that took.
    pub millis: u32,
    /// How many tools it listed.
    pub tools: u32,
    /// What happened, in words.
    pub detail: String,
}

/// Why the sidecar did not pass.
#[derive(Debug, thiserror::Error)]
enum SelfTestError {
    #[error("cannot start `{SIDECAR}` beside the app: {0}")]
    Start(tauri_plugin_shell::Error),
    #[error("cannot write to `{SIDECAR}`: {0}")]
    Write(tauri_plugin_shell::Error),
    #[error("`{SIDECAR}` ended before it answered (code {})", .0.map_or_else(|| "none".to_owned(), |code| code.to_string()))]
    Ended(Option<i32>),
    #[error("`{SIDECAR}` wrote something else than a message to its output")]
    NoMessage,
    #[error("`{SIDECAR}` refused `{0}`")]
    Refused(&'static str),
    #[error("`{SIDECAR}` did not answer within {} s", LIMIT.as_secs())]
    Slow,
}

/// Runs the sidecar once.
pub async fn run(app: &AppHandle) -> SelfTest {
    let start = Instant::now();
    let outcome = timeout(LIMIT, list_tools(app)).await.unwrap_or(Err(SelfTestError::Slow));
    let millis = u32::try_from(start.elapsed().as_millis()).unwrap_or(u32::MAX);
    match outcome {
        Ok((tools, server)) => SelfTest { ok: true, millis, tools, detail: format!("{server} listed {tools} tools") },
        Err(error) => SelfTest { ok: false, millis, tools: 0, detail: error.to_string() },
    }
}

async fn list_tools(app: &AppHandle) -> Result<(u32, String), SelfTestError> {
    let command = app.shell().sidecar(SIDECAR).map_err(SelfTestError::Start)?;
    // Dropping the child, also when the time is up, ends it.
    let (mut events, mut child) =
        command.env("LWA_NO_APP", "1").kill_on_drop(true).spawn().map_err(SelfTestError::Start)?;
    let client = json!({"name": "lwa-self-test", "version": env!("CARGO_PKG_VERSION")});
    let greeting = json!({"protocolVersion": MCP_REVISION, "capabilities": {}, "clientInfo": client});
    let welcome = ask(&mut child, &mut events, 1, "initialize", &greeting).await?;
    send(&mut child, &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
    let listed = ask(&mut child, &mut events, 2, "tools/list", &json!({})).await?;
    let tools = listed.get("tools").and_then(Value::as_array).ok_or(SelfTestError::Refused("tools/list"))?;
    let text = |name: &str| welcome.pointer(name).and_then(Value::as_str).unwrap_or("?").to_owned();
    let server = format!("{} {}", text("/serverInfo/name"), text("/serverInfo/version"));
    Ok((u32::try_from(tools.len()).unwrap_or(u32::MAX), server))
}

fn send(child: &mut CommandChild, message: &Value) -> Result<(), SelfTestError> {
    child.write(format!("{message}\n").as_bytes()).map_err(SelfTestError::Write)
}

async fn ask(
    child: &mut CommandChild,
    events: &mut Receiver<CommandEvent>,
    id: u32,
    method: &'static str,
    params: &Value,
) -> Result<Value, SelfTestError> {
    send(child, &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
    loop {
        match events.recv().await {
            Some(CommandEvent::Stdout(line)) => {
                if line.trim_ascii().is_empty() {
                    continue;
                }
                let mut message: Value = serde_json::from_slice(&line).map_err(|_| SelfTestError::NoMessage)?;
                if message.get("id") == Some(&json!(id)) {
                    return message.get_mut("result").map(Value::take).ok_or(SelfTestError::Refused(method));
                }
            }
            Some(CommandEvent::Terminated(end)) => return Err(SelfTestError::Ended(end.code)),
            None => return Err(SelfTestError::Ended(None)),
            // What the sidecar says to its log is not part of the exchange.
            Some(_) => {}
        }
    }
}
