//! Opening the database: one writer, several readers, forward-only migrations.

use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::migrate::Migrator;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Connection, Row, Sqlite, SqliteConnection, SqlitePool, Transaction};
use thiserror::Error;

/// `LWA1`: marks a database file as ours.
const APPLICATION_ID: i64 = 0x4C57_4131;

static MIGRATIONS: Migrator = sqlx::migrate!("./migrations");

/// The database failed or holds something it should not.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The file is a database of another program.
    #[error("`{0}` is a database of another program; move it away, or set `LWA_HOME` to another folder")]
    Foreign(PathBuf),
    /// The file was written by a newer version.
    #[error("`{path}` was written by a newer version of this program; update it, or set `LWA_HOME` to another folder")]
    Newer {
        /// Which file.
        path: PathBuf,
        /// What the migration said.
        source: sqlx::migrate::MigrateError,
    },
    /// The schema could not be brought up to date.
    #[error("cannot bring the database up to date")]
    Migrate(#[source] sqlx::migrate::MigrateError),
    /// SQLite failed.
    #[error("the database failed: {0}")]
    Sql(#[from] sqlx::Error),
    /// A row holds something that cannot be read.
    #[error("the database row `{row}` holds an unreadable `{column}`")]
    Corrupt {
        /// Which row.
        row: String,
        /// Which column.
        column: &'static str,
    },
}

/// The open database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Db {
    writer: SqlitePool,
    readers: SqlitePool,
}

impl Db {
    /// Opens or creates the database and brings its schema up to date.
    ///
    /// # Errors
    /// The file cannot be opened, belongs to another program or to a newer version.
    pub async fn open(path: &Path) -> Result<Self, StoreError> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            // What is wiped is overwritten: a prompt must not stay readable in a page that nobody uses any more.
            .pragma("secure_delete", "ON")
            .busy_timeout(Duration::from_secs(5));
        mark_as_ours(path).await?;
        let writer = SqlitePoolOptions::new().max_connections(1).connect_with(options.clone()).await?;
        MIGRATIONS.run(&writer).await.map_err(|source| match source {
            sqlx::migrate::MigrateError::VersionMissing(_) => StoreError::Newer { path: path.to_owned(), source },
            other => StoreError::Migrate(other),
        })?;
        let readers = SqlitePoolOptions::new()
            .min_connections(0)
            .max_connections(4)
            .idle_timeout(Duration::from_mins(1))
            .connect_lazy_with(options.read_only(true).create_if_missing(false));
        Ok(Self { writer, readers })
    }

    /// A transaction that holds the write lock from its start, so that what it reads stays true.
    ///
    /// # Errors
    /// The database failed.
    pub async fn begin(&self) -> Result<Transaction<'static, Sqlite>, StoreError> {
        Ok(self.writer.begin_with("BEGIN IMMEDIATE").await?)
    }

    /// The connections for reading.
    pub(crate) fn readers(&self) -> &SqlitePool {
        &self.readers
    }

    /// Writes the log back into the file and empties it, so that what was wiped stands in neither.
    ///
    /// # Errors
    /// The database failed. A reader that is busy keeps the log until the next time, and is no error.
    pub async fn write_back(&self) -> Result<(), StoreError> {
        sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").fetch_all(&self.writer).await?;
        Ok(())
    }

    /// Closes every connection and waits for the log to be written back.
    pub async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}

/// Refuses a file of another program; marks a new one.
async fn mark_as_ours(path: &Path) -> Result<(), StoreError> {
    let options = SqliteConnectOptions::new().filename(path).create_if_missing(true);
    let foreign = |error: sqlx::Error| match &error {
        // SQLITE_NOTADB: the file is no database at all.
        sqlx::Error::Database(inner) if inner.code().as_deref() == Some("26") => StoreError::Foreign(path.to_owned()),
        _ => StoreError::Sql(error),
    };
    let mut connection = SqliteConnection::connect_with(&options).await.map_err(foreign)?;
    let id: i64 = sqlx::query("PRAGMA application_id").fetch_one(&mut connection).await.map_err(foreign)?.try_get(0)?;
    if id == 0 {
        let tables: i64 = sqlx::query("SELECT count(*) FROM sqlite_schema")
            .fetch_one(&mut connection)
            .await
            .map_err(foreign)?
            .try_get(0)?;
        if tables > 0 {
            return Err(StoreError::Foreign(path.to_owned()));
        }
        sqlx::query("PRAGMA application_id = 0x4C574131").execute(&mut connection).await?;
    } else if id != APPLICATION_ID {
        return Err(StoreError::Foreign(path.to_owned()));
    }
    connection.close().await?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let private = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(path, private).map_err(|error| StoreError::Sql(sqlx::Error::Io(error)))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[tokio::test]
    async fn opens_twice_and_is_private() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("host.sqlite3");
        Db::open(&path).await.unwrap().close().await;
        let db = Db::open(&path).await.unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        db.close().await;
    }

    #[tokio::test]
    async fn refuses_the_database_of_another_program() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("other.sqlite3");
        let options = SqliteConnectOptions::new().filename(&path).create_if_missing(true);
        let mut other = SqliteConnection::connect_with(&options).await.unwrap();
        sqlx::query("CREATE TABLE theirs (x)").execute(&mut other).await.unwrap();
        other.close().await.unwrap();
        assert!(matches!(Db::open(&path).await, Err(StoreError::Foreign(_))));
        std::fs::write(&path, "not a database at all, but a text that is longer than a header").unwrap();
        assert!(matches!(Db::open(&path).await, Err(StoreError::Foreign(_))));
    }
}
