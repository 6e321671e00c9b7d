//! Finds who speaks at the start of a line.

use std::collections::HashMap;

use crate::lines::Lines;

/// The part that a speaker plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A person, or the system prompt: what they ask for is binding.
    User,
    /// A model.
    Assistant,
    /// A program; what it says is read as a log.
    Tool,
}

/// The label at the start of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Label {
    /// Where the words of the speaker start.
    pub(crate) end: usize,
    /// Who speaks.
    pub(crate) role: Role,
}

const ROLES: &[(&str, Role)] = &[
    ("user", Role::User),
    ("human", Role::User),
    ("me", Role::User),
    ("developer", Role::User),
    ("system", Role::User),
    ("customer", Role::User),
    ("you", Role::User),
    ("assistant", Role::Assistant),
    ("ai", Role::Assistant),
    ("agent", Role::Assistant),
    ("bot", Role::Assistant),
    ("model", Role::Assistant),
    ("claude", Role::Assistant),
    ("chatgpt", Role::Assistant),
    ("gpt", Role::Assistant),
    ("gemini", Role::Assistant),
    ("copilot", Role::Assistant),
    ("codex", Role::Assistant),
    ("cursor", Role::Assistant),
    ("thinking", Role::Assistant),
    ("tool", Role::Tool),
    ("tool result", Role::Tool),
    ("tool_result", Role::Tool),
    ("tool output", Role::Tool),
    ("tool call", Role::Tool),
    ("tool_use", Role::Tool),
    ("tool_call", Role::Tool),
    ("function", Role::Tool),
    ("output", Role::Tool),
    ("result", Role::Tool),
    ("terminal", Role::Tool),
    ("shell", Role::Tool),
];

/// The longest name of a speaker.
const NAME_BYTES: usize = 32;
/// A name that is no role must stand at the start of so many lines to be a speaker's.
const NAME_LINES: usize = 3;

/// The names that speak in a text, besides the known roles.
#[derive(Debug, Default)]
pub(crate) struct Speakers<'a> {
    names: HashMap<&'a str, usize>,
}

impl<'a> Speakers<'a> {
    /// Finds the names that stand before a colon often enough.
    pub(crate) fn of(lines: &'a Lines<'_>) -> Self {
        let mut names: HashMap<&str, usize> = HashMap::new();
        for line in &lines.spans {
            if let Some((name, _)) = opening(lines.get(line))
                && is_personal(name)
            {
                *names.entry(name).or_default() += 1;
            }
        }
        names.retain(|_, count| *count >= NAME_LINES);
        // One name alone is a word that the text likes, not a conversation; so are dozens.
        if !(2..=12).contains(&names.len()) {
            names.clear();
        }
        Self { names }
    }

    /// Whether names that are no roles speak.
    pub(crate) fn has_names(&self) -> bool {
        !self.names.is_empty()
    }

    /// The label that `line` starts with.
    pub(crate) fn label(&self, line: &str) -> Option<Label> {
        if let Some((name, end)) = opening(line) {
            if let Some(role) = role_of(name) {
                return Some(Label { end, role });
            }
            return self.names.contains_key(name).then_some(Label { end, role: Role::User });
        }
        heading(line).map(|role| Label { end: line.len(), role })
    }
}

fn role_of(name: &str) -> Option<Role> {
    ROLES.iter().find(|(word, _)| name.eq_ignore_ascii_case(word)).map(|(_, role)| *role)
}

/// The name before the first colon, without marks and time, and where the text behind it starts.
fn opening(line: &str) -> Option<(&str, usize)> {
    let mut rest = line.trim_start_matches([' ', '#', '*', '>', '_']);
    if let Some(inner) = rest.strip_prefix('[')
        && let Some((time, behind)) =
            inner.split_at_checked(inner.bytes().take(NAME_BYTES).position(|byte| byte == b']')?)
    {
        // `[12:03] Ann:` has a time in front, `[user]:` and `[user] text` have the name itself there.
        if time.bytes().any(|byte| byte.is_ascii_digit()) {
            rest = behind.trim_start_matches([']', ' ']);
        } else {
            let text = behind.trim_start_matches([']', ':', ' ']);
            return role_of(time).map(|_| (time, line.len() - text.len()));
        }
    }
    let near = rest.as_bytes().get(..rest.len().min(NAME_BYTES + 16)).unwrap_or_default();
    let mut colon = near.iter().position(|byte| *byte == b':')?;
    if near.iter().take(colon).any(|byte| *byte == b'(') {
        colon = near.iter().position(|byte| *byte == b')')? + 1;
        if near.get(colon) != Some(&b':') {
            return None;
        }
    }
    let (head, tail) = rest.split_at_checked(colon)?;
    // `Ann (12:03): text` has its time behind the name.
    let name = head.split('(').next().unwrap_or_default().trim_end_matches([' ', '*', '_']);
    let text = tail.trim_start_matches([':', '*', '_']);
    let is_label = !name.is_empty()
        && name.len() <= NAME_BYTES
        && (text.is_empty() || text.starts_with(' '))
        && !tail.starts_with("::");
    is_label.then(|| (name, line.len() - text.trim_start_matches(' ').len()))
}

/// Whether a name could be a person's.
fn is_personal(name: &str) -> bool {
    const WORDS: [&str; 26] = [
        "Note",
        "Warning",
        "Error",
        "Caused by",
        "Help",
        "Hint",
        "Author",
        "Date",
        "Commit",
        "Merge",
        "File",
        "Line",
        "Todo",
        "Example",
        "Step",
        "Expected",
        "Actual",
        "Received",
        "Usage",
        "Options",
        "Summary",
        "Result",
        "Version",
        "Status",
        "Name",
        "Total",
    ];
    let words = name.split(' ').count();
    words <= 3
        && role_of(name).is_none()
        && name.split(' ').all(|word| {
            word.starts_with(char::is_uppercase) && word.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '.')
        })
        && !WORDS.contains(&name)
}

/// The role that a Markdown heading without a colon names, as in `## User` or `### Assistant (12:03)`.
fn heading(line: &str) -> Option<Role> {
    let rest = line.trim_start();
    if !rest.starts_with(['#', '*']) || rest.len() > 80 {
        return None;
    }
    let words = rest.trim_start_matches(['#', '*', ' ']);
    let name = words.split([' ', '*', '(', ',']).next().unwrap_or_default();
    let behind = words.get(name.len()..).unwrap_or_default().trim_start_matches(['*', ' ']);
    // A heading such as `## User guide` is a title.
    let is_alone = behind.is_empty()
        || behind.starts_with(['(', '[', '\u{2014}', '-'])
        || behind.starts_with(|c: char| c.is_ascii_digit());
    if is_alone { role_of(name) } else { None }
}

#[cfg(test)]
mod tests {
    use super::{Label, Role, Speakers};
    use crate::lines::Lines;
    use rstest::rstest;

    #[rstest]
    #[case("user: hello", Some((6, Role::User)))]
    #[case("Assistant: hello", Some((11, Role::Assistant)))]
    #[case("**User:** hello", Some((10, Role::User)))]
    #[case("## User", Some((7, Role::User)))]
    #[case("### Assistant (12:03)", Some((21, Role::Assistant)))]
    #[case("[12:03] user: hello", Some((14, Role::User)))]
    #[case("[assistant] hello", Some((12, Role::Assistant)))]
    #[case("User (12:03): hello", Some((14, Role::User)))]
    #[case("tool_result: x", Some((13, Role::Tool)))]
    #[case("## User guide", None)]
    #[case("std::user::x", None)]
    #[case("error: hello", None)]
    #[case("the user: hello", None)]
    fn finds_roles(#[case] line: &str, #[case] expected: Option<(usize, Role)>) {
        let label = Speakers::default().label(line);
        assert_eq!(label, expected.map(|(end, role)| Label { end, role }));
    }

    #[test]
    fn finds_names_that_speak_often() {
        let lines = Lines::new("Ann: a\nBen: b\nAnn: c\nBen: d\nAnn: e\nBen: f\nCem: g\nNote: x\nNote: y\nNote: z");
        let speakers = Speakers::of(&lines);
        assert!(speakers.label("Ann: hello").is_some());
        assert!(speakers.label("Cem: hello").is_none());
        assert!(speakers.label("Note: hello").is_none());
    }
}
