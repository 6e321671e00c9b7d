//! Questions to the human.

use lwa_domain::{
    ApprovalId, ApprovalKind, BillingClass, ClientName, ConsentMode, DataUse, Outcome, PicoUsd, PlanId, SessionId,
    TaskKind,
};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// One question, open or answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ApprovalItem {
    /// The question's id.
    pub id: ApprovalId,
    /// What kind of question.
    pub kind: ApprovalKind,
    /// The question as a heading that names the effect.
    pub title: String,
    /// Who asks, as the client names itself.
    pub client: ClientName,
    /// In which session.
    pub session: SessionId,
    /// What is known about the asker.
    pub asker: Asker,
    /// When it was first asked.
    pub created_at: String,
    /// When silence becomes a no.
    pub expires_at: String,
    /// How many identical requests this one answers.
    pub count: u32,
    /// What exactly would happen.
    pub detail: ApprovalDetail,
    /// The effect in one sentence.
    pub consequence: String,
    /// Whether something leaves the machine or cannot be undone.
    pub is_serious: bool,
    /// Which answers are offered beside deny.
    pub offers: Vec<Answer>,
    /// Finer answers, where a yes can mean more than one thing; empty for most questions.
    #[serde(default)]
    pub variants: Vec<Variant>,
    /// The code a person types in a terminal; shown to people only, null when answered.
    pub code: Option<String>,
    /// How it ended; null while open.
    pub outcome: Option<Outcome>,
    /// Why it ended so, in words.
    pub outcome_reason: Option<String>,
    /// When it ended.
    pub decided_at: Option<String>,
    /// Which surface answered: `app`, `terminal`, `client`.
    pub decided_by: Option<String>,
    /// Which of the variants it was.
    #[serde(default)]
    pub variant: Option<String>,
}

/// What is known about who asks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct Asker {
    /// The client's version, as it says.
    pub client_version: Option<String>,
    /// The process that started the sidecar, as the system says.
    pub client_pid: Option<u32>,
    /// The executable of that process.
    pub client_path: Option<String>,
    /// The folder the client works in, as it says.
    pub cwd: Option<String>,
    /// Process names from the sidecar upwards, as the system says.
    pub process_chain: Vec<String>,
}

/// What exactly would happen, by kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ApprovalDetail {
    /// A plan would run.
    Spend(SpendDetail),
    /// A loosening edit of the configuration would come into force.
    PolicyChange(PolicyChangeDetail),
    /// One session would be asked less often.
    SessionConsent(SessionConsentDetail),
    /// A script of the library could be run from now on, as long as it stays what it is.
    Script(ScriptDetail),
    /// The worker would be turned on for a session.
    TurnOn(TurnOnDetail),
    /// A command would run.
    Command(CommandDetail),
    /// Private values would leave in clear.
    Disclosure(DisclosureDetail),
}

/// The worker would be turned on for a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TurnOnDetail {
    /// The tool that was tried; its arguments are not shown.
    pub tool: String,
    /// The model that would read the material; `builtin` without one.
    pub model: String,
    /// The mode it would work in: `pii` or `assist`.
    pub mode: String,
}

/// A command that would run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CommandDetail {
    /// The command line as the caller wrote it, whole, with control characters made visible.
    pub command: String,
    /// Where it would run.
    pub cwd: String,
    /// Its simple commands, one a line, as the policy reads them.
    pub segments: Vec<String>,
    /// Why it is not allowed without a question.
    pub reason: String,
    /// What the policy warns of.
    pub warnings: Vec<String>,
    /// What "always" would add to the allow-list; empty when nothing may be stored.
    pub shapes: Vec<String>,
    /// The sandbox that would be in force, in words; null without one.
    pub sandbox: Option<String>,
    /// Variables that would carry secrets, by name, with their placeholders.
    pub secret_variables: Vec<String>,
    /// Whether it is a client's own command that the guard looks at.
    pub is_clients_own: bool,
}

/// Private values that would leave in clear.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DisclosureDetail {
    /// How many different values of each kind stand in the material.
    pub kinds: Vec<KindCount>,
    /// What the material is, cut.
    pub source: String,
    /// What the caller asks for: `continue`, `everything`, `leave_pii`; null when the material itself raised it.
    pub wanted: Option<String>,
    /// The caller's reason.
    pub reason: Option<String>,
}

/// How many values of a kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct KindCount {
    /// The kind: `PERSON`.
    pub kind: String,
    /// How many different ones.
    pub count: u32,
}

/// One way to answer a question that has more than yes and no.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Variant {
    /// What is sent back in [`DecideParams::variant`].
    pub id: String,
    /// What people read.
    pub title: String,
    /// The answer it belongs to.
    pub answer: Answer,
}

/// Less asking in one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SessionConsentDetail {
    /// The mode in force.
    pub from: ConsentMode,
    /// The mode that the client asks for.
    pub to: ConsentMode,
    /// Whether paid routes are allowed by the configuration, so that less asking can cost money.
    pub is_paid_allowed: bool,
}

/// A script that could be run from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ScriptDetail {
    /// Its name in the library.
    pub slug: String,
    /// Its title.
    pub name: String,
    /// What it is said to do.
    pub description: String,
    /// The file.
    pub path: String,
    /// SHA-256 of its content, hexadecimal; another content is not covered.
    pub sha256: String,
    /// Its length in bytes.
    pub bytes: u32,
    /// Its content, cut after some thousand characters.
    pub source: String,
    /// Whether `source` is all of it.
    pub is_source_whole: bool,
    /// Whether it would run without a network and with everything but its own folder read-only.
    pub is_sandboxed: bool,
    /// `script`, or `prompt_recipe` for a text that is put into use; nothing of the latter runs on this machine.
    #[serde(default = "script")]
    pub tool_kind: String,
}

fn script() -> String {
    "script".to_owned()
}

/// A plan that would run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SpendDetail {
    /// The plan.
    pub plan_id: PlanId,
    /// Its task.
    pub task: TaskKind,
    /// The provider.
    pub provider: String,
    /// The model.
    pub model: String,
    /// Who pays.
    pub billing_class: BillingClass,
    /// What the provider does with the text.
    pub data_use: DataUse,
    /// Where that is known from and when it was read; empty when it is not known.
    pub data_use_source: String,
    /// Values that look like secrets and are replaced before the text leaves.
    pub masked_secrets: u32,
    /// Other routes of the plan, all of them free: the voters of a consensus.
    pub other_routes: u32,
    /// Whether the text stays on this machine.
    pub is_local: bool,
    /// The likely cost at the estimated tokens; null when no price is known.
    pub estimated_cost_pico_usd: Option<PicoUsd>,
    /// The most it can cost; null when no price is known.
    pub max_cost_pico_usd: Option<PicoUsd>,
    /// Tokens the prompt is estimated to have.
    pub estimated_input_tokens: u32,
    /// Tokens the answer may have.
    pub max_output_tokens: u32,
    /// Characters of prompt.
    pub prompt_characters: u32,
    /// Where the price comes from and when it was read, or why it is unknown.
    pub price_note: String,
    /// What is left of each cap, in words.
    pub caps_left: Vec<String>,
    /// Why this route.
    pub reasons: Vec<String>,
    /// Why consent is asked.
    pub asked_because: String,
}

/// A loosening edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PolicyChangeDetail {
    /// The file.
    pub path: String,
    /// One line per loosened key.
    pub changes: Vec<PolicyChangeLine>,
}

/// One loosened key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PolicyChangeLine {
    /// The key's path, `router.allow_paid`.
    pub key: String,
    /// The value in force.
    pub from: String,
    /// The value in the file.
    pub to: String,
    /// What the new value allows.
    pub effect: String,
}

/// A person's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// No.
    Deny,
    /// Put away without an answer; not a yes.
    Dismiss,
    /// Yes, this once.
    AllowOnce,
    /// Yes, until the session ends.
    AllowSession,
    /// Yes, from now on.
    AllowAlways,
}

/// Parameters of `approval/list`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct ApprovalListParams {
    /// Whether answered ones are listed too, newest first after the open ones.
    pub with_answered: bool,
    /// At most this many answered ones; 50 when absent.
    pub limit: Option<u32>,
}

/// Answer to `approval/list`: open ones in order of arrival, then answered ones, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ApprovalList {
    /// The questions.
    pub approvals: Vec<ApprovalItem>,
}

/// Parameters that name one approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ApprovalParams {
    /// The question, or the first digits of its id when that is unambiguous.
    pub id: ApprovalId,
}

/// Parameters of `approval/decide`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct DecideParams {
    /// The question.
    pub id: ApprovalId,
    /// The answer.
    pub answer: Answer,
    /// Told to the client with a denial; at most 500 characters.
    pub reason: Option<String>,
    /// The typed code; required to allow from a terminal.
    pub code: Option<String>,
    /// Which of the question's variants is meant, where it has some.
    #[serde(default)]
    pub variant: Option<String>,
}
