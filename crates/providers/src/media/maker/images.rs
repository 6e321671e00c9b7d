//! Images in one request: OpenAI's way, with the differences of those who follow it.

use reqwest::header::HeaderMap;
use serde_json::{Map, Value, json};

use super::{Answer, Maker, filtered, handle, inline_file, reply_bytes};
use crate::error::ProviderError;
use crate::media::MediaCall;
use crate::media::exchange::{Exchange, failed};
use crate::media::job::{Finished, JobHandle, Source, Submitted};
use crate::media::request::{AspectRatio, MediaRequest};
use crate::media::shape::{ImagesShape, SizeField, SizeShape};

pub(super) struct Images {
    pub(super) shape: &'static ImagesShape,
}

impl Maker for Images {
    fn submit<'a>(&'a self, call: &'a MediaCall<'a>, request: &'a MediaRequest) -> Answer<'a, Submitted> {
        Box::pin(self.ask(call, request))
    }
}

impl Images {
    async fn ask(&self, call: &MediaCall<'_>, request: &MediaRequest) -> Result<Submitted, ProviderError> {
        let body = Value::Object(self.body(request));
        let limit = call.limits.whole(call.endpoint);
        let exchange = Exchange::post(&self.shape.path, &body, limit);
        let reply = exchange.json(call, reply_bytes(call, request.kind)).await?.refused(call)?;
        let items: Vec<&Value> =
            ["/data", "/images"].iter().filter_map(|list| reply.body.pointer(list)?.as_array()).flatten().collect();
        if says_filtered(&reply.headers) || (items.is_empty() && names_filter(&reply.body)) {
            let filter = filtered(call, &reply.body, "the image was stopped by its content filter");
            return Ok(Submitted::ContentFiltered(filter));
        }
        let receipt = reply.receipt(call);
        let mut finished = Finished { receipt, ..Finished::default() };
        let mut sources = Vec::new();
        for item in items {
            match read(item) {
                Some(Item::Digits(digits)) => finished.files.push(inline_file(call, request.kind, digits)?),
                Some(Item::Address(address)) => sources.push(Source::Address(address.to_owned())),
                None => {}
            }
        }
        if !finished.files.is_empty() {
            return Ok(Submitted::Done(finished));
        }
        if sources.is_empty() {
            return Err(failed(call, "the answer holds no image"));
        }
        // An address is as good as a job: it is stored before it is followed, and can be followed again.
        let job = handle(call, request, reply.text("/id").unwrap_or_default(), finished.receipt);
        Ok(Submitted::Job(JobHandle { sources, ..job }))
    }

    fn body(&self, request: &MediaRequest) -> Map<String, Value> {
        let mut body = Map::new();
        body.insert("model".to_owned(), request.model.clone().into());
        body.insert("prompt".to_owned(), request.prompt.clone().into());
        size(&self.shape.size, request.options.aspect_ratio, &mut body);
        if let Some(field) = &self.shape.format_field {
            let beginnings = &self.shape.format_models;
            if beginnings.is_empty() || beginnings.iter().any(|beginning| request.model.starts_with(beginning)) {
                body.insert(field.clone(), request.options.output_format.as_str().into());
            }
        }
        if let Some(format) = &self.shape.response_format {
            body.insert("response_format".to_owned(), format.clone().into());
        }
        body
    }
}

fn size(shape: &SizeShape, ratio: AspectRatio, body: &mut Map<String, Value>) {
    let ratio = ratio.to_string();
    let listed = shape.ratios.iter().find(|(name, _)| *name == ratio).or_else(|| shape.ratios.first());
    let size = listed.map_or(ratio.as_str(), |(_, size)| size.as_str());
    let field = match shape.field {
        SizeField::Size => "size",
        SizeField::ImageSize => "image_size",
        SizeField::AspectRatio => "aspect_ratio",
        SizeField::WidthHeight => {
            if let Some((width, height)) = size.split_once('x') {
                body.insert("width".to_owned(), json!(width.parse::<u32>().ok()));
                body.insert("height".to_owned(), json!(height.parse::<u32>().ok()));
            }
            return;
        }
    };
    body.insert(field.to_owned(), size.into());
}

enum Item<'a> {
    Digits(&'a str),
    Address(&'a str),
}

fn read(item: &Value) -> Option<Item<'_>> {
    let text = |name: &str| item.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    if let Some(digits) = text("b64_json") {
        return Some(Item::Digits(digits));
    }
    let found = text("url").or_else(|| item.as_str().filter(|text| !text.is_empty()))?;
    let is_address = found.starts_with("https://") || found.starts_with("http://");
    Some(if is_address { Item::Address(found) } else { Item::Digits(found) })
}

/// Venice delivers a blank or blurred image and says so beside it.
fn says_filtered(headers: &HeaderMap) -> bool {
    headers.get("x-venice-is-content-violation").is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"true"))
}

/// Z.AI lists what its filter did.
fn names_filter(body: &Value) -> bool {
    body.get("content_filter").and_then(Value::as_array).is_some_and(|entries| !entries.is_empty())
}
