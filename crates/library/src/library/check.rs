//! What is out of step between registry and folders, and how it is put right without losing anything.

use std::fs;
use std::path::{Path, PathBuf};

use super::change::description;
use super::{DESCRIPTION, LEAVING, Library, MAKING, Notice};
use crate::content::ContentId;
use crate::error::LibraryError;
use crate::files;
use crate::manifest::{Manifest, ToolKind, ToolStatus};
use crate::registry::{Loaded, Registry};
use crate::slug::Slug;
use crate::versions::Versions;

/// One thing that is out of step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finding {
    /// The registry cannot be read, or is not there while tools are.
    RegistryUnreadable,
    /// The registry has entries that this version does not understand; they are kept as they are.
    ForeignEntries(usize),
    /// A folder has a tool that the registry does not know; it is taken in.
    UnknownFolder(Slug),
    /// A folder has no description that can be read; it is left as it is.
    UnreadableFolder(PathBuf),
    /// The registry has a recipe whose folder is gone; the folder is made again.
    MissingFolder(Slug),
    /// The registry has a script whose file is gone; it is disabled and kept.
    MissingScript(Slug),
    /// A script's file is not what was accepted last; it waits for approval.
    ChangedScript(Slug),
    /// A folder's description differs from the registry; it is set aside and written again.
    DifferentDescription(Slug),
    /// The present content of a recipe is not in its history; it is put there.
    MissingVersion(Slug),
    /// A file or folder that a stopped process left half made or half removed; it is removed.
    Unfinished(PathBuf),
}

impl Library {
    /// Looks for what is out of step. Nothing is changed.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn check(&self) -> Result<Vec<Finding>, LibraryError> {
        let mut findings = Vec::new();
        let folders = self.tool_folders()?;
        let registry = match Registry::load(&self.root)? {
            Loaded::Read(registry) => registry,
            Loaded::Missing if folders.is_empty() => Registry::default(),
            Loaded::Missing | Loaded::Corrupt => {
                findings.push(Finding::RegistryUnreadable);
                self.registry_from_folders()?.0
            }
        };
        findings.extend(self.look(&registry, &folders)?);
        Ok(findings)
    }

    fn look(&self, registry: &Registry, folders: &[PathBuf]) -> Result<Vec<Finding>, LibraryError> {
        let mut findings = Vec::new();
        if registry.foreign_count() > 0 {
            findings.push(Finding::ForeignEntries(registry.foreign_count()));
        }
        for folder in folders {
            let slug = slug_of(folder);
            if slug.as_ref().is_some_and(|slug| registry.is_taken(slug)) {
                continue;
            }
            findings.push(match describe(folder) {
                Some(manifest) => Finding::UnknownFolder(manifest.slug),
                None => Finding::UnreadableFolder(folder.clone()),
            });
        }
        for tool in registry.tools() {
            findings.extend(self.look_at(tool)?);
        }
        findings.extend(unfinished(&self.root).into_iter().map(Finding::Unfinished));
        for folder in folders {
            findings.extend(unfinished(folder).into_iter().map(Finding::Unfinished));
        }
        Ok(findings)
    }

    fn look_at(&self, tool: &Manifest) -> Result<Vec<Finding>, LibraryError> {
        let folder = self.folder_of(&tool.slug);
        let mut findings = Vec::new();
        match tool.kind {
            ToolKind::PromptRecipe => {
                if !folder.is_dir() {
                    return Ok(vec![Finding::MissingFolder(tool.slug.clone())]);
                }
                let id = ContentId::of(tool.prompt_template.as_str().as_bytes());
                if Versions::of(&folder).read(&id).is_none() || tool.content_id.as_ref() != Some(&id) {
                    findings.push(Finding::MissingVersion(tool.slug.clone()));
                }
            }
            ToolKind::Script => match self.content_of(tool) {
                Err(_) => findings.extend(missing_script(tool)),
                Ok(source) => {
                    if tool.content_id.as_ref() != Some(&ContentId::of(&source)) {
                        findings.push(Finding::ChangedScript(tool.slug.clone()));
                    }
                }
            },
        }
        let expected = description(tool)?;
        if fs::read(folder.join(DESCRIPTION)).ok().as_deref() != Some(expected.as_bytes()) {
            findings.push(Finding::DifferentDescription(tool.slug.clone()));
        }
        Ok(findings)
    }

    /// Puts right what [`Library::check`] finds, without losing anything, and says what it did.
    ///
    /// # Errors
    /// The folder cannot be used.
    pub fn heal(&self) -> Result<Vec<Finding>, LibraryError> {
        self.change(|registry| {
            let findings = self.look(registry, &self.tool_folders()?)?;
            let mut repaired = Vec::new();
            for finding in findings {
                if self.repair(registry, &finding)? {
                    self.tell(Notice::Repaired(finding.clone()));
                    repaired.push(finding);
                }
            }
            Ok(repaired)
        })
    }

    /// Whether something was changed.
    fn repair(&self, registry: &mut Registry, finding: &Finding) -> Result<bool, LibraryError> {
        match finding {
            Finding::RegistryUnreadable
            | Finding::ForeignEntries(_)
            | Finding::UnreadableFolder(_)
            | Finding::ChangedScript(_) => Ok(false),
            Finding::UnknownFolder(slug) => {
                let Some(manifest) = describe(&self.folder_of(slug)) else { return Ok(false) };
                registry.put(manifest);
                Ok(true)
            }
            Finding::MissingFolder(slug) | Finding::MissingVersion(slug) => {
                let Some(mut tool) = registry.get(slug).cloned() else { return Ok(false) };
                let folder = self.folder_of(slug);
                files::create_private(&folder)?;
                let text = tool.prompt_template.as_str().as_bytes();
                let id = Versions::of(&folder).accept(text, &tool.version, self.now())?;
                tool.content_id = Some(id);
                self.store(registry, tool)?;
                Ok(true)
            }
            Finding::MissingScript(slug) => {
                let Some(mut tool) = registry.get(slug).cloned() else { return Ok(false) };
                tool.status = ToolStatus::Disabled;
                self.store(registry, tool)?;
                Ok(true)
            }
            Finding::DifferentDescription(slug) => {
                let Some(tool) = registry.get(slug).cloned() else { return Ok(false) };
                self.store(registry, tool)?;
                Ok(true)
            }
            Finding::Unfinished(path) => {
                let is_folder = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir());
                let removed = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
                removed.map_err(|source| LibraryError::file("remove", path, source))?;
                Ok(true)
            }
        }
    }

    /// The folders under `tools`, in order. Links are no tool folders.
    pub(super) fn tool_folders(&self) -> Result<Vec<PathBuf>, LibraryError> {
        let path = self.tools_folder();
        let failed = |source| LibraryError::file("read", &path, source);
        let entries = match fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(failed(source)),
        };
        let mut folders = Vec::new();
        for entry in entries {
            let entry = entry.map_err(failed)?;
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
        }
        folders.sort();
        Ok(folders)
    }
}

/// What a folder's own description says, when it can be read and names that folder.
pub(super) fn describe(folder: &Path) -> Option<Manifest> {
    let text = fs::read_to_string(folder.join(DESCRIPTION)).ok()?;
    let manifest: Manifest = serde_saphyr::from_str(&text).ok()?;
    (Some(&manifest.slug) == slug_of(folder).as_ref()).then_some(manifest)
}

fn slug_of(folder: &Path) -> Option<Slug> {
    folder.file_name()?.to_str()?.parse().ok()
}

fn missing_script(tool: &Manifest) -> Vec<Finding> {
    match tool.status {
        // Already known, and already out of use.
        ToolStatus::Disabled | ToolStatus::Archived => Vec::new(),
        ToolStatus::Draft | ToolStatus::Active => vec![Finding::MissingScript(tool.slug.clone())],
    }
}

fn unfinished(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| is_unfinished(path)).collect()
}

fn is_unfinished(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    files::is_unfinished(path) || name.starts_with(MAKING) || name.starts_with(LEAVING)
}
