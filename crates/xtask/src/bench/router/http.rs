//! A connection that asks one thing after another, as small as it can be, so that the client is not what is measured.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result, bail};

const LIMIT: Duration = Duration::from_mins(1);

/// A kept connection to a port of this machine.
pub struct Connection {
    reader: BufReader<TcpStream>,
}

impl Connection {
    /// Connects.
    ///
    /// # Errors
    /// Nobody listens.
    pub fn open(port: u16) -> Result<Self> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).context("nobody listens on the port")?;
        stream.set_nodelay(true).context("cannot set an option of the connection")?;
        stream.set_read_timeout(Some(LIMIT)).context("cannot set an option of the connection")?;
        Ok(Self { reader: BufReader::new(stream) })
    }

    /// Posts JSON and answers the body.
    ///
    /// # Errors
    /// The connection ends, or the answer is no success.
    pub fn post(&mut self, path: &str, headers: &[(&str, &str)], body: &str) -> Result<Vec<u8>> {
        let mut head = format!(
            "POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: {}\r\n",
            body.len()
        );
        for (name, value) in headers {
            head.push_str(name);
            head.push_str(": ");
            head.push_str(value);
            head.push_str("\r\n");
        }
        head.push_str("\r\n");
        head.push_str(body);
        self.reader.get_mut().write_all(head.as_bytes()).context("the connection takes nothing")?;
        let status = self.line()?;
        let (mut length, mut is_chunked) = (None, false);
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(':') else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().ok(),
                "transfer-encoding" => is_chunked = value.trim().eq_ignore_ascii_case("chunked"),
                _ => {}
            }
        }
        let body = if is_chunked { self.chunks()? } else { self.exactly(length.unwrap_or(0))? };
        if status.split_whitespace().nth(1) != Some("200") {
            bail!("the answer is `{status}`");
        }
        Ok(body)
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        if self.reader.read_line(&mut line).context("no answer in time")? == 0 {
            bail!("the connection ended");
        }
        line.truncate(line.trim_end_matches(['\r', '\n']).len());
        Ok(line)
    }

    fn exactly(&mut self, bytes: usize) -> Result<Vec<u8>> {
        let mut body = vec![0; bytes];
        self.reader.read_exact(&mut body).context("the answer ended early")?;
        Ok(body)
    }

    fn chunks(&mut self) -> Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let line = self.line()?;
            let size = usize::from_str_radix(line.split(';').next().unwrap_or_default().trim(), 16)
                .context("a chunk has no size")?;
            if size == 0 {
                while !self.line()?.is_empty() {}
                return Ok(body);
            }
            body.extend(self.exactly(size)?);
            self.line()?;
        }
    }
}
