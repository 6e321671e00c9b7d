//! What providers said about their quotas: the newest observation of each window.

use jiff::Timestamp;

use crate::db::{Db, StoreError};
use crate::rows::Reader;

/// One observation. Amounts are decimal text in `unit`, since they may be requests, tokens, credits or dollars.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuotaRecord {
    /// The provider.
    pub provider: String,
    /// Which quota: `requests_day`, `tokens_minute`, `balance`, …
    pub window: String,
    /// How much there is in all, if it was said.
    pub limit: Option<String>,
    /// How much is left, if it was said.
    pub remaining: Option<String>,
    /// What is counted: `requests`, `tokens`, `usd`, …
    pub unit: String,
    /// When it starts anew, if it was said.
    pub resets_at: Option<Timestamp>,
    /// The header or probe it was read from.
    pub source: String,
    /// How sure the reading is: `stated`, `derived` or `uncertain`.
    pub confidence: String,
    /// When it was read.
    pub observed_at: Timestamp,
}

impl Db {
    /// Keeps observations; each replaces the earlier one of its provider and window.
    ///
    /// # Errors
    /// The database failed.
    pub async fn keep_quotas(&self, observations: &[QuotaRecord]) -> Result<(), StoreError> {
        if observations.is_empty() {
            return Ok(());
        }
        let mut tx = self.begin().await?;
        for seen in observations {
            sqlx::query(
                "INSERT INTO quota_observations (provider, quota_window, limit_value, remaining, unit, resets_at, source,
                    confidence, observed_at)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                 ON CONFLICT (provider, quota_window) DO UPDATE SET
                    limit_value = coalesce(excluded.limit_value, limit_value), remaining = excluded.remaining,
                    unit = excluded.unit, resets_at = excluded.resets_at, source = excluded.source,
                    confidence = excluded.confidence, observed_at = excluded.observed_at
                 WHERE excluded.observed_at >= observed_at",
            )
            .bind(&seen.provider)
            .bind(&seen.window)
            .bind(&seen.limit)
            .bind(&seen.remaining)
            .bind(&seen.unit)
            .bind(seen.resets_at.map(Timestamp::as_millisecond))
            .bind(&seen.source)
            .bind(&seen.confidence)
            .bind(seen.observed_at.as_millisecond())
            .execute(&mut *tx)
            .await?;
        }
        Ok(tx.commit().await?)
    }

    /// The newest observation of every quota.
    ///
    /// # Errors
    /// The database failed, or a row cannot be read.
    pub async fn quotas(&self) -> Result<Vec<QuotaRecord>, StoreError> {
        let rows = sqlx::query("SELECT * FROM quota_observations ORDER BY provider, quota_window")
            .fetch_all(self.readers())
            .await?;
        rows.iter()
            .map(|row| {
                let reader = Reader::new(row, "provider");
                Ok(QuotaRecord {
                    provider: reader.get("provider")?,
                    window: reader.get("quota_window")?,
                    limit: reader.get("limit_value")?,
                    remaining: reader.get("remaining")?,
                    unit: reader.get("unit")?,
                    resets_at: reader.time_opt("resets_at")?,
                    source: reader.get("source")?,
                    confidence: reader.get("confidence")?,
                    observed_at: reader.time("observed_at")?,
                })
            })
            .collect()
    }
}
