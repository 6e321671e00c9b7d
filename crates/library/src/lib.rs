//! The tool library: work that repeats, written down so that it can be used again.
//!
//! What it is for: recipes and reviewed scripts on disk, their versions and their catalogue, and the
//! pure functions that recognise repeated work.
//! What it must never do: store a word of a prompt, run a script whose content nobody approved,
//! overwrite a registry that it cannot read, know the database or MCP.
//! Trust boundary: the folder belongs to the user, and other programs of the user can write to it.
//! So an approval is sealed with the installation's key and bound to a script's content, and an edited
//! file is noticed, never believed.
//! Start reading at [`Library`] and [`patterns`]. Everything here blocks but running a script:
//! asynchronous callers go through `spawn_blocking`.

mod confidence;
mod content;
mod error;
mod files;
mod key;
mod key_shape;
mod library;
mod lock;
mod manifest;
mod pages;
pub mod patterns;
mod registry;
mod runner;
mod script;
mod search;
mod slug;
mod template;
mod versions;
mod words;

pub use confidence::Confidence;
pub use content::ContentId;
pub use error::LibraryError;
pub use key::InstallationKey;
pub use library::{
    Activation, Author, Clock, Evidence, Finding, Library, NewRecipe, NewScript, Notice, RecipeChange, ToolView,
};
pub use manifest::{Manifest, SealedApproval, SearchText, ToolKind, ToolStatus, search_text};
pub use script::{ReadyScript, ScriptOutcome, ScriptStatus, ScriptSurroundings};
pub use search::{Query, Relevance, ToolWords, WordIndex, relevance};
pub use slug::Slug;
pub use template::Template;
pub use versions::Version;
