//! Providers and models as people see them, and the test of a provider.

use std::sync::PoisonError;

use lwa_config::ProviderConfig;
use lwa_domain::{BillingClass, DataUse, ErrorCode, PicoUsd, ProviderFacts};
use lwa_protocol::Failure;
use lwa_protocol::provider::{
    FactSource, ModelList, ModelListParams, ModelView, ProviderList, ProviderParams, ProviderState, ProviderTested,
    ProviderView,
};
use tokio::time::Instant;

use crate::catalogue::{BUILTIN, Health, Snapshot, unknown_provider};
use crate::engine::{Engine, rfc3339};
use crate::failure;

impl Engine {
    /// `provider/list`: usable ones first, then by name.
    ///
    /// # Errors
    /// The database failed.
    pub async fn list_providers(&self) -> Result<ProviderList, Failure> {
        let snapshot = self.catalogue().await?;
        let mut providers = Vec::new();
        for facts in snapshot.facts.values() {
            providers.push(self.view_of(&snapshot, facts).await?);
        }
        providers.sort_by(|a, b| (a.state, &a.name).cmp(&(b.state, &b.name)));
        Ok(ProviderList { providers })
    }

    /// One provider.
    pub(crate) async fn provider_view(&self, name: &str) -> Result<ProviderView, Failure> {
        let snapshot = self.catalogue().await?;
        let facts = snapshot
            .facts
            .get(name)
            .ok_or_else(|| unknown_provider(name, snapshot.facts.keys().map(String::as_str)))?;
        self.view_of(&snapshot, facts).await
    }

    async fn view_of(&self, snapshot: &Snapshot, facts: &ProviderFacts) -> Result<ProviderView, Failure> {
        let name = facts.name.as_str();
        let config = snapshot.providers.get(name).cloned().unwrap_or_default();
        let health = self.health.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
        let (state, detail) = state_of(name, facts, &config, health.as_ref());
        let used = if facts.has_credential {
            self.db.cap_use(Some(name), self.now()).await.map_err(failure::store)?
        } else {
            lwa_store::CapUse::default()
        };
        let is_builtin = name == BUILTIN;
        let is_detected = snapshot.detected.iter().any(|server| server.name == name)
            && !self.configuration.in_force().providers.contains_key(name);
        let list = self.lists.of(name);
        Ok(ProviderView {
            name: name.to_owned(),
            adapter: if is_builtin { "builtin" } else { config.adapter.as_str() }.to_owned(),
            base_url: config.base_url.clone(),
            state,
            detail,
            billing_class: if is_builtin { BillingClass::Free } else { config.billing_class },
            data_use: if facts.is_local { DataUse::None } else { config.data_use },
            data_use_source: facts.data_use_source.clone(),
            is_experimental: facts.is_experimental,
            listed_at: list.as_ref().and_then(|list| list.listed_at).map(rfc3339),
            list_problem: list.and_then(|list| list.problem),
            is_local: facts.is_local,
            is_detected,
            needs_key: !facts.credential_names.is_empty(),
            key: snapshot.keys.view(name, &config),
            models: u32::try_from(snapshot.models.iter().filter(|model| model.key.provider == name).count())
                .unwrap_or(u32::MAX),
            daily_request_cap: config.daily_request_cap,
            requests_today: u32::try_from(used.requests_today).unwrap_or(u32::MAX),
            monthly_cap_pico_usd: config.monthly_usd_cap,
            spent_this_month_pico_usd: if facts.has_credential { used.spent_this_month } else { PicoUsd::ZERO },
            checked_at: health.map(|health| rfc3339(health.at)),
        })
    }

    /// `model/list`.
    ///
    /// # Errors
    /// The named provider does not exist.
    pub async fn list_models(&self, params: &ModelListParams) -> Result<ModelList, Failure> {
        let snapshot = self.catalogue().await?;
        if let Some(name) = &params.provider
            && !snapshot.facts.contains_key(name)
        {
            return Err(unknown_provider(name, snapshot.facts.keys().map(String::as_str)));
        }
        let stale = &snapshot.merged.stale;
        let wanted = snapshot
            .models
            .iter()
            .filter(|model| params.provider.as_ref().is_none_or(|name| *name == model.key.provider))
            .cloned();
        let mut models: Vec<ModelView> = wanted
            .map(|model| ModelView {
                is_price_stale: stale.contains(&model.key),
                effort_words: model.effort.map(|effort| effort.levels).unwrap_or_default(),
                max_output_tokens: model.max_output_tokens.map(|most| u32::try_from(most).unwrap_or(u32::MAX)),
                provenance: model
                    .provenance
                    .into_iter()
                    .map(|(field, origin)| FactSource { field, source: origin.source, as_of: origin.as_of })
                    .collect(),
                provider: model.key.provider,
                model: model.key.model,
                display_name: model.display_name,
                billing_class: model.billing_class,
                capabilities: model.capabilities.into_iter().collect(),
                reasoning_levels: model.reasoning_levels,
                context_length: u32::try_from(model.context_length).unwrap_or(u32::MAX),
                price: model.price,
                disabled_reason: model.disabled_reason,
                source: model.source,
            })
            .collect();
        models.sort_by(|a, b| (&a.provider, &a.model).cmp(&(&b.provider, &b.model)));
        Ok(ModelList { models })
    }

    /// `provider/test`: asks a provider for its models; sends no prompt and costs nothing.
    ///
    /// # Errors
    /// No such provider.
    pub async fn test_provider(&self, params: &ProviderParams) -> Result<ProviderTested, Failure> {
        let name = &params.provider;
        if name == BUILTIN {
            return Ok(ProviderTested {
                ok: true,
                detail: "part of this program; needs nothing".to_owned(),
                latency_ms: 0,
                models: Some(1),
            });
        }
        let began = Instant::now();
        let endpoint = match self.provider_endpoint(name).await {
            Ok(endpoint) => endpoint,
            Err(failure) if failure.code == ErrorCode::NotFound => return Err(failure),
            Err(failure) => {
                let way_out = failure.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
                return Ok(ProviderTested {
                    ok: false,
                    detail: format!("{}{way_out}", failure.message),
                    latency_ms: 0,
                    models: None,
                });
            }
        };
        drop(endpoint);
        let config = self.configuration.in_force().providers.get(name).cloned();
        let listed = match &config {
            // What is listed is kept, so that a test is a refresh as well.
            Some(provider) if provider.supports_live_models => self.ask_for_list(name, provider).await,
            _ => self.ask_unkept(name).await,
        };
        if listed.is_ok() {
            self.wake_keys(name);
        }
        let latency_ms = u32::try_from(began.elapsed().as_millis()).unwrap_or(u32::MAX);
        Ok(match listed {
            Ok(listing) => {
                let count = u32::try_from(listing.models.len()).unwrap_or(u32::MAX);
                ProviderTested {
                    ok: true,
                    detail: format!("reachable; lists {count} models"),
                    latency_ms,
                    models: Some(count),
                }
            }
            Err(failure) => ProviderTested { ok: false, detail: failure.message, latency_ms, models: None },
        })
    }
}

fn state_of(
    name: &str,
    facts: &ProviderFacts,
    config: &ProviderConfig,
    health: Option<&Health>,
) -> (ProviderState, Option<String>) {
    if let Some(reason) = &facts.disabled_reason {
        return (ProviderState::Disabled, Some(reason.clone()));
    }
    if !facts.has_credential {
        let account_missing = config.account_id_env.as_deref().filter(|name| std::env::var_os(name).is_none());
        let detail = match account_missing {
            Some(variable) if facts.credential_names.iter().any(|name| std::env::var_os(name).is_some()) => {
                format!("the account id is missing: set `{variable}`")
            }
            _ => format!("store a key with `lwa keys set {name}`, or set {}", quoted(&facts.credential_names)),
        };
        return (ProviderState::NeedsKey, Some(detail));
    }
    if let Some(cap) = &facts.exhausted_cap {
        return (ProviderState::Failing, Some(cap.clone()));
    }
    match health {
        _ if name == BUILTIN => (ProviderState::Ready, None),
        Some(Health { problem: Some(problem), .. }) => (ProviderState::Failing, Some(problem.clone())),
        Some(_) => (ProviderState::Ready, None),
        None => (ProviderState::Unverified, Some("not tried yet".to_owned())),
    }
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ")
}
