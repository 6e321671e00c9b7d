//! `[worker]`, and what of it differs for one client or one project.

use std::fmt;
use std::path::PathBuf;

use serde::{Serialize, Serializer};

use crate::words::{Arm, AssistNumbers, CommandSandbox, DecidePrefer, Escalation, RunPolicy, WorkerMode};

/// The name under which the key of the worker's first model is kept.
pub const WORKER_KEY: &str = "worker";
/// The name under which the key of the worker's second model is kept.
pub const WORKER_FALLBACK_KEY: &str = "worker-fallback";

/// How the worker works: models, limits, questions, and what may leave.
///
/// Times are in seconds, sizes in characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the file, and they are independent")]
pub struct WorkerConfig {
    /// Whether there is a worker at all.
    pub enabled: bool,
    /// What it is used for where a session says nothing else.
    pub mode: WorkerMode,
    /// Whether a session asks before it works for the first time.
    pub arm: Arm,
    /// When a command asks before it runs.
    pub run_policy: RunPolicy,
    /// What happens when names or addresses turn up and nobody decided about them.
    pub escalation: Escalation,
    /// Whether numbers that identify people leave in clear in `assist`.
    pub assist_numbers: AssistNumbers,
    /// What commands may reach.
    pub sandbox: CommandSandbox,
    /// Whether commands in a sandbox reach the network.
    pub sandbox_network: bool,
    /// Lines of the allow-list that come on top of the file's; only clients and projects have them.
    #[serde(skip)]
    pub allow: Vec<String>,
    /// The address of the model; none means that the built-in condenser does the work.
    pub base_url: Option<String>,
    /// The model's name there.
    pub model: String,
    /// The variable that holds its key.
    pub api_key_env: Option<String>,
    /// The address of the model that answers when the first cannot.
    pub fallback_base_url: Option<String>,
    /// The name of that model; none means the first one's.
    pub fallback_model: Option<String>,
    /// The variable that holds the key of that model.
    pub fallback_api_key_env: Option<String>,
    /// How long a model that failed is asked last.
    pub failover_cooldown: u32,
    /// Whether a model may be on another machine of a private network.
    pub allow_private_network: bool,
    /// Whether the model may think before it answers.
    pub thinking: bool,
    /// How long an answer is unless the call says so.
    pub max_output_chars: u32,
    /// The most tokens that the model is asked for.
    pub max_tokens_cap: u32,
    /// How long a call of the model may take.
    pub llm_timeout: u32,
    /// How much the model reads at once.
    pub chunk_chars: u32,
    /// How many pieces are read at the same time.
    pub parallel_chunks: u32,
    /// How much material is kept; the rest is cut from the middle.
    pub material_max_chars: u32,
    /// How much of the session's memory the model is given.
    pub context_chars: u32,
    /// How much of the material the memory keeps.
    pub excerpt_chars: u32,
    /// How long the memory's summary may become.
    pub summary_chars: u32,
    /// How much memory collects before it is compacted.
    pub auto_compact_chars: u32,
    /// How long a command may run unless the call says so.
    pub command_timeout: u32,
    /// How long a client's dialog waits for its user.
    pub dialog_timeout: u32,
    /// Whether numbers that only look like private ones are masked as well.
    pub strict_pii: bool,
    /// Whether the model is asked for names in the material, in `pii`.
    pub entity_pass: bool,
    /// Whether shapes of names, addresses and labelled numbers are looked for.
    pub shapes: bool,
    /// Whether the embedded name model reads what leaves.
    pub names: bool,
    /// Whether an answer that could not be checked is withheld.
    pub fail_closed: bool,
    /// The cloud model whose prices say what was saved.
    pub caller_model: Option<String>,
    /// Where events about calls go.
    pub observer: Observer,
    /// The address of the webhook.
    pub observer_url: Option<String>,
    /// Whether there are tools that decide between given choices.
    pub decide: bool,
    /// Which model decides first.
    pub decide_prefer: DecidePrefer,
    /// Whether a decision comes with a reason.
    pub decide_reasoning: bool,
    /// How long a decision may take.
    pub decide_timeout_s: u32,
    /// Days that stored material is kept; 0 means always.
    pub artifact_days: u32,
    /// Days that a session is kept after it was last used; 0 means always.
    pub session_days: u32,
}

impl Default for WorkerConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            mode: WorkerMode::Assist,
            arm: Arm::Ask,
            run_policy: RunPolicy::Ask,
            escalation: Escalation::Ask,
            assist_numbers: AssistNumbers::Masked,
            sandbox: CommandSandbox::Off,
            sandbox_network: true,
            allow: Vec::new(),
            base_url: None,
            model: "local".to_owned(),
            api_key_env: None,
            fallback_base_url: None,
            fallback_model: None,
            fallback_api_key_env: None,
            failover_cooldown: 120,
            allow_private_network: false,
            thinking: false,
            max_output_chars: 2000,
            max_tokens_cap: 8192,
            llm_timeout: 300,
            chunk_chars: 24_000,
            parallel_chunks: 4,
            material_max_chars: 400_000,
            context_chars: 12_000,
            excerpt_chars: 1500,
            summary_chars: 6000,
            auto_compact_chars: 60_000,
            command_timeout: 120,
            dialog_timeout: 600,
            strict_pii: false,
            entity_pass: true,
            shapes: true,
            names: true,
            fail_closed: false,
            caller_model: None,
            observer: Observer::None,
            observer_url: None,
            decide: false,
            decide_prefer: DecidePrefer::Primary,
            decide_reasoning: true,
            decide_timeout_s: 5,
            artifact_days: 0,
            session_days: 0,
        }
    }
}

impl WorkerConfig {
    /// The name of the model that answers when the first cannot.
    pub fn fallback_model(&self) -> &str {
        self.fallback_model.as_deref().unwrap_or(&self.model)
    }

    /// Lays what differs for a client or a project over these settings.
    pub(super) fn overlay(&mut self, over: &WorkerOverride) {
        fn take<T: Copy>(target: &mut T, value: Option<T>) {
            *target = value.unwrap_or(*target);
        }
        take(&mut self.mode, over.mode);
        take(&mut self.arm, over.arm);
        take(&mut self.run_policy, over.run_policy);
        take(&mut self.escalation, over.escalation);
        take(&mut self.assist_numbers, over.assist_numbers);
        take(&mut self.sandbox, over.sandbox);
        for line in &over.allow {
            if !self.allow.contains(line) {
                self.allow.push(line.clone());
            }
        }
    }
}

/// What differs for one client or one project; what is not said stays as it is outside.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct WorkerOverride {
    /// See [`WorkerConfig::mode`].
    pub mode: Option<WorkerMode>,
    /// See [`WorkerConfig::arm`].
    pub arm: Option<Arm>,
    /// See [`WorkerConfig::run_policy`].
    pub run_policy: Option<RunPolicy>,
    /// See [`WorkerConfig::escalation`].
    pub escalation: Option<Escalation>,
    /// See [`WorkerConfig::assist_numbers`].
    pub assist_numbers: Option<AssistNumbers>,
    /// See [`WorkerConfig::sandbox`].
    pub sandbox: Option<CommandSandbox>,
    /// Lines of the allow-list that hold here on top of the others.
    pub allow: Vec<String>,
}

impl WorkerOverride {
    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Where events about calls go. They hold counts, times and names of tools, and no text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Observer {
    /// Nowhere.
    #[default]
    None,
    /// To the address of `observer_url`.
    Webhook,
    /// To this program, one line of JSON for each event.
    Exec(PathBuf),
}

impl Observer {
    /// How each can be written.
    pub const LABELS: &'static [&'static str] = &["none", "webhook", "exec:PATH"];
}

/// As the file has it.
impl fmt::Display for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Webhook => f.write_str("webhook"),
            Self::Exec(path) => write!(f, "exec:{}", path.display()),
        }
    }
}

impl Serialize for Observer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
