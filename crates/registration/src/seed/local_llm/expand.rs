//! Variables within values, as the older worker put them in.

use std::collections::BTreeMap;

/// A text with `$NAME` and `${NAME}` replaced, and a leading `~/`. A name that is not set stays as it is written.
pub(super) fn expanded(text: &str, variables: &BTreeMap<String, String>) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    if let (Some(after), Some(home)) = (text.strip_prefix("~/"), variables.get("HOME")) {
        result.push_str(home);
        result.push('/');
        rest = after;
    }
    while let Some((before, after)) = rest.split_once('$') {
        result.push_str(before);
        let (name, end) = match after.strip_prefix('{').and_then(|braced| braced.split_once('}')) {
            Some((name, end)) => (name, end),
            None => after.split_at(after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len())),
        };
        if let Some(value) = variables.get(name) {
            result.push_str(value);
            rest = end;
        } else {
            result.push('$');
            rest = after;
        }
    }
    result + rest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("$HOME/a", "/h/a")]
    #[case("${HOME}a$X$X", "/ha11")]
    #[case("~/a", "/h/a")]
    #[case("a~/$", "a~/$")]
    #[case("$NONE/${ALSO_NONE}/${X", "$NONE/${ALSO_NONE}/${X")]
    #[case("$$X", "$1")]
    fn names_that_are_set_are_put_in(#[case] text: &str, #[case] expected: &str) {
        let variables = [("HOME", "/h"), ("X", "1")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(expanded(text, &BTreeMap::from(variables)), expected);
    }

    proptest! {
        #[test]
        fn a_text_that_names_nothing_stays(text in "(?s).*") {
            prop_assert_eq!(expanded(&text, &BTreeMap::new()), text);
        }
    }
}
