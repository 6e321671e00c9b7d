//! Which key of which table an edit means.

use toml_edit::{ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value};

use super::replace;
use crate::error::{ConfigError, hint, presentable};
use crate::schema::{self, KeyInfo};

/// The place of a key.
pub(super) struct Target<'a> {
    holder: Holder<'a>,
    key: &'a str,
    /// The entry of a table by task or header.
    entry: Option<&'a str>,
}

/// The table that holds the key.
enum Holder<'a> {
    Root,
    Table(&'a str),
    Named(&'a str, &'a str),
    /// The table `worker` of a named table.
    Worker(&'a str, &'a str),
    Model(&'a str, &'a str),
}

impl<'a> Target<'a> {
    /// Finds the place, or says which key was probably meant.
    pub(super) fn of(path: &[&'a str]) -> Result<Self, ConfigError> {
        let unknown = |wrong: &str, table: &str| ConfigError::NoSuchKey {
            key: path.iter().map(|part| presentable(part)).collect::<Vec<_>>().join("."),
            hint: hint(wrong, schema::keys_in(table).map(KeyInfo::name)),
        };
        let (holder, table, rest) = match path {
            [key] => (Holder::Root, "", std::slice::from_ref(key)),
            [table @ ("router" | "library" | "telemetry" | "worker" | "app" | "secrets"), rest @ ..] => {
                (Holder::Table(table), *table, rest)
            }
            [table @ "clients", name, "worker", rest @ ..] => {
                (Holder::Worker(table, name), "clients.NAME.worker", rest)
            }
            [table @ "projects", name, "worker", rest @ ..] => {
                (Holder::Worker(table, name), "projects.DIR.worker", rest)
            }
            [table @ "providers", name, rest @ ..] => (Holder::Named(table, name), "providers.NAME", rest),
            [table @ "clients", name, rest @ ..] => (Holder::Named(table, name), "clients.NAME", rest),
            ["models", model, rest @ ..] => {
                let (provider, name) = model.split_once(':').ok_or_else(|| unknown(model, "models[]"))?;
                (Holder::Model(provider, name), "models[]", rest)
            }
            _ => return Err(unknown(path.first().unwrap_or(&""), "")),
        };
        let (key, entry) = match rest {
            [key] => (*key, None),
            [key, entry] => (*key, Some(*entry)),
            _ => return Err(unknown("", table)),
        };
        let info = schema::keys_in(table).find(|info| info.name() == key).ok_or_else(|| unknown(key, table))?;
        // What a model is cannot be set; it is its name here.
        let names_model = matches!(info.path, "models[].provider" | "models[].model");
        if (entry.is_some() && !info.kind.has_entries()) || names_model {
            return Err(unknown(key, table));
        }
        Ok(Self { holder, key, entry })
    }

    /// Sets the key; tables that are missing are made.
    pub(super) fn set(&self, document: &mut DocumentMut, value: Value) {
        let Some(mut table) = self.table(document, true) else { return };
        let mut key = self.key;
        if let Some(entry) = self.entry {
            let inner = table.entry(key).or_insert(Item::Value(InlineTable::new().into()));
            let Some(inner) = inner.as_table_like_mut() else { return };
            table = inner;
            key = entry;
        }
        match table.get_mut(key) {
            Some(item) => replace(item, value),
            None => drop(table.insert(key, Item::Value(value))),
        }
    }

    /// Removes the key, so that its default holds.
    pub(super) fn remove(&self, document: &mut DocumentMut) {
        let Some(table) = self.table(document, false) else { return };
        match self.entry {
            None => drop(table.remove(self.key)),
            Some(entry) => {
                if let Some(inner) = table.get_mut(self.key).and_then(Item::as_table_like_mut) {
                    inner.remove(entry);
                }
            }
        }
    }

    fn table<'d>(&self, document: &'d mut DocumentMut, make: bool) -> Option<&'d mut dyn TableLike> {
        let root = document.as_table_mut();
        match self.holder {
            Holder::Root => Some(root),
            Holder::Table(name) => child(root, name, make, false),
            Holder::Named(table, name) => child(child(root, table, make, true)?, name, make, false),
            Holder::Worker(table, name) => {
                let named = child(child(root, table, make, true)?, name, make, true)?;
                child(named, "worker", make, false)
            }
            Holder::Model(provider, model) => element(root, provider, model, make),
        }
    }
}

/// The table `name` in `parent`; made when it is missing and may be.
fn child<'d>(parent: &'d mut dyn TableLike, name: &str, make: bool, implicit: bool) -> Option<&'d mut dyn TableLike> {
    if make && !parent.contains_key(name) {
        let mut table = Table::new();
        table.set_implicit(implicit);
        parent.insert(name, Item::Table(table));
    }
    parent.get_mut(name)?.as_table_like_mut()
}

/// The last table of `models` with this provider and name; made when it is missing and may be.
fn element<'d>(root: &'d mut Table, provider: &str, model: &str, make: bool) -> Option<&'d mut dyn TableLike> {
    let is_it = |table: &dyn TableLike| {
        let text = |key| table.get(key).and_then(Item::as_str);
        text("provider") == Some(provider) && text("model") == Some(model)
    };
    if make && !root.contains_key("models") {
        root.insert("models", Item::ArrayOfTables(ArrayOfTables::new()));
    }
    let identity = [("provider", provider), ("model", model)];
    match root.get_mut("models")? {
        Item::ArrayOfTables(tables) => {
            let found = (0..tables.len()).rev().find(|index| tables.get(*index).is_some_and(|table| is_it(table)));
            if found.is_none() && make {
                let mut table = Table::new();
                for (key, text) in identity {
                    table.insert(key, toml_edit::value(text));
                }
                tables.push(table);
            }
            let index = found.or_else(|| tables.len().checked_sub(1).filter(|_| make))?;
            tables.get_mut(index).map(|table| table as &mut dyn TableLike)
        }
        Item::Value(Value::Array(values)) => {
            let found = (0..values.len())
                .rev()
                .find(|index| values.get(*index).and_then(Value::as_inline_table).is_some_and(|table| is_it(table)));
            if found.is_none() && make {
                let mut table = InlineTable::new();
                for (key, text) in identity {
                    table.insert(key, text.into());
                }
                values.push(table);
            }
            let index = found.or_else(|| values.len().checked_sub(1).filter(|_| make))?;
            values.get_mut(index)?.as_inline_table_mut().map(|table| table as &mut dyn TableLike)
        }
        _ => None,
    }
}
