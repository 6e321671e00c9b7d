//! The MCP server: what is listed, and which call does what.

use std::borrow::Cow;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use lwa_domain::ClientName;
use lwa_domain::label::nearest;
use lwa_protocol::Failure;
use lwa_protocol::host::ClientInfo;
use rmcp::ServerHandler;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, ErrorData, GetPromptRequestParams, GetPromptResponse,
    Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ServerCapabilities, ServerConfig, SubscriptionFilter,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use tokio_util::sync::CancellationToken;

use crate::arguments::Arguments;
use crate::call::{self, Call, Caller, Detail, Round};
use crate::hold::Hold;
use crate::host_link::HostLink;
use crate::origin::Origin;
use crate::origin::environment::ClientEnvironment;
use crate::question::desk::QuestionDesk;
use crate::tool::{self, ToolRow};
use crate::toolset::ToolSet;
use crate::{prompt, reply, resource};

/// The lists are fixed for the life of the process.
const LIST_TTL_MS: u64 = 3_600_000;

/// What clients tell the model about the whole server. Some cut it, so the order is by importance.
const INSTRUCTIONS: &str = "Lwa does side work so that you keep your own context and quota: it compresses long \
conversations and logs, shortens prompts, answers small questions, reviews, edits and drafts, on the cheapest suitable \
model the user configured, on this machine where possible.

Always in this order:
1. prepare_task (or an alias of it) picks a route and locks a plan. It calls no model and costs nothing.
2. Only if the reply says requires_confirmation: approve_preflight with its confirmation_token. That opens a question \
for the human. You cannot consent for them; approval_pending means repeat the call, \
unavailable means tell the user how to answer and stop, any refusal is final for that plan.
3. run_prepared_task with the plan_token runs the plan once and returns text. Status working means repeat the same \
call. A repeat never runs twice: it hands back the stored result with replayed true.

On repreflight_required prepare a new plan. When no route is found, router_status says why and what the user can do.

Without any configured model the provider builtin still serves the tasks conversation_compression and \
token_optimization, free and on this machine.

build_consensus asks several free models and writes one synthesis; generate_image makes a picture; both only prepare.

local_llm_run and local_llm_delegate run commands and read files on this machine and hand back a short result with \
private values replaced: for output over about 40 lines or 2 KB, and for private material. They are off until the user \
turns them on; the first call asks. After a no do not ask again and do the work yourself.

The prompt you give has to be complete in itself: the model sees nothing of your conversation. Check what comes back \
before you rely on it. Long results are shortened in the reply, linked as lwa://result/PLAN_ID \
and readable in pieces with text_offset. Keys and settings are the \
user's: they are changed in the Lwa app or with the lwa command, never through these tools.";

/// What a process decides about its face.
#[derive(Debug, Default)]
pub struct FaceOptions {
    /// The sets of tools that are offered.
    pub sets: Vec<ToolSet>,
    /// The client's name, where the user registered it under one of their own.
    pub client: Option<ClientName>,
    /// The folder the client works in.
    pub cwd: Option<String>,
    /// The client's variables, for commands that run in its stead.
    pub environment: ClientEnvironment,
    /// The conversation that the process is for, where the user or a script names it.
    pub session: Option<String>,
    /// The mode that the worker has here: `pii` or `assist`.
    pub mode: Option<String>,
    /// Whether the user switched the worker's decisions on.
    pub has_decisions: bool,
}

/// The MCP server of one client. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Face {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    rows: Vec<ToolRow>,
    client: Option<ClientName>,
    origin: Origin,
    desk: QuestionDesk,
    host: HostLink,
    ended: CancellationToken,
}

impl Face {
    /// A face that reaches the host through `host` and lets go of subscriptions when `ended` is cancelled.
    pub fn new(options: FaceOptions, host: HostLink, ended: CancellationToken) -> Self {
        let FaceOptions { sets, client, cwd, environment, session, mode, has_decisions } = options;
        let origin = Origin { session, mode, cwd, environment };
        let (rows, desk) = (tool::rows(&sets, has_decisions), QuestionDesk::default());
        Self { shared: Arc::new(Shared { rows, client, origin, desk, host, ended }) }
    }

    /// How many tools are offered.
    pub fn tool_count(&self) -> usize {
        self.shared.rows.len()
    }

    fn client(&self, context: &RequestContext<RoleServer>) -> ClientInfo {
        let info = context.client_info();
        let own_name = info.as_ref().map(|info| info.name.trim()).filter(|name| !name.is_empty());
        let name = self.shared.client.clone().unwrap_or_else(|| ClientName::new(own_name.unwrap_or("mcp-client")));
        ClientInfo { name, version: info.map(|info| info.version), cwd: self.shared.origin.cwd.clone() }
    }

    fn row(&self, name: &str) -> Result<ToolRow, ErrorData> {
        if let Some(row) = self.shared.rows.iter().find(|row| row.name == name) {
            return Ok(*row);
        }
        if let Some(row) = tool::every_row().iter().find(|row| row.name == name) {
            let set = row.set.as_str();
            let mut message =
                format!("the tool `{name}` is not offered here: start the server with `--toolsets {set}`");
            if row.needs_decisions() {
                message.push_str(", when the user has set `worker.decide` to true");
            }
            return Err(ErrorData::invalid_params(message, None));
        }
        let shown: String = name.chars().take(60).collect();
        let near = nearest(name, self.shared.rows.iter().map(|row| row.name));
        let hint = near.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
        Err(ErrorData::invalid_params(format!("unknown tool `{shown}`{hint}"), None))
    }

    fn caller<'a>(&'a self, context: &'a RequestContext<RoleServer>, round: Round) -> Caller<'a> {
        Caller { origin: &self.shared.origin, desk: &self.shared.desk, context, round }
    }

    /// Whether this process offers the worker's tools, and with them its prompt and its resource.
    fn has_worker(&self) -> bool {
        self.shared.rows.iter().any(|row| row.set == ToolSet::Worker)
    }

    /// Whether this process offers decisions, and with them the resource of their questions.
    fn has_decisions(&self) -> bool {
        self.shared.rows.iter().any(ToolRow::needs_decisions)
    }

    async fn work(
        &self,
        row: ToolRow,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let outcome = async {
            let caller =
                self.caller(context, Round { handle: request.request_state, replies: request.input_responses });
            let mut arguments = Arguments::check(request.arguments, &row.parameters())?;
            let detail = Detail::of(&mut arguments)?;
            let (client, hold) = (self.client(context), Hold::of(context));
            let call = Call { host: &self.shared.host, client, hold, arguments, detail, caller };
            // Boxed, because the future of all tools together is large.
            Box::pin(call.work(&row)).await
        };
        guarded(outcome).await
    }
}

/// The result of a call, whatever becomes of it.
async fn guarded(outcome: impl Future<Output = Result<CallToolResponse, Failure>>) -> CallToolResponse {
    // A panic would leave the client waiting for ever; it is a fault of ours and says so.
    match AssertUnwindSafe(outcome).catch_unwind().await {
        Ok(Ok(result)) => result,
        Ok(Err(failure)) => reply::failed(&failure).into(),
        Err(_) => reply::failed(&call::internal()).into(),
    }
}

/// How long a list may be kept: only clients of the stateless era know what that means.
fn cache_hints(context: &RequestContext<RoleServer>) -> (Option<u64>, Option<CacheScope>) {
    let is_stateless = context.protocol_version().is_some_and(|version| !version.has_initialize());
    if is_stateless { (Some(LIST_TTL_MS), Some(CacheScope::Private)) } else { (None, None) }
}

impl ServerHandler for Face {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_prompts().enable_resources().enable_tools().build();
        let implementation = Implementation::new("lwa", env!("CARGO_PKG_VERSION")).with_title("Lwa");
        ServerConfig::new(capabilities).with_server_info(implementation).with_instructions(INSTRUCTIONS)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let answer = self.negotiate_initialize(&request)?;
        // What was agreed decides about later requests, not what was asked for.
        let agreed = request.with_protocol_version(answer.protocol_version.clone());
        context.peer.set_peer_info(agreed);
        Ok(answer)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.shared.rows.iter().map(ToolRow::listed).collect();
        let mut list = ListToolsResult::with_all_items(tools);
        (list.ttl_ms, list.cache_scope) = cache_hints(&context);
        Ok(list)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let row = self.row(&request.name)?;
        let cancelled = context.ct.clone();
        tokio::select! {
            biased;
            // Dropping the work tells the host; the SDK sends nothing more for this request.
            () = cancelled.cancelled() => Err(ErrorData::internal_error("cancelled", None)),
            result = self.work(row, request, &context) => Ok(result),
        }
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut list =
            ListResourcesResult::with_all_items(resource::resources(self.has_worker(), self.has_decisions()));
        (list.ttl_ms, list.cache_scope) = cache_hints(&context);
        Ok(list)
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut list = ListResourceTemplatesResult::with_all_items(resource::templates(self.has_worker()));
        (list.ttl_ms, list.cache_scope) = cache_hints(&context);
        Ok(list)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let (client, hold) = (self.client(&context), Hold::of(&context));
        let caller = self.caller(&context, Round::default());
        let read = resource::read(&self.shared.host, &client, &hold, &caller, &request.uri);
        tokio::select! {
            biased;
            () = context.ct.cancelled() => Err(ErrorData::internal_error("cancelled", None)),
            outcome = read => Ok(ReadResourceResult::new(vec![outcome?]).into()),
        }
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut list = ListPromptsResult::with_all_items(prompt::prompts(self.has_worker()));
        (list.ttl_ms, list.cache_scope) = cache_hints(&context);
        Ok(list)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name != prompt::WORKER {
            return prompt::get(&request).map(Into::into);
        }
        let (client, hold) = (self.client(&context), Hold::of(&context));
        let caller = self.caller(&context, Round::default());
        let rules = call::worker_rules(&self.shared.host, &client, &hold, &caller);
        tokio::select! {
            biased;
            () = context.ct.cancelled() => Err(ErrorData::internal_error("cancelled", None)),
            rules = rules => match rules {
                Ok(rules) => Ok(prompt::worker(rules).into()),
                Err(failure) => Err(reply::protocol_error(&failure)),
            },
        }
    }

    /// Nothing changes in the life of a process, so a subscription is accepted and stays silent.
    fn accepted_subscription_filter(&self, _requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(SubscriptionFilter::default())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        tokio::select! {
            () = context.cancelled() => {}
            () = self.shared.ended.cancelled() => {}
        }
        Ok(())
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_fault_of_ours_is_an_answer() {
        let CallToolResponse::Complete(result) = guarded(async { panic!("with a prompt in it") }).await else {
            panic!("a fault asks for nothing");
        };
        assert_eq!(result.is_error, Some(true));
        let shown = serde_json::to_string(&result).unwrap();
        assert!(shown.contains("internal") && !shown.contains("prompt in it"), "{shown}");
    }
}
