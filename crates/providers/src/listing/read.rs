//! Reading one item of a list, in any of the shapes that providers use.

use std::collections::{BTreeMap, BTreeSet};

use lwa_domain::{Capability, ReasoningEffort};
use serde_json::Value;

use super::{ListedModel, MODEL_LIMIT, price};

/// The models under `data` or `models`, or of a bare list; `None` if there is no list at all.
///
/// An item without a name is skipped, since it could not be called.
pub(crate) fn models(body: &Value) -> Option<Vec<ListedModel>> {
    let items = [body.get("data"), body.get("models"), Some(body)].into_iter().flatten().find_map(Value::as_array)?;
    let mut seen = BTreeSet::new();
    let models = items.iter().filter_map(model).filter(|model| seen.insert(model.id.clone())).take(MODEL_LIMIT);
    Some(models.collect())
}

fn model(item: &Value) -> Option<ListedModel> {
    if let Value::String(id) = item {
        return Some(ListedModel { id: id.clone(), ..ListedModel::default() });
    }
    let id = ["id", "name", "model"].iter().find_map(|name| string(item, &[name]))?;
    if id.len() > 300 || id.chars().any(char::is_control) {
        return None;
    }
    let input_modalities = words(item, &["/architecture/input_modalities", "/input_modalities", "/modalities/input"]);
    let output_modalities =
        words(item, &["/architecture/output_modalities", "/output_modalities", "/modalities/output"]);
    let supported_parameters = words(item, &["/supported_parameters"]);
    let mut model = ListedModel {
        display_name: string(item, &["display_name", "displayName"])
            .or_else(|| string(item, &["name"]).filter(|name| *name != id)),
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
            ],
        ),
        max_output_tokens: number(
            item,
            &[
                "/top_provider/max_completion_tokens",
                "/max_completion_tokens",
                "/max_output_tokens",
                "/outputTokenLimit",
            ],
        ),
        reasoning_levels: reasoning_levels(item),
        is_deprecated: is_deprecated(item),
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

/// The named levels, of those that we know; `None` where the list is silent or says null.
fn reasoning_levels(item: &Value) -> Option<Vec<ReasoningEffort>> {
    let named = words(
        item,
        &[
            "/reasoning_levels",
            "/reasoningLevels",
            "/reasoning/supported_efforts",
            "/model_spec/capabilities/reasoningEffortOptions",
        ],
    )?;
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

fn is_chat(item: &Value, model: &ListedModel) -> Option<bool> {
    if let Some(is_chat) = flag(item, "/capabilities/completion_chat") {
        return Some(is_chat);
    }
    if let Some(outputs) = &model.output_modalities {
        return Some(outputs.contains("text"));
    }
    if let Some(endpoints) = words(item, &["/endpoints", "/supported_endpoints"]) {
        return Some(endpoints.iter().any(|endpoint| endpoint.contains("chat")));
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
    let parameters = |names: &[&str]| {
        model.supported_parameters.as_ref().map(|known| names.iter().any(|name| known.contains(*name)))
    };
    let either = |one: Option<bool>, other: Option<bool>| match (one, other) {
        (None, None) => None,
        (one, other) => Some(one.unwrap_or(false) || other.unwrap_or(false)),
    };
    let reasoning = either(
        any_flag(item, &["/capabilities/reasoning", "/model_spec/capabilities/supportsReasoning", "/thinking"])
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
            ],
        ),
        parameters(&["tools"]),
    );
    let structured = either(
        any_flag(item, &["/capabilities/structured", "/model_spec/capabilities/supportsResponseSchema"]),
        parameters(&["structured_outputs"]),
    );
    let vision = either(
        any_flag(item, &["/capabilities/vision", "/model_spec/capabilities/supportsVision"])
            .or_else(|| (item.get("type").and_then(Value::as_str) == Some("vlm")).then_some(true)),
        model.input_modalities.as_ref().map(|inputs| inputs.contains("image")),
    );
    let outputs = model.output_modalities.as_ref();
    let stated = [
        (Capability::Text, model.is_chat),
        (Capability::Reasoning, reasoning),
        (Capability::Tools, tools),
        (Capability::Structured, structured),
        (Capability::Vision, vision),
        (Capability::Image, outputs.map(|outputs| outputs.contains("image"))),
        (Capability::Video, outputs.map(|outputs| outputs.contains("video"))),
        (Capability::Embedding, outputs.map(|outputs| outputs.contains("embeddings"))),
    ];
    stated.into_iter().filter_map(|(capability, is_able)| Some((capability, is_able?))).collect()
}
