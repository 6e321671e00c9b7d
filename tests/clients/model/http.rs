//! As much of HTTP as the clients speak to their model: one request and one reply a connection.

use std::io::{self, BufRead, BufReader, Read};
use std::net::TcpStream;

use serde_json::Value;

/// One request as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// Method and path, without the query.
    pub(crate) line: String,
    /// Names and values in their order.
    pub(crate) headers: Vec<(String, String)>,
    /// The body; null if it is no JSON.
    pub(crate) body: Value,
}

impl Request {
    /// The value of a header, in any case.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// Reads a request; none when the connection ends first.
pub(super) fn read(connection: &TcpStream) -> io::Result<Option<Request>> {
    let mut reader = BufReader::new(connection);
    let mut first = String::new();
    if reader.read_line(&mut first)? == 0 {
        return Ok(None);
    }
    let mut words = first.split_whitespace();
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let path = target.split('?').next().unwrap_or_default();
    let mut request = Request { line: format!("{method} {path}"), headers: Vec::new(), body: Value::Null };
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        request.headers.push((name.to_owned(), value.trim().to_owned()));
    }
    let length = request.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    request.body = serde_json::from_slice(&body).unwrap_or_default();
    Ok(Some(request))
}

/// A whole reply, after which the connection ends.
pub(super) fn response(content_type: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
    .into_bytes()
}
