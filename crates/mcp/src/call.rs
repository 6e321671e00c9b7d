//! The work behind the tools: arguments in, a call of the host, a reply out.

mod approve;
mod library;
mod prepare;
mod run;
mod status;
mod upkeep;

use lwa_domain::{ErrorCode, UnknownLabel};
use lwa_protocol::Failure;
use lwa_protocol::host::ClientInfo;
use rmcp::model::CallToolResult;

use crate::arguments::Arguments;
use crate::hold::Hold;
use crate::host_link::HostLink;
use crate::tool::parameter::DETAILS;
use crate::tool::{ToolRow, Work};

/// One call of a tool.
pub(crate) struct Call<'a> {
    pub(crate) host: &'a HostLink,
    pub(crate) client: ClientInfo,
    pub(crate) hold: Hold,
    pub(crate) arguments: Arguments,
    pub(crate) detail: Detail,
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
    pub(crate) async fn work(self, row: &ToolRow) -> Result<CallToolResult, Failure> {
        match row.work {
            Work::Prepare(preparation) => prepare::prepare(self, preparation).await,
            Work::Approve => approve::approve(self).await,
            Work::Run => run::run(self).await,
            Work::Status => status::status(self).await,
            Work::Upkeep(upkeep) => upkeep::upkeep(self, upkeep).await,
            Work::Library(work) => library::library(self, work).await,
        }
    }
}

/// The failure of a call whose own code failed.
pub(crate) fn internal() -> Failure {
    Failure::new(ErrorCode::Internal, "the call failed inside Lwa")
        .hint("repeat it once; if it fails again, run `lwa doctor` in a terminal")
}
