//! Providers: where text and keys go, who pays, and how much.

use lwa_domain::{BillingClass, DataUse};

use super::{Comparison, money_cap, request_cap};
use crate::config::{Config, ProviderConfig};

pub(super) fn compare(old: &Config, comparison: &mut Comparison) {
    for (name, new) in std::mem::take(&mut comparison.held.providers) {
        let held = match old.providers.get(&name) {
            Some(old) => Some(existing(&name, old, new, comparison)),
            None => added(&name, new, comparison),
        };
        match held {
            Some(held) => drop(comparison.held.providers.insert(name, held)),
            // Its models go with it.
            None => comparison.held.models.retain(|model| model.provider != name),
        }
    }
}

/// A provider that was not there before: harmless if it is local and gets no key, or is switched off.
fn added(name: &str, new: ProviderConfig, comparison: &mut Comparison) -> Option<ProviderConfig> {
    if !new.enabled || is_harmless(&new) {
        return Some(new);
    }
    let mut to = new.base_url.clone().unwrap_or_default();
    let names = new.credential_names();
    if !names.is_empty() {
        to = format!("{to} with {}", names.join(", "));
    }
    let effect = match (names.is_empty(), new.is_local()) {
        (true, _) => "Your text may go to this address.",
        (false, true) => "The keys in these variables may go to this address on your machine.",
        (false, false) => "Your text, and the keys in these variables, may go to this address.",
    };
    comparison.note(format!("providers.{name}"), "none", to, effect);
    None
}

/// A provider that was there before. The order matters: what decides whether a later key loosens is
/// settled before it.
fn existing(name: &str, old: &ProviderConfig, mut new: ProviderConfig, comparison: &mut Comparison) -> ProviderConfig {
    let key = |key: &str| format!("providers.{name}.{key}");
    address(&key, old, &mut new, comparison);
    credentials(&key, old, &mut new, comparison);
    if new.request_headers != old.request_headers && !is_harmless(&new) {
        let names = |provider: &ProviderConfig| {
            let names: Vec<&str> = provider.request_headers.keys().map(String::as_str).collect();
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        };
        comparison.note(
            key("request_headers"),
            names(old),
            names(&new),
            "Requests carry other headers, which may change who is billed and what happens to your text.",
        );
        new.request_headers.clone_from(&old.request_headers);
    }
    if needs_less(old.billing_class, new.billing_class) {
        comparison.note(
            key("billing_class"),
            old.billing_class.as_str(),
            new.billing_class.as_str(),
            "Its models need another permission than before, or none.",
        );
        new.billing_class = old.billing_class;
    }
    if worry(new.data_use) < worry(old.data_use) && !new.is_local() {
        comparison.note(
            key("data_use"),
            old.data_use.as_str(),
            new.data_use.as_str(),
            "It counts as doing less with your text, and may get more of it.",
        );
        new.data_use = old.data_use;
    }
    if new.enabled && !old.enabled && !(is_harmless(&new) && new.billing_class.is_free()) {
        comparison.note(key("enabled"), "false", "true", "The provider may be used.");
        new.enabled = false;
    }
    if new.supports_live_models && !old.supports_live_models && new.billing_class.is_free() && !new.is_local() {
        comparison.note(
            key("supports_live_models"),
            "false",
            "true",
            "Every model that it lists may be used as free, whatever it really costs.",
        );
        new.supports_live_models = false;
    }
    request_cap(&key("daily_request_cap"), old.daily_request_cap, &mut new.daily_request_cap, comparison);
    money_cap(&key("monthly_usd_cap"), old.monthly_usd_cap, &mut new.monthly_usd_cap, comparison);
    new
}

/// Where requests go. A local address without a key may change freely; anything else may not, not
/// even the path, since one host serves many tenants.
fn address(key: &impl Fn(&str) -> String, old: &ProviderConfig, new: &mut ProviderConfig, comparison: &mut Comparison) {
    const EFFECT: &str = "Your text, and the provider's key if it has one, may go to another place.";
    if is_harmless(old) && is_harmless(new) {
        return;
    }
    let show = |url: &Option<String>| url.clone().unwrap_or_else(|| "none".to_owned());
    if new.base_url != old.base_url || new.adapter != old.adapter {
        comparison.note(key("base_url"), show(&old.base_url), show(&new.base_url), EFFECT);
        new.base_url.clone_from(&old.base_url);
        new.adapter = old.adapter;
        // The old address may contain the account.
        if new.account_id_env.is_none() {
            new.account_id_env.clone_from(&old.account_id_env);
        }
    }
    let paths =
        [("models_path", &old.models_path, &mut new.models_path), ("chat_path", &old.chat_path, &mut new.chat_path)];
    for (name, from, to) in paths {
        if from != to {
            comparison.note(key(name), from.clone(), to.clone(), EFFECT);
            to.clone_from(from);
        }
    }
}

/// Which variables are sent. Any variable of the environment can be named here, so that a name the
/// human did not accept could carry a foreign key to this address. Dropping names from the end of the
/// list is the one change that sends nothing else than before.
fn credentials(
    key: &impl Fn(&str) -> String,
    old: &ProviderConfig,
    new: &mut ProviderConfig,
    comparison: &mut Comparison,
) {
    const EFFECT: &str = "Another key may go to this provider.";
    let (from, to) = (old.key_names(), new.key_names());
    if !from.starts_with(&to) {
        let show = |names: &[String]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        comparison.note(key("api_key_env"), show(&from), show(&to), EFFECT);
        new.api_key_env.clone_from(&old.api_key_env);
        new.api_key_envs.clone_from(&old.api_key_envs);
    }
    let single = [
        ("billing_api_key_env", &old.billing_api_key_env, &mut new.billing_api_key_env),
        ("quota_key_env", &old.quota_key_env, &mut new.quota_key_env),
        ("account_id_env", &old.account_id_env, &mut new.account_id_env),
    ];
    for (name, from, to) in single {
        if to.is_some() && from != to {
            let show = |name: &Option<String>| name.clone().unwrap_or_else(|| "none".to_owned());
            comparison.note(key(name), show(from), show(to), EFFECT);
            to.clone_from(from);
        }
    }
}

/// Whether nothing leaves the machine and no key is given to anything.
pub(super) fn is_harmless(provider: &ProviderConfig) -> bool {
    provider.is_local() && provider.credential_names().is_empty()
}

/// Whether `new` needs another permission of the human than `old`, or none.
///
/// Paid and unknown need one, a user's own subscription another; moving from one to the other can
/// pass a closed gate just as well as dropping both.
pub(super) const fn needs_less(old: BillingClass, new: BillingClass) -> bool {
    match (old, new) {
        (BillingClass::Free | BillingClass::FreeQuota, _)
        | (BillingClass::UserPays, BillingClass::UserPays)
        | (BillingClass::Paid | BillingClass::Unknown, BillingClass::Paid | BillingClass::Unknown) => false,
        (BillingClass::UserPays | BillingClass::Paid | BillingClass::Unknown, _) => true,
    }
}

/// How much a use of data worries; what is not known worries more than keeping it for a time.
const fn worry(data_use: DataUse) -> u8 {
    match data_use {
        DataUse::None => 0,
        DataUse::Retains => 1,
        DataUse::Unknown => 2,
        DataUse::Trains => 3,
    }
}
