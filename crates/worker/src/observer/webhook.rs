//! Events as requests to an address.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Client, redirect, retry};
use tokio::sync::mpsc;
use url::{Host, Url};

use super::{Counters, ObserverError};
use crate::local_model::locality::{LocalNames, Reach, SystemLookup};

/// How long one request may take.
pub const WEBHOOK_TIMEOUT: Duration = Duration::from_secs(2);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

pub(super) struct Webhook {
    url: Url,
    client: Client,
    counters: Arc<Counters>,
}

impl Webhook {
    pub(super) fn new(address: &str, counters: Arc<Counters>) -> Result<Self, ObserverError> {
        let url = checked(address)?;
        // A second call finds the provider installed and is told so; both are as wished.
        let _already_installed = rustls::crypto::ring::default_provider().install_default();
        let mut client = Client::builder()
            .timeout(WEBHOOK_TIMEOUT)
            .connect_timeout(CONNECT_TIMEOUT)
            .redirect(redirect::Policy::none())
            .retry(retry::never())
            .referer(false)
            .no_proxy();
        if url.scheme() == "http" {
            // What is not encrypted stays on this machine, whatever its name resolves to later.
            let lookup = Arc::new(SystemLookup);
            client = client.dns_resolver(LocalNames { lookup, reach: Reach::ThisMachine });
        }
        let client = client.build().map_err(|_| ObserverError::Client)?;
        Ok(Self { url, client, counters })
    }

    pub(super) async fn run(self, mut events: mpsc::Receiver<String>) {
        let mut was_working = true;
        while let Some(event) = events.recv().await {
            let is_working = self.send(event).await;
            Counters::add(if is_working { &self.counters.sent } else { &self.counters.failed });
            if was_working && !is_working {
                tracing::warn!("the observer's address does not take events; the worker goes on without it");
            }
            was_working = is_working;
        }
    }

    async fn send(&self, event: String) -> bool {
        let request = self
            .client
            .post(self.url.clone())
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .body(event);
        request.send().await.is_ok_and(|response| response.status().is_success())
    }
}

/// An address that is encrypted, or on this machine.
fn checked(address: &str) -> Result<Url, ObserverError> {
    let refused = |reason| Err(ObserverError::Address { reason });
    let Ok(url) = Url::parse(address.trim()) else {
        return refused("it is not complete, such as `https://example.org/x`");
    };
    if !url.username().is_empty() || url.password().is_some() {
        return refused("it holds a user name or password");
    }
    match (url.scheme(), url.host()) {
        ("https", Some(_)) => Ok(url),
        ("http", Some(Host::Domain(name))) if is_localhost(name) => Ok(url),
        ("http", Some(Host::Ipv4(four))) if four.is_loopback() => Ok(url),
        ("http", Some(Host::Ipv6(six))) if six.is_loopback() => Ok(url),
        ("http", _) => refused("it is `http` to another machine; use `https`"),
        _ => refused("it is neither `https` nor `http` on this machine"),
    }
}

fn is_localhost(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}
