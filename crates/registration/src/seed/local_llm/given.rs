//! The placeholders that the older worker gave out, without what they stand for.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::savings::is_name;
use crate::file;

/// The most conversations that are looked at.
const MOST_CONVERSATIONS: usize = 10_000;

/// What its conversations gave out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GivenPlaceholders {
    /// Its conversations.
    pub conversations: u64,
    /// Those that gave placeholders and that a client can come back to.
    pub given: Vec<GivenIn>,
    /// Those whose file cannot be read.
    pub unreadable: u64,
}

/// What one conversation gave out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenIn {
    /// Its id: a client's, or the one that a script named.
    pub session: String,
    /// Whether it is Claude Code's id.
    pub is_claude_code: bool,
    /// The last placeholder of each kind, `[EMAIL-3]`.
    pub placeholders: Vec<String>,
}

/// The older worker's file of values. The values themselves are passed over.
#[derive(Deserialize)]
struct Values {
    #[expect(clippy::zero_sized_map_values, reason = "an object of the file, whose values are passed over")]
    placeholders: BTreeMap<String, IgnoredAny>,
}

/// Reads which placeholders the conversations below a folder have given out.
pub fn read_given(sessions: &Path) -> GivenPlaceholders {
    let mut found = GivenPlaceholders::default();
    let entries = fs::read_dir(sessions).into_iter().flatten().flatten();
    let mut folders: Vec<_> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    found.conversations = u64::try_from(folders.len()).unwrap_or(u64::MAX);
    for folder in folders.iter().take(MOST_CONVERSATIONS) {
        let Some(session) = folder.file_name().and_then(|name| name.to_str()) else { continue };
        // What a process id names is no conversation that a client could come back to.
        if !is_name(session) || session.starts_with("pid-") {
            continue;
        }
        let values = match file::read(&folder.join("placeholders.json")) {
            Ok(Some(text)) => serde_json::from_str::<Values>(&text).ok(),
            Ok(None) => continue,
            Err(_) => None,
        };
        let Some(values) = values else {
            found.unreadable += 1;
            continue;
        };
        let placeholders = last_of_each_kind(values.placeholders.into_keys());
        if !placeholders.is_empty() {
            let is_claude_code = is_claude_codes(folder, session);
            found.given.push(GivenIn { session: session.to_owned(), is_claude_code, placeholders });
        }
    }
    found
}

fn is_claude_codes(folder: &Path, session: &str) -> bool {
    let meta = file::read(&folder.join("meta.json")).ok().flatten();
    let meta: Value = meta.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    meta.get("claude_session_id").and_then(Value::as_str) == Some(session)
}

fn last_of_each_kind(placeholders: impl Iterator<Item = String>) -> Vec<String> {
    let mut last: BTreeMap<String, u32> = BTreeMap::new();
    for placeholder in placeholders {
        let inner = placeholder.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let Some((kind, number)) = inner.and_then(|inner| inner.rsplit_once('-')) else { continue };
        let is_kind = !kind.is_empty() && kind.len() <= 32 && kind.bytes().all(|byte| byte.is_ascii_uppercase());
        if let (true, Ok(number)) = (is_kind, number.parse::<u32>()) {
            let known = last.entry(kind.to_owned()).or_default();
            *known = number.max(*known);
        }
    }
    last.into_iter().map(|(kind, number)| format!("[{kind}-{number}]")).collect()
}
