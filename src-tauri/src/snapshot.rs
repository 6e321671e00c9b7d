//! What the tray, the notifications and the windows are derived from, and how it changes.

mod readings;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use lwa_domain::{ApprovalId, ApprovalKind, ClientName, PicoUsd};
use lwa_protocol::approval::ApprovalItem;
use lwa_protocol::{Event, Failure};

pub use readings::{Readings, Stale, call};

/// Everything the app knows of the host at one moment.
///
/// Without a connection nothing is known, and nothing is kept from before: a tray that shows an
/// old count would lie.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The connection to the host.
    pub link: Link,
    /// Open questions in the order of the host's queue.
    pub waiting: Vec<Waiting>,
    /// Connected clients, one entry per sidecar.
    pub clients: Vec<ClientName>,
    /// Whether and until when work is paused.
    pub pause: Option<Pause>,
    /// Today's money; none while it has not been read.
    pub spend_today: Option<Spend>,
    /// What does not work although the host runs.
    pub trouble: Option<Trouble>,
}

/// The connection to the host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Link {
    /// Not there yet.
    #[default]
    Starting,
    /// There.
    Connected,
    /// Lost, or never reached; tried again by itself.
    Lost(Trouble),
    /// The host ended on request. It is not started again until a person wants it.
    Stopped,
}

/// What is wrong and the way out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// What happened.
    pub what: String,
    /// What to do.
    pub fix: Option<String>,
}

impl From<&Failure> for Trouble {
    fn from(failure: &Failure) -> Self {
        Self { what: failure.message.clone(), fix: failure.hint.clone() }
    }
}

/// One open question, as far as the tray and a notification may tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// The question.
    pub id: ApprovalId,
    /// Its kind.
    pub kind: ApprovalKind,
    /// Who asks.
    pub client: ClientName,
}

impl From<&ApprovalItem> for Waiting {
    fn from(item: &ApprovalItem) -> Self {
        Self { id: item.id.clone(), kind: item.kind, client: item.client.clone() }
    }
}

/// A pause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pause {
    /// Until a person resumes.
    UntilResumed,
    /// Until this time of the day, in local time.
    Until(String),
}

impl Pause {
    /// From the host's words: a time, or `resumed`.
    pub fn from_wire(until: &str, zone: &TimeZone) -> Self {
        match until.parse::<Timestamp>() {
            Ok(time) => Self::Until(time.to_zoned_datetime(zone.clone()).strftime("%H:%M").to_string()),
            Err(_) => Self::UntilResumed,
        }
    }
}

/// Today's money.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spend {
    /// The sum over calls of known cost.
    pub known: PicoUsd,
    /// Calls whose cost is not known.
    pub calls_without_cost: u32,
}

impl Snapshot {
    /// A snapshot without a connection.
    pub fn unlinked(link: Link) -> Self {
        Self { link, ..Self::default() }
    }

    /// Takes in what an event says, and answers what has to be read again.
    ///
    /// Questions change at once, because the window and the notification should not wait for a
    /// reading; the reading that follows has the last word.
    pub fn apply(&mut self, event: &Event) -> Stale {
        match event {
            Event::ApprovalOpened { approval } | Event::ApprovalChanged { approval } => {
                let waiting = Waiting::from(approval.as_ref());
                match self.waiting.iter_mut().find(|known| known.id == waiting.id) {
                    Some(known) if approval.outcome.is_none() => *known = waiting,
                    Some(_) => self.waiting.retain(|known| known.id != waiting.id),
                    None if approval.outcome.is_none() => self.waiting.push(waiting),
                    None => {}
                }
                Stale::WAITING
            }
            Event::ApprovalClosed { id, .. } => {
                self.waiting.retain(|known| known.id != *id);
                Stale::WAITING
            }
            Event::LedgerChanged => Stale::SPEND,
            Event::HostChanged | Event::ConfigChanged { .. } | Event::ProvidersChanged => Stale::STATUS,
            Event::Lagged => Stale::ALL,
            Event::PlanChanged { .. }
            | Event::WorkerChanged { .. }
            | Event::QuotaChanged { .. }
            | Event::LibraryChanged
            | Event::HostStopping => Stale::NOTHING,
        }
    }
}

#[cfg(test)]
mod tests;
