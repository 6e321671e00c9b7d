//! The file system of this machine as a decision sees it.

use std::path::{Path, PathBuf};

use crate::context::Files;

/// Looks at the real file system, with a search path for programs.
#[derive(Debug, Clone, Default)]
pub struct SystemFiles {
    folders: Vec<PathBuf>,
}

impl SystemFiles {
    /// Programs are looked for in `path`, as the variable `PATH` spells it.
    pub fn new(path: &str) -> Self {
        Self { folders: std::env::split_paths(path).filter(|folder| folder.is_absolute()).collect() }
    }
}

impl Files for SystemFiles {
    fn resolve(&self, path: &str) -> Option<String> {
        let path = Path::new(path);
        if !path.is_absolute() {
            return None;
        }
        // What exists is followed; what does not is put behind it.
        let mut missing = Vec::new();
        let mut known = path;
        loop {
            if let Ok(real) = known.canonicalize() {
                let whole = missing.iter().rev().fold(real, |whole, part| whole.join(part));
                return whole.to_str().map(str::to_owned);
            }
            if let Ok(target) = known.read_link() {
                // A link to something that is not there yet: writing it makes that thing.
                let real = known.parent().map_or_else(|| target.clone(), |folder| folder.join(&target));
                let whole = missing.iter().rev().fold(real, |whole, part| whole.join(part));
                return whole.to_str().map(str::to_owned);
            }
            missing.push(known.file_name()?.to_owned());
            known = known.parent()?;
        }
    }

    fn find_program(&self, name: &str) -> Option<String> {
        if name.contains('/') {
            return None;
        }
        self.folders
            .iter()
            .map(|folder| folder.join(name))
            .find(|place| place.is_file())
            .and_then(|place| place.to_str().map(str::to_owned))
    }
}
