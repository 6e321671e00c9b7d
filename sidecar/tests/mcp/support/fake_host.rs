//! A host that answers what a test tells it to, on the real lock, the real socket and the real frames.

use std::io::{BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use lwa_config::{Home, HostLock, LockContent};
use lwa_protocol::frame::{FaceFrame, HostFrame};
use lwa_protocol::plan::RunProgress;
use lwa_protocol::{Failure, Hello, PROTOCOL, Role, Welcome};
use serde_json::Value;

use super::client::PATIENCE;

/// What the host saw.
#[derive(Debug)]
pub enum Seen {
    Hello(Hello),
    Call { method: String, params: Value },
    Cancel,
    Gone,
}

/// What the host does about a call, in order.
#[derive(Debug)]
pub enum Act {
    Answer(Value),
    Fail(Failure),
    Progress(&'static str),
    /// Does not answer yet.
    Hold,
    /// Answers every call of this connection that is not answered yet.
    AnswerHeld(Value),
    /// Ends the connection.
    HangUp,
}

type Script = Arc<dyn Fn(&str, &Value) -> Vec<Act> + Send + Sync>;

/// The host. It ends with the value.
pub struct FakeHost {
    seen: Receiver<Seen>,
    streams: Arc<Mutex<Vec<UnixStream>>>,
    socket: std::path::PathBuf,
    /// Every byte that came.
    bytes: Arc<Mutex<Vec<u8>>>,
    _lock: HostLock,
}

impl FakeHost {
    /// Listens for the faces of this folder.
    pub fn at(lwa_home: &Path, script: impl Fn(&str, &Value) -> Vec<Act> + Send + Sync + 'static) -> Self {
        let home = Home::at(lwa_home).unwrap();
        home.create().unwrap();
        Self::on(&home.lock_file(), &home.socket(), script)
    }

    /// Listens on this socket and says so in this lock.
    pub fn on(lock: &Path, socket: &Path, script: impl Fn(&str, &Value) -> Vec<Act> + Send + Sync + 'static) -> Self {
        let _ = std::fs::remove_file(socket);
        let listener = UnixListener::bind(socket).unwrap();
        let content = LockContent { pid: std::process::id(), socket: socket.to_owned(), protocol: PROTOCOL };
        let lock = HostLock::acquire(lock, &content).unwrap();
        let (sender, seen) = channel();
        let streams = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&streams);
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let record = Arc::clone(&bytes);
        let script: Script = Arc::new(script);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { break };
                kept.lock().unwrap().push(stream.try_clone().unwrap());
                let (sender, script, record) = (sender.clone(), Arc::clone(&script), Arc::clone(&record));
                std::thread::spawn(move || serve(&stream, &sender, &script, &record));
            }
        });
        Self { seen, streams, socket: socket.to_owned(), bytes, _lock: lock }
    }

    /// The next thing the host sees that is wanted.
    pub fn wait_for<T>(&self, wanted: impl Fn(Seen) -> Option<T>) -> T {
        loop {
            let seen = self.seen.recv_timeout(PATIENCE).expect("the host saw nothing of the kind");
            if let Some(found) = wanted(seen) {
                return found;
            }
        }
    }

    /// Everything that came so far, as text.
    pub fn received(&self) -> String {
        String::from_utf8_lossy(&self.bytes.lock().unwrap()).into_owned()
    }

    /// The parameters of the next call of this method.
    pub fn call(&self, wanted: &str) -> Value {
        self.wait_for(|seen| match seen {
            Seen::Call { method, params } if method == wanted => Some(params),
            _ => None,
        })
    }
}

impl Drop for FakeHost {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.socket);
        for stream in self.streams.lock().unwrap().iter() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

fn serve(stream: &UnixStream, seen: &Sender<Seen>, script: &Script, record: &Mutex<Vec<u8>>) {
    let mut held = Vec::new();
    let mut writer = stream.try_clone().unwrap();
    let mut send = move |frame: &HostFrame| {
        let mut line = serde_json::to_vec(frame).unwrap();
        line.push(b'\n');
        let _ = writer.write_all(&line);
    };
    for line in BufReader::new(stream).lines() {
        let Ok(line) = line else { break };
        record.lock().unwrap().extend_from_slice(line.as_bytes());
        match serde_json::from_str(&line).unwrap() {
            FaceFrame::Hello(hello) => {
                let _ = seen.send(Seen::Hello(hello));
                let product = "0.0.0-fake".to_owned();
                send(&HostFrame::Welcome(Welcome { protocol: PROTOCOL, product, pid: 1, role: Role::Sidecar }));
            }
            FaceFrame::Call { id, method, params } => {
                let acts = script(&method, &params);
                let _ = seen.send(Seen::Call { method, params });
                for act in acts {
                    match act {
                        Act::Answer(result) => send(&HostFrame::Answer { id, result }),
                        Act::Hold => held.push(id),
                        Act::AnswerHeld(result) => {
                            for id in held.drain(..) {
                                send(&HostFrame::Answer { id, result: result.clone() });
                            }
                        }
                        Act::Fail(failure) => send(&HostFrame::Failed { id, failure }),
                        Act::Progress(message) => {
                            let progress = RunProgress { characters: 1, elapsed_ms: 1, message: message.to_owned() };
                            send(&HostFrame::Progress { id, progress });
                        }
                        Act::HangUp => {
                            let _ = stream.shutdown(Shutdown::Both);
                        }
                    }
                }
            }
            FaceFrame::Cancel { .. } => {
                let _ = seen.send(Seen::Cancel);
            }
        }
    }
    let _ = seen.send(Seen::Gone);
}
