//! The text of a recipe, with the place where the input goes.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::LibraryError;

/// Where the input goes.
pub(crate) const INPUT: &str = "{input}";
/// The variable of a consensus plan, which is no recipe's.
const TRANSCRIPT: &str = "{{CONSENSUS_TRANSCRIPT}}";
/// The longest template, in bytes.
const LONGEST: usize = 100_000;

/// A text that holds `{input}` at least once and no other brace.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Template(String);

impl Template {
    /// Checks a text; blanks at both ends are taken off.
    ///
    /// # Errors
    /// It is empty or too long, has no `{input}`, or has another variable or a stray brace.
    pub fn parse(text: &str) -> Result<Self, LibraryError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(LibraryError::Empty("template"));
        }
        if text.len() > LONGEST {
            return Err(LibraryError::TooLong { field: "template", limit: LONGEST });
        }
        if text.contains(TRANSCRIPT) {
            return Err(LibraryError::Template("holds the variable of a consensus plan"));
        }
        if !text.contains(INPUT) {
            return Err(LibraryError::Template("does not hold `{input}`"));
        }
        if text.split(INPUT).any(|part| part.contains(['{', '}'])) {
            return Err(LibraryError::Template("holds a brace or a variable other than `{input}`"));
        }
        Ok(Self(text.to_owned()))
    }

    /// The text with every `{input}` replaced. What the input holds is not looked at again.
    pub fn fill(&self, input: &str) -> String {
        self.0.replace(INPUT, input)
    }

    /// The text as it is stored.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Template({} bytes)", self.0.len())
    }
}

impl Default for Template {
    fn default() -> Self {
        Self(INPUT.to_owned())
    }
}

impl TryFrom<String> for Template {
    type Error = LibraryError;

    fn try_from(text: String) -> Result<Self, LibraryError> {
        Self::parse(&text)
    }
}

impl From<Template> for String {
    fn from(template: Template) -> Self {
        template.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, proptest};
    use rstest::rstest;

    use super::*;

    #[test]
    fn lwa_075_a_template_with_the_input_is_accepted_unchanged() {
        assert_eq!(Template::parse("Answer this: {input}").unwrap().as_str(), "Answer this: {input}");
    }

    #[rstest]
    #[case("Answer {question}")]
    #[case("{input} {{CONSENSUS_TRANSCRIPT}}")]
    #[case("Answer this")]
    #[case("")]
    #[case("   ")]
    fn lwa_076_another_variable_or_none_is_rejected(#[case] text: &str) {
        assert!(Template::parse(text).is_err());
    }

    #[rstest]
    #[case("{input")]
    #[case("input}")]
    #[case("{input} and {other}")]
    #[case("{{input}}")]
    #[case("{input}}")]
    fn lwa_077_stray_braces_are_rejected(#[case] text: &str) {
        assert!(Template::parse(text).is_err());
    }

    proptest! {
        #[test]
        fn what_is_accepted_is_a_text_around_the_input(text in r"([a-z ]|\{input\}|\{|\}){0,12}", input in any::<String>()) {
            let rest = text.replace(INPUT, "");
            let is_good = text.contains(INPUT) && !rest.contains(['{', '}']) && !text.split(INPUT).any(|p| p.contains(['{', '}']));
            let parsed = Template::parse(&text);
            assert_eq!(parsed.is_ok(), is_good, "{text}");
            if let Ok(template) = parsed {
                let around: usize = template.as_str().split(INPUT).map(str::len).sum();
                let places = template.as_str().matches(INPUT).count();
                assert_eq!(template.fill(&input).len(), around + places * input.len());
            }
        }
    }
}
