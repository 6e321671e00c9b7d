//! The tool library's use cases: finding, reading and running tools, and making them of work that repeats.
//!
//! The files are the library crate's, which blocks; the index and the patterns are the database's. What goes wrong
//! here never costs anybody an answer: a preparation goes without suggestions, a run gets a warning.

mod approve;
mod find;
mod observe;
mod run;
mod tools;
mod views;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, RwLock};

use lwa_domain::ErrorCode;
use lwa_library::{Finding, InstallationKey, Library, LibraryError, Manifest, Notice};
use lwa_protocol::Failure;
use lwa_store::NewAudit;
use serde_json::Value;

use crate::caller::Caller;
use crate::engine::{Engine, locked};
use crate::failure;
use crate::tokens;

/// The setting that holds the installation's key: in the database and not in the library's folder, which is made
/// to be read, copied and shared.
const KEY: &str = "library.key";
/// How many notices are kept for people.
const NOTICES: usize = 20;

/// The library as the engine holds it.
#[derive(Default)]
pub(crate) struct Shelf {
    /// Opened at the first need, and again after its folder could not be used.
    opened: tokio::sync::Mutex<Option<Library>>,
    key: tokio::sync::OnceCell<InstallationKey>,
    /// One change at a time, with what follows from it.
    turn: tokio::sync::Mutex<()>,
    /// The tools that may be suggested, as the index has them.
    active: RwLock<Arc<find::Active>>,
    notices: Mutex<VecDeque<String>>,
    scripts: Mutex<HashMap<run::RunKey, run::Started>>,
}

impl Engine {
    /// Brings the index up to date with the files, which may have changed while no host ran.
    ///
    /// # Errors
    /// The database failed.
    pub(crate) async fn restore_library(&self) -> Result<(), Failure> {
        let has_active = self.load_active().await?;
        // A library that nobody has used yet is not made by looking at it.
        if self.home.library_dir().is_dir() || has_active {
            let engine = self.clone();
            self.tasks.spawn(async move {
                if let Err(failure) = engine.sync_library().await {
                    tracing::warn!(%failure, "the tool library could not be read");
                }
            });
        }
        Ok(())
    }

    /// Thirty-two random bytes of this installation, made once.
    async fn installation_key(&self) -> Result<&InstallationKey, Failure> {
        let made = self.library.key.get_or_try_init(|| async {
            if let Some(kept) = self.db.setting(KEY).await.map_err(failure::store)? {
                return key_of(&kept);
            }
            let mut bytes = [0; 32];
            getrandom::fill(&mut bytes).map_err(|error| {
                Failure::new(ErrorCode::Internal, format!("the system gives no random numbers: {error}"))
            })?;
            let text = tokens::hex(&bytes);
            self.db.set_setting(KEY, Some(&text), self.now()).await.map_err(failure::store)?;
            Ok(InstallationKey::from_bytes(bytes))
        });
        made.await
    }

    async fn library(&self) -> Result<Library, Failure> {
        let mut opened = self.library.opened.lock().await;
        if let Some(library) = opened.as_ref() {
            return Ok(library.clone());
        }
        let key = self.installation_key().await?.clone();
        let (root, clock) = (self.home.library_dir(), self.clock.clone());
        let library = blocking("open", move || Library::open(&root, key, clock)).await?;
        self.hear(&library);
        *opened = Some(library.clone());
        Ok(library)
    }

    /// Does blocking work with the library. `name` says in the log what failed.
    async fn shelf<T: Send + 'static>(
        &self,
        name: &'static str,
        work: impl FnOnce(&Library) -> Result<T, LibraryError> + Send + 'static,
    ) -> Result<T, Failure> {
        let library = self.library().await?;
        let used = library.clone();
        let done = blocking(name, move || work(&used)).await;
        self.hear(&library);
        if done.as_ref().is_err_and(|failure| failure.code == ErrorCode::Internal) {
            // The folder may be another one by the next time.
            *self.library.opened.lock().await = None;
        }
        done
    }

    /// Keeps what the library has to tell people.
    fn hear(&self, library: &Library) {
        for notice in library.take_notices() {
            let words = in_words(&notice);
            tracing::warn!(notice = %words, "the tool library repaired itself");
            let mut notices = locked(&self.library.notices);
            notices.push_back(format!("{}: {words}", crate::engine::rfc3339(self.now())));
            if notices.len() > NOTICES {
                notices.pop_front();
            }
        }
    }

    /// Notes in the audit log what happened to a tool. No content is in it.
    async fn note_tool(
        &self,
        caller: Option<&Caller>,
        action: &str,
        slug: &str,
        decision: Option<&str>,
        detail: Value,
    ) -> Result<(), Failure> {
        let audit = NewAudit {
            at: self.now(),
            actor: caller.map_or("host", Caller::actor),
            session: caller.map(|caller| caller.session.as_str()),
            action,
            object: Some(slug),
            decision,
            detail,
        };
        self.db.append_audit(&audit).await.map_err(failure::store)
    }
}

fn key_of(kept: &str) -> Result<InstallationKey, Failure> {
    let unusable = || {
        Failure::new(ErrorCode::Internal, "the installation's key for the tool library cannot be read")
            .hint("run `lwa doctor`; the database may be damaged")
    };
    let digits = kept.as_bytes();
    if digits.len() != 64 {
        return Err(unusable());
    }
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let pair = std::str::from_utf8(pair).map_err(|_| unusable())?;
        *byte = u8::from_str_radix(pair, 16).map_err(|_| unusable())?;
    }
    Ok(InstallationKey::from_bytes(bytes))
}

async fn blocking<T: Send + 'static>(
    name: &'static str,
    work: impl FnOnce() -> Result<T, LibraryError> + Send + 'static,
) -> Result<T, Failure> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done.map_err(|error| failure_of(&error)),
        Err(error) => {
            tracing::error!(%error, work = name, "some work in the tool library failed unexpectedly");
            Err(failure::unexpected())
        }
    }
}

/// The library refused, or its folder cannot be used.
fn failure_of(error: &LibraryError) -> Failure {
    let mut message = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(source) = cause {
        message = format!("{message}: {source}");
        cause = source.source();
    }
    let (code, hint) = match error {
        LibraryError::UnknownTool { .. } => (ErrorCode::NotFound, "`lwa library list` shows the tools there are"),
        LibraryError::UnknownVersion { .. } => (ErrorCode::NotFound, "`lwa library history SLUG` shows its versions"),
        LibraryError::NotActive { .. }
        | LibraryError::ReviewRequired(_)
        | LibraryError::ChangedSinceApproval { .. }
        | LibraryError::OtherContent { .. } => {
            (ErrorCode::Forbidden, "a human puts a tool into use: `lwa library approve SLUG`")
        }
        LibraryError::InvalidSlug(_)
        | LibraryError::NoContentId
        | LibraryError::WrongKind { .. }
        | LibraryError::Template(_)
        | LibraryError::Empty(_)
        | LibraryError::TooLong { .. }
        | LibraryError::ScriptName(_)
        | LibraryError::ScriptText => (ErrorCode::InvalidInput, "correct it and repeat the call"),
        LibraryError::HoldsKey(_) => {
            (ErrorCode::InvalidInput, "take the key out; a tool gets what it needs as its input")
        }
        LibraryError::Busy => (ErrorCode::Internal, "repeat the call in a moment"),
        LibraryError::ReadOnly { .. }
        | LibraryError::File { .. }
        | LibraryError::Description { .. }
        | LibraryError::Unwritable(_) => {
            (ErrorCode::Internal, "make the folder of the tool library readable and writable, or move it away")
        }
        LibraryError::Start { .. } => (ErrorCode::Internal, "scripts need Python 3 in a folder of the system"),
    };
    Failure::new(code, message).hint(hint)
}

fn in_words(notice: &Notice) -> String {
    match notice {
        Notice::RegistryRebuilt { set_aside, tools, unreadable } => {
            let kept = set_aside
                .as_ref()
                .map(|path| format!("; the unreadable file is kept as `{}`", path.display()))
                .unwrap_or_default();
            let left = match unreadable.len() {
                0 => String::new(),
                left => format!("; {left} folders could not be read and were left as they are"),
            };
            format!("registry.json was built anew from the folders of {tools} tools{kept}{left}")
        }
        Notice::Repaired(finding) => of_finding(finding),
    }
}

/// What was out of step, in words.
fn of_finding(finding: &Finding) -> String {
    match finding {
        Finding::RegistryUnreadable => "registry.json cannot be read".to_owned(),
        Finding::ForeignEntries(count) => format!("{count} entries of registry.json are not understood and are kept"),
        Finding::UnknownFolder(slug) => format!("the folder of `{slug}` was not in registry.json and was taken in"),
        Finding::UnreadableFolder(path) => format!("`{}` has no description that can be read", path.display()),
        Finding::MissingFolder(slug) => format!("the folder of `{slug}` was gone and was made again"),
        Finding::MissingScript(slug) => format!("the script of `{slug}` was gone; the tool is disabled"),
        Finding::ChangedScript(slug) => format!("the script of `{slug}` was changed and waits for approval"),
        Finding::DifferentDescription(slug) => {
            format!("the tool.yaml of `{slug}` was edited by hand; it was set aside and written again")
        }
        Finding::MissingVersion(slug) => format!("the content of `{slug}` was not in its history and was put there"),
        Finding::Unfinished(path) => format!("`{}` was left behind half done and was removed", path.display()),
    }
}

/// The tools of one status.
fn count_of(tools: &[Manifest], status: lwa_library::ToolStatus) -> u32 {
    u32::try_from(tools.iter().filter(|tool| tool.status == status).count()).unwrap_or(u32::MAX)
}
