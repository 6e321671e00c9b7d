//! What the tools answer: the top-level properties that a caller acts on. Accounts of how it went, such as the phase or
//! the latency, are in the replies and not listed, since every client reads the list of tools on every start.
//!
//! Nothing is required and nothing else is forbidden, because a failed call answers with `error` alone and some clients
//! check the structured content of failures as well.

use serde_json::{Map, Value, json};

/// A property of an answer: name, type (`texts` for a list of texts, none where a number may be too large to be
/// one), meaning.
pub(crate) type Property = (&'static str, Option<&'static str>, &'static str);

pub(crate) const ERROR: Property = ("error", Some("object"), "");
const EXPIRES: Property = ("expires_at", Some("string"), "");
const PLAN_ID: Property = ("plan_id", Some("string"), "");
const BEGIN: Property = ("working_may_begin", Some("boolean"), "");
pub(crate) const NEXT: Property = ("next_step", Some("string"), "");

/// Answer of a preparation.
pub(crate) const PREPARED: &[Property] = &[
    ("status", Some("string"), "ready or confirmation_required"),
    ("message", Some("string"), ""),
    PLAN_ID,
    ("plan_token", Some("string"), "for run_prepared_task"),
    BEGIN,
    ("requires_confirmation", Some("boolean"), ""),
    ("confirmation_token", Some("string"), "for approve_preflight"),
    ("routes", Some("array"), ""),
    ("excluded", Some("array"), ""),
    ("max_cost_pico_usd", None, "in 1e-12 dollar; absent when unknown"),
    EXPIRES,
    ("egress", Some("object"), "what leaves this machine"),
    ("library_suggestions", Some("array"), ""),
    ERROR,
];

/// Answer of the other preparations: what `prepare_task` answers, of which only the way on is named again.
pub(crate) const PREPARED_AS_ABOVE: &[Property] = &[
    ("status", Some("string"), ""),
    PLAN_ID,
    ("plan_token", Some("string"), ""),
    BEGIN,
    ("confirmation_token", Some("string"), ""),
    ERROR,
];

/// Answer of an approval.
pub(crate) const APPROVED: &[Property] =
    &[("status", Some("string"), ""), ("message", Some("string"), ""), NEXT, PLAN_ID, BEGIN, EXPIRES, ERROR];

/// Answer of a run.
pub(crate) const RAN: &[Property] = &[
    ("status", Some("string"), "completed, working, confirmation_required, repreflight_required or failed"),
    ("replayed", Some("boolean"), ""),
    NEXT,
    PLAN_ID,
    ("route", Some("object"), ""),
    ("cost_pico_usd", None, "in 1e-12 dollar; absent when unknown"),
    ("text", Some("string"), ""),
    ("text_truncated", Some("boolean"), ""),
    ("next_text_offset", Some("integer"), ""),
    ("full_text_uri", Some("string"), ""),
    ("consensus", Some("object"), ""),
    ("media", Some("object"), ""),
    ("masked", Some("array"), ""),
    ERROR,
];

/// Answer of the status.
pub(crate) const STATUS: &[Property] = &[
    ("consent_mode", Some("string"), ""),
    ("allow_paid", Some("boolean"), ""),
    ("providers", Some("array"), ""),
    ("usage_today", Some("object"), ""),
    ("waiting", Some("integer"), "questions to the human"),
    ("doctor", Some("object"), "level, hard_blockers, soft_blockers, next_actions"),
    ERROR,
];

/// The output schema of these properties.
pub(crate) fn output_schema(properties: &[Property]) -> Map<String, Value> {
    let described: Map<String, Value> = properties
        .iter()
        .map(|(name, kind, about)| {
            let mut property = Map::new();
            let items = match *kind {
                Some("array") => Some("object"),
                Some("texts") => Some("string"),
                _ => None,
            };
            if let Some(kind) = kind {
                property.insert("type".to_owned(), if items.is_some() { "array" } else { *kind }.into());
            }
            if let Some(items) = items {
                property.insert("items".to_owned(), json!({"type": items}));
            }
            if !about.is_empty() {
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
