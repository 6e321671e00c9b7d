//! A host that answers a face from a state that the test sets.
#![allow(clippy::unwrap_used, reason = "a panic here is the report")]

use std::sync::{Arc, Mutex};

use lwa_config::{Home, HostLock, LockContent};
use lwa_domain::{ApprovalId, ErrorCode, Outcome};
use lwa_protocol::frame::{self, FaceFrame, HostFrame};
use lwa_protocol::host::Welcome;
use lwa_protocol::{Event, Failure, PROTOCOL, Role};
use serde_json::{Value, json};
use tokio::io::BufReader;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::broadcast;
use tokio::task::JoinSet;

/// What the host answers with.
#[derive(Debug, Clone, Default)]
pub struct State {
    /// Open questions.
    pub approvals: Vec<Value>,
    /// Names of connected clients.
    pub clients: Vec<String>,
    /// Whether faces are taken for agents.
    pub distrusts: bool,
    /// Until when work is paused.
    pub paused_until: Option<String>,
    /// Methods that were called, with their parameters.
    pub calls: Vec<(String, Value)>,
}

/// A running host. Dropping it ends every connection, as a crash would.
pub struct FakeHost {
    state: Arc<Mutex<State>>,
    events: broadcast::Sender<Event>,
    _lock: HostLock,
    accepting: tokio::task::JoinHandle<()>,
}

impl FakeHost {
    pub fn start(home: &Home, state: State) -> Self {
        home.create().unwrap();
        let socket = home.socket();
        let _ = std::fs::remove_file(&socket);
        let listener = UnixListener::bind(&socket).unwrap();
        let content = LockContent { pid: std::process::id(), socket, protocol: PROTOCOL };
        let lock = HostLock::acquire(&home.lock_file(), &content).unwrap();
        let (events, _) = broadcast::channel(64);
        let state = Arc::new(Mutex::new(state));
        let (known, sender) = (state.clone(), events.clone());
        let accepting = tokio::spawn(async move {
            let mut faces = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                faces.spawn(serve(stream, known.clone(), sender.clone()));
            }
        });
        Self { state, events, _lock: lock, accepting }
    }

    /// Changes the state without telling anyone.
    pub fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap());
    }

    /// Tells every face.
    pub fn tell(&self, event: Event) {
        let _ = self.events.send(event);
    }

    /// Asks a question.
    pub fn ask(&self, id: &str, client: &str) {
        let item = question(id, client);
        self.change(|state| state.approvals.push(item.clone()));
        self.tell(Event::ApprovalOpened { approval: Box::new(serde_json::from_value(item).unwrap()) });
    }

    /// Takes a question back.
    pub fn withdraw(&self, id: &str) {
        self.change(|state| state.approvals.retain(|item| item["id"] != id));
        let reason = Some("the client left".to_owned());
        self.tell(Event::ApprovalClosed { id: ApprovalId::new(id), outcome: Outcome::Withdrawn, reason });
    }

    /// The parameters of the calls of one method.
    #[allow(dead_code, reason = "not every user of this file looks at calls")]
    pub fn calls(&self, method: &str) -> Vec<Value> {
        let state = self.state.lock().unwrap();
        state.calls.iter().filter(|(name, _)| name == method).map(|(_, params)| params.clone()).collect()
    }
}

impl Drop for FakeHost {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn serve(stream: UnixStream, state: Arc<Mutex<State>>, events: broadcast::Sender<Event>) {
    let (input, mut output) = tokio::io::split(stream);
    let mut reader = BufReader::new(input);
    let mut told = events.subscribe();
    let (frames, mut incoming) = tokio::sync::mpsc::channel(16);
    let reading = tokio::spawn(async move {
        let mut line = Vec::new();
        while let Ok(Some(received)) = frame::read::<_, FaceFrame>(&mut reader, &mut line).await {
            if frames.send(received).await.is_err() {
                break;
            }
        }
    });
    let _ending = AbortOnDrop(reading.abort_handle());
    loop {
        let reply = tokio::select! {
            received = incoming.recv() => match received {
                Some(FaceFrame::Hello(hello)) => HostFrame::Welcome(Welcome {
                    protocol: PROTOCOL, product: "0.1.0".into(), pid: std::process::id(), role: if state.lock().unwrap().distrusts { Role::Sidecar } else { hello.role },
                }),
                Some(FaceFrame::Call { id, method, params }) => match answer(&state, &events, &method, &params) {
                    Some(result) => HostFrame::Answer { id, result },
                    None => HostFrame::Failed { id, failure: Failure::new(ErrorCode::NotFound, "not in this host") },
                },
                Some(FaceFrame::Cancel { .. }) => continue,
                None => return,
            },
            event = told.recv() => match event {
                Ok(event) => HostFrame::Event(event),
                Err(_) => return,
            },
        };
        if frame::write(&mut output, &reply).await.is_err() {
            return;
        }
    }
}

struct AbortOnDrop(tokio::task::AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn answer(state: &Mutex<State>, events: &broadcast::Sender<Event>, method: &str, params: &Value) -> Option<Value> {
    let mut state = state.lock().unwrap();
    state.calls.push((method.to_owned(), params.clone()));
    match method {
        "event/subscribe" => Some(json!({})),
        "approval/list" => Some(json!({"approvals": state.approvals})),
        "approval/show" | "approval/extend" => state.approvals.iter().find(|item| item["id"] == params["id"]).cloned(),
        "approval/decide" => {
            let place = state.approvals.iter().position(|item| item["id"] == params["id"])?;
            let mut item = state.approvals.remove(place);
            let outcome = if params["answer"] == "deny" { Outcome::Denied } else { Outcome::AllowedOnce };
            item["outcome"] = json!(outcome);
            item["decided_by"] = json!("app");
            let id = ApprovalId::new(params["id"].as_str()?);
            let _ = events.send(Event::ApprovalClosed { id, outcome, reason: None });
            Some(item)
        }
        "host/status" => Some(status(&state)),
        "host/pause" => {
            state.paused_until = match params["minutes"].as_u64() {
                Some(0) => None,
                Some(_) => Some("2026-01-01T14:05:00Z".into()),
                None => Some("resumed".into()),
            };
            let _ = events.send(Event::HostChanged);
            Some(status(&state))
        }
        "ledger/telemetry" => Some(telemetry()),
        "provider/list" => Some(json!({"providers": []})),
        _ => None,
    }
}

fn status(state: &State) -> Value {
    let face = |role: Role, client: &str| {
        json!({"role": role, "client": client, "client_version": null, "session": "s", "pid": 1, "product": "0.1.0",
            "since": "2026-01-01T00:00:00Z"})
    };
    let mut connections = vec![face(Role::App, "lwa")];
    connections.extend(state.clients.iter().map(|client| face(Role::Sidecar, client)));
    json!({
        "pid": 1, "product": "0.1.0", "protocol": PROTOCOL, "started_at": "2026-01-01T00:00:00Z", "socket": "s",
        "database": "d", "log": "l", "paused_until": state.paused_until, "waiting": state.approvals.len(),
        "ignored_variables": [], "connections": connections,
        "config": {"path": "c", "is_in_force": true, "error": null, "has_pending_change": false},
        "secrets": {"backend": "keychain", "state": "ready", "detail": null},
    })
}

fn telemetry() -> Value {
    let sum = json!({"calls": 1, "failed": 0, "usage_reported": 1, "cost_known": 1, "input_tokens": 10,
        "output_tokens": 10, "cost_pico_usd": "120000000000"});
    json!({"since": "2026-01-01T00:00:00Z", "as_of": "2026-01-01T00:00:00Z", "total": sum, "today": sum, "days": [],
        "providers": []})
}

fn question(id: &str, client: &str) -> Value {
    let detail = json!({
        "type": "spend", "plan_id": "0123456789abcdef01234567", "task": "planning", "provider": "openrouter",
        "model": "large", "billing_class": "paid", "data_use": "unknown", "data_use_source": "", "masked_secrets": 0, "other_routes": 0, "is_local": false,
        "estimated_cost_pico_usd": "20000000000", "max_cost_pico_usd": "140000000000", "estimated_input_tokens": 1200,
        "max_output_tokens": 4000, "prompt_characters": 4800, "price_note": "catalogue, read today",
        "caps_left": ["$0.86 of $1.00 this month"], "reasons": ["named by the caller"],
        "asked_because": "the route is paid",
    });
    json!({
        "id": id, "kind": "spend", "title": "Spend up to $0.14 on openrouter/large", "client": client, "session": "s",
        "asker": {"client_version": "1.0", "client_path": "/usr/bin/codex", "cwd": "/home/me/project", "process_chain": []},
        "created_at": "2026-11-29T00:00:00Z", "expires_at": "2036-01-01T00:10:00Z", "count": 1, "detail": detail,
        "consequence": "Text leaves this machine and money is spent.", "is_serious": true,
        "offers": ["allow_once"], "code": null, "outcome": null, "outcome_reason": null, "decided_at": null,
        "decided_by": null,
    })
}
