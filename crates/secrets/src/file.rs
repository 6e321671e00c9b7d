//! The private file: one `NAME="value"` a line, readable by the user alone.

mod line;

use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use self::line::{Line, quote};
use crate::error::SecretError;
use crate::secret::Secret;
use crate::store::SecretStore;

/// Secrets in one file of mode 0600, used only when the human chose it.
///
/// Lines that are not ours, and comments, stay where they are. A file that others may read, a link
/// and a file of somebody else are refused, because what is in them cannot be trusted to be secret.
pub struct FileStore {
    path: PathBuf,
}

impl FileStore {
    /// A store in the file `path`, which need not exist yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The file's text; none when there is no file.
    fn read(&self) -> Result<Option<Zeroizing<String>>, SecretError> {
        let failed = |source| self.failed(source);
        // A link is not followed, a pipe is not waited for, and what is checked is what was opened.
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        let file = fs::OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(&self.path);
        let file = match file {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => {
                return Err(SecretError::NotOurs { path: self.path.clone() });
            }
            Err(error) => return Err(failed(error)),
        };
        let meta = file.metadata().map_err(failed)?;
        if !meta.is_file() || meta.uid() != rustix::process::geteuid().as_raw() {
            return Err(SecretError::NotOurs { path: self.path.clone() });
        }
        if meta.mode() & 0o077 != 0 {
            return Err(SecretError::NotPrivate { path: self.path.clone(), mode: meta.mode() & 0o777 });
        }
        io::read_to_string(file).map(|text| Some(Zeroizing::new(text))).map_err(failed)
    }

    /// Holds the file's folder until the result is dropped.
    ///
    /// A change reads, edits and replaces the file; two at once would lose one, whether they come
    /// from one store, from two, or from two processes.
    fn lock(&self) -> Result<fs::File, SecretError> {
        let locked = || {
            private_folder(self.folder())?;
            let folder = fs::File::open(self.folder())?;
            folder.lock()?;
            Ok(folder)
        };
        locked().map_err(|source| self.failed(source))
    }

    fn folder(&self) -> &Path {
        self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    /// Replaces the file by `text`, whole or not at all. The folder is locked.
    fn write(&self, text: &str) -> Result<(), SecretError> {
        let failed = |source| self.failed(source);
        let folder = self.folder();
        let mut file = tempfile::Builder::new()
            .prefix(".secrets-")
            .permissions(fs::Permissions::from_mode(0o600))
            .tempfile_in(folder)
            .map_err(failed)?;
        file.write_all(text.as_bytes()).map_err(failed)?;
        file.as_file().sync_all().map_err(failed)?;
        file.persist(&self.path).map_err(|error| failed(error.error))?;
        fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)
    }

    fn failed(&self, source: io::Error) -> SecretError {
        SecretError::Io { path: self.path.clone(), source }
    }
}

/// Makes the folder private if it is missing or open to others.
fn private_folder(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    if fs::metadata(folder)?.mode() & 0o077 != 0 {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

impl fmt::Debug for FileStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileStore").field("path", &self.path).finish_non_exhaustive()
    }
}

impl SecretStore for FileStore {
    fn name(&self) -> &'static str {
        "file"
    }

    fn get(&self, account: &str) -> Result<Option<Secret>, SecretError> {
        check_account(account)?;
        let Some(text) = self.read()? else { return Ok(None) };
        // The last line of a name counts, as in a shell.
        let found = text.lines().enumerate().filter(|(_, line)| Line::name_of(line) == Some(account)).last();
        let Some((index, line)) = found else { return Ok(None) };
        match Line::value_of(line) {
            Some(value) if value.is_empty() => Ok(None),
            Some(value) => Ok(Some(Secret::new(value))),
            None => Err(SecretError::Malformed { path: self.path.clone(), line: index + 1 }),
        }
    }

    fn set(&self, account: &str, secret: &Secret) -> Result<(), SecretError> {
        check_account(account)?;
        let _change = self.lock()?;
        let text = self.read()?.unwrap_or_default();
        let line = Zeroizing::new(format!("{account}={}", *quote(secret.expose())));
        let mut written = false;
        let mut edited = Zeroizing::new(String::with_capacity(text.len() + line.len() + 1));
        for old in text.lines() {
            if Line::name_of(old) != Some(account) {
                edited.push_str(old);
            } else if written {
                continue;
            } else {
                edited.push_str(&line);
                written = true;
            }
            edited.push('\n');
        }
        if !written {
            edited.push_str(&line);
            edited.push('\n');
        }
        self.write(&edited)
    }

    fn remove(&self, account: &str) -> Result<bool, SecretError> {
        check_account(account)?;
        let _change = self.lock()?;
        let Some(text) = self.read()? else { return Ok(false) };
        let mut edited = Zeroizing::new(String::with_capacity(text.len()));
        let mut removed = false;
        for old in text.lines() {
            if Line::name_of(old) == Some(account) {
                removed = true;
            } else {
                edited.push_str(old);
                edited.push('\n');
            }
        }
        if removed {
            self.write(&edited)?;
        }
        Ok(removed)
    }
}

fn check_account(account: &str) -> Result<(), SecretError> {
    if line::is_name(account) { Ok(()) } else { Err(SecretError::BadAccount) }
}
