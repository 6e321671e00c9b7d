//! Small choices made by a model on this machine: one of a few options, or none.
//!
//! A choice is advice. What cannot be had in the form that was asked for is reported as unavailable and never guessed.

mod presets;
mod question;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;
use thiserror::Error;
use tokio::time::Instant;

pub use presets::{POLICY_VERSION, Policy, UnknownPolicy};

use crate::model::{ChatModel, ChatRequest, ModelError};

/// The longest evidence.
pub const MOST_STATE_CHARS: usize = 32_000;
/// The longest question.
pub const MOST_QUESTION_CHARS: usize = 4_000;
/// How many options there may be.
pub const OPTIONS: std::ops::RangeInclusive<usize> = 2..=16;
/// The longest name of an option.
pub const MOST_ID_CHARS: usize = 40;
/// The longest description of an option.
pub const MOST_DESCRIPTION_CHARS: usize = 500;

/// How long a worker that ignored the form is not asked for one.
const FORM_IGNORED_FOR: Duration = Duration::from_mins(10);
/// How long a worker that failed is asked last.
const DOWN_FOR: Duration = Duration::from_mins(1);
/// The longest wait for the plain question.
const PLAIN_TIMEOUT: Duration = Duration::from_secs(15);

/// One option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Its name.
    pub id: String,
    /// What it means.
    pub description: String,
}

/// What is to be decided, and on what evidence.
#[derive(Clone, PartialEq, Eq)]
pub struct DecisionRequest {
    /// The evidence, which nobody vouches for.
    pub state: String,
    /// The question, which is the caller's own.
    pub question: String,
    /// The options.
    pub choices: Vec<Choice>,
}

impl std::fmt::Debug for DecisionRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DecisionRequest")
            .field("state_bytes", &self.state.len())
            .field("question_bytes", &self.question.len())
            .field("choices", &self.choices.len())
            .finish()
    }
}

/// Why a question is not asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum RequestError {
    /// The evidence is too long.
    #[error("the evidence is longer than {MOST_STATE_CHARS} characters")]
    State,
    /// The question is missing or too long.
    #[error("the question has between 1 and {MOST_QUESTION_CHARS} characters")]
    Question,
    /// Too few or too many options.
    #[error("there are between 2 and 16 options")]
    Options,
    /// A name is missing, too long, holds other signs, or stands twice.
    #[error(
        "the name of an option has between 1 and {MOST_ID_CHARS} letters, digits, dots, dashes or underscores, and stands once"
    )]
    Id,
    /// A description is missing or too long.
    #[error("the description of an option has between 1 and {MOST_DESCRIPTION_CHARS} characters")]
    Description,
}

impl DecisionRequest {
    /// Checks every size.
    ///
    /// # Errors
    /// The first size that is wrong.
    pub fn check(&self) -> Result<(), RequestError> {
        let is_within = |text: &str, most: usize| !text.trim().is_empty() && text.chars().count() <= most;
        if self.state.chars().count() > MOST_STATE_CHARS {
            return Err(RequestError::State);
        }
        if !is_within(&self.question, MOST_QUESTION_CHARS) {
            return Err(RequestError::Question);
        }
        if !OPTIONS.contains(&self.choices.len()) {
            return Err(RequestError::Options);
        }
        for (index, choice) in self.choices.iter().enumerate() {
            let has_plain_signs = choice.id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'));
            let earlier = self.choices.iter().take(index);
            let is_new = !earlier.into_iter().any(|other| other.id.eq_ignore_ascii_case(&choice.id));
            if !is_within(&choice.id, MOST_ID_CHARS) || !has_plain_signs || !is_new {
                return Err(RequestError::Id);
            }
            if !is_within(&choice.description, MOST_DESCRIPTION_CHARS) {
                return Err(RequestError::Description);
            }
        }
        Ok(())
    }
}

/// Whether there is a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionStatus {
    /// There is one.
    Ok,
    /// No worker gave one in the form that was asked for.
    Unavailable,
}

/// How the choice was had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionMode {
    /// In the server's structured form, with a reason in front of it.
    Reasoned,
    /// In the server's structured form, as the name alone.
    Restricted,
    /// As a plain answer that is a name and nothing else.
    Parsed,
}

/// The result, which still has to be scrubbed: the reason is a model's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// Whether there is a choice.
    pub status: DecisionStatus,
    /// The name of the option.
    pub choice: Option<String>,
    /// How it was had.
    pub mode: Option<DecisionMode>,
    /// The configured name of the model that chose.
    pub worker: Option<String>,
    /// How long it took.
    pub elapsed_ms: u64,
    /// How often a model was asked.
    pub attempts: u32,
    /// Why, in the model's words.
    pub reason: Option<String>,
    /// Always true: nothing acts on it by itself.
    pub advisory_only: bool,
}

/// Whether a model gives its reason first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reasoning {
    /// A reason, then the choice: one form for all questions, which servers compile once.
    #[default]
    First,
    /// The choice alone, in a form of its own for each list of options.
    None,
}

/// What is remembered of a worker.
#[derive(Debug, Clone, Copy, Default)]
struct Mark {
    down_until: Option<Instant>,
    form_ignored_until: Option<Instant>,
}

/// How a worker is doing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct WorkerState {
    /// Its configured name.
    pub model: String,
    /// How much longer it is asked last.
    pub down_for_s: Option<u64>,
    /// Whether it is not asked for a form at the moment.
    pub restriction_ignored: bool,
}

/// Asks workers in turn.
#[derive(Debug)]
pub struct DecisionEngine {
    workers: Vec<Arc<dyn ChatModel>>,
    reasoning: Reasoning,
    timeout: Duration,
    marks: Mutex<Vec<Mark>>,
}

impl DecisionEngine {
    /// Workers with the preferred one first, and the longest wait for the question in a form.
    pub fn new(workers: Vec<Arc<dyn ChatModel>>, reasoning: Reasoning, timeout: Duration) -> Self {
        let marks = Mutex::new(vec![Mark::default(); workers.len()]);
        Self { workers, reasoning, timeout, marks }
    }

    /// How the workers are doing.
    pub fn workers(&self) -> Vec<WorkerState> {
        let now = Instant::now();
        let marks = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        let left = |until: Option<Instant>| until.and_then(|until| until.checked_duration_since(now));
        self.workers
            .iter()
            .zip(marks.iter())
            .map(|(worker, mark)| WorkerState {
                model: worker.name().to_owned(),
                down_for_s: left(mark.down_until).map(|left| left.as_secs()).filter(|seconds| *seconds > 0),
                restriction_ignored: left(mark.form_ignored_until).is_some_and(|left| !left.is_zero()),
            })
            .collect()
    }

    /// Decides. Without a usable answer the result says so.
    ///
    /// # Errors
    /// The request breaks a limit; nobody was asked.
    pub async fn decide(&self, request: &DecisionRequest) -> Result<Decision, RequestError> {
        request.check()?;
        let started = Instant::now();
        let mut attempts = 0;
        for index in self.order() {
            let Some(worker) = self.workers.get(index) else { continue };
            let Some(mut decision) = self.ask(index, worker.as_ref(), request, &mut attempts).await else { continue };
            decision.attempts = attempts;
            decision.elapsed_ms = millis(started);
            return Ok(decision);
        }
        Ok(Decision {
            status: DecisionStatus::Unavailable,
            choice: None,
            mode: None,
            worker: None,
            elapsed_ms: millis(started),
            attempts,
            reason: None,
            advisory_only: true,
        })
    }

    /// The workers that are up, then those that are not.
    fn order(&self) -> Vec<usize> {
        let now = Instant::now();
        let marks = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        let is_down =
            |index: &usize| marks.get(*index).and_then(|mark| mark.down_until).is_some_and(|until| now < until);
        let (down, up): (Vec<usize>, Vec<usize>) = (0..self.workers.len()).partition(is_down);
        [up, down].concat()
    }

    /// One worker: in a form, then plainly.
    async fn ask(
        &self,
        index: usize,
        worker: &dyn ChatModel,
        request: &DecisionRequest,
        attempts: &mut u32,
    ) -> Option<Decision> {
        if !self.ignores_form(index) {
            *attempts += 1;
            let asked = question::in_form(request, self.reasoning, Instant::now() + self.timeout);
            match worker.chat(asked).await {
                Ok(reply) => match question::formed(&reply.text, request, self.reasoning) {
                    Some((choice, reason)) => {
                        self.mark(index, |mark| mark.down_until = None);
                        let mode = match self.reasoning {
                            Reasoning::First => DecisionMode::Reasoned,
                            Reasoning::None => DecisionMode::Restricted,
                        };
                        return Some(decided(choice, mode, reply.model, reason));
                    }
                    None => self.form_was_ignored(index),
                },
                Err(ModelError::Status { status: 400 | 404 | 415 | 422 | 501, .. }) => self.form_was_ignored(index),
                // A server may need longer for its first form than for a plain answer.
                Err(ModelError::Timeout { .. } | ModelError::Empty { .. } | ModelError::OnlyReasoning { .. }) => {}
                Err(_) => {
                    self.has_failed(index);
                    return None;
                }
            }
        }
        *attempts += 1;
        let asked: ChatRequest = question::plain(request, Instant::now() + PLAIN_TIMEOUT);
        let Ok(reply) = worker.chat(asked).await else {
            self.has_failed(index);
            return None;
        };
        self.mark(index, |mark| mark.down_until = None);
        let choice = question::whole_reply(&reply.text, request)?;
        Some(decided(choice, DecisionMode::Parsed, reply.model, None))
    }

    fn ignores_form(&self, index: usize) -> bool {
        let marks = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        let until = marks.get(index).and_then(|mark| mark.form_ignored_until);
        until.is_some_and(|until| Instant::now() < until)
    }

    fn form_was_ignored(&self, index: usize) {
        self.mark(index, |mark| mark.form_ignored_until = Some(Instant::now() + FORM_IGNORED_FOR));
    }

    fn has_failed(&self, index: usize) {
        self.mark(index, |mark| mark.down_until = Some(Instant::now() + DOWN_FOR));
    }

    fn mark(&self, index: usize, set: impl FnOnce(&mut Mark)) {
        if let Some(mark) = self.marks.lock().unwrap_or_else(PoisonError::into_inner).get_mut(index) {
            set(mark);
        }
    }
}

fn decided(choice: String, mode: DecisionMode, worker: String, reason: Option<String>) -> Decision {
    Decision {
        status: DecisionStatus::Ok,
        choice: Some(choice),
        mode: Some(mode),
        worker: Some(worker),
        elapsed_ms: 0,
        attempts: 0,
        reason,
        advisory_only: true,
    }
}

fn millis(started: Instant) -> u64 {
    u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX)
}
