//! One line of the private file.

use zeroize::Zeroizing;

/// Reads lines of the form `NAME=value`, with or without quotes and a leading `export`.
///
/// Double quotes know the escapes `\\`, `\"`, `\'`, `\n`, `\r` and `\t`; single quotes know `\\` and
/// `\'`. Nothing is interpolated: `${HOME}` is those seven characters.
pub(super) struct Line;

impl Line {
    /// The name that a line sets; none for comments, blank lines and anything else.
    pub(super) fn name_of(line: &str) -> Option<&str> {
        let line = line.trim_start();
        let line = line.strip_prefix("export ").map_or(line, str::trim_start);
        let (name, _) = line.split_once('=')?;
        let name = name.trim_end();
        is_name(name).then_some(name)
    }

    /// The value that a line sets; none when it has no closing quote or text after it.
    pub(super) fn value_of(line: &str) -> Option<String> {
        let (_, value) = line.split_once('=')?;
        let value = value.trim();
        match value.chars().next() {
            Some(mark @ ('"' | '\'')) => unquote(&value[1..], mark),
            // Without quotes a `#` after a blank starts a comment.
            _ => Some(value.split_once(" #").map_or(value, |(value, _)| value.trim_end()).to_owned()),
        }
    }
}

/// Whether `name` can name a variable.
pub(super) fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The value in double quotes, on one line.
pub(super) fn quote(value: &str) -> Zeroizing<String> {
    // Room for an escape of every character, so that no part is left behind by a reallocation.
    let mut quoted = Zeroizing::new(String::with_capacity(value.len() * 2 + 2));
    quoted.push('"');
    for c in value.chars() {
        match c {
            '\\' => quoted.push_str("\\\\"),
            '"' => quoted.push_str("\\\""),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
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

    #[rstest]
    #[case("A=plain", Some("A"), Some("plain"))]
    #[case("export  A = plain # note", Some("A"), Some("plain"))]
    #[case("A=with#hash", Some("A"), Some("with#hash"))]
    #[case(r#"A="a \"b\" \\ ${HOME}" # note"#, Some("A"), Some(r#"a "b" \ ${HOME}"#))]
    #[case(r"A='it\'s \n'", Some("A"), Some(r"it's \n"))]
    #[case(r#"A="open"#, Some("A"), None)]
    #[case(r#"A="a" b"#, Some("A"), None)]
    #[case("A=", Some("A"), Some(""))]
    #[case("# A=1", None, None)]
    #[case("1A=1", None, None)]
    #[case("no equals sign", None, None)]
    fn reads_what_people_write(#[case] line: &str, #[case] name: Option<&str>, #[case] value: Option<&str>) {
        assert_eq!(Line::name_of(line), name);
        if name.is_some() {
            assert_eq!(Line::value_of(line).as_deref(), value);
        }
    }

    proptest! {
        #[test]
        fn any_value_comes_back_as_it_was(value in ".*") {
            let line = format!("A={}", *quote(&value));
            prop_assert_eq!(line.lines().count(), 1);
            prop_assert_eq!(Line::value_of(&line), Some(value));
        }
    }
}
