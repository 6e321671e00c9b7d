//! What clients hand to their hooks.

use lwa_protocol::worker::PathUse;
use serde_json::Value;

/// Ids and names are short; a longer one is none.
pub(super) const MOST_CHARACTERS: usize = 256;
/// The longest path that a system takes.
const MOST_PATH: usize = 4096;
/// Claude Code, on the wire.
pub(super) const CLAUDE: &str = "claude-code";
/// Codex, on the wire.
pub(super) const CODEX: &str = "codex";

/// The client: the one that was named, else the one that the payload is like, else the one whose variables are set.
///
/// The payload comes first, because a client that another one started inherits its variables.
pub(super) fn client(named: Option<&str>, payload: &Value) -> &'static str {
    match named {
        Some("claude-code" | "claude") => return CLAUDE,
        Some("codex") => return CODEX,
        _ => {}
    }
    let transcript = payload.get("transcript_path").and_then(Value::as_str).unwrap_or_default();
    if payload.get("turn_id").is_some() || transcript.contains("/.codex/") || transcript.contains("/rollout-") {
        return CODEX;
    }
    if ["prompt_id", "effort", "mcp_server"].iter().any(|key| payload.get(key).is_some())
        || transcript.contains("/.claude/")
    {
        return CLAUDE;
    }
    let is_set = |name: &str| std::env::var_os(name).is_some();
    if !is_set("CLAUDE_CODE_SESSION_ID") && !is_set("CLAUDE_PROJECT_DIR") && is_set("CODEX_HOME") {
        return CODEX;
    }
    CLAUDE
}

/// A field that is a short text.
pub(super) fn text(payload: &Value, key: &str) -> Option<String> {
    let value = payload.get(key)?.as_str()?;
    (!value.is_empty() && value.chars().count() <= MOST_CHARACTERS).then(|| value.to_owned())
}

/// A field that is a path.
pub(super) fn path(payload: &Value, key: &str) -> Option<String> {
    let value = payload.get(key)?.as_str()?;
    (!value.is_empty() && value.len() <= MOST_PATH).then(|| value.to_owned())
}

/// What a tool is about to do, as far as the guard has a say in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Deed {
    /// A command line.
    Command(String),
    /// Files that are read, looked through or written.
    Paths(PathUse, Vec<String>),
    /// Something that the guard has a say in, in a form that it does not know.
    Unreadable,
    /// Nothing that the guard knows.
    Other,
}

/// Names of tools and what they do; the hooks that are installed name the same ones.
const COMMANDS: &[&str] = &["Bash", "shell", "local_shell", "exec_command", "shell_command"];
const READS: &[&str] = &["Read", "NotebookRead", "read_file", "view", "view_image"];
const SEARCHES: &[&str] = &["Grep", "grep_files"];
const WRITES: &[&str] = &["Write", "Edit", "MultiEdit", "NotebookEdit"];
/// Text for a shell that runs.
const TYPES: &str = "write_stdin";
/// Changes of several files in one text.
const PATCHES: &str = "apply_patch";

/// The deed of a tool use.
pub(super) fn deed(payload: &Value) -> Deed {
    let Some(tool) = payload.get("tool_name").and_then(Value::as_str) else { return Deed::Unreadable };
    let input = payload.get("tool_input").unwrap_or(&Value::Null);
    let text = |keys: &[&str]| keys.iter().find_map(|key| input.get(key)?.as_str()).map(str::to_owned);
    let file = || text(&["file_path", "path", "notebook_path"]);
    let one = |path_use, path: Option<String>| path.map_or(Deed::Unreadable, |path| Deed::Paths(path_use, vec![path]));
    if COMMANDS.contains(&tool) {
        let command = input.get("command").or_else(|| input.get("cmd"));
        return command.and_then(command_line).map_or(Deed::Unreadable, Deed::Command);
    }
    match tool {
        TYPES => text(&["chars", "input", "text"]).map_or(Deed::Other, Deed::Command),
        PATCHES => patch(input),
        _ if READS.contains(&tool) => one(PathUse::Read, file()),
        _ if SEARCHES.contains(&tool) => {
            let place = file().unwrap_or_else(|| ".".to_owned());
            let mut paths = vec![place.clone()];
            // A pattern for names can lead to a place of its own.
            paths.extend(text(&["glob", "include"]).map(|names| format!("{}/{names}", place.trim_end_matches('/'))));
            Deed::Paths(PathUse::Search, paths)
        }
        _ if WRITES.contains(&tool) => one(PathUse::Write, file()),
        _ => Deed::Other,
    }
}

/// The files of a patch, each named on a line of its own.
fn patch(input: &Value) -> Deed {
    const HEADS: [&str; 4] = ["*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:"];
    let words = input.get("command").and_then(Value::as_array);
    let text = words.and_then(|words| words.last()?.as_str());
    let text = text.or_else(|| ["input", "patch", "command"].iter().find_map(|key| input.get(key)?.as_str()));
    let text = text.or_else(|| input.as_str());
    let paths: Vec<String> = text
        .unwrap_or_default()
        .lines()
        .filter_map(|line| HEADS.iter().find_map(|head| line.trim_start().strip_prefix(head)))
        .map(|path| path.trim().to_owned())
        .collect();
    if paths.is_empty() { Deed::Unreadable } else { Deed::Paths(PathUse::Write, paths) }
}

/// A command is a line, or the words of one; the line that words hand to a shell is the command.
fn command_line(command: &Value) -> Option<String> {
    if let Some(line) = command.as_str() {
        return Some(line.to_owned());
    }
    let words: Vec<&str> = command.as_array()?.iter().map(Value::as_str).collect::<Option<_>>()?;
    match words.as_slice() {
        [] => None,
        [shell, "-c" | "-lc", line]
            if ["bash", "sh", "zsh"].contains(&shell.rsplit('/').next().unwrap_or_default()) =>
        {
            Some((*line).to_owned())
        }
        words => Some(words.iter().map(|word| lwa_policy::quote(word)).collect::<Vec<_>>().join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_payload_tells_its_client() {
        assert_eq!(client(None, &json!({"session_id": "s", "turn_id": "t"})), CODEX);
        assert_eq!(client(None, &json!({"transcript_path": "/h/.claude/projects/p/s.jsonl"})), CLAUDE);
        assert_eq!(client(Some("codex"), &json!({"prompt_id": "p"})), CODEX);
    }

    #[test]
    fn commands_come_as_lines_and_as_words() {
        let deed_of = |tool: &str, input: Value| deed(&json!({"tool_name": tool, "tool_input": input}));
        assert_eq!(deed_of("Bash", json!({"command": "ls -l"})), Deed::Command("ls -l".to_owned()));
        assert_eq!(deed_of("shell", json!({"command": ["bash", "-lc", "a | b"]})), Deed::Command("a | b".to_owned()));
        assert_eq!(deed_of("shell", json!({"command": ["echo", "a b"]})), Deed::Command("echo 'a b'".to_owned()));
        assert_eq!(deed_of("write_stdin", json!({"chars": "ls\n"})), Deed::Command("ls\n".to_owned()));
        assert_eq!(deed_of("Bash", json!({"command": [1]})), Deed::Unreadable);
        assert_eq!(deed_of("exec_command", json!({})), Deed::Unreadable);
        assert_eq!(deed_of("TodoWrite", json!({"todos": []})), Deed::Other);
    }

    #[test]
    fn files_come_under_several_names() {
        let deed_of = |tool: &str, input: Value| deed(&json!({"tool_name": tool, "tool_input": input}));
        let paths =
            |path_use, list: &[&str]| Deed::Paths(path_use, list.iter().map(|path| (*path).to_owned()).collect());
        assert_eq!(deed_of("Read", json!({"file_path": "/a"})), paths(PathUse::Read, &["/a"]));
        assert_eq!(deed_of("view_image", json!({"path": "/a"})), paths(PathUse::Read, &["/a"]));
        assert_eq!(deed_of("Write", json!({"file_path": "/a"})), paths(PathUse::Write, &["/a"]));
        assert_eq!(deed_of("NotebookEdit", json!({"notebook_path": "/a"})), paths(PathUse::Write, &["/a"]));
        assert_eq!(deed_of("Edit", json!({"file_path": 7})), Deed::Unreadable);
        assert_eq!(deed_of("Grep", json!({"pattern": "x"})), paths(PathUse::Search, &["."]));
        let searched = json!({"pattern": "x", "path": "/h/", "glob": ".ssh/*"});
        assert_eq!(deed_of("Grep", searched), paths(PathUse::Search, &["/h/", "/h/.ssh/*"]));
        let patch = "*** Begin Patch\n*** Update File: a.rs\n*** Move to: b.rs\n@@\n-x\n*** End Patch";
        for input in [json!({"input": patch}), json!({"command": ["apply_patch", patch]}), json!({"command": patch})] {
            assert_eq!(deed_of("apply_patch", input), paths(PathUse::Write, &["a.rs", "b.rs"]));
        }
        assert_eq!(deed_of("apply_patch", json!({"input": "something"})), Deed::Unreadable);
    }
}
