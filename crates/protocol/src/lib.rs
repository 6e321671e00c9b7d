//! The one typed protocol between the host and its faces, and the client half of it.
//!
//! What it is for: every door (sidecar, app, command line, HTTP) calls the same methods with the
//! same types, so consent, caps and audit are enforced once, in the host.
//! What it must never do: decide anything, touch the database, know MCP or Tauri.
//! Trust boundary: the socket. A frame is bounded, a reply that does not parse is an error, and the
//! host trusts nothing that a peer says about itself (see [`host::Role`]).
//! Start reading at [`method`], then [`frame`], then [`client`].
//!
//! Fields are in `snake_case`, because the same structures are the JSON of the command line and the
//! structured content of the MCP tools (decision 0002). Money travels as a decimal string of
//! pico-dollars; times are RFC 3339 in UTC.

pub mod approval;
pub mod audit;
pub mod client;
pub mod configuration;
pub mod doctor;
pub mod error;
pub mod event;
pub mod frame;
pub mod host;
pub mod ledger;
pub mod library;
pub mod method;
pub mod money_json;
pub mod plan;
pub mod provider;
pub mod router;
pub mod start;
pub mod worker;

pub use client::{CallError, Connection};
pub use error::Failure;
pub use event::Event;
pub use host::{Hello, Role, Welcome};
pub use method::Method;

/// The protocol's number. A peer is served when its number is this or the one before.
pub const PROTOCOL: u32 = 1;
