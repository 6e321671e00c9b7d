//! What holds for every text.

#![expect(clippy::format_collect, reason = "texts read best as one string")]

use lwa_condense::{Material, Options, condense, optimize};
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};

/// The line about the result is not longer than this.
const ABOUT_BYTES: usize = 320;

/// Fragments that the crate treats in a special way, and anything else.
fn fragment() -> impl Strategy<Value = String> {
    let special = prop::sample::select(vec![
        "\n",
        "\r\n",
        "\r",
        "\t",
        " ",
        "    ",
        "```\n",
        "```rust\n",
        "~~~~\n",
        "user: ",
        "assistant: ",
        "## User\n",
        "[12:03] Ann: ",
        "\u{1b}[31m",
        "\u{1b}]0;",
        "\u{9b}",
        "error: ",
        "warning: ",
        "0 errors",
        "test a ... ok\n",
        "   Compiling x v1.2.3\n",
        "thread 'x' panicked at a.rs:1:2:\n",
        "E   assert\n",
        "---- x stdout ----\n",
        "  --> src/a.rs:1:2\n",
        "2026-11-02T10:00:00Z ",
        "We decided ",
        "? ",
        ". ",
        "\u{1f980}",
        "é",
        "\u{0}",
        "\"",
        "`",
        "(",
        ")",
        "[",
        "]",
        "{\"role\":\"user\",\"content\":\"a\\nb\"}\n",
        "please ",
        "in order to ",
        "Thanks.\n",
    ]);
    prop_oneof![
        40 => special.prop_map(str::to_owned),
        8 => any::<String>(),
        20 => "[a-z ]{0,40}\n",
        1 => Just("x".repeat(9000)),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(fragment(), 0..40).prop_map(|parts| parts.concat())
}

fn material() -> impl Strategy<Value = Material> {
    prop::sample::select(vec![Material::Auto, Material::Conversation, Material::Log, Material::Prompt])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn never_panics_and_is_deterministic(text in text(), material in material(), budget in prop::option::of(0usize..4000), exit_code in prop::option::of(any::<i32>())) {
        let options = Options { material, max_output_bytes: budget, exit_code };
        let condensed = condense(&text, &options);
        prop_assert_eq!(&condensed, &condense(&text, &options));
        prop_assert_eq!(condensed.output_bytes, condensed.text.len());
        prop_assert_eq!(condensed.input_bytes, text.len());
        prop_assert!(condensed.material != Material::Auto);
    }

    #[test]
    fn keeps_to_the_budget(text in text(), material in material(), budget in 0usize..4000) {
        let condensed = condense(&text, &Options { material, max_output_bytes: Some(budget), ..Options::default() });
        prop_assert!(condensed.text.len() <= budget, "{} > {budget}", condensed.text.len());
    }

    #[test]
    fn is_never_longer_than_the_text_and_one_line(text in text(), material in material()) {
        let condensed = condense(&text, &Options { material, ..Options::default() });
        prop_assert!(condensed.text.len() <= text.len() + ABOUT_BYTES);
    }

    #[test]
    fn keeps_every_distinct_failure(numbers in prop::collection::vec(0u32..500, 1..300)) {
        let text: String = numbers.iter().map(|number| format!("   Compiling a{number} v1.0.0\nerror: case {number} is broken\n")).collect();
        let condensed = condense(&text, &Options { material: Material::Log, ..Options::default() });
        for number in numbers {
            let line = format!("error: case {number} is broken\n");
            prop_assert!(condensed.text.contains(&line));
        }
    }

    #[test]
    fn prompt_never_grows(text in text()) {
        prop_assert!(optimize(&text, None).text.len() <= text.len());
    }

    #[test]
    fn code_of_a_prompt_stays_byte_for_byte(code in "([ -_a-~]{0,30}\n){0,12}") {
        let prompt = format!("Could you please  explain this?\n\n\n```\n{code}```\n");
        let optimized = optimize(&prompt, None).text;
        let expected = format!("Explain this?\n\n```\n{code}```\n");
        prop_assert_eq!(optimized, expected);
    }
}
