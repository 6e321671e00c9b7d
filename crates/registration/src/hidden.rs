//! A value that must not be shown.

use std::fmt;

use zeroize::Zeroizing;

/// Below this length a tail would give much of the value away.
const MASKABLE_LENGTH: usize = 12;
/// How many characters of a long value may be seen.
const TAIL_LENGTH: usize = 4;

/// A key, or something that may be one: a `Debug` without content, no `Display`, zeroed on drop.
#[derive(Clone, PartialEq, Eq)]
pub struct Hidden(Zeroizing<String>);

impl Hidden {
    /// Takes a value into custody.
    pub fn new(value: impl Into<String>) -> Self {
        Self(Zeroizing::new(value.into()))
    }

    /// The value itself. Call it at the last moment.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether there is nothing but blanks.
    pub fn is_blank(&self) -> bool {
        self.0.trim().is_empty()
    }

    /// The last four characters behind an ellipsis; the ellipsis alone for a short value.
    pub fn masked(&self) -> String {
        let length = self.0.chars().count();
        if length < MASKABLE_LENGTH {
            return "…".to_owned();
        }
        let tail: String = self.0.chars().skip(length - TAIL_LENGTH).collect();
        format!("…{tail}")
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hidden")
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("fake-key-f3a9", "…f3a9")]
    #[case("12345678901", "…")]
    #[case("", "…")]
    #[case("ключ-ключ-ключ", "…ключ")]
    fn a_short_value_shows_nothing_and_a_long_one_its_tail(#[case] value: &str, #[case] masked: &str) {
        assert_eq!(Hidden::new(value).masked(), masked);
    }

    #[test]
    fn printing_shows_that_there_is_something_and_nothing_of_it() {
        assert_eq!(format!("{:?} {:#?}", Some(Hidden::new("fake-key-0123")), Hidden::new("x")), "Some(Hidden) Hidden");
    }
}
