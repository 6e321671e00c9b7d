//! Asking a human on behalf of the worker: in the app, else in the client's own dialog, else in a terminal.
//!
//! One surface at a time. What a client's dialog may answer is turning the worker on, one command, and what leaves,
//! for once or for the session; anything else needs the app or a terminal, since a client's hooks can answer its
//! dialogs.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lwa_domain::{ApprovalId, ApprovalKind, ErrorCode, Outcome};
use lwa_protocol::approval::{Answer, Variant};
use lwa_protocol::worker::{Choice, ClientAnswerParams, ClientAnswered, ClientQuestion, DialogAction, WorkerCall};
use lwa_protocol::{Failure, Role};
use lwa_store::ApprovalRecord;
use tokio::time::Instant;

use super::job::JobHandle;
use crate::broker::{Ended, Question, short};
use crate::caller::Caller;
use crate::engine::{Engine, locked};
use crate::{failure, tokens};

/// The reason of a client that declined, which may have done so by itself.
pub(super) const DECLINED: &str = "declined in the client's dialog";
/// An answer that comes sooner was given by no human.
const SOONEST: Duration = Duration::from_secs(1);

/// Questions that clients were handed to show.
#[derive(Debug, Default)]
pub(crate) struct ClientQuestions {
    open: Mutex<HashMap<String, Handed>>,
}

/// A question in a client's hands. Bound to the session that asked and to the call's method and arguments.
#[derive(Debug, Clone)]
struct Handed {
    approval: ApprovalId,
    session: String,
    /// The call, as a digest; kept for the audit of what was bound.
    call: String,
    at: Instant,
    choices: Vec<ClientChoice>,
}

/// One choice of a client's dialog, and what it means.
#[derive(Debug, Clone)]
pub(crate) struct ClientChoice {
    pub id: &'static str,
    pub title: String,
    pub answer: Answer,
    pub variant: Option<&'static str>,
}

/// What is shown in a client's dialog.
#[derive(Debug, Clone)]
pub(crate) struct ClientDialog {
    pub message: String,
    /// The safe one first.
    pub choices: Vec<ClientChoice>,
}

/// How asking ended.
#[derive(Debug, Clone)]
pub(crate) enum Asked {
    /// A human answered, or did not: the outcome has its name.
    Ended(Ended),
    /// There is nowhere to ask; how a human can answer all the same.
    Nowhere(String),
}

impl Engine {
    /// Opens a question and waits for its end. While it waits, the call says so, and hands the question to the client
    /// where that is the surface.
    pub(crate) async fn ask_for_job(
        &self,
        caller: &Caller,
        call: &WorkerCall,
        job: &JobHandle,
        question: Question,
        dialog: ClientDialog,
    ) -> Result<Asked, Failure> {
        let (engine, asking) = (self.clone(), caller.clone());
        let opened = self.to_the_end(async move { engine.open_question(question, Some(&asking), None).await }).await?;
        let Some(record) = opened else { return Err(failure::unexpected()) };
        let asked = self.wait_for_job(caller, call, job, &record, dialog).await;
        job.works();
        if let Ok(Asked::Nowhere(_)) = &asked {
            self.end_question(record, Outcome::Unavailable, "there was nowhere to ask").await?;
        }
        asked
    }

    async fn wait_for_job(
        &self,
        caller: &Caller,
        call: &WorkerCall,
        job: &JobHandle,
        record: &ApprovalRecord,
        dialog: ClientDialog,
    ) -> Result<Asked, Failure> {
        let has_window = self.surfaces.has_app() || (caller.role == Role::Sidecar && self.start_app().await);
        let (mut for_client, mut until) = (None, record.expires_at);
        if !has_window && call.can_ask && may_answer_in_client(record.kind) {
            let patience_s = self.dialog_patience(caller, call);
            until = self.keep_open_for(record, patience_s).await?;
            for_client = Some(self.hand_out(caller, job, record, dialog, patience_s)?);
        }
        if for_client.is_none() && !has_window && !self.surfaces.has_terminal() {
            return Ok(Asked::Nowhere(format!(
                "Open the Lwa app, or run `lwa approvals watch` in a terminal of your own, then repeat the call (question {}).",
                short(&record.id)
            )));
        }
        let handle = for_client.as_ref().map(|question| question.handle.clone());
        job.asks(record.id.clone(), for_client);
        let left = until.duration_since(self.now());
        let hold = Duration::try_from(left).unwrap_or_default() + Duration::from_secs(5);
        let ended = tokio::select! {
            ended = self.wait_for_answer(&record.id, hold) => ended?,
            () = job.cancel.cancelled() => {
                self.end_question(record.clone(), Outcome::Withdrawn, "the call was cancelled").await?;
                None
            }
        };
        if let Some(handle) = handle {
            locked(&self.worker.questions.open).remove(&handle);
        }
        let nobody = || Ended { outcome: Outcome::Withdrawn, reason: None, variant: None };
        Ok(Asked::Ended(ended.unwrap_or_else(nobody)))
    }

    /// Seconds that a dialog in this client waits.
    fn dialog_patience(&self, caller: &Caller, call: &WorkerCall) -> u32 {
        // A worker that was switched off meanwhile has nothing to wait for, and the question ends on its own.
        let config = self.worker_surroundings(caller, call).map(|surroundings| surroundings.config);
        config.unwrap_or_default().dialog_timeout
    }

    /// Keeps a question open for at least as long as its dialog. When it ends.
    async fn keep_open_for(&self, record: &ApprovalRecord, seconds: u32) -> Result<Timestamp, Failure> {
        let until = self.now() + SignedDuration::from_secs(i64::from(seconds));
        if until <= record.expires_at {
            return Ok(record.expires_at);
        }
        let kept = self.db.extend_approval(&record.id, until, None).await.map_err(failure::store)?;
        Ok(kept.map_or(record.expires_at, |kept| kept.expires_at))
    }

    fn hand_out(
        &self,
        caller: &Caller,
        job: &JobHandle,
        record: &ApprovalRecord,
        dialog: ClientDialog,
        patience_s: u32,
    ) -> Result<ClientQuestion, Failure> {
        let handle = tokens::token("q")?;
        let choices = dialog
            .choices
            .iter()
            .map(|choice| Choice { id: choice.id.to_owned(), title: choice.title.clone() })
            .collect();
        let handed = Handed {
            approval: record.id.clone(),
            session: caller.session.as_str().to_owned(),
            call: job.key.digest(),
            at: Instant::now(),
            choices: dialog.choices,
        };
        locked(&self.worker.questions.open).insert(handle.clone(), handed);
        Ok(ClientQuestion { handle, approval_id: record.id.clone(), message: dialog.message, choices, patience_s })
    }

    /// `question/answer`: what the client's own dialog said. It can say yes to what was offered there and no more.
    ///
    /// # Errors
    /// The handle is unknown, used, or another session's.
    pub async fn answer_from_client(
        &self,
        caller: &Caller,
        params: &ClientAnswerParams,
    ) -> Result<ClientAnswered, Failure> {
        let handed = {
            let mut open = locked(&self.worker.questions.open);
            match open.get(&params.handle) {
                Some(handed) if handed.session == caller.session.as_str() => {
                    open.remove(&params.handle).ok_or_else(unknown_question)?
                }
                _ => return Err(unknown_question()),
            }
        };
        let is_too_soon = handed.at.elapsed() < SOONEST;
        let choice = params.choice.as_deref().map(|choice| choice.trim().to_lowercase());
        let chosen = handed.choices.iter().find(|offered| Some(offered.id) == choice.as_deref());
        let (outcome, variant, reason) = match (params.action, chosen) {
            _ if is_too_soon => {
                (Outcome::Unavailable, None, Some("the client answered before a human could read the question"))
            }
            (DialogAction::Accept, Some(chosen)) => (outcome_of(chosen.answer), chosen.variant, None),
            (DialogAction::Accept, None) => {
                (Outcome::Dismissed, None, Some("the dialog came back without one of the choices"))
            }
            (DialogAction::Decline, _) => (Outcome::Denied, None, Some(DECLINED)),
            (DialogAction::Cancel, _) => (Outcome::Dismissed, None, Some("the client's dialog was closed")),
            (DialogAction::Timeout, _) => (Outcome::TimedOut, None, Some("nobody answered the client's dialog")),
            (DialogAction::Error, _) => (Outcome::Unavailable, None, Some("the client could not show the question")),
        };
        tracing::debug!(call = %handed.call, outcome = outcome.as_str(), "a client's dialog answered");
        let record = self.find_approval(&handed.approval).await?;
        let ended = self.conclude_from_client(record, outcome, reason, variant).await?;
        let message = match (ended, outcome) {
            (Some(ended), _) if ended != outcome => format!("the question had ended otherwise: `{}`", ended.as_str()),
            (_, outcome) if outcome.is_allowed() => "the user's answer was taken".to_owned(),
            _ => reason.unwrap_or("the user said no").to_owned(),
        };
        Ok(ClientAnswered { outcome: ended, message })
    }
}

/// What may be answered in a client's own dialog.
const fn may_answer_in_client(kind: ApprovalKind) -> bool {
    matches!(kind, ApprovalKind::TurnOn | ApprovalKind::Command | ApprovalKind::Disclosure)
}

const fn outcome_of(answer: Answer) -> Outcome {
    match answer {
        Answer::Deny => Outcome::Denied,
        Answer::Dismiss => Outcome::Dismissed,
        Answer::AllowOnce => Outcome::AllowedOnce,
        // A client's dialog never answers for longer than the session.
        Answer::AllowSession | Answer::AllowAlways => Outcome::AllowedSession,
    }
}

fn unknown_question() -> Failure {
    Failure::new(ErrorCode::NotFound, "there is no such question, or it was answered")
        .hint("repeat the call to ask again")
}

/// A variant for the app and the terminal.
pub(crate) fn variant(id: &str, title: &str, answer: Answer) -> Variant {
    Variant { id: id.to_owned(), title: title.to_owned(), answer }
}
