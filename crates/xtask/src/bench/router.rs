//! How much time the router takes: the decision, a durable preparation, a run beside a direct call, and other gateways.
//!
//! Everything that is compared is measured in the same run, on the same disk and against the same provider, which
//! answers from a script on this machine.

mod child;
mod decision;
mod direct;
mod figures;
mod http;
mod insert;
mod peer;
mod peers;
mod percentiles;
mod preflight;
mod stream;
mod trial;
mod upstream;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::ValueEnum;

pub use decision::{Decisions, decisions};
pub use figures::{Figures, Row};
pub use http::Connection;
pub use percentiles::Percentiles;

/// The parts of the measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The decision alone.
    Decision,
    /// A durable preparation through the sidecar.
    Preflight,
    /// A run of a streamed answer through the host.
    Stream,
    /// Other gateways on the same provider.
    Peers,
}

/// What to measure.
#[derive(Debug, Clone)]
pub struct Options {
    /// The parts; all of them when empty.
    pub parts: Vec<Part>,
    /// How often each thing is done.
    pub runs: usize,
    /// The folder in which other gateways are installed.
    pub peers: Option<PathBuf>,
    /// The Python whose SQLite is compared with.
    pub python: PathBuf,
    /// Where the figures are written as JSON.
    pub json: Option<PathBuf>,
}

/// Measures and prints.
///
/// # Errors
/// A program is not built, or does not answer.
pub fn run(root: &Path, options: &Options) -> Result<()> {
    let load = fs::read_to_string("/proc/loadavg").ok();
    let load = load.map(|text| text.split_whitespace().take(3).collect::<Vec<_>>().join(" "));
    let processors = std::thread::available_parallelism().map_or(0, usize::from);
    println!("{processors} processors, load average {}", load.as_deref().unwrap_or("unknown"));
    let mut figures = Figures::with_load(load);
    let has = |part| options.parts.is_empty() || options.parts.contains(&part);
    if has(Part::Decision) {
        decision::measure(&mut figures)?;
    }
    if has(Part::Preflight) {
        preflight::measure(root, options, &mut figures)?;
    }
    if has(Part::Stream) {
        stream::measure(root, options, &mut figures)?;
    }
    if has(Part::Peers) {
        peers::measure(root, options, &mut figures)?;
    }
    if let Some(path) = &options.json {
        let text = serde_json::to_string_pretty(&figures.json()).context("cannot write the figures as JSON")?;
        fs::write(path, text + "\n").with_context(|| format!("cannot write `{}`", path.display()))?;
        println!("\nwrote {}", path.display());
    }
    Ok(())
}
