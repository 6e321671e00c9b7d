//! The MCP face: what a client such as Codex or Claude Code sees of the product.
//!
//! What it is for: tool schemas, the handshake era and the stateless era of MCP side by side,
//! progress and cancellation, and the mapping of failures to what a model can act on. The sidecar
//! mounts it on stdio; the HTTP door mounts the same [`Face`].
//! What it must never do: reach the engine except through [`lwa_protocol`], decide an approval,
//! write to stdout anything but JSON-RPC, log an argument or a prompt.
//! Trust boundary: the client. Every line is bounded and checked before the SDK sees it, arguments
//! are checked against the same table that the schemas are built from, and what the client says of
//! itself is passed on as unverified.
//! Start reading at [`face`], then [`tool`] for the tools and [`wire`] for stdio.

mod arguments;
mod call;
pub mod face;
mod hold;
pub mod host_link;
pub mod origin;
mod prompt;
mod question;
mod reply;
mod resource;
pub mod session_hint;
mod text_budget;
mod tool;
pub mod toolset;
mod whole_result;
pub mod wire;

pub use face::{Face, FaceOptions};
pub use host_link::HostLink;
pub use origin::environment::ClientEnvironment;
pub use toolset::ToolSet;
pub use wire::{Wire, serve};
