//! What every store of secrets can do.

use crate::error::SecretError;
use crate::secret::Secret;

/// A place where secrets are kept under account names.
///
/// All methods block, and a keychain may block for as long as the human looks at its dialog.
pub trait SecretStore: Send + Sync {
    /// What the store is called in the configuration and in status: `keychain`, `file`, `memory`.
    fn name(&self) -> &'static str;

    /// The secret of `account`; none when there is none.
    ///
    /// # Errors
    /// The store cannot be reached, opened or read.
    fn get(&self, account: &str) -> Result<Option<Secret>, SecretError>;

    /// Keeps a secret under `account` and replaces the one that was there.
    ///
    /// # Errors
    /// The store cannot be reached, opened or written.
    fn set(&self, account: &str, secret: &Secret) -> Result<(), SecretError>;

    /// Forgets the secret of `account`; false when there was none.
    ///
    /// # Errors
    /// The store cannot be reached, opened or written.
    fn remove(&self, account: &str) -> Result<bool, SecretError>;

    /// Finds out whether the store works, by writing, reading back and removing an item.
    ///
    /// Opening says too little: a keychain that was never unlocked opens and then refuses to keep
    /// anything.
    ///
    /// # Errors
    /// What stands in the way.
    fn probe(&self) -> Result<(), SecretError> {
        // The process id keeps two programs that probe at once from removing each other's item.
        let account = format!("LWA_PROBE_{}", std::process::id());
        let value = Secret::new(format!("probe of process {}", std::process::id()));
        self.set(&account, &value)?;
        let read = self.get(&account);
        self.remove(&account)?;
        match read? {
            Some(read) if read.expose() == value.expose() => Ok(()),
            _ => Err(SecretError::Forgetful { store: self.name() }),
        }
    }
}

/// The account under which a provider's key is kept.
///
/// It has the shape of an environment variable, so that it also names a line of the private file.
/// Letters and digits are upper-cased, `_` becomes `__` and every other byte its two hexadecimal
/// digits after one `_`; two providers therefore never share an account.
pub fn account_for(provider: &str) -> String {
    let mut account = String::from("LWA_PROVIDER_");
    for byte in provider.bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' => account.push(byte.to_ascii_uppercase() as char),
            b'_' => account.push_str("__"),
            other => account.extend(["_".to_owned(), format!("{other:02X}")]),
        }
    }
    account
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn accounts_are_readable_and_never_shared() {
        assert_eq!(account_for("openrouter"), "LWA_PROVIDER_OPENROUTER");
        let providers = ["a-b", "a_b", "a__b", "ab", "Ab", "a_2Db", "a_2db", "a-2db", "a.b"];
        let accounts: BTreeSet<String> = providers.iter().map(|provider| account_for(provider)).collect();
        assert_eq!(accounts.len(), providers.len(), "{accounts:?}");
    }
}
