//! Telling somebody outside what the worker does: counts, times and closed words, and never a text.
//!
//! An observer gets one JSON object for each event: a webhook as the body of a request, a program as a line on its
//! standard input. It is told after the fact and can change nothing.
//!
//! Three forms, as the original's observers had them:
//!
//! | `event` | fields |
//! |---|---|
//! | `start` | `session`, `at`, `attrs` of the session: `mode` |
//! | `event` | `session`, `at`, `span`, `kind`, `attrs` |
//! | `end` | `session`, `at`, `state` |
//!
//! `span` is what the event belongs to, `kind` what happened; [`Span`] and [`EventKind`] list the words, [`Attr`] the
//! names of attributes. An attribute is a count, seconds, a yes or no, a word of this program, or an id that this
//! program made. There is no way to put a text of a caller, of material or of a model into an event: the types have no
//! place for one.
//!
//! An observer never holds up or fails a call. Events wait in a queue of [`QUEUE`]; when it is full, new ones are
//! dropped and counted. Failures are counted as well, and logged once for each change of state.

mod event;
mod exec;
mod webhook;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lwa_process::Environment;
use thiserror::Error;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

pub use event::{Attr, EndState, Event, EventKind, Scalar, Span};
use exec::Exec;
pub use webhook::WEBHOOK_TIMEOUT;
use webhook::Webhook;

/// Events that wait at most.
pub const QUEUE: usize = 256;
/// How long the last events may take at the end.
const END_TIMEOUT: Duration = Duration::from_secs(5);

/// Where events go.
#[derive(Debug, Clone)]
pub enum Target {
    /// To this address.
    Webhook(String),
    /// To this program.
    Exec {
        /// Its whole path.
        path: PathBuf,
        /// Its variables, already cleaned.
        environment: Environment,
    },
}

/// Why there is no observer of these settings.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ObserverError {
    /// The address cannot be told anything. It is not shown: it may hold a token.
    #[error("the observer's address cannot be used: {reason}")]
    Address {
        /// What is wrong.
        reason: &'static str,
    },
    /// The program is named by a part of its path.
    #[error("the observer's program has to be named by its whole path")]
    RelativePath,
    /// No client can be made.
    #[error("no client for the observer could be made")]
    Client,
}

/// What became of the events so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ObserverCounts {
    /// They arrived.
    pub sent: u64,
    /// They did not.
    pub failed: u64,
    /// The queue was full.
    pub dropped: u64,
    /// How often the program was started again.
    pub restarts: u64,
}

#[derive(Debug, Default)]
struct Counters {
    sent: AtomicU64,
    failed: AtomicU64,
    dropped: AtomicU64,
    restarts: AtomicU64,
}

impl Counters {
    fn add(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// A handle to an observer. Dropping it without [`Observer::end`] lets go what waits.
#[derive(Debug)]
pub struct Observer {
    inner: Option<Inner>,
    counters: Arc<Counters>,
}

#[derive(Debug)]
struct Inner {
    queue: mpsc::Sender<String>,
    task: JoinHandle<()>,
}

impl Observer {
    /// Nobody is told.
    pub fn none() -> Self {
        Self { inner: None, counters: Arc::default() }
    }

    /// Tells this target. Nothing is sent or started before the first event. A runtime has to be there.
    ///
    /// # Errors
    /// The target cannot be told anything.
    pub fn new(target: Target) -> Result<Self, ObserverError> {
        let counters: Arc<Counters> = Arc::default();
        let (queue, events) = mpsc::channel(QUEUE);
        let task = match target {
            Target::Webhook(address) => {
                let webhook = Webhook::new(&address, Arc::clone(&counters))?;
                tokio::spawn(webhook.run(events))
            }
            Target::Exec { path, environment } => {
                let exec = Exec::new(path, environment, Arc::clone(&counters))?;
                tokio::spawn(exec.run(events))
            }
        };
        Ok(Self { inner: Some(Inner { queue, task }), counters })
    }

    /// Whether anybody is told.
    pub fn is_on(&self) -> bool {
        self.inner.is_some()
    }

    /// Tells an event, later; returns at once.
    pub fn tell(&self, event: &Event) {
        let Some(inner) = &self.inner else { return };
        if inner.queue.try_send(event.to_json()).is_err() {
            Counters::add(&self.counters.dropped);
        }
    }

    /// What became of the events so far.
    pub fn counts(&self) -> ObserverCounts {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        ObserverCounts {
            sent: read(&self.counters.sent),
            failed: read(&self.counters.failed),
            dropped: read(&self.counters.dropped),
            restarts: read(&self.counters.restarts),
        }
    }

    /// Tells what waits, for five seconds at most, and ends the program if there is one.
    pub async fn end(mut self) -> ObserverCounts {
        if let Some(Inner { queue, mut task }) = self.inner.take() {
            // The task ends when nobody can send any more and the queue is empty.
            drop(queue);
            if timeout(END_TIMEOUT, &mut task).await.is_err() {
                task.abort();
                let _ = task.await;
            }
        }
        self.counts()
    }
}

impl Drop for Observer {
    fn drop(&mut self) {
        if let Some(inner) = &self.inner {
            inner.task.abort();
        }
    }
}
