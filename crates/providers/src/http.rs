//! The one HTTP client: what it may do behind our back is switched off here.

use std::time::Duration;

use reqwest::{NoProxy, Proxy, Url, redirect, retry};
use thiserror::Error;

/// How long a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The proxies that a user's environment asks for.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ProxySettings {
    /// For `https` addresses.
    pub https: Option<String>,
    /// For `http` addresses.
    pub http: Option<String>,
    /// For whatever has no proxy of its own.
    pub all: Option<String>,
    /// Hosts that are reached directly, comma separated. This machine always is.
    pub none_for: Option<String>,
}

impl ProxySettings {
    /// Reads the usual variables through `variable`, lower case before upper case.
    ///
    /// `HTTP_PROXY` in upper case is not read where `REQUEST_METHOD` is set, since a web server sets it there
    /// from a request header.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Self {
        let read = |name: &str| variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        let either = |lower: &str, upper: &str| read(lower).or_else(|| read(upper));
        Self {
            https: either("https_proxy", "HTTPS_PROXY"),
            http: read("http_proxy")
                .or_else(|| if read("REQUEST_METHOD").is_none() { read("HTTP_PROXY") } else { None }),
            all: either("all_proxy", "ALL_PROXY"),
            none_for: either("no_proxy", "NO_PROXY"),
        }
    }

    /// Reads them from this process's environment.
    pub fn from_env() -> Self {
        Self::from_variables(|name| std::env::var(name).ok())
    }
}

/// Prints which proxies are set; their addresses may hold passwords.
impl std::fmt::Debug for ProxySettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProxySettings")
            .field("has_https", &self.https.is_some())
            .field("has_http", &self.http.is_some())
            .field("has_all", &self.all.is_some())
            .field("none_for", &self.none_for)
            .finish()
    }
}

/// Why no client could be made.
#[derive(Debug, Error)]
pub enum HttpClientError {
    /// A proxy variable holds something that is no address. The value is not shown: it may hold a password.
    #[error("the proxy set by `{variable}` is not an address such as `http://host:port`; correct or unset it")]
    BadProxy {
        /// The variable, in lower case.
        variable: &'static str,
    },
    /// The TLS library or the system's certificates cannot be used.
    #[error("no HTTPS client could be made")]
    Client(#[source] reqwest::Error),
}

/// The client for every provider, with the proxies of this process's environment.
pub fn http_client() -> Result<reqwest::Client, HttpClientError> {
    http_client_with(&ProxySettings::from_env())
}

/// The client for every provider, with the given proxies.
///
/// It follows no redirect, keeps no cookie and never sends a request a second time.
/// Every call makes its own connection: a kept one may have been closed by the server at the moment it is used,
/// and a call that is never repeated must not fail for that reason.
/// Traffic to this machine never goes through a proxy.
pub fn http_client_with(proxies: &ProxySettings) -> Result<reqwest::Client, HttpClientError> {
    // A second call finds the provider installed and is told so; both are as wished.
    let _already_installed = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_max_idle_per_host(0)
        .redirect(redirect::Policy::none())
        .retry(retry::never())
        .referer(false)
        .no_proxy();
    let direct = direct_hosts(proxies.none_for.as_deref());
    let settings = [
        ("https_proxy", &proxies.https, Proxy::https as fn(Url) -> reqwest::Result<Proxy>),
        ("http_proxy", &proxies.http, Proxy::http as fn(Url) -> reqwest::Result<Proxy>),
        ("all_proxy", &proxies.all, Proxy::all as fn(Url) -> reqwest::Result<Proxy>),
    ];
    for (variable, value, make) in settings {
        let Some(value) = value else { continue };
        let complete = if value.contains("://") { value.clone() } else { format!("http://{value}") };
        let proxy = Url::parse(&complete)
            .ok()
            .filter(|url| url.host_str().is_some())
            .and_then(|url| make(url).ok())
            .ok_or(HttpClientError::BadProxy { variable })?;
        builder = builder.proxy(proxy.no_proxy(NoProxy::from_string(&direct)));
    }
    builder.build().map_err(HttpClientError::Client)
}

fn direct_hosts(configured: Option<&str>) -> String {
    let this_machine = "localhost,.localhost,127.0.0.0/8,::1/128";
    match configured {
        Some(hosts) => format!("{this_machine},{hosts}"),
        None => this_machine.to_owned(),
    }
}
