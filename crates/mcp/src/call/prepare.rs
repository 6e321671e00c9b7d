//! Preparing a plan.

use lwa_domain::TaskKind;
use lwa_protocol::Failure;
use lwa_protocol::method::PlanPrepare;
use lwa_protocol::plan::PrepareParams;
use rmcp::model::CallToolResult;
use serde_json::{Map, Value};

use super::{Call, Detail};
use crate::arguments::Arguments;
use crate::reply;
use crate::tool::preparation::{Input, Preparation};

/// Excluded routes that a reply lists; the first ones are the likeliest questions.
const EXCLUDED_SHOWN: usize = 8;

pub(super) async fn prepare(mut call: Call<'_>, preparation: &Preparation) -> Result<CallToolResult, Failure> {
    let params = params(preparation, &mut call.arguments);
    let answer = call.host.call::<PlanPrepare>(&call.client, params, None);
    let prepared = call.hold.answered("choosing a route", None, answer).await?;
    let mut fields = reply::structured(&prepared)?;
    abridge(&mut fields, call.detail);
    Ok(reply::succeeded(fields))
}

fn params(preparation: &Preparation, arguments: &mut Arguments) -> PrepareParams {
    let task = preparation.task.map(TaskKind::as_str).map(str::to_owned);
    let prompt = match preparation.input {
        Input::Full => arguments.text("prompt"),
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
    }
}

/// Leaves out what the model needs only when it asks why.
fn abridge(fields: &mut Map<String, Value>, detail: Detail) {
    if detail == Detail::Debug {
        return;
    }
    if let Some(Value::Array(excluded)) = fields.get_mut("excluded")
        && excluded.len() > EXCLUDED_SHOWN
    {
        let more = excluded.len() - EXCLUDED_SHOWN;
        excluded.truncate(EXCLUDED_SHOWN);
        fields.insert("excluded_more".to_owned(), more.into());
    }
    if detail == Detail::Compact {
        fields.remove("prompt_hash");
        // Why not another one is a question about a plan that has to wait, not about one that is ready.
        if fields.get("working_may_begin") == Some(&Value::Bool(true)) {
            fields.remove("excluded");
            fields.remove("excluded_more");
        }
        if let Some(Value::Array(routes)) = fields.get_mut("routes") {
            for route in routes.iter_mut().filter_map(Value::as_object_mut) {
                route.remove("reasons");
                route.remove("score_hundredths");
            }
        }
    }
}
