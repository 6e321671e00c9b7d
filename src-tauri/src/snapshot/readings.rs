//! Reading the host's state, whole or in part.

use std::ops::BitOr;
use std::time::Duration;

use jiff::tz::TimeZone;
use lwa_domain::ErrorCode;
use lwa_protocol::approval::{ApprovalList, ApprovalListParams};
use lwa_protocol::host::{HostStatus, Nothing};
use lwa_protocol::ledger::{Telemetry, TelemetryParams};
use lwa_protocol::method::{ApprovalGetList, HostGetStatus, LedgerTelemetry};
use lwa_protocol::{CallError, Connection, Failure, Method, Role};
use tokio::time::timeout;

use super::{Pause, Snapshot, Spend, Trouble, Waiting};

/// How long the host may take for a reading, before the connection counts as lost.
const READING_LIMIT: Duration = Duration::from_secs(10);

/// Which parts of a snapshot have to be read again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stale {
    /// The open questions.
    pub waiting: bool,
    /// Clients, pause, configuration, secrets.
    pub status: bool,
    /// Today's money.
    pub spend: bool,
}

impl Stale {
    /// Nothing.
    pub const NOTHING: Self = Self { waiting: false, status: false, spend: false };
    /// The open questions.
    pub const WAITING: Self = Self { waiting: true, ..Self::NOTHING };
    /// Clients, pause, configuration, secrets.
    pub const STATUS: Self = Self { status: true, ..Self::NOTHING };
    /// Today's money.
    pub const SPEND: Self = Self { spend: true, ..Self::NOTHING };
    /// Everything.
    pub const ALL: Self = Self { waiting: true, status: true, spend: true };
}

impl BitOr for Stale {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self {
            waiting: self.waiting || other.waiting,
            status: self.status || other.status,
            spend: self.spend || other.spend,
        }
    }
}

/// What was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Readings {
    /// The questions, if they were asked for.
    pub approvals: Option<ApprovalList>,
    /// The host's state, if it was asked for.
    pub status: Option<HostStatus>,
    /// The sums, if they were asked for.
    pub telemetry: Option<Telemetry>,
}

impl Readings {
    /// Reads the stale parts.
    ///
    /// # Errors
    /// The host failed, is gone, or did not answer in time.
    pub async fn take(connection: &Connection, stale: Stale) -> Result<Self, Failure> {
        let (approvals, status, telemetry) = tokio::join!(
            read::<ApprovalGetList>(
                connection,
                stale.waiting,
                ApprovalListParams { with_answered: false, limit: None }
            ),
            read::<HostGetStatus>(connection, stale.status, Nothing {}),
            read::<LedgerTelemetry>(connection, stale.spend, TelemetryParams::default()),
        );
        Ok(Self { approvals: approvals?, status: status?, telemetry: telemetry? })
    }

    /// Puts what was read into the snapshot.
    pub fn merge_into(self, snapshot: &mut Snapshot, zone: &TimeZone) {
        if let Some(list) = self.approvals {
            snapshot.waiting = list.approvals.iter().filter(|item| item.outcome.is_none()).map(Waiting::from).collect();
        }
        if let Some(status) = self.status {
            snapshot.trouble = trouble_of(&status);
            snapshot.pause = status.paused_until.as_deref().map(|until| Pause::from_wire(until, zone));
            let sidecars = status.connections.into_iter().filter(|connection| connection.role == Role::Sidecar);
            snapshot.clients = sidecars.map(|connection| connection.client).collect();
        }
        if let Some(telemetry) = self.telemetry {
            let today = &telemetry.today;
            snapshot.spend_today = Some(Spend {
                known: today.cost_pico_usd,
                calls_without_cost: today.calls.saturating_sub(today.cost_known),
            });
        }
    }
}

/// Calls a method within [`READING_LIMIT`].
///
/// # Errors
/// The host failed, is gone, or did not answer in time.
pub async fn call<M: Method>(connection: &Connection, params: M::Params) -> Result<M::Response, Failure> {
    let Ok(answer) = timeout(READING_LIMIT, connection.call::<M>(params)).await else {
        let seconds = READING_LIMIT.as_secs();
        let what = format!("the host did not answer `{}` within {seconds} s", M::NAME);
        return Err(Failure::new(ErrorCode::HostUnreachable, what).hint("run `lwa stop`, then open the app again"));
    };
    answer.map_err(CallError::into_failure)
}

async fn read<M: Method>(
    connection: &Connection,
    is_stale: bool,
    params: M::Params,
) -> Result<Option<M::Response>, Failure> {
    if is_stale { call::<M>(connection, params).await.map(Some) } else { Ok(None) }
}

fn trouble_of(status: &HostStatus) -> Option<Trouble> {
    if !status.config.is_in_force {
        let reason = status.config.error.clone().unwrap_or_else(|| "it cannot be read".to_owned());
        return Some(Trouble {
            what: format!("the configuration is not in force: {reason}"),
            fix: Some("edit the file, or run `lwa config check`".to_owned()),
        });
    }
    (status.secrets.state == "unavailable")
        .then(|| Trouble { what: "keys cannot be read".to_owned(), fix: status.secrets.detail.clone() })
}
