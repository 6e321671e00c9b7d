//! The work behind the tools: arguments in, a call of the host, a reply out.

mod approve;
mod library;
mod prepare;
mod run;
mod status;
mod upkeep;
mod worker;

use lwa_domain::{ErrorCode, UnknownLabel};
use lwa_protocol::Failure;
use lwa_protocol::host::ClientInfo;
use lwa_protocol::method::WorkerGetStatus;
use lwa_protocol::worker::{WorkerCall, WorkerCallParams};
use rmcp::RoleServer;
use rmcp::model::{CallToolResponse, InputResponses};
use rmcp::service::RequestContext;

use crate::arguments::Arguments;
use crate::hold::Hold;
use crate::host_link::HostLink;
use crate::origin::{Origin, Said};
use crate::question::Way;
use crate::question::desk::QuestionDesk;
use crate::tool::parameter::DETAILS;
use crate::tool::{ToolRow, Work};

/// One call of a tool.
pub(crate) struct Call<'a> {
    pub(crate) host: &'a HostLink,
    pub(crate) client: ClientInfo,
    pub(crate) hold: Hold,
    pub(crate) arguments: Arguments,
    pub(crate) detail: Detail,
    pub(crate) caller: Caller<'a>,
}

/// Who makes a call, and how they can be asked something.
pub(crate) struct Caller<'a> {
    pub(crate) origin: &'a Origin,
    pub(crate) desk: &'a QuestionDesk,
    pub(crate) context: &'a RequestContext<RoleServer>,
    /// What the client brought back from an earlier round of the same call.
    pub(crate) round: Round,
}

/// A further round of a call, in the stateless era.
#[derive(Debug, Default)]
pub(crate) struct Round {
    /// The handle that the last round was sent away with.
    pub(crate) handle: Option<String>,
    /// The replies to what the last round asked.
    pub(crate) replies: Option<InputResponses>,
}

impl Caller<'_> {
    /// How the client can be asked.
    pub(crate) fn way(&self) -> Way {
        Way::of(self.context)
    }

    /// Where the call comes from, for the host; it is to be answered within `hold_ms`.
    pub(crate) fn worker_call(&self, hold_ms: u32) -> WorkerCall {
        let info = self.context.client_info();
        let client = info.as_ref().map(|info| info.name.as_str()).unwrap_or_default();
        let said = Said { meta: &self.context.meta, client, has_dialogs: self.way() != Way::Nowhere };
        self.origin.call(said, hold_ms)
    }
}

/// How much a reply tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Detail {
    Compact,
    Standard,
    Debug,
}

impl Detail {
    /// The detail asked for; compact when none was.
    ///
    /// # Errors
    /// The label is none of the three.
    pub(crate) fn of(arguments: &mut Arguments) -> Result<Self, Failure> {
        match arguments.text("response_detail").as_deref() {
            None | Some("compact") => Ok(Self::Compact),
            Some("standard") => Ok(Self::Standard),
            Some("debug") => Ok(Self::Debug),
            Some(other) => Err(UnknownLabel::new("response_detail", other, DETAILS).into()),
        }
    }
}

impl Call<'_> {
    /// Does the tool's work.
    ///
    /// # Errors
    /// The host's failure.
    pub(crate) async fn work(self, row: &ToolRow) -> Result<CallToolResponse, Failure> {
        let done = match row.work {
            Work::Prepare(preparation) => prepare::prepare(self, preparation).await,
            Work::Approve => approve::approve(self).await,
            Work::Run => run::run(self).await,
            Work::Status => status::status(self).await,
            Work::Upkeep(upkeep) => upkeep::upkeep(self, upkeep).await,
            Work::Library(work) => library::library(self, work).await,
            Work::Worker(tool) => return worker::worker(self, tool).await,
        };
        done.map(Into::into)
    }
}

/// The rules of the worker in this conversation, as they stand.
///
/// # Errors
/// The host's failure.
pub(crate) async fn worker_rules(
    host: &HostLink,
    client: &ClientInfo,
    hold: &Hold,
    caller: &Caller<'_>,
) -> Result<String, Failure> {
    let params = WorkerCallParams { call: caller.worker_call(0) };
    let status = hold.answered("asking the host", None, host.call::<WorkerGetStatus>(client, params, None)).await?;
    Ok(status.instructions)
}

/// The failure of a call whose own code failed.
pub(crate) fn internal() -> Failure {
    Failure::new(ErrorCode::Internal, "the call failed inside Lwa")
        .hint("repeat it once; if it fails again, run `lwa doctor` in a terminal")
}
