//! Other repositories inside a work tree: a git that reads the outer one goes into them, and their own configuration
//! counts there.
//!
//! An index names them by entries of their own mode, whether `.gitmodules` knows of them or not. The format is that of
//! git's `Documentation/gitformat-index.adoc`, versions 2 to 4.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// The mode of an entry that stands for a commit of another repository.
const LINK: u32 = 0o160_000;
/// Bytes of an entry in front of the name of its object.
const FACTS: usize = 40;

/// The paths of the links of an index, from the top of its work tree. Empty when it cannot be read as one: git would
/// not read it either.
pub(super) fn links(index: &[u8], object_name: usize) -> Vec<PathBuf> {
    // Most indexes have none, and are not read entry by entry.
    if memchr::memmem::find(index, &LINK.to_be_bytes()).is_none() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let _complete = entries(index, object_name, |mode, name| {
        if mode == LINK {
            found.push(PathBuf::from(OsStr::from_bytes(name)));
        }
    });
    found
}

/// Calls `look` with the mode and the path of each entry; none when the index ends too early.
fn entries(index: &[u8], object_name: usize, mut look: impl FnMut(u32, &[u8])) -> Option<()> {
    const EXTENDED: u16 = 0x4000;
    let version = number(index.strip_prefix(b"DIRC")?)?;
    let count = number(index.get(8..)?)?;
    let mut rest = index.get(12..)?;
    let mut name: Vec<u8> = Vec::new();
    for _ in 0..count {
        let mode = number(rest.get(24..)?)?;
        let flags = rest.get(FACTS + object_name..)?.first_chunk().map(|bytes| u16::from_be_bytes(*bytes))?;
        let start = FACTS + object_name + if version >= 3 && flags & EXTENDED != 0 { 4 } else { 2 };
        let (kept, start) = if version == 4 {
            // As many bytes of the name before are left out as this says.
            let (left_out, length) = offset(rest.get(start..)?)?;
            (name.len().checked_sub(left_out)?, start + length)
        } else {
            (0, start)
        };
        name.truncate(kept);
        let tail = rest.get(start..)?;
        let length = memchr::memchr(0, tail)?;
        name.extend_from_slice(&tail[..length]);
        look(mode, &name);
        let end = if version == 4 { start + length + 1 } else { (start + length) / 8 * 8 + 8 };
        rest = rest.get(end..)?;
    }
    Some(())
}

fn number(bytes: &[u8]) -> Option<u32> {
    bytes.first_chunk().map(|bytes| u32::from_be_bytes(*bytes))
}

/// A number in groups of seven bits, and how many bytes it takes.
fn offset(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0_usize;
    for (at, byte) in bytes.iter().take(5).enumerate() {
        value = (value << 7) + usize::from(byte & 0x7F);
        if byte & 0x80 == 0 {
            return Some((value, at + 1));
        }
        value += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;

    use super::*;

    fn git(folder: &Path, words: &[&str]) {
        let done = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"])
            .args(words)
            .current_dir(folder)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        assert!(done.status.success(), "{words:?}: {done:?}");
    }

    #[test]
    fn the_links_of_an_index_are_found_in_every_version_and_with_both_kinds_of_names() {
        for (format, object_name) in [("sha1", 20), ("sha256", 32)] {
            let temp = tempfile::tempdir().unwrap();
            let top = temp.path().join("top");
            let inner = top.join("parts/inner one");
            std::fs::create_dir_all(&inner).unwrap();
            for folder in [&top, &inner] {
                git(folder, &["init", "--quiet", &format!("--object-format={format}")]);
            }
            std::fs::write(inner.join("file"), "x\n").unwrap();
            git(&inner, &["add", "."]);
            git(&inner, &["commit", "--quiet", "-m", "one"]);
            for name in ["a", "parts/before", "parts/later", "z".repeat(200).as_str()] {
                std::fs::write(top.join(name), "x\n").unwrap();
            }
            git(&top, &["add", "--all"]);
            git(&top, &["add", "--intent-to-add", "--all"]);
            for version in ["2", "3", "4"] {
                git(&top, &["update-index", "--index-version", version]);
                let index = std::fs::read(top.join(".git/index")).unwrap();
                assert_eq!(links(&index, object_name), [Path::new("parts/inner one")], "{format}, version {version}");
                assert_eq!(links(&index[..60], object_name), Vec::<PathBuf>::new());
            }
        }
    }
}
