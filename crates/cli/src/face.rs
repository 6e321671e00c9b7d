//! The command line as a face of the host.

use lwa_config::Home;
use lwa_domain::{ClientName, ErrorCode};
use lwa_protocol::host::ClientInfo;
use lwa_protocol::{Connection, Failure, Hello, Method, PROTOCOL, Role, start};

/// How the command line greets the host.
pub fn hello() -> Hello {
    Hello {
        protocol: PROTOCOL,
        product: env!("CARGO_PKG_VERSION").to_owned(),
        role: Role::Cli,
        client: ClientInfo {
            name: ClientName::new("lwa"),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            cwd: std::env::current_dir().ok().map(|path| path.display().to_string()),
        },
    }
}

/// The folders of this process.
///
/// # Errors
/// No home folder, or an unusable `LWA_HOME`.
pub fn home() -> Result<Home, Failure> {
    Home::from_environment().map_err(|error| Failure::new(ErrorCode::InvalidInput, error.to_string()))
}

/// The host, started when none runs.
///
/// # Errors
/// It cannot be reached or started.
pub async fn host() -> Result<Connection, Failure> {
    start::connect_or_start(&home()?, hello()).await
}

/// The running host, or none.
///
/// # Errors
/// A host runs and refuses us.
pub async fn running_host() -> Result<Option<Connection>, Failure> {
    match start::connect(&home()?, hello()).await {
        Ok(connection) => Ok(Some(connection)),
        Err(failure) if failure.code == ErrorCode::HostUnreachable => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// Calls the host, which is started when none runs.
///
/// # Errors
/// The host's failure.
pub async fn call<M: Method>(params: M::Params) -> Result<M::Response, Failure> {
    call_on::<M>(&host().await?, params).await
}

/// Calls over an open connection.
///
/// # Errors
/// The host's failure.
pub async fn call_on<M: Method>(host: &Connection, params: M::Params) -> Result<M::Response, Failure> {
    host.call::<M>(params).await.map_err(lwa_protocol::CallError::into_failure)
}

/// A fault of ours or of the system.
pub fn internal(error: &dyn std::fmt::Display) -> Failure {
    Failure::new(ErrorCode::Internal, error.to_string())
}
