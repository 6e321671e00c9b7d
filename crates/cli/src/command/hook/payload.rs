//! What clients hand to their hooks.

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
    /// A file that is read.
    Read(String),
    /// Nothing that the guard knows.
    Other,
}

/// The deed of a tool use.
pub(super) fn deed(payload: &Value) -> Deed {
    let tool = payload.get("tool_name").and_then(Value::as_str).unwrap_or_default();
    let input = payload.get("tool_input").unwrap_or(&Value::Null);
    match tool {
        "Bash" | "shell" | "local_shell" | "exec_command" | "shell_command" => {
            let command = input.get("command").or_else(|| input.get("cmd"));
            command.and_then(command_line).map_or(Deed::Other, Deed::Command)
        }
        "Read" | "read_file" | "view" | "view_image" => ["file_path", "path"]
            .iter()
            .find_map(|key| input.get(key)?.as_str())
            .map_or(Deed::Other, |path| Deed::Read(path.to_owned())),
        _ => Deed::Other,
    }
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
        assert_eq!(deed_of("Read", json!({"file_path": "/a"})), Deed::Read("/a".to_owned()));
        assert_eq!(deed_of("Bash", json!({"command": [1]})), Deed::Other);
        assert_eq!(deed_of("Write", json!({"file_path": "/a"})), Deed::Other);
    }
}
