//! The tools that look after the router: consent of a session, guidance, catalogue, quotas, pipelines, tiers, words.

use lwa_domain::ConsentMode;

use super::output::{ERROR, NEXT, Property};
use super::parameter::{Kind, Parameter};
use super::{Hints, ToolRow, Work};
use crate::toolset::ToolSet;

/// What one of these tools does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Upkeep {
    /// Sets when the human is asked, for this session.
    SetConsent,
    /// Turns thoughts about the next tier on or off.
    SetGuidance,
    /// Asks providers for their lists of models.
    RefreshCatalogue,
    /// Asks providers for their balances and quotas.
    RefreshQuotas,
    /// Tells how the way to each provider stands.
    Pipelines,
    /// Notes what an operator says about a pipeline.
    MarkPipeline,
    /// Forgets the answers of probes.
    ForgetProbes,
    /// Lists models with what is declared about plans and tiers.
    Tiers,
    /// Lists the words of the interface.
    Syntax,
}

/// What an operator can say about a pipeline.
const MARKS: &[&str] = &["ready", "degraded", "blocked", "maintenance"];
/// Where a thought about the next tier comes from.
const GUIDANCE: &[&str] = &["local", "codex_request"];
const PROVIDER: &str = "Only this provider; all of them when left out.";

const fn row(name: &'static str, title: &'static str, upkeep: Upkeep, description: &'static str) -> ToolRow {
    ToolRow { name, title, description, work: Work::Upkeep(upkeep), set: ToolSet::Router, is_core: false }
}

/// These tools, in the order in which they are listed.
pub(crate) const UPKEEP: [ToolRow; 9] = [
    row(
        "set_switch_confirmation",
        "Set when the human is asked",
        Upkeep::SetConsent,
        "Set when the human is asked before a plan of this session runs: always_ask, paid_only or automatic. Asking \
            more often is in force at once. Asking less often opens a question to the human and is never granted by \
            this call: approval_pending means repeat the call, unavailable means tell the user what message says and \
            stop. It lasts for this session; a lasting mode is set by the user.",
    ),
    row(
        "set_tier_guidance",
        "Set tier guidance",
        Upkeep::SetGuidance,
        "Turn on or off that a finished run carries a thought about which tier the next step needs. The thought never \
            changes a route. The setting is kept until somebody changes it again.",
    ),
    row(
        "refresh_model_catalog",
        "Refresh the models",
        Upkeep::RefreshCatalogue,
        "Ask the configured providers for their current lists of models. It sends no prompt and costs nothing. A list \
            that cannot be read leaves the last good one in use. Use it when a model that should exist is not found.",
    ),
    row(
        "refresh_provider_quotas",
        "Refresh the quotas",
        Upkeep::RefreshQuotas,
        "Ask the providers that offer it for their balances and quotas, and list what is known of each quota with its \
            source and age. It sends no prompt and costs nothing.",
    ),
    row(
        "pipeline_status",
        "Pipeline status",
        Upkeep::Pipelines,
        "See whether requests can be sent to each provider: enabled, address, key, models, notes of an operator. \
            Without probe nothing is sent. With probe each usable provider gets one request without text, whose answer \
            is kept for a minute.",
    ),
    row(
        "mark_pipeline",
        "Note on a pipeline",
        Upkeep::MarkPipeline,
        "Keep an operator's note on the pipeline of a provider: ready, degraded, blocked or maintenance, with a \
            reason. The note is shown with the pipeline's status; it informs and changes no routing.",
    ),
    row(
        "invalidate_pipeline_probe_cache",
        "Forget probes",
        Upkeep::ForgetProbes,
        "Forget the kept answers of pipeline probes, of one provider or of all, so that the next probe asks again.",
    ),
    row(
        "model_tiers",
        "Models by tier",
        Upkeep::Tiers,
        "List models by what the user declared about plans and tiers: those with a free allowance first, the largest \
            before, then those with a paid one, then the rest, each with its capabilities, efforts and billing class.",
    ),
    row(
        "syntax_contract_resource",
        "Words of the interface",
        Upkeep::Syntax,
        "List the exact words that the other tools take: tasks, qualities, reasoning efforts with what providers are \
            sent for them, and the variables of recipes. It reads nothing and asks nobody.",
    ),
];

impl Upkeep {
    pub(super) fn parameters(self) -> Vec<Parameter> {
        match self {
            Self::SetConsent => {
                let about = "When to ask: before every plan, before plans that may cost money, or never.";
                vec![Parameter::new("mode", Kind::Label(ConsentMode::LABELS), about).required()]
            }
            Self::SetGuidance => vec![
                Parameter::new("enabled", Kind::Flag, "Whether results carry a thought.").default(true),
                Parameter::new("mode", Kind::Label(GUIDANCE), "Where the thought comes from.").default("local"),
            ],
            Self::RefreshCatalogue => vec![
                Parameter::new("force", Kind::Flag, "Whether lists that are still fresh are asked for too.")
                    .default(true),
                Parameter::new("provider", Kind::Text, PROVIDER),
            ],
            Self::RefreshQuotas | Self::Syntax => Vec::new(),
            Self::Pipelines => vec![
                Parameter::new("provider", Kind::Text, PROVIDER),
                Parameter::new("probe", Kind::Flag, "Whether to send each one request without text.").default(false),
            ],
            Self::MarkPipeline => vec![
                Parameter::new("provider", Kind::Text, "The provider the note is about.").required(),
                Parameter::new("status", Kind::Label(MARKS), "What the operator says of it.").required(),
                Parameter::new("detail", Kind::Text, "Why, at most 500 characters."),
            ],
            Self::ForgetProbes => vec![Parameter::new("provider", Kind::Text, PROVIDER)],
            Self::Tiers => {
                vec![Parameter::new("limit", Kind::Whole(1, 10_000), "How many models to list at most.").default(100)]
            }
        }
    }

    pub(super) const fn output(self) -> &'static [Property] {
        match self {
            Self::SetConsent => CONSENT,
            Self::SetGuidance => GUIDED,
            Self::RefreshCatalogue => CATALOGUE,
            Self::RefreshQuotas => QUOTAS,
            Self::Pipelines => PIPELINES,
            Self::MarkPipeline => MARKED,
            Self::ForgetProbes => FORGOTTEN,
            Self::Tiers => TIERS,
            Self::Syntax => SYNTAX,
        }
    }

    pub(super) const fn hints(self) -> Hints {
        let (is_read_only, is_open_world) = match self {
            Self::Pipelines => (true, true),
            Self::Tiers | Self::Syntax => (true, false),
            Self::RefreshCatalogue | Self::RefreshQuotas => (false, true),
            Self::SetConsent | Self::SetGuidance | Self::MarkPipeline | Self::ForgetProbes => (false, false),
        };
        Hints { is_read_only, is_idempotent: true, is_open_world }
    }
}

const STATUS: Property = ("status", Some("string"), "done, or working when the answer did not come in time");

const CONSENT: &[Property] = &[
    ("status", Some("string"), "ready, approval_pending, denied, dismissed, timed_out, withdrawn or unavailable"),
    ("consent_mode", Some("string"), "the mode in force for this session now"),
    ("message", Some("string"), "what this means"),
    NEXT,
    ("approval_id", Some("string"), ""),
    ERROR,
];
const GUIDED: &[Property] = &[
    ("enabled", Some("boolean"), "whether results carry a thought"),
    ("mode", Some("string"), "local or codex_request"),
    ERROR,
];
const CATALOGUE: &[Property] = &[
    STATUS,
    ("models", Some("integer"), "models known"),
    ("refreshed", Some("integer"), "models that lists brought or confirmed"),
    ("providers", Some("array"), "how it went with each provider"),
    ("providers_more", Some("integer"), "providers left out of the reply"),
    NEXT,
    ERROR,
];
const QUOTAS: &[Property] = &[
    STATUS,
    ("providers", Some("array"), "how it went with each provider"),
    ("quotas", Some("array"), "what is known of each quota, with source and age"),
    ("quotas_more", Some("integer"), "quotas left out of the reply"),
    NEXT,
    ERROR,
];
const PIPELINES: &[Property] = &[
    STATUS,
    ("pipelines", Some("array"), "one for each provider; those without a key in short form unless named"),
    ("pipelines_more", Some("integer"), "pipelines left out of the reply; name a provider to see it"),
    NEXT,
    ERROR,
];
const MARKED: &[Property] = &[("pipeline", Some("object"), "the pipeline with the note in manual_mark"), ERROR];
const FORGOTTEN: &[Property] = &[("invalidated", Some("integer"), "answers of probes that were forgotten"), ERROR];
const TIERS: &[Property] = &[
    ("tiers", Some("array"), "models, best tier first"),
    ("tiers_more", Some("integer"), "models left out of the reply"),
    ("all_tiers_uri", Some("string"), "the resource that lists all of them"),
    ERROR,
];
const SYNTAX: &[Property] = &[
    ("tasks", Some("texts"), ""),
    ("qualities", Some("texts"), ""),
    ("reasoning_efforts", Some("texts"), ""),
    ("reasoning_effort_mapping", Some("object"), "what providers are sent for each effort"),
    ("public_template_variables", Some("texts"), "variables that recipes may use"),
    ("internal_template_variables", Some("texts"), "variables that recipes may not use"),
    ERROR,
];
