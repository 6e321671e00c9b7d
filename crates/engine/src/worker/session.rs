//! What a conversation has: its gate, what may leave, its vault, its memory. One writer, whoever calls.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use lwa_config::{Arm, AssistNumbers, Escalation as ConfiguredEscalation, WorkerConfig, WorkerMode};
use lwa_domain::ErrorCode;
use lwa_privacy::{Exposure, Vault, Visibility};
use lwa_protocol::worker::{CallerSandbox, WorkerCall};
use lwa_protocol::{Event, Failure};
use lwa_store::WorkerSessionRecord;
use lwa_worker::artifact::ArtifactFolder;
use lwa_worker::budget::QuestionBudget;
use lwa_worker::disclosure::{Disclosure, DisclosureSurroundings, Escalation, Stored};
use lwa_worker::gate::{ArmSetting, Armed, Gate};
use lwa_worker::memory::Turn;
use lwa_worker::mode::Mode;
use lwa_worker::observer::EndState;
use serde::{Deserialize, Serialize};
use tokio::sync::{Mutex as AsyncMutex, Notify, OwnedMutexGuard};

use super::identity::{SessionKey, Source, known_as};
use crate::caller::Caller;
use crate::engine::{Engine, locked};
use crate::failure;

/// Sessions that are in memory. A session is taken out of it by its key for as long as it is worked with.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    loaded: Mutex<HashMap<String, Arc<AsyncMutex<Session>>>>,
}

/// A session while it is worked with.
pub(crate) type Held = OwnedMutexGuard<Session>;

/// One conversation.
#[derive(Debug)]
pub(crate) struct Session {
    pub key: String,
    pub source: String,
    pub client: String,
    pub client_version: Option<String>,
    pub mode: Mode,
    pub gate: Gate,
    pub disclosure: Disclosure,
    pub counts: PolicyCounts,
    pub leak_check: LeakCounts,
    pub summary: String,
    pub compactions: u64,
    pub last_compaction: Option<Timestamp>,
    pub is_compacting: bool,
    pub previous_keys: Vec<String>,
    pub created_at: Timestamp,
    pub last_seen_at: Timestamp,
    /// Shapes of commands that run without a question until the host ends.
    pub allowed_shapes: Vec<String>,
    vault: Arc<Mutex<Vault>>,
    /// Held for the length of one piece of work, so that turns follow each other; the session itself stays readable.
    pub work: Arc<AsyncMutex<()>>,
    /// Ticks when a question to turn the worker on has ended.
    pub settled: Arc<Notify>,
}

/// How the commands of a session were decided.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct PolicyCounts {
    pub allowed: u64,
    pub asked_once: u64,
    pub asked_always: u64,
    pub refused: u64,
    pub denied: u64,
    pub unasked: u64,
    pub last_refusal: Option<String>,
    pub budget: QuestionBudget,
}

/// Checks of what leaves.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct LeakCounts {
    pub ran: u64,
    pub failed: u64,
    pub last_failure: Option<String>,
}

/// The settings that hold for one call.
#[derive(Debug, Clone)]
pub(crate) struct Surroundings {
    pub config: WorkerConfig,
    pub caller_sandbox: CallerSandbox,
    /// Whether any surface is there to ask a human on, or may be.
    pub can_ask: bool,
}

impl Session {
    fn new(key: &SessionKey, caller: &Caller, mode: Mode, now: Timestamp) -> Self {
        Self {
            key: key.key.clone(),
            source: key.source.as_str().to_owned(),
            client: caller.client_name().to_owned(),
            client_version: caller.client.version.clone(),
            mode,
            gate: Gate::default(),
            disclosure: Disclosure::default(),
            counts: PolicyCounts::default(),
            leak_check: LeakCounts::default(),
            summary: String::new(),
            compactions: 0,
            last_compaction: None,
            is_compacting: false,
            previous_keys: Vec::new(),
            created_at: now,
            last_seen_at: now,
            allowed_shapes: Vec::new(),
            vault: Arc::new(Mutex::new(Vault::new())),
            work: Arc::default(),
            settled: Arc::default(),
        }
    }

    fn restore(record: &WorkerSessionRecord, vault: Vault) -> Self {
        // A state that cannot be read is the safe one: undecided, masked.
        let armed: Armed = serde_json::from_value(record.gate.clone()).unwrap_or_default();
        let stored: Stored = serde_json::from_value(record.disclosure.clone()).unwrap_or_default();
        Self {
            key: record.key.clone(),
            source: record.source.clone(),
            client: record.client.clone(),
            client_version: record.client_version.clone(),
            mode: record.mode.parse().unwrap_or(Mode::Pii),
            gate: Gate::restore(armed),
            disclosure: Disclosure::restore(stored),
            counts: serde_json::from_value(record.run_policy.clone()).unwrap_or_default(),
            leak_check: serde_json::from_value(record.leak_check.clone()).unwrap_or_default(),
            summary: record.summary.clone(),
            compactions: record.compactions,
            last_compaction: record.last_compaction,
            is_compacting: false,
            previous_keys: serde_json::from_value(record.previous_keys.clone()).unwrap_or_default(),
            created_at: record.created_at,
            last_seen_at: record.last_seen_at,
            allowed_shapes: Vec::new(),
            vault: Arc::new(Mutex::new(vault)),
            work: Arc::default(),
            settled: Arc::default(),
        }
    }

    pub(super) fn record(&self) -> Result<WorkerSessionRecord, Failure> {
        let json = |error: serde_json::Error| failure::json(&error);
        Ok(WorkerSessionRecord {
            key: self.key.clone(),
            source: self.source.clone(),
            client: self.client.clone(),
            client_version: self.client_version.clone(),
            mode: self.mode.as_str().to_owned(),
            gate: serde_json::to_value(self.gate.armed()).map_err(json)?,
            disclosure: serde_json::to_value(self.disclosure.stored()).map_err(json)?,
            run_policy: serde_json::to_value(&self.counts).map_err(json)?,
            leak_check: serde_json::to_value(&self.leak_check).map_err(json)?,
            summary: self.summary.clone(),
            compactions: self.compactions,
            last_compaction: self.last_compaction,
            previous_keys: serde_json::to_value(&self.previous_keys).map_err(json)?,
            created_at: self.created_at,
            last_seen_at: self.last_seen_at,
        })
    }

    /// The vault, for work that takes time; locked for the length of one scrub at most.
    pub(crate) fn vault(&self) -> Arc<Mutex<Vault>> {
        self.vault.clone()
    }

    /// Forgets every value. The placeholders that were handed out are not given to other values.
    pub(super) fn forget_values(&self) {
        let mut vault = locked(&self.vault);
        let used: Vec<_> = vault.values().map(|(placeholder, _)| placeholder).collect();
        let mut fresh = Vault::new();
        for placeholder in used {
            fresh.reserve(placeholder);
        }
        *vault = fresh;
    }

    /// How many values of each kind the vault holds.
    pub(crate) fn placeholders(&self) -> BTreeMap<String, u64> {
        counted(&locked(&self.vault))
    }

    /// What may leave in clear now.
    pub(crate) fn exposure(&self, surroundings: &Surroundings) -> Exposure {
        self.disclosure.exposure(self.disclosure_surroundings(surroundings))
    }

    pub(crate) fn disclosure_surroundings(&self, surroundings: &Surroundings) -> DisclosureSurroundings {
        disclosure_surroundings(surroundings, self.mode)
    }
}

impl Surroundings {
    pub(crate) fn arm(&self) -> ArmSetting {
        match self.config.arm {
            Arm::On => ArmSetting::On,
            Arm::Ask => ArmSetting::Ask,
        }
    }
}

/// What the settings say of values that may leave, for a session in this mode.
pub(super) fn disclosure_surroundings(surroundings: &Surroundings, mode: Mode) -> DisclosureSurroundings {
    DisclosureSurroundings {
        mode,
        escalation: match surroundings.config.escalation {
            ConfiguredEscalation::Ask => Escalation::Ask,
            ConfiguredEscalation::Auto => Escalation::Auto,
            ConfiguredEscalation::Off => Escalation::Off,
        },
        numbers: match surroundings.config.assist_numbers {
            AssistNumbers::Masked => Visibility::Masked,
            AssistNumbers::Open => Visibility::Open,
        },
        can_ask: surroundings.can_ask,
    }
}

pub(crate) fn mode_of(configured: WorkerMode) -> Mode {
    match configured {
        WorkerMode::Pii => Mode::Pii,
        WorkerMode::Assist => Mode::Assist,
    }
}

impl Engine {
    /// The settings that hold for a call.
    pub(crate) fn worker_surroundings(&self, caller: &Caller, call: &WorkerCall) -> Result<Surroundings, Failure> {
        let project = call.cwd.as_deref().map(PathBuf::from);
        let in_force = self.configuration.in_force();
        let name = caller.client_name();
        let name = if in_force.clients.contains_key(name) { name } else { known_as(name) };
        let config = in_force.worker_for(name, project.as_deref());
        if !config.enabled {
            return Err(Failure::new(ErrorCode::Forbidden, "the worker is switched off in the configuration")
                .hint("do the work yourself; the user can set `worker.enabled` to true"));
        }
        let can_ask = call.can_ask
            || self.surfaces.has_app()
            || self.surfaces.has_terminal()
            || (caller.role == lwa_protocol::Role::Sidecar && self.app_can_be_started());
        Ok(Surroundings { config, caller_sandbox: call.sandbox, can_ask })
    }

    /// The session of a call, new where it has none yet, held until it is let go.
    pub(crate) async fn hold_session(
        &self,
        caller: &Caller,
        call: &WorkerCall,
        surroundings: &Surroundings,
    ) -> Result<Held, Failure> {
        let key = self.worker.conversations.resolve(caller, &call.session)?;
        self.adopt_what_was_before(caller, &key).await?;
        let now = self.now();
        let session = if let Some(session) = self.loaded_session(&key.key).await? {
            session
        } else {
            let mode = match call.forced_mode.as_deref().map(str::parse::<Mode>) {
                Some(Ok(mode)) => mode,
                Some(Err(error)) => return Err(Failure::new(ErrorCode::InvalidInput, error.to_string())),
                None => mode_of(surroundings.config.mode),
            };
            let fresh = Session::new(&key, caller, mode, now);
            self.db.put_worker_session(&fresh.record()?).await.map_err(failure::store)?;
            let mut loaded = locked(&self.worker.sessions.loaded);
            loaded.entry(key.key.clone()).or_insert_with(|| Arc::new(AsyncMutex::new(fresh))).clone()
        };
        let mut held = session.lock_owned().await;
        held.last_seen_at = now;
        // A process that was started for private material works in that mode, whatever the session was in.
        if call.forced_mode.as_deref() == Some("pii") && held.mode != Mode::Pii {
            self.switch_mode(&mut held, surroundings, Mode::Pii).await?;
            self.store_session(&held).await?;
        }
        Ok(held)
    }

    /// A session that is in memory. Looking at a session loads none.
    pub(super) fn session_in_memory(&self, key: &str) -> Option<Arc<AsyncMutex<Session>>> {
        locked(&self.worker.sessions.loaded).get(key).cloned()
    }

    /// How many values of each kind a session that is not in memory has; nothing when they cannot be read, so that
    /// such a session can still be seen, and removed.
    pub(super) async fn stored_placeholders(&self, key: &str) -> BTreeMap<String, u64> {
        self.read_vault(key).await.map(|vault| counted(&vault)).unwrap_or_default()
    }

    /// A session that exists, by its key.
    pub(crate) async fn loaded_session(&self, key: &str) -> Result<Option<Arc<AsyncMutex<Session>>>, Failure> {
        if let Some(session) = self.session_in_memory(key) {
            return Ok(Some(session));
        }
        let Some(record) = self.db.worker_session(key).await.map_err(failure::store)? else { return Ok(None) };
        let vault = self.read_vault(key).await?;
        let mut loaded = locked(&self.worker.sessions.loaded);
        let session = loaded
            .entry(key.to_owned())
            .or_insert_with(|| Arc::new(AsyncMutex::new(Session::restore(&record, vault))))
            .clone();
        Ok(Some(session))
    }

    async fn read_vault(&self, key: &str) -> Result<Vault, Failure> {
        let journal = self.db.worker_vault(key).await.map_err(failure::store)?.join("\n");
        Vault::replay(&journal).map_err(|error| {
            Failure::new(ErrorCode::Internal, format!("the values of session `{key}` cannot be read: {error}"))
                .hint(format!("nothing leaves while they cannot; `lwa worker purge {key}` removes the session"))
        })
    }

    /// Writes the session and what its vault has learnt, and tells the faces.
    pub(crate) async fn store_session(&self, session: &Session) -> Result<(), Failure> {
        self.db.put_worker_session(&session.record()?).await.map_err(failure::store)?;
        self.store_vault(session).await?;
        self.emit(Event::WorkerChanged { session: session.key.clone() });
        self.observe_state(session);
        Ok(())
    }

    /// Writes what the vault has learnt. What a placeholder stands for is on disk before the placeholder leaves.
    pub(crate) async fn store_vault(&self, session: &Session) -> Result<(), Failure> {
        let records = locked(&session.vault).take_records();
        let lines: Vec<_> = records.iter().map(lwa_privacy::Record::to_line).collect();
        let lines: Vec<&str> = lines.iter().map(|line| line.as_str()).collect();
        self.db.append_worker_vault(&session.key, &lines).await.map_err(failure::store)
    }

    /// The turns that the summary does not hold, oldest first.
    pub(crate) async fn worker_turns(&self, key: &str) -> Result<Vec<(u64, Turn)>, Failure> {
        let records = self.db.uncompacted_worker_turns(key).await.map_err(failure::store)?;
        let turn = |record: lwa_store::WorkerTurnRecord| {
            serde_json::from_value(record.turn).ok().map(|turn| (record.number, turn))
        };
        // One that cannot be read is left out, as the rest of the memory is still of use.
        Ok(records.into_iter().filter_map(turn).collect())
    }

    /// The folder of a session's stored materials.
    pub(crate) fn artifact_folder(&self, key: &str) -> Result<ArtifactFolder, Failure> {
        ArtifactFolder::open(self.artifact_path(key)).map_err(|error| artifact_failure(&error))
    }

    pub(crate) fn artifact_path(&self, key: &str) -> PathBuf {
        self.home.artifacts_folder().join(folder_name(key))
    }

    /// A connection that had no conversation to name may name one now; what it had goes along.
    ///
    /// Only a session of the connection itself is taken over: one that a variable named may be another conversation,
    /// which the client has left.
    async fn adopt_what_was_before(&self, caller: &Caller, key: &SessionKey) -> Result<(), Failure> {
        let connection = caller.session.as_str().to_owned();
        let before = locked(&self.worker.last_keys).insert(connection, key.key.clone());
        if key.source == Source::Connection {
            return Ok(());
        }
        let own = self.worker.conversations.resolve(caller, &[])?.key;
        let Some(before) = before.filter(|before| *before == own && *before != key.key) else { return Ok(()) };
        let Some(old) = self.loaded_session(&before).await? else { return Ok(()) };
        let mut old = old.lock_owned().await;
        if let Some(target) = self.loaded_session(&key.key).await? {
            let mut target = target.lock_owned().await;
            self.store_vault(&old).await?;
            let old_vault = std::mem::take(&mut *locked(&old.vault));
            let lines = {
                let mut vault = locked(&target.vault);
                // Whatever it learnt is written as part of the whole journal below.
                let _ = vault.take_records();
                vault.adopt(old_vault);
                vault.take_records()
            };
            let mut journal = self.db.worker_vault(&key.key).await.map_err(failure::store)?;
            journal.extend(lines.iter().map(|record| record.to_line().to_string()));
            self.db.adopt_worker_session(&before, &key.key, &journal).await.map_err(failure::store)?;
            target.previous_keys.push(before.clone());
            target.mode = if old.mode == Mode::Pii { Mode::Pii } else { target.mode };
            move_files(&self.artifact_path(&before), &self.artifact_path(&key.key));
            self.db.put_worker_session(&target.record()?).await.map_err(failure::store)?;
        } else {
            self.store_vault(&old).await?;
            self.db.rename_worker_session(&before, &key.key, key.source.as_str()).await.map_err(failure::store)?;
            old.previous_keys.push(before.clone());
            old.key.clone_from(&key.key);
            key.source.as_str().clone_into(&mut old.source);
            move_files(&self.artifact_path(&before), &self.artifact_path(&key.key));
            self.db.put_worker_session(&old.record()?).await.map_err(failure::store)?;
        }
        let mut loaded = locked(&self.worker.sessions.loaded);
        if let Some(session) = loaded.remove(&before) {
            loaded.entry(key.key.clone()).or_insert(session);
        }
        drop(loaded);
        self.observe_identity(&before, &key.key);
        Ok(())
    }

    /// Forgets a session that was removed.
    pub(crate) fn forget_session(&self, key: &str) {
        locked(&self.worker.sessions.loaded).remove(key);
        self.observe_end(key, EndState::Done);
    }
}

/// How many values of each kind a vault holds.
fn counted(vault: &Vault) -> BTreeMap<String, u64> {
    let counts = vault.counts();
    counts
        .into_iter()
        .map(|(kind, count)| (kind.as_str().to_owned(), u64::try_from(count).unwrap_or(u64::MAX)))
        .collect()
}

/// A key as the name of a folder. Keys hold nothing that a path could be made of; the names of older ones end here.
fn folder_name(key: &str) -> String {
    key.chars()
        .map(|character| if character.is_ascii_alphanumeric() || "._-".contains(character) { character } else { '_' })
        .collect()
}

fn move_files(from: &Path, to: &Path) {
    let Ok(entries) = std::fs::read_dir(from) else { return };
    if let Err(error) = std::fs::create_dir_all(to) {
        tracing::warn!(%error, "the stored materials of a session could not be moved");
        return;
    }
    for entry in entries.flatten() {
        if let Err(error) = std::fs::rename(entry.path(), to.join(entry.file_name())) {
            tracing::warn!(%error, "a stored material could not be moved");
        }
    }
    let _ = std::fs::remove_dir(from);
}

pub(crate) fn artifact_failure(error: &lwa_worker::artifact::ArtifactError) -> Failure {
    Failure::new(ErrorCode::Internal, error.to_string()).hint("check the free space and the rights of the state folder")
}
