//! `lwa keys`: stored keys, never shown.

use std::io::{IsTerminal, Read};

use lwa_protocol::Failure;
use lwa_protocol::host::Nothing;
use lwa_protocol::method::{KeyGetList, KeyRemove, KeySet};
use lwa_protocol::provider::{KeyList, KeySetParams, ProviderParams};

use crate::args::KeysVerb;
use crate::command::keys_wizard;
use crate::face;
use crate::output::{Output, table};

/// The most that is read from stdin for a key.
const MAX_INPUT: u64 = 64 * 1024;

/// Runs a verb.
pub async fn keys(verb: Option<KeysVerb>, output: Output) -> Result<u8, Failure> {
    let Some(verb) = verb else { return keys_wizard::wizard(output).await };
    match verb {
        KeysVerb::List => {
            let list = face::call::<KeyGetList>(Nothing {}).await?;
            output.result(&list, readable);
        }
        KeysVerb::Set { provider } => {
            let key = read_key(&provider)?;
            let stored = face::call::<KeySet>(KeySetParams { provider, key }).await?;
            output.result(&stored, |stored| {
                format!("Stored the key of {} in the {} ({}).", stored.provider, stored.backend, stored.masked)
            });
        }
        KeysVerb::Remove { provider } => {
            let view = face::call::<KeyRemove>(ProviderParams { provider }).await?;
            output.result(&view, |view| format!("Removed the key of {}.", view.name));
        }
        KeysVerb::Discover => return keys_wizard::discover(output).await,
        KeysVerb::Import { file, yes } => return keys_wizard::import(&file, yes, output).await,
    }
    Ok(0)
}

fn read_key(provider: &str) -> Result<String, Failure> {
    if std::io::stdin().is_terminal() {
        return rpassword::prompt_password(format!("Key of {provider} (not shown): "))
            .map_err(|error| face::internal(&format!("cannot read the key: {error}")));
    }
    let mut key = String::new();
    std::io::stdin()
        .lock()
        .take(MAX_INPUT)
        .read_to_string(&mut key)
        .map_err(|error| face::internal(&format!("cannot read the key from stdin: {error}")))?;
    Ok(key)
}

fn readable(list: &KeyList) -> String {
    if list.keys.is_empty() {
        return "No provider has a key. Store one with `lwa keys set PROVIDER`; `lwa providers` lists them.".to_owned();
    }
    let rows: Vec<Vec<String>> = list
        .keys
        .iter()
        .map(|key| {
            vec![key.provider.clone(), key.masked.clone(), key.variable.clone().unwrap_or_else(|| key.backend.clone())]
        })
        .collect();
    table(&["provider", "key", "from"], &rows)
}
