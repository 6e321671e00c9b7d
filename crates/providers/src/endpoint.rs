//! Where a request goes and what identifies us there.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use lwa_secrets::Secret;
use reqwest::Url;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, USER_AGENT};

use crate::adapter::{Adapter, key_header};
use crate::error::{Failure, ProviderError, Rejection};

/// One configured provider, ready to be called.
#[derive(Clone)]
pub struct Endpoint {
    /// The provider's name, for messages.
    pub provider: String,
    /// The address that paths are appended to; `{account_id}` is replaced.
    pub base_url: String,
    /// The path of the model list.
    pub models_path: String,
    /// The path of chat completions.
    pub chat_path: String,
    /// Extra headers, sent exactly as they are; one that names `Authorization` replaces the key's.
    pub headers: Vec<(String, String)>,
    /// How long a whole call may take.
    pub timeout: Duration,
    /// The key, if the provider wants one.
    pub key: Option<Secret>,
    /// The account, where the address contains one.
    pub account_id: Option<String>,
    /// Whether traffic must stay on this machine; an address that is not loopback is then refused.
    pub is_local: bool,
}

/// Prints that a key is there, never the key; header values may be secret too.
impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header_names: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("Endpoint")
            .field("provider", &self.provider)
            .field("base_url", &self.base_url)
            .field("models_path", &self.models_path)
            .field("chat_path", &self.chat_path)
            .field("header_names", &header_names)
            .field("timeout", &self.timeout)
            .field("has_key", &self.key.is_some())
            .field("is_local", &self.is_local)
            .finish_non_exhaustive()
    }
}

impl Endpoint {
    /// An endpoint with the usual paths, no extra headers and a limit of 90 seconds.
    pub fn new(provider: impl Into<String>, base_url: impl Into<String>) -> Self {
        Self {
            provider: provider.into(),
            base_url: base_url.into(),
            models_path: "/models".to_owned(),
            chat_path: "/chat/completions".to_owned(),
            headers: Vec::new(),
            timeout: Duration::from_secs(90),
            key: None,
            account_id: None,
            is_local: false,
        }
    }

    /// The address of `path` at this provider.
    ///
    /// Refuses what could leak: a password inside the address, a scheme other than http and https, and an
    /// endpoint declared local whose address is not loopback.
    pub(crate) fn url(&self, path: &str) -> Result<Url, ProviderError> {
        let mut base = self.base_url.trim().trim_end_matches('/').to_owned();
        if base.contains("{account_id}") {
            let account = self.account_id.as_deref().map(str::trim).filter(|id| !id.is_empty());
            let Some(account) = account else {
                return Err(self.misconfigured("the address needs an account id and none is configured"));
            };
            if !account.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')) {
                return Err(self.misconfigured("the account id holds characters other than letters, digits, `-`, `_`"));
            }
            base = base.replace("{account_id}", account);
        }
        let separator = if path.starts_with('/') { "" } else { "/" };
        let Ok(url) = Url::parse(&format!("{base}{separator}{path}")) else {
            return Err(self.misconfigured("`base_url` is not a complete address such as `https://host/v1`"));
        };
        if !matches!(url.scheme(), "http" | "https") {
            return Err(self.misconfigured("`base_url` must begin with `https://` or `http://`"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(self.misconfigured("`base_url` holds a user name or password; a key belongs in the key store"));
        }
        if self.is_local && !is_loopback(&url) {
            return Err(self.misconfigured("the provider is declared local and its address is not on this machine"));
        }
        Ok(url)
    }

    /// Every header we send in the chat-completions protocol.
    pub(crate) fn header_map(&self) -> Result<HeaderMap, ProviderError> {
        self.header_map_for(Adapter::OpenAi)
    }

    /// Every header we send in the protocol of `adapter`, with the configured ones as they were written.
    ///
    /// The key stands in exactly one of them.
    pub(crate) fn header_map_for(&self, adapter: Adapter) -> Result<HeaderMap, ProviderError> {
        let mut map = HeaderMap::new();
        map.insert(USER_AGENT, HeaderValue::from_static(concat!("lwa/", env!("CARGO_PKG_VERSION"))));
        if let Some(key) = &self.key {
            let (name, value) = match key_header(adapter) {
                Some(name) => (HeaderName::from_static(name), HeaderValue::try_from(key.expose())),
                None => (AUTHORIZATION, HeaderValue::try_from(format!("Bearer {}", key.expose()))),
            };
            let Ok(mut value) = value else {
                return Err(self.misconfigured("the key holds characters that no header can carry; enter it again"));
            };
            value.set_sensitive(true);
            map.insert(name, value);
        }
        let mut configured = HeaderMap::new();
        for (name, value) in &self.headers {
            let Ok(header) = HeaderName::try_from(name.as_str()) else {
                return Err(self.misconfigured(&format!("`{name}` is not a header name")));
            };
            if matches!(header.as_str(), "host" | "content-length" | "transfer-encoding" | "connection") {
                return Err(self.misconfigured(&format!(
                    "the header `{name}` belongs to the connection, not to the configuration"
                )));
            }
            let Ok(mut value) = HeaderValue::try_from(value.as_str()) else {
                return Err(self.misconfigured(&format!(
                    "the value of the header `{name}` holds a line break or control character"
                )));
            };
            value.set_sensitive(true);
            configured.append(header, value);
        }
        for name in configured.keys() {
            map.remove(name);
        }
        map.extend(configured);
        Ok(map)
    }

    /// The secrets that must not appear in any text about this endpoint.
    pub(crate) fn secrets(&self) -> Vec<&Secret> {
        self.key.iter().collect()
    }

    fn misconfigured(&self, detail: &str) -> ProviderError {
        ProviderError::Rejected {
            failure: Box::new(Failure::before_sending(&self.provider, detail)),
            reason: Rejection::Misconfigured,
        }
    }
}

/// Whether the host part of an address names this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let host = host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.');
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => address.is_loopback(),
        Ok(IpAddr::V6(address)) => {
            address.is_loopback() || address.to_ipv4_mapped().is_some_and(|mapped| mapped.is_loopback())
        }
        Err(_) => host.eq_ignore_ascii_case("localhost") || host.to_ascii_lowercase().ends_with(".localhost"),
    }
}
