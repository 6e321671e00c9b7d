//! The audit log: an append-only chain of hashes.
//!
//! Each row's hash covers its own fields and the hash before it, so a row cannot be changed, removed
//! or put in between without every later hash failing.

use jiff::Timestamp;
use serde_json::Value;
use sha2::{Digest, Sha256};
use sqlx::{Row, Sqlite, Transaction};

use crate::db::{Db, StoreError};
use crate::rows::Reader;

/// The hash before the first row.
const GENESIS: [u8; 32] = [0; 32];

/// A row to append. Holds sizes, hashes and verdicts, never contents.
#[derive(Debug, Clone)]
pub struct NewAudit<'a> {
    /// When.
    pub at: Timestamp,
    /// Who: a client's name, `user` or `host`.
    pub actor: &'a str,
    /// In which session.
    pub session: Option<&'a str>,
    /// What was done, `plan.prepared`.
    pub action: &'a str,
    /// What it was done to.
    pub object: Option<&'a str>,
    /// The verdict, where one was reached.
    pub decision: Option<&'a str>,
    /// Further facts.
    pub detail: Value,
}

/// A row of the log.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditRecord {
    /// Position in the chain, from 1.
    pub seq: u64,
    /// When.
    pub at: Timestamp,
    /// Who.
    pub actor: String,
    /// In which session.
    pub session: Option<String>,
    /// What was done.
    pub action: String,
    /// What it was done to.
    pub object: Option<String>,
    /// The verdict.
    pub decision: Option<String>,
    /// Further facts.
    pub detail: Value,
    /// The row's hash.
    pub hash: Vec<u8>,
}

/// What a check of the chain found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainCheck {
    /// Rows checked.
    pub events: u64,
    /// The newest hash; none when the log is empty.
    pub head: Option<Vec<u8>>,
    /// The first row that does not follow from the one before.
    pub first_bad: Option<u64>,
}

/// The fields of a row as they are hashed: each with its length, so that no two rows read alike.
struct Hashed<'a> {
    seq: i64,
    at: i64,
    texts: [Option<&'a str>; 6],
}

impl Hashed<'_> {
    fn digest(&self, previous: &[u8]) -> [u8; 32] {
        let mut hasher = Sha256::new();
        hasher.update(b"lwa-audit-1");
        hasher.update(previous);
        hasher.update(self.seq.to_be_bytes());
        hasher.update(self.at.to_be_bytes());
        for text in self.texts {
            match text {
                Some(text) => {
                    hasher.update([1]);
                    hasher.update((text.len() as u64).to_be_bytes());
                    hasher.update(text.as_bytes());
                }
                None => hasher.update([0]),
            }
        }
        hasher.finalize().into()
    }
}

/// Appends a row within a transaction, so that it stands if and only if what it reports stands.
///
/// # Errors
/// The database failed.
pub async fn append(tx: &mut Transaction<'static, Sqlite>, event: &NewAudit<'_>) -> Result<u64, StoreError> {
    let last = sqlx::query("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1").fetch_optional(&mut **tx).await?;
    let (seq, previous) = match last {
        Some(row) => (row.try_get::<i64, _>("seq")? + 1, row.try_get::<Vec<u8>, _>("hash")?),
        None => (1, GENESIS.to_vec()),
    };
    let at = event.at.as_millisecond();
    let detail = event.detail.to_string();
    let hash = Hashed {
        seq,
        at,
        texts: [Some(event.actor), event.session, Some(event.action), event.object, event.decision, Some(&detail)],
    }
    .digest(&previous);
    sqlx::query(
        "INSERT INTO audit (seq, at, actor, session, action, object, decision, detail, prev_hash, hash)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(seq)
    .bind(at)
    .bind(event.actor)
    .bind(event.session)
    .bind(event.action)
    .bind(event.object)
    .bind(event.decision)
    .bind(&detail)
    .bind(&previous)
    .bind(hash.as_slice())
    .execute(&mut **tx)
    .await?;
    Ok(u64::try_from(seq).unwrap_or(0))
}

impl Db {
    /// Appends one row in a transaction of its own.
    ///
    /// # Errors
    /// The database failed.
    pub async fn append_audit(&self, event: &NewAudit<'_>) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        append(&mut tx, event).await?;
        Ok(tx.commit().await?)
    }

    /// The newest rows, newest first.
    ///
    /// # Errors
    /// The database failed.
    pub async fn audit_tail(&self, limit: u32) -> Result<Vec<AuditRecord>, StoreError> {
        let rows =
            sqlx::query("SELECT * FROM audit ORDER BY seq DESC LIMIT ?").bind(limit).fetch_all(self.readers()).await?;
        rows.iter()
            .map(|row| {
                let reader = Reader::new(row, "action");
                Ok(AuditRecord {
                    seq: reader.count("seq")?,
                    at: reader.time("at")?,
                    actor: reader.get("actor")?,
                    session: reader.get("session")?,
                    action: reader.get("action")?,
                    object: reader.get("object")?,
                    decision: reader.get("decision")?,
                    detail: reader.json("detail")?,
                    hash: reader.get("hash")?,
                })
            })
            .collect()
    }

    /// Checks every row against the one before it.
    ///
    /// # Errors
    /// The database failed.
    pub async fn verify_audit(&self) -> Result<ChainCheck, StoreError> {
        let mut previous = GENESIS.to_vec();
        let mut expected_seq = 1;
        loop {
            let rows = sqlx::query("SELECT * FROM audit WHERE seq >= ? ORDER BY seq LIMIT 1000")
                .bind(expected_seq)
                .fetch_all(self.readers())
                .await?;
            if rows.is_empty() {
                break;
            }
            for row in &rows {
                let seq: i64 = row.try_get("seq")?;
                let texts: [Option<String>; 6] = [
                    row.try_get("actor")?,
                    row.try_get("session")?,
                    row.try_get("action")?,
                    row.try_get("object")?,
                    row.try_get("decision")?,
                    row.try_get("detail")?,
                ];
                let stored: Vec<u8> = row.try_get("hash")?;
                let stored_previous: Vec<u8> = row.try_get("prev_hash")?;
                let hashed = Hashed { seq, at: row.try_get("at")?, texts: texts.each_ref().map(Option::as_deref) };
                if seq != expected_seq || stored_previous != previous || stored != hashed.digest(&previous) {
                    let first_bad = u64::try_from(expected_seq).ok();
                    return Ok(ChainCheck { events: first_bad.map_or(0, |n| n - 1), head: Some(previous), first_bad });
                }
                previous = stored;
                expected_seq += 1;
            }
        }
        let events = u64::try_from(expected_seq - 1).unwrap_or(0);
        Ok(ChainCheck { events, head: (events > 0).then_some(previous), first_bad: None })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    async fn db_with_rows(folder: &std::path::Path) -> Db {
        let db = Db::open(&folder.join("host.sqlite3")).await.unwrap();
        for n in 0..5 {
            db.append_audit(&NewAudit {
                at: Timestamp::from_millisecond(n).unwrap(),
                actor: "host",
                session: None,
                action: "test.row",
                object: Some(&n.to_string()),
                decision: None,
                detail: json!({ "n": n }),
            })
            .await
            .unwrap();
        }
        db
    }

    #[tokio::test]
    async fn an_untouched_chain_verifies() {
        let temp = tempfile::tempdir().unwrap();
        let db = db_with_rows(temp.path()).await;
        let check = db.verify_audit().await.unwrap();
        assert_eq!((check.events, check.first_bad), (5, None));
        assert_eq!(check.head.as_ref(), Some(&db.audit_tail(1).await.unwrap()[0].hash));
    }

    #[tokio::test]
    async fn rows_cannot_be_changed_or_removed() {
        let temp = tempfile::tempdir().unwrap();
        let db = db_with_rows(temp.path()).await;
        for statement in ["UPDATE audit SET actor = 'x' WHERE seq = 2", "DELETE FROM audit WHERE seq = 2"] {
            let mut tx = db.begin().await.unwrap();
            let error = sqlx::query(statement).execute(&mut *tx).await.unwrap_err();
            assert!(error.to_string().contains("append-only"), "{error}");
        }
    }

    #[tokio::test]
    async fn a_change_behind_the_triggers_back_is_found() {
        for (statement, bad) in [
            ("UPDATE audit SET actor = 'x' WHERE seq = 3", 3),
            ("UPDATE audit SET detail = '{}' WHERE seq = 5", 5),
            ("DELETE FROM audit WHERE seq = 2", 2),
        ] {
            let temp = tempfile::tempdir().unwrap();
            let db = db_with_rows(temp.path()).await;
            let mut tx = db.begin().await.unwrap();
            sqlx::query("DROP TRIGGER audit_keeps_rows").execute(&mut *tx).await.unwrap();
            sqlx::query("DROP TRIGGER audit_keeps_all_rows").execute(&mut *tx).await.unwrap();
            sqlx::query(statement).execute(&mut *tx).await.unwrap();
            tx.commit().await.unwrap();
            assert_eq!(db.verify_audit().await.unwrap().first_bad, Some(bad), "{statement}");
        }
    }
}
