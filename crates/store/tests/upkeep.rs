//! What is kept for the router beside plans: lists of models, quotas, jobs.

#![allow(clippy::unwrap_used, reason = "a panic in a test is its report")]

use jiff::{SignedDuration, Timestamp};
use lwa_store::{Db, QuotaRecord};
use serde_json::json;

fn now() -> Timestamp {
    "2026-06-15T12:00:00Z".parse().unwrap()
}

async fn open(folder: &std::path::Path) -> Db {
    Db::open(&folder.join("host.sqlite3")).await.unwrap()
}

#[tokio::test]
async fn a_list_that_fails_leaves_the_last_good_one() {
    let temp = tempfile::tempdir().unwrap();
    let db = open(temp.path()).await;
    db.note_list_problem("never", "no answer", now()).await.unwrap();
    db.keep_list("acme", &json!([{"id": "a"}]), now()).await.unwrap();
    let later = now() + SignedDuration::from_mins(5);
    db.note_list_problem("acme", "no answer", later).await.unwrap();
    let kept = db.kept_lists().await.unwrap();
    assert_eq!(kept.len(), 2);
    assert_eq!((kept[0].listing.clone(), kept[0].listed_at), (Some(json!([{"id": "a"}])), Some(now())));
    assert_eq!((kept[0].problem.as_deref(), kept[0].tried_at), (Some("no answer"), later));
    assert_eq!((kept[1].listing.clone(), kept[1].listed_at), (None, None));
    db.keep_list("acme", &json!([]), later).await.unwrap();
    assert_eq!(db.kept_lists().await.unwrap()[0].problem, None);
}

#[tokio::test]
async fn a_quota_is_the_newest_observation_and_keeps_a_limit_that_was_not_repeated() {
    let temp = tempfile::tempdir().unwrap();
    let db = open(temp.path()).await;
    let seen = |remaining: &str, limit: Option<&str>, observed_at| QuotaRecord {
        provider: "acme".into(),
        window: "requests_day".into(),
        limit: limit.map(str::to_owned),
        remaining: Some(remaining.into()),
        unit: "requests".into(),
        resets_at: None,
        source: "x-ratelimit-remaining-requests".into(),
        confidence: "stated".into(),
        observed_at,
    };
    let later = now() + SignedDuration::from_mins(5);
    db.keep_quotas(&[seen("10", Some("14400"), now())]).await.unwrap();
    db.keep_quotas(&[seen("9", None, later)]).await.unwrap();
    // One that comes late says nothing new.
    db.keep_quotas(&[seen("11", Some("1"), now())]).await.unwrap();
    assert_eq!(db.quotas().await.unwrap(), [seen("9", Some("14400"), later)]);
}
