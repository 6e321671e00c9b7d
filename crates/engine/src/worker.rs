//! The worker in the host: sessions, questions, work in hand, and what its doors are answered.
//!
//! Start reading at [`job`] for how a call is held, [`session`] for what a conversation has, [`ask`] for how a human
//! is asked, [`work`] for what happens to material.

mod adopt;
mod allowed;
mod artifact;
pub(crate) mod ask;
mod command;
mod compact;
mod decide;
mod disclose;
mod guard;
mod hand_back;
mod hook;
pub(crate) mod identity;
pub(crate) mod job;
mod left;
mod limits;
mod model;
mod names;
mod observe;
mod remove;
mod reserve;
mod run;
mod savings;
mod scrubber;
pub(crate) mod session;
mod sessions;
mod status;
mod turn_on;
mod way_out;
mod work;

use std::collections::HashMap;
use std::sync::Mutex;

use lwa_protocol::worker::{WorkerAnswer, WorkerFacts, WorkerStatusKind};
use lwa_worker::mode::Mode;

pub(crate) use self::allowed::is_about_lines;
use self::ask::ClientQuestions;
use self::identity::Conversations;
use self::job::Jobs;
use self::model::Models;
pub use self::names::NameReader;
use self::observe::Observing;
use self::savings::Prices;
use self::scrubber::Recognisers;
pub(crate) use self::scrubber::is_about_what_is_gone;
use self::session::{Served, Sessions};

/// What the worker keeps in memory.
#[derive(Debug, Default)]
pub(crate) struct Worker {
    pub conversations: Conversations,
    pub sessions: Sessions,
    pub jobs: Jobs,
    pub questions: ClientQuestions,
    pub recognisers: Recognisers,
    pub models: Models,
    pub names: NameReader,
    pub observing: Observing,
    pub prices: Prices,
    /// Held while what was accepted of the allow-list is read and written.
    pub allow_turn: tokio::sync::Mutex<()>,
    /// Changes of the allow-list's file that nobody accepted yet, as they were last seen.
    pub waiting_lines: Mutex<Vec<allowed::Waiting>>,
    /// Connections and the conversations that each works for.
    pub served: Mutex<HashMap<String, Served>>,
}

/// An answer without facts.
fn plain(status: WorkerStatusKind, text: String) -> WorkerAnswer {
    WorkerAnswer { status, text, facts: WorkerFacts::default(), question: None, id: None, approval: None }
}

/// Nothing was done, and somebody or some rule said so.
fn refused(text: &str) -> WorkerAnswer {
    plain(WorkerStatusKind::Refused, text.to_owned())
}

/// Nothing was done, since nobody could be asked.
fn unavailable(text: &str) -> WorkerAnswer {
    plain(WorkerStatusKind::Unavailable, text.to_owned())
}

/// Something did not work; the text has been scrubbed.
fn failed(text: String) -> WorkerAnswer {
    plain(WorkerStatusKind::Failed, text)
}

/// Done, without material.
fn completed(text: String, mode: Mode) -> WorkerAnswer {
    let facts = WorkerFacts { mode: mode.as_str().to_owned(), ..WorkerFacts::default() };
    WorkerAnswer { facts, ..plain(WorkerStatusKind::Completed, text) }
}

/// The rules before a text, where this call turned the worker on.
fn with_rules(rules: Option<String>, text: String) -> String {
    match rules {
        Some(rules) => format!("{rules}\n\n{text}"),
        None => text,
    }
}
