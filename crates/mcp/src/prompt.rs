//! The prompts: a checklist for handing work over, and the rules of the worker.

use lwa_domain::TaskKind;
use rmcp::model::{ErrorData, GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

const NAME: &str = "preflight_guidance";
/// The rules of the worker, as they stand.
pub(crate) const WORKER: &str = "local_llm_instructions";

/// The prompts that are offered.
pub(crate) fn prompts(has_worker: bool) -> Vec<Prompt> {
    let argument = |name: &str, about: &str, is_required: bool| {
        PromptArgument::new(name).with_description(about).with_required(is_required)
    };
    let arguments = vec![
        argument("task", "The kind of work, for example conversation_compression.", true),
        argument("objective", "What the work is to reach.", true),
        argument("allow_paid", "true when routes that cost money may be considered; false otherwise.", false),
    ];
    let about = "A short checklist for handing a piece of work to Lwa.";
    let mut prompts = vec![Prompt::new(NAME, Some(about), Some(arguments)).with_title("Preflight checklist")];
    if has_worker {
        let about = "The rules of the worker on this machine, for the mode that it is in.";
        prompts.push(Prompt::new(WORKER, Some(about), None).with_title("Rules of the worker"));
    }
    prompts
}

/// The rules of the worker as a prompt.
pub(crate) fn worker(rules: String) -> GetPromptResult {
    let message = PromptMessage::new_text(Role::User, rules);
    GetPromptResult::new(vec![message]).with_description("Rules of the worker")
}

/// The text of a prompt.
///
/// # Errors
/// There is no such prompt, an argument is missing, or the task is not known.
pub(crate) fn get(request: &GetPromptRequestParams) -> Result<GetPromptResult, ErrorData> {
    if request.name != NAME {
        let shown: String = request.name.chars().take(60).collect();
        return Err(refused(format!("there is no prompt `{shown}`; the prompts are `{NAME}` and `{WORKER}`")));
    }
    let argument = |name: &str| request.arguments.as_ref().and_then(|all| all.get(name)).filter(|one| !one.is_null());
    let text = |name: &str| {
        let value = argument(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        value.ok_or_else(|| refused(format!("`{name}` is required and must be a text")))
    };
    let task: TaskKind = text("task")?.parse().map_err(|error: lwa_domain::UnknownLabel| refused(error.to_string()))?;
    let objective = text("objective")?;
    let allows_paid = match argument("allow_paid") {
        None | Some(Value::Bool(false)) => false,
        Some(Value::Bool(true)) => true,
        Some(Value::String(word)) if matches!(word.as_str(), "true" | "false") => word == "true",
        Some(_) => return Err(refused("`allow_paid` must be true or false".to_owned())),
    };
    let message = PromptMessage::new_text(Role::User, checklist(task, objective, allows_paid));
    Ok(GetPromptResult::new(vec![message]).with_description("Preflight checklist"))
}

fn checklist(task: TaskKind, objective: &str, allows_paid: bool) -> String {
    let spending = if allows_paid {
        "Paid routes may be considered: pass allow_paid true. A human still has to consent to each paid plan."
    } else {
        "Spend nothing: leave allow_paid out. If no free route is found, say so instead of asking for a paid one."
    };
    format!(
        "Objective: {objective}\n\n\
         1. Prepare: call prepare_task with task {task} and a prompt that is complete in itself.\n\
         2. Inspect the reply: the route, who pays, what the provider does with the text, the most it can cost.\n\
         3. If requires_confirmation is true, call approve_preflight with confirmation_token and wait for the human. \
         Never try to consent for them.\n\
         4. When working_may_begin is true, call run_prepared_task with plan_token once.\n\
         5. On repreflight_required prepare a new plan; do not repeat the old one.\n\n\
         {spending}"
    )
}

fn refused(message: String) -> ErrorData {
    ErrorData::invalid_params(message, None)
}
