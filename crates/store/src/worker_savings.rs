//! What each turn of the worker saved: numbers alone, kept when the session goes.

use jiff::Timestamp;
use sqlx::sqlite::SqliteRow;

use crate::db::{Db, StoreError};
use crate::rows::{Reader, int};

/// What one turn saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavingsRecord {
    /// The session.
    pub session: String,
    /// The turn.
    pub turn: String,
    /// The client.
    pub client: String,
    /// When.
    pub at: Timestamp,
    /// `run` or `delegate`.
    pub kind: String,
    /// Whether lines were quoted.
    pub is_verbatim: bool,
    /// Whether it failed.
    pub is_error: bool,
    /// Characters of command output and files.
    pub gathered_chars: u64,
    /// Characters handed back.
    pub returned_chars: u64,
    /// Tokens gathered, where they were counted.
    pub gathered_tokens: Option<u64>,
    /// Tokens handed back, where they were counted.
    pub returned_tokens: Option<u64>,
}

fn record(row: &SqliteRow) -> Result<SavingsRecord, StoreError> {
    let reader = Reader::new(row, "turn");
    Ok(SavingsRecord {
        session: reader.get("session")?,
        turn: reader.get("turn")?,
        client: reader.get("client")?,
        at: reader.time("at")?,
        kind: reader.get("kind")?,
        is_verbatim: reader.get("is_verbatim")?,
        is_error: reader.get("is_error")?,
        gathered_chars: reader.count("gathered_chars")?,
        returned_chars: reader.count("returned_chars")?,
        gathered_tokens: reader.count_opt("gathered_tokens")?,
        returned_tokens: reader.count_opt("returned_tokens")?,
    })
}

impl Db {
    /// Counts turns; one that is counted already stays as it is. Returns how many were new.
    ///
    /// # Errors
    /// The database failed.
    pub async fn add_savings(&self, records: &[SavingsRecord]) -> Result<u64, StoreError> {
        let mut tx = self.begin().await?;
        let mut added = 0;
        for record in records {
            added += sqlx::query(
                "INSERT OR IGNORE INTO worker_savings (session, turn, client, at, kind, is_verbatim, is_error,
                    gathered_chars, returned_chars, gathered_tokens, returned_tokens)
                 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            )
            .bind(&record.session)
            .bind(&record.turn)
            .bind(&record.client)
            .bind(record.at.as_millisecond())
            .bind(&record.kind)
            .bind(record.is_verbatim)
            .bind(record.is_error)
            .bind(int(record.gathered_chars))
            .bind(int(record.returned_chars))
            .bind(record.gathered_tokens.map(int))
            .bind(record.returned_tokens.map(int))
            .execute(&mut *tx)
            .await?
            .rows_affected();
        }
        tx.commit().await?;
        Ok(added)
    }

    /// How many of these turns are not counted yet.
    ///
    /// # Errors
    /// The database failed.
    pub async fn uncounted_savings(&self, records: &[SavingsRecord]) -> Result<u64, StoreError> {
        let mut uncounted = 0;
        for record in records {
            let known = sqlx::query("SELECT 1 FROM worker_savings WHERE session = ? AND turn = ?")
                .bind(&record.session)
                .bind(&record.turn)
                .fetch_optional(self.readers())
                .await?;
            uncounted += u64::from(known.is_none());
        }
        Ok(uncounted)
    }

    /// Notes the tokens of a turn that were counted after it ended.
    ///
    /// # Errors
    /// The database failed.
    pub async fn count_savings(
        &self,
        session: &str,
        turn: &str,
        gathered: u64,
        returned: u64,
    ) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        sqlx::query(
            "UPDATE worker_savings SET gathered_tokens = ?3, returned_tokens = ?4 WHERE session = ?1 AND turn = ?2",
        )
        .bind(session)
        .bind(turn)
        .bind(int(gathered))
        .bind(int(returned))
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(())
    }

    /// Every counted turn, or those of one session, oldest first.
    ///
    /// # Errors
    /// The database failed.
    pub async fn savings(&self, session: Option<&str>) -> Result<Vec<SavingsRecord>, StoreError> {
        let rows =
            sqlx::query("SELECT * FROM worker_savings WHERE ?1 IS NULL OR session = ?1 ORDER BY at, session, turn")
                .bind(session)
                .fetch_all(self.readers())
                .await?;
        rows.iter().map(record).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_turn_is_counted_once_and_measured_later() {
        let temp = tempfile::tempdir().unwrap();
        let db = Db::open(&temp.path().join("host.sqlite3")).await.unwrap();
        let mut record = SavingsRecord {
            session: "s".to_owned(),
            turn: "t_1".to_owned(),
            client: "codex".to_owned(),
            at: Timestamp::from_millisecond(5).unwrap(),
            kind: "run".to_owned(),
            is_verbatim: false,
            is_error: false,
            gathered_chars: 40_000,
            returned_chars: 2_000,
            gathered_tokens: None,
            returned_tokens: None,
        };
        assert_eq!(db.uncounted_savings(std::slice::from_ref(&record)).await.unwrap(), 1);
        assert_eq!(db.add_savings(std::slice::from_ref(&record)).await.unwrap(), 1);
        assert_eq!(db.uncounted_savings(std::slice::from_ref(&record)).await.unwrap(), 0);
        assert_eq!(db.add_savings(std::slice::from_ref(&record)).await.unwrap(), 0);
        db.count_savings("s", "t_1", 9_000, 400).await.unwrap();
        record.gathered_tokens = Some(9_000);
        record.returned_tokens = Some(400);
        assert_eq!(db.savings(None).await.unwrap(), vec![record.clone()]);
        assert_eq!(db.savings(Some("s")).await.unwrap(), vec![record]);
        assert!(db.savings(Some("other")).await.unwrap().is_empty());
    }
}
