//! Stored material: its folder, and slices that cut no secret in two.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use jiff::Timestamp;
use lwa_privacy::{Exposure, Kind, Scrubber, Vault};
use lwa_worker::artifact::{
    ArtifactError, ArtifactFacts, ArtifactFolder, ArtifactKind, ArtifactRef, CUT, MOST_BYTES, MOST_LIMIT, Mismatch,
    ScrubbedText, Slice, Wanted,
};
use lwa_worker::outbound::WITHHELD_LINE;
use proptest::prelude::{ProptestConfig, prop, proptest};
use rstest::rstest;

fn reference(number: u8) -> ArtifactRef {
    ArtifactRef::from_random([0, 0, 0, number])
}

fn facts() -> ArtifactFacts {
    ArtifactFacts {
        kind: ArtifactKind::Run,
        source: "command: make".to_owned(),
        chars: Some(5),
        ts: Timestamp::from_second(1_700_000_000).unwrap(),
        rc: Some(2),
        timed_out: false,
        truncated: false,
    }
}

fn mode(path: &std::path::Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn what_is_stored_is_read_again_and_is_for_the_users_eyes_only() {
    let temp = tempfile::tempdir().unwrap();
    let folder = ArtifactFolder::open(temp.path().join("a/b")).unwrap();
    folder.store(&reference(1), "alpha\n", &facts()).unwrap();
    assert_eq!(folder.read(&reference(1)).unwrap(), "alpha\n");
    assert_eq!(folder.facts(&reference(1)).unwrap(), facts());
    assert_eq!(folder.list().unwrap(), [reference(1)]);
    assert_eq!(mode(folder.path()), 0o700);
    for entry in fs::read_dir(folder.path()).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
    }
}

#[test]
fn w_28_a_removed_artifact_leaves_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let folder = ArtifactFolder::open(temp.path().join("a")).unwrap();
    folder.store(&reference(1), "alpha", &facts()).unwrap();
    fs::write(folder.spill_path(&reference(1)), "raw").unwrap();
    folder.remove(&reference(1)).unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    folder.remove(&reference(1)).unwrap();
    assert!(matches!(folder.read(&reference(1)), Err(ArtifactError::Unknown(_))));
    assert!(matches!(folder.facts(&reference(1)), Err(ArtifactError::Unknown(_))));
}

#[test]
fn a_name_is_given_once_and_a_link_in_its_place_is_not_followed() {
    let temp = tempfile::tempdir().unwrap();
    let folder = ArtifactFolder::open(temp.path().join("a")).unwrap();
    folder.store(&reference(1), "alpha", &facts()).unwrap();
    assert!(matches!(folder.store(&reference(1), "beta", &facts()), Err(ArtifactError::Taken(_))));
    assert_eq!(folder.read(&reference(1)).unwrap(), "alpha");
    let victim = temp.path().join("victim");
    symlink(&victim, folder.path().join(format!("{}.txt", reference(2)))).unwrap();
    assert!(matches!(folder.store(&reference(2), "beta", &facts()), Err(ArtifactError::Taken(_))));
    assert!(!victim.exists());
}

#[test]
fn an_open_folder_is_shut_and_a_file_is_no_folder() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("a");
    fs::create_dir(&path).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    ArtifactFolder::open(&path).unwrap();
    assert_eq!(mode(&path), 0o700);
    fs::write(temp.path().join("file"), "").unwrap();
    assert!(ArtifactFolder::open(temp.path().join("file")).is_err());
    symlink(&path, temp.path().join("link")).unwrap();
    assert!(ArtifactFolder::open(temp.path().join("link")).is_err());
}

#[test]
fn a_whole_output_is_taken_over_and_read_as_plain_text() {
    let temp = tempfile::tempdir().unwrap();
    let folder = ArtifactFolder::open(temp.path().join("a")).unwrap();
    fs::write(folder.spill_path(&reference(1)), b"\x1b[31mred\x1b[0m \xff\r\nnext").unwrap();
    let whole = ArtifactFacts { kind: ArtifactKind::WholeOutput, chars: None, ..facts() };
    folder.adopt(&reference(1), &whole).unwrap();
    assert_eq!(folder.read(&reference(1)).unwrap(), "red \u{fffd}\nnext");
    assert!(!folder.spill_path(&reference(1)).exists());
    assert!(folder.adopt(&reference(2), &whole).is_err(), "there is nothing to take over");
    assert_eq!(folder.list().unwrap(), [reference(1)]);
}

#[rstest]
#[case("a_0123abcd", true)]
#[case("a_0123ABCD", false)]
#[case("a_0123abc", false)]
#[case("../a_0123abcd", false)]
#[case("a_0123abcd.txt", false)]
#[case("", false)]
fn w_18_a_reference_is_eight_digits_and_no_path(#[case] text: &str, #[case] is_one: bool) {
    let parsed: Result<ArtifactRef, _> = text.parse();
    assert_eq!(parsed.is_ok(), is_one);
    if let Err(error) = parsed {
        assert!(text.is_empty() || !error.to_string().contains(text), "what came from outside is not repeated");
    }
}

fn scrubbed(source: &str) -> ScrubbedText {
    let scrubber = Scrubber::new();
    let mut vault = Vault::new();
    ScrubbedText::of(source, &scrubber.scrub(&mut vault, source, Exposure::pii()).unwrap()).unwrap()
}

fn key_block() -> String {
    let body: Vec<String> = (0..6)
        .map(|row| {
            (0..64)
                .map(|column| char::from(b"ABCDEFGHabcdefgh0123456789+/xyzQ"[(row * 13 + column * 7) % 32]))
                .collect()
        })
        .collect();
    format!("-----BEGIN {0}-----\n{1}\n-----END {0}-----", ["PRIVATE", "KEY"].join(" "), body.join("\n"))
}

#[test]
fn slices_by_lines_are_numbered_and_say_what_follows() {
    let text = scrubbed("alpha\nbeta\r\ngamma\n");
    let slice = text.slice_lines(2, 3);
    assert_eq!(
        slice,
        Slice {
            text: "2: beta\n3: gamma".to_owned(),
            range: "lines 2-3 of 3".to_owned(),
            next: None,
            is_by_lines: true,
            withheld_lines: 0
        }
    );
    assert_eq!(text.slice_lines(1, 1).next_label(), "next line 2");
    assert_eq!(text.slice_lines(1, 0).range, "lines 1-3 of 3");
    let beyond = text.slice_lines(9, 12);
    assert_eq!((beyond.text.as_str(), beyond.next_label().as_str()), ("", "end"));
}

#[test]
fn slices_by_characters_count_the_source() {
    let text = scrubbed("äöü\nalpha");
    let slice = text.slice_chars(1, 4);
    assert_eq!((slice.text.as_str(), slice.range.as_str()), ("öü\na", "chars 1-5 of 9"));
    assert_eq!(slice.next_label(), "next offset 5");
    assert_eq!(text.slice_chars(5, 100).next_label(), "end");
    assert_eq!(text.slice_chars(100, 100).text, "");
    assert_eq!(scrubbed("").slice_lines(1, 0).text, "");
}

#[test]
fn a_slice_has_an_end_whatever_is_asked_for() {
    let text = scrubbed(&"words and words\n".repeat(5_000));
    assert_eq!(text.slice_chars(0, usize::MAX).text.chars().count(), MOST_LIMIT);
    let slice = text.slice_lines(1, usize::MAX);
    assert!(slice.text.chars().count() <= MOST_LIMIT);
    assert!(slice.next.is_some_and(|line| slice.text.contains(&format!("{}: words", line - 1))), "{}", slice.range);
    let one_line = scrubbed(&"w ".repeat(30_000));
    assert!(one_line.slice_lines(1, 1).text.chars().count() <= MOST_LIMIT + 10);
}

#[test]
fn w_13_no_slice_of_a_key_block_shows_any_of_it() {
    let source = format!("before\n{}\n\nafter\n", key_block());
    let text = scrubbed(&source);
    assert_eq!(text.counts().get(&Kind::Secret), Some(&1));
    for line in 1..=text.lines() {
        let slice = text.slice_lines(line, line).text;
        let shown = slice.split_once(": ").unwrap().1;
        assert!(["before", "", "after", "[SECRET-1]"].contains(&shown), "{slice}");
    }
    for offset in 0..text.chars() {
        let slice = text.slice_chars(offset, 100).text;
        for row in key_block().lines() {
            for window in row.as_bytes().windows(8) {
                assert!(!slice.contains(std::str::from_utf8(window).unwrap()), "{slice}");
            }
        }
    }
}

#[test]
fn whatever_is_read_can_be_scrubbed() {
    let temp = tempfile::tempdir().unwrap();
    let folder = ArtifactFolder::open(temp.path()).unwrap();
    // A byte that is no UTF-8 becomes a sign of three.
    fs::write(temp.path().join(format!("{}.txt", reference(1))), vec![0xff; MOST_BYTES]).unwrap();
    let text = folder.read(&reference(1)).unwrap();
    assert!(text.len() <= MOST_BYTES && text.ends_with(CUT), "{} bytes", text.len());
    fs::write(temp.path().join(format!("{}.txt", reference(2))), vec![b'a'; MOST_BYTES]).unwrap();
    assert_eq!(folder.read(&reference(2)).unwrap().len(), MOST_BYTES);
}

#[test]
fn what_is_read_before_a_cut_are_the_lines_that_it_touches_whole() {
    let text = scrubbed("first line\nines@example.org wrote\nthird line\n");
    let reading = text.reading(Wanted::Chars { offset: 8, limit: 5 });
    assert_eq!(reading.text(), "first line\n[EMAIL-1] wrote\n");
    let reading = text.reading(Wanted::Lines { first: 2, last: 3 });
    assert_eq!(reading.text(), "[EMAIL-1] wrote\nthird line\n");
    assert_eq!(reading.lines_at(&[3..4, 9..9]).into_iter().collect::<Vec<_>>(), [2]);
    assert_eq!(text.reading(Wanted::Lines { first: 9, last: 9 }).text(), "");
    let long = format!("{}Bartholomew Featherstonehaugh{}", "word ".repeat(2_000), " word".repeat(2_000));
    let text = scrubbed(&long);
    for offset in [9_970, 10_005, 10_028] {
        let reading = text.reading(Wanted::Chars { offset, limit: 10 });
        assert!(reading.text().contains(" Bartholomew Featherstonehaugh "), "{offset}: {}", reading.text());
        assert!(reading.text().len() < 1_000 && reading.text().trim().ends_with(" word"), "{}", reading.text());
    }
}

#[test]
fn lines_that_stay_here_are_marked_in_their_place() {
    let text = scrubbed("first line\nsecond line\nthird line\n");
    let second = [2].into_iter().collect();
    let slice = text.slice(Wanted::Lines { first: 1, last: 3 }, &second);
    assert_eq!(slice.text, format!("1: first line\n2: {WITHHELD_LINE}\n3: third line"));
    assert_eq!(slice.withheld_lines, 1);
    let slice = text.slice(Wanted::Chars { offset: 6, limit: 20 }, &second);
    assert_eq!(slice.text, format!("line\n{WITHHELD_LINE}\nthi"));
    assert_eq!(slice.withheld_lines, 1);
}

#[test]
fn a_line_that_is_shown_in_part_says_where_it_goes_on() {
    let text = scrubbed(&format!("short\n{}\nlast\n", "w".repeat(MOST_LIMIT + 100)));
    let slice = text.slice_lines(2, 2);
    assert_eq!(slice.next_label(), format!("next offset {}", 6 + MOST_LIMIT));
    assert_eq!(slice.range, "lines 2-2 of 3, the last one in part");
    let rest = text.slice_chars(6 + MOST_LIMIT, 4_000);
    assert_eq!(rest.text, format!("{}\nlast\n", "w".repeat(100)));
}

#[test]
fn a_report_about_another_text_is_refused() {
    let scrubber = Scrubber::new();
    let mut vault = Vault::new();
    let report = scrubber.scrub(&mut vault, "mail ines@example.org", Exposure::pii()).unwrap();
    assert_eq!(ScrubbedText::of("mail paul@example.org.", &report), Err(Mismatch));
    assert_eq!(ScrubbedText::of("short", &report), Err(Mismatch));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn w_13_slices_cut_no_secret_in_two_and_together_are_the_scrubbed_text(
        parts in prop::collection::vec((0_usize..4, "[a-zäß€ ]{0,30}"), 1..20),
        limit in 1_usize..200,
    ) {
        let token = ["AKIA", "Q3EG", "RWXX", "PLNT", "9F2K"].concat();
        let mut source = String::new();
        for (kind, words) in &parts {
            source.push_str(words);
            source.push(' ');
            source.push_str(match kind {
                0 => "\n",
                1 => " ",
                2 => token.as_str(),
                _ => "ines@example.org",
            });
            source.push(' ');
        }
        let text = scrubbed(&source);
        assert_eq!(text.chars(), source.chars().count());
        assert_eq!(text.lines(), source.lines().count());
        let mut at = Some(0);
        let mut joined = String::new();
        while let Some(offset) = at {
            let slice = text.slice_chars(offset, limit);
            for secret in [token.as_str(), "ines@example.org"] {
                for window in secret.as_bytes().windows(8) {
                    assert!(!slice.text.contains(std::str::from_utf8(window).unwrap()), "{}", slice.text);
                }
            }
            // A value on the edge of two slices is shown whole in both.
            let repeated = joined.len() - joined.rfind('[').unwrap_or(joined.len());
            let tail = joined[joined.len() - repeated..].to_owned();
            let new = if repeated > 0 && joined.ends_with(']') && slice.text.starts_with(&tail) && offset > 0
                && is_inside_a_value(&source, &token, offset)
            {
                slice.text[tail.len()..].to_owned()
            } else {
                slice.text.clone()
            };
            joined.push_str(&new);
            at = slice.next;
        }
        assert_eq!(joined, text.text());
    }
}

/// Whether a character of the source lies behind the first one of a value.
fn is_inside_a_value(source: &str, token: &str, offset: usize) -> bool {
    [token, "ines@example.org"].iter().any(|value| {
        source.match_indices(value).any(|(at, _)| {
            let start = source[..at].chars().count();
            start < offset && offset < start + value.chars().count()
        })
    })
}
