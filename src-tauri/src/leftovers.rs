//! Ends the process that `WebKit` keeps when no page is open any more.
//!
//! The process that ran a page ends with its window. The one that loads pages stays as long as the
//! app, because `WebKit` never ends it and Tauri therefore keeps its context; in the tray it is
//! about 30 MB for nothing. `WebKit` starts a new one with the next page.

use std::time::Duration;

use tauri::{AppHandle, Manager};
use tokio::time::sleep;

use crate::windows::Windows;

/// How long after the last window: what a page stored is written by then.
const DELAY: Duration = Duration::from_secs(2);

/// Ends what is left if no window is open a moment from now.
pub async fn end(app: AppHandle) {
    sleep(DELAY).await;
    app.state::<Windows>().while_none_opens(|| {
        if app.webview_windows().is_empty() {
            platform::end();
        }
    });
}

#[cfg(target_os = "linux")]
mod platform {
    use std::fs;

    use rustix::process::{Pid, Signal, kill_process};

    /// The name as the system shows it: its first fifteen bytes.
    const NAME: &str = "WebKitNetworkPr";

    pub fn end() {
        for child in children() {
            let is_left = fs::read_to_string(format!("/proc/{child}/comm")).is_ok_and(|name| name.trim() == NAME);
            let Some(pid) = Pid::from_raw(child).filter(|_| is_left) else { continue };
            if let Err(error) = kill_process(pid, Signal::TERM) {
                tracing::debug!("what is left of the windows stays: {error}");
            }
        }
    }

    /// Our own children, whichever thread started them.
    fn children() -> Vec<i32> {
        let Ok(threads) = fs::read_dir("/proc/self/task") else { return Vec::new() };
        let lists = threads.filter_map(|thread| fs::read_to_string(thread.ok()?.path().join("children")).ok());
        lists.flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>()).collect()
    }
}

#[cfg(not(target_os = "linux"))]
mod platform {
    /// Other systems end it by themselves.
    pub const fn end() {}
}
