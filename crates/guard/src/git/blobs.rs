//! Contents out of git's store, one after another from one process.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::error::GuardError;

/// Larger contents are not looked at, and the report says so.
pub(crate) const LARGEST: u64 = 16 << 20;
/// Where a zero byte makes a content binary, as git decides it.
const BINARY_WITHIN: usize = 8000;

/// A content.
#[derive(Debug)]
pub(crate) enum Blob {
    Text(String),
    Binary,
    TooLarge(u64),
}

/// The running process.
#[derive(Debug)]
pub(crate) struct Blobs {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Blobs {
    pub(super) fn open(mut command: Command) -> Result<Self, GuardError> {
        let mut child = command.stdin(Stdio::piped()).spawn().map_err(GuardError::NoGit)?;
        let (Some(questions), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(GuardError::Answer("cat-file"));
        };
        Ok(Self { child, questions: Some(questions), answers: BufReader::new(answers) })
    }

    /// The content of an object, by its full id.
    pub(crate) fn read(&mut self, object: &str) -> Result<Blob, GuardError> {
        self.ask(object).map_err(|_| GuardError::Answer("cat-file"))
    }

    fn ask(&mut self, object: &str) -> std::io::Result<Blob> {
        let questions = self.questions.as_mut().ok_or(std::io::ErrorKind::BrokenPipe)?;
        writeln!(questions, "{object}")?;
        questions.flush()?;
        let mut header = String::new();
        self.answers.read_line(&mut header)?;
        let size = header.trim_end().rsplit(' ').next().and_then(|size| size.parse::<u64>().ok());
        let Some(size) = size else { return Err(std::io::ErrorKind::NotFound.into()) };
        let mut bytes = Vec::new();
        let mut content = (&mut self.answers).take(size);
        if size > LARGEST {
            std::io::copy(&mut content, &mut std::io::sink())?;
        } else {
            content.read_to_end(&mut bytes)?;
        }
        let mut end = [0];
        self.answers.read_exact(&mut end)?;
        Ok(if size > LARGEST { Blob::TooLarge(size) } else { decoded(bytes) })
    }
}

impl Drop for Blobs {
    fn drop(&mut self) {
        // Its input ends, and so does it.
        self.questions = None;
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Text in UTF-8, or in UTF-16 when it says so; what is no letter there is replaced and hides nothing around it.
pub(crate) fn decoded(bytes: Vec<u8>) -> Blob {
    let units = |from_bytes: fn([u8; 2]) -> u16| -> String {
        let pairs = bytes.get(2..).unwrap_or_default().chunks_exact(2);
        let units: Vec<u16> = pairs.map(|pair| from_bytes([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    match bytes.as_slice() {
        [0xFF, 0xFE, ..] => return Blob::Text(units(u16::from_le_bytes)),
        [0xFE, 0xFF, ..] => return Blob::Text(units(u16::from_be_bytes)),
        _ => {}
    }
    if bytes.iter().take(BINARY_WITHIN).any(|byte| *byte == 0) {
        return Blob::Binary;
    }
    Blob::Text(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}
