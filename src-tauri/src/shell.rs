//! Follows what is known of the host with tray, notifications and the approval window.

use std::collections::BTreeSet;

use lwa_domain::ApprovalId;
use tauri::{AppHandle, Manager};

use crate::bridge::Bridge;
use crate::options::Options;
use crate::snapshot::Snapshot;
use crate::windows::{self, Manner};
use crate::{notify, tray};

/// Follows until the app ends.
pub async fn follow(app: AppHandle, options: Options) {
    let mut snapshots = app.state::<Bridge>().snapshot();
    let mut arrivals = Arrivals::default();
    loop {
        let snapshot = snapshots.borrow_and_update().clone();
        tray::show(&app, &snapshot);
        notify::show(&app, &snapshot);
        if arrivals.are_in(&snapshot)
            && !options.no_windows
            && let Err(error) = windows::open_approval(&app, Manner::Quietly)
        {
            tracing::error!("the approval window cannot be opened: {error}");
        }
        if snapshots.changed().await.is_err() {
            return;
        }
    }
}

/// Tells new questions from those that were there before.
#[derive(Debug, Default)]
struct Arrivals(BTreeSet<ApprovalId>);

impl Arrivals {
    fn are_in(&mut self, snapshot: &Snapshot) -> bool {
        let now: BTreeSet<ApprovalId> = snapshot.waiting.iter().map(|waiting| waiting.id.clone()).collect();
        let has_new = !now.is_subset(&self.0);
        self.0 = now;
        has_new
    }
}

#[cfg(test)]
mod tests {
    use lwa_domain::{ApprovalKind, ClientName};

    use super::*;
    use crate::snapshot::{Link, Waiting};

    fn waiting(ids: &[&str]) -> Snapshot {
        let mut snapshot = Snapshot::unlinked(Link::Connected);
        let one = |id: &&str| Waiting {
            id: ApprovalId::new(*id),
            kind: ApprovalKind::Spend,
            client: ClientName::new("codex"),
        };
        snapshot.waiting = ids.iter().map(one).collect();
        snapshot
    }

    #[test]
    fn the_window_opens_for_new_questions_only() {
        let mut arrivals = Arrivals::default();
        assert!(!arrivals.are_in(&waiting(&[])));
        assert!(arrivals.are_in(&waiting(&["a"])));
        assert!(!arrivals.are_in(&waiting(&["a"])), "closing the window must not bring it back");
        assert!(arrivals.are_in(&waiting(&["a", "b"])));
        assert!(!arrivals.are_in(&waiting(&["b"])));
    }
}
