//! What a conversation has: its gate, what may leave, its vault, its memory. One writer, whoever calls.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use lwa_config::{Arm, AssistNumbers, Escalation as ConfiguredEscalation, WorkerConfig, WorkerMode};
use lwa_domain::ErrorCode;
use lwa_privacy::{Exposure, Placeholder, Vault, Visibility};
use lwa_protocol::worker::{CallerSandbox, WorkerCall};
use lwa_protocol::{Event, Failure};
use lwa_store::WorkerSessionRecord;
use lwa_worker::artifact::ArtifactFolder;
use lwa_worker::budget::QuestionBudget;
use lwa_worker::disclosure::{Disclosure, DisclosureSurroundings, Escalation, Identity, Stored};
use lwa_worker::gate::{ArmSetting, Armed, Gate};
use lwa_worker::memory::Turn;
use lwa_worker::mode::Mode;
use lwa_worker::observer::EndState;
use serde::{Deserialize, Serialize};
use tokio::sync::{Mutex as AsyncMutex, Notify, OwnedMutexGuard};
use tokio_util::sync::CancellationToken;

use super::identity::{SessionKey, Source, known_as};
use crate::caller::Caller;
use crate::engine::{Engine, locked};
use crate::{failure, tokens};

/// Sessions that are in memory. A session is taken out of it by its key for as long as it is worked with.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    loaded: Mutex<HashMap<String, Arc<AsyncMutex<Session>>>>,
    /// Held while a session is made or gets another key, so that two calls never make the same one.
    making: AsyncMutex<()>,
    /// Keys of sessions that are being removed; no call works for them meanwhile.
    removing: Mutex<HashSet<String>>,
}

impl Sessions {
    pub(super) fn is_being_removed(&self, key: &str) -> bool {
        locked(&self.removing).contains(key)
    }
}

/// Whom a connection works for.
#[derive(Debug, Default)]
pub(crate) struct Served {
    /// The conversation of its last call.
    last: String,
    /// All of its conversations.
    all: BTreeSet<String>,
}

/// Which conversation a call is in.
#[derive(Debug)]
pub(super) struct Settled {
    pub key: String,
    /// The connection's own session, where it is not taken over yet since something is in hand there.
    pub unnamed: Option<String>,
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
    /// Set for as long as a compaction runs.
    compacting: Arc<AtomicBool>,
    /// How often something that could leave in clear was hidden from then on.
    pub closings: u64,
    /// Cancelled when the session is removed; whoever still holds it writes nothing any more.
    pub removed: CancellationToken,
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
    fn new(key: &SessionKey, caller: &Caller, mode: Mode, vault: Vault, now: Timestamp) -> Self {
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
            compacting: Arc::default(),
            closings: 0,
            removed: CancellationToken::new(),
            previous_keys: Vec::new(),
            created_at: now,
            last_seen_at: now,
            allowed_shapes: Vec::new(),
            vault: Arc::new(Mutex::new(vault)),
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
            compacting: Arc::default(),
            closings: 0,
            removed: CancellationToken::new(),
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

    /// Whether its memory is being compacted.
    pub(crate) fn is_compacting(&self) -> bool {
        self.compacting.load(Ordering::Relaxed)
    }

    /// Its memory is being compacted for as long as the answer lives.
    pub(super) fn begin_compacting(&self) -> Compacting {
        self.compacting.store(true, Ordering::Relaxed);
        Compacting(self.compacting.clone())
    }

    /// Whether a line that nobody read for names stays here: names are hidden, and somebody decided so.
    pub(super) fn withholds_unread(&self, surroundings: &Surroundings) -> bool {
        let held = self.disclosure_surroundings(surroundings);
        self.mode == Mode::Pii || self.disclosure.identity(held) == Identity::Masked
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

/// A compaction that runs, however it ends.
pub(super) struct Compacting(Arc<AtomicBool>);

impl Drop for Compacting {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
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

    /// Finds out which conversation a call is in, once for all that follows from the call. What its connection had
    /// before it could name one goes along.
    pub(super) async fn settle_conversation(
        &self,
        caller: &Caller,
        call: &WorkerCall,
        surroundings: &Surroundings,
    ) -> Result<Settled, Failure> {
        let key = self.worker.conversations.resolve(caller, &call.session)?;
        let unnamed = self.adopt_what_was_before(caller, &key, surroundings).await?;
        self.session_of(caller, call, surroundings, &key).await?;
        Ok(Settled { key: key.key, unnamed })
    }

    /// The session of a call, new where it has none yet, held until it is let go.
    pub(crate) async fn hold_session(
        &self,
        caller: &Caller,
        call: &WorkerCall,
        surroundings: &Surroundings,
    ) -> Result<Held, Failure> {
        let key = self.worker.conversations.resolve(caller, &call.session)?;
        let session = self.session_of(caller, call, surroundings, &key).await?;
        let mut held = session.lock_owned().await;
        if held.removed.is_cancelled() {
            return Err(being_removed());
        }
        held.last_seen_at = self.now();
        // A process that was started for private material works in that mode, whatever the session was in.
        if call.forced_mode.as_deref() == Some("pii") && held.mode != Mode::Pii {
            self.switch_mode(&mut held, surroundings, Mode::Pii).await?;
            self.store_session(&held).await?;
        }
        Ok(held)
    }

    /// The session with a key, new where there is none yet.
    async fn session_of(
        &self,
        caller: &Caller,
        call: &WorkerCall,
        surroundings: &Surroundings,
        key: &SessionKey,
    ) -> Result<Arc<AsyncMutex<Session>>, Failure> {
        if self.worker.sessions.is_being_removed(&key.key) {
            return Err(being_removed());
        }
        if let Some(session) = self.session_in_memory(&key.key) {
            return Ok(session);
        }
        let _making = self.worker.sessions.making.lock().await;
        if let Some(session) = self.loaded_session(&key.key).await? {
            return Ok(session);
        }
        let mode = match call.forced_mode.as_deref().map(str::parse::<Mode>) {
            Some(Ok(mode)) => mode,
            Some(Err(error)) => return Err(Failure::new(ErrorCode::InvalidInput, error.to_string())),
            None => mode_of(surroundings.config.mode),
        };
        let vault = self.read_vault(&key.key).await?;
        let fresh = Session::new(key, caller, mode, vault, self.now());
        self.db.put_worker_session(&fresh.record()?).await.map_err(failure::store)?;
        let mut loaded = locked(&self.worker.sessions.loaded);
        Ok(loaded.entry(key.key.clone()).or_insert_with(|| Arc::new(AsyncMutex::new(fresh))).clone())
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
        let mut vault = Vault::replay(&journal).map_err(|error| {
            Failure::new(ErrorCode::Internal, format!("the values of session `{key}` cannot be read: {error}"))
                .hint(format!("nothing leaves while they cannot; `lwa worker purge {key}` removes the session"))
        })?;
        // A number behind which fresh ones begin is passed on by a vault that holds nothing else.
        let mut given = Vault::new();
        for placeholder in self.given_before(key).await? {
            given.reserve(placeholder);
        }
        vault.adopt(given);
        Ok(vault)
    }

    /// The last placeholder of each kind that a removed session of this key has given.
    async fn given_before(&self, key: &str) -> Result<Vec<Placeholder>, Failure> {
        let kept = self.db.setting(&given_setting(key)).await.map_err(failure::store)?.unwrap_or_default();
        Ok(kept.split_whitespace().filter_map(Placeholder::parse).collect())
    }

    /// Keeps which placeholders a session has given, before it is removed: a client may still know them, and none of
    /// them is to stand for another value. Numbers are kept, and no values.
    async fn keep_given(&self, key: &str) -> Result<(), Failure> {
        let mut last: BTreeMap<lwa_privacy::Kind, u32> = BTreeMap::new();
        let journal = self.db.worker_vault(key).await.map_err(failure::store)?;
        let of_line = |line: &String| {
            let line: serde_json::Value = serde_json::from_str(line).ok()?;
            Placeholder::parse(line.get("placeholder")?.as_str()?)
        };
        let given = journal.iter().filter_map(of_line).chain(self.given_before(key).await?);
        for placeholder in given {
            let number = last.entry(placeholder.kind).or_default();
            *number = placeholder.number.max(*number);
        }
        if last.is_empty() {
            return Ok(());
        }
        let kept: Vec<String> =
            last.into_iter().map(|(kind, number)| Placeholder { kind, number }.to_string()).collect();
        let kept = kept.join(" ");
        self.db.set_setting(&given_setting(key), Some(&kept), self.now()).await.map_err(failure::store)
    }

    /// Removes a session with everything of it. Its work is ended first.
    ///
    /// # Errors
    /// Its work does not end, or something cannot be removed.
    pub(super) async fn remove_session(&self, key: &str) -> Result<(), Failure> {
        let _removing = Removing::begin(self, key);
        self.end_work(key).await?;
        let held = match self.session_in_memory(key) {
            Some(session) => {
                let work = {
                    let held = session.clone().lock_owned().await;
                    held.removed.cancel();
                    held.work.clone()
                };
                // A compaction holds it, and lets it go now.
                drop(work.lock_owned().await);
                Some(session.lock_owned().await)
            }
            None => None,
        };
        let removed = self.remove_stored(key, held.as_deref()).await;
        // Where something could not be removed, the next call reads the session again.
        locked(&self.worker.sessions.loaded).remove(key);
        removed?;
        self.forget_session(key);
        self.emit(Event::WorkerChanged { session: key.to_owned() });
        Ok(())
    }

    async fn remove_stored(&self, key: &str, session: Option<&Session>) -> Result<(), Failure> {
        if let Some(session) = session {
            self.store_vault(session).await?;
        }
        self.keep_given(key).await?;
        self.remove_artifact_files(key, None).await?;
        self.db.delete_worker_session(key).await.map(drop).map_err(failure::store)
    }

    /// Ends what is in hand for a session, so that nothing of it comes back behind a removal.
    ///
    /// # Errors
    /// It does not end.
    pub(super) async fn end_work(&self, key: &str) -> Result<(), Failure> {
        if self.worker.jobs.end_conversation(key).await {
            return Ok(());
        }
        Err(Failure::new(ErrorCode::Internal, format!("what session `{key}` is working on could not be ended"))
            .hint("nothing was removed; try again when its calls have ended"))
    }

    /// Writes the session and what its vault has learnt, and tells the faces.
    pub(crate) async fn store_session(&self, session: &Session) -> Result<(), Failure> {
        if session.removed.is_cancelled() {
            return Err(being_removed());
        }
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

    /// A connection that had no conversation to name may name one now; what it had goes along. Where it cannot yet, since
    /// something is in hand there, its key comes back.
    ///
    /// Only a session of the connection itself is taken over: one that a variable named may be another conversation,
    /// which the client has left.
    async fn adopt_what_was_before(
        &self,
        caller: &Caller,
        key: &SessionKey,
        surroundings: &Surroundings,
    ) -> Result<Option<String>, Failure> {
        let connection = caller.session.as_str();
        let own = self.worker.conversations.resolve(caller, &[])?.key;
        let is_next = || {
            let served = locked(&self.worker.served);
            key.source != Source::Connection
                && key.key != own
                && served.get(connection).is_some_and(|served| served.last == own)
        };
        if !is_next() {
            self.serve(connection, &key.key, true);
            return Ok(None);
        }
        let _making = self.worker.sessions.making.lock().await;
        // Another call of the connection may have done it meanwhile.
        if is_next()
            && let Some(shared) = self.loaded_session(&own).await?
        {
            let work = shared.clone().lock_owned().await.work.clone();
            let working = if self.worker.jobs.are_in_hand(&own) { None } else { work.try_lock_owned().ok() };
            let Some(_working) = working else {
                self.serve(connection, &key.key, false);
                return Ok(Some(own));
            };
            self.adopt(&own, &shared, key, surroundings).await?;
        }
        self.serve(connection, &key.key, true);
        Ok(None)
    }

    /// Notes whom a connection works for.
    fn serve(&self, connection: &str, key: &str, is_last: bool) {
        let mut served = locked(&self.worker.served);
        let served = served.entry(connection.to_owned()).or_default();
        served.all.insert(key.to_owned());
        if is_last {
            key.clone_into(&mut served.last);
        }
    }

    /// Keys of the sessions whose client is connected.
    pub(super) fn served_sessions(&self) -> BTreeSet<String> {
        let connected = self.surfaces.sessions();
        let served = locked(&self.worker.served);
        let in_use = served.iter().filter(|(connection, _)| connected.contains(connection.as_str()));
        in_use.flat_map(|(_, served)| served.all.iter().cloned()).collect()
    }

    /// Puts a session under another key, or into the session that has it.
    async fn adopt(
        &self,
        before: &str,
        old: &Arc<AsyncMutex<Session>>,
        key: &SessionKey,
        surroundings: &Surroundings,
    ) -> Result<(), Failure> {
        let mut old = old.clone().lock_owned().await;
        self.store_vault(&old).await?;
        if let Some(target) = self.loaded_session(&key.key).await? {
            let mut target = target.lock_owned().await;
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
            self.db.adopt_worker_session(before, &key.key, &journal).await.map_err(failure::store)?;
            old.removed.cancel();
            target.previous_keys.push(before.to_owned());
            move_files(&self.artifact_path(before), &self.artifact_path(&key.key));
            let (was_open, is_open) = (old.exposure(surroundings), target.exposure(surroundings));
            let is_narrower = was_open.open_kinds().into_iter().any(|kind| is_open.masks(kind));
            if old.mode == Mode::Pii && target.mode != Mode::Pii {
                self.switch_mode(&mut target, surroundings, Mode::Pii).await?;
            } else if is_narrower || old.mode != target.mode {
                // What was remembered under a wider rule is hidden as if the rule had been narrowed.
                self.vault_memory(&mut target, surroundings).await?;
            }
            self.db.put_worker_session(&target.record()?).await.map_err(failure::store)?;
        } else {
            self.db.rename_worker_session(before, &key.key, key.source.as_str()).await.map_err(failure::store)?;
            old.previous_keys.push(before.to_owned());
            old.key.clone_from(&key.key);
            key.source.as_str().clone_into(&mut old.source);
            move_files(&self.artifact_path(before), &self.artifact_path(&key.key));
            self.db.put_worker_session(&old.record()?).await.map_err(failure::store)?;
        }
        {
            let mut loaded = locked(&self.worker.sessions.loaded);
            if let Some(session) = loaded.remove(before) {
                loaded.entry(key.key.clone()).or_insert(session);
            }
        }
        self.worker.jobs.move_results(before, &key.key);
        self.observe_identity(before, &key.key);
        Ok(())
    }

    /// Forgets a session that was removed.
    pub(crate) fn forget_session(&self, key: &str) {
        locked(&self.worker.sessions.loaded).remove(key);
        self.observe_end(key, EndState::Done);
    }
}

/// A key that no call works for, until the answer is dropped.
struct Removing<'e> {
    engine: &'e Engine,
    key: String,
}

impl<'e> Removing<'e> {
    fn begin(engine: &'e Engine, key: &str) -> Self {
        locked(&engine.worker.sessions.removing).insert(key.to_owned());
        Self { engine, key: key.to_owned() }
    }
}

impl Drop for Removing<'_> {
    fn drop(&mut self) {
        locked(&self.engine.worker.sessions.removing).remove(&self.key);
    }
}

pub(super) fn being_removed() -> Failure {
    Failure::new(ErrorCode::NotFound, "this conversation was removed from the worker while the call was in hand")
        .hint("repeat the call; it begins anew")
}

/// Where the placeholders of a removed session are remembered. Its key is not told.
fn given_setting(key: &str) -> String {
    format!("worker.given.{}", tokens::text_hash(key))
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
