//! The folder of a conversation's artifacts: for the user's eyes only.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::{ArtifactFacts, ArtifactRef, CUT, MOST_BYTES};
use crate::material::plain_text;

/// Why an artifact was not stored or read.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    /// There is none of that name in this conversation.
    #[error("no artifact `{0}` in this conversation")]
    Unknown(ArtifactRef),
    /// The name is taken; another has to be drawn.
    #[error("the artifact `{0}` exists already")]
    Taken(ArtifactRef),
    /// What stands beside it cannot be read.
    #[error("what is stored about the artifact `{artifact}` cannot be read")]
    Facts {
        /// Which one.
        artifact: ArtifactRef,
        /// Why.
        source: serde_json::Error,
    },
    /// The disk refused.
    #[error("cannot {what} an artifact: {source}")]
    Disk {
        /// What was tried.
        what: &'static str,
        /// Why.
        source: io::Error,
    },
}

/// A folder with artifacts. All of it blocks, so callers on a runtime use a thread for blocking work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactFolder {
    path: PathBuf,
}

impl ArtifactFolder {
    /// Opens the folder, and makes it when it is not there. Others are shut out of it either way.
    ///
    /// # Errors
    /// The disk refuses, or there is something else of that name.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, ArtifactError> {
        let path = path.into();
        let failed = disk("open the folder of");
        DirBuilder::new().recursive(true).mode(0o700).create(&path).map_err(&failed)?;
        let found = fs::symlink_metadata(&path).map_err(&failed)?;
        if !found.is_dir() {
            return Err(failed(io::ErrorKind::NotADirectory.into()));
        }
        if found.permissions().mode() & 0o077 != 0 {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).map_err(&failed)?;
        }
        Ok(Self { path })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where a command may write the whole of its output, until [`ArtifactFolder::adopt`] or a removal.
    pub fn spill_path(&self, artifact: &ArtifactRef) -> PathBuf {
        self.path.join(format!("{artifact}.part"))
    }

    /// Stores a text.
    ///
    /// # Errors
    /// The name is taken, or the disk refuses; then nothing of it is left.
    pub fn store(&self, artifact: &ArtifactRef, text: &str, facts: &ArtifactFacts) -> Result<(), ArtifactError> {
        let mut file = self.create(artifact)?;
        let written = file.write_all(text.as_bytes()).map_err(disk("write")).and_then(|()| self.note(artifact, facts));
        if written.is_err() {
            self.remove(artifact)?;
        }
        written
    }

    /// Takes over what a command wrote to [`ArtifactFolder::spill_path`].
    ///
    /// # Errors
    /// The name is taken, or the disk refuses.
    pub fn adopt(&self, artifact: &ArtifactRef, facts: &ArtifactFacts) -> Result<(), ArtifactError> {
        // The name is taken first, so that a rename never replaces another artifact.
        drop(self.create(artifact)?);
        let moved = fs::rename(self.spill_path(artifact), self.text_path(artifact))
            .map_err(disk("move"))
            .and_then(|()| self.note(artifact, facts));
        if moved.is_err() {
            self.remove(artifact)?;
        }
        moved
    }

    /// The text of an artifact, as a reader sees it: without colours, with what is no UTF-8 replaced, and cut where it is
    /// longer than what can be scrubbed.
    ///
    /// # Errors
    /// There is none, or the disk refuses.
    pub fn read(&self, artifact: &ArtifactRef) -> Result<String, ArtifactError> {
        let path = self.text_path(artifact);
        let file = OpenOptions::new().read(true).open(path).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => ArtifactError::Unknown(artifact.clone()),
            _ => ArtifactError::Disk { what: "open", source },
        })?;
        let mut content = Vec::new();
        let most = u64::try_from(MOST_BYTES).unwrap_or(u64::MAX);
        let _ = file.take(most.saturating_add(1)).read_to_end(&mut content).map_err(disk("read"))?;
        let text =
            String::from_utf8(content).unwrap_or_else(|bad| String::from_utf8_lossy(bad.as_bytes()).into_owned());
        let text = match plain_text(&text) {
            std::borrow::Cow::Borrowed(_) => text,
            std::borrow::Cow::Owned(plain) => plain,
        };
        Ok(within_limit(text))
    }

    /// What stands beside an artifact.
    ///
    /// # Errors
    /// There is none, or it cannot be read.
    pub fn facts(&self, artifact: &ArtifactRef) -> Result<ArtifactFacts, ArtifactError> {
        let text = fs::read_to_string(self.facts_path(artifact)).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => ArtifactError::Unknown(artifact.clone()),
            _ => ArtifactError::Disk { what: "read the facts of", source },
        })?;
        serde_json::from_str(&text).map_err(|source| ArtifactError::Facts { artifact: artifact.clone(), source })
    }

    /// Every artifact of the folder, by name.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub fn list(&self) -> Result<Vec<ArtifactRef>, ArtifactError> {
        let entries = fs::read_dir(&self.path).map_err(disk("list"))?;
        let mut found: Vec<ArtifactRef> = entries
            .filter_map(Result::ok)
            .filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".txt")?.parse().ok())
            .collect();
        found.sort();
        Ok(found)
    }

    /// Removes an artifact and everything beside it. What is not there is no failure.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn remove(&self, artifact: &ArtifactRef) -> Result<(), ArtifactError> {
        for path in [self.text_path(artifact), self.facts_path(artifact), self.spill_path(artifact)] {
            match fs::remove_file(path) {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(ArtifactError::Disk { what: "remove", source });
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn create(&self, artifact: &ArtifactRef) -> Result<File, ArtifactError> {
        let open = OpenOptions::new().write(true).create_new(true).mode(0o600).open(self.text_path(artifact));
        open.map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => ArtifactError::Taken(artifact.clone()),
            _ => ArtifactError::Disk { what: "create", source },
        })
    }

    fn note(&self, artifact: &ArtifactRef, facts: &ArtifactFacts) -> Result<(), ArtifactError> {
        let json = serde_json::to_string(facts)
            .map_err(|source| ArtifactError::Facts { artifact: artifact.clone(), source })?;
        let path = self.facts_path(artifact);
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(path)
            .map_err(disk("write the facts of"))?;
        file.write_all(json.as_bytes()).map_err(disk("write the facts of"))
    }

    fn text_path(&self, artifact: &ArtifactRef) -> PathBuf {
        self.path.join(format!("{artifact}.txt"))
    }

    fn facts_path(&self, artifact: &ArtifactRef) -> PathBuf {
        self.path.join(format!("{artifact}.json"))
    }
}

/// A sign in place of a byte is longer than the byte, and an older version kept longer texts, so that even a kept text can
/// be too long.
fn within_limit(mut text: String) -> String {
    if text.len() > MOST_BYTES {
        text.truncate(text.floor_char_boundary(MOST_BYTES - CUT.len()));
        text.push_str(CUT);
    }
    text
}

fn disk(what: &'static str) -> impl Fn(io::Error) -> ArtifactError {
    move |source| ArtifactError::Disk { what, source }
}
