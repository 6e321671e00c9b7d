//! The configuration in force: read again when the file changes, tightened at once, loosened only by
//! a human.
//!
//! The first file that is seen is the baseline. Its text is kept, so that a host that starts later
//! compares the file with what the human accepted, not with whatever an agent wrote meanwhile.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::SystemTime;

use jiff::Timestamp;
use lwa_config::diff::{Loosening, loosening, without_loosening};
use lwa_config::{Config, ConfigError, Home, Shipped, edit, to_toml};
use lwa_domain::{ApprovalKind, ErrorCode, Outcome};
use lwa_protocol::approval::{Answer, ApprovalDetail, PolicyChangeDetail, PolicyChangeLine};
use lwa_protocol::configuration::{ConfigAccepted, ConfigSetParams, ConfigShown, ConfigValue};
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

/// What tells that the file may have changed, without reading it.
type Stamp = Option<(SystemTime, u64)>;

struct State {
    in_force: Arc<Config>,
    /// The file as it stands, when it can be used.
    file: Option<(String, Arc<Config>)>,
    error: Option<String>,
    pending: Vec<Loosening>,
}

/// The configuration in force and what waits.
pub struct Configuration {
    path: PathBuf,
    shipped: Shipped,
    state: RwLock<State>,
    stamp: Mutex<Stamp>,
}

impl Configuration {
    /// Reads the file and compares it with what was accepted before.
    pub(crate) async fn open(home: &Home, db: &Db, now: Timestamp) -> Result<Self, Failure> {
        let path = home.config_file();
        let shipped = shipped();
        let stamp = stamp(&path);
        let accepted = db.setting(ACCEPTED).await.map_err(failure::store)?;
        let baseline = accepted.as_deref().and_then(|text| Config::parse_over(text, &path, &shipped).ok());
        let state = match read(&path, &shipped) {
            Ok((text, config)) => {
                let config = Arc::new(config);
                let pending = baseline.as_ref().map(|old| loosening(old, &config)).unwrap_or_default();
                let in_force = match &baseline {
                    Some(old) if !pending.is_empty() => Arc::new(without_loosening(old, &config)),
                    _ => config.clone(),
                };
                State { in_force, file: Some((text, config)), error: None, pending }
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
        Ok(Self { path, shipped, state: RwLock::new(state), stamp: Mutex::new(stamp) })
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

fn stamp(path: &std::path::Path) -> Stamp {
    let meta = fs::metadata(path).ok()?;
    Some((meta.modified().ok()?, meta.len()))
}

fn read(path: &std::path::Path, shipped: &Shipped) -> Result<(String, Config), ConfigError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(source) => return Err(ConfigError::Read { path: path.to_owned(), source }),
    };
    let config = Config::parse_over(&text, path, shipped)?;
    Ok((text, config))
}

fn defaults(shipped: &Shipped) -> Result<Config, Failure> {
    Config::parse_over("", std::path::Path::new("config.toml"), shipped).map_err(|error| failure::config(&error))
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
        let seen = stamp(&self.configuration.path);
        {
            let mut last = locked(&self.configuration.stamp);
            if *last == seen {
                return Ok(());
            }
            *last = seen;
        }
        self.reread_configuration().await
    }

    async fn reread_configuration(&self) -> Result<(), Failure> {
        let result = read(&self.configuration.path, &self.configuration.shipped);
        let error = {
            let mut state = self.configuration.write();
            match result {
                Ok((text, config)) => {
                    let config = Arc::new(config);
                    let pending = loosening(&state.in_force, &config);
                    let in_force = if pending.is_empty() {
                        config.clone()
                    } else {
                        Arc::new(without_loosening(&state.in_force, &config))
                    };
                    *state = State { in_force, file: Some((text, config)), error: None, pending };
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
        self.ask_about_configuration().await
    }

    /// Keeps what is in force as the baseline of the next start. The file itself may hold more.
    async fn keep_what_is_in_force(&self) -> Result<(), Failure> {
        let text = to_toml(&self.configuration.in_force());
        self.db.set_setting(ACCEPTED, Some(&text), self.now()).await.map_err(failure::store)
    }

    /// Opens the question about loosening edits, or takes it back when the file no longer has any.
    pub(crate) async fn ask_about_configuration(&self) -> Result<(), Failure> {
        let changes = self.configuration.pending_lines();
        let wanted =
            (!changes.is_empty()).then(|| format!("{MERGE_KEY}:{}", tokens::text_hash(&json!(changes).to_string())));
        for record in self.db.open_approvals().await.map_err(failure::store)? {
            if record.kind == ApprovalKind::PolicyChange && Some(&record.merge_key) != wanted.as_ref() {
                self.end_question(&record.id, Outcome::Withdrawn, "the configuration changed again").await?;
            } else if Some(&record.merge_key) == wanted.as_ref() {
                return Ok(());
            }
        }
        let Some(merge_key) = wanted else { return Ok(()) };
        let count = changes.len();
        let question = Question {
            kind: ApprovalKind::PolicyChange,
            merge_key,
            title: if count == 1 { "Put a looser setting into force?".to_owned() } else { format!("Put {count} looser settings into force?") },
            detail: ApprovalDetail::PolicyChange(PolicyChangeDetail { path: self.configuration.path.display().to_string(), changes }),
            consequence: "Somebody edited the configuration file so that Lwa would ask less or allow more. Until you allow it, the old values hold.".to_owned(),
            is_serious: true,
            offers: vec![Answer::AllowAlways],
        };
        self.open_question(question, None).await.map(drop)
    }

    /// A human accepted the loosening edits that wait.
    pub(crate) async fn accept_pending_configuration(&self) -> Result<Vec<PolicyChangeLine>, Failure> {
        let accepted = {
            let mut state = self.configuration.write();
            let Some((_, config)) = state.file.clone() else { return Ok(Vec::new()) };
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
    /// The process was started by a connected client, or the database failed.
    pub async fn accept_configuration(&self, caller: &Caller) -> Result<ConfigAccepted, Failure> {
        self.refuse_clients_process(caller)?;
        let accepted = self.accept_pending_configuration().await?;
        self.ask_about_configuration().await?;
        Ok(ConfigAccepted { accepted })
    }

    /// `config/show`.
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
        *locked(&self.configuration.stamp) = stamp(path);
        self.reread_configuration().await?;
        self.show_configuration()
    }

    /// Refuses a person's door to a process that an agent started.
    pub(crate) fn refuse_clients_process(&self, caller: &Caller) -> Result<(), Failure> {
        let host = std::process::id();
        let is_clients = match &caller.process {
            None => true,
            Some(process) => {
                self.surfaces.client_processes().into_iter().any(|client| process.descends_from(client, host))
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
