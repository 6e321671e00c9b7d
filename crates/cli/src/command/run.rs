//! `lwa run`, `lwa plan`, `lwa result`.

use std::io::{IsTerminal, Read};

use lwa_domain::{ErrorCode, PlanId};
use lwa_protocol::approval::{Answer, ApprovalParams, DecideParams};
use lwa_protocol::method::{ApprovalDecide, ApprovalShow, PlanApprove, PlanPrepare, PlanResult, PlanRun};
use lwa_protocol::plan::{
    ApproveAnswer, ApproveParams, ApproveStatus, PlanParams, PlanPrepared, PrepareParams, RunAnswer, RunParams,
    RunStatus,
};
use lwa_protocol::{Connection, Failure};
use serde_json::json;

use crate::args::{RunArgs, TaskArgs};
use crate::command::approvals::{readable, type_code};
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
    output.result(&prepared, readable_plan);
    Ok(0)
}

/// `lwa result`.
pub async fn result(plan_id: String, output: Output) -> Result<u8, Failure> {
    let answer = face::call::<PlanResult>(PlanParams { plan_id: PlanId::new(plan_id) }).await?;
    Ok(show(&answer, output))
}

/// `lwa run`.
pub async fn run(args: &RunArgs, output: Output) -> Result<u8, Failure> {
    let params = prepare_params(&args.task, "lwa run")?;
    let host = face::host().await?;
    let prepared = face::call_on::<PlanPrepare>(&host, params).await?;
    if let (true, Some(token)) = (prepared.requires_confirmation, &prepared.confirmation_token) {
        output.note(&readable_plan(&prepared));
        let asked = if args.no_wait { None } else { Some(consent(&host, token, output).await?) };
        match asked {
            Some(answer) if answer.status == ApproveStatus::Ready => {}
            other => return Ok(refused(&prepared, other.as_ref(), output)),
        }
    }
    finish(&host, &prepared.plan_token, output).await
}

/// `lwa resume`.
pub async fn resume(plan_token: String, output: Output) -> Result<u8, Failure> {
    finish(&face::host().await?, &plan_token, output).await
}

/// Runs a plan that may run, and waits for its end.
async fn finish(host: &Connection, plan_token: &str, output: Output) -> Result<u8, Failure> {
    loop {
        let params = RunParams { plan_token: plan_token.to_owned(), hold_ms: HOLD_MS, max_text_bytes: None };
        let answer = face::call_on::<PlanRun>(host, params).await?;
        if answer.status != RunStatus::Working {
            return Ok(show(&answer, output));
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
                    Some(code) => DecideParams { id, answer: Answer::AllowOnce, reason: None, code: Some(code) },
                    None => DecideParams { id, answer: Answer::Deny, reason: None, code: None },
                };
                face::call_on::<ApprovalDecide>(host, decision).await?;
            }
            _ => return Ok(answer),
        }
    }
}

/// Whether a person sits in front of this command, even when stdin is a file.
fn has_terminal() -> bool {
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

fn show(answer: &RunAnswer, output: Output) -> u8 {
    if output.is_json() {
        output.result(answer, |_| String::new());
    } else {
        if let Some(text) = &answer.text {
            output.line(text.trim_end());
        }
        output.note(&answer.display);
    }
    match &answer.error {
        None if answer.status == RunStatus::Completed => 0,
        None => ErrorCode::ConfirmationRequired.exit_code(),
        Some(error) => {
            output.note(&format!("lwa: {}", error.message));
            if let Some(hint) = &error.hint {
                output.note(&format!("     {hint}"));
            }
            if answer.status == RunStatus::ConfirmationRequired {
                ErrorCode::ConfirmationRequired
            } else {
                ErrorCode::RepreflightRequired
            }
            .exit_code()
        }
    }
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
        ..PrepareParams::default()
    })
}

/// The prompt as it was given, or all of stdin.
fn prompt(argument: &str) -> Result<String, Failure> {
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

fn readable_plan(plan: &PlanPrepared) -> String {
    let mut lines = vec![format!("Plan {} for {} ({})", plan.plan_id, plan.task, plan.status)];
    for route in &plan.routes {
        let place = if route.is_local { "stays on this machine" } else { "leaves this machine" };
        lines.push(format!("  route     {}:{} ({}), {place}", route.provider, route.model, route.billing_class));
        lines.push(format!("  because   {}", route.reasons.join("; ")));
    }
    let most = match plan.max_cost_pico_usd {
        Some(cost) => cost.to_string(),
        None if plan.routes.iter().all(|route| route.billing_class.is_free()) => "nothing".to_owned(),
        None => "unknown: no price is known".to_owned(),
    };
    lines.push(format!(
        "  at most   {most}; about {} tokens in, up to {} out",
        plan.estimated_input_tokens, plan.max_output_tokens
    ));
    if !plan.excluded.is_empty() {
        lines
            .push(format!("  excluded  {} other candidates; `lwa plan --json` gives each reason", plan.excluded.len()));
    }
    lines.push(format!("  runnable  until {}", plan.expires_at));
    lines.push(format!("  next      {}", plan.message));
    lines.join("\n")
}
