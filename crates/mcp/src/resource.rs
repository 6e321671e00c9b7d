//! Resources: the router's state, its models, its health, and the whole text of a result.

use lwa_domain::PlanId;
use lwa_protocol::Failure;
use lwa_protocol::doctor::DoctorParams;
use lwa_protocol::host::{ClientInfo, Nothing};
use lwa_protocol::method::{DoctorRun, ModelGetList, PlanResult, RouterGetStatus};
use lwa_protocol::plan::PlanParams;
use lwa_protocol::provider::ModelListParams;
use rmcp::model::{ErrorData, Resource, ResourceContents, ResourceTemplate};
use serde::Serialize;
use serde_json::Value;

use crate::hold::Hold;
use crate::host_link::HostLink;
use crate::reply;

const STATUS: &str = "lwa://status";
const CATALOG: &str = "lwa://catalog";
const DOCTOR: &str = "lwa://doctor";
const RESULT: &str = "lwa://result/";
const JSON: &str = "application/json";

/// The resource that holds the whole text of a plan's result.
pub(crate) fn result_uri(plan: &PlanId) -> String {
    format!("{RESULT}{plan}")
}

/// The resources with a fixed address.
pub(crate) fn resources() -> Vec<Resource> {
    let resource = |uri: &str, name: &str, title: &str, about: &str| {
        Resource::new(uri, name).with_title(title).with_description(about).with_mime_type(JSON)
    };
    vec![
        resource(STATUS, "status", "Router status", "Providers, consent mode, today's usage and blockers."),
        resource(CATALOG, "catalog", "Models", "Every known model with its capabilities and its price."),
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
            DOCTOR => json(uri, &host.call::<DoctorRun>(client, DoctorParams::default(), None).await?),
            _ => result(host, client, uri).await,
        }
    };
    hold.answered("asking the host", None, content).await.map_err(|failure| reply::protocol_error(&failure))
}

async fn result(host: &HostLink, client: &ClientInfo, uri: &str) -> Result<ResourceContents, Failure> {
    let plan = uri.strip_prefix(RESULT).filter(|id| !id.is_empty()).ok_or_else(|| unknown(uri))?;
    let answer = host.call::<PlanResult>(client, PlanParams { plan_id: PlanId::new(plan) }, None).await?;
    match answer.text {
        Some(text) => Ok(ResourceContents::text(text, uri)),
        None => json(uri, &answer),
    }
}

fn json(uri: &str, answer: &impl Serialize) -> Result<ResourceContents, Failure> {
    let text = Value::Object(reply::structured(answer)?).to_string();
    Ok(ResourceContents::text(text, uri).with_mime_type(JSON))
}

fn unknown(uri: &str) -> Failure {
    let shown: String = uri.chars().take(80).collect();
    Failure::new(lwa_domain::ErrorCode::NotFound, format!("there is no resource `{shown}`"))
        .hint(format!("the resources are {STATUS}, {CATALOG}, {DOCTOR} and {RESULT}PLAN_ID"))
}
