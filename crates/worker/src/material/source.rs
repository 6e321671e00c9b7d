//! Labels that say what a material is.

/// The longest path that is shown whole.
const MOST_PATH_CHARS: usize = 96;
/// Paths that are named in a label.
const MOST_PATHS: usize = 8;

/// `command: ` and the beginning of the command.
pub fn command_label(command: &str, chars: usize) -> String {
    let command = one_line(command);
    let cut: String = command.chars().take(chars).collect();
    let mark = if cut.len() < command.len() { "…" } else { "" };
    format!("command: {cut}{mark}")
}

/// `paths: ` and the first of them.
pub(super) fn paths_label(paths: &[String]) -> String {
    let mut shown: Vec<String> = paths.iter().take(MOST_PATHS).map(|path| shown_path(path)).collect();
    if paths.len() > MOST_PATHS {
        shown.push("…".to_owned());
    }
    format!("paths: {}", shown.join(", "))
}

/// A path, or an ellipsis and its last two parts when it is long.
pub fn shown_path(path: &str) -> String {
    let path = one_line(path);
    if path.chars().count() <= MOST_PATH_CHARS {
        return path;
    }
    let mut parts: Vec<&str> = path.rsplit('/').filter(|part| !part.is_empty()).take(2).collect();
    parts.reverse();
    format!("…/{}", parts.join("/"))
}

/// The text on one line, without control characters.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in text.trim().chars() {
        match character {
            '\n' | '\r' | '\t' => line.push(' '),
            control if control.is_control() => {}
            other => line.push(other),
        }
    }
    line
}
