//! Other gateways on the same provider: how long they take to start and to answer, and how much memory they hold.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use lwa_testkit::FakeProvider;
use serde_json::{Value, json};

use super::direct::Direct;
use super::figures::{Figures, Row};
use super::http::Connection;
use super::peer::Peer;
use super::trial::{LIMIT, Trial, host_pid, prepare, resident_kilobytes, run};
use super::{Options, direct, upstream};

/// Calls before anything is counted; the first one may load what it needs.
const WARM_UP: usize = 20;
/// A key that means something only to the gateway that is started here for a moment.
const OWN_KEY: &str = "sk-bench-4f8c1d2e7a9b3650";
/// Portkey has no setting for the address it listens at, and would listen at all of them.
const LOOPBACK: &str = r#"
const { Server } = require("node:net");
const listen = Server.prototype.listen;
Server.prototype.listen = function (port, ...rest) {
  if (typeof port !== "number") return listen.call(this, port, ...rest);
  return listen.call(this, port, "127.0.0.1", ...rest.filter((part) => typeof part === "function"));
};
"#;

/// Measures and prints.
pub(super) fn measure(root: &Path, options: &Options, figures: &mut Figures) -> Result<()> {
    figures.heading("One call at a time, not streamed, at the same provider");
    let provider = upstream::documents()?;
    let plain = request("bench");
    let mut kept = Connection::open(provider.port())?;
    let times = repeat(options.runs, || check(&kept.post(upstream::PATH, &[], &plain)?))?;
    figures.spread("provider itself", "call, connection kept", times);
    let times =
        repeat(options.runs, || check(&Connection::open(provider.port())?.post(upstream::PATH, &[], &plain)?))?;
    figures.spread("provider itself", "call, connection made anew", times);
    ours(root, options, &provider, figures)?;
    match &options.peers {
        Some(folder) => {
            let folder = fs::canonicalize(folder).with_context(|| format!("no folder `{}`", folder.display()))?;
            litellm(&folder, options, &provider, figures)?;
            portkey(&folder, options, &provider, figures)?;
        }
        None => {
            for who in ["LiteLLM proxy", "Portkey gateway"] {
                figures.add(who, "everything", Row::LeftOut("no folder was named with `--peers`".to_owned()));
            }
        }
    }
    Ok(())
}

/// Both ways of ours: the client of the providers alone, and a plan that is prepared and run.
fn ours(root: &Path, options: &Options, provider: &FakeProvider, figures: &mut Figures) -> Result<()> {
    let program = direct::build(root)?;
    let begin = Instant::now();
    let mut direct = Direct::start(&program, provider.port())?;
    direct.call()?;
    figures.add("providers::chat", "start to first answer", Row::Time(begin.elapsed()));
    let times = repeat(options.runs, || direct.call().map(drop))?;
    figures.spread("providers::chat", "call, connection made anew", times);
    if let Some(kilobytes) = resident_kilobytes(direct.pid()) {
        figures.add("providers::chat", "memory", Row::Kilobytes(kilobytes));
    }

    let trial = Trial::new(root, provider.port())?;
    let begin = Instant::now();
    let mut client = trial.session()?;
    figures.add("lwa-mcp", "start to an open session", Row::Time(begin.elapsed()));
    prepare(&mut client, "Say something.")?;
    figures.add("lwa-mcp and host", "start to first plan", Row::Time(begin.elapsed()));
    let (mut prepared, mut ran, mut both) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..WARM_UP + options.runs {
        let begin = Instant::now();
        let plan = prepare(&mut client, "Say something.")?;
        let between = begin.elapsed();
        run(&mut client, &plan)?;
        let whole = begin.elapsed();
        if round >= WARM_UP {
            prepared.push(between);
            ran.push(whole.saturating_sub(between));
            both.push(whole);
        }
    }
    figures.spread("lwa-mcp and host", "prepare and run", both);
    figures.spread("lwa-mcp and host", "of which prepare", prepared);
    figures.spread("lwa-mcp and host", "of which run", ran);
    let host = resident_kilobytes(host_pid(&trial)?);
    for (who, kilobytes) in [("lwa-mcp", resident_kilobytes(client.pid())), ("host", host)] {
        if let Some(kilobytes) = kilobytes {
            figures.add(who, "memory", Row::Kilobytes(kilobytes));
        }
    }
    client.close(LIMIT).map(drop)
}

fn litellm(folder: &Path, options: &Options, provider: &FakeProvider, figures: &mut Figures) -> Result<()> {
    let who = "LiteLLM proxy";
    let program = folder.join("litellm/bin/litellm");
    if !program.is_file() {
        figures.add(who, "everything", Row::LeftOut(format!("no program `{}`", program.display())));
        return Ok(());
    }
    let home = tempfile::Builder::new().prefix("lwa-bench-").tempdir().context("cannot make a folder")?;
    let config = home.path().join("config.yaml");
    // YAML reads JSON.
    let text = json!({
        "model_list": [{
            "model_name": "bench",
            "litellm_params": {
                "model": "openai/bench",
                "api_base": format!("{}/v1", provider.base_url()),
                "api_key": OWN_KEY,
            },
        }],
        "general_settings": { "master_key": OWN_KEY },
        "litellm_settings": { "telemetry": false },
    });
    fs::write(&config, text.to_string()).context("cannot write the configuration of the gateway")?;
    let peer = Peer::start(who, home.path(), |port| {
        let mut command = Command::new(&program);
        command.arg("--config").arg(&config).args(["--host", "127.0.0.1", "--port", &port.to_string()]);
        // Without it, prices are fetched from elsewhere at the start.
        command.env("LITELLM_LOCAL_MODEL_COST_MAP", "True").env("LITELLM_LOG", "ERROR").env("HOME", home.path());
        command
    });
    let version = installed(&folder.join("litellm"));
    let bearer = format!("Bearer {OWN_KEY}");
    let headers = [("authorization", bearer.as_str())];
    calls(Gateway { name: format!("{who} {version}"), peer, headers: &headers }, options, figures);
    Ok(())
}

fn portkey(folder: &Path, options: &Options, provider: &FakeProvider, figures: &mut Figures) -> Result<()> {
    let who = "Portkey gateway";
    let package = folder.join("node_modules/@portkey-ai/gateway");
    let script = package.join("build/start-server.js");
    if !script.is_file() {
        figures.add(who, "everything", Row::LeftOut(format!("no program `{}`", script.display())));
        return Ok(());
    }
    let home = tempfile::Builder::new().prefix("lwa-bench-").tempdir().context("cannot make a folder")?;
    let preload = home.path().join("loopback.cjs");
    fs::write(&preload, LOOPBACK).context("cannot write a file for the gateway")?;
    let peer = Peer::start(who, home.path(), |port| {
        let mut command = Command::new("node");
        command
            .arg("--require")
            .arg(&preload)
            .arg(&script)
            .args(["--headless", &format!("--port={port}")])
            .env("HOME", home.path());
        command
    });
    let manifest = fs::read_to_string(package.join("package.json")).unwrap_or_default();
    let manifest: Value = serde_json::from_str(&manifest).unwrap_or_default();
    let version = manifest["version"].as_str().unwrap_or("of unknown version");
    let upstream = format!("{}/v1", provider.base_url());
    let bearer = format!("Bearer {OWN_KEY}");
    let headers =
        [("authorization", bearer.as_str()), ("x-portkey-provider", "openai"), ("x-portkey-custom-host", &upstream)];
    calls(Gateway { name: format!("{who} {version}"), peer, headers: &headers }, options, figures);
    Ok(())
}

/// A gateway that was started, or why it was not, and the headers that it wants.
struct Gateway<'a> {
    name: String,
    peer: Result<Peer>,
    headers: &'a [(&'a str, &'a str)],
}

/// Asks a gateway again and again; one that does not start or answer is left out with the reason.
fn calls(gateway: Gateway, options: &Options, figures: &mut Figures) {
    let Gateway { name, peer, headers } = gateway;
    let peer = match peer {
        Ok(peer) => peer,
        Err(error) => return figures.add(&name, "everything", Row::LeftOut(format!("{error:#}"))),
    };
    figures.add(&name, "start to first accept", Row::Time(peer.cold));
    let body = request("bench");
    let times = Connection::open(peer.port)
        .and_then(|mut connection| repeat(options.runs, || check(&connection.post(upstream::PATH, headers, &body)?)));
    match times {
        Ok(times) => {
            figures.spread(&name, "call, connection kept", times);
        }
        Err(error) => figures.add(&name, "call", Row::LeftOut(format!("{error:#}"))),
    }
    if let Some(kilobytes) = resident_kilobytes(peer.pid()) {
        figures.add(&name, "memory", Row::Kilobytes(kilobytes));
    }
}

fn repeat(runs: usize, mut call: impl FnMut() -> Result<()>) -> Result<Vec<Duration>> {
    let mut times = Vec::with_capacity(runs);
    for round in 0..WARM_UP + runs {
        let begin = Instant::now();
        call()?;
        if round >= WARM_UP {
            times.push(begin.elapsed());
        }
    }
    Ok(times)
}

fn request(model: &str) -> String {
    json!({
        "model": model,
        "max_tokens": 1200,
        "messages": [{ "role": "user", "content": "Say something." }],
    })
    .to_string()
}

/// The provider's own words have to come back: a gateway that answers by itself is not measured.
fn check(body: &[u8]) -> Result<()> {
    let answer: Value = serde_json::from_slice(body).context("the answer is no JSON")?;
    anyhow::ensure!(
        answer["choices"][0]["message"]["content"] == "This is a scripted answer.",
        "the answer is not the provider's"
    );
    Ok(())
}

/// The version of LiteLLM in a virtual environment, as its folder says.
fn installed(environment: &Path) -> String {
    let python = environment.join("bin/python");
    let script = "from importlib.metadata import version; print(version('litellm'))";
    let output = Command::new(python).args(["-c", script]).output();
    let version = output.ok().filter(|output| output.status.success()).map(|output| output.stdout);
    version.map_or_else(|| "of unknown version".to_owned(), |text| String::from_utf8_lossy(&text).trim().to_owned())
}
