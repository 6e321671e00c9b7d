//! Tables whose keys are not fixed: by task, by header, and free ones.

use std::collections::BTreeMap;

use lwa_domain::{TaskKind, UnknownLabel};
use serde_json::{Map, Number, Value as Json};
use toml_edit::{Item, TableLike, Value};

use super::{Fields, unknown_label};
use crate::error::{ConfigError, presentable};

/// Headers that hold keys, or that the HTTP client sets by itself.
const REFUSED_HEADERS: &[&str] = &[
    "authorization",
    "proxy-authorization",
    "cookie",
    "x-api-key",
    "api-key",
    "x-goog-api-key",
    "x-auth-token",
    "host",
    "connection",
    "content-length",
    "content-type",
    "transfer-encoding",
];

/// Fields of a request that decide what is bought, and therefore belong to the plan alone.
const REFUSED_FIELDS: &[&str] = &[
    "model",
    "models",
    "messages",
    "prompt",
    "input",
    "stream",
    "n",
    "best_of",
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
];

impl Fields<'_> {
    /// Texts by task.
    pub(crate) fn texts_by_task(
        &self,
        key: &'static str,
        target: &mut BTreeMap<TaskKind, String>,
    ) -> Result<(), ConfigError> {
        let Some(table) = self.free_table(key)? else { return Ok(()) };
        target.clear();
        for (name, item) in table.iter() {
            let text = item.as_str().ok_or_else(|| self.wrong(key, item))?;
            target.insert(self.task(key, name, item)?, text.to_owned());
        }
        Ok(())
    }

    /// Numbers from 0 to 100 by task.
    pub(crate) fn scores_by_task(
        &self,
        key: &'static str,
        target: &mut BTreeMap<TaskKind, u8>,
    ) -> Result<(), ConfigError> {
        let Some(table) = self.free_table(key)? else { return Ok(()) };
        target.clear();
        for (name, item) in table.iter() {
            let task = self.task(key, name, item)?;
            let score = item.as_integer().ok_or_else(|| self.wrong(key, item))?;
            let score =
                u8::try_from(score).ok().filter(|score| *score <= 100).ok_or_else(|| ConfigError::OutOfRange {
                    place: self.place_of_value(item),
                    key: format!("{key}.{name}"),
                    min: 0.0,
                    max: 100.0,
                })?;
            target.insert(task, score);
        }
        Ok(())
    }

    /// Request headers.
    pub(crate) fn headers(&self, key: &'static str, target: &mut BTreeMap<String, String>) -> Result<(), ConfigError> {
        let Some(table) = self.free_table(key)? else { return Ok(()) };
        target.clear();
        for (name, item) in table.iter() {
            let text = item.as_str().ok_or_else(|| self.wrong(key, item))?;
            let reason = if REFUSED_HEADERS.contains(&name.to_ascii_lowercase().as_str()) {
                "must not set a header that holds a key or that the program sets itself; keep keys with `lwa keys set`"
            } else if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b)) {
                "must name its headers with letters, digits and `-`"
            } else if !text.chars().all(|c| c.is_ascii_graphic() || c == ' ') {
                "must give its headers plain ASCII texts on one line"
            } else {
                target.insert(name.to_owned(), text.to_owned());
                continue;
            };
            return Err(ConfigError::Unusable { place: self.place_of_value(item), key: key.to_owned(), reason });
        }
        Ok(())
    }

    /// More fields of a request.
    pub(crate) fn body(&self, key: &'static str, target: &mut Option<Map<String, Json>>) -> Result<(), ConfigError> {
        let Some(table) = self.free_table(key)? else { return Ok(()) };
        if let Some((_, item)) = table.iter().find(|(name, _)| REFUSED_FIELDS.contains(name)) {
            return Err(ConfigError::Unusable {
                place: self.place_of_value(item),
                key: key.to_owned(),
                reason: "must not choose the model, the text, the number of answers or their length; the plan does",
            });
        }
        let body = json_of_table(table).ok_or_else(|| self.unusable(key, "must hold finite numbers and no dates"))?;
        *target = Some(body).filter(|body| !body.is_empty());
        Ok(())
    }

    fn free_table(&self, key: &'static str) -> Result<Option<&dyn TableLike>, ConfigError> {
        let Some(item) = self.item(key) else { return Ok(None) };
        item.as_table_like().map(Some).ok_or_else(|| self.wrong(key, item))
    }

    fn task(&self, key: &str, name: &str, item: &Item) -> Result<TaskKind, ConfigError> {
        name.parse().map_err(|_| {
            let label = UnknownLabel::new("task", presentable(name), TaskKind::LABELS);
            unknown_label(key, self.place_of_value(item), label)
        })
    }
}

fn json_of_table(table: &dyn TableLike) -> Option<Map<String, Json>> {
    table.iter().map(|(key, item)| Some((key.to_owned(), json_of_item(item)?))).collect()
}

fn json_of_item(item: &Item) -> Option<Json> {
    match item {
        Item::Value(value) => json_of(value),
        Item::Table(table) => json_of_table(table).map(Json::Object),
        Item::ArrayOfTables(tables) => {
            tables.iter().map(|table| json_of_table(table).map(Json::Object)).collect::<Option<_>>().map(Json::Array)
        }
        Item::None => None,
    }
}

fn json_of(value: &Value) -> Option<Json> {
    match value {
        Value::String(text) => Some(Json::String(text.value().clone())),
        Value::Integer(number) => Some((*number.value()).into()),
        Value::Float(number) => Number::from_f64(*number.value()).map(Json::Number),
        Value::Boolean(flag) => Some(Json::Bool(*flag.value())),
        Value::Array(values) => values.iter().map(json_of).collect::<Option<_>>().map(Json::Array),
        Value::InlineTable(table) => json_of_table(table).map(Json::Object),
        Value::Datetime(_) => None,
    }
}
