//! A question about a command, for every place where it can be asked.

use std::path::Path;

use lwa_domain::ApprovalKind;
use lwa_protocol::approval::{Answer, ApprovalDetail, CommandDetail};
use lwa_worker::command::{FileAccess, NetworkAccess, SandboxChoice};
use lwa_worker::dialog::visible;

use super::{Read, Wish};
use crate::broker::Question;
use crate::tokens;
use crate::worker::ask::{ClientChoice, ClientDialog};

fn words_of(choice: &SandboxChoice) -> String {
    let files = match choice.files {
        FileAccess::All => "writes anywhere",
        FileAccess::Workspace => "writes in its folder",
        FileAccess::ReadOnly => "writes nothing",
    };
    let network = match choice.network {
        NetworkAccess::Open => "network open",
        NetworkAccess::Closed => "no network",
    };
    format!("{files}, {network}")
}

/// The question for the app and the terminal.
pub(super) fn question(
    wish: Wish<'_>,
    read: &Read,
    folder: &Path,
    reasons: &[String],
    shapes: &[String],
    sandbox: Option<&SandboxChoice>,
    session_key: &str,
) -> Question {
    let detail = CommandDetail {
        command: visible(wish.command).into_owned(),
        cwd: visible(&folder.to_string_lossy()).into_owned(),
        segments: read.verdict.explain().lines().map(str::to_owned).collect(),
        reason: reasons.join("; "),
        warnings: read.verdict.warnings.clone(),
        shapes: shapes.to_vec(),
        sandbox: sandbox.map(words_of),
        secret_variables: read
            .granted
            .iter()
            .map(|variable| format!("{}={}", variable.name(), variable.placeholder()))
            .collect(),
        is_clients_own: false,
    };
    let mut offers = vec![Answer::AllowOnce];
    if !shapes.is_empty() {
        offers.extend([Answer::AllowSession, Answer::AllowAlways]);
    }
    let bound = tokens::text_hash(&format!("{}\n{}\n{:?}", wish.command, folder.display(), wish.secret_env));
    Question {
        kind: ApprovalKind::Command,
        merge_key: format!("command:{session_key}:{bound}"),
        title: "Run this command?".to_owned(),
        detail: ApprovalDetail::Command(detail),
        consequence: if read.granted.is_empty() {
            "It runs on this machine with your rights.".to_owned()
        } else {
            "It runs on this machine with your rights, and gets the named secrets in its environment.".to_owned()
        },
        is_serious: !read.granted.is_empty() || !read.verdict.warnings.is_empty(),
        offers,
        variants: Vec::new(),
    }
}

/// The client's dialog. It never answers for longer than the session.
pub(super) fn client_dialog(message: String, shapes: &[String]) -> ClientDialog {
    let choice = |id, title: &str, answer| ClientChoice { id, title: title.to_owned(), answer, variant: None };
    let mut choices = vec![
        choice("refuse", "Refuse: do not run it", Answer::Deny),
        choice("once", "Run it this once", Answer::AllowOnce),
    ];
    if !shapes.is_empty() {
        let shapes: Vec<_> = shapes.iter().map(|shape| visible(shape)).collect();
        let title = format!("Run it, and do not ask again in this conversation for: {}", shapes.join(", "));
        choices.push(choice("session", &title, Answer::AllowSession));
    }
    ClientDialog { message, choices }
}
