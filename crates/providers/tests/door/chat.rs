//! Answers, in every shape.

use lwa_domain::PicoUsd;
use lwa_providers::{ChatAnswer, Limits, ModelProfile, Usage};
use lwa_testkit::Reply;
use rstest::rstest;

use crate::support::{KEY, call, call_with, endpoint, request, serve, shape};

const STREAMED: &str = "Grüße, 北京 🦀 d'été";

fn streamed_answer() -> ChatAnswer {
    ChatAnswer {
        text: STREAMED.to_owned(),
        model: "example-small-2026".to_owned(),
        finish_reason: Some("stop".to_owned()),
        response_id: Some("fixture-stream".to_owned()),
        usage: Usage { input: Some(14), output: Some(9), reported: true, ..Usage::default() },
        cost: Some(PicoUsd::ZERO),
        quota: Vec::new(),
        notes: Vec::new(),
    }
}

#[tokio::test]
async fn lwa_033_a_plain_json_answer_to_a_stream_request_is_read() {
    let provider = serve(
        Reply::json(200, shape("chat.json"))
            .header("X-RateLimit-Remaining-Requests", "41")
            .header("x-generated-by", "example"),
    );
    let (outcome, pieces) = call(&provider).await;
    let answer = outcome.unwrap();
    assert_eq!(answer.text, "Forty-two.");
    assert_eq!(answer.model, "example-small-2026");
    assert_eq!(answer.response_id.as_deref(), Some("chatcmpl-fixture-1"));
    assert_eq!(answer.usage, Usage { input: Some(11), output: Some(7), reported: true, ..Usage::default() });
    assert_eq!(answer.cost, None);
    assert_eq!(answer.quota, [("x-ratelimit-remaining-requests".to_owned(), "41".to_owned())]);
    assert_eq!(pieces, ["Forty-two."]);
    assert_eq!(provider.count("POST"), 1);
}

#[tokio::test]
async fn a_stream_gives_its_text_in_pieces_and_a_stated_cost_of_zero_is_zero() {
    let provider = serve(Reply::events(shape("stream.sse")));
    let (outcome, pieces) = call(&provider).await;
    assert_eq!(outcome.unwrap(), streamed_answer());
    assert_eq!(pieces, ["Grüße, 北京 ", "🦀 d'été"]);
}

/// One fake, one call a position: a split inside a character, a line end or a word of the protocol changes nothing.
#[tokio::test]
async fn rr_22_a_stream_split_at_any_byte_gives_the_same_answer() {
    let body = shape("stream.sse");
    let replies: Vec<_> = (1..body.len()).map(|at| Reply::events(body.clone()).split_at(&[at])).collect();
    let count = replies.len();
    let provider =
        lwa_testkit::FakeProvider::start(lwa_testkit::Script::new().on(crate::support::CHAT, replies)).unwrap();
    let endpoint = endpoint(&provider);
    let client = crate::support::client();
    for at in 1..=count {
        let answer = lwa_providers::chat(&client, &endpoint, &request(), |_| {}).await.unwrap();
        assert_eq!(answer, streamed_answer(), "split at byte {at}");
    }
    assert_eq!(provider.count("POST"), count);
}

#[rstest]
#[case::carriage_returns("\r")]
#[case::both("\r\n")]
#[tokio::test]
async fn rr_23_other_line_ends_and_single_bytes_change_nothing(#[case] line_end: &str) {
    let body = String::from_utf8(shape("stream.sse")).unwrap().replace('\n', line_end);
    let body = format!("\u{feff}{body}");
    let provider = serve(Reply::events(body).split_every(1));
    let (outcome, _) = call(&provider).await;
    assert_eq!(outcome.unwrap(), streamed_answer());
}

#[tokio::test]
async fn events_under_a_wrong_content_type_are_read() {
    let provider = serve(Reply::document(200, "application/json", shape("stream.sse")));
    let (outcome, _) = call(&provider).await;
    assert_eq!(outcome.unwrap().text, STREAMED);
}

#[tokio::test]
async fn reasoning_is_not_answer_text_and_an_unknown_finish_reason_is_kept() {
    let provider = serve(Reply::events(shape("stream_reasoning.sse")));
    let (outcome, pieces) = call(&provider).await;
    let answer = outcome.unwrap();
    assert_eq!(answer.text, "Four.");
    assert_eq!(pieces, ["Four."]);
    assert_eq!(answer.finish_reason.as_deref(), Some("end_turn"));
    assert_eq!(
        answer.usage,
        Usage { input: Some(8), output: Some(40), reasoning: Some(36), reported: true, ..Usage::default() }
    );
}

#[tokio::test]
async fn content_in_parts_is_joined_without_thinking() {
    let provider = serve(Reply::json(200, shape("chat_parts.json")));
    let answer = call(&provider).await.0.unwrap();
    assert_eq!(answer.text, "Blue.");
    assert_eq!(answer.usage.cached, Some(4));
}

#[tokio::test]
async fn rr_02_cached_tokens_are_part_of_input_and_the_stated_cost_is_exact() {
    let provider = serve(Reply::json(200, shape("chat_cached.json")));
    let answer = call(&provider).await.0.unwrap();
    assert_eq!(
        answer.usage,
        Usage {
            input: Some(2006),
            cached: Some(1920),
            output: Some(300),
            reasoning: Some(128),
            reported: true,
            ..Usage::default()
        }
    );
    assert_eq!(answer.cost, Some(PicoUsd::new(123_000_000)));
}

#[tokio::test]
async fn rr_07_reasoning_left_out_of_the_completion_count_is_counted() {
    let provider = serve(Reply::json(200, shape("chat_reasoning_outside.json")));
    let usage = call(&provider).await.0.unwrap().usage;
    assert_eq!((usage.input, usage.output, usage.reasoning), (Some(21), Some(60), Some(60)));
}

#[tokio::test]
async fn lwa_037_an_answer_without_usage_reports_none() {
    let provider = serve(Reply::json(200, shape("chat_no_usage.json")));
    let answer = call(&provider).await.0.unwrap();
    assert_eq!(answer.usage, Usage::default());
    assert!(!answer.usage.reported);
    assert_eq!(answer.cost, None);
}

#[tokio::test]
async fn an_own_key_behind_a_relay_adds_what_the_upstream_charges() {
    let body = r#"{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],
        "usage":{"prompt_tokens":1,"completion_tokens":1,"cost":0.000001,"is_byok":true,
        "cost_details":{"upstream_inference_cost":0.00002}}}"#;
    let provider = serve(Reply::json(200, body));
    assert_eq!(call(&provider).await.0.unwrap().cost, Some(PicoUsd::new(21_000_000)));
}

#[tokio::test]
async fn a_model_that_the_answer_does_not_name_is_the_one_that_was_asked() {
    let provider = serve(Reply::json(200, r#"{"choices":[{"message":{"content":"x"}}]}"#));
    assert_eq!(call(&provider).await.0.unwrap().model, "example-small");
}

#[tokio::test]
async fn an_answer_whose_trailer_never_comes_is_complete() {
    let body = "data: {\"choices\":[{\"delta\":{\"content\":\"Done.\"},\"finish_reason\":\"stop\"}]}\n\n";
    let limits = Limits { trailer: std::time::Duration::from_millis(50), ..Limits::default() };
    for reply in [Reply::events(body).then_stall(), Reply::events(body).then_cut(), Reply::events(body)] {
        let provider = serve(reply);
        let (outcome, _) = call_with(&endpoint(&provider), &request(), limits).await;
        assert_eq!(outcome.unwrap().text, "Done.");
    }
}

#[tokio::test]
async fn the_last_event_may_lack_its_blank_line() {
    let body = "data: {\"choices\":[{\"delta\":{\"content\":\"Done.\"}}]}\n\ndata: [DONE]";
    let provider = serve(Reply::events(body));
    assert_eq!(call(&provider).await.0.unwrap().text, "Done.");
}

#[tokio::test]
async fn every_call_makes_its_own_connection() {
    let provider = serve(Reply::json(200, shape("chat.json")));
    let client = crate::support::client();
    for _ in 0..3 {
        lwa_providers::chat(&client, &endpoint(&provider), &request(), |_| {}).await.unwrap();
    }
    assert_eq!(provider.connections(), 3);
    assert_eq!(provider.count("POST"), 3);
}

#[tokio::test]
async fn printing_shows_neither_key_nor_text() {
    let provider = serve(Reply::json(200, shape("chat.json")));
    let mut endpoint = endpoint(&provider);
    endpoint.headers = vec![("X-Extra".to_owned(), "another-fake-secret".to_owned())];
    let answer = lwa_providers::chat(&crate::support::client(), &endpoint, &request(), |_| {}).await.unwrap();
    let printed = format!("{endpoint:?} {:?} {answer:?} {:?}", request(), ModelProfile::default());
    for hidden in [KEY, "another-fake-secret", "What is the answer?", "Be brief.", "Forty-two."] {
        assert!(!printed.contains(hidden), "{printed}");
    }
}
