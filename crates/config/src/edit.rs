//! Edits of the file that keep its comments and its order.

mod place;

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Value};

use crate::config::{Config, Shipped};
use crate::error::ConfigError;
use crate::read::syntax_error;
use crate::schema;

/// Sets one key in the text of a configuration; `null` removes it.
///
/// The path is written as in [`flatten`](crate::flatten): `["router", "allow_paid"]`,
/// `["providers", "groq", "enabled"]`, `["models", "groq:NAME", "enabled"]`,
/// `["projects", "/home/me/shop", "worker", "arm"]`, with one more part for an
/// entry of a table by task or header. Tables that are missing are made. The result was read back, so
/// it can be used.
///
/// # Errors
/// There is no such key, the value does not fit it, or the text was not usable before.
pub fn set(text: &str, key_path: &[&str], value: &Json) -> Result<String, ConfigError> {
    set_over(text, key_path, value, &Shipped::default())
}

/// Like [`set`], for a configuration that is read over what is shipped.
///
/// # Errors
/// As [`set`].
pub fn set_over(text: &str, key_path: &[&str], value: &Json, shipped: &Shipped) -> Result<String, ConfigError> {
    // Lines in errors are those of the text as it would become; it has no path of its own.
    let path = Path::new("config.toml");
    let mut document: DocumentMut = text.parse().map_err(|error| syntax_error(&error, text, path))?;
    let target = place::Target::of(key_path)?;
    match toml_of(value) {
        Some(value) => target.set(&mut document, value),
        None => target.remove(&mut document),
    }
    let edited = document.to_string();
    Config::parse_with(&edited, path, shipped)?;
    Ok(edited)
}

/// Splits a key path that was written with dots, as [`flatten`](crate::flatten) writes it.
///
/// Names of models, providers, clients and folders may contain dots themselves; what is known about the keys
/// tells which dots separate: `models.groq:llama-3.1.enabled` has three parts.
pub fn key_path(dotted: &str) -> Vec<&str> {
    let Some((table, rest)) = dotted.split_once('.') else { return vec![dotted] };
    if matches!(table, "clients" | "projects")
        && let Some(at) = rest.rfind(".worker.")
        && schema::keys_in("clients.NAME.worker").any(|key| key.name() == &rest[at + ".worker.".len()..])
    {
        return vec![table, &rest[..at], "worker", &rest[at + ".worker.".len()..]];
    }
    let schema = match table {
        "providers" => "providers.NAME",
        "clients" => "clients.NAME",
        "models" => "models[]",
        _ => return std::iter::once(table).chain(rest.splitn(2, '.')).collect(),
    };
    for key in schema::keys_in(schema).filter(|key| key.kind.has_entries()) {
        let mark = format!(".{}.", key.name());
        if let Some(at) = rest.rfind(&mark) {
            return vec![table, &rest[..at], &rest[at + 1..at + mark.len() - 1], &rest[at + mark.len()..]];
        }
    }
    match rest.rsplit_once('.') {
        Some((name, key)) => vec![table, name, key],
        None => vec![table, rest],
    }
}

/// A JSON value as TOML; null has no counterpart.
pub(crate) fn toml_of(value: &Json) -> Option<Value> {
    match value {
        Json::Null => None,
        Json::Bool(flag) => Some((*flag).into()),
        Json::Number(number) => number.as_i64().map(Value::from).or_else(|| number.as_f64().map(Value::from)),
        Json::String(text) => Some(text.as_str().into()),
        Json::Array(values) => Some(Value::Array(values.iter().filter_map(toml_of).collect::<Array>())),
        Json::Object(fields) => {
            let mut table = InlineTable::new();
            for (key, value) in fields {
                if let Some(value) = toml_of(value) {
                    table.insert(key, value);
                }
            }
            Some(Value::InlineTable(table))
        }
    }
}

/// Puts `value` in the place of `item` and keeps the blanks and comments around it.
fn replace(item: &mut Item, mut value: Value) {
    if let Some(old) = item.as_value() {
        *value.decor_mut() = old.decor().clone();
    }
    *item = Item::Value(value);
}

/// Replaces a file whole or not at all.
///
/// A link stays a link and its target is replaced. The mode stays; a new file is readable by the user
/// alone, and so is a folder that has to be made.
///
/// # Errors
/// The file cannot be written; what was there is still there.
pub fn write_atomic(path: &Path, text: &str) -> Result<(), ConfigError> {
    write(path, text).map_err(|source| ConfigError::Write { path: path.to_owned(), source })
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let target = resolve(path)?;
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let mode = match fs::metadata(&target) {
        Ok(meta) => meta.permissions().mode() & 0o7777,
        Err(error) if error.kind() == io::ErrorKind::NotFound => 0o600,
        Err(error) => return Err(error),
    };
    let mut file = tempfile::Builder::new().prefix(".config-").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(fs::Permissions::from_mode(mode))?;
    file.as_file().sync_all()?;
    file.persist(&target).map_err(|error| error.error)?;
    fs::File::open(folder)?.sync_all()
}

/// Where a path really leads, also when the last link leads to a file that is not there yet.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_owned();
    // As many links as Linux follows.
    for _ in 0..40 {
        match fs::read_link(&target) {
            Ok(next) => target = target.parent().unwrap_or(Path::new(".")).join(next),
            Err(_) => return Ok(target),
        }
    }
    Err(io::Error::from(rustix::io::Errno::LOOP))
}
