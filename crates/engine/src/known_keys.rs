//! Every key that this host knows, so that none of them is in a text that leaves, whoever the text is for.
//!
//! Keys in the environment are at hand. Stored ones are read from their store once, when a text is about to leave,
//! and again after a change; they stay in this process alone. A store that cannot be read keeps texts here: a key in
//! it could be part of one.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use lwa_privacy::egress::KnownSecrets;
use lwa_protocol::Failure;
use lwa_secrets::{Secret, SecretStore, account_for};

use crate::engine::{Engine, locked};
use crate::keys::{KeyIndex, SecretsHealth};

/// A shorter value is no key, and would hide ordinary text.
const SHORTEST_KEY: usize = 6;

/// The stored keys as they were last read.
#[derive(Debug, Default)]
pub struct StoredKeys {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Counts the changes, so that what was read before one is not kept after it.
    changes: u64,
    read: Option<Read>,
}

#[derive(Debug, Clone)]
struct Read {
    /// The store, and what it should hold by the index; another index means that a key was stored or removed.
    of: (String, KeyIndex),
    keys: Arc<[Secret]>,
}

impl Engine {
    /// Every key that must not leave.
    ///
    /// # Errors
    /// The store for keys cannot be read, so that it is not known what to look for.
    pub(crate) async fn known_secrets(&self) -> Result<KnownSecrets, Failure> {
        let stored = self.stored_keys().await.map_err(|failure| Failure {
            message: format!("{}; nothing was sent, because a stored key could be part of the text", failure.message),
            ..failure
        })?;
        Ok(self.known_with(&stored))
    }

    /// Every key that can be named now, for a count that is shown and a text that stays here. A store that failed is
    /// not asked again for it.
    pub(crate) async fn known_secrets_at_hand(&self) -> KnownSecrets {
        let has_failed = matches!(*locked(&self.secrets_state), SecretsHealth::Fails(_));
        let stored = if has_failed { None } else { self.stored_keys().await.ok() };
        self.known_with(&stored.unwrap_or_else(|| Arc::from([])))
    }

    /// The same keys as values, for texts that are scrubbed with a vault.
    pub(crate) async fn host_secrets(&self) -> Vec<String> {
        let has_failed = matches!(*locked(&self.secrets_state), SecretsHealth::Fails(_));
        let stored = if has_failed { None } else { self.stored_keys().await.ok() };
        let mut values: Vec<String> =
            stored.iter().flat_map(|keys| keys.iter()).map(|key| key.expose().to_owned()).collect();
        values.extend(self.keys_of_environment());
        values.retain(|value| value.len() >= SHORTEST_KEY);
        values
    }

    fn keys_of_environment(&self) -> impl Iterator<Item = String> {
        let config = self.configuration.in_force();
        let names: BTreeSet<String> =
            config.providers.values().flat_map(lwa_config::ProviderConfig::credential_names).collect();
        names.into_iter().filter_map(|name| std::env::var(name).ok())
    }

    fn known_with(&self, stored: &[Secret]) -> KnownSecrets {
        let mut known: KnownSecrets = self.keys_of_environment().collect();
        for key in stored {
            known.add(key.expose());
        }
        known
    }

    async fn stored_keys(&self) -> Result<Arc<[Secret]>, Failure> {
        let index = self.key_index().await?;
        let accounts: Vec<String> = index.names().map(account_for).collect();
        if accounts.is_empty() {
            return Ok(Arc::from([]));
        }
        let of = (self.secret_store().name().to_owned(), index);
        let changes = {
            let state = locked(&self.known_keys.state);
            if let Some(read) = state.read.as_ref().filter(|read| read.of == of) {
                return Ok(read.keys.clone());
            }
            state.changes
        };
        let read_all = move |store: &dyn SecretStore| {
            let keys: Result<Vec<Option<Secret>>, _> = accounts.iter().map(|account| store.get(account)).collect();
            keys.map(|keys| keys.into_iter().flatten().collect::<Vec<_>>())
        };
        let keys: Arc<[Secret]> = self.with_store(read_all).await?.into();
        let mut state = locked(&self.known_keys.state);
        if state.changes == changes {
            state.read = Some(Read { of, keys: keys.clone() });
        }
        Ok(keys)
    }

    /// A key was stored or removed. The index alone does not tell when a key is replaced by one with the same tail.
    pub(crate) fn forget_known_keys(&self) {
        let mut state = locked(&self.known_keys.state);
        state.changes += 1;
        state.read = None;
    }
}
