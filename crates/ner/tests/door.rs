//! The reader: deadline, cache, memory, counts.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use lwa_ner::{EntityKind, Recogniser};

const LETTER: &str = "Dear Ines,\n\nyesterday Bruno Quist came by and left the keys for 12 Quince Street, Boise.\n";

fn soon() -> Instant {
    Instant::now() + Duration::from_mins(1)
}

/// Lines that stand alone, each about another person.
fn list(length: usize) -> String {
    let line = |number| format!("2026-11-30 04:05:06 login of Ines Faro from Boise for case {number}\n");
    (0..length).map(line).collect()
}

#[test]
fn a_reader_is_shared_between_threads_and_loads_its_model_once() {
    let reader = Arc::new(Recogniser::with_threads(2));
    assert!(!reader.facts().is_loaded);
    let threads: Vec<_> = (0..4)
        .map(|number| {
            let reader = Arc::clone(&reader);
            std::thread::spawn(move || reader.find(&format!("{number} letters of Ines Faro"), soon()).entities.len())
        })
        .collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), 1);
    }
    let facts = reader.facts();
    assert_eq!((facts.loads, facts.is_loaded, facts.failure), (1, true, None));
}

#[test]
fn a_text_that_can_hold_nobody_loads_nothing() {
    let reader = Recogniser::new();
    let found = reader.find("}\n\n   Finished in 0.32s\n-- 17 of 18 --\n", soon());
    assert!(found.entities.is_empty() && found.unread.is_empty());
    let facts = reader.facts();
    assert_eq!((facts.loads, facts.lines, facts.skipped_lines), (0, 3, 3));
    assert_eq!(facts.gate_share(), Some(0.0));
}

#[test]
fn after_the_deadline_every_line_that_can_hold_a_name_is_unread() {
    let reader = Recogniser::new();
    let text = list(5);
    let found = reader.find(&text, Instant::now());
    assert!(found.entities.is_empty());
    let unread: Vec<&str> = found.unread.iter().map(|range| &text[range.clone()]).collect();
    assert_eq!(unread, text.lines().collect::<Vec<_>>());
    // Nothing was loaded for nothing.
    assert_eq!((reader.facts().loads, reader.facts().unread_passages), (0, 5));
}

#[test]
fn unread_ranges_are_whole_lines() {
    let reader = Recogniser::new();
    let text = "= 1\r\nInes Faro\r\n12 Quince Street\r\n= 2\r\nBruno Quist";
    let found = reader.find(text, Instant::now());
    let unread: Vec<&str> = found.unread.iter().map(|range| &text[range.clone()]).collect();
    assert_eq!(unread, ["Ines Faro\r\n12 Quince Street", "Bruno Quist"]);
}

#[test]
fn what_was_read_before_the_end_is_kept_and_the_rest_is_unread() {
    let reader = Recogniser::with_threads(1);
    let text = list(200);
    let asked = AtomicUsize::new(0);
    let found = reader.find_unless(&text, &|| asked.fetch_add(1, Ordering::Relaxed) >= 20);
    let read = found.entities.iter().filter(|entity| entity.kind == EntityKind::Person).count();
    assert!(read > 0 && !found.unread.is_empty());
    assert_eq!(read + found.unread.len(), 200);
    let last = found.entities.last().unwrap().end;
    assert!(found.unread.iter().all(|range| range.start > last), "lines are read from the first on");
    // What it knows from the first time needs no time.
    let again = reader.find(&text, Instant::now());
    assert_eq!(again.entities, found.entities);
    assert_eq!(again.unread, found.unread);
}

#[test]
fn a_text_that_comes_again_is_not_read_again() {
    let reader = Recogniser::new();
    let first = reader.find(LETTER, soon());
    let before = reader.facts();
    assert!(first.entities.len() >= 2 && before.read_passages > 0);
    assert_eq!(reader.find(LETTER, soon()), first);
    let after = reader.facts();
    assert_eq!((after.read_passages, after.read_bytes), (before.read_passages, before.read_bytes));
    assert_eq!(after.cached_passages, before.read_passages);
    reader.forget();
    assert_eq!(reader.facts().kept_passages, 0);
    assert_eq!(reader.find(LETTER, soon()), first);
    assert_eq!(reader.facts().read_passages, 2 * before.read_passages);
}

#[test]
fn a_line_that_stands_often_is_read_once() {
    let reader = Recogniser::new();
    let line = "2026-11-30 04:05:06 login of Ines Faro\n";
    let found = reader.find(&line.repeat(50), soon());
    assert_eq!(found.entities.len(), 50);
    assert_eq!(reader.facts().read_passages, 1);
    assert_eq!(reader.facts().read_bytes, line.trim_end().len() as u64);
}

#[test]
fn a_line_more_in_a_log_leaves_the_others_known() {
    let reader = Recogniser::new();
    reader.find(&list(20), soon());
    let longer = format!("2026-11-30 04:00:00 login of Bruno Quist\n{}", list(20));
    assert_eq!(
        reader.find(&longer, soon()).entities.iter().filter(|entity| entity.kind == EntityKind::Person).count(),
        21
    );
    assert_eq!(reader.facts().read_passages, 21);
}

#[test]
fn the_model_goes_when_it_is_idle_and_comes_back() {
    let reader = Recogniser::new();
    assert!(!reader.unload_if_idle(Duration::ZERO), "there is nothing to drop yet");
    let first = reader.find(LETTER, soon());
    assert!(!reader.unload_if_idle(Duration::from_hours(1)));
    assert!(reader.facts().is_loaded);
    assert!(reader.unload_if_idle(Duration::ZERO));
    assert!(!reader.facts().is_loaded);
    // What is known needs no model.
    assert_eq!(reader.find(LETTER, soon()), first);
    assert_eq!(reader.facts().loads, 1);
    assert_eq!(reader.find("a letter of Mirela Ionescu", soon()).entities.len(), 1);
    assert_eq!((reader.facts().loads, reader.facts().is_loaded), (2, true));
}

#[test]
fn nothing_that_was_read_can_be_seen_in_the_reader() {
    let reader = Recogniser::new();
    reader.find("a letter of Mirela Ionescu", soon());
    reader.unload_if_idle(Duration::ZERO);
    let shown = format!("{reader:?} {:?}", reader.facts());
    assert!(!shown.contains("Mirela") && !shown.contains("Ionescu"));
}

#[test]
fn more_threads_find_the_same() {
    let text = LETTER.repeat(3) + &list(40);
    assert_eq!(Recogniser::with_threads(1).find(&text, soon()), Recogniser::with_threads(3).find(&text, soon()));
}

#[test]
fn a_text_of_the_longest_kind_is_read_whole() {
    let text: String =
        (0..).map(|number| format!("{number} days later Ines Faro wrote again from Boise.\n")).take(450).collect();
    let found = Recogniser::new().find(&text, soon());
    assert!(text.len() > lwa_ner::LONGEST_TEXT && found.unread.is_empty());
    let names = found.entities.iter().filter(|entity| &text[entity.start..entity.end] == "Ines Faro").count();
    assert_eq!(names, 450);
}
