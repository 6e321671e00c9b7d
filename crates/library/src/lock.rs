//! The lock that lets one process at a time change the library.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use crate::error::LibraryError;

/// The lock's file. It stays for good: removing it would let two processes hold two locks.
const NAME: &str = ".lock";
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(10);
/// Ten seconds in all; a change takes milliseconds.
const TRIES: u32 = 1000;

/// The held lock. The system releases it when it is dropped and when the process ends.
#[derive(Debug)]
pub(crate) struct LibraryLock {
    _file: File,
}

impl LibraryLock {
    pub(crate) fn acquire(root: &Path) -> Result<Self, LibraryError> {
        let path = root.join(NAME);
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(|source| LibraryError::file("open", &path, source))?;
        for _ in 0..TRIES {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
                Err(TryLockError::Error(source)) => return Err(LibraryError::file("lock", &path, source)),
            }
        }
        Err(LibraryError::Busy)
    }
}
