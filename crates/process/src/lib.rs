//! Running a program, and everything that it starts, as one thing with an end.
//!
//! What it is for: the scripts of the tool library, and the commands that the worker runs for
//! agents. A run has a cleaned environment, closed or given input, capped output and a deadline; at
//! its end nothing that it started is left.
//! What it must never do: pass on a variable that looks like a secret or that changes what a program
//! loads, block a program because its output is not wanted, claim a sandbox that is not in force.
//! Trust boundary: the program is not trusted. Without a sandbox it can do what the user can do, and
//! a program that clears its environment, leaves its session and loses its parent within a
//! millisecond may escape the sweep; the sandbox is what holds then.
//! Start reading at [`Program`] and [`Running`].

mod capture;
mod environment;
mod error;
mod feed;
mod outcome;
mod program;
mod running;
mod sandbox;
mod tree;

pub use capture::{Captured, Whole, WholeFile};
pub use environment::{Environment, clean_search_path, is_dangerous_name, is_secret_like_name, is_secret_like_value};
pub use error::ProcessError;
pub use feed::{Feed, FeedEnd};
pub use outcome::{End, Outcome};
pub use program::{Input, Limits, Program, Streams};
pub use running::{Running, Watch};
pub use sandbox::{Held, Need, Network, Sandbox, SandboxReport};
pub use tree::{end_left_behind, mark_runs_of};
