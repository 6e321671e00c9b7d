//! The worker: what it may do unasked, where material goes, and what may leave.
//!
//! What differs for clients and projects is compared as it takes effect, since a table that is removed, or a
//! project within another, changes what holds without naming it.

use std::collections::BTreeSet;
use std::path::Path;

use super::Comparison;
use crate::config::{Config, Observer, WorkerConfig, WorkerOverride};
use crate::words::{Arm, AssistNumbers, CommandSandbox, Escalation, RunPolicy, WorkerMode};

pub(super) fn compare(old: &Config, comparison: &mut Comparison) {
    root(&old.worker, comparison);
    // Outer folders come first, so that what an inner one inherits is settled.
    let folders: BTreeSet<String> = old.projects.keys().chain(comparison.held.projects.keys()).cloned().collect();
    for folder in &folders {
        layer(old, &Layer::Project(folder), &[Some(folder)], comparison);
    }
    let clients: BTreeSet<String> = old.clients.keys().chain(comparison.held.clients.keys()).cloned().collect();
    let places: Vec<Option<&String>> = std::iter::once(None).chain(folders.iter().map(Some)).collect();
    for client in &clients {
        layer(old, &Layer::Client(client), &places, comparison);
    }
}

/// A table of its own: a project's or a client's.
enum Layer<'a> {
    Project(&'a str),
    Client(&'a str),
}

impl Layer<'_> {
    fn path(&self) -> String {
        match self {
            Self::Project(folder) => format!("projects.{folder}.worker"),
            Self::Client(name) => format!("clients.{name}.worker"),
        }
    }

    /// What the table says; nothing when there is none.
    fn own(&self, config: &Config) -> WorkerOverride {
        match self {
            Self::Project(folder) => config.projects.get(*folder).map(|project| project.worker.clone()),
            Self::Client(name) => config.clients.get(*name).map(|client| client.worker.clone()),
        }
        .unwrap_or_default()
    }

    fn put(&self, config: &mut Config, own: WorkerOverride) {
        match self {
            Self::Project(folder) => config.projects.entry((*folder).to_owned()).or_default().worker = own,
            Self::Client(name) => config.clients.entry((*name).to_owned()).or_default().worker = own,
        }
    }

    /// What is in force in a folder, under this table.
    fn effective(&self, config: &Config, folder: Option<&String>) -> WorkerConfig {
        let folder = folder.map(Path::new);
        match self {
            Self::Project(_) => config.worker_in(folder),
            Self::Client(name) => config.worker_for(name, folder),
        }
    }
}

/// What a table changes in the places where it holds.
fn layer(old: &Config, layer: &Layer<'_>, places: &[Option<&String>], comparison: &mut Comparison) {
    let before = layer.own(old);
    let mut own = layer.own(&comparison.held);
    let path = layer.path();
    let pairs: Vec<(WorkerConfig, WorkerConfig)> =
        places.iter().map(|place| (layer.effective(old, *place), layer.effective(&comparison.held, *place))).collect();
    let mut found = Vec::new();
    macro_rules! settle {
        ($($field:ident),+) => {$(
            if let Some((from, to)) =
                pairs.iter().map(|(old, new)| (old.$field, new.$field)).find(|(old, new)| new.gives_more_than(*old))
            {
                found.push((stringify!($field), from.as_str(), to.as_str(), to.effect()));
                own.$field = before.$field;
            }
        )+};
    }
    settle!(mode, arm, run_policy, escalation, assist_numbers, sandbox);
    let added: Vec<String> = own.allow.iter().filter(|line| !before.allow.contains(line)).cloned().collect();
    own.allow.retain(|line| before.allow.contains(line));
    let is_settled = found.is_empty() && added.is_empty();
    for (key, from, to, effect) in found {
        comparison.note(format!("{path}.{key}"), from, to, effect);
    }
    if !added.is_empty() {
        let from = if before.allow.is_empty() { "none".to_owned() } else { before.allow.join("; ") };
        comparison.note(format!("{path}.allow"), from, added.join("; "), "More commands run without a question.");
    }
    if !is_settled {
        layer.put(&mut comparison.held, own);
    }
}

/// `[worker]` itself.
fn root(old: &WorkerConfig, comparison: &mut Comparison) {
    let mut new = comparison.held.worker.clone();
    macro_rules! settle {
        ($($field:ident),+) => {$(
            if new.$field.gives_more_than(old.$field) {
                let key = concat!("worker.", stringify!($field));
                comparison.note(key, old.$field.as_str(), new.$field.as_str(), new.$field.effect());
                new.$field = old.$field;
            }
        )+};
    }
    settle!(mode, arm, run_policy, escalation, assist_numbers, sandbox);
    let switched_on = [
        ("worker.enabled", old.enabled, &mut new.enabled, "The worker may run commands and read files."),
        (
            "worker.sandbox_network",
            old.sandbox_network,
            &mut new.sandbox_network,
            "Commands in a sandbox reach the network.",
        ),
        (
            "worker.allow_private_network",
            old.allow_private_network,
            &mut new.allow_private_network,
            "Private material may go to another machine of your network.",
        ),
        ("worker.decide", old.decide, &mut new.decide, "Clients are offered tools that let the model decide."),
    ];
    for (key, was_on, is_on, effect) in switched_on {
        if *is_on && !was_on {
            comparison.note(key, "false", "true", effect);
            *is_on = false;
        }
    }
    let switched_off = [
        ("worker.strict_pii", old.strict_pii, &mut new.strict_pii, "Fewer numbers are masked."),
        (
            "worker.entity_pass",
            old.entity_pass,
            &mut new.entity_pass,
            "The model is no longer asked for names in private material.",
        ),
        (
            "worker.shapes",
            old.shapes,
            &mut new.shapes,
            "Shapes of names, addresses and labelled numbers are no longer masked.",
        ),
        ("worker.names", old.names, &mut new.names, "What leaves is no longer read for names."),
        (
            "worker.fail_closed",
            old.fail_closed,
            &mut new.fail_closed,
            "Answers that could not be checked for names leave.",
        ),
    ];
    for (key, was_on, is_on, effect) in switched_off {
        if was_on && !*is_on {
            comparison.note(key, "true", "false", effect);
            *is_on = true;
        }
    }
    limits(old, &mut new, comparison);
    places(old, &mut new, comparison);
    comparison.held.worker = new;
}

/// How much is read and handed back, how long something may take, and how long it stays.
fn limits(old: &WorkerConfig, new: &mut WorkerConfig, comparison: &mut Comparison) {
    const KEPT: &str = "Private material and memory are kept for longer.";
    let raised = [
        (
            "worker.max_output_chars",
            old.max_output_chars,
            &mut new.max_output_chars,
            "Longer answers leave when a call names no length.",
        ),
        (
            "worker.material_max_chars",
            old.material_max_chars,
            &mut new.material_max_chars,
            "More of what a command or a file says is read and kept.",
        ),
        ("worker.max_tokens_cap", old.max_tokens_cap, &mut new.max_tokens_cap, "The model may be asked for more."),
        ("worker.command_timeout", old.command_timeout, &mut new.command_timeout, "Commands may run for longer."),
        (
            "worker.dialog_timeout",
            old.dialog_timeout,
            &mut new.dialog_timeout,
            "A dialog in the client can be answered for longer.",
        ),
    ];
    for (key, from, to, effect) in raised {
        if *to > from {
            comparison.note(key, from.to_string(), to.to_string(), effect);
            *to = from;
        }
    }
    // 0 means always, which is longer than any number of days.
    let for_days = |days: u32| if days == 0 { u32::MAX } else { days };
    let kept = [
        ("worker.artifact_days", old.artifact_days, &mut new.artifact_days),
        ("worker.session_days", old.session_days, &mut new.session_days),
    ];
    for (key, from, to) in kept {
        if for_days(*to) > for_days(from) {
            comparison.note(key, from.to_string(), to.to_string(), KEPT);
            *to = from;
        }
    }
}

/// Where material, keys and events go. Unlike a provider's, a local address may not change freely, even without a
/// key: private material goes there, and any program can listen on a local port.
fn places(old: &WorkerConfig, new: &mut WorkerConfig, comparison: &mut Comparison) {
    const ELSEWHERE: &str = "Private material goes to this address.";
    const CLOUD: &str = "Some local servers pass on what such a model reads to their cloud.";
    const OTHER_KEY: &str = "Another key may go to the worker's model.";
    let texts = [
        ("worker.base_url", &old.base_url, &mut new.base_url, ELSEWHERE),
        ("worker.fallback_base_url", &old.fallback_base_url, &mut new.fallback_base_url, ELSEWHERE),
        ("worker.api_key_env", &old.api_key_env, &mut new.api_key_env, OTHER_KEY),
        ("worker.fallback_api_key_env", &old.fallback_api_key_env, &mut new.fallback_api_key_env, OTHER_KEY),
    ];
    for (key, from, to, effect) in texts {
        if to.is_some() && from != to {
            comparison.note(key, shown(from.as_ref()), shown(to.as_ref()), effect);
            to.clone_from(from);
        }
    }
    if runs_elsewhere(&new.model) && new.model != old.model {
        comparison.note("worker.model", old.model.clone(), new.model.clone(), CLOUD);
        new.model.clone_from(&old.model);
    }
    if new.fallback_model.as_deref().is_some_and(runs_elsewhere) && new.fallback_model != old.fallback_model {
        let (from, to) = (shown(old.fallback_model.as_ref()), shown(new.fallback_model.as_ref()));
        comparison.note("worker.fallback_model", from, to, CLOUD);
        new.fallback_model.clone_from(&old.fallback_model);
    }
    let is_told = new.observer != Observer::None;
    let is_other = (&new.observer, &new.observer_url) != (&old.observer, &old.observer_url);
    // The address alone does nothing while nobody is told.
    let tells_as_before = new.observer == old.observer && new.observer != Observer::Webhook;
    if is_told && is_other && !tells_as_before {
        let show = |worker: &WorkerConfig| match worker.observer {
            Observer::Webhook => format!("webhook {}", shown(worker.observer_url.as_ref())),
            _ => worker.observer.to_string(),
        };
        comparison.note("worker.observer", show(old), show(new), "Events about every call go there.");
        new.observer.clone_from(&old.observer);
        new.observer_url.clone_from(&old.observer_url);
    }
}

/// Whether a model's name says that a local server only passes it on, as Ollama's do.
fn runs_elsewhere(model: &str) -> bool {
    model.to_ascii_lowercase().contains("cloud")
}

fn shown(text: Option<&String>) -> String {
    text.map_or_else(|| "none".to_owned(), Clone::clone)
}

/// Settings that can be told apart by how much they let through.
trait Strictness: Copy + PartialEq {
    /// How much it lets through, from 0.
    fn looseness(self) -> u8;
    /// What accepting it means.
    fn effect(self) -> &'static str;

    fn gives_more_than(self, old: Self) -> bool {
        self.looseness() > old.looseness()
    }
}

impl Strictness for WorkerMode {
    fn looseness(self) -> u8 {
        match self {
            Self::Pii => 0,
            Self::Assist => 1,
        }
    }

    fn effect(self) -> &'static str {
        "What identifies a person may leave, as far as it was disclosed."
    }
}

impl Strictness for Arm {
    fn looseness(self) -> u8 {
        match self {
            Self::Ask => 0,
            Self::On => 1,
        }
    }

    fn effect(self) -> &'static str {
        "The worker works without asking whether it may."
    }
}

impl Strictness for RunPolicy {
    fn looseness(self) -> u8 {
        match self {
            Self::Ask => 0,
            Self::Allow => 1,
            Self::Off => 2,
        }
    }

    fn effect(self) -> &'static str {
        match self {
            Self::Off => "Every command runs without a question, also those that are denied otherwise.",
            _ => "Commands run without a question.",
        }
    }
}

/// A question can be answered by a client's dialog; masking cannot.
impl Strictness for Escalation {
    fn looseness(self) -> u8 {
        match self {
            Self::Auto => 0,
            Self::Ask => 1,
            Self::Off => 2,
        }
    }

    fn effect(self) -> &'static str {
        match self {
            Self::Off => "Names and addresses leave in clear without a question.",
            _ => "Names and addresses leave in clear when a dialog is answered so.",
        }
    }
}

impl Strictness for AssistNumbers {
    fn looseness(self) -> u8 {
        match self {
            Self::Masked => 0,
            Self::Open => 1,
        }
    }

    fn effect(self) -> &'static str {
        "Numbers that identify people leave in clear."
    }
}

impl Strictness for CommandSandbox {
    fn looseness(self) -> u8 {
        match self {
            Self::ReadOnly => 0,
            Self::Workspace => 1,
            Self::Off => 2,
        }
    }

    fn effect(self) -> &'static str {
        "Commands may write in more places."
    }
}
