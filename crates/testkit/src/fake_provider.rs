//! A provider on a loopback port that plays scripted replies and records what it was asked.

pub mod reply;
pub mod scenario;

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use reply::Reply;
use serde_json::Value;

/// Replies by request line, `POST /chat/completions`; the last one of a list is repeated.
#[derive(Debug, Clone, Default)]
pub struct Script {
    replies: HashMap<String, Vec<Reply>>,
}

impl Script {
    /// A script that answers every request with 404.
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers `request`, a method and a path, with `replies` in turn.
    pub fn on(mut self, request: &str, replies: impl IntoIterator<Item = Reply>) -> Self {
        self.replies.entry(request.to_owned()).or_default().extend(replies);
        self
    }
}

/// One request as it arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The method.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Names and values in their order, as they were written.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Call {
    /// The value of the first header of this name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The body as JSON; null if it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

#[derive(Debug, Default)]
struct State {
    script: Script,
    calls: Vec<Call>,
    connections: HashMap<usize, TcpStream>,
    connection_count: usize,
    is_stopping: bool,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// Wakes replies that stall and tests that wait.
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The server; dropping it closes every connection and ends its threads.
#[derive(Debug)]
pub struct FakeProvider {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

impl FakeProvider {
    /// Listens on a free port of 127.0.0.1.
    pub fn start(script: Script) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::default());
        shared.lock().script = script;
        let accepting = std::thread::spawn({
            let shared = Arc::clone(&shared);
            move || accept(&listener, &shared)
        });
        Ok(Self { address, shared, accepting: Some(accepting) })
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// `http://127.0.0.1:PORT`.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every request so far.
    pub fn calls(&self) -> Vec<Call> {
        self.shared.lock().calls.clone()
    }

    /// How many requests with this method came.
    pub fn count(&self, method: &str) -> usize {
        self.shared.lock().calls.iter().filter(|call| call.method == method).count()
    }

    /// How many connections were made.
    pub fn connections(&self) -> usize {
        self.shared.lock().connection_count
    }

    /// Waits until `count` requests have arrived.
    pub fn wait_for_calls(&self, count: usize) {
        let mut state = self.shared.lock();
        while state.calls.len() < count && !state.is_stopping {
            state = self.shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for FakeProvider {
    fn drop(&mut self) {
        {
            let mut state = self.shared.lock();
            state.is_stopping = true;
            for connection in state.connections.values() {
                // A connection that its client closed already cannot be closed again.
                let _closed = connection.shutdown(Shutdown::Both);
            }
        }
        self.shared.changed.notify_all();
        // The listener waits for a connection, so it gets one.
        let _woken = TcpStream::connect(self.address);
        if let Some(accepting) = self.accepting.take() {
            // A thread that panicked has said so.
            let _ended = accepting.join();
        }
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut serving = Vec::new();
    for connection in listener.incoming() {
        let mut state = shared.lock();
        if state.is_stopping {
            break;
        }
        let Ok(connection) = connection else { continue };
        state.connection_count += 1;
        let number = state.connection_count;
        state.connections.extend(connection.try_clone().map(|connection| (number, connection)));
        drop(state);
        let shared = Arc::clone(shared);
        serving.push(std::thread::spawn(move || {
            // What goes wrong on a connection, the client on its other end reports.
            let _served = serve(&connection, &shared);
            // Both handles have to go, or the connection stays open.
            shared.lock().connections.remove(&number);
        }));
    }
    for thread in serving {
        let _ended = thread.join();
    }
}

fn serve(connection: &TcpStream, shared: &Shared) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let mut reader = BufReader::new(connection);
    while let Some(call) = read_call(&mut reader)? {
        let reply = {
            let mut state = shared.lock();
            let key = format!("{} {}", call.method, call.target.split('?').next().unwrap_or_default());
            let reply = match state.script.replies.get_mut(&key) {
                Some(replies) if replies.len() > 1 => replies.remove(0),
                Some(replies) if !replies.is_empty() => replies[0].clone(),
                _ => Reply::json(404, r#"{"error":{"message":"the script has no such path"}}"#),
            };
            state.calls.push(call.clone());
            reply
        };
        shared.changed.notify_all();
        if !reply.play(connection, &call, || stall(shared))? {
            return Ok(());
        }
    }
    Ok(())
}

/// Holds a reply until the server ends.
fn stall(shared: &Shared) {
    let mut state = shared.lock();
    while !state.is_stopping {
        state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
    }
}

fn read_call(reader: &mut BufReader<&TcpStream>) -> io::Result<Option<Call>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim_end_matches(['\r', '\n']);
        let Some((name, value)) = line.split_once(':') else { break };
        headers.push((name.to_owned(), value.trim_start().to_owned()));
    }
    let mut call = Call { method, target, headers, body: Vec::new() };
    let length = call.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    call.body.resize(length, 0);
    reader.read_exact(&mut call.body)?;
    Ok(Some(call))
}
