//! The library's folder as one thing: reading it, changing it under a lock, and keeping it whole.

mod change;
mod check;
mod past;
mod recipe;
mod scripts;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;

pub use check::Finding;
pub use recipe::{Activation, Author, Evidence, NewRecipe, RecipeChange};
pub use scripts::NewScript;

use crate::content::ContentId;
use crate::error::LibraryError;
use crate::files;
use crate::key::InstallationKey;
use crate::manifest::{Manifest, ToolKind, ToolStatus};
use crate::registry::{Loaded, Registry};
use crate::slug::Slug;

/// The folder of the tools.
pub(crate) const TOOLS: &str = "tools";
/// The description of a tool.
pub(crate) const DESCRIPTION: &str = "tool.yaml";
/// The page of a tool, and of the library.
pub(crate) const PAGE: &str = "README.md";
/// How the name of a folder begins whose tool is being made.
pub(crate) const MAKING: &str = ".making";
/// How the name of a folder begins whose tool is being deleted.
pub(crate) const LEAVING: &str = ".leaving";
/// The list for people.
pub(crate) const CATALOGUE: &str = "CATALOG.md";

/// Where the time comes from.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// A handle to the library. Copies share their notices; processes share the folder through a lock.
#[derive(Clone)]
pub struct Library {
    root: PathBuf,
    key: InstallationKey,
    clock: Clock,
    notices: Arc<Mutex<Vec<Notice>>>,
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Library").field("root", &self.root).finish_non_exhaustive()
    }
}

/// Something that a person should hear of, although the operation went on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The registry could not be read. It was set aside and built anew from the tools' own files.
    RegistryRebuilt {
        /// Where the unreadable file is now; none when there was no file.
        set_aside: Option<PathBuf>,
        /// How many tools were found.
        tools: usize,
        /// Folders whose description could not be read; they were left as they are.
        unreadable: Vec<PathBuf>,
    },
    /// Something was out of step and is repaired.
    Repaired(Finding),
}

/// Everything about one tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolView {
    /// Its description.
    pub manifest: Manifest,
    /// Its folder.
    pub folder: PathBuf,
    /// Its page for people.
    pub page: String,
    /// Its description as it stands on the disk.
    pub description: String,
    /// The template of a recipe or the source of a script, as it is now.
    pub content: String,
    /// The address of that content: what an approval has to name.
    pub content_id: ContentId,
}

impl Library {
    /// Opens the library in `root`, and makes it when it is not there. What is out of step is repaired
    /// and told by [`Library::take_notices`].
    ///
    /// # Errors
    /// The folder cannot be read or written.
    pub fn open(root: &Path, key: InstallationKey, clock: Clock) -> Result<Self, LibraryError> {
        let library = Self { root: root.to_owned(), key, clock, notices: Arc::default() };
        files::create_private(root)?;
        files::create_private(&library.tools_folder())?;
        library.heal()?;
        Ok(library)
    }

    /// The library's folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The list for people.
    pub fn catalogue_path(&self) -> PathBuf {
        self.root.join(CATALOGUE)
    }

    /// What happened since the last call that a person should hear of.
    pub fn take_notices(&self) -> Vec<Notice> {
        std::mem::take(&mut *self.notices.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The tools, newest change first; all of them, or those of one status.
    ///
    /// # Errors
    /// The folder cannot be used.
    pub fn list(&self, status: Option<ToolStatus>) -> Result<Vec<Manifest>, LibraryError> {
        let mut tools: Vec<Manifest> = self.registry()?.tools().iter().map(|tool| self.judged(tool)).collect();
        tools.retain(|tool| status.is_none_or(|status| tool.status == status));
        tools.sort_by(|a, b| b.updated_at.cmp(&a.updated_at).then_with(|| a.slug.cmp(&b.slug)));
        Ok(tools)
    }

    /// One tool's description.
    ///
    /// # Errors
    /// There is none of this name, or the folder cannot be used.
    pub fn get(&self, slug: &Slug) -> Result<Manifest, LibraryError> {
        let registry = self.registry()?;
        registry.get(slug).map(|tool| self.judged(tool)).ok_or_else(|| unknown(&registry, slug.as_str()))
    }

    /// The tool of a name that a person or an agent typed, with the nearest name when there is none.
    ///
    /// # Errors
    /// There is none of this name, or the folder cannot be used.
    pub fn find(&self, name: &str) -> Result<Manifest, LibraryError> {
        match name.trim().parse::<Slug>() {
            Ok(slug) => self.get(&slug),
            Err(_) => Err(unknown(&self.registry()?, name)),
        }
    }

    /// The tool that a pattern is bound to.
    ///
    /// # Errors
    /// The folder cannot be used.
    pub fn by_signature(&self, signature: &str) -> Result<Option<Manifest>, LibraryError> {
        Ok(self.registry()?.by_signature(signature).map(|tool| self.judged(tool)))
    }

    /// Everything about one tool.
    ///
    /// # Errors
    /// There is none of this name, or its files cannot be read.
    pub fn read(&self, slug: &Slug) -> Result<ToolView, LibraryError> {
        let manifest = self.get(slug)?;
        let folder = self.folder_of(slug);
        let text =
            |name: &str| files::read(&folder.join(name)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let content = self.content_of(&manifest)?;
        Ok(ToolView {
            page: text(PAGE)?,
            description: text(DESCRIPTION)?,
            content_id: ContentId::of(&content),
            content: String::from_utf8_lossy(&content).into_owned(),
            manifest,
            folder,
        })
    }

    /// The content that is in force now: a recipe's template, or a script's file as it lies there.
    pub(crate) fn content_of(&self, manifest: &Manifest) -> Result<Vec<u8>, LibraryError> {
        match manifest.kind {
            ToolKind::PromptRecipe => Ok(manifest.prompt_template.as_str().as_bytes().to_vec()),
            ToolKind::Script => files::read(&self.script_path(manifest)?),
        }
    }

    pub(crate) fn tools_folder(&self) -> PathBuf {
        self.root.join(TOOLS)
    }

    pub(crate) fn folder_of(&self, slug: &Slug) -> PathBuf {
        self.tools_folder().join(slug.as_str())
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.clock)()
    }

    pub(crate) const fn key(&self) -> &InstallationKey {
        &self.key
    }

    pub(crate) fn tell(&self, notice: Notice) {
        self.notices.lock().unwrap_or_else(PoisonError::into_inner).push(notice);
    }

    /// The registry as it is; read under the lock only when it has to be rebuilt.
    fn registry(&self) -> Result<Registry, LibraryError> {
        match Registry::load(&self.root)? {
            Loaded::Read(registry) => Ok(registry),
            Loaded::Missing | Loaded::Corrupt => self.change(|registry| Ok(registry.clone())),
        }
    }
}

/// Says that a tool is not there, and which one may have been meant.
pub(crate) fn unknown(registry: &Registry, name: &str) -> LibraryError {
    let nearest = lwa_domain::label::nearest(name, registry.tools().iter().map(|tool| tool.slug.as_str()));
    LibraryError::UnknownTool { slug: name.chars().take(80).collect(), nearest }
}
