//! What the tools answer: top-level properties only.
//!
//! Nothing is required and nothing else is forbidden, because a failed call answers with `error` alone and some clients
//! check the structured content of failures as well.

use serde_json::{Map, Value, json};

/// A property of an answer: name, type (none where a number may be too large to be one), meaning.
pub(crate) type Property = (&'static str, Option<&'static str>, &'static str);

const ERROR: Property = ("error", Some("object"), "code, message and hint when the call failed");
const EXPIRES: Property = ("expires_at", Some("string"), "when the plan stops being runnable");
const PLAN_ID: Property = ("plan_id", Some("string"), "names the plan; gives no right to run it");
const BEGIN: Property = ("working_may_begin", Some("boolean"), "whether run_prepared_task would run now");
const NEXT: Property = ("next_step", Some("string"), "what to do next");

/// Answer of a preparation.
pub(crate) const PREPARED: &[Property] = &[
    ("status", Some("string"), "ready or confirmation_required"),
    ("phase", Some("string"), ""),
    ("message", Some("string"), "what is locked and what comes next"),
    PLAN_ID,
    ("plan_token", Some("string"), "for run_prepared_task; single use"),
    BEGIN,
    ("requires_confirmation", Some("boolean"), "whether a human has to consent first"),
    ("confirmation_token", Some("string"), "for approve_preflight"),
    ("task", Some("string"), ""),
    ("quality", Some("string"), ""),
    ("reasoning_effort", Some("string"), ""),
    ("routes", Some("array"), "the locked routes"),
    ("excluded", Some("array"), "routes that were not chosen, with the reason"),
    ("excluded_more", Some("integer"), "how many more were not chosen"),
    ("estimated_input_tokens", Some("integer"), ""),
    ("max_output_tokens", Some("integer"), ""),
    ("max_cost_pico_usd", None, "the most it can cost in 1e-12 dollar; absent when unknown"),
    ("prompt_hash", Some("string"), ""),
    EXPIRES,
    ERROR,
];

/// Answer of an approval.
pub(crate) const APPROVED: &[Property] = &[
    ("status", Some("string"), "ready, approval_pending, denied, dismissed, timed_out, withdrawn or unavailable"),
    ("message", Some("string"), "what this means"),
    NEXT,
    PLAN_ID,
    ("approval_id", Some("string"), ""),
    ("outcome", Some("string"), "how the question ended"),
    BEGIN,
    EXPIRES,
    ERROR,
];

/// Answer of a run.
pub(crate) const RAN: &[Property] = &[
    ("status", Some("string"), "completed, working, confirmation_required, repreflight_required or failed"),
    ("phase", Some("string"), ""),
    ("replayed", Some("boolean"), "whether this is the stored result of an earlier run"),
    NEXT,
    PLAN_ID,
    ("task", Some("string"), ""),
    ("route", Some("object"), "provider, model, billing_class"),
    ("usage", Some("object"), "token counts"),
    ("cost_pico_usd", None, "what it cost in 1e-12 dollar; absent when unknown"),
    ("latency_ms", Some("integer"), ""),
    ("text", Some("string"), "the answer"),
    ("text_truncated", Some("boolean"), "whether text was cut"),
    ("text_bytes", Some("integer"), "bytes of the whole text"),
    ("full_text_uri", Some("string"), "the resource that holds the whole text"),
    ("note", Some("string"), ""),
    ("finish_reason", Some("string"), "stop or length"),
    ("display", Some("string"), "a readable account of the run"),
    ERROR,
];

/// Answer of the status.
pub(crate) const STATUS: &[Property] = &[
    ("product", Some("string"), "version"),
    ("consent_mode", Some("string"), "always_ask, paid_only or automatic"),
    ("allow_paid", Some("boolean"), "whether paid routes may be considered at all"),
    ("is_paused", Some("boolean"), "whether the human paused all work"),
    ("catalog_models", Some("integer"), "models known"),
    ("providers", Some("array"), "providers, state and reason"),
    ("usage_today", Some("object"), ""),
    ("waiting", Some("integer"), "questions that wait for the human"),
    ("doctor", Some("object"), "level, hard_blockers, soft_blockers, next_actions"),
    ERROR,
];

/// The output schema of these properties.
pub(crate) fn output_schema(properties: &[Property], is_described: bool) -> Map<String, Value> {
    let described: Map<String, Value> = properties
        .iter()
        .map(|(name, kind, about)| {
            let mut property = Map::new();
            if let Some(kind) = kind {
                property.insert("type".to_owned(), (*kind).into());
            }
            if *kind == Some("array") {
                property.insert("items".to_owned(), json!({"type": "object"}));
            }
            if is_described && !about.is_empty() {
                property.insert("description".to_owned(), (*about).into());
            }
            ((*name).to_owned(), property.into())
        })
        .collect();
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), described.into());
    schema
}
