//! Who is calling: the granted role, the client, the session, and the process behind it.

use lwa_domain::SessionId;
use lwa_protocol::Role;
use lwa_protocol::host::ClientInfo;

use crate::peer::Process;

/// The caller of a method, as the host knows it.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Number of the connection, unique in this host's life.
    pub connection: u64,
    /// The role the host granted.
    pub role: Role,
    /// Who the face speaks for, as it says.
    pub client: ClientInfo,
    /// The session.
    pub session: SessionId,
    /// The face's process, if the system names it.
    pub process: Option<Process>,
}

impl Caller {
    /// The client's own name.
    pub fn client_name(&self) -> &str {
        self.client.name.as_str()
    }

    /// The actor to write into the audit log.
    pub fn actor(&self) -> &str {
        match self.role {
            Role::Sidecar => self.client_name(),
            Role::App | Role::Cli => "user",
        }
    }
}
