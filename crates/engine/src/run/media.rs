//! A picture or a film: started once, its job kept before anybody waits, asked about until it ends, then fetched.
//!
//! A job that may be paid is never given up by a deadline of ours. A host that ends while a job runs leaves it in the
//! database, and the next host goes on asking.

use std::time::Duration;

use lwa_domain::{ErrorCode, PicoUsd, PlanMode, Price};
use lwa_protocol::Failure;
use lwa_protocol::plan::{MaskedValue, MediaAnswer, MediaFileView, RunStatus};
use lwa_providers::media::shape::shape_for;
use lwa_providers::media::{
    Charge, ContentFilter, FileFormat, Finished, JobHandle, JobState, MediaCall, MediaFolder, MediaKind, MediaOptions,
    MediaRequest, Receipt, SavedFile, Submitted, fetch, is_worth_asking_again, poll, release, submit,
};
use lwa_providers::{Endpoint, ProviderError};
use lwa_store::{PlanRecord, Settlement};
use tokio::time::Instant;

use super::account::{Fault, display, stopped, unfinished};
use super::{Work, elapsed_ms, narrow, work_of};
use crate::catalogue::ModelCall;
use crate::engine::Engine;
use crate::failure;

/// Questions about a job that may fail one after the other before a person is told; the job is kept.
const PATIENCE: u32 = 20;
/// The longest pause between two questions.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// A job that is older is asked about no more: no provider works for so long.
const LONGEST_JOB: Duration = Duration::from_hours(24);

/// How a job ended.
enum End {
    Files { files: Vec<SavedFile>, failures: Vec<String>, receipt: Receipt, job_id: Option<String> },
    Filtered(ContentFilter),
    Failed { failure: Failure, may_have_cost: bool },
}

impl End {
    fn failed(error: &ProviderError, may_have_cost: bool) -> Self {
        Self::Failed { failure: failure::provider(error), may_have_cost }
    }
}

impl Engine {
    pub(super) async fn work_media(&self, plan: &PlanRecord, since: Instant) -> Work {
        let mut masked = Vec::new();
        let end = match self.media(plan, &mut masked).await {
            Ok(end) => end,
            // Our own database failed; what may be paid keeps its reservation.
            Err(failure) => End::Failed { failure, may_have_cost: true },
        };
        let price = self.price_of(&plan.provider, &plan.model);
        let mut work = account_for(plan, end, price.as_ref(), elapsed_ms(since));
        work.answer.masked = masked;
        work
    }

    async fn media(&self, plan: &PlanRecord, values: &mut Vec<MaskedValue>) -> Result<End, Failure> {
        let known = self.db.media_job(&plan.plan_id).await.map_err(failure::store)?;
        let known: Option<JobHandle> =
            known.map(serde_json::from_value).transpose().map_err(|error| failure::json(&error))?;
        let (endpoint, slot, model, folder) = match (self.begin(plan, known.is_some()).await, &known) {
            (Ok(begun), _) => begun,
            (Err(failure), None) => return Ok(End::Failed { failure, may_have_cost: false }),
            (Err(failure), Some(job)) => {
                return Ok(End::Failed { failure: failure.hint(look_there(job)), may_have_cost: true });
            }
        };
        let call = MediaCall::new(&self.http, &endpoint);
        let handle = if let Some(handle) = known {
            handle
        } else {
            let details = work_of(plan)?;
            let prompt = plan.prompt.clone().unwrap_or_default();
            let masked = match self.mask_for(None, &prompt, None, &endpoint).await {
                Ok(masked) => masked,
                Err(failure) => return Ok(End::Failed { failure, may_have_cost: false }),
            };
            values.clone_from(&masked.values);
            let kind = kind_of(plan.mode);
            let shape = shape_for(&plan.provider, model.adapter.as_str()).filter(|shape| shape.makes(kind));
            let Some(shape) = shape else {
                let failure = Failure::new(
                    ErrorCode::ProviderRejected,
                    format!("it is not known how to ask `{}` for {kind}; nothing was sent", plan.provider),
                )
                .hint("name another provider");
                return Ok(End::Failed { failure, may_have_cost: false });
            };
            let mut request = MediaRequest::new(&shape.name, kind, &plan.model, masked.prompt);
            let metadata = details.media.unwrap_or_default();
            request.options = MediaOptions::from_metadata(request.kind, &metadata)
                .map_err(|error| Failure::new(ErrorCode::InvalidInput, error.to_string()))?;
            request.input_mapping = model.input_mapping;
            match submit(&call, &request).await {
                Ok(Submitted::Done(finished)) => return self.saved(plan, finished, &folder).await,
                Ok(Submitted::ContentFiltered(filter)) => return Ok(End::Filtered(filter)),
                Ok(Submitted::Job(handle)) => {
                    self.keep_job(plan, &handle).await;
                    handle
                }
                Err(error) => {
                    self.note_quotas(&plan.provider, &error.failure().quota).await;
                    self.cool_key(&plan.provider, slot.as_deref(), &Fault::of(&error));
                    return Ok(End::failed(&error, error.may_have_cost()));
                }
            }
        };
        self.wait_for(plan, &call, handle, &folder).await
    }

    /// What a submission or a question needs. A key that rests begins nothing, and may ask about a job that it began.
    async fn begin(
        &self,
        plan: &PlanRecord,
        has_job: bool,
    ) -> Result<(Endpoint, Option<String>, ModelCall, MediaFolder), Failure> {
        let folder = MediaFolder::open(&self.home.generated_dir(), &plan.plan_id)
            .map_err(|error| Failure::new(ErrorCode::Internal, error.to_string()))?;
        if has_job {
            let (endpoint, model) = self.endpoint(&plan.provider, &plan.model).await?;
            return Ok((endpoint, None, model, folder));
        }
        let (keys, model) = self.keys_and_model(&plan.provider, &plan.model).await?;
        let key = keys.into_iter().next().flatten();
        let slot = key.as_ref().map(|key| key.slot.clone());
        Ok((self.endpoint_for(&plan.provider, key).await?, slot, model, folder))
    }

    /// Asks about a job until it ends.
    async fn wait_for(
        &self,
        plan: &PlanRecord,
        call: &MediaCall<'_>,
        mut handle: JobHandle,
        folder: &MediaFolder,
    ) -> Result<End, Failure> {
        let mut failures = 0;
        loop {
            let wait = match poll(call, &handle).await {
                Ok(JobState::Done { handle: ready, .. }) => {
                    handle = *ready;
                    self.keep_job(plan, &handle).await;
                    match fetch(call, &handle, folder).await {
                        Ok(fetched) => {
                            for error in &fetched.failures {
                                tracing::warn!(%error, plan = %plan.plan_id, "a file of a job did not arrive");
                            }
                            let failures = fetched.failures.iter().map(ToString::to_string).collect();
                            let job_id = Some(handle.id.clone()).filter(|id| !id.is_empty());
                            return Ok(End::Files { files: fetched.files, failures, receipt: handle.receipt, job_id });
                        }
                        Err(error) => {
                            failures += 1;
                            if failures >= PATIENCE {
                                let failure = Failure::new(ErrorCode::ProviderFailed, error.to_string()).hint(format!(
                                    "the job `{}` is done at `{}` and may be paid; fetch its result there",
                                    handle.id, handle.provider
                                ));
                                return Ok(End::Failed { failure, may_have_cost: true });
                            }
                            // A full disk needs a person, and a person needs time.
                            Duration::from_secs(2 << failures.min(5))
                        }
                    }
                }
                Ok(JobState::Working { .. }) if handle.age() > LONGEST_JOB => {
                    let failure = Failure::new(ErrorCode::ProviderTimedOut, "the job did not end within a day");
                    return Ok(End::Failed { failure: failure.hint(look_there(&handle)), may_have_cost: true });
                }
                Ok(JobState::Working { wait, .. }) => {
                    failures = 0;
                    wait
                }
                Ok(JobState::Failed { error, may_have_cost }) => return Ok(End::failed(&error, may_have_cost)),
                Ok(JobState::ContentFiltered(filter)) => return Ok(End::Filtered(filter)),
                // A network that is away says nothing about the job.
                Err(error)
                    if is_worth_asking_again(&error)
                        && (failures < PATIENCE
                            || (matches!(error, ProviderError::Unreachable { .. }) && handle.age() < LONGEST_JOB)) =>
                {
                    failures = failures.saturating_add(1);
                    error.retry_after().unwrap_or(Duration::from_secs(2 << failures.min(5)))
                }
                Err(error) => {
                    let failure = failure::provider(&error).hint(look_there(&handle));
                    return Ok(End::Failed { failure, may_have_cost: true });
                }
            };
            tokio::select! {
                () = tokio::time::sleep(wait.min(LONGEST_WAIT)) => {}
                // The job stays in the database and the next host goes on.
                () = self.stopping.cancelled() => std::future::pending().await,
            }
        }
    }

    /// Notes the job, so that another host can go on with it. One that cannot be noted is waited for all the same:
    /// it may be paid.
    async fn keep_job(&self, plan: &PlanRecord, handle: &JobHandle) {
        let kept = match serde_json::to_value(handle) {
            Ok(handle) => self.db.keep_media_job(&plan.plan_id, &handle, self.now()).await.map_err(failure::store),
            Err(error) => Err(failure::json(&error)),
        };
        if let Err(failure) = kept {
            tracing::error!(%failure, plan = %plan.plan_id, job = %handle.id, "the job of a plan could not be noted");
        }
    }

    /// Lets the provider forget a job whose files are all on record; it keeps its copy longer when it cannot be told.
    pub(super) async fn release_job(&self, plan: &PlanRecord) {
        let Ok(Some(handle)) = self.db.media_job(&plan.plan_id).await else { return };
        let Ok(handle) = serde_json::from_value::<JobHandle>(handle) else { return };
        if let Ok((endpoint, _)) = self.endpoint(&plan.provider, &plan.model).await {
            let _ = release(&MediaCall::new(&self.http, &endpoint), &handle).await;
        }
    }

    async fn saved(&self, _plan: &PlanRecord, finished: Finished, folder: &MediaFolder) -> Result<End, Failure> {
        let mut files = Vec::new();
        for file in &finished.files {
            match folder.save(file).await {
                Ok(saved) => files.push(saved),
                Err(error) => {
                    let failure = Failure::new(ErrorCode::Internal, error.to_string())
                        .hint("is the disk full or the folder of generated files read-only?");
                    return Ok(End::Failed { failure, may_have_cost: true });
                }
            }
        }
        if files.is_empty() {
            let failure = Failure::new(ErrorCode::ProviderFailed, "the provider's answer holds no file");
            return Ok(End::Failed { failure, may_have_cost: true });
        }
        Ok(End::Files { files, failures: Vec::new(), receipt: finished.receipt, job_id: None })
    }
}

fn look_there(job: &JobHandle) -> String {
    format!("the job `{}` may still end at `{}` and be billed; look at it there", job.id, job.provider)
}

pub(crate) fn kind_of(mode: PlanMode) -> MediaKind {
    match mode {
        PlanMode::Video => MediaKind::Video,
        PlanMode::Image => MediaKind::Image,
        PlanMode::Single | PlanMode::Consensus => MediaKind::Text,
    }
}

fn account_for(plan: &PlanRecord, end: End, price: Option<&Price>, latency_ms: u64) -> Work {
    let is_free = !plan.billing_class.may_cost_money();
    let mut settlement = Settlement {
        error_code: None,
        input_tokens: None,
        output_tokens: None,
        cached_tokens: None,
        usage_reported: false,
        cost: None,
        latency_ms,
    };
    let mut answer = match end {
        End::Files { files, failures, receipt, job_id } => {
            let counts =
                lwa_domain::TokenCounts::plain(receipt.input_tokens.unwrap_or(0), receipt.output_tokens.unwrap_or(0));
            let by_tokens = price
                .filter(|_| !is_free && receipt.input_tokens.is_some() && receipt.output_tokens.is_some())
                .map(|price| price.cost_of(&counts));
            settlement.cost = receipt.cost.or(by_tokens).or(is_free.then_some(PicoUsd::ZERO));
            settlement.input_tokens = receipt.input_tokens;
            settlement.output_tokens = receipt.output_tokens;
            settlement.usage_reported = receipt.input_tokens.is_some();
            let mut answer = unfinished(plan, RunStatus::Completed, "work_complete", "");
            answer.usage.input_tokens = receipt.input_tokens.map(narrow);
            answer.usage.output_tokens = receipt.output_tokens.map(narrow);
            answer.usage.reported = settlement.usage_reported;
            let views: Vec<MediaFileView> = (0..).zip(&files).map(|(index, file)| view(index, file)).collect();
            let text = views.iter().map(|file| file.path.as_str()).collect::<Vec<_>>().join("\n");
            answer.text_bytes = Some(narrow(text.len() as u64));
            answer.text = Some(text);
            answer.media = Some(MediaAnswer { files: views, job_id, is_filtered: false });
            answer.warnings.extend(failures.into_iter().map(|error| format!("a file did not arrive: {error}")));
            answer
        }
        End::Filtered(filter) => {
            settlement.cost = match filter.charge {
                Charge::NotCharged => Some(PicoUsd::ZERO),
                Charge::Charged | Charge::Unknown => is_free.then_some(PicoUsd::ZERO),
            };
            let error: ProviderError = filter.into();
            let failure = failure::provider(&error);
            settlement.error_code = Some(failure.code);
            let mut answer = stopped(plan, failure);
            answer.media = Some(MediaAnswer { is_filtered: true, ..MediaAnswer::default() });
            answer
        }
        End::Failed { failure, may_have_cost } => {
            settlement.error_code = Some(failure.code);
            settlement.cost = (is_free || !may_have_cost).then_some(PicoUsd::ZERO);
            stopped(plan, failure)
        }
    };
    answer.cost_pico_usd = settlement.cost;
    answer.latency_ms = Some(narrow(latency_ms));
    if answer.error.is_none() {
        answer.display = display(&answer, latency_ms);
    }
    Work { cost: settlement.cost, answer, settlements: vec![(0, settlement)] }
}

fn view(index: u32, file: &SavedFile) -> MediaFileView {
    MediaFileView {
        index,
        path: file.path.display().to_string(),
        mime_type: mime_type(file.format).to_owned(),
        bytes: narrow(file.bytes),
    }
}

/// The registered name of a format.
pub(crate) const fn mime_type(format: FileFormat) -> &'static str {
    match format {
        FileFormat::Png => "image/png",
        FileFormat::Jpeg => "image/jpeg",
        FileFormat::Webp => "image/webp",
        FileFormat::Gif => "image/gif",
        FileFormat::Mp4 => "video/mp4",
        FileFormat::Webm => "video/webm",
    }
}
