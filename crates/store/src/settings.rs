//! Small facts that survive the host, by key.

use jiff::Timestamp;
use sqlx::Row;

use crate::db::{Db, StoreError};

impl Db {
    /// The value of a key.
    ///
    /// # Errors
    /// The database failed.
    pub async fn setting(&self, key: &str) -> Result<Option<String>, StoreError> {
        let row =
            sqlx::query("SELECT value FROM settings WHERE key = ?").bind(key).fetch_optional(self.readers()).await?;
        Ok(row.map(|row| row.try_get("value")).transpose()?)
    }

    /// Sets or, with `None`, removes a key.
    ///
    /// # Errors
    /// The database failed.
    pub async fn set_setting(&self, key: &str, value: Option<&str>, now: Timestamp) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        match value {
            Some(value) => {
                sqlx::query(
                    "INSERT INTO settings (key, value, updated_at) VALUES (?, ?, ?)
                     ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at",
                )
                .bind(key)
                .bind(value)
                .bind(now.as_millisecond())
                .execute(&mut *tx)
                .await?;
            }
            None => {
                sqlx::query("DELETE FROM settings WHERE key = ?").bind(key).execute(&mut *tx).await?;
            }
        }
        Ok(tx.commit().await?)
    }
}
