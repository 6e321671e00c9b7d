//! Events about turns for an observer of the human's own: counts, times and closed words, and no text.

use std::sync::Mutex;

use lwa_config::Observer as Configured;
use lwa_process::Environment;
use lwa_worker::memory::{SessionKey, Turn, TurnKind};
use lwa_worker::observer::{Attr, Event, EventKind, Observer, Span, Target};
use lwa_worker::trailer::LeakCheck;

use super::session::Surroundings;
use crate::engine::{Engine, locked};

/// The observer of the settings in force.
#[derive(Debug, Default)]
pub(crate) struct Observing {
    running: Mutex<Option<(String, Observer)>>,
}

/// What is told of a turn beyond what is kept of it.
pub(super) struct Told {
    pub saved_tokens: u64,
    pub chunks: usize,
    pub scrubbed: usize,
    pub leak_check: Option<LeakCheck>,
}

impl Engine {
    /// Tells the observer about a turn; never waits for it, and never fails.
    pub(super) fn observe_turn(&self, surroundings: &Surroundings, session: &str, turn: &Turn, told: &Told) {
        if surroundings.config.observer == Configured::None {
            return;
        }
        let Ok(session) = session.parse::<SessionKey>() else { return };
        let kind = if turn.kind == TurnKind::Run { EventKind::Run } else { EventKind::Delegate };
        let event = Event::new(Span::Tool, kind, session, turn.ts)
            .with(Attr::Mode, turn.mode.as_str())
            .with(Attr::Turn, turn.id.clone())
            .with_some(Attr::Artifact, turn.artifact.clone())
            .with(Attr::RawChars, turn.raw_chars)
            .with(Attr::OutChars, turn.out_chars)
            .with_some(Attr::GatheredChars, turn.gathered_chars)
            .with(Attr::SavedTokens, told.saved_tokens)
            .with(Attr::Chunks, told.chunks)
            .with(Attr::Seconds, turn.secs)
            .with_some(Attr::CommandSeconds, turn.cmd_secs)
            .with_some(Attr::ExitCode, turn.rc)
            .with(Attr::IsTimedOut, turn.timed_out)
            .with(Attr::IsTruncated, turn.truncated)
            .with(Attr::IsVerbatim, turn.verbatim)
            .with(Attr::IsError, turn.error)
            .with(Attr::Scrubbed, told.scrubbed)
            .with(
                Attr::LeakCheck,
                match told.leak_check {
                    Some(LeakCheck::Passed) => "ok",
                    Some(LeakCheck::Failed) => "failed",
                    None => "none",
                },
            );
        self.tell_observer(surroundings, &event);
    }

    fn tell_observer(&self, surroundings: &Surroundings, event: &Event) {
        let mark = format!("{}\n{:?}", surroundings.config.observer, surroundings.config.observer_url);
        let mut running = locked(&self.worker.observing.running);
        if let Some((of, observer)) = running.as_ref()
            && *of == mark
        {
            observer.tell(event);
            return;
        }
        let target = match &surroundings.config.observer {
            Configured::None => None,
            Configured::Webhook => surroundings.config.observer_url.clone().map(Target::Webhook),
            Configured::Exec(path) => {
                Some(Target::Exec { path: path.clone(), environment: Environment::cleaned(std::env::vars_os()) })
            }
        };
        let observer = match target.map(Observer::new) {
            Some(Ok(observer)) => observer,
            Some(Err(error)) => {
                tracing::warn!(%error, "the observer cannot be told anything");
                Observer::none()
            }
            None => Observer::none(),
        };
        observer.tell(event);
        *running = Some((mark, observer));
    }

    /// Tells what waits, and ends the observer's program.
    pub(crate) async fn end_observer(&self) {
        let running = locked(&self.worker.observing.running).take();
        if let Some((_, observer)) = running {
            let counts = observer.end().await;
            tracing::debug!(?counts, "the observer was told");
        }
    }
}
