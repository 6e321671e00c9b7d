//! What happens to material: read here, answered here, and only what was scrubbed leaves.
//!
//! One piece of work of a session at a time, so that its turns follow each other. The question what may leave is asked
//! while the model works.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lwa_privacy::{Bare, Kind, Reveal, rehydrate};
use lwa_protocol::Failure;
use lwa_protocol::worker::{WorkerAnswer, WorkerCall};
use lwa_worker::artifact::ArtifactRef;
use lwa_worker::command::{CommandOutput, SandboxNote};
use lwa_worker::digest::{self, Digest, Job, Limits};
use lwa_worker::disclosure::{Due, Round, Verdict};
use lwa_worker::entities::{self, Pass, PassLimits};
use lwa_worker::material::Material;
use lwa_worker::memory::{self, Turn, TurnKind};
use lwa_worker::mode::Mode;
use lwa_worker::model::{ChatModel, ModelError};
use lwa_worker::trailer::{CommandEnd, PolicyLabel, Quoting};
use lwa_worker::verbatim::{self, Verbatim};
use tokio::time::Instant;

use super::hand_back::Worked;
use super::job::JobHandle;
use super::session::{Held, Surroundings};
use super::way_out::WayOut;
use crate::caller::Caller;
use crate::engine::{Engine, locked};

/// The longest time of one piece of work, the model's calls included.
const LONGEST_WORK: Duration = Duration::from_mins(20);

/// A call that is worked on, and what holds for it.
#[derive(Clone, Copy)]
pub(super) struct InHand<'h> {
    pub caller: &'h Caller,
    pub call: &'h WorkerCall,
    pub job: &'h JobHandle,
    pub surroundings: &'h Surroundings,
}

/// What is to be worked on. The material is raw.
pub(super) struct Piece {
    pub kind: TurnKind,
    /// As the caller wrote it, with placeholders.
    pub task: String,
    pub material: Material,
    pub most_chars: usize,
    pub is_verbatim: bool,
    pub ran: Option<Ran>,
    /// Under which the material is kept.
    pub reference: ArtifactRef,
    pub started: Instant,
    /// Stand before the result.
    pub rules: Option<String>,
}

/// What is known of the command that ran.
pub(super) struct Ran {
    pub end: CommandEnd,
    pub exit_code: Option<i32>,
    pub label: PolicyLabel,
    pub sandbox: Option<SandboxNote>,
    pub reduced_environment: Option<usize>,
    pub duration: Duration,
    /// The file with its whole output, where the material holds a part.
    pub whole: Option<PathBuf>,
    known_values: Vec<String>,
    pub survivors: usize,
}

impl Ran {
    pub(super) fn of(output: CommandOutput, label: PolicyLabel) -> Self {
        Self {
            end: output.end,
            exit_code: output.exit_code,
            label,
            sandbox: output.sandbox,
            reduced_environment: output.reduced_environment,
            duration: output.duration,
            whole: output.whole,
            known_values: output.known_values,
            survivors: output.survivors,
        }
    }

    const fn end_for_reader(&self) -> Option<digest::CommandEnd> {
        match self.end {
            CommandEnd::Exited(code) => Some(digest::CommandEnd::Exited(code)),
            CommandEnd::Signalled(_) => Some(digest::CommandEnd::Signalled),
            CommandEnd::TimedOut | CommandEnd::Cancelled => {
                Some(digest::CommandEnd::KilledAfter(self.duration.as_secs()))
            }
            CommandEnd::Unknown => None,
        }
    }
}

/// What the model, or the condenser, made of it.
pub(super) struct Answered {
    pub text: String,
    pub model: String,
    pub chunks: usize,
    pub is_finalized: bool,
    pub quoting: Quoting,
}

impl From<Verbatim> for Answered {
    fn from(verbatim: Verbatim) -> Self {
        match verbatim {
            Verbatim::Quoted(quotes) => Self {
                text: quotes.text,
                model: quotes.model,
                chunks: quotes.windows,
                is_finalized: false,
                quoting: Quoting::Verbatim {
                    not_shown: quotes.left_out.iter().map(|range| (range.first, range.last)).collect(),
                },
            },
            Verbatim::Digested(digest) => Self { quoting: Quoting::NoLines, ..digest.into() },
        }
    }
}

impl From<Digest> for Answered {
    fn from(digest: Digest) -> Self {
        Self {
            text: digest.text,
            model: digest.model,
            chunks: digest.chunks,
            is_finalized: digest.is_finalized,
            quoting: Quoting::Digest,
        }
    }
}

impl Engine {
    /// Works on a piece and hands back what may leave. A cancellation ends it wherever it waits.
    pub(super) async fn work_on(&self, at: InHand<'_>, piece: Piece) -> Result<WorkerAnswer, Failure> {
        let asked = Mutex::new(None);
        let ended = piece.ran.as_ref().map(|ran| ran.end);
        tokio::select! {
            answer = self.work_in_turn(at, piece, &asked) => answer.map_err(|error| match ended {
                // Nobody should run it again only because its result cannot be checked or written down.
                Some(end) => Failure {
                    message: format!("the command ran ({end}), and its result is held back: {}", error.message),
                    ..error
                },
                None => error,
            }),
            () = at.job.cancel.cancelled() => {
                let round = *locked(&asked);
                if let Some(round) = round && let Ok(mut session) = self.session_at(at).await {
                    session.disclosure.withdraw(round);
                }
                Ok(super::refused("the call was cancelled"))
            }
        }
    }

    /// The session of a call that is worked on.
    pub(super) async fn session_at(&self, at: InHand<'_>) -> Result<Held, Failure> {
        self.hold_session(at.caller, at.call, at.surroundings).await
    }

    async fn work_in_turn(
        &self,
        at: InHand<'_>,
        mut piece: Piece,
        asked: &Mutex<Option<Round>>,
    ) -> Result<WorkerAnswer, Failure> {
        let surroundings = at.surroundings;
        let turn_of_work = self.session_at(at).await?.work.clone();
        let _working = turn_of_work.lock_owned().await;
        let workers = self.workers(&surroundings.config).await?;
        let model = workers.model.clone();
        let (key, way, summary) = {
            let session = self.session_at(at).await?;
            let way = self.way_out(&session, surroundings).with_model(model.clone());
            (session.key.clone(), way, session.summary.clone())
        };
        let material = Arc::new(std::mem::take(&mut piece.material.text));
        let known = self.known_values(&piece).await;
        let mut counts = way.register(material.clone(), known).await?;
        let mut is_read = true;
        if way.mode == Mode::Pii
            && surroundings.config.entity_pass
            && let Some(model) = model.as_deref()
        {
            is_read = self.entity_pass(&way, model, &material, surroundings, &mut counts).await?;
        }
        let turns: Vec<Turn> = self.worker_turns(&key).await?.into_iter().map(|(_, turn)| turn).collect();
        let context_chars = usize::try_from(surroundings.config.context_chars).unwrap_or(usize::MAX);
        let context = memory::context_block(&summary, &turns, context_chars);
        let (context, task) = {
            let vault = locked(&way.vault);
            let open = |text: &str| rehydrate(text, &vault, Reveal::Everything, Bare::Counts).text.into_owned();
            (open(&context), open(&piece.task))
        };
        let due = {
            let mut session = self.session_at(at).await?;
            let held = session.disclosure_surroundings(surroundings);
            let due = session.disclosure.due(held, &counts, self.now());
            self.store_session(&session).await?;
            due
        };
        let asking = async {
            match due {
                Due::Settled(verdict) => Ok((verdict, None)),
                Due::Ask(round) => {
                    *locked(asked) = Some(round);
                    let source = way.short(&piece.material.source).into_text();
                    let reply = self.ask_about_values(at.caller, at.call, at.job, &key, &counts, &source).await;
                    self.settle_values(at, round, reply).await
                }
            }
        };
        let answering = self.answer_piece(model.as_deref(), surroundings, &piece, &material, &task, &context, way.mode);
        // The answer waits for the human, never the other way round.
        let (verdict, said) = tokio::join!(asking, answering);
        let (verdict, how) = verdict?;
        let mut notes: Vec<String> = Vec::new();
        if model.is_none()
            && let Some(problem) = workers.problem()
        {
            notes.push(format!(
                "Note: the configured model cannot be used, so the built-in condenser answered: {problem}"
            ));
        }
        let worked = Worked { piece, material, verdict, said, is_read, notes };
        let answer = self.hand_back(at, way.with_gap(!is_read), worked).await?;
        self.compact_when_due(&key, surroundings).await;
        Ok(match how {
            Some(how) => WorkerAnswer { text: format!("{}\n\n{how}", answer.text), ..answer },
            None => answer,
        })
    }

    /// The values that are known to be secret, whatever they look like: the host's own keys, and what this command was
    /// given.
    async fn known_values(&self, piece: &Piece) -> Vec<String> {
        let mut known = self.host_secrets().await;
        if let Some(ran) = &piece.ran {
            known.extend(ran.known_values.iter().cloned());
        }
        known.retain(|value| value.len() >= 6);
        known
    }

    /// Asks the configured model for private values of the material; what it names is hidden from then on. Whether it
    /// came to the end of the material.
    async fn entity_pass(
        &self,
        way: &WayOut,
        model: &dyn ChatModel,
        material: &Arc<String>,
        surroundings: &Surroundings,
        counts: &mut BTreeMap<Kind, usize>,
    ) -> Result<bool, Failure> {
        let limits = PassLimits {
            parallel: parallel(surroundings),
            call_timeout: llm_timeout(surroundings),
            ..PassLimits::until(Instant::now() + LONGEST_WORK)
        };
        let found = entities::find(model, material, Pass::Material, &limits).await;
        let is_whole = found.status.is_ok();
        let material = material.clone();
        let registered = way
            .blocking(move |scrubber, vault| entities::register_all(scrubber, vault, &found.values, &material))
            .await?;
        for (kind, count) in registered.counts {
            *counts.entry(kind).or_insert(0) += count;
        }
        Ok(is_whole)
    }

    #[expect(clippy::too_many_arguments, reason = "everything that an answer is made from")]
    async fn answer_piece(
        &self,
        model: Option<&dyn ChatModel>,
        surroundings: &Surroundings,
        piece: &Piece,
        material: &str,
        task: &str,
        context: &str,
        mode: Mode,
    ) -> Result<Answered, ModelError> {
        let job = Job {
            task,
            material,
            source: &piece.material.source,
            is_combined: piece.kind == TurnKind::Delegate && !piece.material.is_single_file,
            is_truncated: piece.material.is_truncated,
            end: piece.ran.as_ref().and_then(Ran::end_for_reader),
            mode,
            context,
            most_output_chars: piece.most_chars,
        };
        let limits = Limits {
            chunk_chars: usize::try_from(surroundings.config.chunk_chars).unwrap_or(usize::MAX),
            parallel: parallel(surroundings),
            most_tokens: surroundings.config.max_tokens_cap,
            call_timeout: llm_timeout(surroundings),
            ..Limits::until(Instant::now() + LONGEST_WORK)
        };
        if piece.is_verbatim && !material.trim().is_empty() {
            verbatim::verbatim(model, &job, &limits).await.map(Answered::from)
        } else {
            digest::digest(model, &job, &limits).await.map(Answered::from)
        }
    }

    /// Takes the human's answer about private values.
    async fn settle_values(
        &self,
        at: InHand<'_>,
        round: Round,
        reply: Result<(lwa_worker::dialog::DialogReply, Option<String>), Failure>,
    ) -> Result<(Verdict, Option<String>), Failure> {
        let surroundings = at.surroundings;
        let mut session = self.session_at(at).await?;
        let held = session.disclosure_surroundings(surroundings);
        let (reply, how, failure) = match reply {
            Ok((reply, how)) => (reply, how, None),
            Err(failure) => {
                (lwa_worker::dialog::DialogReply::Ended(lwa_domain::Outcome::Withdrawn), None, Some(failure))
            }
        };
        let verdict = session.disclosure.settle(round, &reply, held, self.now());
        if let Some(mode) = verdict.switch_to {
            self.switch_mode(&mut session, surroundings, mode).await?;
        } else if verdict.is_memory_vaulted {
            self.vault_memory(&mut session, surroundings).await?;
        }
        self.store_session(&session).await?;
        match failure {
            Some(failure) => Err(failure),
            None => Ok((verdict, how)),
        }
    }
}

fn parallel(surroundings: &Surroundings) -> usize {
    usize::try_from(surroundings.config.parallel_chunks).unwrap_or(1).max(1)
}

fn llm_timeout(surroundings: &Surroundings) -> Duration {
    Duration::from_secs(u64::from(surroundings.config.llm_timeout))
}
