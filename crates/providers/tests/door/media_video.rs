//! Videos: jobs that outlive the process that started them.

use std::time::Duration;

use lwa_domain::PicoUsd;
use lwa_providers::media::{
    Charge, FileFormat, JobHandle, JobState, MediaCall, QuoteSource, Submitted, fetch, is_worth_asking_again, quote,
    release,
};
use lwa_providers::{Endpoint, ProviderError};
use lwa_testkit::{FakeProvider, Reply};
use rstest::rstest;
use serde_json::{Value, json};

use crate::media_support::{
    done, filled, hasty, home, job, json as reply, mp4, named, poll, send, serve, stored, video,
};
use crate::support::{KEY, assert_has_no_key, client};

/// The handle as it would be after `seconds`.
fn aged(handle: &JobHandle, seconds: u64) -> JobHandle {
    let mut older = handle.clone();
    older.submitted_at -= seconds;
    older
}

fn clip() -> Reply {
    Reply::document(200, "video/mp4", mp4()).split_every(997)
}

fn openai(answers: Vec<Reply>) -> (FakeProvider, Endpoint) {
    let provider = serve(&[
        ("POST /videos", vec![reply("openai_video_queued")]),
        ("GET /videos/video_68d7512d", answers),
        ("GET /videos/video_68d7512d/content", vec![clip()]),
    ]);
    let endpoint = named(&provider, "openai");
    (provider, endpoint)
}

#[tokio::test]
async fn a_11_a_video_that_takes_longer_than_its_time_limit_is_resumed_from_its_stored_handle() {
    let (provider, endpoint) =
        openai(vec![reply("openai_video_working"), Reply::silence(), reply("openai_video_done")]);
    let stored_text = {
        // One process starts the job and writes the handle down before it waits.
        let handle = job(&endpoint, &video("openai", "sora-2")).await;
        let text = serde_json::to_string(&handle).unwrap();
        assert!(matches!(poll(&endpoint, &handle).await.unwrap(), JobState::Working { progress: Some(42), .. }));
        // Its question is not answered in time. That is an error of the question; the job is not given up.
        let client = client();
        let call = MediaCall { limits: hasty(), ..MediaCall::new(&client, &endpoint) };
        let error = lwa_providers::media::poll(&call, &handle).await.unwrap_err();
        assert!(matches!(error, ProviderError::TimedOut { .. }), "{error:?}");
        assert!(is_worth_asking_again(&error));
        text
    };
    assert!(!stored_text.contains(KEY));
    // Another process has the text and the configuration, and nothing else.
    let handle: JobHandle = serde_json::from_str(&stored_text).unwrap();
    let handle = done(&endpoint, &handle).await;
    let (home, client) = (home(), client());
    let saved = fetch(&MediaCall::new(&client, &endpoint), &handle, &home.files).await.unwrap().files;
    assert_eq!(std::fs::read(&saved[0].path).unwrap(), mp4());
    assert_eq!(saved[0].format, FileFormat::Mp4);
    assert_eq!(provider.count("POST"), 1, "the video was ordered once");
}

#[tokio::test]
async fn openai_is_asked_with_a_form_and_its_video_lies_behind_the_key() {
    let (provider, endpoint) = openai(vec![reply("openai_video_done")]);
    let handle = done(&endpoint, &job(&endpoint, &video("openai", "sora-2")).await).await;
    let client = client();
    fetch(&MediaCall::new(&client, &endpoint), &handle, &home().files).await.unwrap();
    let calls = provider.calls();
    let body = String::from_utf8_lossy(&calls[0].body).into_owned();
    for (name, value) in
        [("model", "sora-2"), ("prompt", "a fox runs through the snow"), ("seconds", "4"), ("size", "1280x720")]
    {
        assert!(body.contains(&format!("name=\"{name}\"\r\n\r\n{value}\r\n")), "{name}: {body}");
    }
    assert_eq!(calls[2].target, "/videos/video_68d7512d/content");
    assert_eq!(calls[2].header("authorization"), Some(format!("Bearer {KEY}").as_str()));
}

#[rstest]
#[case(0, None, 2)]
#[case(30, None, 5)]
#[case(3600, None, 15)]
#[case(30, Some("9"), 9)]
#[case(30, Some("3"), 5)]
#[case(0, Some("40"), 40)]
#[tokio::test]
async fn the_wait_grows_with_the_job_and_is_never_shorter_than_the_provider_asks(
    #[case] age: u64,
    #[case] retry_after: Option<&str>,
    #[case] seconds: u64,
) {
    let answer = retry_after.map_or_else(
        || reply("openai_video_working"),
        |wait| reply("openai_video_working").header("retry-after", wait),
    );
    let (_provider, endpoint) = openai(vec![answer]);
    let handle = job(&endpoint, &video("openai", "sora-2")).await;
    let state = poll(&endpoint, &aged(&handle, age)).await.unwrap();
    assert_eq!(state, JobState::Working { progress: Some(42), wait: Duration::from_secs(seconds) });
}

#[tokio::test]
async fn a_video_that_failed_says_why_and_may_be_billed() {
    let (_provider, endpoint) = openai(vec![reply("openai_video_failed")]);
    let handle = job(&endpoint, &video("openai", "sora-2")).await;
    let JobState::Failed { error, may_have_cost: true } = poll(&endpoint, &handle).await.unwrap() else {
        panic!("it failed");
    };
    assert!(error.to_string().contains("The renderer stopped."), "{error}");
}

#[tokio::test]
async fn a_video_that_was_blocked_is_an_outcome_of_its_own() {
    let (_provider, endpoint) = openai(vec![reply("openai_video_filtered")]);
    let handle = job(&endpoint, &video("openai", "sora-2")).await;
    let JobState::ContentFiltered(filter) = poll(&endpoint, &handle).await.unwrap() else { panic!("it was blocked") };
    assert_eq!(filter.charge, Charge::Unknown);
}

#[rstest]
#[case::gone(404, r#"{"error":{"message":"Video not found"}}"#)]
#[case::expired(410, r#"{"error":{"message":"expired"}}"#)]
#[tokio::test]
async fn a_job_that_the_provider_has_forgotten_has_ended_and_may_be_billed(#[case] status: u16, #[case] body: &str) {
    let (_provider, endpoint) = openai(vec![Reply::json(status, body)]);
    let handle = job(&endpoint, &video("openai", "sora-2")).await;
    assert!(matches!(
        poll(&endpoint, &handle).await.unwrap(),
        JobState::Failed { may_have_cost: true, error } if error.failure().status == Some(status)
    ));
}

#[rstest]
#[case::key(Reply::json(401, r#"{"error":{"message":"bad key visibly-fake-key-0123456789abcdef"}}"#), false)]
#[case::limit(Reply::json(429, r#"{"error":{"message":"Rate limit reached. Try again in 7s."}}"#), true)]
#[case::balance(Reply::json(402, r#"{"error":{"message":"Top up."}}"#), false)]
#[case::broken(Reply::json(502, "<html>bad gateway</html>"), true)]
#[case::cut(reply("openai_video_working").then_cut(), true)]
#[case::no_json(Reply::json(200, "{"), true)]
#[case::no_state(Reply::json(200, r#"{"id":"video_68d7512d"}"#), true)]
#[tokio::test]
async fn a_question_that_failed_ends_no_job(#[case] answer: Reply, #[case] again: bool) {
    let (provider, endpoint) = openai(vec![answer, reply("openai_video_done")]);
    let handle = job(&endpoint, &video("openai", "sora-2")).await;
    let error = poll(&endpoint, &handle).await.unwrap_err();
    assert_eq!(is_worth_asking_again(&error), again, "{error:?}");
    assert_has_no_key(&error);
    assert_eq!(provider.count("GET"), 1, "a question is not repeated behind the caller's back");
    done(&endpoint, &handle).await;
}

#[rstest]
#[case("video/../../admin?x=y", "/videos/video%2F..%2F..%2Fadmin%3Fx%3Dy")]
#[case("a b", "/videos/a%20b")]
#[tokio::test]
async fn an_id_is_one_part_of_a_path_whatever_it_says(#[case] id: &str, #[case] target: &str) {
    let provider = serve(&[("POST /videos", vec![Reply::json(200, json!({"id": id}).to_string())])]);
    let endpoint = named(&provider, "openai");
    let handle = job(&endpoint, &video("openai", "sora-2")).await;
    assert!(matches!(poll(&endpoint, &handle).await.unwrap(), JobState::Failed { .. }), "the script has no such path");
    assert_eq!(provider.calls()[1].target, target);
}

#[tokio::test]
async fn an_id_that_leads_upwards_is_asked_about_nowhere() {
    let provider = serve(&[("POST /videos", vec![Reply::json(200, r#"{"id":".."}"#)])]);
    let endpoint = named(&provider, "openai");
    let handle = job(&endpoint, &video("openai", "sora-2")).await;
    assert!(poll(&endpoint, &handle).await.is_err());
    assert_eq!(provider.calls().len(), 1);
}

/// One that answers with the address of the video, which lies at another host.
struct Case {
    name: &'static str,
    submit: &'static str,
    submitted: &'static str,
    ask: &'static str,
    working: &'static str,
    done: &'static str,
    failed: &'static str,
    body: Value,
    question: Value,
    first_wait: u64,
}

fn zenmux() -> Case {
    Case {
        name: "zenmux",
        submit: "POST /videos",
        submitted: "zenmux_video_queued",
        ask: "GET /videos/fff8799f",
        working: "zenmux_video_queued",
        done: "zenmux_video_done",
        failed: "zenmux_video_failed",
        body: json!({
            "model": "some-video-model",
            "content": [{"type": "text", "text": "a fox runs through the snow"}],
            "duration": 4,
            "ratio": "16:9",
            "resolution": "720p",
        }),
        question: Value::Null,
        first_wait: 15,
    }
}

fn zai() -> Case {
    Case {
        name: "zai",
        submit: "POST /videos/generations",
        submitted: "zai_video_processing",
        ask: "GET /async-result/87651",
        working: "zai_video_processing",
        done: "zai_video_done",
        failed: "zai_video_failed",
        body: json!({
            "model": "some-video-model",
            "prompt": "a fox runs through the snow",
            "duration": 4,
            "size": "1280x720",
        }),
        question: Value::Null,
        first_wait: 5,
    }
}

fn siliconflow() -> Case {
    Case {
        name: "siliconflow",
        submit: "POST /video/submit",
        submitted: "siliconflow_video_submitted",
        ask: "POST /video/status",
        working: "siliconflow_video_working",
        done: "siliconflow_video_done",
        failed: "siliconflow_video_failed",
        body: json!({
            "model": "some-video-model",
            "prompt": "a fox runs through the snow",
            "image_size": "1280x720",
        }),
        question: json!({"requestId": "sf-req-5"}),
        first_wait: 5,
    }
}

#[rstest]
#[case::zenmux(zenmux())]
#[case::zai(zai())]
#[case::siliconflow(siliconflow())]
#[tokio::test]
async fn each_follower_is_asked_in_its_own_way_and_its_video_is_fetched_without_the_key(#[case] case: Case) {
    let files = serve(&[("GET /made", vec![clip()])]);
    let address = format!("{}/made?expires=3600", files.base_url());
    let provider = serve(&[
        (case.submit, vec![reply(case.submitted)]),
        (case.ask, vec![reply(case.working), Reply::json(200, filled(case.done, &[], &address)), reply(case.failed)]),
    ]);
    let endpoint = named(&provider, case.name);
    let handle = job(&endpoint, &video(case.name, "some-video-model")).await;
    assert_eq!(provider.calls()[0].json(), case.body);
    let wait = Duration::from_secs(case.first_wait);
    assert_eq!(poll(&endpoint, &handle).await.unwrap(), JobState::Working { progress: None, wait });
    assert_eq!(provider.calls()[1].json(), case.question);
    let finished = done(&endpoint, &handle).await;
    let (home, client) = (home(), client());
    let saved = fetch(&MediaCall::new(&client, &endpoint), &stored(&finished), &home.files).await.unwrap().files;
    assert_eq!(std::fs::read(&saved[0].path).unwrap(), mp4());
    assert_eq!(files.calls()[0].header("authorization"), None);
    assert!(matches!(poll(&endpoint, &handle).await.unwrap(), JobState::Failed { may_have_cost: true, .. }));
}

#[tokio::test]
async fn openrouter_states_the_cost_and_keeps_the_video_behind_the_key() {
    let provider = serve(&[
        ("POST /videos", vec![Reply::json(202, filled("openrouter_video_pending", &[], ""))]),
        ("GET /videos/gen-vid-17", vec![reply("openrouter_video_pending"), reply("openrouter_video_done")]),
        ("GET /videos/gen-vid-17/content", vec![clip()]),
    ]);
    let endpoint = named(&provider, "openrouter");
    let handle = job(&endpoint, &video("openrouter", "google/veo-3.1")).await;
    assert_eq!(
        provider.calls()[0].json(),
        json!({
            "model": "google/veo-3.1",
            "prompt": "a fox runs through the snow",
            "duration": 4,
            "aspect_ratio": "16:9",
            "resolution": "720p",
        })
    );
    let wait = Duration::from_secs(10);
    assert_eq!(poll(&endpoint, &handle).await.unwrap(), JobState::Working { progress: None, wait });
    let handle = done(&endpoint, &handle).await;
    assert_eq!(handle.receipt.cost, Some(PicoUsd::new(500_000_000_000)));
    let client = client();
    fetch(&MediaCall::new(&client, &endpoint), &handle, &home().files).await.unwrap();
    let call = provider.calls().pop().unwrap();
    assert_eq!(call.target, "/videos/gen-vid-17/content?index=0");
    assert_eq!(call.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
}

#[tokio::test]
async fn venice_names_the_price_of_exactly_this_video_before_it_costs_anything() {
    let provider = serve(&[("POST /video/quote", vec![reply("venice_quote")])]);
    let endpoint = named(&provider, "venice");
    let client = client();
    let request = video("venice", "wan-2.5-preview-text-to-video");
    let known = Some(PicoUsd::new(1));
    let quote = quote(&MediaCall::new(&client, &endpoint), &request, known).await.unwrap();
    assert_eq!((quote.cost, quote.source), (Some(PicoUsd::new(175_000_000_000)), QuoteSource::Provider));
    assert_eq!(
        provider.calls()[0].json(),
        json!({
            "model": "wan-2.5-preview-text-to-video",
            "duration": "4s",
            "resolution": "720p",
            "aspect_ratio": "16:9",
        })
    );
    assert_eq!(provider.calls().len(), 1);
}

#[tokio::test]
async fn venice_gives_the_video_in_place_of_a_status_and_is_asked_for_it_again() {
    let provider = serve(&[
        ("POST /video/queue", vec![reply("venice_queued")]),
        ("POST /video/retrieve", vec![reply("venice_processing"), clip()]),
        ("POST /video/complete", vec![Reply::json(200, r#"{"success":true}"#)]),
    ]);
    let endpoint = named(&provider, "venice");
    let model = "wan-2.5-preview-text-to-video";
    let handle = job(&endpoint, &video("venice", model)).await;
    let state = poll(&endpoint, &handle).await.unwrap();
    assert_eq!(state, JobState::Working { progress: Some(36), wait: Duration::from_secs(3) });
    let handle = done(&endpoint, &handle).await;
    let (home, client) = (home(), client());
    let call = MediaCall::new(&client, &endpoint);
    let saved = fetch(&call, &stored(&handle), &home.files).await.unwrap().files;
    assert_eq!(std::fs::read(&saved[0].path).unwrap(), mp4());
    let question = json!({"model": model, "queue_id": "5b3a1d7e-52aa"});
    release(&call, &handle).await.unwrap();
    let calls = provider.calls();
    assert_eq!(calls[3].json(), question);
    assert_eq!((calls[4].target.as_str(), calls[4].json()), ("/video/complete", question));
    assert!(calls.iter().all(|call| call.header("authorization").is_some()));
}

#[tokio::test]
async fn venice_tells_the_address_of_a_private_video_once_and_it_is_in_the_handle() {
    let files = serve(&[("GET /share", vec![clip()])]);
    let address = format!("{}/share?token=once", files.base_url());
    let provider = serve(&[
        ("POST /video/queue", vec![Reply::json(200, filled("venice_queued_private", &[], &address))]),
        ("POST /video/retrieve", vec![reply("venice_processing"), reply("venice_completed")]),
    ]);
    let endpoint = named(&provider, "venice");
    let handle = job(&endpoint, &video("venice", "grok-imagine-text-to-video-private")).await;
    assert!(!handle.is_ready(), "the address is known and the video is not there yet");
    assert!(matches!(poll(&endpoint, &handle).await.unwrap(), JobState::Working { .. }));
    let handle = done(&endpoint, &stored(&handle)).await;
    let client = client();
    fetch(&MediaCall::new(&client, &endpoint), &handle, &home().files).await.unwrap();
    assert_eq!(files.calls()[0].header("authorization"), None);
    assert!(!format!("{handle:?}").contains("once"));
}

#[tokio::test]
async fn venice_says_that_a_refused_video_costs_nothing() {
    let refused = || Reply::json(422, filled("venice_policy", &[], ""));
    let provider = serve(&[
        ("POST /video/queue", vec![reply("venice_queued"), refused()]),
        ("POST /video/retrieve", vec![refused()]),
    ]);
    let endpoint = named(&provider, "venice");
    let request = video("venice", "wan-2.5-preview-text-to-video");
    let handle = job(&endpoint, &request).await;
    let JobState::ContentFiltered(late) = poll(&endpoint, &handle).await.unwrap() else { panic!("it was refused") };
    let Submitted::ContentFiltered(early) = send(&endpoint, &request).await.unwrap() else { panic!("it was refused") };
    for filter in [late, early] {
        assert_eq!((filter.charge, filter.failure.status), (Charge::NotCharged, Some(422)));
    }
}

#[tokio::test]
async fn venice_without_a_price_is_an_error_and_not_free() {
    let provider = serve(&[("POST /video/quote", vec![Reply::json(200, r#"{"quote":null}"#)])]);
    let endpoint = named(&provider, "venice");
    let client = client();
    let outcome = quote(&MediaCall::new(&client, &endpoint), &video("venice", "m"), None).await;
    assert!(outcome.unwrap_err().to_string().contains("no price"));
}
