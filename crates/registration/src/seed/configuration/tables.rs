//! Providers and models.

use std::collections::BTreeSet;

use lwa_config::BUILTIN_PROVIDER;
use lwa_config::endpoint::ACCOUNT_PLACEHOLDER;
use lwa_config::schema::{self, Kind};
use lwa_domain::Capability;
use serde_json::{Map, Value, json};

use super::{Carried, NotCarried, Planner, values_of};
use crate::seed::SeedError;

/// Keys of a provider that decide whether it can be used at all; they are set first, in this order.
const FIRST: [&str; 3] = ["base_url", "account_id_env", "adapter"];

impl Planner<'_> {
    pub(super) fn provider(&mut self, name: &str, table: &Value) -> Result<(), SeedError> {
        let Value::Object(fields) = table else {
            self.not_carried(format!("providers.{name}"), "is no table");
            return Ok(());
        };
        if name == BUILTIN_PROVIDER {
            self.not_carried(format!("providers.{name}"), "the name belongs to the provider that is built in");
            return Ok(());
        }
        let is_new = !self.config()?.providers.contains_key(name);
        let before = (self.text.clone(), self.changes.len(), self.not_carried.len());
        if !self.reach_provider(name, fields, is_new)? {
            let why = self.not_carried.get(before.2..).and_then(<[NotCarried]>::first);
            let why = why.map_or_else(
                || "it has no address".to_owned(),
                |why| format!("`{}` {}", why.key.rsplit('.').next().unwrap_or_default(), why.reason),
            );
            self.text = before.0;
            self.changes.truncate(before.1);
            self.not_carried.truncate(before.2);
            self.not_carried(format!("providers.{name}"), why);
            return Ok(());
        }
        for (key, value) in fields {
            match (key.as_str(), value) {
                (_, Value::Null) => {}
                (key, _) if FIRST.contains(&key) => {}
                ("name", Value::String(own)) if own == name => {}
                ("name", _) => self.not_carried(format!("providers.{name}.name"), "the name of its table counts"),
                ("api_key_envs", Value::Array(names)) => self.key_variables(name, names),
                ("request_headers", Value::Object(headers)) => {
                    let path = ["providers", name, "request_headers"];
                    let usable = self.entries(&path, headers);
                    if !usable.is_empty() {
                        self.carry(&path, &Value::Object(usable));
                    }
                }
                (key, value) => drop(self.carry(&["providers", name, key], value)),
            }
        }
        Ok(())
    }

    /// Sets what makes a provider reachable. False when it cannot be one of ours.
    fn reach_provider(&mut self, name: &str, fields: &Map<String, Value>, is_new: bool) -> Result<bool, SeedError> {
        let get = |key: &str| fields.get(key).filter(|value| !value.is_null());
        if let Some(url) = get("base_url") {
            let account = get("account_id_env");
            if let (true, Some(account), Some(text)) = (is_new, account, url.as_str())
                && text.contains(ACCOUNT_PLACEHOLDER)
            {
                // Each of the two needs the other: an address without the placeholder comes first and is replaced.
                let alone = text.replace(ACCOUNT_PLACEHOLDER, "account");
                let seen = self.changes.len();
                self.carry(&["providers", name, "base_url"], &json!(alone));
                self.changes.truncate(seen);
                self.carry(&["providers", name, "account_id_env"], account);
            }
            if self.carry(&["providers", name, "base_url"], url) == Carried::Refused && is_new {
                return Ok(false);
            }
            if is_new {
                self.learn_defaults(&format!("providers.{name}."))?;
            }
        }
        if let Some(account) = get("account_id_env").filter(|_| !is_new) {
            self.carry(&["providers", name, "account_id_env"], account);
        }
        let Some(adapter) = get("adapter") else { return Ok(!is_new || get("base_url").is_some()) };
        // A shipped provider is spoken to as it is shipped, whatever the older product did.
        let carried = self.carry(&["providers", name, "adapter"], adapter);
        Ok(!is_new || (carried != Carried::Refused && self.config()?.providers.contains_key(name)))
    }

    /// Our own further names stay behind the older product's.
    fn key_variables(&mut self, name: &str, names: &[Value]) {
        let key = format!("providers.{name}.api_key_envs");
        let ours = self.values.get(&key).and_then(|(value, _)| value.as_array()).cloned().unwrap_or_default();
        if names.iter().all(|one| ours.contains(one)) {
            return;
        }
        let rest = ours.into_iter().filter(|one| !names.contains(one));
        let all: Vec<Value> = names.iter().cloned().chain(rest).collect();
        self.carry(&["providers", name, "api_key_envs"], &Value::Array(all));
    }

    pub(super) fn model(&mut self, table: &Value) -> Result<(), SeedError> {
        let word = |key: &str| table.get(key).and_then(Value::as_str);
        let (Some(provider), Some(model), Some(fields)) = (word("provider"), word("model"), table.as_object()) else {
            self.not_carried("models", "an entry names no provider or no model");
            return Ok(());
        };
        let config = self.config()?;
        let key = format!("{provider}:{model}");
        let Some(its_provider) = config.providers.get(provider) else {
            self.not_carried(format!("models.{key}"), format!("its provider `{provider}` is not carried"));
            return Ok(());
        };
        let class = its_provider.billing_class;
        if !config.models.iter().any(|known| known.provider == provider && known.model == model) {
            // An entry of defaults alone still has to be written.
            let enabled = fields.get("enabled").filter(|value| value.is_boolean()).cloned().unwrap_or(json!(true));
            if self.carry(&["models", &key, "enabled"], &enabled) == Carried::Refused {
                return Ok(());
            }
            self.learn_defaults(&format!("models.{key}."))?;
        }
        for (field, value) in fields {
            match (field.as_str(), value) {
                (_, Value::Null) | ("provider" | "model" | "source", _) => {}
                ("metadata", Value::Object(metadata)) => self.metadata(&key, metadata),
                ("billing_class", Value::String(own)) if self.inherits_class(&key) && own == class.as_str() => {}
                ("capabilities", Value::Array(words)) => {
                    self.carry(&["models", &key, field], &in_order(words));
                }
                ("task_scores", Value::Object(scores)) => {
                    let usable = self.entries(&["models", &key, field], &rounded(scores));
                    if !usable.is_empty() {
                        self.carry(&["models", &key, field], &Value::Object(usable));
                    }
                }
                ("service_tiers" | "supported_parameters", value)
                    if value.as_array().is_some_and(Vec::is_empty) || value.as_object().is_some_and(Map::is_empty) => {}
                (field, value) => drop(self.carry(&["models", &key, field], value)),
            }
        }
        Ok(())
    }

    /// What a new entry has by default holds already.
    fn learn_defaults(&mut self, prefix: &str) -> Result<(), SeedError> {
        let own = values_of(&self.config()?).into_iter().filter(|(path, _)| path.starts_with(prefix));
        self.values.extend(own.map(|(path, (value, _))| (path, (value, false))));
        Ok(())
    }

    fn inherits_class(&self, key: &str) -> bool {
        self.values.get(&format!("models.{key}.billing_class")).is_none_or(|(value, _)| value.is_null())
    }

    /// Of the free part of a model, what has a setting of its own here.
    fn metadata(&mut self, key: &str, metadata: &Map<String, Value>) {
        for (name, value) in metadata {
            let info = schema::keys().iter().find(|info| info.path == format!("models[].{name}"));
            match info {
                Some(info) if matches!(info.kind, Kind::Table) || value.is_string() => {
                    self.carry(&["models", key, name], value);
                }
                _ if name == "raw" => {}
                _ => self.not_carried(format!("models.{key}.metadata.{name}"), "this version has no such setting"),
            }
        }
    }
}

/// Capabilities in the order in which ours are kept; words that are unknown stay, and are refused later.
fn in_order(words: &[Value]) -> Value {
    let known: Option<BTreeSet<Capability>> = words.iter().map(|word| word.as_str()?.parse().ok()).collect();
    known.map_or_else(|| Value::Array(words.to_vec()), |known| json!(known))
}

/// The older product's scores may have a point; ours are whole.
fn rounded(scores: &Map<String, Value>) -> Map<String, Value> {
    let whole = |value: &Value| match value.as_f64() {
        Some(number) if (0.0..=100.0).contains(&number) => {
            #[expect(clippy::cast_possible_truncation, reason = "it lies between 0 and 100")]
            let number = number.round() as i64;
            json!(number)
        }
        _ => value.clone(),
    };
    scores.iter().map(|(task, value)| (task.clone(), whole(value))).collect()
}
