//! The verbs and their options. Names are a contract with scripts: add, never rename.

mod guard;
mod library;
mod task;
mod upkeep;
mod worker;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

pub use self::guard::{GuardCheckArgs, GuardVerb, HookClient, HookFileArgs, HookVerb, InstallHooksArgs};
pub use self::library::{LibraryCreateArgs, LibraryObserveArgs, LibraryRegisterArgs, LibraryRunArgs, LibraryVerb};
pub use self::task::{CodexArgs, RunArgs, TaskArgs, WorkflowArgs};
pub use self::upkeep::{PipelineArgs, RefreshArgs, TelemetryArgs};
pub use self::worker::{
    ModeArg, OnOff, PolicyVerb, PricesVerb, PurgeArg, SavingsArgs, SavingsBy, SavingsVerb, ScrubArgs, SessionArgs,
    WorkerVerb,
};

/// A local-first control plane for AI coding agents.
#[derive(Debug, Parser)]
#[command(name = "lwa", version, disable_help_subcommand = true, arg_required_else_help = true)]
pub struct Args {
    /// Prints one JSON document on stdout and nothing else.
    #[arg(long, global = true)]
    pub json: bool,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Runs a task once: prepares a plan, asks for consent if needed, runs it.
    Run(RunArgs),
    /// Prepares and locks a plan; runs nothing.
    Plan(TaskArgs),
    /// Runs a plan that `lwa plan` or `lwa run` prepared, once it may run.
    Resume {
        /// The plan's token.
        plan_token: String,
    },
    /// Shows the stored result of a plan.
    Result {
        /// The plan's id.
        plan_id: String,
    },
    /// Shows the host's state.
    Status(StatusArgs),
    /// Lists providers and whether they can be used.
    Providers,
    /// Lists models with prices and where those come from.
    Models {
        /// Only this provider's.
        #[arg(long)]
        provider: Option<String>,
    },
    /// Stores, lists and removes keys.
    Keys {
        /// What to do with keys; when left out, a terminal is asked for each one.
        #[command(subcommand)]
        verb: Option<KeysVerb>,
    },
    /// Lists and answers the questions that wait for you.
    Approvals {
        /// What to do with questions; lists them when left out.
        #[command(subcommand)]
        verb: Option<ApprovalsVerb>,
    },
    /// Shows usage and money.
    Telemetry(TelemetryArgs),
    /// Lists models by what is declared about plans and tiers.
    Tiers {
        /// How many at most; 100 when left out.
        #[arg(long)]
        limit: Option<u32>,
    },
    /// Asks providers for their lists of models; sends no prompt and costs nothing.
    Refresh(RefreshArgs),
    /// Shows what providers said about their quotas.
    Quotas {
        /// Asks for balances and quotas first; sends no prompt and costs nothing.
        #[arg(long)]
        refresh: bool,
    },
    /// Shows whether requests can be sent to each provider.
    Pipelines(PipelineArgs),
    /// Checks what works and says what to do about the rest.
    Doctor {
        /// Contacts the configured providers; sends no prompt and costs nothing.
        #[arg(long)]
        probe: bool,
    },
    /// Reads and checks the audit log.
    Audit {
        /// What to do with the log.
        #[command(subcommand)]
        verb: AuditVerb,
    },
    /// Shows, checks and changes the configuration.
    Config {
        /// What to do with the configuration.
        #[command(subcommand)]
        verb: ConfigVerb,
    },
    /// Works with the tool library: recipes, reviewed scripts, and the work they come from.
    Library {
        /// What to do with the library.
        #[command(subcommand)]
        verb: LibraryVerb,
    },
    /// Works on private or bulky material here, and prints what may leave.
    Worker {
        /// What to do.
        #[command(subcommand)]
        verb: WorkerVerb,
    },
    /// Replaces private values in a text from stdin by placeholders. Needs no host.
    Scrub(ScrubArgs),
    /// Asks the command policy.
    Policy {
        /// What to do.
        #[command(subcommand)]
        verb: PolicyVerb,
    },
    /// Shows what the worker spared your clients, in tokens and money equivalents.
    Savings(SavingsArgs),
    /// Keeps private values out of what git publishes. Needs no host.
    Guard {
        /// What to do.
        #[command(subcommand)]
        verb: GuardVerb,
    },
    /// What clients start at their own events.
    Hook {
        /// What it is about.
        #[command(subcommand)]
        verb: HookVerb,
    },
    /// Takes over the configuration, keys and tool library of an older product.
    Import(ImportArgs),
    /// Looks after things without anybody there: a summary, a probe, a check.
    Maintenance(MaintenanceArgs),
    /// Runs maintenance on the system's timers.
    Timers {
        /// What to do with the timers.
        #[command(subcommand)]
        verb: TimersVerb,
    },
    /// Runs the host in the foreground. Faces start one by themselves.
    Host(HostArgs),
    /// Asks the running host to finish and end.
    Stop,
}

/// Options of `lwa status`.
#[derive(Debug, ClapArgs)]
pub struct StatusArgs {
    /// Pauses all new work: for so many minutes, or until resumed.
    #[arg(long, value_name = "MINUTES", num_args = 0..=1, default_missing_value = "0", conflicts_with = "resume")]
    pub pause: Option<u32>,
    /// Ends a pause.
    #[arg(long)]
    pub resume: bool,
}

/// What to do with keys.
#[derive(Debug, Subcommand)]
pub enum KeysVerb {
    /// Lists providers with a key, masked.
    List,
    /// Stores a provider's key, read from stdin; on a terminal without showing it.
    Set {
        /// The provider.
        provider: String,
    },
    /// Forgets a stored key.
    Remove {
        /// The provider.
        provider: String,
    },
    /// Lists keys that other programs left on this machine, masked; stores nothing.
    Discover,
    /// Stores the keys of a file of lines `NAME=value`.
    Import {
        /// The file.
        file: PathBuf,
        /// Stores them without a question.
        #[arg(long)]
        yes: bool,
    },
}

/// Options of `lwa import`.
#[derive(Debug, ClapArgs)]
pub struct ImportArgs {
    /// The older product.
    #[arg(value_enum)]
    pub kind: ImportKind,
    /// Its folder, your home folder, or one of its files.
    pub path: PathBuf,
    /// Shows what would be written and writes nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Replaces what differs here, with a backup.
    #[arg(long)]
    pub force: bool,
    /// Asks nothing, and stores its keys.
    #[arg(long)]
    pub yes: bool,
}

/// An older product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ImportKind {
    /// lwa-mcp.
    LwaMcp,
    /// The same under its former name.
    CastorPollux,
    /// local-llm-mcp, a worker.
    LocalLlmMcp,
}

/// Options of `lwa maintenance`.
#[derive(Debug, ClapArgs)]
pub struct MaintenanceArgs {
    /// What to do.
    #[command(subcommand)]
    pub verb: MaintenanceVerb,
    /// Fails when no host runs, instead of starting one.
    #[arg(long, global = true)]
    pub no_start: bool,
}

/// What to look after.
#[derive(Debug, Clone, Copy, Subcommand)]
pub enum MaintenanceVerb {
    /// Sums up today's part of the ledger. No network.
    Telemetry,
    /// Asks each usable provider for its list of models; sends no prompt and costs nothing.
    Probe {
        /// Allows the requests; without it nothing is sent.
        #[arg(long)]
        live: bool,
    },
    /// Checks the configuration, the database and the audit log. No network.
    Verify,
}

/// What to do with the timers.
#[derive(Debug, Subcommand)]
pub enum TimersVerb {
    /// Writes and switches on a daily summary.
    Install {
        /// Also probes providers every half an hour.
        #[arg(long)]
        live_probes: bool,
    },
    /// Switches the timers off and takes them away.
    Remove,
}

/// What to do with questions.
#[derive(Debug, Subcommand)]
pub enum ApprovalsVerb {
    /// Lists the open ones.
    List {
        /// Lists the answered ones too.
        #[arg(long)]
        all: bool,
    },
    /// Shows one.
    Show {
        /// Its id, or the first digits of it.
        id: String,
    },
    /// Allows one; needs a terminal and the code it shows.
    Allow {
        /// Its id, or the first digits of it.
        id: String,
        /// Which of its answers, where a yes can mean more than one thing; `show` lists them.
        #[arg(long)]
        choice: Option<String>,
        /// Allows it until the session ends.
        #[arg(long, conflicts_with = "always")]
        session: bool,
        /// Allows it from now on.
        #[arg(long)]
        always: bool,
    },
    /// Denies one.
    Deny {
        /// Its id, or the first digits of it.
        id: String,
        /// Told to the client.
        #[arg(long)]
        reason: Option<String>,
    },
    /// Waits for questions and shows each as it comes.
    Watch,
}

/// What to do with the audit log.
#[derive(Debug, Subcommand)]
pub enum AuditVerb {
    /// Shows the newest events, oldest of them first.
    Tail {
        /// How many.
        #[arg(short = 'n', long, default_value_t = 50)]
        lines: u32,
    },
    /// Checks that no event was changed, removed or put in between.
    Verify,
}

/// What to do with the configuration.
#[derive(Debug, Subcommand)]
pub enum ConfigVerb {
    /// Shows the values in force that differ from the defaults, with their source.
    Show {
        /// Shows every value.
        #[arg(long)]
        effective: bool,
    },
    /// Lists every key with its kind, default and meaning.
    Schema,
    /// Reads the file and says what is wrong, without a host.
    Check,
    /// Sets one value; comments and order of the file are kept.
    Set {
        /// The key's path, for example `router.allow_paid`.
        key: String,
        /// The value, as JSON or as plain text.
        value: String,
    },
    /// Puts a loosening edit that waits into force.
    Accept,
}

/// Options of `lwa host`.
#[derive(Debug, ClapArgs)]
pub struct HostArgs {
    /// How long to stay when nobody is connected: `10m`, `30s`, `2h`, or `never`.
    #[arg(long, default_value = "10m", value_parser = parse_idle)]
    pub idle_exit: Idle,
    /// Leaves the starter's session; used by the faces that start a host.
    #[arg(long, hide = true)]
    pub detached: bool,
}

/// How long to stay when nobody is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Idle {
    /// For ever.
    Never,
    /// This long.
    After(Duration),
}

fn parse_idle(text: &str) -> Result<Idle, String> {
    if text == "never" {
        return Ok(Idle::Never);
    }
    parse_duration(text)
        .map(Idle::After)
        .ok_or_else(|| "give a time such as `30s`, `10m` or `2h`, or `never`".to_owned())
}

/// A number with `s`, `m`, `h` or `d` behind it; a bare number is seconds.
pub fn parse_duration(text: &str) -> Option<Duration> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: u64 = digits.parse().ok()?;
    let seconds = match text.get(digits.len()..)? {
        "" | "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86400,
        _ => return None,
    };
    Some(Duration::from_secs(number.checked_mul(seconds)?))
}

/// The time that stands behind `--since`: `7d` counts back from now; everything else the host reads as a day or a time.
pub fn from_time(text: String) -> String {
    let back = parse_duration(&text).filter(|_| text.ends_with(|c: char| c.is_ascii_alphabetic()));
    match back.and_then(|back| jiff::SignedDuration::try_from(back).ok()) {
        Some(back) => (jiff::Timestamp::now() - back).to_string(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn durations_have_units() {
        assert_eq!(parse_duration("10m"), Some(Duration::from_mins(10)));
        assert_eq!(parse_duration("7"), Some(Duration::from_secs(7)));
        assert_eq!(parse_duration("7w"), None);
        assert_eq!(parse_duration("m"), None);
        assert_eq!(parse_idle("never"), Ok(Idle::Never));
    }
}
