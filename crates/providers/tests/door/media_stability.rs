//! Stability: a form in, base64 out, and a filter that answers with success.

use lwa_providers::media::{Charge, FileFormat, Submitted};
use lwa_providers::{ProviderError, Rejection};
use lwa_testkit::Reply;
use rstest::rstest;

use crate::media_support::{filled, home, image, named, png, send, serve};
use crate::support::{KEY, assert_has_no_key};

const CORE: &str = "POST /v2beta/stable-image/generate/core";

#[tokio::test]
async fn a_09_a_seed_that_is_a_number_does_not_spoil_the_image() {
    let provider = serve(&[(CORE, vec![Reply::json(200, filled("stability", &png(), ""))])]);
    let endpoint = named(&provider, "stability");
    let Submitted::Done(finished) = send(&endpoint, &image("stability", "stable-image-core")).await.unwrap() else {
        panic!("the image came with the answer");
    };
    let home = home();
    let saved = home.files.save(&finished.files[0]).await.unwrap();
    assert_eq!(std::fs::read(&saved.path).unwrap(), png());
    assert_eq!(saved.format, FileFormat::Png);

    let call = &provider.calls()[0];
    assert_eq!(call.header("accept"), Some("application/json"));
    assert_eq!(call.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    let boundary = call.header("content-type").unwrap().strip_prefix("multipart/form-data; boundary=").unwrap();
    let field = |name: &str, value: &str| {
        format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let expected = [
        field("prompt", "a fox in the snow"),
        field("output_format", "png"),
        field("aspect_ratio", "1:1"),
        format!("--{boundary}--\r\n"),
    ];
    assert_eq!(String::from_utf8_lossy(&call.body), expected.concat());
}

#[tokio::test]
async fn a_filtered_image_is_an_outcome_and_its_blur_is_not_kept() {
    let provider = serve(&[(CORE, vec![Reply::json(200, filled("stability_filtered", &png(), ""))])]);
    let outcome = send(&named(&provider, "stability"), &image("stability", "stable-image-core")).await.unwrap();
    let Submitted::ContentFiltered(filter) = outcome else { panic!("it was filtered: {outcome:?}") };
    assert_eq!(filter.charge, Charge::Unknown);
}

#[tokio::test]
async fn moderation_with_403_is_the_same_outcome_and_not_a_rejected_key() {
    let provider = serve(&[(CORE, vec![Reply::json(403, filled("stability_moderation", &[], ""))])]);
    let outcome = send(&named(&provider, "stability"), &image("stability", "stable-image-core")).await.unwrap();
    let Submitted::ContentFiltered(filter) = outcome else { panic!("it was filtered: {outcome:?}") };
    assert_eq!(filter.failure.status, Some(403));
}

#[rstest]
#[case("stable-image-ultra", "ultra", false)]
#[case("sd3.5-large", "sd3", true)]
#[tokio::test]
async fn a_model_has_its_own_path(#[case] model: &str, #[case] path: &str, #[case] names_model: bool) {
    let line = format!("POST /v2beta/stable-image/generate/{path}");
    let provider = serve(&[(&line, vec![Reply::json(200, filled("stability", &png(), ""))])]);
    send(&named(&provider, "stability"), &image("stability", model)).await.unwrap();
    let body = String::from_utf8_lossy(&provider.calls()[0].body).into_owned();
    assert_eq!(body.contains(&format!("name=\"model\"\r\n\r\n{model}\r\n")), names_model, "{body}");
}

#[rstest]
#[case::model("stable-diffusion-xl", "1:1", Rejection::UnknownModel)]
#[case::ratio("stable-image-core", "7:3", Rejection::Unsupported)]
#[tokio::test]
async fn what_it_does_not_take_is_refused_before_sending(
    #[case] model: &str,
    #[case] ratio: &str,
    #[case] expected: Rejection,
) {
    let provider = serve(&[]);
    let mut request = image("stability", model);
    request.options.aspect_ratio = ratio.parse().unwrap();
    let error = send(&named(&provider, "stability"), &request).await.unwrap_err();
    let ProviderError::Rejected { reason, failure } = &error else { panic!("{error:?}") };
    assert_eq!((*reason, failure.was_sent), (expected, false));
    assert_eq!(provider.connections(), 0);
}

#[tokio::test]
async fn an_answer_without_an_image_says_how_it_ended() {
    let provider = serve(&[(CORE, vec![Reply::json(200, r#"{"finish_reason":"ERROR","seed":1}"#)])]);
    let error = send(&named(&provider, "stability"), &image("stability", "stable-image-core")).await.unwrap_err();
    assert!(error.to_string().contains("ERROR") && error.may_have_cost(), "{error}");
    assert_has_no_key(&error);
}
