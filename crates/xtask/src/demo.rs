//! The main job, end to end: a client session with the built sidecar that condenses a transcript.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::mcp_client::McpClient;
use crate::root::release_program;

/// The file that is condensed when none is named.
pub const DEFAULT_FILE: &str = "tests/fixtures/transcript.md";

/// How long any single answer may take; a tool call holds its client for less.
const ANSWER_LIMIT: Duration = Duration::from_mins(1);
/// How often a question is asked again that nobody could be shown.
const ASK_AGAIN: Duration = Duration::from_secs(2);
/// How long the human gets when consent is asked.
const CONSENT_LIMIT: Duration = Duration::from_mins(5);

/// What to demonstrate.
#[derive(Debug, Clone)]
pub struct Demo {
    /// The transcript.
    pub file: PathBuf,
    /// Whether consent is asked even though the route costs nothing.
    pub asks: bool,
}

/// A host of our own in a folder of its own; dropping it stops both.
struct TrialHome {
    folder: tempfile::TempDir,
    lwa: PathBuf,
}

impl TrialHome {
    fn new(root: &Path) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("lwa-trial-").tempdir().context("cannot make a folder")?;
        Ok(Self { folder, lwa: release_program(root, "lwa")? })
    }

    fn ask_always(&self) -> Result<()> {
        let config = self.folder.path().join("config");
        fs::create_dir_all(&config)
            .and_then(|()| fs::write(config.join("config.toml"), "[router]\nconsent_mode = \"always_ask\"\n"))
            .context("cannot write the trial's configuration")
    }
}

impl Drop for TrialHome {
    fn drop(&mut self) {
        stop_host(&self.lwa, self.folder.path());
    }
}

/// Stops the host of a folder of ours, and says when that did not work.
pub(crate) fn stop_host(lwa: &Path, home: &Path) {
    match Command::new(lwa).arg("stop").env("LWA_HOME", home).output() {
        // 6: no host runs, so there is nothing to stop.
        Ok(output) if output.status.success() || output.status.code() == Some(6) => {}
        Ok(output) => eprintln!("warning: the trial's host was not stopped: `lwa stop` ended with {}", output.status),
        Err(error) => eprintln!("warning: the trial's host was not stopped: {error}"),
    }
}

/// Prepares, asks where asked to, runs and prints.
///
/// # Errors
/// The file cannot be read, a program is not built, or a step fails.
pub fn run(root: &Path, demo: &Demo) -> Result<()> {
    let text = fs::read_to_string(&demo.file).with_context(|| format!("cannot read `{}`", demo.file.display()))?;
    let home = TrialHome::new(root)?;
    if demo.asks {
        home.ask_always()?;
    }
    println!("trial folder   {} (removed at the end; your own folders stay untouched)", home.folder.path().display());
    let mut client = McpClient::start(&release_program(root, "lwa-mcp")?, &[], &[("LWA_HOME", home.folder.path())])?;
    let welcome = client.open(ANSWER_LIMIT)?;
    let server = &welcome["serverInfo"];
    println!(
        "server         {} {}, MCP {}",
        text_of(server, "name"),
        text_of(server, "version"),
        text_of(&welcome, "protocolVersion")
    );
    let tools = client.request("tools/list", &json!({}), ANSWER_LIMIT)?;
    println!("tools          {}", tools["tools"].as_array().map_or(0, Vec::len));

    let request = json!({ "task": "conversation_compression", "prompt": text });
    let plan = client.call("prepare_task", &request, ANSWER_LIMIT)?;
    print_plan(&demo.file, &text, &plan);
    consent(&mut client, &home, &plan)?;
    let result = run_plan(&mut client, &plan)?;
    print_result(&text, &result)?;
    client.close(Duration::from_secs(3))?;
    Ok(())
}

fn print_plan(file: &Path, text: &str, plan: &Value) {
    let route = &plan["routes"][0];
    println!("\nplan           {}", text_of(plan, "plan_id"));
    println!("task           conversation_compression of {}, {} characters", file.display(), text.chars().count());
    println!("route          {} / {}", text_of(route, "provider"), text_of(route, "model"));
    // A free route has no price, so no worst case is worked out for it.
    let most = match text_of(route, "billing_class") {
        "free" | "free_quota" => "nothing".to_owned(),
        _ => dollars(&plan["max_cost_pico_usd"]),
    };
    println!("who pays       {}, at most {most}", text_of(route, "billing_class"));
    println!("leaves machine {}", if route["is_local"] == true { "no" } else { "yes" });
    println!("expires        {}", text_of(plan, "expires_at"));
}

/// Waits for a human where the plan asks for one; never answers in the human's place.
fn consent(client: &mut McpClient, home: &TrialHome, plan: &Value) -> Result<()> {
    if plan["working_may_begin"] == true {
        println!("consent        not needed: the route costs nothing");
        return Ok(());
    }
    let token = json!({ "confirmation_token": plan["confirmation_token"] });
    let deadline = Instant::now() + CONSENT_LIMIT;
    let mut is_told = false;
    loop {
        let answer = client.call("approve_preflight", &token, ANSWER_LIMIT)?;
        if answer["working_may_begin"] == true {
            println!("consent        given");
            return Ok(());
        }
        let is_open = matches!(text_of(&answer, "status"), "approval_pending" | "unavailable");
        if !is_open {
            bail!("no consent: {}", text_of(&answer, "message"));
        }
        if !is_told {
            let (folder, lwa) = (home.folder.path().display(), home.lwa.display());
            println!("consent        asked; answer in another terminal:");
            println!("               LWA_HOME={folder} {lwa} approvals allow {}", text_of(&answer, "approval_id"));
            is_told = true;
        }
        if answer["status"] == "unavailable" {
            // Nothing holds the call where nobody can be asked, so the pause is ours.
            std::thread::sleep(ASK_AGAIN);
        }
        if Instant::now() >= deadline {
            bail!("no consent: nobody answered within {} s", CONSENT_LIMIT.as_secs());
        }
    }
}

/// Runs the plan, asking again while the work goes on.
fn run_plan(client: &mut McpClient, plan: &Value) -> Result<Value> {
    // A terminal shows all of it; the 8,000 bytes of other clients are for their models' sake.
    let token = json!({ "plan_token": plan["plan_token"], "max_text_bytes": 200_000 });
    let deadline = Instant::now() + CONSENT_LIMIT;
    loop {
        let result = client.call("run_prepared_task", &token, ANSWER_LIMIT)?;
        if result["status"] == "completed" {
            return Ok(result);
        }
        if result["status"] != "working" || Instant::now() >= deadline {
            bail!("the run ended as `{}`: {}", text_of(&result, "status"), text_of(&result["error"], "message"));
        }
    }
}

fn print_result(text: &str, result: &Value) -> Result<()> {
    let condensed = result["text"].as_str().context("the result has no text")?;
    let usage = &result["usage"];
    let source = if usage["reported"] == true { "reported" } else { "estimated" };
    println!("\ntokens before  {} ({source})", count(&usage["input_tokens"]));
    println!("tokens after   {} ({source})", count(&usage["output_tokens"]));
    println!("characters     {} before, {} after", text.chars().count(), condensed.chars().count());
    println!("cost           {}", dollars(&result["cost_pico_usd"]));
    println!("time           {} ms", count(&result["latency_ms"]));
    println!("\n{condensed}");
    Ok(())
}

fn text_of<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or("unknown")
}

fn count(value: &Value) -> String {
    value.as_u64().map_or_else(|| "unknown".to_owned(), |number| number.to_string())
}

/// An amount of pico-dollars, a number or a long one's text, for people.
fn dollars(value: &Value) -> String {
    let amount = value.as_i64().or_else(|| value.as_str()?.parse().ok()).map(lwa_domain::PicoUsd::new);
    amount.map_or_else(|| "unknown".to_owned(), |amount| amount.to_string())
}
