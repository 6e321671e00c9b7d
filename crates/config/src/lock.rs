//! The lock that makes a host the only one, and what it tells the others.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What the lock file says about the host that holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockContent {
    /// The host's process id.
    pub pid: u32,
    /// Where it listens.
    pub socket: PathBuf,
    /// The protocol number it speaks.
    pub protocol: u32,
}

/// The lock could not be taken.
#[derive(Debug, Error)]
pub enum LockError {
    /// Another host holds it; what it says of itself, if it can be read.
    #[error("another host is running{}", .0.as_ref().map(|c| format!(" (process {})", c.pid)).unwrap_or_default())]
    Held(Option<LockContent>),
    /// The file cannot be opened or written.
    #[error("cannot use the lock file `{path}`")]
    Io {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// The held lock. The system releases it when the process ends, however it ends.
#[derive(Debug)]
pub struct HostLock {
    file: File,
}

impl HostLock {
    /// Takes the lock and writes what the others need to know.
    ///
    /// # Errors
    /// Another host holds it, or the file cannot be used.
    pub fn acquire(path: &Path, content: &LockContent) -> Result<Self, LockError> {
        let failed = |source| LockError::Io { path: path.to_owned(), source };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path)
            .map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(LockError::Held(parse(&mut file))),
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        let line = serde_json::to_vec(content).map_err(|error| failed(error.into()))?;
        file.set_len(0).map_err(failed)?;
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        file.write_all(&line).map_err(failed)?;
        Ok(Self { file })
    }

    /// What the running host says of itself; none when no host holds the lock.
    pub fn read_running(path: &Path) -> Option<LockContent> {
        let mut file = File::open(path).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => parse(&mut file),
            _ => None,
        }
    }
}

impl Drop for HostLock {
    fn drop(&mut self) {
        // An empty file tells a reader that arrives between this and the unlock that nobody is home.
        let _ = self.file.set_len(0);
    }
}

fn parse(file: &mut File) -> Option<LockContent> {
    let mut text = String::new();
    file.take(4096).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_host_learns_about_the_first() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("host.lock");
        let content = LockContent { pid: 7, socket: "/tmp/s".into(), protocol: 1 };
        assert_eq!(HostLock::read_running(&path), None);
        let lock = HostLock::acquire(&path, &content).unwrap();
        let Err(LockError::Held(Some(seen))) = HostLock::acquire(&path, &content) else { panic!("two hosts") };
        assert_eq!(seen, content);
        assert_eq!(HostLock::read_running(&path), Some(content.clone()));
        drop(lock);
        assert_eq!(HostLock::read_running(&path), None);
        assert!(HostLock::acquire(&path, &content).is_ok());
    }
}
