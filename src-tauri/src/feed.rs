//! What an open page is told unasked.

use lwa_protocol::Event;
use serde::Serialize;

use crate::snapshot::{Link, Trouble};
use crate::windows;

/// One message on a page's channel.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Feed {
    /// The host said that something happened.
    Event {
        /// What.
        event: Event,
    },
    /// The connection to the host changed. After `ready` a page reads everything again.
    Connection {
        /// How it is now.
        state: LinkState,
        /// Why, and what to do.
        detail: Option<String>,
    },
}

/// [`Link`] in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkState {
    /// Not there yet.
    Connecting,
    /// There.
    Ready,
    /// Lost, or ended on request; the detail says which.
    Lost,
}

impl Feed {
    /// Whether a window is told.
    pub fn is_for(&self, label: &str) -> bool {
        match self {
            Self::Connection { .. } => true,
            Self::Event { event } => {
                label == windows::MAIN
                    || !matches!(
                        event,
                        Event::PlanChanged { .. }
                            | Event::LedgerChanged
                            | Event::WorkerChanged { .. }
                            | Event::ProvidersChanged
                            | Event::QuotaChanged { .. }
                            | Event::LibraryChanged
                    )
            }
        }
    }
}

impl From<&Link> for Feed {
    fn from(link: &Link) -> Self {
        let (state, detail) = match link {
            Link::Starting => (LinkState::Connecting, None),
            Link::Connected => (LinkState::Ready, None),
            Link::Lost(trouble) => (LinkState::Lost, Some(sentence(trouble))),
            Link::Stopped => (LinkState::Lost, Some("the host is stopped; start it from the tray".to_owned())),
        };
        Self::Connection { state, detail }
    }
}

fn sentence(trouble: &Trouble) -> String {
    match &trouble.fix {
        Some(fix) => format!("{}; {fix}", trouble.what),
        None => trouble.what.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_the_shape_that_pages_expect() {
        let event = Feed::Event { event: Event::LedgerChanged };
        assert_eq!(serde_json::to_string(&event).unwrap(), r#"{"type":"event","event":{"type":"ledger_changed"}}"#);
        let lost = Feed::from(&Link::Lost(Trouble { what: "it is gone".into(), fix: Some("wait".into()) }));
        assert_eq!(
            serde_json::to_string(&lost).unwrap(),
            r#"{"type":"connection","state":"lost","detail":"it is gone; wait"}"#
        );
    }

    #[test]
    fn the_approval_window_is_told_nothing_of_plans_and_money() {
        assert!(!Feed::Event { event: Event::LedgerChanged }.is_for(windows::APPROVAL));
        assert!(Feed::Event { event: Event::Lagged }.is_for(windows::APPROVAL));
        assert!(Feed::Event { event: Event::LedgerChanged }.is_for(windows::MAIN));
        assert!(Feed::from(&Link::Stopped).is_for(windows::APPROVAL));
    }
}
