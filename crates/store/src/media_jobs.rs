//! Jobs of pictures and films, kept before anybody waits for them, so that a paid job outlives its host.

use jiff::Timestamp;
use lwa_domain::PlanId;
use serde_json::Value;

use crate::db::{Db, StoreError};

impl Db {
    /// Keeps the handle of a plan's job; a plan has one job, and its handle is replaced as the job goes on.
    ///
    /// # Errors
    /// The database failed.
    pub async fn keep_media_job(&self, plan_id: &PlanId, handle: &Value, now: Timestamp) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        sqlx::query(
            "INSERT INTO media_jobs (plan_id, handle, submitted_at) VALUES (?1, ?2, ?3)
             ON CONFLICT (plan_id) DO UPDATE SET handle = excluded.handle",
        )
        .bind(plan_id.as_str())
        .bind(handle.to_string())
        .bind(now.as_millisecond())
        .execute(&mut *tx)
        .await?;
        Ok(tx.commit().await?)
    }

    /// The handle of a plan's job, if it was submitted.
    ///
    /// # Errors
    /// The database failed, or the row cannot be read.
    pub async fn media_job(&self, plan_id: &PlanId) -> Result<Option<Value>, StoreError> {
        let text: Option<String> = sqlx::query_scalar("SELECT handle FROM media_jobs WHERE plan_id = ?")
            .bind(plan_id.as_str())
            .fetch_optional(self.readers())
            .await?;
        let corrupt = |_| StoreError::Corrupt { row: plan_id.to_string(), column: "handle" };
        text.map(|text| serde_json::from_str(&text).map_err(corrupt)).transpose()
    }
}
