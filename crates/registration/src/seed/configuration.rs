//! From the older product's configuration to an edit of ours.

mod same;
mod tables;

use std::collections::BTreeMap;
use std::path::Path;

use lwa_config::diff::{Loosening, loosening};
use lwa_config::{Config, ConfigError, Shipped, edit, flatten, schema};
use lwa_domain::ConsentMode;
use serde::Serialize;
use serde_json::{Map, Value};

use super::SeedError;
use super::router;
use super::shown::{reason, shown};
use same::is_same;

/// Our configuration as it stands.
#[derive(Debug, Clone, Copy)]
pub struct Ours<'a> {
    /// The text of the file; empty when there is none.
    pub text: &'a str,
    /// The file, for messages.
    pub path: &'a Path,
    /// What is shipped.
    pub shipped: &'a Shipped,
    /// Whether a value that our file sets itself gives way.
    pub is_replaced: bool,
}

/// What an import would change.
#[derive(Debug, Clone)]
pub struct ConfigurationPlan {
    /// The file's text with the edit; comments and order are kept.
    pub text: String,
    /// The same, as it would be read.
    pub config: Config,
    /// What the edit sets.
    pub changes: Vec<Change>,
    /// What our file says otherwise and keeps.
    pub kept: Vec<Kept>,
    /// What has no counterpart.
    pub not_carried: Vec<NotCarried>,
    /// What of the edit will wait for a human.
    pub waiting: Vec<Loosening>,
}

/// One value that is set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The key's path.
    pub key: String,
    /// The value that held before.
    pub from: String,
    /// The new value.
    pub to: String,
}

/// One value of our file that stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Kept {
    /// The key's path.
    pub key: String,
    /// Our value.
    pub ours: String,
    /// The older product's value.
    pub theirs: String,
}

/// One setting that is not carried over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotCarried {
    /// Its path in the older product's file.
    pub key: String,
    /// Why.
    pub reason: String,
}

/// Settings that would break a promise of ours, and which one.
const REFUSED: &[(&str, &str)] = &[
    ("routing", "Lwa never calls another model than the one that was locked"),
    ("auxiliary_provider_mode", "Lwa never calls another model than the one that was locked"),
];

/// Turns the older product's configuration into an edit of ours.
///
/// What already holds is left alone, so that shipped values go on being updated with the product.
///
/// # Errors
/// The text is no configuration, or ours cannot be used.
pub fn plan_configuration(yaml: &str, ours: Ours<'_>) -> Result<ConfigurationPlan, SeedError> {
    let settings = router::read(yaml)?;
    let before = Config::parse_over(ours.text, ours.path, ours.shipped)?;
    let mut planner = Planner::new(ours, &before);
    planner.root(&settings)?;
    planner.finish(&before)
}

/// An edit while it grows.
pub(super) struct Planner<'a> {
    ours: Ours<'a>,
    /// Every value that holds, and whether our file sets it.
    values: BTreeMap<String, (Value, bool)>,
    text: String,
    changes: Vec<Change>,
    kept: Vec<Kept>,
    not_carried: Vec<NotCarried>,
}

/// How carrying a value over went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Carried {
    /// It holds now, or held before.
    Holds,
    /// Our file says otherwise and keeps it.
    Kept,
    /// Our configuration does not take it.
    Refused,
}

impl<'a> Planner<'a> {
    pub(super) fn new(ours: Ours<'a>, before: &Config) -> Self {
        Self {
            ours,
            values: values_of(before),
            text: ours.text.to_owned(),
            changes: Vec::new(),
            kept: Vec::new(),
            not_carried: Vec::new(),
        }
    }

    /// The edit as it can be written.
    pub(super) fn finish(self, before: &Config) -> Result<ConfigurationPlan, SeedError> {
        let config = self.config()?;
        Ok(ConfigurationPlan {
            waiting: loosening(before, &config),
            config,
            text: self.text,
            changes: self.changes,
            kept: self.kept,
            not_carried: self.not_carried,
        })
    }

    /// What was said last about a value that was not carried over goes under another name.
    pub(super) fn rename_not_carried(&mut self, key: String) {
        if let Some(last) = self.not_carried.last_mut() {
            last.key = key;
        }
    }

    fn root(&mut self, settings: &Map<String, Value>) -> Result<(), SeedError> {
        for (key, value) in settings {
            match (key.as_str(), value) {
                ("providers" | "models", _) | (_, Value::Null) => {}
                ("task_prompts", Value::Object(prompts)) => self.task_prompts(prompts),
                ("consent_mode", Value::String(mode)) => {
                    // The older names of the modes are understood and not written.
                    let known = ConsentMode::parse_lenient(mode).ok();
                    let mode = known.map_or_else(|| value.clone(), |mode| mode.as_str().into());
                    self.carry(&["router", "consent_mode"], &mode);
                }
                _ => self.setting(key, value),
            }
        }
        if let Some(Value::Object(providers)) = settings.get("providers") {
            for (name, table) in providers {
                self.provider(name, table)?;
            }
        }
        for table in settings.get("models").and_then(Value::as_array).into_iter().flatten() {
            self.model(table)?;
        }
        Ok(())
    }

    /// A setting of the root: it goes to the table of ours that has one of its name.
    fn setting(&mut self, key: &str, value: &Value) {
        if let Some((_, why)) = REFUSED.iter().find(|(refused, _)| *refused == key) {
            return self.not_carried(key, *why);
        }
        let has = |table: &str| schema::keys().iter().any(|info| info.path == format!("{table}.{key}"));
        match ["router", "library"].into_iter().find(|table| has(table)) {
            Some(table) => drop(self.carry(&[table, key], value)),
            None => self.not_carried(key, "this version has no such setting"),
        }
    }

    fn task_prompts(&mut self, prompts: &Map<String, Value>) {
        let usable = self.entries(&["router", "task_prompts"], prompts);
        if !usable.is_empty() {
            self.carry(&["router", "task_prompts"], &Value::Object(usable));
        }
    }

    /// The entries of a table that our configuration takes, each tried by itself; the others are listed.
    fn entries(&mut self, path: &[&str], entries: &Map<String, Value>) -> Map<String, Value> {
        let mut usable = Map::new();
        for (name, value) in entries {
            let alone = Value::Object(Map::from_iter([(name.clone(), value.clone())]));
            match edit::set_over(&self.text, path, &alone, self.ours.shipped) {
                Ok(_) => drop(usable.insert(name.clone(), value.clone())),
                Err(error) => self.not_carried(format!("{}.{name}", path.join(".")), reason(&error)),
            }
        }
        usable
    }

    /// Sets a value unless it holds already or our file says otherwise.
    pub(super) fn carry(&mut self, path: &[&str], value: &Value) -> Carried {
        let key = path.join(".");
        let (held, is_from_file) = self.values.get(&key).cloned().unwrap_or((Value::Null, false));
        if is_same(&held, value) {
            return Carried::Holds;
        }
        let text = match edit::set_over(&self.text, path, value, self.ours.shipped) {
            Ok(text) => text,
            Err(error) => {
                self.not_carried(key, reason(&error));
                return Carried::Refused;
            }
        };
        // An older word may mean what holds already.
        let read = self.read_back(&text, &key);
        if self.values.contains_key(&key) && read.as_ref().is_some_and(|read| is_same(&held, read)) {
            return Carried::Holds;
        }
        if is_from_file && !self.ours.is_replaced {
            self.kept.push(Kept { ours: shown(&key, &held), theirs: shown(&key, value), key });
            return Carried::Kept;
        }
        self.text = text;
        self.changes.push(Change { from: shown(&key, &held), to: shown(&key, value), key });
        Carried::Holds
    }

    /// What a key would be with this text.
    fn read_back(&self, text: &str, key: &str) -> Option<Value> {
        let config = Config::parse_over(text, self.ours.path, self.ours.shipped).ok()?;
        values_of(&config).remove(key).map(|(value, _)| value)
    }

    pub(super) fn not_carried(&mut self, key: impl Into<String>, reason: impl Into<String>) {
        self.not_carried.push(NotCarried { key: key.into(), reason: reason.into() });
    }

    /// Our configuration with the edit so far.
    fn config(&self) -> Result<Config, ConfigError> {
        Config::parse_over(&self.text, self.ours.path, self.ours.shipped)
    }
}

fn values_of(config: &Config) -> BTreeMap<String, (Value, bool)> {
    flatten(config).into_iter().map(|(key, value, is_from_file)| (key, (value, is_from_file))).collect()
}
