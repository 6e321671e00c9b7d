//! A server of one connection after the other that writes exactly the bytes it is told, when it is told.
//!
//! It lives in the same runtime as the client, so with paused time a silence of minutes takes none.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, yield_now};

use crate::shape::KEY;

/// What happens on a connection once the request has arrived.
#[derive(Debug, Clone)]
pub enum Step {
    /// These bytes leave.
    Send(Vec<u8>),
    /// Nothing happens for so long.
    Pause(Duration),
    /// Nothing happens ever again.
    Stall,
    /// The connection is reset; otherwise it is closed at the end.
    Reset,
}

/// One request, byte for byte.
#[derive(Debug, Clone)]
pub struct Asked {
    pub head: String,
    pub body: Vec<u8>,
}

/// The server; dropping it ends it.
pub struct Mock {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    serving: JoinHandle<()>,
}

impl Mock {
    /// Plays `plays` in turn, one a connection; what comes after them is closed without a word.
    pub async fn start(plays: Vec<Vec<Step>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let serving = tokio::spawn({
            let asked = asked.clone();
            async move {
                let mut plays = plays.into_iter();
                while let Ok((connection, _)) = listener.accept().await {
                    serve(connection, &mut plays, &asked).await;
                }
            }
        });
        Self { address, asked, serving }
    }

    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn serve(mut connection: TcpStream, plays: &mut impl Iterator<Item = Vec<Step>>, asked: &Mutex<Vec<Asked>>) {
    connection.set_nodelay(true).unwrap();
    // Another process may try this port; it has no key and gets nothing.
    let Some(request) = read_request(&mut connection).await.filter(|request| request.head.contains(KEY)) else {
        return;
    };
    asked.lock().unwrap().push(request);
    for step in plays.next().unwrap_or_default() {
        match step {
            Step::Send(bytes) => {
                // A client that has had enough closes its end; what it then reports is the test.
                if connection.write_all(&bytes).await.is_err() {
                    return;
                }
                yield_now().await;
            }
            Step::Pause(time) => tokio::time::sleep(time).await,
            Step::Stall => {
                let mut nothing = [0];
                let _closed_by_client = connection.read(&mut nothing).await;
                return;
            }
            Step::Reset => {
                connection.set_zero_linger().unwrap();
                return;
            }
        }
    }
    let _closed_already = connection.shutdown().await;
}

async fn read_request(connection: &mut TcpStream) -> Option<Asked> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        if connection.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).unwrap();
    let length = head
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:").map(|value| value.trim().to_owned()))
        .map_or(0, |value| value.parse::<usize>().unwrap());
    while bytes.len() < head_end + length {
        if connection.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    Some(Asked { head, body: bytes[head_end..].to_vec() })
}
