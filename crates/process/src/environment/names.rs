//! Names that are not passed on, whatever their value.

/// Pieces that mark a secret wherever they stand in a name.
const SECRET_PIECES: &[&str] = &[
    "KEY",
    "TOKEN",
    "SECRET",
    "PASS",
    "PWD",
    "COOKIE",
    "CRED",
    "AUTH",
    "BEARER",
    "PRIVATE",
    "SIGNATURE",
    "JWT",
    "WEBHOOK",
];

/// Words that mark a secret only when they stand alone between separators.
const SECRET_WORDS: &[&str] = &["PAT", "DSN", "OTP", "PIN", "SALT", "SID"];

/// Names that hold a piece of the list above and are harmless: folders, sockets, and switches.
const NO_SECRETS: &[&str] = &["PWD", "OLDPWD", "SSH_AUTH_SOCK", "XAUTHORITY"];

/// Beginnings of names that change what a program loads, runs or trusts.
const DANGEROUS_BEGINNINGS: &[&str] = &[
    "LD_",
    "DYLD_",
    "_RLD",
    "BASH_FUNC_",
    "GIT_",
    "PERL5",
    "RUBY",
    "PYTHON",
    "MALLOC_",
    "GCONV",
    "CORECLR_",
    "COR_",
    "COMPLUS_",
    "DOTNET_",
    "NPM_CONFIG_",
    "YARN_",
    "PIP_",
    "UV_",
    "CARGO_",
    "RUSTC",
    "RUSTDOC",
    "MONO_",
    "OPENSSL_",
];

/// Names that begin like the above and only change how a program prints or caches.
const HARMLESS: &[&str] = &[
    "PYTHONUNBUFFERED",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONIOENCODING",
    "PYTHONUTF8",
    "PYTHONHASHSEED",
    "CARGO_HOME",
    "CARGO_TARGET_DIR",
    "CARGO_TERM_COLOR",
    "GIT_TERMINAL_PROMPT",
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
    "DOTNET_ROOT",
];

/// Whole names that change what a program loads, runs or trusts.
const DANGEROUS: &[&str] = &[
    "BASH_ENV",
    "BASHOPTS",
    "BROWSER",
    "CDPATH",
    "CLASSPATH",
    "ELECTRON_RUN_AS_NODE",
    "ENV",
    "FPATH",
    "GLIBC_TUNABLES",
    "GLOBIGNORE",
    "HOSTALIASES",
    "IFS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "LESSCLOSE",
    "LESSOPEN",
    "LOCALDOMAIN",
    "LUA_CPATH",
    "LUA_INIT",
    "LUA_PATH",
    "MAKEFLAGS",
    "MFLAGS",
    "NODE_EXTRA_CA_CERTS",
    "NODE_OPTIONS",
    "NODE_PATH",
    "NODE_REPL_EXTERNAL_MODULE",
    "NODE_TLS_REJECT_UNAUTHORIZED",
    "PERLLIB",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "PROMPT_COMMAND",
    "PS0",
    "PS1",
    "PS4",
    "RES_OPTIONS",
    "R_ENVIRON",
    "R_PROFILE",
    "R_PROFILE_USER",
    "SHELLOPTS",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "TCLLIBPATH",
    "ZDOTDIR",
    "_JAVA_OPTIONS",
];

/// Whether a name promises a secret: a key, token, password, cookie or the like, in any case.
///
/// Too much is better than too little here: a dropped `KEYBOARD_LAYOUT` costs nothing.
pub fn is_secret_like_name(name: &str) -> bool {
    let name = name.to_uppercase();
    if NO_SECRETS.contains(&name.as_str()) {
        return false;
    }
    let has_piece = SECRET_PIECES.iter().any(|piece| name.contains(piece));
    has_piece || name.split(|c: char| !c.is_alphanumeric()).any(|word| SECRET_WORDS.contains(&word))
}

/// Whether a variable of this name can make a harmless program load, run or trust something else.
pub fn is_dangerous_name(name: &str) -> bool {
    let name = name.to_uppercase();
    if HARMLESS.contains(&name.as_str()) {
        return false;
    }
    DANGEROUS.contains(&name.as_str()) || DANGEROUS_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("OPENAI_API_KEY")]
    #[case("openai_api_key")]
    #[case("APIKEY")]
    #[case("GH_TOKEN")]
    #[case("GITHUB_PAT")]
    #[case("AWS_SECRET_ACCESS")]
    #[case("PGPASSWORD")]
    #[case("MYSQL_PWD")]
    #[case("SESSION_COOKIE")]
    #[case("GOOGLE_APPLICATION_CREDENTIALS")]
    #[case("HTTP_AUTHORIZATION")]
    #[case("SENTRY_DSN")]
    fn secret_names_are_known(#[case] name: &str) {
        assert!(is_secret_like_name(name));
    }

    #[rstest]
    #[case("PATH")]
    #[case("HOME")]
    #[case("PWD")]
    #[case("SSH_AUTH_SOCK")]
    #[case("DBUS_SESSION_BUS_ADDRESS")]
    #[case("JAVA_HOME")]
    #[case("LC_ALL")]
    fn ordinary_names_are_neither(#[case] name: &str) {
        assert!(!is_secret_like_name(name) && !is_dangerous_name(name));
    }

    #[rstest]
    #[case("LD_PRELOAD")]
    #[case("LD_LIBRARY_PATH")]
    #[case("DYLD_INSERT_LIBRARIES")]
    #[case("PYTHONPATH")]
    #[case("PYTHONSTARTUP")]
    #[case("NODE_OPTIONS")]
    #[case("BASH_ENV")]
    #[case("ENV")]
    #[case("PERL5OPT")]
    #[case("GIT_SSH_COMMAND")]
    #[case("RUSTC_WRAPPER")]
    #[case("BASH_FUNC_ls%%")]
    fn loader_names_are_known(#[case] name: &str) {
        assert!(is_dangerous_name(name));
    }
}
