//! `lwa status` and `lwa stop`.

use std::time::Duration;

use lwa_config::HostLock;
use lwa_domain::ErrorCode;
use lwa_protocol::Failure;
use lwa_protocol::host::{HostStatus, Nothing, PauseParams};
use lwa_protocol::method::{HostGetStatus, HostPause, HostStop};
use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::args::StatusArgs;
use crate::face;
use crate::output::{Output, table};

/// How long a host may take to finish what it is doing.
const STOP_LIMIT: Duration = Duration::from_secs(14);

/// `lwa status`.
pub async fn status(args: &StatusArgs, output: Output) -> Result<u8, Failure> {
    let status = if args.resume || args.pause.is_some() {
        let minutes = if args.resume { Some(0) } else { args.pause.filter(|minutes| *minutes > 0) };
        face::call::<HostPause>(PauseParams { minutes }).await?
    } else {
        let Some(host) = face::running_host().await? else {
            let home = face::home()?;
            let document = json!({ "running": false, "config": home.config_file(), "socket": home.socket() });
            output.result(&document, |_| {
                "No host is running. It starts by itself when a client or a command needs it.".to_owned()
            });
            return Ok(0);
        };
        face::call_on::<HostGetStatus>(&host, Nothing {}).await?
    };
    let mut document = json!({ "running": true });
    if let (Some(fields), Ok(serde_json::Value::Object(more))) =
        (document.as_object_mut(), serde_json::to_value(&status))
    {
        fields.extend(more);
    }
    output.result(&document, |_| readable(&status));
    Ok(0)
}

/// `lwa stop`.
pub async fn stop(output: Output) -> Result<u8, Failure> {
    let lock = face::home()?.lock_file();
    let Some(host) = face::running_host().await? else {
        output
            .result(&json!({ "stopped": false, "reason": "no host is running" }), |_| "No host is running.".to_owned());
        return Ok(0);
    };
    let pid = host.welcome().pid;
    // The host may close the connection before its answer is read.
    let _ = host.call::<HostStop>(Nothing {}).await;
    drop(host);
    let deadline = Instant::now() + STOP_LIMIT;
    while HostLock::read_running(&lock).is_some_and(|running| running.pid == pid) {
        if Instant::now() >= deadline {
            return Err(Failure::new(
                ErrorCode::HostUnreachable,
                format!("the host (process {pid}) has not ended yet"),
            )
            .hint("it finishes a provider call that was paid for; ask again in a minute"));
        }
        sleep(Duration::from_millis(10)).await;
    }
    output.result(&json!({ "stopped": true, "pid": pid }), |_| "The host has ended.".to_owned());
    Ok(0)
}

fn readable(status: &HostStatus) -> String {
    let mut lines = vec![format!("Host {} (process {}), since {}", status.product, status.pid, status.started_at)];
    if let Some(until) = &status.paused_until {
        lines.push(if until == "resumed" {
            "  paused until you resume it".to_owned()
        } else {
            format!("  paused until {until}")
        });
    }
    lines.push(format!(
        "  waiting   {}",
        if status.waiting == 0 {
            "nothing".to_owned()
        } else {
            format!("{} for you: `lwa approvals list`", status.waiting)
        }
    ));
    let config = match (&status.config.error, status.config.has_pending_change) {
        (Some(error), _) => format!("not in force: {error}"),
        (None, true) => format!("{} (a loosening edit waits: `lwa config accept`)", status.config.path),
        (None, false) => status.config.path.clone(),
    };
    lines.push(format!("  config    {config}"));
    let detail = status.secrets.detail.as_deref().map(|detail| format!(": {detail}")).unwrap_or_default();
    lines.push(format!("  keys      {} ({}{detail})", status.secrets.backend, status.secrets.state));
    lines.push(format!("  database  {}", status.database));
    lines.push(format!("  socket    {}", status.socket));
    if !status.ignored_variables.is_empty() {
        lines.push(format!("  ignored   {} (variables of older products)", status.ignored_variables.join(", ")));
    }
    let rows: Vec<Vec<String>> = status
        .connections
        .iter()
        .map(|face| {
            let role = format!("{:?}", face.role).to_lowercase();
            let client = face
                .client_version
                .as_deref()
                .map_or_else(|| face.client.to_string(), |version| format!("{} {version}", face.client));
            vec![role, client, face.pid.map_or_else(String::new, |pid| pid.to_string()), face.since.clone()]
        })
        .collect();
    lines.push(String::new());
    lines.push(table(&["face", "client", "process", "since"], &rows));
    lines.join("\n")
}
