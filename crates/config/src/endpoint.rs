//! Addresses of providers, and names of the variables that hold keys.

use std::net::IpAddr;

use url::{Host, Url};

/// Stands for the account in a base URL.
pub const ACCOUNT_PLACEHOLDER: &str = "{account_id}";

/// Whether an address reaches this machine only.
///
/// What it says decides whether text leaves the machine, so anything that is not surely local is not:
/// a name other than `localhost`, a private network, an address that cannot be read.
pub fn is_loopback_url(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else { return false };
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => IpAddr::V4(address).is_loopback(),
        Some(Host::Ipv6(address)) => IpAddr::V6(address).is_loopback(),
        None => false,
    }
}

/// What makes a base URL unusable, if anything does.
pub(crate) fn base_url_fault(text: &str) -> Option<&'static str> {
    // The placeholder becomes a word that the parser keeps as it is, so that its place can be seen.
    const WORD: &str = "0account0";
    let Ok(url) = Url::parse(&text.replace(ACCOUNT_PLACEHOLDER, WORD)) else {
        return Some("is not an address; write it like `https://api.example.com/v1`");
    };
    if !matches!(url.scheme(), "http" | "https") {
        return Some("must start with `https://` or `http://`");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Some("must not contain a user name or a password; keep the key with `lwa keys set`");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Some("must end with its path, without `?` or `#`");
    }
    if url.host_str().is_none_or(|host| host.contains(WORD)) {
        return Some("may contain `{account_id}` only in its path");
    }
    if text.replace(ACCOUNT_PLACEHOLDER, "").contains(['{', '}']) {
        return Some("knows no other placeholder than `{account_id}`");
    }
    None
}

/// What makes an address unusable that has no account in it, if anything does.
pub(crate) fn plain_url_fault(text: &str) -> Option<&'static str> {
    if text.contains(['{', '}']) {
        return Some("is not an address; it knows no placeholders");
    }
    base_url_fault(text)
}

/// What makes a path unusable, if anything does.
pub(crate) fn path_fault(text: &str) -> Option<&'static str> {
    // Without the first slash, `base_url` and path together could name another host.
    if !text.starts_with('/') {
        return Some("must start with `/`");
    }
    if text.contains(['?', '#', '\\', '{']) || text.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Some("must be a plain path, without `?`, `#`, blanks or placeholders");
    }
    None
}

/// What makes a path of calls unusable: as any path, but the model's name may be a part of it.
pub(crate) fn call_path_fault(text: &str) -> Option<&'static str> {
    path_fault(&text.replacen("{model}", "model", 1))
}

/// What makes a path of a list unusable: as any path, but a query may follow, as `?page_size=1000`.
pub(crate) fn list_path_fault(text: &str) -> Option<&'static str> {
    let (path, query) = text.split_once('?').unwrap_or((text, "all=1"));
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '=' | '&' | ',');
    if query.is_empty() || !query.chars().all(is_plain) {
        return Some("must have a plain query after `?`, such as `page_size=1000`");
    }
    path_fault(path)
}

/// What makes a text unusable as the name of a variable that holds a key, if anything does.
///
/// The values of these variables go from a client's environment into the host's. A variable that
/// steers programs would let whoever edits the file steer the host, so those are refused.
pub(crate) fn variable_fault(text: &str) -> Option<&'static str> {
    const STEERING_PREFIXES: &[&str] =
        &["LD_", "DYLD_", "LWA_", "XDG_", "DBUS_", "RUST_", "SSL_", "GIT_", "MALLOC_", "PYTHON", "NODE_"];
    const STEERING: &[&str] = &[
        "PATH",
        "HOME",
        "USER",
        "LANG",
        "SHELL",
        "IFS",
        "ENV",
        "BASH_ENV",
        "TMPDIR",
        "PWD",
        "DISPLAY",
        "WAYLAND_DISPLAY",
        "XAUTHORITY",
        "GLIBC_TUNABLES",
        "GCONV_PATH",
        "LOCPATH",
        "NLSPATH",
        "RES_OPTIONS",
        "HOSTALIASES",
        "LOCALDOMAIN",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "NO_PROXY",
        "SSLKEYLOGFILE",
    ];
    let mut chars = text.chars();
    let is_name = chars.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_');
    // Some keys are letters, digits and `_` only; names of variables do not look like them.
    let is_key_like = text.len() >= 20
        && text.contains(|c: char| c.is_ascii_lowercase())
        && text.contains(|c: char| c.is_ascii_digit());
    if !is_name || is_key_like {
        return Some(
            "must be the name of an environment variable: letters, digits and `_`; if it is the key itself, remove it from the file and keep it with `lwa keys set`",
        );
    }
    let upper = text.to_ascii_uppercase();
    if STEERING.contains(&upper.as_str()) || STEERING_PREFIXES.iter().any(|prefix| upper.starts_with(prefix)) {
        return Some("names a variable that steers programs and cannot hold a key");
    }
    None
}
