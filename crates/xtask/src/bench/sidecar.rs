//! How fast and how small the sidecar is, beside a Python server that is started the same way.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::json;

use super::python;
use super::spread::Spread;
use crate::demo::stop_host;
use crate::mcp_client::McpClient;
use crate::root::release_program;

const LIMIT: Duration = Duration::from_secs(30);

/// How to measure.
#[derive(Debug, Clone)]
pub struct Options {
    /// How often each server is started.
    pub runs: usize,
    /// The Python that may hold the package `mcp`.
    pub python: PathBuf,
}

/// A server to measure.
pub(super) struct Server<'a> {
    pub name: &'a str,
    pub program: &'a Path,
    pub arguments: &'a [&'a str],
    pub home: &'a Path,
}

/// Measures and prints.
///
/// # Errors
/// A program is not built, or a server does not answer.
pub fn run(root: &Path, options: &Options) -> Result<()> {
    let home = tempfile::Builder::new().prefix("lwa-bench-").tempdir().context("cannot make a folder")?;
    let program = release_program(root, "lwa-mcp")?;
    measure(&Server { name: "lwa-mcp", program: &program, arguments: &[], home: home.path() }, options.runs)?;
    first_call(root, &program, home.path())?;
    python::measure(options, home.path())
}

/// Starts the server again and again, and prints how it did.
pub(super) fn measure(server: &Server, runs: usize) -> Result<()> {
    let (mut answered, mut ended, mut resident) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..runs {
        let start = Instant::now();
        let mut client = McpClient::start(server.program, server.arguments, &[("LWA_HOME", server.home)])?;
        client.open(LIMIT)?;
        client.request("tools/list", &json!({}), LIMIT)?;
        answered.push(start.elapsed());
        resident.extend(resident_kib(client.pid()));
        let end = Instant::now();
        client.close(LIMIT)?;
        ended.push(end.elapsed());
    }
    print(server.name, "spawn to tools/list", Spread::of(answered));
    print(server.name, "end of input to exit", Spread::of(ended));
    resident.sort_unstable();
    match resident.get(resident.len() / 2) {
        Some(kib) => println!("{:<10} {:<22} {} kB resident after tools/list", server.name, "memory", kib),
        None => println!("{:<10} {:<22} unknown on this system", server.name, "memory"),
    }
    Ok(())
}

fn print(name: &str, what: &str, spread: Option<Spread>) {
    if let Some(spread) = spread {
        println!("{name:<10} {what:<22} {spread}");
    }
}

/// The first call that needs the host starts it.
fn first_call(root: &Path, program: &Path, home: &Path) -> Result<()> {
    let mut client = McpClient::start(program, &[], &[("LWA_HOME", home)])?;
    client.open(LIMIT)?;
    let start = Instant::now();
    let answer = client.call("router_status", &json!({}), LIMIT);
    let took = start.elapsed();
    stop_host(&release_program(root, "lwa")?, home);
    answer.context("the first call that starts the host failed")?;
    println!("{:<10} {:<22} {:.1} ms, once", "lwa-mcp", "first call with start", took.as_secs_f64() * 1000.0);
    client.close(LIMIT).map(drop)
}

/// Resident memory as the kernel counts it.
fn resident_kib(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}
