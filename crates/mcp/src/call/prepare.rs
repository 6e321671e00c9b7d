//! Preparing a plan.

use lwa_domain::TaskKind;
use lwa_protocol::Failure;
use lwa_protocol::method::PlanPrepare;
use lwa_protocol::plan::{MediaParams, PrepareParams, WorkflowParams};
use rmcp::model::CallToolResult;
use serde_json::{Map, Value};

use super::{Call, Detail};
use crate::arguments::Arguments;
use crate::reply;
use crate::tool::preparation::{Input, Preparation};

/// Excluded routes that a reply lists; the first ones are the likeliest questions.
const EXCLUDED_SHOWN: usize = 8;

pub(super) async fn prepare(mut call: Call<'_>, preparation: &Preparation) -> Result<CallToolResult, Failure> {
    let mut params = params(preparation, &mut call.arguments);
    if call.detail != Detail::Debug {
        params.excluded_limit = u32::try_from(EXCLUDED_SHOWN).ok();
    }
    let answer = call.host.call::<PlanPrepare>(&call.client, params, None);
    let prepared = call.hold.answered("choosing a route", None, answer).await?;
    let mut fields = reply::structured(&prepared)?;
    abridge(&mut fields, call.detail);
    Ok(reply::succeeded(fields))
}

fn params(preparation: &Preparation, arguments: &mut Arguments) -> PrepareParams {
    let task = preparation.task.map(TaskKind::as_str).map(str::to_owned);
    let prompt = match preparation.input {
        Input::Full | Input::Workflow | Input::Picture | Input::Film => arguments.text("prompt"),
        Input::Question => arguments.text("question"),
        Input::One(name, _) => arguments.text(name),
        Input::Document => {
            let instructions = arguments.text("instructions").unwrap_or_default();
            let document = arguments.text("document").unwrap_or_default();
            Some(format!("# Instructions\n\n{instructions}\n\n# Document\n\n{document}"))
        }
    };
    PrepareParams {
        task: task.or_else(|| arguments.text("task")).unwrap_or_default(),
        prompt: prompt.unwrap_or_default(),
        system_prompt: arguments.text("system_prompt"),
        quality: Some(arguments.text("quality").unwrap_or_else(|| preparation.quality.as_str().to_owned())),
        reasoning_effort: arguments.text("reasoning_effort"),
        allow_paid: arguments.flag("allow_paid"),
        allow_user_pays: arguments.flag("allow_user_pays"),
        max_output_tokens: arguments.whole("max_output_tokens"),
        usual_output_tokens: Some(preparation.max_output_tokens),
        preferred_providers: arguments.texts("preferred_providers"),
        excluded_providers: arguments.texts("excluded_providers"),
        provider: arguments.text("provider"),
        model: arguments.text("model"),
        tool_name: Some(preparation.tool.to_owned()),
        response_format: arguments.format("response_format"),
        max_cost_pico_usd: arguments.dollars("max_cost_usd"),
        required_billing_class: arguments.text("required_billing_class"),
        voters: arguments.whole("voters"),
        media: media(&preparation.input, arguments),
        workflow: matches!(preparation.input, Input::Workflow).then(|| workflow(arguments)).flatten(),
        library_tool: None,
        excluded_limit: None,
    }
}

/// What a picture or a film should be like; what is left out is as usual.
fn media(input: &Input, arguments: &mut Arguments) -> Option<MediaParams> {
    match input {
        Input::Picture => Some(MediaParams {
            aspect_ratio: arguments.text("aspect_ratio"),
            output_format: arguments.text("output_format"),
            ..MediaParams::default()
        }),
        Input::Film => Some(MediaParams {
            seconds: arguments.whole("seconds").map(|seconds| seconds.to_string()),
            size: arguments.text("size"),
            ..MediaParams::default()
        }),
        _ => None,
    }
}

/// What the work is a part of; none when nothing was said about it.
fn workflow(arguments: &mut Arguments) -> Option<WorkflowParams> {
    let workflow = WorkflowParams {
        name: arguments.filled("workflow_name"),
        description: arguments.filled("workflow_description"),
        project: arguments.filled("project"),
        tags: arguments.texts("workflow_tags"),
    };
    (workflow != WorkflowParams::default()).then_some(workflow)
}

/// Leaves out what the model needs only when it asks why.
pub(super) fn abridge(fields: &mut Map<String, Value>, detail: Detail) {
    let count = fields.remove("excluded_count").and_then(|count| count.as_u64()).unwrap_or(0);
    if detail == Detail::Debug {
        return;
    }
    if let Some(Value::Array(excluded)) = fields.get_mut("excluded") {
        let count = usize::try_from(count).unwrap_or(usize::MAX).max(excluded.len());
        excluded.truncate(EXCLUDED_SHOWN);
        let more = count - excluded.len();
        if more > 0 {
            fields.insert("excluded_more".to_owned(), more.into());
        }
    }
    leave_out_what_is_empty(fields);
    if detail == Detail::Compact {
        fields.remove("prompt_hash");
        fields.remove("locks");
        // Why not another one is a question about a plan that has to wait, not about one that is ready.
        if fields.get("working_may_begin") == Some(&Value::Bool(true)) {
            fields.remove("excluded");
            fields.remove("excluded_more");
        }
    }
    if detail == Detail::Compact || reply::is_over_budget(fields) {
        shorten_routes(fields);
    }
}

/// A plan that masks nothing, suggests nothing and omits nothing need not say so.
fn leave_out_what_is_empty(fields: &mut Map<String, Value>) {
    if fields.get("omitted_characters") == Some(&Value::from(0)) {
        fields.remove("omitted_characters");
    }
    if fields.get("library_suggestions").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        fields.remove("library_suggestions");
    }
    if let Some(Value::Object(egress)) = fields.get_mut("egress")
        && egress.get("masked_secrets") == Some(&Value::from(0))
    {
        egress.remove("masked_secrets");
        egress.remove("masked_kinds");
    }
}

/// What a compact reply tells of a route, and of one that may cost something.
const ROUTE_FIELDS: [&str; 6] = ["role", "provider", "model", "billing_class", "data_use", "is_local"];
const COST_FIELDS: [&str; 4] = ["max_cost_pico_usd", "price_source", "price_as_of", "is_price_stale"];

fn shorten_routes(fields: &mut Map<String, Value>) {
    let Some(Value::Array(routes)) = fields.get_mut("routes") else { return };
    for route in routes.iter_mut().filter_map(Value::as_object_mut) {
        let is_free = route.get("max_cost_pico_usd") == Some(&Value::from(0));
        route.retain(|name, value| {
            ROUTE_FIELDS.contains(&name.as_str())
                || (COST_FIELDS.contains(&name.as_str()) && !is_free && *value != Value::Bool(false))
        });
    }
}
