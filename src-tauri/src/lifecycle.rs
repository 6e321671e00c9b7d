//! Starting, second starts, the rows of the menu, and the end.

use std::time::Duration;

use lwa_protocol::host::PauseParams;
use lwa_protocol::method::HostPause;
use tauri::{AppHandle, Manager, RunEvent};
use tokio::time::sleep;

use crate::bridge::Bridge;
use crate::first_start::{self, Mark};
use crate::options::Options;
use crate::snapshot::{Link, call};
use crate::tray::menu::{self, Action};
use crate::windows::{self, Manner};
use crate::{notify, tray};

/// How long a desktop may take to bring up its tray before the main window stands in for it.
const TRAY_PATIENCE: Duration = Duration::from_secs(3);

/// How long the last notification gets to leave before the process ends.
const FAREWELL: Duration = Duration::from_millis(300);

/// Opens what a start opens.
pub async fn open_at_start(app: AppHandle, options: Options) {
    if options.approval {
        return report(windows::open_approval(&app, Manner::InFront));
    }
    if options.wants_main() {
        let view = first_start::view(app.state::<Mark>().inner(), app.state::<Bridge>().inner()).await;
        open_main(&app, view);
    } else if options.hidden && !options.no_windows && !has_tray().await {
        tracing::info!("this desktop shows no tray, so the main window opens");
        open_main(&app, None);
    }
}

/// What a second start asks of the first.
pub fn second_start(app: &AppHandle, arguments: Vec<String>) {
    let options = Options::of_second_start(arguments);
    if options.approval {
        perform(app, Action::Review);
    } else if options.wants_main() {
        perform(app, Action::OpenMain);
    }
}

/// Does what a row of the menu says. Returns at once: windows are made outside the event loop.
pub fn perform(app: &AppHandle, action: Action) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        match action {
            Action::Review => report(windows::open_approval(&app, Manner::InFront)),
            Action::OpenMain => {
                app.state::<Bridge>().want_host();
                open_main(&app, None);
            }
            Action::StartHost => app.state::<Bridge>().want_host(),
            Action::PauseQuarter => pause(&app, Some(15)).await,
            Action::PauseHour => pause(&app, Some(60)).await,
            Action::PauseUntilResumed => pause(&app, None).await,
            Action::Resume => pause(&app, Some(0)).await,
            Action::Quit => quit(&app).await,
        }
    });
}

/// Keeps the app in the tray when its last window closes.
pub fn on_run_event(_app: &AppHandle, event: RunEvent) {
    if let RunEvent::ExitRequested { code: None, api, .. } = event {
        api.prevent_exit();
    }
}

/// Ends the app when the system asks for it.
pub async fn end_on_signal(app: AppHandle) {
    match next_signal().await {
        Ok(name) => {
            tracing::info!("ending on {name}");
            app.exit(0);
        }
        Err(error) => tracing::warn!("signals cannot be received: {error}"),
    }
}

#[cfg(unix)]
async fn next_signal() -> std::io::Result<&'static str> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    Ok(tokio::select! {
        _ = terminate.recv() => "SIGTERM",
        _ = interrupt.recv() => "SIGINT",
        _ = hang_up.recv() => "SIGHUP",
    })
}

#[cfg(not(unix))]
async fn next_signal() -> std::io::Result<&'static str> {
    tokio::signal::ctrl_c().await.map(|()| "Ctrl-C")
}

fn open_main(app: &AppHandle, view: Option<&str>) {
    let opened = windows::open_main(app, view);
    if opened.is_ok() {
        app.state::<Mark>().leave();
    }
    report(opened);
}

async fn has_tray() -> bool {
    if tray::host::is_present().await {
        return true;
    }
    sleep(TRAY_PATIENCE).await;
    tray::host::is_present().await
}

async fn pause(app: &AppHandle, minutes: Option<u32>) {
    let Some(connection) = app.state::<Bridge>().connection() else { return };
    // The host tells everyone of the pause, the tray too; only a failure needs a word from here.
    if let Err(failure) = call::<HostPause>(&connection, PauseParams { minutes }).await {
        notify::say(app, &format!("Nothing was changed: {failure}"));
    }
}

async fn quit(app: &AppHandle) {
    let snapshot = app.state::<Bridge>().snapshot().borrow().clone();
    if matches!(snapshot.link, Link::Connected) && !snapshot.clients.is_empty() {
        let who = menu::clients(snapshot.clients.len());
        let what = "Answer its questions with `lwa approvals`; end it with `lwa stop`.";
        notify::say(app, &format!("The host keeps serving {who}. {what}"));
        sleep(FAREWELL).await;
    }
    app.exit(0);
}

fn report(opened: tauri::Result<()>) {
    if let Err(error) = opened {
        tracing::error!("a window cannot be opened: {error}");
    }
}
