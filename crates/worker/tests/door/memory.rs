//! What is remembered, how much of it a model sees, and how it is made shorter.

use jiff::Timestamp;
use lwa_worker::compaction::{Compacted, Compaction, CompactionJob, TurnText, compact};
use lwa_worker::digest::{BUILTIN, Limits};
use lwa_worker::memory::{
    MOST_RESULT_CHARS, MOST_TASK_CHARS, SessionKey, Turn, TurnId, TurnKind, clip, context_block, is_compaction_due,
    uncompacted, uncompacted_chars,
};
use lwa_worker::mode::Mode;
use proptest::prelude::{ProptestConfig, prop, proptest};
use rstest::rstest;

use crate::support::{Scripted, fenced, soon, unreachable};

fn turn(number: u8, kind: TurnKind) -> Turn {
    Turn {
        task: format!("task {number}"),
        result: format!("result {number}"),
        ..Turn::new(
            TurnId::from_random([0, 0, number]),
            Timestamp::from_second(1_700_000_000).unwrap(),
            kind,
            Mode::Assist,
        )
    }
}

fn runs(numbers: impl Iterator<Item = u8>) -> Vec<Turn> {
    numbers.map(|number| turn(number, TurnKind::Run)).collect()
}

#[test]
fn a_turn_is_written_and_read_as_it_was_and_broken_lines_are_passed_over() {
    let turn = Turn { verbatim_fallback: true, rc: Some(2), ..turn(1, TurnKind::Run) };
    let line = serde_json::to_string(&turn).unwrap();
    let text = format!("{line}\nnonsense\n{{\"id\": \"x\"}}\n{line}\n");
    assert_eq!(Turn::read_lines(&text), [turn.clone(), turn]);
}

#[test]
fn what_is_stored_is_cut_to_its_lengths() {
    let long = Turn {
        task: "t".repeat(9_000),
        result: "r".repeat(9_000),
        excerpt: "e".repeat(9_000),
        ..turn(1, TurnKind::Run)
    };
    let clipped = long.clipped(100);
    let lengths = [&clipped.task, &clipped.result, &clipped.excerpt].map(|text| text.chars().count());
    assert_eq!(lengths, [MOST_TASK_CHARS, MOST_RESULT_CHARS, 100]);
    assert_eq!((clip("abc", 3).as_str(), clip("abcd", 3).as_str(), clip("abc", 0).as_str()), ("abc", "ab…", ""));
}

#[test]
fn the_newest_turns_that_fit_are_shown_oldest_first_behind_the_summary() {
    let turns = runs(1..=9);
    let block = context_block("what was done", &turns, 10_000);
    assert!(block.starts_with("Summary of earlier work:\nwhat was done\n\n[t_000001 run assist]\ntask: task 1"));
    assert!(block.find("task 1").unwrap() < block.find("task 9").unwrap());
    let narrow = context_block("", &turns, 130);
    assert!(narrow.starts_with("[t_000008 run assist]") && narrow.ends_with("result 9"), "{narrow}");
    let one = context_block("", &turns, 1);
    assert!(one.starts_with("[t_000009"), "one is always there");
    assert_eq!(context_block("", &[], 100), "");
}

#[test]
fn what_is_compacted_is_not_shown_again() {
    let mut turns = runs(1..=3);
    turns.push(turn(4, TurnKind::Compaction));
    turns.extend(runs(7..=8));
    turns.push(turn(9, TurnKind::Compaction));
    turns.extend(runs(5..=6));
    assert_eq!(uncompacted(&turns).iter().map(|turn| turn.task.as_str()).collect::<Vec<_>>(), ["task 5", "task 6"]);
    assert!(!context_block("", &turns, 10_000).contains("task 3"));
    let chars = uncompacted_chars(&turns);
    assert!(is_compaction_due(&turns, chars - 1) && !is_compaction_due(&turns, chars));
}

#[rstest]
#[case("codex-01J.a_b", true)]
#[case("../x", false)]
#[case("a/b", false)]
#[case(".hidden", false)]
#[case("-rf", false)]
#[case("a\nb", false)]
#[case("", false)]
fn w_18_a_session_key_is_no_path(#[case] text: &str, #[case] is_one: bool) {
    assert_eq!(text.parse::<SessionKey>().is_ok(), is_one);
    assert_eq!(serde_json::from_value::<SessionKey>(text.into()).is_ok(), is_one);
    assert!("x".repeat(129).parse::<SessionKey>().is_err());
}

fn text<'t>(task: &'t str, result: &'t str) -> TurnText<'t> {
    TurnText { kind: "run", task, source: "command: make", excerpt: "begin", result }
}

fn job<'j>(turns: &'j [TurnText<'j>]) -> CompactionJob<'j> {
    CompactionJob { summary: "old notes", turns, mode: Mode::Assist, excerpt_chars: 100, most_chars: 500 }
}

fn limits() -> Limits {
    Limits { chunk_chars: 1_000, ..Limits::until(soon()) }
}

async fn compacted(model: &Scripted, job: &CompactionJob<'_>) -> Compacted {
    match compact(Some(model), job, &limits()).await.unwrap() {
        Compaction::Done(done) => done,
        Compaction::Skipped => panic!("skipped"),
    }
}

#[tokio::test]
async fn a_compaction_gives_the_model_the_notes_and_the_turns() {
    let model = Scripted::saying("# Facts\nport 81");
    let turns = [text("first", "port 80"), text("second", "port 81")];
    let done = compacted(&model, &job(&turns)).await;
    assert_eq!((done.summary.as_str(), done.model.as_str(), done.unread_turns), ("# Facts\nport 81", "scripted", 0));
    let [asked] = model.asked().try_into().unwrap();
    let input = fenced(&asked.user);
    assert!(
        input.starts_with("# Notes so far\nold notes\n\n# Since then, the oldest first\n## run\ntask: first\n"),
        "{input}"
    );
    assert!(input.find("port 80").unwrap() < input.find("port 81").unwrap());
    assert!((asked.temperature - 0.1).abs() < 1e-6);
    assert!(asked.system.contains("At most 500 characters") && !asked.system.contains("session is private"));
    let pii = compacted(&model, &CompactionJob { mode: Mode::Pii, ..job(&turns) }).await;
    assert_eq!(pii.unread_turns, 0);
    assert!(model.asked()[1].system.contains("session is private"));
}

#[tokio::test]
async fn nothing_new_is_skipped_and_a_failure_leaves_the_memory_as_it_is() {
    let model = Scripted::saying("x");
    assert_eq!(compact(Some(model.as_ref()), &job(&[]), &limits()).await.unwrap(), Compaction::Skipped);
    assert!(model.asked().is_empty());
    let failing = Scripted::in_turn(vec![Err(unreachable())]);
    let turns = [text("first", "r")];
    assert_eq!(compact(Some(failing.as_ref()), &job(&turns), &limits()).await.unwrap_err(), unreachable());
}

#[tokio::test]
async fn a_summary_is_no_longer_than_asked_for_and_ends_with_a_line() {
    let model = Scripted::saying(&"a note of thirty characters...\n".repeat(60));
    let done = compacted(&model, &job(&[text("first", "r")])).await;
    assert!(done.summary.chars().count() <= 500 && done.summary.ends_with("..."), "{}", done.summary.len());
}

#[tokio::test]
async fn the_newest_turns_are_read_where_not_all_fit_and_the_rest_is_counted() {
    let long = "r".repeat(700);
    let turns: Vec<TurnText<'_>> = ["one", "two", "three", "four"].map(|task| text(task, &long)).into();
    let model = Scripted::saying("notes");
    let done = compacted(&model, &job(&turns)).await;
    assert_eq!(done.unread_turns, 2);
    let asked = model.asked();
    let input = fenced(&asked[0].user);
    assert!(input.contains("(2 older turns had no room here.)") && input.contains("task: four"), "{input}");
    assert!(!input.contains("task: one"));
}

#[tokio::test]
async fn without_a_model_the_condenser_keeps_what_it_can() {
    let turns = [text("Which port?", "The server listens on port 8081 since version 2.4.1.")];
    let Compaction::Done(done) = compact(None, &job(&turns), &limits()).await.unwrap() else { panic!("skipped") };
    assert_eq!(done.model, BUILTIN);
    assert!(done.summary.contains("8081"), "{}", done.summary);
    assert!(!format!("{done:?} {:?}", turns[0]).contains("8081"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn no_summary_is_longer_than_asked_for(
        parts in prop::collection::vec("[a-zäß€😀 .\n0-9/]{0,400}", 1..20),
        most in 100_usize..800,
        has_model in prop::bool::ANY,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let turns: Vec<TurnText<'_>> = parts.iter().map(|part| text("task", part)).collect();
        let job = CompactionJob { most_chars: most, ..job(&turns) };
        let model = Scripted::saying(&format!("x{}", parts.join("\n")));
        let model: Option<&dyn lwa_worker::model::ChatModel> = has_model.then_some(model.as_ref());
        let Compaction::Done(done) = runtime.block_on(compact(model, &job, &limits())).unwrap() else { panic!("skipped") };
        assert!(done.summary.chars().count() <= most, "{} of {most}", done.summary.chars().count());
    }
}
