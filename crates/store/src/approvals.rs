//! Approvals: questions to the human, kept until and after they are answered.

use jiff::Timestamp;
use lwa_domain::{ApprovalId, ApprovalKind, Outcome, PlanId};
use serde_json::Value;
use sqlx::sqlite::SqliteRow;
use sqlx::{Sqlite, Transaction};

use crate::audit::{self, NewAudit};
use crate::db::{Db, StoreError};
use crate::plans;
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
    /// Finer answers.
    pub variants: Value,
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
    /// Finer answers.
    pub variants: Value,
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
    /// Which of the finer answers it was.
    pub variant: Option<String>,
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
    /// Which of the finer answers.
    pub variant: Option<&'a str>,
    /// Now.
    pub now: Timestamp,
}

/// What an answer does to the plan in question, in the transaction that takes the answer: one is never
/// seen without the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect<'a> {
    /// Nothing here.
    None,
    /// The plan may run until this moment.
    ApprovePlan(&'a PlanId, Timestamp),
    /// The plan can never run.
    DenyPlan(&'a PlanId),
}

/// What became of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Decided {
    /// It ended the question and had its effect.
    Taken(Box<ApprovalRecord>),
    /// The question had ended before, or never was.
    AlreadyEnded,
    /// The plan no longer waits for a yes, so none was taken; nothing changed.
    Pointless,
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
        variants: reader.json("variants")?,
        code: reader.get("code")?,
        count: reader.count("count")?,
        created_at: reader.time("created_at")?,
        expires_at: reader.time("expires_at")?,
        outcome: reader.label_opt("outcome")?,
        outcome_reason: reader.get("outcome_reason")?,
        decided_at: reader.time_opt("decided_at")?,
        decided_by: reader.get("decided_by")?,
        variant: reader.get("variant")?,
    })
}

async fn insert(tx: &mut Transaction<'static, Sqlite>, approval: &NewApproval) -> Result<SqliteRow, StoreError> {
    let row = sqlx::query(
        "INSERT INTO approvals (id, arrival, kind, merge_key, title, client, session, asker, detail, consequence, is_serious,
            offers, variants, code, created_at, expires_at)
         VALUES (?, (SELECT coalesce(max(arrival), 0) + 1 FROM approvals), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *",
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
    .bind(approval.variants.to_string())
    .bind(&approval.code)
    .bind(approval.created_at.as_millisecond())
    .bind(approval.expires_at.as_millisecond())
    .fetch_one(&mut **tx)
    .await?;
    Ok(row)
}

impl Db {
    /// Opens a question, or joins the open one with the same merge key.
    ///
    /// A question that is joined belongs to the session that joins it, since that one waits now: a
    /// client that reconnects comes back under another session.
    ///
    /// The plan in question, if there is one, is kept from running out before the question. None when
    /// that plan no longer waits for an answer; nothing is asked then.
    ///
    /// Returns the question and whether it is new.
    ///
    /// # Errors
    /// The database failed.
    pub async fn open_approval(
        &self,
        approval: &NewApproval,
        plan: Option<&PlanId>,
        audit_row: &NewAudit<'_>,
    ) -> Result<Option<(ApprovalRecord, bool)>, StoreError> {
        let mut tx = self.begin().await?;
        let joined = sqlx::query(
            "UPDATE approvals SET count = count + 1, session = ?2 WHERE merge_key = ?1 AND outcome IS NULL RETURNING *",
        )
        .bind(&approval.merge_key)
        .bind(&approval.session)
        .fetch_optional(&mut *tx)
        .await?;
        let is_new = joined.is_none();
        let row = match joined {
            Some(row) => row,
            None => insert(&mut tx, approval).await?,
        };
        let opened = record(&row)?;
        if let Some(plan_id) = plan
            && !plans::keep_waiting(&mut tx, plan_id, &opened.id, opened.expires_at).await?
        {
            return Ok(None);
        }
        if is_new {
            audit::append(&mut tx, audit_row).await?;
        }
        tx.commit().await?;
        Ok(Some((opened, is_new)))
    }

    /// Ends a question, if it is open, and gives the answer its effect.
    ///
    /// # Errors
    /// The database failed.
    pub async fn decide_approval(
        &self,
        decision: &Decision<'_>,
        effect: Effect<'_>,
        actor: &str,
    ) -> Result<Decided, StoreError> {
        let mut tx = self.begin().await?;
        let row = sqlx::query(
            "UPDATE approvals SET outcome = ?2, outcome_reason = ?3, decided_at = ?4, decided_by = ?5, variant = ?6
             WHERE id = ?1 AND outcome IS NULL RETURNING *",
        )
        .bind(decision.id.as_str())
        .bind(decision.outcome.as_str())
        .bind(decision.reason)
        .bind(decision.now.as_millisecond())
        .bind(decision.by)
        .bind(decision.variant)
        .fetch_optional(&mut *tx)
        .await?;
        let Some(row) = row else { return Ok(Decided::AlreadyEnded) };
        let decided = record(&row)?;
        match effect {
            Effect::None => {}
            Effect::ApprovePlan(plan_id, expires_at) => {
                if !plans::approve(&mut tx, plan_id, decision.now, expires_at).await? {
                    return Ok(Decided::Pointless);
                }
            }
            // A no to a plan that has ended already is as good.
            Effect::DenyPlan(plan_id) => drop(plans::deny(&mut tx, plan_id, decision.now).await?),
        }
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
        Ok(Decided::Taken(Box::new(decided)))
    }

    /// Moves the moment at which silence becomes a no, and with it the end of the plan in question.
    ///
    /// # Errors
    /// The database failed.
    pub async fn extend_approval(
        &self,
        id: &ApprovalId,
        expires_at: Timestamp,
        plan: Option<&PlanId>,
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
        if let (Some(approval), Some(plan_id)) = (&extended, plan) {
            plans::keep_waiting(&mut tx, plan_id, id, approval.expires_at).await?;
        }
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
