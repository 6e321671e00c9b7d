//! The index of the tool library, and the patterns of repeated work.

#![allow(clippy::unwrap_used, reason = "a panic in a test is its report")]

use jiff::{SignedDuration, Timestamp};
use lwa_domain::TaskKind;
use lwa_store::{Db, LibraryEntry, LibraryLookup, NewObservation, Observed, PatternRecord, Take};

fn now() -> Timestamp {
    "2026-06-15T12:00:00Z".parse().unwrap()
}

async fn open(folder: &std::path::Path) -> Db {
    Db::open(&folder.join("host.sqlite3")).await.unwrap()
}

fn entry(slug: &str, name: &str, description: &str, status: &str) -> LibraryEntry {
    let plain = format!("{name} {slug} {description}").to_lowercase();
    LibraryEntry {
        slug: slug.to_owned(),
        content: format!("{name} {description} {status}"),
        name: name.to_owned(),
        description: description.to_owned(),
        tags: String::new(),
        triggers: String::new(),
        task: "sitrep".to_owned(),
        status: status.to_owned(),
        name_words: name.to_lowercase(),
        words: plain.clone(),
        plain,
        confidence: 7100,
        evidence: 3,
        updated_at: now(),
    }
}

async fn shelf(folder: &std::path::Path) -> Db {
    let db = open(folder).await;
    let entries = [
        entry("release-notes", "Release Notes", "Summarises what was merged", "active"),
        entry("triage", "Bug Triage", "Sorts reports, also those about releases", "active"),
        entry("old", "Old Releases", "No longer used", "disabled"),
        entry("chinese", "发布说明", "总结合并的内容", "active"),
    ];
    db.change_library_index(&entries, &[]).await.unwrap();
    db
}

async fn slugs(db: &Db, lookup: LibraryLookup<'_>) -> Vec<String> {
    let found = db.library_candidates(&LibraryLookup { limit: 10, ..lookup }).await.unwrap();
    assert!(found.windows(2).all(|pair| pair[0].fit >= pair[1].fit));
    found.into_iter().map(|candidate| candidate.slug).collect()
}

#[tokio::test]
async fn words_are_found_with_other_endings_and_the_name_counts_most() {
    let temp = tempfile::tempdir().unwrap();
    let db = shelf(temp.path()).await;
    let active = Some("active");
    let words = ["releases", "noted"];
    let found = slugs(&db, LibraryLookup { words: &words, status: active, ..LibraryLookup::default() }).await;
    assert_eq!(found, ["release-notes", "triage"]);
    let all = slugs(&db, LibraryLookup { words: &["releases"], ..LibraryLookup::default() }).await;
    assert_eq!(all.len(), 3);
    let one = LibraryLookup { words: &["releases"], limit: 1, ..LibraryLookup::default() };
    assert_eq!(db.library_candidates(&one).await.unwrap().len(), 1);
}

#[tokio::test]
async fn parts_of_words_and_scripts_without_blanks_are_found() {
    let temp = tempfile::tempdir().unwrap();
    let db = shelf(temp.path()).await;
    for (piece, slug) in [("elease-no", "release-notes"), ("布说明", "chinese"), ("MERGE", "release-notes")] {
        let found = slugs(&db, LibraryLookup { pieces: &[piece], ..LibraryLookup::default() }).await;
        assert_eq!(found, [slug], "{piece}");
    }
    let both = LibraryLookup { words: &["sorts"], pieces: &["布说明"], ..LibraryLookup::default() };
    assert_eq!(slugs(&db, both).await.len(), 2);
    assert!(slugs(&db, LibraryLookup { pieces: &["布说"], ..LibraryLookup::default() }).await.is_empty());
}

#[tokio::test]
async fn a_29_nothing_is_found_without_a_shared_word() {
    let temp = tempfile::tempdir().unwrap();
    let db = shelf(temp.path()).await;
    let lookup = LibraryLookup { words: &["kubernetes"], pieces: &["kubernetes"], ..LibraryLookup::default() };
    assert!(slugs(&db, lookup).await.is_empty());
    assert!(slugs(&db, LibraryLookup::default()).await.is_empty());
}

#[tokio::test]
async fn nothing_in_a_word_is_an_operator() {
    let temp = tempfile::tempdir().unwrap();
    let db = shelf(temp.path()).await;
    for text in ["\"", "a\" OR \"b", "NEAR(a b)", "name : x", "-", "*", "release*", "(", "'; DROP TABLE library_index"]
    {
        let words = [text];
        let lookup = LibraryLookup { words: &words, pieces: &words, limit: 10, ..LibraryLookup::default() };
        db.library_candidates(&lookup).await.unwrap();
    }
}

#[tokio::test]
async fn a_changed_tool_replaces_the_old_one_and_a_removed_one_is_gone() {
    let temp = tempfile::tempdir().unwrap();
    let db = shelf(temp.path()).await;
    assert_eq!(db.library_tools("active").await.unwrap().len(), 3);
    let changed = entry("release-notes", "Changelog", "The only one", "draft");
    db.change_library_index(&[changed, entry("new", "New", "Fresh", "active")], &["old".to_owned()]).await.unwrap();
    let kept = db.library_index().await.unwrap();
    let mut slugs_kept: Vec<&str> = kept.keys().map(String::as_str).collect();
    slugs_kept.sort_unstable();
    assert_eq!(slugs_kept, ["chinese", "new", "release-notes", "triage"]);
    assert_eq!(kept["release-notes"], "Changelog The only one draft");
    assert_eq!(db.library_tools("active").await.unwrap().len(), 3);
    assert_eq!(
        slugs(&db, LibraryLookup { words: &["releases"], ..LibraryLookup::default() }).await,
        // Its own name still speaks of releases, which counts more than a mention in a description.
        ["release-notes", "triage"]
    );
    assert!(slugs(&db, LibraryLookup { words: &["merged"], ..LibraryLookup::default() }).await.is_empty());
    assert_eq!(slugs(&db, LibraryLookup { pieces: &["only"], ..LibraryLookup::default() }).await, ["release-notes"]);
    assert!(
        slugs(&db, LibraryLookup { pieces: &["elease-no"], ..LibraryLookup::default() }).await == ["release-notes"]
    );
    assert!(slugs(&db, LibraryLookup { pieces: &["longer used"], ..LibraryLookup::default() }).await.is_empty());
}

fn pattern(signature: &str, is_named: bool, occurrences: u32) -> PatternRecord {
    PatternRecord {
        signature: signature.to_owned(),
        task: TaskKind::Query,
        is_named,
        occurrences,
        successes: occurrences,
        tool: None,
        pattern: format!("{{\"tool\":null,\"occurrences\":{occurrences}}}"),
        first_seen_at: now(),
        last_seen_at: now(),
    }
}

fn run(mark: &str) -> NewObservation {
    NewObservation { run_mark: mark.to_owned(), task: TaskKind::Query, is_success: true, at: now() }
}

/// Counts a run into `signature`, once more than it was counted before.
async fn count(db: &Db, mark: &str, signature: &str, is_named: bool) -> Observed<u32> {
    let decide = |known: &[PatternRecord]| {
        let before = known.iter().find(|one| one.signature == signature).map_or(0, |one| one.occurrences);
        Ok(Take::Count(Box::new(pattern(signature, is_named, before + 1)), before + 1))
    };
    db.observe(&run(mark), decide).await.unwrap()
}

#[tokio::test]
async fn a_run_is_counted_once() {
    let temp = tempfile::tempdir().unwrap();
    let db = open(temp.path()).await;
    assert_eq!(count(&db, "run-1", "a", true).await, Observed::Decided(1));
    assert_eq!(count(&db, "run-2", "a", true).await, Observed::Decided(2));
    assert_eq!(count(&db, "run-1", "b", true).await, Observed::AlreadyCounted("a".to_owned()));
    let kept = db.patterns(10).await.unwrap();
    assert_eq!(kept, [pattern("a", true, 2)]);
    assert_eq!(db.pattern_count().await.unwrap(), 1);
}

#[tokio::test]
async fn what_cannot_be_decided_leaves_no_trace() {
    let temp = tempfile::tempdir().unwrap();
    let db = open(temp.path()).await;
    let nothing = db.observe(&run("run-1"), |_| Ok(Take::Nothing("too little"))).await.unwrap();
    assert_eq!(nothing, Observed::Decided("too little"));
    let failing = |_: &[PatternRecord]| -> Result<Take<()>, _> {
        Err(lwa_store::StoreError::Corrupt { row: "a".to_owned(), column: "pattern" })
    };
    assert!(db.observe(&run("run-1"), failing).await.is_err());
    assert_eq!(db.patterns(10).await.unwrap(), []);
    assert_eq!(count(&db, "run-1", "a", true).await, Observed::Decided(1));
}

#[tokio::test]
async fn a_rare_pattern_goes_on_where_it_was() {
    let temp = tempfile::tempdir().unwrap();
    let db = open(temp.path()).await;
    count(&db, "first", "rare", false).await;
    for number in 0..210 {
        let signature = format!("common-{number:03}");
        for again in 0..2 {
            count(&db, &format!("{signature}-{again}"), &signature, false).await;
        }
    }
    assert_eq!(count(&db, "second", "rare", false).await, Observed::Decided(2));
}

#[tokio::test]
async fn a_tool_is_bound_to_its_pattern_in_the_column_and_in_the_whole() {
    let temp = tempfile::tempdir().unwrap();
    let db = open(temp.path()).await;
    count(&db, "run-1", "a", true).await;
    db.bind_pattern("a", "release-notes").await.unwrap();
    let kept = db.pattern("a").await.unwrap().unwrap();
    assert_eq!(kept.tool.as_deref(), Some("release-notes"));
    assert_eq!(kept.pattern, r#"{"tool":"release-notes","occurrences":1}"#);
}

#[tokio::test]
async fn runs_at_once_are_all_counted() {
    let temp = tempfile::tempdir().unwrap();
    let db = open(temp.path()).await;
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..20 {
        let db = db.clone();
        tasks.spawn(async move { count(&db, &format!("run-{number}"), "a", true).await });
    }
    tasks.join_all().await;
    assert_eq!(db.pattern("a").await.unwrap().unwrap().occurrences, 20);
    let later = now() + SignedDuration::from_mins(1);
    assert!(db.patterns(10).await.unwrap()[0].last_seen_at < later);
}
