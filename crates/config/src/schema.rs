//! Every key of the configuration: what it takes, its default, what it is for.
//!
//! One list serves the reader, the suggestions in errors, `lwa config schema` and the reference page.

mod keys;

use lwa_domain::{BillingClass, Capability, ConsentMode, DataUse, ReasoningEffort};

use crate::words::{
    Arm, AssistNumbers, CommandSandbox, DecidePrefer, Escalation, GuidanceMode, RunPolicy, SecretsBackend,
    SubscriptionStatus, ToolSet, WorkerMode,
};

pub(crate) use keys::KEYS;

/// What a key takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// `true` or `false`.
    Flag,
    /// A whole number in a range.
    Integer {
        /// The smallest accepted number.
        min: u32,
        /// The largest accepted number.
        max: u32,
    },
    /// A number in a range.
    Number {
        /// The smallest accepted number.
        min: f64,
        /// The largest accepted number.
        max: f64,
    },
    /// Any text.
    Text,
    /// One word of a list.
    Label(&'static [&'static str]),
    /// Several words of a list.
    Labels(&'static [&'static str]),
    /// Several texts.
    Words,
    /// The name of an environment variable.
    Variable,
    /// Names of environment variables.
    Variables,
    /// An address that starts with `http://` or `https://`.
    Url,
    /// The part of an address after the host; it starts with `/`.
    UrlPath,
    /// Texts by task.
    TextByTask,
    /// Numbers from 0 to 100 by task.
    ScoreByTask,
    /// Texts by the name of a request header.
    TextByHeader,
    /// Any table.
    Table,
}

impl Kind {
    /// What the key takes, in words that end a sentence.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::Flag => "`true` or `false`",
            Self::Integer { .. } => "a whole number",
            Self::Number { .. } => "a number",
            Self::Text => "a text",
            Self::Label(_) => "one word in quotes",
            Self::Labels(_) => "a list of words",
            Self::Words => "a list of texts",
            Self::Variable => "the name of an environment variable",
            Self::Variables => "a list of names of environment variables",
            Self::Url => "an address in quotes",
            Self::UrlPath => "a path in quotes",
            Self::TextByTask => "a table of texts by task",
            Self::ScoreByTask => "a table of numbers by task",
            Self::TextByHeader => "a table of texts by header name",
            Self::Table => "a table",
        }
    }

    /// Whether the key takes a table whose entries can be set one by one.
    pub const fn has_entries(self) -> bool {
        matches!(self, Self::TextByTask | Self::ScoreByTask | Self::TextByHeader | Self::Table)
    }

    /// The accepted words, for kinds that have a list.
    pub const fn accepted(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Label(words) | Self::Labels(words) => Some(words),
            _ => None,
        }
    }
}

/// One key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KeyInfo {
    /// Its path: `router.allow_paid`, `providers.NAME.base_url`, `models[].provider`.
    pub path: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// Its default as TOML; empty when there is none.
    pub default: &'static str,
    /// What it is for, in one or two sentences.
    pub doc: &'static str,
}

impl KeyInfo {
    /// The last part of the path.
    pub fn name(&self) -> &'static str {
        self.path.rsplit_once('.').map_or(self.path, |(_, name)| name)
    }
}

/// Every key, in the order of the reference page.
pub fn keys() -> &'static [KeyInfo] {
    KEYS
}

/// The keys directly in the table with this path; the empty path is the root.
pub(crate) fn keys_in(table: &str) -> impl Iterator<Item = &'static KeyInfo> + Clone + use<'_> {
    KEYS.iter().filter(move |key| key.path.rsplit_once('.').map_or("", |(prefix, _)| prefix) == table)
}

/// The tables of the root.
pub(crate) const TABLES: &[&str] =
    &["router", "library", "telemetry", "worker", "providers", "models", "secrets", "clients", "projects", "app"];

/// The tables in the table with this path, as it is named in the list.
pub(crate) fn tables_in(table: &str) -> &'static [&'static str] {
    match table {
        "" => TABLES,
        "clients.NAME" | "projects.DIR" => &["worker"],
        _ => &[],
    }
}

/// Tables and keys that the interface names and that this version has no part for yet.
const LATER: &[&str] = &[
    "gateway",
    "servers",
    "clients.NAME.token_in_url",
    "router.dashboard_host",
    "router.dashboard_port",
    "router.consensus_policy",
    "router.consensus_voters",
    "router.consensus_agreement_threshold",
    "router.session_token_ceiling",
    "router.session_token_warning_thresholds",
    "router.economy_output_tokens",
    "providers.NAME.region",
    "worker.terms_seed",
    "worker.terms_backup_stamp",
    "models[].free_plan_input_tokens",
    "models[].free_plan_output_tokens",
    "models[].metadata",
];

/// Whether a key is known and its part is not built yet.
pub(crate) fn is_later(table: &str, key: &str) -> bool {
    if table.is_empty() { LATER.contains(&key) } else { LATER.contains(&format!("{table}.{key}").as_str()) }
}

/// Settings of the worker that are no keys here, with the reason as the end of a sentence that starts with the key.
const ELSEWHERE: &[(&str, &str)] = &[
    ("run_allow", "is no setting; the allow-list is `run-allow.txt` beside this file"),
    ("private_terms", "is no setting; the terms are in `private_terms.json` beside this file"),
    ("rules", "is no setting; the rules are in `rules.json` beside this file"),
    ("prices", "is no setting; the prices are in `prices.json` beside this file"),
    ("state_dir", "is no setting; `LWA_HOME` moves all folders together"),
    ("sock_dir", "is no setting; `LWA_HOME` moves all folders together"),
    ("api_key", "does not belong into this file; store it with `lwa keys set worker`"),
    ("api_key_file", "is no setting; store the key with `lwa keys set worker`"),
    ("fallback_api_key", "does not belong into this file; store it with `lwa keys set worker-fallback`"),
    ("fallback_api_key_file", "is no setting; store the key with `lwa keys set worker-fallback`"),
    ("observer_path", "is no setting; write `observer = \"exec:/path/to/the/program\"`"),
    ("session", "is no setting; start the sidecar with `lwa-mcp --session KEY`"),
    ("allow", "belongs to one client or project; what every client may run is in `run-allow.txt` beside this file"),
];

/// Why a key of the worker is none here, and what takes its place.
pub(crate) fn elsewhere(table: &str, key: &str) -> Option<&'static str> {
    ELSEWHERE.iter().find(|(name, _)| table == "worker" && *name == key).map(|(_, reason)| *reason)
}

const CONSENT_MODES: Kind = Kind::Label(ConsentMode::LABELS);
const BILLING_CLASSES: Kind = Kind::Label(BillingClass::LABELS);
const DATA_USES: Kind = Kind::Label(DataUse::LABELS);
const CAPABILITIES: Kind = Kind::Labels(Capability::LABELS);
const EFFORTS: Kind = Kind::Labels(ReasoningEffort::LABELS);
const BACKENDS: Kind = Kind::Label(SecretsBackend::LABELS);
const SUBSCRIPTION_STATUSES: Kind = Kind::Label(SubscriptionStatus::LABELS);
const TOOL_SETS: Kind = Kind::Labels(ToolSet::LABELS);
/// The built-in one is nobody's to choose.
const ADAPTERS: Kind = Kind::Label(&["openai", "gemini", "cohere", "puter", "replicate", "stability"]);
const WORKER_MODES: Kind = Kind::Label(WorkerMode::LABELS);
const ARMS: Kind = Kind::Label(Arm::LABELS);
const RUN_POLICIES: Kind = Kind::Label(RunPolicy::LABELS);
const ESCALATIONS: Kind = Kind::Label(Escalation::LABELS);
const ASSIST_NUMBERS: Kind = Kind::Label(AssistNumbers::LABELS);
const DECIDE_PREFERS: Kind = Kind::Label(DecidePrefer::LABELS);
const COMMAND_SANDBOXES: Kind = Kind::Label(CommandSandbox::LABELS);
const GUIDANCE_MODES: Kind = Kind::Label(GuidanceMode::LABELS);
/// More dollars than any cap needs, and few enough to be exact.
const DOLLARS: Kind = Kind::Number { min: 0.0, max: 1_000_000.0 };
