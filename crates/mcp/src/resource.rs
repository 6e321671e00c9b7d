//! Resources: the router's state, its models and tiers, its health, the whole text of a result, the files of a plan, the
//! rules of the worker and the beginnings of its stored materials.

use lwa_domain::{ErrorCode, PlanId};
use lwa_protocol::Failure;
use lwa_protocol::doctor::DoctorParams;
use lwa_protocol::host::{ClientInfo, Nothing};
use lwa_protocol::method::{
    DoctorRun, ModelGetList, PlanMedia, PlanResult, RouterGetStatus, TierGetList, WorkerArtifact, WorkerPolicies,
};
use lwa_protocol::plan::{MediaFileParams, PlanParams};
use lwa_protocol::provider::ModelListParams;
use lwa_protocol::router::TierListParams;
use lwa_protocol::worker::{WorkerArtifactParams, WorkerCall, WorkerStatusKind};
use rmcp::model::{ErrorData, Resource, ResourceContents, ResourceTemplate};
use serde::Serialize;
use serde_json::Value;

use crate::call::{self, Caller};
use crate::hold::Hold;
use crate::host_link::HostLink;
use crate::reply;
use crate::whole_result::whole_text;

const STATUS: &str = "lwa://status";
const CATALOG: &str = "lwa://catalog";
/// Every model with its tiers.
pub(crate) const TIERS: &str = "lwa://model-tiers";
const DOCTOR: &str = "lwa://doctor";
const MEDIA: &str = "lwa://media/";
const RESULT: &str = "lwa://result/";
/// The rules of the worker, as they stand.
const RULES: &str = "local-llm://instructions";
/// The questions that come with the worker's decisions.
const POLICIES: &str = "local-llm://decision-policies";
const ARTIFACT: &str = "local-llm://artifact/";
const JSON: &str = "application/json";
const PLAIN: &str = "text/plain";

/// The resource that holds the whole text of a plan's result.
pub(crate) fn result_uri(plan: &PlanId) -> String {
    format!("{RESULT}{plan}")
}

/// The resource that holds one file of a plan.
pub(crate) fn media_uri(plan: &PlanId, index: u32) -> String {
    format!("{MEDIA}{plan}/{index}")
}

/// The resources with a fixed address.
pub(crate) fn resources(has_worker: bool, has_decisions: bool) -> Vec<Resource> {
    let resource = |uri: &str, name: &str, title: &str, about: &str| {
        Resource::new(uri, name).with_title(title).with_description(about).with_mime_type(JSON)
    };
    let mut resources = vec![
        resource(STATUS, "status", "Router status", "Providers, consent mode, today's usage and blockers."),
        resource(CATALOG, "catalog", "Models", "Every known model with its capabilities and its price."),
        resource(TIERS, "model-tiers", "Models by tier", "Every model with what is declared about plans and tiers."),
        resource(DOCTOR, "doctor", "Health", "Every check, what blocks work, and what to do about it."),
    ];
    if has_worker {
        let about = "The rules of the worker on this machine, for the mode that it is in.";
        resources.push(resource(RULES, "instructions", "Rules of the worker", about).with_mime_type(PLAIN));
    }
    if has_decisions {
        let about = "The standing questions of local_llm_governance with their options.";
        resources.push(resource(POLICIES, "decision-policies", "Standing questions", about));
    }
    resources
}

/// The resources with an address that is filled in.
pub(crate) fn templates(has_worker: bool) -> Vec<ResourceTemplate> {
    let mut templates = vec![
        ResourceTemplate::new(format!("{RESULT}{{plan_id}}"), "result")
            .with_title("Whole result of a plan")
            .with_description("The whole text of a plan that ran, where run_prepared_task cut it.")
            .with_mime_type(PLAIN),
        ResourceTemplate::new(format!("{MEDIA}{{plan_id}}/{{index}}"), "media")
            .with_title("File of a plan")
            .with_description("A picture or film that a plan made, up to 16 MB."),
    ];
    if has_worker {
        templates.push(
            ResourceTemplate::new(format!("{ARTIFACT}{{ref}}"), "artifact")
                .with_title("Stored material of the worker")
                .with_description(
                    "The beginning of a stored material, private values replaced; local_llm_artifact reads on.",
                )
                .with_mime_type(PLAIN),
        );
    }
    templates
}

/// The content of a resource.
///
/// # Errors
/// There is no such resource, or the host failed.
pub(crate) async fn read(
    host: &HostLink,
    client: &ClientInfo,
    hold: &Hold,
    caller: &Caller<'_>,
    uri: &str,
) -> Result<ResourceContents, ErrorData> {
    if uri == RULES {
        let rules = call::worker_rules(host, client, hold, caller).await;
        let rules = rules.map_err(|failure| reply::protocol_error(&failure))?;
        return Ok(ResourceContents::text(rules, uri).with_mime_type(PLAIN));
    }
    let content = async {
        match uri {
            STATUS => json(uri, &host.call::<RouterGetStatus>(client, Nothing {}, None).await?),
            CATALOG => json(uri, &host.call::<ModelGetList>(client, ModelListParams::default(), None).await?),
            TIERS => {
                let params = TierListParams { limit: Some(u32::MAX) };
                json(uri, &host.call::<TierGetList>(client, params, None).await?)
            }
            POLICIES => json(uri, &host.call::<WorkerPolicies>(client, Nothing {}, None).await?),
            DOCTOR => json(uri, &host.call::<DoctorRun>(client, DoctorParams::default(), None).await?),
            _ if uri.starts_with(ARTIFACT) => artifact(host, client, hold, caller, uri).await,
            _ if uri.starts_with(MEDIA) => media(host, client, uri).await,
            _ => result(host, client, uri).await,
        }
    };
    hold.answered("asking the host", None, content).await.map_err(|failure| reply::protocol_error(&failure))
}

async fn result(host: &HostLink, client: &ClientInfo, uri: &str) -> Result<ResourceContents, Failure> {
    let plan = uri.strip_prefix(RESULT).filter(|id| !id.is_empty()).ok_or_else(|| unknown(uri))?;
    let answer = host.call::<PlanResult>(client, PlanParams { plan_id: PlanId::new(plan) }, None).await?;
    match whole_text(&answer) {
        Some(text) => Ok(ResourceContents::text(text, uri)),
        None => json(uri, &answer),
    }
}

async fn media(host: &HostLink, client: &ClientInfo, uri: &str) -> Result<ResourceContents, Failure> {
    let (plan, index) = uri.strip_prefix(MEDIA).and_then(|rest| rest.split_once('/')).ok_or_else(|| unknown(uri))?;
    let index = index.parse().map_err(|_| unknown(uri))?;
    let params = MediaFileParams { plan_id: PlanId::new(plan), index };
    let file = host.call::<PlanMedia>(client, params, None).await?;
    Ok(ResourceContents::blob(file.base64, uri).with_mime_type(file.mime_type))
}

async fn artifact(
    host: &HostLink,
    client: &ClientInfo,
    hold: &Hold,
    caller: &Caller<'_>,
    uri: &str,
) -> Result<ResourceContents, Failure> {
    /// What is read of a material: the most that one slice may have.
    const SLICE: u32 = 20_000;
    let reference = uri.strip_prefix(ARTIFACT).filter(|reference| !reference.is_empty()).ok_or_else(|| unknown(uri))?;
    // A resource has no way to ask; who was not asked yet calls a tool first.
    let call = WorkerCall { can_ask: false, ..caller.worker_call(hold.remaining_ms()) };
    let params = WorkerArtifactParams { call, reference: reference.to_owned(), limit: SLICE, ..Default::default() };
    let answer = host.call::<WorkerArtifact>(client, params, None).await?;
    match answer.status {
        WorkerStatusKind::Completed => Ok(ResourceContents::text(answer.text, uri).with_mime_type(PLAIN)),
        WorkerStatusKind::Failed => Err(Failure::new(ErrorCode::NotFound, answer.text)),
        _ => Err(Failure::new(ErrorCode::Denied, answer.text).hint("call local_llm_artifact, which can ask the user")),
    }
}

fn json(uri: &str, answer: &impl Serialize) -> Result<ResourceContents, Failure> {
    let text = Value::Object(reply::structured(answer)?).to_string();
    Ok(ResourceContents::text(text, uri).with_mime_type(JSON))
}

fn unknown(uri: &str) -> Failure {
    let shown: String = uri.chars().take(80).collect();
    Failure::new(ErrorCode::NotFound, format!("there is no resource `{shown}`")).hint(format!(
        "the resources are {STATUS}, {CATALOG}, {TIERS}, {DOCTOR}, {RESULT}PLAN_ID, {MEDIA}PLAN_ID/INDEX, {RULES} and {ARTIFACT}REF"
    ))
}
