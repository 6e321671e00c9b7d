//! Counting tokens: where a server can, and without one.

mod bpe;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use tokio::time::Instant;

pub use bpe::LocalBpe;

use super::{Availability, LocalModel, wire};
use crate::model::ModelError;

/// How long nobody is asked after nobody could count.
const OFF_FOR: Duration = Duration::from_mins(10);

/// A count that is on its way.
pub type CountFuture<'a> = Pin<Box<dyn Future<Output = Result<u64, ModelError>> + Send + 'a>>;

/// Something that counts the tokens of a text.
pub trait Tokenizer: Send + Sync + fmt::Debug {
    /// Counts, before the deadline.
    fn count_tokens<'a>(&'a self, text: &'a str, deadline: Instant) -> CountFuture<'a>;
}

impl LocalModel {
    /// Servers speak one of two dialects, and one of them answers the other with an empty list.
    async fn count(&self, text: &str, deadline: Instant) -> Result<u64, ModelError> {
        if text.is_empty() {
            return Ok(0);
        }
        let url = self.tokenize_url();
        let first = json!({"model": self.model, "prompt": text, "add_special_tokens": false});
        match self.exchange(Method::POST, url.clone(), Some(&first), deadline).await {
            Ok(body) => match wire::token_count(&body) {
                Ok(count) if count > 0 => return Ok(count),
                Ok(_) => {}
                Err(what) => return Err(self.protocol(what)),
            },
            Err(ModelError::Status { status: 400 | 404 | 405 | 415 | 422, .. }) => {}
            Err(error) => return Err(error),
        }
        let second = json!({"content": text});
        let body = self.exchange(Method::POST, url, Some(&second), deadline).await?;
        match wire::token_count(&body) {
            Ok(count) if count > 0 => Ok(count),
            Ok(_) => Err(self.protocol("it counts no tokens in a text")),
            Err(what) => Err(self.protocol(what)),
        }
    }
}

impl Tokenizer for LocalModel {
    fn count_tokens<'a>(&'a self, text: &'a str, deadline: Instant) -> CountFuture<'a> {
        Box::pin(self.count(text, deadline))
    }
}

/// Counts with whichever worker can, in the order of failover, and leaves them alone for a while when none can.
#[derive(Debug)]
pub struct TokenCounter {
    workers: Vec<Arc<dyn Tokenizer>>,
    availability: Arc<Availability>,
    off_until: Mutex<Option<Instant>>,
}

impl TokenCounter {
    /// Workers with the first one first, and the marks that their failover keeps.
    pub fn new(workers: Vec<Arc<dyn Tokenizer>>, availability: Arc<Availability>) -> Self {
        Self { workers, availability, off_until: Mutex::new(None) }
    }

    /// What was gathered and what was returned, counted at the same time by the same means: one without the other is no
    /// measure of what was saved.
    pub async fn count_both(&self, gathered: &str, returned: &str, deadline: Instant) -> Option<(u64, u64)> {
        let (gathered, returned) = futures_util::join!(self.count(gathered, deadline), self.count(returned, deadline));
        Some((gathered?, returned?))
    }

    /// The number of tokens; none if nobody can count, and then for ten minutes without asking.
    pub async fn count(&self, text: &str, deadline: Instant) -> Option<u64> {
        let off_until = *self.off_until.lock().unwrap_or_else(PoisonError::into_inner);
        if self.workers.is_empty() || off_until.is_some_and(|until| Instant::now() < until) {
            return None;
        }
        let mut order: Vec<&Arc<dyn Tokenizer>> = self.workers.iter().collect();
        if self.availability.primary_down_for().is_some() {
            order.rotate_left(1);
        }
        for worker in order {
            if let Ok(count) = worker.count_tokens(text, deadline).await {
                return Some(count);
            }
        }
        *self.off_until.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now() + OFF_FOR);
        None
    }
}
