//! Which environment variable belongs to which provider.

use std::collections::BTreeMap;

use lwa_config::edit::key_path;
use serde::Serialize;
use serde_json::Value;

/// Variables that other programs keep sign-in cookies in. No provider may name them.
const NEVER: &[&str] = &["BING_COOKIE_U"];

/// What a variable of a provider holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Holds {
    /// The key that requests carry.
    Key,
    /// The account that a part of the address stands for. No secret, and no key.
    Account,
    /// A key that reads a balance or a quota and nothing else.
    QuotaKey,
}

/// The variables of one provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderVariables {
    /// The provider.
    pub provider: String,
    /// Where its requests go.
    pub base_url: Option<String>,
    /// Its variables, those of keys first, each in the order in which they are tried.
    pub names: Vec<(String, Holds)>,
}

impl ProviderVariables {
    /// The variable that its key usually stands in.
    pub fn usual_key(&self) -> Option<&str> {
        self.names.iter().find(|(_, holds)| *holds == Holds::Key).map(|(name, _)| name.as_str())
    }

    /// The variables of every provider, from the values of a configuration as
    /// [`flatten`](lwa_config::flatten) gives them. Providers without a variable are left out.
    pub fn of_values<'a>(values: impl IntoIterator<Item = (&'a str, &'a Value)>) -> Vec<Self> {
        let mut tables: BTreeMap<&str, BTreeMap<&str, &Value>> = BTreeMap::new();
        for (path, value) in values {
            if let ["providers", name, key] = key_path(path)[..] {
                tables.entry(name).or_default().insert(key, value);
            }
        }
        tables.into_iter().map(|(name, keys)| Self::of_table(name, &keys)).filter(|one| !one.names.is_empty()).collect()
    }

    fn of_table(provider: &str, keys: &BTreeMap<&str, &Value>) -> Self {
        let mut names: Vec<(String, Holds)> = Vec::new();
        for (key, holds) in [
            ("api_key_env", Holds::Key),
            ("api_key_envs", Holds::Key),
            ("account_id_env", Holds::Account),
            ("quota_key_env", Holds::QuotaKey),
            ("billing_api_key_env", Holds::QuotaKey),
        ] {
            let Some(value) = keys.get(key) else { continue };
            let several = value.as_array().into_iter().flatten().filter_map(Value::as_str);
            for name in value.as_str().into_iter().chain(several) {
                if !NEVER.contains(&name) && !names.iter().any(|(known, _)| known == name) {
                    names.push((name.to_owned(), holds));
                }
            }
        }
        let base_url = keys.get("base_url").and_then(|value| value.as_str()).map(str::to_owned);
        Self { provider: provider.to_owned(), base_url, names }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use lwa_config::{Config, flatten};

    use super::*;

    fn of(text: &str) -> Vec<ProviderVariables> {
        let flat = flatten(&Config::parse(text, Path::new("config.toml")).unwrap());
        ProviderVariables::of_values(flat.iter().map(|(key, value, _)| (key.as_str(), value)))
    }

    #[test]
    fn a_provider_has_its_variables_once_and_those_of_keys_first() {
        let text = "[providers.\"a.b\"]\nbase_url = \"https://a.example/{account_id}\"\naccount_id_env = \"A_ACCOUNT\"\n\
            quota_key_env = \"A_QUOTA\"\napi_key_env = \"A_KEY\"\napi_key_envs = [\"A_KEY\", \"A_KEY_2\"]\n\
            [providers.local]\nbase_url = \"http://127.0.0.1:1\"\n";
        let expected = ProviderVariables {
            provider: "a.b".to_owned(),
            base_url: Some("https://a.example/{account_id}".to_owned()),
            names: [
                ("A_KEY", Holds::Key),
                ("A_KEY_2", Holds::Key),
                ("A_ACCOUNT", Holds::Account),
                ("A_QUOTA", Holds::QuotaKey),
            ]
            .map(|(name, holds)| (name.to_owned(), holds))
            .to_vec(),
        };
        assert_eq!(of(text), [expected]);
    }

    #[test]
    fn lwa_085_a_browsers_cookie_is_never_the_variable_of_a_key() {
        let text = "[providers.a]\nbase_url = \"https://a.example\"\napi_key_env = \"BING_COOKIE_U\"\napi_key_envs = [\"A_KEY\"]\n";
        assert_eq!(of(text)[0].names, [("A_KEY".to_owned(), Holds::Key)]);
    }
}
