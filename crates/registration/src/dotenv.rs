//! Files of lines `NAME=value`.

use crate::hidden::Hidden;

/// One line that sets a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The variable.
    pub name: String,
    /// The value; none when the line has no closing quote, or text after it.
    pub value: Option<Hidden>,
    /// The line, counted from 1.
    pub line: usize,
}

/// Every line of a text that sets a variable, in order; comments, blank lines and anything else are left out.
///
/// A leading `export` is allowed. Single quotes know the escapes `\\` and `\'`; double quotes know those,
/// `\"`, `\n`, `\r` and `\t`. Without quotes, a `#` after a blank starts a comment. Nothing is interpolated:
/// `${HOME}` is those seven characters. A value ends on its line.
pub fn parse(text: &str) -> Vec<Assignment> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.lines()
        .enumerate()
        .filter_map(|(index, line)| {
            let (name, value) = split(line)?;
            Some(Assignment { name: name.to_owned(), value: value_of(value).map(Hidden::new), line: index + 1 })
        })
        .collect()
}

/// What counts of a repeated name: the last line, as in a shell.
pub fn last_of<'a>(assignments: &'a [Assignment], name: &str) -> Option<&'a Assignment> {
    assignments.iter().rev().find(|assignment| assignment.name == name)
}

fn split(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let line = match line.strip_prefix("export") {
        Some(rest) if rest.starts_with([' ', '\t']) => rest.trim_start(),
        _ => line,
    };
    let (name, value) = line.split_once('=')?;
    let name = name.trim_end();
    is_name(name).then_some((name, value))
}

/// Whether a text can be the name of a variable.
pub(crate) fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn value_of(value: &str) -> Option<String> {
    let value = value.trim();
    match value.chars().next() {
        Some(mark @ ('"' | '\'')) => unquote(value.get(1..)?, mark),
        Some('#') => Some(String::new()),
        _ => Some(value.find([' ', '\t']).map_or(value, |_| without_comment(value)).to_owned()),
    }
}

fn without_comment(value: &str) -> &str {
    let comment =
        value.char_indices().zip(value.chars().skip(1)).find(|((_, c), next)| matches!(c, ' ' | '\t') && *next == '#');
    comment.and_then(|((at, _), _)| value.get(..at)).unwrap_or(value).trim_end()
}

fn unquote(rest: &str, mark: char) -> Option<String> {
    let mut value = String::with_capacity(rest.len());
    let mut chars = rest.chars();
    while let Some(c) = chars.next() {
        if c == mark {
            let after = chars.as_str().trim_start();
            return (after.is_empty() || after.starts_with('#')).then_some(value);
        }
        if c != '\\' {
            value.push(c);
            continue;
        }
        match (mark, chars.next()?) {
            (_, escaped @ ('\\' | '\'')) | ('"', escaped @ '"') => value.push(escaped),
            ('"', 'n') => value.push('\n'),
            ('"', 'r') => value.push('\r'),
            ('"', 't') => value.push('\t'),
            (_, other) => value.extend(['\\', other]),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};
    use rstest::rstest;

    use super::*;

    /// What a text sets, as name and value.
    fn read(text: &str) -> Vec<(String, Option<String>)> {
        parse(text)
            .into_iter()
            .map(|assignment| (assignment.name, assignment.value.map(|value| value.expose().to_owned())))
            .collect()
    }

    #[rstest]
    #[case("A=plain", "plain")]
    #[case("export  A = plain # note", "plain")]
    #[case("export\tA=plain", "plain")]
    #[case("A=with#hash", "with#hash")]
    #[case("A=two words # and a note", "two words")]
    #[case("A=# only a note", "")]
    #[case("A=", "")]
    #[case(r"A='it\'s \\ \n ${HOME}'", r"it's \ \n ${HOME}")]
    #[case(r#"A="a \"b\" \\ ${HOME}\n" # note"#, "a \"b\" \\ ${HOME}\n")]
    #[case("\u{feff}A='x'", "x")]
    #[case("A='x'\r", "x")]
    fn a_value_is_read_as_it_was_meant(#[case] text: &str, #[case] value: &str) {
        assert_eq!(read(text), [("A".to_owned(), Some(value.to_owned()))]);
    }

    #[rstest]
    #[case(r#"A="open"#)]
    #[case("A='open")]
    #[case("A='a' b")]
    fn a_line_without_a_proper_end_has_no_value(#[case] text: &str) {
        assert_eq!(read(text), [("A".to_owned(), None)]);
    }

    #[rstest]
    #[case("# A=1")]
    #[case("1A=1")]
    #[case("no equals sign")]
    #[case("A-B=1")]
    #[case("")]
    fn anything_else_sets_nothing(#[case] text: &str) {
        assert_eq!(read(text), []);
    }

    #[test]
    fn lines_are_counted_and_the_last_of_a_name_counts() {
        let assignments = parse("# one\n\nA=1\nB=2\nA=3\n");
        let lines: Vec<usize> = assignments.iter().map(|assignment| assignment.line).collect();
        assert_eq!(lines, [3, 4, 5]);
        assert_eq!(last_of(&assignments, "A").unwrap().line, 5);
        assert!(last_of(&assignments, "C").is_none());
    }

    proptest! {
        // The older product writes any value in single quotes and refuses line breaks.
        #[test]
        fn lwa_081_any_value_in_the_older_products_quotes_is_read_as_it_was(value in "[^\n\r\0]*") {
            let quoted = value.replace('\\', "\\\\").replace('\'', "\\'");
            prop_assert_eq!(read(&format!("A='{quoted}'")), vec![("A".to_owned(), Some(value))]);
        }

        #[test]
        fn no_text_is_too_odd_to_be_read(text in "(?s).*") {
            parse(&text);
        }
    }
}
