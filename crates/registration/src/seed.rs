//! The files of older products, turned into ours: a router with its tool library, and [`local_llm`], a worker.
//!
//! Their files are read and never opened for writing. What is not carried over is listed with its reason, so
//! that nobody has to compare the files by hand.

mod configuration;
mod library;
pub mod local_llm;
mod locate;
mod router;
mod shown;

pub use configuration::{Change, ConfigurationPlan, Kept, NotCarried, Ours, plan_configuration};
pub use library::{CopyTool, LibraryPlan, ToolState, copy_library, plan_library};
pub use locate::{SeedFiles, SeedKind, locate};

use std::io;
use std::path::PathBuf;

use lwa_config::ConfigError;
use thiserror::Error;

/// Why the older product's files cannot be taken over.
#[derive(Debug, Error)]
pub enum SeedError {
    /// There is nothing at the path.
    #[error("there is nothing at `{0}`")]
    Absent(PathBuf),
    /// The folder holds none of the files.
    #[error("`{0}` holds none of `router.yaml`, `lwa.env`, `twins.env`, `tool-library` and the ledger")]
    NothingThere(PathBuf),
    /// The folder holds none of the older worker's files.
    #[error(
        "`{0}` holds none of `env`, `run-allow.txt`, `private_terms.json`, `prices.json`, `savings.jsonl` and `sessions`"
    )]
    NoWorkerThere(PathBuf),
    /// The file is none of those that can be taken over.
    #[error("`{0}` is none of the older product's files")]
    UnknownFile(PathBuf),
    /// A file cannot be read.
    #[error("cannot read `{path}`")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write `{path}`")]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The configuration is no YAML.
    #[error("line {line} is not valid YAML")]
    Yaml {
        /// The line, counted from 1; 0 when it is not known.
        line: u64,
    },
    /// The configuration is YAML and no table.
    #[error("the configuration is no table of settings")]
    NoTable,
    /// The tool library's list cannot be read, or holds something else than tools.
    #[error("`{0}` is no list of tools; nothing of the tool library was touched")]
    Registry(PathBuf),
    /// A file of the older worker, or ours of that name, is not in its form.
    #[error("`{path}` is not in the form {form}")]
    Form {
        /// The file.
        path: PathBuf,
        /// The form.
        form: &'static str,
    },
    /// Our own configuration cannot be used.
    #[error(transparent)]
    Configuration(#[from] ConfigError),
}
