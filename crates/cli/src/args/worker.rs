//! The options of the worker's verbs.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

/// What the worker is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ModeArg {
    /// Private material: everything personal is hidden.
    Pii,
    /// Bulk output: secrets and numbers are hidden, names are open.
    Assist,
}

/// Options of `lwa scrub`.
#[derive(Debug, ClapArgs)]
pub struct ScrubArgs {
    /// What is hidden: everything, or secrets and numbers alone.
    #[arg(long, value_enum, default_value_t = ModeArg::Pii)]
    pub mode: ModeArg,
    /// A file of private terms in place of yours.
    #[arg(long, value_name = "FILE")]
    pub terms: Option<PathBuf>,
    /// A file of rules in place of yours.
    #[arg(long, value_name = "FILE")]
    pub rules: Option<PathBuf>,
    /// Leaves the model of names out.
    #[arg(long)]
    pub no_ner: bool,
    /// Reads one `{"text", "mode"}` a line and writes one `{"text", "found"}` a line.
    #[arg(long, conflicts_with = "mode")]
    pub jsonl: bool,
}

/// What to do with the command policy.
#[derive(Debug, Subcommand)]
pub enum PolicyVerb {
    /// Says what the policy says of a command, and runs nothing. Exit code 0 when it would be allowed, else 4.
    Check {
        /// A file of allowed shapes in place of yours.
        #[arg(long, value_name = "FILE")]
        allow_file: Option<PathBuf>,
        /// The folder it would run in; this one when left out.
        #[arg(long, value_name = "DIR")]
        cwd: Option<PathBuf>,
        /// Reads one `{"cmd", "allow"}` a line and writes one `{"decision", "reason"}` a line.
        #[arg(long, conflicts_with_all = ["allow_file", "command"])]
        jsonl: bool,
        /// The command: one word is taken as a whole command line.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<String>,
    },
}

/// The conversation of a call of the worker.
#[derive(Debug, Clone, ClapArgs)]
pub struct SessionArgs {
    /// The conversation's name; its placeholders, memory and settings go with it.
    #[arg(long, default_value = "terminal")]
    pub session: String,
    /// Begins in this mode; `pii` holds for the whole conversation.
    #[arg(long, value_enum)]
    pub mode: Option<ModeArg>,
}

/// What to do with the worker.
#[derive(Debug, Subcommand)]
pub enum WorkerVerb {
    /// Runs a command here and prints a short, scrubbed digest of its output.
    Run {
        /// The conversation.
        #[command(flatten)]
        session: SessionArgs,
        /// What to report.
        #[arg(long, default_value = "")]
        task: String,
        /// The folder.
        #[arg(long, default_value = "")]
        cwd: String,
        /// Seconds until the command is ended.
        #[arg(long, default_value_t = 0)]
        timeout: u32,
        /// Characters of the answer.
        #[arg(long, default_value_t = 0)]
        max_output_chars: u32,
        /// Exact lines in place of a digest.
        #[arg(long)]
        verbatim: bool,
        /// A variable that gets the value of a placeholder, `NAME=[SECRET-1]`; always asks.
        #[arg(long, value_name = "NAME=PLACEHOLDER")]
        secret_env: Vec<String>,
        /// The command: one word is taken as a whole command line.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
        command: Vec<String>,
    },
    /// Answers a question about files, text from stdin (`-`), or a command's output.
    Delegate {
        /// The conversation.
        #[command(flatten)]
        session: SessionArgs,
        /// What to do with it.
        task: String,
        /// Files and folders; `-` reads stdin.
        paths: Vec<String>,
        /// A command whose output is read too.
        #[arg(long, default_value = "")]
        command: String,
        /// Characters of the answer.
        #[arg(long, default_value_t = 0)]
        max_output_chars: u32,
        /// Exact lines in place of an answer.
        #[arg(long)]
        verbatim: bool,
    },
    /// Prints an exact slice of stored material, scrubbed.
    Artifact {
        /// The conversation.
        #[command(flatten)]
        session: SessionArgs,
        /// Its reference, as a trailer names it.
        reference: String,
        /// The first line and the last, `10-40`.
        #[arg(long, value_name = "FIRST-LAST")]
        lines: Option<String>,
        /// The first character.
        #[arg(long, default_value_t = 0, conflicts_with = "lines")]
        offset: u64,
        /// How many characters.
        #[arg(long, default_value_t = 0, conflicts_with = "lines")]
        limit: u32,
    },
    /// Shows how the worker stands in a conversation.
    Status {
        /// The conversation.
        #[command(flatten)]
        session: SessionArgs,
    },
    /// Compacts the memory of a conversation.
    Compact {
        /// The conversation.
        #[command(flatten)]
        session: SessionArgs,
    },
    /// Lists conversations; with a key, shows one with its turns and masked placeholders.
    Sessions {
        /// The key of one.
        key: Option<String>,
        /// Turns it on (`on`) or off (`off`), and lets its questions begin again.
        #[arg(long, value_name = "on|off", requires = "key")]
        arm: Option<OnOff>,
    },
    /// Removes conversations or parts of them; shows first what would go.
    Purge {
        /// The key of one; every conversation that is not in use when left out.
        key: Option<String>,
        /// What to remove.
        #[arg(long, value_enum, default_value_t = PurgeArg::Session)]
        what: PurgeArg,
        /// Only what was last used before this moment, `2026-01-31T00:00:00Z`.
        #[arg(long)]
        before: Option<String>,
        /// Removes it without a question.
        #[arg(long)]
        yes: bool,
    },
    /// Checks on a real file of settings that nothing private of it would leave.
    Leakcheck {
        /// The file.
        file: PathBuf,
    },
    /// Checks with invented private material and hostile tasks that nothing of it leaves.
    Selftest,
    /// Prints what a client's model is told, for AGENTS.md and the like.
    Instructions {
        /// The mode.
        #[arg(long, value_enum, default_value_t = ModeArg::Assist)]
        mode: ModeArg,
    },
}

/// On or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnOff {
    /// On.
    On,
    /// Off.
    Off,
}

/// What to remove.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PurgeArg {
    /// Everything of the conversation.
    Session,
    /// Its values; their placeholders stay taken.
    Placeholders,
    /// Its stored materials.
    Artifacts,
}

/// Options of `lwa savings`.
#[derive(Debug, ClapArgs)]
pub struct SavingsArgs {
    /// Rows by model, client or session.
    #[arg(long, value_enum)]
    pub by: Option<SavingsBy>,
    /// Only from this day or time on, or the last so many days or hours: `2026-11-29`, `7d`, `24h`.
    #[arg(long)]
    pub since: Option<String>,
    /// What else to do.
    #[command(subcommand)]
    pub verb: Option<SavingsVerb>,
}

/// The rows of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SavingsBy {
    /// Models with a price.
    Model,
    /// Clients.
    Client,
    /// Conversations.
    Session,
}

/// What else to do with savings.
#[derive(Debug, Subcommand)]
pub enum SavingsVerb {
    /// Counts turns that were stored before there were counts.
    Backfill,
    /// Works out how many tokens of a model stand for one counted token, from token counts that you measured.
    MeasureTokenizer {
        /// A JSON file: `{"samples": [{"class": "code", "counted": 812, "reported": 1003, "baseline": 9}, …]}`.
        samples: PathBuf,
    },
    /// Changes the prices that savings are shown in.
    Prices {
        /// What to do.
        #[command(subcommand)]
        verb: PricesVerb,
    },
}

/// What to do with the prices.
#[derive(Debug, Subcommand)]
pub enum PricesVerb {
    /// Sets fields of a model's price: `input_per_m=3 output_per_m=15`.
    Set {
        /// The model.
        model: String,
        /// The fields.
        #[arg(required = true, value_name = "FIELD=VALUE")]
        fields: Vec<String>,
    },
    /// Goes back to the shipped price of a model, or of all.
    Reset {
        /// The model; all when left out.
        model: Option<String>,
    },
}
