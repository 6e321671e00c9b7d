//! What happens by itself: questions and plans run out of time, the file is read again, local servers
//! are looked for, the app is started when somebody has to be asked.

use std::process::{Command, Stdio};
use std::time::Duration;

use lwa_domain::PlanState;
use lwa_protocol::Event;
use lwa_protocol::start::SESSION_VARIABLES;
use tokio::time::{Instant, sleep_until, timeout};

use crate::catalogue::DETECT_EVERY;
use crate::engine::Engine;

/// How often the configuration file and deadlines are looked at while somebody is connected.
const TICK: Duration = Duration::from_secs(2);
/// How long the app may take to come up before the question goes elsewhere.
const APP_LIMIT: Duration = Duration::from_secs(4);

impl Engine {
    pub(crate) fn spawn_maintenance(&self) {
        let engine = self.clone();
        self.tasks.spawn(async move {
            if let Err(failure) = engine.ask_at_start().await {
                tracing::error!(%failure, "the waiting configuration could not be asked about");
            }
            engine.detect_local_servers().await;
            let mut next_detection = Instant::now() + DETECT_EVERY;
            loop {
                // With nobody connected and nothing open there is nothing to look at.
                let is_idle = engine.surfaces.len() == 0;
                let next = Instant::now() + if is_idle { TICK * 15 } else { TICK };
                tokio::select! {
                    () = engine.stopping.cancelled() => return,
                    () = engine.wakes_maintenance.notified() => {}
                    () = sleep_until(next) => {}
                }
                engine.sweep().await;
                if Instant::now() >= next_detection && !is_idle {
                    engine.detect_local_servers().await;
                    next_detection = Instant::now() + DETECT_EVERY;
                }
            }
        });
    }

    /// What the host does by itself every few seconds: reads the file again when it changed, ends what
    /// ran out of time. Whoever gives the engine a clock of their own calls it when that clock moved.
    pub async fn sweep(&self) {
        if let Err(failure) = self.refresh_configuration().await {
            tracing::error!(%failure, "the configuration could not be read again");
        }
        if let Err(failure) = self.sweep_approvals().await {
            tracing::error!(%failure, "open questions could not be swept");
        }
        self.worker.names.unload_when_idle();
        if let Err(failure) = self.expire_worker().await {
            tracing::error!(%failure, "old conversations of the worker could not be removed");
        }
        match self.db.expire_plans(self.now()).await {
            Ok(expired) => {
                for plan_id in expired {
                    self.emit(Event::PlanChanged { plan_id, state: PlanState::Expired });
                }
            }
            Err(error) => tracing::error!(%error, "expired plans could not be swept"),
        }
    }

    fn app_program(&self) -> std::path::PathBuf {
        self.program_folder.join(format!("lwa-desktop{}", std::env::consts::EXE_SUFFIX))
    }

    /// Whether the app is installed and may be started here.
    pub(crate) fn app_can_be_started(&self) -> bool {
        let is_wanted = std::env::var_os("LWA_NO_APP").is_none_or(|value| value.is_empty() || value == "0");
        let has_screen = ["DISPLAY", "WAYLAND_DISPLAY"]
            .iter()
            .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
        is_wanted && has_screen && self.app_program().is_file()
    }

    /// Starts the app in the tray so that it can ask, and waits until it listens.
    ///
    /// Only when it is installed beside the host, a screen is known, and `LWA_NO_APP` is not set.
    pub(crate) async fn start_app(&self) -> bool {
        if !self.app_can_be_started() {
            return false;
        }
        let program = self.app_program();
        let mut command = Command::new(&program);
        command.arg("--hidden").env_clear().current_dir(self.home.state_dir());
        let kept = |name: &str| {
            SESSION_VARIABLES.contains(&name)
                || matches!(
                    name,
                    "HOME"
                        | "PATH"
                        | "LANG"
                        | "USER"
                        | "TMPDIR"
                        | "XDG_RUNTIME_DIR"
                        | "XDG_CONFIG_HOME"
                        | "XDG_STATE_HOME"
                        | "XDG_DATA_HOME"
                        | "XDG_CACHE_HOME"
                )
                || name.starts_with("LWA_")
                || name.starts_with("WEBKIT_")
        };
        command.envs(std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(kept)));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // Several questions at once start one app.
        let _turn = self.starts_app.lock().await;
        if self.surfaces.has_app() {
            return true;
        }
        let mut changes = self.surfaces.changes();
        match command.spawn() {
            Ok(mut child) => {
                // Waiting for its end is what keeps it from staying as a zombie.
                tokio::task::spawn_blocking(move || child.wait());
            }
            Err(error) => {
                tracing::warn!(%error, "the app could not be started");
                return false;
            }
        }
        let listens = async {
            while !self.surfaces.has_app() {
                if changes.changed().await.is_err() {
                    return;
                }
            }
        };
        timeout(APP_LIMIT, listens).await.is_ok() && self.surfaces.has_app()
    }
}
