//! How each provider is asked: facts of `catalog/media.toml`.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::request::MediaKind;

const TEXT: &str = include_str!("../../catalog/media.toml");

/// What one provider makes, and how it is asked for it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Shape {
    /// Its name; mostly the provider's own.
    pub name: String,
    /// The base address of a provider that the other catalogue does not list.
    #[serde(default)]
    pub base_url: Option<String>,
    /// How to ask for images.
    #[serde(default)]
    pub(crate) image: Option<Protocol>,
    /// How to ask for videos.
    #[serde(default)]
    pub(crate) video: Option<Protocol>,
    /// How to ask for text, at a provider without a chat.
    #[serde(default)]
    pub(crate) text: Option<Protocol>,
    /// Models that are known in advance.
    #[serde(default)]
    pub models: Vec<MediaModel>,
    /// What is known, and how well.
    #[serde(default)]
    pub facts: Vec<Fact>,
}

/// A model that is known in advance.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MediaModel {
    /// Its name at the provider.
    pub name: String,
    /// What it makes.
    pub kind: MediaKind,
    /// Suitability for that, 0 to 100, set by hand.
    pub score: u8,
    /// Its own names for its inputs, with `$PROMPT` and the like where a value belongs.
    #[serde(default)]
    pub input: Map<String, Value>,
    /// Why it is not to be used, if so.
    #[serde(default)]
    pub disabled_reason: Option<String>,
}

/// Something that is believed about a provider.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fact {
    /// How sure it is.
    pub mark: Mark,
    /// What it says.
    pub text: String,
    /// Where it was read; empty when nowhere.
    pub source: String,
}

/// How sure a fact is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Mark {
    /// Read in the provider's own specification, documents or SDK.
    #[serde(rename = "V")]
    Verified,
    /// Read at somebody who cites the provider.
    #[serde(rename = "2")]
    SecondHand,
    /// Believed.
    #[serde(rename = "U")]
    Unverified,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "protocol", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Protocol {
    /// One request, whose reply holds images or their addresses.
    Images(ImagesShape),
    /// A request that starts a job, and questions about it.
    Jobs(Box<JobsShape>),
    Venice,
    Stability,
    Replicate,
    /// A chat whose answer is an address.
    ChatAddress,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ImagesShape {
    pub(crate) path: String,
    pub(crate) size: SizeShape,
    /// The field for the wanted format, where there is one.
    #[serde(default)]
    pub(crate) format_field: Option<String>,
    /// The beginnings of the models that know that field; none for all.
    #[serde(default)]
    pub(crate) format_models: Vec<String>,
    #[serde(default)]
    pub(crate) response_format: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SizeShape {
    pub(crate) field: SizeField,
    /// Sizes by ratio; the first one is for every other ratio.
    #[serde(default)]
    pub(crate) ratios: Vec<(String, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SizeField {
    Size,
    ImageSize,
    AspectRatio,
    /// Two fields with numbers.
    WidthHeight,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct JobsShape {
    pub(crate) submit_path: String,
    /// Where to ask; `{id}` is the job's.
    pub(crate) poll_path: String,
    /// With it, the question is a POST that names the job in this field.
    #[serde(default)]
    pub(crate) poll_id_field: Option<String>,
    /// Where the video lies behind the key; `{id}` is the job's.
    #[serde(default)]
    pub(crate) content_path: Option<String>,
    /// Where the reply tells the video's address, if it is not behind the key.
    #[serde(default)]
    pub(crate) addresses: Vec<String>,
    /// Whether the request is a form rather than JSON.
    #[serde(default)]
    pub(crate) is_form: bool,
    pub(crate) id: String,
    pub(crate) status: String,
    #[serde(default)]
    pub(crate) progress: Option<String>,
    /// Where the reply tells why a job failed, if not in `error`.
    #[serde(default)]
    pub(crate) reason: Option<String>,
    pub(crate) first_wait_seconds: u64,
    pub(crate) longest_wait_seconds: u64,
    pub(crate) fields: VideoFields,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VideoFields {
    pub(crate) prompt: PromptAs,
    #[serde(default)]
    pub(crate) seconds: Option<SecondsField>,
    /// The field for `1280x720`.
    #[serde(default)]
    pub(crate) size: Option<String>,
    /// The field for `16:9`.
    #[serde(default)]
    pub(crate) ratio: Option<String>,
    /// The field for `720p`.
    #[serde(default)]
    pub(crate) resolution: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PromptAs {
    /// `prompt`, a text.
    Text,
    /// `content`, a list of parts.
    Parts,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SecondsField {
    pub(crate) field: String,
    #[serde(rename = "as")]
    pub(crate) written: SecondsAs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SecondsAs {
    Text,
    Number,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Catalog {
    shapes: Vec<Shape>,
}

#[expect(clippy::expect_used, reason = "BUG otherwise: the text is part of the program, and a test reads it")]
static SHAPES: LazyLock<Vec<Shape>> =
    LazyLock::new(|| toml::from_str::<Catalog>(TEXT).expect("BUG: the catalogue of media is not readable").shapes);

/// Every known shape, in the order of the file.
pub fn shapes() -> &'static [Shape] {
    &SHAPES
}

/// The shape of this name.
pub fn find(name: &str) -> Option<&'static Shape> {
    shapes().iter().find(|shape| shape.name == name)
}

/// The shape for a provider of this name, or else for one that speaks this protocol.
///
/// `adapter` is the word of the configuration. A provider that nobody has described is asked as the one that it says
/// it is like; whether its models make anything is for them to answer.
pub fn shape_for(provider: &str, adapter: &str) -> Option<&'static Shape> {
    let like = match adapter {
        "openai" | "openai_media" => "openai",
        "replicate" => "replicate",
        "stability" => "stability",
        _ => return find(provider),
    };
    find(provider).or_else(|| find(like))
}

impl Shape {
    /// Whether it tells how to ask for this kind.
    pub fn makes(&self, kind: MediaKind) -> bool {
        self.protocol(kind).is_some()
    }

    pub(crate) fn protocol(&self, kind: MediaKind) -> Option<&Protocol> {
        match kind {
            MediaKind::Image => self.image.as_ref(),
            MediaKind::Video => self.video.as_ref(),
            MediaKind::Text => self.text.as_ref(),
        }
    }
}
