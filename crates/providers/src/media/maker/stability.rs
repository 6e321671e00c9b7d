//! Stability's images: a form to the model's own path, answered with base64.

use serde_json::Value;

use super::{Answer, Maker, filtered, inline_file, reply_bytes};
use crate::error::{ProviderError, Rejection};
use crate::media::MediaCall;
use crate::media::exchange::{Exchange, failed, rejected, unsupported};
use crate::media::job::{Finished, Submitted};
use crate::media::request::{ImageFormat, MediaRequest};

/// The ratios that the models take.
const RATIOS: [&str; 9] = ["1:1", "16:9", "21:9", "2:3", "3:2", "4:5", "5:4", "9:16", "9:21"];

pub(super) struct Stability;

impl Maker for Stability {
    fn submit<'a>(&'a self, call: &'a MediaCall<'a>, request: &'a MediaRequest) -> Answer<'a, Submitted> {
        Box::pin(ask(call, request))
    }
}

async fn ask(call: &MediaCall<'_>, request: &MediaRequest) -> Result<Submitted, ProviderError> {
    let name = request.model.strip_prefix("stable-image-").unwrap_or(&request.model);
    let path = match name {
        "core" => "/v2beta/stable-image/generate/core",
        "ultra" => "/v2beta/stable-image/generate/ultra",
        _ if name.starts_with("sd3") => "/v2beta/stable-image/generate/sd3",
        _ => {
            let detail = format!("`{}` is none of stable-image-core, stable-image-ultra and sd3…", request.model);
            return Err(rejected(call, &detail, Rejection::UnknownModel));
        }
    };
    let ratio = request.options.aspect_ratio.to_string();
    if !RATIOS.contains(&ratio.as_str()) {
        return Err(unsupported(call, &format!("it takes the aspect ratios {} and not {ratio}", RATIOS.join(", "))));
    }
    let format = request.options.output_format;
    let mut fields = vec![
        ("prompt", request.prompt.clone()),
        ("output_format", format.as_str().to_owned()),
        ("aspect_ratio", ratio),
    ];
    if name.starts_with("sd3") {
        if format == ImageFormat::Webp {
            return Err(unsupported(call, "this model makes png and jpeg and not webp"));
        }
        fields.push(("model", request.model.clone()));
    }
    let exchange = Exchange::form(path, &fields, call.limits.whole(call.endpoint));
    let reply = exchange.json(call, reply_bytes(call, request.kind)).await?;
    // The seed beside it is a number, and nothing here depends on it.
    let finish = reply.body.get("finish_reason").and_then(Value::as_str).unwrap_or_default();
    if finish.eq_ignore_ascii_case("CONTENT_FILTERED") {
        let filter = filtered(call, &reply.body, "the image was stopped by its content filter");
        return Ok(Submitted::ContentFiltered(filter));
    }
    let Some(digits) = reply.text("/image") else {
        let reply = reply.refused(call)?;
        let finish = reply.text("/finish_reason").map(|word| format!("; it ended with {word}")).unwrap_or_default();
        return Err(failed(call, &format!("the answer holds no image{finish}")));
    };
    let file = inline_file(call, request.kind, &digits)?;
    Ok(Submitted::Done(Finished { files: vec![file], text: None, receipt: reply.receipt(call) }))
}
