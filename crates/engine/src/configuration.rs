//! The configuration in force: read again when the file changes, tightened at once, loosened only by
//! a human.
//!
//! The first file that is seen is the baseline. Its text is kept, so that a host that starts later
//! compares the file with what the human accepted, not with whatever an agent wrote meanwhile.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use lwa_config::diff::{Loosening, loosening, without_loosening};
use lwa_config::{Config, ConfigError, Home, Shipped, edit, to_toml};
use lwa_domain::{ApprovalKind, ErrorCode, Outcome};
use lwa_protocol::approval::{Answer, ApprovalDetail, PolicyChangeDetail, PolicyChangeLine};
use lwa_protocol::configuration::{ConfigAcceptParams, ConfigAccepted, ConfigSetParams, ConfigShown, ConfigValue};
use lwa_protocol::host::ConfigState;
use lwa_protocol::{Event, Failure};
use lwa_store::{Db, NewAudit};
use serde_json::json;

use crate::broker::Question;
use crate::caller::Caller;
use crate::catalogue::shipped;
use crate::engine::{Engine, locked};
use crate::{failure, tokens};

/// The setting that holds the text a human accepted.
const ACCEPTED: &str = "config.accepted";
/// All open questions about the configuration are one question.
const MERGE_KEY: &str = "policy_change";

/// The setting that holds the merge key of the loosening edits that a human refused last.
const REFUSED: &str = "config.refused";
/// An editor that empties the file and then writes it is done within this time.
const SETTLES_WITHIN: Duration = Duration::from_millis(25);
/// How often a file that goes on changing is read again before it is taken as it is.
const MAX_READS: u32 = 4;
/// File systems tell times in steps; within this time a second change may carry the same stamp.
const STAMP_IS_SURE_AFTER: Duration = Duration::from_secs(1);

/// What tells that the file may have changed, without reading it. The change time cannot be set back
/// by a program that keeps size and modification time as they were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    bytes: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

/// The file as it was read last.
#[derive(Debug, Default)]
struct Seen {
    stamp: Option<Stamp>,
    /// Whether an equal stamp means an equal file.
    is_sure: bool,
    /// Its text; none when it could not be read.
    text: Option<String>,
}

struct State {
    in_force: Arc<Config>,
    /// The file as it stands, when it can be used.
    file: Option<Arc<Config>>,
    error: Option<String>,
    pending: Vec<Loosening>,
}

/// The configuration in force and what waits.
pub struct Configuration {
    path: PathBuf,
    shipped: Shipped,
    state: RwLock<State>,
    seen: Mutex<Seen>,
    /// Held by whoever reads the file again or takes an answer about it, until all of that is kept and
    /// told: two at once would mix what was shown, what was accepted and what is kept.
    turn: tokio::sync::Mutex<()>,
}

impl Configuration {
    /// Reads the file and compares it with what was accepted before.
    pub(crate) async fn open(home: &Home, db: &Db, now: Timestamp) -> Result<Self, Failure> {
        let path = home.config_file();
        let shipped = shipped();
        let accepted = db.setting(ACCEPTED).await.map_err(failure::store)?;
        // What cannot be read any more was still accepted with its own values only, never with the file's.
        let baseline = accepted
            .as_deref()
            .map(|text| Config::parse_over(text, &path, &shipped).or_else(|_| defaults(&shipped)))
            .transpose()?;
        let (seen, text) = read_settled(&path).await;
        let state = match text.and_then(|text| Config::parse_over(&text, &path, &shipped)) {
            Ok(config) => {
                let config = Arc::new(config);
                let pending = baseline.as_ref().map(|old| loosening(old, &config)).unwrap_or_default();
                let in_force = match &baseline {
                    Some(old) if !pending.is_empty() => Arc::new(without_loosening(old, &config)),
                    _ => config.clone(),
                };
                State { in_force, file: Some(config), error: None, pending }
            }
            Err(error) => {
                tracing::warn!(%error, "the configuration cannot be used");
                let in_force = Arc::new(baseline.map_or_else(|| defaults(&shipped), Ok)?);
                State { in_force, file: None, error: Some(error.to_string()), pending: Vec::new() }
            }
        };
        let kept = to_toml(&state.in_force);
        if accepted.as_ref() != Some(&kept) {
            db.set_setting(ACCEPTED, Some(&kept), now).await.map_err(failure::store)?;
        }
        Ok(Self { path, shipped, state: RwLock::new(state), seen: Mutex::new(seen), turn: tokio::sync::Mutex::new(()) })
    }

    /// Waits until nobody else reads the file or takes an answer about it.
    pub(crate) async fn turn(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.turn.lock().await
    }

    /// Whether the file is the one that was read last, as far as its stamp tells.
    fn is_current(&self) -> bool {
        let seen = locked(&self.seen);
        seen.is_sure && seen.stamp == stamp(&self.path)
    }

    /// The configuration in force, shipped providers and models included.
    pub(crate) fn in_force(&self) -> Arc<Config> {
        self.read().in_force.clone()
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state as people see it.
    pub(crate) fn view(&self) -> ConfigState {
        let state = self.read();
        ConfigState {
            path: self.path.display().to_string(),
            is_in_force: state.error.is_none() && state.pending.is_empty(),
            error: state.error.clone(),
            has_pending_change: !state.pending.is_empty(),
        }
    }

    fn pending_lines(&self) -> Vec<PolicyChangeLine> {
        self.read().pending.iter().map(line).collect()
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let meta = fs::metadata(path).ok()?;
    Some(Stamp {
        inode: meta.ino(),
        bytes: meta.size(),
        modified: (meta.mtime(), meta.mtime_nsec()),
        changed: (meta.ctime(), meta.ctime_nsec()),
    })
}

/// How long ago the file was written; none when that lies ahead or there is no file.
fn age(stamp: &Stamp) -> Option<Duration> {
    let (seconds, nanoseconds) = stamp.modified.max(stamp.changed);
    let changed = UNIX_EPOCH + Duration::new(u64::try_from(seconds).ok()?, u32::try_from(nanoseconds).ok()?);
    SystemTime::now().duration_since(changed).ok()
}

/// Reads the file when nobody is about to write it: half of a file can be a file that means less.
async fn read_settled(path: &Path) -> (Seen, Result<String, ConfigError>) {
    let mut reads = 0;
    loop {
        reads += 1;
        let before = stamp(path);
        let text = match fs::read_to_string(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
            result => result.map_err(|source| ConfigError::Read { path: path.to_owned(), source }),
        };
        let after = stamp(path);
        let is_older_than =
            |limit: Duration| after.as_ref().is_none_or(|stamp| age(stamp).is_some_and(|age| age >= limit));
        if (before == after && is_older_than(SETTLES_WITHIN)) || reads >= MAX_READS {
            let is_sure = before == after && is_older_than(STAMP_IS_SURE_AFTER);
            return (Seen { stamp: after, is_sure, text: text.as_ref().ok().cloned() }, text);
        }
        tokio::time::sleep(SETTLES_WITHIN).await;
    }
}

fn defaults(shipped: &Shipped) -> Result<Config, Failure> {
    Config::parse_over("", Path::new("config.toml"), shipped).map_err(|error| failure::config(&error))
}

/// Equal for the same edits; none when none wait.
fn merge_key_of(changes: &[PolicyChangeLine]) -> Option<String> {
    (!changes.is_empty()).then(|| format!("{MERGE_KEY}:{}", tokens::text_hash(&json!(changes).to_string())))
}

/// Whether a question with this merge key is about edits of the file.
pub(crate) fn is_about_the_file(merge_key: &str) -> bool {
    merge_key.strip_prefix(MERGE_KEY).is_some_and(|rest| rest.starts_with(':'))
}

fn line(change: &Loosening) -> PolicyChangeLine {
    PolicyChangeLine {
        key: change.key.clone(),
        from: change.from.clone(),
        to: change.to.clone(),
        effect: change.effect.to_owned(),
    }
}

impl Engine {
    /// Reads the file again if it changed. A file that cannot be used changes nothing but the error.
    pub(crate) async fn refresh_configuration(&self) -> Result<(), Failure> {
        if self.configuration.is_current() {
            return Ok(());
        }
        let engine = self.clone();
        self.to_the_end(async move {
            let _turn = engine.configuration.turn().await;
            // Whoever had the turn before may have read it already.
            if engine.configuration.is_current() { Ok(()) } else { engine.reread_configuration().await }
        })
        .await
    }

    /// Reads the file again. Needs the turn.
    async fn reread_configuration(&self) -> Result<(), Failure> {
        let (seen, text) = read_settled(&self.configuration.path).await;
        let is_same = {
            let mut last = locked(&self.configuration.seen);
            let is_same = seen.text.is_some() && seen.text == last.text;
            *last = seen;
            is_same
        };
        if is_same { Ok(()) } else { self.take_configuration(text).await }
    }

    /// Puts what the file says into force, as far as nobody has to be asked. Needs the turn.
    async fn take_configuration(&self, text: Result<String, ConfigError>) -> Result<(), Failure> {
        let path = &self.configuration.path;
        let result = text.and_then(|text| Config::parse_over(&text, path, &self.configuration.shipped));
        let error = {
            let mut state = self.configuration.write();
            match result {
                Ok(config) => {
                    let config = Arc::new(config);
                    let pending = loosening(&state.in_force, &config);
                    let in_force = if pending.is_empty() {
                        config.clone()
                    } else {
                        Arc::new(without_loosening(&state.in_force, &config))
                    };
                    *state = State { in_force, file: Some(config), error: None, pending };
                    None
                }
                Err(error) => {
                    state.error = Some(error.to_string());
                    state.error.clone()
                }
            }
        };
        self.keep_what_is_in_force().await?;
        tracing::info!(error = error.as_deref(), "the configuration was read again");
        self.emit(Event::ConfigChanged { error });
        self.emit(Event::ProvidersChanged);
        self.ask_about_configuration("the configuration changed again").await
    }

    /// Keeps what is in force as the baseline of the next start. The file itself may hold more.
    async fn keep_what_is_in_force(&self) -> Result<(), Failure> {
        let text = to_toml(&self.configuration.in_force());
        self.db.set_setting(ACCEPTED, Some(&text), self.now()).await.map_err(failure::store)
    }

    /// Whether a question with this merge key is about the edits that wait now.
    pub(crate) fn is_pending_configuration(&self, merge_key: &str) -> bool {
        merge_key_of(&self.configuration.pending_lines()).is_some_and(|wanted| wanted == merge_key)
    }

    /// A human refused these edits: they are not asked about again while they are all that waits.
    pub(crate) async fn remember_refusal(&self, merge_key: &str) -> Result<(), Failure> {
        self.db.set_setting(REFUSED, Some(merge_key), self.now()).await.map_err(failure::store)
    }

    /// Opens the question about loosening edits, or takes it back for the reason `stale` when it is
    /// about other edits than those that wait. Needs the turn.
    async fn ask_about_configuration(&self, stale: &str) -> Result<(), Failure> {
        let changes = self.configuration.pending_lines();
        let wanted = merge_key_of(&changes);
        let mut is_open = false;
        for record in self.db.open_approvals().await.map_err(failure::store)? {
            if !is_about_the_file(&record.merge_key) {
                continue;
            }
            if Some(&record.merge_key) == wanted.as_ref() {
                is_open = true;
            } else {
                self.end_question(record, Outcome::Withdrawn, stale).await?;
            }
        }
        let refused = self.db.setting(REFUSED).await.map_err(failure::store)?;
        if refused.is_some() && refused != wanted {
            self.db.set_setting(REFUSED, None, self.now()).await.map_err(failure::store)?;
        }
        let Some(merge_key) = wanted.filter(|_| !is_open).filter(|wanted| refused.as_ref() != Some(wanted)) else {
            return Ok(());
        };
        let count = changes.len();
        let question = Question {
            kind: ApprovalKind::PolicyChange,
            merge_key,
            title: if count == 1 { "Put a looser setting into force?".to_owned() } else { format!("Put {count} looser settings into force?") },
            detail: ApprovalDetail::PolicyChange(PolicyChangeDetail { path: self.configuration.path.display().to_string(), changes }),
            consequence: "Somebody edited the configuration file so that Lwa would ask less or allow more. Until you allow it, the old values hold.".to_owned(),
            is_serious: true,
            offers: vec![Answer::AllowAlways],
            variants: Vec::new(),
        };
        self.open_question(question, None, None).await.map(drop)
    }

    /// Asks about what was found waiting when the host started.
    pub(crate) async fn ask_at_start(&self) -> Result<(), Failure> {
        let _turn = self.configuration.turn().await;
        self.ask_about_configuration("the configuration changed again").await
    }

    /// A human accepted the loosening edits that wait. Needs the turn.
    pub(crate) async fn accept_pending_configuration(&self) -> Result<Vec<PolicyChangeLine>, Failure> {
        let accepted = {
            let mut state = self.configuration.write();
            let Some(config) = state.file.clone() else { return Ok(Vec::new()) };
            let accepted: Vec<_> = state.pending.iter().map(line).collect();
            state.in_force = config;
            state.pending.clear();
            accepted
        };
        let now = self.now();
        self.keep_what_is_in_force().await?;
        let audit = NewAudit {
            at: now,
            actor: "user",
            session: None,
            action: "config.accepted",
            object: None,
            decision: Some("allow"),
            detail: json!({ "keys": accepted.iter().map(|change| change.key.as_str()).collect::<Vec<_>>() }),
        };
        self.db.append_audit(&audit).await.map_err(failure::store)?;
        self.emit(Event::ConfigChanged { error: None });
        self.emit(Event::ProvidersChanged);
        Ok(accepted)
    }

    /// `config/accept`: as the window's answer, from a terminal.
    ///
    /// # Errors
    /// Something else waits than what was shown, the process was started by a connected client, or the
    /// database failed.
    pub async fn accept_configuration(
        &self,
        caller: &Caller,
        params: &ConfigAcceptParams,
    ) -> Result<ConfigAccepted, Failure> {
        self.refuse_clients_process(caller)?;
        let _turn = self.configuration.turn().await;
        let lines = self.waiting_lines().await?;
        let mut waiting = self.configuration.pending_lines();
        waiting.extend(lines.iter().cloned());
        let gone = self.what_is_gone();
        waiting.extend(gone.iter().cloned());
        if waiting != params.shown {
            return Err(Failure::new(ErrorCode::InvalidInput, "other edits wait now than the ones that were shown")
                .hint("nothing was accepted; look at what waits now and accept that"));
        }
        let mut accepted = self.accept_pending_configuration().await?;
        self.ask_about_configuration("it was accepted in a terminal").await?;
        if !lines.is_empty() {
            self.accept_allowed_lines(&lines).await?;
            self.end_question_about_lines().await?;
            accepted.extend(lines);
        }
        if !gone.is_empty() {
            self.let_go(&gone)?;
            self.end_questions_about_what_is_gone().await?;
            accepted.extend(gone);
        }
        Ok(ConfigAccepted { accepted })
    }

    /// `config/show`, with the changes of the allow-list and of the private files that wait as well.
    ///
    /// # Errors
    /// The database failed.
    pub async fn show_what_waits(&self) -> Result<ConfigShown, Failure> {
        let mut shown = self.show_configuration()?;
        shown.pending.extend(self.waiting_lines().await?);
        shown.pending.extend(self.show_what_is_gone());
        Ok(shown)
    }

    /// Whether a change of a key waits for the human, of the key itself or of one of a client or a project.
    pub(crate) fn waits_in_configuration(&self, key: &str) -> bool {
        self.configuration.read().pending.iter().map(line).any(|line| line.key.ends_with(key))
    }

    /// The configuration alone.
    ///
    /// # Errors
    /// None at present; the signature is that of every use case.
    pub fn show_configuration(&self) -> Result<ConfigShown, Failure> {
        let state = self.configuration.read();
        let values = lwa_config::flatten(&state.in_force)
            .into_iter()
            .map(|(key, value, is_from_file)| ConfigValue {
                key,
                value,
                source: if is_from_file { "file" } else { "default" }.to_owned(),
            })
            .collect();
        Ok(ConfigShown {
            path: self.configuration.path.display().to_string(),
            values,
            pending: state.pending.iter().map(line).collect(),
            error: state.error.clone(),
        })
    }

    /// `config/set`: a person sets one value; comments and order of the file are kept.
    ///
    /// # Errors
    /// The value does not fit, the file cannot be written, or a client's own process asks.
    pub async fn set_configuration(&self, caller: &Caller, params: &ConfigSetParams) -> Result<ConfigShown, Failure> {
        self.refuse_clients_process(caller)?;
        let _turn = self.configuration.turn().await;
        let path = &self.configuration.path;
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(source) => return Err(failure::config(&ConfigError::Read { path: path.clone(), source })),
        };
        let keys = edit::key_path(&params.key);
        let shipped = &self.configuration.shipped;
        let edited = edit::set_over(&text, &keys, &params.value, shipped).map_err(|error| failure::config(&error))?;
        // The human set this one key, and nothing else that may be waiting in the file: what is in
        // force gets the same edit and is what the file is compared with.
        let baseline = to_toml(&self.configuration.in_force());
        let baseline =
            edit::set_over(&baseline, &keys, &params.value, shipped).map_err(|error| failure::config(&error))?;
        let baseline = Config::parse_over(&baseline, path, shipped).map_err(|error| failure::config(&error))?;
        edit::write_atomic(path, &edited).map_err(|error| failure::config(&error))?;
        self.configuration.write().in_force = Arc::new(baseline);
        let audit = NewAudit {
            at: self.now(),
            actor: caller.actor(),
            session: Some(caller.session.as_str()),
            action: "config.set",
            object: Some(&params.key),
            decision: Some("allow"),
            detail: json!({}),
        };
        self.db.append_audit(&audit).await.map_err(failure::store)?;
        // What the host wrote itself needs no time to settle; whatever else the file holds is compared.
        *locked(&self.configuration.seen) = Seen { stamp: stamp(path), is_sure: false, text: Some(edited.clone()) };
        self.take_configuration(Ok(edited)).await?;
        self.show_configuration()
    }

    /// Refuses a person's door to a process that an agent started.
    pub(crate) fn refuse_clients_process(&self, caller: &Caller) -> Result<(), Failure> {
        let host = std::process::id();
        let is_clients = match &caller.process {
            None => true,
            Some(process) => {
                process.is_work_of(host, caller.role)
                    || self.surfaces.client_processes().into_iter().any(|client| process.descends_from(client, host))
            }
        };
        if is_clients {
            return Err(Failure::new(
                ErrorCode::Forbidden,
                "this request comes from a process that a connected client started, so it does not count",
            )
            .hint("do this in the Lwa window, or in a terminal that you opened yourself"));
        }
        Ok(())
    }
}
