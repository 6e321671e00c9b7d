//! Compacting the memory of a session: on demand, by a client's hook, and when it has grown.

use lwa_privacy::{Bare, Reveal, rehydrate};
use lwa_protocol::Failure;
use lwa_protocol::worker::{WorkerAnswer, WorkerCall, WorkerCompactParams};
use lwa_worker::compaction::{Compaction, CompactionJob, TurnText, compact};
use lwa_worker::digest::Limits;
use lwa_worker::memory::{self, Turn};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::job::JobHandle;
use super::session::{Session, Surroundings};
use super::turn_on::Passed;
use super::way_out::WayOut;
use super::{completed, failed, with_rules};
use crate::caller::Caller;
use crate::engine::{Engine, locked};
use crate::failure;

/// The longest time that one compaction may take.
const LONGEST: std::time::Duration = std::time::Duration::from_mins(5);

/// What became of a compaction.
pub(super) enum Compacted {
    /// Nothing was new.
    Skipped,
    /// The memory is shorter.
    Done { turns: usize, chars: usize, model: String },
    /// The model did not answer; nothing in the text comes from its server.
    Failed(String),
}

impl Compacted {
    fn json(&self) -> Value {
        match self {
            Self::Skipped => json!({"ok": true, "skipped": "no new turns"}),
            Self::Done { turns, chars, model } => {
                json!({"ok": true, "turns": turns, "summary_chars": chars, "model": model})
            }
            Self::Failed(error) => json!({"ok": false, "error": error}),
        }
    }
}

impl Engine {
    /// `worker/compact`.
    pub async fn worker_compact(&self, caller: &Caller, params: WorkerCompactParams) -> Result<WorkerAnswer, Failure> {
        let (engine, asking, call) = (self.clone(), caller.clone(), params.call.clone());
        let reason = params.reason;
        let work = |job: JobHandle| -> super::job::JobFuture {
            Box::pin(async move {
                let call = WorkerCall { session: job.conversation(), ..params.call };
                tokio::select! {
                    answer = engine.compact_work(&asking, &call, &job) => answer,
                    () = job.cancel.cancelled() => Ok(super::refused("the call was cancelled")),
                }
            })
        };
        self.hold_job(caller, &call, "worker/compact", &reason, work).await
    }

    async fn compact_work(&self, caller: &Caller, call: &WorkerCall, job: &JobHandle) -> Result<WorkerAnswer, Failure> {
        let surroundings = self.worker_surroundings(caller, call)?;
        let rules = match self.pass_gate(caller, call, job, &surroundings, "local_llm_compact").await? {
            Passed::No(answer) => return Ok(*answer),
            Passed::Yes { rules } => rules,
        };
        let (key, mode, turn_of_work) = {
            let session = self.hold_session(caller, call, &surroundings).await?;
            (session.key.clone(), session.mode, session.work.clone())
        };
        let _working = turn_of_work.lock_owned().await;
        let done = self.compact_session(&key, &surroundings).await?;
        let text = with_rules(rules, done.json().to_string());
        Ok(if matches!(done, Compacted::Failed(_)) { failed(text) } else { completed(text, mode) })
    }

    /// Compacts when the memory has grown beyond what is set; in the background, since nobody waits for it.
    pub(super) async fn compact_when_due(&self, key: &str, surroundings: &Surroundings) {
        let Ok(turns) = self.worker_turns(key).await else { return };
        let turns: Vec<Turn> = turns.into_iter().map(|(_, turn)| turn).collect();
        let limit = usize::try_from(surroundings.config.auto_compact_chars).unwrap_or(usize::MAX);
        if limit > 0 && memory::is_compaction_due(&turns, limit) {
            self.compact_in_background(key.to_owned(), surroundings.clone());
        }
    }

    /// Compacts as soon as the session's work lets it.
    pub(super) fn compact_in_background(&self, key: String, surroundings: Surroundings) {
        let engine = self.clone();
        self.tasks.spawn(async move {
            let Ok(Some(session)) = engine.loaded_session(&key).await else { return };
            let (turn_of_work, removed) = {
                let session = session.lock_owned().await;
                (session.work.clone(), session.removed.clone())
            };
            let compacting = async {
                let _working = turn_of_work.lock_owned().await;
                engine.compact_session(&key, &surroundings).await
            };
            let done = tokio::select! {
                done = compacting => done,
                () = engine.stopping.cancelled() => return,
                () = removed.cancelled() => return,
            };
            match done {
                Ok(Compacted::Failed(reason)) => {
                    tracing::warn!(%reason, "the memory of a session could not be compacted");
                }
                Ok(_) => {}
                Err(error) => tracing::warn!(error = %error.message, "the memory of a session could not be compacted"),
            }
        });
    }

    /// Compacts. Needs the session's turn of work.
    pub(super) async fn compact_session(&self, key: &str, surroundings: &Surroundings) -> Result<Compacted, Failure> {
        let Some(shared) = self.loaded_session(key).await? else { return Ok(Compacted::Skipped) };
        let turns = self.worker_turns(key).await?;
        let Some(last) = turns.last().map(|(number, _)| *number) else { return Ok(Compacted::Skipped) };
        let model = self.workers(&surroundings.config).await?.model.clone();
        let (_compacting, way, summary, closings) = {
            let session = shared.clone().lock_owned().await;
            let way = self.way_out(&session, surroundings).with_model(model.clone());
            (session.begin_compacting(), way, session.summary.clone(), session.closings)
        };
        let (summary, texts) = {
            let vault = locked(&way.vault);
            let open = |text: &str| rehydrate(text, &vault, Reveal::Everything, Bare::Ignored).text.into_owned();
            let texts: Vec<[String; 5]> = turns
                .iter()
                .map(|(_, turn)| {
                    [
                        format!("{:?}", turn.kind).to_lowercase(),
                        open(&turn.task),
                        open(&turn.source),
                        open(&turn.excerpt),
                        open(&turn.result),
                    ]
                })
                .collect();
            (open(&summary), texts)
        };
        let shown: Vec<TurnText<'_>> = texts
            .iter()
            .map(|[kind, task, source, excerpt, result]| TurnText { kind, task, source, excerpt, result })
            .collect();
        let config = &surroundings.config;
        let job = CompactionJob {
            summary: &summary,
            turns: &shown,
            mode: way.mode,
            excerpt_chars: usize::try_from(config.excerpt_chars).unwrap_or(usize::MAX),
            most_chars: usize::try_from(config.summary_chars).unwrap_or(usize::MAX),
        };
        let limits = Limits {
            chunk_chars: usize::try_from(config.chunk_chars).unwrap_or(usize::MAX),
            most_tokens: config.max_tokens_cap,
            ..Limits::until(Instant::now() + LONGEST)
        };
        let done = compact(model.as_deref(), &job, &limits).await;
        let result = match done {
            Ok(Compaction::Skipped) => Ok(Compacted::Skipped),
            Ok(Compaction::Done(compacted)) => {
                let (model, summary) = (compacted.model, compacted.summary);
                let chars = self.keep_summary(&shared, surroundings, way, closings, summary, last).await?;
                Ok(Compacted::Done { turns: turns.len(), chars, model })
            }
            // What its server said about it may repeat the memory, and nobody needs it to know that it failed.
            Err(error) => Ok(Compacted::Failed(error.to_string())),
        };
        self.emit(lwa_protocol::Event::WorkerChanged { session: key.to_owned() });
        if let Ok(done) = &result {
            self.observe_compaction(surroundings, key, done);
        }
        result
    }

    /// Puts a new summary in force, scrubbed by what holds when it is written.
    async fn keep_summary(
        &self,
        shared: &std::sync::Arc<tokio::sync::Mutex<Session>>,
        surroundings: &Surroundings,
        mut way: WayOut,
        mut closings: u64,
        summary: String,
        last: u64,
    ) -> Result<usize, Failure> {
        loop {
            let text = way.result(summary.clone()).await?.into_text();
            let mut session = shared.clone().lock_owned().await;
            if session.removed.is_cancelled() {
                return Err(super::remove::being_removed());
            }
            if session.closings != closings {
                closings = session.closings;
                way = way.now_of(&session, surroundings);
                continue;
            }
            self.store_vault(&session).await?;
            let now = self.now();
            self.db.compact_worker_memory(&session.key, &text, last, now).await.map_err(failure::store)?;
            session.summary.clone_from(&text);
            session.compactions += 1;
            session.last_compaction = Some(now);
            return Ok(text.chars().count());
        }
    }
}
