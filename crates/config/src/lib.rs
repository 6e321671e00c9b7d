//! Where things are, and what the human configured.
//!
//! What it is for: folders, the socket and the lock that every face resolves alike; the typed
//! configuration with lossless edits, and what in a change of it gives more than there was before.
//! What it must never do: talk to the host, log a value of the configuration, open a seed's files.
//! Trust boundary: the configuration file, which an agent with a shell can edit. A file that cannot
//! be used is refused whole, with file, line, reason and the nearest valid name; the caller keeps the
//! last good one. An edit that loosens is told apart by [`diff`], so that the caller can ask.
//! Start reading at [`home`] for folders, [`lock`] for how faces find the host, and [`Config`].

mod config;
pub mod credentials;
pub mod diff;
pub mod edit;
pub mod endpoint;
mod error;
mod fingerprint;
mod flatten;
pub mod home;
pub mod lock;
mod read;
mod render;
pub mod schema;
mod words;

pub use config::{
    AppConfig, BUILTIN_PROVIDER, ClientConfig, Config, LibraryConfig, ModelConfig, Observer, Origin, ProjectConfig,
    ProviderConfig, RouterConfig, SecretsConfig, Shipped, TelemetryConfig, WORKER_FALLBACK_KEY, WORKER_KEY,
    WorkerConfig, WorkerOverride,
};
pub use credentials::{SHIPPED_NAMES, credential_names};
pub use endpoint::is_loopback_url;
pub use error::{ConfigError, Place};
pub use fingerprint::Fingerprint;
pub use flatten::{FlatValue, flatten};
pub use home::{Home, HomeError};
pub use lock::{HostLock, LockContent, LockError};
pub use render::to_toml;
pub use schema::{KeyInfo, Kind};
pub use words::{
    Adapter, Arm, AssistNumbers, CommandSandbox, DecidePrefer, Escalation, GuidanceMode, RunPolicy, SecretsBackend,
    SubscriptionStatus, ToolSet, WorkerMode,
};
