//! What providers say about their quotas: read from the headers of every answer, and asked for on demand.

use std::time::Duration;

use jiff::Timestamp;
use lwa_domain::ErrorCode;
use lwa_protocol::router::{QuotaList, QuotaRefreshed, QuotaStatus, QuotaTried, QuotaView};
use lwa_protocol::{Event, Failure};
use lwa_providers::{Confidence, QuotaObservation, QuotaWindow, facts, observe, probe_balance};
use lwa_secrets::Secret;
use lwa_store::QuotaRecord;

use crate::engine::{Engine, rfc3339};
use crate::failure;

/// How long one provider may take to tell its balance.
const LIMIT: Duration = Duration::from_secs(20);

impl Engine {
    /// Keeps what the headers of an answer or of a failure say.
    pub(crate) async fn note_quotas(&self, provider: &str, headers: &[(String, String)]) {
        let now = self.now();
        let seen: Vec<QuotaRecord> =
            observe(provider, headers, now).into_iter().map(|seen| record(provider, seen, now)).collect();
        if let Err(failure) = self.keep_quotas(provider, &seen).await {
            // A quota that is not kept costs no answer.
            tracing::warn!(%failure, provider, "what a provider said about its quotas could not be kept");
        }
    }

    /// Keeps what a provider said, and tells so; not every answer says anything.
    async fn keep_quotas(&self, provider: &str, seen: &[QuotaRecord]) -> Result<(), Failure> {
        self.db.keep_quotas(seen).await.map_err(failure::store)?;
        if !seen.is_empty() {
            self.emit(Event::QuotaChanged { provider: provider.to_owned() });
        }
        Ok(())
    }

    /// `quota/list`.
    ///
    /// # Errors
    /// The database failed.
    pub async fn list_quotas(&self) -> Result<QuotaList, Failure> {
        let now = self.now();
        let quotas = self.db.quotas().await.map_err(failure::store)?;
        Ok(QuotaList { quotas: quotas.into_iter().map(|seen| view(seen, now)).collect() })
    }

    /// `quota/refresh`: asks each provider that has something to ask.
    ///
    /// # Errors
    /// The database failed.
    pub async fn refresh_quotas(&self) -> Result<QuotaRefreshed, Failure> {
        let snapshot = self.catalogue().await?;
        let mut providers = Vec::new();
        for facts in snapshot.facts.values().filter(|facts| facts.disabled_reason.is_none() && !facts.is_local) {
            let tried = match self.ask_balance(&facts.name).await {
                Ok(Some(())) => (QuotaStatus::Ok, None),
                Ok(None) => (QuotaStatus::NotSupported, None),
                Err(failure) if failure.code == ErrorCode::SecretsUnavailable => {
                    (QuotaStatus::NotConfigured, Some(failure.message))
                }
                Err(failure) => (QuotaStatus::Error, Some(failure.message)),
            };
            providers.push(QuotaTried { provider: facts.name.clone(), status: tried.0, detail: tried.1 });
        }
        Ok(QuotaRefreshed { providers, quotas: self.list_quotas().await?.quotas })
    }
}

impl Engine {
    /// Asks one provider; none when it has nothing that an API key may ask.
    async fn ask_balance(&self, name: &str) -> Result<Option<()>, Failure> {
        let bare = self.provider_endpoint_with(name, Some(Secret::new(String::new()))).await?;
        let specs = facts::for_endpoint(&bare).balance.as_slice();
        if specs.is_empty() {
            return Ok(None);
        }
        let config = self.configuration.in_force();
        let provider = config.providers.get(name);
        let names = provider.map(|known| [known.billing_api_key_env.as_deref(), known.quota_key_env.as_deref()]);
        // These keys are read at this moment, used for this and for nothing else.
        let billing = names
            .into_iter()
            .flatten()
            .flatten()
            .find_map(|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()))
            .map(|value| Secret::new(value.trim().to_owned()));
        let usual = match provider {
            Some(provider) => self.key_of(name, provider).await.ok().flatten(),
            None => None,
        };
        let mut problem = None;
        let mut has_asked = false;
        for spec in specs {
            let Some(key) = spec.choose_key(billing.as_ref(), usual.as_ref()) else { continue };
            let mut endpoint = self.provider_endpoint_with(name, Some(key.clone())).await?;
            endpoint.timeout = endpoint.timeout.min(LIMIT);
            has_asked = true;
            match probe_balance(&self.http, &endpoint, spec).await {
                Ok(seen) => {
                    let now = self.now();
                    let seen: Vec<QuotaRecord> = seen.into_iter().map(|seen| record(name, seen, now)).collect();
                    self.keep_quotas(name, &seen).await?;
                }
                Err(error) => problem = Some(failure::provider(&error)),
            }
        }
        match problem {
            Some(problem) => Err(problem),
            None if has_asked => Ok(Some(())),
            None => Err(Failure::new(ErrorCode::SecretsUnavailable, format!("no key that may ask `{name}` is there"))
                .hint("store the provider's key, or set `billing_api_key_env` or `quota_key_env`")),
        }
    }
}

fn record(provider: &str, seen: QuotaObservation, now: Timestamp) -> QuotaRecord {
    let unit = unit_of(seen.window);
    QuotaRecord {
        provider: provider.to_owned(),
        window: seen.window.as_str().to_owned(),
        limit: seen.limit.map(|amount| amount.to_string()),
        remaining: seen.remaining.map(|amount| amount.to_string()),
        unit: unit.to_owned(),
        resets_at: seen.resets_at,
        source: if seen.is_before_call { format!("{} (before the call)", seen.source) } else { seen.source },
        confidence: confidence(seen.confidence).to_owned(),
        observed_at: now,
    }
}

fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Known => "stated",
        Confidence::Hypothesis => "derived",
        Confidence::Guess => "uncertain",
    }
}

/// What the whole numbers of a window count.
fn unit_of(window: QuotaWindow) -> &'static str {
    let word = window.as_str();
    if word.starts_with("requests") {
        "requests"
    } else if word.contains("tokens") {
        "tokens"
    } else if word.starts_with("credits") {
        "thousandths of a credit"
    } else if word.starts_with("tool") {
        "calls"
    } else {
        "pico-dollars"
    }
}

fn view(seen: QuotaRecord, now: Timestamp) -> QuotaView {
    QuotaView {
        provider: seen.provider,
        window: seen.window,
        limit: seen.limit,
        remaining: seen.remaining,
        unit: seen.unit,
        resets_at: seen.resets_at.map(rfc3339),
        source: seen.source,
        confidence: seen.confidence,
        observed_at: rfc3339(seen.observed_at),
        age_seconds: u32::try_from(now.duration_since(seen.observed_at).as_secs()).unwrap_or(0),
    }
}
