//! What a secret looks like, whatever its variable is called.

use lwa_domain::key_mark::KEY_BEGINNINGS;

/// Shorter than this, such a beginning is an accident.
const SHORTEST_KEY: usize = 16;
/// What introduces a secret within a longer value, such as a connection string.
const INTRODUCTIONS: [&str; 7] =
    ["password=", "passwd=", "pwd=", "accountkey=", "sharedaccesskey=", "secret=", "token="];
/// From this length on, hexadecimal digits are a key and no version.
const LONG_HEX: usize = 32;
/// From this length on, a word of mixed letters and digits is a key and no name.
const LONG_WORD: usize = 20;

/// Whether a value is a key, a password or the like by its look.
pub(super) fn is_secret_shaped(value: &str) -> bool {
    let lower = value.to_lowercase();
    value.contains("-----BEGIN")
        || value.trim_start().starts_with("() {")
        || INTRODUCTIONS.iter().any(|introduction| lower.contains(introduction))
        || has_login_in_address(value)
        || value.split(|letter: char| letter.is_whitespace() || "\"'=,;:|&?".contains(letter)).any(is_key)
}

/// `scheme://user:password@host` or `scheme://token@host`, wherever it stands.
fn has_login_in_address(value: &str) -> bool {
    value.split("://").skip(1).any(|rest| {
        let end = rest.find(|letter: char| letter.is_whitespace() || "/?#\"'".contains(letter)).unwrap_or(rest.len());
        rest.get(..end).is_some_and(|authority| {
            authority.rsplit_once('@').is_some_and(|(login, _)| login.contains(':') || login.len() >= SHORTEST_KEY)
        })
    })
}

fn is_key(word: &str) -> bool {
    let is_marked = word.len() >= SHORTEST_KEY && KEY_BEGINNINGS.iter().any(|beginning| word.starts_with(beginning));
    is_marked || is_random(word)
}

/// Whether a word was drawn by a machine. Paths are not words, as their parts are names.
fn is_random(word: &str) -> bool {
    if !word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_+.".contains(&byte)) {
        return false;
    }
    let count = |is_wanted: fn(&u8) -> bool| word.bytes().filter(is_wanted).count();
    if word.len() >= LONG_HEX && count(u8::is_ascii_hexdigit) == word.len() {
        return true;
    }
    let kinds = [count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase), count(u8::is_ascii_digit)];
    word.len() >= LONG_WORD && kinds.iter().all(|count| *count >= 3)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    // Made up while the test runs, so that no scanner takes this file for a leak.
    fn filler(length: usize) -> String {
        "0Aa1Bb2Cc3Dd4Ee5Ff".chars().cycle().take(length).collect()
    }

    #[test]
    fn marked_keys_are_known() {
        for beginning in KEY_BEGINNINGS {
            assert!(is_secret_shaped(&format!("{beginning}{}", "x".repeat(16))), "{beginning}");
            assert!(is_secret_shaped(&format!("Bearer {beginning}{}", "x".repeat(16))), "{beginning}");
        }
    }

    #[test]
    fn random_words_are_known_without_a_mark() {
        assert!(is_secret_shaped(&filler(24)));
        assert!(is_secret_shaped(&"0123456789abcdef".repeat(2)));
        assert!(is_secret_shaped(&format!("region=eu;value={}", filler(24))));
    }

    #[rstest]
    #[case("postgres://me:made-up@localhost/db")]
    #[case("Server=db;User=me;Password=made-up")]
    #[case("-----BEGIN MADE UP-----")]
    #[case("() { :; }")]
    fn other_shapes_are_known(#[case] value: &str) {
        assert!(is_secret_shaped(value));
    }

    #[rstest]
    #[case("/home/u/.cargo/bin:/usr/local/bin:/usr/bin")]
    #[case("unix:path=/run/user/1000/bus")]
    #[case("https://example.org:8080/a@b")]
    #[case("ssh://git@example.org/a/b.git")]
    #[case("rs=0:di=01;34:ln=01;36:*.tar=01;31")]
    #[case("x86_64-unknown-linux-gnu")]
    #[case("en_GB.UTF-8")]
    #[case("xterm-256color")]
    #[case("3.12.4")]
    #[case("")]
    fn ordinary_values_are_none(#[case] value: &str) {
        assert!(!is_secret_shaped(value));
    }
}
