//! Quoted lines: exact, numbered, within their room, and never written by a model.

use std::fmt::Write as _;

use lwa_worker::digest::{BUILTIN, Job, Limits, LineRange};
use lwa_worker::mode::Mode;
use lwa_worker::model::ModelError;
use lwa_worker::verbatim::{Quotes, Verbatim, verbatim};
use proptest::prelude::{ProptestConfig, prop, proptest};
use rstest::rstest;

use crate::support::{Scripted, cut, fenced, reply, soon, unreachable};

fn job<'a>(task: &'a str, material: &'a str) -> Job<'a> {
    Job {
        task,
        material,
        source: "src/lib.rs",
        is_combined: false,
        is_truncated: false,
        end: None,
        mode: Mode::Assist,
        context: "",
        most_output_chars: 2_000,
    }
}

fn limits() -> Limits {
    Limits { chunk_chars: 1_000, ..Limits::until(soon()) }
}

async fn quoted(model: &Scripted, job: &Job<'_>) -> Quotes {
    match verbatim(Some(model), job, &limits()).await.unwrap() {
        Verbatim::Quoted(quotes) => quotes,
        Verbatim::Digested(digest) => panic!("{}", digest.text),
    }
}

fn range(first: usize, last: usize) -> LineRange {
    LineRange { first, last }
}

const FIVE: &str = "alpha\nbeta  \n\tgamma\n\ndelta";

#[tokio::test]
async fn lines_are_copied_from_the_material_with_their_numbers() {
    let model = Scripted::saying("[[2, 3], [5, 5]]");
    let quotes = quoted(&model, &job("the middle", FIVE)).await;
    assert_eq!(quotes.text, "src/lib.rs lines 2-3:\n2: beta  \n3: \tgamma\n\nsrc/lib.rs line 5:\n5: delta");
    assert_eq!(quotes.shown, [range(2, 3), range(5, 5)]);
    let [asked] = model.asked().try_into().unwrap();
    assert_eq!(fenced(&asked.user), "1: alpha\n2: beta  \n3: \tgamma\n4: \n5: delta");
    assert_eq!((asked.max_tokens, asked.temperature.to_bits()), (1024, 0));
}

#[rstest]
#[case::pairs("[[1, 2], [4, 5]]", &[(1, 2), (4, 5)])]
#[case::one_flat_pair("[2, 4]", &[(2, 4)])]
#[case::objects(r#"[{"start": 1, "end": 2}, {"first": 4}]"#, &[(1, 2), (4, 4)])]
#[case::wrapped(r#"{"ranges": [[1, 2]]}"#, &[(1, 2)])]
#[case::bare_numbers("[1, 3, 5]", &[(1, 1), (3, 3), (5, 5)])]
#[case::a_fence("```json\n[[1, 2]]\n```", &[(1, 2)])]
#[case::words_around("The lines are [[1, 2]].", &[(1, 2)])]
#[case::loose_dash("Lines 1-2 and 4 to 5", &[(1, 2), (4, 5)])]
#[case::texts(r#"["1-2"]"#, &[(1, 2)])]
#[case::turned_around("[[5, 3]]", &[(3, 5)])]
#[case::touching("[[1, 2], [3, 3], [2, 4]]", &[(1, 4)])]
#[case::out_of_range("[[-4, 2], [5, 99], [70, 80]]", &[(1, 2), (5, 5)])]
#[case::a_number_that_no_line_has("Lines 2-99999999999999999999 and 4-5", &[(4, 5)])]
#[tokio::test]
async fn line_numbers_are_read_in_every_usual_form(#[case] answer: &str, #[case] expected: &[(usize, usize)]) {
    let model = Scripted::saying(answer);
    let expected: Vec<LineRange> = expected.iter().map(|(first, last)| range(*first, *last)).collect();
    assert_eq!(quoted(&model, &job("t", FIVE)).await.shown, expected);
}

#[rstest]
#[case("[]")]
#[case("None.")]
#[case("null")]
#[case("I cannot find anything useful.")]
#[tokio::test]
async fn no_lines_become_a_digest_that_is_told_apart(#[case] answer: &str) {
    let model = Scripted::in_turn(vec![Ok(reply(answer)), Ok(reply("a digest"))]);
    match verbatim(Some(model.as_ref()), &job("t", FIVE), &limits()).await.unwrap() {
        Verbatim::Digested(digest) => assert_eq!(digest.text, "a digest"),
        Verbatim::Quoted(quotes) => panic!("{}", quotes.text),
    }
}

fn numbered(count: usize) -> String {
    (1..=count).map(|number| format!("line number {number:>7}\n")).collect()
}

#[tokio::test]
async fn windows_carry_the_numbers_of_the_whole_and_answers_stay_inside_them() {
    let material = numbered(100);
    let model = Scripted::saying("[[1, 100]]");
    let quotes = quoted(&Scripted::saying("[[1, 2], [99, 100]]"), &job("t", &material)).await;
    assert!(quotes.windows > 1);
    assert_eq!(quotes.shown, [range(1, 2), range(99, 100)]);
    let all = quoted(&model, &Job { most_output_chars: 20_000, ..job("t", &material) }).await;
    assert_eq!(all.shown, [range(1, 100)]);
    let asked = model.asked();
    assert!(asked.iter().any(|request| fenced(&request.user).starts_with("  1: line number")));
    assert!(asked.iter().all(|request| request.user.contains(&format!(" of {}", all.windows))));
}

#[tokio::test]
async fn the_first_range_is_always_there_and_others_while_there_is_room() {
    let material = numbered(100);
    let model = Scripted::saying("[[1, 30], [40, 60], [70, 70]]");
    let quotes = quoted(&model, &Job { most_output_chars: 700, ..job("t", &material) }).await;
    assert_eq!(quotes.shown.first(), Some(&range(1, 30)));
    assert!(quotes.left_out.contains(&range(40, 60)), "{:?}", quotes.left_out);
}

#[tokio::test]
async fn w_22_a_window_that_fails_is_named_and_a_list_that_was_cut_as_well() {
    let material = numbered(100);
    let model = Scripted::new(|_, request| {
        if request.user.contains("part 2 of") {
            Err(unreachable())
        } else if request.user.contains("part 1 of") {
            Ok(cut("[[1, 2], [4,"))
        } else {
            Ok(reply("[]"))
        }
    });
    let quotes = quoted(&model, &job("t", &material)).await;
    assert_eq!(quotes.missing.len(), 2);
    assert!(quotes.text.contains("were not searched: the worker `scripted` cannot be reached"), "{}", quotes.text);
    assert!(quotes.text.contains("its list of lines was cut"), "{}", quotes.text);
}

#[tokio::test]
async fn when_no_window_can_be_read_the_error_is_the_result() {
    let model = Scripted::in_turn(vec![Err(unreachable())]);
    let error: ModelError = verbatim(Some(model.as_ref()), &job("t", FIVE), &limits()).await.unwrap_err();
    assert_eq!(error, unreachable());
}

#[tokio::test]
async fn combined_material_is_labelled_as_such() {
    let quotes = quoted(&Scripted::saying("[[1, 1]]"), &Job { is_combined: true, ..job("t", FIVE) }).await;
    assert_eq!(quotes.text, "combined material (src/lib.rs) line 1:\n1: alpha");
}

#[rstest]
#[case("lines 2-3", "2-3")]
#[case("quote line 5", "5")]
#[case("the first 2 lines", "1-2")]
#[case("the last 2 lines", "4-5")]
#[case("gamma", "3")]
#[tokio::test]
async fn without_a_model_the_task_says_which_lines(#[case] task: &str, #[case] expected: &str) {
    match verbatim(None, &job(task, FIVE), &limits()).await.unwrap() {
        Verbatim::Quoted(quotes) => {
            assert_eq!(quotes.model, BUILTIN);
            let shown: Vec<String> = quotes.shown.iter().map(ToString::to_string).collect();
            assert_eq!(shown.join(","), expected);
        }
        Verbatim::Digested(digest) => panic!("{}", digest.text),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn every_quoted_line_stands_in_the_material_under_its_number(
        lines in prop::collection::vec("[ \\t\\[\\]a-zäß€0-9:\"'\\\\]{0,40}", 1..60),
        ranges in prop::collection::vec((0_usize..70, 0_usize..10), 1..6),
        most in 100_usize..2_000,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let material = lines.join("\n");
        let answer: Vec<[usize; 2]> = ranges.iter().map(|(first, length)| [*first, first + length]).collect();
        let model = Scripted::saying(&serde_json::to_string(&answer).unwrap());
        let job = Job { most_output_chars: most, ..job("t", &material) };
        let Verbatim::Quoted(quotes) = runtime.block_on(verbatim(Some(model.as_ref()), &job, &limits())).unwrap() else {
            return Ok(());
        };
        let all: Vec<&str> = material.lines().collect();
        let mut expected = Vec::new();
        for range in &quotes.shown {
            let noun = if range.first == range.last { "line" } else { "lines" };
            let width = range.last.to_string().len();
            let mut block = format!("src/lib.rs {noun} {range}:");
            for number in range.first..=range.last {
                write!(block, "\n{number:>width$}: {}", all[number - 1]).unwrap();
            }
            expected.push(block);
        }
        assert_eq!(quotes.text, expected.join("\n\n"));
        for range in quotes.shown.iter().chain(&quotes.left_out) {
            assert!(1 <= range.first && range.first <= range.last && range.last <= all.len());
        }
    }
}
