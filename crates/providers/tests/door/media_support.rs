//! What the tests of media share: bytes that begin like files, requests, and a place for files.

use std::path::Path;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use lwa_domain::PlanId;
use lwa_providers::media::{
    JobHandle, JobState, MediaCall, MediaFolder, MediaKind, MediaLimits, MediaRequest, Submitted, submit,
};
use lwa_providers::{Endpoint, ProviderError};
use lwa_testkit::{FakeProvider, Reply, Script};
use tempfile::TempDir;

use crate::support::{client, endpoint, shape};

pub const PLAN: &str = "0123456789abcdef01234567";

pub fn png() -> Vec<u8> {
    [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &[7; 900]].concat()
}

pub fn jpeg() -> Vec<u8> {
    [b"\xff\xd8\xff\xe0\0\x10JFIF".as_slice(), &[7; 20]].concat()
}

pub fn webp() -> Vec<u8> {
    [b"RIFF\x24\0\0\0WEBPVP8 ".as_slice(), &[7; 600]].concat()
}

pub fn mp4() -> Vec<u8> {
    [b"\0\0\0\x20ftypisom\0\0\x02\0isomiso2mp41".as_slice(), &[7; 5000]].concat()
}

/// A shape with `{{file}}` as base64 of `bytes`, and `{{address}}` as given.
pub fn filled(name: &str, bytes: &[u8], address: &str) -> Vec<u8> {
    let text = String::from_utf8(shape(&format!("media/{name}.json"))).unwrap();
    text.replace("{{file}}", &STANDARD.encode(bytes)).replace("{{address}}", address).into_bytes()
}

pub fn json(name: &str) -> Reply {
    Reply::json(200, filled(name, &[], ""))
}

/// An endpoint that bears the name of a known provider, since handles and catalogues go by names.
pub fn named(provider: &FakeProvider, name: &str) -> Endpoint {
    Endpoint { provider: name.to_owned(), ..endpoint(provider) }
}

pub fn image(shape: &str, model: &str) -> MediaRequest {
    MediaRequest::new(shape, MediaKind::Image, model, "a fox in the snow")
}

pub fn video(shape: &str, model: &str) -> MediaRequest {
    MediaRequest::new(shape, MediaKind::Video, model, "a fox runs through the snow")
}

pub fn serve(replies: &[(&str, Vec<Reply>)]) -> FakeProvider {
    let script = replies.iter().fold(Script::new(), |script, (line, replies)| script.on(line, replies.clone()));
    FakeProvider::start(script).unwrap()
}

/// Submits with a client of its own, as every process would.
pub async fn send(endpoint: &Endpoint, request: &MediaRequest) -> Result<Submitted, ProviderError> {
    let client = client();
    submit(&MediaCall::new(&client, endpoint), request).await
}

pub async fn job(endpoint: &Endpoint, request: &MediaRequest) -> JobHandle {
    match send(endpoint, request).await.unwrap() {
        Submitted::Job(handle) => handle,
        other => panic!("no job: {other:?}"),
    }
}

/// Asks once, with a client of its own and a handle that was written down and read again.
pub async fn poll(endpoint: &Endpoint, handle: &JobHandle) -> Result<JobState, ProviderError> {
    let client = client();
    lwa_providers::media::poll(&MediaCall::new(&client, endpoint), &stored(handle)).await
}

pub async fn done(endpoint: &Endpoint, handle: &JobHandle) -> JobHandle {
    match poll(endpoint, handle).await.unwrap() {
        JobState::Done { handle, text: None } => *handle,
        other => panic!("not done: {other:?}"),
    }
}

/// The handle as it comes out of a database.
pub fn stored(handle: &JobHandle) -> JobHandle {
    serde_json::from_str(&serde_json::to_string(handle).unwrap()).unwrap()
}

pub struct Home {
    pub folder: TempDir,
    pub files: MediaFolder,
}

pub fn home() -> Home {
    let folder = TempDir::new().unwrap();
    let files = MediaFolder::open(&folder.path().join("generated"), &PlanId::new(PLAN)).unwrap();
    Home { folder, files }
}

impl Home {
    pub fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("generated")
    }

    /// The names in the folder, in order.
    pub fn names(&self) -> Vec<String> {
        names(&self.path())
    }
}

pub fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Bounds that a test can wait for.
pub fn hasty() -> MediaLimits {
    let short = Duration::from_millis(200);
    MediaLimits { submit: short, poll: short, idle: short, download: short, ..MediaLimits::default() }
}
