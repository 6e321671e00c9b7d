//! Notifications: one per client, brought up to date, taken back when nothing waits.
//!
//! They say who asks, what kind of question and how many, because a locked screen or a shared one
//! shows them to others. A click opens the approval window; there is no way to allow from here.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use lwa_domain::{ApprovalKind, ClientName};
use tauri::{AppHandle, Manager};
use tauri_plugin_notification::NotificationExt;

use crate::lifecycle;
use crate::snapshot::Snapshot;
use crate::tray::menu::Action;

/// The longest client name that a notification shows.
const NAME_LIMIT: usize = 40;

/// What is shown at the moment.
#[derive(Debug, Default)]
pub struct Notices(Mutex<Ledger>);

#[derive(Debug, Default)]
struct Ledger {
    shown: BTreeMap<ClientName, Shown>,
    last_id: i32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Shown {
    id: i32,
    body: String,
}

/// What has to be done to bring notifications up to date.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    Remove { id: i32 },
    Show { id: i32, title: String, body: String },
}

/// Lets a click on a notification open the approval window.
pub fn listen(app: &AppHandle) {
    let handle = app.clone();
    let listening = app.notification().on_action(move |_| lifecycle::perform(&handle, Action::Review));
    if let Err(error) = listening {
        tracing::warn!("a click on a notification will do nothing: {error}");
    }
}

/// Brings the notifications up to date.
pub fn show(app: &AppHandle, snapshot: &Snapshot) {
    let steps = app.state::<Notices>().0.lock().unwrap_or_else(PoisonError::into_inner).steps_to(snapshot);
    for step in steps {
        let done = match step {
            Step::Remove { id } => app.notification().remove_active(vec![id]),
            Step::Show { id, title, body } => app.notification().builder().id(id).title(title).body(body).show(),
        };
        if let Err(error) = done {
            tracing::warn!("a notification could not be brought up to date: {error}");
        }
    }
}

/// Says something once.
pub fn say(app: &AppHandle, body: &str) {
    if let Err(error) = app.notification().builder().title("Lwa").body(body).show() {
        tracing::warn!("a notification could not be shown: {error}");
    }
}

impl Ledger {
    fn steps_to(&mut self, snapshot: &Snapshot) -> Vec<Step> {
        let wanted = bodies(snapshot);
        let mut steps = Vec::new();
        self.shown.retain(|client, shown| {
            let stays = wanted.contains_key(client);
            if !stays {
                steps.push(Step::Remove { id: shown.id });
            }
            stays
        });
        for (client, body) in wanted {
            if let Some(shown) = self.shown.get_mut(&client) {
                if shown.body != body {
                    steps.push(Step::Remove { id: shown.id });
                    steps.push(Step::Show { id: shown.id, title: title(&client), body: body.clone() });
                    shown.body = body;
                }
            } else {
                self.last_id += 1;
                steps.push(Step::Show { id: self.last_id, title: title(&client), body: body.clone() });
                self.shown.insert(client, Shown { id: self.last_id, body });
            }
        }
        steps
    }
}

/// By client, what its notification says.
fn bodies(snapshot: &Snapshot) -> BTreeMap<ClientName, String> {
    let mut kinds: BTreeMap<ClientName, Vec<ApprovalKind>> = BTreeMap::new();
    for waiting in &snapshot.waiting {
        kinds.entry(waiting.client.clone()).or_default().push(waiting.kind);
    }
    kinds.into_iter().map(|(client, kinds)| (client, body(&kinds))).collect()
}

fn body(kinds: &[ApprovalKind]) -> String {
    match kinds {
        [kind] => format!("Waits for you: {}", words(*kind)),
        [kind, others @ ..] if others.iter().all(|other| other == kind) => {
            format!("{} questions wait for you: {}", kinds.len(), words(*kind))
        }
        _ => format!("{} questions wait for you", kinds.len()),
    }
}

fn words(kind: ApprovalKind) -> &'static str {
    match kind {
        ApprovalKind::TurnOn => "turn on the worker",
        ApprovalKind::Command => "run a command",
        ApprovalKind::Spend => "use a model",
        ApprovalKind::Disclosure => "show private values",
        ApprovalKind::ToolCall => "call a tool",
        ApprovalKind::NewServer => "use a new server",
        ApprovalKind::ChangedTool => "use a tool that changed",
        ApprovalKind::Script => "run a script",
        ApprovalKind::NewClient => "serve a new client",
        ApprovalKind::PolicyChange => "loosen a setting",
    }
}

/// The client's own name, kept to one short line.
fn title(client: &ClientName) -> String {
    client.as_str().chars().filter(|letter| !letter.is_control()).take(NAME_LIMIT).collect()
}

#[cfg(test)]
mod tests {
    use lwa_domain::ApprovalId;

    use super::*;
    use crate::snapshot::{Link, Waiting};

    fn waiting(list: &[(&str, ApprovalKind)]) -> Snapshot {
        let mut snapshot = Snapshot::unlinked(Link::Connected);
        for (number, (client, kind)) in list.iter().enumerate() {
            let id = ApprovalId::new(number.to_string());
            snapshot.waiting.push(Waiting { id, kind: *kind, client: ClientName::new(*client) });
        }
        snapshot
    }

    fn show(id: i32, title: &str, body: &str) -> Step {
        Step::Show { id, title: title.into(), body: body.into() }
    }

    #[test]
    fn a_client_has_one_notification_that_is_brought_up_to_date_and_taken_back() {
        let mut ledger = Ledger::default();
        let one = waiting(&[("codex", ApprovalKind::Spend)]);
        assert_eq!(ledger.steps_to(&one), [show(1, "codex", "Waits for you: use a model")]);
        assert_eq!(ledger.steps_to(&one), []);
        let two = waiting(&[("codex", ApprovalKind::Spend), ("codex", ApprovalKind::Spend)]);
        let again = show(1, "codex", "2 questions wait for you: use a model");
        assert_eq!(ledger.steps_to(&two), [Step::Remove { id: 1 }, again]);
        assert_eq!(ledger.steps_to(&waiting(&[])), [Step::Remove { id: 1 }]);
        assert_eq!(ledger.steps_to(&one), [show(2, "codex", "Waits for you: use a model")]);
    }

    #[test]
    fn each_client_has_its_own_and_mixed_kinds_are_counted_only() {
        let both = waiting(&[
            ("codex", ApprovalKind::Spend),
            ("claude-code", ApprovalKind::NewClient),
            ("codex", ApprovalKind::PolicyChange),
        ]);
        let expected =
            [show(1, "claude-code", "Waits for you: serve a new client"), show(2, "codex", "2 questions wait for you")];
        assert_eq!(Ledger::default().steps_to(&both), expected);
    }

    #[test]
    fn a_client_name_cannot_break_the_line() {
        let name = format!("a\nb{}", "c".repeat(90));
        let steps = Ledger::default().steps_to(&waiting(&[(&name, ApprovalKind::Spend)]));
        let [Step::Show { title, .. }] = steps.as_slice() else { panic!("{steps:?}") };
        assert_eq!(title, &format!("ab{}", "c".repeat(NAME_LIMIT - 2)));
    }
}
