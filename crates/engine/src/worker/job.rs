//! Work in hand: a call holds its client for seconds, and the work behind it goes on.
//!
//! A repeat of a call attaches to its work, within its conversation and never across. A result is handed over once; one
//! that nobody fetched is kept for a while, and scrubbed once more where something was closed meanwhile. Work that nobody
//! waits for any more, because its call was cancelled or its client has ended, is ended with everything that it started.

use std::collections::HashMap;
use std::ops::Range;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lwa_domain::{ApprovalId, ErrorCode};
use lwa_protocol::Failure;
use lwa_protocol::worker::{ClientQuestion, SessionRef, WorkerAnswer, WorkerCall, WorkerStatusKind};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::session::Surroundings;
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

/// A result that is older than this when a call attaches to it says so.
const OLD: Duration = Duration::from_secs(2);
/// How long ending the work of a conversation may take.
const ENDING: Duration = Duration::from_secs(15);

/// What two calls have to share for one to attach to the other's work.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct JobKey {
    connection: String,
    /// One connection serves several conversations.
    conversation: String,
    method: &'static str,
    arguments: String,
}

impl JobKey {
    /// A digest to which a question is bound.
    pub(crate) fn digest(&self) -> String {
        let Self { connection, conversation, method, arguments } = self;
        tokens::text_hash(&format!("{connection}\n{conversation}\n{method}\n{arguments}"))
    }

    /// The same call in another conversation.
    fn within(&self, conversation: &str) -> Self {
        Self { conversation: conversation.to_owned(), ..self.clone() }
    }
}

/// Under what a result was made that holds material.
#[derive(Debug, Clone, Default)]
pub(super) struct Made {
    /// How often its conversation had been closed.
    pub closings: u64,
    /// The part of the text that was made from material.
    pub body: Range<usize>,
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
    made: Arc<Mutex<Option<Made>>>,
}

impl JobHandle {
    pub(crate) fn asks(&self, approval: ApprovalId, question: Option<ClientQuestion>) {
        self.state.send_replace(JobState::Asking(approval, question.map(Box::new)));
    }

    pub(crate) fn works(&self) {
        self.state.send_replace(JobState::Working);
    }

    /// The conversation that the work is in, whatever else turns up about its call later.
    pub(super) fn conversation(&self) -> Vec<SessionRef> {
        vec![SessionRef::Named(self.key.conversation.clone())]
    }

    /// The result holds material.
    pub(super) fn made(&self, made: Made) {
        *locked(&self.made) = Some(made);
    }
}

#[derive(Debug)]
struct Job {
    /// Unlike its key it is never used again.
    number: u64,
    id: String,
    state: watch::Receiver<JobState>,
    cancel: CancellationToken,
    made: Arc<Mutex<Option<Made>>>,
    attached: usize,
}

/// All work in hand.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    running: Mutex<HashMap<JobKey, Job>>,
    numbers: AtomicU64,
}

impl Jobs {
    /// Ends the work of a connection that is gone for good.
    pub(crate) fn end_of(&self, connection: &str) {
        for (_, job) in locked(&self.running).iter().filter(|(key, _)| key.connection == connection) {
            job.cancel.cancel();
        }
    }

    /// Whether anything of a conversation is being worked on.
    pub(super) fn are_in_hand(&self, conversation: &str) -> bool {
        locked(&self.running).iter().any(|(key, job)| key.conversation == conversation && !is_done(job))
    }

    /// What was made in a conversation and not fetched belongs to the one that has taken it over.
    pub(super) fn move_results(&self, from: &str, to: &str) {
        let mut running = locked(&self.running);
        let keys: Vec<JobKey> = running.keys().filter(|key| key.conversation == from).cloned().collect();
        for key in keys {
            if let Some(job) = running.remove(&key) {
                running.entry(key.within(to)).or_insert(job);
            }
        }
    }

    /// Ends the work of a conversation and drops what nobody fetched; whether all of it has ended.
    pub(super) async fn end_conversation(&self, conversation: &str) -> bool {
        let ending: Vec<watch::Receiver<JobState>> = {
            let mut running = locked(&self.running);
            running.retain(|key, job| key.conversation != conversation || !is_done(job));
            let of_it = running.iter().filter(|(key, _)| key.conversation == conversation);
            of_it.map(|(_, job)| (job.cancel.cancel(), job.state.clone()).1).collect()
        };
        let all = async {
            for mut state in ending {
                // One whose sender is gone has ended as well.
                let _ = state.wait_for(|state| matches!(state, JobState::Done(..))).await;
            }
        };
        let has_ended = tokio::time::timeout(ENDING, all).await.is_ok();
        if has_ended {
            locked(&self.running).retain(|key, _| key.conversation != conversation);
        }
        has_ended
    }

    fn remove(&self, number: u64) {
        locked(&self.running).retain(|_, job| job.number != number);
    }
}

/// The future of some work.
pub(crate) type JobFuture = Pin<Box<dyn Future<Output = Result<WorkerAnswer, Failure>> + Send>>;

/// A caller that waits for some work. Going away without its end ends the work, if nobody else waits.
struct Attached<'a> {
    engine: &'a Engine,
    number: u64,
    leaves_it_running: bool,
}

impl Drop for Attached<'_> {
    fn drop(&mut self) {
        let mut running = locked(&self.engine.worker.jobs.running);
        let Some(job) = running.values_mut().find(|job| job.number == self.number) else { return };
        job.attached = job.attached.saturating_sub(1);
        if job.attached == 0 && !self.leaves_it_running {
            job.cancel.cancel();
        }
    }
}

/// What a call attached to.
struct Found {
    number: u64,
    id: String,
    state: watch::Receiver<JobState>,
    made: Arc<Mutex<Option<Made>>>,
    /// How old the result was already.
    age: Option<Duration>,
}

impl Engine {
    /// Starts the work of a call, or attaches to it, and waits as long as the caller can. `arguments` is everything that
    /// makes it this call.
    pub(crate) async fn hold_job(
        &self,
        caller: &Caller,
        call: &WorkerCall,
        method: &'static str,
        arguments: &str,
        start: impl FnOnce(JobHandle) -> JobFuture + Send,
    ) -> Result<WorkerAnswer, Failure> {
        let surroundings = self.worker_surroundings(caller, call)?;
        // Boxed, since every call holds these while it waits.
        let settled = Box::pin(self.settle_conversation(caller, call, &surroundings)).await?;
        let key = JobKey {
            connection: caller.session.as_str().to_owned(),
            conversation: settled.key,
            method,
            arguments: tokens::text_hash(arguments),
        };
        let Found { number, id, mut state, made, age } = self.attach(&key, settled.unnamed.as_deref(), start)?;
        let mut attached = Attached { engine: self, number, leaves_it_running: false };
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
                self.worker.jobs.remove(number);
                return Err(failure::unexpected());
            }
            None => state.borrow().clone(),
        };
        attached.leaves_it_running = true;
        match seen {
            JobState::Done(done, _) => {
                let made = locked(&made).clone();
                let handed = Box::pin(self.hand_over(Result::clone(&done)?, made, &key, &surroundings, age)).await;
                self.worker.jobs.remove(number);
                handed
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

    /// Hands a result over. What was closed since it was made is hidden in it.
    async fn hand_over(
        &self,
        mut answer: WorkerAnswer,
        made: Option<Made>,
        key: &JobKey,
        surroundings: &Surroundings,
        age: Option<Duration>,
    ) -> Result<WorkerAnswer, Failure> {
        let Some(made) = made else { return Ok(answer) };
        let Some(shared) = self.loaded_session(&key.conversation).await? else {
            return Err(Failure::new(ErrorCode::NotFound, "the conversation was removed, and its result with it")
                .hint("repeat the call"));
        };
        let mut closings = made.closings;
        let parts =
            (answer.text.get(..made.body.start), answer.text.get(made.body.clone()), answer.text.get(made.body.end..));
        let (Some(before), Some(body), Some(behind)) = parts else { return Err(failure::unexpected()) };
        let (before, mut body, mut behind) = (before.to_owned(), body.to_owned(), behind.to_owned());
        loop {
            let way = {
                let session = shared.clone().lock_owned().await;
                if session.closings == closings {
                    break;
                }
                closings = session.closings;
                self.way_out(&session, surroundings)
            };
            body = way.result(body).await?.into_text();
            behind = way.short(&behind).into_text();
        }
        if closings != made.closings {
            let session = shared.lock_owned().await;
            self.store_vault(&session).await?;
            session.mode.as_str().clone_into(&mut answer.facts.mode);
            behind.push_str(
                "\n\nNote: what may leave was narrowed after this result was made; it was scrubbed once more.",
            );
        }
        if let Some(age) = age.filter(|age| *age >= OLD) {
            let note = format!(
                "\n\nNote: this is the result of the same call, made {} s ago and not fetched until now. Nothing was done \
                 again; repeat the call for a new result.",
                age.as_secs()
            );
            behind.push_str(&note);
        }
        answer.text = format!("{before}{body}{behind}");
        Ok(answer)
    }

    /// Attaches to the work of a call, or starts it. A connection that could name no conversation may have started it
    /// under `unnamed`.
    fn attach(
        &self,
        key: &JobKey,
        unnamed: Option<&str>,
        start: impl FnOnce(JobHandle) -> JobFuture,
    ) -> Result<Found, Failure> {
        let mut running = locked(&self.worker.jobs.running);
        if self.worker.sessions.is_being_removed(&key.conversation) {
            return Err(super::remove::being_removed());
        }
        running.retain(|_, job| job.attached > 0 || !is_stale(job));
        // What was cancelled is on its way out; a new call begins anew.
        let keys = [Some(key.clone()), unnamed.map(|unnamed| key.within(unnamed))];
        for key in keys.into_iter().flatten() {
            if let Some(job) = running.get_mut(&key).filter(|job| !job.cancel.is_cancelled()) {
                job.attached += 1;
                let age = match &*job.state.borrow() {
                    JobState::Done(_, at) => Some(at.elapsed()),
                    _ => None,
                };
                let (number, id) = (job.number, job.id.clone());
                return Ok(Found { number, id, state: job.state.clone(), made: job.made.clone(), age });
            }
        }
        let of_the_client = |(known, job): &(&JobKey, &Job)| known.connection == key.connection && !is_done(job);
        if running.iter().filter(of_the_client).count() >= MOST_JOBS {
            let message = format!("{MOST_JOBS} calls of this client are being worked on already");
            return Err(Failure::new(ErrorCode::CapExceeded, message).hint("repeat the call when one has ended"));
        }
        let (sender, state) = watch::channel(JobState::Working);
        let cancel = self.stopping.child_token();
        let made = Arc::default();
        let handle = JobHandle { key: key.clone(), cancel: cancel.clone(), state: sender, made: Arc::clone(&made) };
        let id = key.digest().get(..12).unwrap_or_default().to_owned();
        let number = self.worker.jobs.numbers.fetch_add(1, Ordering::Relaxed);
        let job = Job { number, id: id.clone(), state: state.clone(), cancel, made: made.clone(), attached: 1 };
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
        Ok(Found { number, id, state, made, age: None })
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
    WorkerAnswer { id: Some(id), ..super::plain(status, text) }
}
