//! Every key of the configuration: what it takes, its default, what it is for.
//!
//! One list serves the reader, the suggestions in errors, `lwa config schema` and the reference page.

mod keys;

use lwa_domain::{BillingClass, Capability, ConsentMode, DataUse, ReasoningEffort};

use crate::words::{GuidanceMode, SecretsBackend, SubscriptionStatus, ToolSet};

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
    &["router", "library", "telemetry", "providers", "models", "secrets", "clients", "app"];

/// Tables and keys that the interface names and that this version has no part for yet.
const LATER: &[&str] = &[
    "gateway",
    "servers",
    "worker",
    "projects",
    "clients.NAME.worker",
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
    "models[].free_plan_input_tokens",
    "models[].free_plan_output_tokens",
    "models[].metadata",
];

/// Whether a key is known and its part is not built yet.
pub(crate) fn is_later(table: &str, key: &str) -> bool {
    if table.is_empty() { LATER.contains(&key) } else { LATER.contains(&format!("{table}.{key}").as_str()) }
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
const GUIDANCE_MODES: Kind = Kind::Label(GuidanceMode::LABELS);
/// More dollars than any cap needs, and few enough to be exact.
const DOLLARS: Kind = Kind::Number { min: 0.0, max: 1_000_000.0 };
