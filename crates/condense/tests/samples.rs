//! Whole results for small samples.

#![expect(clippy::format_push_string, clippy::format_collect, reason = "samples read best as one string")]

use insta::assert_snapshot;
use lwa_condense::{Options, condense, optimize};

fn shown(text: &str) -> String {
    condense(text, &Options::default()).text
}

#[test]
fn cargo_test_with_a_failure() {
    let mut text = String::from(
        "   Compiling proc-macro2 v1.0.103\n   Compiling quote v1.0.41\n   Compiling unicode-ident v1.0.22\n   Compiling syn v2.0.110\n   Compiling shop v0.3.0\nwarning: unused variable: `x`\n --> src/lib.rs:3:9\n  |\n3 |     let x = 1;\n  |         ^ help: if this is intentional, prefix it with an underscore: `_x`\n  |\n  = note: `#[warn(unused_variables)]` on by default\n\n    Finished `test` profile [unoptimized + debuginfo] target(s) in 4.02s\n     Running unittests src/lib.rs (target/debug/deps/shop-0123456789abcdef)\n\nrunning 41 tests\n",
    );
    for n in 0..40 {
        text += &format!("test cart::tests::adds_{n} ... ok\n");
    }
    text += "test cart::tests::total ... FAILED\n\nfailures:\n\n---- cart::tests::total stdout ----\n\nthread 'cart::tests::total' panicked at src/cart.rs:41:9:\nassertion `left == right` failed\n  left: 3\n right: 4\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n\n\nfailures:\n    cart::tests::total\n\ntest result: FAILED. 40 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n\nerror: test failed, to rerun pass `--lib`\n";
    assert_snapshot!(shown(&text));
}

#[test]
fn application_log() {
    let mut text = String::new();
    for n in 0..60 {
        text += &format!("2026-11-02T10:00:{n:02}Z INFO  http: GET /orders/{n} status=200 took={}ms\n", n % 7);
        match n {
            20 => {
                text += "2026-11-02T10:00:20Z ERROR db: insert failed: disk I/O error\nTraceback (most recent call last):\n  File \"db.py\", line 20, in insert\n    cursor.execute(sql)\nOSError: disk I/O error\n";
            }
            33 | 34 => text += "2026-11-02T10:00:33Z WARN  pool: waited 2113ms\n",
            _ => {}
        }
    }
    assert_snapshot!(shown(&text));
}

#[test]
fn chat_between_people() {
    let text = "Ann: Good morning!\nBen: Hi.\nAnn: The import stops at row 4,471 of prices.csv since yesterday.\nBen: Ok, let me take a look.\nBen: Give me a minute.\nBen: Got it: the file has a BOM since v2.3.1 of the exporter.\nAnn: Great.\nAnn: Can we read it anyway?\nBen: Yes. We decided in March to be strict, but I would accept a BOM.\nAnn: Fine with me.\nBen: Then I will do that. TODO: a test with a BOM.\nAnn: Thanks!\nBen: You're welcome.\nAnn: Does Cem know?\nBen: Not yet, I'll tell him by Friday.\nAnn: Perfect.\n";
    assert_snapshot!(shown(
        &text.replace("Perfect.", &format!("Perfect.{}", "\nBen: Ok. (again)\nAnn: Thanks.".repeat(20)))
    ));
}

#[test]
fn progress_bars() {
    let bars: String = (0..=100).map(|n| format!("\rReceiving objects: {n:3}% ({n}/100)")).collect();
    assert_snapshot!(shown(&format!(
        "Cloning into 'x'...\n{bars}, done.\nfatal: could not read from remote repository\n"
    )));
}

#[test]
fn polite_prompt() {
    let prompt = "Hello there!\n\nI would like you to review the function below. Please note that it must stay `async`.\n\n\n```rust\nasync fn  a() {}\n\n\n```\n\nCould you please keep the answer below 200 words? Keep the answer below 200 words?\nDon't change the signature.\n\nThanks in advance!\n";
    let optimized = optimize(prompt, None);
    assert_snapshot!(format!("{}\n---\n{}", optimized.text, optimized.notes.join("\n")));
}
