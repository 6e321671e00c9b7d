//! Standard input and output without blocking, whatever the client made them of.
//!
//! Most clients make pipes; those on Node make socket pairs. Anything else (a file, a terminal) is read and written by
//! threads, which costs a little and works everywhere.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixStream as StdStream;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;

/// What the client sends.
pub fn input() -> Box<dyn AsyncRead + Send + Unpin> {
    let stdin = std::io::stdin();
    match kind(stdin.as_fd()) {
        // Opening the pipe anew gives it a description of its own, so that not blocking stays private to us.
        Some(Kind::Pipe) => match pipe::OpenOptions::new().open_receiver("/proc/self/fd/0") {
            Ok(receiver) => Box::new(receiver),
            Err(_) => Box::new(tokio::io::stdin()),
        },
        Some(Kind::Socket(socket)) => match stream(socket) {
            Ok(stream) => Box::new(stream),
            Err(_) => Box::new(tokio::io::stdin()),
        },
        None => Box::new(tokio::io::stdin()),
    }
}

/// What the client reads.
pub fn output() -> Box<dyn AsyncWrite + Send + Unpin> {
    let stdout = std::io::stdout();
    match kind(stdout.as_fd()) {
        Some(Kind::Pipe) => match pipe::OpenOptions::new().open_sender("/proc/self/fd/1") {
            Ok(sender) => Box::new(sender),
            Err(_) => Box::new(tokio::io::stdout()),
        },
        Some(Kind::Socket(socket)) => match stream(socket) {
            Ok(stream) => Box::new(stream),
            Err(_) => Box::new(tokio::io::stdout()),
        },
        None => Box::new(tokio::io::stdout()),
    }
}

enum Kind {
    Pipe,
    Socket(OwnedFd),
}

fn kind(descriptor: BorrowedFd<'_>) -> Option<Kind> {
    let file = File::from(descriptor.try_clone_to_owned().ok()?);
    let file_type = file.metadata().ok()?.file_type();
    if file_type.is_fifo() {
        Some(Kind::Pipe)
    } else if file_type.is_socket() {
        Some(Kind::Socket(file.into()))
    } else {
        None
    }
}

fn stream(socket: OwnedFd) -> std::io::Result<UnixStream> {
    let socket = StdStream::from(socket);
    socket.set_nonblocking(true)?;
    UnixStream::from_std(socket)
}
