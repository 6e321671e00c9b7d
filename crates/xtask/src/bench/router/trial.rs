//! A home with one free model at the measured provider, a host in it, and a sidecar session.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::demo::stop_host;
use crate::mcp_client::McpClient;
use crate::root::release_program;

/// How long any single answer may take.
pub(super) const LIMIT: Duration = Duration::from_mins(1);
/// The provider's name in the trial's configuration.
const PROVIDER: &str = "bench";

/// A folder of its own with a host; dropping it stops both.
pub(super) struct Trial {
    folder: tempfile::TempDir,
    lwa: PathBuf,
    sidecar: PathBuf,
}

impl Trial {
    /// A home in which one free model is configured, at `port`.
    pub(super) fn new(root: &Path, port: u16) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("lwa-bench-").tempdir().context("cannot make a folder")?;
        let config = folder.path().join("config");
        let text = format!(
            "[router]\nconsent_mode = \"automatic\"\n\n\
             [providers.{PROVIDER}]\nbase_url = \"http://127.0.0.1:{port}/v1\"\nbilling_class = \"free\"\n\
             supports_live_models = false\n\n\
             [[models]]\nprovider = \"{PROVIDER}\"\nmodel = \"bench\"\ncapabilities = [\"text\", \"reasoning\"]\n\
             context_length = 1000000\n"
        );
        fs::create_dir_all(&config)
            .and_then(|()| fs::write(config.join("config.toml"), text))
            .context("cannot write the trial's configuration")?;
        Ok(Self { folder, lwa: release_program(root, "lwa")?, sidecar: release_program(root, "lwa-mcp")? })
    }

    /// The home.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A session with a sidecar that has not reached for the host yet.
    pub(super) fn session(&self) -> Result<McpClient> {
        let mut client = McpClient::start(&self.sidecar, &[], &[("LWA_HOME", self.folder())])?;
        client.open(LIMIT)?;
        Ok(client)
    }
}

impl Drop for Trial {
    fn drop(&mut self) {
        stop_host(&self.lwa, self.folder.path());
    }
}

/// Prepares a plan for the measured provider.
pub(super) fn prepare(client: &mut McpClient, prompt: &str) -> Result<Value> {
    let request = json!({ "task": "query", "prompt": prompt, "provider": PROVIDER });
    let plan = client.call("prepare_task", &request, LIMIT)?;
    if plan["working_may_begin"] != true {
        bail!("the plan waits for consent: {}", plan["message"].as_str().unwrap_or("no reason given"));
    }
    Ok(plan)
}

/// Runs a prepared plan to its end.
pub(super) fn run(client: &mut McpClient, plan: &Value) -> Result<Value> {
    let result = client.call("run_prepared_task", &json!({ "plan_token": plan["plan_token"] }), LIMIT)?;
    if result["status"] != "completed" {
        bail!("the run ended as {}: {}", result["status"], result["error"]["message"]);
    }
    Ok(result)
}

/// The host's process id, as its lock says.
pub(super) fn host_pid(trial: &Trial) -> Result<u32> {
    let output = std::process::Command::new(&trial.lwa)
        .args(["status", "--json"])
        .env("LWA_HOME", trial.folder())
        .output()
        .context("cannot run `lwa status`")?;
    let status: Value = serde_json::from_slice(&output.stdout).context("`lwa status` wrote no JSON")?;
    status["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok()).context("`lwa status` names no process")
}

/// Resident memory of a process and everything below it, as the kernel counts it.
pub(super) fn resident_kilobytes(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let own: u64 = line.split_whitespace().next()?.parse().ok()?;
    let below = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    let children = below.split_whitespace().filter_map(|child| child.parse().ok());
    Some(own + children.filter_map(resident_kilobytes).sum::<u64>())
}
