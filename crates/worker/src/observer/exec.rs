//! Events as lines to a program.
//!
//! The program is started with the first event, in a folder of no meaning, with a cleaned environment and nobody
//! listening to what it prints. When it ends it is started again with the next event, after a pause that doubles.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use lwa_process::{Environment, Feed, Limits, Program};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use super::{Counters, ObserverError};

/// How long the program may leave a line unread.
const WRITE_TIMEOUT: Duration = Duration::from_secs(2);
/// The pause before the first new start.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);
/// A program that ran this long begins anew with the first pause.
const STEADY: Duration = Duration::from_mins(5);
/// How long the program has for its end once its input has ended.
const GOODBYE: Duration = Duration::from_secs(2);
/// A program runs as long as the host; this is longer than any host runs.
const NO_LIMIT: Duration = Duration::from_hours(24 * 365 * 10);

pub(super) struct Exec {
    path: PathBuf,
    environment: Environment,
    counters: Arc<Counters>,
    running: Option<Told>,
    pause: Duration,
    not_before: Option<Instant>,
    starts: u64,
}

/// The program that is told.
struct Told {
    feed: Feed,
    cancel: CancellationToken,
    /// Whoever drops it without an end wants it gone at once: the run ends its whole tree when it is dropped.
    task: AbortOnDropHandle<()>,
    since: Instant,
}

impl Exec {
    pub(super) fn new(path: PathBuf, environment: Environment, counters: Arc<Counters>) -> Result<Self, ObserverError> {
        if !path.is_absolute() {
            return Err(ObserverError::RelativePath);
        }
        Ok(Self { path, environment, counters, running: None, pause: FIRST_PAUSE, not_before: None, starts: 0 })
    }

    pub(super) async fn run(mut self, mut events: mpsc::Receiver<String>) {
        while let Some(mut line) = events.recv().await {
            line.push('\n');
            let is_told = self.tell(line.as_bytes()).await;
            Counters::add(if is_told { &self.counters.sent } else { &self.counters.failed });
        }
        if let Some(Told { feed, cancel, mut task, .. }) = self.running.take() {
            drop(feed);
            if timeout(GOODBYE, &mut task).await.is_err() {
                cancel.cancel();
                let _ = task.await;
            }
        }
    }

    async fn tell(&mut self, line: &[u8]) -> bool {
        if self.running.is_none() && !self.start().await {
            return false;
        }
        let Some(told) = &mut self.running else { return false };
        let is_told = matches!(timeout(WRITE_TIMEOUT, told.feed.write(line)).await, Ok(Ok(())));
        if !is_told {
            // It is gone, or reads no more; half a line may stand in the pipe, so it begins anew.
            self.stop().await;
        }
        is_told
    }

    async fn start(&mut self) -> bool {
        if self.not_before.is_some_and(|moment| Instant::now() < moment) {
            return false;
        }
        self.running = self.started().await;
        if self.running.is_none() {
            tracing::warn!("the observer's program cannot be started; the worker goes on without it");
            self.wait_longer();
            return false;
        }
        if self.starts > 0 {
            Counters::add(&self.counters.restarts);
        }
        self.starts += 1;
        true
    }

    async fn started(&self) -> Option<Told> {
        let (feed, input) = Feed::new().ok()?;
        let mut program = Program::new(&self.path, "/");
        program.environment = self.environment.clone();
        program.input = input;
        program.limits = Limits { time: NO_LIMIT, output_bytes: 0, end_bytes: 0, ..Limits::default() };
        let running = program.start().await.ok()?;
        let cancel = CancellationToken::new();
        let ended = cancel.clone();
        let task = tokio::spawn(async move {
            running.finish(&ended).await;
        });
        Some(Told { feed, cancel, task: AbortOnDropHandle::new(task), since: Instant::now() })
    }

    async fn stop(&mut self) {
        let Some(Told { feed, cancel, task, since }) = self.running.take() else { return };
        drop(feed);
        cancel.cancel();
        let _ = task.await;
        if since.elapsed() > STEADY {
            self.pause = FIRST_PAUSE;
        }
        self.wait_longer();
    }

    fn wait_longer(&mut self) {
        self.not_before = Some(Instant::now() + self.pause);
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
    }
}
