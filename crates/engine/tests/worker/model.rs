//! A model on loopback that answers when the test lets it.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};

use serde_json::{Value, json};

/// What a model answers to the body of a request; nothing for a model that never does.
type Answer = dyn Fn(&Value) -> Option<(u16, String)> + Send + Sync;

/// A model whose door can be shut: requests are taken then, and answered when it is open again.
pub struct Model {
    pub url: String,
    door: Arc<(Mutex<bool>, Condvar)>,
}

impl Model {
    pub fn start(answer: impl Fn(&Value) -> Option<(u16, String)> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let door = Arc::new((Mutex::new(true), Condvar::new()));
        let answer: Arc<Answer> = Arc::new(answer);
        let at_the_door = door.clone();
        std::thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let (answer, door) = (answer.clone(), at_the_door.clone());
                std::thread::spawn(move || serve(connection, &*answer, &door));
            }
        });
        Self { url, door }
    }

    /// A model that says this to everything, and finds nothing private.
    pub fn saying(text: &str) -> Self {
        let text = text.to_owned();
        Self::start(move |request| Some((200, said(if is_pass(request) { "[]" } else { &text }))))
    }

    pub fn shut(&self) {
        *self.door.0.lock().unwrap() = false;
    }

    pub fn open(&self) {
        *self.door.0.lock().unwrap() = true;
        self.door.1.notify_all();
    }

    /// A configuration with this model.
    pub fn config(&self, worker: &str, client: &str) -> String {
        format!(
            "[worker]\nbase_url = \"{}\"\nmodel = \"small\"\n{worker}\n[clients.codex.worker]\narm = \"on\"\n{client}\n",
            self.url
        )
    }
}

/// The body of an answer.
pub fn said(text: &str) -> String {
    json!({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}).to_string()
}

/// Whether a request looks for private values.
pub fn is_pass(request: &Value) -> bool {
    request["messages"][0]["content"].as_str().unwrap_or_default().starts_with("You find private values")
}

fn serve(mut connection: TcpStream, answer: &Answer, door: &(Mutex<bool>, Condvar)) {
    let mut taken = Vec::new();
    let mut piece = [0; 4096];
    let body = loop {
        let Ok(count) = connection.read(&mut piece) else { return };
        if count == 0 {
            return;
        }
        taken.extend_from_slice(&piece[..count]);
        let text = String::from_utf8_lossy(&taken).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().unwrap())
        });
        if body.len() >= length.unwrap_or_default() {
            break body.to_owned();
        }
    };
    let Some((status, text)) = answer(&serde_json::from_str(&body).unwrap_or_default()) else {
        // The connection stays open, and nothing comes.
        std::thread::sleep(std::time::Duration::from_mins(10));
        return;
    };
    let mut is_open = door.0.lock().unwrap();
    while !*is_open {
        is_open = door.1.wait(is_open).unwrap();
    }
    drop(is_open);
    let kind = if text.starts_with('<') { "text/html" } else { "application/json" };
    let head = format!(
        "HTTP/1.1 {status} Said\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        text.len()
    );
    let _ = connection.write_all(head.as_bytes());
    let _ = connection.write_all(text.as_bytes());
}
