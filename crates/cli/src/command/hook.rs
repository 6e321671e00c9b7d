//! `lwa hook`: what clients start at their own events.
//!
//! A client waits for its hooks, so an event costs at most [`EVENT_LIMIT`], starts no host, and never fails.

mod file;
mod judge;
mod payload;

use std::io::Read;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use lwa_protocol::Failure;
use lwa_protocol::method::HookReport;
use lwa_protocol::worker::HookParams;
use serde_json::{Value, json};

use crate::args::HookVerb;
use crate::face;
use crate::output::Output;

/// From the start of the verb to its end; the process itself has to fit into 100 ms.
const EVENT_LIMIT: Duration = Duration::from_millis(80);
/// What of it a client may take to hand its JSON over.
const EVENT_INPUT_LIMIT: Duration = Duration::from_millis(50);
/// An event that is larger is none that is of use here.
const MOST_INPUT: u64 = 1 << 20;
/// Events whose answer a client shows its model.
const WITH_CONTEXT: [&str; 2] = ["SessionStart", "UserPromptSubmit"];

/// Runs a verb.
pub async fn hook(verb: HookVerb, output: Output) -> Result<u8, Failure> {
    match verb {
        HookVerb::Guard { client } => Ok(judge::judge(client.as_deref(), output).await),
        HookVerb::Install(args) => file::install(&args, output),
        HookVerb::Remove(args) => file::remove(&args, output),
        HookVerb::Event(words) => {
            event(&words, output).await;
            Ok(0)
        }
    }
}

/// Tells a running host. Whatever goes wrong here is no concern of the client's.
async fn event(words: &[String], output: Output) {
    let started = Instant::now();
    let Some(payload) = read_payload(EVENT_INPUT_LIMIT, MOST_INPUT) else { return };
    let Some(params) = params(words, &payload) else { return };
    let event = params.event.clone();
    let telling = async {
        let host = face::running_host().await.ok().flatten()?;
        face::call_on::<HookReport>(&host, params).await.ok()
    };
    let left = EVENT_LIMIT.saturating_sub(started.elapsed());
    let Ok(Some(answer)) = tokio::time::timeout(left, telling).await else { return };
    if let Some(context) = answer.context.filter(|_| WITH_CONTEXT.contains(&event.as_str())) {
        let answer = json!({ "hookSpecificOutput": { "hookEventName": event, "additionalContext": context } });
        output.line(&answer.to_string());
    }
}

fn params(words: &[String], payload: &Value) -> Option<HookParams> {
    let event = words.first()?;
    let named = words.iter().position(|word| word == "--client").and_then(|at| words.get(at + 1));
    let named = named.map(String::as_str).or_else(|| words.iter().find_map(|word| word.strip_prefix("--client=")));
    Some(HookParams {
        client: payload::client(named, payload).to_owned(),
        event: event.chars().take(payload::MOST_CHARACTERS).collect(),
        session_id: payload::text(payload, "session_id")?,
        tool_use_id: payload::text(payload, "tool_use_id"),
        tool_name: payload::text(payload, "tool_name"),
        trigger: payload::text(payload, "trigger").or_else(|| payload::text(payload, "source")),
        cwd: payload::path(payload, "cwd"),
    })
}

/// The JSON on stdin; none when it is none, is too large or does not come in time.
fn read_payload(limit: Duration, most: u64) -> Option<Value> {
    let (sender, receiver) = mpsc::sync_channel(1);
    // A client that keeps stdin open must not keep the hook; the thread ends with the process.
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().take(most + 1).read_to_end(&mut bytes);
        let _ = sender.send(read.ok().map(|_| bytes));
    });
    let bytes = receiver.recv_timeout(limit).ok().flatten()?;
    if bytes.len() as u64 > most {
        return None;
    }
    serde_json::from_slice(&bytes).ok()
}
