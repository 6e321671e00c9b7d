//! Approvals: questions to the human, kept until and after they are answered.

use jiff::Timestamp;
use lwa_domain::{ApprovalId, ApprovalKind, Outcome};
use serde_json::Value;
use sqlx::sqlite::SqliteRow;

use crate::audit::{self, NewAudit};
use crate::db::{Db, StoreError};
use crate::rows::Reader;

/// A question to keep.
#[derive(Debug, Clone)]
pub struct NewApproval {
    /// Its id.
    pub id: ApprovalId,
    /// What kind.
    pub kind: ApprovalKind,
    /// Equal for requests that one answer serves.
    pub merge_key: String,
    /// The question as a heading.
    pub title: String,
    /// Who asks.
    pub client: String,
    /// In which session.
    pub session: String,
    /// What is known about the asker.
    pub asker: Value,
    /// What exactly would happen.
    pub detail: Value,
    /// The effect in one sentence.
    pub consequence: String,
    /// Whether something leaves the machine or cannot be undone.
    pub is_serious: bool,
    /// The answers that are offered.
    pub offers: Value,
    /// The code a person types in a terminal.
    pub code: String,
    /// Now.
    pub created_at: Timestamp,
    /// When silence becomes a no.
    pub expires_at: Timestamp,
}

/// A kept question.
#[derive(Debug, Clone, PartialEq)]
pub struct ApprovalRecord {
    /// Its id.
    pub id: ApprovalId,
    /// What kind.
    pub kind: ApprovalKind,
    /// Equal for requests that one answer serves.
    pub merge_key: String,
    /// The question as a heading.
    pub title: String,
    /// Who asks.
    pub client: String,
    /// In which session.
    pub session: String,
    /// What is known about the asker.
    pub asker: Value,
    /// What exactly would happen.
    pub detail: Value,
    /// The effect in one sentence.
    pub consequence: String,
    /// Whether something leaves the machine or cannot be undone.
    pub is_serious: bool,
    /// The answers that are offered.
    pub offers: Value,
    /// The code a person types in a terminal.
    pub code: String,
    /// How many identical requests it answers.
    pub count: u64,
    /// When it was first asked.
    pub created_at: Timestamp,
    /// When silence becomes a no.
    pub expires_at: Timestamp,
    /// How it ended.
    pub outcome: Option<Outcome>,
    /// Why it ended so.
    pub outcome_reason: Option<String>,
    /// When it ended.
    pub decided_at: Option<Timestamp>,
    /// Which surface answered.
    pub decided_by: Option<String>,
}

/// How a question ends.
#[derive(Debug, Clone)]
pub struct Decision<'a> {
    /// The question.
    pub id: &'a ApprovalId,
    /// How.
    pub outcome: Outcome,
    /// Why, in words.
    pub reason: Option<&'a str>,
    /// Which surface: `app`, `terminal`, `client`, `host`.
    pub by: &'a str,
    /// Now.
    pub now: Timestamp,
}

fn record(row: &SqliteRow) -> Result<ApprovalRecord, StoreError> {
    let reader = Reader::new(row, "id");
    Ok(ApprovalRecord {
        id: ApprovalId::new(reader.get::<String>("id")?),
        kind: reader.label("kind")?,
        merge_key: reader.get("merge_key")?,
        title: reader.get("title")?,
        client: reader.get("client")?,
        session: reader.get("session")?,
        asker: reader.json("asker")?,
        detail: reader.json("detail")?,
        consequence: reader.get("consequence")?,
        is_serious: reader.get("is_serious")?,
        offers: reader.json("offers")?,
        code: reader.get("code")?,
        count: reader.count("count")?,
        created_at: reader.time("created_at")?,
        expires_at: reader.time("expires_at")?,
        outcome: reader.label_opt("outcome")?,
        outcome_reason: reader.get("outcome_reason")?,
        decided_at: reader.time_opt("decided_at")?,
        decided_by: reader.get("decided_by")?,
    })
}

impl Db {
    /// Opens a question, or joins the open one with the same merge key.
    ///
    /// Returns the question and whether it is new.
    ///
    /// # Errors
    /// The database failed.
    pub async fn open_approval(
        &self,
        approval: &NewApproval,
        audit_row: &NewAudit<'_>,
    ) -> Result<(ApprovalRecord, bool), StoreError> {
        let mut tx = self.begin().await?;
        let joined =
            sqlx::query("UPDATE approvals SET count = count + 1 WHERE merge_key = ? AND outcome IS NULL RETURNING *")
                .bind(&approval.merge_key)
                .fetch_optional(&mut *tx)
                .await?;
        if let Some(row) = joined {
            let joined = record(&row)?;
            tx.commit().await?;
            return Ok((joined, false));
        }
        let row = sqlx::query(
            "INSERT INTO approvals (id, arrival, kind, merge_key, title, client, session, asker, detail, consequence, is_serious,
                offers, code, created_at, expires_at)
             VALUES (?, (SELECT coalesce(max(arrival), 0) + 1 FROM approvals), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *",
        )
        .bind(approval.id.as_str())
        .bind(approval.kind.as_str())
        .bind(&approval.merge_key)
        .bind(&approval.title)
        .bind(&approval.client)
        .bind(&approval.session)
        .bind(approval.asker.to_string())
        .bind(approval.detail.to_string())
        .bind(&approval.consequence)
        .bind(approval.is_serious)
        .bind(approval.offers.to_string())
        .bind(&approval.code)
        .bind(approval.created_at.as_millisecond())
        .bind(approval.expires_at.as_millisecond())
        .fetch_one(&mut *tx)
        .await?;
        let opened = record(&row)?;
        audit::append(&mut tx, audit_row).await?;
        tx.commit().await?;
        Ok((opened, true))
    }

    /// Ends a question, if it is open. Returns it when this call ended it.
    ///
    /// # Errors
    /// The database failed.
    pub async fn decide_approval(
        &self,
        decision: &Decision<'_>,
        actor: &str,
    ) -> Result<Option<ApprovalRecord>, StoreError> {
        let mut tx = self.begin().await?;
        let row = sqlx::query(
            "UPDATE approvals SET outcome = ?2, outcome_reason = ?3, decided_at = ?4, decided_by = ?5
             WHERE id = ?1 AND outcome IS NULL RETURNING *",
        )
        .bind(decision.id.as_str())
        .bind(decision.outcome.as_str())
        .bind(decision.reason)
        .bind(decision.now.as_millisecond())
        .bind(decision.by)
        .fetch_optional(&mut *tx)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let decided = record(&row)?;
        let event = NewAudit {
            at: decision.now,
            actor,
            session: Some(&decided.session),
            action: "approval.decided",
            object: Some(decided.id.as_str()),
            decision: Some(decision.outcome.as_str()),
            detail: serde_json::json!({ "kind": decided.kind, "client": decided.client, "by": decision.by, "count": decided.count }),
        };
        audit::append(&mut tx, &event).await?;
        tx.commit().await?;
        Ok(Some(decided))
    }

    /// Moves the moment at which silence becomes a no.
    ///
    /// # Errors
    /// The database failed.
    pub async fn extend_approval(
        &self,
        id: &ApprovalId,
        expires_at: Timestamp,
    ) -> Result<Option<ApprovalRecord>, StoreError> {
        let mut tx = self.begin().await?;
        let row = sqlx::query(
            "UPDATE approvals SET expires_at = max(expires_at, ?2) WHERE id = ?1 AND outcome IS NULL RETURNING *",
        )
        .bind(id.as_str())
        .bind(expires_at.as_millisecond())
        .fetch_optional(&mut *tx)
        .await?;
        let extended = row.as_ref().map(record).transpose()?;
        tx.commit().await?;
        Ok(extended)
    }

    /// The question with this id.
    ///
    /// # Errors
    /// The database failed.
    pub async fn approval(&self, id: &ApprovalId) -> Result<Option<ApprovalRecord>, StoreError> {
        let row = sqlx::query("SELECT * FROM approvals WHERE id = ?")
            .bind(id.as_str())
            .fetch_optional(self.readers())
            .await?;
        row.as_ref().map(record).transpose()
    }

    /// The questions whose id begins with `prefix`; at most two, which is enough to see ambiguity.
    ///
    /// # Errors
    /// The database failed.
    pub async fn approvals_with_prefix(&self, prefix: &str) -> Result<Vec<ApprovalRecord>, StoreError> {
        let rows = sqlx::query("SELECT * FROM approvals WHERE substr(id, 1, length(?1)) = ?1 LIMIT 2")
            .bind(prefix)
            .fetch_all(self.readers())
            .await?;
        rows.iter().map(record).collect()
    }

    /// Open questions in order of arrival.
    ///
    /// # Errors
    /// The database failed.
    pub async fn open_approvals(&self) -> Result<Vec<ApprovalRecord>, StoreError> {
        let rows = sqlx::query("SELECT * FROM approvals WHERE outcome IS NULL ORDER BY arrival")
            .fetch_all(self.readers())
            .await?;
        rows.iter().map(record).collect()
    }

    /// Ended questions, newest first.
    ///
    /// # Errors
    /// The database failed.
    pub async fn ended_approvals(&self, limit: u32) -> Result<Vec<ApprovalRecord>, StoreError> {
        let rows = sqlx::query(
            "SELECT * FROM approvals WHERE outcome IS NOT NULL ORDER BY decided_at DESC, arrival DESC LIMIT ?",
        )
        .bind(limit)
        .fetch_all(self.readers())
        .await?;
        rows.iter().map(record).collect()
    }

    /// The newest question with this merge key that ended at or after `since`.
    ///
    /// # Errors
    /// The database failed.
    pub async fn recent_answer(&self, merge_key: &str, since: Timestamp) -> Result<Option<ApprovalRecord>, StoreError> {
        let row = sqlx::query(
            "SELECT * FROM approvals WHERE merge_key = ? AND outcome IS NOT NULL AND decided_at >= ? ORDER BY decided_at DESC LIMIT 1",
        )
        .bind(merge_key)
        .bind(since.as_millisecond())
        .fetch_optional(self.readers())
        .await?;
        row.as_ref().map(record).transpose()
    }
}
