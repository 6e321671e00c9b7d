//! The worker: private work on this machine, and what of it may leave.

mod decide;
mod guard;
mod people;
mod savings;

use std::collections::BTreeMap;
use std::fmt;

use lwa_domain::{ApprovalId, ClientName, Outcome};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

pub use self::decide::{
    DecideView, DecideWorkerView, DecisionPolicies, DecisionPolicyView, DecisionRequestParams, GovernanceParams,
};
pub use self::guard::{GuardParams, GuardVerdict, HookAnswer, HookParams, PathUse, PolicyCheckParams, PolicyChecked};
pub use self::people::{
    ExpiringParams, ExpiringView, GivenBefore, PlaceholderView, PurgeWhat, ReserveParams, Reserved, WorkerArmParams,
    WorkerArtifactView, WorkerPurgeParams, WorkerPurged, WorkerSessionDetail, WorkerSessionParams, WorkerSessionView,
    WorkerSessions, WorkerTurnView,
};
pub use self::savings::{
    ImportedTurn, SavingsBackfilled, SavingsImportParams, SavingsImported, SavingsParams, SavingsReport, SavingsRow,
    SavingsTotals,
};

/// Which conversation a call belongs to, as far as the client says; the best source the face has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "from", content = "id", rename_all = "snake_case")]
pub enum SessionRef {
    /// The user or a script named the session: `lwa-mcp --session KEY`.
    Named(String),
    /// The client names its thread on every call.
    Thread(String),
    /// The client names the tool use; a hook told the host which conversation it belongs to.
    ToolUse(String),
    /// A variable of the sidecar names a conversation that may be over.
    Environment(String),
}

/// What a caller's own sandbox lets commands do; a floor for ours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CallerSandbox {
    /// The client said nothing about one.
    #[default]
    Unknown,
    /// Commands may write nothing and reach no network.
    ReadOnly,
    /// Commands may write in the project's folder.
    Workspace,
    /// Commands may do all that the user may do.
    Full,
}

/// Where a call comes from: what every call of the worker carries.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct WorkerCall {
    /// The conversation, the best source first; none means the connection.
    pub session: Vec<SessionRef>,
    /// The folder the client works in.
    pub cwd: Option<String>,
    /// The variables of the sidecar, without those that look like secrets. Kept in memory only, never logged.
    pub environment: BTreeMap<String, String>,
    /// Whether the client passed only a handful of variables.
    pub is_environment_reduced: bool,
    /// The sandbox that the client declared for its own commands.
    pub sandbox: CallerSandbox,
    /// Whether the client can show a question of ours to its user.
    pub can_ask: bool,
    /// Whether a human sits before the client, where the client says so.
    pub is_attended: Option<bool>,
    /// The mode that the process was started with: `pii` or `assist`.
    pub forced_mode: Option<String>,
    /// How long the call may wait before it answers `working` or `approval_pending`.
    pub hold_ms: u32,
}

/// Variables are named and not shown.
impl fmt::Debug for WorkerCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerCall")
            .field("session", &self.session)
            .field("cwd", &self.cwd)
            .field("variables", &self.environment.len())
            .field("sandbox", &self.sandbox)
            .field("can_ask", &self.can_ask)
            .field("hold_ms", &self.hold_ms)
            .finish_non_exhaustive()
    }
}

/// Parameters of `worker/run`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct WorkerRunParams {
    /// Where it comes from.
    pub call: WorkerCall,
    /// The command line, for bash. Placeholders stand for values.
    pub command: String,
    /// What to report; empty for the default.
    pub task: String,
    /// The folder; empty for the client's.
    pub cwd: String,
    /// Seconds until the command is ended; 0 for the configured limit.
    pub timeout_s: u32,
    /// Characters of the answer; 0 for the configured limit.
    pub max_output_chars: u32,
    /// Whether exact lines are wanted instead of a digest.
    pub verbatim: bool,
    /// Variables of the command whose values are secrets of the vault: name to placeholder. Always asks.
    pub secret_env: BTreeMap<String, String>,
}

/// Parameters of `worker/delegate`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct WorkerDelegateParams {
    /// Where it comes from.
    pub call: WorkerCall,
    /// What to do with the material.
    pub task: String,
    /// Text that the caller gives.
    pub material: String,
    /// Files and folders to read.
    pub paths: Vec<String>,
    /// A command whose output is material; goes through the same policy as `worker/run`.
    pub command: String,
    /// The folder; empty for the client's.
    pub cwd: String,
    /// Characters of the answer; 0 for the configured limit.
    pub max_output_chars: u32,
    /// Whether exact lines are wanted instead of an answer.
    pub verbatim: bool,
}

/// Parameters of `worker/artifact`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct WorkerArtifactParams {
    /// Where it comes from.
    pub call: WorkerCall,
    /// The reference that a trailer named: `a_` and eight hexadecimal digits.
    pub reference: String,
    /// The first character.
    pub offset: u64,
    /// How many characters, 100 to 20,000; 0 for 4,000.
    pub limit: u32,
    /// The first line, counted from 1; 0 reads by characters.
    pub line_start: u64,
    /// The last line; 0 for 199 lines further.
    pub line_end: u64,
}

/// Parameters of `worker/status` and `worker/enable`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct WorkerCallParams {
    /// Where it comes from.
    pub call: WorkerCall,
}

/// Parameters of `worker/disclosure`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct WorkerDisclosureParams {
    /// Where it comes from.
    pub call: WorkerCall,
    /// Names and addresses: `open`, `masked`, `ask` or `keep`; empty is `keep`.
    pub identity: String,
    /// Numbers that identify people: `open`, `masked` or `keep`; empty is `keep`.
    pub numbers: String,
    /// Why, in the caller's words; shown to the human.
    pub reason: String,
}

/// Parameters of `worker/compact`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct WorkerCompactParams {
    /// Where it comes from.
    pub call: WorkerCall,
    /// Why.
    pub reason: String,
}

/// Parameters of `worker/set_mode`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct WorkerModeParams {
    /// Where it comes from.
    pub call: WorkerCall,
    /// `pii` or `assist`. Leaving `pii` needs the human.
    pub mode: String,
}

/// How a call of the worker stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum WorkerStatusKind {
    /// Done: `text` is the result.
    Completed,
    /// Nothing was done; `text` says why. Policy or a human said no, or the worker is off.
    Refused,
    /// A human was asked elsewhere and has not answered; repeat the call.
    ApprovalPending,
    /// The face is to show `question` to the client's user, hand the answer in, and repeat the call.
    AskClient,
    /// There is nowhere to ask; `text` says how a human can answer.
    Unavailable,
    /// Still working; repeat the call.
    Working,
    /// The model or the command could not be used; `text` says so.
    Failed,
}

/// Answer to every working call: `run`, `delegate`, `artifact`, `enable`, `disclosure`, `compact`, `set_mode`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct WorkerAnswer {
    /// How it stands.
    pub status: WorkerStatusKind,
    /// Everything that the caller gets to read, scrubbed, with its trailer.
    pub text: String,
    /// What was done, in fields; empty for anything that did not complete.
    pub facts: WorkerFacts,
    /// The question for the client's user.
    pub question: Option<ClientQuestion>,
    /// Names the work while it goes on.
    pub id: Option<String>,
    /// The question that this call waits for, while it waits for one.
    #[serde(default)]
    pub approval: Option<ApprovalId>,
}

/// What a completed call did.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct WorkerFacts {
    /// `pii` or `assist`.
    pub mode: String,
    /// The turn's id.
    pub turn: Option<String>,
    /// The artefact that holds the whole material.
    pub reference: Option<String>,
    /// The exit code of the command; null when it was ended or none ran.
    pub exit_code: Option<i32>,
    /// Whether the command was ended because its time was over.
    pub is_timed_out: bool,
    /// How the policy decided: `allow-list (ls*)`, `asked:run`.
    pub policy: Option<String>,
    /// Characters of material before any cut.
    pub raw_chars: u64,
    /// Whether the material was cut.
    pub is_truncated: bool,
    /// How many pieces the model read.
    pub chunks: u32,
    /// The model that answered; `builtin` without one.
    pub model: Option<String>,
    /// Milliseconds from the call to the answer.
    pub elapsed_ms: u64,
    /// Tokens that the caller did not have to read.
    pub tokens_saved: u64,
    /// How many values of each kind stand as placeholders in `text`.
    pub masked: BTreeMap<String, u64>,
    /// Lines that were withheld because names could not be checked in time.
    pub withheld_lines: u32,
    /// The sandbox that was in force, in words; null without one.
    pub sandbox: Option<String>,
}

/// A question for the client's own dialog: one string field `choice`, the safe value first and no default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ClientQuestion {
    /// Random, single use, bound to this session, method and arguments.
    pub handle: String,
    /// The question as people see it elsewhere.
    pub approval_id: ApprovalId,
    /// What is asked, whole.
    pub message: String,
    /// The answers, safe one first.
    pub choices: Vec<Choice>,
    /// How many seconds the dialog waits for an answer.
    #[serde(default = "usual_patience")]
    pub patience_s: u32,
}

/// What a host waited that did not say so.
const fn usual_patience() -> u32 {
    600
}

/// One answer of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Choice {
    /// What is sent back.
    pub id: String,
    /// What people read.
    pub title: String,
}

/// What a client's dialog said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum DialogAction {
    /// The form was sent.
    Accept,
    /// The user refused to answer.
    Decline,
    /// The dialog was closed.
    Cancel,
    /// Nobody answered in time.
    Timeout,
    /// The client failed, or answered something else.
    Error,
}

/// Parameters of `question/answer`: what the client's dialog said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ClientAnswerParams {
    /// The handle of the question.
    pub handle: String,
    /// What the dialog did.
    pub action: DialogAction,
    /// The chosen answer.
    pub choice: Option<String>,
}

/// Answer to `question/answer`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ClientAnswered {
    /// How the question ended; null when the answer did not count and the question is still open.
    pub outcome: Option<Outcome>,
    /// What became of the answer, in words.
    pub message: String,
}

/// Answer to `worker/status`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct WorkerStatus {
    /// `pii` or `assist`.
    pub mode: String,
    /// The session's key.
    pub session_key: String,
    /// Where the key comes from: `named`, `thread`, `tool_use`, `environment`, `connection`.
    pub session_source: String,
    /// Who asks.
    pub client: WorkerClientView,
    /// Whether the worker is on here.
    pub armed: ArmedView,
    /// What may leave in clear.
    pub disclosure: DisclosureView,
    /// How commands were decided.
    pub run_policy: RunPolicyView,
    /// The model that answers first; null without one, and then `builtin` does the work.
    pub model: Option<String>,
    /// Its address.
    pub endpoint: Option<String>,
    /// Both models and their health.
    pub workers: Vec<WorkerModelView>,
    /// Turns of the session.
    pub turns_total: u64,
    /// Turns since the memory was last compacted.
    pub turns_since_compaction: u64,
    /// Characters of those.
    pub uncompacted_chars: u64,
    /// Characters of the summary.
    pub summary_chars: u64,
    /// How often the memory was compacted.
    pub compactions: u64,
    /// When it last was.
    pub last_compaction: Option<String>,
    /// Whether a compaction runs.
    pub compaction_in_progress: bool,
    /// The summary, scrubbed.
    pub summary: String,
    /// Checks of answers by the model, and how many failed.
    pub leak_check: LeakCheckView,
    /// Values in the vault, by kind.
    pub placeholders: BTreeMap<String, u64>,
    /// Stored materials.
    pub artifacts: u64,
    /// When the session began.
    pub created: String,
    /// Whether the name model reads what leaves, and why not if it does not.
    pub names: String,
    /// The rules and terms in force.
    pub rules: String,
    /// What the session saved.
    pub tokens_saved: SavingsTotals,
    /// Sandbox of commands: what is configured and what this machine can hold.
    pub sandbox: String,
    /// Where events go.
    pub observer: String,
    /// What limits by age will remove within a day, of all sessions; null where no limit is set.
    #[serde(default)]
    pub expiring: Option<ExpiringView>,
    /// How deciding stands; null while it is switched off.
    #[serde(default)]
    pub decide: Option<DecideView>,
    /// The rules of the mode in force, as the client's model is told; a line before them says so while it is off.
    pub instructions: String,
    /// Ways out of what is wrong.
    pub notes: Vec<String>,
}

/// The client of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct WorkerClientView {
    /// Its name.
    pub name: ClientName,
    /// Its version.
    pub version: Option<String>,
    /// Whether it can show a question of ours.
    pub can_ask: bool,
}

/// Whether the worker is on in a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ArmedView {
    /// `on`, `off` or `undecided`.
    pub state: String,
    /// Who decided: `config`, `dialog`, `admin`, `unanswered`; null while undecided.
    pub source: Option<String>,
    /// When.
    pub at: Option<String>,
    /// How often the human was asked.
    pub asked: u32,
}

/// What may leave in clear.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DisclosureView {
    /// `undecided`, `open` or `masked`.
    pub identity: String,
    /// `open` or `masked`.
    pub numbers: String,
    /// Who decided.
    pub source: Option<String>,
    /// How often the human was asked.
    pub asked: u32,
    /// `ask`, `auto` or `off`.
    pub escalation: String,
    /// The kinds that leave in clear.
    pub open_kinds: Vec<String>,
}

/// How the commands of a session were decided.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct RunPolicyView {
    /// `ask`, `allow` or `off`.
    pub policy: String,
    /// Ran by the allow-list.
    pub allowed: u64,
    /// Ran after a yes for once.
    pub asked_once: u64,
    /// Ran after a yes for always.
    pub asked_always: u64,
    /// A human refused.
    pub refused: u64,
    /// A deny shape refused.
    pub denied: u64,
    /// Ran without a question because the setting says so.
    pub unasked: u64,
    /// The last refusal, with the command cut and scrubbed.
    pub last_refusal: Option<String>,
    /// The allow-list's file.
    pub allow_file: String,
    /// Its entries.
    pub allow_entries: u64,
    /// Why the file is not in force, if it is not.
    pub note: Option<String>,
}

/// One local model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct WorkerModelView {
    /// `primary` or `fallback`.
    pub role: String,
    /// Its name.
    pub model: String,
    /// Its address.
    pub endpoint: String,
    /// Seconds for which it is passed over.
    pub down_for_s: Option<u64>,
    /// Why it cannot be used, if that is known.
    pub problem: Option<String>,
}

/// Checks of what leaves by the model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LeakCheckView {
    /// How many ran.
    pub ran: u64,
    /// How many failed, so that only the deterministic layers held.
    pub failed: u64,
    /// The last failure, scrubbed.
    pub last_failure: Option<String>,
}
