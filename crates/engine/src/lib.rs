//! The host's engine: every use case, the approval broker, events and the socket server.
//!
//! What it is for: this is the only place that wires catalogue, routing, store, providers, secrets
//! and the protocol together, so that consent, caps and audit are enforced once.
//! What it must never do: know MCP or Tauri, print, or answer an approval itself.
//! Trust boundary: the socket ([`server`]): the peer's user is checked, its role is derived from its
//! executable, never from what it says.
//! Start reading at [`engine`] for construction, [`dispatch`] for the calls, [`broker`] for consent.

pub mod approve;
pub mod broker;
pub mod caller;
pub mod catalogue;
pub mod configuration;
mod consensus;
pub mod dispatch;
pub mod doctor;
mod egress;
pub mod engine;
pub mod export;
pub mod failure;
pub mod guidance;
pub mod key_pool;
pub mod keys;
pub mod known_keys;
pub mod ledger_views;
mod library;
pub mod maintenance;
pub mod measure;
pub mod peer;
pub mod pipelines;
pub mod plan_views;
pub mod prepare;
pub mod provider_views;
pub mod quotas;
pub mod run;
pub mod server;
pub mod status;
pub mod surfaces;
pub mod tiers;
pub mod tokens;
mod worker;

pub use catalogue::shipped as shipped_catalogue;
pub use engine::{Engine, EngineOptions};
pub use server::{ServeOptions, serve};
pub use worker::NameReader;
