//! Which environment variables hold keys.

use std::collections::BTreeSet;

use toml_edit::{Document, Item, TableLike};

use crate::endpoint::variable_fault;
use crate::home::Home;

/// The keys of a provider or the worker whose values are names of variables.
const KEYS: [&str; 6] =
    ["api_key_env", "api_key_envs", "account_id_env", "billing_api_key_env", "quota_key_env", "fallback_api_key_env"];
/// A configuration is a few kilobytes; a file much larger is none, and a start must not wait for it.
const MAX_BYTES: u64 = 1 << 20;

/// Variables that the shipped providers take keys and account ids from, so that a key which is already
/// in the environment works with nothing configured. A test of the engine holds the list to the catalogue.
pub const SHIPPED_NAMES: &[&str] = &[
    "AION_API_KEY",
    "BLACKBOX_API_KEY",
    "CEREBRAS_API_KEY",
    "CF_ACCOUNT_ID",
    "CF_API_TOKEN",
    "CHATGPT_API_KEY",
    "CLOUDFLARE_ACCOUNT_ID",
    "CLOUDFLARE_API_TOKEN",
    "COHERE_API_KEY",
    "CO_API_KEY",
    "GEMINI_API_KEY",
    "GEMINI_API_KEY_1",
    "GEMINI_API_KEY_2",
    "GEMINI_BILLING_API_KEY",
    "GLM_API_KEY",
    "GOOGLE_API_KEY",
    "GROQ_API_KEY",
    "GROQ_KEY",
    "MISTRAL_API_KEY",
    "MISTRAL_KEY",
    "NGC_API_KEY",
    "NVIDIA_API_KEY",
    "NVIDIA_NIM_API_KEY",
    "OPENAI_API_KEY",
    "OPENAI_API_KEY_1",
    "OPENAI_BILLING_API_KEY",
    "OPENROUTER_API_KEY",
    "OPENROUTER_KEY",
    "POLLINATIONS_API_KEY",
    "PUTER_AUTH_TOKEN",
    "REPLICATE_API_KEY",
    "REPLICATE_API_TOKEN",
    "SILICONFLOW_API_KEY",
    "SILICON_FLOW_API_KEY",
    "STABILITY_API_KEY",
    "VENICE_API_KEY",
    "ZAI_API_KEY",
    "ZENMUX_API_KEY",
    "ZENMUX_MANAGEMENT_API_KEY",
    "ZHIPUAI_API_KEY",
];

/// Names of the variables that the configuration file and the shipped providers list for keys, sorted,
/// without repeats.
///
/// They travel from a client's environment into the host's when the host is started. A file with an
/// error still gives what can be read, because the host starts with the last good configuration.
/// Variables that steer programs are never among them.
pub fn credential_names(home: &Home) -> Vec<String> {
    let mut names: BTreeSet<String> = SHIPPED_NAMES.iter().map(|name| (*name).to_owned()).collect();
    names.extend(names_in_file(home));
    names.into_iter().collect()
}

fn names_in_file(home: &Home) -> Vec<String> {
    let path = home.config_file();
    let is_small = std::fs::metadata(&path).is_ok_and(|meta| meta.is_file() && meta.len() <= MAX_BYTES);
    if !is_small {
        return Vec::new();
    }
    let text = std::fs::read(&path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    names_in(&text)
}

fn names_in(text: &str) -> Vec<String> {
    let mut names = BTreeSet::new();
    match Document::parse(text) {
        Ok(document) => {
            let providers = document.get("providers").and_then(Item::as_table_like);
            for (_, provider) in providers.map(TableLike::iter).into_iter().flatten() {
                collect(provider.as_table_like(), &mut names);
            }
            collect(document.get("worker").and_then(Item::as_table_like), &mut names);
        }
        // Not TOML as a whole; most lines still are, each by itself.
        Err(_) => {
            for line in text.lines() {
                if let Ok(document) = Document::parse(line) {
                    collect(Some(document.as_table()), &mut names);
                }
            }
        }
    }
    names.into_iter().collect()
}

fn collect(table: Option<&dyn TableLike>, names: &mut BTreeSet<String>) {
    for item in KEYS.iter().filter_map(|key| table?.get(key)) {
        let one = item.as_str();
        let several = item.as_array().into_iter().flatten().filter_map(|value| value.as_str());
        names.extend(one.into_iter().chain(several).filter(|name| variable_fault(name).is_none()).map(str::to_owned));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "[providers.a]\napi_key_env = \"A_KEY\"\naccount_id_env = \"A_ACCOUNT\"\n\
        [providers.b]\napi_key_envs = [\"B_KEY\", \"A_KEY\"]\nquota_key_env = \"B_QUOTA\"\n\
        billing_api_key_env = \"B_BILL\"\nbase_url = \"http://127.0.0.1\"\n";

    #[test]
    fn collects_every_name_once() {
        assert_eq!(names_in(GOOD), ["A_ACCOUNT", "A_KEY", "B_BILL", "B_KEY", "B_QUOTA"]);
    }

    #[test]
    fn the_workers_variables_are_among_them() {
        let text = "[worker]\napi_key_env = \"W_KEY\"\nfallback_api_key_env = \"W_SECOND\"\nmodel = \"M_KEY\"\n";
        assert_eq!(names_in(text), ["W_KEY", "W_SECOND"]);
    }

    #[test]
    fn a_broken_file_still_gives_what_can_be_read() {
        let broken = format!("{GOOD}[providers.c\napi_key_env = \"C_KEY\"\nbase_url = \n");
        assert_eq!(names_in(&broken), ["A_ACCOUNT", "A_KEY", "B_BILL", "B_KEY", "B_QUOTA", "C_KEY"]);
    }

    #[test]
    fn a_file_cannot_let_steering_variables_or_keys_through() {
        let text = "[providers.a]\napi_key_envs = [\"LD_PRELOAD\", \"PATH\", \"https_proxy\", \"LWA_HOME\", \
            \"gsk_fake0fake1fake2fake3fake4\", \"not a name\", \"FINE\"]\n";
        assert_eq!(names_in(text), ["FINE"]);
    }

    #[test]
    fn the_shipped_names_are_always_there_and_the_files_come_on_top() {
        let temp = tempfile::tempdir().unwrap();
        let home = Home::at(temp.path()).unwrap();
        assert_eq!(credential_names(&home), SHIPPED_NAMES);
        home.create().unwrap();
        std::fs::write(home.config_file(), GOOD).unwrap();
        assert_eq!(credential_names(&home).len(), SHIPPED_NAMES.len() + 5);
    }
}
