//! What happens to material: read here, answered here, and only what was scrubbed leaves.
//!
//! One piece of work of a session at a time, so that its turns follow each other. The question what may leave is asked
//! while the model works.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use lwa_privacy::{Bare, Kind, Reveal, rehydrate};
use lwa_protocol::Failure;
use lwa_protocol::worker::{WorkerAnswer, WorkerCall, WorkerFacts, WorkerStatusKind};
use lwa_store::WorkerArtifactRecord;
use lwa_worker::artifact::{ArtifactFacts, ArtifactKind, ArtifactRef};
use lwa_worker::command::{CommandOutput, SandboxNote};
use lwa_worker::digest::{self, Digest, Job, Limits};
use lwa_worker::disclosure::{Due, Round, Verdict};
use lwa_worker::entities::{self, Pass, PassLimits};
use lwa_worker::material::Material;
use lwa_worker::memory::{self, Turn, TurnId, TurnKind};
use lwa_worker::mode::Mode;
use lwa_worker::model::{ChatModel, ModelError};
use lwa_worker::outbound::Outbound;
use lwa_worker::trailer::{CommandEnd, PolicyLabel, Quoting, Raw, Trailer};
use lwa_worker::verbatim::{self, Verbatim};
use tokio::time::Instant;

use super::job::JobHandle;
use super::model::worker_model_name;
use super::observe::Told;
use super::session::{Session, Surroundings};
use super::way_out::WayOut;
use super::{failed, with_rules};
use crate::caller::Caller;
use crate::engine::{Engine, locked};
use crate::{failure, tokens};

/// The longest time of one piece of work, the model's calls included.
const LONGEST_WORK: Duration = Duration::from_mins(20);
/// How much of a material is scrubbed for the excerpt that the memory keeps.
const EXCERPT_SLACK: usize = 4;

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
    end: CommandEnd,
    exit_code: Option<i32>,
    label: PolicyLabel,
    sandbox: Option<SandboxNote>,
    reduced_environment: Option<usize>,
    duration: Duration,
    /// The file with its whole output, where the material holds a part.
    whole: Option<PathBuf>,
    known_values: Vec<String>,
    survivors: usize,
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
struct Answered {
    text: String,
    model: String,
    chunks: usize,
    is_finalized: bool,
    quoting: Quoting,
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
    /// Works on a piece and hands back what may leave.
    pub(super) async fn work_on(
        &self,
        caller: &Caller,
        call: &WorkerCall,
        job: &JobHandle,
        surroundings: &Surroundings,
        mut piece: Piece,
    ) -> Result<WorkerAnswer, Failure> {
        let turn_of_work = self.hold_session(caller, call, surroundings).await?.work.clone();
        let _working = tokio::select! {
            working = turn_of_work.lock_owned() => working,
            () = job.cancel.cancelled() => return Ok(super::refused("the call was cancelled")),
        };
        let workers = self.workers(&surroundings.config).await?;
        let model = workers.model.clone();
        let (key, way, summary) = {
            let session = self.hold_session(caller, call, surroundings).await?;
            (
                session.key.clone(),
                self.way_out(&session, surroundings).with_model(model.clone()),
                session.summary.clone(),
            )
        };
        let material = Arc::new(std::mem::take(&mut piece.material.text));
        let known = self.known_values(&piece).await;
        let mut counts = way.register(material.clone(), known).await?;
        if way.mode == Mode::Pii
            && surroundings.config.entity_pass
            && let Some(model) = model.as_deref()
        {
            self.entity_pass(&way, model, &material, surroundings, &mut counts).await?;
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
            let mut session = self.hold_session(caller, call, surroundings).await?;
            let held = session.disclosure_surroundings(surroundings);
            let due = session.disclosure.due(held, &counts, self.now());
            self.store_session(&session).await?;
            due
        };
        let asking = async {
            match due {
                Due::Settled(verdict) => Ok((verdict, None)),
                Due::Ask(round) => {
                    let source = way.short(&piece.material.source).into_text();
                    let reply = self.ask_about_values(caller, call, job, &key, &counts, &source).await;
                    self.settle_values(caller, call, surroundings, round, reply).await
                }
            }
        };
        let answering = self.answer_piece(model.as_deref(), surroundings, &piece, &material, &task, &context, way.mode);
        // The answer waits for the human, never the other way round.
        let both = async { tokio::join!(asking, answering) };
        let (verdict, answered) = tokio::select! {
            both = both => both,
            () = job.cancel.cancelled() => {
                self.withdraw_values(caller, call, surroundings).await;
                return Ok(super::refused("the call was cancelled"));
            }
        };
        let (verdict, how) = verdict?;
        let answer = match answered {
            Ok(answered) => {
                self.hand_back(caller, call, surroundings, piece, &material, way, verdict, answered).await?
            }
            Err(error) => self.hand_back_failure(caller, call, surroundings, piece, &material, way, &error).await?,
        };
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

    /// Asks the configured model for private values of the material; what it names is hidden from then on.
    async fn entity_pass(
        &self,
        way: &WayOut,
        model: &dyn ChatModel,
        material: &Arc<String>,
        surroundings: &Surroundings,
        counts: &mut BTreeMap<Kind, usize>,
    ) -> Result<(), Failure> {
        let limits = PassLimits {
            parallel: parallel(surroundings),
            call_timeout: llm_timeout(surroundings),
            ..PassLimits::until(Instant::now() + LONGEST_WORK)
        };
        let found = entities::find(model, material, Pass::Material, &limits).await;
        let material = material.clone();
        let registered = way
            .blocking(move |scrubber, vault| entities::register_all(scrubber, vault, &found.values, &material))
            .await?;
        for (kind, count) in registered.counts {
            *counts.entry(kind).or_insert(0) += count;
        }
        Ok(())
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
        caller: &Caller,
        call: &WorkerCall,
        surroundings: &Surroundings,
        round: Round,
        reply: Result<(lwa_worker::dialog::DialogReply, Option<String>), Failure>,
    ) -> Result<(Verdict, Option<String>), Failure> {
        let mut session = self.hold_session(caller, call, surroundings).await?;
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

    async fn withdraw_values(&self, caller: &Caller, call: &WorkerCall, surroundings: &Surroundings) {
        if let Ok(mut session) = self.hold_session(caller, call, surroundings).await {
            session.disclosure.withdraw_open();
        }
    }

    /// Everything behind the answer: what is kept, what is scrubbed, what is told.
    #[expect(clippy::too_many_arguments, reason = "everything that a result is made from")]
    async fn hand_back(
        &self,
        caller: &Caller,
        call: &WorkerCall,
        surroundings: &Surroundings,
        piece: Piece,
        material: &Arc<String>,
        way: WayOut,
        verdict: Verdict,
        mut answered: Answered,
    ) -> Result<WorkerAnswer, Failure> {
        let mode = verdict.switch_to.unwrap_or(way.mode);
        let way = way.exposing(verdict.exposure, mode);
        let is_builtin = answered.model == digest::BUILTIN;
        let outbound = if is_builtin { way.clone().with_model(None) } else { way.clone() }
            .result(std::mem::take(&mut answered.text))
            .await?;
        let key = self.hold_session(caller, call, surroundings).await?.key.clone();
        let kept = self.keep_material(&key, &piece, material, &way).await?;
        let turn_id = TurnId::from_random(tokens::random_bytes()?);
        let saved = self.saved_in_a_turn(
            piece.kind,
            matches!(answered.quoting, Quoting::Verbatim { .. }),
            piece.material.gathered_chars,
            outbound.as_str(),
        );
        let ran = piece.ran.as_ref();
        let trailer = Trailer {
            mode,
            turn: Some(turn_id.clone()),
            artifact: kept.clone(),
            command: ran.map(|ran| ran.end),
            policy: ran.map(|ran| ran.label.clone()),
            sandbox: ran.and_then(|ran| ran.sandbox.clone()),
            reduced_environment: ran.and_then(|ran| ran.reduced_environment),
            raw: Some(if material.is_empty() {
                Raw::NoMaterial
            } else {
                Raw::Chars { chars: piece.material.raw_chars, is_truncated: piece.material.is_truncated }
            }),
            chunks: answered.chunks,
            is_finalized: answered.is_finalized,
            verbatim: answered.quoting.clone(),
            model: Some(answered.model.clone()),
            elapsed: Some(piece.started.elapsed()),
            saved_tokens: saved,
            disclosure: verdict.label.clone(),
            leak_check: outbound.leak_check(),
            withheld_lines: outbound.withheld_lines(),
            scrubbed: outbound.counts().clone(),
        };
        let facts = facts(&trailer, ran, piece.material.raw_chars, saved);
        let label = verdict.label.clone();
        let turn = self
            .turn_of(&way, &piece, material, turn_id, outbound.as_str(), &answered, label, kept, false, surroundings)
            .await?;
        let line = way.short(&trailer.to_string()).into_text();
        let mut text = outbound.as_str().trim_end().to_owned();
        for note in [verdict.notice.map(str::to_owned), ran.and_then(survivors_note)].into_iter().flatten() {
            text.push_str("\n\n");
            text.push_str(&note);
        }
        let text = with_rules(piece.rules.clone(), format!("{text}\n\n{line}"));
        self.count_check(caller, call, surroundings, &outbound).await?;
        self.keep_turn(&key, caller.client_name(), &turn, &piece, &outbound, material, surroundings).await?;
        let told = Told {
            saved_tokens: saved,
            chunks: answered.chunks,
            scrubbed: outbound.counts().values().sum(),
            leak_check: outbound.leak_check(),
        };
        self.observe_turn(surroundings, &key, &turn, &told);
        Ok(WorkerAnswer { status: WorkerStatusKind::Completed, text, facts, question: None, id: None, approval: None })
    }

    #[expect(clippy::too_many_arguments, reason = "everything that a failure is made from")]
    async fn hand_back_failure(
        &self,
        caller: &Caller,
        call: &WorkerCall,
        surroundings: &Surroundings,
        piece: Piece,
        material: &Arc<String>,
        way: WayOut,
        error: &ModelError,
    ) -> Result<WorkerAnswer, Failure> {
        let mut said = error.to_string();
        for excerpt in error.excerpts() {
            said.push_str(": ");
            said.push_str(excerpt.untrusted());
        }
        // Everything private is hidden in what a server said, whatever is open in results.
        let text = way.exposing(lwa_privacy::Exposure::pii(), way.mode).error(&said);
        let key = self.hold_session(caller, call, surroundings).await?.key.clone();
        let kept = self.keep_material(&key, &piece, material, &way).await?;
        let turn_id = TurnId::from_random(tokens::random_bytes()?);
        let answered = Answered {
            text: String::new(),
            model: worker_model_name(surroundings),
            chunks: 0,
            is_finalized: false,
            quoting: Quoting::Digest,
        };
        let turn = self
            .turn_of(
                &way,
                &piece,
                material,
                turn_id.clone(),
                text.as_str(),
                &answered,
                None,
                kept.clone(),
                true,
                surroundings,
            )
            .await?;
        self.keep_turn(&key, caller.client_name(), &turn, &piece, &text, material, surroundings).await?;
        self.observe_turn(
            surroundings,
            &key,
            &turn,
            &Told { saved_tokens: 0, chunks: 0, scrubbed: 0, leak_check: None },
        );
        let trailer = Trailer::of_failure(way.mode, Some(turn_id), kept, piece.started.elapsed());
        let text = with_rules(piece.rules.clone(), trailer.under(text.as_str(), None));
        Ok(failed(text))
    }

    /// Keeps the material: the whole output of the command where there is more than was read.
    async fn keep_material(
        &self,
        key: &str,
        piece: &Piece,
        material: &Arc<String>,
        way: &WayOut,
    ) -> Result<Option<ArtifactRef>, Failure> {
        if material.is_empty() {
            return Ok(None);
        }
        let folder = self.artifact_folder(key)?;
        let whole = piece.ran.as_ref().and_then(|ran| ran.whole.clone());
        let facts = ArtifactFacts {
            kind: match (&whole, piece.kind) {
                (Some(_), _) => ArtifactKind::WholeOutput,
                (None, TurnKind::Run) => ArtifactKind::Run,
                (None, _) => ArtifactKind::Delegate,
            },
            source: way.short(&piece.material.source).into_text(),
            chars: whole.is_none().then(|| u64::try_from(material.chars().count()).unwrap_or(u64::MAX)),
            ts: self.now(),
            rc: piece.ran.as_ref().and_then(|ran| ran.exit_code),
            timed_out: piece.ran.as_ref().is_some_and(|ran| ran.end == CommandEnd::TimedOut),
            truncated: piece.material.is_truncated,
        };
        let (reference, text, noted) = (piece.reference.clone(), material.clone(), facts.clone());
        let bytes = tokio::task::spawn_blocking(move || {
            if whole.is_some() {
                folder.adopt(&reference, &noted)?;
            } else {
                folder.store(&reference, &text, &noted)?;
            }
            Ok(std::fs::metadata(folder.path().join(format!("{reference}.txt"))).map_or(0, |found| found.len()))
        })
        .await
        .map_err(|_| failure::unexpected())?
        .map_err(|error| super::session::artifact_failure(&error))?;
        let record = WorkerArtifactRecord {
            session: key.to_owned(),
            reference: piece.reference.to_string(),
            file: format!("{}.txt", piece.reference),
            source: facts.source.clone(),
            chars: facts.chars.unwrap_or(bytes),
            bytes,
            detail: serde_json::to_value(&facts).map_err(|error| failure::json(&error))?,
            created_at: facts.ts,
        };
        self.db.put_worker_artifact(&record).await.map_err(failure::store)?;
        Ok(Some(piece.reference.clone()))
    }

    /// The turn as it is kept: every text of it scrubbed.
    #[expect(clippy::too_many_arguments, reason = "everything that a turn is made from")]
    async fn turn_of(
        &self,
        way: &WayOut,
        piece: &Piece,
        material: &str,
        id: TurnId,
        result: &str,
        answered: &Answered,
        disclosure: Option<String>,
        kept: Option<ArtifactRef>,
        is_error: bool,
        surroundings: &Surroundings,
    ) -> Result<Turn, Failure> {
        let excerpt_chars = usize::try_from(surroundings.config.excerpt_chars).unwrap_or(usize::MAX);
        // More is scrubbed than is kept, and the cut comes behind the scrub, so that it cannot halve a value.
        let beginning: String = material.chars().take(excerpt_chars.saturating_mul(EXCERPT_SLACK)).collect();
        let (task, source) = (piece.task.clone(), piece.material.source.clone());
        let mode = way.mode;
        let way = way.clone();
        let (task, source, excerpt) = tokio::task::spawn_blocking(move || {
            (way.short(&task).into_text(), way.short(&source).into_text(), way.short(&beginning).into_text())
        })
        .await
        .map_err(|_| failure::unexpected())?;
        let ran = piece.ran.as_ref();
        let turn = Turn {
            task,
            source,
            excerpt,
            verbatim: matches!(answered.quoting, Quoting::Verbatim { .. }),
            result: result.to_owned(),
            artifact: kept,
            raw_chars: piece.material.raw_chars,
            out_chars: u64::try_from(result.chars().count()).unwrap_or(u64::MAX),
            secs: piece.started.elapsed().as_secs_f64(),
            model: Some(answered.model.clone()),
            error: is_error,
            disclosure,
            verbatim_fallback: answered.quoting == Quoting::NoLines,
            rc: ran.and_then(|ran| ran.exit_code),
            timed_out: ran.is_some_and(|ran| ran.end == CommandEnd::TimedOut),
            truncated: piece.material.is_truncated,
            cmd_secs: ran.map(|ran| ran.duration.as_secs_f64()),
            gathered_chars: Some(piece.material.gathered_chars),
            policy: ran.map(|ran| ran.label.to_string()),
            ..Turn::new(id, self.now(), piece.kind, mode)
        };
        Ok(turn.clipped(excerpt_chars))
    }

    /// Writes the turn, the vault's news and what was saved, before anything leaves.
    #[expect(clippy::too_many_arguments, reason = "everything that is written about one turn")]
    async fn keep_turn(
        &self,
        key: &str,
        client: &str,
        turn: &Turn,
        piece: &Piece,
        outbound: &Outbound,
        material: &Arc<String>,
        surroundings: &Surroundings,
    ) -> Result<(), Failure> {
        let json = serde_json::to_value(turn).map_err(|error| failure::json(&error))?;
        let _number = self.db.append_worker_turn(key, turn.id.as_str(), &json).await.map_err(failure::store)?;
        if let Some(session) = self.loaded_session(key).await? {
            let session: tokio::sync::OwnedMutexGuard<Session> = session.lock_owned().await;
            self.store_session(&session).await?;
        }
        self.record_savings(key, client, turn, piece.material.gathered_chars, outbound.as_str(), material, surroundings)
            .await
    }

    async fn count_check(
        &self,
        caller: &Caller,
        call: &WorkerCall,
        surroundings: &Surroundings,
        outbound: &Outbound,
    ) -> Result<(), Failure> {
        let Some(check) = outbound.leak_check() else { return Ok(()) };
        let mut session = self.hold_session(caller, call, surroundings).await?;
        session.leak_check.ran += 1;
        if check == lwa_worker::trailer::LeakCheck::Failed {
            session.leak_check.failed += 1;
            session.leak_check.last_failure = Some("a result was not wholly read for names in time".to_owned());
        }
        Ok(())
    }
}

fn parallel(surroundings: &Surroundings) -> usize {
    usize::try_from(surroundings.config.parallel_chunks).unwrap_or(1).max(1)
}

fn llm_timeout(surroundings: &Surroundings) -> Duration {
    Duration::from_secs(u64::from(surroundings.config.llm_timeout))
}

/// Said when something that a command started is still there.
fn survivors_note(ran: &Ran) -> Option<String> {
    (ran.survivors > 0)
        .then(|| format!("Note: {} processes of the command could not be ended and go on running.", ran.survivors))
}

fn facts(trailer: &Trailer, ran: Option<&Ran>, raw_chars: u64, saved: u64) -> WorkerFacts {
    WorkerFacts {
        mode: trailer.mode.as_str().to_owned(),
        turn: trailer.turn.as_ref().map(ToString::to_string),
        reference: trailer.artifact.as_ref().map(ToString::to_string),
        exit_code: ran.and_then(|ran| ran.exit_code),
        is_timed_out: ran.is_some_and(|ran| ran.end == CommandEnd::TimedOut),
        policy: trailer.policy.as_ref().map(ToString::to_string),
        raw_chars,
        is_truncated: matches!(trailer.raw, Some(Raw::Chars { is_truncated: true, .. })),
        chunks: u32::try_from(trailer.chunks).unwrap_or(u32::MAX),
        model: trailer.model.clone(),
        elapsed_ms: trailer.elapsed.map_or(0, |elapsed| u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)),
        tokens_saved: saved,
        masked: trailer
            .scrubbed
            .iter()
            .map(|(kind, count)| (kind.as_str().to_owned(), u64::try_from(*count).unwrap_or(u64::MAX)))
            .collect(),
        withheld_lines: u32::try_from(trailer.withheld_lines).unwrap_or(u32::MAX),
        sandbox: trailer.sandbox.as_ref().map(ToString::to_string),
    }
}
