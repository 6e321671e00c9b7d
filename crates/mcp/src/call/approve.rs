//! Asking the human to consent to a plan.

use lwa_protocol::Failure;
use lwa_protocol::method::PlanApprove;
use lwa_protocol::plan::{ApproveParams, ApproveStatus};
use rmcp::model::CallToolResult;

use super::Call;
use crate::reply;

pub(super) async fn approve(mut call: Call<'_>) -> Result<CallToolResult, Failure> {
    let confirmation_token = call.arguments.text("confirmation_token").unwrap_or_default();
    let answer = async {
        call.host.reach(&call.client).await?;
        let params = ApproveParams { confirmation_token, hold_ms: call.hold.remaining_ms() };
        call.host.call::<PlanApprove>(&call.client, params, None).await
    };
    let answer = call
        .hold
        .asked("waiting for the human: the question is in the Lwa window and in `lwa approvals list`", answer)
        .await?;
    let mut fields = reply::structured(&answer)?;
    if let Some(next) = next_step(answer.status) {
        fields.insert("next_step".to_owned(), next.into());
    }
    Ok(reply::succeeded(fields))
}

fn next_step(status: ApproveStatus) -> Option<&'static str> {
    match status {
        ApproveStatus::Ready => Some("call run_prepared_task with the plan_token of this plan"),
        ApproveStatus::ApprovalPending => Some(
            "the human has not answered yet: repeat this call with the same confirmation_token, it attaches to the open question",
        ),
        ApproveStatus::Unavailable => {
            Some("tell the user what message says and stop; repeat this call only after they say that they answered")
        }
        ApproveStatus::Denied | ApproveStatus::Dismissed | ApproveStatus::TimedOut | ApproveStatus::Withdrawn => None,
    }
}
