//! Asking a provider about itself without spending anything: balances, and what `doctor --probe` records.

mod balance;
mod shape;

use reqwest::Url;
use reqwest::header::{ACCEPT, HeaderValue};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use crate::adapter::Adapter;
use crate::chat::{read_some, timed_out};
use crate::classify;
use crate::endpoint::Endpoint;
use crate::error::ProviderError;

pub use balance::{BalanceRead, BalanceSpec, KeyKind, probe_balance};

/// As much of a list as is looked at.
const LIST_LIMIT: usize = 8 * 1024 * 1024;

/// What a provider's list tells about the provider: names and shapes, never a value.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeReport {
    /// Whether anything answered.
    pub reachable: bool,
    /// Whether the key was taken; unknown without a key. A list that needs no key takes any.
    pub auth_ok: Option<bool>,
    /// The status of the reply.
    pub status: Option<u16>,
    /// The names of the reply's headers, in lower case and sorted.
    pub header_names: Vec<String>,
    /// The fields of the list with their types, such as `data[].id: string`.
    pub list_shape: Vec<String>,
    /// How many items the longest list at the top of the reply has.
    pub items: Option<usize>,
    /// What went wrong, without a key.
    pub failure: Option<String>,
}

/// Asks for the list of models once, which costs nothing, and records names of headers and shapes of fields.
pub async fn probe(client: &reqwest::Client, adapter: Adapter, endpoint: &Endpoint) -> ProbeReport {
    let mut report = ProbeReport::default();
    let reply = match get(client, adapter, endpoint, &endpoint.models_path).await {
        Ok(reply) => reply,
        Err(error) => {
            report.reachable = error.failure().status.is_some();
            report.failure = Some(error.to_string());
            return report;
        }
    };
    report.reachable = true;
    report.status = Some(reply.status().as_u16());
    report.header_names = reply.headers().keys().map(|name| name.as_str().to_owned()).collect();
    report.header_names.sort_unstable();
    report.header_names.dedup();
    let deadline = Instant::now() + endpoint.timeout;
    if !reply.status().is_success() {
        let error = classify::read_failure(endpoint, reply, deadline).await;
        report.auth_ok = matches!(error, ProviderError::Unauthorized { .. }).then_some(false);
        report.failure = Some(error.to_string());
        return report;
    }
    let body = read_some(reply, LIST_LIMIT, deadline).await;
    match serde_json::from_slice::<Value>(&body) {
        Ok(body) => {
            if let Some(error) = classify::embedded(endpoint, &body) {
                report.auth_ok = matches!(error, ProviderError::Unauthorized { .. }).then_some(false);
                report.failure = Some(error.to_string());
                return report;
            }
            report.auth_ok = endpoint.key.is_some().then_some(true);
            (report.list_shape, report.items) = (shape::of(&body), shape::items(&body));
        }
        Err(_) => report.failure = Some("the reply is not JSON".to_owned()),
    }
    report
}

/// One GET of `path` at `endpoint`; a whole address goes there, and the key goes along only to the same host.
pub(crate) async fn get(
    client: &reqwest::Client,
    adapter: Adapter,
    endpoint: &Endpoint,
    path: &str,
) -> Result<reqwest::Response, ProviderError> {
    let elsewhere = Url::parse(path).ok().filter(Url::has_host);
    let endpoint = match &elsewhere {
        Some(url) => &at(endpoint, url),
        None => endpoint,
    };
    let url = match elsewhere {
        Some(url) => endpoint.url(&path_of(&url))?,
        None => endpoint.url(path)?,
    };
    let mut headers = endpoint.header_map_for(adapter)?;
    headers.entry(ACCEPT).or_insert(HeaderValue::from_static("application/json"));
    let deadline = Instant::now() + endpoint.timeout;
    match timeout_at(deadline, client.get(url).headers(headers).send()).await {
        Ok(Ok(response)) => Ok(response),
        Ok(Err(error)) => Err(classify::transport(endpoint, &error)),
        Err(_) => Err(timed_out(endpoint, "no answer began", None)),
    }
}

fn path_of(url: &Url) -> String {
    url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()))
}

/// `endpoint` at the root of another address.
fn at(endpoint: &Endpoint, url: &Url) -> Endpoint {
    let own = Url::parse(&endpoint.base_url).ok();
    let is_same_host = own.as_ref().and_then(Url::host_str) == url.host_str();
    Endpoint {
        base_url: url.origin().ascii_serialization(),
        key: endpoint.key.clone().filter(|_| is_same_host),
        headers: if is_same_host { endpoint.headers.clone() } else { Vec::new() },
        ..endpoint.clone()
    }
}
