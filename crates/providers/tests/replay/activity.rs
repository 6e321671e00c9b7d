//! What counts as activity while a model is silent, on a clock that costs no time.

use std::time::Duration;

use lwa_domain::ErrorCode;
use lwa_providers::{ChatAnswer, Limits, ProviderError, complete};

use crate::mock::{Mock, Step};
use crate::outcome::{client, endpoint, request};
use crate::shape::{Shape, named};

/// Shorter than any silence here unless what breaks it counts.
const IDLE: Duration = Duration::from_secs(20);
const SILENCE: Duration = Duration::from_secs(15);

async fn call(shape: &Shape, play: Vec<Step>, limits: Limits) -> Result<ChatAnswer, ProviderError> {
    let mock = Mock::start(vec![play]).await;
    let mut endpoint = endpoint(shape, &mock);
    endpoint.timeout = Duration::from_mins(30);
    let outcome = complete(&client(), shape.adapter, &endpoint, &request(), limits, |_| {}).await;
    assert_eq!(mock.asked().len(), 1, "{}", shape.id());
    outcome
}

/// The events of a stream with a silence before each.
fn slow(shape: &Shape) -> Vec<Step> {
    let mut steps = shape.broken(0, None);
    let text = String::from_utf8(shape.body.clone()).unwrap();
    for event in text.split_inclusive("\n\n") {
        steps.push(Step::Pause(SILENCE));
        steps.push(Step::Send(format!("{:x}\r\n{event}\r\n", event.len()).into_bytes()));
    }
    steps.push(Step::Send(b"0\r\n\r\n".to_vec()));
    steps
}

#[tokio::test(start_paused = true)]
async fn rr_32_reasoning_of_every_kind_is_activity() {
    let limits = Limits { idle: IDLE, trailer: IDLE, ..Limits::default() };
    let mut count = 0;
    for shape in named("reasoning").iter().filter(|shape| shape.is_stream()) {
        let answer = call(shape, slow(shape), limits).await.unwrap_or_else(|error| panic!("{}: {error}", shape.id()));
        assert_eq!(Some(&answer.text), shape.expect.text.as_ref(), "{}", shape.id());
        count += 1;
    }
    assert!(count >= 8, "only {count} providers have reasoning in a stream");
}

#[tokio::test(start_paused = true)]
async fn rr_31_heartbeats_are_activity_and_silence_is_not() {
    let shape = &named("stream")[0];
    let limits = Limits { idle: IDLE, ..Limits::default() };
    let heartbeat = |text: &str| Step::Send(format!("{:x}\r\n{text}\r\n", text.len()).into_bytes());
    let mut steps = shape.broken(0, None);
    for _ in 0..40 {
        steps.extend([Step::Pause(SILENCE), heartbeat(": ping\n\n")]);
    }
    // The head has gone out already.
    steps.extend(shape.split(1).into_iter().skip(1));
    assert_eq!(call(shape, steps, limits).await.unwrap().text, shape.expect.text.clone().unwrap());

    let silent = shape.broken(shape.body.len() / 2, Some(Step::Stall));
    let error = call(shape, silent, limits).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::ProviderTimedOut);
    assert!(error.to_string().contains("stopped arriving"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn rr_31_connect_first_byte_idle_and_total_are_limits_of_their_own() {
    let shape = &named("stream")[0];
    let limits = Limits { first_byte: Some(Duration::from_mins(2)), idle: IDLE, ..Limits::default() };
    // Silent for longer than idle before the first byte: a model that thinks, and no reason to give up.
    let mut late = vec![Step::Pause(Duration::from_secs(110))];
    late.extend(shape.whole());
    assert!(call(shape, late, limits).await.is_ok());
    // Silent for longer than the first byte may take, without and with a head.
    for play in [vec![Step::Stall], shape.broken(0, Some(Step::Stall))] {
        let begun = tokio::time::Instant::now();
        let error = call(shape, play, limits).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::ProviderTimedOut);
        assert!(error.to_string().contains("no answer began"), "{error}");
        assert_eq!(begun.elapsed().as_secs(), 120);
    }
    // Never silent, and too long all the same.
    let mut endless = shape.broken(0, None);
    for _ in 0..200 {
        endless.extend([Step::Pause(SILENCE), Step::Send(b"8\r\n: ping\n\n\r\n".to_vec())]);
    }
    let begun = tokio::time::Instant::now();
    let error = call(shape, endless, limits).await.unwrap_err();
    assert!(error.to_string().contains("whole call"), "{error}");
    assert_eq!(begun.elapsed().as_secs(), 30 * 60);
}
