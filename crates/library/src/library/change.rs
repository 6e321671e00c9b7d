//! One change: under the lock, on the newest registry, and written whole.

use std::path::{Path, PathBuf};

use super::check::describe;
use super::{CATALOGUE, DESCRIPTION, Library, MAKING, Notice, PAGE};
use crate::error::LibraryError;
use crate::files::{self, Mode};
use crate::lock::LibraryLock;
use crate::manifest::{Manifest, ToolKind};
use crate::registry::{self, Loaded, Registry};
use crate::{pages, runner};

impl Library {
    /// Runs `work` on the registry while no other process changes the library, and writes what it left.
    /// When it fails, the registry stays as it was.
    pub(crate) fn change<T>(
        &self,
        work: impl FnOnce(&mut Registry) -> Result<T, LibraryError>,
    ) -> Result<T, LibraryError> {
        let _lock = LibraryLock::acquire(&self.root)?;
        let mut registry = self.load_or_rebuild()?;
        let before = registry.clone();
        let result = work(&mut registry)?;
        if registry != before {
            registry.save(&self.root)?;
        }
        self.write_catalogue(&registry)?;
        Ok(result)
    }

    /// The registry from its file, or, when that cannot be read, from the tools' own descriptions.
    fn load_or_rebuild(&self) -> Result<Registry, LibraryError> {
        let path = Registry::path(&self.root);
        let set_aside = match Registry::load(&self.root)? {
            Loaded::Read(registry) => return Ok(registry),
            Loaded::Missing => None,
            Loaded::Corrupt => {
                let stamp = self.now().strftime("%Y%m%dT%H%M%SZ").to_string();
                let wanted = self.root.join(format!("{}.corrupt-{stamp}", registry::NAME));
                Some(files::set_aside(&path, &wanted)?)
            }
        };
        let (registry, unreadable) = self.registry_from_folders()?;
        registry.save(&self.root)?;
        let tools = registry.tools().len();
        if set_aside.is_some() || tools > 0 || !unreadable.is_empty() {
            self.tell(Notice::RegistryRebuilt { set_aside, tools, unreadable });
        }
        Ok(registry)
    }

    /// What the folders under `tools` say of themselves, and those that cannot be read.
    pub(super) fn registry_from_folders(&self) -> Result<(Registry, Vec<PathBuf>), LibraryError> {
        let mut registry = Registry::default();
        let mut unreadable = Vec::new();
        for folder in self.tool_folders()? {
            match describe(&folder) {
                Some(manifest) => registry.put(manifest),
                None => unreadable.push(folder),
            }
        }
        Ok((registry, unreadable))
    }

    /// Makes a new tool's folder aside and moves it into place whole, so that a process that is stopped
    /// leaves no half of a tool. `accept` puts the content into the folder.
    pub(super) fn store_new(
        &self,
        registry: &mut Registry,
        mut manifest: Manifest,
        accept: impl FnOnce(&Path, &mut Manifest) -> Result<(), LibraryError>,
    ) -> Result<Manifest, LibraryError> {
        let making = files::create_unique_folder(&self.root, MAKING)?;
        let made = accept(&making, &mut manifest)
            .and_then(|()| write_pages(&making, &manifest))
            .and_then(|()| files::move_folder(&making, &self.folder_of(&manifest.slug)));
        if let Err(error) = made {
            // What cannot be removed now is removed by the next repair.
            let _ = std::fs::remove_dir_all(&making);
            return Err(error);
        }
        let judged = self.judged(&manifest);
        registry.put(manifest);
        Ok(judged)
    }

    /// Writes a tool's files from its manifest. The script itself is not touched.
    pub(super) fn write_pages(&self, manifest: &Manifest) -> Result<(), LibraryError> {
        write_pages(&self.folder_of(&manifest.slug), manifest)
    }

    /// Puts a manifest into the registry and on its pages.
    pub(super) fn store(&self, registry: &mut Registry, manifest: Manifest) -> Result<Manifest, LibraryError> {
        self.keep_edited_description(registry, &manifest)?;
        self.write_pages(&manifest)?;
        let judged = self.judged(&manifest);
        registry.put(manifest);
        Ok(judged)
    }

    /// Sets a description aside that is not what was written last: somebody edited it by hand.
    fn keep_edited_description(&self, registry: &Registry, manifest: &Manifest) -> Result<(), LibraryError> {
        let Some(known) = registry.get(&manifest.slug) else { return Ok(()) };
        let path = self.folder_of(&manifest.slug).join(DESCRIPTION);
        let Ok(present) = std::fs::read(&path) else { return Ok(()) };
        if present != description(known)?.as_bytes() {
            let stamp = self.now().strftime("%Y%m%dT%H%M%SZ").to_string();
            files::set_aside(&path, &path.with_file_name(format!("{DESCRIPTION}.replaced-{stamp}")))?;
        }
        Ok(())
    }

    pub(super) fn write_catalogue(&self, registry: &Registry) -> Result<(), LibraryError> {
        let tools: Vec<Manifest> = registry.tools().iter().map(|tool| self.judged(tool)).collect();
        files::replace_if_other(&self.root.join(CATALOGUE), pages::catalogue(&tools).as_bytes(), Mode::Data)?;
        files::replace_if_other(&self.root.join(PAGE), pages::ROOT_PAGE.as_bytes(), Mode::Data)
    }

    /// Rebuilds the catalogue and every page from the registry.
    ///
    /// # Errors
    /// The folder cannot be used.
    pub fn rebuild_catalogue(&self) -> Result<PathBuf, LibraryError> {
        self.change(|registry| {
            for manifest in registry.tools() {
                self.write_pages(manifest)?;
            }
            Ok(self.catalogue_path())
        })
    }
}

fn write_pages(folder: &Path, manifest: &Manifest) -> Result<(), LibraryError> {
    files::create_private(folder)?;
    files::replace_if_other(&folder.join(DESCRIPTION), description(manifest)?.as_bytes(), Mode::Data)?;
    files::replace_if_other(&folder.join(PAGE), pages::tool_page(manifest).as_bytes(), Mode::Data)?;
    if manifest.kind == ToolKind::PromptRecipe {
        let program = runner::text(&manifest.slug);
        files::replace_if_other(&folder.join("run.py"), program.as_bytes(), Mode::Program)?;
    }
    Ok(())
}

/// A manifest as `tool.yaml`. What the YAML text would not give back unchanged is written as JSON,
/// which is YAML too.
pub(super) fn description(manifest: &Manifest) -> Result<String, LibraryError> {
    let yaml = serde_saphyr::to_string(manifest).ok();
    let is_faithful = |text: &String| serde_saphyr::from_str::<Manifest>(text).is_ok_and(|read| read == *manifest);
    match yaml.filter(is_faithful) {
        Some(text) => Ok(text),
        None => serde_json::to_string_pretty(manifest).map_err(LibraryError::Unwritable),
    }
}
