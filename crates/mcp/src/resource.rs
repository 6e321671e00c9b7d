//! Resources: the router's state, its models and tiers, its health, the whole text of a result, the files of a plan.

use lwa_domain::{ErrorCode, PlanId};
use lwa_protocol::Failure;
use lwa_protocol::doctor::DoctorParams;
use lwa_protocol::host::{ClientInfo, Nothing};
use lwa_protocol::method::{DoctorRun, ModelGetList, PlanMedia, PlanResult, RouterGetStatus, TierGetList};
use lwa_protocol::plan::{MediaFileParams, PlanParams};
use lwa_protocol::provider::ModelListParams;
use lwa_protocol::router::TierListParams;
use rmcp::model::{ErrorData, Resource, ResourceContents, ResourceTemplate};
use serde::Serialize;
use serde_json::Value;

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
const JSON: &str = "application/json";

/// The resource that holds the whole text of a plan's result.
pub(crate) fn result_uri(plan: &PlanId) -> String {
    format!("{RESULT}{plan}")
}

/// The resource that holds one file of a plan.
pub(crate) fn media_uri(plan: &PlanId, index: u32) -> String {
    format!("{MEDIA}{plan}/{index}")
}

/// The resources with a fixed address.
pub(crate) fn resources() -> Vec<Resource> {
    let resource = |uri: &str, name: &str, title: &str, about: &str| {
        Resource::new(uri, name).with_title(title).with_description(about).with_mime_type(JSON)
    };
    vec![
        resource(STATUS, "status", "Router status", "Providers, consent mode, today's usage and blockers."),
        resource(CATALOG, "catalog", "Models", "Every known model with its capabilities and its price."),
        resource(TIERS, "model-tiers", "Models by tier", "Every model with what is declared about plans and tiers."),
        resource(DOCTOR, "doctor", "Health", "Every check, what blocks work, and what to do about it."),
    ]
}

/// The resources with an address that is filled in.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(format!("{RESULT}{{plan_id}}"), "result")
            .with_title("Whole result of a plan")
            .with_description("The whole text of a plan that ran, where run_prepared_task cut it.")
            .with_mime_type("text/plain"),
        ResourceTemplate::new(format!("{MEDIA}{{plan_id}}/{{index}}"), "media")
            .with_title("File of a plan")
            .with_description("A picture or film that a plan made, up to 16 MB."),
    ]
}

/// The content of a resource.
///
/// # Errors
/// There is no such resource, or the host failed.
pub(crate) async fn read(
    host: &HostLink,
    client: &ClientInfo,
    hold: &Hold,
    uri: &str,
) -> Result<ResourceContents, ErrorData> {
    let content = async {
        match uri {
            STATUS => json(uri, &host.call::<RouterGetStatus>(client, Nothing {}, None).await?),
            CATALOG => json(uri, &host.call::<ModelGetList>(client, ModelListParams::default(), None).await?),
            TIERS => {
                let params = TierListParams { limit: Some(u32::MAX) };
                json(uri, &host.call::<TierGetList>(client, params, None).await?)
            }
            DOCTOR => json(uri, &host.call::<DoctorRun>(client, DoctorParams::default(), None).await?),
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

fn json(uri: &str, answer: &impl Serialize) -> Result<ResourceContents, Failure> {
    let text = Value::Object(reply::structured(answer)?).to_string();
    Ok(ResourceContents::text(text, uri).with_mime_type(JSON))
}

fn unknown(uri: &str) -> Failure {
    let shown: String = uri.chars().take(80).collect();
    Failure::new(ErrorCode::NotFound, format!("there is no resource `{shown}`")).hint(format!(
        "the resources are {STATUS}, {CATALOG}, {TIERS}, {DOCTOR}, {RESULT}PLAN_ID and {MEDIA}PLAN_ID/INDEX"
    ))
}
