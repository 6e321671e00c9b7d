//! Scripts: registering them, approving one content, and judging what lies there against it.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use lwa_domain::TaskKind;
use serde_json::{Map, json};

use super::recipe::{check_texts, refuse_keys};
use super::{Library, unknown};
use crate::confidence::Confidence;
use crate::content::{ContentId, hex};
use crate::error::LibraryError;
use crate::files::{self, Mode};
use crate::manifest::{Manifest, SealedApproval, ToolKind, ToolStatus, first_version, next_version, tidy};
use crate::script::ReadyScript;
use crate::slug::Slug;
use crate::template::Template;
use crate::versions::Versions;

/// The longest source, in bytes.
const LONGEST_SOURCE: usize = 250_000;

/// A script to register.
#[derive(Debug, Clone)]
pub struct NewScript {
    /// Its name for people.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The task that it belongs to.
    pub task: TaskKind,
    /// The program's text, in UTF-8.
    pub source: Vec<u8>,
    /// A plain file name that ends in `.py`; `tool.py` when nobody cares.
    pub file_name: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// When to use it.
    pub triggers: Vec<String>,
}

impl Library {
    /// Puts a script into the library as a draft. It runs only after [`Library::approve_script`].
    ///
    /// # Errors
    /// A field breaks a rule, or the folder cannot be used.
    pub fn register_script(&self, script: &NewScript) -> Result<Manifest, LibraryError> {
        check_file_name(&script.file_name)?;
        check_source(&script.source)?;
        check_texts(&script.name, &script.description, &script.tags, &script.triggers)?;
        let now = self.now();
        self.change(|registry| {
            let slug = self.free_slug(registry, &script.name);
            let mut metadata = Map::new();
            metadata.insert("review_required".to_owned(), json!(true));
            let manifest = Manifest {
                slug,
                name: script.name.trim().to_owned(),
                description: script.description.trim().to_owned(),
                version: first_version(),
                kind: ToolKind::Script,
                status: ToolStatus::Draft,
                task: script.task,
                prompt_template: Template::default(),
                entrypoint: script.file_name.clone(),
                tags: tidy(&script.tags),
                triggers: tidy(&script.triggers),
                origin: "operator".to_owned(),
                review_state: "draft".to_owned(),
                safety_state: "review_required".to_owned(),
                created_by: "operator".to_owned(),
                pattern_signature: None,
                evidence_count: 0,
                confidence: Confidence::NONE,
                approved: false,
                created_at: now,
                updated_at: now,
                metadata,
                content_id: None,
                approval: None,
                unknown: Map::new(),
            };
            self.store_new(registry, manifest, |folder, manifest| accept_source(folder, manifest, &script.source, now))
        })
    }

    /// Gives a script another content. It is a draft again until that content is approved.
    ///
    /// # Errors
    /// There is none of this name, it is a recipe, the source breaks a rule, or the folder cannot be used.
    pub fn change_script(&self, slug: &Slug, source: &[u8]) -> Result<Manifest, LibraryError> {
        check_source(source)?;
        let now = self.now();
        self.edit(slug, |manifest| {
            require_script(manifest)?;
            manifest.version = next_version(&manifest.version);
            withdraw(manifest);
            accept_source(&self.folder_of(slug), manifest, source, now)
        })
    }

    /// Approves exactly the content `approved`, on behalf of the person `by`.
    ///
    /// The caller has asked a human, and shown this content; nothing here can tell.
    ///
    /// # Errors
    /// There is none of this name, it is a recipe, its file has another content, or the folder cannot be
    /// used.
    pub fn approve_script(&self, slug: &Slug, approved: &ContentId, by: &str) -> Result<Manifest, LibraryError> {
        let now = self.now();
        self.edit(slug, |manifest| {
            require_script(manifest)?;
            let source = self.content_of(manifest)?;
            check_source(&source)?;
            if ContentId::of(&source) != *approved {
                return Err(LibraryError::OtherContent { slug: slug.clone(), approved: approved.clone() });
            }
            if manifest.content_id.as_ref() != Some(approved) {
                // The file was edited by hand, and this edit is what was approved.
                manifest.version = next_version(&manifest.version);
                accept_source(&self.folder_of(slug), manifest, &source, now)?;
            }
            let mut approval =
                SealedApproval { content_id: approved.clone(), by: by.to_owned(), at: now, seal: String::new() };
            approval.seal = self.seal(slug, &approval);
            manifest.approval = Some(approval);
            manifest.approved = true;
            manifest.status = ToolStatus::Active;
            "approved".clone_into(&mut manifest.review_state);
            "safe".clone_into(&mut manifest.safety_state);
            manifest.metadata.insert("review_required".to_owned(), json!(false));
            Ok(())
        })
    }

    /// Reads a script that may run now: active, approved, and unchanged since.
    ///
    /// # Errors
    /// It may not run, or its files cannot be read.
    pub fn ready_script(&self, slug: &Slug) -> Result<ReadyScript, LibraryError> {
        let registry = self.registry()?;
        let stored = registry.get(slug).ok_or_else(|| unknown(&registry, slug.as_str()))?;
        require_script(stored)?;
        if matches!(stored.status, ToolStatus::Disabled | ToolStatus::Archived) {
            return Err(LibraryError::NotActive { slug: slug.clone(), status: stored.status.as_str() });
        }
        let Some(approval) = stored.approval.as_ref().filter(|approval| self.is_genuine(slug, approval)) else {
            return Err(LibraryError::ReviewRequired(slug.clone()));
        };
        let source = self.content_of(stored)?;
        if ContentId::of(&source) != approval.content_id {
            return Err(LibraryError::ChangedSinceApproval { slug: slug.clone() });
        }
        if stored.status != ToolStatus::Active {
            return Err(LibraryError::ReviewRequired(slug.clone()));
        }
        Ok(ReadyScript::new(slug.clone(), stored.entrypoint.clone(), source))
    }

    /// The manifest as the caller may believe it: what a file says about a script's approval counts only
    /// under a genuine seal, and only for the content that lies there.
    pub(crate) fn judged(&self, stored: &Manifest) -> Manifest {
        let mut manifest = stored.clone();
        if manifest.kind == ToolKind::Script && !self.is_approved_now(stored) {
            withdraw(&mut manifest);
        }
        manifest
    }

    fn is_approved_now(&self, stored: &Manifest) -> bool {
        stored.approval.as_ref().is_some_and(|approval| {
            self.is_genuine(&stored.slug, approval)
                && self.content_of(stored).is_ok_and(|source| ContentId::of(&source) == approval.content_id)
        })
    }

    fn is_genuine(&self, slug: &Slug, approval: &SealedApproval) -> bool {
        // A guess at the seal is made through a file, one at a time, so the time of comparing tells nothing.
        self.seal(slug, approval) == approval.seal
    }

    fn seal(&self, slug: &Slug, approval: &SealedApproval) -> String {
        let at = approval.at.to_string();
        let parts = [slug.as_str(), approval.content_id.as_str(), &approval.by, &at].map(str::as_bytes);
        hex(&self.key().digest("script approval", &parts))
    }

    /// Where a script lies: directly in its folder, whatever its description says.
    pub(crate) fn script_path(&self, manifest: &Manifest) -> Result<PathBuf, LibraryError> {
        check_file_name(&manifest.entrypoint)?;
        let folder = self.folder_of(&manifest.slug);
        let path = folder.join(&manifest.entrypoint);
        let is_plain = |path: &PathBuf, is_right: fn(&std::fs::Metadata) -> bool| {
            std::fs::symlink_metadata(path).is_ok_and(|metadata| is_right(&metadata))
        };
        if is_plain(&folder, std::fs::Metadata::is_dir) && is_plain(&path, std::fs::Metadata::is_file) {
            return Ok(path);
        }
        Err(LibraryError::File { action: "read", path, source: std::io::ErrorKind::NotFound.into() })
    }
}

fn accept_source(folder: &Path, manifest: &mut Manifest, source: &[u8], now: Timestamp) -> Result<(), LibraryError> {
    let id = Versions::of(folder).accept(source, &manifest.version, now)?;
    files::replace_if_other(&folder.join(&manifest.entrypoint), source, Mode::Program)?;
    manifest.content_id = Some(id);
    Ok(())
}

/// Takes the approval away, and what it allowed.
pub(super) fn withdraw(manifest: &mut Manifest) {
    manifest.approved = false;
    manifest.approval = None;
    if manifest.status == ToolStatus::Active {
        manifest.status = ToolStatus::Draft;
    }
    "draft".clone_into(&mut manifest.review_state);
    "review_required".clone_into(&mut manifest.safety_state);
    manifest.metadata.insert("review_required".to_owned(), json!(true));
}

fn require_script(manifest: &Manifest) -> Result<(), LibraryError> {
    match manifest.kind {
        ToolKind::Script => Ok(()),
        ToolKind::PromptRecipe => {
            Err(LibraryError::WrongKind { slug: manifest.slug.clone(), kind: manifest.kind.as_str() })
        }
    }
}

pub(super) fn check_file_name(name: &str) -> Result<(), LibraryError> {
    let stem = name.strip_suffix(".py").unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if !stem.is_empty() && !stem.starts_with(['.', '-']) && stem.len() <= 100 && stem.chars().all(is_plain) {
        Ok(())
    } else {
        Err(LibraryError::ScriptName(name.chars().take(100).collect::<String>().escape_default().to_string()))
    }
}

fn check_source(source: &[u8]) -> Result<(), LibraryError> {
    if source.len() > LONGEST_SOURCE {
        return Err(LibraryError::TooLong { field: "script", limit: LONGEST_SOURCE });
    }
    let text = std::str::from_utf8(source).map_err(|_| LibraryError::ScriptText)?;
    if text.trim().is_empty() {
        return Err(LibraryError::Empty("script"));
    }
    refuse_keys("script", text)
}
