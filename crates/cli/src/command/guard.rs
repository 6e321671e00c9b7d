//! `lwa guard`: the gate of git, without a host.

use std::io::Read;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use lwa_config::Home;
use lwa_domain::ErrorCode;
use lwa_guard::check::{self, Report};
use lwa_guard::hooks::{self, HookState, Installed, Wishes};
use lwa_guard::{Allowed, Denylist, Finding, GuardError, PlaceKind, Repository, Scanner};
use lwa_protocol::Failure;
use serde_json::{Value, json};

use crate::args::{GuardCheckArgs, GuardVerb, InstallHooksArgs};
use crate::face;
use crate::output::{Output, counted, word};

/// What git tells a pre-push hook is a line for each ref.
const MOST_REFS: u64 = 1 << 20;

/// Runs a verb.
pub fn guard(verb: &GuardVerb, output: Output) -> Result<u8, Failure> {
    match verb {
        GuardVerb::Check(args) => check(args, output),
        GuardVerb::InstallHooks(args) => install(args, output),
    }
}

fn check(args: &GuardCheckArgs, output: Output) -> Result<u8, Failure> {
    let home = face::home()?;
    let scanner = scanner(args, &home)?;
    let folder = std::env::current_dir().map_err(|error| face::internal(&error))?;
    let repository = Repository::of(&folder);
    let report = match (args, repository) {
        // A message is a file, and may be looked at anywhere.
        (GuardCheckArgs { message: Some(path), .. }, repository) => {
            check::message(repository.ok().as_ref(), &scanner, path)
        }
        (_, Err(error)) => Err(error),
        (GuardCheckArgs { range: Some(range), .. }, Ok(repository)) => check::range(&repository, &scanner, range),
        (GuardCheckArgs { push: Some(remote), .. }, Ok(repository)) => {
            let mut lines = String::new();
            let read = std::io::stdin().lock().take(MOST_REFS).read_to_string(&mut lines);
            read.map_err(|error| face::internal(&format!("cannot read stdin: {error}")))?;
            check::push(&repository, &scanner, remote, &lines)
        }
        (GuardCheckArgs { all: true, .. }, Ok(repository)) => check::all(&repository, &scanner),
        (_, Ok(repository)) => check::staged(&repository, &scanner),
    };
    let report = report.map_err(|error| failure(&error))?;
    let shows = output.is_terminal();
    output.result(&document(&report), |_| readable(&report, shows));
    Ok(if report.findings.is_empty() { 0 } else { ErrorCode::Denied.exit_code() })
}

fn scanner(args: &GuardCheckArgs, home: &Home) -> Result<Scanner, Failure> {
    let own_allow = home.config_dir().join("guard-allow.txt");
    let mut scanner = Scanner::new();
    if let Some(path) = named_or_there(args.denylist.as_deref(), home.denylist_file()) {
        scanner = scanner.with_denylist(Denylist::read(&path).map_err(|error| failure(&error))?);
    }
    if let Some(path) = named_or_there(args.allow.as_deref(), own_allow) {
        let text = std::fs::read_to_string(&path).map_err(|source| GuardError::Unreadable { path, source });
        let allowed = text.and_then(|text| Allowed::parse(&text)).map_err(|error| failure(&error))?;
        scanner = scanner.with_allowed(allowed);
    }
    if let Some(folder) = std::env::home_dir().and_then(|folder| folder.to_str().map(str::to_owned)) {
        scanner = scanner.with_home(&folder);
    }
    Ok(scanner)
}

/// A file that was named has to be there; the human's own may be missing.
fn named_or_there(named: Option<&Path>, own: PathBuf) -> Option<PathBuf> {
    match named {
        Some(path) => Some(path.to_owned()),
        None => own.exists().then_some(own),
    }
}

fn failure(error: &GuardError) -> Failure {
    let code = match error {
        GuardError::NoGit(_) | GuardError::Git { .. } | GuardError::Hook { .. } => ErrorCode::Internal,
        _ => ErrorCode::InvalidInput,
    };
    let hint = match error {
        GuardError::NoRepository(_) => "start it in a folder of the repository",
        GuardError::NoGit(_) => "install git, or put it on PATH",
        GuardError::Range => "name commits, for example `origin/main..HEAD`",
        GuardError::ForeignHook(_) => {
            "nothing was written; `--force` replaces it and keeps a backup, or call `lwa guard check` from it yourself"
        }
        _ => "nothing was checked, so publish nothing",
    };
    Failure::new(code, error.to_string()).hint(hint)
}

/// Values stay out of it: who reads JSON is a program.
fn document(report: &Report) -> Value {
    let findings: Vec<Value> = report
        .findings
        .iter()
        .map(|finding| {
            json!({
                "place": finding.place.kind,
                "name": name(finding, false),
                "commit": finding.place.commit,
                "line": finding.line,
                "rule": finding.rule,
                "characters": finding.characters(),
            })
        })
        .collect();
    json!({
        "clean": report.findings.is_empty(),
        "findings": findings,
        "more": report.more,
        "files": report.files,
        "commits": report.commits,
        "skipped": { "binary": report.binary, "too_large": report.too_large },
    })
}

/// A name that is itself the finding is hidden like any value.
fn name(finding: &Finding, shows: bool) -> String {
    let place = &finding.place;
    let name = if shows || !matches!(place.kind, PlaceKind::FileName | PlaceKind::Ref) {
        place.name.clone()
    } else {
        place.name.replace(finding.value(), "[hidden]")
    };
    printable(&name)
}

/// What comes out of a repository does not get to steer a terminal.
fn printable(text: &str) -> String {
    let is_plain = |c: char| {
        !c.is_control() && !matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().map(|c| if is_plain(c) { c.to_string() } else { c.escape_unicode().to_string() }).collect()
}

fn readable(report: &Report, shows: bool) -> String {
    let mut lines = Vec::new();
    for finding in &report.findings {
        let commit = finding.place.commit.as_deref().map(|id| format!(" in {}", id.get(..12).unwrap_or(id)));
        let value = if shows {
            printable(finding.value())
        } else {
            format!("hidden, {}", counted(finding.characters() as u64, "character"))
        };
        lines.push(format!(
            "{} {}:{}{}: {} ({value})",
            word(&finding.place.kind),
            name(finding, shows),
            finding.line,
            commit.unwrap_or_default(),
            finding.rule,
        ));
    }
    if report.more > 0 {
        lines.push(format!("and {} more", report.more));
    }
    for file in &report.too_large {
        lines.push(format!("not read, it has {} bytes: {}", file.bytes, printable(&file.path)));
    }
    if report.binary > 0 {
        lines.push(format!("not read, no text: {}", counted(report.binary as u64, "file")));
    }
    let looked = format!(
        "{} and {} were checked",
        counted(report.files as u64, "file"),
        counted(report.commits as u64, "commit")
    );
    lines.push(match report.findings.len() + report.more {
        0 => format!("nothing found; {looked}"),
        number => format!("{} must not be published; {looked}", counted(number as u64, "value")),
    });
    if !report.findings.is_empty() && !shows {
        lines.push("run `lwa guard check` on a terminal to see the values".to_owned());
    }
    lines.join("\n")
}

fn install(args: &InstallHooksArgs, output: Output) -> Result<u8, Failure> {
    let folder = std::env::current_dir().map_err(|error| face::internal(&error))?;
    let program = std::env::current_exe().and_then(std::fs::canonicalize);
    let denylist = match &args.denylist {
        Some(path) => {
            // A hook with a list that cannot be used would refuse every commit.
            Denylist::read(path).map_err(|error| failure(&error))?;
            Some(std::path::absolute(path).map_err(|error| face::internal(&error))?)
        }
        None => None,
    };
    let wishes = Wishes {
        program: program.map_err(|error| face::internal(&format!("cannot find this program: {error}")))?,
        denylist,
        pushes: args.autopush,
        replaces: args.force,
        is_dry_run: args.dry_run,
        now: Timestamp::now(),
    };
    let installed = Repository::of(&folder).and_then(|repository| hooks::install(&repository, &wishes));
    let installed = installed.map_err(|error| failure(&error))?;
    let document = json!({ "dry_run": args.dry_run, "installed": installed });
    output.result(&document, |_| installed_text(&installed, args.dry_run));
    if installed.is_shared {
        output.note(
            "lwa: `core.hooksPath` names a folder outside this repository, so other repositories use the hooks too",
        );
    }
    Ok(0)
}

fn installed_text(installed: &Installed, is_dry_run: bool) -> String {
    let verb = |state| match (state, is_dry_run) {
        (HookState::Unchanged, _) => "is as it has to be",
        (HookState::Written, false) => "written",
        (HookState::Written, true) => "would be written",
        (HookState::Updated, false) => "updated",
        (HookState::Updated, true) => "would be updated",
        (HookState::Replaced, false) => "replaced",
        (HookState::Replaced, true) => "would be replaced",
    };
    let lines = installed.hooks.iter().map(|hook| {
        let backup = hook.backup.as_ref().map(|path| format!("; the other one: {}", path.display()));
        format!("{}: {}{}", hook.path.display(), verb(hook.state), backup.unwrap_or_default())
    });
    lines.collect::<Vec<_>>().join("\n")
}
