//! Decides whether a shell command may run: deny, allow or ask.
//!
//! ```
//! use lwa_policy::{AllowList, Context, Decision, decide};
//!
//! # fn main() -> Result<(), lwa_policy::AllowListError> {
//! let list = AllowList::parse("git log*\nhead*")?;
//! let context = Context::new("/home/me/project", "/home/me");
//! assert_eq!(decide("git log | head -3", &list, &context).decision, Decision::Allow);
//! assert_eq!(decide("git push", &list, &context).decision, Decision::Ask);
//! assert_eq!(decide("git log --grep=\"$(rm -rf ~)\"", &list, &context).decision, Decision::Deny);
//! # Ok(())
//! # }
//! ```
//!
//! The text is read with the grammar of bash; every simple command in every context is found, its words are expanded as far
//! as that can be done without running anything, wrappers are taken off, and code in words and inputs is read again. Then:
//!
//! 1. **deny** when a command or an effect has a deny shape; nothing exempts it;
//! 2. **allow** when every command and every write is on the [`AllowList`] and nothing widens what it does;
//! 3. **ask** otherwise, and whenever the text cannot be read.
//!
//! * [`decide`] is the decision; [`decide_expanded`] repeats it when private values have been put in with [`expand`].
//! * [`Context`] says where the command would run; [`SystemFiles`] lets it follow links and find programs.
//! * [`Verdict`] has the reason, each command with its effects, and the shapes that "always" would store
//!   ([`AllowList::add`]); [`Verdict::explain`] is its text for a dialog.
//!
//! The crate does nothing itself: it is synchronous, and only a given [`Files`] looks at the disk. The modes of the run
//! policy (ask, allow, off) belong to the caller.

#![allow(
    clippy::too_many_lines,
    clippy::match_same_arms,
    clippy::single_match_else,
    clippy::case_sensitive_file_extension_comparisons,
    reason = "a family of programs is one table or one match, its arms stand in the order of meaning, and names are compared in lower case"
)]

mod allow_list;
mod arg;
mod client;
mod context;
mod decide;
mod expand;
mod explain;
mod files;
mod finding;
mod glob;
mod judge;
mod options;
mod path;
mod placed;
mod placeholder;
mod scan;
mod shape;
mod shell;
mod verdict;
mod walk;

pub use allow_list::{AllowList, AllowListError};
pub use client::{Deed, decide_for_client};
pub use context::{Context, Files, PlaceholderLookup, PlaceholderUse};
pub use decide::{UNLISTED, decide, decide_expanded};
pub use expand::{ExpandError, expand, quote};
pub use explain::escaped;
pub use files::SystemFiles;
pub use placed::placed;
pub use verdict::{Command, Decision, Effect, Verdict, Word};
