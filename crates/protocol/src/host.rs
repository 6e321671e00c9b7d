//! Greeting, roles and the state of the host.

use lwa_domain::{ClientName, SessionId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What kind of face is speaking.
///
/// A face states its role; the host grants `app` and `cli` only to a process whose executable lies
/// in the host's own folder, and treats every other peer as a sidecar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Speaks for an agent. May never decide an approval, touch keys or the configuration.
    Sidecar,
    /// The desktop app.
    App,
    /// The command line.
    Cli,
}

/// The first message of a connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Hello {
    /// The protocol number the face speaks.
    pub protocol: u32,
    /// The face's product version; a difference is shown, not refused.
    pub product: String,
    /// The role it asks for.
    pub role: Role,
    /// Who it speaks for.
    pub client: ClientInfo,
}

/// Who a sidecar speaks for, as the client names itself. Unverified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ClientInfo {
    /// The client's own name, or `lwa` for our faces.
    pub name: ClientName,
    /// The client's version, if it said one.
    pub version: Option<String>,
    /// The folder it works in, if known.
    pub cwd: Option<String>,
}

/// The host's answer to a greeting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Welcome {
    /// The protocol number the host speaks.
    pub protocol: u32,
    /// The host's product version.
    pub product: String,
    /// The host's process id.
    pub pid: u32,
    /// The role that was granted.
    pub role: Role,
}

/// Parameters of `host/identify`: a client said who it is after the connection was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct IdentifyParams {
    /// Who the sidecar speaks for.
    pub client: ClientInfo,
}

/// An empty set of parameters, or an empty answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Nothing {}

/// Answer to `host/status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct HostStatus {
    /// Process id of the host.
    pub pid: u32,
    /// Product version.
    pub product: String,
    /// Protocol number.
    pub protocol: u32,
    /// When the host started.
    pub started_at: String,
    /// The socket's path.
    pub socket: String,
    /// The database's path.
    pub database: String,
    /// The log file's path.
    pub log: String,
    /// Until when work is paused: a time, or `resumed` for "until resumed"; null when it is not.
    pub paused_until: Option<String>,
    /// Who is connected.
    pub connections: Vec<ConnectionView>,
    /// Approvals that wait for a human.
    pub waiting: u32,
    /// The state of the configuration.
    pub config: ConfigState,
    /// Where keys are kept.
    pub secrets: SecretsState,
    /// Names (not values) of the older products' variables that are set but have no effect.
    pub ignored_variables: Vec<String>,
}

/// One connected face.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ConnectionView {
    /// The granted role.
    pub role: Role,
    /// The client's own name.
    pub client: ClientName,
    /// The client's version.
    pub client_version: Option<String>,
    /// The session this connection belongs to.
    pub session: SessionId,
    /// The face's process id.
    pub pid: Option<u32>,
    /// The face's product version.
    pub product: String,
    /// When it connected.
    pub since: String,
}

/// Whether the configuration is in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ConfigState {
    /// The file's path.
    pub path: String,
    /// Whether the file as it stands is in force.
    pub is_in_force: bool,
    /// Why it is not: file, line, reason and the nearest valid name.
    pub error: Option<String>,
    /// Whether a loosening edit waits for the human.
    pub has_pending_change: bool,
}

/// Where keys are kept and whether that works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SecretsState {
    /// `keychain` or `file`.
    pub backend: String,
    /// `unknown` before the first use, then `ready` or `unavailable`.
    pub state: String,
    /// Why it is unavailable and the way out.
    pub detail: Option<String>,
}

/// Parameters of `host/pause`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PauseParams {
    /// Minutes to pause for; null means until resumed; 0 resumes.
    pub minutes: Option<u32>,
}
