//! What a caller of the crate may rely on.

#![expect(clippy::format_push_string, clippy::format_collect, reason = "texts read best as one string")]

use lwa_condense::{Material, Options, condense, optimize};
use rstest::rstest;

fn log(text: &str) -> String {
    condense(text, &Options { material: Material::Log, ..Options::default() }).text
}

fn budgeted(text: &str, budget: usize) -> lwa_condense::Condensed {
    condense(text, &Options { max_output_bytes: Some(budget), ..Options::default() })
}

#[test]
fn keeps_the_facts_of_a_long_chat() {
    let facts = [
        "src/auth/session.rs:214",
        "v2.31.7",
        "ERR_CONN_4471",
        "We decided to keep SQLite",
        "panicked at 'index out of bounds'",
        "port 8443",
        "ticket OPS-2291",
        "deadline 2026-12-04",
    ];
    let filler = [
        "Sounds good, let me take a look at that now.",
        "Thanks, that makes sense to me.",
        "Running the command again to be sure.",
        "Ok.",
        "I will think about it and come back.",
        "Great, moving on to the next thing.",
    ];
    let mut lines: Vec<String> = (0..900)
        .map(|at| {
            let speaker = if at % 2 == 0 { "assistant" } else { "user" };
            format!("{speaker}: {} ({})", filler[at * 7 % 6], ["again", "now", "still", "ok"][at * 5 % 4])
        })
        .collect();
    for (at, fact) in facts.iter().enumerate() {
        lines[60 + at * 100] = format!("assistant: Noted: {fact} is what matters for the fix.");
    }
    let text = lines.join("\n");
    let condensed = condense(&text, &Options::default());
    assert_eq!(condensed.material, Material::Conversation);
    for fact in facts {
        assert!(condensed.text.contains(fact), "{fact} is missing");
    }
    assert!(condensed.text.len() * 20 < text.len(), "{} bytes", condensed.text.len());
    assert!(!condensed.is_cut_to_budget);
}

#[test]
fn states_its_ratio_and_the_exit_code_first() {
    let text = "   Compiling a v1.0.0\n".repeat(200) + "error: gone\n";
    let condensed = condense(&text, &Options { exit_code: Some(101), ..Options::default() });
    let first = condensed.text.lines().next().unwrap_or_default();
    assert!(first.starts_with("[condensed by builtin: 4,412 \u{2192} "), "{first}");
    assert!(first.ends_with("; exit code 101]"), "{first}");
    assert!(first.contains(&format!("{} bytes", condensed.output_bytes)), "{first}");
}

#[test]
fn gives_back_what_cannot_be_shortened() {
    let condensed = condense("error: gone\n", &Options::default());
    assert_eq!(condensed.text, "[condensed by builtin: nothing to save, 12 bytes as given]\nerror: gone\n");
    assert_eq!(condensed.left_out.lines, 0);
}

#[rstest]
#[case::same_line("error: a\n", 5, "error: a", 1)]
#[case::colours("\u{1b}[31merror\u{1b}[0m: a\n", 5, "error: a", 1)]
fn folds_the_same_failure(#[case] line: &str, #[case] times: usize, #[case] kept: &str, #[case] expected: usize) {
    let text = line.repeat(times) + &"   Compiling a v1.0.0\n".repeat(50);
    let condensed = log(&text);
    assert_eq!(condensed.lines().filter(|line| *line == kept).count(), expected, "{condensed}");
}

#[test]
fn counts_the_lines_of_one_shape() {
    let text: String = (0..500).map(|n| format!("   Compiling a{n} v1.{n}.0\n")).collect();
    let condensed = log(&text);
    assert!(condensed.contains("[\u{2026} 499 more like this"), "{condensed}");
}

#[test]
fn keeps_what_explains_a_failure() {
    let report = "error[E0308]: mismatched types\n  --> src/main.rs:2:18\n   |\n2  |     let a: u32 = \"x\";\n   |            ---   ^^^ expected `u32`, found `&str`\n";
    let text = format!("{}{report}\n{}", "   Compiling a v1.0.0\n".repeat(300), "   Compiling b v1.0.0\n".repeat(300));
    assert!(log(&text).contains(report));
}

#[test]
fn keeps_the_same_message_at_another_place() {
    let text: String = (0..20)
        .map(|n| format!("warning: unused variable\n  --> src/a.rs:{n}:1\n   |\n{n} | let x = 1;\n   |     ^\n\n"))
        .collect();
    let condensed = log(&text);
    for n in 0..20 {
        assert!(condensed.contains(&format!("warning: unused variable\n  --> src/a.rs:{n}:1\n")), "{condensed}");
    }
}

#[rstest]
#[case::small(400)]
#[case::mcp(8_000)]
#[case::tiny(60)]
#[case::nothing(0)]
fn keeps_first_and_last_failure_in_the_budget(#[case] budget: usize) {
    let text: String = (0..5_000)
        .map(|n| format!("2026-11-02T10:00:00Z INFO tick {n}\n2026-11-02T10:00:00Z ERROR case-{n} broke\n"))
        .collect();
    let condensed = budgeted(&text, budget);
    assert!(condensed.text.len() <= budget);
    assert!(condensed.is_cut_to_budget);
    if budget >= 400 {
        assert!(condensed.text.contains("ERROR case-0 broke"));
        assert!(condensed.text.contains("ERROR case-4999 broke"), "{}", condensed.text);
        assert!(condensed.text.lines().next().unwrap_or_default().contains("cut to the budget"));
        assert!(condensed.left_out.failures > 4_000);
    }
}

#[test]
fn loses_routine_before_context_and_warnings_before_failures() {
    let mut text = String::new();
    for n in 0..200 {
        text += &format!("   Compiling a{n} v1.0.0\nwarning: style {n}\n  --> src/a.rs:{n}:1\n");
    }
    text += "error: the one\n";
    let condensed = budgeted(&text, 2_000);
    assert!(condensed.text.contains("error: the one"));
    assert!(condensed.text.contains("warning: style 0\n"));
    assert!(!condensed.text.contains("Compiling"));
}

#[test]
fn treats_a_pasted_log_in_one_line_as_a_log() {
    let pasted: String = (0..2_000).map(|n| format!("INFO tick {n} of the pump\\n")).collect();
    let text = format!("user: It broke: {pasted}ERROR pump: valve_7 refused\\nINFO done\nassistant: Ok.\n");
    let condensed = condense(&text, &Options::default());
    assert!(condensed.text.contains("ERROR pump: valve_7 refused"), "{}", condensed.text);
    assert!(condensed.text.len() < text.len() / 3);
}

#[test]
fn keeps_code_blocks_of_a_conversation() {
    let code = "```rust\nfn main() {\n\n    let a = 1;\n}\n```\n";
    let text = format!(
        "user: Please write main.\nassistant: Here it is.\n{code}{}",
        "user: Ok, thanks. (again)\nassistant: Sounds good.\n".repeat(100)
    );
    let condensed = condense(&text, &Options::default());
    assert!(condensed.text.contains(code), "{}", condensed.text);
}

#[test]
fn optimizes_a_prompt_without_touching_its_demands() {
    let prompt = "Hello!\n\nCould you please   write a parser in order to read the file?  Please note that it must not panic.\nIt must not allocate more than 4 MB.\n\n\n\nThank you so much in advance!\n";
    let optimized = optimize(prompt, None);
    assert_eq!(
        optimized.text,
        "Write a parser to read the file? It must not panic.\nIt must not allocate more than 4 MB.\n"
    );
    assert_eq!(optimized.material, Material::Prompt);
    assert!(optimized.notes.iter().any(|note| note.contains(" %)")), "{:?}", optimized.notes);
}

#[test]
fn failures_do_not_crowd_out_decisions() {
    let errors: String = (0..300).map(|n| format!("error: module_{n} broke in file {n}\n")).collect();
    let text = format!(
        "user: Please fix it. It must stay on port 8443.\nassistant: Here is the log.\n```log\n{errors}```\n\
         user: We decided to drop the old parser.\nassistant: Open question: who owns staging?\n"
    );
    let condensed = budgeted(&text, 1_500);
    for kept in [
        "must stay on port 8443",
        "We decided to drop",
        "who owns staging?",
        "error: module_0 broke",
        "error: module_299 broke",
    ] {
        assert!(condensed.text.contains(kept), "{kept} is missing in {}", condensed.text);
    }
}
