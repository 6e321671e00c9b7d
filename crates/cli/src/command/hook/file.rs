//! `lwa hook install` and `remove`: Lwa's entries in a client's file of hooks.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use lwa_config::Home;
use lwa_domain::ErrorCode;
use lwa_protocol::Failure;
use lwa_registration::hooks::{self, HookEntry, HooksError};
use serde::Serialize;

use crate::args::{HookClient, HookFileArgs};
use crate::face;
use crate::output::Output;

/// Files of hooks are a few kilobytes.
const MOST_BYTES: u64 = 4 << 20;

/// What was done, or would be.
#[derive(Debug, Serialize)]
struct Done {
    client: &'static str,
    file: PathBuf,
    changed: bool,
    dry_run: bool,
    entries: Vec<HookEntry>,
    backup: Option<PathBuf>,
}

/// Writes the entries.
pub(super) fn install(args: &HookFileArgs, output: Output) -> Result<u8, Failure> {
    let home = face::home()?;
    let program = std::env::current_exe().and_then(fs::canonicalize);
    let program = program.map_err(|error| face::internal(&format!("cannot find this program: {error}")))?;
    let entries = hooks::entries(args.client.as_str(), &program, home.overridden(), args.guard);
    let done = change(args, &home, entries, hooks::with_entries)?;
    let is_news = done.changed && !done.dry_run;
    output.result(&done, readable);
    if is_news && args.client == HookClient::Codex {
        output.note("lwa: Codex runs new and changed hooks only once you trusted them; open it and look at its hooks");
    }
    Ok(0)
}

/// Takes the entries out.
pub(super) fn remove(args: &HookFileArgs, output: Output) -> Result<u8, Failure> {
    let home = face::home()?;
    let done = change(args, &home, Vec::new(), |text, _| hooks::without_entries(text))?;
    output.result(&done, readable);
    Ok(0)
}

fn change(
    args: &HookFileArgs,
    home: &Home,
    entries: Vec<HookEntry>,
    edit: impl Fn(Option<&str>, &[HookEntry]) -> Result<Option<String>, HooksError>,
) -> Result<Done, Failure> {
    let named = file(args, home)?;
    // A link stays a link: what it leads to is changed.
    let file = fs::canonicalize(&named).unwrap_or(named);
    let text = read(&file)?;
    let edited = edit(text.as_deref(), &entries).map_err(|error| {
        Failure::new(ErrorCode::InvalidInput, format!("`{}` is left alone: {error}", file.display()))
            .hint("correct it first; nothing was written")
    })?;
    let mut done = Done {
        client: args.client.as_str(),
        changed: edited.is_some(),
        dry_run: args.dry_run,
        entries,
        backup: None,
        file,
    };
    if let Some(edited) = edited.filter(|_| !args.dry_run) {
        done.backup = write(&done.file, &edited, text.is_some())
            .map_err(|error| face::internal(&format!("`{}` cannot be written: {error}", done.file.display())))?;
    }
    Ok(done)
}

/// The file that was named, else the client's own.
fn file(args: &HookFileArgs, home: &Home) -> Result<PathBuf, Failure> {
    if let Some(file) = &args.file {
        return std::path::absolute(file).map_err(|error| face::internal(&error));
    }
    let (variable, folder, name) = match args.client {
        HookClient::ClaudeCode => ("CLAUDE_CONFIG_DIR", ".claude", "settings.json"),
        HookClient::Codex => ("CODEX_HOME", ".codex", "hooks.json"),
    };
    if let Some(named) = std::env::var_os(variable).filter(|value| !value.is_empty()) {
        return Ok(Path::new(&named).join(name));
    }
    if home.overridden().is_some() && !args.dry_run {
        let message = format!("with `LWA_HOME` set, the file of `{}` is not guessed", args.client.as_str());
        return Err(Failure::new(ErrorCode::InvalidInput, message).hint("name it with `--file PATH`"));
    }
    let user = std::env::home_dir().ok_or_else(|| {
        Failure::new(ErrorCode::InvalidInput, "no home folder").hint("set `HOME`, or name the file with `--file PATH`")
    })?;
    Ok(user.join(folder).join(name))
}

fn read(file: &Path) -> Result<Option<String>, Failure> {
    let failed = |what: &dyn std::fmt::Display| {
        Failure::new(ErrorCode::InvalidInput, format!("`{}` cannot be read: {what}", file.display()))
            .hint("nothing was written")
    };
    match fs::metadata(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(&error)),
        Ok(meta) if !meta.is_file() => Err(failed(&"it is no regular file")),
        Ok(meta) if meta.len() > MOST_BYTES => Err(failed(&"it is larger than 4 MiB")),
        Ok(_) => fs::read_to_string(file).map(Some).map_err(|error| failed(&error)),
    }
}

/// Writes beside the file and moves it there; what was there before is kept.
fn write(file: &Path, text: &str, is_there: bool) -> std::io::Result<Option<PathBuf>> {
    let folder = file.parent().ok_or(ErrorKind::NotFound)?;
    fs::create_dir_all(folder)?;
    let stem = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let moment = Timestamp::now().strftime("%Y%m%dT%H%M%S%3fZ");
    let backup = is_there.then(|| folder.join(format!("{stem}.backup-{moment}")));
    if let Some(backup) = &backup {
        fs::copy(file, backup)?;
    }
    let beside = folder.join(format!(".{stem}.{}-{moment}", std::process::id()));
    let mut options = fs::OpenOptions::new();
    let mut new = options.write(true).create_new(true).open(&beside)?;
    let written = new
        .write_all(text.as_bytes())
        .and_then(|()| if is_there { new.set_permissions(fs::metadata(file)?.permissions()) } else { Ok(()) })
        .and_then(|()| new.sync_all())
        .and_then(|()| fs::rename(&beside, file));
    if written.is_err() {
        drop(fs::remove_file(&beside));
    }
    written.map(|()| backup)
}

fn readable(done: &Done) -> String {
    let state = match (done.changed, done.dry_run) {
        (false, _) => "is as it has to be",
        (true, true) => "would be changed",
        (true, false) => "changed",
    };
    let mut lines = vec![format!("{}: {state}", done.file.display())];
    for entry in &done.entries {
        let tools = entry.matcher.map(|matcher| format!(" ({matcher})")).unwrap_or_default();
        lines.push(format!("  {}{tools}: {}", entry.event, entry.command));
    }
    if let Some(backup) = &done.backup {
        lines.push(format!("  as it was: {}", backup.display()));
    }
    lines.join("\n")
}
