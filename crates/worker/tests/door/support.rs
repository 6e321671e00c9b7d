//! What the tests share: a model that answers as a closure says, and limits of time.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lwa_worker::model::{ChatFuture, ChatModel, ChatRequest, Finish, ModelError, Reply};
use tokio::time::Instant;

type Script = dyn Fn(usize, &ChatRequest) -> Result<Reply, ModelError> + Send + Sync;

/// A model that answers its n-th question as a closure says, and remembers what it was asked.
pub struct Scripted {
    name: String,
    script: Box<Script>,
    asked: Mutex<Vec<ChatRequest>>,
}

impl fmt::Debug for Scripted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scripted")
    }
}

impl Scripted {
    pub fn new(script: impl Fn(usize, &ChatRequest) -> Result<Reply, ModelError> + Send + Sync + 'static) -> Arc<Self> {
        Arc::new(Self { name: "scripted".to_owned(), script: Box::new(script), asked: Mutex::default() })
    }

    /// Always the same text.
    pub fn saying(text: &str) -> Arc<Self> {
        let text = text.to_owned();
        Self::new(move |_, _| Ok(reply(&text)))
    }

    /// These answers in turn; the last one is repeated.
    pub fn in_turn(answers: Vec<Result<Reply, ModelError>>) -> Arc<Self> {
        Self::new(move |turn, _| answers[turn.min(answers.len() - 1)].clone())
    }

    pub fn asked(&self) -> Vec<ChatRequest> {
        self.asked.lock().unwrap().clone()
    }
}

impl ChatModel for Scripted {
    fn name(&self) -> &str {
        &self.name
    }

    fn chat(&self, request: ChatRequest) -> ChatFuture<'_> {
        let turn = {
            let mut asked = self.asked.lock().unwrap();
            asked.push(request.clone());
            asked.len() - 1
        };
        let answer = (self.script)(turn, &request);
        Box::pin(async move { answer })
    }
}

pub fn reply(text: &str) -> Reply {
    Reply {
        text: text.to_owned(),
        finish: Finish::Stop,
        model: "scripted".to_owned(),
        usage: None,
        elapsed: Duration::ZERO,
    }
}

/// An answer that ended at the limit of its tokens.
pub fn cut(text: &str) -> Reply {
    Reply { finish: Finish::TokenLimit, ..reply(text) }
}

pub fn unreachable() -> ModelError {
    ModelError::Connect { model: "scripted".to_owned() }
}

pub fn soon() -> Instant {
    Instant::now() + Duration::from_secs(30)
}

/// What stands between the two lines of a fence.
pub fn fenced(question: &str) -> &str {
    let start = question.find("<<<<<< BEGIN").expect("a fence");
    let inside = question[start..].split_once('\n').unwrap().1;
    inside.rsplit_once("\n>>>>>> END").unwrap().0
}
