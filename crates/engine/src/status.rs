//! The host's own state: status, pause, and the status an agent may see.

use jiff::{SignedDuration, Timestamp};
use lwa_domain::ErrorCode;
use lwa_protocol::doctor::{DoctorParams, RouterStatus};
use lwa_protocol::host::{HostStatus, PauseParams};
use lwa_protocol::{Event, Failure};
use lwa_store::NewAudit;
use serde_json::json;

use crate::caller::Caller;
use crate::engine::{Engine, locked, rfc3339};
use crate::failure;

/// The setting that keeps a pause over a restart.
const PAUSED: &str = "host.paused_until";
/// How "until resumed" is written.
const UNTIL_RESUMED: &str = "resumed";
/// The longest pause with an end: a week.
const MAX_MINUTES: u32 = 7 * 24 * 60;

/// Variables of the older products. They have no effect; a person who sets one is told so.
const OLD_VARIABLES: [&str; 9] = [
    "LWA_MCP_CONFIG",
    "LWA_MCP_ENV_FILE",
    "LWA_MCP_DB",
    "LWA_MCP_TOOL_LIBRARY",
    "LWA_MCP_RESPONSE_DETAIL",
    "LWA_MCP_RUNTIME_ROOT",
    "LWA_PREFLIGHT_SECRET",
    "CASTOR_POLLUX_CONFIRMATION_SECRET",
    "LWA_MCP_START_DASHBOARD",
];

/// Whether work is paused.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Pause {
    /// Work goes on.
    #[default]
    No,
    /// Until this moment.
    Until(Timestamp),
    /// Until a person resumes it.
    UntilResumed,
}

impl Pause {
    /// Whether work goes on sooner under this pause than under the other.
    fn ends_before(self, other: Self, now: Timestamp) -> bool {
        match (self, other) {
            (_, Self::No) | (Self::UntilResumed, _) => false,
            (Self::No, Self::Until(until)) => until > now,
            (Self::No | Self::Until(_), Self::UntilResumed) => true,
            (Self::Until(new), Self::Until(old)) => new < old && old > now,
        }
    }
}

impl Engine {
    /// `host/status`.
    ///
    /// # Errors
    /// The database failed.
    pub async fn status(&self) -> Result<HostStatus, Failure> {
        let waiting = self.db.open_approvals().await.map_err(failure::store)?.len();
        Ok(HostStatus {
            pid: std::process::id(),
            product: env!("CARGO_PKG_VERSION").to_owned(),
            protocol: lwa_protocol::PROTOCOL,
            started_at: rfc3339(self.started_at),
            socket: self.home.socket().display().to_string(),
            database: self.home.database().display().to_string(),
            log: self.home.log_file().display().to_string(),
            paused_until: self.paused_until(),
            connections: self.surfaces.views(),
            waiting: u32::try_from(waiting).unwrap_or(u32::MAX),
            config: self.configuration.view(),
            secrets: self.secrets_view(),
            ignored_variables: ignored_variables(),
        })
    }

    fn paused_until(&self) -> Option<String> {
        match *locked(&self.pause) {
            Pause::Until(until) if until > self.now() => Some(rfc3339(until)),
            Pause::UntilResumed => Some(UNTIL_RESUMED.to_owned()),
            Pause::No | Pause::Until(_) => None,
        }
    }

    /// Refuses new work while the human has paused it.
    pub(crate) fn refuse_while_paused(&self) -> Result<(), Failure> {
        match self.paused_until() {
            None => Ok(()),
            Some(until) if until == UNTIL_RESUMED => Err(Failure::new(ErrorCode::Paused, "the human paused Lwa")
                .hint("resume it from the tray or with `lwa status --resume`")),
            Some(until) => Err(Failure::new(ErrorCode::Paused, format!("the human paused Lwa until {until}"))
                .hint("try again then; nothing was changed")),
        }
    }

    /// `host/pause`.
    ///
    /// # Errors
    /// The pause is too long, or a client's own process asks to resume.
    pub async fn set_pause(&self, caller: &Caller, params: &PauseParams) -> Result<HostStatus, Failure> {
        let now = self.now();
        let pause = match params.minutes {
            Some(0) => Pause::No,
            Some(minutes) if minutes <= MAX_MINUTES => {
                Pause::Until(now + SignedDuration::from_mins(i64::from(minutes)))
            }
            Some(minutes) => {
                return Err(Failure::new(
                    ErrorCode::InvalidInput,
                    format!("a pause of {minutes} minutes is longer than a week"),
                )
                .hint("leave the minutes out to pause until you resume"));
            }
            None => Pause::UntilResumed,
        };
        // A shorter pause resumes sooner, which is resuming by another name.
        if pause.ends_before(*locked(&self.pause), now) {
            self.refuse_clients_process(caller)?;
        }
        *locked(&self.pause) = pause;
        let kept = match pause {
            Pause::No => None,
            Pause::Until(until) => Some(rfc3339(until)),
            Pause::UntilResumed => Some(UNTIL_RESUMED.to_owned()),
        };
        self.db.set_setting(PAUSED, kept.as_deref(), now).await.map_err(failure::store)?;
        let audit = NewAudit {
            at: now,
            actor: caller.actor(),
            session: Some(caller.session.as_str()),
            action: if pause == Pause::No { "host.resumed" } else { "host.paused" },
            object: None,
            decision: None,
            detail: json!({ "until": kept }),
        };
        self.db.append_audit(&audit).await.map_err(failure::store)?;
        self.emit(Event::HostChanged);
        self.status().await
    }

    pub(crate) async fn restore_pause(&self) -> Result<(), Failure> {
        let kept = self.db.setting(PAUSED).await.map_err(failure::store)?;
        *locked(&self.pause) = match kept.as_deref() {
            None => Pause::No,
            Some(UNTIL_RESUMED) => Pause::UntilResumed,
            // A value that cannot be read must not end a pause.
            Some(text) => text.parse().map_or(Pause::UntilResumed, Pause::Until),
        };
        Ok(())
    }

    /// `router/status`: everything an agent may know.
    ///
    /// # Errors
    /// The database failed.
    pub async fn router_status(&self, caller: &Caller) -> Result<RouterStatus, Failure> {
        let config = self.configuration.in_force();
        let providers = self.list_providers().await?.providers;
        let waiting = self.db.open_approvals().await.map_err(failure::store)?.len();
        Ok(RouterStatus {
            product: env!("CARGO_PKG_VERSION").to_owned(),
            consent_mode: self.consent_mode_of(caller).to_string(),
            allow_paid: config.router.allow_paid,
            is_paused: self.paused_until().is_some(),
            catalog_models: providers.iter().map(|provider| provider.models).sum(),
            providers,
            usage_today: self.usage_today().await?,
            waiting: u32::try_from(waiting).unwrap_or(u32::MAX),
            doctor: self.diagnose(&DoctorParams { probe: false }).await?,
        })
    }
}

pub(crate) fn ignored_variables() -> Vec<String> {
    OLD_VARIABLES.iter().filter(|name| std::env::var_os(name).is_some()).map(|name| (*name).to_owned()).collect()
}
