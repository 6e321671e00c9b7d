//! Work that repeats: patterns, and the runs that were counted into them.

use jiff::Timestamp;
use lwa_domain::TaskKind;
use sqlx::sqlite::SqliteRow;
use sqlx::{Sqlite, Transaction};

use crate::db::{Db, StoreError};
use crate::rows::{Reader, int};

/// How many unnamed patterns of a task a text is compared with, the most frequent first.
const COMPARED: i64 = 200;

/// A kept pattern. What the columns say is also in `pattern`, which is the JSON of whoever keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternRecord {
    /// Its name in the database.
    pub signature: String,
    /// The task.
    pub task: TaskKind,
    /// Whether somebody named the workflow.
    pub is_named: bool,
    /// How many distinct runs there were.
    pub occurrences: u32,
    /// How many of them succeeded.
    pub successes: u32,
    /// The tool that came of it.
    pub tool: Option<String>,
    /// The whole as JSON.
    pub pattern: String,
    /// When it was seen first.
    pub first_seen_at: Timestamp,
    /// When it was seen last.
    pub last_seen_at: Timestamp,
}

/// A run to count.
#[derive(Debug, Clone)]
pub struct NewObservation {
    /// A digest of the run's id; a run is counted once.
    pub run_mark: String,
    /// The task.
    pub task: TaskKind,
    /// Whether the run succeeded.
    pub is_success: bool,
    /// Now.
    pub at: Timestamp,
}

/// What is to be kept of an observation.
#[derive(Debug)]
pub enum Take<T> {
    /// Nothing.
    Nothing(T),
    /// The run is counted into this pattern.
    Count(Box<PatternRecord>, T),
}

/// What became of an observation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Observed<T> {
    /// The run was counted before, into the pattern with this signature.
    AlreadyCounted(String),
    /// What was decided.
    Decided(T),
}

fn record(row: &SqliteRow) -> Result<PatternRecord, StoreError> {
    let reader = Reader::new(row, "signature");
    let count = |column| reader.count(column).map(|count| u32::try_from(count).unwrap_or(u32::MAX));
    Ok(PatternRecord {
        signature: reader.get("signature")?,
        task: reader.label("task")?,
        is_named: reader.get("is_named")?,
        occurrences: count("occurrences")?,
        successes: count("successes")?,
        tool: reader.get("tool")?,
        pattern: reader.get("pattern")?,
        first_seen_at: reader.time("first_seen_at")?,
        last_seen_at: reader.time("last_seen_at")?,
    })
}

impl Db {
    /// Counts a run. `decide` sees the patterns that the run may belong to, as they are at this moment, and
    /// says which one is kept; it may be asked again with one pattern more. Observation and pattern are one step.
    ///
    /// # Errors
    /// The database failed, a row cannot be read, or `decide` could not read a pattern.
    pub async fn observe<T>(
        &self,
        seen: &NewObservation,
        decide: impl Fn(&[PatternRecord]) -> Result<Take<T>, StoreError> + Send + Sync,
    ) -> Result<Observed<T>, StoreError> {
        let mut tx = self.begin().await?;
        let counted: Option<(String,)> =
            sqlx::query_as("SELECT signature FROM workflow_observations WHERE run_mark = ?")
                .bind(&seen.run_mark)
                .fetch_optional(&mut *tx)
                .await?;
        if let Some((signature,)) = counted {
            return Ok(Observed::AlreadyCounted(signature));
        }
        let mut known = comparable(&mut tx, seen.task).await?;
        let mut taken = decide(&known)?;
        if let Take::Count(pattern, _) = &taken
            && !known.iter().any(|one| one.signature == pattern.signature)
            && let Some(present) = one(&mut tx, &pattern.signature).await?
        {
            // It was too rare to be compared with, and it is the same.
            known.push(present);
            taken = decide(&known)?;
        }
        match taken {
            Take::Nothing(result) => Ok(Observed::Decided(result)),
            Take::Count(pattern, result) => {
                put(&mut tx, &pattern).await?;
                sqlx::query(
                    "INSERT INTO workflow_observations (run_mark, signature, task, is_success, observed_at)
                     VALUES (?, ?, ?, ?, ?)",
                )
                .bind(&seen.run_mark)
                .bind(&pattern.signature)
                .bind(seen.task.as_str())
                .bind(seen.is_success)
                .bind(seen.at.as_millisecond())
                .execute(&mut *tx)
                .await?;
                tx.commit().await?;
                Ok(Observed::Decided(result))
            }
        }
    }

    /// Notes which tool came of a pattern.
    ///
    /// # Errors
    /// The database failed.
    pub async fn bind_pattern(&self, signature: &str, tool: &str) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        sqlx::query(
            "UPDATE workflow_patterns SET tool = ?2, pattern = json_set(pattern, '$.tool', ?2) WHERE signature = ?1",
        )
        .bind(signature)
        .bind(tool)
        .execute(&mut *tx)
        .await?;
        Ok(tx.commit().await?)
    }

    /// One pattern.
    ///
    /// # Errors
    /// The database failed, or the row cannot be read.
    pub async fn pattern(&self, signature: &str) -> Result<Option<PatternRecord>, StoreError> {
        let row = sqlx::query("SELECT * FROM workflow_patterns WHERE signature = ?")
            .bind(signature)
            .fetch_optional(self.readers())
            .await?;
        row.as_ref().map(record).transpose()
    }

    /// Patterns, the most frequent first.
    ///
    /// # Errors
    /// The database failed, or a row cannot be read.
    pub async fn patterns(&self, limit: u32) -> Result<Vec<PatternRecord>, StoreError> {
        let rows = sqlx::query(
            "SELECT * FROM workflow_patterns ORDER BY occurrences DESC, last_seen_at DESC, signature LIMIT ?",
        )
        .bind(i64::from(limit))
        .fetch_all(self.readers())
        .await?;
        rows.iter().map(record).collect()
    }

    /// How many patterns are known.
    ///
    /// # Errors
    /// The database failed.
    pub async fn pattern_count(&self) -> Result<u64, StoreError> {
        let (count,): (i64,) =
            sqlx::query_as("SELECT count(*) FROM workflow_patterns").fetch_one(self.readers()).await?;
        Ok(u64::try_from(count).unwrap_or_default())
    }
}

/// The patterns of a task that a run may belong to: every named one, and the most frequent of the others.
async fn comparable(tx: &mut Transaction<'static, Sqlite>, task: TaskKind) -> Result<Vec<PatternRecord>, StoreError> {
    let rows = sqlx::query(
        "SELECT * FROM workflow_patterns WHERE task = ?1 AND is_named = 1
         UNION ALL
         SELECT * FROM (
            SELECT * FROM workflow_patterns WHERE task = ?1 AND is_named = 0
            ORDER BY occurrences DESC, last_seen_at DESC LIMIT ?2
         )",
    )
    .bind(task.as_str())
    .bind(COMPARED)
    .fetch_all(&mut **tx)
    .await?;
    rows.iter().map(record).collect()
}

async fn one(tx: &mut Transaction<'static, Sqlite>, signature: &str) -> Result<Option<PatternRecord>, StoreError> {
    let row = sqlx::query("SELECT * FROM workflow_patterns WHERE signature = ?")
        .bind(signature)
        .fetch_optional(&mut **tx)
        .await?;
    row.as_ref().map(record).transpose()
}

async fn put(tx: &mut Transaction<'static, Sqlite>, pattern: &PatternRecord) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO workflow_patterns (signature, task, is_named, occurrences, successes, tool, pattern, first_seen_at,
            last_seen_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (signature) DO UPDATE SET
            occurrences = excluded.occurrences, successes = excluded.successes, tool = excluded.tool,
            pattern = excluded.pattern, last_seen_at = excluded.last_seen_at",
    )
    .bind(&pattern.signature)
    .bind(pattern.task.as_str())
    .bind(pattern.is_named)
    .bind(int(u64::from(pattern.occurrences)))
    .bind(int(u64::from(pattern.successes)))
    .bind(&pattern.tool)
    .bind(&pattern.pattern)
    .bind(pattern.first_seen_at.as_millisecond())
    .bind(pattern.last_seen_at.as_millisecond())
    .execute(&mut **tx)
    .await?;
    Ok(())
}
