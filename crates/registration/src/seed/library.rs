//! The older product's tool library: the same layout as ours, merged tool by tool.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use lwa_config::edit;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::SeedError;
use crate::file;

/// The list of all tools.
const REGISTRY: &str = "registry.json";
/// The folder with a folder for each tool.
const TOOLS: &str = "tools";
/// The largest file of a tool that is copied; scripts are smaller by their own rule.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// The longest name of a tool.
const MAX_SLUG: usize = 64;

/// What an import of a tool library would do.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LibraryPlan {
    /// Tool by tool, in the order of the older list.
    pub tools: Vec<CopyTool>,
    /// Whether anything of ours would change.
    pub has_changes: bool,
    /// Whether something of ours gives way, so that a backup is due.
    pub replaces: bool,
    registry: Vec<Value>,
}

/// What happens to one tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CopyTool {
    /// Its short name.
    pub slug: String,
    /// What happens to it.
    pub state: ToolState,
    /// What to know about it.
    pub note: Option<String>,
}

/// What happens to a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolState {
    /// It is new here.
    Copied,
    /// Ours is the same.
    Same,
    /// Ours differs and stays.
    Kept,
    /// Ours differs and gives way.
    Replaced,
    /// It cannot be taken over.
    Refused,
}

/// Compares two libraries; writes nothing.
///
/// A script has to be approved again: its approval there says nothing about what it would do here.
///
/// # Errors
/// One of the two lists cannot be read.
pub fn plan_library(theirs: &Path, ours: &Path, is_replaced: bool) -> Result<LibraryPlan, SeedError> {
    let mut registry = read_registry(&ours.join(REGISTRY))?;
    let places: BTreeMap<String, usize> =
        registry.iter().enumerate().filter_map(|(at, tool)| Some((slug_of(tool)?.to_owned(), at))).collect();
    let mut plan = LibraryPlan::default();
    let mut seen = Vec::new();
    for tool in read_registry(&theirs.join(REGISTRY))? {
        let Some(slug) = slug_of(&tool).map(str::to_owned) else {
            plan.note("(without a name)", ToolState::Refused, Some("its entry has no usable name"));
            continue;
        };
        if seen.contains(&slug) {
            plan.note(&slug, ToolState::Refused, Some("its name stands in the list twice"));
            continue;
        }
        seen.push(slug.clone());
        if !is_real_folder(&theirs.join(TOOLS).join(&slug)) {
            plan.note(&slug, ToolState::Refused, Some("its folder is missing"));
            continue;
        }
        let is_script = tool.get("kind").and_then(Value::as_str) == Some("script");
        let note = is_script.then_some("a script: it has to be approved again");
        let tool = if is_script { unapproved(tool) } else { tool };
        let Some(own) = places.get(&slug).and_then(|at| registry.get_mut(*at)) else {
            plan.note(&slug, ToolState::Copied, note);
            registry.push(tool);
            continue;
        };
        if *own == tool {
            plan.note(&slug, ToolState::Same, None);
        } else if is_replaced {
            plan.note(&slug, ToolState::Replaced, note);
            *own = tool;
        } else {
            plan.note(&slug, ToolState::Kept, Some("ours of that name differs and stays"));
        }
    }
    plan.replaces = plan.tools.iter().any(|tool| tool.state == ToolState::Replaced);
    plan.has_changes = plan.replaces || plan.tools.iter().any(|tool| tool.state == ToolState::Copied);
    plan.registry = registry;
    Ok(plan)
}

/// Carries out a plan: copies the folders of tools, then replaces the list whole. Gives the folder of the
/// backup, when something of ours was there before.
///
/// Files become readable by the user alone. Links, and files that are too large, are left out.
///
/// # Errors
/// Something cannot be read or written; the list is written last, so that it never names a missing tool.
pub fn copy_library(plan: &LibraryPlan, theirs: &Path, ours: &Path, stamp: &str) -> Result<Option<PathBuf>, SeedError> {
    if !plan.has_changes {
        return Ok(None);
    }
    let list = ours.join(REGISTRY);
    make_folder(&ours.join(TOOLS))?;
    let backup = ours.join(format!(".pre-import-{stamp}"));
    if list.is_file() {
        make_folder(&backup)?;
        copy_file(&list, &backup.join(REGISTRY))?;
    }
    for tool in &plan.tools {
        let (from, to) = (theirs.join(TOOLS).join(&tool.slug), ours.join(TOOLS).join(&tool.slug));
        match tool.state {
            ToolState::Copied | ToolState::Replaced => {}
            ToolState::Same | ToolState::Kept | ToolState::Refused => continue,
        }
        if to.exists() {
            // A folder that no list names may be somebody's work, too.
            let keep = backup.join(TOOLS);
            make_folder(&keep)?;
            fs::rename(&to, keep.join(&tool.slug)).map_err(|source| SeedError::Write { path: to.clone(), source })?;
        }
        copy_tool(&from, &to)?;
    }
    let text = serde_json::to_string_pretty(&plan.registry).unwrap_or_default();
    edit::write_atomic(&list, &format!("{text}\n"))?;
    Ok(backup.is_dir().then_some(backup))
}

impl LibraryPlan {
    fn note(&mut self, slug: &str, state: ToolState, note: Option<&str>) {
        self.tools.push(CopyTool { slug: slug.to_owned(), state, note: note.map(str::to_owned) });
    }
}

/// The list; empty when there is none.
fn read_registry(path: &Path) -> Result<Vec<Value>, SeedError> {
    let Some(text) = file::read(path).map_err(|source| SeedError::Read { path: path.to_owned(), source })? else {
        return Ok(Vec::new());
    };
    let list: Vec<Value> = serde_json::from_str(&text).map_err(|_| SeedError::Registry(path.to_owned()))?;
    if list.iter().all(Value::is_object) { Ok(list) } else { Err(SeedError::Registry(path.to_owned())) }
}

/// The short name, when it can be the name of a folder.
fn slug_of(tool: &Value) -> Option<&str> {
    let slug = tool.get("slug")?.as_str()?;
    let is_plain = slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    (is_plain && !slug.is_empty() && slug.len() <= MAX_SLUG && !slug.starts_with('-')).then_some(slug)
}

fn unapproved(tool: Value) -> Value {
    let Value::Object(mut fields) = tool else { return tool };
    let changes =
        json!({ "status": "draft", "approved": false, "review_state": "draft", "safety_state": "review_required" });
    fields.extend(changes.as_object().cloned().unwrap_or_else(Map::new));
    Value::Object(fields)
}

/// Whether there is a folder, and not a link to one.
fn is_real_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir())
}

fn make_folder(path: &Path) -> Result<(), SeedError> {
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|source| SeedError::Write { path: path.to_owned(), source })
}

/// The regular files directly in the folder; a tool has no folders of its own.
fn copy_tool(from: &Path, to: &Path) -> Result<(), SeedError> {
    make_folder(to)?;
    let unreadable = |source| SeedError::Read { path: from.to_owned(), source };
    for entry in fs::read_dir(from).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let meta = fs::symlink_metadata(entry.path()).map_err(unreadable)?;
        if meta.is_file() && meta.len() <= MAX_FILE_BYTES {
            copy_file(&entry.path(), &to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

fn copy_file(from: &Path, to: &Path) -> Result<(), SeedError> {
    let mut source = fs::File::open(from).map_err(|source| SeedError::Read { path: from.to_owned(), source })?;
    let made = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(to);
    let copied = made.and_then(|mut target| {
        io::copy(&mut source, &mut target)?;
        target.sync_all()
    });
    copied.map_err(|source| SeedError::Write { path: to.to_owned(), source })
}
