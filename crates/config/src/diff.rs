//! What an edit of the configuration gives that was not given before.
//!
//! An agent with a shell can edit the file. Tightening may take effect at once; whatever lets more
//! money go, sends text or a key to another place, asks the human less often or offers a client more
//! is a loosening, and waits until a human accepts it.
//!
//! What counts as a loosening, and why:
//!
//! * `router`: a consent mode that asks less; a permission (`allow_paid`, `allow_user_pays`,
//!   `allow_training`) switched on; `prefer_free` switched off; a cap raised or switched off; a longer
//!   `confirmation_ttl_seconds`, because a consent then stays usable for longer.
//! * An address (`base_url`, `models_path`, `chat_path`) of a provider that has a key or is not local:
//!   the key or the text would go elsewhere. The path counts, since one host serves many tenants; a
//!   local address counts when a key goes there, since any program can listen on a local port.
//! * A name of a variable that a provider did not have: any variable of the environment can be named,
//!   so that a foreign key could be sent. A change of order or of the first name counts, because the
//!   first one that is set is used.
//! * A new provider that gets a key or is not local; one that is switched on again.
//! * `billing_class`, of a provider or a model, towards another permission or none; live models of a
//!   provider that counts as free, because each would count as free.
//! * A lower price, or a price where none was known, of a model that may cost money: caps admit more.
//! * `data_use` that claims less; `request_headers` and `extra_body`, which can change who is billed,
//!   what is billed and what happens to the text. Dropping one counts, since it may have forbidden
//!   something.
//! * Tool sets that are wider, for all clients or for one; keys kept in a file and not in the keychain.
//! * Scripts of the library allowed to run; another address that measurements are sent to.
//! * `worker`: less asking (`arm`, `run_policy`), more that may leave (`mode`, `escalation`, `assist_numbers`, a check
//!   switched off), a weaker sandbox or its network, another address or key of a model, a model on another machine,
//!   another receiver of events; the worker or its decisions switched on. Limits on what is read, handed back and
//!   waited for that are raised, and material that is kept for longer. What is set for a client or a project counts as
//!   it takes effect there, and so does a line more of its allow-list.
//! * The end of an entry that restrained something, because the default or the shipped entry returns.
//!
//! A provider that is local and has no key may change freely, as long as it stays so.
//! Compare configurations that were read over what is shipped ([`Config::parse_over`]): an entry of a
//! file that is removed falls back to the shipped one, and that can loosen, too.

mod models;
mod providers;
mod worker;

use serde::Serialize;

use crate::config::{Config, RouterConfig};
use crate::words::{SecretsBackend, ToolSet};
use lwa_domain::PicoUsd;

/// One thing that an edit loosens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Loosening {
    /// The path of the key, or of the table when all of it is new.
    pub key: String,
    /// The value that stays in force until a human accepts.
    pub from: String,
    /// The value that waits.
    pub to: String,
    /// What accepting it means, as a sentence for the human.
    pub effect: &'static str,
}

/// What `new` loosens against `old`; empty when it may take effect at once.
pub fn loosening(old: &Config, new: &Config) -> Vec<Loosening> {
    compare(old, new).found
}

/// `new` with everything that loosens held at its old value, so that the rest can take effect.
///
/// Comparing `old` with the result finds nothing.
pub fn without_loosening(old: &Config, new: &Config) -> Config {
    compare(old, new).held
}

/// The edit while it is compared: what loosens, and the new configuration as far as it may hold.
struct Comparison {
    found: Vec<Loosening>,
    held: Config,
}

impl Comparison {
    fn note(&mut self, key: impl Into<String>, from: impl Into<String>, to: impl Into<String>, effect: &'static str) {
        self.found.push(Loosening { key: key.into(), from: from.into(), to: to.into(), effect });
    }
}

fn compare(old: &Config, new: &Config) -> Comparison {
    let mut comparison = Comparison { found: Vec::new(), held: new.clone() };
    router(&old.router, &mut comparison);
    library(old, &mut comparison);
    telemetry(old, &mut comparison);
    secrets(old, &mut comparison);
    // Models depend on the class and place of their provider, so the providers are settled first.
    providers::compare(old, &mut comparison);
    models::compare(old, &mut comparison);
    tool_sets(old, &mut comparison);
    worker::compare(old, &mut comparison);
    comparison
}

/// Consent, permissions and caps of the router.
fn router(old: &RouterConfig, comparison: &mut Comparison) {
    let mut new = std::mem::take(&mut comparison.held.router);
    if old.consent_mode.is_loosened_by(new.consent_mode) {
        comparison.note(
            "router.consent_mode",
            old.consent_mode.as_str(),
            new.consent_mode.as_str(),
            "You are asked less often before a plan runs.",
        );
        new.consent_mode = old.consent_mode;
    }
    if old.prefer_free && !new.prefer_free {
        comparison.note("router.prefer_free", "true", "false", "Free routes lose their advantage over paid ones.");
        new.prefer_free = true;
    }
    let permissions = [
        ("router.allow_paid", old.allow_paid, &mut new.allow_paid, "Paid routes may be used."),
        (
            "router.allow_user_pays",
            old.allow_user_pays,
            &mut new.allow_user_pays,
            "Routes that your own subscription pays may be used.",
        ),
        (
            "router.allow_training",
            old.allow_training,
            &mut new.allow_training,
            "Your text may go to providers that train models on it.",
        ),
    ];
    for (key, was_allowed, is_allowed, effect) in permissions {
        if *is_allowed && !was_allowed {
            comparison.note(key, "false", "true", effect);
            *is_allowed = false;
        }
    }
    if new.confirmation_ttl_seconds > old.confirmation_ttl_seconds {
        comparison.note(
            "router.confirmation_ttl_seconds",
            old.confirmation_ttl_seconds.to_string(),
            new.confirmation_ttl_seconds.to_string(),
            "Your consent to a plan stays valid for longer.",
        );
        new.confirmation_ttl_seconds = old.confirmation_ttl_seconds;
    }
    request_cap(
        "router.global_daily_request_cap",
        old.global_daily_request_cap,
        &mut new.global_daily_request_cap,
        comparison,
    );
    money_cap("router.global_monthly_usd_cap", old.global_monthly_usd_cap, &mut new.global_monthly_usd_cap, comparison);
    comparison.held.router = new;
}

/// A cap on requests, where 0 means none.
fn request_cap(key: &str, old: u32, new: &mut u32, comparison: &mut Comparison) {
    if old != 0 && (*new == 0 || *new > old) {
        let show = |cap: u32| if cap == 0 { "no cap".to_owned() } else { cap.to_string() };
        comparison.note(key, show(old), show(*new), "More requests may be made in a day.");
        *new = old;
    }
}

/// A cap on money.
fn money_cap(key: &str, old: Option<PicoUsd>, new: &mut Option<PicoUsd>, comparison: &mut Comparison) {
    let Some(old_cap) = old else { return };
    if new.is_none_or(|new_cap| new_cap > old_cap) {
        let show = |cap: Option<PicoUsd>| cap.map_or("no cap".to_owned(), |cap| cap.to_string());
        comparison.note(key, show(old), show(*new), "More money may be spent in a month.");
        *new = old;
    }
}

/// Scripts that were approved run only where this is on.
fn library(old: &Config, comparison: &mut Comparison) {
    if comparison.held.library.allow_reviewed_script_execution && !old.library.allow_reviewed_script_execution {
        let effect = "Scripts of the library that you approved may run.";
        comparison.note("library.allow_reviewed_script_execution", "false", "true", effect);
        comparison.held.library.allow_reviewed_script_execution = false;
    }
}

/// Measurements hold no text, but they say what is done here, and when.
fn telemetry(old: &Config, comparison: &mut Comparison) {
    let to = comparison.held.telemetry.otlp_endpoint.clone();
    let from = old.telemetry.otlp_endpoint.clone();
    if let Some(to) = to.filter(|to| Some(to) != from.as_ref()) {
        let shown = from.clone().unwrap_or_else(|| "none".to_owned());
        comparison.note("telemetry.otlp_endpoint", shown, to, "Measurements of every call are sent to this address.");
        comparison.held.telemetry.otlp_endpoint = from;
    }
}

/// The place of the keys: a file is easier to read than a keychain.
fn secrets(old: &Config, comparison: &mut Comparison) {
    let (from, to) = (old.secrets.backend, comparison.held.secrets.backend);
    if from == SecretsBackend::Keychain && to == SecretsBackend::File {
        comparison.note(
            "secrets.backend",
            from.as_str(),
            to.as_str(),
            "Keys are kept in a file that any program of yours can read.",
        );
        comparison.held.secrets.backend = from;
    }
}

/// The tools that clients are offered, for all clients and for each.
fn tool_sets(old: &Config, comparison: &mut Comparison) {
    const EFFECT: &str = "Clients are offered more tools.";
    let show = |sets: &[String]| sets.join(", ");
    if is_wider(&old.toolsets, &comparison.held.toolsets) {
        let to = show(&comparison.held.toolsets);
        comparison.note("toolsets", show(&old.toolsets), to, EFFECT);
        comparison.held.toolsets.clone_from(&old.toolsets);
    }
    // A client that was removed falls back to the sets of the root, so removed ones count as well.
    let names: std::collections::BTreeSet<String> =
        old.clients.keys().chain(comparison.held.clients.keys()).cloned().collect();
    for name in names {
        let (from, to) = (old.toolsets_of(&name), comparison.held.toolsets_of(&name));
        if is_wider(from, to) {
            let (from, to) = (show(from), show(to));
            comparison.note(format!("clients.{name}.toolsets"), from, to, EFFECT);
            let own = old.clients.get(&name).map(|client| client.toolsets.clone()).unwrap_or_default();
            comparison.held.clients.entry(name).or_default().toolsets = own;
        }
    }
}

/// Whether `new` offers a set that `old` does not cover.
fn is_wider(old: &[String], new: &[String]) -> bool {
    let all = ToolSet::All.as_str();
    let has = |wanted: &str| old.iter().any(|set| set == wanted);
    let has_every = has(all) || ToolSet::LABELS.iter().all(|set| *set == all || has(set));
    !has_every && new.iter().any(|set| !has(set))
}
