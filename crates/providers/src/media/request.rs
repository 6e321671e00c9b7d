//! What is asked for: words that were checked before they can reach an address, a body or a file name.

use std::fmt;
use std::str::FromStr;

use lwa_domain::UnknownLabel;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

/// What a job makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MediaKind {
    /// An image.
    Image,
    /// A video.
    Video,
    /// Text, at a provider that runs text models as jobs.
    Text,
}

impl fmt::Display for MediaKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Image => "image",
            Self::Video => "video",
            Self::Text => "text",
        })
    }
}

/// The format that an image is asked for in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageFormat {
    /// PNG.
    #[default]
    Png,
    /// JPEG.
    Jpeg,
    /// WebP.
    Webp,
}

impl ImageFormat {
    /// Every word that is accepted.
    pub const LABELS: &'static [&'static str] = &["png", "jpeg", "webp"];

    /// The word, as providers write it too.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpeg",
            Self::Webp => "webp",
        }
    }
}

impl FromStr for ImageFormat {
    type Err = UnknownLabel;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            "png" => Ok(Self::Png),
            "jpeg" => Ok(Self::Jpeg),
            "webp" => Ok(Self::Webp),
            other => Err(UnknownLabel::new("output format", other, Self::LABELS)),
        }
    }
}

/// Why a description of an image or video is not usable. What was given is shown, cut.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MediaRequestError {
    /// Not a format.
    #[error(transparent)]
    Format(#[from] UnknownLabel),
    /// Not a ratio.
    #[error("`{0}` is not an aspect ratio such as `16:9`, with numbers from 1 to 99")]
    AspectRatio(String),
    /// Not a size.
    #[error("`{0}` is not a size such as `1280x720`, with sides from 16 to 8192")]
    Size(String),
    /// Not a length.
    #[error("`{0}` is not a length in whole seconds from 1 to 300")]
    Seconds(String),
    /// A key that the task does not take.
    #[error("a request for {kind} does not accept metadata keys {keys}; it accepts {accepted}")]
    Keys {
        /// What is asked for.
        kind: MediaKind,
        /// The keys that do not belong.
        keys: String,
        /// The keys that do.
        accepted: &'static str,
    },
}

fn shown(text: &str) -> String {
    text.chars().take(40).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// Width to height, as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AspectRatio {
    width: u8,
    height: u8,
}

impl AspectRatio {
    /// A square.
    pub const SQUARE: Self = Self { width: 1, height: 1 };
}

impl Default for AspectRatio {
    fn default() -> Self {
        Self::SQUARE
    }
}

impl fmt::Display for AspectRatio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.width, self.height)
    }
}

impl FromStr for AspectRatio {
    type Err = MediaRequestError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let side = |part: &str| {
            digits(part, 2).and_then(|side| u8::try_from(side).ok()).filter(|side| (1..=99).contains(side))
        };
        text.split_once(':')
            .and_then(|(width, height)| Some(Self { width: side(width)?, height: side(height)? }))
            .ok_or_else(|| MediaRequestError::AspectRatio(shown(text)))
    }
}

/// Width and height in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct VideoSize {
    width: u32,
    height: u32,
}

impl Default for VideoSize {
    fn default() -> Self {
        Self { width: 1280, height: 720 }
    }
}

impl VideoSize {
    /// The smallest whole numbers with the same ratio, as `16:9`.
    pub fn ratio(self) -> String {
        let (mut a, mut b) = (self.width, self.height);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let divisor = a.max(1);
        format!("{}:{}", self.width / divisor, self.height / divisor)
    }

    /// The shorter side, as `720p`.
    pub fn resolution(self) -> String {
        format!("{}p", self.width.min(self.height))
    }
}

impl fmt::Display for VideoSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

impl FromStr for VideoSize {
    type Err = MediaRequestError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let side = |part: &str| digits(part, 4).filter(|side| (16..=8192).contains(side));
        text.split_once('x')
            .and_then(|(width, height)| Some(Self { width: side(width)?, height: side(height)? }))
            .ok_or_else(|| MediaRequestError::Size(shown(text)))
    }
}

/// A number of plain digits; a sign, a space or an exponent is none.
fn digits(text: &str, longest: usize) -> Option<u32> {
    let is_plain = !text.is_empty() && text.len() <= longest && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_plain { text.parse().ok() } else { None }
}

/// What an image or video shall look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MediaOptions {
    /// For images.
    pub aspect_ratio: AspectRatio,
    /// For images.
    pub output_format: ImageFormat,
    /// For videos.
    pub seconds: u32,
    /// For videos.
    pub size: VideoSize,
}

impl Default for MediaOptions {
    fn default() -> Self {
        Self {
            aspect_ratio: AspectRatio::SQUARE,
            output_format: ImageFormat::Png,
            seconds: 4,
            size: VideoSize::default(),
        }
    }
}

impl MediaOptions {
    /// Reads a plan's metadata; what is absent is as usual.
    ///
    /// A key of the other kind is refused rather than ignored: whoever asks for an image of ten seconds has
    /// misunderstood something, and it shall not cost them money to learn that.
    pub fn from_metadata(kind: MediaKind, metadata: &Map<String, Value>) -> Result<Self, MediaRequestError> {
        let (own, accepted): (&[&str], _) = match kind {
            MediaKind::Image => (&["aspect_ratio", "output_format"], "`aspect_ratio`, `output_format`"),
            MediaKind::Video => (&["seconds", "size"], "`seconds`, `size`"),
            MediaKind::Text => (&[], "none"),
        };
        let strange: Vec<_> =
            metadata.keys().filter(|key| !own.contains(&key.as_str())).map(|key| format!("`{}`", shown(key))).collect();
        if !strange.is_empty() {
            return Err(MediaRequestError::Keys { kind, keys: strange.join(", "), accepted });
        }
        let mut options = Self::default();
        if let Some(ratio) = metadata.get("aspect_ratio") {
            options.aspect_ratio = word(ratio).parse()?;
        }
        if let Some(format) = metadata.get("output_format") {
            options.output_format = word(format).parse()?;
        }
        if let Some(seconds) = metadata.get("seconds") {
            let text = word(seconds);
            options.seconds = digits(&text, 3)
                .filter(|seconds| (1..=300).contains(seconds))
                .ok_or_else(|| MediaRequestError::Seconds(shown(&text)))?;
        }
        if let Some(size) = metadata.get("size") {
            options.size = word(size).parse()?;
        }
        Ok(options)
    }
}

fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// One job to be started.
#[derive(Clone)]
pub struct MediaRequest {
    /// Which entry of the catalogue tells how the provider is asked; mostly the provider's own name.
    pub shape: String,
    /// What to make.
    pub kind: MediaKind,
    /// The model's name at the provider.
    pub model: String,
    /// The task's own prompt, if it has one. Only jobs that make text read it.
    pub system: Option<String>,
    /// What to show or write.
    pub prompt: String,
    /// What it shall look like.
    pub options: MediaOptions,
    /// The most tokens of text; a smaller number in `input_mapping` stays.
    pub max_output_tokens: Option<u32>,
    /// The model's own names for its inputs, with `$PROMPT` and the like where a value belongs.
    pub input_mapping: Map<String, Value>,
}

impl MediaRequest {
    /// A request with the usual options.
    pub fn new(shape: impl Into<String>, kind: MediaKind, model: impl Into<String>, prompt: impl Into<String>) -> Self {
        Self {
            shape: shape.into(),
            kind,
            model: model.into(),
            system: None,
            prompt: prompt.into(),
            options: MediaOptions::default(),
            max_output_tokens: None,
            input_mapping: Map::new(),
        }
    }
}

/// Prints sizes, never the text.
impl fmt::Debug for MediaRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MediaRequest")
            .field("shape", &self.shape)
            .field("kind", &self.kind)
            .field("model", &self.model)
            .field("prompt_bytes", &self.prompt.len())
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
