//! Requests that contradict their task, whatever the catalogue holds.

use lwa_domain::{Pipeline, TaskKind};
use thiserror::Error;

use crate::capability_set::CapabilitySet;
use crate::request::Request;

/// A request that no catalogue could serve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum InvalidRequest {
    /// The required capabilities leave out some that the task needs.
    #[error("the capabilities for `{task}` have to include {missing}; it needs {needed}")]
    CapabilitiesTooFew {
        /// The task.
        task: TaskKind,
        /// What the task needs.
        needed: CapabilitySet,
        /// What the request left out.
        missing: CapabilitySet,
    },
    /// A reasoning effort for a picture or a film.
    #[error("`{0}` takes no reasoning effort")]
    EffortForMedia(TaskKind),
    /// A response format for a picture or a film.
    #[error("`{0}` takes no response format")]
    FormatForMedia(TaskKind),
}

impl Request<'_> {
    /// Whether the request agrees with its task.
    ///
    /// A decision refuses a request that does not, but candidate by candidate; this says it in one sentence.
    ///
    /// # Errors
    /// The first contradiction.
    pub fn check(&self) -> Result<(), InvalidRequest> {
        let task = self.task;
        let needed: CapabilitySet = task.required_capabilities().iter().collect();
        if let Some(given) = self.capabilities {
            let missing = needed.without(given);
            if !missing.is_empty() {
                return Err(InvalidRequest::CapabilitiesTooFew { task, needed, missing });
            }
        }
        if self.is_for_media() && self.reasoning_effort.is_some() {
            return Err(InvalidRequest::EffortForMedia(task));
        }
        if self.is_for_media() && self.wants_structured {
            return Err(InvalidRequest::FormatForMedia(task));
        }
        Ok(())
    }

    /// Whether the task makes a picture or a film.
    pub(crate) fn is_for_media(&self) -> bool {
        matches!(self.task.pipeline(), Pipeline::Image | Pipeline::Video)
    }
}
