//! Replicate: predictions for images and text, asked about until they have really ended.

use std::time::Duration;

use lwa_domain::PicoUsd;
use lwa_providers::media::{
    FileFormat, JobState, MediaCall, MediaKind, MediaRequest, QuoteSource, Submitted, fetch, quote, shape,
};
use lwa_providers::{ProviderError, Rejection};
use lwa_testkit::Reply;
use rstest::rstest;
use serde_json::{Map, Value, json};

use crate::media_support::{done, filled, home, image, job, json as reply, named, poll, send, serve, stored, webp};
use crate::support::{assert_has_no_key, client};

const FLUX: &str = "POST /models/black-forest-labs/flux-schnell/predictions";
const LLAMA: &str = "POST /models/meta/meta-llama-3-70b-instruct/predictions";
const ASK: &str = "GET /predictions/qz7mfxlkw3";

fn mapping(model: &str) -> Map<String, Value> {
    let shape = shape::find("replicate").unwrap();
    shape.models.iter().find(|known| known.name == model).unwrap().input.clone()
}

fn flux() -> MediaRequest {
    let model = "black-forest-labs/flux-schnell";
    MediaRequest { input_mapping: mapping(model), ..image("replicate", model) }
}

fn llama() -> MediaRequest {
    let model = "meta/meta-llama-3-70b-instruct";
    MediaRequest {
        input_mapping: mapping(model),
        system: Some("Be brief.".to_owned()),
        max_output_tokens: Some(300),
        ..MediaRequest::new("replicate", MediaKind::Text, model, "What do foxes do?")
    }
}

#[tokio::test]
async fn a_prediction_is_asked_about_until_it_succeeds_and_each_of_its_files_is_kept() {
    let files = serve(&[
        ("GET /a.webp", vec![Reply::document(200, "image/webp", webp())]),
        ("GET /b.webp", vec![Reply::document(200, "image/webp", webp())]),
    ]);
    let provider = serve(&[
        (FLUX, vec![Reply::json(201, filled("replicate_starting", &[], ""))]),
        (ASK, vec![reply("replicate_processing"), Reply::json(200, filled("replicate_image", &[], &files.base_url()))]),
    ]);
    let endpoint = named(&provider, "replicate");
    let handle = job(&endpoint, &flux()).await;
    assert_eq!((handle.id.as_str(), handle.is_ready()), ("qz7mfxlkw3", false));
    let submitted = &provider.calls()[0];
    assert_eq!(submitted.header("prefer"), Some("wait=1"));
    assert_eq!(
        submitted.json(),
        json!({"input": {
            "prompt": "a fox in the snow",
            "aspect_ratio": "1:1",
            "output_format": "png",
            "output_quality": 90,
        }})
    );
    let state = poll(&endpoint, &handle).await.unwrap();
    assert_eq!(state, JobState::Working { progress: None, wait: Duration::from_secs(1) });
    let handle = done(&endpoint, &handle).await;
    assert_eq!(handle.receipt.work_ms, Some(482));

    let (home, client) = (home(), client());
    let saved = fetch(&MediaCall::new(&client, &endpoint), &stored(&handle), &home.files).await.unwrap().files;
    assert_eq!(saved.iter().map(|file| file.format).collect::<Vec<_>>(), [FileFormat::Webp; 2]);
    assert_eq!(home.names(), ["0123456789abcdef01234567-1.webp", "0123456789abcdef01234567-2.webp"]);
    assert!(files.calls().iter().all(|call| call.header("authorization").is_none()));
    assert_eq!(provider.count("POST"), 1);
}

#[tokio::test]
async fn a_10_a_prediction_that_fails_is_asked_about_and_is_an_error_and_not_an_empty_success() {
    let provider = serve(&[
        (LLAMA, vec![Reply::json(201, filled("replicate_processing", &[], ""))]),
        (ASK, vec![reply("replicate_processing"), reply("replicate_failed")]),
    ]);
    let endpoint = named(&provider, "replicate");
    let handle = job(&endpoint, &llama()).await;
    assert!(matches!(poll(&endpoint, &handle).await.unwrap(), JobState::Working { .. }));
    let JobState::Failed { error, may_have_cost } = poll(&endpoint, &handle).await.unwrap() else {
        panic!("it failed");
    };
    assert!(matches!(error, ProviderError::Failed { .. }));
    assert!(error.to_string().contains("CUDA ran out of memory"), "{error}");
    assert!(may_have_cost);
    assert_eq!(provider.count("GET"), 2);
    assert_eq!(provider.count("POST"), 1);
}

#[tokio::test]
async fn text_comes_together_as_it_was_written_and_its_bound_is_the_plans() {
    let provider = serve(&[
        (LLAMA, vec![Reply::json(201, filled("replicate_processing", &[], ""))]),
        (ASK, vec![reply("replicate_text")]),
    ]);
    let endpoint = named(&provider, "replicate");
    let handle = job(&endpoint, &llama()).await;
    assert_eq!(
        provider.calls()[0].json(),
        json!({"input": {"prompt": "Be brief.\n\nWhat do foxes do?", "max_new_tokens": 300}})
    );
    let JobState::Done { handle, text } = poll(&endpoint, &handle).await.unwrap() else { panic!("it is done") };
    assert_eq!(text.as_deref(), Some("Foxes jump.\nThey do."));
    assert_eq!((handle.receipt.input_tokens, handle.receipt.output_tokens), (Some(11), Some(5)));
    let client = client();
    let nothing = fetch(&MediaCall::new(&client, &endpoint), &handle, &home().files).await.unwrap_err();
    assert!(nothing.to_string().contains("has made no file"), "{nothing}");
}

#[tokio::test]
async fn text_that_is_there_at_once_is_taken_at_once() {
    let provider = serve(&[(LLAMA, vec![Reply::json(201, filled("replicate_text", &[], ""))])]);
    let Submitted::Done(finished) = send(&named(&provider, "replicate"), &llama()).await.unwrap() else {
        panic!("the text came with the answer");
    };
    assert_eq!(finished.text.as_deref(), Some("Foxes jump.\nThey do."));
    assert!(finished.files.is_empty());
}

#[tokio::test]
async fn images_that_are_there_at_once_still_go_through_a_handle() {
    let answer = filled("replicate_image", &[], "https://files.invalid");
    let provider = serve(&[(FLUX, vec![Reply::json(201, answer)])]);
    let handle = job(&named(&provider, "replicate"), &flux()).await;
    assert!(handle.is_ready());
    assert!(!format!("{handle:?}").contains("files.invalid"), "an address may be signed");
}

#[rstest]
#[case::canceled("replicate_canceled", "was canceled")]
#[case::nothing("replicate_empty", "deleted in the meantime")]
#[tokio::test]
async fn an_end_without_output_is_a_failure(#[case] answer: &str, #[case] says: &str) {
    let provider =
        serve(&[(FLUX, vec![Reply::json(201, filled("replicate_starting", &[], ""))]), (ASK, vec![reply(answer)])]);
    let endpoint = named(&provider, "replicate");
    let handle = job(&endpoint, &flux()).await;
    let JobState::Failed { error, may_have_cost: true } = poll(&endpoint, &handle).await.unwrap() else {
        panic!("it has no output");
    };
    assert!(error.to_string().contains(says), "{error}");
}

#[tokio::test]
async fn a_failure_on_account_of_the_content_is_a_filter() {
    let provider = serve(&[
        (FLUX, vec![Reply::json(201, filled("replicate_starting", &[], ""))]),
        (ASK, vec![reply("replicate_nsfw")]),
    ]);
    let endpoint = named(&provider, "replicate");
    let handle = job(&endpoint, &flux()).await;
    assert!(matches!(poll(&endpoint, &handle).await.unwrap(), JobState::ContentFiltered(_)));
}

#[tokio::test]
async fn a_job_that_has_failed_in_its_first_reply_is_not_lost_as_an_error_of_submission() {
    let provider = serve(&[
        (FLUX, vec![Reply::json(201, filled("replicate_failed", &[], ""))]),
        (ASK, vec![reply("replicate_failed")]),
    ]);
    let endpoint = named(&provider, "replicate");
    let handle = job(&endpoint, &flux()).await;
    assert!(matches!(poll(&endpoint, &handle).await.unwrap(), JobState::Failed { .. }));
}

#[tokio::test]
async fn a_version_has_its_own_door() {
    let provider = serve(&[("POST /predictions", vec![Reply::json(201, filled("replicate_starting", &[], ""))])]);
    let request = image("replicate", "someone/some-model:0a1b2c");
    job(&named(&provider, "replicate"), &request).await;
    assert_eq!(provider.calls()[0].json(), json!({"version": "0a1b2c", "input": {"prompt": "a fox in the snow"}}));
}

#[rstest]
#[case("flux")]
#[case("../predictions")]
#[case("a/b/c")]
#[case("a/b?c=d")]
#[case("a/b:")]
#[tokio::test]
async fn a_name_that_is_no_model_is_refused_before_sending(#[case] model: &str) {
    let provider = serve(&[]);
    let error = send(&named(&provider, "replicate"), &image("replicate", model)).await.unwrap_err();
    assert!(matches!(error, ProviderError::Rejected { reason: Rejection::UnknownModel, .. }), "{error:?}");
    assert_eq!(provider.connections(), 0);
}

#[tokio::test]
async fn a_mapping_is_filled_once_and_what_the_prompt_says_stays_words() {
    let provider =
        serve(&[("POST /models/a/b/predictions", vec![Reply::json(201, filled("replicate_starting", &[], ""))])]);
    let mut request = image("replicate", "a/b");
    request.prompt = "a sign that says $SIZE and $PROMPT".to_owned();
    request.options.seconds = 6;
    request.input_mapping = json!({
        "text": "photo: $PROMPT!",
        "nested": [{"seconds": "$SECONDS"}, "$SIZE", "$5"],
        "count": 1,
    })
    .as_object()
    .unwrap()
    .clone();
    job(&named(&provider, "replicate"), &request).await;
    assert_eq!(
        provider.calls()[0].json()["input"],
        json!({
            "text": "photo: a sign that says $SIZE and $PROMPT!",
            "nested": [{"seconds": 6}, "1280x720", "$5"],
            "count": 1,
        })
    );
}

#[tokio::test]
async fn a_mapping_without_a_prompt_is_refused_before_sending() {
    let provider = serve(&[]);
    let mut request = image("replicate", "a/b");
    request.input_mapping = json!({"text": "always the same"}).as_object().unwrap().clone();
    let error = send(&named(&provider, "replicate"), &request).await.unwrap_err();
    assert!(error.to_string().contains("$PROMPT"), "{error}");
    assert_eq!(provider.connections(), 0);
    assert_has_no_key(&error);
}

#[rstest]
#[case(Some(PicoUsd::new(3_000_000_000)), QuoteSource::Caller)]
#[case(None, QuoteSource::Unknown)]
#[tokio::test]
async fn a_provider_without_prices_costs_what_the_caller_knows_or_is_unknown(
    #[case] known: Option<PicoUsd>,
    #[case] source: QuoteSource,
) {
    let provider = serve(&[]);
    let endpoint = named(&provider, "replicate");
    let client = client();
    let quote = quote(&MediaCall::new(&client, &endpoint), &flux(), known).await.unwrap();
    assert_eq!((quote.cost, quote.source), (known, source));
    assert_eq!(provider.connections(), 0);
}
