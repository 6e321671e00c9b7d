//! How long a call holds its client, and what the client hears meanwhile.

use std::pin::pin;
use std::time::Duration;

use lwa_domain::ErrorCode;
use lwa_protocol::Failure;
use lwa_protocol::plan::RunProgress;
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use tokio::sync::mpsc;
use tokio::time::{Instant, interval_at, sleep_until};

/// Without a progress token: shorter than the call limits of the strictest clients.
const SHORT: Duration = Duration::from_secs(8);
/// With a progress token: the client knows that the work goes on.
const LONG: Duration = Duration::from_secs(45);
/// What the host's own answer at the end of the hold may take to arrive.
const GRACE: Duration = Duration::from_secs(1);
/// When a client first hears that a human is asked.
const NOTICE: Duration = Duration::from_millis(300);
/// How often a waiting client hears something.
const BEAT: Duration = Duration::from_secs(5);

/// The hold of one call.
#[derive(Debug)]
pub(crate) struct Hold {
    began: Instant,
    limit: Duration,
    told: Option<(ProgressToken, Peer<RoleServer>)>,
}

impl Hold {
    /// Begins with the call.
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Self {
        let told = context.meta.get_progress_token().map(|token| (token, context.peer.clone()));
        let limit = if told.is_some() { LONG } else { SHORT };
        Self { began: Instant::now(), limit, told }
    }

    /// What is left of the hold.
    pub(crate) fn left(&self) -> Duration {
        self.limit.saturating_sub(self.began.elapsed())
    }

    /// What is left of the hold, for the host.
    pub(crate) fn remaining_ms(&self) -> u32 {
        u32::try_from(self.left().as_millis()).unwrap_or(u32::MAX)
    }

    /// Waits for the host's answer, telling the client every few seconds `what` is waited for.
    ///
    /// # Errors
    /// The answer's own failure, or none came within the hold.
    pub(crate) async fn answered<T>(
        &self,
        what: &str,
        mut reports: Option<mpsc::Receiver<RunProgress>>,
        answer: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let mut answer = pin!(answer);
        let mut end = pin!(sleep_until(self.began + self.limit + GRACE));
        let mut beat = interval_at(Instant::now() + BEAT, BEAT);
        loop {
            tokio::select! {
                biased;
                // Reports first: those that came before the answer are told before it.
                Some(report) = next(&mut reports) => self.tell(&report.message).await,
                outcome = &mut answer => return outcome,
                () = &mut end => return Err(self.late()),
                _ = beat.tick() => self.tell(what).await,
            }
        }
    }

    /// As [`Self::answered`] for work that the host does to its end whoever waits; none when the hold ends first.
    ///
    /// # Errors
    /// The answer's own failure.
    pub(crate) async fn within<T>(
        &self,
        what: &str,
        answer: impl Future<Output = Result<T, Failure>>,
    ) -> Result<Option<T>, Failure> {
        tokio::select! {
            biased;
            outcome = self.answered(what, None, answer) => outcome.map(Some),
            () = sleep_until(self.began + self.limit) => Ok(None),
        }
    }

    /// As [`Self::answered`] for a question to the human, who should be told at once that one waits.
    ///
    /// # Errors
    /// As [`Self::answered`].
    pub(crate) async fn asked<T>(
        &self,
        what: &str,
        answer: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let mut answer = pin!(answer);
        // An answer that is there already needs no notice.
        tokio::select! {
            biased;
            outcome = &mut answer => return outcome,
            () = sleep_until(self.began + NOTICE) => self.tell(what).await,
        }
        self.answered(what, None, answer).await
    }

    /// The same hold begun anew: the client has waited for its own user, and not for us.
    pub(crate) fn renewed(&self) -> Self {
        Self { began: Instant::now(), limit: self.limit, told: self.told.clone() }
    }

    /// Waits for something that has a limit of its own, telling the client every few seconds `what` is waited for.
    pub(crate) async fn told_while<T>(&self, what: &str, waited: impl Future<Output = T>) -> T {
        let mut waited = pin!(waited);
        let mut beat = interval_at(Instant::now() + BEAT, BEAT);
        loop {
            tokio::select! {
                biased;
                done = &mut waited => return done,
                _ = beat.tick() => self.tell(what).await,
            }
        }
    }

    async fn tell(&self, message: &str) {
        let Some((token, peer)) = &self.told else { return };
        // Seconds grow with every notification, which the specification asks for; characters might not.
        let progress = ProgressNotificationParam::new(token.clone(), self.began.elapsed().as_secs_f64());
        if let Err(error) = peer.notify_progress(progress.with_message(message)).await {
            tracing::debug!(%error, "the client does not take progress");
        }
    }

    fn late(&self) -> Failure {
        let waited = self.began.elapsed().as_secs();
        Failure::new(ErrorCode::HostUnreachable, format!("the host did not answer within {waited} s"))
            .hint("repeat the call; if it happens again, run `lwa doctor` in a terminal")
    }
}

/// The next report; never, when there is no channel or it has ended.
async fn next(reports: &mut Option<mpsc::Receiver<RunProgress>>) -> Option<RunProgress> {
    let report = match reports {
        Some(channel) => channel.recv().await,
        None => std::future::pending().await,
    };
    if report.is_none() {
        *reports = None;
    }
    report
}
