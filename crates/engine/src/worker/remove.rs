//! Removing a conversation: its work is ended first, nothing of it comes back, and no placeholder of it is given again.

use std::collections::BTreeMap;

use lwa_domain::ErrorCode;
use lwa_privacy::{Kind, Placeholder};
use lwa_protocol::{Event, Failure};
use lwa_worker::observer::EndState;

use super::left::Cleared;
use super::session::Session;
use crate::engine::{Engine, locked};
use crate::{failure, tokens};

impl Engine {
    /// Removes a session with everything of it. Its work is ended first.
    ///
    /// # Errors
    /// Its work does not end, or something cannot be removed.
    pub(super) async fn remove_session(&self, key: &str) -> Result<Cleared, Failure> {
        let _removing = Removing::begin(self, key);
        self.end_work(key).await?;
        let held = match self.session_in_memory(key) {
            Some(session) => {
                let work = {
                    let held = session.clone().lock_owned().await;
                    held.removed.cancel();
                    held.work.clone()
                };
                // A compaction holds it, and lets it go now.
                drop(work.lock_owned().await);
                Some(session.lock_owned().await)
            }
            None => None,
        };
        let removed = self.remove_stored(key, held.as_deref()).await;
        // Where something could not be removed, the next call reads the session again.
        locked(&self.worker.sessions.loaded).remove(key);
        let cleared = removed?;
        self.forget_session(key);
        self.emit(Event::WorkerChanged { session: key.to_owned() });
        Ok(cleared)
    }

    async fn remove_stored(&self, key: &str, session: Option<&Session>) -> Result<Cleared, Failure> {
        if let Some(session) = session {
            self.store_vault(session).await?;
        }
        self.keep_given(key).await?;
        self.remove_artifact_files(key, None).await?;
        let cleared = self.clear_artifact_folder(key)?;
        self.db.delete_worker_session(key).await.map_err(failure::store)?;
        Ok(cleared)
    }

    /// Ends what is in hand for a session, so that nothing of it comes back behind a removal.
    ///
    /// # Errors
    /// It does not end.
    pub(super) async fn end_work(&self, key: &str) -> Result<(), Failure> {
        if self.worker.jobs.end_conversation(key).await {
            return Ok(());
        }
        Err(Failure::new(ErrorCode::Internal, format!("what session `{key}` is working on could not be ended"))
            .hint("nothing was removed; try again when its calls have ended"))
    }

    /// The last placeholder of each kind that a removed session of this key has given.
    pub(super) async fn given_before(&self, key: &str) -> Result<Vec<Placeholder>, Failure> {
        let kept = self.db.setting(&given_setting(key)).await.map_err(failure::store)?.unwrap_or_default();
        Ok(kept.split_whitespace().filter_map(Placeholder::parse).collect())
    }

    /// Keeps which placeholders a session has given, before it is removed: a client may still know them, and none of
    /// them is to stand for another value. Numbers are kept, and no values.
    async fn keep_given(&self, key: &str) -> Result<(), Failure> {
        let journal = self.db.worker_vault(key).await.map_err(failure::store)?;
        let of_line = |line: &String| {
            let line: serde_json::Value = serde_json::from_str(line).ok()?;
            Placeholder::parse(line.get("placeholder")?.as_str()?)
        };
        let given: Vec<Placeholder> = journal.iter().filter_map(of_line).collect();
        self.add_given(key, given).await
    }

    /// Keeps that placeholders were given, beside those that are known to have been.
    pub(super) async fn add_given(&self, key: &str, given: Vec<Placeholder>) -> Result<(), Failure> {
        let mut last: BTreeMap<Kind, u32> = BTreeMap::new();
        for placeholder in given.into_iter().chain(self.given_before(key).await?) {
            let number = last.entry(placeholder.kind).or_default();
            *number = placeholder.number.max(*number);
        }
        if last.is_empty() {
            return Ok(());
        }
        let kept: Vec<String> =
            last.into_iter().map(|(kind, number)| Placeholder { kind, number }.to_string()).collect();
        let kept = kept.join(" ");
        self.db.set_setting(&given_setting(key), Some(&kept), self.now()).await.map_err(failure::store)
    }

    /// Forgets a session that was removed.
    pub(crate) fn forget_session(&self, key: &str) {
        locked(&self.worker.sessions.loaded).remove(key);
        self.observe_end(key, EndState::Done);
    }
}

/// A key that no call works for, until the answer is dropped.
struct Removing<'e> {
    engine: &'e Engine,
    key: String,
}

impl<'e> Removing<'e> {
    fn begin(engine: &'e Engine, key: &str) -> Self {
        locked(&engine.worker.sessions.removing).insert(key.to_owned());
        Self { engine, key: key.to_owned() }
    }
}

impl Drop for Removing<'_> {
    fn drop(&mut self) {
        locked(&self.engine.worker.sessions.removing).remove(&self.key);
    }
}

pub(super) fn being_removed() -> Failure {
    Failure::new(ErrorCode::NotFound, "this conversation was removed from the worker while the call was in hand")
        .hint("repeat the call; it begins anew")
}

/// Where the placeholders of a removed session are remembered. Its key is not told.
fn given_setting(key: &str) -> String {
    format!("worker.given.{}", tokens::text_hash(key))
}
