//! Values that are not passed on, whatever their name.

use std::ffi::{OsStr, OsString};

use lwa_domain::key_mark::KEY_BEGINNINGS;

/// Shorter than this, a beginning from the list is an accident.
const SHORTEST_KEY: usize = 16;

/// Whether a value is a key by its look, carries a password inside an address, or is the text of a
/// shell function.
pub fn is_secret_like_value(value: &str) -> bool {
    let is_key =
        |word: &str| word.len() >= SHORTEST_KEY && KEY_BEGINNINGS.iter().any(|beginning| word.starts_with(beginning));
    value.split(|c: char| c.is_whitespace() || "\"'=,;:".contains(c)).any(is_key)
        || value.starts_with("-----BEGIN")
        || value.trim_start().starts_with("() {")
        || has_password_in_address(value)
}

/// `scheme://user:password@place`, anywhere in the value.
fn has_password_in_address(value: &str) -> bool {
    value.match_indices("://").any(|(at, mark)| {
        let rest = value.get(at + mark.len()..).unwrap_or_default();
        let end = rest.find(|c: char| c.is_whitespace() || "/?#\"'".contains(c)).unwrap_or(rest.len());
        let authority = rest.get(..end).unwrap_or_default();
        authority.rsplit_once('@').is_some_and(|(who, _)| who.contains(':'))
    })
}

/// A search path without empty and relative entries, which would run what lies in the work folder.
pub fn clean_search_path(value: &OsStr) -> OsString {
    let absolute = std::env::split_paths(value).filter(|folder| folder.is_absolute());
    // Joining fails only for a folder whose name holds the separator, which splitting cannot give.
    std::env::join_paths(absolute).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("sk-ant-fake-0000000000000000")]
    #[case("Bearer ghp_fake0000000000000000")]
    #[case("postgres://me:fake-password@localhost/db")]
    #[case("-----BEGIN FAKE KEY-----")]
    #[case("() { :; }")]
    fn secret_values_are_known(#[case] value: &str) {
        assert!(is_secret_like_value(value));
    }

    #[rstest]
    #[case("/home/u/.cargo/bin:/usr/bin")]
    #[case("https://example.org:8080/a@b")]
    #[case("unix:path=/run/user/1000/bus")]
    #[case("en_GB.UTF-8")]
    #[case("sk-short")]
    fn ordinary_values_pass(#[case] value: &str) {
        assert!(!is_secret_like_value(value));
    }
}
