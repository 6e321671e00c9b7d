//! `lwa approvals`: the questions that wait for a person.

use std::io::{BufRead, BufReader, IsTerminal, Write};

use lwa_domain::{ApprovalId, ErrorCode, PicoUsd};
use lwa_protocol::approval::{
    Answer, ApprovalDetail, ApprovalItem, ApprovalList, ApprovalListParams, ApprovalParams, DecideParams,
};
use lwa_protocol::host::Nothing;
use lwa_protocol::method::{ApprovalDecide, ApprovalGetList, ApprovalShow, EventSubscribe};
use lwa_protocol::{Event, Failure};

use super::frame::inert;
use crate::args::ApprovalsVerb;
use crate::face;
use crate::output::{Output, table};

/// Runs a verb.
pub async fn approvals(verb: Option<ApprovalsVerb>, output: Output) -> Result<u8, Failure> {
    match verb.unwrap_or(ApprovalsVerb::List { all: false }) {
        ApprovalsVerb::List { all } => {
            let list = face::call::<ApprovalGetList>(ApprovalListParams { with_answered: all, limit: None }).await?;
            output.result(&list.approvals, |_| readable_list(&list));
        }
        ApprovalsVerb::Show { id } => {
            let item = face::call::<ApprovalShow>(ApprovalParams { id: ApprovalId::new(id) }).await?;
            output.result(&item, readable);
        }
        ApprovalsVerb::Allow { id, choice, session, always } => {
            return allow(id, choice, session, always, output).await;
        }
        ApprovalsVerb::Deny { id, reason } => {
            let params =
                DecideParams { id: ApprovalId::new(id), answer: Answer::Deny, reason, code: None, variant: None };
            let item = face::call::<ApprovalDecide>(params).await?;
            output.result(&item, |item| format!("Denied: {}", item.title));
        }
        ApprovalsVerb::Watch => return watch(output).await,
    }
    Ok(0)
}

async fn allow(id: String, choice: Option<String>, session: bool, always: bool, output: Output) -> Result<u8, Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::new(ErrorCode::Forbidden, "allowing needs a person at a terminal, and stdin is none")
            .hint("run this in a terminal of your own, or answer in the Lwa window"));
    }
    let host = face::host().await?;
    let item = face::call_on::<ApprovalShow>(&host, ApprovalParams { id: ApprovalId::new(id) }).await?;
    output.note(&readable(&item));
    let Some(code) = type_code(&item)? else {
        output.note("Nothing was allowed.");
        return Ok(ErrorCode::ConfirmationRequired.exit_code());
    };
    let (answer, variant) = chosen(&item, choice, session, always)?;
    let params = DecideParams { id: item.id.clone(), answer, reason: None, code: Some(code), variant };
    let item = face::call_on::<ApprovalDecide>(&host, params).await?;
    output.result(&item, |item| format!("Allowed: {}", item.title));
    Ok(0)
}

/// The answer that a yes means, and which of the question's finer answers it is.
pub fn chosen(
    item: &ApprovalItem,
    choice: Option<String>,
    session: bool,
    always: bool,
) -> Result<(Answer, Option<String>), Failure> {
    if let Some(choice) = choice {
        let known = item.variants.iter().find(|variant| variant.id == choice);
        return known.map(|variant| (variant.answer, Some(choice.clone()))).ok_or_else(|| {
            let names: Vec<&str> = item.variants.iter().map(|variant| variant.id.as_str()).collect();
            Failure::new(ErrorCode::InvalidInput, format!("the question has no answer `{choice}`")).hint(
                if names.is_empty() {
                    "leave `--choice` out".to_owned()
                } else {
                    format!("it has {}", names.join(", "))
                },
            )
        });
    }
    let answer = match (session, always) {
        (true, _) => Answer::AllowSession,
        (_, true) => Answer::AllowAlways,
        // A question that can only be allowed for good is allowed as it offers.
        _ if !item.offers.contains(&Answer::AllowOnce) => item.offers.first().copied().unwrap_or(Answer::AllowOnce),
        _ => Answer::AllowOnce,
    };
    // The narrowest yes where there are several: the first that the question lists.
    let first = item.variants.iter().find(|variant| variant.answer == answer).map(|variant| variant.id.clone());
    Ok((answer, first))
}

/// Asks for the code that the question shows. An empty line, another code or the end of input is a no.
pub fn type_code(item: &ApprovalItem) -> Result<Option<String>, Failure> {
    let failed = |error: std::io::Error| face::internal(&format!("cannot use the terminal: {error}"));
    let Some(code) = &item.code else {
        return Err(Failure::new(ErrorCode::NotFound, "the question has already ended"));
    };
    let terminal = std::fs::OpenOptions::new().read(true).write(true).open("/dev/tty").map_err(failed)?;
    write!(&terminal, "Type {code} to allow, anything else to leave it: ").map_err(failed)?;
    (&terminal).flush().map_err(failed)?;
    let mut typed = String::new();
    BufReader::new(&terminal).read_line(&mut typed).map_err(failed)?;
    Ok((typed.trim().eq_ignore_ascii_case(code)).then(|| code.clone()))
}

async fn watch(output: Output) -> Result<u8, Failure> {
    let host = face::host().await?;
    let mut events = host.events();
    face::call_on::<EventSubscribe>(&host, Nothing {}).await?;
    let open = face::call_on::<ApprovalGetList>(&host, ApprovalListParams::default()).await?;
    for item in &open.approvals {
        shown(item, output);
    }
    output.note(
        "Watching for questions; Ctrl+C ends. Answer with `lwa approvals allow ID` or `deny ID` in another terminal.",
    );
    loop {
        tokio::select! {
            event = events.recv() => match event {
                Ok(Event::ApprovalOpened { approval }) => shown(&approval, output),
                Ok(Event::ApprovalClosed { id, outcome, reason }) => {
                    let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
                    output.note(&format!("{} {outcome}{reason}", id.as_str().get(..8).unwrap_or_default()));
                }
                Ok(_) => {}
                Err(tokio::sync::broadcast::error::RecvError::Lagged(_)) => output.note("some questions may have been missed; `lwa approvals list` shows all"),
                Err(_) => return Ok(0),
            },
            () = host.closed() => {
                return Err(Failure::new(ErrorCode::HostUnreachable, "the host has ended").hint("start watching again with `lwa approvals watch`"));
            }
        }
    }
}

fn shown(item: &ApprovalItem, output: Output) {
    if output.is_json() {
        output.line(&serde_json::to_string(item).unwrap_or_default());
    } else {
        output.line(&format!("{}\n", readable(item)));
    }
}

fn readable_list(list: &ApprovalList) -> String {
    if list.approvals.is_empty() {
        return "Nothing is waiting for you.".to_owned();
    }
    let rows: Vec<Vec<String>> = list
        .approvals
        .iter()
        .map(|item| {
            let state =
                item.outcome.map_or_else(|| format!("open until {}", item.expires_at), |outcome| outcome.to_string());
            vec![
                item.id.as_str().get(..8).unwrap_or_default().to_owned(),
                item.kind.to_string(),
                item.client.to_string(),
                item.title.clone(),
                state,
            ]
        })
        .collect();
    table(&["id", "kind", "client", "question", "state"], &rows)
}

/// A question in full, as the window shows it.
pub fn readable(item: &ApprovalItem) -> String {
    let mut lines = vec![item.title.clone(), String::new()];
    lines.push(format!("  id          {}", item.id.as_str().get(..8).unwrap_or(item.id.as_str())));
    let version = item.asker.client_version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
    lines.push(format!("  asked by    {}{version} (as it says)", item.client));
    if let Some(path) = &item.asker.client_path {
        lines.push(format!("  program     {path}"));
    }
    if let Some(cwd) = &item.asker.cwd {
        lines.push(format!("  folder      {cwd}"));
    }
    match &item.detail {
        ApprovalDetail::Spend(spend) => {
            let cost = match spend.max_cost_pico_usd {
                Some(cost) if cost == PicoUsd::ZERO => "nothing".to_owned(),
                Some(cost) => cost.to_string(),
                None => "unknown".to_owned(),
            };
            let likely = spend.estimated_cost_pico_usd.map(|cost| format!(", likely {cost}")).unwrap_or_default();
            lines.push(format!("  route       {}:{} ({})", spend.provider, spend.model, spend.billing_class));
            lines.push(format!("  cost        at most {cost}{likely}; {}", spend.price_note));
            lines.push(format!(
                "  size        {} characters, about {} tokens in, up to {} out",
                spend.prompt_characters, spend.estimated_input_tokens, spend.max_output_tokens
            ));
            let source = match spend.data_use_source.as_str() {
                "" => String::new(),
                source => format!(" ({source})"),
            };
            lines.push(format!("  data use    {}{source}", spend.data_use));
            if spend.masked_secrets > 0 {
                lines.push(format!("  masked      {} values that look like secrets", spend.masked_secrets));
            }
            if spend.other_routes > 0 {
                lines.push(format!("  and         {} other routes, all of them free", spend.other_routes));
            }
            lines.extend(spend.caps_left.iter().map(|cap| format!("  cap         {cap}")));
            lines.push(format!("  asked since {}", spend.asked_because));
        }
        ApprovalDetail::TurnOn(_) | ApprovalDetail::Command(_) | ApprovalDetail::Disclosure(_) => {
            lines.extend(about_the_worker(&item.detail));
        }
        ApprovalDetail::PolicyChange(change) => {
            lines.push(format!("  file        {}", change.path));
            for line in &change.changes {
                lines.push(format!("  {}: {} → {} ({})", line.key, line.from, line.to, line.effect));
            }
        }
        ApprovalDetail::SessionConsent(consent) => {
            let paid = if consent.is_paid_allowed { "allowed" } else { "not allowed" };
            lines.push(format!("  asking      {} → {} in this session", consent.from, consent.to));
            lines.push(format!("  paid routes {paid} by the configuration"));
        }
        ApprovalDetail::Script(script) => {
            let sandbox =
                if script.is_sandboxed { "without a network, other folders read-only" } else { "without a sandbox" };
            lines.push(format!("  tool        {} ({}): {}", script.name, script.slug, script.description));
            lines.push(format!("  file        {}", script.path));
            lines.push(format!("  content     {} bytes, SHA-256 {}", script.bytes, script.sha256));
            // A recipe is a text, and nothing of it runs on this machine.
            if script.tool_kind == "script" {
                lines.push(format!("  would run   {sandbox}"));
            }
            lines.extend(script.source.lines().map(|line| format!("  | {}", inert(line))));
            if !script.is_source_whole {
                lines.push("  | … the file has the rest".to_owned());
            }
        }
    }
    for variant in &item.variants {
        lines.push(format!("  --choice {:<10} {}", variant.id, variant.title));
    }
    lines.push(format!("  effect      {}", item.consequence));
    match item.outcome {
        Some(outcome) => lines.push(format!("  ended       {outcome}")),
        None => lines.push(format!("  no answer by {} means no", item.expires_at)),
    }
    lines.join("\n")
}

/// The lines of a question of the worker.
fn about_the_worker(detail: &ApprovalDetail) -> Vec<String> {
    let mut lines = Vec::new();
    match detail {
        ApprovalDetail::TurnOn(turn_on) => {
            lines.push(format!("  tool        {}", turn_on.tool));
            lines.push(format!("  model       {}", inert(&turn_on.model)));
            lines.push(format!("  mode        {}", turn_on.mode));
        }
        ApprovalDetail::Command(command) => {
            lines.extend(command.command.lines().map(|line| format!("  $ {}", inert(line))));
            lines.push(format!("  in folder   {}", inert(&command.cwd)));
            lines.push(format!("  asked since {}", inert(&command.reason)));
            lines.extend(command.segments.iter().map(|line| format!("  | {}", inert(line))));
            lines.extend(command.warnings.iter().map(|line| format!("  warning     {}", inert(line))));
            if let Some(sandbox) = &command.sandbox {
                lines.push(format!("  sandbox     {sandbox}"));
            }
            lines.extend(command.secret_variables.iter().map(|line| format!("  gets        {}", inert(line))));
            if command.shapes.is_empty() {
                lines.push("  always      cannot be remembered".to_owned());
            } else {
                let shapes: Vec<String> = command.shapes.iter().map(|shape| inert(shape)).collect();
                lines.push(format!("  always      adds {}", shapes.join(", ")));
            }
        }
        ApprovalDetail::Disclosure(disclosure) => {
            let kinds: Vec<String> =
                disclosure.kinds.iter().map(|kind| format!("{} {}", kind.count, kind.kind)).collect();
            if !kinds.is_empty() {
                lines.push(format!("  holds       {}", kinds.join(", ")));
                lines.push(format!("  source      {}", inert(&disclosure.source)));
            }
            if let Some(wanted) = &disclosure.wanted {
                lines.push(format!("  wanted      {wanted}"));
            }
            if let Some(reason) = &disclosure.reason {
                lines.push(format!("  its reason  {}", inert(reason)));
            }
        }
        _ => {}
    }
    lines
}
