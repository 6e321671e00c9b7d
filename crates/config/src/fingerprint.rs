//! Whether a file's content changed.

use std::fmt;
use std::io;
use std::path::Path;

use sha2::{Digest, Sha256};

/// A digest of a file's content, to tell a change from a touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// Of a text.
    pub fn of(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()).into())
    }

    /// Of a file. A missing file has the fingerprint of an empty one, because both mean defaults.
    ///
    /// # Errors
    /// The file is there and cannot be read.
    pub fn of_file(path: &Path) -> io::Result<Self> {
        match std::fs::read(path) {
            Ok(bytes) => Ok(Self(Sha256::digest(bytes).into())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::of("")),
            Err(error) => Err(error),
        }
    }
}

/// The digest in hexadecimal.
impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_a_change_from_a_touch_and_a_missing_file_from_a_broken_one() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("config.toml");
        assert_eq!(Fingerprint::of_file(&path).unwrap(), Fingerprint::of(""));
        std::fs::write(&path, "a").unwrap();
        let first = Fingerprint::of_file(&path).unwrap();
        std::fs::write(&path, "a").unwrap();
        assert_eq!(Fingerprint::of_file(&path).unwrap(), first);
        std::fs::write(&path, "b").unwrap();
        assert_ne!(Fingerprint::of_file(&path).unwrap(), first);
        assert!(Fingerprint::of_file(temp.path()).is_err());
        assert_eq!(first.to_string().len(), 64);
    }
}
