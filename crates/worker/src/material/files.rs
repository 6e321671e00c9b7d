//! Files and folders, opened by what they are.

use std::fmt::Write as _;
use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::cap::capped_ends;
use super::source::shown_path;
use super::{Material, MaterialRequest, chars, plain_text};

/// Entries of a folder that are listed.
const MOST_ENTRIES: usize = 500;
/// What is looked at to tell text from anything else.
const SAMPLE_BYTES: usize = 8_192;

/// What a header and a mark take beside the path.
const HEAD_CHARS: usize = 100;

/// What is said of a path in one of Lwa's own folders.
const KEPT: &str = "a file of Lwa itself, which the worker does not read";

/// What became of one path.
pub(super) struct Piece {
    pub(super) text: String,
    /// What was read of the file or folder itself.
    pub(super) content_chars: u64,
    pub(super) raw_chars: u64,
    pub(super) is_truncated: bool,
}

impl Piece {
    fn line(text: String) -> Self {
        Self { raw_chars: chars(&text), text, content_chars: 0, is_truncated: false }
    }
}

/// What is at a path.
enum Found {
    Folder(PathBuf),
    Text(FileText),
    /// Neither; the words say what it is or why it was not read.
    Not(String),
}

struct FileText {
    text: String,
    bytes: u64,
    raw_chars: u64,
    is_truncated: bool,
}

/// The material of one file and nothing else; none when it is no readable file.
pub(super) fn single(request: MaterialRequest<'_>, path: &str) -> Option<Material> {
    let Found::Text(file) = look(request, path, request.most_chars) else { return None };
    Some(Material {
        source: shown_path(path),
        raw_chars: file.raw_chars,
        is_truncated: file.is_truncated,
        // Behind a cut the numbers are no longer the file's own.
        is_single_file: !file.is_truncated,
        gathered_chars: chars(&file.text),
        inline_chars: 0,
        text: file.text,
    })
}

/// One path under its header, in so much room.
pub(super) fn piece(request: MaterialRequest<'_>, path: &str, room: usize) -> Piece {
    let shown = shown_path(path);
    // Its header and the mark of a cut take room as well; a second cut would lose the first one's count.
    let room = room.saturating_sub(shown.chars().count() + HEAD_CHARS).max(room / 2);
    match look(request, path, room) {
        Found::Not(words) => Piece::line(format!("[{shown}: {words}]")),
        Found::Folder(folder) => match listing(&folder, request.kept) {
            Ok(None) => Piece::line(format!("[{shown}: {KEPT}]")),
            Ok(Some(listed)) => {
                let text = format!("== folder {shown} ({} entries) ==\n{}", listed.count, listed.text);
                let content_chars = chars(&listed.text);
                Piece { raw_chars: chars(&text), text, content_chars, is_truncated: listed.count > MOST_ENTRIES }
            }
            Err(error) => Piece::line(format!("[{shown}: {}]", words(&error))),
        },
        Found::Text(file) => {
            let mark = if file.is_truncated { ", truncated" } else { "" };
            let text = format!("== file {shown} ({} bytes{mark}) ==\n{}", file.bytes, file.text.trim_end_matches('\n'));
            Piece { text, content_chars: chars(&file.text), raw_chars: file.raw_chars, is_truncated: file.is_truncated }
        }
    }
}

fn look(request: MaterialRequest<'_>, path: &str, room: usize) -> Found {
    let Some(path) = resolve(request, path) else { return Found::Not("not found".to_owned()) };
    // Looking comes before opening: opening a device or a pipe may do something.
    let metadata = match fs::metadata(&path) {
        Ok(metadata) => metadata,
        Err(error) => return Found::Not(words(&error)),
    };
    if let Some(root) = request.root
        && !is_under(&path, root)
    {
        return Found::Not("outside the folder that this client may read".to_owned());
    }
    if is_kept(&path, request.kept) {
        return Found::Not(KEPT.to_owned());
    }
    if metadata.is_dir() {
        return Found::Folder(path);
    }
    if !metadata.is_file() {
        return Found::Not(format!("{}, not read", kind_words(metadata.file_type())));
    }
    match read(&path, room, request.kept) {
        Ok(found) => found,
        Err(error) => Found::Not(words(&error)),
    }
}

fn resolve(request: MaterialRequest<'_>, path: &str) -> Option<PathBuf> {
    let path = path.trim();
    if path.is_empty() || path.contains('\0') {
        return None;
    }
    match (path.strip_prefix('~'), request.home) {
        (Some(""), Some(home)) => Some(home.to_owned()),
        (Some(rest), Some(home)) if rest.starts_with('/') => Some(home.join(rest.trim_start_matches('/'))),
        _ => Some(request.folder.join(path)),
    }
}

/// Whether a path really lies in a folder, links followed.
fn is_under(path: &Path, root: &Path) -> bool {
    match (path.canonicalize(), root.canonicalize()) {
        (Ok(path), Ok(root)) => path.starts_with(root),
        _ => false,
    }
}

/// Whether what a path leads to lies in a folder that is kept from the worker. What cannot be told is kept.
fn is_kept(path: &Path, kept: &[PathBuf]) -> bool {
    if kept.is_empty() {
        return false;
    }
    // What the system shows of this process is the host's own memory, variables and open files.
    let own = Path::new("/proc").join(std::process::id().to_string());
    let Ok(real) = path.canonicalize() else { return true };
    kept.iter().chain([&own]).any(|folder| real.starts_with(folder) || is_same_folder_above(&real, folder))
}

/// Whether one of the folders above is this one under another name, as on a disk that knows no capitals.
fn is_same_folder_above(path: &Path, folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let Ok(wanted) = fs::metadata(folder) else { return false };
    path.ancestors()
        .any(|above| fs::metadata(above).is_ok_and(|found| (found.dev(), found.ino()) == (wanted.dev(), wanted.ino())))
}

/// Where an opened file really is.
#[cfg(target_os = "linux")]
fn place_of(file: &File, _: &Path) -> PathBuf {
    use std::os::fd::AsRawFd;

    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Elsewhere the path is asked once more.
#[cfg(not(target_os = "linux"))]
fn place_of(_: &File, path: &Path) -> PathBuf {
    path.to_owned()
}

fn open(path: &Path, kept: &[PathBuf]) -> io::Result<Option<File>> {
    let nonblock = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    let flags = i32::try_from(nonblock.bits()).unwrap_or_default();
    // What is opened may be another thing than what was looked at; without waiting for the other end of a pipe.
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let is_kept = is_kept(&place_of(&file, path), kept);
    Ok((!is_kept).then_some(file))
}

fn read(path: &Path, room: usize, kept: &[PathBuf]) -> io::Result<Found> {
    let Some(mut file) = open(path, kept)? else { return Ok(Found::Not(KEPT.to_owned())) };
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Ok(Found::Not(format!("{}, not read", kind_words(metadata.file_type()))));
    }
    let ends = read_ends(&mut file, &metadata, room)?;
    if let Some(encoding) = utf16(&ends.beginning) {
        if ends.dropped > 0 {
            return Ok(Found::Not(format!("{} bytes of UTF-16 text, too long to be read", ends.bytes)));
        }
        let text = encoding(ends.beginning.get(2..).unwrap_or_default());
        return Ok(Found::Text(file_text(&text, "", 0, ends.bytes, room)));
    }
    if is_binary(&ends.beginning) {
        return Ok(Found::Not(format!("binary file of {} bytes, not read", ends.bytes)));
    }
    let beginning = lossy_beginning(&ends.beginning, ends.dropped > 0);
    let end = lossy_end(&ends.end);
    Ok(Found::Text(file_text(&beginning, &end, ends.dropped, ends.bytes, room)))
}

fn file_text(beginning: &str, end: &str, dropped: u64, bytes: u64, room: usize) -> FileText {
    let beginning = beginning.strip_prefix('\u{feff}').unwrap_or(beginning);
    let capped = capped_ends(&plain_text(beginning), &plain_text(end), dropped, room);
    FileText { bytes, raw_chars: capped.raw_chars, is_truncated: capped.is_truncated(), text: capped.text }
}

/// The beginning and the end of a file, and how much lies between.
struct Ends {
    beginning: Vec<u8>,
    end: Vec<u8>,
    dropped: u64,
    bytes: u64,
}

/// Reads no more than there is room for, at four bytes a character.
fn read_ends(file: &mut File, metadata: &Metadata, room: usize) -> io::Result<Ends> {
    let most = room.saturating_mul(4) as u64;
    let mut beginning = Vec::new();
    // Files of the system say that they are empty and are not, so the length alone decides nothing.
    file.by_ref().take(most + 1).read_to_end(&mut beginning)?;
    let read = beginning.len() as u64;
    if read <= most {
        return Ok(Ends { beginning, end: Vec::new(), dropped: 0, bytes: read });
    }
    let bytes = metadata.len().max(read);
    let head = usize::try_from(most / 10 * 7).unwrap_or(usize::MAX);
    let tail = (most - most / 10 * 7).min(bytes.saturating_sub(head as u64));
    beginning.truncate(head);
    let mut end = Vec::new();
    if metadata.len() > 0 {
        file.seek(SeekFrom::Start(bytes - tail))?;
        file.by_ref().take(tail).read_to_end(&mut end)?;
    }
    let dropped = bytes.saturating_sub((beginning.len() + end.len()) as u64);
    Ok(Ends { beginning, end, dropped, bytes })
}

/// Text holds no zero bytes, and seldom what is neither text nor a control character that texts have.
fn is_binary(bytes: &[u8]) -> bool {
    let sample = bytes.get(..SAMPLE_BYTES.min(bytes.len())).unwrap_or_default();
    let odd = sample.iter().filter(|byte| matches!(byte, 0x01..=0x06 | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f)).count();
    let invalid = match std::str::from_utf8(sample) {
        Ok(_) => 0,
        Err(_) => String::from_utf8_lossy(sample).chars().filter(|character| *character == '\u{fffd}').count(),
    };
    sample.contains(&0) || (odd + invalid) * 10 > sample.len().max(1) * 3
}

/// How to read UTF-16, when the text begins with its mark.
fn utf16(bytes: &[u8]) -> Option<fn(&[u8]) -> String> {
    fn units(bytes: &[u8], read: fn([u8; 2]) -> u16) -> String {
        let units: Vec<u16> = bytes.as_chunks::<2>().0.iter().map(|pair| read(*pair)).collect();
        String::from_utf16_lossy(&units)
    }
    match bytes {
        [0xff, 0xfe, ..] => Some(|bytes| units(bytes, u16::from_le_bytes)),
        [0xfe, 0xff, ..] => Some(|bytes| units(bytes, u16::from_be_bytes)),
        _ => None,
    }
}

fn lossy_beginning(bytes: &[u8], is_cut: bool) -> String {
    let whole = match std::str::from_utf8(bytes) {
        Err(error) if is_cut && error.error_len().is_none() => bytes.get(..error.valid_up_to()).unwrap_or(bytes),
        _ => bytes,
    };
    String::from_utf8_lossy(whole).into_owned()
}

fn lossy_end(bytes: &[u8]) -> String {
    let torn = bytes.iter().take(3).take_while(|byte| *byte & 0xC0 == 0x80).count();
    String::from_utf8_lossy(bytes.get(torn..).unwrap_or_default()).into_owned()
}

struct Listing {
    text: String,
    count: usize,
}

fn listing(folder: &Path, kept: &[PathBuf]) -> io::Result<Option<Listing>> {
    let Some(opened) = open(folder, kept)? else { return Ok(None) };
    let mut entries: Vec<(String, &'static str, Option<u64>)> = Vec::new();
    for entry in fs::read_dir(place_of(&opened, folder))?.filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let (kind, bytes) = match entry.metadata() {
            Ok(found) if found.is_dir() => ("folder", None),
            Ok(found) if found.is_symlink() => ("link", None),
            Ok(found) if found.is_file() => ("file", Some(found.len())),
            _ => ("other", None),
        };
        entries.push((name, kind, bytes));
    }
    let count = entries.len();
    entries.sort();
    let mut text = String::new();
    for (name, kind, bytes) in entries.iter().take(MOST_ENTRIES) {
        let bytes = bytes.map_or_else(|| "-".to_owned(), |bytes| bytes.to_string());
        let _ = writeln!(text, "{kind:<6} {bytes:>10} {}", super::source::one_line(name));
    }
    match count {
        0 => text.push_str("(empty)"),
        _ if count > MOST_ENTRIES => {
            let _ = write!(text, "(and {} more)", count - MOST_ENTRIES);
        }
        _ => {
            text.pop();
        }
    }
    Ok(Some(Listing { text, count }))
}

fn kind_words(kind: FileType) -> &'static str {
    if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_char_device() || kind.is_block_device() {
        "a device"
    } else {
        "no regular file"
    }
}

fn words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "not found".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::NotADirectory => "not found: a part of the path is no folder".to_owned(),
        io::ErrorKind::IsADirectory => "a folder".to_owned(),
        kind => format!("cannot be read ({kind})"),
    }
}
