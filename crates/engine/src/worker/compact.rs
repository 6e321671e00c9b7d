//! Compacting the memory of a session: on demand, by a client's hook, and when it has grown.

use lwa_privacy::{Bare, Reveal, rehydrate};
use lwa_protocol::Failure;
use lwa_protocol::worker::{WorkerAnswer, WorkerCompactParams};
use lwa_worker::compaction::{Compaction, CompactionJob, TurnText, compact};
use lwa_worker::digest::Limits;
use lwa_worker::memory::{self, Turn};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::job::{JobHandle, JobKey};
use super::session::Surroundings;
use super::turn_on::Passed;
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
    /// One is running already.
    Running,
    /// The memory is shorter.
    Done { turns: usize, chars: usize, model: String },
    /// The model did not answer; the text is scrubbed.
    Failed(String),
}

impl Compacted {
    fn json(&self) -> Value {
        match self {
            Self::Skipped => json!({"ok": true, "skipped": "no new turns"}),
            Self::Running => json!({"ok": true, "skipped": "a compaction is running already"}),
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
        let key = JobKey::new(caller.session.as_str(), "worker/compact", &params.reason);
        let (engine, asking, call) = (self.clone(), caller.clone(), params.call.clone());
        let work = |job: JobHandle| -> super::job::JobFuture {
            Box::pin(async move {
                let surroundings = engine.worker_surroundings(&asking, &params.call)?;
                let rules =
                    match engine.pass_gate(&asking, &params.call, &job, &surroundings, "local_llm_compact").await? {
                        Passed::No(answer) => return Ok(*answer),
                        Passed::Yes { rules } => rules,
                    };
                let (key, mode, turn_of_work) = {
                    let session = engine.hold_session(&asking, &params.call, &surroundings).await?;
                    (session.key.clone(), session.mode, session.work.clone())
                };
                let _working = turn_of_work.lock_owned().await;
                let done = engine.compact_session(&key, &surroundings).await?;
                let text = with_rules(rules, done.json().to_string());
                Ok(if matches!(done, Compacted::Failed(_)) { failed(text) } else { completed(text, mode) })
            })
        };
        self.hold_job(caller, &call, key, work).await
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
            let turn_of_work = session.lock_owned().await.work.clone();
            let _working = tokio::select! {
                working = turn_of_work.lock_owned() => working,
                () = engine.stopping.cancelled() => return,
            };
            match engine.compact_session(&key, &surroundings).await {
                Ok(Compacted::Failed(_)) => tracing::warn!("the memory of a session could not be compacted"),
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
        let (way, summary) = {
            let mut session = shared.clone().lock_owned().await;
            if session.is_compacting {
                return Ok(Compacted::Running);
            }
            session.is_compacting = true;
            (self.way_out(&session, surroundings).with_model(model.clone()), session.summary.clone())
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
                let outbound = way.result(compacted.summary).await?;
                let text = outbound.into_text();
                let chars = text.chars().count();
                {
                    let mut session = shared.clone().lock_owned().await;
                    self.store_vault(&session).await?;
                    session.summary.clone_from(&text);
                    session.compactions += 1;
                    session.last_compaction = Some(self.now());
                }
                self.db.compact_worker_memory(key, &text, last, self.now()).await.map_err(failure::store)?;
                Ok(Compacted::Done { turns: turns.len(), chars, model: compacted.model })
            }
            Err(error) => {
                let mut said = error.to_string();
                for excerpt in error.excerpts() {
                    said.push_str(": ");
                    said.push_str(excerpt.untrusted());
                }
                Ok(Compacted::Failed(way.exposing(lwa_privacy::Exposure::pii(), way.mode).error(&said).into_text()))
            }
        };
        shared.lock_owned().await.is_compacting = false;
        self.emit(lwa_protocol::Event::WorkerChanged { session: key.to_owned() });
        if let Ok(done) = &result {
            self.observe_compaction(surroundings, key, done);
        }
        result
    }
}
