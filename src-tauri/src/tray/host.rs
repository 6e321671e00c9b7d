//! Whether anything on this desktop shows tray icons.

/// Whether a tray icon can be seen. Plain GNOME has no place for one.
#[cfg(target_os = "linux")]
pub async fn is_present() -> bool {
    match ask_session_bus().await {
        Ok(is_present) => is_present,
        Err(error) => {
            tracing::info!("the session bus does not tell of a tray: {error}");
            false
        }
    }
}

#[cfg(target_os = "linux")]
async fn ask_session_bus() -> zbus::Result<bool> {
    const WATCHER: &str = "org.kde.StatusNotifierWatcher";
    let connection = zbus::Connection::session().await?;
    let bus = zbus::fdo::DBusProxy::new(&connection).await?;
    Ok(bus.name_has_owner(WATCHER.try_into()?).await?)
}

/// Whether a tray icon can be seen: these systems always have a place for one.
#[cfg(not(target_os = "linux"))]
#[expect(clippy::unused_async, reason = "the same signature as on Linux")]
pub async fn is_present() -> bool {
    true
}
