//! Everything but the hidden paths, as a list of paths that may be read.
//!
//! Landlock can only allow. So the way to each hidden path is walked, and at every step the siblings
//! are allowed instead of the folder itself.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The largest parts of the file system that hold none of `hidden`.
///
/// A hidden path that is reached through a link is hidden at its real place, and one that does not
/// exist hides the place where it would be, as far as the folders on the way exist.
pub(super) fn readable_parts(hidden: &[PathBuf]) -> Vec<PathBuf> {
    let hidden: BTreeSet<PathBuf> = hidden.iter().map(|path| real(path)).collect();
    let mut parts = Vec::new();
    collect(Path::new("/"), &hidden, &mut parts);
    parts
}

/// The folder itself where nothing hidden is in it, else the parts of it that hold nothing hidden.
pub(super) fn parts_without(folder: &Path, hidden: &[PathBuf]) -> Vec<PathBuf> {
    let hidden: BTreeSet<PathBuf> = hidden.iter().map(|path| real(path)).collect();
    let whole = real(folder);
    if !hidden.iter().any(|path| path.starts_with(&whole)) {
        // By the path that was given, which may lead to a folder that is held open.
        return vec![folder.to_owned()];
    }
    let mut parts = Vec::new();
    collect(&whole, &hidden, &mut parts);
    parts
}

fn collect(folder: &Path, hidden: &BTreeSet<PathBuf>, parts: &mut Vec<PathBuf>) {
    if hidden.contains(folder) {
        return;
    }
    if !hidden.iter().any(|path| path.starts_with(folder)) {
        parts.push(folder.to_owned());
        return;
    }
    // A folder that cannot be listed gives nothing that could be allowed.
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok) {
        // A link is followed when it is opened, so its target is what a rule has to name; targets are
        // allowed where they lie.
        if entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
            collect(&entry.path(), hidden, parts);
        }
    }
}

/// The path with the links of its existing part resolved.
fn real(path: &Path) -> PathBuf {
    let mut missing = Vec::new();
    let mut existing = path;
    loop {
        if let Ok(found) = fs::canonicalize(existing) {
            return missing.iter().rev().fold(found, |path, name| path.join(name));
        }
        let (Some(parent), Some(name)) = (existing.parent(), existing.file_name()) else { return path.to_owned() };
        missing.push(name);
        existing = parent;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hidden_means_the_whole_tree() {
        assert_eq!(readable_parts(&[]), [PathBuf::from("/")]);
    }

    #[test]
    fn a_folder_with_a_hidden_place_in_it_is_named_by_its_parts() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        for name in ["open", "closed/inner"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        assert_eq!(parts_without(&root, &[root.join("closed")]), [root.join("open")]);
        assert_eq!(parts_without(&root.join("open"), &[root.join("closed")]), [root.join("open")]);
        assert_eq!(parts_without(&root.join("closed"), &[root.join("closed")]), Vec::<PathBuf>::new());
    }

    #[test]
    fn siblings_of_a_hidden_folder_are_readable_and_it_is_not() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().canonicalize().unwrap();
        for name in ["open", "closed/inner", "beside"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        std::os::unix::fs::symlink(root.join("closed"), root.join("link")).unwrap();
        let parts = readable_parts(&[root.join("link/inner")]);
        let ours: BTreeSet<_> = parts.iter().filter(|path| path.starts_with(&root)).cloned().collect();
        assert_eq!(ours, BTreeSet::from([root.join("open"), root.join("beside")]));
        assert!(!parts.contains(&PathBuf::from("/")));
    }
}
