//! Reading one item of a list, in any of the shapes that providers use.
//!
//! An item that is odd in one field is read without it: one provider's slip must not hide its other models.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;
use lwa_domain::{Capability, EffortForm, EffortSupport, ReasoningEffort};
use serde_json::Value;

use super::kind::{self, Named};
use super::{ListedModel, MODEL_LIMIT, price};
use crate::prices::Retirement;

/// The models under `data`, `models` or `result`, or of a bare list; `None` if there is no list at all.
///
/// An item without a name is skipped, since it could not be called.
pub(crate) fn models(body: &Value) -> Option<Vec<ListedModel>> {
    let places = [body.get("data"), body.get("models"), body.get("result"), Some(body)];
    let items = places.into_iter().flatten().find_map(Value::as_array)?;
    let mut seen = BTreeSet::new();
    let models = items.iter().filter_map(model).filter(|model| seen.insert(model.id.clone())).take(MODEL_LIMIT);
    Some(models.collect())
}

fn model(item: &Value) -> Option<ListedModel> {
    if let Value::String(id) = item {
        return Some(ListedModel { id: id.clone(), ..ListedModel::default() });
    }
    let id = id(item)?;
    if id.len() > 300 || id.chars().any(char::is_control) {
        return None;
    }
    let input_modalities = words(item, &["/architecture/input_modalities", "/input_modalities", "/modalities/input"]);
    let output_modalities =
        words(item, &["/architecture/output_modalities", "/output_modalities", "/modalities/output"]);
    let supported_parameters = words(item, &["/supported_parameters"]);
    let mut model = ListedModel {
        display_name: string(item, &["display_name", "displayName"])
            .or_else(|| string(item, &["name"]).filter(|name| *name != id && !name.ends_with(&format!("/{id}")))),
        owned_by: string(item, &["owned_by"]),
        price: price::read(item),
        context_length: number(
            item,
            &[
                "/context_length",
                "/max_context_length",
                "/context_window",
                "/max_model_len",
                "/inputTokenLimit",
                "/model_spec/availableContextTokens",
                "/context",
            ],
        )
        .or_else(|| property(item, "context_window")?.parse().ok()),
        max_input_tokens: number(item, &["/inputTokenLimit", "/max_input_tokens"]),
        max_output_tokens: number(
            item,
            &[
                "/top_provider/max_completion_tokens",
                "/max_completion_tokens",
                "/max_output_tokens",
                "/outputTokenLimit",
                "/model_spec/maxCompletionTokens",
                "/max_tokens",
            ],
        ),
        reasoning_levels: reasoning_levels(item),
        effort: effort(item),
        is_deprecated: is_deprecated(item),
        retirement: retirement(item),
        input_modalities,
        output_modalities,
        supported_parameters,
        id,
        ..ListedModel::default()
    };
    // The route behind a relay may be narrower than the model.
    if let Some(narrower) = number(item, &["/top_provider/context_length"]) {
        model.context_length = Some(model.context_length.map_or(narrower, |context| context.min(narrower)));
    }
    model.is_chat = is_chat(item, &model);
    model.capabilities = capabilities(item, &model);
    Some(model)
}

/// The name to send.
///
/// Google's begins with `models/`, which its addresses repeat; Puter's own name is the one without doubt; Cloudflare
/// numbers its models beside naming them.
fn id(item: &Value) -> Option<String> {
    if let Some(name) = string(item, &["puterId"]) {
        return Some(name);
    }
    if let Some(name) = string(item, &["name"]) {
        if let Some(name) = name.strip_prefix("models/") {
            return Some(name.to_owned());
        }
        if name.starts_with('@') {
            return Some(name);
        }
    }
    ["id", "name", "model"].iter().find_map(|name| string(item, &[name]))
}

fn string(item: &Value, names: &[&str]) -> Option<String> {
    names
        .iter()
        .find_map(|name| item.get(name).and_then(Value::as_str))
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
}

/// The first positive number; zero and negative ones mean that nobody knows.
fn number(item: &Value, paths: &[&str]) -> Option<u64> {
    paths.iter().find_map(|path| item.pointer(path).and_then(Value::as_u64)).filter(|number| *number > 0)
}

fn words(item: &Value, paths: &[&str]) -> Option<BTreeSet<String>> {
    let list = paths.iter().find_map(|path| item.pointer(path).and_then(Value::as_array))?;
    Some(list.iter().filter_map(Value::as_str).map(str::to_lowercase).collect())
}

/// The value of one of Cloudflare's properties, when it is text.
fn property<'a>(item: &'a Value, name: &str) -> Option<&'a str> {
    let properties = item.get("properties")?.as_array()?;
    properties.iter().find(|property| property["property_id"] == name)?.get("value")?.as_str()
}

const LEVELS: [&str; 4] = [
    "/reasoning_levels",
    "/reasoningLevels",
    "/reasoning/supported_efforts",
    "/model_spec/capabilities/reasoningEffortOptions",
];

/// How the effort is said, in the list's own words and order.
fn effort(item: &Value) -> Option<EffortSupport> {
    let list = LEVELS.iter().find_map(|path| item.pointer(path)?.as_array())?;
    Some(EffortSupport {
        form: EffortForm::Level,
        levels: list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        is_mandatory: flag(item, "/reasoning/mandatory") == Some(true),
    })
}

/// The named levels, of those that we know; `None` where the list is silent or says null.
fn reasoning_levels(item: &Value) -> Option<Vec<ReasoningEffort>> {
    let named = words(item, &LEVELS)?;
    let is_mandatory = flag(item, "/reasoning/mandatory") == Some(true);
    Some(
        ReasoningEffort::ALL
            .iter()
            .copied()
            .filter(|effort| named.contains(effort.wire_value()) || named.contains(effort.as_str()))
            .filter(|effort| !(is_mandatory && *effort == ReasoningEffort::Instant))
            .collect(),
    )
}

fn flag(item: &Value, path: &str) -> Option<bool> {
    item.pointer(path).and_then(Value::as_bool)
}

fn any_flag(item: &Value, paths: &[&str]) -> Option<bool> {
    let flags: Vec<_> = paths.iter().filter_map(|path| flag(item, path)).collect();
    (!flags.is_empty()).then(|| flags.contains(&true))
}

fn is_deprecated(item: &Value) -> Option<bool> {
    any_flag(item, &["/is_deprecated", "/deprecated"]).or_else(|| {
        let has_date = ["deprecation", "shutdown_date", "deprecation_date"]
            .iter()
            .any(|name| item.get(name).and_then(Value::as_str).is_some_and(|date| !date.is_empty()));
        has_date.then_some(true)
    })
}

/// The day and the successor, of whichever the list states.
fn retirement(item: &Value) -> Option<Retirement> {
    let days = ["deprecation", "shutdown_date", "deprecation_date", "expiration_date"];
    let day = days.iter().find_map(|name| string(item, &[name]));
    let day = day.or_else(|| property(item, "planned_deprecation_date").map(str::to_owned))?;
    let on: Date = day.get(..10)?.parse().ok()?;
    let successor = string(item, &["deprecation_replacement_model", "replacement_model"]);
    Some(Retirement { on: Some(on), successor })
}

/// What Google's methods say that a model does.
fn methods(item: &Value) -> Option<BTreeSet<String>> {
    words(item, &["/supportedGenerationMethods", "/supportedActions"])
}

fn is_chat(item: &Value, model: &ListedModel) -> Option<bool> {
    if let Some(is_chat) = flag(item, "/capabilities/completion_chat") {
        return Some(is_chat);
    }
    // That a model writes text says little: judges, vectors and transcripts are listed so as well.
    let is_named_so = matches!(kind::of(&model.id), Named::NotChat(_));
    if let Some(methods) = methods(item) {
        return Some(methods.contains("generatecontent") && !is_named_so);
    }
    if let Some(outputs) = &model.output_modalities {
        return Some(outputs.contains("text") && !is_named_so);
    }
    if let Some(endpoints) = words(item, &["/endpoints", "/supported_endpoints"]) {
        return Some(endpoints.iter().any(|endpoint| endpoint.contains("chat")));
    }
    if let Some(task) = item.pointer("/task/name").and_then(Value::as_str) {
        return Some(task.eq_ignore_ascii_case("text generation") && !is_named_so);
    }
    match string(item, &["type"])?.to_lowercase().as_str() {
        "llm" | "vlm" | "text" | "chat" => Some(true),
        "embedding" | "embeddings" | "image" | "video" | "audio" | "tts" | "asr" | "rerank" | "reranker"
        | "upscale" => Some(false),
        _ => None,
    }
}

/// What the list states about abilities, yes or no.
fn capabilities(item: &Value, model: &ListedModel) -> BTreeMap<Capability, bool> {
    let features = words(item, &["/features"]);
    let parameters = |names: &[&str]| {
        model.supported_parameters.as_ref().map(|known| names.iter().any(|name| known.contains(*name)))
    };
    let either = |one: Option<bool>, other: Option<bool>| match (one, other) {
        (None, None) => None,
        (one, other) => Some(one.unwrap_or(false) || other.unwrap_or(false)),
    };
    let reasoning = either(
        any_flag(
            item,
            &["/capabilities/reasoning", "/model_spec/capabilities/supportsReasoning", "/thinking", "/reasoning"],
        )
        .or_else(|| Some(property(item, "reasoning")? == "true"))
        .or_else(|| item.get("reasoning").filter(|value| value.is_object()).map(|_| true)),
        parameters(&["reasoning", "reasoning_effort", "include_reasoning"]),
    );
    let tools = either(
        any_flag(
            item,
            &[
                "/capabilities/function_calling",
                "/capabilities/tools",
                "/model_spec/capabilities/supportsFunctionCalling",
                "/tools",
            ],
        )
        .or_else(|| Some(property(item, "function_calling")? == "true"))
        .or_else(|| features.as_ref().map(|features| features.contains("tools"))),
        parameters(&["tools"]),
    );
    let structured = either(
        any_flag(item, &["/capabilities/structured", "/model_spec/capabilities/supportsResponseSchema"])
            .or_else(|| features.as_ref().map(|features| features.contains("json_schema"))),
        parameters(&["structured_outputs"]),
    );
    let vision = either(
        any_flag(item, &["/capabilities/vision", "/model_spec/capabilities/supportsVision", "/vision"])
            .or_else(|| features.as_ref().map(|features| features.contains("vision")))
            .or_else(|| (item.get("type").and_then(Value::as_str) == Some("vlm")).then_some(true)),
        model.input_modalities.as_ref().map(|inputs| inputs.contains("image")),
    );
    let outputs = model.output_modalities.as_ref();
    let makes = |word: &str| {
        let kind = string(item, &["type"]).filter(|kind| kind.eq_ignore_ascii_case(word)).map(|_| true);
        outputs.map(|outputs| outputs.contains(word)).or(kind)
    };
    let stated = [
        (Capability::Text, model.is_chat),
        (Capability::Reasoning, reasoning),
        (Capability::Tools, tools),
        (Capability::Structured, structured),
        (Capability::Vision, vision),
        (Capability::Image, makes("image")),
        (Capability::Video, makes("video")),
        (Capability::Embedding, outputs.map(|outputs| outputs.contains("embeddings")).or_else(|| makes("embedding"))),
        (Capability::Rerank, outputs.map(|outputs| outputs.contains("rerank"))),
    ];
    stated.into_iter().filter_map(|(capability, is_able)| Some((capability, is_able?))).collect()
}
