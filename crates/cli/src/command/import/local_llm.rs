//! What an import of the older worker would change.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use jiff::Timestamp;
use lwa_config::Home;
use lwa_privacy::egress::{KnownSecrets, scrub_secrets};
use lwa_privacy::{Rules, Terms};
use lwa_protocol::Failure;
use lwa_registration::seed::local_llm::{
    GivenPlaceholders, LocalLlmSeed, PREFIX, merge_allow_list, merge_terms, plan_worker, read_given, read_local_llm,
    read_savings, usable_rules,
};
use lwa_registration::seed::{ConfigurationPlan, Ours, SeedError};
use serde_json::Value;

use super::copy::CopyPlan;
use super::report::{FileState, LedgerReport, Source};
use super::{Plan, failed, read, read_or_empty};
use crate::args::ImportArgs;
use crate::command::keys_wizard::found;
use crate::face;
use crate::output::counted;

/// Reads both sides and works out what would change.
pub fn plan(args: &ImportArgs, home: Home) -> Result<Plan, Failure> {
    let mut environment: BTreeMap<String, String> = found::environment();
    if home.overridden().is_some() {
        // With a folder of one's own, only what the command names is taken over.
        environment.retain(|name, _| !name.starts_with(PREFIX));
    }
    let path = std::path::absolute(&args.path).map_err(|error| face::internal(&error))?;
    let seed = read_local_llm(&path, &environment).map_err(|error| failed(&error))?;
    let config_file = home.config_file();
    let shipped = lwa_engine::shipped_catalogue();
    let text = read_or_empty(&config_file)?;
    let ours = Ours { text: &text, path: &config_file, shipped: &shipped, is_replaced: args.force };
    let configuration = plan_worker(&seed, ours).map_err(|error| failed(&error))?;
    let copies = [
        allow_list(&seed, &home)?,
        private_terms(&seed, &home)?,
        rules(&seed, &home, args.force)?,
        prices(&seed, &home, args.force)?,
    ];
    let given = seed.files.sessions.as_deref().map(read_given);
    let conversations = sessions(&seed, &home, given.as_ref());
    let (ledger, savings) = match &seed.files.savings {
        Some(path) => {
            let ledger = read_savings(path, Timestamp::now()).map_err(|error| failed(&error))?;
            let reason = match ledger.count.turns {
                0 => "it holds no turn that can be read",
                _ => "to be counted here, marked as imported, as far as it is not yet; the file stays where it is",
            };
            let report = LedgerReport {
                path: path.clone(),
                bytes: fs::metadata(path).map(|meta| meta.len()).unwrap_or_default(),
                counted: Some(ledger.count),
                is_carried: false,
                new: None,
                known: None,
                reason: reason.to_owned(),
            };
            (Some(report), ledger.turns)
        }
        None => (None, Vec::new()),
    };
    let has_settings = !seed.variables.is_empty();
    Ok(Plan {
        home,
        source: Source::Worker(seed.files.clone()),
        configuration: has_settings.then(|| without_secrets(configuration)),
        library: None,
        keys: seed.keys,
        left: Vec::new(),
        copies: copies.into_iter().flatten().chain(conversations).collect(),
        ledger,
        savings,
        given: given.map(|given| given.given).unwrap_or_default(),
    })
}

/// The commands that run without a question: ours gets the lines that it lacks.
fn allow_list(seed: &LocalLlmSeed, home: &Home) -> Result<Option<CopyPlan>, Failure> {
    let Some(source) = &seed.files.allow_list else { return Ok(None) };
    let path = home.run_allow_file();
    let own = read_or_empty(&path)?;
    let (text, added) = merge_allow_list(&own, &read(source)?);
    let mut plan = merged("run-allow.txt", source, &path, &own, &text, added.is_empty());
    plan.needs_agreement = true;
    plan.report.added = added.iter().map(|line| shown(line)).collect();
    if !added.is_empty() {
        plan.report.notes.push("commands of these shapes run without a question".to_owned());
    }
    Ok(Some(plan))
}

/// The private terms: ours get those that they lack. None is shown.
fn private_terms(seed: &LocalLlmSeed, home: &Home) -> Result<Option<CopyPlan>, Failure> {
    const FORM: &str = "`{\"terms\": [{\"kind\": …, \"values\": […]}]}`";
    let Some(source) = &seed.files.private_terms else { return Ok(None) };
    let path = home.private_terms_file();
    let own = read_or_empty(&path)?;
    let theirs = read(source)?;
    if !own.is_empty() && Terms::parse(&own).is_err() {
        return Err(failed(&SeedError::Form { path, form: FORM }));
    }
    let merge = merge_terms(&own, &theirs).filter(|merge| Terms::parse(merge.text.expose()).is_ok());
    let Some(merge) = merge else {
        let note = format!("it is not in the form {FORM}");
        return Ok(Some(CopyPlan::left("private_terms.json", source, &path, FileState::Refused, note)));
    };
    let mut plan = merged("private_terms.json", source, &path, &own, merge.text.expose(), merge.added.is_empty());
    plan.report.added = merge.added.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    Ok(Some(plan))
}

/// The rules that ours can run; the others are named.
fn rules(seed: &LocalLlmSeed, home: &Home, is_replaced: bool) -> Result<Option<CopyPlan>, Failure> {
    const NAME: &str = "rules.json";
    let Some(source) = &seed.files.rules else { return Ok(None) };
    let path = home.rules_file();
    let own = read_or_empty(&path)?;
    let check = |text: &str| Rules::parse(text).map(drop).map_err(|error| error.to_string());
    let merge = usable_rules(&read(source)?, check).filter(|merge| Rules::parse(&merge.text).is_ok());
    let Some(merge) = merge else {
        let note = "it is not in the form `{\"regex_rules\": [{\"id\": …, \"pattern\": …}]}`";
        return Ok(Some(CopyPlan::left(NAME, source, &path, FileState::Refused, note)));
    };
    let refused = merge.refused.iter().map(|(id, reason)| {
        let id = if id.is_empty() { "(without a name)" } else { id };
        format!("left out: `{id}`, because {reason}")
    });
    let refused: Vec<String> = refused.collect();
    let mut plan = if merge.taken.is_empty() {
        CopyPlan::left(NAME, source, &path, FileState::Refused, "none of its rules can be run")
    } else {
        CopyPlan::whole(NAME, source, &path, (&own, &merge.text), is_replaced)
    };
    if plan.report.state.moves() {
        plan.report.added.clone_from(&merge.taken);
    }
    plan.needs_agreement = plan.report.state == FileState::Replaced;
    plan.report.notes.extend(refused);
    Ok(Some(plan))
}

/// Prices and assumptions, as they are.
fn prices(seed: &LocalLlmSeed, home: &Home, is_replaced: bool) -> Result<Option<CopyPlan>, Failure> {
    const NAME: &str = "prices.json";
    let Some(source) = &seed.files.prices else { return Ok(None) };
    let path = home.prices_file();
    let own = read_or_empty(&path)?;
    let theirs = read(source)?;
    let is_table = serde_json::from_str::<Value>(&theirs).is_ok_and(|value| value.is_object());
    Ok(Some(if is_table {
        CopyPlan::whole(NAME, source, &path, (&own, &theirs), is_replaced)
    } else {
        CopyPlan::left(NAME, source, &path, FileState::Refused, "it is no table of prices")
    }))
}

/// Its conversations stay behind; what they gave out is not given out again.
fn sessions(seed: &LocalLlmSeed, home: &Home, given: Option<&GivenPlaceholders>) -> Option<CopyPlan> {
    let (source, given) = (seed.files.sessions.as_ref()?, given?);
    let note = format!(
        "{} stay where they are: a placeholder that was given out there stands for nothing here",
        counted(given.conversations, "conversation")
    );
    let mut plan = CopyPlan::left("sessions", source, home.state_dir(), FileState::LeftOut, note);
    if given.unreadable > 0 {
        plan.report.notes.push(format!("the values of {} cannot be read", counted(given.unreadable, "conversation")));
    }
    if !given.given.is_empty() {
        let count = u64::try_from(given.given.len()).unwrap_or(u64::MAX);
        let note = format!("placeholders of {} are not given to another value here", counted(count, "conversation"));
        plan.report.notes.push(note);
    }
    Some(plan)
}

/// A list of ours with what it lacked.
fn merged(name: &'static str, source: &Path, ours: &Path, own: &str, text: &str, has_all: bool) -> CopyPlan {
    let mut plan = CopyPlan::whole(name, source, ours, (own, text), true);
    if has_all {
        plan.report.state = FileState::Same;
        plan.text = None;
    } else if plan.report.state == FileState::Replaced {
        plan.report.state = FileState::Merged;
    }
    plan
}

/// A line that somebody else wrote, without the keys that may be in it.
fn shown(text: &str) -> String {
    scrub_secrets(text, &KnownSecrets::none()).text.into_owned()
}

/// The plan, with what may be a key in a wrong place hidden from people. What is written stays as it is.
fn without_secrets(mut plan: ConfigurationPlan) -> ConfigurationPlan {
    for change in &mut plan.changes {
        change.to = shown(&change.to);
        change.from = shown(&change.from);
    }
    for kept in &mut plan.kept {
        kept.theirs = shown(&kept.theirs);
        kept.ours = shown(&kept.ours);
    }
    for waiting in &mut plan.waiting {
        waiting.to = shown(&waiting.to);
        waiting.from = shown(&waiting.from);
    }
    plan
}
