//! Judging without running: the command policy, hooks of clients, and the guard.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::WorkerCall;

/// Parameters of `policy/check`: what the policy says of a command, without running it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct PolicyCheckParams {
    /// The command line.
    pub command: String,
    /// The folder it would run in.
    pub cwd: Option<String>,
}

/// Answer to `policy/check`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PolicyChecked {
    /// `allow`, `ask` or `deny`.
    pub decision: String,
    /// Why, as a sentence.
    pub reason: String,
    /// The rule that decided.
    pub rule: String,
    /// What "always" would add; empty when nothing may be stored.
    pub shapes: Vec<String>,
}

/// What a client's hook reports. Sent by `lwa hook`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct HookParams {
    /// `claude-code` or `codex`.
    pub client: String,
    /// The event: `SessionStart`, `PreToolUse`, `PreCompact`, …
    pub event: String,
    /// The conversation.
    pub session_id: String,
    /// The tool use, where the event is about one.
    pub tool_use_id: Option<String>,
    /// The tool, where the event is about one.
    pub tool_name: Option<String>,
    /// `manual`, `auto`, `startup`, `clear`, …
    pub trigger: Option<String>,
    /// The folder.
    pub cwd: Option<String>,
}

/// Answer to `hook/event`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct HookAnswer {
    /// Whether it was of use.
    pub is_taken: bool,
    /// A line for the client's model, where the event takes one.
    pub context: Option<String>,
}

/// What a tool does with a path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PathUse {
    /// Shows the file.
    #[default]
    Read,
    /// Looks through the file or folder and shows lines of what it finds.
    Search,
    /// Makes, changes or removes the file.
    Write,
}

/// Parameters of `guard/judge`: a client's own shell command or use of a file, before it happens.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct GuardParams {
    /// Where it comes from.
    pub call: WorkerCall,
    /// `claude-code` or `codex`.
    pub client: String,
    /// The command line of a shell tool.
    pub command: Option<String>,
    /// The path of a tool for files.
    pub path: Option<String>,
    /// What is done with the path.
    pub path_use: PathUse,
}

/// Answer to `guard/judge`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct GuardVerdict {
    /// `allow`, `ask` or `deny`.
    pub decision: String,
    /// Why, for the client's model and its user.
    pub reason: String,
}
