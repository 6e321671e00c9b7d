//! The tool library: recipes and reviewed scripts, and the work that repeats.
//!
//! The file is long because parameters and answers of all its methods stand side by side, as fields and nothing else.

use lwa_domain::{ApprovalId, PlanId, TaskKind};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::plan::{ApproveStatus, LibrarySuggestion, PlanPrepared};

/// One tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct LibraryTool {
    /// Its name in calls.
    pub slug: String,
    /// Its name for people.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Three numbers; the last one grows with every accepted content.
    pub version: String,
    /// `prompt_recipe` or `script`.
    pub kind: String,
    /// `draft`, `active`, `disabled` or `archived`.
    pub status: String,
    /// The task that a recipe prepares.
    pub task: TaskKind,
    /// The text of a recipe, with `{input}` where the input goes; `{input}` alone for a script.
    pub prompt_template: String,
    /// The file that runs it.
    pub entrypoint: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// When to use it.
    pub triggers: Vec<String>,
    /// Where it comes from: `operator` or `pattern_detector`.
    pub origin: String,
    /// `approved` or `draft`.
    pub review_state: String,
    /// `safe` or `review_required`.
    pub safety_state: String,
    /// Who made it: `operator` or `pattern_detector`.
    pub created_by: String,
    /// The pattern that it came from.
    pub pattern_signature: Option<String>,
    /// How many distinct runs speak for it.
    pub evidence_count: u32,
    /// How sure its pattern is, 0 to 1.
    pub confidence: f64,
    /// Whether it was approved; for a script, whether its present content was.
    pub approved: bool,
    /// SHA-256 of the content in force, hexadecimal.
    pub content_id: Option<String>,
    /// When it was made.
    pub created_at: String,
    /// When it was changed last.
    pub updated_at: String,
    /// Further facts.
    #[ts(type = "Record<string, unknown>")]
    pub metadata: serde_json::Map<String, serde_json::Value>,
}

/// Parameters of `library/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct LibraryListParams {
    /// Only tools of this status; all of them when absent or empty.
    pub status: Option<String>,
}

/// Answer to `library/list`: newest change first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct LibraryList {
    /// The tools.
    pub tools: Vec<LibraryTool>,
}

/// Parameters of `library/search`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct LibrarySearchParams {
    /// What to look for; with nothing, all tools are listed.
    pub query: String,
    /// The task at hand; it moves tools of this task forward.
    pub task: Option<String>,
    /// Only tools of this status; all of them when absent.
    pub status: Option<String>,
    /// At most this many, 1 to 50; 10 when absent.
    pub limit: Option<u32>,
}

/// Answer to `library/search`: best first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct LibraryFound {
    /// The tools.
    pub tools: Vec<FoundTool>,
}

/// A tool that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct FoundTool {
    /// The tool.
    #[serde(flatten)]
    pub tool: LibraryTool,
    /// How well its words fit, 0 to 1.
    pub relevance: f64,
}

/// Parameters of `library/suggest`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct LibrarySuggestParams {
    /// What is to be done, or the beginning of the prompt.
    pub context: String,
    /// The task at hand.
    pub task: Option<String>,
    /// At most this many; the configured number when absent.
    pub limit: Option<u32>,
}

/// Answer to `library/suggest`: active tools that fit, best first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LibrarySuggested {
    /// Whether suggestions are switched on.
    pub is_enabled: bool,
    /// The tools.
    pub suggestions: Vec<LibrarySuggestion>,
}

/// Parameters that name one tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LibraryToolParams {
    /// The tool's name in calls.
    pub slug: String,
}

/// Answer to `library/read`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct LibraryToolView {
    /// The tool.
    pub tool: LibraryTool,
    /// Its folder.
    pub path: String,
    /// Its page for people.
    pub readme: String,
    /// Its description as it stands on the disk.
    pub manifest: String,
    /// The template of a recipe, or the source of a script.
    pub content: String,
    /// SHA-256 of that content, hexadecimal.
    pub content_id: String,
}

/// Parameters of `library/run`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct LibraryRunParams {
    /// The tool's name in calls.
    pub slug: String,
    /// What to run it on: it takes the place of `{input}`, or is a script's standard input.
    pub input_text: String,
    /// A quality label, for a recipe.
    pub quality: Option<String>,
    /// A reasoning effort, for a recipe.
    pub reasoning_effort: Option<String>,
    /// Whether paid routes may be considered. States a wish and consents to nothing.
    pub allow_paid: bool,
    /// Whether routes that the user's own subscription pays may be considered.
    pub allow_user_pays: bool,
    /// Tokens the answer may have, for a recipe.
    pub max_output_tokens: Option<u32>,
    /// The door's own name for the call.
    pub tool_name: Option<String>,
    /// How long the caller can wait for a script, in milliseconds.
    pub hold_ms: u32,
    /// Bytes of each stream of a script that the caller can show; all of it when absent.
    pub max_output_bytes: Option<u32>,
}

/// What became of a tool's run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum LibraryRunStatus {
    /// A recipe became a plan, which is run like any other.
    Prepared,
    /// A script waits for a human, or scripts are switched off.
    ReviewRequired,
    /// A script still runs; repeat the call.
    Working,
    /// A script ended with code 0.
    Completed,
    /// A script ended with another code, or by a signal.
    Failed,
    /// A script's time was over, and all that it started was ended.
    TimedOut,
    /// A script was ended because the host ends.
    Cancelled,
}

/// Answer to `library/run`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct LibraryRan {
    /// What became of it.
    pub status: LibraryRunStatus,
    /// What this means and what to do next.
    pub message: String,
    /// The tool.
    pub library_tool: LibraryToolName,
    /// The plan of a recipe.
    pub plan: Option<Box<PlanPrepared>>,
    /// The result of a script.
    pub script: Option<ScriptResult>,
}

/// Which tool, in which version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LibraryToolName {
    /// Its name in calls.
    pub slug: String,
    /// Its name for people.
    pub name: String,
    /// `prompt_recipe` or `script`.
    pub kind: String,
    /// Its version.
    pub version: String,
}

/// What a script did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ScriptResult {
    /// Its code; null when it did not end by itself.
    pub returncode: Option<i32>,
    /// What it wrote to standard output, as far as it is kept.
    pub stdout: String,
    /// What it wrote to standard error, as far as it is kept.
    pub stderr: String,
    /// Whether more was written to standard output than is handed over.
    pub is_stdout_cut: bool,
    /// Whether more was written to standard error than is handed over.
    pub is_stderr_cut: bool,
    /// Whether its time was over.
    pub timed_out: bool,
    /// How long it took, in milliseconds.
    pub duration_ms: u32,
    /// Which parts of the sandbox were in force.
    pub sandbox: String,
    /// Values that looked like secrets and were replaced by placeholders.
    pub masked: u32,
}

/// Parameters of `library/create`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct LibraryCreateParams {
    /// Its name for people.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The task that it prepares.
    pub task: String,
    /// Its text, with `{input}` where the input goes.
    pub prompt_template: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// When to use it.
    pub triggers: Vec<String>,
    /// Whether it is in use at once; it is a draft otherwise.
    pub activate: bool,
}

/// Parameters of `library/register_script`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct LibraryRegisterParams {
    /// Its name for people.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The task that it belongs to.
    pub task: String,
    /// The program's text in Python, at most 250,000 bytes.
    pub source: String,
    /// A plain file name that ends in `.py`; `tool.py` when absent.
    pub filename: Option<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// When to use it.
    pub triggers: Vec<String>,
}

/// Parameters of `library/approve`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LibraryApproveParams {
    /// The tool's name in calls.
    pub slug: String,
    /// How long the caller can wait for the human, in milliseconds.
    pub hold_ms: u32,
}

/// Answer to `library/approve`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct LibraryApproved {
    /// `ready` when the tool is approved, `approval_pending`, or how the question ended.
    pub status: ApproveStatus,
    /// What this means and what to do next.
    pub message: String,
    /// The question that was opened; null when none was needed.
    pub approval_id: Option<ApprovalId>,
    /// The tool as it is now.
    pub tool: LibraryTool,
}

/// Parameters of `library/observe`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct LibraryObserveParams {
    /// The workflow's name.
    pub workflow_name: String,
    /// What it does.
    pub description: String,
    /// Its task.
    pub task: String,
    /// An example of its input; it is looked at and not kept.
    pub sample: String,
    /// The project it belongs to.
    pub project: String,
    /// Whether the work succeeded.
    pub success: bool,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// The plan that did the work, if one did: it is counted once, whoever tells of it.
    pub plan_id: Option<PlanId>,
}

impl Default for LibraryObserveParams {
    fn default() -> Self {
        Self {
            workflow_name: String::new(),
            description: String::new(),
            task: String::new(),
            sample: String::new(),
            project: String::new(),
            success: true,
            tags: Vec::new(),
            plan_id: None,
        }
    }
}

/// What became of an observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum LibraryObserveStatus {
    /// The run was counted.
    Counted,
    /// The run had been counted before.
    AlreadyCounted,
    /// The text has too few words to be like any other, and nobody named it.
    TooLittle,
}

/// Answer to `library/observe`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct LibraryObserved {
    /// What became of it.
    pub status: LibraryObserveStatus,
    /// The pattern that the run belongs to.
    pub pattern: Option<WorkflowPattern>,
    /// The tool that came of it just now.
    pub created_tool: Option<LibraryTool>,
}

/// One kind of repeated work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct WorkflowPattern {
    /// Its name in the database.
    pub signature: String,
    /// Its task.
    pub task: TaskKind,
    /// The explicit name of the workflow, or the task's label.
    pub label: String,
    /// Whether somebody named it.
    pub is_named: bool,
    /// How many distinct runs there were.
    pub occurrences: u32,
    /// How many of them succeeded.
    pub successes: u32,
    /// How sure it is, 0 to 1.
    pub confidence: f64,
    /// Where the work was done; empty when nobody said.
    pub project: String,
    /// Explicit words to find it by.
    pub tags: Vec<String>,
    /// The tool that came of it.
    pub tool_slug: Option<String>,
    /// Whether it has enough runs for a tool and none yet.
    pub is_eligible: bool,
    /// When it was seen first.
    pub first_seen_at: String,
    /// When it was seen last.
    pub last_seen_at: String,
}

/// Parameters of `library/analyze`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct LibraryAnalyzeParams {
    /// How many patterns to look at, 1 to 500, the most frequent first; 100 when absent.
    pub limit: Option<u32>,
}

/// Answer to `library/analyze`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct LibraryAnalyzed {
    /// The patterns, the most frequent first.
    pub patterns: Vec<WorkflowPattern>,
    /// The tools that came of them just now.
    pub created_tools: Vec<LibraryTool>,
}

/// Answer to `library/rebuild`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LibraryRebuilt {
    /// Always `rebuilt`.
    pub status: String,
    /// The list for people.
    pub catalog: String,
    /// How many tools it has.
    pub tools: u32,
    /// What was out of step and is repaired, in words.
    pub repaired: Vec<String>,
}

/// Answer to `library/status`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct LibraryStatus {
    /// The library.
    pub library: LibraryCounts,
    /// How many patterns are known.
    pub pattern_count: u32,
    /// The thirty most frequent ones.
    pub patterns: Vec<WorkflowPattern>,
}

/// How many tools there are, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LibraryCounts {
    /// The folder.
    pub path: String,
    /// The list for people.
    pub catalog: String,
    /// All tools.
    pub tools: u32,
    /// Those in use.
    pub active: u32,
    /// Those not in use yet.
    pub draft: u32,
    /// Those out of use.
    pub disabled: u32,
    /// Those put away.
    pub archived: u32,
    /// Whether runs are observed.
    pub is_observing: bool,
    /// Whether approved scripts may run.
    pub runs_scripts: bool,
    /// What happened that a person should know, in words.
    pub notices: Vec<String>,
}

/// Answer to `library/history`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LibraryHistory {
    /// The tool's name in calls.
    pub slug: String,
    /// Every content that was accepted, oldest first.
    pub versions: Vec<LibraryVersion>,
}

/// One accepted content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LibraryVersion {
    /// SHA-256 of the content, hexadecimal.
    pub content_id: String,
    /// The version number it was accepted as; empty when only the content was found.
    pub version: String,
    /// When it was accepted; null when only the content was found.
    pub accepted_at: Option<String>,
    /// Whether it is in force.
    pub is_current: bool,
}
