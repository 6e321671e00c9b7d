//! Reading columns into types.

use std::str::FromStr;

use jiff::Timestamp;
use lwa_domain::PicoUsd;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::db::StoreError;

/// One row with the name it is known by in errors.
pub(crate) struct Reader<'a> {
    pub row: &'a SqliteRow,
    pub name: String,
}

impl<'a> Reader<'a> {
    /// A reader whose errors name the value of `id_column`.
    pub fn new(row: &'a SqliteRow, id_column: &'static str) -> Self {
        let name = row.try_get::<String, _>(id_column).unwrap_or_else(|_| id_column.to_owned());
        Self { row, name }
    }

    pub fn get<T>(&self, column: &'static str) -> Result<T, StoreError>
    where
        T: sqlx::Type<sqlx::Sqlite> + for<'r> sqlx::Decode<'r, sqlx::Sqlite>,
    {
        Ok(self.row.try_get(column)?)
    }

    fn corrupt(&self, column: &'static str) -> StoreError {
        StoreError::Corrupt { row: self.name.clone(), column }
    }

    pub fn label<T: FromStr>(&self, column: &'static str) -> Result<T, StoreError> {
        self.get::<String>(column)?.parse().map_err(|_| self.corrupt(column))
    }

    pub fn label_opt<T: FromStr>(&self, column: &'static str) -> Result<Option<T>, StoreError> {
        self.get::<Option<String>>(column)?.map(|text| text.parse().map_err(|_| self.corrupt(column))).transpose()
    }

    pub fn count(&self, column: &'static str) -> Result<u64, StoreError> {
        u64::try_from(self.get::<i64>(column)?).map_err(|_| self.corrupt(column))
    }

    pub fn count_opt(&self, column: &'static str) -> Result<Option<u64>, StoreError> {
        self.get::<Option<i64>>(column)?.map(|value| u64::try_from(value).map_err(|_| self.corrupt(column))).transpose()
    }

    pub fn money_opt(&self, column: &'static str) -> Result<Option<PicoUsd>, StoreError> {
        Ok(self.get::<Option<i64>>(column)?.map(PicoUsd::new))
    }

    pub fn time(&self, column: &'static str) -> Result<Timestamp, StoreError> {
        Timestamp::from_millisecond(self.get(column)?).map_err(|_| self.corrupt(column))
    }

    pub fn time_opt(&self, column: &'static str) -> Result<Option<Timestamp>, StoreError> {
        self.get::<Option<i64>>(column)?
            .map(|ms| Timestamp::from_millisecond(ms).map_err(|_| self.corrupt(column)))
            .transpose()
    }

    pub fn json(&self, column: &'static str) -> Result<serde_json::Value, StoreError> {
        serde_json::from_str(&self.get::<String>(column)?).map_err(|_| self.corrupt(column))
    }

    pub fn json_opt(&self, column: &'static str) -> Result<Option<serde_json::Value>, StoreError> {
        self.get::<Option<String>>(column)?
            .map(|text| serde_json::from_str(&text).map_err(|_| self.corrupt(column)))
            .transpose()
    }
}

/// A count as SQLite keeps it; a count beyond its range is its largest value.
pub(crate) fn int(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
