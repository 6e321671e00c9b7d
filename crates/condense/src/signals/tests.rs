//! Every rule with lines that it must and must not match.

use super::{Marks, mark};
use crate::lines::Lines;
use rstest::rstest;

fn marks(line: &str) -> Marks {
    let lines = Lines::new(line);
    mark(&lines.text, &lines.spans).first().copied().unwrap_or_default()
}

#[rstest]
#[case("error[E0308]: mismatched types")]
#[case("2026-11-02T10:00:00Z ERROR db: connection refused")]
#[case("ValueError: bad literal")]
#[case("java.io.IOException: gone")]
#[case("make: *** [Makefile:3: all] Error 1")]
#[case("E: Unable to locate package nope")]
#[case("not ok 3 - adds")]
#[case("--- FAIL: TestAdd (0.00s)")]
#[case("thread 'main' panicked at src/main.rs:3:5:")]
#[case("Segmentation fault (core dumped)")]
#[case("{\"level\":50,\"msg\":\"x\"}")]
#[case("3 failed, 0 errors")]
#[case("10 errors")]
#[case("tests::adds ... FAILED")]
#[case("request timed out after 30 s")]
#[case("npm ERR! code ELIFECYCLE")]
fn reports_a_failure(#[case] line: &str) {
    assert!(marks(line).is_failure(), "{line}");
}

#[rstest]
#[case("test result: ok. 3 passed; 0 failed; 0 ignored")]
#[case("   Compiling thiserror v2.0.17")]
#[case("src/error.rs compiled")]
#[case("error_handler installed")]
#[case("gcc -Werror=format -c x.c")]
#[case("cargo test --no-fail-fast")]
#[case("0 errors, 0 warnings")]
#[case("finished without errors")]
#[case("{\"level\":\"info\",\"error\":null}")]
#[case("failed: 0")]
#[case("use crate::error::Kind;")]
fn only_mentions_a_failure(#[case] line: &str) {
    assert!(!marks(line).is_failure(), "{line}");
    assert!(marks(line).is_mention(), "{line}");
}

#[rstest]
#[case("warning: unused variable: `x`")]
#[case("npm WARN deprecated inflight@1.0.6")]
#[case("x.c:3:1: warning: implicit declaration [-Wimplicit]")]
#[case("W: Some index files were not fetched")]
#[case("level=warn msg=\"slow\"")]
fn reports_a_warning(#[case] line: &str) {
    assert!(marks(line).is_warning(), "{line}");
}

#[rstest]
#[case("   Compiling serde v1.0.228")]
#[case("Sounds good, let me take a look at that now.")]
#[case("GET /index.html 200 12ms")]
fn says_nothing(#[case] line: &str) {
    assert_eq!(marks(line), Marks::default(), "{line}");
}

#[rstest]
#[case("We decided to keep SQLite.", true)]
#[case("Let's go with the second one.", true)]
#[case("I will think about it and come back.", false)]
fn sees_decisions(#[case] line: &str, #[case] expected: bool) {
    assert_eq!(marks(line).is_decision(), expected, "{line}");
}

#[rstest]
#[case("TODO: handle the empty case", true)]
#[case("Next step: write the migration", true)]
#[case("The deadline is Friday.", true)]
#[case("Great, moving on to the next thing.", false)]
#[case("The residue is small.", false)]
fn sees_open_points(#[case] line: &str, #[case] expected: bool) {
    assert_eq!(marks(line).is_action(), expected, "{line}");
}

#[test]
fn marks_belong_to_their_own_lines() {
    let lines = Lines::new("ok\nerror: a\nfine\nwarning: b");
    let marks = mark(&lines.text, &lines.spans);
    let shown: Vec<_> = marks.iter().map(|marks| (marks.is_failure(), marks.is_warning())).collect();
    assert_eq!(shown, [(false, false), (true, false), (false, false), (false, true)]);
}
