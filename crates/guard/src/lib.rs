//! The publication gate: what must not leave in a commit, a message, an identity or a tag.
//!
//! What it is for: a [`Scanner`] finds addresses of machines, home folders, mails, names of private networks, secrets and
//! the human's own words in a text; [`check`] hands it what git is about to publish; [`hooks`] makes git ask first.
//! What it must never do: change the repository (hooks apart), run anything that the repository configures, or show a
//! value where nobody asked for it: a [`Finding`] shows its value only through [`Finding::value`].
//! Trust boundary: the repository is hostile. Names of files, messages and contents are data; what is read is what git
//! has stored, never the file in the work tree, and git is started without a shell.
//! A hook can be passed over with `--no-verify`: the gate keeps a mistake from leaving, and not an intention.
//! Start reading at [`Scanner::scan`] and [`check::staged`].

pub mod allow;
pub mod check;
mod denylist;
mod error;
mod finding;
mod git;
pub mod hooks;
mod scan;

pub use allow::Allowed;
pub use denylist::Denylist;
pub use error::GuardError;
pub use finding::{Finding, Place, PlaceKind, Rule};
pub use git::Repository;
pub use scan::Scanner;
