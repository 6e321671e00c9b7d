//! `lwa library`: recipes, reviewed scripts, and the work they come from.

use std::io::Write;

use lwa_domain::ErrorCode;
use lwa_protocol::approval::{Answer, ApprovalParams, DecideParams};
use lwa_protocol::host::Nothing;
use lwa_protocol::library::{
    FoundTool, LibraryAnalyzeParams, LibraryAnalyzed, LibraryApproveParams, LibraryApproved, LibraryCreateParams,
    LibraryHistory, LibraryListParams, LibraryObserveParams, LibraryObserved, LibraryRan, LibraryRegisterParams,
    LibraryRunParams, LibraryRunStatus, LibrarySearchParams, LibraryStatus, LibraryTool, LibraryToolParams,
    LibraryToolView, WorkflowPattern,
};
use lwa_protocol::method::{
    ApprovalDecide, ApprovalShow, LibraryAnalyze, LibraryApprove, LibraryArchive, LibraryCreate, LibraryDelete,
    LibraryDisable, LibraryGetHistory, LibraryGetList, LibraryGetStatus, LibraryObserve, LibraryRead, LibraryRebuild,
    LibraryRegisterScript, LibraryRun, LibrarySearch,
};
use lwa_protocol::plan::ApproveStatus;
use lwa_protocol::{Connection, Failure};
use serde_json::json;

use super::approvals::{readable, type_code};
use super::frame::inert;
use super::run::{has_terminal, prompt, run_prepared};
use crate::args::{CodexArgs, LibraryCreateArgs, LibraryObserveArgs, LibraryRegisterArgs, LibraryRunArgs, LibraryVerb};
use crate::face;
use crate::output::{Output, table};

/// How long one wait in the host lasts; the command waits again until there is an end.
const HOLD_MS: u32 = 60_000;
/// The exit code for a tool that there is none of.
const NOTHING_ELIGIBLE: u8 = 3;
/// The largest script that is read; the host has its own, smaller limit.
const MAX_SCRIPT_BYTES: u64 = 1_000_000;

/// Runs a verb.
pub async fn library(verb: LibraryVerb, output: Output) -> Result<u8, Failure> {
    match served(verb, output).await {
        Err(failure) if failure.code == ErrorCode::NotFound => {
            output.fail(&failure);
            Ok(NOTHING_ELIGIBLE)
        }
        done => done,
    }
}

async fn served(verb: LibraryVerb, output: Output) -> Result<u8, Failure> {
    match verb {
        LibraryVerb::List { status } => {
            let list = face::call::<LibraryGetList>(LibraryListParams { status }).await?;
            output.result(&list.tools, |tools| readable_list(tools.iter().map(|tool| (tool, None))));
        }
        LibraryVerb::Search { query, task, limit, include_inactive } => {
            let status = (!include_inactive).then(|| "active".to_owned());
            let params = LibrarySearchParams { query, task, status, limit: Some(limit) };
            let found = face::call::<LibrarySearch>(params).await?;
            let row = |found: &FoundTool| Some(found.relevance);
            output.result(&found.tools, |tools| readable_list(tools.iter().map(|found| (&found.tool, row(found)))));
        }
        LibraryVerb::Show { slug } => {
            let view = face::call::<LibraryRead>(LibraryToolParams { slug }).await?;
            output.result(&view, readable_tool);
        }
        LibraryVerb::Run(args) => return run(args, output).await,
        LibraryVerb::Create(args) => create(args, output).await?,
        LibraryVerb::Register(args) => register(args, output).await?,
        LibraryVerb::Observe(args) => observe(args, output).await?,
        LibraryVerb::Analyze { limit } => {
            let params = LibraryAnalyzeParams { limit: Some(limit) };
            let analyzed = face::call::<LibraryAnalyze>(params).await?;
            output.result(&analyzed, readable_analysis);
        }
        LibraryVerb::Approve { slug } => return approve(slug, output).await,
        LibraryVerb::Disable { slug } => {
            let tool = face::call::<LibraryDisable>(LibraryToolParams { slug }).await?;
            output.result(&tool, changed);
        }
        LibraryVerb::Archive { slug } => {
            let tool = face::call::<LibraryArchive>(LibraryToolParams { slug }).await?;
            output.result(&tool, changed);
        }
        LibraryVerb::Delete { slug, yes } => {
            if !yes {
                return Err(Failure::new(ErrorCode::InvalidInput, "deleting takes a tool's files and history away")
                    .hint("repeat the command with --yes, or use `lwa library archive`, which keeps them"));
            }
            face::call::<LibraryDelete>(LibraryToolParams { slug: slug.clone() }).await?;
            output.result(&json!({ "deleted": slug }), |_| format!("Deleted {slug}."));
        }
        LibraryVerb::History { slug } => {
            let history = face::call::<LibraryGetHistory>(LibraryToolParams { slug }).await?;
            output.result(&history, readable_history);
        }
        LibraryVerb::Rebuild => {
            let rebuilt = face::call::<LibraryRebuild>(Nothing {}).await?;
            output.result(&rebuilt, |rebuilt| {
                let mut lines = vec![format!("{} tools are listed in {}", rebuilt.tools, rebuilt.catalog)];
                lines.extend(rebuilt.repaired.iter().map(|repaired| format!("  repaired: {repaired}")));
                lines.join("\n")
            });
        }
        LibraryVerb::Status => {
            let status = face::call::<LibraryGetStatus>(Nothing {}).await?;
            output.result(&status, readable_status);
        }
    }
    Ok(0)
}

async fn create(args: LibraryCreateArgs, output: Output) -> Result<(), Failure> {
    let described = args.described;
    let params = LibraryCreateParams {
        name: described.name,
        description: described.description,
        task: described.task,
        prompt_template: prompt(&args.template)?,
        tags: described.tags,
        triggers: described.triggers,
        activate: !args.draft,
    };
    let tool = face::call::<LibraryCreate>(params).await?;
    output.result(&tool, changed);
    Ok(())
}

async fn register(args: LibraryRegisterArgs, output: Output) -> Result<(), Failure> {
    let shown = args.file.display().to_string();
    let unusable = |why: String| {
        Failure::new(ErrorCode::InvalidInput, format!("`{shown}` cannot be registered: {why}"))
            .hint("give a file with a Python script in UTF-8")
    };
    let length = std::fs::metadata(&args.file).map_err(|error| unusable(error.to_string()))?.len();
    if length > MAX_SCRIPT_BYTES {
        return Err(unusable("it is too long for a script".to_owned()));
    }
    let source = std::fs::read_to_string(&args.file).map_err(|error| unusable(error.to_string()))?;
    let described = args.described;
    let params = LibraryRegisterParams {
        name: described.name,
        description: described.description,
        task: described.task,
        source,
        filename: args.file.file_name().map(|name| name.to_string_lossy().into_owned()),
        tags: described.tags,
        triggers: described.triggers,
    };
    let tool = face::call::<LibraryRegisterScript>(params).await?;
    output.result(&tool, |tool| format!("{}\nRead it and run `lwa library approve {}`.", changed(tool), tool.slug));
    Ok(())
}

async fn observe(args: LibraryObserveArgs, output: Output) -> Result<(), Failure> {
    let params = LibraryObserveParams {
        workflow_name: args.name,
        description: args.description,
        task: args.task,
        sample: if args.sample == "-" { prompt("-")? } else { args.sample },
        project: args.project,
        success: !args.failed,
        tags: args.tags,
        plan_id: None,
    };
    let observed = face::call::<LibraryObserve>(params).await?;
    output.result(&observed, readable_observation);
    Ok(())
}

async fn run(args: LibraryRunArgs, output: Output) -> Result<u8, Failure> {
    let host = face::host().await?;
    let params = LibraryRunParams {
        slug: args.slug,
        input_text: prompt(&args.input)?,
        quality: args.quality,
        reasoning_effort: args.reasoning_effort,
        allow_paid: args.allow_paid,
        allow_user_pays: args.allow_user_pays,
        max_output_tokens: args.max_output_tokens,
        tool_name: Some("lwa library run".to_owned()),
        hold_ms: HOLD_MS,
        max_output_bytes: None,
    };
    let ran = loop {
        let ran = face::call_on::<LibraryRun>(&host, params.clone()).await?;
        if ran.status != LibraryRunStatus::Working {
            break ran;
        }
        output.note("Working...");
    };
    match &ran.plan {
        Some(plan) => run_prepared(&host, plan, &CodexArgs::default().label(), args.no_wait, output).await,
        None => Ok(show_script(&ran, output)),
    }
}

/// A script's own output, as if it had been run here; what became of it goes to stderr.
fn show_script(ran: &LibraryRan, output: Output) -> u8 {
    if output.is_json() {
        output.result(ran, |_| String::new());
    } else if let Some(script) = &ran.script {
        let _ = std::io::stdout().lock().write_all(script.stdout.as_bytes());
        let _ = std::io::stderr().lock().write_all(script.stderr.as_bytes());
        for (is_cut, name) in [(script.is_stdout_cut, "stdout"), (script.is_stderr_cut, "stderr")] {
            if is_cut {
                output.note(&format!("lwa: {name} was longer than a megabyte and is cut"));
            }
        }
    }
    match ran.status {
        LibraryRunStatus::Completed => 0,
        LibraryRunStatus::ReviewRequired => {
            output.note(&format!("lwa: {}", ran.message));
            output.note(&format!("     run `lwa library approve {}` in a terminal of your own", ran.library_tool.slug));
            ErrorCode::ConfirmationRequired.exit_code()
        }
        _ => {
            output.note(&format!("lwa: {}", ran.message));
            ErrorCode::ProviderFailed.exit_code()
        }
    }
}

/// Asks the human: in the app, or right here when this is their terminal.
async fn approve(slug: String, output: Output) -> Result<u8, Failure> {
    let host = face::host().await?;
    let answer = asked(&host, &slug, output).await?;
    output.result(&answer, |answer| format!("{}: {}", answer.tool.slug, answer.message));
    Ok(match answer.status {
        ApproveStatus::Ready => 0,
        ApproveStatus::Denied => ErrorCode::Denied.exit_code(),
        _ => ErrorCode::ConfirmationRequired.exit_code(),
    })
}

async fn asked(host: &Connection, slug: &str, output: Output) -> Result<LibraryApproved, Failure> {
    let mut has_said_where = false;
    let mut has_asked_here = false;
    loop {
        let hold_ms = if has_said_where { HOLD_MS } else { 300 };
        let params = LibraryApproveParams { slug: slug.to_owned(), hold_ms };
        let answer = face::call_on::<LibraryApprove>(host, params).await?;
        match (answer.status, &answer.approval_id) {
            (ApproveStatus::ApprovalPending, _) => {
                if !has_said_where {
                    output.note("Waiting for your answer in the Lwa window …");
                    has_said_where = true;
                }
            }
            (ApproveStatus::Unavailable, Some(id)) if has_terminal() && !has_asked_here => {
                has_asked_here = true;
                let item = face::call_on::<ApprovalShow>(host, ApprovalParams { id: id.clone() }).await?;
                output.note(&readable(&item));
                let code = type_code(&item)?;
                let yes = item.offers.first().copied().unwrap_or(Answer::AllowOnce);
                let answer = if code.is_some() { yes } else { Answer::Deny };
                let decision = DecideParams { id: id.clone(), answer, reason: None, code, variant: None };
                face::call_on::<ApprovalDecide>(host, decision).await?;
            }
            _ => return Ok(answer),
        }
    }
}

fn changed(tool: &LibraryTool) -> String {
    format!("{} ({}, version {}) is {}.", tool.slug, tool.kind, tool.version, tool.status)
}

fn readable_list<'a>(tools: impl Iterator<Item = (&'a LibraryTool, Option<f64>)>) -> String {
    let rows: Vec<Vec<String>> = tools
        .map(|(tool, relevance)| {
            let fit = relevance.map_or_else(|| "-".to_owned(), |fit| format!("{fit:.2}"));
            vec![
                tool.slug.clone(),
                tool.status.clone(),
                tool.kind.clone(),
                tool.task.to_string(),
                tool.evidence_count.to_string(),
                fit,
                inert(&tool.description),
            ]
        })
        .collect();
    if rows.is_empty() {
        return "No tool.".to_owned();
    }
    table(&["slug", "status", "kind", "task", "runs", "fits", "description"], &rows)
}

fn readable_tool(view: &LibraryToolView) -> String {
    let tool = &view.tool;
    let mut lines = vec![
        format!("{} ({})", inert(&tool.name), tool.slug),
        format!("  {}", inert(&tool.description)),
        format!("  status    {}, {}, version {}", tool.status, tool.kind, tool.version),
        format!("  task      {}", tool.task),
        format!("  folder    {}", view.path),
        format!("  content   SHA-256 {}", view.content_id),
    ];
    if tool.evidence_count > 0 {
        lines.push(format!("  evidence  {} runs, confidence {:.2}", tool.evidence_count, tool.confidence));
    }
    if !tool.tags.is_empty() {
        lines.push(format!("  tags      {}", inert(&tool.tags.join(", "))));
    }
    lines.extend(tool.triggers.iter().map(|trigger| format!("  when      {}", inert(trigger))));
    lines.push(String::new());
    lines.extend(view.content.lines().map(|line| format!("  | {}", inert(line))));
    lines.join("\n")
}

fn readable_history(history: &LibraryHistory) -> String {
    let rows: Vec<Vec<String>> = history
        .versions
        .iter()
        .map(|version| {
            vec![
                version.version.clone(),
                version.accepted_at.clone().unwrap_or_else(|| "unknown".to_owned()),
                version.content_id.get(..12).unwrap_or_default().to_owned(),
                if version.is_current { "in force" } else { "" }.to_owned(),
            ]
        })
        .collect();
    table(&["version", "accepted", "content", ""], &rows)
}

fn readable_observation(observed: &LibraryObserved) -> String {
    let Some(pattern) = &observed.pattern else {
        return "Not counted: the text has too few words, and the workflow has no name.".to_owned();
    };
    let mut lines =
        vec![format!("{}: seen {} times, {} well.", inert(&pattern.label), pattern.occurrences, pattern.successes)];
    if let Some(tool) = &observed.created_tool {
        lines.push(format!("It became a recipe: {}", changed(tool)));
    }
    lines.join("\n")
}

fn readable_analysis(analyzed: &LibraryAnalyzed) -> String {
    let mut lines = vec![patterns(&analyzed.patterns)];
    lines.extend(analyzed.created_tools.iter().map(|tool| format!("New recipe: {}", changed(tool))));
    lines.join("\n")
}

fn patterns(patterns: &[WorkflowPattern]) -> String {
    if patterns.is_empty() {
        return "No work repeats yet.".to_owned();
    }
    let rows: Vec<Vec<String>> = patterns
        .iter()
        .map(|pattern| {
            vec![
                inert(&pattern.label),
                pattern.task.to_string(),
                pattern.occurrences.to_string(),
                pattern.successes.to_string(),
                format!("{:.2}", pattern.confidence),
                pattern.tool_slug.clone().unwrap_or_else(|| "-".to_owned()),
            ]
        })
        .collect();
    table(&["work", "task", "seen", "well", "confidence", "recipe"], &rows)
}

fn readable_status(status: &LibraryStatus) -> String {
    let library = &status.library;
    let on = |is_on: bool| if is_on { "on" } else { "off" };
    let mut lines = vec![
        format!("Library in {}", library.path),
        format!(
            "  tools     {}: {} active, {} draft, {} disabled, {} archived",
            library.tools, library.active, library.draft, library.disabled, library.archived
        ),
        format!("  watching  {}", on(library.is_observing)),
        format!("  scripts   {}", on(library.runs_scripts)),
        format!("  patterns  {}", status.pattern_count),
    ];
    lines.extend(library.notices.iter().map(|notice| format!("  notice    {notice}")));
    lines.push(String::new());
    lines.push(patterns(&status.patterns));
    lines.join("\n")
}
