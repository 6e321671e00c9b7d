//! Running a plan, or fetching its stored result.

mod consensus;
mod media;

use lwa_domain::ErrorCode;
use lwa_protocol::Failure;
use lwa_protocol::method::PlanRun;
use lwa_protocol::plan::{RunAnswer, RunParams, RunStatus};
use rmcp::model::{CallToolResult, ContentBlock, Resource};
use serde_json::{Map, Value};
use tokio::sync::mpsc;

use super::{Call, Detail};
use crate::resource::result_uri;
use crate::whole_result::whole_text;
use crate::{reply, text_budget};

/// Bytes of text in a reply, unless the caller asks for more: what every client shows whole.
const TEXT_BYTES: u32 = 8000;

pub(super) async fn run(mut call: Call<'_>) -> Result<CallToolResult, Failure> {
    let plan_token = call.arguments.text("plan_token").unwrap_or_default();
    let limit = call.arguments.whole("max_text_bytes").unwrap_or(TEXT_BYTES);
    let offset = call.arguments.whole("text_offset");
    let next_tier_suggestion = call.arguments.filled("next_tier_suggestion");
    // A full queue loses reports, not the answer.
    let (progress, reports) = mpsc::channel(16);
    let answer = async {
        call.host.reach(&call.client).await?;
        let params = RunParams {
            plan_token,
            hold_ms: call.hold.remaining_ms(),
            max_text_bytes: offset.is_none().then_some(limit),
            next_tier_suggestion,
        };
        call.host.call::<PlanRun>(&call.client, params, Some(progress)).await
    };
    let answer = call.hold.answered("the model is working", Some(reports), answer).await?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let offset = offset.map(|offset| usize::try_from(offset).unwrap_or(usize::MAX));
    let mut result = replied(&answer, limit, offset, call.detail)?;
    result.content.extend(media::blocks(&call, &answer).await);
    Ok(result)
}

fn replied(answer: &RunAnswer, limit: usize, offset: Option<usize>, detail: Detail) -> Result<CallToolResult, Failure> {
    let mut fields = reply::structured(answer)?;
    if let Some(next) = next_step(answer.status) {
        fields.insert("next_step".to_owned(), next.into());
    }
    leave_out_what_is_empty(&mut fields);
    media::name(&mut fields, answer);
    if detail == Detail::Compact {
        abridge(&mut fields, answer);
    }
    if detail != Detail::Debug {
        consensus::abridge(&mut fields, answer);
    }
    if matches!(answer.status, RunStatus::RepreflightRequired | RunStatus::Failed) {
        let failure = answer.error.clone().unwrap_or_else(|| {
            Failure::new(ErrorCode::RepreflightRequired, "the run failed").hint("prepare a new plan")
        });
        let link = consensus::link(&mut fields, answer);
        let mut result = reply::failed_with(&failure, fields);
        result.content.extend(link);
        return Ok(result);
    }
    // What these say is said only where it matters, beside a shortened text.
    fields.remove("is_text_reduced");
    fields.remove("text_bytes");
    if let Some(offset) = offset {
        page(&mut fields, answer, offset, limit);
        return Ok(reply::succeeded(fields));
    }
    let link = shorten(&mut fields, answer, limit).or_else(|| consensus::link(&mut fields, answer));
    let mut result = reply::succeeded(fields);
    result.content.extend(link);
    Ok(result)
}

/// Hands over one piece of the whole text, and says where the next one begins.
fn page(fields: &mut Map<String, Value>, answer: &RunAnswer, offset: usize, limit: usize) {
    let Some(text) = whole_text(answer) else { return };
    let begin = text.floor_char_boundary(offset.min(text.len()));
    let rest = &text[begin..];
    let piece = text_budget::cut(rest, limit).unwrap_or(rest);
    fields.insert("text".to_owned(), piece.into());
    fields.insert("text_bytes".to_owned(), text.len().into());
    if piece.len() < rest.len() {
        fields.insert("next_text_offset".to_owned(), (begin + piece.len()).into());
    }
}

/// Links the whole of a text that the host condensed further, or that is cut here to the limit.
fn shorten(fields: &mut Map<String, Value>, answer: &RunAnswer, limit: usize) -> Option<ContentBlock> {
    let text = answer.text.as_deref()?;
    let whole_bytes = answer.text_bytes.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(text.len());
    let uri = result_uri(&answer.plan_id);
    let (kept, how) = match text_budget::cut(text, limit) {
        Some(kept) => (kept, "is cut"),
        None if answer.is_text_reduced => (text, "is condensed further, routine lines first and failures last,"),
        None => return None,
    };
    let note = format!(
        "text {how} to {} of {whole_bytes} bytes; read {uri} for all of it, or repeat the call with text_offset 0 and go on with next_text_offset",
        kept.len()
    );
    fields.insert("text".to_owned(), kept.into());
    fields.insert("text_truncated".to_owned(), true.into());
    fields.insert("text_bytes".to_owned(), whole_bytes.into());
    fields.insert("full_text_uri".to_owned(), uri.as_str().into());
    fields.insert("note".to_owned(), note.into());
    let whole = Resource::new(uri, format!("result {}", answer.plan_id))
        .with_title("Whole result")
        .with_mime_type("text/plain")
        .with_size(u64::try_from(whole_bytes).unwrap_or(u64::MAX));
    Some(ContentBlock::resource_link(whole))
}

fn next_step(status: RunStatus) -> Option<&'static str> {
    match status {
        RunStatus::Completed => None,
        RunStatus::Working => Some("still running: repeat this call with the same plan_token, it attaches to the run"),
        RunStatus::ConfirmationRequired => {
            Some("call approve_preflight with the confirmation_token of this plan, then repeat this call")
        }
        RunStatus::RepreflightRequired | RunStatus::Failed => Some("prepare a new plan; this one cannot run again"),
    }
}

/// Nothing masked, nothing to warn of: that need not be said.
fn leave_out_what_is_empty(fields: &mut Map<String, Value>) {
    for name in ["masked", "warnings"] {
        if fields.get(name).and_then(Value::as_array).is_some_and(Vec::is_empty) {
            fields.remove(name);
        }
    }
}

/// Leaves out the account of a run whose text is there, and an ending that is no news.
fn abridge(fields: &mut Map<String, Value>, answer: &RunAnswer) {
    if answer.text.is_some() {
        fields.remove("display");
    }
    fields.remove("panel");
    if answer.finish_reason.as_deref() == Some("stop") {
        fields.remove("finish_reason");
    }
}
