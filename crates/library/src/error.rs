//! Why the library refused.

use std::io;
use std::path::PathBuf;

use lwa_process::ProcessError;
use thiserror::Error;

use crate::content::ContentId;
use crate::slug::Slug;

/// A request to the library failed.
#[derive(Debug, Error)]
pub enum LibraryError {
    /// No tool has this name.
    #[error("there is no tool `{slug}`{}", .nearest.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
    UnknownTool {
        /// What was asked for.
        slug: String,
        /// The name that is nearest to it.
        nearest: Option<String>,
    },
    /// The text is no name of a tool.
    #[error("`{0}` is no tool name: use letters a to z, digits and single hyphens, at most 64")]
    InvalidSlug(String),
    /// The text is no content address.
    #[error("a content id is 64 hexadecimal digits")]
    NoContentId,
    /// The version does not exist.
    #[error("the tool `{slug}` has no version `{id}`")]
    UnknownVersion {
        /// Which tool.
        slug: Slug,
        /// Which content.
        id: ContentId,
    },
    /// The tool is not active, so it is not run.
    #[error("the tool `{slug}` is {status}, and only an active tool runs")]
    NotActive {
        /// Which tool.
        slug: Slug,
        /// What it is instead.
        status: &'static str,
    },
    /// The operation is for the other kind of tool.
    #[error("the tool `{slug}` is a {kind}, and this is not possible with one")]
    WrongKind {
        /// Which tool.
        slug: Slug,
        /// What it is.
        kind: &'static str,
    },
    /// A template broke a rule.
    #[error("the template {0}")]
    Template(&'static str),
    /// A field is empty that must not be.
    #[error("the {0} is empty")]
    Empty(&'static str),
    /// A field is too long.
    #[error("the {field} is longer than {limit} bytes")]
    TooLong {
        /// Which field.
        field: &'static str,
        /// How long it may be.
        limit: usize,
    },
    /// A field holds something that looks like a key.
    #[error("the {0} holds what looks like a key, and the library keeps none")]
    HoldsKey(&'static str),
    /// A script's file name is not acceptable.
    #[error("`{0}` is no script name: use a plain file name that ends in `.py`")]
    ScriptName(String),
    /// A script is not UTF-8 text.
    #[error("the script is no UTF-8 text")]
    ScriptText,
    /// Nobody has approved this script.
    #[error("the script `{0}` waits for review")]
    ReviewRequired(Slug),
    /// The script is not what was approved.
    #[error("the script `{slug}` was changed after its approval and waits for a new one")]
    ChangedSinceApproval {
        /// Which tool.
        slug: Slug,
    },
    /// The approval names another content than the file has.
    #[error("the script `{slug}` is not the content `{approved}` that the approval names")]
    OtherContent {
        /// Which tool.
        slug: Slug,
        /// What the approval names.
        approved: ContentId,
    },
    /// Another process holds the library and does not let go.
    #[error("the library is in use by another process")]
    Busy,
    /// The library's folder cannot be written.
    #[error("the library folder `{path}` cannot be written")]
    ReadOnly {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file of the library cannot be used.
    #[error("cannot {action} `{path}`")]
    File {
        /// What was tried.
        action: &'static str,
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A description of a tool cannot be read.
    #[error("`{path}` is no tool description")]
    Description {
        /// Which file.
        path: PathBuf,
    },
    /// A description of a tool cannot be written as text.
    #[error("a tool description cannot be written")]
    Unwritable(#[source] serde_json::Error),
    /// A script was not started.
    #[error("the script `{slug}` was not started")]
    Start {
        /// Which tool.
        slug: Slug,
        /// Why.
        source: ProcessError,
    },
}

impl LibraryError {
    /// Whether the folder is to blame and not the request: a full disk, a read-only folder, a lock that
    /// is held. Work that succeeded otherwise turns this into a warning.
    pub const fn is_about_storage(&self) -> bool {
        matches!(self, Self::Busy | Self::ReadOnly { .. } | Self::File { .. } | Self::Description { .. })
    }

    /// Describes a failure of the file system.
    pub(crate) fn file(action: &'static str, path: impl Into<PathBuf>, source: io::Error) -> Self {
        let path = path.into();
        match source.kind() {
            io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied if action != "read" => {
                Self::ReadOnly { path, source }
            }
            _ => Self::File { action, path, source },
        }
    }
}
