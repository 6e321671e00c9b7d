//! One scripted reply: a head, and a body that may be split, stall or break anywhere.

use std::io::{self, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::Call;

/// What happens after the last byte of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// The body ends as it should.
    Clean,
    /// Nothing more comes, and the connection stays open.
    Stall,
    /// The connection ends without the end of the body.
    Cut,
    /// The connection is reset.
    Reset,
}

/// A scripted reply.
#[derive(Debug, Clone)]
pub struct Reply {
    /// Zero means that not even a head is sent.
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    /// Where the body is split; each part travels as a chunk of its own, so a client sees the same parts.
    splits: Vec<usize>,
    end: End,
}

impl Reply {
    fn new(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self {
            status,
            headers: vec![("content-type".to_owned(), content_type.to_owned())],
            body: body.into(),
            splits: Vec::new(),
            end: End::Clean,
        }
    }

    /// A JSON document. In it, `{{model}}` becomes the model that was asked for.
    pub fn json(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self::new(status, "application/json", body)
    }

    /// A stream of events. In it, `{{model}}` becomes the model that was asked for.
    pub fn events(body: impl Into<Vec<u8>>) -> Self {
        Self::new(200, "text/event-stream", body)
    }

    /// A document of any type.
    pub fn document(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::new(status, content_type, body)
    }

    /// A redirect.
    pub fn redirect(status: u16, target: &str) -> Self {
        Self::new(status, "text/plain", "moved").header("location", target)
    }

    /// Takes the request and says nothing.
    pub fn silence() -> Self {
        Self { end: End::Stall, ..Self::new(0, "", "") }
    }

    /// Takes the request and resets the connection.
    pub fn reset() -> Self {
        Self { end: End::Reset, ..Self::new(0, "", "") }
    }

    /// Adds a header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Splits the body before these bytes.
    pub fn split_at(mut self, positions: &[usize]) -> Self {
        self.splits = positions.to_vec();
        self
    }

    /// Splits the body into parts of `size` bytes.
    pub fn split_every(mut self, size: usize) -> Self {
        self.splits = (1..self.body.len()).filter(|position| position % size.max(1) == 0).collect();
        self
    }

    /// Stops after the body and keeps the connection open.
    pub fn then_stall(mut self) -> Self {
        self.end = End::Stall;
        self
    }

    /// Closes the connection after the body without ending the body.
    pub fn then_cut(mut self) -> Self {
        self.end = End::Cut;
        self
    }

    /// Resets the connection after the body.
    pub fn then_reset(mut self) -> Self {
        self.end = End::Reset;
        self
    }

    /// Writes the reply; true if the connection can take another request.
    pub(super) fn play(&self, mut connection: &TcpStream, call: &Call, stall: impl FnOnce()) -> io::Result<bool> {
        if self.status != 0 {
            let mut head = Vec::new();
            write!(head, "HTTP/1.1 {} Scripted\r\n", self.status)?;
            for (name, value) in &self.headers {
                write!(head, "{name}: {value}\r\n")?;
            }
            head.extend_from_slice(b"transfer-encoding: chunked\r\n\r\n");
            connection.write_all(&head)?;
            let body = self.body_for(call);
            let mut begin = 0;
            for end in self.splits.iter().copied().chain([body.len()]) {
                let end = end.min(body.len());
                if end > begin {
                    write!(connection, "{:x}\r\n", end - begin)?;
                    connection.write_all(&body[begin..end])?;
                    connection.write_all(b"\r\n")?;
                    begin = end;
                }
            }
        }
        match self.end {
            End::Clean => {
                connection.write_all(b"0\r\n\r\n")?;
                return Ok(true);
            }
            End::Stall => stall(),
            End::Cut => connection.shutdown(std::net::Shutdown::Both)?,
            End::Reset => {
                rustix::net::sockopt::set_socket_linger(connection, Some(Duration::ZERO))?;
            }
        }
        Ok(false)
    }

    fn body_for(&self, call: &Call) -> Vec<u8> {
        let marker = "{{model}}";
        let Some(text) = std::str::from_utf8(&self.body).ok().filter(|text| text.contains(marker)) else {
            return self.body.clone();
        };
        let model = call.json().get("model").and_then(|model| model.as_str().map(str::to_owned)).unwrap_or_default();
        text.replace(marker, &model.replace('\\', "\\\\").replace('"', "\\\"")).into_bytes()
    }
}
