//! The verbs and their options. Names are a contract with scripts: add, never rename.

use std::time::Duration;

use clap::{Args as ClapArgs, Parser, Subcommand};

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
        /// What to do with keys; lists them when left out.
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
    Telemetry {
        /// Only from this day or time on, or the last so many days or hours: `2026-11-29`, `7d`, `24h`.
        #[arg(long)]
        since: Option<String>,
    },
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
    /// Runs the host in the foreground. Faces start one by themselves.
    Host(HostArgs),
    /// Asks the running host to finish and end.
    Stop,
}

/// The task and how to serve it.
#[derive(Debug, ClapArgs)]
pub struct TaskArgs {
    /// The kind of task, for example `conversation_compression`.
    pub task: String,
    /// The text to work on; `-` reads it from stdin.
    pub prompt: String,
    /// economy, balanced or high.
    #[arg(long)]
    pub quality: Option<String>,
    /// instant, medium or high.
    #[arg(long)]
    pub reasoning_effort: Option<String>,
    /// The one provider that may be used.
    #[arg(long)]
    pub provider: Option<String>,
    /// The one model that may be used.
    #[arg(long)]
    pub model: Option<String>,
    /// Tokens the answer may have.
    #[arg(long)]
    pub max_output_tokens: Option<u32>,
    /// Lets paid routes be considered; consents to nothing.
    #[arg(long)]
    pub allow_paid: bool,
    /// Lets routes that your own subscription pays be considered; consents to nothing.
    #[arg(long)]
    pub allow_user_pays: bool,
}

/// Options of `lwa run`.
#[derive(Debug, ClapArgs)]
pub struct RunArgs {
    /// The task.
    #[command(flatten)]
    pub task: TaskArgs,
    /// Does not wait for consent: ends with exit code 4 when it is needed.
    #[arg(long)]
    pub no_wait: bool,
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
