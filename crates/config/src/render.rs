//! A whole configuration as text.

use serde::Serialize;
use serde_json::Value as Json;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table};

use crate::config::{BUILTIN_PROVIDER, Config};
use crate::edit::toml_of;
use crate::schema::{self, Kind};

/// The configuration as a file that says everything, defaults included.
///
/// Reading it gives an equal configuration, alone or over what is shipped. It keeps what is in force
/// when that is neither the file nor what was accepted before, as after
/// [`without_loosening`](crate::diff::without_loosening).
pub fn to_toml(config: &Config) -> String {
    let mut document = DocumentMut::new();
    let root = document.as_table_mut();
    if let Some(sets) = toml_of(&Json::from(config.toolsets.clone())) {
        root.insert("toolsets", Item::Value(sets));
    }
    root.insert("router", table("router", &config.router, |_| true));
    root.insert("library", table("library", &config.library, |_| true));
    root.insert("telemetry", table("telemetry", &config.telemetry, |_| true));
    root.insert("worker", table("worker", &config.worker, |_| true));
    root.insert("secrets", table("secrets", &config.secrets, |_| true));
    root.insert("app", table("app", &config.app, |_| true));
    let mut providers = Table::new();
    providers.set_implicit(true);
    for (name, provider) in &config.providers {
        // The built-in provider takes these keys only.
        let is_taken = |key: &str| name != BUILTIN_PROVIDER || matches!(key, "enabled" | "disabled_reason");
        providers.insert(name, table("providers.NAME", provider, is_taken));
    }
    root.insert("providers", Item::Table(providers));
    let mut clients = Table::new();
    clients.set_implicit(true);
    for (name, client) in &config.clients {
        let mut own = table("clients.NAME", client, |_| true);
        if !client.worker.is_empty() {
            own["worker"] = table("clients.NAME.worker", &client.worker, |_| true);
        }
        clients.insert(name, own);
    }
    root.insert("clients", Item::Table(clients));
    let mut projects = Table::new();
    projects.set_implicit(true);
    for (folder, project) in &config.projects {
        let mut own = Table::new();
        own["worker"] = table("projects.DIR.worker", &project.worker, |_| true);
        projects.insert(folder, Item::Table(own));
    }
    root.insert("projects", Item::Table(projects));
    let models = config.models.iter().filter_map(|model| table("models[]", model, |_| true).into_table().ok());
    root.insert("models", Item::ArrayOfTables(models.collect::<ArrayOfTables>()));
    document.to_string()
}

fn table(schema: &str, values: &impl Serialize, is_taken: impl Fn(&str) -> bool) -> Item {
    let mut table = Table::new();
    let Ok(Json::Object(values)) = serde_json::to_value(values) else { return Item::Table(table) };
    for (key, value) in values.into_iter().filter(|(key, _)| is_taken(key)) {
        let kind = schema::keys_in(schema).find(|info| info.name() == key).map(|info| info.kind);
        // An empty text means none, also where the shipped entry has one.
        let value = match (value, kind) {
            (Json::Null, Some(Kind::Text | Kind::Variable | Kind::Url)) => Json::from(""),
            (value, _) => value,
        };
        if let Some(value) = toml_of(&value) {
            table.insert(&key, Item::Value(value));
        }
    }
    Item::Table(table)
}
