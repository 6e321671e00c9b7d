//! How the router is.

use lwa_protocol::Failure;
use lwa_protocol::host::Nothing;
use lwa_protocol::method::RouterGetStatus;
use rmcp::model::CallToolResult;
use serde_json::{Map, Value};

use super::{Call, Detail};
use crate::reply;

/// What a compact reply tells of a provider.
const PROVIDER_FIELDS: [&str; 7] = ["name", "state", "detail", "billing_class", "data_use", "is_local", "models"];

pub(super) async fn status(call: Call<'_>) -> Result<CallToolResult, Failure> {
    let answer = call.host.call::<RouterGetStatus>(&call.client, Nothing {}, None);
    let status = call.hold.answered("asking the host", None, answer).await?;
    let mut fields = reply::structured(&status)?;
    if call.detail == Detail::Compact {
        abridge(&mut fields);
    }
    if call.detail != Detail::Debug
        && let Some(Value::Object(doctor)) = fields.get_mut("doctor")
    {
        // The blockers and actions say what matters of the checks.
        doctor.remove("checks");
    }
    if call.detail != Detail::Debug {
        reply::fit(&mut fields, "providers");
    }
    Ok(reply::succeeded(fields))
}

fn abridge(fields: &mut Map<String, Value>) {
    if let Some(Value::Array(providers)) = fields.get_mut("providers") {
        for provider in providers.iter_mut().filter_map(Value::as_object_mut) {
            provider.retain(|name, _| PROVIDER_FIELDS.contains(&name.as_str()));
        }
    }
}
