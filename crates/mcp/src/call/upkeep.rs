//! The work behind the tools that look after the router.

use lwa_domain::{Quality, ReasoningEffort, TaskKind};
use lwa_protocol::Failure;
use lwa_protocol::method::{
    CatalogueRefresh, ConsentSet, GuidanceSet, Method, PipelineForget, PipelineGetStatus, PipelineSetMark,
    QuotaRefresh, TierGetList,
};
use lwa_protocol::plan::ApproveStatus;
use lwa_protocol::router::{
    CatalogueRefreshParams, ConsentSetParams, GuidanceSetting, PipelineForgetParams, PipelineMarkParams,
    PipelineParams, TierListParams,
};
use rmcp::model::{CallToolResult, ContentBlock, Resource};
use serde_json::{Map, Value, json};

use super::Call;
use crate::reply;
use crate::resource::TIERS;
use crate::tool::upkeep::Upkeep;

/// The variable that recipes may use, and the gap that only a consensus fills.
const PUBLIC_VARIABLES: [&str; 1] = ["{input}"];
const INTERNAL_VARIABLES: [&str; 1] = ["{{CONSENSUS_TRANSCRIPT}}"];

pub(super) async fn upkeep(call: Call<'_>, upkeep: Upkeep) -> Result<CallToolResult, Failure> {
    match upkeep {
        Upkeep::SetConsent => set_consent(call).await,
        Upkeep::SetGuidance => set_guidance(call).await,
        Upkeep::RefreshCatalogue => refresh_catalogue(call).await,
        Upkeep::RefreshQuotas => refresh_quotas(call).await,
        Upkeep::Pipelines => pipelines(call).await,
        Upkeep::MarkPipeline => mark_pipeline(call).await,
        Upkeep::ForgetProbes => forget_probes(call).await,
        Upkeep::Tiers => tiers(call).await,
        Upkeep::Syntax => Ok(reply::succeeded(syntax())),
    }
}

impl Call<'_> {
    /// Asks the host for something that it answers at once.
    pub(super) async fn ask<M>(&self, params: M::Params) -> Result<M::Response, Failure>
    where
        M: Method,
        M::Params: Clone,
    {
        self.hold.answered("asking the host", None, self.host.call::<M>(&self.client, params, None)).await
    }
}

async fn set_consent(mut call: Call<'_>) -> Result<CallToolResult, Failure> {
    let mode = call.arguments.text("mode").unwrap_or_default();
    let answer = async {
        call.host.reach(&call.client).await?;
        let params = ConsentSetParams { mode, hold_ms: call.hold.remaining_ms() };
        call.host.call::<ConsentSet>(&call.client, params, None).await
    };
    let answer = call
        .hold
        .asked("waiting for the human: the question is in the Lwa window and in `lwa approvals list`", answer)
        .await?;
    let mut fields = reply::structured(&answer)?;
    let next = match answer.status {
        ApproveStatus::ApprovalPending => {
            Some("the human has not answered yet: repeat this call, it attaches to the open question")
        }
        ApproveStatus::Unavailable => {
            Some("tell the user what message says and stop; repeat this call only after they say that they answered")
        }
        _ => None,
    };
    if let Some(next) = next {
        fields.insert("next_step".to_owned(), next.into());
    }
    Ok(reply::succeeded(fields))
}

async fn set_guidance(mut call: Call<'_>) -> Result<CallToolResult, Failure> {
    let enabled = call.arguments.flag_or("enabled", true);
    let mode = call.arguments.text("mode").unwrap_or_else(|| "local".to_owned());
    let setting = call.ask::<GuidanceSet>(GuidanceSetting { enabled, mode }).await?;
    Ok(reply::succeeded(reply::structured(&setting)?))
}

async fn refresh_catalogue(mut call: Call<'_>) -> Result<CallToolResult, Failure> {
    let params = CatalogueRefreshParams {
        provider: call.arguments.filled("provider"),
        force: call.arguments.flag_or("force", true),
    };
    let answer = call.host.call::<CatalogueRefresh>(&call.client, params, None);
    let Some(done) = call.hold.within("asking the providers for their models", answer).await? else {
        return Ok(working("repeat this call with force false: lists that came meanwhile are not asked for again"));
    };
    let mut fields = done_fields(&done)?;
    // What was not asked for is no news.
    shorten(&mut fields, "providers", |row| matches!(row["status"].as_str(), Some("missing_credential" | "disabled")));
    reply::fit(&mut fields, "providers");
    Ok(reply::succeeded(fields))
}

async fn refresh_quotas(call: Call<'_>) -> Result<CallToolResult, Failure> {
    let answer = call.host.call::<QuotaRefresh>(&call.client, lwa_protocol::host::Nothing {}, None);
    let Some(done) = call.hold.within("asking the providers for their balances", answer).await? else {
        return Ok(working("repeat this call later: balances that came meanwhile are kept"));
    };
    let mut fields = done_fields(&done)?;
    shorten(&mut fields, "providers", |row| row["status"] == "not_supported");
    reply::fit(&mut fields, "quotas");
    Ok(reply::succeeded(fields))
}

async fn pipelines(mut call: Call<'_>) -> Result<CallToolResult, Failure> {
    let params = PipelineParams { provider: call.arguments.filled("provider"), probe: call.arguments.flag("probe") };
    let is_one = params.provider.is_some();
    let answer = call.host.call::<PipelineGetStatus>(&call.client, params, None);
    let Some(done) = call.hold.within("probing the providers", answer).await? else {
        return Ok(working("repeat this call: probes that were answered meanwhile are kept for a minute"));
    };
    let mut fields = done_fields(&done)?;
    if !is_one {
        shorten(&mut fields, "pipelines", |row| {
            matches!(row["status"].as_str(), Some("missing_credentials" | "blocked" | "unavailable"))
        });
    }
    reply::fit(&mut fields, "pipelines");
    Ok(reply::succeeded(fields))
}

async fn mark_pipeline(mut call: Call<'_>) -> Result<CallToolResult, Failure> {
    let params = PipelineMarkParams {
        provider: call.arguments.text("provider").unwrap_or_default(),
        status: call.arguments.text("status").unwrap_or_default(),
        detail: call.arguments.text("detail").unwrap_or_default(),
    };
    let pipeline = call.ask::<PipelineSetMark>(params).await?;
    let mut fields = Map::new();
    fields.insert("pipeline".to_owned(), reply::structured(&pipeline)?.into());
    Ok(reply::succeeded(fields))
}

async fn forget_probes(mut call: Call<'_>) -> Result<CallToolResult, Failure> {
    let params = PipelineForgetParams { provider: call.arguments.filled("provider") };
    let forgotten = call.ask::<PipelineForget>(params).await?;
    Ok(reply::succeeded(reply::structured(&forgotten)?))
}

async fn tiers(call: Call<'_>) -> Result<CallToolResult, Failure> {
    let params = TierListParams { limit: call.arguments.whole("limit") };
    let list = call.ask::<TierGetList>(params).await?;
    let mut fields = reply::structured(&list)?;
    let is_cut = reply::fit(&mut fields, "tiers");
    if is_cut {
        fields.insert("all_tiers_uri".to_owned(), TIERS.into());
    }
    let mut result = reply::succeeded(fields);
    if is_cut {
        let all = Resource::new(TIERS, "model-tiers").with_title("Models by tier").with_mime_type("application/json");
        result.content.push(ContentBlock::resource_link(all));
    }
    Ok(result)
}

/// The words of the other tools, which this process knows by itself.
fn syntax() -> Map<String, Value> {
    let mapping: Map<String, Value> =
        ReasoningEffort::ALL.iter().map(|effort| (effort.to_string(), effort.wire_value().into())).collect();
    let contract = json!({
        "tasks": TaskKind::LABELS,
        "qualities": Quality::LABELS,
        "reasoning_efforts": ReasoningEffort::LABELS,
        "reasoning_effort_mapping": mapping,
        "public_template_variables": PUBLIC_VARIABLES,
        "internal_template_variables": INTERNAL_VARIABLES,
    });
    match contract {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

fn done_fields(answer: &impl serde::Serialize) -> Result<Map<String, Value>, Failure> {
    let mut fields = reply::structured(answer)?;
    fields.insert("status".to_owned(), "done".into());
    Ok(fields)
}

/// The answer to a call whose work goes on in the host.
fn working(next: &str) -> CallToolResult {
    let mut fields = Map::new();
    fields.insert("status".to_owned(), "working".into());
    fields.insert("next_step".to_owned(), format!("the host goes on with it; {next}").into());
    reply::succeeded(fields)
}

/// Leaves the rows that `is_minor` with their provider, status and detail.
fn shorten(fields: &mut Map<String, Value>, key: &str, is_minor: impl Fn(&Value) -> bool) {
    let Some(Value::Array(rows)) = fields.get_mut(key) else { return };
    for row in rows.iter_mut().filter(|row| is_minor(row)) {
        if let Value::Object(row) = row {
            row.retain(|name, _| matches!(name.as_str(), "provider" | "status" | "detail"));
        }
    }
}
