//! `[worker]`, `[clients.NAME.worker]` and `[projects."DIR".worker]`.

use std::path::{Component, Path, PathBuf};

use lwa_domain::UnknownLabel;

use super::super::{Config, Observer, ProjectConfig, WorkerConfig, WorkerOverride};
use crate::endpoint::plain_url_fault;
use crate::error::ConfigError;
use crate::read::Fields;

/// `[worker]`.
pub(super) fn worker(table: &Fields<'_>, worker: &mut WorkerConfig) -> Result<(), ConfigError> {
    let flags: [(&'static str, &mut bool); 11] = [
        ("enabled", &mut worker.enabled),
        ("sandbox_network", &mut worker.sandbox_network),
        ("allow_private_network", &mut worker.allow_private_network),
        ("thinking", &mut worker.thinking),
        ("strict_pii", &mut worker.strict_pii),
        ("entity_pass", &mut worker.entity_pass),
        ("shapes", &mut worker.shapes),
        ("names", &mut worker.names),
        ("fail_closed", &mut worker.fail_closed),
        ("decide", &mut worker.decide),
        ("decide_reasoning", &mut worker.decide_reasoning),
    ];
    for (key, target) in flags {
        table.flag(key, target)?;
    }
    let numbers: [(&'static str, &mut u32); 16] = [
        ("failover_cooldown", &mut worker.failover_cooldown),
        ("max_output_chars", &mut worker.max_output_chars),
        ("max_tokens_cap", &mut worker.max_tokens_cap),
        ("llm_timeout", &mut worker.llm_timeout),
        ("chunk_chars", &mut worker.chunk_chars),
        ("parallel_chunks", &mut worker.parallel_chunks),
        ("material_max_chars", &mut worker.material_max_chars),
        ("context_chars", &mut worker.context_chars),
        ("excerpt_chars", &mut worker.excerpt_chars),
        ("summary_chars", &mut worker.summary_chars),
        ("auto_compact_chars", &mut worker.auto_compact_chars),
        ("command_timeout", &mut worker.command_timeout),
        ("dialog_timeout", &mut worker.dialog_timeout),
        ("decide_timeout_s", &mut worker.decide_timeout_s),
        ("artifact_days", &mut worker.artifact_days),
        ("session_days", &mut worker.session_days),
    ];
    for (key, target) in numbers {
        table.integer(key, target)?;
    }
    let addresses: [(&'static str, &mut Option<String>); 3] = [
        ("base_url", &mut worker.base_url),
        ("fallback_base_url", &mut worker.fallback_base_url),
        ("observer_url", &mut worker.observer_url),
    ];
    for (key, target) in addresses {
        table.checked_text(key, plain_url_fault, target)?;
    }
    table.variable("api_key_env", &mut worker.api_key_env)?;
    table.variable("fallback_api_key_env", &mut worker.fallback_api_key_env)?;
    // An empty name means the default one.
    let mut model = None;
    table.optional_text("model", &mut model)?;
    worker.model = model.unwrap_or_else(|| std::mem::take(&mut worker.model));
    table.optional_text("fallback_model", &mut worker.fallback_model)?;
    table.optional_text("caller_model", &mut worker.caller_model)?;
    chosen(table, "mode", &mut worker.mode)?;
    chosen(table, "arm", &mut worker.arm)?;
    chosen(table, "run_policy", &mut worker.run_policy)?;
    chosen(table, "escalation", &mut worker.escalation)?;
    chosen(table, "assist_numbers", &mut worker.assist_numbers)?;
    chosen(table, "sandbox", &mut worker.sandbox)?;
    chosen(table, "decide_prefer", &mut worker.decide_prefer)?;
    match table.parsed("observer", observer)? {
        Some(None) => {
            return Err(table.unusable("observer", "must name the program by its whole path, as `exec:/path/to/it`"));
        }
        Some(Some(observer)) => worker.observer = observer,
        None => {}
    }
    if worker.observer == Observer::Webhook && worker.observer_url.is_none() {
        return Err(table.missing("observer_url", "`observer` is `webhook`, and events need an address"));
    }
    Ok(())
}

/// What differs for a client or a project.
pub(super) fn over(table: &Fields<'_>) -> Result<WorkerOverride, ConfigError> {
    let mut over = WorkerOverride {
        mode: table.parsed("mode", str::parse)?,
        arm: table.parsed("arm", str::parse)?,
        run_policy: table.parsed("run_policy", str::parse)?,
        escalation: table.parsed("escalation", str::parse)?,
        assist_numbers: table.parsed("assist_numbers", str::parse)?,
        sandbox: table.parsed("sandbox", str::parse)?,
        allow: Vec::new(),
    };
    table.free_words("allow", &mut over.allow)?;
    if over.allow.iter().any(|line| line.contains(char::is_control) || line.trim() != line || line.starts_with('#')) {
        return Err(
            table.unusable("allow", "must have each entry on one line, without blanks around it and without `#`")
        );
    }
    Ok(over)
}

/// `[projects."DIR".worker]`.
pub(super) fn projects(root: &Fields<'_>, config: &mut Config) -> Result<(), ConfigError> {
    for (folder, table) in root.named_tables("projects", "projects.DIR")? {
        if !is_plain_folder(&folder) {
            return Err(table.unusable_self(
                "is no folder; write its whole path, without `.`, `..` or a `/` at the end, as `[projects.\"/home/me/shop\".worker]`",
            ));
        }
        let mut project = ProjectConfig::default();
        let path = format!("projects.{folder}.worker");
        if let Some(table) = table.table("worker", "projects.DIR.worker", "this project's `worker`")? {
            project.worker = over(&table)?;
            table.note_lines(&path, &mut config.origin.lines);
        }
        config.projects.insert(folder, project);
    }
    Ok(())
}

fn chosen<T: std::str::FromStr<Err = UnknownLabel>>(
    table: &Fields<'_>,
    key: &'static str,
    target: &mut T,
) -> Result<(), ConfigError> {
    if let Some(value) = table.parsed(key, str::parse)? {
        *target = value;
    }
    Ok(())
}

/// The observer that a text names; none for a program that has no whole path.
fn observer(text: &str) -> Result<Option<Observer>, UnknownLabel> {
    match text {
        "" | "none" => Ok(Some(Observer::None)),
        "webhook" => Ok(Some(Observer::Webhook)),
        other => match other.strip_prefix("exec:") {
            Some(path) => Ok(Some(PathBuf::from(path)).filter(|path| path.is_absolute()).map(Observer::Exec)),
            None => Err(UnknownLabel::new("observer", other, Observer::LABELS)),
        },
    }
}

/// Whether a text is an absolute path in its shortest form, so that one folder has one name.
fn is_plain_folder(text: &str) -> bool {
    let path = Path::new(text);
    let is_plain = path.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    path.is_absolute() && is_plain && path.components().collect::<PathBuf>().as_os_str() == text
}
