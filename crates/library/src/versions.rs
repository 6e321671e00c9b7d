//! Every content that was ever accepted for a tool, kept under its own digest.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::content::ContentId;
use crate::error::LibraryError;
use crate::files::{self, Mode};

/// The folder inside a tool's folder.
pub(crate) const FOLDER: &str = "versions";
const LIST: &str = "versions.json";

/// One accepted content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// The digest of the content, which is also its file's name.
    pub id: ContentId,
    /// The version number that it was accepted as; empty when only the content was found.
    #[serde(default)]
    pub version: String,
    /// When it was accepted; none when only the content was found.
    #[serde(default)]
    pub accepted_at: Option<Timestamp>,
}

/// The versions of one tool.
#[derive(Debug)]
pub(crate) struct Versions {
    folder: PathBuf,
}

impl Versions {
    pub(crate) fn of(tool_folder: &Path) -> Self {
        Self { folder: tool_folder.join(FOLDER) }
    }

    fn path(&self, id: &ContentId) -> PathBuf {
        self.folder.join(id.as_str())
    }

    /// Keeps a content and notes it in the list, newest last. The content is on the disk before the
    /// list names it.
    pub(crate) fn accept(&self, content: &[u8], version: &str, now: Timestamp) -> Result<ContentId, LibraryError> {
        files::create_private(&self.folder)?;
        let id = ContentId::of(content);
        let mut list = self.list();
        files::replace_if_other(&self.path(&id), content, Mode::Data)?;
        let is_noted = list.last().is_some_and(|newest| newest.id == id && newest.accepted_at.is_some());
        if !is_noted {
            list.push(Version { id: id.clone(), version: version.to_owned(), accepted_at: Some(now) });
            self.write_list(&list)?;
        }
        Ok(id)
    }

    /// All versions, oldest first. What lies there without being listed comes first, with no time.
    pub(crate) fn list(&self) -> Vec<Version> {
        let listed: Vec<Version> = match fs::read(self.folder.join(LIST)) {
            // A list that cannot be read is made anew from the contents, which carry their own names.
            Ok(text) => serde_json::from_slice(&text).unwrap_or_default(),
            Err(_) => Vec::new(),
        };
        let mut list: Vec<Version> = self
            .contents()
            .into_iter()
            .filter(|id| !listed.iter().any(|version| version.id == *id))
            .map(|id| Version { id, version: String::new(), accepted_at: None })
            .collect();
        list.extend(listed);
        list
    }

    /// The contents that lie in the folder, by name.
    fn contents(&self) -> Vec<ContentId> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Vec::new() };
        let mut ids: Vec<ContentId> =
            entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
        ids.sort();
        ids
    }

    /// The content of a version. One that does not have its name as its digest is not given out.
    pub(crate) fn read(&self, id: &ContentId) -> Option<Vec<u8>> {
        fs::read(self.path(id)).ok().filter(|content| ContentId::of(content) == *id)
    }

    fn write_list(&self, list: &[Version]) -> Result<(), LibraryError> {
        let text = serde_json::to_vec_pretty(list).map_err(LibraryError::Unwritable)?;
        files::replace(&self.folder.join(LIST), &text, Mode::Data)
    }
}
