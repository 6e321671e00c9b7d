//! Reading files of other programs: whole, bounded, and never anything but a regular file.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use zeroize::Zeroizing;

/// The largest file that is read. Files with keys and configurations are a few kilobytes.
pub const MAX_BYTES: u64 = 4 << 20;

/// The text of a file; none when there is no file.
///
/// A pipe is not waited for, and a file that is too large or is no UTF-8 is an error.
pub(crate) fn read(path: &Path) -> io::Result<Option<Zeroizing<String>>> {
    let meta = match fs::metadata(path) {
        Ok(meta) => meta,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    if !meta.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    let mut text = Zeroizing::new(String::new());
    fs::File::open(path)?.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than 4 MiB"));
    }
    Ok(Some(text))
}

/// The line, counted from 1, of a byte of a text.
pub(crate) fn line_at(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
}
