//! What the worker needs of a model: one question, one answer, before a deadline.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use serde_json::Value;
use thiserror::Error;
use tokio::time::Instant;

/// An answer that is on its way.
pub type ChatFuture<'a> = Pin<Box<dyn Future<Output = Result<Reply, ModelError>> + Send + 'a>>;

/// A model that answers questions about private material, so it is on this machine or this network.
pub trait ChatModel: Send + Sync + fmt::Debug {
    /// The name that stands in results.
    fn name(&self) -> &str;

    /// Asks; ends at the deadline of the request at the latest.
    fn chat(&self, request: ChatRequest) -> ChatFuture<'_>;
}

/// One question.
///
/// It holds material in clear, so `Debug` prints lengths.
#[derive(Clone, PartialEq)]
pub struct ChatRequest {
    /// What the model is and how it has to answer.
    pub system: String,
    /// The task and the material.
    pub user: String,
    /// The longest answer.
    pub max_tokens: u32,
    /// Zero for answers that must not vary.
    pub temperature: f32,
    /// The form that the server holds the answer to, if it can.
    pub format: Option<ReplyFormat>,
    /// The end of all waiting, retries and second workers included.
    pub deadline: Instant,
}

impl fmt::Debug for ChatRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChatRequest")
            .field("system_bytes", &self.system.len())
            .field("user_bytes", &self.user.len())
            .field("max_tokens", &self.max_tokens)
            .field("temperature", &self.temperature)
            .field("has_format", &self.format.is_some())
            .finish_non_exhaustive()
    }
}

/// A JSON schema that an answer has to follow.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplyFormat {
    /// The schema's name; servers keep one compiled grammar for each.
    pub name: &'static str,
    /// The schema.
    pub schema: Value,
}

/// One answer. `Debug` prints the length of the text: a model may repeat what it read.
#[derive(Clone, PartialEq, Eq)]
pub struct Reply {
    /// What the model said, without its reasoning; never blank.
    pub text: String,
    /// Why it stopped.
    pub finish: Finish,
    /// The configured name of the model that answered, and never what the server calls itself.
    pub model: String,
    /// What the server counted.
    pub usage: Option<Usage>,
    /// From the question to the answer.
    pub elapsed: Duration,
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply")
            .field("text_bytes", &self.text.len())
            .field("finish", &self.finish)
            .field("model", &self.model)
            .field("usage", &self.usage)
            .field("elapsed", &self.elapsed)
            .finish()
    }
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// The model was done.
    Stop,
    /// The longest answer was reached.
    TokenLimit,
    /// The server held the answer back.
    Filtered,
    /// The server gave another reason or none.
    Unstated,
}

impl Finish {
    /// The reason that a server states. Other words are not repeated: a server writes what it likes there.
    pub fn from_wire(reason: Option<&str>) -> Self {
        match reason {
            Some("stop") => Self::Stop,
            Some("length") => Self::TokenLimit,
            Some("content_filter") => Self::Filtered,
            _ => Self::Unstated,
        }
    }

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::TokenLimit => "length",
            Self::Filtered => "content_filter",
            Self::Unstated => "unstated",
        }
    }
}

/// Tokens as the server counted them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Of the question.
    pub input_tokens: u64,
    /// Of the answer.
    pub output_tokens: u64,
}

/// The beginning of what a server sent with an error.
///
/// A server may repeat the question there, material included. It leaves only through the scrub.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Excerpt(String);

impl Excerpt {
    /// How much of a body is kept.
    pub const MOST_CHARS: usize = 300;

    /// The first characters of a body, on one line.
    pub fn of(body: &str) -> Self {
        Self(
            body.split_whitespace()
                .flat_map(|word| [" ", word])
                .collect::<String>()
                .trim()
                .chars()
                .take(Self::MOST_CHARS)
                .collect(),
        )
    }

    /// The text, which nobody vouches for and which may hold private values.
    pub fn untrusted(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Excerpt({} bytes)", self.0.len())
    }
}

/// What was waited for when the time ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The connection.
    Connect,
    /// The answer.
    Answer,
}

/// Why there is no answer. Messages name the configured model and nothing that a server sent.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ModelError {
    /// No connection was made.
    #[error("the worker `{model}` cannot be reached: is its server running?")]
    Connect {
        /// The configured name.
        model: String,
    },
    /// The time ended.
    #[error("the worker `{model}` {}", match stage { Stage::Connect => "accepted no connection in time", Stage::Answer => "did not answer before the deadline" })]
    Timeout {
        /// The configured name.
        model: String,
        /// What was waited for.
        stage: Stage,
    },
    /// The connection broke, or what came is no answer of this protocol.
    #[error("the worker `{model}` gave no usable answer: {what}")]
    Protocol {
        /// The configured name.
        model: String,
        /// What is wrong.
        what: &'static str,
    },
    /// The server refused or failed.
    #[error("the worker `{model}` answered with HTTP {status}")]
    Status {
        /// The configured name.
        model: String,
        /// The status.
        status: u16,
        /// The beginning of its explanation, for the scrub.
        excerpt: Excerpt,
    },
    /// The key was not accepted.
    #[error("the worker `{model}` does not accept its key: check the key in the configuration")]
    Unauthorised {
        /// The configured name.
        model: String,
    },
    /// The whole answer went into reasoning.
    #[error("the worker `{model}` spent its budget on reasoning: raise the token limit or keep thinking off")]
    OnlyReasoning {
        /// The configured name.
        model: String,
    },
    /// The answer is empty.
    #[error("the worker `{model}` gave an empty answer (finish reason `{}`)", finish.as_str())]
    Empty {
        /// The configured name.
        model: String,
        /// Why it stopped.
        finish: Finish,
    },
    /// The endpoint is not on this machine or network, so nothing was sent.
    #[error("the worker `{model}` is not local, and nothing was sent: {reason}")]
    NotLocal {
        /// The configured name.
        model: String,
        /// Which rule its address breaks.
        reason: &'static str,
    },
    /// No worker answered.
    #[error("{first}; {second}")]
    Both {
        /// What happened at the one that was asked first.
        first: Box<ModelError>,
        /// What happened at the other.
        second: Box<ModelError>,
    },
}

impl ModelError {
    /// Whether another worker may answer where this one failed: the fault is of the server or the line, not of the
    /// question or the configuration.
    pub fn is_of_the_server(&self) -> bool {
        match self {
            Self::Connect { .. } | Self::Timeout { .. } | Self::Protocol { .. } => true,
            Self::Status { status, .. } => *status >= 500,
            Self::Unauthorised { .. } | Self::OnlyReasoning { .. } | Self::Empty { .. } | Self::NotLocal { .. } => {
                false
            }
            Self::Both { first, second } => first.is_of_the_server() && second.is_of_the_server(),
        }
    }

    /// What servers sent with their errors; to be scrubbed before anybody sees it.
    pub fn excerpts(&self) -> Vec<&Excerpt> {
        match self {
            Self::Status { excerpt, .. } if !excerpt.untrusted().is_empty() => vec![excerpt],
            Self::Both { first, second } => [first.excerpts(), second.excerpts()].concat(),
            _ => Vec::new(),
        }
    }
}
