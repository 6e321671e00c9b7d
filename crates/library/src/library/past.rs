//! The history of a tool.

use super::Library;
use super::scripts::withdraw;
use crate::content::ContentId;
use crate::error::LibraryError;
use crate::files::{self, Mode};
use crate::manifest::{Manifest, ToolKind, next_version};
use crate::slug::Slug;
use crate::template::Template;
use crate::versions::{Version, Versions};

impl Library {
    /// Every content that was accepted for the tool, oldest first.
    ///
    /// # Errors
    /// There is none of this name, or its history cannot be read.
    pub fn history(&self, slug: &Slug) -> Result<Vec<Version>, LibraryError> {
        self.get(slug)?;
        Ok(Versions::of(&self.folder_of(slug)).list())
    }

    /// The content of one version.
    ///
    /// # Errors
    /// There is no such tool or version, or the kept content is no longer what it was.
    pub fn version_content(&self, slug: &Slug, id: &ContentId) -> Result<String, LibraryError> {
        self.get(slug)?;
        Versions::of(&self.folder_of(slug))
            .read(id)
            .and_then(|content| String::from_utf8(content).ok())
            .ok_or_else(|| LibraryError::UnknownVersion { slug: slug.clone(), id: id.clone() })
    }

    /// Puts an old content into force, as a new version. A script needs its approval again.
    ///
    /// # Errors
    /// There is no such tool or version, or the folder cannot be used.
    pub fn restore(&self, slug: &Slug, id: &ContentId) -> Result<Manifest, LibraryError> {
        let content = self.version_content(slug, id)?;
        let now = self.now();
        self.edit(slug, |manifest| {
            // What lies there counts, not what is written about it: the file may be gone or edited.
            if self.content_of(manifest).is_ok_and(|present| ContentId::of(&present) == *id) {
                return Ok(());
            }
            manifest.version = next_version(&manifest.version);
            let folder = self.folder_of(slug);
            match manifest.kind {
                ToolKind::PromptRecipe => manifest.prompt_template = Template::parse(&content)?,
                ToolKind::Script => {
                    super::scripts::check_file_name(&manifest.entrypoint)?;
                    files::replace(&folder.join(&manifest.entrypoint), content.as_bytes(), Mode::Program)?;
                    withdraw(manifest);
                }
            }
            let accepted = Versions::of(&folder).accept(content.as_bytes(), &manifest.version, now)?;
            manifest.content_id = Some(accepted);
            Ok(())
        })
    }
}
