//! Images: how each provider is asked, and what its answer becomes.

use lwa_domain::PicoUsd;
use lwa_providers::media::{Charge, FileFormat, JobState, MediaCall, MediaRequest, Submitted, fetch};
use lwa_providers::{Endpoint, ProviderError};
use lwa_testkit::Reply;
use rstest::rstest;
use serde_json::{Value, json};

use crate::media_support::{done, filled, home, image, job, jpeg, json as reply, named, png, send, serve, webp};
use crate::support::{KEY, assert_has_no_key, client};

#[tokio::test]
async fn lwa_046_an_openai_image_in_base64_is_decoded_and_written() {
    let answer = Reply::json(200, filled("openai_image", &png(), ""));
    let provider = serve(&[("POST /v1/images/generations", vec![answer])]);
    let endpoint = Endpoint { base_url: format!("{}/v1", provider.base_url()), ..named(&provider, "openai") };
    let Submitted::Done(finished) = send(&endpoint, &image("openai", "gpt-image-1")).await.unwrap() else {
        panic!("the image came with the answer");
    };
    let home = home();
    let saved = home.files.save(&finished.files[0]).await.unwrap();
    assert_eq!(saved.path, home.path().join("0123456789abcdef01234567-1.png"));
    assert_eq!(std::fs::read(&saved.path).unwrap(), png());
    assert_eq!((saved.format, saved.bytes), (FileFormat::Png, png().len() as u64));
    assert_eq!((finished.receipt.input_tokens, finished.receipt.output_tokens), (Some(12), Some(1056)));
    let call = &provider.calls()[0];
    assert_eq!(call.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(
        call.json(),
        json!({"model": "gpt-image-1", "prompt": "a fox in the snow", "size": "1024x1024", "output_format": "png"})
    );
}

#[rstest]
#[case("1:1", "1024x1024")]
#[case("16:9", "1536x1024")]
#[case("9:16", "1024x1536")]
#[case("4:3", "1024x1024")]
#[tokio::test]
async fn openai_takes_three_sizes(#[case] ratio: &str, #[case] size: &str) {
    let provider = serve(&[("POST /images/generations", vec![Reply::json(200, filled("openai_image", &png(), ""))])]);
    let mut request = image("openai", "dall-e-3");
    request.options.aspect_ratio = ratio.parse().unwrap();
    send(&named(&provider, "openai"), &request).await.unwrap();
    let body = provider.calls()[0].json();
    assert_eq!(body["size"], size);
    assert_eq!(body.get("output_format"), None, "an older model does not know the field");
}

#[rstest]
#[case("openrouter", "/images", "openrouter_image", json!({"aspect_ratio": "16:9"}))]
#[case("zenmux", "/images/generations", "openai_image", json!({"size": "1536x1024"}))]
#[case("pollinations", "/images/generations", "openai_image", json!({"size": "1536x1024", "response_format": "b64_json"}))]
#[case("venice", "/image/generate", "venice_image", json!({"width": 1280, "height": 720, "format": "png"}))]
#[tokio::test]
async fn each_follower_is_asked_in_its_own_way(
    #[case] name: &str,
    #[case] path: &str,
    #[case] answer: &str,
    #[case] own: Value,
) {
    let line = format!("POST {path}");
    let provider = serve(&[(&line, vec![Reply::json(200, filled(answer, &webp(), ""))])]);
    let mut request = image(name, "some-image-model");
    request.options.aspect_ratio = "16:9".parse().unwrap();
    let Submitted::Done(finished) = send(&named(&provider, name), &request).await.unwrap() else {
        panic!("the image came with the answer");
    };
    // Asked for as PNG or not at all, delivered as WebP: it is what its bytes say.
    assert_eq!(finished.files[0].format(), FileFormat::Webp);
    let mut expected = json!({"model": "some-image-model", "prompt": "a fox in the snow"});
    expected.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
    assert_eq!(provider.calls()[0].json(), expected);
    let cost = (name == "openrouter").then(|| PicoUsd::new(38_700_000_000));
    assert_eq!(finished.receipt.cost, cost);
}

#[rstest]
#[case("siliconflow", "/images/generations", "siliconflow_image", "image_size", "1024x1024")]
#[case("zai", "/images/generations", "zai_image", "size", "1024x1024")]
#[case("openai", "/images/generations", "openai_image_address", "size", "1024x1024")]
#[tokio::test]
async fn an_address_is_kept_before_it_is_followed_and_followed_without_the_key(
    #[case] name: &str,
    #[case] path: &str,
    #[case] answer: &str,
    #[case] field: &str,
    #[case] size: &str,
) {
    let files = serve(&[("GET /made/fox", vec![Reply::document(200, "text/plain", jpeg())])]);
    let address = format!("{}/made/fox?signature=abc", files.base_url());
    let line = format!("POST {path}");
    let provider = serve(&[(&line, vec![Reply::json(200, filled(answer, &[], &address))])]);
    let endpoint = named(&provider, name);
    let handle = job(&endpoint, &image(name, "some-image-model")).await;
    assert!(handle.is_ready());
    assert_eq!(files.connections(), 0, "nothing is followed before the handle could be stored");
    let handle = done(&endpoint, &handle).await;
    assert_eq!(provider.calls().len(), 1, "a ready job is not asked about");
    assert_eq!(provider.calls()[0].json()[field], size);

    let (home, client) = (home(), client());
    let saved = fetch(&MediaCall::new(&client, &endpoint), &handle, &home.files).await.unwrap().files;
    assert_eq!(std::fs::read(&saved[0].path).unwrap(), jpeg());
    // Asked for as PNG: the name says what it is.
    assert_eq!(home.names(), ["0123456789abcdef01234567-1.jpg"]);
    let call = &files.calls()[0];
    assert_eq!(call.target, "/made/fox?signature=abc");
    assert_eq!(call.header("authorization"), None);
    assert!(!format!("{:?}", call.headers).contains(KEY));
}

#[tokio::test]
async fn a_header_of_the_configuration_does_not_travel_to_the_host_of_a_file() {
    let files = serve(&[("GET /fox", vec![Reply::document(200, "image/png", png())])]);
    let answer = filled("openai_image_address", &[], &format!("{}/fox", files.base_url()));
    let provider = serve(&[("POST /images/generations", vec![Reply::json(200, answer)])]);
    let mut endpoint = named(&provider, "openai");
    endpoint.headers = vec![("x-team-secret".to_owned(), "visibly-fake-team".to_owned())];
    let handle = job(&endpoint, &image("openai", "dall-e-3")).await;
    let client = client();
    fetch(&MediaCall::new(&client, &endpoint), &handle, &home().files).await.unwrap();
    assert_eq!(provider.calls()[0].header("x-team-secret"), Some("visibly-fake-team"));
    assert_eq!(files.calls()[0].header("x-team-secret"), None);
}

#[tokio::test]
async fn a_chat_that_answers_with_an_address_is_an_image() {
    let files = serve(&[("GET /fox.png", vec![Reply::document(200, "image/png", png())])]);
    let content = format!("![fox]({}/fox.png)", files.base_url());
    let provider = serve(&[("POST /chat/completions", vec![Reply::json(200, filled("chat_address", &[], &content))])]);
    let endpoint = named(&provider, "blackbox");
    let handle = job(&endpoint, &image("blackbox", "blackboxai/flux")).await;
    let (home, client) = (home(), client());
    let saved = fetch(&MediaCall::new(&client, &endpoint), &handle, &home.files).await.unwrap().files;
    assert_eq!(std::fs::read(&saved[0].path).unwrap(), png());
    assert_eq!(files.calls()[0].header("authorization"), None);
    assert_eq!(
        provider.calls()[0].json(),
        json!({
            "model": "blackboxai/flux",
            "messages": [{"role": "user", "content": "a fox in the snow"}],
            "stream": false,
        })
    );
}

#[tokio::test]
async fn a_chat_without_an_address_is_a_failure_that_may_be_billed() {
    let answer = filled("chat_address", &[], "I cannot draw.");
    let provider = serve(&[("POST /chat/completions", vec![Reply::json(200, answer)])]);
    let error = send(&named(&provider, "blackbox"), &image("blackbox", "m")).await.unwrap_err();
    assert!(error.to_string().contains("no address"), "{error}");
    assert!(error.may_have_cost());
}

#[rstest]
#[case::zai("zai", "/images/generations", reply("zai_image_filtered"))]
#[case::venice("venice", "/image/generate", Reply::json(200, filled("venice_image", &png(), "")).header("x-venice-is-content-violation", "true"))]
#[case::openai(
    "openai",
    "/images/generations",
    Reply::json(400, r#"{"error":{"code":"moderation_blocked","message":"Blocked."}}"#)
)]
#[case::openai_with_200(
    "openai",
    "/images/generations",
    Reply::json(200, r#"{"error":{"code":"content_policy_violation","message":"No."}}"#)
)]
#[tokio::test]
async fn a_filtered_image_is_an_outcome_of_its_own(#[case] name: &str, #[case] path: &str, #[case] answer: Reply) {
    let line = format!("POST {path}");
    let provider = serve(&[(&line, vec![answer])]);
    let Submitted::ContentFiltered(filter) = send(&named(&provider, name), &image(name, "m")).await.unwrap() else {
        panic!("it was filtered");
    };
    assert_eq!(filter.charge, Charge::Unknown);
    assert!(matches!(ProviderError::from(filter), ProviderError::Refused { .. }));
}

#[rstest]
#[case::nothing(r#"{"data":[]}"#, "no image")]
#[case::no_list(r#"{"created":1}"#, "no image")]
#[case::damaged(r#"{"data":[{"b64_json":"@@@@"}]}"#, "damaged")]
#[case::a_page(r#"{"data":[{"b64_json":"PGh0bWw+PGJvZHk+"}]}"#, "a web page")]
#[case::an_error(r#"{"data":[{"b64_json":"eyJlcnJvciI6MX0="}]}"#, "JSON")]
#[case::no_json("{\"data\":", "malformed JSON")]
#[case::page("<html>", "malformed JSON")]
#[tokio::test]
async fn an_answer_without_an_image_is_a_failure_that_may_be_billed(#[case] body: &str, #[case] says: &str) {
    let provider = serve(&[("POST /images/generations", vec![Reply::json(200, body)])]);
    let error = send(&named(&provider, "openai"), &image("openai", "gpt-image-1")).await.unwrap_err();
    assert!(matches!(error, ProviderError::Failed { .. }), "{error:?}");
    assert!(error.to_string().contains(says), "{error}");
    assert!(error.may_have_cost());
    assert_has_no_key(&error);
}

#[tokio::test]
async fn an_image_in_base64_that_is_too_large_is_refused() {
    let provider = serve(&[("POST /images/generations", vec![Reply::json(200, filled("openai_image", &png(), ""))])]);
    let endpoint = named(&provider, "openai");
    let client = client();
    let mut call = MediaCall::new(&client, &endpoint);
    call.limits.image_bytes = 300;
    let request: MediaRequest = image("openai", "gpt-image-1");
    let error = lwa_providers::media::submit(&call, &request).await.unwrap_err();
    assert!(error.to_string().contains("larger than"), "{error}");
}

#[tokio::test]
async fn a_text_that_is_asked_of_a_maker_of_images_is_refused_before_sending() {
    let provider = serve(&[]);
    let mut request = image("openai", "gpt-image-1");
    request.kind = lwa_providers::media::MediaKind::Text;
    let error = send(&named(&provider, "openai"), &request).await.unwrap_err();
    assert!(!error.failure().was_sent && !error.may_have_cost());
    assert_eq!(provider.connections(), 0);
}

#[tokio::test]
async fn a_job_of_one_provider_is_not_shown_to_another() {
    let files = serve(&[("GET /fox", vec![Reply::document(200, "image/png", png())])]);
    let answer = filled("openai_image_address", &[], &format!("{}/fox", files.base_url()));
    let provider = serve(&[("POST /images/generations", vec![Reply::json(200, answer)])]);
    let handle = job(&named(&provider, "openai"), &image("openai", "dall-e-3")).await;
    let other = named(&provider, "zenmux");
    let error = crate::media_support::poll(&other, &handle).await.unwrap_err();
    assert!(error.to_string().contains("belongs to `openai`"), "{error}");
    assert!(matches!(
        crate::media_support::poll(&named(&provider, "openai"), &handle).await,
        Ok(JobState::Done { .. })
    ));
}
