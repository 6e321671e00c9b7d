//! The few pieces of Markdown that the pages are made of.

use std::fmt::Write as _;

/// A table; an empty one is left out.
pub(super) fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut text = String::new();
    if rows.is_empty() {
        return text;
    }
    let _ = writeln!(text, "| {} |", head.join(" | "));
    let _ = writeln!(text, "|{}", "---|".repeat(head.len()));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| escaped(cell)).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text.push('\n');
    text
}

/// A cell cannot hold a line end, and a bar would end it.
fn escaped(cell: &str) -> String {
    cell.replace('|', "\\|").replace('\n', " ")
}

/// A paragraph with one sentence on each line.
pub(super) fn sentences(text: &str) -> String {
    let mut lines = String::new();
    let mut rest = text.trim();
    while let Some(end) = sentence_end(rest) {
        let (sentence, more) = rest.split_at(end);
        let _ = writeln!(lines, "{}", sentence.trim());
        rest = more.trim_start();
    }
    if !rest.is_empty() {
        let _ = writeln!(lines, "{rest}");
    }
    lines.push('\n');
    lines
}

/// Where the first sentence ends: a full stop, a space and a capital.
fn sentence_end(text: &str) -> Option<usize> {
    text.match_indices(". ").map(|(at, _)| at + 1).find(|at| text[*at..].trim_start().starts_with(char::is_uppercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sentence_has_a_line_and_a_full_stop_inside_a_word_ends_none() {
        assert_eq!(sentences("One. Two, see a.b for it. Next: x"), "One.\nTwo, see a.b for it.\nNext: x\n\n");
    }

    #[test]
    fn a_bar_in_a_cell_does_not_end_it() {
        assert_eq!(table(&["a"], &[vec!["x|y".to_owned()]]), "| a |\n|---|\n| x\\|y |\n\n");
        assert_eq!(table(&["a"], &[]), "");
    }
}
