//! Replies that end before they are complete. None of them is ever a success, and none is asked for again.

use std::time::Duration;

use lwa_domain::ErrorCode;
use lwa_providers::{Finish, ProviderError};

use crate::mock::Step;
use crate::outcome::{Came, call, word};
use crate::shape::{Shape, all};

/// Where a reply is broken: in each quarter, right before its end, and where only the end of the body is missing.
fn places(shape: &Shape) -> Vec<usize> {
    let length = shape.body.len();
    (0..4).map(|quarter| length * quarter / 4).chain([length.saturating_sub(2), length]).collect()
}

/// A broken reply may be an answer only if its text and the reason for its end had arrived.
fn assert_no_false_success(shape: &Shape, at: usize, outcome: Result<Came, ProviderError>) -> Option<ProviderError> {
    match outcome {
        Ok(Came::Job(job)) => panic!("{} broken at {at}: half a document is no job: {job:?}", shape.id()),
        Ok(Came::Answer(answer)) => {
            assert_eq!(Some(&answer.text), shape.expect.text.as_ref(), "{} broken at {at}", shape.id());
            assert!(answer.finish_reason.is_some() && answer.finish() != Finish::Error, "{}", shape.id());
            assert!(shape.is_stream(), "{}: half a document is no answer", shape.id());
            None
        }
        Err(error) => Some(error),
    }
}

#[tokio::test]
async fn rr_25_a_reply_that_is_cut_is_never_a_success() {
    for shape in all().iter().filter(|shape| !shape.is_list()) {
        for at in places(shape) {
            let (outcome, text) = call(shape, shape.broken(at, None)).await;
            if let Some(error) = assert_no_false_success(shape, at, outcome) {
                assert_eq!(error.failure().received_chars, text.chars().count() as u64, "{}", shape.id());
                let is_expected = word(&Err(error.clone())) == shape.expect.outcome;
                assert!(
                    is_expected || shape.is_success_status() || at < shape.body.len(),
                    "{} cut at {at}: {error:?}",
                    shape.id()
                );
            }
        }
    }
}

#[tokio::test]
async fn rr_26_a_connection_that_is_reset_is_a_failure_of_its_own() {
    for shape in all().iter().filter(|shape| !shape.is_list() && shape.is_success_status()) {
        let at = shape.body.len() / 3;
        let (outcome, _) = call(shape, shape.broken(at, Some(Step::Reset))).await;
        if let Some(error) = assert_no_false_success(shape, at, outcome) {
            assert!(error.may_have_cost(), "{}: {error:?}", shape.id());
            let code = error.code();
            assert!(
                matches!(code, ErrorCode::ProviderFailed | ErrorCode::ProviderUnreachable)
                    || word(&Err(error.clone())) == shape.expect.outcome,
                "{}: {error:?}",
                shape.id()
            );
        }
    }
}

/// Nobody waits in this test: the clock jumps to the next limit as soon as nothing else is left to do.
#[tokio::test(start_paused = true)]
async fn rr_31_a_reply_that_stalls_is_given_up_at_a_limit() {
    for shape in all().iter().filter(|shape| !shape.is_list() && shape.is_stream()) {
        let at = shape.body.len() / 2;
        let begun = tokio::time::Instant::now();
        let (outcome, _) = call(shape, shape.broken(at, Some(Step::Stall))).await;
        let took = begun.elapsed();
        assert!(took <= Duration::from_secs(30), "{}: {took:?}", shape.id());
        if let Some(error) = assert_no_false_success(shape, at, outcome) {
            let is_late = error.code() == ErrorCode::ProviderTimedOut;
            assert!(is_late || word(&Err(error.clone())) == shape.expect.outcome, "{}: {error:?}", shape.id());
        }
    }
}
