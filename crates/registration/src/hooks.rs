//! Lwa's hooks in a client's file of hooks: the text as it is goes in, the text as it has to be comes out.
//!
//! Claude Code and Codex share the form `{"hooks": {EVENT: [{"matcher", "hooks": [{"type", "command", "timeout"}]}]}}`.
//! An entry is ours by its command: the program `lwa` with the verb `hook`. Everything else in the file stays.

use std::path::Path;

use serde_json::{Map, Value, json};

/// Seconds that a client waits for a hook; ours end far earlier.
const TIMEOUT_S: u64 = 5;

/// The tools of Claude Code that run commands, and read, look through and write files.
const CLAUDE_TOOLS: &str = "Bash|Read|NotebookRead|Grep|Write|Edit|MultiEdit|NotebookEdit";
/// The same of Codex.
const CODEX_TOOLS: &str = "Bash|shell|local_shell|shell_command|exec_command|write_stdin|read_file|view_image|\
    grep_files|apply_patch|Write|Edit";

/// Why a file of hooks is left alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HooksError {
    /// It is no JSON.
    #[error("line {line}, column {column} is no JSON")]
    Json {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// A part of it has another form than clients read.
    #[error("`{0}` has another form than hooks have")]
    Form(String),
}

/// One entry: an event, which tools it is about, and the command.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct HookEntry {
    /// The event.
    pub event: &'static str,
    /// A pattern for names of tools; none for every one.
    pub matcher: Option<&'static str>,
    /// The command line.
    pub command: String,
}

/// The entries of a client: session, tool use and compaction, and the guard of its own shell when that is wished.
pub fn entries(client: &str, program: &Path, lwa_home: Option<&Path>, has_guard: bool) -> Vec<HookEntry> {
    // A client starts hooks in its own environment, so a folder of one's own has to be named.
    let home = lwa_home.map(|home| format!("env LWA_HOME={} ", quoted(home))).unwrap_or_default();
    let command = |verb: &str| format!("{home}{} hook {verb} --client {client}", quoted(program));
    let entry = |event, matcher| HookEntry { event, matcher, command: command(event) };
    let mut entries =
        vec![entry("SessionStart", None), entry("PreToolUse", Some("mcp__lwa.*")), entry("PreCompact", None)];
    if has_guard {
        let matcher = if client == "codex" { CODEX_TOOLS } else { CLAUDE_TOOLS };
        entries.push(HookEntry { event: "PreToolUse", matcher: Some(matcher), command: command("guard") });
    }
    entries
}

/// The file with exactly these entries of ours; none when it has them already.
///
/// # Errors
/// The file is no JSON, or has another form.
pub fn with_entries(text: Option<&str>, wanted: &[HookEntry]) -> Result<Option<String>, HooksError> {
    let mut root = parse(text)?;
    let taken = take_ours(&mut root)?;
    let wished: Vec<(String, Value)> = wanted.iter().map(|entry| (entry.event.to_owned(), group(entry))).collect();
    let is_same = taken.len() == wished.len() && wished.iter().all(|entry| taken.contains(entry));
    if is_same {
        return Ok(None);
    }
    let hooks = root.entry("hooks").or_insert_with(|| json!({}));
    for (event, group) in wished {
        let Some(groups) = hooks.as_object_mut().map(|hooks| hooks.entry(event.clone()).or_insert_with(|| json!([])))
        else {
            return Err(HooksError::Form("hooks".to_owned()));
        };
        groups.as_array_mut().ok_or_else(|| HooksError::Form(format!("hooks.{event}")))?.push(group);
    }
    Ok(Some(written(root)))
}

/// The file without entries of ours; none when it has none.
///
/// # Errors
/// The file is no JSON, or has another form.
pub fn without_entries(text: Option<&str>) -> Result<Option<String>, HooksError> {
    let mut root = parse(text)?;
    Ok(if take_ours(&mut root)?.is_empty() { None } else { Some(written(root)) })
}

fn group(entry: &HookEntry) -> Value {
    let hook = json!({ "type": "command", "command": entry.command, "timeout": TIMEOUT_S });
    match entry.matcher {
        Some(matcher) => json!({ "matcher": matcher, "hooks": [hook] }),
        None => json!({ "hooks": [hook] }),
    }
}

fn parse(text: Option<&str>) -> Result<Map<String, Value>, HooksError> {
    let text = text.unwrap_or_default().trim_start_matches('\u{FEFF}');
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    let value: Value =
        serde_json::from_str(text).map_err(|error| HooksError::Json { line: error.line(), column: error.column() })?;
    match value {
        Value::Object(root) => Ok(root),
        _ => Err(HooksError::Form("the file".to_owned())),
    }
}

/// Takes our entries out; each comes back as a group of its own. Groups and events that held nothing else go too.
fn take_ours(root: &mut Map<String, Value>) -> Result<Vec<(String, Value)>, HooksError> {
    let mut taken = Vec::new();
    let Some(hooks) = root.get_mut("hooks") else { return Ok(taken) };
    let hooks = hooks.as_object_mut().ok_or_else(|| HooksError::Form("hooks".to_owned()))?;
    let mut emptied = Vec::new();
    for (event, groups) in hooks.iter_mut() {
        let wrong = || HooksError::Form(format!("hooks.{event}"));
        let before = taken.len();
        let groups = groups.as_array_mut().ok_or_else(wrong)?;
        let mut kept = Vec::new();
        for mut group in std::mem::take(groups) {
            let facts = group.as_object_mut().ok_or_else(wrong)?;
            let matcher = facts.get("matcher").cloned();
            let Some(list) = facts.get_mut("hooks").and_then(Value::as_array_mut) else {
                kept.push(group);
                continue;
            };
            let (ours, theirs): (Vec<Value>, Vec<Value>) = std::mem::take(list).into_iter().partition(is_ours);
            let is_emptied = theirs.is_empty() && !ours.is_empty();
            *list = theirs;
            taken.extend(ours.into_iter().map(|hook| {
                let group = match &matcher {
                    Some(matcher) => json!({ "matcher": matcher, "hooks": [hook] }),
                    None => json!({ "hooks": [hook] }),
                };
                (event.clone(), group)
            }));
            if !is_emptied {
                kept.push(group);
            }
        }
        *groups = kept;
        if groups.is_empty() && taken.len() > before {
            emptied.push(event.clone());
        }
    }
    for event in &emptied {
        hooks.shift_remove(event);
    }
    if hooks.is_empty() && !emptied.is_empty() {
        root.shift_remove("hooks");
    }
    Ok(taken)
}

/// Whether a hook starts `lwa hook …`, by whatever path.
fn is_ours(hook: &Value) -> bool {
    let command = hook.get("command").and_then(Value::as_str).unwrap_or_default();
    let Some((program, rest)) = command.rsplit_once(" hook ") else { return false };
    let program = program.trim_end().trim_end_matches(['\'', '"']);
    let is_program = program == "lwa" || ["/lwa", "\\lwa.exe", " lwa"].iter().any(|end| program.ends_with(end));
    is_program && rest.contains("--client ")
}

fn written(root: Map<String, Value>) -> String {
    let mut text = serde_json::to_string_pretty(&Value::Object(root)).unwrap_or_default();
    text.push('\n');
    text
}

/// One word for a shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const THEIRS: &str = r#"{
  "model": "m",
  "hooks": {
    "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "/opt/other hook x"}]}],
    "Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]
  }
}"#;

    fn wanted(has_guard: bool) -> Vec<HookEntry> {
        entries("claude-code", Path::new("/opt/it's/lwa"), None, has_guard)
    }

    fn value(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn entries_come_beside_the_others_and_go_again() {
        let with = with_entries(Some(THEIRS), &wanted(true)).unwrap().unwrap();
        let hooks = &value(&with)["hooks"];
        assert_eq!(hooks["PreToolUse"].as_array().unwrap().len(), 3);
        assert_eq!(hooks["PreToolUse"][0], value(THEIRS)["hooks"]["PreToolUse"][0]);
        assert_eq!(
            hooks["PreCompact"][0]["hooks"][0]["command"],
            r"'/opt/it'\''s/lwa' hook PreCompact --client claude-code"
        );
        let without = without_entries(Some(&with)).unwrap().unwrap();
        assert_eq!(value(&without), value(THEIRS));
        assert_eq!(without_entries(Some(&without)).unwrap(), None);
    }

    #[test]
    fn the_same_entries_change_nothing_and_others_are_replaced() {
        let first = with_entries(None, &wanted(true)).unwrap().unwrap();
        assert_eq!(with_entries(Some(&first), &wanted(true)).unwrap(), None);
        let second = with_entries(Some(&first), &wanted(false)).unwrap().unwrap();
        assert!(!second.contains("hook guard"));
        let elsewhere = entries("claude-code", Path::new("/usr/bin/lwa"), Some(Path::new("/srv/l")), false);
        let moved = with_entries(Some(&second), &elsewhere).unwrap().unwrap();
        assert!(!moved.contains("it'"), "{moved}");
        assert!(moved.contains("env LWA_HOME='/srv/l' '/usr/bin/lwa' hook SessionStart"));
        assert_eq!(without_entries(Some(&moved)).unwrap().unwrap(), "{}\n");
    }

    #[test]
    fn a_file_of_another_form_is_left_alone() {
        for text in ["[]", r#"{"hooks": []}"#, r#"{"hooks": {"Stop": {}}}"#, "{\n// note\n}"] {
            assert!(with_entries(Some(text), &wanted(false)).is_err(), "{text}");
        }
    }
}
