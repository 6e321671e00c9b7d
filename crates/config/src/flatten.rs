//! Every value in force, with where it comes from, for people.

use serde::Serialize;
use serde_json::Value;

use crate::config::Config;

/// One value in force.
pub type FlatValue = (String, Value, bool);

/// Every value of the configuration as key path, value, and whether the file set it.
///
/// A value that is absent is `null`. What a client or a project has of its own is listed where it has something.
/// Paths of models contain the model's key:
/// `models.groq:openai/gpt-oss-20b.enabled`.
pub fn flatten(config: &Config) -> Vec<FlatValue> {
    let mut flat = Vec::new();
    table(config, "", &Toolsets { toolsets: &config.toolsets }, &mut flat);
    table(config, "router", &config.router, &mut flat);
    table(config, "library", &config.library, &mut flat);
    table(config, "telemetry", &config.telemetry, &mut flat);
    table(config, "worker", &config.worker, &mut flat);
    for (name, provider) in &config.providers {
        table(config, &format!("providers.{name}"), provider, &mut flat);
    }
    for model in &config.models {
        table(config, &format!("models.{}", model.key()), model, &mut flat);
    }
    table(config, "secrets", &config.secrets, &mut flat);
    for (name, client) in &config.clients {
        let path = format!("clients.{name}");
        table(config, &path, client, &mut flat);
        if !client.worker.is_empty() {
            table(config, &format!("{path}.worker"), &client.worker, &mut flat);
        }
    }
    for (folder, project) in config.projects.iter().filter(|(_, project)| !project.worker.is_empty()) {
        table(config, &format!("projects.{folder}.worker"), &project.worker, &mut flat);
    }
    table(config, "app", &config.app, &mut flat);
    flat
}

/// The keys of the root that are no tables.
#[derive(Serialize)]
struct Toolsets<'a> {
    toolsets: &'a [String],
}

fn table(config: &Config, prefix: &str, values: &impl Serialize, flat: &mut Vec<FlatValue>) {
    // Our own structs of plain fields always serialise; if one ever did not, it would be missing here
    // and the schema test would say so.
    let Ok(Value::Object(values)) = serde_json::to_value(values) else { return };
    for (key, value) in values {
        let path = if prefix.is_empty() { key } else { format!("{prefix}.{key}") };
        let is_from_file = config.origin.lines.contains_key(&path);
        flat.push((path, value, is_from_file));
    }
}
