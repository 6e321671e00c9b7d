//! The desktop app: tray, windows and notifications over the host's protocol.
//!
//! What it is for: a person sees what waits, answers, pauses and looks around.
//! What it must never do: decide anything, keep state that the host owns, talk to a provider, an
//! upstream or the database. It may fall over at any moment and nothing is lost.
//! Trust boundary: the web views. A page may call the methods that its window is given in
//! [`access`] and the commands that its capability names; a yes comes from the approval window
//! alone. The host judges every call again.
//! Start reading at [`app`], then [`bridge`] for the connection and [`snapshot`] for what is shown.

mod access;
mod app;
mod bridge;
mod commands;
mod feed;
mod first_start;
mod leftovers;
mod lifecycle;
mod notify;
mod options;
mod rendering;
mod self_test;
mod session_env;
mod shell;
mod snapshot;
mod tray;
mod windows;

pub use access::Access;
pub use app::run;
pub use bridge::Bridge;
pub use feed::Feed;
pub use options::Options;
pub use snapshot::{Link, Pause, Snapshot, Spend, Trouble, Waiting};
pub use tray::menu::{Action, Entry, menu_for};
