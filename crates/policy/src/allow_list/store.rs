//! The file of the allow list.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use super::{AllowList, AllowListError};

/// A list longer than this is not one that a human wrote.
const MAX_LENGTH: u64 = 1024 * 1024;

const HEADER: &str = "# Commands that run without asking: one entry a line, a star at the end of a word means anything behind it.\n\
                      # A line that starts with `>` allows writing that path. Nothing here lifts a refusal.\n";

static TEMPORARY: AtomicU32 = AtomicU32::new(0);

fn wrong(reason: String) -> AllowListError {
    AllowListError { line: 0, reason }
}

impl AllowList {
    /// Reads the list at `path`; a file that is not there is an empty list.
    ///
    /// A file that other users may change, that belongs to someone else or that is no plain file is refused.
    pub fn read(path: &Path) -> Result<Self, AllowListError> {
        Self::parse(&text_of(path)?)
    }

    /// The text of the list at `path`, which can be used as a list: the same files are refused.
    pub fn text_at(path: &Path) -> Result<String, AllowListError> {
        let text = text_of(path)?;
        Self::parse(&text)?;
        Ok(text)
    }

    /// Adds shapes to the list at `path`, each on a line of its own; what is there already is not added again.
    ///
    /// The file is replaced in one step, readable for its owner only; folders above it are made when they are missing.
    pub fn add(path: &Path, shapes: &[String]) -> Result<(), AllowListError> {
        let mut text = text_of(path)?;
        let known = Self::parse(&text)?;
        let mut fresh: Vec<&str> = Vec::new();
        for shape in shapes {
            let shape = shape.trim();
            if shape.contains(['\n', '\r', '\0']) {
                return Err(wrong("a shape has to fit on one line".to_owned()));
            }
            if shape.is_empty() || known.entries().any(|entry| entry == shape) || fresh.contains(&shape) {
                continue;
            }
            Self::parse(shape)?;
            fresh.push(shape);
        }
        if fresh.is_empty() {
            return Ok(());
        }
        if text.is_empty() {
            text.push_str(HEADER);
        }
        if !text.ends_with('\n') {
            text.push('\n');
        }
        for shape in fresh {
            text.push_str(shape);
            text.push('\n');
        }
        replace(path, &text).map_err(|error| wrong(format!("cannot write `{}`: {error}", path.display())))
    }
}

fn text_of(path: &Path) -> Result<String, AllowListError> {
    let shown = path.display();
    let meta = match fs::symlink_metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(String::new()),
        Err(error) => return Err(wrong(format!("cannot read `{shown}`: {error}"))),
    };
    if !meta.is_file() {
        return Err(wrong(format!("`{shown}` is not a plain file")));
    }
    if meta.len() > MAX_LENGTH {
        return Err(wrong(format!("`{shown}` is longer than a list can be")));
    }
    check_owner(path, &meta)?;
    let mut text = String::new();
    fs::File::open(path)
        .and_then(|file| file.take(MAX_LENGTH).read_to_string(&mut text))
        .map_err(|error| wrong(format!("cannot read `{shown}`: {error}")))?;
    Ok(text)
}

#[cfg(unix)]
fn check_owner(path: &Path, meta: &fs::Metadata) -> Result<(), AllowListError> {
    use std::os::unix::fs::MetadataExt as _;
    if meta.mode() & 0o022 != 0 {
        return Err(wrong(format!("`{}` may be changed by other users; `chmod 600` makes it safe", path.display())));
    }
    // The process's own entry in the table of processes belongs to the user it runs as.
    if let Ok(own) = fs::metadata("/proc/self")
        && own.uid() != meta.uid()
    {
        return Err(wrong(format!("`{}` belongs to another user", path.display())));
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_owner(_: &Path, _: &fs::Metadata) -> Result<(), AllowListError> {
    Ok(())
}

fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
    make_folder(folder)?;
    let number = TEMPORARY.fetch_add(1, Ordering::Relaxed);
    let name = format!(".allow-{}-{number}.new", std::process::id());
    let temporary = folder.join(name);
    let written = write_new(&temporary, text).and_then(|()| fs::rename(&temporary, path));
    if written.is_err() {
        // What cannot be finished is not left behind.
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn write_new(path: &Path, text: &str) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn make_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(folder)
}
