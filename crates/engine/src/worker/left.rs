//! What a host that died left behind: commands that still run, raw output that nobody reads, files without a row.

use std::io;
use std::path::Path;

use lwa_protocol::Failure;

use crate::engine::Engine;
use crate::{failure, tokens};

/// What [`lwa_worker::artifact::ArtifactFolder::spill_path`] adds to a name.
const SPILL: &str = "part";

/// Files that were removed, and their bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Cleared {
    pub files: u64,
    pub bytes: u64,
}

impl Engine {
    /// Ends what an earlier host of this home was running when it died, and removes the output that it was writing down.
    /// Only a host that holds the lock may call this: nobody else runs anything for this home then.
    ///
    /// # Errors
    /// The disk refuses.
    pub async fn remove_what_was_left(&self) -> Result<(), Failure> {
        let owner = self.run_owner();
        let folder = self.home.artifacts_folder();
        let (ended, removed) = tokio::task::spawn_blocking(move || {
            let ended = lwa_process::end_left_behind(&owner);
            (ended, remove_spills(&folder))
        })
        .await
        .map_err(|_| failure::unexpected())?;
        let removed = removed.map_err(|error| disk(&error))?;
        if ended > 0 || removed > 0 {
            tracing::warn!(ended, removed, "an earlier host died during its work; what it left was ended and removed");
        }
        Ok(())
    }

    /// The name under which this home's runs can be told from those of others.
    pub(crate) fn run_owner(&self) -> String {
        let hash = tokens::text_hash(&self.home.database().to_string_lossy());
        hash.get(..16).unwrap_or(&hash).to_owned()
    }

    /// Removes whatever lies in the folder of a conversation that is gone, whether anything knows of it or not.
    pub(super) fn clear_artifact_folder(&self, key: &str) -> Result<Cleared, Failure> {
        clear(&self.artifact_path(key)).map_err(|error| disk(&error))
    }
}

fn remove_spills(folder: &Path) -> io::Result<usize> {
    let mut removed = 0;
    for session in listed(folder)? {
        if !std::fs::symlink_metadata(&session).is_ok_and(|facts| facts.is_dir()) {
            continue;
        }
        for file in listed(&session)? {
            if file.extension().is_some_and(|extension| extension == SPILL) {
                std::fs::remove_file(file)?;
                removed += 1;
            }
        }
    }
    Ok(removed)
}

fn clear(folder: &Path) -> io::Result<Cleared> {
    let mut cleared = Cleared::default();
    for file in listed(folder)? {
        let facts = std::fs::symlink_metadata(&file)?;
        if facts.is_dir() {
            std::fs::remove_dir_all(&file)?;
            continue;
        }
        std::fs::remove_file(&file)?;
        // What stands beside a text is no file of its own to whoever reads the count.
        if file.extension().is_none_or(|extension| extension != "json") {
            cleared.files += 1;
            cleared.bytes += facts.len();
        }
    }
    match std::fs::remove_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(cleared),
    }
}

fn listed(folder: &Path) -> io::Result<Vec<std::path::PathBuf>> {
    match std::fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| entry.map(|entry| entry.path())).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

fn disk(error: &io::Error) -> Failure {
    Failure::new(lwa_domain::ErrorCode::Internal, format!("stored materials cannot be removed: {error}"))
        .hint("look at the rights of the folder `artifacts` in the state folder")
}
