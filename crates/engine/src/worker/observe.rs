//! Events for an observer of the human's own: counts, times and closed words, and no text.

use std::collections::HashMap;
use std::sync::Mutex;

use lwa_config::{Observer as Configured, WorkerConfig};
use lwa_process::Environment;
use lwa_worker::decide::{Decision, DecisionStatus, Policy};
use lwa_worker::disclosure::{Identity, Numbers};
use lwa_worker::gate::ArmState;
use lwa_worker::memory::{SessionKey, Turn, TurnKind};
use lwa_worker::mode::Mode;
use lwa_worker::observer::{Attr, EndState, Event, EventKind, Observer, Span, Target};
use lwa_worker::trailer::LeakCheck;

use super::compact::Compacted;
use super::session::{Session, Surroundings};
use crate::engine::{Engine, locked};

/// The observer of the settings in force.
#[derive(Debug, Default)]
pub(crate) struct Observing {
    running: Mutex<Option<(String, Observer)>>,
    /// What was told last of each session that began, by its key.
    told: Mutex<HashMap<String, ToldState>>,
}

/// What an observer was told last about the state of a session.
#[derive(Debug, Clone, Copy)]
struct ToldState {
    armed: ArmState,
    mode: Mode,
    disclosure: &'static str,
}

impl ToldState {
    fn of(session: &Session) -> Self {
        let stored = session.disclosure.stored();
        let disclosure = match (stored.identity, stored.numbers) {
            (Identity::Open, Numbers::Open) => "open",
            (Identity::Open, _) => "identity_open",
            (_, Numbers::Open) => "numbers_open",
            (Identity::Masked, _) | (_, Numbers::Masked) => "masked",
            (Identity::Undecided, Numbers::Default) => "undecided",
        };
        Self { armed: session.gate.armed().state, mode: session.mode, disclosure }
    }
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
        let Some(session) = observed(&surroundings.config, session) else { return };
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
        self.tell_observer(&surroundings.config, &event);
    }

    /// Tells the observer what changed about a session since it was told last; at first, that the session begins.
    pub(super) fn observe_state(&self, session: &Session) {
        let config = &self.configuration.in_force().worker;
        let Some(key) = observed(config, &session.key) else { return };
        let now = ToldState::of(session);
        let Some(before) = locked(&self.worker.observing.told).insert(session.key.clone(), now) else {
            let start = Event::start(key, self.now()).with(Attr::Mode, now.mode.as_str());
            self.tell_observer(config, &start);
            return;
        };
        let changed = |kind, state: &'static str| {
            Event::new(Span::Session, kind, key.clone(), self.now()).with(Attr::State, state)
        };
        if before.armed != now.armed {
            let state = match now.armed {
                ArmState::On => "on",
                ArmState::Off => "off",
                ArmState::Undecided => "undecided",
            };
            self.tell_observer(config, &changed(EventKind::Armed, state));
        }
        if before.mode != now.mode {
            self.tell_observer(config, &changed(EventKind::Mode, now.mode.as_str()));
        }
        if before.disclosure != now.disclosure {
            self.tell_observer(config, &changed(EventKind::Disclosure, now.disclosure));
        }
    }

    /// Tells the observer what came of compacting a session's memory.
    pub(super) fn observe_compaction(&self, surroundings: &Surroundings, session: &str, done: &Compacted) {
        let Some(session) = observed(&surroundings.config, session) else { return };
        let event = Event::new(Span::Memory, EventKind::Compaction, session, self.now());
        let event = match done {
            Compacted::Skipped => return,
            Compacted::Done { turns, chars, .. } => {
                event.with(Attr::Turns, *turns).with(Attr::SummaryChars, *chars).with(Attr::IsError, false)
            }
            Compacted::Failed(_) => event.with(Attr::IsError, true),
        };
        self.tell_observer(&surroundings.config, &event);
    }

    /// Tells the observer whether a model decided, and on which of the questions that come with the worker.
    pub(super) fn observe_decision(
        &self,
        surroundings: &Surroundings,
        session: &str,
        decision: &Decision,
        policy: Option<Policy>,
    ) {
        let Some(session) = observed(&surroundings.config, session) else { return };
        let state = match decision.status {
            DecisionStatus::Ok => "ok",
            DecisionStatus::Unavailable => "unavailable",
        };
        let event = Event::new(Span::Tool, EventKind::Decision, session, self.now())
            .with(Attr::State, state)
            .with(Attr::Policy, policy.map_or("custom", Policy::as_str));
        self.tell_observer(&surroundings.config, &event);
    }

    /// Tells the observer that a session got another key; the event bears the new one.
    pub(super) fn observe_identity(&self, before: &str, now: &str) {
        {
            let mut told = locked(&self.worker.observing.told);
            let Some(state) = told.remove(before) else { return };
            told.entry(now.to_owned()).or_insert(state);
        }
        let config = &self.configuration.in_force().worker;
        if let Some(session) = observed(config, now) {
            self.tell_observer(config, &Event::new(Span::Session, EventKind::Identity, session, self.now()));
        }
    }

    /// Tells the observer that a session ends, if it was told of its beginning.
    pub(super) fn observe_end(&self, session: &str, state: EndState) {
        if locked(&self.worker.observing.told).remove(session).is_none() {
            return;
        }
        let config = &self.configuration.in_force().worker;
        if let Some(session) = observed(config, session) {
            self.tell_observer(config, &Event::end(state, session, self.now()));
        }
    }

    fn tell_observer(&self, config: &WorkerConfig, event: &Event) {
        let mark = format!("{}\n{:?}", config.observer, config.observer_url);
        let mut running = locked(&self.worker.observing.running);
        if let Some((of, observer)) = running.as_ref()
            && *of == mark
        {
            observer.tell(event);
            return;
        }
        let target = match &config.observer {
            Configured::None => None,
            Configured::Webhook => config.observer_url.clone().map(Target::Webhook),
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
        let sessions: Vec<String> = locked(&self.worker.observing.told).keys().cloned().collect();
        for session in sessions {
            self.observe_end(&session, EndState::Stopped);
        }
        let running = locked(&self.worker.observing.running).take();
        if let Some((_, observer)) = running {
            let counts = observer.end().await;
            tracing::debug!(?counts, "the observer was told");
        }
    }
}

/// The key of a session that an observer is told of; none when nobody wants to know.
fn observed(config: &WorkerConfig, session: &str) -> Option<SessionKey> {
    if config.observer == Configured::None {
        return None;
    }
    session.parse().ok()
}
