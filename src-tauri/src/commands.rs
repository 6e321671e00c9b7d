//! What a page may ask of the app.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use lwa_domain::ErrorCode;
use lwa_protocol::{CallError, Failure, Method, method};
use serde_json::{Value, json};
use tauri::ipc::Channel;
use tauri::{AppHandle, Manager, State, WebviewWindow};
use tokio::sync::broadcast::error::RecvError;
use tokio::task::AbortHandle;
use tokio::time::timeout;

use crate::access::Access;
use crate::bridge::Bridge;
use crate::feed::Feed;
use crate::self_test::{self, SelfTest};
use crate::snapshot::Link;
use crate::windows::{self, Manner};

/// How long a page waits for a plain answer.
const ANSWER_LIMIT: Duration = Duration::from_secs(30);

/// Methods that wait for a person, a provider or a probe. The host bounds each of them.
const SLOW_METHODS: [&str; 5] = [
    method::PlanApprove::NAME,
    method::PlanRun::NAME,
    method::ProviderTest::NAME,
    method::DoctorRun::NAME,
    method::AuditVerify::NAME,
];

/// The pages that are told of events, by window.
#[derive(Debug, Default)]
pub struct Subscriptions(Mutex<HashMap<String, AbortHandle>>);

impl Subscriptions {
    /// Ends a window's subscription, if it has one.
    pub fn end(&self, label: &str) {
        if let Some(task) = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(label) {
            task.abort();
        }
    }

    fn begin(&self, label: &str, task: AbortHandle) {
        let before = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(label.to_owned(), task);
        // A page that was loaded again subscribes again; its old channel leads nowhere.
        if let Some(before) = before {
            before.abort();
        }
    }
}

/// Calls a method of the host.
#[tauri::command]
pub async fn rpc(
    window: WebviewWindow,
    access: State<'_, Access>,
    bridge: State<'_, Bridge>,
    method: String,
    params: Option<Value>,
) -> Result<Value, Failure> {
    let params = params.filter(|params| !params.is_null()).unwrap_or_else(|| json!({}));
    let name = access.admit(window.label(), &method, &params)?;
    tracing::debug!(window = window.label(), method = name, "called");
    let connection = bridge.connection().ok_or_else(|| unreachable(&bridge.snapshot().borrow().link))?;
    let call = connection.call_raw(name, params, None);
    if SLOW_METHODS.contains(&name) {
        return call.await.map_err(CallError::into_failure);
    }
    let Ok(answer) = timeout(ANSWER_LIMIT, call).await else {
        let seconds = ANSWER_LIMIT.as_secs();
        let what = format!("the host did not answer `{name}` within {seconds} s");
        return Err(Failure::new(ErrorCode::HostUnreachable, what).hint("try again"));
    };
    answer.map_err(CallError::into_failure)
}

fn unreachable(link: &Link) -> Failure {
    match link {
        Link::Lost(trouble) => {
            Failure { code: ErrorCode::HostUnreachable, message: trouble.what.clone(), hint: trouble.fix.clone() }
        }
        Link::Stopped => Failure::new(ErrorCode::HostUnreachable, "the host is stopped")
            .hint("start it from the tray, or run `lwa host`"),
        Link::Starting | Link::Connected => {
            Failure::new(ErrorCode::HostUnreachable, "the host is starting").hint("wait a moment")
        }
    }
}

/// Tells a page of events and of the connection, from the present state on.
#[tauri::command]
#[expect(clippy::needless_pass_by_value, reason = "Tauri hands its values over")]
pub fn subscribe(
    window: WebviewWindow,
    bridge: State<'_, Bridge>,
    subscriptions: State<'_, Subscriptions>,
    channel: Channel<Feed>,
) {
    let label = window.label().to_owned();
    let mut feed = bridge.feed();
    let now = Feed::from(&bridge.snapshot().borrow().link);
    let recipient = label.clone();
    let task = tauri::async_runtime::spawn(async move {
        let mut message = now;
        loop {
            if message.is_for(&recipient) && channel.send(message).is_err() {
                return;
            }
            message = match feed.recv().await {
                Ok(message) => message,
                Err(RecvError::Lagged(_)) => Feed::Event { event: lwa_protocol::Event::Lagged },
                Err(RecvError::Closed) => return,
            };
        }
    });
    subscriptions.begin(&label, task.inner().abort_handle());
}

/// Opens the approval window, because a person asked for it.
///
/// # Errors
/// The window cannot be made.
#[tauri::command]
pub async fn open_approval(app: AppHandle) -> Result<(), Failure> {
    windows::open_approval(&app, Manner::InFront).map_err(|error| no_window(&error))
}

/// Opens the main window at a view.
///
/// # Errors
/// The window cannot be made.
#[tauri::command]
pub async fn open_main(app: AppHandle, view: Option<String>) -> Result<(), Failure> {
    app.state::<Bridge>().want_host();
    windows::open_main(&app, view.as_deref()).map_err(|error| no_window(&error))
}

/// Fits the approval window to its content.
///
/// # Errors
/// The window is gone.
#[tauri::command]
#[expect(clippy::needless_pass_by_value, reason = "Tauri hands its values over")]
pub fn fit_approval(window: WebviewWindow, width: f64, height: f64) -> Result<(), Failure> {
    windows::fit_approval(&window, width, height).map_err(|error| no_window(&error))
}

/// Runs the sidecar beside the app once, and tells whether a client would be served.
#[tauri::command]
pub async fn self_test(app: AppHandle) -> SelfTest {
    self_test::run(&app).await
}

fn no_window(error: &tauri::Error) -> Failure {
    Failure::new(ErrorCode::Internal, format!("the window cannot be opened: {error}"))
}
