//! `worker/artifact`: exact slices of stored material. The whole is scrubbed first, and what a slice touches is read for
//! names in whole lines, so no cut can halve a value.

use std::sync::Arc;

use lwa_domain::ErrorCode;
use lwa_protocol::Failure;
use lwa_protocol::worker::{WorkerAnswer, WorkerArtifactParams, WorkerCall, WorkerFacts, WorkerStatusKind};
use lwa_worker::artifact::{ArtifactError, ArtifactRef, DEFAULT_LIMIT, MOST_LIMIT, Wanted};
use lwa_worker::trailer::SliceTrailer;

use super::job::{JobHandle, Made};
use super::turn_on::Passed;
use super::{failed, plain, with_rules};
use crate::caller::Caller;
use crate::engine::Engine;
use crate::failure;

/// The shortest slice that may be asked for.
const LEAST_LIMIT: usize = 100;

impl Engine {
    /// `worker/artifact`.
    ///
    /// # Errors
    /// The reference is none, or a number is out of range.
    pub async fn worker_artifact(
        &self,
        caller: &Caller,
        params: WorkerArtifactParams,
    ) -> Result<WorkerAnswer, Failure> {
        let Ok(reference) = params.reference.trim().parse::<ArtifactRef>() else {
            return Err(Failure::new(ErrorCode::InvalidInput, "`ref` is no reference of an artifact")
                .hint("it is `a_` and eight hexadecimal digits, as a trailer names it"));
        };
        let limit = usize::try_from(params.limit).unwrap_or(usize::MAX);
        if limit != 0 && !(LEAST_LIMIT..=MOST_LIMIT).contains(&limit) {
            let message = format!("`limit` is {}, and it has to be {LEAST_LIMIT} to {MOST_LIMIT}", params.limit);
            return Err(Failure::new(ErrorCode::InvalidInput, message).hint("0 stands for 4,000"));
        }
        if params.line_end != 0 && params.line_end < params.line_start {
            return Err(Failure::new(ErrorCode::InvalidInput, "`line_end` is before `line_start`")
                .hint("give both, the first line first"));
        }
        let arguments =
            serde_json::json!([params.reference, params.offset, params.limit, params.line_start, params.line_end]);
        let (engine, asking, call) = (self.clone(), caller.clone(), params.call.clone());
        let work = |job: JobHandle| -> super::job::JobFuture {
            Box::pin(async move {
                let params = WorkerArtifactParams {
                    call: WorkerCall { session: job.conversation(), ..params.call.clone() },
                    ..params
                };
                tokio::select! {
                    answer = engine.artifact_work(&asking, &params, &job, reference) => answer,
                    () = job.cancel.cancelled() => Ok(super::refused("the call was cancelled")),
                }
            })
        };
        self.hold_job(caller, &call, "worker/artifact", &arguments.to_string(), work).await
    }

    async fn artifact_work(
        &self,
        caller: &Caller,
        params: &WorkerArtifactParams,
        job: &JobHandle,
        reference: ArtifactRef,
    ) -> Result<WorkerAnswer, Failure> {
        let surroundings = self.worker_surroundings(caller, &params.call)?;
        let rules = match self.pass_gate(caller, &params.call, job, &surroundings, "local_llm_artifact").await? {
            Passed::No(answer) => return Ok(*answer),
            Passed::Yes { rules } => rules,
        };
        let model = self.workers(&surroundings.config).await?.model.clone();
        let key = self.hold_session(caller, &params.call, &surroundings).await?.key.clone();
        let folder = self.artifact_folder(&key)?;
        let read = {
            let reference = reference.clone();
            tokio::task::spawn_blocking(move || folder.read(&reference)).await.map_err(|_| failure::unexpected())?
        };
        let text = match read {
            Ok(text) => Arc::new(text),
            Err(ArtifactError::Unknown(reference)) => {
                let text = format!(
                    "Error: there is no artifact `{reference}` in this conversation. References are per conversation; \
                     local_llm_status says how many there are, and trailers name them."
                );
                return Ok(failed(with_rules(rules, text)));
            }
            Err(error) => return Err(super::session::artifact_failure(&error)),
        };
        let known = self.host_secrets().await;
        let number = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
        let wanted = if params.line_start > 0 {
            Wanted::Lines { first: number(params.line_start), last: number(params.line_end) }
        } else {
            let limit = if params.limit == 0 { DEFAULT_LIMIT } else { number(u64::from(params.limit)) };
            Wanted::Chars { offset: number(params.offset), limit }
        };
        // Once more where something was closed while it was read.
        let (slice, outbound, mode, closings) = loop {
            let (way, closings) = {
                let session = self.hold_session(caller, &params.call, &surroundings).await?;
                (self.way_out(&session, &surroundings).with_model(model.clone()), session.closings)
            };
            // What was stored before a term or a rule was added is looked at with what holds now.
            way.register(text.clone(), known.clone()).await?;
            let (slice, outbound) = way.slice(text.clone(), wanted).await?;
            let session = self.hold_session(caller, &params.call, &surroundings).await?;
            if session.closings == closings {
                self.store_session(&session).await?;
                break (slice, outbound, session.mode, closings);
            }
        };
        let next = slice.next_label();
        let trailer = SliceTrailer {
            artifact: reference,
            range: slice.range,
            next,
            leak_check: outbound.leak_check(),
            withheld_lines: outbound.withheld_lines(),
            scrubbed: outbound.counts().clone(),
        };
        let masked = outbound
            .counts()
            .iter()
            .map(|(kind, count)| (kind.as_str().to_owned(), u64::try_from(*count).unwrap_or(u64::MAX)))
            .collect();
        let facts = WorkerFacts {
            mode: mode.as_str().to_owned(),
            reference: Some(trailer.artifact.to_string()),
            withheld_lines: u32::try_from(outbound.withheld_lines()).unwrap_or(u32::MAX),
            masked,
            ..WorkerFacts::default()
        };
        let start = with_rules(rules.clone(), String::new()).len();
        let text = with_rules(rules, trailer.under(outbound.as_str()));
        job.made(Made { closings, body: start..start + outbound.as_str().trim_end().len() });
        Ok(WorkerAnswer { facts, ..plain(WorkerStatusKind::Completed, text) })
    }
}
