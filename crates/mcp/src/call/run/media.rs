//! What a reply tells of the files that a plan made: where they are, how to read them, and small pictures themselves.

use lwa_protocol::method::PlanMedia;
use lwa_protocol::plan::{MediaFileParams, MediaFileView, RunAnswer};
use rmcp::model::{ContentBlock, Resource};
use serde_json::{Map, Value};

use super::Call;
use crate::resource::media_uri;

/// The largest picture that is part of a reply; larger ones are read as resources.
const INLINE_BYTES: u32 = 1024 * 1024;
/// The most pictures that are part of one reply.
const INLINE_PICTURES: usize = 4;

/// Says at which address each file can be read.
pub(super) fn name(fields: &mut Map<String, Value>, answer: &RunAnswer) {
    let Some(Value::Object(media)) = fields.get_mut("media") else { return };
    let Some(Value::Array(files)) = media.get_mut("files") else { return };
    for file in files.iter_mut().filter_map(Value::as_object_mut) {
        let index = file.get("index").and_then(Value::as_u64).and_then(|index| u32::try_from(index).ok());
        if let Some(index) = index {
            file.insert("uri".to_owned(), media_uri(&answer.plan_id, index).into());
        }
    }
}

/// A link to each file, and small pictures as they are.
pub(super) async fn blocks(call: &Call<'_>, answer: &RunAnswer) -> Vec<ContentBlock> {
    let files = answer.media.as_ref().map(|media| media.files.as_slice()).unwrap_or_default();
    let mut blocks: Vec<ContentBlock> = files.iter().map(|file| link(answer, file)).collect();
    let small = files.iter().filter(|file| file.mime_type.starts_with("image/") && file.bytes <= INLINE_BYTES);
    for file in small.take(INLINE_PICTURES) {
        let params = MediaFileParams { plan_id: answer.plan_id.clone(), index: file.index };
        let read = call.host.call::<PlanMedia>(&call.client, params, None);
        match call.hold.answered("reading the picture", None, read).await {
            Ok(content) => blocks.push(ContentBlock::image(content.base64, content.mime_type)),
            // The path and the link are in the reply all the same.
            Err(failure) => tracing::info!(code = %failure.code, "a picture is not part of the reply"),
        }
    }
    blocks
}

fn link(answer: &RunAnswer, file: &MediaFileView) -> ContentBlock {
    let resource = Resource::new(media_uri(&answer.plan_id, file.index), format!("file {}", file.index))
        .with_title("File of the plan")
        .with_mime_type(file.mime_type.clone())
        .with_size(u64::from(file.bytes));
    ContentBlock::resource_link(resource)
}
