//! Folders below somebody's home: they name the person, and the machine.

use memchr::memmem;

use super::Found;
use crate::finding::Rule;

/// Words that stand before the name of a person.
const ROOTS: [&str; 4] = ["/home/", "/Users/", r"\Users\", r"\\Users\\"];
/// Where homes lie on some systems; elsewhere `/home/` behind a word is part of an address on the web.
const BEFORE: [&str; 9] = ["/var", "/usr", "/export", "/data", "/mnt", "file:", "Data", "/private", "rootfs"];
/// Names that are nobody's.
const NOBODY: &[&str] = &[
    "alice",
    "app",
    "bob",
    "carol",
    "circleci",
    "default",
    "dev",
    "example",
    "foo",
    "jane",
    "john",
    "linuxbrew",
    "me",
    "name",
    "node",
    "nobody",
    "public",
    "runner",
    "shared",
    "somebody",
    "someone",
    "ubuntu",
    "user",
    "username",
    "users",
    "vagrant",
    "vscode",
    "you",
    "your-name",
    "yourname",
    "your_name",
    "your-user",
    "youruser",
];

/// Paths below homes, up to the name of the person; and those below the homes that were named.
pub(super) fn paths(text: &str, homes: &[String], found: &mut Vec<Found>) {
    for root in ROOTS {
        for start in memmem::find_iter(text.as_bytes(), root) {
            let from = start + root.len();
            if !is_root(&text[..start]) {
                continue;
            }
            let rest = &text[from..];
            let name = &rest[..rest.find(|c: char| !is_of_name(c)).unwrap_or(rest.len())];
            let name = name.trim_end_matches(['.', '-']);
            let next = rest[name.len()..].chars().next();
            // `$USER`, `<name>`, `{id}` and `%s` are no names, and neither is a number.
            if name.is_empty() || matches!(next, Some('$' | '<' | '{' | '*' | '%' | '(' | '}')) {
                continue;
            }
            // One letter stands for anybody.
            if name.chars().nth(1).is_none()
                || name.bytes().all(|byte| byte.is_ascii_digit())
                || NOBODY.contains(&name.to_lowercase().as_str())
            {
                continue;
            }
            found.push(Found { start, end: from + name.len(), rule: Rule::HomePath });
        }
    }
    for home in homes {
        for start in memmem::find_iter(text.as_bytes(), home) {
            let end = start + home.len();
            let is_whole = text[end..].chars().next().is_none_or(|next| !is_of_name(next));
            let is_known = found.iter().any(|known| known.start <= start && start < known.end);
            if is_whole && !is_known {
                found.push(Found { start, end, rule: Rule::HomePath });
            }
        }
    }
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '-')
}

/// Whether a path starts here, as far as the text before can tell.
fn is_root(before: &str) -> bool {
    if before.chars().next_back().is_none_or(|last| !is_of_name(last) && !matches!(last, '}' | '/' | '\\')) {
        return true;
    }
    // `/mnt/c/Users/…` is a drive of Windows; `file:///home/…` has one sign more.
    let is_drive = before.strip_suffix(|c: char| c.is_ascii_lowercase()).is_some_and(|rest| rest.ends_with("/mnt/"));
    is_drive || before.ends_with("file://") || BEFORE.iter().any(|word| before.ends_with(word))
}
