//! What the worker reads: inline text, the output of a command, files and folders, put together within a limit.
//!
//! Files are opened by what they are. A pipe, a socket or a device is named and not read, a binary is named and not
//! read, and of a file that is too long its beginning and its end are read and the rest is not touched.

mod cap;
mod escapes;
mod files;
mod source;

use std::path::{Path, PathBuf};

use crate::trailer::CommandEnd;

pub use cap::{Capped, capped, capped_ends};
pub use escapes::plain_text;
pub use source::{command_label, shown_path};

/// The longest material when nothing else is set.
pub const MATERIAL_MAX_CHARS: usize = 400_000;
/// What a file gets at least, however little room is left.
const FLOOR_CHARS: usize = 1_000;

/// The output of a command as a piece of material.
#[derive(Clone, Copy)]
pub struct CommandMaterial<'m> {
    /// The command as the caller wrote it.
    pub as_written: &'m str,
    /// Its output, without escapes, cut already where it was too long.
    pub output: &'m str,
    /// How it ended.
    pub end: CommandEnd,
    /// Characters before it was cut.
    pub raw_chars: u64,
    /// Something was cut out.
    pub is_truncated: bool,
}

/// What is to be put together.
#[derive(Clone, Copy)]
pub struct MaterialRequest<'m> {
    /// Text that the caller brought.
    pub inline: &'m str,
    /// The command that ran for it.
    pub command: Option<CommandMaterial<'m>>,
    /// Files and folders, as the caller wrote them, placeholders put back.
    pub paths: &'m [String],
    /// What relative paths start from.
    pub folder: &'m Path,
    /// What `~` stands for.
    pub home: Option<&'m Path>,
    /// Where files have to lie; everywhere when there is none.
    pub root: Option<&'m Path>,
    /// Folders of which nothing is read, links followed.
    pub kept: &'m [PathBuf],
    /// Lines will be quoted: a single file goes without a header, so that line numbers are its own.
    pub is_verbatim: bool,
    /// The longest material.
    pub most_chars: usize,
}

/// What the worker reads. It is raw, so `Debug` shows its length.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Material {
    /// The text; empty when there was none.
    pub text: String,
    /// What it is, for labels. It may hold private values, so it leaves through the scrub.
    pub source: String,
    /// Characters before anything was cut; what was never read counts by byte.
    pub raw_chars: u64,
    /// Something was cut out.
    pub is_truncated: bool,
    /// It is one file without a header, so its line numbers are the file's own.
    pub is_single_file: bool,
    /// Characters that the caller did not bring itself, as far as they were read.
    pub gathered_chars: u64,
    /// Characters that the caller brought.
    pub inline_chars: u64,
}

impl std::fmt::Debug for Material {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Material")
            .field("chars", &self.text.chars().count())
            .field("raw_chars", &self.raw_chars)
            .field("is_truncated", &self.is_truncated)
            .field("is_single_file", &self.is_single_file)
            .finish_non_exhaustive()
    }
}

impl Material {
    /// Whether there is nothing to read.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

/// Puts the material of `local_llm_delegate` together. It reads files, so callers on a runtime use a thread for
/// blocking work.
pub fn gather(request: MaterialRequest<'_>) -> Material {
    if let (true, "", None, [path]) = (request.is_verbatim, request.inline.trim(), request.command, request.paths)
        && let Some(material) = files::single(request, path)
    {
        return material;
    }
    let mut gathering = Gathering::new(request.most_chars);
    if !request.inline.trim().is_empty() {
        let inline = plain_text(request.inline);
        gathering.material.inline_chars = chars(&inline);
        gathering.push(&inline, chars(&inline), false);
        gathering.sources.push(format!("inline ({} chars)", inline.chars().count()));
    }
    if let Some(command) = request.command {
        let piece = command_piece(command);
        gathering.material.gathered_chars += chars(command.output);
        gathering.push(&piece, command.raw_chars.max(chars(&piece)), command.is_truncated);
        gathering.sources.push(command_label(command.as_written, 120));
    }
    for path in request.paths {
        let room = gathering.room().max(FLOOR_CHARS);
        let piece = files::piece(request, path, room);
        gathering.material.gathered_chars += piece.content_chars;
        gathering.push(&piece.text, piece.raw_chars, piece.is_truncated);
    }
    if !request.paths.is_empty() {
        gathering.sources.push(source::paths_label(request.paths));
    }
    gathering.finish()
}

/// The material of `local_llm_run`: the command's output without a header, or one line when there is none.
pub fn of_command(command: CommandMaterial<'_>, most_chars: usize) -> Material {
    let source = command_label(command.as_written, 200);
    let gathered_chars = chars(command.output);
    if command.output.trim().is_empty() {
        let text = format!("(no output; {})", end_words(command.end));
        return Material { text, source, raw_chars: command.raw_chars, gathered_chars, ..Material::default() };
    }
    let capped = capped(command.output, most_chars);
    Material {
        is_truncated: command.is_truncated || capped.is_truncated(),
        text: capped.text,
        source,
        raw_chars: command.raw_chars,
        gathered_chars,
        ..Material::default()
    }
}

fn command_piece(command: CommandMaterial<'_>) -> String {
    let body = if command.output.trim().is_empty() { "(no output)" } else { command.output.trim_end() };
    format!("== command: {} ({}) ==\n{body}", source::one_line(command.as_written), end_words(command.end))
}

fn end_words(end: CommandEnd) -> String {
    match end {
        CommandEnd::Exited(code) => format!("exit code {code}"),
        CommandEnd::Signalled(signal) => format!("ended by signal {signal}"),
        CommandEnd::TimedOut => "timed out".to_owned(),
        CommandEnd::Cancelled => "cancelled".to_owned(),
        CommandEnd::Unknown => "exit code unknown".to_owned(),
    }
}

/// The pieces as they come together.
struct Gathering {
    material: Material,
    sources: Vec<String>,
    most_chars: usize,
    used: usize,
}

impl Gathering {
    fn new(most_chars: usize) -> Self {
        Self { material: Material::default(), sources: Vec::new(), most_chars, used: 0 }
    }

    fn room(&self) -> usize {
        self.most_chars.saturating_sub(self.used)
    }

    fn push(&mut self, piece: &str, raw_chars: u64, is_truncated: bool) {
        if !self.material.text.is_empty() {
            self.material.text.push_str("\n\n");
        }
        self.material.text.push_str(piece);
        self.material.raw_chars += raw_chars;
        self.material.is_truncated |= is_truncated;
        self.used += piece.chars().count() + 2;
    }

    fn finish(self) -> Material {
        let Self { mut material, sources, most_chars, .. } = self;
        let capped = capped(&material.text, most_chars);
        material.is_truncated |= capped.is_truncated();
        material.text = capped.text;
        material.source = sources.join("; ");
        material
    }
}

fn chars(text: &str) -> u64 {
    text.chars().count() as u64
}
