//! The tray's icon: one shape and one tint per state.

use tauri::image::Image;

use crate::snapshot::{Link, Snapshot};

/// What the icon says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// All is well and nobody waits.
    Normal,
    /// Somebody waits for an answer.
    Attention,
    /// Work is paused.
    Paused,
    /// Something does not work.
    Problem,
    /// Nothing is known yet.
    Starting,
}

impl State {
    /// The state of what is known; the most urgent one when several hold.
    pub fn of(snapshot: &Snapshot) -> Self {
        match snapshot.link {
            Link::Starting => Self::Starting,
            Link::Lost(_) | Link::Stopped => Self::Problem,
            Link::Connected if !snapshot.waiting.is_empty() => Self::Attention,
            Link::Connected if snapshot.trouble.is_some() => Self::Problem,
            Link::Connected if snapshot.pause.is_some() => Self::Paused,
            Link::Connected => Self::Normal,
        }
    }

    /// The picture.
    ///
    /// # Errors
    /// The built-in picture cannot be decoded.
    pub fn image(self) -> tauri::Result<Image<'static>> {
        Image::from_bytes(match self {
            Self::Normal => include_bytes!("../../icons/tray/normal.png"),
            Self::Attention => include_bytes!("../../icons/tray/attention.png"),
            Self::Paused => include_bytes!("../../icons/tray/paused.png"),
            Self::Problem => include_bytes!("../../icons/tray/problem.png"),
            Self::Starting => include_bytes!("../../icons/tray/starting.png"),
        })
    }

    /// The state in words, for people who do not see the icon.
    pub const fn tooltip(self) -> &'static str {
        match self {
            Self::Normal => "Lwa",
            Self::Attention => "Lwa: waiting for you",
            Self::Paused => "Lwa: paused",
            Self::Problem => "Lwa: something needs attention",
            Self::Starting => "Lwa: starting",
        }
    }
}

#[cfg(test)]
mod tests {
    use lwa_domain::{ApprovalId, ApprovalKind, ClientName};

    use super::*;
    use crate::snapshot::{Pause, Trouble, Waiting};

    #[test]
    fn the_most_urgent_state_wins() {
        let mut snapshot = Snapshot::default();
        assert_eq!(State::of(&snapshot), State::Starting);
        snapshot.link = Link::Connected;
        assert_eq!(State::of(&snapshot), State::Normal);
        snapshot.pause = Some(Pause::UntilResumed);
        assert_eq!(State::of(&snapshot), State::Paused);
        snapshot.trouble = Some(Trouble { what: "keys cannot be read".into(), fix: None });
        assert_eq!(State::of(&snapshot), State::Problem);
        snapshot.waiting.push(Waiting {
            id: ApprovalId::new("a"),
            kind: ApprovalKind::Spend,
            client: ClientName::new("codex"),
        });
        assert_eq!(State::of(&snapshot), State::Attention);
        assert_eq!(State::of(&Snapshot::unlinked(Link::Stopped)), State::Problem);
    }

    #[test]
    fn every_state_has_a_picture_of_its_own() {
        let all = [State::Normal, State::Attention, State::Paused, State::Problem, State::Starting];
        let pictures: std::collections::BTreeSet<Vec<u8>> =
            all.iter().map(|state| state.image().unwrap().rgba().to_vec()).collect();
        assert_eq!(pictures.len(), all.len());
    }
}
