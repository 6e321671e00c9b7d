//! The older worker's variables, its keys among them, and what of ours each becomes.

use std::collections::BTreeMap;

use lwa_config::endpoint::is_loopback_url;
use lwa_config::{Config, WORKER_FALLBACK_KEY, WORKER_KEY};
use serde_json::{Value, json};

use super::expand::expanded;
use super::{LocalLlmSeed, PREFIX, Variable, client, files};
use crate::discover::{Found, Source, SourceKind};
use crate::dotenv;
use crate::file;
use crate::hidden::Hidden;
use crate::seed::configuration::{Carried, Planner};
use crate::seed::{ConfigurationPlan, Ours, SeedError};
use crate::variables::Holds;

/// Where the older worker looked for its model when nothing said so.
const DEFAULT_ADDRESS: &str = "http://127.0.0.1:8000/v1";

/// What a variable takes.
#[derive(Debug, Clone, Copy)]
enum Takes {
    Text,
    Word,
    Flag,
    /// A whole number, at least this.
    Count(u32),
}

/// The variables that have a key here, in the order in which they are set.
const CARRIED: &[(&str, &str, Takes)] = &[
    ("MODE", "mode", Takes::Word),
    ("ARM", "arm", Takes::Word),
    ("RUN_POLICY", "run_policy", Takes::Word),
    ("ESCALATION", "escalation", Takes::Word),
    ("ASSIST_NUMBERS", "assist_numbers", Takes::Word),
    ("BASE_URL", "base_url", Takes::Text),
    ("MODEL", "model", Takes::Text),
    ("FALLBACK_BASE_URL", "fallback_base_url", Takes::Text),
    ("FALLBACK_MODEL", "fallback_model", Takes::Text),
    ("FAILOVER_COOLDOWN", "failover_cooldown", Takes::Count(0)),
    ("THINKING", "thinking", Takes::Flag),
    ("MAX_OUTPUT_CHARS", "max_output_chars", Takes::Count(0)),
    ("MAX_TOKENS_CAP", "max_tokens_cap", Takes::Count(0)),
    ("LLM_TIMEOUT", "llm_timeout", Takes::Count(0)),
    ("CHUNK_CHARS", "chunk_chars", Takes::Count(0)),
    ("PARALLEL_CHUNKS", "parallel_chunks", Takes::Count(1)),
    ("MATERIAL_MAX_CHARS", "material_max_chars", Takes::Count(0)),
    ("CONTEXT_CHARS", "context_chars", Takes::Count(0)),
    ("EXCERPT_CHARS", "excerpt_chars", Takes::Count(0)),
    ("SUMMARY_CHARS", "summary_chars", Takes::Count(0)),
    ("AUTO_COMPACT_CHARS", "auto_compact_chars", Takes::Count(0)),
    ("COMMAND_TIMEOUT", "command_timeout", Takes::Count(0)),
    ("DIALOG_TIMEOUT", "dialog_timeout", Takes::Count(0)),
    ("STRICT_PII", "strict_pii", Takes::Flag),
    ("ENTITY_PASS", "entity_pass", Takes::Flag),
    ("SHAPES", "shapes", Takes::Flag),
    ("CALLER_MODEL", "caller_model", Takes::Text),
    // A webhook needs its address first.
    ("OBSERVER_URL", "observer_url", Takes::Text),
    ("OBSERVER", "observer", Takes::Word),
    ("DECIDE", "decide", Takes::Flag),
    ("DECIDE_PREFER", "decide_prefer", Takes::Word),
    ("DECIDE_REASONING", "decide_reasoning", Takes::Flag),
    ("DECIDE_TIMEOUT_S", "decide_timeout_s", Takes::Count(0)),
];

/// Variables that name a file or a folder, or hold a key: what becomes of those is listed elsewhere.
const HANDLED: &[&str] = &[
    "RUN_ALLOW",
    "PRIVATE_TERMS",
    "RULES",
    "PRICES",
    "STATE_DIR",
    "API_KEY",
    "API_KEY_FILE",
    "FALLBACK_API_KEY",
    "FALLBACK_API_KEY_FILE",
    "ENV_FILE",
];

/// Variables without a counterpart, and why.
const LEFT: &[(&str, &str)] = &[
    ("SESSION", "a session is named where it starts, with `lwa-mcp --session KEY`"),
    ("SOCK_DIR", "the host has one socket, and `LWA_HOME` moves it"),
    ("OBSERVER_PATH", "classes are not loaded here; write `observer = \"exec:/path/to/a/program\"`"),
    ("TERMS_SEED", "this version suggests no terms"),
    ("TERMS_BACKUP_STAMP", "this version keeps no stamp of a backup of the terms"),
    ("ADMIN_BIND", "the app takes the place of the admin page"),
    ("ADMIN_PORT", "the app takes the place of the admin page"),
    ("ADMIN_TOKEN", "the app takes the place of the admin page"),
    ("ADMIN_TOKEN_FILE", "the app takes the place of the admin page"),
    ("ADMIN_ALLOW_NO_TOKEN", "the app takes the place of the admin page"),
    ("LOG_LEVEL", "the host's log has no levels to choose from"),
];

/// Collects the variables of all places, the strongest first.
pub(super) fn read(seed: &mut LocalLlmSeed, environment: &BTreeMap<String, String>) -> Result<(), SeedError> {
    // A value that names a key must not be shown with the key in it.
    let mut known = environment.clone();
    known.retain(|name, _| may_be_shown(name));
    if let Some(path) = seed.files.client.clone() {
        let variables = client::variables(&path)?;
        if variables.is_empty() {
            return Err(SeedError::UnknownFile(path));
        }
        add(seed, variables, &known);
    }
    let from_environment = environment.iter().filter_map(|(name, value)| {
        let source = Source { kind: SourceKind::Environment, path: None, line: None, entry: None };
        Some(Variable { name: name.strip_prefix(PREFIX)?.to_owned(), value: Hidden::new(value.clone()), source })
    });
    add(seed, from_environment, &known);
    if let Some(path) = seed.file_of("ENV_FILE") {
        if path.is_file() {
            seed.files.settings = Some(path);
        } else {
            seed.left.push((format!("{PREFIX}ENV_FILE"), "there is no such file"));
        }
    }
    let Some(path) = seed.files.settings.clone() else { return Ok(()) };
    for assignment in dotenv::parse(&files::read(&path)?) {
        let Some(value) = assignment.value else {
            if assignment.name.starts_with(PREFIX) {
                seed.left.push((assignment.name, "its line has no proper end"));
            }
            continue;
        };
        if may_be_shown(&assignment.name) && !known.contains_key(&assignment.name) {
            let value = expanded(value.expose(), &known);
            known.insert(assignment.name.clone(), value);
        }
        let Some(name) = assignment.name.strip_prefix(PREFIX).map(str::to_owned) else { continue };
        let source =
            Source { kind: SourceKind::File, path: Some(path.clone()), line: Some(assignment.line), entry: None };
        add(seed, [Variable { name, value, source }], &known);
    }
    Ok(())
}

/// Adds variables that no stronger place sets.
fn add(seed: &mut LocalLlmSeed, found: impl IntoIterator<Item = Variable>, known: &BTreeMap<String, String>) {
    for mut variable in found {
        if seed.variables.iter().any(|one| one.name == variable.name) {
            continue;
        }
        // A key is taken as it is written, since a `$` in it means itself.
        if may_be_shown(&variable.name) {
            variable.value = Hidden::new(expanded(variable.value.expose(), known));
        }
        seed.variables.push(variable);
    }
}

/// Whether a variable holds no key, by its name.
fn may_be_shown(name: &str) -> bool {
    let is_path = name.ends_with("_FILE");
    is_path || !["KEY", "TOKEN", "SECRET", "PASSW", "CREDENTIAL"].iter().any(|part| name.contains(part))
}

/// Takes the keys from their variables or files.
pub(super) fn keys(seed: &mut LocalLlmSeed) {
    for (name, provider) in [("API_KEY", WORKER_KEY), ("FALLBACK_API_KEY", WORKER_FALLBACK_KEY)] {
        let file_name = format!("{name}_FILE");
        let found = if let Some(variable) = seed.variable(name) {
            let found = (name.to_owned(), variable.source.clone(), variable.value.expose().trim().to_owned());
            if seed.variable(&file_name).is_some() {
                seed.left.push((format!("{PREFIX}{file_name}"), "the key itself is set as well, and counts"));
            }
            Some(found)
        } else {
            seed.file_of(&file_name).and_then(|path| match file::read(&path) {
                Ok(Some(text)) if !text.trim().is_empty() => {
                    let source = Source { kind: SourceKind::File, path: Some(path), line: None, entry: None };
                    Some((file_name.clone(), source, text.trim().to_owned()))
                }
                _ => {
                    seed.left.push((format!("{PREFIX}{file_name}"), "there is no key in its file"));
                    None
                }
            })
        };
        if let Some((variable, source, key)) = found {
            seed.keys.push(Found {
                provider: provider.to_owned(),
                variable: format!("{PREFIX}{variable}"),
                holds: Holds::Key,
                source,
                value: Hidden::new(key),
            });
        }
    }
}

/// Turns the older worker's variables into an edit of ours.
///
/// What already holds is left alone. A model on another machine of the network is reached here only when that was
/// allowed, so that an address of one brings the permission with it; both wait for a human.
///
/// # Errors
/// Our configuration cannot be used.
pub fn plan_worker(seed: &LocalLlmSeed, ours: Ours<'_>) -> Result<ConfigurationPlan, SeedError> {
    let before = Config::parse_over(ours.text, ours.path, ours.shipped)?;
    let mut planner = Planner::new(ours, &before);
    let uses_default_address = seed.variable("BASE_URL").is_none()
        && ["MODEL", "API_KEY", "API_KEY_FILE"].iter().any(|name| seed.variable(name).is_some());
    if uses_default_address {
        planner.carry(&["worker", "base_url"], &json!(DEFAULT_ADDRESS));
    }
    for (name, key, takes) in CARRIED {
        let Some(variable) = seed.variable(name) else { continue };
        let text = variable.value.expose().trim();
        let value = match value_of(name, text, *takes) {
            Ok(value) => value,
            Err(reason) => {
                planner.not_carried(format!("{PREFIX}{name}"), reason);
                continue;
            }
        };
        let carried = planner.carry(&["worker", key], &value);
        if carried == Carried::Refused {
            planner.rename_not_carried(format!("{PREFIX}{name}"));
        }
        let is_elsewhere = matches!(takes, Takes::Text) && key.ends_with("base_url") && !is_loopback_url(text);
        if is_elsewhere && carried == Carried::Holds {
            planner.carry(&["worker", "allow_private_network"], &json!(true));
        }
    }
    let rest = seed.variables.iter().filter(|variable| {
        let name = variable.name.as_str();
        !HANDLED.contains(&name) && CARRIED.iter().all(|(known, ..)| *known != name)
    });
    for variable in rest {
        let reason = LEFT.iter().find(|(name, _)| *name == variable.name).map(|(_, reason)| *reason);
        planner.not_carried(format!("{PREFIX}{}", variable.name), reason.unwrap_or("this version has no such setting"));
    }
    for (name, reason) in &seed.left {
        planner.not_carried(name.clone(), *reason);
    }
    planner.finish(&before)
}

/// The value as ours has it.
fn value_of(name: &str, text: &str, takes: Takes) -> Result<Value, &'static str> {
    Ok(match takes {
        Takes::Text => json!(text),
        Takes::Word if name == "OBSERVER" && text.contains(':') => {
            return Err("classes are not loaded here; write `observer = \"exec:/path/to/a/program\"`");
        }
        Takes::Word => json!(text.to_lowercase()),
        Takes::Flag => json!(matches!(text.to_lowercase().as_str(), "1" | "true" | "yes" | "on")),
        Takes::Count(least) => {
            let number: f64 = text.parse().map_err(|_| "is no number, so that the older worker used its default")?;
            if !(0.0..=f64::from(u32::MAX)).contains(&number) {
                return Err("is no size or time");
            }
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it lies within the range")]
            let number = number.round() as u32;
            json!(number.max(least))
        }
    })
}
