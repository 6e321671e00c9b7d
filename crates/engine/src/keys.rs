//! Keys: stored in the keychain or the private file, listed masked, read at the moment of a call.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use lwa_config::{Config, ProviderConfig, SecretsBackend, WORKER_FALLBACK_KEY, WORKER_KEY};
use lwa_domain::ErrorCode;
use lwa_protocol::host::SecretsState;
use lwa_protocol::provider::{KeyList, KeySetParams, KeyView, ProviderParams, ProviderView};
use lwa_protocol::{Event, Failure};
use lwa_secrets::{FileStore, KeychainStore, Secret, SecretError, SecretStore, account_for};
use lwa_store::NewAudit;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::caller::Caller;
use crate::catalogue::unknown_provider;
use crate::engine::{Engine, locked};
use crate::failure;
use crate::key_pool::PooledKey;

/// The setting that says which providers have a stored key, so that routing need not ask a keychain.
const INDEX: &str = "keys.index";
/// A keychain may show a dialog of its own; nobody is kept waiting longer than this for it.
const LIMIT: Duration = Duration::from_secs(5);
/// The longest key that is taken; longer input is something else.
const MAX_KEY_BYTES: usize = 8192;

/// Which providers have a stored key.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeyIndex {
    stored: BTreeMap<String, StoredKey>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct StoredKey {
    backend: String,
    masked: String,
    /// The address the key was stored for. A provider that was removed and comes back under the same
    /// name with another address does not get it.
    base_url: Option<String>,
}

/// Where a provider's key comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KeySource {
    Stored { backend: String, masked: String },
    Variable { name: String, masked: String },
}

impl KeyIndex {
    /// The providers with a stored key.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.stored.keys().map(String::as_str)
    }

    /// Where the key of a provider is: stored, else in the first of its variables that is set.
    pub fn find(&self, name: &str, provider: &ProviderConfig) -> Option<KeySource> {
        if let Some(stored) = self.stored.get(name).filter(|stored| stored.base_url == provider.base_url) {
            return Some(KeySource::Stored { backend: stored.backend.clone(), masked: stored.masked.clone() });
        }
        provider.key_names().into_iter().find_map(|variable| {
            let value = std::env::var(&variable).ok().filter(|value| !value.trim().is_empty())?;
            Some(KeySource::Variable { name: variable, masked: Secret::new(value).masked() })
        })
    }

    /// The key as people may see it.
    pub fn view(&self, name: &str, provider: &ProviderConfig) -> Option<KeyView> {
        self.find(name, provider).map(|source| match source {
            KeySource::Stored { backend, masked } => {
                KeyView { provider: name.to_owned(), backend, variable: None, masked }
            }
            KeySource::Variable { name: variable, masked } => KeyView {
                provider: name.to_owned(),
                backend: "environment".to_owned(),
                variable: Some(variable),
                masked,
            },
        })
    }
}

/// Whose key has this name: a provider, or one of the worker's models that has an address.
fn holder(config: &Config, name: &str) -> Option<ProviderConfig> {
    let of_the_worker = |base_url: &Option<String>| {
        base_url.clone().map(|base_url| ProviderConfig { base_url: Some(base_url), ..ProviderConfig::default() })
    };
    match name {
        WORKER_KEY => of_the_worker(&config.worker.base_url),
        WORKER_FALLBACK_KEY => of_the_worker(&config.worker.fallback_base_url),
        _ => config.providers.get(name).cloned(),
    }
}

/// What is known about the store for secrets.
#[derive(Debug, Default, Clone)]
pub enum SecretsHealth {
    /// It was not used yet.
    #[default]
    Unused,
    /// The last use succeeded.
    Works,
    /// The last use failed, and why.
    Fails(String),
}

impl Engine {
    pub(crate) async fn key_index(&self) -> Result<KeyIndex, Failure> {
        let text = self.db.setting(INDEX).await.map_err(failure::store)?;
        text.map_or_else(
            || Ok(KeyIndex::default()),
            |text| serde_json::from_str(&text).map_err(|error| failure::json(&error)),
        )
    }

    async fn save_index(&self, index: &KeyIndex) -> Result<(), Failure> {
        let text = serde_json::to_string(index).map_err(|error| failure::json(&error))?;
        self.db.set_setting(INDEX, Some(&text), self.now()).await.map_err(failure::store)
    }

    pub(crate) fn secret_store(&self) -> Arc<dyn SecretStore> {
        if let Some(store) = &self.secrets_override {
            return store.clone();
        }
        match self.configuration.in_force().secrets.backend {
            SecretsBackend::File => Arc::new(FileStore::new(self.home.secrets_file())),
            SecretsBackend::Keychain => Arc::new(KeychainStore::new(self.home.tag())),
        }
    }

    /// Uses the store away from the async threads and within a time limit, and notes how it went.
    pub(crate) async fn with_store<R: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn SecretStore) -> Result<R, SecretError> + Send + 'static,
    ) -> Result<R, Failure> {
        let store = self.secret_store();
        let task = tokio::task::spawn_blocking(move || work(store.as_ref()));
        let result = match tokio::time::timeout(LIMIT, task).await {
            Ok(Ok(result)) => result.map_err(|error| failure::secret(&error)),
            Ok(Err(_)) => Err(Failure::new(ErrorCode::Internal, "the store for keys failed unexpectedly")),
            Err(_) => Err(Failure::new(ErrorCode::SecretsUnavailable, "the keychain did not answer in time").hint(
                "is it showing a dialog? Unlock it, or choose the private file with `[secrets] backend = \"file\"`",
            )),
        };
        let problem = result.as_ref().err().map(|failure| match &failure.hint {
            Some(hint) => format!("{}; {hint}", failure.message),
            None => failure.message.clone(),
        });
        *locked(&self.secrets_state) = problem.map_or(SecretsHealth::Works, SecretsHealth::Fails);
        result
    }

    /// Where keys are kept and whether that works, as far as it was used.
    pub(crate) fn secrets_view(&self) -> SecretsState {
        let (state, detail) = match locked(&self.secrets_state).clone() {
            SecretsHealth::Unused => ("unknown", None),
            SecretsHealth::Works => ("ready", None),
            SecretsHealth::Fails(problem) => ("unavailable", Some(problem)),
        };
        SecretsState { backend: self.secret_store().name().to_owned(), state: state.to_owned(), detail }
    }

    /// Tries the store by writing, reading back and removing a probe.
    pub(crate) async fn probe_secrets(&self) -> Result<(), Failure> {
        self.with_store(|store| store.probe()).await
    }

    /// Every key of a provider, the stored one first, then those of its variables in their order.
    pub(crate) async fn pooled_keys(&self, name: &str) -> Result<Vec<PooledKey>, Failure> {
        let config = self.configuration.in_force();
        // A detected server is in no configuration and needs no key.
        let Some(provider) = config.providers.get(name) else { return Ok(Vec::new()) };
        let mut keys = Vec::new();
        if let Some(key) = self.key_of(name, provider).await? {
            let is_stored = matches!(self.key_index().await?.find(name, provider), Some(KeySource::Stored { .. }));
            if is_stored {
                keys.push(PooledKey { slot: "stored".to_owned(), key });
            }
        }
        for variable in provider.key_names() {
            let value = std::env::var(&variable).ok().map(|value| Secret::new(value.trim().to_owned()));
            let is_new = |value: &Secret| keys.iter().all(|known| known.key.expose() != value.expose());
            if let Some(key) = value.filter(|value| !value.expose().is_empty()).filter(is_new) {
                keys.push(PooledKey { slot: variable, key });
            }
        }
        Ok(keys)
    }

    /// The key of a provider, read now; none when it needs none.
    pub(crate) async fn key_of(&self, name: &str, provider: &ProviderConfig) -> Result<Option<Secret>, Failure> {
        let index = self.key_index().await?;
        if provider.key_names().is_empty() && index.find(name, provider).is_none() {
            return Ok(None);
        }
        let missing = || {
            Failure::new(ErrorCode::SecretsUnavailable, format!("the key of `{name}` is missing"))
                .hint(format!("store one with `lwa keys set {name}`"))
        };
        match index.find(name, provider).ok_or_else(missing)? {
            KeySource::Variable { name: variable, .. } => {
                Ok(std::env::var(variable).ok().map(|value| Secret::new(value.trim().to_owned())))
            }
            KeySource::Stored { .. } => {
                let account = account_for(name);
                let key = self.with_store(move |store| store.get(&account)).await?;
                key.map(Some).ok_or_else(missing)
            }
        }
    }

    /// The stored key of one of the worker's models; none when there is none for its address, or it cannot be read.
    pub(crate) async fn stored_worker_key(&self, name: &str) -> Option<Secret> {
        let holder = holder(&self.configuration.in_force(), name)?;
        let index = self.key_index().await.ok()?;
        let is_stored = matches!(index.find(name, &holder), Some(KeySource::Stored { .. }));
        if !is_stored {
            return None;
        }
        let account = account_for(name);
        self.with_store(move |store| store.get(&account)).await.ok().flatten()
    }

    /// `key/list`.
    ///
    /// # Errors
    /// The database failed.
    pub async fn list_keys(&self) -> Result<KeyList, Failure> {
        let index = self.key_index().await?;
        let config = self.configuration.in_force();
        let mut keys: Vec<KeyView> =
            config.providers.iter().filter_map(|(name, provider)| index.view(name, provider)).collect();
        for name in [WORKER_KEY, WORKER_FALLBACK_KEY] {
            keys.extend(holder(&config, name).and_then(|holder| index.view(name, &holder)));
        }
        Ok(KeyList { keys })
    }

    /// `key/set`: stores a key. A key for a provider that is not known is refused with the nearest name.
    ///
    /// # Errors
    /// No such provider, no key, a store that cannot be used, or a client's own process asks.
    pub async fn set_key(&self, caller: &Caller, params: KeySetParams) -> Result<KeyView, Failure> {
        self.refuse_clients_process(caller)?;
        let config = self.configuration.in_force();
        let provider = holder(&config, &params.provider)
            .ok_or_else(|| unknown_provider(&params.provider, config.providers.keys().map(String::as_str)))?;
        let key = Secret::new(params.key.trim().to_owned());
        let text = key.expose();
        if text.is_empty() {
            return Err(Failure::new(ErrorCode::InvalidInput, "the key is empty").hint("paste the key and try again"));
        }
        if text.len() > MAX_KEY_BYTES || text.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(Failure::new(
                ErrorCode::InvalidInput,
                "this is no key: it has spaces, line breaks or is too long",
            )
            .hint("paste the key alone"));
        }
        let masked = key.masked();
        let account = account_for(&params.provider);
        let backend = self
            .with_store(move |store| {
                store.set(&account, &key)?;
                Ok(store.name().to_owned())
            })
            .await?;
        let mut index = self.key_index().await?;
        index
            .stored
            .insert(params.provider.clone(), StoredKey { backend, masked, base_url: provider.base_url.clone() });
        self.save_index(&index).await?;
        self.after_key_change(caller, &params.provider, "key.set").await?;
        index
            .view(&params.provider, &provider)
            .ok_or_else(|| Failure::new(ErrorCode::Internal, "the key was stored but cannot be listed"))
    }

    /// `key/remove`: forgets a stored key. Returns the provider as it is without it.
    ///
    /// # Errors
    /// There is no stored key, the store cannot be used, or a client's own process asks.
    pub async fn remove_key(&self, caller: &Caller, params: &ProviderParams) -> Result<ProviderView, Failure> {
        self.refuse_clients_process(caller)?;
        let name = &params.provider;
        let mut index = self.key_index().await?;
        if index.stored.remove(name).is_none() {
            let config = self.configuration.in_force();
            let Some(provider) = config.providers.get(name) else {
                return Err(unknown_provider(name, config.providers.keys().map(String::as_str)));
            };
            return Err(match index.find(name, provider) {
                Some(KeySource::Variable { name: variable, .. }) => Failure::new(
                    ErrorCode::NotFound,
                    format!("the key of `{name}` comes from the variable `{variable}` and is not stored here"),
                )
                .hint(format!("unset `{variable}` and restart the host with `lwa stop`")),
                _ => Failure::new(ErrorCode::NotFound, format!("there is no stored key for `{name}`"))
                    .hint("`lwa keys list` shows the stored ones"),
            });
        }
        let account = account_for(name);
        self.with_store(move |store| store.remove(&account)).await?;
        self.save_index(&index).await?;
        self.after_key_change(caller, name, "key.removed").await?;
        self.provider_view(name).await
    }

    async fn after_key_change(&self, caller: &Caller, provider: &str, action: &str) -> Result<(), Failure> {
        self.forget_health(provider);
        self.forget_known_keys();
        let audit = NewAudit {
            at: self.now(),
            actor: caller.actor(),
            session: Some(caller.session.as_str()),
            action,
            object: Some(provider),
            decision: None,
            detail: json!({}),
        };
        self.db.append_audit(&audit).await.map_err(failure::store)?;
        self.emit(Event::ProvidersChanged);
        Ok(())
    }
}
