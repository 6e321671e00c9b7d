//! What routing chooses from: shipped, configured, listed and detected models with their providers' state right now.

pub(crate) mod live;

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lwa_config::{Adapter, Config, ModelConfig, ProviderConfig, Shipped};
use lwa_domain::{
    BillingClass, Capability, DataUse, ErrorCode, Model, ModelKey, Price, ProviderFacts, TaskKind, TrackRecord,
};
use lwa_protocol::{Event, Failure};
use lwa_providers::local::{DetectedServer, LocalCandidate, detect};
use lwa_providers::{Endpoint, ModelProfile, catalog};
use lwa_secrets::Secret;
use lwa_store::CapLimits;
use tokio::sync::watch;

use crate::catalogue::live::Merged;
use crate::engine::{Engine, locked};
use crate::failure;
use crate::keys::KeyIndex;

/// The built-in provider's name.
pub(crate) const BUILTIN: &str = lwa_routing::BUILTIN_PROVIDER;

/// Scores of a model nobody has scored, so that a local server is chosen for what it can do.
const UNSCORED: u8 = 60;
/// How far back calls say something about a model.
const TRACK_PERIOD: SignedDuration = SignedDuration::from_hours(24 * 14);
/// How long a failed call keeps a provider out of routing before it is tried again.
const COOL_DOWN: SignedDuration = SignedDuration::from_mins(1);
/// How long a detected list of local servers is good for.
pub(crate) const DETECT_EVERY: Duration = Duration::from_mins(1);
/// How long a preparation waits for the first look at local servers.
const FIRST_LOOK: Duration = Duration::from_millis(350);

/// How the last call of a provider went.
#[derive(Debug, Clone)]
pub struct Health {
    /// When.
    pub at: Timestamp,
    /// Why it failed; none when it succeeded.
    pub problem: Option<String>,
    /// Whether the failure says something about the whole provider, so that routing avoids it.
    pub is_provider_wide: bool,
}

/// Local model servers as they were found last.
#[derive(Debug)]
pub struct LocalServers {
    is_on: bool,
    found: watch::Sender<Option<Vec<DetectedServer>>>,
}

impl LocalServers {
    /// Nothing was looked for yet.
    pub(crate) fn new(is_on: bool) -> Self {
        Self { is_on, found: watch::Sender::new(if is_on { None } else { Some(Vec::new()) }) }
    }

    /// What was found; waits a little for the first look.
    async fn wait(&self) -> Vec<DetectedServer> {
        let mut found = self.found.subscribe();
        let _ = tokio::time::timeout(FIRST_LOOK, found.wait_for(Option::is_some)).await;
        found.borrow().clone().unwrap_or_default()
    }
}

/// The catalogue at one moment.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub models: Models,
    pub facts: BTreeMap<String, ProviderFacts>,
    pub providers: BTreeMap<String, ProviderConfig>,
    pub detected: Vec<DetectedServer>,
    pub keys: KeyIndex,
    /// How the calls of models went lately.
    pub tracks: Arc<BTreeMap<ModelKey, TrackRecord>>,
    /// Prices to reserve by, and the other things that routing does not look at.
    pub merged: Arc<Merged>,
}

/// The candidates: those that were merged last, or a copy of them with those of detected servers.
#[derive(Debug)]
pub(crate) enum Models {
    Merged(Arc<Merged>),
    WithDetected(Vec<Model>),
}

impl std::ops::Deref for Models {
    type Target = [Model];

    fn deref(&self) -> &[Model] {
        match self {
            Self::Merged(merged) => &merged.models,
            Self::WithDetected(models) => models,
        }
    }
}

/// What a call needs to know about a model beside its endpoint.
pub(crate) struct ModelCall {
    pub profile: ModelProfile,
    pub extra_body: Option<serde_json::Map<String, serde_json::Value>>,
    /// The protocol.
    pub adapter: lwa_providers::Adapter,
    /// The fields of its input, where each model has its own.
    pub input_mapping: serde_json::Map<String, serde_json::Value>,
}

/// The shipped providers and models in the form of the configuration.
pub fn shipped() -> Shipped {
    let mut shipped = Shipped::default();
    for provider in catalog::shipped() {
        let mut names = provider.key_env.iter().cloned();
        let config = ProviderConfig {
            enabled: provider.disabled_reason.is_none(),
            disabled_reason: provider.disabled_reason.clone(),
            base_url: Some(provider.base_url.clone()),
            api_key_env: names.next(),
            api_key_envs: names.collect(),
            adapter: shipped_adapter(provider.adapter),
            experimental: provider.is_experimental,
            billing_api_key_env: provider.billing_key_env.first().cloned(),
            quota_path: provider.quota_path.clone(),
            account_id_env: provider.account_id_env.first().cloned(),
            models_path: provider.models_path.clone(),
            chat_path: provider.chat_path.clone(),
            billing_class: provider.billing_class,
            data_use: provider.data_use,
            supports_live_models: provider.lists_models,
            monthly_usd_cap: provider.monthly_cap(),
            daily_request_cap: provider.daily_request_cap,
            ..ProviderConfig::default()
        };
        shipped.providers.insert(provider.name.clone(), config);
        shipped.models.extend(provider.seeds().into_iter().map(|seed| ModelConfig {
            capabilities: seed.capabilities,
            reasoning_levels: seed.reasoning_levels,
            context_length: seed.context_length,
            task_scores: seed.task_scores,
            ..ModelConfig::new(seed.key.provider, seed.key.model)
        }));
    }
    shipped
}

impl Engine {
    /// The catalogue as it is now. No network but a look at this machine's own servers.
    pub(crate) async fn catalogue(&self) -> Result<Snapshot, Failure> {
        let config = self.configuration.in_force();
        let detected = self.local.wait().await;
        let keys = self.key_index().await?;
        let mut providers = config.providers.clone();
        let merged = self.merged(&config);
        let mut of_detected = Vec::new();
        for server in &detected {
            if !providers.contains_key(&server.name) {
                providers.insert(server.name.clone(), detected_provider(server));
                of_detected.extend(server.models.iter().map(|model| detected_model(server, model)));
            }
        }
        let models = if of_detected.is_empty() {
            Models::Merged(merged.clone())
        } else {
            Models::WithDetected(merged.models.iter().cloned().chain(of_detected).collect())
        };
        let mut facts = BTreeMap::new();
        for (name, provider) in &providers {
            facts.insert(name.clone(), self.facts_of(name, provider, &keys).await?);
        }
        facts.insert(BUILTIN.to_owned(), builtin_facts(config.providers.get(BUILTIN)));
        let tracks = self.tracks().await?;
        Ok(Snapshot { models, facts, providers, detected, keys, tracks, merged })
    }

    async fn facts_of(&self, name: &str, provider: &ProviderConfig, keys: &KeyIndex) -> Result<ProviderFacts, Failure> {
        let credential_names = provider.key_names();
        let has_key = credential_names.is_empty() || keys.find(name, provider).is_some();
        let has_account = provider.account_id_env.as_deref().is_none_or(|name| std::env::var_os(name).is_some());
        // A provider without a key is excluded for that; its caps need no look at the database.
        let exhausted_cap = if has_key { self.exhausted_cap(name, provider).await? } else { None };
        Ok(ProviderFacts {
            name: name.to_owned(),
            disabled_reason: provider.disabled(),
            unhealthy_reason: self.health_problem(name),
            credential_names,
            has_credential: has_key && has_account,
            exhausted_cap,
            is_local: provider.is_local(),
            data_use: if provider.is_local() { DataUse::None } else { provider.data_use },
            data_use_source: Self::data_use_source(name, provider),
            is_experimental: provider.experimental && self.lists.of(name).is_none_or(|list| list.listed_at.is_none())
                || self.lists.of(name).is_some_and(|list| list.problem.is_some()),
        })
    }

    async fn exhausted_cap(&self, name: &str, provider: &ProviderConfig) -> Result<Option<String>, Failure> {
        if provider.daily_request_cap == 0 && provider.monthly_usd_cap.is_none() {
            return Ok(None);
        }
        let used = self.db.cap_use(Some(name), self.now()).await.map_err(failure::store)?;
        if provider.daily_request_cap > 0 && used.requests_today >= u64::from(provider.daily_request_cap) {
            return Ok(Some(format!("daily cap of {} requests is used up", provider.daily_request_cap)));
        }
        Ok(provider
            .monthly_usd_cap
            .filter(|cap| used.spent_this_month >= *cap)
            .map(|cap| format!("monthly cap of {cap} is used up")))
    }

    /// Why routing should avoid a provider for the moment.
    fn health_problem(&self, name: &str) -> Option<String> {
        let health = self.health.read().unwrap_or_else(PoisonError::into_inner);
        let last = health.get(name)?;
        let is_fresh = self.now() < last.at + COOL_DOWN;
        last.problem.clone().filter(|_| last.is_provider_wide && is_fresh)
    }

    /// Remembers how a call of a provider went.
    pub(crate) fn note_health(&self, provider: &str, error: Option<&Failure>) {
        let is_provider_wide = error.is_some_and(|error| {
            matches!(
                error.code,
                ErrorCode::ProviderUnauthorized
                    | ErrorCode::ProviderQuotaExhausted
                    | ErrorCode::ProviderUnreachable
                    | ErrorCode::ProviderRateLimited
            )
        });
        let health = Health { at: self.now(), problem: error.map(|error| error.message.clone()), is_provider_wide };
        self.health.write().unwrap_or_else(PoisonError::into_inner).insert(provider.to_owned(), health);
        self.emit(Event::ProvidersChanged);
    }

    /// Forgets what was noted, because the key or the configuration changed.
    pub(crate) fn forget_health(&self, provider: &str) {
        self.health.write().unwrap_or_else(PoisonError::into_inner).remove(provider);
        self.wake_keys(provider);
    }

    /// Looks for local servers once and tells if anything changed.
    pub(crate) async fn detect_local_servers(&self) {
        if !self.local.is_on {
            return;
        }
        let found = detect(&self.http, &LocalCandidate::defaults()).await;
        let is_new = self.local.found.borrow().as_ref() != Some(&found);
        self.local.found.send_replace(Some(found));
        if is_new {
            self.emit(Event::ProvidersChanged);
        }
    }

    /// What a token of a model costs, as it is known now.
    pub(crate) fn price_of(&self, provider: &str, model: &str) -> Option<Price> {
        let merged = self.merged(&self.configuration.in_force());
        let known = merged.models.iter().find(|known| known.key.provider == provider && known.key.model == model);
        known.and_then(|known| known.price.clone())
    }

    /// What may be sent to a model, by all that is known of it.
    fn profile_of(&self, provider: &str, model: &str, known: Option<&ModelConfig>) -> ModelProfile {
        let mut profile = catalog::find(provider).map(|shipped| shipped.profile_for(model)).unwrap_or_default();
        let merged = self.merged(&self.configuration.in_force());
        let key = ModelKey { provider: provider.to_owned(), model: model.to_owned() };
        let learnt = merged.models.iter().find(|model| model.key == key);
        if let Some(effort) = learnt.and_then(|model| model.effort.as_ref()) {
            profile = profile.with_effort(effort);
        }
        if let Some(listed) = self.lists.model(provider, model) {
            profile = profile.informed_by(&listed);
        }
        // What a person wrote about the model, or the shipped entry, holds over what was learnt elsewhere.
        if let Some(known) = known.filter(|known| !known.reasoning_levels.is_empty()) {
            profile.accepted_efforts.clone_from(&known.reasoning_levels);
        }
        if let Some(known) = known.filter(|known| !known.supported_parameters.is_empty()) {
            profile.supported_parameters = Some(known.supported_parameters.iter().cloned().collect());
        }
        profile
    }

    /// Where it is known from what a provider does with texts; empty when a person wrote it or nobody knows.
    fn data_use_source(name: &str, provider: &ProviderConfig) -> String {
        if provider.is_local() {
            return String::new();
        }
        match catalog::find(name) {
            Some(shipped) if shipped.data_use == provider.data_use => shipped.data_use_source.clone(),
            _ if provider.data_use == DataUse::Unknown => String::new(),
            _ => "your configuration".to_owned(),
        }
    }

    /// How the calls of models went in the last days.
    async fn tracks(&self) -> Result<Arc<BTreeMap<ModelKey, TrackRecord>>, Failure> {
        let known = locked(&self.tracks).clone();
        if let Some(known) = known {
            return Ok(known);
        }
        let tracks = Arc::new(self.db.tracks(self.now() - TRACK_PERIOD).await.map_err(failure::store)?);
        *locked(&self.tracks) = Some(tracks.clone());
        Ok(tracks)
    }

    /// A call ended, so that tracks have to be read again.
    pub(crate) fn forget_tracks(&self) {
        *locked(&self.tracks) = None;
    }

    /// The caps that a call of this provider must stay within.
    pub(crate) fn cap_limits(&self, provider: &str) -> CapLimits {
        let config = self.configuration.in_force();
        let of_provider = config.providers.get(provider);
        CapLimits {
            provider_daily_requests: of_provider.map_or(0, |provider| provider.daily_request_cap),
            provider_monthly: of_provider.and_then(|provider| provider.monthly_usd_cap),
            global_daily_requests: config.router.global_daily_request_cap,
            global_monthly: config.router.global_monthly_usd_cap,
        }
    }

    /// What is left of each cap, in words.
    pub(crate) async fn caps_left(&self, provider: &str) -> Result<Vec<String>, Failure> {
        let limits = self.cap_limits(provider);
        let now = self.now();
        let mut left = Vec::new();
        for (who, subject, daily, monthly) in [
            (provider, Some(provider), limits.provider_daily_requests, limits.provider_monthly),
            ("all providers", None, limits.global_daily_requests, limits.global_monthly),
        ] {
            if daily == 0 && monthly.is_none() {
                continue;
            }
            let used = self.db.cap_use(subject, now).await.map_err(failure::store)?;
            if daily > 0 {
                left.push(format!(
                    "{who}: {} of {daily} requests left today",
                    u64::from(daily).saturating_sub(used.requests_today)
                ));
            }
            if let Some(cap) = monthly {
                left.push(format!("{who}: {} of {cap} used this month", used.spent_this_month));
            }
        }
        Ok(left)
    }

    /// Everything needed to call a model: address, headers, key.
    pub(crate) async fn endpoint(&self, provider: &str, model: &str) -> Result<(Endpoint, ModelCall), Failure> {
        Ok((self.provider_endpoint(provider).await?, self.model_call(provider, model)))
    }

    /// How a model is called, apart from where.
    pub(crate) fn model_call(&self, provider: &str, model: &str) -> ModelCall {
        let config = self.configuration.in_force();
        let known = config.models.iter().find(|known| known.provider == provider && known.model == model);
        let adapter = config.providers.get(provider).map_or(Adapter::OpenAi, |provider| provider.adapter);
        ModelCall {
            adapter: adapter_of(adapter),
            profile: self.profile_of(provider, model, known),
            extra_body: known.and_then(|known| known.extra_body.clone()),
            input_mapping: catalog::find(provider)
                .and_then(|shipped| shipped.models.iter().find(|seed| seed.name == model))
                .map(|seed| seed.input_mapping.clone())
                .unwrap_or_default(),
        }
    }

    /// A provider's address, headers and key.
    pub(crate) async fn provider_endpoint(&self, name: &str) -> Result<Endpoint, Failure> {
        self.provider_endpoint_with(name, None).await
    }

    /// A provider's address and headers with the given key, or with its own when none is given.
    pub(crate) async fn provider_endpoint_with(&self, name: &str, key: Option<Secret>) -> Result<Endpoint, Failure> {
        let config = self.configuration.in_force();
        let detected = self.local.wait().await;
        let provider = config
            .providers
            .get(name)
            .cloned()
            .or_else(|| detected.iter().find(|server| server.name == name).map(detected_provider));
        let provider = provider.ok_or_else(|| unknown_provider(name, config.providers.keys().map(String::as_str)))?;
        let base_url = provider.base_url.clone().unwrap_or_default();
        let mut endpoint = Endpoint::new(name, base_url);
        endpoint.models_path.clone_from(&provider.models_path);
        endpoint.chat_path.clone_from(&provider.chat_path);
        endpoint.headers = provider.request_headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        endpoint.timeout = Duration::from_secs_f64(provider.timeout_seconds);
        endpoint.is_local = provider.is_local();
        endpoint.account_id = provider.account_id_env.as_deref().and_then(|name| std::env::var(name).ok());
        endpoint.key = match key {
            Some(key) => Some(key),
            None => self.key_of(name, &provider).await?,
        };
        Ok(endpoint)
    }
}

/// The adapter that speaks a configured protocol.
fn adapter_of(adapter: Adapter) -> lwa_providers::Adapter {
    match adapter {
        Adapter::OpenAi | Adapter::Builtin => lwa_providers::Adapter::OpenAi,
        Adapter::Gemini => lwa_providers::Adapter::Gemini,
        Adapter::Cohere => lwa_providers::Adapter::Cohere,
        Adapter::Puter => lwa_providers::Adapter::Puter,
        Adapter::Replicate => lwa_providers::Adapter::Replicate,
        Adapter::Stability => lwa_providers::Adapter::Stability,
    }
}

/// The word of the configuration for a shipped protocol.
fn shipped_adapter(adapter: lwa_providers::Adapter) -> Adapter {
    match adapter {
        lwa_providers::Adapter::OpenAi | lwa_providers::Adapter::OpenAiMedia => Adapter::OpenAi,
        lwa_providers::Adapter::Gemini => Adapter::Gemini,
        lwa_providers::Adapter::Cohere => Adapter::Cohere,
        lwa_providers::Adapter::Puter => Adapter::Puter,
        lwa_providers::Adapter::Replicate => Adapter::Replicate,
        lwa_providers::Adapter::Stability => Adapter::Stability,
    }
}

/// The name is no provider's; says which one was probably meant.
pub(crate) fn unknown_provider<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Failure {
    let near = lwa_domain::label::nearest(name, known);
    let failure = Failure::new(ErrorCode::NotFound, format!("there is no provider `{name}`"));
    match near {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint("`lwa providers` lists them"),
    }
}

/// Who pays for a model: its own class where a person gave it one, else the provider's rule for it.
pub(crate) fn class_of(model: &ModelConfig, provider: Option<&ProviderConfig>) -> BillingClass {
    let by_rule = provider.map(|known| catalog::class_of(&model.provider, &model.model, known.billing_class));
    model.billing_class.or(by_rule).unwrap_or(BillingClass::Unknown)
}

fn configured_models(config: &Config) -> Vec<Model> {
    let seeds: std::collections::BTreeSet<ModelKey> =
        catalog::shipped().iter().flat_map(catalog::ShippedProvider::seeds).map(|seed| seed.key).collect();
    config
        .models
        .iter()
        .map(|model| {
            let provider = config.providers.get(&model.provider);
            let mut known = Model { billing_class: class_of(model, provider), ..model.to_model(provider) };
            let is_in_file = config.origin.lines.keys().any(|key| key.starts_with(&format!("models.{}.", model.key())));
            if !is_in_file && seeds.contains(&known.key) {
                "seed".clone_into(&mut known.source);
            }
            known
        })
        .collect()
}

fn detected_provider(server: &DetectedServer) -> ProviderConfig {
    ProviderConfig {
        adapter: Adapter::OpenAi,
        base_url: Some(server.base_url.clone()),
        billing_class: BillingClass::Free,
        data_use: DataUse::None,
        // A local model may have to be loaded first and writes slowly on a laptop.
        timeout_seconds: 300.0,
        ..ProviderConfig::default()
    }
}

fn detected_model(server: &DetectedServer, model: &lwa_providers::ListedModel) -> Model {
    let stated = model.capabilities.iter().filter(|(_, has)| **has).map(|(capability, _)| *capability);
    let capabilities = stated.chain([Capability::Text]).collect();
    Model {
        display_name: model.display_name.clone(),
        capabilities,
        reasoning_levels: model.reasoning_levels.clone().unwrap_or_default(),
        context_length: model.context_length.unwrap_or(8192),
        task_scores: TaskKind::ALL.iter().map(|task| (*task, UNSCORED)).collect(),
        ..Model::named(ModelKey { provider: server.name.clone(), model: model.id.clone() }, BillingClass::Free, "live")
    }
}

fn builtin_model() -> Model {
    let served = TaskKind::ALL.iter().filter(|task| task.is_served_without_model());
    Model {
        display_name: Some("Built-in condenser".to_owned()),
        capabilities: [Capability::Text].into(),
        // What the longest prompt can be estimated at, with the longest answer beside it.
        context_length: 2_200_000,
        task_scores: served.map(|task| (*task, 50)).collect(),
        ..Model::named(
            ModelKey { provider: BUILTIN.to_owned(), model: lwa_routing::BUILTIN_MODEL.to_owned() },
            BillingClass::Free,
            "seed",
        )
    }
}

fn builtin_facts(config: Option<&ProviderConfig>) -> ProviderFacts {
    ProviderFacts {
        name: BUILTIN.to_owned(),
        disabled_reason: config.and_then(ProviderConfig::disabled),
        unhealthy_reason: None,
        credential_names: Vec::new(),
        has_credential: true,
        exhausted_cap: None,
        is_local: true,
        data_use: DataUse::None,
        data_use_source: String::new(),
        is_experimental: false,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// What is in force is kept as a file and read again at the next start; a shipped value that a file may not hold
    /// would throw all of it away.
    #[test]
    fn what_is_shipped_can_be_kept_and_read_again() {
        let shipped = shipped();
        let config = Config::parse_over("", Path::new("config.toml"), &shipped).unwrap();
        let kept = lwa_config::to_toml(&config);
        assert_eq!(Config::parse_over(&kept, Path::new("config.toml"), &shipped).unwrap(), config);
    }
}
