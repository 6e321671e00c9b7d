//! Sessions as people see them, and what they can do with them: look, switch on or off, remove.

use std::collections::BTreeSet;

use jiff::Timestamp;
use lwa_domain::{ClientName, ErrorCode};
use lwa_protocol::worker::{
    ArmedView, DisclosureView, LeakCheckView, PurgeWhat, RunPolicyView, WorkerArmParams, WorkerArtifactView,
    WorkerPurgeParams, WorkerPurged, WorkerSessionDetail, WorkerSessionParams, WorkerSessionView, WorkerSessions,
    WorkerTurnView,
};
use lwa_protocol::{Event, Failure};
use lwa_store::{NewAudit, WorkerSessionRecord};
use lwa_worker::gate::{ArmSource, ArmState, Armed};
use lwa_worker::memory::Turn;
use serde_json::json;

use super::disclose::placeholders_of;
use super::hook::shown;
use super::session::{PolicyCounts, Surroundings};
use crate::caller::Caller;
use crate::engine::{Engine, rfc3339};
use crate::failure;

/// Turns that one session is shown with.
const TURNS_SHOWN: u32 = 60;

impl Engine {
    /// `worker/sessions`.
    ///
    /// # Errors
    /// The database failed.
    pub async fn list_worker_sessions(&self) -> Result<WorkerSessions, Failure> {
        let live = self.served_sessions();
        let mut sessions = Vec::new();
        for record in self.db.worker_sessions().await.map_err(failure::store)? {
            sessions.push(self.session_view(&record, &live).await?);
        }
        Ok(WorkerSessions { sessions })
    }

    /// `worker/session`.
    ///
    /// # Errors
    /// There is no such session.
    pub async fn show_worker_session(&self, params: &WorkerSessionParams) -> Result<WorkerSessionDetail, Failure> {
        let record = self.worker_record(&params.key).await?;
        let session = self.session_view(&record, &self.served_sessions()).await?;
        let turns = self.db.last_worker_turns(&params.key, TURNS_SHOWN).await.map_err(failure::store)?;
        let turns = turns
            .into_iter()
            .filter_map(|record| serde_json::from_value::<Turn>(record.turn).ok())
            .map(turn_view)
            .collect();
        let artifacts = self.db.worker_artifacts(&params.key).await.map_err(failure::store)?;
        let artifacts = artifacts
            .into_iter()
            .map(|record| WorkerArtifactView {
                reference: record.reference,
                source: record.source,
                chars: record.chars,
                at: rfc3339(record.created_at),
            })
            .collect();
        let (summary, placeholders) = match self.loaded_session(&params.key).await? {
            Some(shared) => {
                let session = shared.lock_owned().await;
                (session.summary.clone(), placeholders_of(&session))
            }
            None => (record.summary, Vec::new()),
        };
        Ok(WorkerSessionDetail { session, summary, turns, artifacts, placeholders })
    }

    /// `worker/arm`: a human's switch.
    ///
    /// # Errors
    /// There is no such session.
    pub async fn arm_worker_session(
        &self,
        caller: &Caller,
        params: &WorkerArmParams,
    ) -> Result<WorkerSessionView, Failure> {
        self.refuse_clients_process(caller)?;
        let Some(shared) = self.loaded_session(&params.key).await? else { return Err(unknown(&params.key)) };
        {
            let mut session = shared.lock_owned().await;
            let state = if params.is_on { ArmState::On } else { ArmState::Off };
            session.gate.switch(state, self.now());
            session.counts.budget.reset();
            session.disclosure.reset_questions();
            session.settled.notify_waiters();
            self.store_session(&session).await?;
        }
        self.audit_worker("worker.arm", json!({"session": params.key, "on": params.is_on})).await?;
        self.session_view(&self.worker_record(&params.key).await?, &self.served_sessions()).await
    }

    /// `worker/purge`: what would go is counted first where that is wanted.
    ///
    /// # Errors
    /// There is no such session, or the moment cannot be read.
    pub async fn purge_worker(&self, caller: &Caller, params: &WorkerPurgeParams) -> Result<WorkerPurged, Failure> {
        self.refuse_clients_process(caller)?;
        let before = match &params.before {
            Some(text) => Some(text.parse::<Timestamp>().map_err(|_| {
                Failure::new(ErrorCode::InvalidInput, format!("`{text}` is no moment"))
                    .hint("write it as `2026-01-31T00:00:00Z`")
            })?),
            None => None,
        };
        let records = match &params.key {
            Some(key) => vec![self.worker_record(key).await?],
            None => self.db.worker_sessions().await.map_err(failure::store)?,
        };
        let live = self.served_sessions();
        let mut purged = WorkerPurged::default();
        for record in records {
            let is_old = before.is_none_or(|before| record.last_seen_at < before);
            if !is_old && params.what != PurgeWhat::Artifacts {
                continue;
            }
            // What a conversation in progress relies on is removed by name only.
            if params.key.is_none() && live.contains(&record.key) {
                purged.live += 1;
                continue;
            }
            self.purge_one(&record, params, before, &mut purged).await?;
        }
        if !params.dry_run {
            // What was removed is not to be found in the log of the database either.
            self.db.write_back().await.map_err(failure::store)?;
            let facts = json!({"sessions": purged.sessions, "placeholders": purged.placeholders, "artifacts": purged.artifacts});
            self.audit_worker("worker.purge", facts).await?;
        }
        Ok(purged)
    }

    async fn purge_one(
        &self,
        record: &WorkerSessionRecord,
        params: &WorkerPurgeParams,
        before: Option<Timestamp>,
        purged: &mut WorkerPurged,
    ) -> Result<(), Failure> {
        let key = &record.key;
        let counts = self.db.worker_counts(key).await.map_err(failure::store)?;
        let vault = self.db.worker_vault(key).await.map_err(failure::store)?;
        let values = u64::try_from(vault.len()).unwrap_or(u64::MAX);
        match params.what {
            PurgeWhat::Session => {
                purged.sessions += 1;
                purged.placeholders += values;
                purged.artifacts += counts.artifacts;
                purged.bytes += counts.artifact_bytes;
                if !params.dry_run {
                    let cleared = self.remove_session(key).await?;
                    purged.artifacts += cleared.files;
                    purged.bytes += cleared.bytes;
                }
            }
            PurgeWhat::Placeholders => {
                purged.placeholders += values;
                if !params.dry_run {
                    self.end_work(key).await?;
                    if let Some(shared) = self.loaded_session(key).await? {
                        let session = shared.lock_owned().await;
                        self.db.delete_worker_vault(key).await.map_err(failure::store)?;
                        session.forget_values();
                        self.store_vault(&session).await?;
                    }
                    self.emit(Event::WorkerChanged { session: key.clone() });
                }
            }
            PurgeWhat::Artifacts => {
                let artifacts = self.db.worker_artifacts(key).await.map_err(failure::store)?;
                let old = artifacts.iter().filter(|artifact| before.is_none_or(|before| artifact.created_at < before));
                for artifact in old {
                    purged.artifacts += 1;
                    purged.bytes += artifact.bytes;
                }
                if !params.dry_run {
                    self.remove_artifact_files(key, before).await?;
                    self.emit(Event::WorkerChanged { session: key.clone() });
                }
            }
        }
        Ok(())
    }

    /// Removes stored materials: their rows, then their files.
    pub(super) async fn remove_artifact_files(&self, key: &str, before: Option<Timestamp>) -> Result<(), Failure> {
        let removed = self.db.delete_worker_artifacts(key, before).await.map_err(failure::store)?;
        let path = self.artifact_path(key);
        if !path.exists() {
            return Ok(());
        }
        let folder = self.artifact_folder(key)?;
        for record in removed {
            if let Ok(reference) = record.reference.parse()
                && let Err(error) = folder.remove(&reference)
            {
                return Err(super::session::artifact_failure(&error));
            }
        }
        // An empty folder says nothing; one with files in it stays.
        let _ = std::fs::remove_dir(path);
        Ok(())
    }

    async fn session_view(
        &self,
        record: &WorkerSessionRecord,
        live: &BTreeSet<String>,
    ) -> Result<WorkerSessionView, Failure> {
        let counts = self.db.worker_counts(&record.key).await.map_err(failure::store)?;
        // The session in memory is newer than its row.
        let (record, placeholders) = match self.session_in_memory(&record.key) {
            Some(shared) => {
                let session = shared.lock_owned().await;
                (session.record()?, session.placeholders())
            }
            None => (record.clone(), self.stored_placeholders(&record.key).await),
        };
        let config = self.configuration.in_force().worker_for(&record.client, None);
        let armed: Armed = serde_json::from_value(record.gate.clone()).unwrap_or_default();
        let disclosure = lwa_worker::disclosure::Disclosure::restore(
            serde_json::from_value(record.disclosure.clone()).unwrap_or_default(),
        );
        let policy: PolicyCounts = serde_json::from_value(record.run_policy.clone()).unwrap_or_default();
        let leak: super::session::LeakCounts = serde_json::from_value(record.leak_check.clone()).unwrap_or_default();
        let surroundings = Surroundings::of_people(config);
        let (state, source) = lwa_worker::gate::Gate::restore(armed.clone()).state(surroundings.arm());
        let held = super::session::disclosure_surroundings(&surroundings, record.mode.parse().unwrap_or_default());
        Ok(WorkerSessionView {
            key: record.key.clone(),
            client: ClientName::new(record.client.clone()),
            mode: record.mode.clone(),
            armed: armed_view(state, source, &armed),
            disclosure: disclosure_view(&disclosure.status(held)),
            run_policy: policy_view(&policy, surroundings.config.run_policy.as_str(), &self.home.run_allow_file()),
            leak_check: LeakCheckView { ran: leak.ran, failed: leak.failed, last_failure: leak.last_failure },
            placeholders,
            artifacts: counts.artifacts,
            artifact_bytes: counts.artifact_bytes,
            turns: counts.turns,
            is_live: live.contains(&record.key),
            created: rfc3339(record.created_at),
            last_seen: rfc3339(record.last_seen_at),
            tokens_saved: self.saved_by(Some(&record.key)).await?,
        })
    }

    async fn worker_record(&self, key: &str) -> Result<WorkerSessionRecord, Failure> {
        self.db.worker_session(key).await.map_err(failure::store)?.ok_or_else(|| unknown(key))
    }

    pub(super) async fn audit_worker(&self, action: &str, detail: serde_json::Value) -> Result<(), Failure> {
        let audit =
            NewAudit { at: self.now(), actor: "user", session: None, action, object: None, decision: None, detail };
        self.db.append_audit(&audit).await.map(drop).map_err(failure::store)
    }
}

pub(super) fn armed_view(state: ArmState, source: Option<ArmSource>, armed: &Armed) -> ArmedView {
    ArmedView {
        state: match state {
            ArmState::On => "on",
            ArmState::Off => "off",
            ArmState::Undecided => "undecided",
        }
        .to_owned(),
        source: source.map(|source| {
            match source {
                ArmSource::Setting => "config",
                ArmSource::Dialog => "dialog",
                ArmSource::Admin => "admin",
                ArmSource::Unanswered => "unanswered",
            }
            .to_owned()
        }),
        at: shown(armed.ts),
        asked: armed.asked,
    }
}

pub(super) fn disclosure_view(status: &lwa_worker::disclosure::DisclosureStatus) -> DisclosureView {
    let word = |value: serde_json::Value| value.as_str().map(str::to_owned);
    DisclosureView {
        identity: <&'static str>::from(status.identity).to_owned(),
        numbers: status.numbers.to_owned(),
        source: status.source.and_then(|source| serde_json::to_value(source).ok()).and_then(word),
        asked: status.asked,
        escalation: serde_json::to_value(status.escalation).ok().and_then(word).unwrap_or_default(),
        open_kinds: status.open_kinds.iter().map(|kind| (*kind).to_owned()).collect(),
    }
}

pub(super) fn policy_view(counts: &PolicyCounts, policy: &str, allow_file: &std::path::Path) -> RunPolicyView {
    RunPolicyView {
        policy: policy.to_owned(),
        allowed: counts.allowed,
        asked_once: counts.asked_once,
        asked_always: counts.asked_always,
        refused: counts.refused,
        denied: counts.denied,
        unasked: counts.unasked,
        last_refusal: counts.last_refusal.clone(),
        allow_file: allow_file.display().to_string(),
        allow_entries: 0,
        note: None,
    }
}

fn turn_view(turn: Turn) -> WorkerTurnView {
    WorkerTurnView {
        id: turn.id.to_string(),
        at: rfc3339(turn.ts),
        kind: serde_json::to_value(turn.kind)
            .ok()
            .and_then(|kind| kind.as_str().map(str::to_owned))
            .unwrap_or_default(),
        task: turn.task,
        source: turn.source,
        result: turn.result,
        reference: turn.artifact.map(|artifact| artifact.to_string()),
        raw_chars: turn.raw_chars,
        out_chars: turn.out_chars,
        model: turn.model,
        policy: turn.policy,
        is_error: turn.error,
    }
}

fn unknown(key: &str) -> Failure {
    let shown: String = key.chars().take(80).collect();
    Failure::new(ErrorCode::NotFound, format!("there is no session `{shown}` of the worker"))
        .hint("`lwa worker sessions` lists them")
}

/// Only for the settings of people, who have no call.
impl Surroundings {
    fn of_people(config: lwa_config::WorkerConfig) -> Self {
        Self { config, caller_sandbox: lwa_protocol::worker::CallerSandbox::Unknown, can_ask: true }
    }
}
