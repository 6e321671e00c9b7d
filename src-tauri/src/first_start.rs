//! Whether the app was ever opened: a person who has no key yet is shown where to enter one.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::time::Duration;

use lwa_config::Home;
use lwa_protocol::Connection;
use lwa_protocol::host::Nothing;
use lwa_protocol::method::ProviderGetList;
use tokio::time::timeout;

use crate::bridge::Bridge;
use crate::snapshot::{Link, call};

/// The view where keys are entered.
pub const PROVIDERS_VIEW: &str = "providers";

/// How long the first window waits to learn whether there is a key.
const PATIENCE: Duration = Duration::from_millis(1500);

/// The mark that the app leaves when it was opened.
#[derive(Debug, Clone)]
pub struct Mark(PathBuf);

impl Mark {
    /// The mark in these folders.
    pub fn of(home: &Home) -> Self {
        Self(home.state_dir().join("app-seen"))
    }

    /// Whether the app was opened before.
    pub fn is_there(&self) -> bool {
        self.0.exists()
    }

    /// Notes that the app was opened.
    pub fn leave(&self) {
        if let Err(error) = OpenOptions::new().append(true).create(true).mode(0o600).open(&self.0) {
            tracing::warn!("the first start cannot be noted, so it will be shown again: {error}");
        }
    }
}

/// The view to open at the start: where keys are entered when the app was never opened and no key is there.
pub async fn view(mark: &Mark, bridge: &Bridge) -> Option<&'static str> {
    if mark.is_there() {
        return None;
    }
    let has_key = timeout(PATIENCE, has_key(bridge)).await.unwrap_or(false);
    (!has_key).then_some(PROVIDERS_VIEW)
}

async fn has_key(bridge: &Bridge) -> bool {
    let mut snapshot = bridge.snapshot();
    if snapshot.wait_for(|snapshot| !matches!(snapshot.link, Link::Starting)).await.is_err() {
        return false;
    }
    match bridge.connection() {
        Some(connection) => has_key_at(&connection).await,
        None => false,
    }
}

async fn has_key_at(connection: &Connection) -> bool {
    match call::<ProviderGetList>(connection, Nothing {}).await {
        Ok(list) => list.providers.iter().any(|provider| provider.key.is_some()),
        Err(failure) => {
            tracing::info!("cannot tell whether there is a key: {failure}");
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_stays_once_it_is_left() {
        let temp = tempfile::tempdir().unwrap();
        let home = Home::at(temp.path()).unwrap();
        home.create().unwrap();
        let mark = Mark::of(&home);
        assert!(!mark.is_there());
        mark.leave();
        mark.leave();
        assert!(Mark::of(&home).is_there());
    }
}
