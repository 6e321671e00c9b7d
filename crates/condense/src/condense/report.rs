//! The sentences of a result about itself.

use std::fmt::Write as _;

use crate::condensed::{Condensed, LeftOut, Options};

/// Under a smaller budget the line does not tell the kinds of what was left out; the counts are in the result.
const BRIEF_BUDGET_BYTES: usize = 1000;

/// The line above a result.
pub(super) fn first_line(condensed: &Condensed, options: &Options) -> String {
    let is_brief = options.max_output_bytes.is_some_and(|budget| budget < BRIEF_BUDGET_BYTES);
    format!("[condensed by builtin: {}]", said(condensed, options.exit_code, is_brief))
}

/// The first note of a result.
pub(super) fn ratio_note(condensed: &Condensed, exit_code: Option<i32>) -> String {
    format!("condensed by builtin: {}", said(condensed, exit_code, false))
}

fn said(condensed: &Condensed, exit_code: Option<i32>, is_brief: bool) -> String {
    let input = condensed.input_bytes;
    let output = condensed.output_bytes;
    let left_out = &condensed.left_out;
    // Writing to a string cannot fail.
    let mut text = if output >= input {
        format!("nothing to save, {} bytes as given", grouped(input))
    } else {
        // Per mille, rounded half up, in whole numbers.
        let per_mille = (output.saturating_mul(2000) / input.max(1)).div_ceil(2);
        format!("{} \u{2192} {} bytes ({}.{} %)", grouped(input), grouped(output), per_mille / 10, per_mille % 10)
    };
    if left_out.lines > 0 && output < input {
        let _ = write!(text, ", {} of {} lines left out", grouped(left_out.lines), grouped(left_out.of_lines));
        if !is_brief {
            let _ = write!(text, ": {}", kinds(left_out));
        }
    }
    if condensed.is_cut_to_budget {
        text.push_str("; cut to the budget");
    }
    if let Some(code) = exit_code {
        let _ = write!(text, "; exit code {code}");
    }
    text
}

/// What was left out, the largest loss last.
fn kinds(left_out: &LeftOut) -> String {
    let kinds = [
        (left_out.routine, "routine"),
        (left_out.repeated, "repeated"),
        (left_out.filler, "filler"),
        (left_out.blank, "blank"),
        (left_out.context, "context"),
        (left_out.mentions, "mentions"),
        (left_out.statements, "facts and statements"),
        (left_out.warnings, "warnings"),
        (left_out.failures, "failures"),
    ];
    let said: Vec<String> = kinds
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, kind)| format!("{} {kind}", grouped(*count)))
        .collect();
    said.join(", ")
}

/// A number with a comma between its thousands.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::grouped;
    use rstest::rstest;

    #[rstest]
    #[case(0, "0")]
    #[case(999, "999")]
    #[case(1000, "1,000")]
    #[case(412_330, "412,330")]
    #[case(1_234_567, "1,234,567")]
    fn groups_thousands(#[case] number: usize, #[case] expected: &str) {
        assert_eq!(grouped(number), expected);
    }
}
