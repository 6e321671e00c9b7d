//! `lwa run`, `lwa plan`, `lwa result`.

use std::io::{IsTerminal, Read};

use lwa_domain::{ErrorCode, PlanId};
use lwa_protocol::approval::{Answer, ApprovalParams, DecideParams};
use lwa_protocol::method::{ApprovalDecide, ApprovalShow, PlanApprove, PlanPrepare, PlanResult, PlanRun};
use lwa_protocol::plan::{
    ApproveAnswer, ApproveParams, ApproveStatus, MediaParams, PlanParams, PlanPrepared, PrepareParams, RunParams,
    RunStatus, WorkflowParams,
};
use lwa_protocol::{Connection, Failure};
use serde_json::{Value, json};

use super::approvals::{readable, type_code};
use super::preflight::preflight;
use super::response::{ended, show};
use crate::args::{CodexArgs, RunArgs, TaskArgs, WorkflowArgs};
use crate::face;
use crate::output::Output;

/// How long one wait in the host lasts; the command waits again until there is an end.
const HOLD_MS: u32 = 60_000;

/// More than any prompt that the host takes: two million characters of four bytes.
const MAX_PROMPT_BYTES: u64 = 8_000_000;

/// `lwa plan`.
pub async fn plan(args: &TaskArgs, output: Output) -> Result<u8, Failure> {
    let params = prepare_params(args, "lwa plan")?;
    let prepared = face::call::<PlanPrepare>(params).await?;
    output.result(&prepared, |prepared| preflight(prepared, &args.codex.label()));
    Ok(0)
}

/// `lwa result`.
pub async fn result(plan_id: String, output: Output) -> Result<u8, Failure> {
    let answer = face::call::<PlanResult>(PlanParams { plan_id: PlanId::new(plan_id) }).await?;
    Ok(show(&answer, &CodexArgs::default().label(), output))
}

/// `lwa run`.
pub async fn run(args: &RunArgs, output: Output) -> Result<u8, Failure> {
    let params = prepare_params(&args.task, "lwa run")?;
    let codex = args.task.codex.label();
    let host = face::host().await?;
    let prepared = face::call_on::<PlanPrepare>(&host, params).await?;
    run_prepared(&host, &prepared, &codex, args.no_wait, output).await
}

/// Shows a plan, asks for consent where it needs some, and runs it.
pub(super) async fn run_prepared(
    host: &Connection,
    prepared: &PlanPrepared,
    codex: &str,
    no_wait: bool,
    output: Output,
) -> Result<u8, Failure> {
    if !output.is_json() {
        output.note(&preflight(prepared, codex));
    }
    if let (true, Some(token)) = (prepared.requires_confirmation, &prepared.confirmation_token) {
        let asked = if no_wait { None } else { Some(consent(host, token, output).await?) };
        match asked {
            Some(answer) if answer.status == ApproveStatus::Ready => {}
            other => return Ok(refused(prepared, other.as_ref(), output)),
        }
    }
    finish(host, &prepared.plan_token, codex, output).await
}

/// `lwa resume`.
pub async fn resume(plan_token: String, output: Output) -> Result<u8, Failure> {
    finish(&face::host().await?, &plan_token, &CodexArgs::default().label(), output).await
}

/// Runs a plan that may run, and waits for its end.
async fn finish(host: &Connection, plan_token: &str, codex: &str, output: Output) -> Result<u8, Failure> {
    if !output.is_json() {
        output.note("Working...");
    }
    loop {
        let params = RunParams {
            plan_token: plan_token.to_owned(),
            hold_ms: HOLD_MS,
            max_text_bytes: None,
            next_tier_suggestion: None,
        };
        let answer = face::call_on::<PlanRun>(host, params).await?;
        if answer.status != RunStatus::Working {
            return Ok(ended(host, &answer, codex, output).await);
        }
    }
}

/// Asks the human: in the app, or right here when this is their terminal.
async fn consent(host: &Connection, token: &str, output: Output) -> Result<ApproveAnswer, Failure> {
    let mut has_said_where = false;
    loop {
        let params =
            ApproveParams { confirmation_token: token.to_owned(), hold_ms: if has_said_where { HOLD_MS } else { 300 } };
        let answer = face::call_on::<PlanApprove>(host, params).await?;
        match answer.status {
            ApproveStatus::ApprovalPending => {
                if !has_said_where {
                    output.note("Waiting for your answer in the Lwa window …");
                    has_said_where = true;
                }
            }
            ApproveStatus::Unavailable if has_terminal() => {
                let Some(id) = answer.approval_id.clone() else { return Ok(answer) };
                let item = face::call_on::<ApprovalShow>(host, ApprovalParams { id: id.clone() }).await?;
                output.note(&readable(&item));
                let typed = type_code(&item)?;
                let decision = match typed {
                    Some(code) => {
                        DecideParams { id, answer: Answer::AllowOnce, reason: None, code: Some(code), variant: None }
                    }
                    None => DecideParams { id, answer: Answer::Deny, reason: None, code: None, variant: None },
                };
                face::call_on::<ApprovalDecide>(host, decision).await?;
            }
            _ => return Ok(answer),
        }
    }
}

/// Whether a person sits in front of this command, even when stdin is a file.
pub(crate) fn has_terminal() -> bool {
    std::io::stderr().is_terminal() && std::fs::File::open("/dev/tty").is_ok()
}

fn refused(prepared: &PlanPrepared, asked: Option<&ApproveAnswer>, output: Output) -> u8 {
    let denied = asked.is_some_and(|answer| answer.status == ApproveStatus::Denied);
    let code = if denied { ErrorCode::Denied } else { ErrorCode::ConfirmationRequired };
    let resume = format!("`lwa resume {}`", prepared.plan_token);
    let message = match asked {
        None => format!("a human has to consent first; ask with {resume} once that happened"),
        // Repeating this command would prepare another plan with a question of its own.
        Some(answer) if answer.status == ApproveStatus::Unavailable => {
            let id = answer.approval_id.as_ref().and_then(|id| id.as_str().get(..8)).unwrap_or_default();
            format!(
                "a human has to consent first: open the Lwa app, or run `lwa approvals allow {id}` in a terminal of your own; then {resume}"
            )
        }
        Some(answer) => answer.message.clone(),
    };
    let document = json!({
        "status": if denied { "failed" } else { "confirmation_required" },
        "replayed": false,
        "plan_id": prepared.plan_id,
        "plan_token": prepared.plan_token,
        "task": prepared.task,
        "route": prepared.routes.first().map(|route| json!({ "provider": route.provider, "model": route.model, "billing_class": route.billing_class })),
        "usage": { "input_tokens": null, "output_tokens": null, "reported": false },
        "cost_pico_usd": null,
        "latency_ms": null,
        "text": null,
        "display": prepared.message,
        "approval_id": asked.and_then(|answer| answer.approval_id.clone()),
        "outcome": asked.and_then(|answer| answer.outcome),
        "error": { "code": code, "message": message },
    });
    if output.is_json() {
        output.line(&serde_json::to_string_pretty(&document).unwrap_or_default());
    }
    output.note(&format!("lwa: {message}"));
    code.exit_code()
}

fn prepare_params(args: &TaskArgs, tool_name: &str) -> Result<PrepareParams, Failure> {
    Ok(PrepareParams {
        task: args.task.clone(),
        prompt: prompt(&args.prompt)?,
        quality: args.quality.clone(),
        reasoning_effort: args.reasoning_effort.clone(),
        allow_paid: args.allow_paid,
        allow_user_pays: args.allow_user_pays,
        max_output_tokens: args.max_output_tokens,
        provider: args.provider.clone(),
        model: args.model.clone(),
        tool_name: Some(tool_name.to_owned()),
        response_format: args.response_format.as_deref().map(response_format).transpose()?,
        max_cost_pico_usd: args.max_cost,
        required_billing_class: args.billing_class.clone(),
        voters: args.voters,
        media: media(args),
        workflow: workflow(&args.workflow),
        ..PrepareParams::default()
    })
}

/// What a picture or a film should be like; none when nothing was said, since other tasks take nothing of it.
fn media(args: &TaskArgs) -> Option<MediaParams> {
    let media = MediaParams {
        aspect_ratio: args.aspect_ratio.clone(),
        output_format: args.output_format.clone(),
        seconds: args.seconds.clone(),
        size: args.size.clone(),
    };
    (media != MediaParams::default()).then_some(media)
}

fn workflow(args: &WorkflowArgs) -> Option<WorkflowParams> {
    let workflow = WorkflowParams {
        name: args.workflow_name.clone(),
        description: args.workflow_description.clone(),
        project: args.project.clone(),
        tags: args.tags.clone(),
    };
    (workflow != WorkflowParams::default()).then_some(workflow)
}

/// `json_object` as it is; a schema with the name that providers ask for.
fn response_format(argument: &str) -> Result<Value, Failure> {
    let invalid = |message: String| {
        Failure::new(ErrorCode::InvalidInput, message).hint("give `json_object`, a JSON Schema, or `@FILE`")
    };
    let text = match argument.strip_prefix('@') {
        Some(path) => {
            std::fs::read_to_string(path).map_err(|error| invalid(format!("cannot read `{path}`: {error}")))?
        }
        None => argument.to_owned(),
    };
    if !text.trim_start().starts_with('{') {
        return Ok(Value::String(text.trim().to_owned()));
    }
    let schema: Value =
        serde_json::from_str(&text).map_err(|error| invalid(format!("the response format is no JSON: {error}")))?;
    Ok(if schema.get("schema").is_some() { schema } else { json!({ "name": "answer", "schema": schema }) })
}

/// The prompt as it was given, or all of stdin.
pub(super) fn prompt(argument: &str) -> Result<String, Failure> {
    if argument != "-" {
        return Ok(argument.to_owned());
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .take(MAX_PROMPT_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| face::internal(&format!("cannot read stdin: {error}")))?;
    if bytes.len() as u64 > MAX_PROMPT_BYTES {
        return Err(Failure::new(ErrorCode::InvalidInput, "stdin is longer than a prompt can be: 2000000 characters")
            .hint("split it, or compress it first"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        Failure::new(ErrorCode::InvalidInput, format!("stdin is not text: byte {place} is not valid UTF-8"))
            .hint("give UTF-8 text; `iconv` converts other encodings")
    })
}
