//! Where a human can be asked right now, and who is connected.

use std::collections::BTreeMap;
use std::sync::Mutex;

use lwa_protocol::Role;
use lwa_protocol::host::ConnectionView;
use tokio::sync::watch;

use crate::caller::Caller;
use crate::engine::{locked, rfc3339};

/// A connected face.
#[derive(Debug, Clone)]
struct Face {
    caller: Caller,
    product: String,
    since: jiff::Timestamp,
    is_subscribed: bool,
}

/// Everyone who is connected.
#[derive(Debug)]
pub struct Surfaces {
    faces: Mutex<BTreeMap<u64, Face>>,
    changes: watch::Sender<u64>,
}

impl Surfaces {
    /// Nobody.
    pub(crate) fn new() -> Self {
        Self { faces: Mutex::default(), changes: watch::Sender::new(0) }
    }

    /// A face connected.
    pub(crate) fn add(&self, caller: Caller, product: String, since: jiff::Timestamp) {
        locked(&self.faces).insert(caller.connection, Face { caller, product, since, is_subscribed: false });
        self.changed();
    }

    /// A face said who it speaks for.
    pub(crate) fn identify(&self, caller: &Caller) {
        if let Some(face) = locked(&self.faces).get_mut(&caller.connection) {
            face.caller = caller.clone();
        }
        self.changed();
    }

    /// A face listens to events, so it can show a question.
    pub(crate) fn subscribe(&self, connection: u64) {
        if let Some(face) = locked(&self.faces).get_mut(&connection) {
            face.is_subscribed = true;
        }
        self.changed();
    }

    /// A face is gone.
    pub(crate) fn remove(&self, connection: u64) {
        locked(&self.faces).remove(&connection);
        self.changed();
    }

    fn changed(&self) {
        self.changes.send_modify(|n| *n += 1);
    }

    /// Ticks whenever a face comes, goes or subscribes.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// How many faces are connected.
    pub(crate) fn len(&self) -> usize {
        locked(&self.faces).len()
    }

    /// Whether the app is there to ask.
    pub(crate) fn has_app(&self) -> bool {
        self.has_listener(Role::App)
    }

    /// Whether a terminal watches for questions.
    pub(crate) fn has_terminal(&self) -> bool {
        self.has_listener(Role::Cli)
    }

    fn has_listener(&self, role: Role) -> bool {
        locked(&self.faces).values().any(|face| face.caller.role == role && face.is_subscribed)
    }

    /// Whether a session still has a connection.
    pub(crate) fn has_session(&self, session: &str) -> bool {
        locked(&self.faces).values().any(|face| face.caller.session.as_str() == session)
    }

    /// Process ids of the clients behind every sidecar.
    pub(crate) fn client_processes(&self) -> Vec<u32> {
        locked(&self.faces)
            .values()
            .filter(|face| face.caller.role == Role::Sidecar)
            .filter_map(|face| face.caller.process.as_ref()?.client().map(|(pid, _)| pid))
            .collect()
    }

    /// Everyone, as people see it.
    pub(crate) fn views(&self) -> Vec<ConnectionView> {
        locked(&self.faces)
            .values()
            .map(|face| ConnectionView {
                role: face.caller.role,
                client: face.caller.client.name.clone(),
                client_version: face.caller.client.version.clone(),
                session: face.caller.session.clone(),
                pid: face.caller.process.as_ref().map(|process| process.pid),
                product: face.product.clone(),
                since: rfc3339(face.since),
            })
            .collect()
    }
}
