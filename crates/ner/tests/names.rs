//! What is found and what is not: the rules of joining and leaving out, seen from outside.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use lwa_ner::{EntityKind, Recogniser};
use proptest::prelude::*;
use rstest::rstest;

static READER: LazyLock<Recogniser> = LazyLock::new(Recogniser::new);

fn found(text: &str) -> Vec<(EntityKind, &str)> {
    let found = READER.find(text, Instant::now() + Duration::from_mins(1));
    assert!(found.unread.is_empty());
    found.entities.iter().map(|entity| (entity.kind, &text[entity.start..entity.end])).collect()
}

fn names(text: &str) -> Vec<&str> {
    found(text).into_iter().filter(|(kind, _)| *kind == EntityKind::Person).map(|(_, value)| value).collect()
}

fn of(text: &str, kind: EntityKind) -> Vec<&str> {
    found(text).into_iter().filter(|(found, _)| *found == kind).map(|(_, value)| value).collect()
}

#[rstest]
#[case("Yesterday Ines Faro called about the invoice.", &["Ines Faro"])]
#[case("I met Bruno and his sister Mirela at the station.", &["Bruno", "Mirela"])]
#[case("The report was written by María José Carreño-Quiñones.", &["María José Carreño-Quiñones"])]
#[case("Anneke van der Berg and Ludwig von Hagen will come.", &["Anneke van der Berg", "Ludwig von Hagen"])]
#[case("please ask anna kowalska whether the parcel came", &["anna kowalska"])]
#[case("The form was signed: Quist, Bruno", &["Quist, Bruno"])]
#[case("Siobhan O'Connor has moved to Cork.", &["Siobhan O'Connor"])]
#[case("Robert T. Hale, Jr. was not there.", &["Robert T. Hale, Jr."])]
#[case("We thank Jürgen Groß and Zoë Brânză.", &["Jürgen Groß", "Zoë Brânză"])]
fn names_in_running_text_are_found_whole(#[case] text: &str, #[case] expected: &[&str]) {
    assert_eq!(names(text), expected);
}

#[test]
fn two_names_in_a_list_are_two() {
    assert_eq!(
        names("Thanks to Nadja Reiter, Christian Speich and Ines Faro."),
        ["Nadja Reiter", "Christian Speich", "Ines Faro"]
    );
}

#[rstest]
#[case("He lives at 12 Quince Street, Springfield, IL 62704 with his cat.", "12 Quince Street, Springfield, IL 62704")]
#[case(
    "Ines Faro\n12 Quince Street\nApt. 4\nSpringfield, IL 62704\n",
    "12 Quince Street\nApt. 4\nSpringfield, IL 62704"
)]
#[case("> Ines Faro\n> 12 Quince Street\n> Suite 4\n> Boise 83702", "12 Quince Street\n> Suite 4\n> Boise 83702")]
#[case("Ship it to 45 Rue des Lilas, 75011 Paris please.", "45 Rue des Lilas, 75011 Paris")]
fn an_address_is_one_value(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(of(text, EntityKind::Address), [expected]);
}

#[test]
fn a_town_alone_is_a_place_and_no_address() {
    assert_eq!(
        found("Ines Faro grew up in Lisbon."),
        [(EntityKind::Person, "Ines Faro"), (EntityKind::Place, "Lisbon")]
    );
}

#[test]
fn a_telephone_number_is_found_with_its_country_and_extension() {
    let text = "Ines Faro, office +41 (0)44 668 18 00, mobile 555-867-5309x12";
    assert_eq!(of(text, EntityKind::Phone), ["+41 (0)44 668 18 00", "555-867-5309x12"]);
}

#[rstest]
#[case::the_report("1607635102.00 -0.96")]
#[case::columns("17 23.4 0.02 88\n18 24.1 0.03 91\n")]
#[case::of_a_process("root     12447 32.9  1.6 951420 411780 ?       Sl   04:21   0:04 /usr/bin/rustc --edition 2024")]
fn pg_02_numbers_are_no_names_for_the_model_either(#[case] text: &str) {
    assert_eq!(found(text), []);
}

#[rstest]
#[case::ids("1234567\n7654321\n5550100\n")]
#[case::a_stamp("Nov 30 04:05:06 host sshd[812]: session opened for case 7654321")]
#[case::a_digest("commit ba936994fe7b66494e3ca82254e987cf95f19cb3")]
#[case::a_uuid("Nextest run ID db224c1e-c09e-4177-a61e-5bee338fa8c6 with the profile `default`")]
#[case::a_counter("PASS [   0.005s] ( 749/2902) lwa-library search::tests::the_name_fits_wholly")]
#[case::versions("Unpacking libsamplerate0:amd64 (0.2.2-3) over (0.2.1-1) ...")]
fn pg_03_ids_stamps_and_digests_stay_for_the_model_too(#[case] text: &str) {
    assert_eq!(found(text), []);
}

#[rstest]
#[case("the part 96c is missing in box 4b")]
#[case("ext4 on sda1, ipv6 on eth0, h264 with avc1")]
fn pg_04_short_words_with_digits_stay_for_the_model_too(#[case] text: &str) {
    assert_eq!(found(text), []);
}

#[rstest]
#[case("Customer Name: INES FARO", "INES FARO")]
#[case("customer name: ines faro", "ines faro")]
#[case("patient MIRELA IONESCU was here on monday", "MIRELA IONESCU")]
fn pg_05_the_case_of_a_name_does_not_matter_for_the_model(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(names(text), [expected]);
}

#[test]
fn pg_06_a_name_and_the_mail_address_beside_it_are_two_values() {
    let text = "Ines Faro - ines.faro@example.org";
    assert_eq!(names(text), ["Ines Faro"]);
    // In what the rules left, the placeholder stays as it is.
    assert_eq!(found("Ines Faro - [EMAIL-1]"), [(EntityKind::Person, "Ines Faro")]);
    assert_eq!(found("[PERSON-1] - [EMAIL-1]"), []);
}

#[rstest]
#[case("Sergeant Quist reported at noon.", "Quist")]
#[case("It was signed by Dr. Mirela Ionescu.", "Mirela Ionescu")]
#[case("We spoke to Captain Ines Faro yesterday.", "Ines Faro")]
fn pg_08_a_name_behind_a_rank_is_found_by_the_model_too(#[case] text: &str, #[case] expected: &str) {
    assert_eq!(names(text), [expected]);
}

#[rstest]
#[case::panic("thread 'main' panicked at src/lib.rs:12:5:\nindex out of bounds: the len is 3 but the index is 7")]
#[case::compiler(
    "error[E0432]: unresolved import `crate::Alpha`\n  --> src/main.rs:4:5\n   |\n4  | use crate::Alpha;\n"
)]
#[case::rust("pub struct Gate {\n    is_open: bool,\n    inner: Arc<Mutex<Inner>>,\n}\n")]
#[case::build("   Compiling serde v1.0.219\n   Compiling tokio v1.44.0\n    Finished `dev` profile in 3.2s\n")]
#[case::list("-rw-r--r-- 1 root root   998 Nov 29 22:22 caller.rs\ndrwxr-xr-x 2 root root  4096 Nov 29 22:22 src\n")]
#[case::python(
    "Traceback (most recent call last):\n  File \"/srv/app/main.py\", line 3, in <module>\nKeyError: 'total'"
)]
#[case::npm("npm warn deprecated glob@7.2.3: Glob versions prior to v9 are no longer supported")]
#[case::apt("Get:208 http://deb.debian.org/debian bookworm/main amd64 libxrandr-dev amd64 2:1.5.2-2+b1 [47.1 kB]")]
#[case::scp("git clone git@github.com:lwa/lwa.git")]
#[case::agents("Claude Code passes its whole environment to the sidecar; Claude Desktop and Codex do not.")]
#[case::environment("RUST_LOG=debug\nPATH=/usr/local/bin:/usr/bin\nLANG=C.UTF-8\n")]
fn the_output_of_tools_holds_nobody(#[case] text: &str) {
    assert_eq!(found(text), []);
}

#[test]
fn a_name_in_the_output_of_a_tool_is_found() {
    let text = "commit 4be07f1\nAuthor: Ines Faro <ines@example.org>\nDate:   Mon Nov 30 04:05:06 2026 +0000\n\n    Fix the gate\n";
    assert_eq!(names(text), ["Ines Faro"]);
}

#[test]
fn no_line_with_somebody_in_it_is_left_out_by_the_gate() {
    // Each line is one that a person may write, with a name, an address or a number in it.
    let lines = [
        "Ines Faro",
        "FARO INES",
        "dear ines",
        "hi bruno, did you get it?",
        "my name is mirela",
        "talk to anna kowalska first",
        "{\"first\": \"Ines\", \"last\": \"Faro\"}",
        "ines.faro@example.org",
        "name=ines",
        "Author: Ines Faro",
        "Signed-off-by: Bruno Quist <bruno@example.org>",
        "12 Quince Street",
        "12 quince street",
        "Lindenweg 7",
        "75011 Paris",
        "李小龙 was here",
        "Łukasz",
        "(555) 010-4477",
        "+41 44 668 18 00",
        "555-867-5309x12",
        "phone 5558675309",
        "passport 123456789",
        "1,Ines,Faro,Boise",
        "Ines | Faro | Boise",
        "* Ines Faro (away until Monday)",
        "@Ines can you look at it",
        "met o'connor today",
        "-- Ines",
        "assigned to: Faro",
        "Mr. Quist",
    ];
    for line in lines {
        // A reader that may read nothing says which lines it would have read.
        let unread = Recogniser::new().find(line, Instant::now()).unread;
        assert_eq!(unread.len(), 1, "{line}");
    }
}

fn text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        4 => "[A-Z][a-z]{2,8}",
        2 => "\\PC{0,12}",
        2 => prop::sample::select(vec![
            "Ines Faro", "12 Quince Street", "[PERSON-1]", "[", "]", "ﬁ", "\u{301}", "\u{200b}", "김민수", "\r\n", "\n\n", "\t",
            "+41 44 668 18 00", "x12", "apt. 4", "@", "::", "İ", "\u{feff}", "- ", ".",
        ]).prop_map(str::to_owned),
        1 => "[0-9()+ -]{0,20}",
        1 => "(?s:.{0,8})",
    ];
    (prop::collection::vec(part, 0..12), prop::sample::select(vec!["", " ", "\n"]))
        .prop_map(|(parts, between)| parts.join(between))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_answered_with_ranges_of_whole_characters(text in text()) {
        let found = READER.find(&text, Instant::now() + Duration::from_mins(1));
        let mut end = 0;
        for entity in &found.entities {
            prop_assert!(entity.start >= end && entity.start < entity.end);
            prop_assert!(text.get(entity.start..entity.end).is_some());
            prop_assert!((0.0..=1.0001).contains(&entity.score));
            end = entity.end;
        }
        prop_assert!(found.unread.is_empty());
        let late = Recogniser::new().find(&text, Instant::now());
        prop_assert!(late.entities.is_empty());
        for range in &late.unread {
            let line_starts = range.start == 0 || text[..range.start].ends_with('\n');
            let rest = &text[range.end..];
            prop_assert!(line_starts && (rest.is_empty() || rest.starts_with(['\n', '\r'])));
        }
        // What is found stands on a line that would have been read.
        for entity in &found.entities {
            prop_assert!(late.unread.iter().any(|range| range.start <= entity.start && entity.end <= range.end));
        }
    }
}
