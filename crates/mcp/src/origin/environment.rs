//! The client's variables, for the commands that run in its stead; what may be a secret stays behind.
//!
//! The host filters once more, by the rules that hold for every program it starts. This filter exists so that a key
//! does not even reach the socket, and errs towards leaving out: a command rarely misses a variable, and a key that
//! has left cannot be called back.

mod shape;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;

use self::shape::is_secret_shaped;
use crate::session_hint::CLAUDE_SESSION_VARIABLE;

/// The variable in which Claude Code says whether a human is there.
const CLAUDE_ATTENDED_VARIABLE: &str = "CLAUDE_CODE_SESSION_ATTENDED";

/// The longest value that is passed on.
const LONGEST_VALUE: usize = 32 * 1024;

/// Pieces of names under which secrets are kept.
const PIECES: [&str; 17] = [
    "KEY",
    "TOKEN",
    "SECRET",
    "PASS",
    "PWD",
    "CRED",
    "AUTH",
    "COOKIE",
    "PRIVATE",
    "SIGNATURE",
    "BEARER",
    "JWT",
    "WEBHOOK",
    "LICENSE",
    "CONNECTION_STRING",
    "CONN_STR",
    "SEED",
];
/// Words that mean a secret when they stand alone.
const WORDS: [&str; 9] = ["PAT", "DSN", "OTP", "TOTP", "PIN", "SALT", "SID", "PEM", "MNEMONIC"];
/// Names that look like those and hold a folder or a socket.
const HARMLESS: [&str; 4] = ["PWD", "OLDPWD", "SSH_AUTH_SOCK", "XAUTHORITY"];

/// Names that a client which clears its environment passes all the same, or that a registration has it pass.
const USUAL: [&str; 26] = [
    "HOME",
    "PATH",
    "LANG",
    "LANGUAGE",
    "TERM",
    "COLORTERM",
    "USER",
    "LOGNAME",
    "SHELL",
    "TMPDIR",
    "TMP",
    "TEMP",
    "TZ",
    "PWD",
    "OLDPWD",
    "SHLVL",
    "_",
    "HOSTNAME",
    "SSH_AUTH_SOCK",
    "VIRTUAL_ENV",
    "JAVA_HOME",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS",
    "CODEX_HOME",
];

/// The variables of a client. Printing it shows how many there are.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ClientEnvironment {
    pub(crate) variables: BTreeMap<String, String>,
    /// What Claude Code says of its session, which may be over.
    pub(crate) claude_session: Option<String>,
    /// What it says of the human before it.
    pub(crate) is_attended: Option<bool>,
}

impl fmt::Debug for ClientEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientEnvironment").field("variables", &self.variables.len()).finish_non_exhaustive()
    }
}

impl ClientEnvironment {
    /// Takes what may travel out of these variables.
    pub fn of(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let mut environment = Self::default();
        for (name, value) in variables {
            // What is no text cannot be judged.
            let (Ok(name), Ok(value)) = (name.into_string(), value.into_string()) else { continue };
            match name.as_str() {
                CLAUDE_SESSION_VARIABLE => environment.claude_session = Some(value.clone()),
                CLAUDE_ATTENDED_VARIABLE => environment.is_attended = attended(&value),
                _ => {}
            }
            let fits = !name.is_empty() && value.len() <= LONGEST_VALUE;
            if fits && !promises_secret(&name) && !is_secret_shaped(&value) {
                environment.variables.insert(name, value);
            }
        }
        environment
    }

    /// Whether the client passed only what every client passes.
    pub(crate) fn is_reduced(&self) -> bool {
        let is_usual = |name: &String| {
            USUAL.contains(&name.as_str()) || ["LC_", "LWA_", "XDG_"].iter().any(|start| name.starts_with(start))
        };
        self.variables.keys().all(is_usual)
    }
}

fn attended(value: &str) -> Option<bool> {
    match value.trim() {
        "0" | "false" => Some(false),
        "1" | "true" => Some(true),
        _ => None,
    }
}

fn promises_secret(name: &str) -> bool {
    let name = name.to_uppercase();
    if HARMLESS.contains(&name.as_str()) {
        return false;
    }
    PIECES.iter().any(|piece| name.contains(piece))
        || name.split(|letter: char| !letter.is_alphanumeric()).any(|word| WORDS.contains(&word))
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use proptest::prelude::{prop_assert, proptest};
    use rstest::rstest;

    use super::*;

    fn of(variables: &[(&str, &str)]) -> ClientEnvironment {
        ClientEnvironment::of(variables.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))))
    }

    #[rstest]
    #[case("OPENAI_API_KEY")]
    #[case("github_token")]
    #[case("PGPASSWORD")]
    #[case("MYSQL_PWD")]
    #[case("NPM_CONFIG__AUTH")]
    #[case("GITHUB_PAT")]
    #[case("SENTRY_DSN")]
    #[case("GOOGLE_APPLICATION_CREDENTIALS")]
    #[case("AZURE_STORAGE_CONNECTION_STRING")]
    fn a_name_that_promises_a_secret_stays(#[case] name: &str) {
        assert_eq!(of(&[(name, "harmless")]).variables, BTreeMap::new());
    }

    #[rstest]
    #[case("HOME", "/home/u")]
    #[case("PWD", "/home/u/p")]
    #[case("SSH_AUTH_SOCK", "/run/user/1000/agent.1")]
    #[case("JAVA_HOME", "/usr/lib/jvm/java-21-openjdk-amd64")]
    #[case("PROJECT_STAGE", "testing")]
    fn an_ordinary_variable_travels(#[case] name: &str, #[case] value: &str) {
        assert_eq!(of(&[(name, value)]).variables.get(name).map(String::as_str), Some(value));
    }

    #[test]
    fn what_is_no_text_or_too_long_stays() {
        let odd = [("A".into(), OsString::from_vec(vec![0xff])), (OsString::from_vec(vec![0xff]), "x".into())];
        assert_eq!(ClientEnvironment::of(odd).variables, BTreeMap::new());
        assert_eq!(of(&[("A", &"a ".repeat(LONGEST_VALUE))]).variables, BTreeMap::new());
    }

    #[test]
    fn a_cleared_environment_is_told_from_a_whole_one() {
        assert!(of(&[("HOME", "/h"), ("PATH", "/bin"), ("LC_ALL", "C"), ("LWA_HOME", "/l")]).is_reduced());
        assert!(!of(&[("HOME", "/h"), ("PATH", "/bin"), ("NVM_DIR", "/h/.nvm")]).is_reduced());
    }

    #[test]
    fn claude_code_names_its_session_and_says_who_is_there() {
        let environment = of(&[("CLAUDE_CODE_SESSION_ID", "8c1e"), ("CLAUDE_CODE_SESSION_ATTENDED", "1")]);
        assert_eq!((environment.claude_session.as_deref(), environment.is_attended), (Some("8c1e"), Some(true)));
    }

    proptest! {
        #[test]
        fn no_name_with_a_secret_word_ever_travels(before in "[A-Z_]{0,6}", after in "[A-Z0-9_]{0,6}", pick in 0_usize..PIECES.len()) {
            let name = format!("{before}{}{after}", PIECES[pick]);
            let is_harmless = HARMLESS.contains(&name.as_str());
            prop_assert!(is_harmless || of(&[(&name, "x")]).variables.is_empty(), "{name}");
        }
    }
}
