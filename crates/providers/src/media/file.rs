//! Files of ours: named by us, private, whole or not there, and never in the place of another.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use lwa_domain::PlanId;
use tempfile::NamedTempFile;

use super::fetch::FetchError;
use super::format::{FileFormat, HEAD_BYTES, Stranger};

/// More files than one plan could ever make.
const MOST_FILES: u32 = 1000;

/// An image or video in memory, whose bytes were looked at.
#[derive(Clone, PartialEq, Eq)]
pub struct MediaFile {
    bytes: Vec<u8>,
    format: FileFormat,
}

/// Prints sizes, never bytes.
impl fmt::Debug for MediaFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MediaFile").field("format", &self.format).field("bytes", &self.bytes.len()).finish()
    }
}

impl MediaFile {
    /// Takes bytes that are an image or a video.
    pub(crate) fn new(bytes: Vec<u8>) -> Result<Self, Stranger> {
        let format = FileFormat::sniff(bytes.get(..HEAD_BYTES).unwrap_or(&bytes))?;
        Ok(Self { bytes, format })
    }

    /// What it is.
    pub fn format(&self) -> FileFormat {
        self.format
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// A file that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedFile {
    /// Where.
    pub path: PathBuf,
    /// What it is, which may differ from what was asked for.
    pub format: FileFormat,
    /// How large.
    pub bytes: u64,
}

/// The place for one plan's files.
#[derive(Debug, Clone)]
pub struct MediaFolder {
    folder: PathBuf,
    stem: String,
}

impl MediaFolder {
    /// Files of `plan` in `folder`, which is made if it is missing, for its owner alone.
    pub fn open(folder: &Path, plan: &PlanId) -> Result<Self, FetchError> {
        let stem = plan.as_str();
        let is_plain = (1..=64).contains(&stem.len())
            && stem.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        if !is_plain {
            return Err(FetchError::PlanName);
        }
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(folder).map_err(FetchError::Write)?;
        Ok(Self { folder: folder.to_owned(), stem: stem.to_owned() })
    }

    /// Writes what came with a reply.
    pub async fn save(&self, file: &MediaFile) -> Result<SavedFile, FetchError> {
        let mut draft = self.draft()?;
        draft.push(&file.bytes)?;
        draft.keep().await
    }

    /// A file in the making; it is gone if it is not kept.
    pub(crate) fn draft(&self) -> Result<Draft, FetchError> {
        // Such a file is made for its owner alone, under a name that nobody can foresee.
        let file = tempfile::Builder::new()
            .prefix(".lwa-media-")
            .suffix(".part")
            .tempfile_in(&self.folder)
            .map_err(FetchError::Write)?;
        Ok(Draft { file, home: self.clone(), head: Vec::new(), bytes: 0 })
    }
}

/// A file in the making.
#[derive(Debug)]
pub(crate) struct Draft {
    file: NamedTempFile,
    home: MediaFolder,
    head: Vec<u8>,
    bytes: u64,
}

impl Draft {
    pub(crate) fn len(&self) -> u64 {
        self.bytes
    }

    /// Adds bytes; the write goes to the system's cache and is short.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), FetchError> {
        let missing = HEAD_BYTES.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend(bytes.iter().take(missing));
        self.bytes += bytes.len() as u64;
        self.file.write_all(bytes).map_err(FetchError::Write)
    }

    /// What it has turned out to be. Sure once there are [`HEAD_BYTES`], or at the end.
    pub(crate) fn sniff(&self) -> Result<FileFormat, Stranger> {
        FileFormat::sniff(&self.head)
    }

    /// Whether what has arrived is enough to be sure.
    pub(crate) fn is_decided(&self) -> bool {
        self.head.len() == HEAD_BYTES
    }

    /// Gives the file its name, if it is one that is kept.
    ///
    /// It is on the disk before it has a name, and the name is taken only if it is free.
    pub(crate) async fn keep(self) -> Result<SavedFile, FetchError> {
        let format = self.sniff().map_err(|found| FetchError::NotMedia { found })?;
        // Waiting for the disk would hold up every other task of this thread.
        tokio::task::spawn_blocking(move || self.persist(format))
            .await
            .map_err(|error| FetchError::Write(io::Error::other(error)))?
    }

    fn persist(self, format: FileFormat) -> Result<SavedFile, FetchError> {
        let Self { mut file, home, bytes, .. } = self;
        file.as_file().sync_all().map_err(FetchError::Write)?;
        for number in 1..=MOST_FILES {
            let path = home.folder.join(format!("{}-{number}.{}", home.stem, format.extension()));
            match file.persist_noclobber(&path) {
                Ok(_) => {
                    sync_folder(&home.folder)?;
                    return Ok(SavedFile { path, format, bytes });
                }
                Err(taken) if taken.error.kind() == io::ErrorKind::AlreadyExists => file = taken.file,
                Err(other) => return Err(FetchError::Write(other.error)),
            }
        }
        Err(FetchError::Write(io::Error::from(io::ErrorKind::AlreadyExists)))
    }
}

/// A name is safe once the folder that holds it is.
fn sync_folder(folder: &Path) -> Result<(), FetchError> {
    #[cfg(unix)]
    std::fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(FetchError::Write)?;
    #[cfg(not(unix))]
    let _the_system_does_it = folder;
    Ok(())
}
