//! A connection that learns late which conversation it works for: what it had goes along.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use lwa_protocol::Failure;
use lwa_worker::mode::Mode;
use tokio::sync::Mutex as AsyncMutex;

use super::identity::{SessionKey, Source};
use super::session::{Session, Surroundings};
use crate::caller::Caller;
use crate::engine::{Engine, locked};
use crate::failure;

impl Engine {
    /// A connection that had no conversation to name may name one now; what it had goes along. Where it cannot yet, since
    /// something is in hand there, its key comes back.
    ///
    /// Only a session of the connection itself is taken over: one that a variable named may be another conversation,
    /// which the client has left.
    pub(super) async fn adopt_what_was_before(
        &self,
        caller: &Caller,
        key: &SessionKey,
        surroundings: &Surroundings,
    ) -> Result<Option<String>, Failure> {
        let connection = caller.session.as_str();
        let own = self.worker.conversations.resolve(caller, &[])?.key;
        let is_next = || {
            let served = locked(&self.worker.served);
            key.source != Source::Connection
                && key.key != own
                && served.get(connection).is_some_and(|served| served.last == own)
        };
        if !is_next() {
            self.serve(connection, &key.key, true);
            return Ok(None);
        }
        let _making = self.worker.sessions.making.lock().await;
        // Another call of the connection may have done it meanwhile.
        if is_next()
            && let Some(shared) = self.loaded_session(&own).await?
        {
            let work = shared.clone().lock_owned().await.work.clone();
            let working = if self.worker.jobs.are_in_hand(&own) { None } else { work.try_lock_owned().ok() };
            let Some(_working) = working else {
                self.serve(connection, &key.key, false);
                return Ok(Some(own));
            };
            self.adopt(&own, &shared, key, surroundings).await?;
        }
        self.serve(connection, &key.key, true);
        Ok(None)
    }

    /// Notes whom a connection works for.
    fn serve(&self, connection: &str, key: &str, is_last: bool) {
        let mut served = locked(&self.worker.served);
        let served = served.entry(connection.to_owned()).or_default();
        served.all.insert(key.to_owned());
        if is_last {
            key.clone_into(&mut served.last);
        }
    }

    /// Keys of the sessions whose client is connected.
    pub(super) fn served_sessions(&self) -> BTreeSet<String> {
        let connected = self.surfaces.sessions();
        let served = locked(&self.worker.served);
        let in_use = served.iter().filter(|(connection, _)| connected.contains(connection.as_str()));
        in_use.flat_map(|(_, served)| served.all.iter().cloned()).collect()
    }

    /// Puts a session under another key, or into the session that has it.
    async fn adopt(
        &self,
        before: &str,
        old: &Arc<AsyncMutex<Session>>,
        key: &SessionKey,
        surroundings: &Surroundings,
    ) -> Result<(), Failure> {
        let mut old = old.clone().lock_owned().await;
        self.store_vault(&old).await?;
        if let Some(target) = self.loaded_session(&key.key).await? {
            let mut target = target.lock_owned().await;
            let old_vault = std::mem::take(&mut *locked(&old.vault));
            let lines = {
                let mut vault = locked(&target.vault);
                // Whatever it learnt is written as part of the whole journal below.
                let _ = vault.take_records();
                vault.adopt(old_vault);
                vault.take_records()
            };
            let mut journal = self.db.worker_vault(&key.key).await.map_err(failure::store)?;
            journal.extend(lines.iter().map(|record| record.to_line().to_string()));
            self.db.adopt_worker_session(before, &key.key, &journal).await.map_err(failure::store)?;
            old.removed.cancel();
            target.previous_keys.push(before.to_owned());
            move_files(&self.artifact_path(before), &self.artifact_path(&key.key));
            let (was_open, is_open) = (old.exposure(surroundings), target.exposure(surroundings));
            let is_narrower = was_open.open_kinds().into_iter().any(|kind| is_open.masks(kind));
            if old.mode == Mode::Pii && target.mode != Mode::Pii {
                self.switch_mode(&mut target, surroundings, Mode::Pii).await?;
            } else if is_narrower || old.mode != target.mode {
                // What was remembered under a wider rule is hidden as if the rule had been narrowed.
                self.vault_memory(&mut target, surroundings).await?;
            }
            self.db.put_worker_session(&target.record()?).await.map_err(failure::store)?;
        } else {
            self.db.rename_worker_session(before, &key.key, key.source.as_str()).await.map_err(failure::store)?;
            old.previous_keys.push(before.to_owned());
            old.key.clone_from(&key.key);
            key.source.as_str().clone_into(&mut old.source);
            move_files(&self.artifact_path(before), &self.artifact_path(&key.key));
            self.db.put_worker_session(&old.record()?).await.map_err(failure::store)?;
        }
        {
            let mut loaded = locked(&self.worker.sessions.loaded);
            if let Some(session) = loaded.remove(before) {
                loaded.entry(key.key.clone()).or_insert(session);
            }
        }
        self.worker.jobs.move_results(before, &key.key);
        self.observe_identity(before, &key.key);
        Ok(())
    }
}

fn move_files(from: &Path, to: &Path) {
    let Ok(entries) = std::fs::read_dir(from) else { return };
    if let Err(error) = std::fs::create_dir_all(to) {
        tracing::warn!(%error, "the stored materials of a session could not be moved");
        return;
    }
    for entry in entries.flatten() {
        if let Err(error) = std::fs::rename(entry.path(), to.join(entry.file_name())) {
            tracing::warn!(%error, "a stored material could not be moved");
        }
    }
    let _ = std::fs::remove_dir(from);
}
