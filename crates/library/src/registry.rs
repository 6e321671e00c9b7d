//! `registry.json`: an array of manifests, read as far as it is understood and written back whole.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::LibraryError;
use crate::files::{self, Mode};
use crate::manifest::Manifest;
use crate::slug::Slug;

/// The file's name.
pub(crate) const NAME: &str = "registry.json";

/// The tools by name, and the entries that this version does not understand.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Registry {
    tools: Vec<Manifest>,
    /// Written back as they are: a later version knows what they mean.
    foreign: Vec<Value>,
}

/// What the file turned out to be.
#[derive(Debug)]
pub(crate) enum Loaded {
    /// It is not there.
    Missing,
    /// It is no array of entries.
    Corrupt,
    /// It was read.
    Read(Registry),
}

impl Registry {
    pub(crate) fn path(root: &Path) -> PathBuf {
        root.join(NAME)
    }

    pub(crate) fn load(root: &Path) -> Result<Loaded, LibraryError> {
        let path = Self::path(root);
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Loaded::Missing),
            Err(source) => return Err(LibraryError::file("read", path, source)),
        };
        let Ok(entries) = serde_json::from_slice::<Vec<Value>>(&text) else { return Ok(Loaded::Corrupt) };
        let mut registry = Self::default();
        for entry in entries {
            match serde_json::from_value::<Manifest>(entry.clone()) {
                // A name stands for one folder, so a second entry for it is kept apart.
                Ok(manifest) if registry.get(&manifest.slug).is_none() => registry.tools.push(manifest),
                _ => registry.foreign.push(entry),
            }
        }
        Ok(Loaded::Read(registry))
    }

    pub(crate) fn save(&self, root: &Path) -> Result<(), LibraryError> {
        let mut entries = Vec::with_capacity(self.tools.len() + self.foreign.len());
        for manifest in &self.tools {
            entries.push(serde_json::to_value(manifest).map_err(LibraryError::Unwritable)?);
        }
        entries.extend(self.foreign.iter().cloned());
        let mut text = serde_json::to_vec_pretty(&entries).map_err(LibraryError::Unwritable)?;
        text.push(b'\n');
        files::replace(&Self::path(root), &text, Mode::Data)
    }

    pub(crate) fn tools(&self) -> &[Manifest] {
        &self.tools
    }

    pub(crate) fn foreign_count(&self) -> usize {
        self.foreign.len()
    }

    pub(crate) fn get(&self, slug: &Slug) -> Option<&Manifest> {
        self.tools.iter().find(|tool| tool.slug == *slug)
    }

    /// Whether the name is used, by an entry that is understood or by one that is not.
    pub(crate) fn is_taken(&self, slug: &Slug) -> bool {
        let is_foreign = |entry: &Value| entry.get("slug").and_then(Value::as_str) == Some(slug.as_str());
        self.get(slug).is_some() || self.foreign.iter().any(is_foreign)
    }

    pub(crate) fn by_signature(&self, signature: &str) -> Option<&Manifest> {
        self.tools.iter().find(|tool| tool.pattern_signature.as_deref() == Some(signature))
    }

    /// Puts a manifest in, in place of the one with its name.
    pub(crate) fn put(&mut self, manifest: Manifest) {
        match self.tools.iter_mut().find(|tool| tool.slug == manifest.slug) {
            Some(place) => *place = manifest,
            None => self.tools.push(manifest),
        }
    }

    pub(crate) fn remove(&mut self, slug: &Slug) {
        self.tools.retain(|tool| tool.slug != *slug);
    }
}
