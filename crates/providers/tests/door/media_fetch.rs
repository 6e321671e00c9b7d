//! Files: which addresses are followed, what is kept, and under which name.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE};
use lwa_domain::{ErrorCode, PlanId};
use lwa_providers::Endpoint;
use lwa_providers::media::{
    FetchError, Fetched, FileFormat, JobHandle, MediaCall, MediaFolder, MediaKind, MediaOptions, Stranger, fetch,
};
use lwa_testkit::{FakeProvider, Reply};
use rstest::rstest;
use serde_json::{Value, json};

use crate::media_support::{Home, PLAN, hasty, home, mp4, named, names, png, serve};
use crate::support::client;

/// A job that is done, as it comes out of a database.
fn ready(kind: &str, sources: &Value) -> JobHandle {
    serde_json::from_value(json!({
        "provider": "openai",
        "model": "m",
        "kind": kind,
        "shape": "openai",
        "id": "",
        "submitted_at": 0,
        "sources": sources,
    }))
    .unwrap()
}

fn at(address: &str) -> JobHandle {
    ready("image", &json!([{"address": address}]))
}

async fn fetched(endpoint: &Endpoint, handle: &JobHandle, home: &Home) -> Result<Fetched, FetchError> {
    let client = client();
    fetch(&MediaCall::new(&client, endpoint), handle, &home.files).await
}

/// Fetches from a host that plays `reply`; whatever fails leaves nothing behind.
async fn from_host(reply: Reply, adjust: impl FnOnce(&mut MediaCall<'_>)) -> Result<Fetched, FetchError> {
    let files = serve(&[("GET /x", vec![reply])]);
    let endpoint = named(&files, "openai");
    let (home, client) = (home(), client());
    let mut call = MediaCall::new(&client, &endpoint);
    adjust(&mut call);
    let outcome = fetch(&call, &at(&format!("{}/x", files.base_url())), &home.files).await;
    if outcome.is_err() {
        assert_eq!(home.names(), Vec::<String>::new(), "a failure leaves nothing behind");
    }
    outcome
}

#[rstest]
#[case::page("<!doctype html><title>Sign in</title>", Stranger::Markup)]
#[case::long_page(&format!("<html>{}", " ".repeat(9000)), Stranger::Markup)]
#[case::drawing("<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>", Stranger::Markup)]
#[case::json(r#"{"error":{"message":"expired"}}"#, Stranger::Json)]
#[case::nothing("", Stranger::Empty)]
#[case::text("gone", Stranger::Other)]
#[tokio::test]
async fn what_is_no_image_is_refused_whatever_it_is_called(#[case] body: &str, #[case] found: Stranger) {
    let error = from_host(Reply::document(200, "image/png", body), |_| {}).await.unwrap_err();
    assert!(matches!(error, FetchError::NotMedia { found: other } if other == found), "{error:?}");
    assert_eq!(error.code(), ErrorCode::ProviderFailed);
}

#[tokio::test]
async fn an_image_in_place_of_a_video_was_paid_for_and_is_kept_as_what_it_is() {
    let files = serve(&[("GET /x", vec![Reply::document(200, "video/mp4", png())])]);
    let home = home();
    let handle = ready("video", &json!([{"address": format!("{}/x", files.base_url())}]));
    let saved = fetched(&named(&files, "openai"), &handle, &home).await.unwrap().files;
    assert_eq!((handle.kind, saved[0].format), (MediaKind::Video, FileFormat::Png));
    assert_eq!(home.names(), [format!("{PLAN}-1.png")]);
}

#[tokio::test]
async fn a_file_that_is_too_large_is_refused_as_soon_as_that_is_known() {
    let endless = [png(), vec![0; 4000]].concat();
    let reply = Reply::document(200, "image/png", endless).split_every(500).then_stall();
    let error = from_host(reply, |call| call.limits.image_bytes = 2000).await.unwrap_err();
    assert!(matches!(error, FetchError::TooLarge { .. }), "{error:?}");
}

#[tokio::test]
async fn a_video_may_be_larger_than_an_image() {
    let video = [mp4(), vec![0; 4000]].concat();
    let files = serve(&[("GET /x", vec![Reply::document(200, "video/mp4", video.clone())])]);
    let (home, client, endpoint) = (home(), client(), named(&files, "openai"));
    let mut call = MediaCall::new(&client, &endpoint);
    call.limits.image_bytes = 2000;
    let handle = ready("video", &json!([{"address": format!("{}/x", files.base_url())}]));
    let saved = fetch(&call, &handle, &home.files).await.unwrap().files;
    assert_eq!(saved[0].bytes, video.len() as u64);
}

#[rstest]
#[case::status(Reply::document(403, "text/xml", "<Error>visibly-fake</Error>"), "answered with HTTP 403")]
#[case::cut(Reply::document(200, "image/png", png()).then_cut(), "broke before")]
#[case::stall(Reply::document(200, "image/png", png()).then_stall(), "stopped arriving")]
#[tokio::test]
async fn a_host_that_fails_is_told_and_the_handle_is_as_good_as_before(#[case] reply: Reply, #[case] says: &str) {
    let error = from_host(reply, |call| call.limits.idle = Duration::from_millis(200)).await.unwrap_err();
    assert!(matches!(error, FetchError::Provider(_)), "{error:?}");
    assert!(error.to_string().contains(says) && !error.to_string().contains("visibly-fake"), "{error}");
}

#[rstest]
#[case("http://files.example/a.png", "not encrypted")]
#[case("ftp://files.example/a.png", "not encrypted")]
#[case("file:///etc/passwd", "not encrypted")]
#[case("https://user:pass@files.example/a.png", "user name")]
#[case("https://127.0.0.1/a.png", "on this machine")]
#[case("https://localhost/a.png", "on this machine")]
#[case("https://[::1]/a.png", "on this machine")]
#[case("https://[::ffff:127.0.0.1]/a.png", "on this machine")]
#[case("https://10.0.0.1/a.png", "private network")]
#[case("https://192.168.1.1/a.png", "private network")]
#[case("https://169.254.169.254/latest/meta-data", "private network")]
#[case("https://100.100.0.1/a.png", "private network")]
#[case("https://[fd00::1]/a.png", "private network")]
#[case("https://[::ffff:10.0.0.1]/a.png", "private network")]
#[case("not an address", "not a complete address")]
#[case("data:image/png,abc", "not in base64")]
#[case("data:image/png;base64,@@@", "damaged")]
#[tokio::test]
async fn an_address_that_leads_inside_or_is_not_encrypted_is_not_followed(#[case] address: &str, #[case] says: &str) {
    let remote = Endpoint::new("openai", "https://api.invalid/v1");
    let error = fetched(&remote, &at(address), &home()).await.unwrap_err();
    let FetchError::Address { reason } = error else { panic!("{error:?}") };
    assert!(reason.contains(says), "{reason}");
}

#[tokio::test]
async fn a_local_provider_cannot_send_us_out_of_this_machine() {
    let mut local = Endpoint::new("openai", "http://127.0.0.1:9/v1");
    local.is_local = true;
    let error = fetched(&local, &at("https://files.invalid/a.png"), &home()).await.unwrap_err();
    assert!(error.to_string().contains("declared local"), "{error}");
}

#[tokio::test]
async fn one_file_that_fails_does_not_keep_the_others_away() {
    let files = serve(&[("GET /x", vec![Reply::document(200, "image/png", png())])]);
    let home = home();
    let sources = ["x", "gone", "x"].map(|name| json!({"address": format!("{}/{name}", files.base_url())}));
    let fetched = fetched(&named(&files, "openai"), &ready("image", &json!(sources)), &home).await.unwrap();
    assert_eq!((fetched.files.len(), fetched.failures.len()), (2, 1));
    assert_eq!(home.names(), [1, 2].map(|number| format!("{PLAN}-{number}.png")));
}

fn chain(target: &str) -> (FakeProvider, JobHandle) {
    let provider = serve(&[("GET /videos/v/content", vec![Reply::redirect(302, target)])]);
    (provider, ready("video", &json!([{"provider": {"path": "/videos/v/content"}}])))
}

#[tokio::test]
async fn a_redirect_from_behind_the_key_is_followed_without_the_key() {
    let files = serve(&[
        ("GET /first", vec![Reply::redirect(302, "/second")]),
        ("GET /second", vec![Reply::document(200, "video/mp4", mp4())]),
    ]);
    let (provider, handle) = chain(&format!("{}/first", files.base_url()));
    let saved = fetched(&named(&provider, "openai"), &handle, &home()).await.unwrap().files;
    assert_eq!(saved[0].format, FileFormat::Mp4);
    assert!(provider.calls()[0].header("authorization").is_some());
    assert_eq!(files.calls().len(), 2);
    assert!(files.calls().iter().all(|call| call.header("authorization").is_none()));
}

#[tokio::test]
async fn a_redirect_leads_no_further_than_an_address_may() {
    for target in ["http://files.example/a.mp4", "https://169.254.169.254/", "https://user@files.example/"] {
        let (provider, handle) = chain(target);
        let error = fetched(&named(&provider, "openai"), &handle, &home()).await.unwrap_err();
        assert!(matches!(error, FetchError::Address { .. }), "{target}: {error:?}");
    }
}

#[tokio::test]
async fn redirects_without_end_are_given_up() {
    let files = serve(&[("GET /round", vec![Reply::redirect(302, "/round")])]);
    let error = fetched(&named(&files, "openai"), &at(&format!("{}/round", files.base_url())), &home()).await;
    assert!(error.unwrap_err().to_string().contains("again and again"));
    assert_eq!(files.calls().len(), 4);
}

#[tokio::test]
async fn an_address_that_holds_its_file_is_no_request() {
    for encoded in [STANDARD_NO_PAD.encode(png()), URL_SAFE.encode(png())] {
        let home = home();
        let remote = Endpoint::new("openai", "https://api.invalid/v1");
        let address = format!("data:image/png;base64,{encoded}");
        let saved = fetched(&remote, &at(&address), &home).await.unwrap().files;
        assert_eq!(std::fs::read(&saved[0].path).unwrap(), png());
    }
}

#[tokio::test]
async fn files_of_one_plan_never_take_each_others_place() {
    let files = serve(&[("GET /x", vec![Reply::document(200, "image/png", png())])]);
    let (home, endpoint) = (home(), named(&files, "openai"));
    let handle = at(&format!("{}/x", files.base_url()));
    std::fs::write(home.path().join(format!("{PLAN}-1.png")), "mine").unwrap();
    let (left, right) = tokio::join!(fetched(&endpoint, &handle, &home), fetched(&endpoint, &handle, &home));
    let mut saved = [left.unwrap().files.remove(0).path, right.unwrap().files.remove(0).path];
    saved.sort();
    assert_eq!(saved, [2, 3].map(|number| home.path().join(format!("{PLAN}-{number}.png"))));
    assert_eq!(std::fs::read(home.path().join(format!("{PLAN}-1.png"))).unwrap(), b"mine");
}

#[cfg(unix)]
#[tokio::test]
async fn files_and_their_folder_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let files = serve(&[("GET /x", vec![Reply::document(200, "image/png", png())])]);
    let home = home();
    let handle = at(&format!("{}/x", files.base_url()));
    let saved = fetched(&named(&files, "openai"), &handle, &home).await.unwrap().files;
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&saved[0].path), 0o600);
    assert_eq!(mode(&home.path()), 0o700);
}

#[rstest]
#[case("../../etc/cron.d/x")]
#[case("a/b")]
#[case("")]
#[case("a.b")]
#[case("a\0b")]
#[tokio::test]
async fn a_plans_name_that_is_no_plain_name_opens_no_folder(#[case] plan: &str) {
    let folder = tempfile::TempDir::new().unwrap();
    let inside = folder.path().join("generated");
    assert!(matches!(MediaFolder::open(&inside, &PlanId::new(plan)), Err(FetchError::PlanName)));
    assert_eq!(names(folder.path()), Vec::<String>::new());
}

fn metadata(value: &Value) -> serde_json::Map<String, Value> {
    value.as_object().unwrap().clone()
}

#[rstest]
#[case::path(MediaKind::Image, json!({"output_format": "../../x"}), "invalid output format")]
#[case::case(MediaKind::Image, json!({"output_format": "PNG"}), "did you mean `png`")]
#[case::gif(MediaKind::Image, json!({"output_format": "gif"}), "png, jpeg, webp")]
#[case::ratio(MediaKind::Image, json!({"aspect_ratio": "wide"}), "aspect ratio")]
#[case::ratio_zero(MediaKind::Image, json!({"aspect_ratio": "0:1"}), "aspect ratio")]
#[case::ratio_sign(MediaKind::Image, json!({"aspect_ratio": "+1:1"}), "aspect ratio")]
#[case::foreign(MediaKind::Image, json!({"seconds": "4"}), "does not accept metadata keys `seconds`")]
#[case::size(MediaKind::Video, json!({"size": "1280×720"}), "is not a size")]
#[case::huge(MediaKind::Video, json!({"size": "9999x9999"}), "is not a size")]
#[case::seconds(MediaKind::Video, json!({"seconds": "4.5"}), "whole seconds")]
#[case::no_seconds(MediaKind::Video, json!({"seconds": 0}), "whole seconds")]
#[case::other(MediaKind::Video, json!({"aspect_ratio": "1:1"}), "does not accept metadata keys `aspect_ratio`")]
fn a_description_is_checked_before_anything_is_asked(
    #[case] kind: MediaKind,
    #[case] value: Value,
    #[case] says: &str,
) {
    let error = MediaOptions::from_metadata(kind, &metadata(&value)).unwrap_err();
    assert!(error.to_string().contains(says), "{error}");
}

#[test]
fn what_is_not_described_is_as_usual() {
    let options = MediaOptions::from_metadata(MediaKind::Image, &metadata(&json!({}))).unwrap();
    assert_eq!((options.aspect_ratio.to_string(), options.output_format.as_str()), ("1:1".to_owned(), "png"));
    assert_eq!((options.seconds, options.size.to_string()), (4, "1280x720".to_owned()));
    let described = json!({"seconds": "12", "size": "1024x1792"});
    let options = MediaOptions::from_metadata(MediaKind::Video, &metadata(&described)).unwrap();
    assert_eq!(options.seconds, 12);
    assert_eq!((options.size.ratio(), options.size.resolution()), ("4:7".to_owned(), "1024p".to_owned()));
}

#[tokio::test]
async fn a_silent_host_is_given_up_in_time() {
    let error = from_host(Reply::silence(), |call| call.limits = hasty()).await.unwrap_err();
    assert!(error.to_string().contains("did not answer"), "{error}");
}
