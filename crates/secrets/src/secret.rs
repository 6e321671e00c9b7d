//! A value that is exposed on purpose or not at all.

use std::fmt;
use std::ops::Deref;

use zeroize::Zeroize;

/// How many characters a secret needs before its tail may be shown.
const MASKABLE_LENGTH: usize = 12;
/// How many characters of the tail are shown.
const TAIL_LENGTH: usize = 4;

/// A secret value: no `Display`, no serialisation, a `Debug` without content, zeroed on drop.
///
/// Call [`Secret::expose`] at the last moment, and do not keep what it returns.
///
/// ```compile_fail
/// let secret = lwa_secrets::Secret::new(String::from("not-a-real-key"));
/// println!("{secret}");
/// ```
#[derive(Clone)]
pub struct Secret<T: Zeroize = String>(T);

impl<T: Zeroize> Secret<T> {
    /// Takes a value into custody.
    pub fn new(value: T) -> Self {
        Self(value)
    }
}

impl<T: Zeroize + Deref> Secret<T> {
    /// The value itself.
    pub fn expose(&self) -> &T::Target {
        &self.0
    }
}

impl Secret<String> {
    /// The last four characters after an ellipsis; the ellipsis alone for a value so short that its
    /// tail would give much of it away.
    pub fn masked(&self) -> String {
        let length = self.0.chars().count();
        if length < MASKABLE_LENGTH {
            return "…".to_owned();
        }
        let tail: String = self.0.chars().skip(length - TAIL_LENGTH).collect();
        format!("…{tail}")
    }
}

impl<T: Zeroize> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(redacted)")
    }
}

impl<T: Zeroize> Drop for Secret<T> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[derive(Debug)]
    struct Holder {
        #[expect(dead_code, reason = "only printed")]
        key: Option<Secret>,
    }

    #[test]
    fn never_prints_even_inside_other_values() {
        let holder = Holder { key: Some(Secret::new("fake-key-0123456789".into())) };
        for text in [format!("{holder:?}"), format!("{holder:#?}")] {
            assert!(text.contains("Secret(redacted)"), "{text}");
            assert!(!text.contains("fake") && !text.contains("6789"), "{text}");
        }
        assert_eq!(format!("{:?}", Secret::new(b"bytes".to_vec())), "Secret(redacted)");
    }

    #[rstest]
    #[case("fake-key-f3a9", "…f3a9")]
    #[case("123456789012", "…9012")]
    #[case("12345678901", "…")]
    #[case("", "…")]
    #[case("ключ-ключ-ключ", "…ключ")]
    fn masks_all_but_the_tail_of_a_long_value(#[case] value: &str, #[case] masked: &str) {
        assert_eq!(Secret::new(value.to_owned()).masked(), masked);
    }

    #[test]
    fn zeroes_its_value_on_drop() {
        /// Tells when it is zeroed.
        struct Probe(std::rc::Rc<std::cell::Cell<bool>>);
        impl Zeroize for Probe {
            fn zeroize(&mut self) {
                self.0.set(true);
            }
        }
        let zeroed = std::rc::Rc::new(std::cell::Cell::new(false));
        let secret = Secret::new(Probe(zeroed.clone()));
        assert!(!zeroed.get());
        drop(secret);
        assert!(zeroed.get());
    }
}
