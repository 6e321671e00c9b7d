//! The end of a piece of work: what leaves of it, what is kept of it, and who is told.
//!
//! An answer and a failure take the same way. Both are made by what holds at the moment they leave: where something was
//! closed while they were made, they are made once more, and the turn is written under the same hold of the session, so
//! that a closing finds it in the memory or comes before it.

use std::sync::Arc;

use lwa_privacy::{Exposure, Visibility};
use lwa_protocol::Failure;
use lwa_protocol::worker::{WorkerAnswer, WorkerFacts, WorkerStatusKind};
use lwa_store::WorkerArtifactRecord;
use lwa_worker::artifact::{ArtifactFacts, ArtifactKind, ArtifactRef};
use lwa_worker::digest;
use lwa_worker::disclosure::Verdict;
use lwa_worker::memory::{Turn, TurnId, TurnKind};
use lwa_worker::model::ModelError;
use lwa_worker::outbound::Outbound;
use lwa_worker::trailer::{CommandEnd, LeakCheck, Quoting, Raw, Trailer};

use super::job::Made;
use super::observe::Told;
use super::session::{Held, Session, Surroundings};
use super::way_out::WayOut;
use super::work::{Answered, InHand, Piece, Ran};
use super::{plain, with_rules};
use crate::engine::Engine;
use crate::{failure, tokens};

/// How much of a material is scrubbed for the excerpt that the memory keeps.
const EXCERPT_SLACK: usize = 4;

/// A piece that was worked on. The material and the answer are raw.
pub(super) struct Worked {
    pub piece: Piece,
    pub material: Arc<String>,
    pub verdict: Verdict,
    pub said: Result<Answered, ModelError>,
    /// Whether the material was read to its end for private values.
    pub is_read: bool,
    /// Sentences of our own under the result.
    pub notes: Vec<String>,
}

/// What became of the material.
#[derive(Clone, Default)]
struct Kept {
    reference: Option<ArtifactRef>,
    /// Why it is not kept, where it was to be.
    problem: Option<String>,
}

/// A result that may leave, and the turn that is remembered of it.
struct Finished {
    body: Outbound,
    trailer: Trailer,
    turn: Turn,
    saved: u64,
}

impl Engine {
    /// Hands back what may leave, after everything about it was written down.
    pub(super) async fn hand_back(&self, at: InHand<'_>, way: WayOut, worked: Worked) -> Result<WorkerAnswer, Failure> {
        let key = self.session_at(at).await?.key.clone();
        let kept = self.keep_material(&key, &worked, &way).await;
        self.finish_and_write(at, way, &worked, &kept).await
    }

    async fn finish_and_write(
        &self,
        at: InHand<'_>,
        mut way: WayOut,
        worked: &Worked,
        kept: &Kept,
    ) -> Result<WorkerAnswer, Failure> {
        let turn_id = TurnId::from_random(tokens::random_bytes()?);
        loop {
            let closings = {
                let session = self.session_at(at).await?;
                way = way.now_of(&session, at.surroundings);
                session.closings
            };
            let is_decided = worked.verdict.label.is_some();
            let way = way.narrowed(worked.verdict.exposure, is_decided);
            let finished = self.finished(at.surroundings, &way, worked, kept, turn_id.clone()).await?;
            let session = self.session_at(at).await?;
            if session.closings == closings {
                return self.write_down(at, session, &way, worked, finished).await;
            }
        }
    }

    /// The result and its turn by what holds now.
    async fn finished(
        &self,
        surroundings: &Surroundings,
        way: &WayOut,
        worked: &Worked,
        kept: &Kept,
        turn_id: TurnId,
    ) -> Result<Finished, Failure> {
        let Worked { piece, material, verdict, said, .. } = worked;
        let ran = piece.ran.as_ref();
        let trailer = Trailer {
            mode: way.mode,
            turn: Some(turn_id.clone()),
            artifact: kept.reference.clone(),
            not_kept: kept.problem.clone(),
            elapsed: Some(piece.started.elapsed()),
            ..Trailer::default()
        };
        let answered = match said {
            Ok(answered) => answered,
            Err(error) => {
                // The caller learns that it failed. What the server said about it may repeat the material, in forms that
                // no reader knows; people find it in the session, scrubbed and read for names.
                let body = way.error(&error.to_string());
                let for_people = self.for_people(way, error).await?;
                let turn = self.turn_of(surroundings, way, worked, turn_id, &for_people, kept).await?;
                return Ok(Finished { body, trailer, turn, saved: 0 });
            }
        };
        let is_builtin = answered.model == digest::BUILTIN;
        let reading = if is_builtin { way.clone().with_model(None) } else { way.clone() };
        let body = reading.result(answered.text.clone()).await?;
        let saved = self.saved_in_a_turn(
            piece.kind,
            matches!(answered.quoting, Quoting::Verbatim { .. }),
            piece.material.gathered_chars,
            body.as_str(),
        );
        let trailer = Trailer {
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
            saved_tokens: saved,
            disclosure: verdict.label.clone(),
            leak_check: body.leak_check(),
            withheld_lines: body.withheld_lines(),
            scrubbed: body.counts().clone(),
            ..trailer
        };
        let turn = self.turn_of(surroundings, way, worked, turn_id, body.as_str(), kept).await?;
        Ok(Finished { body, trailer, turn, saved })
    }

    /// Writes the turn, the vault's news and what was saved, and only then makes the answer.
    async fn write_down(
        &self,
        at: InHand<'_>,
        mut session: Held,
        way: &WayOut,
        worked: &Worked,
        finished: Finished,
    ) -> Result<WorkerAnswer, Failure> {
        let Finished { body, trailer, turn, saved } = finished;
        let Worked { piece, material, verdict, said, notes, .. } = worked;
        count_check(&mut session, &body, worked);
        let json = serde_json::to_value(&turn).map_err(|error| failure::json(&error))?;
        let line = way.short(&trailer.to_string()).into_text();
        self.store_session(&session).await?;
        let key = session.key.clone();
        self.db.append_worker_turn(&key, turn.id.as_str(), &json).await.map_err(failure::store)?;
        let closings = session.closings;
        drop(session);
        let client = at.caller.client_name();
        let gathered = piece.material.gathered_chars;
        self.record_savings(&key, client, &turn, gathered, body.as_str(), material, at.surroundings).await?;
        let told = Told {
            saved_tokens: saved,
            chunks: trailer.chunks,
            scrubbed: body.counts().values().sum(),
            leak_check: body.leak_check(),
        };
        self.observe_turn(at.surroundings, &key, &turn, &told);
        let before = with_rules(piece.rules.clone(), String::new());
        let shown = body.as_str().trim_end();
        at.job.made(Made { closings, body: before.len()..before.len() + shown.len() });
        let mut text = format!("{before}{shown}");
        let of_the_command = piece.ran.as_ref().and_then(survivors_note);
        let notes = notes.iter().cloned().chain(of_the_command);
        let notes = if said.is_ok() {
            verdict.notice.map(str::to_owned).into_iter().chain(notes).collect()
        } else {
            Vec::new()
        };
        for note in notes {
            text.push_str("\n\n");
            text.push_str(&note);
        }
        text.push_str("\n\n");
        text.push_str(&line);
        let (status, facts) = match said {
            Ok(_) => {
                let facts = facts(&trailer, piece.ran.as_ref(), piece.material.raw_chars, saved);
                (WorkerStatusKind::Completed, facts)
            }
            Err(_) => (WorkerStatusKind::Failed, WorkerFacts::default()),
        };
        Ok(WorkerAnswer { facts, ..plain(status, text) })
    }

    /// A failure with what servers said about it, as people may see it.
    async fn for_people(&self, way: &WayOut, error: &ModelError) -> Result<String, Failure> {
        let mut said = error.to_string();
        for excerpt in error.excerpts() {
            said.push_str(": ");
            said.push_str(excerpt.untrusted());
        }
        // Everything private is hidden in it, whatever is open in results.
        let way = way.exposing(Exposure::pii(), way.mode);
        tokio::task::spawn_blocking(move || way.short_with_names(&said)).await.map_err(|_| failure::unexpected())
    }

    /// Keeps the material: the whole output of the command where there is more than was read. That it could not be kept
    /// costs no result.
    async fn keep_material(&self, key: &str, worked: &Worked, way: &WayOut) -> Kept {
        if worked.material.is_empty() {
            return Kept::default();
        }
        match self.kept_material(key, worked, way).await {
            Ok(reference) => Kept { reference: Some(reference), problem: None },
            Err(error) => {
                tracing::warn!(error = %error.message, "a material could not be kept");
                Kept { reference: None, problem: Some(error.message) }
            }
        }
    }

    async fn kept_material(&self, key: &str, worked: &Worked, way: &WayOut) -> Result<ArtifactRef, Failure> {
        let Worked { piece, material, .. } = worked;
        let folder = self.artifact_folder(key)?;
        let whole = piece.ran.as_ref().and_then(|ran| ran.whole.clone());
        // A label stays as it is when something is closed later, so it is hidden from the first.
        let label = way.exposing(Exposure::assist(Visibility::Masked, Visibility::Masked), way.mode);
        let facts = ArtifactFacts {
            kind: match (&whole, piece.kind) {
                (Some(_), _) => ArtifactKind::WholeOutput,
                (None, TurnKind::Run) => ArtifactKind::Run,
                (None, _) => ArtifactKind::Delegate,
            },
            source: label.short(&piece.material.source).into_text(),
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
        Ok(piece.reference.clone())
    }

    /// The turn as it is kept: every text of it scrubbed.
    async fn turn_of(
        &self,
        surroundings: &Surroundings,
        way: &WayOut,
        worked: &Worked,
        id: TurnId,
        result: &str,
        kept: &Kept,
    ) -> Result<Turn, Failure> {
        let Worked { piece, material, verdict, said, .. } = worked;
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
        let answered = said.as_ref().ok();
        let model = match answered {
            Some(answered) => answered.model.clone(),
            None => self.worker_model_name(surroundings).await?,
        };
        let turn = Turn {
            task,
            source,
            excerpt,
            verbatim: answered.is_some_and(|answered| matches!(answered.quoting, Quoting::Verbatim { .. })),
            result: result.to_owned(),
            artifact: kept.reference.clone(),
            raw_chars: piece.material.raw_chars,
            out_chars: u64::try_from(result.chars().count()).unwrap_or(u64::MAX),
            secs: piece.started.elapsed().as_secs_f64(),
            model: Some(model),
            error: said.is_err(),
            disclosure: answered.and(verdict.label.clone()),
            verbatim_fallback: answered.is_some_and(|answered| answered.quoting == Quoting::NoLines),
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
}

fn count_check(session: &mut Session, body: &Outbound, worked: &Worked) {
    let Some(check) = body.leak_check() else { return };
    session.leak_check.ran += 1;
    if check == LeakCheck::Failed {
        session.leak_check.failed += 1;
        let why = if worked.is_read {
            "a result was not wholly read for names in time"
        } else {
            "the configured model did not read a material to its end for private values"
        };
        session.leak_check.last_failure = Some(why.to_owned());
    }
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
