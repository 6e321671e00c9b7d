//! Balances and allotments that a provider tells on request.

use std::collections::BTreeMap;

use jiff::Timestamp;
use lwa_secrets::Secret;
use reqwest::Url;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::Instant;

use super::get;
use crate::adapter::Adapter;
use crate::chat::{read_some, refusal};
use crate::classify;
use crate::endpoint::Endpoint;
use crate::error::{Failure, ProviderError};
use crate::facts::Mark;
use crate::quota::{Confidence, QuotaObservation, QuotaWindow, ResetUnit, amount, moment};

/// As much of a reply as is read.
const BODY_LIMIT: usize = 256 * 1024;

/// Which key a balance is asked for with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyKind {
    /// The key that generates; a billing key is preferred where there is one.
    #[default]
    Usual,
    /// A key for management only; the one that generates is refused and must not be sent there.
    Management,
}

/// Where a balance or an allotment can be asked for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BalanceSpec {
    /// The path.
    pub path: String,
    /// Whether the path begins at the host rather than at the base address.
    #[serde(default)]
    pub is_from_root: bool,
    /// Which key it takes.
    #[serde(default)]
    pub key: KeyKind,
    /// Hosts that do not offer it, or no longer.
    #[serde(default)]
    pub not_on_hosts: Vec<String>,
    /// What to read.
    pub reads: Vec<BalanceRead>,
    /// How well this is known.
    pub mark: Mark,
    /// Where it was read.
    pub source: String,
}

/// One figure of a reply, by JSON pointers of which the first that leads somewhere counts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BalanceRead {
    /// What is counted, and over which time.
    pub window: QuotaWindow,
    /// The list whose items are looked through, where the figure stands in one.
    #[serde(default)]
    pub list: Option<String>,
    /// Fields of the item and their values; the first item that has them all counts.
    #[serde(default)]
    pub item: BTreeMap<String, String>,
    /// The whole.
    #[serde(default)]
    pub limit: Vec<String>,
    /// The rest.
    #[serde(default)]
    pub remaining: Vec<String>,
    /// What is used; the rest is then the whole without it.
    #[serde(default)]
    pub used: Vec<String>,
    /// The moment of renewal.
    #[serde(default)]
    pub reset: Vec<String>,
    /// What that moment is written in.
    #[serde(default)]
    pub reset_unit: Option<ResetUnit>,
}

impl BalanceSpec {
    /// The key to ask with: the billing key where there is one, and never the usual key where that is refused.
    pub fn choose_key<'a>(&self, billing: Option<&'a Secret>, usual: Option<&'a Secret>) -> Option<&'a Secret> {
        billing.or(match self.key {
            KeyKind::Usual => usual,
            KeyKind::Management => None,
        })
    }
}

/// Asks for a balance once. The endpoint's key is the one that [`BalanceSpec::choose_key`] chose.
pub async fn probe_balance(
    client: &reqwest::Client,
    endpoint: &Endpoint,
    spec: &BalanceSpec,
) -> Result<Vec<QuotaObservation>, ProviderError> {
    let base = Url::parse(endpoint.base_url.trim()).ok();
    if let Some(host) =
        base.as_ref().and_then(Url::host_str).filter(|host| spec.not_on_hosts.iter().any(|no| no == host))
    {
        return Err(refusal(&endpoint.provider, &format!("`{host}` tells no balance")));
    }
    let path = match base.filter(|_| spec.is_from_root) {
        Some(base) => format!("{}{}", base.origin().ascii_serialization(), spec.path),
        None => spec.path.clone(),
    };
    let reply = get(client, Adapter::OpenAi, endpoint, &path).await?;
    let deadline = Instant::now() + endpoint.timeout;
    if !reply.status().is_success() {
        return Err(classify::read_failure(endpoint, reply, deadline).await);
    }
    let body = read_some(reply, BODY_LIMIT, deadline).await;
    let failed = |detail: &str| ProviderError::Failed {
        failure: Box::new(Failure { status: Some(200), ..Failure::after_sending(&endpoint.provider, detail) }),
    };
    let body = serde_json::from_slice::<Value>(&body).map_err(|_| failed("malformed JSON response"))?;
    if let Some(error) = classify::embedded(endpoint, &body) {
        return Err(error);
    }
    let found: Vec<_> = spec.reads.iter().filter_map(|read| observation(spec, read, &body, Timestamp::now())).collect();
    if found.is_empty() { Err(failed("the reply names no balance that can be read")) } else { Ok(found) }
}

fn observation(spec: &BalanceSpec, read: &BalanceRead, body: &Value, now: Timestamp) -> Option<QuotaObservation> {
    let window = read.window;
    let place = match &read.list {
        None => body,
        Some(list) => body.pointer(list)?.as_array()?.iter().find(|item| {
            read.item
                .iter()
                .all(|(name, wanted)| item.get(name).is_some_and(|value| text(value) == Some(wanted.clone())))
        })?,
    };
    let figure = |paths: &[String]| {
        paths.iter().find_map(|path| {
            let number = amount(window, &text(place.pointer(path)?)?)?;
            Some((number, path.clone()))
        })
    };
    let limit = figure(&read.limit);
    let used = figure(&read.used);
    let remaining = figure(&read.remaining).or_else(|| {
        let (limit, used) = (limit.clone()?, used?);
        Some((limit.0.saturating_sub(used.0), used.1))
    });
    let (_, pointer) = remaining.clone().or_else(|| limit.clone())?;
    let reset = read.reset.iter().find_map(|path| text(place.pointer(path)?)).zip(read.reset_unit);
    Some(QuotaObservation {
        window,
        limit: limit.map(|(number, _)| number),
        remaining: remaining.map(|(number, _)| number),
        resets_at: reset.and_then(|(text, unit)| moment(unit, &text, now)),
        confidence: if spec.mark == Mark::Unverified { Confidence::Hypothesis } else { Confidence::Known },
        source: format!("{}#{pointer}", spec.path),
        is_before_call: false,
    })
}

/// A number or text as it was written.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
