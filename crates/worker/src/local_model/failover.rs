//! Two workers: when the first one fails, the second one answers.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::model::{ChatFuture, ChatModel, ChatRequest, ModelError, Reply};

/// How long the first worker is asked last after it failed.
const COOLDOWN: Duration = Duration::from_mins(2);

/// Whether the first worker is thought to be up. Shared by everything that asks the same two workers.
#[derive(Debug)]
pub struct Availability {
    cooldown: Duration,
    down_until: Mutex<Option<Instant>>,
}

impl Availability {
    /// The first worker is up.
    pub fn new(cooldown: Duration) -> Self {
        Self { cooldown, down_until: Mutex::new(None) }
    }

    /// How much longer the first worker is asked last; none if it is up.
    pub fn primary_down_for(&self) -> Option<Duration> {
        let until = *self.down_until.lock().unwrap_or_else(PoisonError::into_inner);
        until?.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
    }

    fn set(&self, down_until: Option<Instant>) {
        *self.down_until.lock().unwrap_or_else(PoisonError::into_inner) = down_until;
    }

    pub(super) fn primary_failed(&self) {
        self.set(Some(Instant::now() + self.cooldown));
    }

    pub(super) fn primary_answered(&self) {
        self.set(None);
    }
}

impl Default for Availability {
    fn default() -> Self {
        Self::new(COOLDOWN)
    }
}

/// One worker, or two of which the second stands in for the first.
#[derive(Debug)]
pub struct Failover {
    primary: Arc<dyn ChatModel>,
    fallback: Option<Arc<dyn ChatModel>>,
    availability: Arc<Availability>,
}

impl Failover {
    /// With the usual time of two minutes before a worker that failed is asked first again.
    pub fn new(primary: Arc<dyn ChatModel>, fallback: Option<Arc<dyn ChatModel>>) -> Self {
        Self { primary, fallback, availability: Arc::default() }
    }

    /// With another time, or with marks that others share.
    pub fn with_availability(self, availability: Arc<Availability>) -> Self {
        Self { availability, ..self }
    }

    /// The marks.
    pub fn availability(&self) -> &Arc<Availability> {
        &self.availability
    }

    /// The worker that is asked first at the moment.
    pub fn active(&self) -> &dyn ChatModel {
        match &self.fallback {
            Some(fallback) if self.availability.primary_down_for().is_some() => fallback.as_ref(),
            _ => self.primary.as_ref(),
        }
    }

    async fn ask(&self, request: ChatRequest) -> Result<Reply, ModelError> {
        let Some(fallback) = &self.fallback else { return self.ask_primary(request).await };
        let is_down = self.availability.primary_down_for().is_some();
        let within = ChatRequest { deadline: first_deadline(request.deadline), ..request.clone() };
        let first = if is_down { fallback.chat(within).await } else { self.ask_primary(within).await };
        let first = match first {
            Err(error) if error.is_of_the_server() && Instant::now() < request.deadline => error,
            answered_or_final => return answered_or_final,
        };
        let second = if is_down { self.ask_primary(request).await } else { fallback.chat(request).await };
        second.map_err(|second| ModelError::Both { first: Box::new(first), second: Box::new(second) })
    }

    async fn ask_primary(&self, request: ChatRequest) -> Result<Reply, ModelError> {
        let answer = self.primary.chat(request).await;
        match &answer {
            Ok(_) => self.availability.primary_answered(),
            Err(error) if error.is_of_the_server() => self.availability.primary_failed(),
            Err(_) => {}
        }
        answer
    }
}

/// The first worker has two thirds of the time, so that one which hangs leaves some to the other.
fn first_deadline(deadline: Instant) -> Instant {
    let left = deadline.saturating_duration_since(Instant::now());
    deadline.checked_sub(left / 3).unwrap_or(deadline)
}

impl ChatModel for Failover {
    fn name(&self) -> &str {
        self.active().name()
    }

    fn chat(&self, request: ChatRequest) -> ChatFuture<'_> {
        Box::pin(self.ask(request))
    }
}
