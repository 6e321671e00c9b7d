//! Standard input that comes while a program runs.

use std::io;
use std::os::fd::OwnedFd;
use std::process::Stdio;
use std::sync::Arc;

use tokio::io::AsyncWriteExt;
use tokio::net::unix::pipe;

use crate::program::Input;

/// The writing end of a program's standard input. Dropping it is the end of the input.
#[derive(Debug)]
pub struct Feed {
    sender: pipe::Sender,
}

impl Feed {
    /// A pipe: the end to write to, and the input of the one program that reads from it.
    ///
    /// # Errors
    /// The system has no pipe left, or there is no runtime.
    pub fn new() -> io::Result<(Self, Input)> {
        let (reader, writer) = io::pipe()?;
        let sender = pipe::Sender::from_owned_fd(writer.into())?;
        Ok((Self { sender }, Input::Fed(FeedEnd(Arc::new(reader.into())))))
    }

    /// Writes all of it. It waits while the program does not read, so callers set a limit.
    ///
    /// # Errors
    /// The program has ended or closed its input.
    pub async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sender.write_all(bytes).await
    }
}

/// The reading end, which goes to the program. Two are equal if they are the same.
#[derive(Debug, Clone)]
pub struct FeedEnd(Arc<OwnedFd>);

impl FeedEnd {
    pub(crate) fn stdio(&self) -> io::Result<Stdio> {
        Ok(Stdio::from(self.0.try_clone()?))
    }
}

impl PartialEq for FeedEnd {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for FeedEnd {}
