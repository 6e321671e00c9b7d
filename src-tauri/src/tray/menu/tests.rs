use lwa_domain::{ApprovalId, ApprovalKind, ClientName, PicoUsd};
use rstest::rstest;

use super::*;
use crate::snapshot::Waiting;

fn connected_with(clients: usize) -> Snapshot {
    Snapshot {
        link: Link::Connected,
        clients: vec![ClientName::new("codex"); clients],
        spend_today: Some(Spend { known: PicoUsd::ZERO, calls_without_cost: 0 }),
        ..Snapshot::default()
    }
}

fn waiting(count: usize) -> Vec<Waiting> {
    let one = |number| Waiting {
        id: ApprovalId::new(format!("{number:032x}")),
        kind: ApprovalKind::Spend,
        client: ClientName::new("codex"),
    };
    (0..count).map(one).collect()
}

fn texts(snapshot: &Snapshot) -> Vec<String> {
    let text = |entry| match entry {
        Entry::Separator => "--".to_owned(),
        Entry::Line(line) => line,
        Entry::Item { action, label } => format!("[{}] {label}", action.id()),
    };
    menu_for(snapshot).into_iter().map(text).collect()
}

#[test]
fn says_starting_and_nothing_green_before_the_host_is_there() {
    assert_eq!(texts(&Snapshot::default()), ["Starting…", "--", "[open] Open Observatory", "--", "[quit] Quit"]);
}

#[test]
fn a_quiet_host_shows_clients_spend_and_pauses() {
    assert_eq!(
        texts(&connected_with(3)),
        [
            "Watching 3 clients",
            "Spend today: $0.00",
            "--",
            "[pause-15] Pause for 15 minutes",
            "[pause-60] Pause for 1 hour",
            "[pause] Pause until resumed",
            "--",
            "[open] Open Observatory",
            "--",
            "[quit] Quit (the host keeps serving 3 clients)",
        ]
    );
}

#[rstest]
#[case(0, "No clients yet")]
#[case(1, "Watching 1 client")]
#[case(2, "Watching 2 clients")]
fn counts_clients(#[case] count: usize, #[case] line: &str) {
    assert_eq!(texts(&connected_with(count))[0], line);
}

#[test]
fn questions_come_first_and_open_the_approval_window() {
    let snapshot = Snapshot { waiting: waiting(2), ..connected_with(1) };
    assert_eq!(texts(&snapshot)[0], "[review] 2 waiting for you…");
}

#[test]
fn a_pause_says_when_it_ends_and_offers_only_to_resume() {
    let snapshot = Snapshot { pause: Some(Pause::Until("14:05".into())), ..connected_with(1) };
    let menu = texts(&snapshot);
    assert!(menu.contains(&"Paused until 14:05".to_owned()), "{menu:?}");
    assert!(menu.contains(&"[resume] Resume".to_owned()), "{menu:?}");
    assert!(!menu.iter().any(|line| line.contains("Pause for")), "{menu:?}");
}

#[test]
fn a_lost_host_shows_the_problem_then_the_fix_and_no_number_of_before() {
    let trouble = Trouble { what: "the host did not start".into(), fix: Some("run `lwa host` to see why".into()) };
    let snapshot = Snapshot::unlinked(Link::Lost(trouble));
    assert_eq!(
        texts(&snapshot),
        [
            "The host did not start",
            "Run `lwa host` to see why",
            "[start-host] Try again now",
            "--",
            "[open] Open Observatory",
            "--",
            "[quit] Quit",
        ]
    );
}

#[test]
fn a_host_that_was_stopped_can_be_started_here() {
    let menu = texts(&Snapshot::unlinked(Link::Stopped));
    assert_eq!(menu[..2], ["The host is stopped", "[start-host] Start the host"]);
}

#[test]
fn a_connected_host_without_keys_says_so() {
    let trouble = Trouble { what: "keys cannot be read".into(), fix: None };
    let snapshot = Snapshot { trouble: Some(trouble), ..connected_with(0) };
    assert_eq!(texts(&snapshot)[0], "Keys cannot be read");
}

#[test]
fn unknown_cost_is_never_shown_as_nothing() {
    let spend = Spend { known: PicoUsd::from_dollars(0.12).unwrap(), calls_without_cost: 2 };
    let snapshot = Snapshot { spend_today: Some(spend), ..connected_with(0) };
    assert_eq!(texts(&snapshot)[1], "Spend today: $0.12, and 2 calls of unknown cost");
    let unread = Snapshot { spend_today: None, ..connected_with(0) };
    assert!(!texts(&unread).iter().any(|line| line.contains("Spend")));
}

#[test]
fn a_long_or_broken_text_stays_one_row() {
    let trouble = Trouble { what: format!("a\nb{}", "c".repeat(500)), fix: None };
    let menu = texts(&Snapshot::unlinked(Link::Lost(trouble)));
    assert!(menu[0].starts_with("A bcc") && menu[0].ends_with('…'), "{}", menu[0]);
    assert_eq!(menu[0].chars().count(), LINE_LIMIT + 2);
}

#[test]
fn every_action_is_found_by_its_id() {
    for action in Action::ALL {
        assert_eq!(Action::from_id(action.id()), Some(action));
    }
    assert_eq!(Action::from_id("allow"), None);
}
