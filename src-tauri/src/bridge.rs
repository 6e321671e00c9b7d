//! The one connection to the host: kept up, read from, handed to the windows.

use std::future::{Future, pending};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use jiff::tz::TimeZone;
use lwa_config::Home;
use lwa_domain::{ClientName, ErrorCode};
use lwa_protocol::host::{ClientInfo, Nothing};
use lwa_protocol::method::EventSubscribe;
use lwa_protocol::{Connection, Event, Failure, Hello, PROTOCOL, Role, start};
use tokio::sync::{Notify, broadcast, watch};
use tokio::time::{MissedTickBehavior, interval, sleep};

use crate::feed::Feed;
use crate::snapshot::{self, Link, Readings, Snapshot, Stale, Trouble};

/// The pauses between attempts double from the first to the last.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LAST_PAUSE: Duration = Duration::from_secs(5);

/// Everything is read again this often, because no event tells of a new day or of a wake from sleep.
const REFRESH_EVERY: Duration = Duration::from_mins(1);

/// Messages a page may lag behind before it is told to read everything again.
const FEED_LENGTH: usize = 256;

/// A handle to the connection. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Bridge {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    home: Home,
    snapshot: watch::Sender<Snapshot>,
    connection: watch::Sender<Option<Connection>>,
    feed: broadcast::Sender<Feed>,
    wanted: Notify,
}

/// How a connection ended.
enum End {
    Lost(Failure),
    Stopped,
}

type Reading = Pin<Box<dyn Future<Output = Result<Readings, Failure>> + Send>>;

impl Bridge {
    /// A bridge that [`Self::run`] has to bring up.
    pub fn new(home: Home) -> Self {
        let shared = Shared {
            home,
            snapshot: watch::Sender::default(),
            connection: watch::Sender::default(),
            feed: broadcast::Sender::new(FEED_LENGTH),
            wanted: Notify::new(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// What is known, now and from now on.
    pub fn snapshot(&self) -> watch::Receiver<Snapshot> {
        self.shared.snapshot.subscribe()
    }

    /// What pages are told, from now on.
    pub fn feed(&self) -> broadcast::Receiver<Feed> {
        self.shared.feed.subscribe()
    }

    /// The connection, if there is one.
    pub fn connection(&self) -> Option<Connection> {
        self.shared.connection.borrow().clone()
    }

    /// A person wants the host: tries again at once and starts it if it is not running.
    pub fn want_host(&self) {
        self.shared.wanted.notify_one();
    }

    /// Keeps the connection up. Never ends; dropping the future closes the connection.
    pub async fn run(self) {
        let mut pause = FIRST_PAUSE;
        let mut may_start = true;
        loop {
            let opened = if may_start {
                start::connect_or_start(&self.shared.home, hello()).await
            } else {
                start::connect(&self.shared.home, hello()).await
            };
            match opened {
                Ok(connection) => {
                    let (end, was_up) = self.serve(connection).await;
                    if was_up {
                        pause = FIRST_PAUSE;
                    }
                    match end {
                        End::Stopped => {
                            may_start = false;
                            self.publish(Snapshot::unlinked(Link::Stopped));
                        }
                        End::Lost(failure) => {
                            may_start = true;
                            self.lose(&failure);
                        }
                    }
                }
                Err(failure) if may_start => self.lose(&failure),
                // Stopped on request and still not back: nothing new to say.
                Err(_) => {}
            }
            tokio::select! {
                () = sleep(pause) => pause = (pause * 2).min(LAST_PAUSE),
                () = self.shared.wanted.notified() => {
                    pause = FIRST_PAUSE;
                    may_start = true;
                }
            }
        }
    }

    /// Follows one connection to its end; also answers whether everything could be read once.
    async fn serve(&self, connection: Connection) -> (End, bool) {
        let mut events = connection.events();
        let mut snapshot = match first_snapshot(&connection).await {
            Ok(snapshot) => snapshot,
            Err(failure) => return (End::Lost(failure), false),
        };
        self.shared.connection.send_replace(Some(connection.clone()));
        self.publish(snapshot.clone());
        let mut ticks = interval(REFRESH_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        ticks.reset();
        let mut stale = Stale::NOTHING;
        let mut is_stopping = false;
        let mut reading: Option<Reading> = None;
        let end = loop {
            if reading.is_none() && stale != Stale::NOTHING {
                let (connection, parts) = (connection.clone(), std::mem::take(&mut stale));
                reading = Some(Box::pin(async move { Readings::take(&connection, parts).await }));
            }
            tokio::select! {
                // Events first: what was said before the end of a connection counts.
                biased;
                event = events.recv() => {
                    let event = match event {
                        Ok(event) => event,
                        Err(broadcast::error::RecvError::Lagged(_)) => Event::Lagged,
                        Err(broadcast::error::RecvError::Closed) => break gone(is_stopping, &mut events),
                    };
                    is_stopping |= event == Event::HostStopping;
                    stale = stale | snapshot.apply(&event);
                    self.publish(snapshot.clone());
                    // No page may be open to be told.
                    let _ = self.shared.feed.send(Feed::Event { event });
                }
                result = next(&mut reading) => {
                    reading = None;
                    match result {
                        Ok(mut readings) => {
                            if stale.waiting {
                                // An event overtook this reading, and the next one is due already.
                                readings.approvals = None;
                            }
                            readings.merge_into(&mut snapshot, &TimeZone::system());
                            self.publish(snapshot.clone());
                        }
                        Err(_) if is_stopping || connection.is_closed() => break gone(is_stopping, &mut events),
                        Err(failure) => break End::Lost(failure),
                    }
                }
                () = connection.closed() => break gone(is_stopping, &mut events),
                _ = ticks.tick() => stale = Stale::ALL,
            }
        };
        self.shared.connection.send_replace(None);
        (end, true)
    }

    fn lose(&self, failure: &Failure) {
        let link = Link::Lost(Trouble::from(failure));
        if self.shared.snapshot.borrow().link != link {
            tracing::warn!(code = failure.code.as_str(), "no connection to the host: {failure}");
        }
        self.publish(Snapshot::unlinked(link));
    }

    fn publish(&self, snapshot: Snapshot) {
        let link = snapshot.link.clone();
        let mut link_changed = false;
        self.shared.snapshot.send_if_modified(|known| {
            link_changed = known.link != link;
            let changed = *known != snapshot;
            *known = snapshot;
            changed
        });
        if link_changed {
            // No page may be open to be told.
            let _ = self.shared.feed.send(Feed::from(&link));
        }
    }
}

async fn first_snapshot(connection: &Connection) -> Result<Snapshot, Failure> {
    if connection.welcome().role != Role::App {
        return Err(Failure::new(ErrorCode::Forbidden, "the host does not know this program as its app")
            .hint("install `lwa`, `lwa-mcp` and `lwa-desktop` in the same folder"));
    }
    snapshot::call::<EventSubscribe>(connection, Nothing {}).await?;
    let readings = Readings::take(connection, Stale::ALL).await?;
    let mut snapshot = Snapshot::unlinked(Link::Connected);
    readings.merge_into(&mut snapshot, &TimeZone::system());
    Ok(snapshot)
}

async fn next(reading: &mut Option<Reading>) -> Result<Readings, Failure> {
    match reading {
        Some(reading) => reading.await,
        None => pending().await,
    }
}

/// How a closed connection ended; what the host said last may still be unread.
fn gone(is_stopping: bool, events: &mut broadcast::Receiver<Event>) -> End {
    let mut last_words = std::iter::from_fn(|| events.try_recv().ok());
    if is_stopping || last_words.any(|event| event == Event::HostStopping) {
        return End::Stopped;
    }
    End::Lost(
        Failure::new(ErrorCode::HostUnreachable, "the host ended unexpectedly").hint("it is started again by itself"),
    )
}

fn hello() -> Hello {
    Hello {
        protocol: PROTOCOL,
        product: env!("CARGO_PKG_VERSION").to_owned(),
        role: Role::App,
        client: ClientInfo {
            name: ClientName::new("lwa"),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            cwd: None,
        },
    }
}
