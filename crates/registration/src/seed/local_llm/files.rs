//! Where the older worker keeps its files.

use std::path::Path;

use serde_json::Value;

use super::{LocalLlmFiles, LocalLlmSeed, PREFIX};
use crate::file;
use crate::seed::SeedError;

/// Names of its folders.
const NAMESPACES: [&str; 2] = ["local-llm-mcp", "local_llm_mcp"];
/// Names that the file of variables may have.
const SETTINGS: [&str; 3] = ["env", "local-llm-mcp.env", ".env"];

/// The files that are at a path under their usual names.
pub(super) fn locate(path: &Path) -> Result<LocalLlmSeed, SeedError> {
    if !path.exists() {
        return Err(SeedError::Absent(path.to_owned()));
    }
    let files = if path.is_file() { one_file(path)? } else { in_folder(path)? };
    Ok(LocalLlmSeed { files, ..LocalLlmSeed::default() })
}

fn in_folder(path: &Path) -> Result<LocalLlmFiles, SeedError> {
    let mut folders = vec![path.to_owned()];
    for base in [".config", ".local/state"] {
        folders.extend(NAMESPACES.iter().map(|name| path.join(base).join(name)));
    }
    let find = |name: &str, is_there: fn(&Path) -> bool| {
        folders.iter().map(|folder| folder.join(name)).find(|path| is_there(path))
    };
    let file = |name: &str| find(name, Path::is_file);
    let mut settings = None;
    for name in SETTINGS {
        // Many programs have a file of such a name.
        let Some(found) = file(name) else { continue };
        if read(&found)?.contains(PREFIX) {
            settings = Some(found);
            break;
        }
    }
    Ok(LocalLlmFiles {
        settings,
        client: None,
        allow_list: file("run-allow.txt"),
        private_terms: file("private_terms.json"),
        // Rules held only where a variable named them.
        rules: None,
        prices: file("prices.json"),
        savings: file("savings.jsonl"),
        sessions: find("sessions", Path::is_dir),
    })
}

/// Files that a variable puts somewhere else than usual.
pub(super) fn named_by_variables(seed: &mut LocalLlmSeed) {
    for name in ["RUN_ALLOW", "PRIVATE_TERMS", "RULES", "PRICES"] {
        let Some(path) = seed.file_of(name) else { continue };
        let is_there = path.is_file();
        if !is_there {
            seed.left.push((format!("{PREFIX}{name}"), "there is no such file"));
        }
        let files = &mut seed.files;
        let slot = match name {
            "RUN_ALLOW" => &mut files.allow_list,
            "PRIVATE_TERMS" => &mut files.private_terms,
            "RULES" => &mut files.rules,
            _ => &mut files.prices,
        };
        // A file that is missing meant an empty one there, whatever stands in the usual place.
        *slot = is_there.then_some(path);
    }
    if let Some(folder) = seed.file_of("STATE_DIR") {
        let (savings, sessions) = (folder.join("savings.jsonl"), folder.join("sessions"));
        seed.files.savings = Some(savings).filter(|path| path.is_file());
        seed.files.sessions = Some(sessions).filter(|path| path.is_dir());
    }
}

/// The one file, by its name or else by what is in it.
fn one_file(path: &Path) -> Result<LocalLlmFiles, SeedError> {
    let file = Some(path.to_owned());
    let none = LocalLlmFiles::default();
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    Ok(match name.rsplit_once('.').map_or(name, |(_, ending)| ending) {
        "env" => LocalLlmFiles { settings: file, ..none },
        "txt" => LocalLlmFiles { allow_list: file, ..none },
        "jsonl" => LocalLlmFiles { savings: file, ..none },
        "toml" => LocalLlmFiles { client: file, ..none },
        "json" => {
            let content: Value = serde_json::from_str(&read(path)?).unwrap_or_default();
            let has = |key: &str| content.get(key).is_some();
            if has("terms") {
                LocalLlmFiles { private_terms: file, ..none }
            } else if has("regex_rules") {
                LocalLlmFiles { rules: file, ..none }
            } else if name == "prices.json" || has("assumptions") || has("models") {
                LocalLlmFiles { prices: file, ..none }
            } else if content.is_object() {
                LocalLlmFiles { client: file, ..none }
            } else {
                return Err(SeedError::UnknownFile(path.to_owned()));
            }
        }
        _ => return Err(SeedError::UnknownFile(path.to_owned())),
    })
}

/// The text of a file that has to be there.
pub(super) fn read(path: &Path) -> Result<zeroize::Zeroizing<String>, SeedError> {
    let failed = |source| SeedError::Read { path: path.to_owned(), source };
    file::read(path).map_err(failed)?.ok_or_else(|| SeedError::Absent(path.to_owned()))
}
