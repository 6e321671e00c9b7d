//! The options of the gate of git, and of the hooks of clients.

use std::path::PathBuf;

use clap::{ArgGroup, Args as ClapArgs, Subcommand, ValueEnum};

/// What to do with the gate.
#[derive(Debug, Subcommand)]
pub enum GuardVerb {
    /// Looks for what must not be published. Exit code 0 when there is nothing, else 4.
    Check(GuardCheckArgs),
    /// Makes git ask the gate before each commit and each push of this repository.
    InstallHooks(InstallHooksArgs),
}

/// Options of `lwa guard check`.
#[derive(Debug, ClapArgs)]
#[command(group(ArgGroup::new("what").required(true).args(["staged", "all", "range", "message", "push"])))]
pub struct GuardCheckArgs {
    /// What the next commit would add or change, and who it would be by.
    #[arg(long)]
    pub staged: bool,
    /// Every tracked file, and the messages, identities and tags of every commit.
    #[arg(long)]
    pub all: bool,
    /// The commits of a range, `origin/main..HEAD`: files, messages, identities, tags.
    #[arg(long, value_name = "RANGE")]
    pub range: Option<String>,
    /// A message that is about to be committed.
    #[arg(long, value_name = "FILE")]
    pub message: Option<PathBuf>,
    /// What a push to this remote would publish, as git tells a pre-push hook on stdin.
    #[arg(long, value_name = "REMOTE")]
    pub push: Option<String>,
    /// Your words that must not be published, one a line, in place of `denylist.txt`.
    #[arg(long, value_name = "FILE")]
    pub denylist: Option<PathBuf>,
    /// Your exceptions, `RULE PATH` or `RULE =VALUE` a line, in place of `guard-allow.txt`.
    #[arg(long, value_name = "FILE")]
    pub allow: Option<PathBuf>,
}

/// Options of `lwa guard install-hooks`.
#[derive(Debug, ClapArgs)]
pub struct InstallHooksArgs {
    /// Also pushes each commit once it passed.
    #[arg(long)]
    pub autopush: bool,
    /// Shows what would be written and writes nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Replaces hooks that are not Lwa's, with a backup.
    #[arg(long)]
    pub force: bool,
    /// A denylist that the hooks are to use in place of yours.
    #[arg(long, value_name = "FILE")]
    pub denylist: Option<PathBuf>,
}

/// What a hook of a client is about.
#[derive(Debug, Subcommand)]
pub enum HookVerb {
    /// Judges a client's own command or file, from a hook's JSON on stdin, before it runs.
    Guard {
        /// The client: `claude-code` or `codex`; told from the JSON when left out.
        #[arg(long)]
        client: Option<String>,
    },
    /// Writes Lwa's hooks into a client's file, beside its other hooks.
    Install(HookFileArgs),
    /// Takes Lwa's hooks out of a client's file.
    Remove(HookFileArgs),
    /// Any event of a client, `SessionStart`: reads the hook's JSON on stdin and always ends with 0.
    #[command(external_subcommand)]
    Event(Vec<String>),
}

/// Options of `lwa hook install` and `lwa hook remove`.
#[derive(Debug, ClapArgs)]
pub struct HookFileArgs {
    /// The client.
    #[arg(value_enum)]
    pub client: HookClient,
    /// Also puts the client's own shell under the command policy.
    #[arg(long)]
    pub guard: bool,
    /// Shows what would be written and writes nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// The file in place of the client's own.
    #[arg(long, value_name = "PATH")]
    pub file: Option<PathBuf>,
}

/// A client with hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HookClient {
    /// Claude Code.
    ClaudeCode,
    /// Codex.
    Codex,
}

impl HookClient {
    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
        }
    }
}
