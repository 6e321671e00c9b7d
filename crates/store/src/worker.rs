//! Sessions of the worker: memory, stored materials, and the journal of each vault.
//!
//! The texts kept here are what left, scrubbed. The journal of a vault holds values in clear: no other table does, and
//! nothing of it is in the audit log.

use jiff::Timestamp;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;

use crate::db::{Db, StoreError};
use crate::rows::{Reader, int};

/// A session.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkerSessionRecord {
    /// Its key.
    pub key: String,
    /// Where the key comes from.
    pub source: String,
    /// Its client.
    pub client: String,
    /// The client's version.
    pub client_version: Option<String>,
    /// `pii` or `assist`.
    pub mode: String,
    /// State of the gate.
    pub gate: serde_json::Value,
    /// State of what may leave.
    pub disclosure: serde_json::Value,
    /// Counts of the policy.
    pub run_policy: serde_json::Value,
    /// Counts of the checks by the model.
    pub leak_check: serde_json::Value,
    /// The compacted memory.
    pub summary: String,
    /// How often it was compacted.
    pub compactions: u64,
    /// When it last was.
    pub last_compaction: Option<Timestamp>,
    /// Keys it had before.
    pub previous_keys: serde_json::Value,
    /// When it began.
    pub created_at: Timestamp,
    /// When it was last used.
    pub last_seen_at: Timestamp,
}

/// A turn as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkerTurnRecord {
    /// Its place in the session.
    pub number: u64,
    /// Its id.
    pub id: String,
    /// Whether the summary holds it.
    pub is_compacted: bool,
    /// The turn.
    pub turn: serde_json::Value,
}

/// A stored material.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkerArtifactRecord {
    /// Its session.
    pub session: String,
    /// Its reference.
    pub reference: String,
    /// The name of its file in the folder of artefacts.
    pub file: String,
    /// What it is of, scrubbed.
    pub source: String,
    /// Characters.
    pub chars: u64,
    /// Bytes on disk.
    pub bytes: u64,
    /// The rest that is known about it.
    pub detail: serde_json::Value,
    /// When it was stored.
    pub created_at: Timestamp,
}

/// Sums over the parts of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WorkerCounts {
    /// Turns.
    pub turns: u64,
    /// Turns that the summary does not hold.
    pub uncompacted_turns: u64,
    /// Stored materials.
    pub artifacts: u64,
    /// Bytes of them.
    pub artifact_bytes: u64,
}

fn session(row: &SqliteRow) -> Result<WorkerSessionRecord, StoreError> {
    let reader = Reader::new(row, "key");
    Ok(WorkerSessionRecord {
        key: reader.get("key")?,
        source: reader.get("source")?,
        client: reader.get("client")?,
        client_version: reader.get("client_version")?,
        mode: reader.get("mode")?,
        gate: reader.json("gate")?,
        disclosure: reader.json("disclosure")?,
        run_policy: reader.json("run_policy")?,
        leak_check: reader.json("leak_check")?,
        summary: reader.get("summary")?,
        compactions: reader.count("compactions")?,
        last_compaction: reader.time_opt("last_compaction")?,
        previous_keys: reader.json("previous_keys")?,
        created_at: reader.time("created_at")?,
        last_seen_at: reader.time("last_seen_at")?,
    })
}

fn turn(row: &SqliteRow) -> Result<WorkerTurnRecord, StoreError> {
    let reader = Reader::new(row, "id");
    Ok(WorkerTurnRecord {
        number: reader.count("number")?,
        id: reader.get("id")?,
        is_compacted: reader.get("is_compacted")?,
        turn: reader.json("turn")?,
    })
}

fn artifact(row: &SqliteRow) -> Result<WorkerArtifactRecord, StoreError> {
    let reader = Reader::new(row, "reference");
    Ok(WorkerArtifactRecord {
        session: reader.get("session")?,
        reference: reader.get("reference")?,
        file: reader.get("file")?,
        source: reader.get("source")?,
        chars: reader.count("chars")?,
        bytes: reader.count("bytes")?,
        detail: reader.json("detail")?,
        created_at: reader.time("created_at")?,
    })
}

impl Db {
    /// The session with this key, or with this key before it was renamed.
    ///
    /// # Errors
    /// The database failed.
    pub async fn worker_session(&self, key: &str) -> Result<Option<WorkerSessionRecord>, StoreError> {
        let row =
            sqlx::query("SELECT * FROM worker_sessions WHERE key = ?").bind(key).fetch_optional(self.readers()).await?;
        row.as_ref().map(session).transpose()
    }

    /// Every session, the last used first.
    ///
    /// # Errors
    /// The database failed.
    pub async fn worker_sessions(&self) -> Result<Vec<WorkerSessionRecord>, StoreError> {
        let rows = sqlx::query("SELECT * FROM worker_sessions ORDER BY last_seen_at DESC, key")
            .fetch_all(self.readers())
            .await?;
        rows.iter().map(session).collect()
    }

    /// Writes a session, new or changed.
    ///
    /// # Errors
    /// The database failed.
    pub async fn put_worker_session(&self, record: &WorkerSessionRecord) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        sqlx::query(
            "INSERT INTO worker_sessions (key, source, client, client_version, mode, gate, disclosure, run_policy,
                leak_check, summary, compactions, last_compaction, previous_keys, created_at, last_seen_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
             ON CONFLICT (key) DO UPDATE SET source = ?2, client = ?3, client_version = ?4, mode = ?5, gate = ?6,
                disclosure = ?7, run_policy = ?8, leak_check = ?9, summary = ?10, compactions = ?11,
                last_compaction = ?12, previous_keys = ?13, last_seen_at = ?15",
        )
        .bind(&record.key)
        .bind(&record.source)
        .bind(&record.client)
        .bind(record.client_version.as_deref())
        .bind(&record.mode)
        .bind(record.gate.to_string())
        .bind(record.disclosure.to_string())
        .bind(record.run_policy.to_string())
        .bind(record.leak_check.to_string())
        .bind(&record.summary)
        .bind(int(record.compactions))
        .bind(record.last_compaction.map(Timestamp::as_millisecond))
        .bind(record.previous_keys.to_string())
        .bind(record.created_at.as_millisecond())
        .bind(record.last_seen_at.as_millisecond())
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(())
    }

    /// Adds a turn at the end of a session; returns its number, counted from 1.
    ///
    /// # Errors
    /// The database failed, or there is no such session.
    pub async fn append_worker_turn(&self, key: &str, id: &str, turn: &serde_json::Value) -> Result<u64, StoreError> {
        let mut tx = self.begin().await?;
        let row = sqlx::query(
            "INSERT INTO worker_turns (session, number, id, is_compacted, turn)
             VALUES (?1, (SELECT coalesce(max(number), 0) + 1 FROM worker_turns WHERE session = ?1), ?2, 0, ?3)
             RETURNING number",
        )
        .bind(key)
        .bind(id)
        .bind(turn.to_string())
        .fetch_one(&mut *tx)
        .await?;
        let number: i64 = row.try_get("number")?;
        tx.commit().await?;
        Ok(u64::try_from(number).unwrap_or_default())
    }

    /// Turns that the summary does not hold, oldest first.
    ///
    /// # Errors
    /// The database failed.
    pub async fn uncompacted_worker_turns(&self, key: &str) -> Result<Vec<WorkerTurnRecord>, StoreError> {
        let rows = sqlx::query(
            "SELECT number, id, is_compacted, turn FROM worker_turns WHERE session = ? AND is_compacted = 0 ORDER BY number",
        )
        .bind(key)
        .fetch_all(self.readers())
        .await?;
        rows.iter().map(turn).collect()
    }

    /// The last turns of a session, newest first.
    ///
    /// # Errors
    /// The database failed.
    pub async fn last_worker_turns(&self, key: &str, limit: u32) -> Result<Vec<WorkerTurnRecord>, StoreError> {
        let rows = sqlx::query(
            "SELECT number, id, is_compacted, turn FROM worker_turns WHERE session = ? ORDER BY number DESC LIMIT ?",
        )
        .bind(key)
        .bind(limit)
        .fetch_all(self.readers())
        .await?;
        rows.iter().map(turn).collect()
    }

    /// Puts a new summary in force that holds every turn up to `last`, in one transaction.
    ///
    /// # Errors
    /// The database failed.
    pub async fn compact_worker_memory(
        &self,
        key: &str,
        summary: &str,
        last: u64,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        sqlx::query("UPDATE worker_turns SET is_compacted = 1 WHERE session = ? AND number <= ?")
            .bind(key)
            .bind(int(last))
            .execute(&mut *tx)
            .await?;
        sqlx::query(
            "UPDATE worker_sessions SET summary = ?2, compactions = compactions + 1, last_compaction = ?3 WHERE key = ?1",
        )
        .bind(key)
        .bind(summary)
        .bind(now.as_millisecond())
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(())
    }

    /// Replaces the texts of a session's memory, turn by turn, after what may leave was narrowed.
    ///
    /// # Errors
    /// The database failed.
    pub async fn rewrite_worker_memory(
        &self,
        key: &str,
        summary: &str,
        turns: &[(u64, serde_json::Value)],
    ) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        sqlx::query("UPDATE worker_sessions SET summary = ?2 WHERE key = ?1")
            .bind(key)
            .bind(summary)
            .execute(&mut *tx)
            .await?;
        for (number, turn) in turns {
            sqlx::query("UPDATE worker_turns SET turn = ?3 WHERE session = ?1 AND number = ?2")
                .bind(key)
                .bind(int(*number))
                .bind(turn.to_string())
                .execute(&mut *tx)
                .await?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// Appends lines to the journal of a session's vault.
    ///
    /// # Errors
    /// The database failed, or there is no such session.
    pub async fn append_worker_vault<L: AsRef<str>>(&self, key: &str, lines: &[L]) -> Result<(), StoreError> {
        if lines.is_empty() {
            return Ok(());
        }
        let mut tx = self.begin().await?;
        let row = sqlx::query("SELECT coalesce(max(number), 0) AS last FROM worker_vault WHERE session = ?")
            .bind(key)
            .fetch_one(&mut *tx)
            .await?;
        let mut number: i64 = row.try_get("last")?;
        for line in lines {
            number += 1;
            sqlx::query("INSERT INTO worker_vault (session, number, line) VALUES (?, ?, ?)")
                .bind(key)
                .bind(number)
                .bind(line.as_ref())
                .execute(&mut *tx)
                .await?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// The journal of a session's vault, in order.
    ///
    /// # Errors
    /// The database failed.
    pub async fn worker_vault(&self, key: &str) -> Result<Vec<String>, StoreError> {
        let rows = sqlx::query("SELECT line FROM worker_vault WHERE session = ? ORDER BY number")
            .bind(key)
            .fetch_all(self.readers())
            .await?;
        rows.iter().map(|row| Ok(row.try_get("line")?)).collect()
    }

    /// Keeps what is known about a stored material.
    ///
    /// # Errors
    /// The database failed, or there is no such session.
    pub async fn put_worker_artifact(&self, record: &WorkerArtifactRecord) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        sqlx::query(
            "INSERT INTO worker_artifacts (session, reference, file, source, chars, bytes, detail, created_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        )
        .bind(&record.session)
        .bind(&record.reference)
        .bind(&record.file)
        .bind(&record.source)
        .bind(int(record.chars))
        .bind(int(record.bytes))
        .bind(record.detail.to_string())
        .bind(record.created_at.as_millisecond())
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(())
    }

    /// A stored material of a session.
    ///
    /// # Errors
    /// The database failed.
    pub async fn worker_artifact(
        &self,
        key: &str,
        reference: &str,
    ) -> Result<Option<WorkerArtifactRecord>, StoreError> {
        let row = sqlx::query("SELECT * FROM worker_artifacts WHERE session = ? AND reference = ?")
            .bind(key)
            .bind(reference)
            .fetch_optional(self.readers())
            .await?;
        row.as_ref().map(artifact).transpose()
    }

    /// Stored materials of a session, newest first.
    ///
    /// # Errors
    /// The database failed.
    pub async fn worker_artifacts(&self, key: &str) -> Result<Vec<WorkerArtifactRecord>, StoreError> {
        let rows = sqlx::query("SELECT * FROM worker_artifacts WHERE session = ? ORDER BY created_at DESC, reference")
            .bind(key)
            .fetch_all(self.readers())
            .await?;
        rows.iter().map(artifact).collect()
    }

    /// How much a session holds.
    ///
    /// # Errors
    /// The database failed.
    pub async fn worker_counts(&self, key: &str) -> Result<WorkerCounts, StoreError> {
        let row = sqlx::query(
            "SELECT (SELECT count(*) FROM worker_turns WHERE session = ?1) AS turns,
                (SELECT count(*) FROM worker_turns WHERE session = ?1 AND is_compacted = 0) AS uncompacted,
                (SELECT count(*) FROM worker_artifacts WHERE session = ?1) AS artifacts,
                (SELECT coalesce(sum(bytes), 0) FROM worker_artifacts WHERE session = ?1) AS bytes, ?1 AS key",
        )
        .bind(key)
        .fetch_one(self.readers())
        .await?;
        let reader = Reader::new(&row, "key");
        Ok(WorkerCounts {
            turns: reader.count("turns")?,
            uncompacted_turns: reader.count("uncompacted")?,
            artifacts: reader.count("artifacts")?,
            artifact_bytes: reader.count("bytes")?,
        })
    }

    /// Removes a session with all that hangs on it; what it saved stays.
    ///
    /// # Errors
    /// The database failed.
    pub async fn delete_worker_session(&self, key: &str) -> Result<bool, StoreError> {
        let mut tx = self.begin().await?;
        let done = sqlx::query("DELETE FROM worker_sessions WHERE key = ?").bind(key).execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(done.rows_affected() > 0)
    }

    /// Removes the journal of a session's vault; returns how many lines it had.
    ///
    /// # Errors
    /// The database failed.
    pub async fn delete_worker_vault(&self, key: &str) -> Result<u64, StoreError> {
        let mut tx = self.begin().await?;
        let done = sqlx::query("DELETE FROM worker_vault WHERE session = ?").bind(key).execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(done.rows_affected())
    }

    /// Forgets the stored materials of a session that are older than `before`; returns them, so that their files can go.
    ///
    /// # Errors
    /// The database failed.
    pub async fn delete_worker_artifacts(
        &self,
        key: &str,
        before: Option<Timestamp>,
    ) -> Result<Vec<WorkerArtifactRecord>, StoreError> {
        let mut tx = self.begin().await?;
        let rows = sqlx::query("DELETE FROM worker_artifacts WHERE session = ?1 AND created_at < ?2 RETURNING *")
            .bind(key)
            .bind(before.map_or(i64::MAX, Timestamp::as_millisecond))
            .fetch_all(&mut *tx)
            .await?;
        tx.commit().await?;
        rows.iter().map(artifact).collect()
    }

    /// Moves everything of one session to another that exists, turns behind the turns that are there; the first one
    /// ends. Vaults are not moved: the journal of the one that stays is replaced by `journal`, which holds both.
    ///
    /// # Errors
    /// The database failed.
    pub async fn adopt_worker_session<L: AsRef<str>>(
        &self,
        from: &str,
        into: &str,
        journal: &[L],
    ) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        sqlx::query(
            "UPDATE worker_turns SET session = ?2,
                number = number + (SELECT coalesce(max(number), 0) FROM worker_turns WHERE session = ?2)
             WHERE session = ?1",
        )
        .bind(from)
        .bind(into)
        .execute(&mut *tx)
        .await?;
        for table in ["worker_artifacts", "worker_savings"] {
            sqlx::query(sqlx::AssertSqlSafe(format!("UPDATE OR IGNORE {table} SET session = ?2 WHERE session = ?1")))
                .bind(from)
                .bind(into)
                .execute(&mut *tx)
                .await?;
        }
        sqlx::query("DELETE FROM worker_vault WHERE session IN (?1, ?2)")
            .bind(from)
            .bind(into)
            .execute(&mut *tx)
            .await?;
        for (number, line) in (1_i64..).zip(journal) {
            sqlx::query("INSERT INTO worker_vault (session, number, line) VALUES (?, ?, ?)")
                .bind(into)
                .bind(number)
                .bind(line.as_ref())
                .execute(&mut *tx)
                .await?;
        }
        sqlx::query("DELETE FROM worker_sessions WHERE key = ?").bind(from).execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Gives a session another key; its parts go with it.
    ///
    /// # Errors
    /// The database failed, or the new key is taken.
    pub async fn rename_worker_session(&self, from: &str, to: &str, source: &str) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        sqlx::query("UPDATE worker_sessions SET key = ?2, source = ?3 WHERE key = ?1")
            .bind(from)
            .bind(to)
            .bind(source)
            .execute(&mut *tx)
            .await?;
        sqlx::query("UPDATE OR IGNORE worker_savings SET session = ?2 WHERE session = ?1")
            .bind(from)
            .bind(to)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn new_session(key: &str) -> WorkerSessionRecord {
        let at = Timestamp::from_millisecond(1_000).unwrap();
        WorkerSessionRecord {
            key: key.to_owned(),
            source: "thread".to_owned(),
            client: "codex".to_owned(),
            client_version: None,
            mode: "assist".to_owned(),
            gate: json!({}),
            disclosure: json!({}),
            run_policy: json!({}),
            leak_check: json!({}),
            summary: String::new(),
            compactions: 0,
            last_compaction: None,
            previous_keys: json!([]),
            created_at: at,
            last_seen_at: at,
        }
    }

    async fn db(folder: &std::path::Path) -> Db {
        Db::open(&folder.join("host.sqlite3")).await.unwrap()
    }

    fn material(session: &str, reference: &str) -> WorkerArtifactRecord {
        WorkerArtifactRecord {
            session: session.to_owned(),
            reference: reference.to_owned(),
            file: format!("{reference}.txt"),
            source: "command:ls".to_owned(),
            chars: 5,
            bytes: 5,
            detail: json!({ "exit_code": 0 }),
            created_at: Timestamp::from_millisecond(2_000).unwrap(),
        }
    }

    #[tokio::test]
    async fn a_session_is_written_read_and_changed() {
        let temp = tempfile::tempdir().unwrap();
        let db = db(temp.path()).await;
        let mut record = new_session("codex:1");
        db.put_worker_session(&record).await.unwrap();
        record.mode = "pii".to_owned();
        record.gate = json!({ "state": "on" });
        db.put_worker_session(&record).await.unwrap();
        assert_eq!(db.worker_session("codex:1").await.unwrap(), Some(record.clone()));
        assert_eq!(db.worker_sessions().await.unwrap(), vec![record]);
        assert_eq!(db.worker_session("codex:2").await.unwrap(), None);
    }

    #[tokio::test]
    async fn turns_are_numbered_and_a_compaction_takes_those_that_were_there() {
        let temp = tempfile::tempdir().unwrap();
        let db = db(temp.path()).await;
        db.put_worker_session(&new_session("s")).await.unwrap();
        for number in 1..=3 {
            let turn = json!({ "task": number });
            assert_eq!(db.append_worker_turn("s", &format!("t_{number}"), &turn).await.unwrap(), number);
        }
        db.compact_worker_memory("s", "notes", 2, Timestamp::from_millisecond(9).unwrap()).await.unwrap();
        let left = db.uncompacted_worker_turns("s").await.unwrap();
        assert_eq!(left.iter().map(|turn| turn.number).collect::<Vec<_>>(), [3]);
        let session = db.worker_session("s").await.unwrap().unwrap();
        assert_eq!((session.summary.as_str(), session.compactions), ("notes", 1));
        let counts = db.worker_counts("s").await.unwrap();
        assert_eq!((counts.turns, counts.uncompacted_turns), (3, 1));
        assert!(db.append_worker_turn("nobody", "t_9", &json!({})).await.is_err());
    }

    #[tokio::test]
    async fn a_vault_is_appended_to_read_in_order_and_removed_without_a_trace() {
        let temp = tempfile::tempdir().unwrap();
        let db = db(temp.path()).await;
        db.put_worker_session(&new_session("s")).await.unwrap();
        let lines: Vec<String> = (0..300).map(|number| format!("planted value {number}")).collect();
        db.append_worker_vault("s", &lines[..200]).await.unwrap();
        db.append_worker_vault("s", &lines[200..]).await.unwrap();
        assert_eq!(db.worker_vault("s").await.unwrap(), lines);
        assert_eq!(db.delete_worker_vault("s").await.unwrap(), 300);
        db.delete_worker_session("s").await.unwrap();
        db.close().await;
        let file = std::fs::read(temp.path().join("host.sqlite3")).unwrap();
        assert!(!String::from_utf8_lossy(&file).contains("planted value"));
    }

    #[tokio::test]
    async fn removing_a_session_removes_what_hangs_on_it() {
        let temp = tempfile::tempdir().unwrap();
        let db = db(temp.path()).await;
        db.put_worker_session(&new_session("s")).await.unwrap();
        db.append_worker_turn("s", "t_1", &json!({})).await.unwrap();
        db.append_worker_vault("s", &["a line"]).await.unwrap();
        db.put_worker_artifact(&material("s", "a_00000001")).await.unwrap();
        assert!(db.delete_worker_session("s").await.unwrap());
        assert!(!db.delete_worker_session("s").await.unwrap());
        assert!(db.worker_vault("s").await.unwrap().is_empty());
        assert_eq!(db.worker_counts("s").await.unwrap(), WorkerCounts::default());
    }

    #[tokio::test]
    async fn adoption_keeps_turns_materials_and_the_joined_journal() {
        let temp = tempfile::tempdir().unwrap();
        let db = db(temp.path()).await;
        for key in ["old", "new"] {
            db.put_worker_session(&new_session(key)).await.unwrap();
            db.append_worker_turn(key, &format!("t_{key}"), &json!({ "of": key })).await.unwrap();
            db.append_worker_vault(key, &[format!("line of {key}")]).await.unwrap();
        }
        db.put_worker_artifact(&material("old", "a_00000001")).await.unwrap();
        db.adopt_worker_session("old", "new", &["both"]).await.unwrap();
        assert_eq!(db.worker_session("old").await.unwrap(), None);
        let ids: Vec<String> =
            db.uncompacted_worker_turns("new").await.unwrap().into_iter().map(|turn| turn.id).collect();
        assert_eq!(ids, ["t_new", "t_old"]);
        assert_eq!(db.worker_vault("new").await.unwrap(), ["both"]);
        assert_eq!(db.worker_artifacts("new").await.unwrap().len(), 1);
        db.rename_worker_session("new", "newer", "tool_use").await.unwrap();
        assert_eq!(db.worker_vault("newer").await.unwrap(), ["both"]);
        assert_eq!(db.worker_counts("newer").await.unwrap().turns, 2);
    }
}
