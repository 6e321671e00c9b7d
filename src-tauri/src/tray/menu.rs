//! The tray's menu, derived from a snapshot and from nothing else.

use crate::snapshot::{Link, Pause, Snapshot, Spend, Trouble};

/// The longest line of a trouble that a menu shows.
const LINE_LIMIT: usize = 90;

/// One row of the menu.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A line between groups.
    Separator,
    /// A row that only says something.
    Line(String),
    /// A row that does something.
    Item {
        /// What.
        action: Action,
        /// How it reads.
        label: String,
    },
}

/// What a row does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Opens the approval window.
    Review,
    /// Pauses for 15 minutes.
    PauseQuarter,
    /// Pauses for an hour.
    PauseHour,
    /// Pauses until a person resumes.
    PauseUntilResumed,
    /// Ends the pause.
    Resume,
    /// Opens the main window.
    OpenMain,
    /// Starts the host, or tries again to reach it.
    StartHost,
    /// Ends the app.
    Quit,
}

impl Action {
    const ALL: [Self; 8] = [
        Self::Review,
        Self::PauseQuarter,
        Self::PauseHour,
        Self::PauseUntilResumed,
        Self::Resume,
        Self::OpenMain,
        Self::StartHost,
        Self::Quit,
    ];

    /// The row's id.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Review => "review",
            Self::PauseQuarter => "pause-15",
            Self::PauseHour => "pause-60",
            Self::PauseUntilResumed => "pause",
            Self::Resume => "resume",
            Self::OpenMain => "open",
            Self::StartHost => "start-host",
            Self::Quit => "quit",
        }
    }

    /// The action of a row.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.id() == id)
    }

    fn item(self, label: impl Into<String>) -> Entry {
        Entry::Item { action: self, label: label.into() }
    }
}

/// The menu for what is known.
pub fn menu_for(snapshot: &Snapshot) -> Vec<Entry> {
    let mut entries = Vec::new();
    match &snapshot.link {
        Link::Starting => entries.push(Entry::Line("Starting…".to_owned())),
        Link::Lost(trouble) => {
            entries.extend(lines_of(trouble));
            entries.push(Action::StartHost.item("Try again now"));
        }
        Link::Stopped => {
            entries.push(Entry::Line("The host is stopped".to_owned()));
            entries.push(Action::StartHost.item("Start the host"));
        }
        Link::Connected => entries.extend(connected(snapshot)),
    }
    entries.push(Entry::Separator);
    entries.push(Action::OpenMain.item("Open Observatory"));
    entries.push(Entry::Separator);
    entries.push(Action::Quit.item(quit_label(snapshot.clients.len())));
    entries
}

fn connected(snapshot: &Snapshot) -> Vec<Entry> {
    let mut entries = Vec::new();
    if !snapshot.waiting.is_empty() {
        entries.push(Action::Review.item(format!("{} waiting for you…", snapshot.waiting.len())));
    }
    if let Some(trouble) = &snapshot.trouble {
        entries.extend(lines_of(trouble));
    }
    entries.push(Entry::Line(match snapshot.clients.len() {
        0 => "No clients yet".to_owned(),
        count => format!("Watching {}", clients(count)),
    }));
    if let Some(spend) = &snapshot.spend_today {
        entries.push(Entry::Line(spend_line(spend)));
    }
    entries.push(Entry::Separator);
    if let Some(pause) = &snapshot.pause {
        entries.push(Entry::Line(match pause {
            Pause::Until(time) => format!("Paused until {time}"),
            Pause::UntilResumed => "Paused until you resume".to_owned(),
        }));
        entries.push(Action::Resume.item("Resume"));
    } else {
        entries.push(Action::PauseQuarter.item("Pause for 15 minutes"));
        entries.push(Action::PauseHour.item("Pause for 1 hour"));
        entries.push(Action::PauseUntilResumed.item("Pause until resumed"));
    }
    entries
}

fn lines_of(trouble: &Trouble) -> impl Iterator<Item = Entry> {
    let texts = std::iter::once(&trouble.what).chain(trouble.fix.as_ref());
    texts.map(|text| Entry::Line(row(text))).collect::<Vec<_>>().into_iter()
}

/// One row of text: capitalised, on one line, not wider than a menu may be.
fn row(text: &str) -> String {
    let mut letters = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
    let mut line: String = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    line.extend(letters.by_ref().take(LINE_LIMIT));
    if letters.next().is_some() {
        line.push('…');
    }
    line
}

fn spend_line(spend: &Spend) -> String {
    match spend.calls_without_cost {
        0 => format!("Spend today: {}", spend.known),
        1 => format!("Spend today: {}, and 1 call of unknown cost", spend.known),
        count => format!("Spend today: {}, and {count} calls of unknown cost", spend.known),
    }
}

fn quit_label(connected: usize) -> String {
    match connected {
        0 => "Quit".to_owned(),
        count => format!("Quit (the host keeps serving {})", clients(count)),
    }
}

/// A count of clients in words.
pub fn clients(count: usize) -> String {
    if count == 1 { "1 client".to_owned() } else { format!("{count} clients") }
}

#[cfg(test)]
mod tests;
