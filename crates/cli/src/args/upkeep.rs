//! The options of the verbs that look after the router.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::task::{CodexArgs, WorkflowArgs};

/// Options of `lwa refresh`.
#[derive(Debug, ClapArgs)]
pub struct RefreshArgs {
    /// Only this provider's list of models.
    #[arg(long)]
    pub provider: Option<String>,
    /// Asks for lists that are still fresh too.
    #[arg(long)]
    pub force: bool,
}

/// Options of `lwa pipelines`.
#[derive(Debug, ClapArgs)]
pub struct PipelineArgs {
    /// Only this provider.
    #[arg(long)]
    pub provider: Option<String>,
    /// Sends each usable provider one request without text; its answer is good for a minute.
    #[arg(long)]
    pub probe: bool,
}

/// Options of `lwa telemetry`.
#[derive(Debug, ClapArgs)]
pub struct TelemetryArgs {
    /// Only from this day or time on, or the last so many days or hours: `2026-11-29`, `7d`, `24h`.
    #[arg(long)]
    pub since: Option<String>,
    /// Prints the calls as a document for other programs: no prompt, no answer, no key.
    #[arg(long, conflicts_with_all = ["since", "check"])]
    pub export: bool,
    /// With `--export`: at most this many calls, newest first; 1000 when left out.
    #[arg(long, requires = "export")]
    pub limit: Option<u32>,
    /// Checks such a document, and says everything that is wrong with it.
    #[arg(long, value_name = "FILE", conflicts_with = "since")]
    pub check: Option<PathBuf>,
    /// What the work was a part of, to be shown.
    #[command(flatten)]
    pub workflow: WorkflowArgs,
    /// What the calling client says of itself.
    #[command(flatten)]
    pub codex: CodexArgs,
}
