//! Work in hand: a call holds its client for seconds, and the work behind it goes on.
//!
//! A repeat of a call attaches to its work. A result is handed over once; one that nobody fetched is kept for a while.
//! Work that nobody waits for any more, because its call was cancelled or its client has ended, is ended with
//! everything that it started.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lwa_domain::{ApprovalId, ErrorCode};
use lwa_protocol::Failure;
use lwa_protocol::worker::{ClientQuestion, WorkerAnswer, WorkerCall, WorkerFacts, WorkerStatusKind};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::approve::MAX_HOLD;
use crate::caller::Caller;
use crate::engine::{Engine, locked};
use crate::{failure, tokens};

/// How long a result that nobody fetched is kept.
const KEPT: Duration = Duration::from_mins(15);
/// How long a refusal is kept: long enough for the next repeat of the call, and not for one that is meant anew.
const REFUSAL_KEPT: Duration = Duration::from_secs(30);
/// Work of one connection that may be in hand at once.
const MOST_JOBS: usize = 16;

/// What two calls have to share for one to attach to the other's work.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct JobKey {
    session: String,
    method: &'static str,
    arguments: String,
}

impl JobKey {
    /// The key of a call; `arguments` is everything that makes it this call.
    pub(crate) fn new(session: &str, method: &'static str, arguments: &str) -> Self {
        Self { session: session.to_owned(), method, arguments: tokens::text_hash(arguments) }
    }

    /// A digest to which a question is bound.
    pub(crate) fn digest(&self) -> String {
        tokens::text_hash(&format!("{}\n{}\n{}", self.session, self.method, self.arguments))
    }
}

/// How work stands.
#[derive(Debug, Clone)]
pub(crate) enum JobState {
    Working,
    /// A human was asked; by the client's own dialog where a question for it is there.
    Asking(ApprovalId, Option<Box<ClientQuestion>>),
    /// Since when.
    Done(Arc<Result<WorkerAnswer, Failure>>, Instant),
}

/// What work in hand sees of itself.
#[derive(Debug, Clone)]
pub(crate) struct JobHandle {
    pub key: JobKey,
    pub cancel: CancellationToken,
    state: watch::Sender<JobState>,
}

impl JobHandle {
    pub(crate) fn asks(&self, approval: ApprovalId, question: Option<ClientQuestion>) {
        self.state.send_replace(JobState::Asking(approval, question.map(Box::new)));
    }

    pub(crate) fn works(&self) {
        self.state.send_replace(JobState::Working);
    }
}

#[derive(Debug)]
struct Job {
    id: String,
    connection: String,
    state: watch::Receiver<JobState>,
    cancel: CancellationToken,
    attached: usize,
}

/// All work in hand.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    running: Mutex<HashMap<JobKey, Job>>,
}

impl Jobs {
    /// Ends the work of a connection that is gone for good.
    pub(crate) fn end_of(&self, connection: &str) {
        for job in locked(&self.running).values().filter(|job| job.connection == connection) {
            job.cancel.cancel();
        }
    }
}

/// The future of some work.
pub(crate) type JobFuture = Pin<Box<dyn Future<Output = Result<WorkerAnswer, Failure>> + Send>>;

/// A caller that waits for some work. Going away without its end ends the work, if nobody else waits.
struct Attached<'a> {
    engine: &'a Engine,
    key: JobKey,
    leaves_it_running: bool,
}

impl Drop for Attached<'_> {
    fn drop(&mut self) {
        let mut running = locked(&self.engine.worker.jobs.running);
        let Some(job) = running.get_mut(&self.key) else { return };
        job.attached = job.attached.saturating_sub(1);
        if job.attached == 0 && !self.leaves_it_running {
            job.cancel.cancel();
        }
    }
}

impl Engine {
    /// Starts the work of a call, or attaches to it, and waits as long as the caller can.
    pub(crate) async fn hold_job(
        &self,
        caller: &Caller,
        call: &WorkerCall,
        key: JobKey,
        start: impl FnOnce(JobHandle) -> JobFuture,
    ) -> Result<WorkerAnswer, Failure> {
        let (id, mut state) = self.attach(caller, &key, start)?;
        let mut attached = Attached { engine: self, key: key.clone(), leaves_it_running: false };
        let hold = Duration::from_millis(u64::from(call.hold_ms)).min(MAX_HOLD);
        let news = |state: &JobState| match state {
            JobState::Done(..) => true,
            JobState::Asking(_, question) => question.is_some() && call.can_ask,
            JobState::Working => false,
        };
        let waited = match tokio::time::timeout(hold, state.wait_for(news)).await {
            Ok(seen) => Some(seen.map(|seen| seen.clone())),
            Err(_) => None,
        };
        let seen = match waited {
            Some(Ok(seen)) => seen,
            Some(Err(_)) => {
                locked(&self.worker.jobs.running).remove(&key);
                return Err(failure::unexpected());
            }
            None => state.borrow().clone(),
        };
        attached.leaves_it_running = true;
        drop(attached);
        match seen {
            JobState::Done(done, _) => {
                locked(&self.worker.jobs.running).remove(&key);
                Result::clone(&done)
            }
            JobState::Asking(_, Some(question)) if call.can_ask => {
                let text = "the user is asked in this client; repeat the call".to_owned();
                let mut answer = unfinished(WorkerStatusKind::AskClient, text, id);
                answer.question = Some(*question);
                Ok(answer)
            }
            JobState::Asking(approval, _) => {
                let text = format!(
                    "The human has been asked and has not answered yet (question {}). Repeat this call; it attaches to the open question.",
                    crate::broker::short(&approval)
                );
                let answer = unfinished(WorkerStatusKind::ApprovalPending, text, id);
                Ok(WorkerAnswer { approval: Some(approval), ..answer })
            }
            JobState::Working => {
                let text =
                    "Still working. Repeat this call with the same arguments; it attaches to the work.".to_owned();
                Ok(unfinished(WorkerStatusKind::Working, text, id))
            }
        }
    }

    fn attach(
        &self,
        caller: &Caller,
        key: &JobKey,
        start: impl FnOnce(JobHandle) -> JobFuture,
    ) -> Result<(String, watch::Receiver<JobState>), Failure> {
        let mut running = locked(&self.worker.jobs.running);
        running.retain(|_, job| job.attached > 0 || !is_stale(job));
        // What was cancelled is on its way out; a new call begins anew.
        if let Some(job) = running.get_mut(key).filter(|job| !job.cancel.is_cancelled()) {
            job.attached += 1;
            return Ok((job.id.clone(), job.state.clone()));
        }
        let connection = caller.session.as_str().to_owned();
        if running.values().filter(|job| job.connection == connection && !is_done(job)).count() >= MOST_JOBS {
            let message = format!("{MOST_JOBS} calls of this client are being worked on already");
            return Err(Failure::new(ErrorCode::CapExceeded, message).hint("repeat the call when one has ended"));
        }
        let (sender, state) = watch::channel(JobState::Working);
        let cancel = self.stopping.child_token();
        let handle = JobHandle { key: key.clone(), cancel: cancel.clone(), state: sender };
        let id = tokens::text_hash(&format!("{}{connection}", key.digest())).get(..12).unwrap_or_default().to_owned();
        let job = Job { id: id.clone(), connection, state: state.clone(), cancel, attached: 1 };
        running.insert(key.clone(), job);
        let work = start(handle.clone());
        let tasks = self.tasks.clone();
        self.tasks.spawn(async move {
            // A task of its own, so that a fault in it is an answer and not a silence.
            let done = tasks.spawn(work).await.unwrap_or_else(|error| {
                tracing::error!(%error, "some work failed unexpectedly");
                Err(failure::unexpected())
            });
            handle.state.send_replace(JobState::Done(Arc::new(done), Instant::now()));
        });
        Ok((id, state))
    }
}

fn is_done(job: &Job) -> bool {
    matches!(*job.state.borrow(), JobState::Done(..))
}

/// Whether its result has waited too long for somebody to fetch it.
fn is_stale(job: &Job) -> bool {
    let JobState::Done(done, at) = &*job.state.borrow() else { return false };
    let is_success = done.as_ref().as_ref().is_ok_and(|answer| answer.status == WorkerStatusKind::Completed);
    at.elapsed() >= if is_success { KEPT } else { REFUSAL_KEPT }
}

/// The answer while there is no result.
fn unfinished(status: WorkerStatusKind, text: String, id: String) -> WorkerAnswer {
    WorkerAnswer { status, text, facts: WorkerFacts::default(), question: None, id: Some(id), approval: None }
}
