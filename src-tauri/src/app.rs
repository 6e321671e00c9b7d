//! Puts the app together and runs it.

use std::process::ExitCode;

use clap::Parser;
use lwa_config::Home;
use tauri::{App, Manager, WindowEvent};
use tracing_subscriber::EnvFilter;

use crate::access::Access;
use crate::bridge::Bridge;
use crate::commands::{self, Subscriptions};
use crate::first_start::Mark;
use crate::notify::Notices;
use crate::options::Options;
use crate::windows::Windows;
use crate::{leftovers, lifecycle, notify, rendering, session_env, shell, tray, windows};

/// Bad input, in the exit codes of every program of ours.
const BAD_INPUT: u8 = 2;

/// Runs the app to its end.
pub fn run() -> ExitCode {
    let options = Options::parse();
    write_log_to_stderr();
    let home = match Home::from_environment() {
        Ok(home) => home,
        Err(error) => {
            tracing::error!("{error}");
            return ExitCode::from(BAD_INPUT);
        }
    };
    rendering::avoid_blank_windows();
    if let Err(error) = home.create() {
        tracing::error!("{error}");
        return ExitCode::from(BAD_INPUT);
    }
    match build(home, options) {
        Ok(app) => {
            app.run(lifecycle::on_run_event);
            ExitCode::SUCCESS
        }
        Err(error) => {
            tracing::error!("the app cannot start: {error}");
            ExitCode::FAILURE
        }
    }
}

fn build(home: Home, options: Options) -> tauri::Result<App> {
    let context = tauri::generate_context!();
    let has_updates = context.config().plugins.0.contains_key("updater");
    let mut builder = tauri::Builder::default()
        // First, so that a second start ends before it does anything.
        .plugin(single_instance(&home, &context.config().identifier))
        .plugin(tauri_plugin_notification::init())
        .plugin(tauri_plugin_shell::init());
    if has_updates {
        builder = builder.plugin(tauri_plugin_updater::Builder::new().build());
    }
    builder
        .manage(Access::default())
        .manage(Bridge::new(home.clone()))
        .manage(Mark::of(&home))
        .manage(Notices::default())
        .manage(Subscriptions::default())
        .manage(tray::Shown::default())
        .manage(Windows::default())
        .manage(home)
        .invoke_handler(tauri::generate_handler![
            commands::rpc,
            commands::subscribe,
            commands::open_approval,
            commands::open_main,
            commands::fit_approval,
            commands::self_test,
        ])
        .on_window_event(|window, event| {
            windows::on_event(window, event);
            if matches!(event, WindowEvent::Destroyed) {
                window.state::<Subscriptions>().end(window.label());
                tauri::async_runtime::spawn(leftovers::end(window.app_handle().clone()));
            }
        })
        .setup(move |app| {
            set_up(app, options);
            Ok(())
        })
        .build(context)
}

fn set_up(app: &App, options: Options) {
    let handle = app.handle().clone();
    let home = app.state::<Home>();
    if let Err(error) = session_env::write(&home.session_env_file(), |name| std::env::var_os(name)) {
        tracing::warn!("the session's variables cannot be noted: {error}");
    }
    if let Err(error) = tray::create(&handle, &home) {
        tracing::error!("there is no tray icon: {error}");
    }
    notify::listen(&handle);
    tauri::async_runtime::spawn(app.state::<Bridge>().inner().clone().run());
    tauri::async_runtime::spawn(shell::follow(handle.clone(), options.clone()));
    tauri::async_runtime::spawn(lifecycle::end_on_signal(handle.clone()));
    tauri::async_runtime::spawn(lifecycle::open_at_start(handle, options));
}

/// One app per user, and one per `LWA_HOME`.
fn single_instance(home: &Home, identifier: &str) -> tauri::plugin::TauriPlugin<tauri::Wry> {
    let name = home.tag().map_or_else(|| identifier.to_owned(), |tag| format!("{identifier}.h{tag}"));
    tauri_plugin_single_instance::Builder::new()
        .callback(|app, arguments, _folder| lifecycle::second_start(app, arguments))
        .dbus_id(name)
        .build()
}

fn write_log_to_stderr() {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn,lwa_desktop_lib=info"));
    let log = tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(false).with_env_filter(filter);
    if let Err(error) = log.try_init() {
        // Something else logs already; nothing is lost.
        tracing::debug!("{error}");
    }
}
