//! The work behind the worker's tools: one call of the host, and as many questions to the user as it has.

mod asking;
mod parameters;

use lwa_domain::{ErrorCode, UnknownLabel};
use lwa_protocol::Failure;
use lwa_protocol::method::{
    WorkerArtifact, WorkerCompact, WorkerDecide, WorkerDelegate, WorkerDisclose, WorkerEnable, WorkerGetStatus,
    WorkerGovern, WorkerRun, WorkerSetMode,
};
use lwa_protocol::worker::{WorkerAnswer, WorkerStatus, WorkerStatusKind};
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, MetaObject};
use serde_json::{Map, Value, json};

use super::Call;
use crate::reply;
use crate::tool::worker::WorkerTool;

/// Where a result carries its facts for programs: a model is not shown them, since its client would then not show it
/// the text.
const FACTS: &str = "lwa/worker";

pub(super) async fn worker(mut call: Call<'_>, tool: WorkerTool) -> Result<CallToolResponse, Failure> {
    let arguments = &mut call.arguments;
    match tool {
        WorkerTool::Run => {
            let params = parameters::run(arguments);
            call.through_questions::<WorkerRun>(params).await
        }
        WorkerTool::Delegate => {
            let params = parameters::delegate(arguments);
            call.through_questions::<WorkerDelegate>(params).await
        }
        WorkerTool::Artifact => {
            let params = parameters::artifact(arguments);
            call.through_questions::<WorkerArtifact>(params).await
        }
        WorkerTool::Enable => call.through_questions::<WorkerEnable>(parameters::nothing()).await,
        WorkerTool::Disclosure => {
            let params = parameters::disclosure(arguments)?;
            call.through_questions::<WorkerDisclose>(params).await
        }
        WorkerTool::SetMode => {
            let params = parameters::mode(arguments)?;
            call.through_questions::<WorkerSetMode>(params).await
        }
        WorkerTool::Compact => {
            let params = parameters::compact(arguments);
            call.through_questions::<WorkerCompact>(params).await
        }
        WorkerTool::Decide => {
            let params = parameters::decide(arguments);
            call.through_questions::<WorkerDecide>(params).await
        }
        WorkerTool::Govern => {
            let params = parameters::govern(arguments)?;
            call.through_questions::<WorkerGovern>(params).await
        }
        WorkerTool::Status => status(call).await.map(Into::into),
    }
}

async fn status(call: Call<'_>) -> Result<CallToolResult, Failure> {
    let mut params = parameters::nothing();
    params.call = call.caller.worker_call(0);
    let answer = call.host.call::<WorkerGetStatus>(&call.client, params, None);
    let status = call.hold.answered("asking the host", None, answer).await?;
    Ok(reply::succeeded(shown(status)?))
}

/// The status without the rules, which the prompt and the resource hold, and with as much of the summary as fits.
fn shown(mut status: WorkerStatus) -> Result<Map<String, Value>, Failure> {
    /// Characters of the summary when it is cut.
    const SUMMARY: usize = 1500;
    status.instructions.clear();
    let mut fields = reply::structured(&status)?;
    fields.remove("instructions");
    if reply::is_over_budget(&fields) && status.summary.chars().count() > SUMMARY {
        let cut: String = status.summary.chars().take(SUMMARY).collect();
        fields.insert("summary".to_owned(), cut.into());
        fields.insert("is_summary_cut".to_owned(), true.into());
    }
    Ok(fields)
}

/// The text as the host gives it. What was refused or goes on is an answer and no error.
fn replied(answer: WorkerAnswer) -> Result<CallToolResult, Failure> {
    let facts = facts(&answer)?;
    let text = vec![ContentBlock::text(answer.text)];
    let result = match answer.status {
        WorkerStatusKind::Failed => CallToolResult::error(text),
        _ => CallToolResult::success(text),
    };
    Ok(result.with_meta(Some(facts)))
}

fn facts(answer: &WorkerAnswer) -> Result<MetaObject, Failure> {
    let mut facts = match answer.status {
        WorkerStatusKind::Completed => reply::structured(&answer.facts)?,
        _ => Map::new(),
    };
    facts.insert("status".to_owned(), json!(answer.status));
    let mut meta = MetaObject::default();
    meta.0.insert(FACTS.to_owned(), facts.into());
    Ok(meta)
}

/// One of a closed set of words; the first of them when it was left out.
///
/// # Errors
/// It is none of them.
fn word(what: &'static str, given: Option<String>, accepted: &[&str]) -> Result<String, Failure> {
    let Some(given) = given else { return Ok(accepted.first().copied().unwrap_or_default().to_owned()) };
    if accepted.contains(&given.as_str()) {
        return Ok(given);
    }
    Err(UnknownLabel::new(what, &given, accepted).into())
}

/// The failure of a call that asks and asks.
fn too_many_questions() -> Failure {
    Failure::new(ErrorCode::Internal, "the call asked more questions than one call may")
        .hint("repeat it; if it happens again, run `lwa doctor` in a terminal")
}
