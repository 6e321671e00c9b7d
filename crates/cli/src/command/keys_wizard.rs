//! `lwa keys` on a terminal, `lwa keys discover` and `lwa keys import`.
//!
//! No key is ever shown: what is found is masked, what is typed is not echoed, and both go to the host, which
//! keeps them.

pub mod found;
pub mod terminal;

use std::path::Path;

use lwa_domain::ErrorCode;
use lwa_protocol::host::Nothing;
use lwa_protocol::method::ProviderGetList;
use lwa_protocol::provider::{KeyView, ProviderState, ProviderView};
use lwa_protocol::{Connection, Failure};
use lwa_registration::discover::{Found, LookState, LookedIn, discover as look, in_file};
use lwa_registration::variables::Holds;
use serde::Serialize;
use serde_json::json;

use self::found::FoundView;
use self::terminal::Terminal;
use crate::face;
use crate::output::{Output, table};

/// How often a key that is none may be typed again.
const TRIES: u32 = 3;

/// What a run of the wizard came to.
#[derive(Debug, Serialize)]
struct Summary {
    /// `completed`, `ended_early`, or `non_interactive` when nobody could be asked.
    status: &'static str,
    /// The keys that were stored in this run.
    stored: Vec<KeyView>,
    /// Providers that have a key.
    configured: Vec<String>,
    /// Providers that need one.
    missing: Vec<String>,
}

/// Shows what was found, asks what to store and then for what is missing.
pub async fn wizard(output: Output) -> Result<u8, Failure> {
    let host = face::host().await?;
    if !terminal::is_attended() {
        output.note("Nobody can be asked here: stdin is no terminal. Store a key with `lwa keys set PROVIDER`, which reads it from stdin.");
        return finish(&host, "non_interactive", Vec::new(), output).await;
    }
    let mut wizard = Wizard { terminal: Terminal::open()?, host: &host, stored: Vec::new() };
    let is_complete = wizard.run().await?;
    let stored = std::mem::take(&mut wizard.stored);
    finish(&host, if is_complete { "completed" } else { "ended_early" }, stored, output).await
}

async fn finish(host: &Connection, status: &'static str, stored: Vec<KeyView>, output: Output) -> Result<u8, Failure> {
    let (configured, missing): (Vec<_>, Vec<_>) =
        wanting_keys(host).await?.into_iter().partition(|provider| provider.key.is_some());
    let names = |providers: Vec<ProviderView>| providers.into_iter().map(|provider| provider.name).collect();
    let summary = Summary { status, stored, configured: names(configured), missing: names(missing) };
    output.result(&summary, |summary| {
        let list = |names: &[String]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        format!("With a key:     {}\nWithout a key:  {}", list(&summary.configured), list(&summary.missing))
    });
    Ok(0)
}

/// Providers that need a key and are not switched off, by name.
async fn wanting_keys(host: &Connection) -> Result<Vec<ProviderView>, Failure> {
    let mut providers = face::call_on::<ProviderGetList>(host, Nothing {}).await?.providers;
    providers.retain(|provider| provider.needs_key && provider.state != ProviderState::Disabled);
    providers.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(providers)
}

/// Whether the host keeps a key of the provider, and not just an environment.
fn is_stored(provider: &ProviderView) -> bool {
    provider.key.as_ref().is_some_and(|key| key.variable.is_none())
}

struct Wizard<'a> {
    terminal: Terminal,
    host: &'a Connection,
    stored: Vec<KeyView>,
}

impl Wizard<'_> {
    /// False when the input ended before the last question.
    async fn run(&mut self) -> Result<bool, Failure> {
        self.terminal.say(
            "Keys are shown by their last characters alone, and what you type is not shown. Ctrl+D ends; what was stored stays.",
        )?;
        let variables = found::variables(self.host).await?;
        let found = look(&variables, &found::places(&face::home()?)).found;
        let open: Vec<ProviderView> =
            wanting_keys(self.host).await?.into_iter().filter(|provider| !is_stored(provider)).collect();
        let found: Vec<Found> = found
            .into_iter()
            .filter(|found| found.holds == Holds::Key && open.iter().any(|provider| provider.name == found.provider))
            .collect();
        if !found.is_empty() {
            let rows: Vec<Vec<String>> = found.iter().map(|found| FoundView::from(found).cells()).collect();
            self.terminal.say(&format!("\nFound:\n{}\n", table(&["provider", "key", "variable", "where"], &rows)))?;
        }
        for provider in &open {
            if !self.offer(provider, &found).await? {
                return Ok(false);
            }
        }
        for provider in open.iter().filter(|provider| provider.key.is_none()) {
            let is_stored = self.stored.iter().any(|key| key.provider == provider.name);
            if !is_stored && !self.request(provider).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Offers the keys that were found for a provider, one by one. False when the input ended.
    async fn offer(&mut self, provider: &ProviderView, found: &[Found]) -> Result<bool, Failure> {
        for found in found.iter().filter(|found| found.provider == provider.name) {
            let question =
                format!("Store the key {} from {} for {}?", found.value.masked(), found.source, addressed(provider));
            match self.terminal.ask(&question)? {
                None => return Ok(false),
                Some(false) => {}
                Some(true) => {
                    if self.store(&provider.name, &found.value).await? {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(true)
    }

    /// Asks for a missing key. False when the input ended.
    async fn request(&mut self, provider: &ProviderView) -> Result<bool, Failure> {
        for _ in 0..TRIES {
            let question = format!("Key of {} (not shown, Enter leaves it out): ", addressed(provider));
            let Some(key) = self.terminal.secret(&question)? else { return Ok(false) };
            if key.is_blank() || self.store(&provider.name, &key).await? {
                return Ok(true);
            }
        }
        Ok(true)
    }

    /// Stores a key. False when it is none; other failures end the run.
    async fn store(&mut self, provider: &str, key: &lwa_registration::Hidden) -> Result<bool, Failure> {
        match found::store(self.host, provider, key).await {
            Ok(view) => {
                self.terminal
                    .say(&format!("Stored the key of {provider} in the {} ({}).", view.backend, view.masked))?;
                self.stored.push(view);
                Ok(true)
            }
            Err(failure) if found::is_about_one_key(&failure) => {
                self.terminal.say(&format!("Not stored: {}.", failure.message))?;
                Ok(false)
            }
            Err(failure) => Err(failure),
        }
    }
}

/// A provider with the place that its key would be sent to.
fn addressed(provider: &ProviderView) -> String {
    provider.base_url.as_ref().map_or_else(|| provider.name.clone(), |url| format!("{} at {url}", provider.name))
}

/// `lwa keys discover`.
pub async fn discover(output: Output) -> Result<u8, Failure> {
    let host = face::host().await?;
    let home = face::home()?;
    let discovery = look(&found::variables(&host).await?, &found::places(&home));
    if home.overridden().is_some() {
        output.note("`LWA_HOME` is set, so your home folder was not looked at.");
    }
    let keys: Vec<FoundView> = discovery.found.iter().map(FoundView::from).collect();
    let document = json!({ "keys": keys, "looked_in": discovery.looked_in });
    output.result(&document, |_| {
        let list = if keys.is_empty() {
            "No key was found.".to_owned()
        } else {
            let rows: Vec<Vec<String>> = keys.iter().map(FoundView::cells).collect();
            table(&["provider", "key", "variable", "where"], &rows)
        };
        let unread = discovery.looked_in.iter().filter(|looked| looked.state == LookState::Unreadable);
        let unread = unread.map(|LookedIn { path, problem, .. }| {
            format!("Not read: {} ({})", path.display(), problem.as_deref().unwrap_or_default())
        });
        std::iter::once(list).chain(unread).collect::<Vec<_>>().join("\n")
    });
    Ok(0)
}

/// `lwa keys import`.
pub async fn import(file: &Path, is_agreed: bool, output: Output) -> Result<u8, Failure> {
    let host = face::host().await?;
    let variables = found::variables(&host).await?;
    let content = in_file(&variables, file)
        .map_err(|error| Failure::new(ErrorCode::InvalidInput, format!("cannot read `{}`: {error}", file.display())))?;
    for line in &content.broken {
        output.note(&format!("{}:{line}: no value, because its quotes do not end", file.display()));
    }
    let keys: Vec<Found> = found::one_each(&variables, &content.found).into_iter().cloned().collect();
    let left = found::left(&content, &keys);
    if keys.is_empty() {
        return Err(Failure::new(ErrorCode::NotFound, format!("`{}` holds no key of a provider", file.display()))
            .hint("`lwa config show --effective` lists the variables of each provider, as `api_key_env`"));
    }
    let rows: Vec<Vec<String>> = keys.iter().map(|found| FoundView::from(found).cells()).collect();
    let list = table(&["provider", "key", "variable", "where"], &rows);
    if !is_agreed {
        if !terminal::is_attended() {
            return Err(Failure::new(ErrorCode::InvalidInput, "nobody can be asked here: stdin is no terminal")
                .hint("add `--yes` to store the keys of the file without a question"));
        }
        let mut terminal = Terminal::open()?;
        terminal.say(&list)?;
        if terminal.ask("Store these keys, and replace those that are stored?")? != Some(true) {
            output.note("Nothing was stored.");
            return Ok(ErrorCode::ConfirmationRequired.exit_code());
        }
    }
    let (mut stored, mut refused, mut code) = (Vec::new(), Vec::new(), 0);
    for found in keys {
        match found::store(&host, &found.provider, &found.value).await {
            Ok(view) => stored.push(view),
            Err(failure) if found::is_about_one_key(&failure) => {
                code = failure.code.exit_code();
                output.note(&format!("{}: {}", found.source, failure.message));
                refused.push(json!({ "provider": found.provider, "source": found.source, "error": failure }));
            }
            Err(failure) => return Err(failure),
        }
    }
    let document = json!({ "stored": stored, "refused": refused, "left": left });
    output.result(&document, |_| {
        let mut lines: Vec<String> = stored
            .iter()
            .map(|key| format!("Stored the key of {} in the {} ({}).", key.provider, key.backend, key.masked))
            .collect();
        lines.extend(left.iter().map(|one| format!("Not taken: {} ({})", one.variable, one.reason)));
        lines.push(format!("`{}` still holds the keys; remove it when you no longer need it.", file.display()));
        lines.join("\n")
    });
    Ok(code)
}
