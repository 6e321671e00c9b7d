//! Reading shapes and what is expected of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lwa_providers::Adapter;
use lwa_providers::media::MediaKind;
use serde::Deserialize;

use crate::mock::Step;

/// A key that is visibly fake, and that no pattern recognises: only knowing it can remove it.
pub const KEY: &str = "visibly-fake-key-0123456789abcdef";

/// The folder of one provider.
#[derive(Deserialize)]
struct About {
    adapter: Adapter,
    #[serde(default)]
    models_path: Option<String>,
    #[serde(flatten)]
    shapes: BTreeMap<String, Expect>,
}

/// What is asked for before a shape is played.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Plays {
    /// An answer, a list or a new job, by the provider and the outcome.
    #[default]
    Call,
    /// How a job is doing.
    Poll,
    /// A balance, at `path`.
    Balance,
}

/// What a shape must come to.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Expect {
    /// How well the shape is known.
    pub mark: String,
    pub plays: Plays,
    /// The kind of a job, where it is not the provider's usual one.
    pub kind: Option<MediaKind>,
    /// The model that is asked for, where it matters.
    pub asks: Option<String>,
    /// Where a list is asked for, or a balance, if it is not the provider's list of models.
    pub path: Option<String>,
    /// How many files come inside a reply.
    pub files: usize,
    pub outcome: String,
    pub text: Option<String>,
    pub model: Option<String>,
    pub finish: Option<String>,
    pub input: Option<u64>,
    pub cached: Option<u64>,
    pub cache_written: Option<u64>,
    pub output: Option<u64>,
    pub reasoning: Option<u64>,
    pub is_estimated: bool,
    pub cost_pico: Option<i64>,
    pub quota: Vec<String>,
    pub retry_after_ms: Option<u64>,
    pub says: Option<String>,
    pub received: u64,
    pub items: Option<usize>,
    pub fields: Vec<String>,
}

/// One recorded reply.
#[derive(Debug, Clone)]
pub struct Shape {
    pub provider: String,
    pub name: String,
    pub adapter: Adapter,
    pub models_path: String,
    pub expect: Expect,
    head: Vec<u8>,
    pub body: Vec<u8>,
}

impl Shape {
    /// `PROVIDER/NAME`, for messages.
    pub fn id(&self) -> String {
        format!("{}/{}", self.provider, self.name)
    }

    /// Whether it answers a question that costs nothing: for models, an account or a balance.
    pub fn is_list(&self) -> bool {
        self.expect.outcome.ends_with("list") || self.expect.plays == Plays::Balance
    }

    /// Whether it answers a job rather than a chat.
    pub fn is_media(&self) -> bool {
        matches!(self.adapter, Adapter::Replicate | Adapter::Stability)
    }

    pub fn is_stream(&self) -> bool {
        self.body.starts_with(b"data:") || self.body.starts_with(b"event:") || self.body.starts_with(b": ")
    }

    pub fn is_success_status(&self) -> bool {
        self.head.starts_with(b"HTTP/1.1 20")
    }

    /// The bytes of the head.
    fn head(&self) -> Vec<u8> {
        [&self.head[..], b"transfer-encoding: chunked\r\nconnection: close\r\n\r\n"].concat()
    }

    /// The whole reply as it travels.
    pub fn whole_bytes(&self) -> Vec<u8> {
        [self.head(), chunk(&self.body), b"0\r\n\r\n".to_vec()].concat()
    }

    /// The whole reply at once.
    pub fn whole(&self) -> Vec<Step> {
        vec![Step::Send(self.whole_bytes())]
    }

    /// The reply byte by byte, each of the body in a chunk of its own.
    pub fn bytes(&self) -> Vec<Step> {
        let head = self.head().into_iter().map(|byte| vec![byte]);
        let body = self.body.iter().map(|byte| chunk(&[*byte]));
        head.chain(body).chain([b"0\r\n\r\n".to_vec()]).map(Step::Send).collect()
    }

    /// The reply in two parts, split inside the body.
    pub fn split(&self, at: usize) -> Vec<Step> {
        let (first, rest) = self.body.split_at(at);
        let rest = [chunk(rest), b"0\r\n\r\n".to_vec()].concat();
        vec![Step::Send(self.head()), Step::Send(chunk(first)), Step::Send(rest)]
    }

    /// The first `length` bytes of the body and then what `end` says; without it the connection is closed.
    pub fn broken(&self, length: usize, end: Option<Step>) -> Vec<Step> {
        let begun = Step::Send([self.head(), chunk(&self.body[..length])].concat());
        [begun].into_iter().chain(end).collect()
    }
}

fn chunk(bytes: &[u8]) -> Vec<u8> {
    if bytes.is_empty() {
        return Vec::new();
    }
    [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat()
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shapes")
}

/// Every shape of every provider, sorted.
pub fn all() -> Vec<Shape> {
    let mut folders: Vec<_> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("expect.toml").is_file())
        .collect();
    folders.sort();
    folders.iter().flat_map(|folder| read(folder)).collect()
}

/// The shapes of one name.
pub fn named(name: &str) -> Vec<Shape> {
    all().into_iter().filter(|shape| shape.name == name).collect()
}

fn read(folder: &Path) -> Vec<Shape> {
    let provider = folder.file_name().unwrap().to_str().unwrap().to_owned();
    let text = std::fs::read_to_string(folder.join("expect.toml")).unwrap();
    let about: About = toml::from_str(&text).unwrap_or_else(|error| panic!("{provider}: {error}"));
    let recorded = std::fs::read_dir(folder).unwrap().filter_map(|entry| {
        let path = entry.unwrap().path();
        let is_shape = path.extension().is_some_and(|extension| extension == "http");
        is_shape.then(|| path.file_stem().unwrap().to_str().unwrap().to_owned())
    });
    let mut recorded: Vec<_> = recorded.collect();
    recorded.sort();
    let expected: Vec<_> = about.shapes.keys().cloned().collect();
    assert_eq!(recorded, expected, "{provider}: each shape has an expectation, and each expectation a shape");
    about
        .shapes
        .into_iter()
        .map(|(name, expect)| {
            let text = std::fs::read_to_string(folder.join(format!("{name}.http"))).unwrap().replace("{{key}}", KEY);
            let (head, body) = text.split_once("\n\n").unwrap_or_else(|| panic!("{provider}/{name} has no body"));
            let head = format!("{}\r\n", head.replace('\n', "\r\n"));
            let path = expect.path.clone().or_else(|| about.models_path.clone());
            Shape {
                provider: provider.clone(),
                adapter: about.adapter,
                models_path: path.unwrap_or_else(|| "/models".to_owned()),
                head: head.into_bytes(),
                body: body.as_bytes().to_vec(),
                name,
                expect,
            }
        })
        .collect()
}
