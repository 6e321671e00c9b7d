//! Construction, and the handle that every use case takes.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use jiff::Timestamp;
use lwa_config::Home;
use lwa_domain::PlanId;
use lwa_protocol::{Event, Failure};
use lwa_secrets::SecretStore;
use lwa_store::Db;
use tokio::sync::{Notify, broadcast, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::broker::Broker;
use crate::catalogue::{Health, LocalServers};
use crate::configuration::Configuration;
use crate::failure;
use crate::run::RunState;
use crate::surfaces::Surfaces;

/// Gives the time; the host's is the system's, a test's is its own.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// What an engine is made of.
pub struct EngineOptions {
    /// The folders.
    pub home: Home,
    /// Gives the time.
    pub clock: Clock,
    /// The keychain or file for keys; chosen by the configuration when absent.
    pub secrets: Option<Arc<dyn SecretStore>>,
    /// The folder of the host's own executable.
    pub program_folder: PathBuf,
    /// Whether local model servers are looked for.
    pub detects_local_servers: bool,
}

/// The engine. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

/// What the use cases share. Every field owns its own state; no lock is held across an await.
pub struct Inner {
    pub(crate) home: Home,
    pub(crate) clock: Clock,
    pub(crate) db: Db,
    pub(crate) http: reqwest::Client,
    pub(crate) configuration: Configuration,
    pub(crate) secrets_override: Option<Arc<dyn SecretStore>>,
    pub(crate) secrets_state: Mutex<crate::keys::SecretsHealth>,
    pub(crate) broker: Broker,
    pub(crate) events: broadcast::Sender<Event>,
    pub(crate) surfaces: Surfaces,
    pub(crate) health: RwLock<BTreeMap<String, Health>>,
    pub(crate) local: LocalServers,
    pub(crate) runs: Mutex<HashMap<PlanId, watch::Receiver<RunState>>>,
    pub(crate) lists: crate::catalogue::live::LiveLists,
    /// How calls went lately; read again after each one.
    pub(crate) tracks: Mutex<Option<Arc<BTreeMap<lwa_domain::ModelKey, lwa_domain::TrackRecord>>>>,
    pub(crate) measurements: crate::measure::Measurements,
    pub(crate) key_pool: crate::key_pool::KeyPool,
    pub(crate) known_keys: crate::known_keys::StoredKeys,
    pub(crate) probes: crate::pipelines::Probes,
    pub(crate) library: crate::library::Shelf,
    /// When the human is asked, for sessions that set it for themselves.
    pub(crate) session_modes: Mutex<HashMap<String, crate::guidance::SessionMode>>,
    pub(crate) pause: Mutex<crate::status::Pause>,
    pub(crate) worker: crate::worker::Worker,
    pub(crate) tasks: TaskTracker,
    pub(crate) stopping: CancellationToken,
    pub(crate) wakes_maintenance: Notify,
    /// Held while the app is being started.
    pub(crate) starts_app: tokio::sync::Mutex<()>,
    pub(crate) started_at: Timestamp,
    pub(crate) program_folder: PathBuf,
}

/// The home it serves; what it holds is nobody's to print.
impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("home", &self.inner.home).finish_non_exhaustive()
    }
}

impl std::ops::Deref for Engine {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.inner
    }
}

impl Engine {
    /// Opens the database, reads the configuration and settles what an earlier host left behind.
    ///
    /// # Errors
    /// The folders or the database cannot be used.
    pub async fn open(options: EngineOptions) -> Result<Self, Failure> {
        let EngineOptions { home, clock, secrets, program_folder, detects_local_servers } = options;
        home.create().map_err(|error| Failure::new(lwa_domain::ErrorCode::Internal, error.to_string()))?;
        let db = Db::open(&home.database()).await.map_err(failure::store)?;
        let started_at = clock();
        let configuration = Configuration::open(&home, &db, started_at).await?;
        let (events, _) = broadcast::channel(1024);
        let engine = Self {
            inner: Arc::new(Inner {
                http: lwa_providers::http_client()
                    .map_err(|error| Failure::new(lwa_domain::ErrorCode::Internal, error.to_string()))?,
                broker: Broker::new(),
                surfaces: Surfaces::new(),
                health: RwLock::default(),
                local: LocalServers::new(detects_local_servers),
                runs: Mutex::default(),
                lists: crate::catalogue::live::LiveLists::default(),
                tracks: Mutex::default(),
                measurements: crate::measure::Measurements::default(),
                key_pool: crate::key_pool::KeyPool::default(),
                known_keys: crate::known_keys::StoredKeys::default(),
                probes: crate::pipelines::Probes::default(),
                library: crate::library::Shelf::default(),
                session_modes: Mutex::default(),
                pause: Mutex::default(),
                worker: crate::worker::Worker::default(),
                tasks: TaskTracker::new(),
                stopping: CancellationToken::new(),
                wakes_maintenance: Notify::new(),
                starts_app: tokio::sync::Mutex::new(()),
                secrets_override: secrets,
                secrets_state: Mutex::default(),
                home,
                clock,
                db,
                configuration,
                events,
                started_at,
                program_folder,
            }),
        };
        lwa_process::mark_runs_of(&engine.run_owner());
        engine.settle_what_was_left().await?;
        engine.restore_pause().await?;
        engine.restore_lists().await?;
        engine.restore_library().await?;
        engine.take_allowed_baseline().await?;
        engine.spawn_maintenance();
        Ok(engine)
    }

    /// The time.
    pub fn now(&self) -> Timestamp {
        (self.clock)()
    }

    /// Tells every subscriber.
    pub(crate) fn emit(&self, event: Event) {
        // Nobody listening is no error.
        let _ = self.events.send(event);
    }

    /// Does work to its end even when the caller stops waiting for it: a call can be cancelled at any
    /// await, and what is half done would be told to nobody.
    pub(crate) async fn to_the_end<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, Failure>> + Send + 'static,
    ) -> Result<T, Failure> {
        self.tasks.spawn(work).await.unwrap_or_else(|error| {
            tracing::error!(%error, "some work failed unexpectedly");
            Err(failure::unexpected())
        })
    }

    /// Ends: no new work, running provider calls may finish within the limit, the database is closed.
    pub async fn shut_down(&self, limit: std::time::Duration) {
        self.emit(Event::HostStopping);
        self.stopping.cancel();
        self.tasks.close();
        if tokio::time::timeout(limit, self.tasks.wait()).await.is_err() {
            tracing::warn!("some work did not finish in time; it is marked as interrupted at the next start");
        }
        self.send_measurements().await;
        self.end_observer().await;
        self.db.close().await;
    }
}

/// A lock whose holder panicked still guards sound data here: every critical section is a few moves.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// RFC 3339 in UTC, to the millisecond.
pub(crate) fn rfc3339(time: Timestamp) -> String {
    format!("{time:.3}")
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn engine(folder: &std::path::Path) -> Engine {
        let options = EngineOptions {
            home: Home::at(folder).unwrap(),
            clock: Arc::new(Timestamp::now),
            secrets: Some(Arc::new(lwa_secrets::MemoryStore::new())),
            program_folder: folder.to_owned(),
            detects_local_servers: false,
        };
        Engine::open(options).await.unwrap()
    }

    #[tokio::test]
    async fn a_fault_in_some_work_is_an_answer_and_not_the_end_of_its_caller() {
        let temp = tempfile::tempdir().unwrap();
        let engine = engine(temp.path()).await;
        let failed = engine.to_the_end::<()>(async { panic!("a fault") }).await.unwrap_err();
        assert_eq!(failed.code, lwa_domain::ErrorCode::Internal);
        assert!(!failed.message.contains("a fault") && failed.hint.is_some());
    }

    #[tokio::test]
    async fn work_outlives_a_caller_that_stops_waiting() {
        let temp = tempfile::tempdir().unwrap();
        let engine = engine(temp.path()).await;
        let (go, may_go) = tokio::sync::oneshot::channel::<()>();
        let (tell, told) = tokio::sync::oneshot::channel();
        let work = engine.to_the_end(async move {
            let _ = may_go.await;
            let _ = tell.send("done");
            Ok(())
        });
        let waited = tokio::time::timeout(std::time::Duration::ZERO, work).await;
        assert!(waited.is_err(), "the caller gave up");
        go.send(()).unwrap();
        assert_eq!(told.await.unwrap(), "done");
    }
}
