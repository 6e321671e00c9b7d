//! Where a human can be asked right now, and who is connected.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use lwa_domain::SessionId;
use lwa_protocol::host::ConnectionView;
use lwa_protocol::{Event, Role};
use tokio::sync::{broadcast, watch};
use tokio::time::sleep;

use crate::caller::Caller;
use crate::engine::{Engine, locked, rfc3339};
use crate::peer::start_of;

/// How long a client that went away may take to come back before its questions are withdrawn.
const SESSION_GRACE: Duration = Duration::from_mins(1);

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
    /// Clients whose sidecars have gone, each with the moment it started. While such a process lives it
    /// stays a client: ending its own sidecar makes it no human.
    departed: Mutex<BTreeMap<u32, u64>>,
    changes: watch::Sender<u64>,
}

/// The client's process behind a sidecar.
fn client_of(face: &Face) -> Option<u32> {
    let process = face.caller.process.as_ref().filter(|_| face.caller.role == Role::Sidecar)?;
    process.client().map(|(pid, _)| pid)
}

/// A face that is connected, for as long as this lives. However a connection ends, what it leaves
/// behind is dealt with then.
#[derive(Debug)]
pub struct Attendance {
    engine: Engine,
    connection: u64,
    /// Whose work ends with the connection.
    session: SessionId,
    /// The session of an agent, whose questions lose their reason when nobody comes back to it.
    comes_back: bool,
}

impl Attendance {
    /// The face listens to events from here on, so it can show a question.
    pub fn subscribe(&self) -> broadcast::Receiver<Event> {
        let events = self.engine.events.subscribe();
        self.engine.surfaces.subscribe(self.connection);
        events
    }
}

impl Drop for Attendance {
    fn drop(&mut self) {
        self.engine.surfaces.remove(self.connection);
        self.engine.emit(Event::HostChanged);
        let session = self.session.clone();
        // Commands of a client or a terminal that is gone have nobody to report to, and their questions nobody to run
        // for. What waits for a yes of the router stays: its answer is kept for whoever asks for it later.
        self.engine.worker.jobs.end_of(session.as_str());
        locked(&self.engine.worker.served).remove(session.as_str());
        if !self.comes_back {
            return;
        }
        let engine = self.engine.clone();
        self.engine.tasks.spawn(async move {
            tokio::select! {
                () = engine.stopping.cancelled() => {}
                () = sleep(SESSION_GRACE) => {
                    if !engine.surfaces.has_session(session.as_str())
                        && let Err(failure) = engine.withdraw_session(&session).await
                    {
                        tracing::error!(%failure, "the questions of a client that left could not be withdrawn");
                    }
                }
            }
        });
    }
}

impl Engine {
    /// A face connected. It counts as connected until the answer is dropped.
    pub fn attend(&self, caller: &Caller, product: &str) -> Attendance {
        self.surfaces.add(caller.clone(), product.to_owned(), self.now());
        self.emit(Event::HostChanged);
        Attendance {
            engine: self.clone(),
            connection: caller.connection,
            session: caller.session.clone(),
            comes_back: caller.role == Role::Sidecar,
        }
    }
}

impl Surfaces {
    /// Nobody.
    pub(crate) fn new() -> Self {
        Self { faces: Mutex::default(), departed: Mutex::default(), changes: watch::Sender::new(0) }
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
        let gone = locked(&self.faces).remove(&connection);
        if let Some(client) = gone.as_ref().and_then(client_of)
            && let Some(start) = start_of(client)
        {
            locked(&self.departed).insert(client, start);
        }
        self.changed();
    }

    fn changed(&self) {
        self.changes.send_modify(|n| *n += 1);
    }

    /// Ticks whenever a face comes, goes or subscribes.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// The sessions of the faces that are connected.
    pub(crate) fn sessions(&self) -> std::collections::BTreeSet<String> {
        locked(&self.faces).values().map(|face| face.caller.session.as_str().to_owned()).collect()
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

    /// Process ids of the clients behind every sidecar that is or was connected.
    pub(crate) fn client_processes(&self) -> Vec<u32> {
        let mut clients: Vec<u32> = locked(&self.faces).values().filter_map(client_of).collect();
        let mut departed = locked(&self.departed);
        // An id that names no process, or a younger one, says nothing any more.
        departed.retain(|client, start| start_of(*client) == Some(*start));
        clients.extend(departed.keys());
        clients
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
