//! Secrets that one command gets as variables, without their text standing in the command.

use std::collections::BTreeMap;
use std::fmt;

use lwa_privacy::{Kind, Placeholder, Resolved, Vault};
use zeroize::Zeroizing;

/// A variable that a human granted to one command. `Debug` shows its name.
#[derive(Clone, PartialEq, Eq)]
pub struct GrantedVariable {
    name: String,
    value: Zeroizing<String>,
    placeholder: Placeholder,
}

impl fmt::Debug for GrantedVariable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.placeholder)
    }
}

impl GrantedVariable {
    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What stands for the value, for the question to the human.
    pub fn placeholder(&self) -> Placeholder {
        self.placeholder
    }

    pub(super) fn value(&self) -> &str {
        &self.value
    }

    pub(super) fn into_value(self) -> String {
        self.value.as_str().to_owned()
    }
}

/// Why `secret_env` cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SecretEnvError {
    /// The name is none that a shell knows, or it changes what programs load.
    #[error("`{0}` cannot be the name of a secret variable")]
    Name(String),
    /// A value that is no placeholder. It is not repeated.
    #[error("the value of `{0}` has to be a placeholder such as `[SECRET-1]`")]
    NoPlaceholder(String),
    /// A placeholder that stands for nothing here.
    #[error("`{0}` stands for no value in this conversation")]
    Unknown(Placeholder),
    /// A placeholder that stood for two values.
    #[error("`{0}` stood for two values and means neither")]
    Ambiguous(Placeholder),
    /// Something other than a secret.
    #[error("`{0}` is no secret; write it in the command, where it is put back")]
    NoSecret(Placeholder),
}

/// Looks the values up. Whether a human grants them is asked by the caller, always.
///
/// # Errors
/// One of them cannot be used; then none is.
pub fn granted(wanted: &BTreeMap<String, String>, vault: &Vault) -> Result<Vec<GrantedVariable>, SecretEnvError> {
    wanted.iter().map(|(name, value)| variable(name, value, vault)).collect()
}

fn variable(name: &str, value: &str, vault: &Vault) -> Result<GrantedVariable, SecretEnvError> {
    if !is_name(name) || lwa_process::is_dangerous_name(name) || name == "PATH" || name == "HOME" {
        let shown: String = name.chars().filter(|character| !character.is_control()).take(60).collect();
        return Err(SecretEnvError::Name(shown));
    }
    let Some(placeholder) = Placeholder::parse(value.trim()) else {
        return Err(SecretEnvError::NoPlaceholder(name.to_owned()));
    };
    match vault.resolve(placeholder) {
        Resolved::Value(Kind::Secret, value) => {
            Ok(GrantedVariable { name: name.to_owned(), value: Zeroizing::new(value.to_owned()), placeholder })
        }
        Resolved::Value(..) => Err(SecretEnvError::NoSecret(placeholder)),
        Resolved::Ambiguous => Err(SecretEnvError::Ambiguous(placeholder)),
        Resolved::Unknown => Err(SecretEnvError::Unknown(placeholder)),
    }
}

fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
