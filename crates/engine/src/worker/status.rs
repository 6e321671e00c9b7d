//! `worker/status`: how the worker stands in a session. It asks nobody and turns nothing on.

use lwa_domain::ClientName;
use lwa_protocol::Failure;
use lwa_protocol::worker::{LeakCheckView, SessionRef, WorkerCall, WorkerCallParams, WorkerClientView, WorkerStatus};
use lwa_worker::gate::ArmState;
use lwa_worker::instructions::shown_rules;
use lwa_worker::memory::{self, Turn};

use super::hook::shown;
use super::session::Surroundings;
use super::sessions::{armed_view, disclosure_view, policy_view};
use crate::caller::Caller;
use crate::engine::{Engine, rfc3339};
use crate::failure;

impl Engine {
    /// `worker/status`.
    ///
    /// # Errors
    /// The worker is switched off in the configuration, or the database failed.
    pub async fn worker_status(&self, caller: &Caller, params: &WorkerCallParams) -> Result<WorkerStatus, Failure> {
        let surroundings = self.worker_surroundings(caller, &params.call)?;
        let workers = self.workers(&surroundings.config).await?;
        let recognising = self.recognisers(&surroundings.config);
        let list = self.allow_list(&surroundings.config, &[]).await?;
        let settled = self.settle_conversation(caller, &params.call, &surroundings).await?;
        let call = WorkerCall { session: vec![SessionRef::Named(settled.key)], ..params.call.clone() };
        let session = self.hold_session(caller, &call, &surroundings).await?;
        let way = self.way_out(&session, &surroundings);
        let counts = self.db.worker_counts(&session.key).await.map_err(failure::store)?;
        let turns: Vec<Turn> = self.worker_turns(&session.key).await?.into_iter().map(|(_, turn)| turn).collect();
        let (state, source) = session.gate.state(surroundings.arm());
        let model = workers.name().to_owned();
        let mut notes = recognising.notes;
        notes.extend(list.note.clone());
        notes.extend(workers.shown().iter().filter_map(|view| view.problem.clone()));
        let mut policy =
            policy_view(&session.counts, surroundings.config.run_policy.as_str(), &self.home.run_allow_file());
        policy.allow_entries = u64::try_from(list.entries).unwrap_or(u64::MAX);
        policy.note = list.note;
        // What was said about a command is the only text of a caller that comes back here.
        policy.last_refusal = policy.last_refusal.map(|text| way.short(&text).into_text());
        let key = session.key.clone();
        let tokens_saved = self.saved_by(Some(&key)).await?;
        let expiring = self.expiring().await?;
        Ok(WorkerStatus {
            mode: session.mode.as_str().to_owned(),
            session_key: session.key.clone(),
            session_source: session.source.clone(),
            client: WorkerClientView {
                name: ClientName::new(session.client.clone()),
                version: session.client_version.clone(),
                can_ask: surroundings.can_ask,
            },
            armed: armed_view(state, source, session.gate.armed()),
            disclosure: disclosure_view(&session.disclosure.status(session.disclosure_surroundings(&surroundings))),
            run_policy: policy,
            model: surroundings.config.base_url.as_ref().map(|_| model.clone()),
            endpoint: workers.shown().first().map(|view| view.endpoint.clone()),
            workers: workers.shown(),
            turns_total: counts.turns,
            turns_since_compaction: counts.uncompacted_turns,
            uncompacted_chars: u64::try_from(memory::uncompacted_chars(&turns)).unwrap_or(u64::MAX),
            summary_chars: u64::try_from(session.summary.chars().count()).unwrap_or(u64::MAX),
            compactions: session.compactions,
            last_compaction: shown(session.last_compaction),
            compaction_in_progress: session.is_compacting(),
            summary: way.short(&session.summary).into_text(),
            leak_check: LeakCheckView {
                ran: session.leak_check.ran,
                failed: session.leak_check.failed,
                last_failure: session.leak_check.last_failure.as_deref().map(|text| way.short(text).into_text()),
            },
            placeholders: session.placeholders(),
            artifacts: counts.artifacts,
            created: rfc3339(session.created_at),
            names: if surroundings.config.names { self.worker.names.summary() } else { "off".to_owned() },
            rules: recognising.summary,
            tokens_saved,
            sandbox: sandbox_words(&surroundings),
            observer: surroundings.config.observer.to_string(),
            expiring,
            decide: Self::decide_view(&surroundings, &workers.decider),
            instructions: shown_rules(session.mode, &model, state == ArmState::On),
            notes,
        })
    }
}

fn sandbox_words(surroundings: &Surroundings) -> String {
    let choice = super::command::sandbox_choice(surroundings);
    let network = if surroundings.config.sandbox_network { "open" } else { "closed" };
    format!(
        "{} (network {network}); {}",
        surroundings.config.sandbox.as_str(),
        match choice {
            Some(choice) => match choice.probe() {
                Ok(report) => format!("this machine holds it: {report}"),
                Err(error) => format!("this machine cannot hold it: {error}"),
            },
            None => "commands run without one".to_owned(),
        }
    )
}
