//! A titled block for people: lines with a border on the left, so that text can still be copied out of it.

use lwa_domain::PicoUsd;

/// A block with these lines. A line break within a line gets a border too.
pub fn framed(title: &str, lines: &[String]) -> String {
    let mut text = format!("┌ {title}\n");
    for line in lines.iter().flat_map(|line| line.split('\n')) {
        text.push('│');
        if !line.is_empty() {
            text.push(' ');
            text.push_str(line);
        }
        text.push('\n');
    }
    text.push('└');
    text
}

/// One line of a block: a name and what it is.
pub fn field(name: &str, value: impl AsRef<str>) -> String {
    format!("{name:<10} {}", value.as_ref())
}

/// Dollars with all six decimals, so that amounts stand below each other.
pub fn six_decimals(amount: PicoUsd) -> String {
    let pico = amount.get();
    if pico > 0 && pico < 1_000_000 {
        return "<$0.000001".to_owned();
    }
    let micro = pico.saturating_add(500_000) / 1_000_000;
    format!("${}.{:06}", micro / 1_000_000, micro % 1_000_000)
}

/// Text of a model without what a terminal would act on.
pub fn inert(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_a_border() {
        assert_eq!(framed("LWA", &["a\nb".to_owned(), String::new()]), "┌ LWA\n│ a\n│ b\n│\n└");
    }

    #[test]
    fn amounts_have_six_decimals() {
        let shown = |pico: i64| six_decimals(PicoUsd::new(pico));
        assert_eq!(
            [shown(0), shown(120_000_000), shown(1), shown(1_500_000_000_000)],
            ["$0.000000", "$0.000120", "<$0.000001", "$1.500000"]
        );
    }

    #[test]
    fn an_answer_cannot_drive_the_terminal() {
        assert_eq!(inert("a\u{1b}[2J\u{7}b\n\tc\r"), "a[2Jb\n\tc");
    }
}
