//! The index of the tool library: what its files say, laid out for finding.
//!
//! The files are the truth and this is a copy of them. Each row knows of which content it was made, so that whoever
//! reads the files can tell which ones are old.

use std::collections::HashMap;

use jiff::Timestamp;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, Sqlite, Transaction};

use crate::db::{Db, StoreError};
use crate::rows::Reader;

/// One tool as the index keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryEntry {
    /// Its name in calls.
    pub slug: String,
    /// A digest of everything that the index keeps of it.
    pub content: String,
    /// Its name for people, which is also searched.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Its tags, with blanks between.
    pub tags: String,
    /// Its triggers.
    pub triggers: String,
    /// Its task's label.
    pub task: String,
    /// Where it stands.
    pub status: String,
    /// The words of its name without their endings, with blanks between.
    pub name_words: String,
    /// All its words, as they are and without their endings, with blanks between.
    pub words: String,
    /// All of its text in lower case.
    pub plain: String,
    /// How sure its pattern is, in ten-thousandths.
    pub confidence: u16,
    /// How many runs speak for it.
    pub evidence: u32,
    /// When it was changed last.
    pub updated_at: Timestamp,
}

/// What may be a find.
#[derive(Debug, Clone, PartialEq)]
pub struct LibraryCandidate {
    /// Its name in calls.
    pub slug: String,
    /// Its name for people.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Its task's label.
    pub task: String,
    /// The words of its name without their endings.
    pub name_words: String,
    /// All its words.
    pub words: String,
    /// All of its text in lower case.
    pub plain: String,
    /// How sure its pattern is, in ten-thousandths.
    pub confidence: u16,
    /// How many runs speak for it.
    pub evidence: u32,
    /// When it was changed last.
    pub updated_at: Timestamp,
    /// How well its words fit among all tools, by the index's own measure; more is better.
    pub fit: f64,
}

/// What to look for in the index.
#[derive(Debug, Clone, Default)]
pub struct LibraryLookup<'a> {
    /// Words of which at least one has to be there.
    pub words: &'a [&'a str],
    /// Parts of words of which one may be there instead; those below three characters find nothing.
    pub pieces: &'a [&'a str],
    /// Only tools of this status.
    pub status: Option<&'a str>,
    /// At most this many candidates.
    pub limit: u32,
}

impl Db {
    /// Of which content each tool's row was made, by slug.
    ///
    /// # Errors
    /// The database failed.
    pub async fn library_index(&self) -> Result<HashMap<String, String>, StoreError> {
        let rows = sqlx::query_as("SELECT slug, content FROM library_index").fetch_all(self.readers()).await?;
        Ok(rows.into_iter().collect())
    }

    /// Puts tools into the index, in place of those with their names, and takes others out, in one step.
    ///
    /// # Errors
    /// The database failed.
    pub async fn change_library_index(&self, put: &[LibraryEntry], gone: &[String]) -> Result<(), StoreError> {
        let mut tx = self.begin().await?;
        for slug in gone.iter().chain(put.iter().map(|entry| &entry.slug)) {
            take_out(&mut tx, slug).await?;
        }
        for entry in put {
            put_in(&mut tx, entry).await?;
        }
        Ok(tx.commit().await?)
    }

    /// Tools that share a word, or a part of one, with what is looked for, those that fit best first.
    ///
    /// # Errors
    /// The database failed, or a row cannot be read.
    pub async fn library_candidates(&self, lookup: &LibraryLookup<'_>) -> Result<Vec<LibraryCandidate>, StoreError> {
        let words = one_of(lookup.words.iter().copied());
        let pieces = one_of(lookup.pieces.iter().copied().filter(|piece| piece.chars().count() >= 3));
        // An empty expression is an error to the index and means that nothing is looked for.
        let rows = match (words, pieces) {
            (None, None) => return Ok(Vec::new()),
            (Some(words), None) => sqlx::query(BY_WORDS).bind(words).bind(lookup.status).bind(i64::from(lookup.limit)),
            (None, Some(pieces)) => {
                sqlx::query(BY_PIECES).bind(pieces).bind(lookup.status).bind(i64::from(lookup.limit))
            }
            (Some(words), Some(pieces)) => {
                sqlx::query(BY_BOTH).bind(words).bind(lookup.status).bind(i64::from(lookup.limit)).bind(pieces)
            }
        }
        .fetch_all(self.readers())
        .await?;
        rows.iter().map(candidate).collect()
    }

    /// The tools of a status, in the order of their names in calls.
    ///
    /// # Errors
    /// The database failed, or a row cannot be read.
    pub async fn library_tools(&self, status: &str) -> Result<Vec<LibraryCandidate>, StoreError> {
        let rows = sqlx::query("SELECT *, 0.0 AS rank FROM library_index WHERE status = ? ORDER BY slug")
            .bind(status)
            .fetch_all(self.readers())
            .await?;
        rows.iter().map(candidate).collect()
    }
}

fn candidate(row: &SqliteRow) -> Result<LibraryCandidate, StoreError> {
    let reader = Reader::new(row, "slug");
    Ok(LibraryCandidate {
        slug: reader.get("slug")?,
        name: reader.get("name")?,
        description: reader.get("description")?,
        task: reader.get("task")?,
        name_words: reader.get("name_words")?,
        words: reader.get("words")?,
        plain: reader.get("plain")?,
        confidence: u16::try_from(reader.count("confidence")?).unwrap_or(u16::MAX),
        evidence: u32::try_from(reader.count("evidence")?).unwrap_or(u32::MAX),
        updated_at: reader.time("updated_at")?,
        fit: -row.try_get::<f64, _>("rank")?,
    })
}

// The name counts most, then what somebody wrote to be found by; `words` repeats the others and counts least.
const BY_WORDS: &str = "
    SELECT i.*, f.rank AS rank FROM (
        SELECT rowid AS id, bm25(library_words, 6.0, 1.0, 3.0, 2.0, 1.0, 0.5) AS rank
        FROM library_words WHERE library_words MATCH ?1
    ) AS f JOIN library_index AS i ON i.id = f.id
    WHERE ?2 IS NULL OR i.status = ?2
    ORDER BY f.rank, i.id LIMIT ?3";
const BY_PIECES: &str = "
    SELECT i.*, f.rank AS rank FROM (
        SELECT rowid AS id, bm25(library_pieces) / 2.0 AS rank FROM library_pieces WHERE library_pieces MATCH ?1
    ) AS f JOIN library_index AS i ON i.id = f.id
    WHERE ?2 IS NULL OR i.status = ?2
    ORDER BY f.rank, i.id LIMIT ?3";
const BY_BOTH: &str = "
    SELECT i.*, f.rank AS rank FROM (
        SELECT id, sum(rank) AS rank FROM (
            SELECT rowid AS id, bm25(library_words, 6.0, 1.0, 3.0, 2.0, 1.0, 0.5) AS rank
            FROM library_words WHERE library_words MATCH ?1
            UNION ALL
            SELECT rowid AS id, bm25(library_pieces) / 2.0 AS rank FROM library_pieces WHERE library_pieces MATCH ?4
        ) GROUP BY id
    ) AS f JOIN library_index AS i ON i.id = f.id
    WHERE ?2 IS NULL OR i.status = ?2
    ORDER BY f.rank, i.id LIMIT ?3";

async fn take_out(tx: &mut Transaction<'static, Sqlite>, slug: &str) -> Result<(), StoreError> {
    let id: Option<(i64,)> =
        sqlx::query_as("SELECT id FROM library_index WHERE slug = ?").bind(slug).fetch_optional(&mut **tx).await?;
    let Some((id,)) = id else { return Ok(()) };
    for statement in [
        "DELETE FROM library_index WHERE id = ?",
        "DELETE FROM library_words WHERE rowid = ?",
        "DELETE FROM library_pieces WHERE rowid = ?",
    ] {
        sqlx::query(statement).bind(id).execute(&mut **tx).await?;
    }
    Ok(())
}

async fn put_in(tx: &mut Transaction<'static, Sqlite>, entry: &LibraryEntry) -> Result<(), StoreError> {
    let id = sqlx::query(
        "INSERT INTO library_index (slug, content, name, description, status, task, name_words, words, plain, confidence,
            evidence, updated_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(&entry.slug)
    .bind(&entry.content)
    .bind(&entry.name)
    .bind(&entry.description)
    .bind(&entry.status)
    .bind(&entry.task)
    .bind(&entry.name_words)
    .bind(&entry.words)
    .bind(&entry.plain)
    .bind(i64::from(entry.confidence))
    .bind(i64::from(entry.evidence))
    .bind(entry.updated_at.as_millisecond())
    .execute(&mut **tx)
    .await?
    .last_insert_rowid();
    sqlx::query(
        "INSERT INTO library_words (rowid, name, description, tags, triggers, task, words)
         VALUES (?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(id)
    .bind(format!("{} {}", entry.name, entry.slug))
    .bind(&entry.description)
    .bind(&entry.tags)
    .bind(&entry.triggers)
    .bind(&entry.task)
    .bind(&entry.words)
    .execute(&mut **tx)
    .await?;
    sqlx::query("INSERT INTO library_pieces (rowid, plain) VALUES (?, ?)")
        .bind(id)
        .bind(&entry.plain)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// An expression that any of the texts satisfies. Each is quoted, so that nothing in it is an operator.
fn one_of<'a>(texts: impl Iterator<Item = &'a str>) -> Option<String> {
    let quoted: Vec<String> =
        texts.filter(|text| !text.trim().is_empty()).map(|text| format!("\"{}\"", text.replace('"', "\"\""))).collect();
    (!quoted.is_empty()).then(|| quoted.join(" OR "))
}
