//! The last good list of each provider's models, and how the last try went.

use jiff::Timestamp;
use serde_json::Value;

use crate::db::{Db, StoreError};
use crate::rows::Reader;

/// What is kept of a provider's list.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptList {
    /// The provider.
    pub provider: String,
    /// The last good list, in the form of whoever kept it.
    pub listing: Option<Value>,
    /// When that list was read.
    pub listed_at: Option<Timestamp>,
    /// When a list was asked for last.
    pub tried_at: Timestamp,
    /// Why the last try failed; none when it succeeded.
    pub problem: Option<String>,
}

impl Db {
    /// Keeps a list that was read; it replaces the last good one.
    ///
    /// # Errors
    /// The database failed.
    pub async fn keep_list(&self, provider: &str, listing: &Value, now: Timestamp) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        sqlx::query(
            "INSERT INTO catalogue_lists (provider, listing, listed_at, tried_at, problem) VALUES (?1, ?2, ?3, ?3, NULL)
             ON CONFLICT (provider) DO UPDATE SET
                listing = excluded.listing, listed_at = excluded.listed_at, tried_at = excluded.tried_at, problem = NULL",
        )
        .bind(provider)
        .bind(listing.to_string())
        .bind(now.as_millisecond())
        .execute(&mut *tx)
        .await?;
        Ok(tx.commit().await?)
    }

    /// Notes that a list could not be read; the last good one stays.
    ///
    /// # Errors
    /// The database failed.
    pub async fn note_list_problem(&self, provider: &str, problem: &str, now: Timestamp) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        sqlx::query(
            "INSERT INTO catalogue_lists (provider, tried_at, problem) VALUES (?1, ?2, ?3)
             ON CONFLICT (provider) DO UPDATE SET tried_at = excluded.tried_at, problem = excluded.problem",
        )
        .bind(provider)
        .bind(now.as_millisecond())
        .bind(problem)
        .execute(&mut *tx)
        .await?;
        Ok(tx.commit().await?)
    }

    /// What is kept of every provider's list.
    ///
    /// # Errors
    /// The database failed, or a row cannot be read.
    pub async fn kept_lists(&self) -> Result<Vec<KeptList>, StoreError> {
        let rows = sqlx::query("SELECT * FROM catalogue_lists ORDER BY provider").fetch_all(self.readers()).await?;
        rows.iter()
            .map(|row| {
                let reader = Reader::new(row, "provider");
                Ok(KeptList {
                    provider: reader.get("provider")?,
                    listing: reader.json_opt("listing")?,
                    listed_at: reader.time_opt("listed_at")?,
                    tried_at: reader.time("tried_at")?,
                    problem: reader.get("problem")?,
                })
            })
            .collect()
    }
}
