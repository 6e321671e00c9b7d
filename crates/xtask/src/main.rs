//! `cargo xtask`: the project's own tools.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a tool for people at a terminal")]

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::{Parser, Subcommand};
use lwa_xtask::demo::{DEFAULT_FILE, Demo};
use lwa_xtask::reference::Programs;
use lwa_xtask::root::project_root;
use lwa_xtask::{bench, codegen, demo, layers, prices, quality, reference, sizes};

/// The project's own tools.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Checks which crate depends on which
    Layers,
    /// Prints how long the files are, and refuses very long ones
    Sizes,
    /// Writes the TypeScript side of the protocol
    Codegen {
        /// Write nothing; fail when the file is out of date
        #[arg(long)]
        check: bool,
    },
    /// Writes the reference pages of tools and settings from the built programs
    Docs {
        /// Write nothing; fail when a page is out of date, and skip when the programs are not built
        #[arg(long)]
        check: bool,
    },
    /// Writes the page on routing quality; measures anew when both checkouts are named
    Quality {
        /// A checkout of lm-sys/RouteLLM
        #[arg(long, requires = "routerarena")]
        routellm: Option<PathBuf>,
        /// A checkout of RouteWorks/RouterArena
        #[arg(long, requires = "routellm")]
        routerarena: Option<PathBuf>,
        /// Write nothing; fail when the page is out of date
        #[arg(long, conflicts_with = "routellm")]
        check: bool,
    },
    /// Writes the shipped catalogue of prices from unpacked public catalogues
    Prices {
        /// The folder that holds them
        #[arg(long)]
        from: PathBuf,
    },
    /// Measures
    Bench {
        #[command(subcommand)]
        what: Bench,
    },
    /// Condenses a transcript through the built sidecar, in a folder of its own
    Demo {
        /// The transcript
        file: Option<PathBuf>,
        /// Ask for consent although the route costs nothing
        #[arg(long)]
        ask: bool,
    },
}

#[derive(Debug, Subcommand)]
enum Bench {
    /// Start, answer, memory and end of the release sidecar, beside a Python server
    Sidecar {
        /// How often each server is started
        #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..))]
        runs: u16,
        /// The Python that holds the package `mcp`
        #[arg(long, default_value = "python3")]
        python: PathBuf,
    },
    /// The built-in condensing
    Condense,
    /// Scrub, command policy and names, beside other scanners on the same text
    Privacy {
        /// The Python that holds `detect-secrets` and `presidio-analyzer`
        #[arg(long, default_value = "python3")]
        python: PathBuf,
        /// The program gitleaks
        #[arg(long, default_value = "gitleaks")]
        gitleaks: PathBuf,
    },
    /// The router: decision, durable preparation, a streamed run, and other gateways
    Router {
        /// Measure these parts alone
        #[arg(long = "part", value_enum)]
        parts: Vec<bench::router::Part>,
        /// How often each thing is done
        #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u16).range(1..))]
        runs: u16,
        /// The folder that holds a virtual environment `litellm` and `node_modules` with `@portkey-ai/gateway`
        #[arg(long)]
        peers: Option<PathBuf>,
        /// The Python whose SQLite is compared with
        #[arg(long, default_value = "python3")]
        python: PathBuf,
        /// Write the figures to this file too
        #[arg(long)]
        json: Option<PathBuf>,
    },
}

fn main() -> Result<()> {
    let root = project_root();
    match Arguments::parse().command {
        Task::Layers => println!("{} crates keep to the layer table", layers::check(&root)?),
        Task::Sizes => print_sizes(&root)?,
        Task::Codegen { check: true } => codegen::check(&root)?,
        Task::Codegen { check: false } => println!("wrote {}", codegen::write(&root)?.display()),
        Task::Docs { check } => docs(&root, check)?,
        Task::Quality { check: true, .. } => quality::check(&root)?,
        Task::Quality { routellm, routerarena, check: false } => {
            let folders = routellm.zip(routerarena);
            let folders = folders.map(|(routellm, routerarena)| quality::Folders { routellm, routerarena });
            for path in quality::write(&root, folders.as_ref())? {
                println!("wrote {}", path.display());
            }
        }
        Task::Prices { from } => {
            let (path, summary) = prices::write(&root, &from)?;
            println!("wrote {}: {summary:?}", path.display());
        }
        Task::Bench { what: Bench::Sidecar { runs, python } } => {
            bench::sidecar(&root, &bench::SidecarOptions { runs: runs.into(), python })?;
        }
        Task::Bench { what: Bench::Condense } => bench::condense(&root)?,
        Task::Bench { what: Bench::Privacy { python, gitleaks } } => {
            bench::privacy(&root, &bench::PrivacyOptions { python, gitleaks })?;
        }
        Task::Bench { what: Bench::Router { parts, runs, peers, python, json } } => {
            let options = bench::router::Options { parts, runs: runs.into(), peers, python, json };
            bench::router::run(&root, &options)?;
        }
        Task::Demo { file, ask } => {
            let file = file.unwrap_or_else(|| root.join(DEFAULT_FILE));
            demo::run(&root, &Demo { file, asks: ask })?;
        }
    }
    Ok(())
}

fn docs(root: &Path, is_check: bool) -> Result<()> {
    let programs = Programs::find(root)?;
    let Some(programs) = programs else {
        if is_check {
            println!("skipped: `lwa` and `lwa-mcp` are not built");
            return Ok(());
        }
        bail!("`lwa` and `lwa-mcp` are not built; run `cargo build --bin lwa --bin lwa-mcp`");
    };
    if is_check {
        return reference::check(root, &programs);
    }
    for page in reference::write(root, &programs)? {
        println!("wrote {}", page.display());
    }
    Ok(())
}

fn print_sizes(root: &Path) -> Result<()> {
    let files = sizes::count(root)?;
    println!("{:<11} {:>5} {:>7} {:>5} {:>8}", "", "files", "median", "90th", "largest");
    for row in sizes::table(&files) {
        println!("{row}");
    }
    for file in sizes::above(&files, sizes::WARN_ABOVE) {
        eprintln!("warning: `{}` has {} lines, more than {}", file.path.display(), file.lines, sizes::WARN_ABOVE);
    }
    sizes::refuse_too_long(&files)
}
