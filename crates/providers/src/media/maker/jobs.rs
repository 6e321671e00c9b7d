//! Videos as jobs: start, ask by id, fetch. Who differs in names only differs in the catalogue only.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::{Answer, Maker, Phase, SMALL_REPLY, ended, filtered, handle, pace, path_with, ready};
use crate::error::ProviderError;
use crate::media::MediaCall;
use crate::media::exchange::{Exchange, Reply, failed};
use crate::media::job::{JobHandle, JobState, Receipt, Source, Submitted};
use crate::media::request::MediaRequest;
use crate::media::shape::{JobsShape, PromptAs, SecondsAs};

pub(super) struct Jobs {
    pub(super) shape: &'static JobsShape,
}

impl Maker for Jobs {
    fn submit<'a>(&'a self, call: &'a MediaCall<'a>, request: &'a MediaRequest) -> Answer<'a, Submitted> {
        Box::pin(self.start(call, request))
    }

    fn poll<'a>(&'a self, call: &'a MediaCall<'a>, handle: &'a JobHandle) -> Answer<'a, JobState> {
        Box::pin(self.ask(call, handle))
    }
}

impl Jobs {
    async fn start(&self, call: &MediaCall<'_>, request: &MediaRequest) -> Result<Submitted, ProviderError> {
        let fields = self.fields(request);
        let limit = call.limits.exchange(call.endpoint);
        let reply = if self.shape.is_form {
            let fields: Vec<_> = fields.iter().map(|(name, value)| (name.as_str(), text_of(value))).collect();
            Exchange::form(&self.shape.submit_path, &fields, limit).json(call, SMALL_REPLY).await?
        } else {
            Exchange::post(&self.shape.submit_path, &Value::Object(fields), limit).json(call, SMALL_REPLY).await?
        };
        let Some(id) = reply.text(&self.shape.id) else {
            // Only now may a reply be read as an error: a job with an id exists whatever else is said about it.
            let reply = reply.refused(call)?;
            return Err(failed(call, &format!("the answer names no job{}", said(&reply))));
        };
        Ok(Submitted::Job(handle(call, request, id, reply.receipt(call))))
    }

    fn fields(&self, request: &MediaRequest) -> Map<String, Value> {
        let names = &self.shape.fields;
        let mut fields = Map::new();
        fields.insert("model".to_owned(), request.model.clone().into());
        match names.prompt {
            PromptAs::Text => fields.insert("prompt".to_owned(), request.prompt.clone().into()),
            PromptAs::Parts => fields.insert("content".to_owned(), json!([{"type": "text", "text": request.prompt}])),
        };
        if let Some(seconds) = &names.seconds {
            let value = match seconds.written {
                SecondsAs::Text => request.options.seconds.to_string().into(),
                SecondsAs::Number => request.options.seconds.into(),
            };
            fields.insert(seconds.field.clone(), value);
        }
        let size = request.options.size;
        for (name, value) in
            [(&names.size, size.to_string()), (&names.ratio, size.ratio()), (&names.resolution, size.resolution())]
        {
            if let Some(name) = name {
                fields.insert(name.clone(), value.into());
            }
        }
        fields
    }

    async fn ask(&self, call: &MediaCall<'_>, handle: &JobHandle) -> Result<JobState, ProviderError> {
        let path = path_with(call, &self.shape.poll_path, &handle.id)?;
        let limit = call.limits.exchange(call.endpoint);
        let reply = match &self.shape.poll_id_field {
            Some(field) => {
                let body = json!({field.as_str(): handle.id});
                Exchange::post(&path, &body, limit).json(call, SMALL_REPLY).await?
            }
            None => Exchange::get(&path, limit).json(call, SMALL_REPLY).await?,
        };
        let Some(word) = reply.text(&self.shape.status) else {
            let reply = reply.refused(call)?;
            return Err(failed(call, &format!("the answer does not say how the job is doing{}", said(&reply))));
        };
        match Phase::of(&word) {
            Phase::Working => {
                let seconds = Duration::from_secs;
                let wait = pace(
                    handle,
                    &reply,
                    seconds(self.shape.first_wait_seconds),
                    seconds(self.shape.longest_wait_seconds),
                );
                Ok(JobState::Working { progress: self.progress(&reply), wait })
            }
            Phase::Failed => Ok(ended(call, &reply, self.shape.reason.as_deref().and_then(|path| reply.text(path)))),
            Phase::Filtered => {
                let filter = filtered(call, &reply.body, "the video was stopped by its content filter");
                Ok(JobState::ContentFiltered(filter))
            }
            Phase::Done => {
                let sources = self.sources(call, handle, &reply)?;
                let former = &handle.receipt;
                let receipt = reply.receipt(call);
                let receipt = Receipt { cost: receipt.cost.or(former.cost), ..receipt };
                Ok(ready(&JobHandle { receipt, ..handle.clone() }, sources))
            }
        }
    }

    fn sources(&self, call: &MediaCall<'_>, handle: &JobHandle, reply: &Reply) -> Result<Vec<Source>, ProviderError> {
        if let Some(template) = &self.shape.content_path {
            let path = path_with(call, template, &handle.id)?;
            return Ok(vec![Source::Provider { path, body: None }]);
        }
        let sources: Vec<_> =
            self.shape.addresses.iter().filter_map(|path| reply.text(path)).map(Source::Address).collect();
        if sources.is_empty() { Err(failed(call, "the job is done and names no file")) } else { Ok(sources) }
    }

    fn progress(&self, reply: &Reply) -> Option<u8> {
        let value = reply.body.pointer(self.shape.progress.as_deref()?)?.as_f64()?;
        percent(value)
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked against the range just before")]
fn percent(value: f64) -> Option<u8> {
    (0.0..=100.0).contains(&value).then_some(value as u8)
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// What a reply without the expected field says instead.
fn said(reply: &Reply) -> String {
    reply.text("/message").map(|text| format!(": {text}")).unwrap_or_default()
}
