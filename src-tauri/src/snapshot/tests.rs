use lwa_domain::Outcome;
use lwa_protocol::approval::ApprovalList;
use lwa_protocol::host::HostStatus;
use lwa_protocol::ledger::Telemetry;
use rstest::rstest;
use serde_json::{Value, json};

use super::*;

fn item(id: &str, client: &str, outcome: Option<&str>) -> ApprovalItem {
    let detail = json!({"type": "policy_change", "path": "config.toml", "changes": []});
    serde_json::from_value(json!({
        "id": id, "kind": "spend", "title": "Spend up to $0.14", "client": client, "session": "s",
        "asker": {}, "created_at": "2026-01-01T00:00:00Z", "expires_at": "2026-01-01T00:10:00Z", "count": 1,
        "detail": detail, "consequence": "Text leaves this machine.", "is_serious": true, "offers": ["allow_once"],
        "code": null, "outcome": outcome, "outcome_reason": null, "decided_at": null, "decided_by": null,
    }))
    .unwrap()
}

fn opened(id: &str) -> Event {
    Event::ApprovalOpened { approval: Box::new(item(id, "codex", None)) }
}

fn ids(snapshot: &Snapshot) -> Vec<&str> {
    snapshot.waiting.iter().map(|waiting| waiting.id.as_str()).collect()
}

fn status(change: impl FnOnce(&mut Value)) -> HostStatus {
    let face = |role: &str, client: &str| {
        json!({"role": role, "client": client, "client_version": null, "session": "s", "pid": 1,
            "product": "0.1.0", "since": "2026-01-01T00:00:00Z"})
    };
    let mut value = json!({
        "pid": 1, "product": "0.1.0", "protocol": 1, "started_at": "2026-01-01T00:00:00Z", "socket": "s",
        "database": "d", "log": "l", "paused_until": null, "waiting": 0, "ignored_variables": [],
        "connections": [face("app", "lwa"), face("sidecar", "codex"), face("sidecar", "claude-code")],
        "config": {"path": "c", "is_in_force": true, "error": null, "has_pending_change": false},
        "secrets": {"backend": "keychain", "state": "ready", "detail": null},
    });
    change(&mut value);
    serde_json::from_value(value).unwrap()
}

fn read(status: HostStatus) -> Snapshot {
    let mut snapshot = Snapshot::unlinked(Link::Connected);
    Readings { status: Some(status), ..Readings::default() }.merge_into(&mut snapshot, &TimeZone::UTC);
    snapshot
}

#[test]
fn questions_queue_in_order_and_leave_when_they_end() {
    let mut snapshot = Snapshot::unlinked(Link::Connected);
    assert_eq!(snapshot.apply(&opened("a")), Stale::WAITING);
    snapshot.apply(&opened("b"));
    snapshot.apply(&opened("a"));
    assert_eq!(ids(&snapshot), ["a", "b"]);
    let closed = Event::ApprovalClosed { id: ApprovalId::new("a"), outcome: Outcome::Denied, reason: None };
    snapshot.apply(&closed);
    assert_eq!(ids(&snapshot), ["b"]);
    let answered = Event::ApprovalChanged { approval: Box::new(item("b", "codex", Some("denied"))) };
    snapshot.apply(&answered);
    assert!(snapshot.waiting.is_empty());
}

#[rstest]
#[case(Event::Lagged, Stale::ALL)]
#[case(Event::HostChanged, Stale::STATUS)]
#[case(Event::ConfigChanged { error: None }, Stale::STATUS)]
#[case(Event::LedgerChanged, Stale::SPEND)]
#[case(Event::HostStopping, Stale::NOTHING)]
fn an_event_names_what_has_to_be_read_again(#[case] event: Event, #[case] stale: Stale) {
    assert_eq!(Snapshot::unlinked(Link::Connected).apply(&event), stale);
}

#[test]
fn a_reading_replaces_the_queue_and_drops_answered_questions() {
    let mut snapshot = Snapshot::unlinked(Link::Connected);
    snapshot.apply(&opened("gone"));
    let approvals = vec![item("x", "codex", None), item("y", "codex", Some("denied"))];
    let readings = Readings { approvals: Some(ApprovalList { approvals }), ..Readings::default() };
    readings.merge_into(&mut snapshot, &TimeZone::UTC);
    assert_eq!(ids(&snapshot), ["x"]);
}

#[test]
fn only_sidecars_count_as_clients() {
    let clients = read(status(|_| {})).clients;
    assert_eq!(clients, [ClientName::new("codex"), ClientName::new("claude-code")]);
}

#[test]
fn a_pause_is_told_in_local_time() {
    let until = |text: &str| read(status(|value| value["paused_until"] = text.into())).pause;
    assert_eq!(until("2026-01-01T14:05:10Z"), Some(Pause::Until("14:05".into())));
    assert_eq!(until("resumed"), Some(Pause::UntilResumed));
    assert_eq!(read(status(|_| {})).pause, None);
}

#[test]
fn a_refused_configuration_and_a_dead_keychain_are_trouble() {
    let refused = read(status(|value| {
        value["config"] = json!({"path": "c", "is_in_force": false, "error": "line 3: unknown key `rooter`", "has_pending_change": false});
    }));
    assert_eq!(refused.trouble.unwrap().what, "the configuration is not in force: line 3: unknown key `rooter`");
    let keyless = read(status(|value| {
        value["secrets"] = json!({"backend": "keychain", "state": "unavailable", "detail": "unlock the keychain"});
    }));
    assert_eq!(keyless.trouble.unwrap().fix.as_deref(), Some("unlock the keychain"));
}

#[test]
fn calls_without_a_cost_are_counted_apart() {
    let sum = |calls: u32, known: u32| {
        json!({"calls": calls, "failed": 0, "usage_reported": 0, "cost_known": known, "input_tokens": 0,
            "output_tokens": 0, "cost_pico_usd": "120000000000"})
    };
    let telemetry: Telemetry = serde_json::from_value(json!({
        "since": "2026-01-01T00:00:00Z", "as_of": "2026-01-01T00:00:00Z", "total": sum(9, 9), "today": sum(3, 2),
        "days": [], "providers": [],
    }))
    .unwrap();
    let mut snapshot = Snapshot::unlinked(Link::Connected);
    Readings { telemetry: Some(telemetry), ..Readings::default() }.merge_into(&mut snapshot, &TimeZone::UTC);
    let spend = Spend { known: PicoUsd::new(120_000_000_000), calls_without_cost: 1 };
    assert_eq!(snapshot.spend_today, Some(spend));
}
