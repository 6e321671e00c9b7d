//! What a report says was saved.

use jiff::SignedDuration;
use lwa_domain::ErrorCode;
use lwa_protocol::worker::{SavingsParams, WorkerStatusKind};

use crate::desk::{Desk, ON, is};

fn since(text: &str, by: &str) -> SavingsParams {
    SavingsParams { by: Some(by.to_owned()), since: Some(text.to_owned()), ..SavingsParams::default() }
}

#[tokio::test]
async fn a_report_is_about_everything_or_about_the_time_that_was_asked_for() {
    let desk = Desk::new(ON).await;
    let long = "one line of the build, which nobody has to read\n".repeat(400);
    is(&desk.delegate("What is it?", &long).await, WorkerStatusKind::Completed);
    desk.host.pass(SignedDuration::from_hours(48)).await;
    is(&desk.delegate("And what is this?", &long).await, WorkerStatusKind::Completed);

    let whole = desk.host.engine.savings_report(&SavingsParams::default()).await.unwrap();
    assert_eq!((whole.all_time.turns, whole.range.clone()), (2, None));
    assert!(whole.rows.len() > 3 && whole.rows.iter().all(|row| row.totals.turns == 2), "{:?}", whole.rows);
    assert_eq!(whole.since.as_deref(), Some("2026-06-15T12:00:00.000Z"));

    for by in ["model", "client", "session"] {
        let report = desk.host.engine.savings_report(&since("2026-06-16", by)).await.unwrap();
        assert_eq!(report.all_time, whole.all_time, "{by}");
        assert_eq!(report.range.map(|range| range.turns), Some(1), "{by}");
        assert!(!report.rows.is_empty() && report.rows.iter().all(|row| row.totals.turns == 1), "{by}");
        assert_eq!(report.since.as_deref(), Some("2026-06-17T12:00:00.000Z"), "{by}");
    }
    let none = desk.host.engine.savings_report(&since("2026-07-01T00:00:00Z", "client")).await.unwrap();
    assert_eq!((none.range.map(|range| range.turns), none.sessions, none.rows.len()), (Some(0), 0, 0));

    let wrong = desk.host.engine.savings_report(&since("yesterday", "model")).await.unwrap_err();
    assert_eq!(wrong.code, ErrorCode::InvalidInput);
    assert!(wrong.message.contains("`yesterday`"), "{wrong:?}");
}
