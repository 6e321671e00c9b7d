//! The product's folders, resolved the same way by every process whatever its environment.

use std::fmt::Write;
use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use thiserror::Error;

/// A Unix socket's path has to fit `sockaddr_un` (108 bytes on Linux, 104 on macOS).
const MAX_SOCKET_PATH: usize = 100;

/// The variable that moves everything under one folder.
pub const HOME_VARIABLE: &str = "LWA_HOME";

/// The folders of one user, or of one `LWA_HOME`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    config: PathBuf,
    state: PathBuf,
    data: PathBuf,
    cache: PathBuf,
    overridden: Option<PathBuf>,
}

/// The folders cannot be used.
#[derive(Debug, Error)]
pub enum HomeError {
    /// No home folder could be found.
    #[error("no home folder: set `HOME`, or `LWA_HOME` to a folder of your choice")]
    NoHome,
    /// `LWA_HOME` is set to something that is no absolute path.
    #[error("`LWA_HOME` must be an absolute path, not `{0}`")]
    RelativeHome(PathBuf),
    /// A folder could not be made.
    #[error("cannot make the folder `{path}`")]
    Create {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A folder that must be private belongs to somebody else.
    #[error("the folder `{0}` does not belong to you; remove it or choose another `LWA_HOME`")]
    Foreign(PathBuf),
}

impl Home {
    /// The folders for this process: under `LWA_HOME` when it is set, else the system's own places.
    ///
    /// # Errors
    /// No home folder, or a relative `LWA_HOME`.
    pub fn from_environment() -> Result<Self, HomeError> {
        match std::env::var_os(HOME_VARIABLE).filter(|value| !value.is_empty()) {
            Some(folder) => Self::at(Path::new(&folder)),
            None => Self::of_user(),
        }
    }

    /// The folders under one folder.
    ///
    /// # Errors
    /// The folder is not an absolute path.
    pub fn at(folder: &Path) -> Result<Self, HomeError> {
        if !folder.is_absolute() {
            return Err(HomeError::RelativeHome(folder.to_owned()));
        }
        Ok(Self {
            config: folder.join("config"),
            state: folder.join("state"),
            data: folder.join("data"),
            cache: folder.join("cache"),
            overridden: Some(folder.to_owned()),
        })
    }

    fn of_user() -> Result<Self, HomeError> {
        let folders = directories::ProjectDirs::from("", "", "lwa").ok_or(HomeError::NoHome)?;
        Ok(Self {
            config: folders.config_dir().to_owned(),
            state: folders.state_dir().unwrap_or_else(|| folders.data_local_dir()).to_owned(),
            data: folders.data_dir().to_owned(),
            cache: folders.cache_dir().to_owned(),
            overridden: None,
        })
    }

    /// The folder given by `LWA_HOME`, if it was.
    pub fn overridden(&self) -> Option<&Path> {
        self.overridden.as_deref()
    }

    /// Configuration, allow-list, terms.
    pub fn config_dir(&self) -> &Path {
        &self.config
    }

    /// Database, log, lock.
    pub fn state_dir(&self) -> &Path {
        &self.state
    }

    /// Tool library.
    pub fn data_dir(&self) -> &Path {
        &self.data
    }

    /// What can be fetched or computed again.
    pub fn cache_dir(&self) -> &Path {
        &self.cache
    }

    /// `config.toml`.
    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    /// The database.
    pub fn database(&self) -> PathBuf {
        self.state.join("host.sqlite3")
    }

    /// The file whose lock makes a host the only one.
    pub fn lock_file(&self) -> PathBuf {
        self.state.join("host.lock")
    }

    /// The commands that the worker may run without a question, one a line.
    pub fn run_allow_file(&self) -> PathBuf {
        self.config.join("run-allow.txt")
    }

    /// What is private and has no shape: names, addresses, numbers of one's own.
    pub fn private_terms_file(&self) -> PathBuf {
        self.config.join("private_terms.json")
    }

    /// Shape rules in place of those that are built in.
    pub fn rules_file(&self) -> PathBuf {
        self.config.join("rules.json")
    }

    /// Prices of cloud models over the shipped ones, for what the worker saved.
    pub fn prices_file(&self) -> PathBuf {
        self.config.join("prices.json")
    }

    /// Words that no commit may carry, one a line.
    pub fn denylist_file(&self) -> PathBuf {
        self.config.join("denylist.txt")
    }

    /// The worker's stored material.
    pub fn artifacts_folder(&self) -> PathBuf {
        self.state.join("artifacts")
    }

    /// Pictures and films.
    pub fn generated_dir(&self) -> PathBuf {
        self.state_dir().join("generated")
    }

    /// The folder of the tool library.
    pub fn library_dir(&self) -> PathBuf {
        self.data_dir().join("tool-library")
    }

    /// The host's log.
    pub fn log_file(&self) -> PathBuf {
        self.state.join("host.log")
    }

    /// Where the app notes the variables of the graphical session.
    pub fn session_env_file(&self) -> PathBuf {
        self.state.join("session-env")
    }

    /// The 0600 file for keys, used only when the human chose it.
    pub fn secrets_file(&self) -> PathBuf {
        self.state.join("secrets.env")
    }

    /// A short tag that tells this `LWA_HOME` from others; none for the user's own folders.
    pub fn tag(&self) -> Option<String> {
        self.overridden.as_deref().map(short_hash)
    }

    /// The host's socket.
    ///
    /// It never follows `XDG_RUNTIME_DIR`, because clients clear it: a bare sidecar and a full one
    /// have to meet one host. A path that is too long for a socket becomes a hashed name in a
    /// private folder under `/tmp`.
    pub fn socket(&self) -> PathBuf {
        let preferred = match &self.overridden {
            Some(folder) => folder.join("run").join("host.sock"),
            None => runtime_dir().map_or_else(|| self.state.join("run"), |dir| dir.join("lwa")).join("host.sock"),
        };
        if preferred.as_os_str().len() <= MAX_SOCKET_PATH {
            return preferred;
        }
        let folder = format!("/tmp/lwa-{}", rustix::process::geteuid().as_raw());
        Path::new(&folder).join(format!("{}.sock", short_hash(&preferred)))
    }

    /// Makes the private folders that the host needs: configuration, state, data and the socket's.
    ///
    /// # Errors
    /// A folder cannot be made or belongs to somebody else.
    pub fn create(&self) -> Result<(), HomeError> {
        for folder in [&self.config, &self.state, &self.data] {
            create_private(folder)?;
        }
        if let Some(folder) = self.socket().parent() {
            create_private(folder)?;
        }
        Ok(())
    }
}

/// `/run/user/EUID`, when it exists, is ours and is private.
fn runtime_dir() -> Option<PathBuf> {
    let euid = rustix::process::geteuid().as_raw();
    let folder = PathBuf::from(format!("/run/user/{euid}"));
    let meta = fs::metadata(&folder).ok()?;
    (meta.is_dir() && meta.uid() == euid && meta.mode() & 0o777 == 0o700).then_some(folder)
}

/// Makes a folder with mode 0700 and checks that it is ours.
///
/// # Errors
/// It cannot be made, or it belongs to somebody else.
pub fn create_private(folder: &Path) -> Result<(), HomeError> {
    let failed = |source| HomeError::Create { path: folder.to_owned(), source };
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
    let meta = fs::metadata(folder).map_err(failed)?;
    if meta.uid() != rustix::process::geteuid().as_raw() {
        return Err(HomeError::Foreign(folder.to_owned()));
    }
    if meta.mode() & 0o077 != 0 {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).map_err(failed)?;
    }
    Ok(())
}

fn short_hash(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    let digest = Sha256::digest(path.as_os_str().as_bytes());
    digest.iter().take(8).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_lies_under_lwa_home() {
        let home = Home::at(Path::new("/tmp/h")).unwrap();
        for path in [home.config_file(), home.database(), home.lock_file(), home.socket(), home.secrets_file()] {
            assert!(path.starts_with("/tmp/h"), "{}", path.display());
        }
        assert_eq!(home.socket(), Path::new("/tmp/h/run/host.sock"));
    }

    #[test]
    fn a_relative_lwa_home_is_refused() {
        assert!(matches!(Home::at(Path::new("here")), Err(HomeError::RelativeHome(_))));
    }

    #[test]
    fn a_long_home_still_gets_a_socket_that_fits() {
        let long = PathBuf::from("/tmp").join("d".repeat(150));
        let socket = Home::at(&long).unwrap().socket();
        assert!(socket.as_os_str().len() <= MAX_SOCKET_PATH, "{}", socket.display());
        assert_ne!(socket, Home::at(&long.join("x")).unwrap().socket());
    }

    #[test]
    fn folders_are_private() {
        let temp = tempfile::tempdir().unwrap();
        let home = Home::at(temp.path()).unwrap();
        home.create().unwrap();
        for folder in [home.config_dir(), home.state_dir(), home.data_dir(), home.socket().parent().unwrap()] {
            assert_eq!(fs::metadata(folder).unwrap().mode() & 0o777, 0o700, "{}", folder.display());
        }
    }
}
