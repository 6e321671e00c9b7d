//! Private folders and files that are replaced whole or not at all.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::LibraryError;

/// How the name of a file that is being written ends.
const UNFINISHED: &str = ".unfinished";

/// Who may use a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The owner reads and writes.
    Data,
    /// The owner also runs it.
    Program,
}

impl Mode {
    const fn bits(self) -> u32 {
        match self {
            Self::Data => 0o600,
            Self::Program => 0o700,
        }
    }
}

/// Creates a folder and its parents for the owner alone, and closes it to others if it was open.
pub(crate) fn create_private(folder: &Path) -> Result<(), LibraryError> {
    let failed = |source| LibraryError::file("create", folder, source);
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    let mode = fs::metadata(folder).map_err(failed)?.permissions().mode();
    if mode & 0o077 != 0 {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).map_err(failed)?;
    }
    Ok(())
}

/// Replaces a file whole: written beside it under a name of its own, forced to the disk, and moved
/// into place. A reader sees the old content or the new one.
pub(crate) fn replace(path: &Path, content: &[u8], mode: Mode) -> Result<(), LibraryError> {
    let failed = |source| LibraryError::file("write", path, source);
    let (mut file, unfinished) = create_unfinished(path, mode).map_err(failed)?;
    let written = file
        .write_all(content)
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&unfinished, path))
        .and_then(|()| sync_folder_of(path));
    if written.is_err() {
        // The failure itself is what is reported.
        let _ = fs::remove_file(&unfinished);
    }
    written.map_err(failed)
}

/// Replaces a file unless it holds exactly this already.
pub(crate) fn replace_if_other(path: &Path, content: &[u8], mode: Mode) -> Result<(), LibraryError> {
    if fs::read(path).is_ok_and(|present| present == content) { Ok(()) } else { replace(path, content, mode) }
}

/// Reads a whole file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, LibraryError> {
    fs::read(path).map_err(|source| LibraryError::file("read", path, source))
}

/// Moves `path` to a free name that begins with `wanted`. Nothing is overwritten.
pub(crate) fn set_aside(path: &Path, wanted: &Path) -> Result<PathBuf, LibraryError> {
    let mut target = wanted.to_owned();
    let mut number = 2_u32;
    while fs::symlink_metadata(&target).is_ok() {
        let mut name = wanted.as_os_str().to_owned();
        name.push(format!("-{number}"));
        target = name.into();
        number += 1;
    }
    fs::rename(path, &target)
        .and_then(|()| sync_folder_of(&target))
        .map_err(|source| LibraryError::file("move", path, source))?;
    Ok(target)
}

/// A new folder inside `parent` with a name that nothing else has.
pub(crate) fn create_unique_folder(parent: &Path, beginning: &str) -> Result<PathBuf, LibraryError> {
    loop {
        let folder = parent.join(format!("{beginning}-{}", unique_tail()));
        match DirBuilder::new().mode(0o700).create(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(LibraryError::file("create", folder, source)),
        }
    }
}

/// Moves a folder to a name that is free.
pub(crate) fn move_folder(from: &Path, to: &Path) -> Result<(), LibraryError> {
    fs::rename(from, to).and_then(|()| sync_folder_of(to)).map_err(|source| LibraryError::file("move", from, source))
}

/// Whether this is a file that a stopped process left half written.
pub(crate) fn is_unfinished(path: &Path) -> bool {
    path.file_name()
        .and_then(|name| name.to_str())
        .is_some_and(|name| name.starts_with('.') && name.ends_with(UNFINISHED))
}

fn create_unfinished(path: &Path, mode: Mode) -> io::Result<(File, PathBuf)> {
    let name = path.file_name().and_then(|name| name.to_str()).ok_or(io::ErrorKind::InvalidFilename)?;
    loop {
        let unfinished = path.with_file_name(format!(".{name}.{}{UNFINISHED}", unique_tail()));
        match OpenOptions::new().write(true).create_new(true).mode(mode.bits()).open(&unfinished) {
            Ok(file) => {
                // The process's mask may have taken bits away.
                file.set_permissions(fs::Permissions::from_mode(mode.bits()))?;
                return Ok((file, unfinished));
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// Different for each call of this process and for each process; what a former process with the same
/// id left is skipped, because names are only taken when they are free.
fn unique_tail() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

fn sync_folder_of(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_private_and_nothing_unfinished_stays() {
        let temp = tempfile::tempdir().unwrap();
        let folder = temp.path().join("a/b");
        create_private(&folder).unwrap();
        for (name, mode, bits) in [("data", Mode::Data, 0o600), ("program", Mode::Program, 0o700)] {
            let path = folder.join(name);
            replace(&path, b"one", mode).unwrap();
            replace(&path, b"two", mode).unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"two");
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, bits);
        }
        assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
    }

    #[test]
    fn setting_aside_overwrites_nothing() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("x");
        let wanted = temp.path().join("x.corrupt");
        let mut kept = vec![];
        for text in ["one", "two", "three"] {
            fs::write(&path, text).unwrap();
            kept.push(set_aside(&path, &wanted).unwrap());
        }
        let contents: Vec<_> = kept.iter().map(|path| fs::read_to_string(path).unwrap()).collect();
        assert_eq!(contents, ["one", "two", "three"]);
    }
}
