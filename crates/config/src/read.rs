//! Reading typed values out of a TOML table, with the line of whatever is wrong.

mod maps;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use lwa_domain::UnknownLabel;
use toml_edit::{Item, TableLike, TomlError, Value};

use crate::endpoint::variable_fault;
use crate::error::{ConfigError, HIDDEN, Place, hint, presentable};
use crate::schema::{self, KeyInfo, Kind, is_later};

/// A file and its lines.
pub(crate) struct Source<'a> {
    path: &'a Path,
    text: &'a str,
}

impl<'a> Source<'a> {
    pub(crate) fn new(path: &'a Path, text: &'a str) -> Self {
        Self { path, text }
    }

    fn place(&self, span: Option<Range<usize>>) -> Place {
        Place { path: self.path.to_owned(), line: span.map(|span| line_of(self.text, span.start)) }
    }
}

fn line_of(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
}

/// The error for a text that is not TOML.
pub(crate) fn syntax_error(error: &TomlError, text: &str, path: &Path) -> ConfigError {
    ConfigError::Syntax {
        place: Place { path: path.to_owned(), line: error.span().map(|span| line_of(text, span.start)) },
        reason: error.message().to_owned(),
    }
}

/// One table of the file, whose keys are all known.
pub(crate) struct Fields<'a> {
    source: &'a Source<'a>,
    table: &'a dyn TableLike,
    /// The table's path in the schema: `providers.NAME`.
    schema: &'static str,
    /// The table as it is written: `[providers.groq]`.
    shown: String,
    /// Where the table starts.
    span: Option<Range<usize>>,
}

impl<'a> Fields<'a> {
    /// The whole file.
    pub(crate) fn root(source: &'a Source<'a>, table: &'a dyn TableLike) -> Result<Self, ConfigError> {
        Self { source, table, schema: "", shown: "the file".to_owned(), span: None }.with_known_keys()
    }

    fn open(
        source: &'a Source<'a>,
        item: &'a Item,
        key: &str,
        schema: &'static str,
        shown: String,
    ) -> Result<Self, ConfigError> {
        let table = item.as_table_like().ok_or_else(|| ConfigError::WrongType {
            place: source.place(item.span()),
            key: key.to_owned(),
            expected: "a table",
            found: described(item.type_name()),
        })?;
        Self { source, table, schema, shown, span: item.span() }.with_known_keys()
    }

    fn with_known_keys(self) -> Result<Self, ConfigError> {
        let tables = schema::tables_in(self.schema);
        let known = schema::keys_in(self.schema).map(KeyInfo::name).chain(tables.iter().copied());
        for (key, _) in self.table.iter() {
            if known.clone().any(|name| name == key) {
                continue;
            }
            let place = self.place_of_key(key);
            let shown = presentable(key).to_owned();
            if let Some(reason) = schema::elsewhere(self.schema, key) {
                return Err(ConfigError::Unusable { place, key: shown, reason });
            }
            return Err(if is_later(self.schema, key) {
                ConfigError::LaterPart { place, key: shown }
            } else {
                ConfigError::UnknownKey { place, hint: hint(key, known), key: shown, table: self.shown }
            });
        }
        Ok(self)
    }

    /// A table in this one.
    pub(crate) fn table(
        &self,
        key: &str,
        schema: &'static str,
        shown: &str,
    ) -> Result<Option<Fields<'a>>, ConfigError> {
        let Some(item) = self.table.get(key) else { return Ok(None) };
        Self::open(self.source, item, key, schema, shown.to_owned()).map(Some)
    }

    /// The tables in the table `key`, by name.
    pub(crate) fn named_tables(
        &self,
        key: &str,
        schema: &'static str,
    ) -> Result<Vec<(String, Fields<'a>)>, ConfigError> {
        let Some(item) = self.table.get(key) else { return Ok(Vec::new()) };
        let outer = item.as_table_like().ok_or_else(|| self.wrong_type(key, item, "a table"))?;
        outer
            .iter()
            .map(|(name, item)| {
                let shown = format!("[{key}.{}]", presentable(name));
                Ok((name.to_owned(), Self::open(self.source, item, name, schema, shown)?))
            })
            .collect()
    }

    /// The tables of an array of tables.
    pub(crate) fn tables_in_array(
        &self,
        key: &str,
        schema: &'static str,
        shown: &str,
    ) -> Result<Vec<Fields<'a>>, ConfigError> {
        let Some(item) = self.table.get(key) else { return Ok(Vec::new()) };
        let make = |table: &'a dyn TableLike, span| {
            Self { source: self.source, table, schema, shown: shown.to_owned(), span }.with_known_keys()
        };
        if let Some(tables) = item.as_array_of_tables() {
            return tables.iter().map(|table| make(table, table.span())).collect();
        }
        let wrong = || self.wrong_type(key, item, "tables written `[[models]]`");
        let values = item.as_array().ok_or_else(wrong)?;
        values
            .iter()
            .map(|value| {
                let table = value.as_inline_table().ok_or_else(wrong)?;
                make(table, table.span())
            })
            .collect()
    }

    /// Notes which keys the table sets, and on which lines, under a concrete path.
    pub(crate) fn note_lines(&self, path: &str, lines: &mut BTreeMap<String, usize>) {
        for (key, item) in self.table.iter() {
            if schema::tables_in(self.schema).contains(&key) {
                continue;
            }
            let full = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
            if let Some(line) = self.place_of_key(key).line.or_else(|| self.source.place(item.span()).line) {
                lines.insert(full, line);
            }
        }
    }

    /// The first key that is none of `allowed`.
    pub(crate) fn first_key_other_than(&self, allowed: &[&str]) -> Option<&'a str> {
        self.table.iter().map(|(key, _)| key).find(|key| !allowed.contains(key))
    }

    /// `true` or `false`.
    pub(crate) fn flag(&self, key: &'static str, target: &mut bool) -> Result<(), ConfigError> {
        if let Some(item) = self.item(key) {
            *target = item.as_bool().ok_or_else(|| self.wrong(key, item))?;
        }
        Ok(())
    }

    /// A whole number in the key's range.
    pub(crate) fn integer(&self, key: &'static str, target: &mut u32) -> Result<(), ConfigError> {
        let Some(item) = self.item(key) else { return Ok(()) };
        let number = item.as_integer().ok_or_else(|| self.wrong(key, item))?;
        let Some(Kind::Integer { min, max }) = self.kind(key) else { return Ok(()) };
        *target = u32::try_from(number).ok().filter(|number| (min..=max).contains(number)).ok_or_else(|| {
            ConfigError::OutOfRange {
                place: self.place_of_value(item),
                key: key.to_owned(),
                min: f64::from(min),
                max: f64::from(max),
            }
        })?;
        Ok(())
    }

    /// A number in the key's range.
    #[expect(clippy::cast_precision_loss, reason = "numbers that large are out of range anyway")]
    pub(crate) fn number(&self, key: &'static str) -> Result<Option<f64>, ConfigError> {
        let Some(item) = self.item(key) else { return Ok(None) };
        let number = item
            .as_float()
            .or_else(|| item.as_integer().map(|number| number as f64))
            .ok_or_else(|| self.wrong(key, item))?;
        let Some(Kind::Number { min, max }) = self.kind(key) else { return Ok(None) };
        // Written so that a number that is none fails, too.
        if (min..=max).contains(&number) {
            Ok(Some(number))
        } else {
            Err(ConfigError::OutOfRange { place: self.place_of_value(item), key: key.to_owned(), min, max })
        }
    }

    /// A text; empty means none.
    pub(crate) fn optional_text(&self, key: &'static str, target: &mut Option<String>) -> Result<(), ConfigError> {
        if let Some(text) = self.text(key)? {
            *target = Some(text.to_owned()).filter(|text| !text.is_empty());
        }
        Ok(())
    }

    /// A text that has to be there and not be empty.
    pub(crate) fn required_text(&self, key: &'static str, reason: &'static str) -> Result<String, ConfigError> {
        match self.text(key)? {
            Some(text) if !text.trim().is_empty() => Ok(text.to_owned()),
            _ => Err(self.missing(key, reason)),
        }
    }

    /// A text in which `fault` finds nothing wrong; empty means none.
    pub(crate) fn checked_text(
        &self,
        key: &'static str,
        fault: fn(&str) -> Option<&'static str>,
        target: &mut Option<String>,
    ) -> Result<(), ConfigError> {
        match self.text(key)? {
            None => {}
            Some("") => *target = None,
            Some(text) => match fault(text) {
                Some(reason) => return Err(self.unusable(key, reason)),
                None => *target = Some(text.to_owned()),
            },
        }
        Ok(())
    }

    /// The name of a variable; empty means none.
    pub(crate) fn variable(&self, key: &'static str, target: &mut Option<String>) -> Result<(), ConfigError> {
        self.checked_text(key, variable_fault, target)
    }

    /// Names of variables.
    pub(crate) fn variables(&self, key: &'static str, target: &mut Vec<String>) -> Result<(), ConfigError> {
        let Some(texts) = self.texts(key)? else { return Ok(()) };
        if let Some((value, reason)) = texts.iter().find_map(|(value, text)| Some((*value, variable_fault(text)?))) {
            let place = self.source.place(value.span());
            return Err(ConfigError::Unusable { place, key: key.to_owned(), reason });
        }
        *target = texts.into_iter().map(|(_, text)| text.to_owned()).collect();
        Ok(())
    }

    /// One word, as `parse` understands it.
    pub(crate) fn parsed<T>(
        &self,
        key: &'static str,
        parse: impl Fn(&str) -> Result<T, UnknownLabel>,
    ) -> Result<Option<T>, ConfigError> {
        let Some(item) = self.item(key) else { return Ok(None) };
        let text = item.as_str().ok_or_else(|| self.wrong(key, item))?;
        parse(text).map(Some).map_err(|label| unknown_label(key, self.place_of_value(item), label))
    }

    /// Several words, as `parse` understands them.
    pub(crate) fn parsed_list<T>(
        &self,
        key: &'static str,
        parse: impl Fn(&str) -> Result<T, UnknownLabel>,
    ) -> Result<Option<Vec<T>>, ConfigError> {
        let Some(texts) = self.texts(key)? else { return Ok(None) };
        texts
            .into_iter()
            .map(|(value, text)| {
                parse(text).map_err(|label| unknown_label(key, self.source.place(value.span()), label))
            })
            .collect::<Result<_, _>>()
            .map(Some)
    }

    /// Several words of the key's own list, without repeats.
    pub(crate) fn words(&self, key: &'static str, target: &mut Vec<String>) -> Result<(), ConfigError> {
        let accepted = self.kind(key).and_then(Kind::accepted).unwrap_or_default();
        let words = self.parsed_list(key, |word| {
            if accepted.contains(&word) {
                Ok(word.to_owned())
            } else {
                Err(UnknownLabel::new("tool set", word, accepted))
            }
        })?;
        if let Some(words) = words {
            target.clear();
            for word in words {
                if !target.contains(&word) {
                    target.push(word);
                }
            }
        }
        Ok(())
    }

    /// Several texts of the human's own, without repeats.
    pub(crate) fn free_words(&self, key: &'static str, target: &mut Vec<String>) -> Result<(), ConfigError> {
        if let Some(words) = self.texts(key)? {
            target.clear();
            for (_, word) in words {
                if !word.is_empty() && !target.iter().any(|known| known == word) {
                    target.push(word.to_owned());
                }
            }
        }
        Ok(())
    }

    /// The error for a key of this table whose value cannot be used.
    pub(crate) fn unusable(&self, key: &str, reason: &'static str) -> ConfigError {
        ConfigError::Unusable { place: self.place_of_key(key), key: key.to_owned(), reason }
    }

    /// The error for this table itself.
    pub(crate) fn unusable_self(&self, reason: &'static str) -> ConfigError {
        ConfigError::Unusable { place: self.source.place(self.span.clone()), key: self.shown.clone(), reason }
    }

    /// The error for a key that has to be in this table.
    pub(crate) fn missing(&self, key: &'static str, reason: &'static str) -> ConfigError {
        ConfigError::Missing { place: self.source.place(self.span.clone()), table: self.shown.clone(), key, reason }
    }

    fn item(&self, key: &str) -> Option<&'a Item> {
        self.table.get(key)
    }

    fn text(&self, key: &'static str) -> Result<Option<&'a str>, ConfigError> {
        self.item(key).map(|item| item.as_str().ok_or_else(|| self.wrong(key, item))).transpose()
    }

    fn texts(&self, key: &'static str) -> Result<Option<Vec<(&'a Value, &'a str)>>, ConfigError> {
        let Some(item) = self.item(key) else { return Ok(None) };
        let array = item.as_array().ok_or_else(|| self.wrong(key, item))?;
        array
            .iter()
            .map(|value| {
                let wrong = || ConfigError::WrongType {
                    place: self.source.place(value.span()),
                    key: key.to_owned(),
                    expected: self.kind(key).map_or("another type", Kind::describe),
                    found: described(value.type_name()),
                };
                Ok((value, value.as_str().ok_or_else(wrong)?))
            })
            .collect::<Result<_, _>>()
            .map(Some)
    }

    fn kind(&self, key: &str) -> Option<Kind> {
        schema::keys_in(self.schema).find(|info| info.name() == key).map(|info| info.kind)
    }

    fn place_of_key(&self, key: &str) -> Place {
        self.source.place(self.table.get_key_value(key).and_then(|(key, item)| key.span().or_else(|| item.span())))
    }

    fn place_of_value(&self, item: &Item) -> Place {
        self.source.place(item.span())
    }

    fn wrong(&self, key: &str, item: &Item) -> ConfigError {
        self.wrong_type(key, item, self.kind(key).map_or("another type", Kind::describe))
    }

    fn wrong_type(&self, key: &str, item: &Item, expected: &'static str) -> ConfigError {
        ConfigError::WrongType {
            place: self.place_of_value(item),
            key: key.to_owned(),
            expected,
            found: described(item.type_name()),
        }
    }
}

fn unknown_label(key: &str, place: Place, mut label: UnknownLabel) -> ConfigError {
    if presentable(&label.value) == HIDDEN {
        HIDDEN.clone_into(&mut label.value);
    }
    ConfigError::UnknownLabel { place, key: key.to_owned(), label: Box::new(label) }
}

/// A type's name in TOML, in words.
fn described(type_name: &str) -> &'static str {
    match type_name {
        "string" => "a text",
        "integer" => "a whole number",
        "float" => "a number with a point",
        "boolean" => "`true` or `false`",
        "datetime" => "a date",
        "array" => "a list",
        "inline table" | "table" => "a table",
        "array of tables" => "several tables",
        _ => "something else",
    }
}
