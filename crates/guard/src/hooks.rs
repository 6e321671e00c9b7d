//! Hooks of git that ask the gate first.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::Serialize;

use crate::error::GuardError;
use crate::git::Repository;

/// By this line a hook is known as ours.
const MARK: &str = "# Written by `lwa guard install-hooks`; it may be replaced. Remove the file to do without.";

/// What the hooks are to do.
#[derive(Debug, Clone)]
pub struct Wishes {
    /// The program `lwa`, as an absolute path.
    pub program: PathBuf,
    /// A denylist in place of the human's own.
    pub denylist: Option<PathBuf>,
    /// Whether each commit is pushed once it passed.
    pub pushes: bool,
    /// Whether foreign hooks give way, with a backup.
    pub replaces: bool,
    /// Whether nothing is written.
    pub is_dry_run: bool,
    /// Names backups.
    pub now: Timestamp,
}

/// What became of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HookState {
    /// It was not there.
    Written,
    /// It was ours and another one.
    Updated,
    /// It is as it has to be.
    Unchanged,
    /// It was somebody else's and has a backup.
    Replaced,
}

/// One hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Hook {
    /// Its name.
    pub name: &'static str,
    /// Its file.
    pub path: PathBuf,
    /// What became of it, or would.
    pub state: HookState,
    /// Where the foreign one is.
    pub backup: Option<PathBuf>,
}

/// The hooks of a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Installed {
    /// Their folder.
    pub folder: PathBuf,
    /// Whether the folder lies outside the repository, so that other repositories may use it too.
    pub is_shared: bool,
    /// The hooks.
    pub hooks: Vec<Hook>,
}

/// Writes the hooks into the folder that git uses. Either all of them are ours in the end, or none is touched.
///
/// # Errors
/// A foreign hook stands in the way, or a hook cannot be written.
pub fn install(repository: &Repository, wishes: &Wishes) -> Result<Installed, GuardError> {
    let folder = repository.hooks_folder()?;
    let mut plan = Vec::new();
    for (name, text) in scripts(wishes) {
        let path = folder.join(name);
        let state = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => HookState::Written,
            Err(source) => return Err(GuardError::Unreadable { path, source }),
            Ok(bytes) if bytes == text.as_bytes() && is_executable(&path) => HookState::Unchanged,
            Ok(bytes) if String::from_utf8_lossy(&bytes).lines().any(|line| line == MARK) => HookState::Updated,
            Ok(_) if wishes.replaces => HookState::Replaced,
            Ok(_) => return Err(GuardError::ForeignHook(path)),
        };
        plan.push((Hook { name, path, state, backup: None }, text));
    }
    let own = repository.own_folders()?;
    let place = folder.canonicalize().unwrap_or_else(|_| folder.clone());
    let mut installed = Installed { is_shared: !own.iter().any(|own| place.starts_with(own)), folder, hooks: vec![] };
    for (mut hook, text) in plan {
        if hook.state == HookState::Replaced {
            let moment = wishes.now.strftime("%Y%m%dT%H%M%SZ");
            hook.backup = Some(hook.path.with_file_name(format!("{}.backup-{moment}", hook.name)));
        }
        if !wishes.is_dry_run && hook.state != HookState::Unchanged {
            let written = write(&hook, &text);
            written.map_err(|source| GuardError::Hook { path: hook.path.clone(), source })?;
        }
        installed.hooks.push(hook);
    }
    Ok(installed)
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.permissions().mode() & 0o111 != 0)
}

fn write(hook: &Hook, text: &str) -> io::Result<()> {
    let folder = hook.path.parent().ok_or(io::ErrorKind::NotFound)?;
    fs::create_dir_all(folder)?;
    if let Some(backup) = &hook.backup {
        // A second backup in the same second must not replace the first.
        fs::OpenOptions::new().write(true).create_new(true).open(backup)?;
        fs::copy(&hook.path, backup)?;
    }
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(fs::Permissions::from_mode(0o755))?;
    file.as_file().sync_all()?;
    // A link is replaced by a file, so that what it leads to stays as it is.
    file.persist(&hook.path).map(drop).map_err(|error| error.error)
}

/// The hooks with their text.
fn scripts(wishes: &Wishes) -> Vec<(&'static str, String)> {
    let program = quoted(&wishes.program);
    let denylist = wishes.denylist.as_ref().map(|path| format!(" --denylist {}", quoted(path))).unwrap_or_default();
    let check = |what: &str| format!("#!/bin/sh\n{MARK}\nexec {program} guard check {what}{denylist}\n");
    let mut scripts = vec![
        ("pre-commit", check("--staged")),
        ("commit-msg", check("--message \"$1\"")),
        ("pre-push", check("--push \"$1\"")),
    ];
    if wishes.pushes {
        let text = format!(
            "#!/bin/sh\n{MARK}\n\
             # In the middle of a rebase nothing is finished.\n\
             for folder in rebase-merge rebase-apply; do\n  \
               if [ -d \"$(git rev-parse --git-path \"$folder\")\" ]; then exit 0; fi\n\
             done\n\
             # A branch that follows none has nowhere to go.\n\
             git rev-parse --verify --quiet '@{{upstream}}' >/dev/null || exit 0\n\
             if {program} guard check --range '@{{upstream}}..HEAD'{denylist}; then\n  \
               git push --quiet || echo 'lwa guard: the commit is made and was not pushed' >&2\n\
             else\n  \
               echo 'lwa guard: the commit is made and was not pushed' >&2\n\
             fi\n\
             exit 0\n"
        );
        scripts.push(("post-commit", text));
    }
    scripts
}

/// One word for a shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', r"'\''"))
}
