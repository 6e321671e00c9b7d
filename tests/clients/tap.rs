//! What passes between a client and the sidecar, recorded without either of them noticing.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use lwa_tests::TestHome;
use serde_json::Value;

const REQUESTS: &str = "requests.jsonl";
const REPLIES: &str = "replies.jsonl";
const ERRORS: &str = "stderr.txt";

/// The sidecar between two pipes that keep a copy. A shell that runs a command line is no client of its own.
pub(crate) fn command(home: &TestHome, sidecar: &str) -> Vec<String> {
    let path = |name: &str| home.folder().join(name).display().to_string();
    let line = format!("tee -a '{}' | '{sidecar}' 2>>'{}' | tee -a '{}'", path(REQUESTS), path(ERRORS), path(REPLIES));
    vec!["/bin/sh".to_owned(), "-c".to_owned(), line]
}

/// A record.
#[derive(Debug)]
pub(crate) struct Tap {
    /// What the client wrote.
    pub(crate) requests: Vec<Value>,
    /// What the sidecar wrote: every line of it.
    pub(crate) replies: Vec<Value>,
    /// What the sidecar wrote to stderr.
    pub(crate) errors: String,
}

impl Tap {
    /// Reads the record once every tool call in it has its reply. Panics when stdout holds anything but JSON-RPC.
    pub(crate) fn read(home: &TestHome) -> Self {
        let file = |name: &str| fs::read_to_string(home.folder().join(name)).unwrap_or_default();
        let deadline = Instant::now() + Duration::from_secs(10);
        loop {
            let replies = file(REPLIES);
            if replies.ends_with('\n') {
                let tap = Self { requests: lines(&file(REQUESTS)), replies: lines(&replies), errors: file(ERRORS) };
                if tap.calls().iter().all(|call| tap.replies.iter().any(|reply| reply["id"] == call["id"])) {
                    return tap;
                }
            }
            assert!(Instant::now() < deadline, "the record is not complete: {replies}");
            std::thread::yield_now();
        }
    }

    /// The tool calls.
    pub(crate) fn calls(&self) -> Vec<&Value> {
        self.requests.iter().filter(|message| message["method"] == "tools/call").collect()
    }

    /// The calls of one tool.
    pub(crate) fn calls_of(&self, tool: &str) -> Vec<&Value> {
        self.calls().into_iter().filter(|call| call["params"]["name"] == tool).collect()
    }
}

/// Everything the record holds, as text.
pub(crate) fn files(home: &TestHome) -> [PathBuf; 3] {
    [REQUESTS, REPLIES, ERRORS].map(|name| home.folder().join(name))
}

fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| {
            let message: Value =
                serde_json::from_str(line).unwrap_or_else(|error| panic!("not JSON ({error}): {line}"));
            assert_eq!(message["jsonrpc"], "2.0", "not JSON-RPC: {line}");
            message
        })
        .collect()
}
