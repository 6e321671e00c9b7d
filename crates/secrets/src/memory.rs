//! A store that lives and dies with the process, for tests.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use crate::error::SecretError;
use crate::secret::Secret;
use crate::store::SecretStore;

/// Secrets in memory.
#[derive(Default)]
pub struct MemoryStore {
    secrets: Mutex<BTreeMap<String, Secret>>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").finish_non_exhaustive()
    }
}

impl SecretStore for MemoryStore {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn get(&self, account: &str) -> Result<Option<Secret>, SecretError> {
        Ok(self.secrets.lock().unwrap_or_else(PoisonError::into_inner).get(account).cloned())
    }

    fn set(&self, account: &str, secret: &Secret) -> Result<(), SecretError> {
        self.secrets.lock().unwrap_or_else(PoisonError::into_inner).insert(account.to_owned(), secret.clone());
        Ok(())
    }

    fn remove(&self, account: &str) -> Result<bool, SecretError> {
        Ok(self.secrets.lock().unwrap_or_else(PoisonError::into_inner).remove(account).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_and_forgets() {
        let store = MemoryStore::new();
        store.probe().unwrap();
        store.set("A", &Secret::new("one".into())).unwrap();
        assert_eq!(store.get("A").unwrap().unwrap().expose(), "one");
        assert!(store.remove("A").unwrap());
        assert!(!store.remove("A").unwrap());
        assert!(store.get("A").unwrap().is_none());
    }
}
