//! What a program sees of the environment: what is allowed, without what looks like a secret.

mod names;
mod values;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;

pub use names::{is_dangerous_name, is_secret_like_name};
pub use values::{clean_search_path, is_secret_like_value};

use crate::error::ProcessError;

/// The variables of one program. Printing it shows names, never values.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.variables.keys()).finish()
    }
}

impl Environment {
    /// No variable at all.
    pub fn empty() -> Self {
        Self::default()
    }

    /// The allowed names of `source`, without secrets and without what changes what programs load.
    ///
    /// An allowed name that ends in `*` stands for every name that begins like it. What looks like a
    /// secret is left out even when it is allowed, by its name or by its value.
    pub fn allowed<I>(source: I, allow: &[&str]) -> Self
    where
        I: IntoIterator<Item = (OsString, OsString)>,
    {
        let is_allowed = |name: &str| {
            allow.iter().any(|allowed| match allowed.strip_suffix('*') {
                Some(beginning) => name.starts_with(beginning),
                None => name == *allowed,
            })
        };
        Self::filtered(source, is_allowed)
    }

    /// All of `source`, without secrets and without what changes what programs load: for a command
    /// that a person would run in the same shell.
    pub fn cleaned<I>(source: I) -> Self
    where
        I: IntoIterator<Item = (OsString, OsString)>,
    {
        Self::filtered(source, |_| true)
    }

    fn filtered<I>(source: I, is_allowed: impl Fn(&str) -> bool) -> Self
    where
        I: IntoIterator<Item = (OsString, OsString)>,
    {
        let variables = source
            .into_iter()
            .filter_map(|(name, value)| {
                let known = name.to_str()?;
                let harmless = !is_secret_like_name(known) && !is_dangerous_name(known);
                let kept = is_valid_name(&name) && is_allowed(known) && harmless && is_harmless_value(&value);
                let value = if known == "PATH" { clean_search_path(&value) } else { value };
                kept.then_some((name, value))
            })
            .collect();
        Self { variables }
    }

    /// Adds a variable that the caller made up.
    ///
    /// # Errors
    /// The name looks like a secret, changes what programs load, or is no name.
    pub fn with(self, name: &str, value: impl Into<OsString>) -> Result<Self, ProcessError> {
        if is_secret_like_name(name) {
            return Err(ProcessError::SecretVariable(name.to_owned()));
        }
        self.with_granted(name, value)
    }

    /// Adds a variable whose value a person granted to this one program, secret or not.
    ///
    /// # Errors
    /// The name changes what programs load, or is no name.
    pub fn with_granted(mut self, name: &str, value: impl Into<OsString>) -> Result<Self, ProcessError> {
        let value = value.into();
        if !is_valid_name(OsStr::new(name)) || value.as_encoded_bytes().contains(&0) {
            return Err(ProcessError::InvalidVariable(name.escape_default().to_string()));
        }
        if is_dangerous_name(name) {
            return Err(ProcessError::DangerousVariable(name.to_owned()));
        }
        self.variables.insert(name.into(), value);
        Ok(self)
    }

    /// Adds a variable whose name and value stand in our own code, such as `GIT_PAGER=cat`: the name may be one that
    /// nobody else may set, since the value is no program of theirs.
    pub fn with_fixed(mut self, name: &'static str, value: &'static str) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &OsStr> {
        self.variables.keys().map(OsString::as_os_str)
    }

    /// The value of `name`.
    pub fn value(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// Whether `name` is there.
    pub fn holds(&self, name: &str) -> bool {
        self.variables.contains_key(OsStr::new(name))
    }

    pub(crate) fn variables(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

fn is_valid_name(name: &OsStr) -> bool {
    let bytes = name.as_encoded_bytes();
    !bytes.is_empty() && !bytes.contains(&b'=') && !bytes.contains(&0)
}

fn is_harmless_value(value: &OsStr) -> bool {
    !value.as_encoded_bytes().contains(&0) && !value.to_str().is_some_and(is_secret_like_value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop, proptest};
    use rstest::rstest;

    use super::*;

    fn pairs(list: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        list.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect()
    }

    #[test]
    fn only_what_is_allowed_and_harmless_is_passed_on() {
        let source = pairs(&[
            ("HOME", "/home/u"),
            ("LC_ALL", "C"),
            ("LC_TIME", "C"),
            ("EDITOR", "vi"),
            ("OPENAI_API_KEY", "planted"),
            ("LD_PRELOAD", "/x.so"),
            ("LANG", "sk-ant-planted0000000000000000"),
        ]);
        let environment = Environment::allowed(source, &["HOME", "LC_*", "OPENAI_API_KEY", "LD_PRELOAD", "LANG"]);
        assert_eq!(environment.names().collect::<Vec<_>>(), ["HOME", "LC_ALL", "LC_TIME"]);
    }

    #[test]
    fn a_cleaned_environment_keeps_ordinary_names() {
        let source = pairs(&[("VIRTUAL_ENV", "/v"), ("SSH_AUTH_SOCK", "/s"), ("GITHUB_TOKEN", "t"), ("PWD", "/")]);
        let environment = Environment::cleaned(source);
        assert_eq!(environment.names().collect::<Vec<_>>(), ["PWD", "SSH_AUTH_SOCK", "VIRTUAL_ENV"]);
    }

    #[test]
    fn a_secret_needs_a_grant_and_a_loader_variable_has_none() {
        let environment = Environment::empty();
        assert!(matches!(environment.clone().with("API_KEY", "x"), Err(ProcessError::SecretVariable(_))));
        assert!(environment.clone().with_granted("API_KEY", "x").unwrap().holds("API_KEY"));
        assert!(matches!(environment.clone().with_granted("LD_PRELOAD", "x"), Err(ProcessError::DangerousVariable(_))));
        assert!(matches!(environment.with("A=B", "x"), Err(ProcessError::InvalidVariable(_))));
    }

    #[test]
    fn printing_shows_no_value() {
        let environment = Environment::empty().with_granted("API_KEY", "planted-value").unwrap();
        assert_eq!(format!("{environment:?}"), r#"{"API_KEY"}"#);
    }

    #[rstest]
    #[case("PATH", "/usr/bin::.:bin:/bin", "/usr/bin:/bin")]
    #[case("PATH", "/usr/bin", "/usr/bin")]
    fn a_search_path_has_absolute_folders_only(#[case] name: &str, #[case] value: &str, #[case] kept: &str) {
        let environment = Environment::cleaned(pairs(&[(name, value)]));
        assert_eq!(environment.variables().collect::<Vec<_>>(), [(OsStr::new(name), OsStr::new(kept))]);
    }

    proptest! {
        #[test]
        fn no_secret_like_name_ever_passes(
            before in "[A-Z_]{0,6}",
            word in prop::sample::select(vec!["KEY", "TOKEN", "SECRET", "PASSWORD", "COOKIE", "CREDENTIAL"]),
            after in "[A-Z0-9_]{0,6}",
            lower in any::<bool>(),
        ) {
            let name = format!("{before}{word}{after}");
            let name = if lower { name.to_lowercase() } else { name };
            assert_eq!(Environment::cleaned(pairs(&[(&name, "x")])), Environment::empty());
            assert_eq!(Environment::allowed(pairs(&[(&name, "x")]), &["*"]), Environment::empty());
        }
    }
}
