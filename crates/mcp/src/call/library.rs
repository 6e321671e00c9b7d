//! The work behind the tools of the tool library.

use lwa_protocol::Failure;
use lwa_protocol::host::Nothing;
use lwa_protocol::library::{
    LibraryAnalyzeParams, LibraryApproveParams, LibraryCreateParams, LibraryListParams, LibraryObserveParams,
    LibraryRan, LibraryRegisterParams, LibraryRunParams, LibraryRunStatus, LibrarySearchParams, LibrarySuggestParams,
    LibraryTool, LibraryToolParams,
};
use lwa_protocol::method::{
    LibraryAnalyze, LibraryApprove, LibraryCreate, LibraryDisable, LibraryGetList, LibraryGetStatus, LibraryObserve,
    LibraryRead, LibraryRebuild, LibraryRegisterScript, LibraryRun, LibrarySearch, LibrarySuggest,
};
use lwa_protocol::plan::ApproveStatus;
use rmcp::model::CallToolResult;
use serde_json::{Map, Value};

use super::{Call, prepare};
use crate::tool::library::LibraryWork;
use crate::{reply, text_budget};

/// What a list tells of a tool.
const LISTED: [&str; 8] = ["slug", "name", "description", "kind", "status", "task", "evidence_count", "relevance"];
/// What a reply about one change tells of the tool.
const CHANGED: [&str; 8] = ["slug", "name", "kind", "status", "version", "task", "approved", "evidence_count"];
/// Bytes of a content in a reply.
const CONTENT_BYTES: usize = 5000;
/// Bytes of each stream of a script, unless the caller asks for more.
const OUTPUT_BYTES: u32 = 3000;

pub(super) async fn library(call: Call<'_>, work: LibraryWork) -> Result<CallToolResult, Failure> {
    match work {
        LibraryWork::Suggest => suggest(call).await,
        LibraryWork::Run => run(call).await,
        LibraryWork::Observe => observe(call).await,
        LibraryWork::List => list(call).await,
        LibraryWork::Search => search(call).await,
        LibraryWork::Read => read(call).await,
        LibraryWork::Create => create(call).await,
        LibraryWork::Register => register(call).await,
        LibraryWork::Approve => approve(call).await,
        LibraryWork::Disable => disable(call).await,
        LibraryWork::Analyze => analyze(call).await,
        LibraryWork::Rebuild => {
            let rebuilt = call.ask::<LibraryRebuild>(Nothing {}).await?;
            Ok(reply::succeeded(reply::structured(&rebuilt)?))
        }
        LibraryWork::Status => {
            let status = call.ask::<LibraryGetStatus>(Nothing {}).await?;
            let mut fields = reply::structured(&status)?;
            reply::fit(&mut fields, "patterns");
            Ok(reply::succeeded(fields))
        }
    }
}

async fn suggest(mut call: Call<'_>) -> Result<CallToolResult, Failure> {
    let params = LibrarySuggestParams {
        context: call.arguments.text("context").unwrap_or_default(),
        task: call.arguments.filled("task"),
        limit: call.arguments.whole("limit"),
    };
    let suggested = call.ask::<LibrarySuggest>(params).await?;
    let mut fields = reply::structured(&suggested)?;
    reply::fit(&mut fields, "suggestions");
    Ok(reply::succeeded(fields))
}

async fn run(mut call: Call<'_>) -> Result<CallToolResult, Failure> {
    let mut params = LibraryRunParams {
        slug: call.arguments.text("slug").unwrap_or_default(),
        input_text: call.arguments.text("input_text").unwrap_or_default(),
        quality: call.arguments.text("quality"),
        reasoning_effort: call.arguments.text("reasoning_effort"),
        allow_paid: call.arguments.flag("allow_paid"),
        allow_user_pays: call.arguments.flag("allow_user_pays"),
        max_output_tokens: None,
        tool_name: Some("run_library_tool".to_owned()),
        hold_ms: 0,
        max_output_bytes: Some(call.arguments.whole("max_output_bytes").unwrap_or(OUTPUT_BYTES)),
    };
    let answer = async {
        call.host.reach(&call.client).await?;
        params.hold_ms = call.hold.remaining_ms();
        call.host.call::<LibraryRun>(&call.client, params, None).await
    };
    let ran = call.hold.answered("the script is running", None, answer).await?;
    let (library_tool, status) = (ran.library_tool.clone(), ran.status);
    let mut fields = match &ran.plan {
        Some(plan) => {
            let mut fields = reply::structured(plan.as_ref())?;
            prepare::abridge(&mut fields, call.detail);
            fields
        }
        None => script_fields(&ran)?,
    };
    fields.insert("library_tool".to_owned(), reply::structured(&library_tool)?.into());
    if let Some(next) = next_step(status) {
        fields.insert("next_step".to_owned(), next.into());
    }
    Ok(reply::succeeded(fields))
}

/// What a script did, beside its status.
fn script_fields(ran: &LibraryRan) -> Result<Map<String, Value>, Failure> {
    let mut fields = reply::structured(ran)?;
    if let Some(Value::Object(script)) = fields.remove("script") {
        fields.extend(script);
    }
    for (flag, name) in [("is_stdout_cut", "stdout_truncated"), ("is_stderr_cut", "stderr_truncated")] {
        // What is whole need not say so.
        if fields.remove(flag) == Some(Value::Bool(true)) {
            fields.insert(name.to_owned(), true.into());
        }
    }
    if fields.get("masked") == Some(&Value::from(0)) {
        fields.remove("masked");
    }
    Ok(fields)
}

const fn next_step(status: LibraryRunStatus) -> Option<&'static str> {
    match status {
        LibraryRunStatus::Working => {
            Some("still running: repeat this call with the same input, it attaches to the run")
        }
        LibraryRunStatus::ReviewRequired => Some("tell the user what message says; nothing was run"),
        LibraryRunStatus::Prepared
        | LibraryRunStatus::Completed
        | LibraryRunStatus::Failed
        | LibraryRunStatus::TimedOut
        | LibraryRunStatus::Cancelled => None,
    }
}

async fn observe(mut call: Call<'_>) -> Result<CallToolResult, Failure> {
    let params = LibraryObserveParams {
        workflow_name: call.arguments.text("workflow_name").unwrap_or_default(),
        description: call.arguments.text("description").unwrap_or_default(),
        task: call.arguments.text("task").unwrap_or_default(),
        sample: call.arguments.text("sample").unwrap_or_default(),
        project: call.arguments.text("project").unwrap_or_default(),
        success: call.arguments.flag_or("success", true),
        tags: call.arguments.texts("tags"),
        plan_id: call.arguments.filled("plan_id").map(lwa_domain::PlanId::new),
    };
    let observed = call.ask::<LibraryObserve>(params).await?;
    let mut fields = reply::structured(&observed)?;
    if let Some(tool) = fields.get_mut("created_tool") {
        keep_of(tool, &CHANGED);
    }
    Ok(reply::succeeded(fields))
}

async fn list(mut call: Call<'_>) -> Result<CallToolResult, Failure> {
    let params = LibraryListParams { status: call.arguments.filled("status") };
    let list = call.ask::<LibraryGetList>(params).await?;
    Ok(tools(reply::structured(&list)?))
}

async fn search(mut call: Call<'_>) -> Result<CallToolResult, Failure> {
    let params = LibrarySearchParams {
        query: call.arguments.text("query").unwrap_or_default(),
        task: call.arguments.filled("task"),
        status: None,
        limit: call.arguments.whole("limit"),
    };
    let found = call.ask::<LibrarySearch>(params).await?;
    Ok(tools(reply::structured(&found)?))
}

/// A list of tools that a client shows whole; `read_library_tool` has the rest of each.
fn tools(mut fields: Map<String, Value>) -> CallToolResult {
    if let Some(Value::Array(tools)) = fields.get_mut("tools") {
        for tool in tools {
            keep_of(tool, &LISTED);
        }
    }
    reply::fit(&mut fields, "tools");
    reply::succeeded(fields)
}

async fn read(mut call: Call<'_>) -> Result<CallToolResult, Failure> {
    let params = named(&mut call);
    let view = call.ask::<LibraryRead>(params).await?;
    let mut fields = reply::structured(&view)?;
    if let Some(Value::Object(tool)) = fields.get_mut("tool") {
        // The content is this text.
        tool.remove("prompt_template");
    }
    if let Some(kept) = text_budget::cut(&view.content, CONTENT_BYTES) {
        fields.insert("content".to_owned(), kept.into());
        fields.insert("content_truncated".to_owned(), true.into());
    }
    // Both say again what stands in `tool`.
    for repeated in ["manifest", "readme"] {
        if reply::is_over_budget(&fields) {
            fields.remove(repeated);
        }
    }
    Ok(reply::succeeded(fields))
}

async fn create(mut call: Call<'_>) -> Result<CallToolResult, Failure> {
    let params = LibraryCreateParams {
        name: call.arguments.text("name").unwrap_or_default(),
        description: call.arguments.text("description").unwrap_or_default(),
        task: call.arguments.text("task").unwrap_or_default(),
        prompt_template: call.arguments.text("prompt_template").unwrap_or_default(),
        tags: call.arguments.texts("tags"),
        triggers: call.arguments.texts("triggers"),
        activate: call.arguments.flag_or("activate", true),
    };
    let tool = call.ask::<LibraryCreate>(params).await?;
    let next = if tool.status == "active" { "run_library_tool" } else { "approve_library_tool asks the human" };
    changed(&tool, Some(next))
}

async fn register(mut call: Call<'_>) -> Result<CallToolResult, Failure> {
    let params = LibraryRegisterParams {
        name: call.arguments.text("name").unwrap_or_default(),
        description: call.arguments.text("description").unwrap_or_default(),
        task: call.arguments.text("task").unwrap_or_default(),
        source: call.arguments.text("source").unwrap_or_default(),
        filename: call.arguments.filled("filename"),
        tags: call.arguments.texts("tags"),
        triggers: call.arguments.texts("triggers"),
    };
    let tool = call.ask::<LibraryRegisterScript>(params).await?;
    changed(&tool, Some("approve_library_tool asks the human, who reads the script first"))
}

async fn approve(mut call: Call<'_>) -> Result<CallToolResult, Failure> {
    let LibraryToolParams { slug } = named(&mut call);
    let answer = async {
        call.host.reach(&call.client).await?;
        let params = LibraryApproveParams { slug, hold_ms: call.hold.remaining_ms() };
        call.host.call::<LibraryApprove>(&call.client, params, None).await
    };
    let answer = call
        .hold
        .asked("waiting for the human: the question is in the Lwa window and in `lwa approvals list`", answer)
        .await?;
    let mut fields = reply::structured(&answer)?;
    if let Some(tool) = fields.get_mut("tool") {
        keep_of(tool, &CHANGED);
    }
    let next = match answer.status {
        ApproveStatus::Ready => Some("run_library_tool runs it"),
        ApproveStatus::ApprovalPending => {
            Some("the human has not answered yet: repeat this call, it attaches to the open question")
        }
        ApproveStatus::Unavailable => {
            Some("tell the user what message says and stop; repeat this call only after they say that they answered")
        }
        _ => None,
    };
    if let Some(next) = next {
        fields.insert("next_step".to_owned(), next.into());
    }
    Ok(reply::succeeded(fields))
}

async fn disable(mut call: Call<'_>) -> Result<CallToolResult, Failure> {
    let params = named(&mut call);
    let tool = call.ask::<LibraryDisable>(params).await?;
    changed(&tool, None)
}

async fn analyze(call: Call<'_>) -> Result<CallToolResult, Failure> {
    let params = LibraryAnalyzeParams { limit: call.arguments.whole("limit") };
    let analyzed = call.ask::<LibraryAnalyze>(params).await?;
    let mut fields = reply::structured(&analyzed)?;
    if let Some(Value::Array(tools)) = fields.get_mut("created_tools") {
        for tool in tools {
            keep_of(tool, &CHANGED);
        }
    }
    reply::fit(&mut fields, "patterns");
    Ok(reply::succeeded(fields))
}

fn named(call: &mut Call<'_>) -> LibraryToolParams {
    LibraryToolParams { slug: call.arguments.text("slug").unwrap_or_default() }
}

/// A tool after one change.
fn changed(tool: &LibraryTool, next: Option<&str>) -> Result<CallToolResult, Failure> {
    let mut fields = reply::structured(tool)?;
    fields.retain(|name, _| CHANGED.contains(&name.as_str()));
    if let Some(next) = next {
        fields.insert("next_step".to_owned(), next.into());
    }
    Ok(reply::succeeded(fields))
}

fn keep_of(tool: &mut Value, names: &[&str]) {
    if let Value::Object(tool) = tool {
        tool.retain(|name, _| names.contains(&name.as_str()));
    }
}
