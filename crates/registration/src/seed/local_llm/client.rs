//! The table `env` of the older worker's entry in a client's configuration.

use std::path::Path;

use serde_json::Value;
use toml_edit::Document;

use super::files::read;
use super::{PREFIX, Variable};
use crate::discover::{Source, SourceKind};
use crate::hidden::Hidden;
use crate::seed::SeedError;

/// Where clients keep their servers.
const LISTS: [&str; 3] = ["mcpServers", "mcp_servers", "servers"];

/// The variables of the first entry that sets any; none when no entry does.
///
/// # Errors
/// The file cannot be read, or is neither JSON nor TOML.
pub(super) fn variables(path: &Path) -> Result<Vec<Variable>, SeedError> {
    let text = read(path)?;
    let is_toml = path.extension().is_some_and(|ending| ending == "toml");
    let content = if is_toml { from_toml(&text) } else { serde_json::from_str(&text).ok() };
    let content =
        content.ok_or_else(|| SeedError::Form { path: path.to_owned(), form: "of a client's configuration" })?;
    // Some clients have a list for each project beside the one for all.
    let projects = content.get("projects").and_then(Value::as_object).into_iter().flat_map(|all| all.values());
    for holder in std::iter::once(&content).chain(projects) {
        for list in LISTS {
            for (name, entry) in holder.get(list).and_then(Value::as_object).into_iter().flatten() {
                let found = of_entry(path, &format!("{list}.{name}.env"), entry);
                if !found.is_empty() {
                    return Ok(found);
                }
            }
        }
    }
    Ok(Vec::new())
}

fn of_entry(path: &Path, entry_name: &str, entry: &Value) -> Vec<Variable> {
    let set = entry.get("env").and_then(Value::as_object).into_iter().flatten();
    set.filter_map(|(name, value)| {
        let name = name.strip_prefix(PREFIX)?.to_owned();
        let value = match value {
            Value::String(text) => text.clone(),
            Value::Bool(_) | Value::Number(_) => value.to_string(),
            _ => return None,
        };
        let source = Source {
            kind: SourceKind::File,
            path: Some(path.to_owned()),
            line: None,
            entry: Some(entry_name.to_owned()),
        };
        Some(Variable { name, value: Hidden::new(value), source })
    })
    .collect()
}

fn from_toml(text: &str) -> Option<Value> {
    let document = Document::parse(text).ok()?;
    Some(as_json(document.as_table()))
}

/// What of a table can hold servers and their variables: tables, texts, flags and whole numbers.
fn as_json(table: &dyn toml_edit::TableLike) -> Value {
    let entries = table.iter().filter_map(|(name, item)| {
        let value = if let Some(table) = item.as_table_like() {
            as_json(table)
        } else {
            let text = item.as_str().map(Value::from);
            text.or_else(|| item.as_bool().map(Value::from)).or_else(|| item.as_integer().map(Value::from))?
        };
        Some((name.to_owned(), value))
    });
    Value::Object(entries.collect())
}
