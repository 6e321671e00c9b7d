//! The operating system's keychain.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use keyring_core::{CredentialStore, Entry, Error};
use zeroize::Zeroize;

use crate::error::{PlatformError, SecretError};
use crate::secret::Secret;
use crate::store::SecretStore;

/// The service under which every item is filed.
const SERVICE: &str = "lwa";

/// Secrets in the Secret Service on Linux, the Keychain on macOS, the Credential Manager on Windows.
///
/// The last two are written but untested: no machine for them is at hand. The store connects at its
/// first use, and anew after a connection broke.
pub struct KeychainStore {
    service: String,
    connect: Connect,
    connection: Mutex<Option<Arc<CredentialStore>>>,
}

/// How a connection is made.
type Connect = Box<dyn Fn() -> Result<Arc<CredentialStore>, Error> + Send + Sync>;

impl KeychainStore {
    /// A store whose items are filed under `lwa`, or under `lwa-SUFFIX` so that folders of one's own
    /// never meet the user's keys.
    pub fn new(service_suffix: Option<String>) -> Self {
        let service = service_suffix.map_or_else(|| SERVICE.to_owned(), |suffix| format!("{SERVICE}-{suffix}"));
        Self { service, connect: Box::new(connect), connection: Mutex::new(None) }
    }

    /// Drops the connection, so that the next call makes a new one.
    ///
    /// A call that waits for a dialog holds its connection; whoever gives up on such a call uses
    /// this to keep later calls from queueing behind it.
    pub fn forget_connection(&self) {
        self.held().take();
    }

    fn held(&self) -> MutexGuard<'_, Option<Arc<CredentialStore>>> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection, and whether it was made just now.
    fn connection(&self) -> Result<(Arc<CredentialStore>, bool), SecretError> {
        if let Some(connection) = self.held().as_ref() {
            return Ok((Arc::clone(connection), false));
        }
        // Not under the lock: connecting may start the keychain and take its time.
        let made = (self.connect)().map_err(|error| SecretError::NoKeychain { source: told(&error) })?;
        *self.held() = Some(Arc::clone(&made));
        Ok((made, true))
    }

    /// Runs `work` on the item of `account`, once more on a new connection if an old one broke.
    fn with_entry<R>(&self, account: &str, work: impl Fn(&Entry) -> Result<R, Error>) -> Result<R, SecretError> {
        loop {
            let (connection, is_new) = self.connection()?;
            let done = Entry::new_in_store(&connection, &self.service, account).and_then(|entry| work(&entry));
            match done {
                Ok(result) => return Ok(result),
                Err(Error::PlatformFailure(source)) => {
                    self.forget_connection();
                    if is_new {
                        return Err(classify(account, Error::PlatformFailure(source)));
                    }
                }
                Err(error) => return Err(classify(account, error)),
            }
        }
    }
}

#[cfg(target_os = "linux")]
fn connect() -> Result<Arc<CredentialStore>, Error> {
    Ok(zbus_secret_service_keyring_store::Store::new()?)
}

#[cfg(target_os = "macos")]
fn connect() -> Result<Arc<CredentialStore>, Error> {
    Ok(apple_native_keyring_store::keychain::Store::new()?)
}

#[cfg(windows)]
fn connect() -> Result<Arc<CredentialStore>, Error> {
    Ok(windows_native_keyring_store::Store::new()?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
fn connect() -> Result<Arc<CredentialStore>, Error> {
    Err(Error::NoDefaultStore)
}

/// What the error means to the user. Variants that carry an item's bytes are emptied and dropped.
fn classify(account: &str, error: Error) -> SecretError {
    let account = account.to_owned();
    match error {
        Error::BadEncoding(mut bytes) | Error::BadDataFormat(mut bytes, _) => {
            bytes.zeroize();
            SecretError::NotText { account }
        }
        Error::Ambiguous(items) => SecretError::Ambiguous { account, count: items.len() },
        // The stores report a dialog that was put away as a lack of access, too.
        Error::NoStorageAccess(ref source) if source.to_string().to_lowercase().contains("prompt") => {
            SecretError::Denied { account, source: told(&error) }
        }
        Error::NoStorageAccess(_) => SecretError::Locked { source: told(&error) },
        other => SecretError::Failed { account, source: told(&other) },
    }
}

fn told(error: &Error) -> PlatformError {
    PlatformError(error.to_string())
}

impl fmt::Debug for KeychainStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeychainStore").field("service", &self.service).finish_non_exhaustive()
    }
}

impl SecretStore for KeychainStore {
    fn name(&self) -> &'static str {
        "keychain"
    }

    fn get(&self, account: &str) -> Result<Option<Secret>, SecretError> {
        self.with_entry(account, |entry| match entry.get_password() {
            Ok(value) => Ok(Some(Secret::new(value))),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(error),
        })
    }

    fn set(&self, account: &str, secret: &Secret) -> Result<(), SecretError> {
        self.with_entry(account, |entry| entry.set_password(secret.expose()))
    }

    fn remove(&self, account: &str) -> Result<bool, SecretError> {
        self.with_entry(account, |entry| match entry.delete_credential() {
            Ok(()) => Ok(true),
            Err(Error::NoEntry) => Ok(false),
            // Removing is the way out of several items with one name, so it removes them all.
            Err(Error::Ambiguous(items)) => items.iter().try_for_each(Entry::delete_credential).map(|()| true),
            Err(error) => Err(error),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use keyring_core::mock;
    use rstest::rstest;

    use super::*;

    /// A store over simulated keychains, and how often it connected. All connections share one
    /// keychain, as they would with a real one.
    fn simulated() -> (KeychainStore, Arc<CredentialStore>, Arc<AtomicUsize>) {
        let keychain: Arc<CredentialStore> = mock::Store::new().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let (given, counted) = (Arc::clone(&keychain), Arc::clone(&connections));
        let connect = move || {
            counted.fetch_add(1, Ordering::SeqCst);
            Ok(Arc::clone(&given))
        };
        let store = KeychainStore { connect: Box::new(connect), ..KeychainStore::new(None) };
        (store, keychain, connections)
    }

    /// Makes the next call on account `A` fail.
    fn fail_next(keychain: &Arc<CredentialStore>, error: Error) {
        let entry = Entry::new_in_store(keychain, SERVICE, "A").unwrap();
        entry.as_any().downcast_ref::<mock::Cred>().unwrap().set_error(error);
    }

    fn broken() -> Error {
        Error::PlatformFailure("the connection broke".into())
    }

    #[test]
    fn one_connection_serves_all_calls() {
        let (store, _, connections) = simulated();
        assert_eq!(connections.load(Ordering::SeqCst), 0, "nothing connects before the first use");
        store.set("A", &Secret::new("one".into())).unwrap();
        assert_eq!(store.get("A").unwrap().unwrap().expose(), "one");
        assert!(store.remove("A").unwrap());
        assert!(!store.remove("A").unwrap());
        assert_eq!(connections.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn a_broken_connection_is_replaced_and_the_call_repeated() {
        let (store, keychain, connections) = simulated();
        store.set("A", &Secret::new("one".into())).unwrap();
        fail_next(&keychain, broken());
        assert_eq!(store.get("A").unwrap().unwrap().expose(), "one");
        assert_eq!(connections.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn a_failure_on_a_new_connection_is_reported_and_the_next_call_connects_again() {
        let (store, keychain, connections) = simulated();
        fail_next(&keychain, broken());
        assert!(matches!(store.get("A"), Err(SecretError::Failed { .. })));
        assert!(store.get("A").unwrap().is_none());
        assert_eq!(connections.load(Ordering::SeqCst), 2);
    }

    #[test]
    fn a_forgotten_connection_is_made_again() {
        let (store, _, connections) = simulated();
        store.get("A").unwrap();
        store.forget_connection();
        store.get("A").unwrap();
        assert_eq!(connections.load(Ordering::SeqCst), 2);
    }

    #[rstest]
    #[case(Error::NoStorageAccess("object locked".into()), "is locked and did not open")]
    #[case(Error::NoStorageAccess("prompt dismissed".into()), "refused access to `A`")]
    #[case(Error::BadEncoding(b"fake-secret-bytes".to_vec()), "is not text")]
    #[case(Error::Ambiguous(Vec::new()), "holds 0 items for `A`")]
    #[case(Error::NoDefaultStore, "failed at `A`")]
    fn each_failure_has_its_own_message_without_a_value(#[case] error: Error, #[case] part: &str) {
        let (store, keychain, _) = simulated();
        fail_next(&keychain, error);
        let error = store.get("A").unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        let debug = format!("{error:?}");
        assert!(!debug.contains("102, 97, 107, 101") && !debug.contains("fake-secret"), "{debug}");
    }

    #[test]
    fn no_keychain_names_both_ways_out() {
        let connect = || Err(Error::PlatformFailure("no session bus".into()));
        let store = KeychainStore { connect: Box::new(connect), ..KeychainStore::new(None) };
        let message = store.probe().unwrap_err().to_string();
        assert!(message.starts_with("no keychain answers") && message.contains("backend = \"file\""), "{message}");
    }
}
