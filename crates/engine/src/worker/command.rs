//! Whether a command of a caller may run: deny shapes, then the list, then a human.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use lwa_config::RunPolicy;
use lwa_domain::Outcome;
use lwa_policy::{Context, Decision, Effect, Files, PlaceholderUse, SystemFiles, Verdict};
use lwa_privacy::{Bare, Kind, Placeholder, Resolved, Vault, mentions};
use lwa_protocol::Failure;
use lwa_protocol::worker::{CallerSandbox, PolicyCheckParams, PolicyChecked, WorkerAnswer, WorkerCall};
use lwa_worker::budget::MOST_COMMAND_QUESTIONS;
use lwa_worker::command::{CommandEnvironment, CommandFolder, GrantedVariable, SandboxChoice, granted};
use lwa_worker::dialog::{CommandAnswer, CommandQuestion, command_dialog, visible};
use lwa_worker::trailer::PolicyLabel;

use super::ask::{Asked, DECLINED};
use super::job::JobHandle;
use super::run::{environment_of, folder_of};
use super::session::Surroundings;
use super::turn_on::reply_of;
use super::{refused, unavailable};
use crate::caller::Caller;
use crate::engine::{Engine, locked};

mod git;
mod question;
mod sandbox;

pub(super) use sandbox::sandbox_choice;

/// The rule that holds whatever the settings say: a secret never becomes text of a command.
const SECRET_IN_COMMAND: &str = "secret in command";
/// The longest command that is remembered as the last refusal.
const REFUSAL_CHARS: usize = 300;

/// What a caller wants to run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wish<'w> {
    pub command: &'w str,
    pub cwd: &'w str,
    pub secret_env: &'w BTreeMap<String, String>,
}

/// A command that may run, as it will be run.
#[derive(Debug)]
pub(super) struct Permitted {
    pub command: String,
    pub ground: Ground,
    pub label: PolicyLabel,
    pub secret_env: Vec<GrantedVariable>,
    pub sandbox: Option<SandboxChoice>,
}

/// What became of a wish.
pub(super) enum Judged {
    Run(Box<Permitted>),
    End(Box<WorkerAnswer>),
}

impl Judged {
    fn ended(answer: WorkerAnswer) -> Self {
        Self::End(Box::new(answer))
    }
}

/// Where a command runs and with which variables: made once, judged, and handed on to the run.
#[derive(Debug, Clone)]
pub(super) struct Ground {
    pub folder: CommandFolder,
    pub environment: CommandEnvironment,
}

/// A command with its placeholders put back, and what the policy says of it.
struct Read {
    expanded: String,
    verdict: Verdict,
    granted: Vec<GrantedVariable>,
    /// Where its words and what it does lead to, links followed.
    places: Vec<Option<String>>,
}

impl Read {
    /// Whether this second look found the command that was shown, and nothing more against it.
    fn is_as_shown(&self, shown: &Self) -> bool {
        let (now, then) = (&self.verdict, &shown.verdict);
        self.expanded == shown.expanded
            && self.granted == shown.granted
            && self.places == shown.places
            && now.commands == then.commands
            && now.warnings == then.warnings
            && (now.decision == Decision::Allow || (now.decision, &now.rule) == (then.decision, &then.rule))
    }
}

/// How a session counts a decision.
enum Count {
    Allowed,
    Once,
    Always,
    Refused(String),
    Denied(String),
    Unasked,
}

impl Engine {
    /// Decides whether a command may run; asks the human where the policy does not know.
    pub(super) async fn judge_command(
        &self,
        caller: &Caller,
        call: &WorkerCall,
        job: &JobHandle,
        surroundings: &Surroundings,
        wish: Wish<'_>,
    ) -> Result<Judged, Failure> {
        let config = &surroundings.config;
        let ground = match Self::ground_of(call, wish.cwd) {
            Ok(ground) => ground,
            Err(failure) => return Err(self.hidden(caller, call, surroundings, failure).await?),
        };
        if let Some(problem) = self.misplaced(&ground) {
            let session = self.hold_session(caller, call, surroundings).await?;
            let problem = self.way_out(&session, surroundings).short(&problem).into_text();
            return Ok(Judged::ended(refused(&problem)));
        }
        let look = self.look_at_command(caller, call, surroundings, wish, &ground).await?;
        let (read, session_key, note) = match look {
            Ok(look) => look,
            Err(problem) => return Ok(Judged::ended(refused(&problem))),
        };
        let sandbox = self.sandbox_choice(surroundings);
        let permit = |label: PolicyLabel, read: Read| {
            let mut ground = ground.clone();
            if git::only_reads(&read.verdict) {
                ground.environment = ground.environment.for_reading_git();
            }
            let permitted =
                Permitted { command: read.expanded, ground, label, secret_env: read.granted, sandbox: sandbox.clone() };
            Judged::Run(Box::new(permitted))
        };
        let is_off = config.run_policy == RunPolicy::Off;
        if read.verdict.decision == Decision::Deny && (!is_off || read.verdict.rule == SECRET_IN_COMMAND) {
            self.count_command(caller, call, surroundings, Count::Denied(said(&read.verdict.rule, wish.command)))
                .await?;
            return Ok(Judged::ended(refused(&denied(&read.verdict))));
        }
        let reasons = self.reasons_to_ask(call, surroundings, &read, &ground);
        // A secret in a variable is granted by a human for one command, whatever the settings say.
        let always_asks = !read.granted.is_empty();
        match config.run_policy {
            RunPolicy::Off if !always_asks => {
                self.count_command(caller, call, surroundings, Count::Unasked).await?;
                return Ok(permit(PolicyLabel::Off, read));
            }
            RunPolicy::Allow if !always_asks => {
                self.count_command(caller, call, surroundings, Count::Unasked).await?;
                return Ok(permit(PolicyLabel::AllowedBySetting, read));
            }
            _ => {}
        }
        if reasons.is_empty() {
            self.count_command(caller, call, surroundings, Count::Allowed).await?;
            return Ok(permit(PolicyLabel::AllowList(read.verdict.allowed_by.clone()), read));
        }
        self.ask_about_command(
            caller,
            call,
            job,
            surroundings,
            wish,
            read,
            &ground,
            &reasons,
            &session_key,
            note.as_deref(),
            permit,
        )
        .await
    }

    /// Where a call's command would run and with what.
    fn ground_of(call: &WorkerCall, cwd: &str) -> Result<Ground, Failure> {
        let environment = environment_of(call);
        let folder = folder_of(call, cwd, environment.home())?;
        let folder = CommandFolder::open(&folder).map_err(|error| {
            let message = format!("`cwd` is `{}`, which cannot be opened: {error}", folder.display());
            Failure::new(lwa_domain::ErrorCode::InvalidInput, message).hint("give a folder that you may read")
        })?;
        Ok(Ground { folder, environment })
    }

    /// Why nothing runs here: in a folder of Lwa itself every relative word names one of its files, and programs write
    /// below their home without being told to.
    fn misplaced(&self, ground: &Ground) -> Option<String> {
        let kept = self.kept_folders();
        let is_ours = |path: &Path| kept.iter().any(|kept| path.starts_with(kept));
        let home = ground.environment.home();
        let real = home.and_then(|home| home.canonicalize().ok());
        let (what, path) = match home {
            _ if is_ours(ground.folder.path()) => ("the folder of this command", ground.folder.path()),
            Some(home) if is_ours(home) || real.as_deref().is_some_and(is_ours) => ("the client's `HOME`", home),
            _ => return None,
        };
        Some(format!(
            "REFUSED (protected path): {what}, `{}`, lies in a folder of Lwa itself. Nothing was run.",
            visible(&path.to_string_lossy())
        ))
    }

    /// Reads a command by the list and the values of now. The note is about the list.
    async fn look_at_command(
        &self,
        caller: &Caller,
        call: &WorkerCall,
        surroundings: &Surroundings,
        wish: Wish<'_>,
        ground: &Ground,
    ) -> Result<Result<(Read, String, Option<String>), String>, Failure> {
        let (vault, allowed_shapes, session_key) = {
            let session = self.hold_session(caller, call, surroundings).await?;
            (session.vault(), session.allowed_shapes.clone(), session.key.clone())
        };
        let listed = self.allow_list(&surroundings.config, &allowed_shapes).await?;
        let read = {
            let vault = locked(&vault);
            self.read_command(wish, ground, &listed.list, &vault)
        };
        Ok(read.map(|read| (read, session_key, listed.note)))
    }

    /// A second look at what a human said yes to: minutes can lie between, and links and folders can be exchanged
    /// meanwhile. What is handed back is what was shown.
    async fn still_as_shown(
        &self,
        caller: &Caller,
        call: &WorkerCall,
        surroundings: &Surroundings,
        wish: Wish<'_>,
        ground: &Ground,
        shown: Read,
    ) -> Result<Result<Read, Judged>, Failure> {
        let is_as_shown = ground.folder.is_in_place()
            && match self.look_at_command(caller, call, surroundings, wish, ground).await? {
                Ok((again, _, _)) => again.is_as_shown(&shown),
                Err(_) => false,
            };
        if is_as_shown {
            return Ok(Ok(shown));
        }
        self.count_command(caller, call, surroundings, Count::Refused(said("changed meanwhile", wish.command))).await?;
        Ok(Err(Judged::ended(refused(
            "REFUSED (changed meanwhile): while the user was asked, a file or folder that this command names came to lead \
             elsewhere, so it is no longer what the user said yes to. Nothing was run. Repeat the call to ask anew.",
        ))))
    }

    #[expect(clippy::too_many_arguments, reason = "everything that a question about a command needs")]
    async fn ask_about_command(
        &self,
        caller: &Caller,
        call: &WorkerCall,
        job: &JobHandle,
        surroundings: &Surroundings,
        wish: Wish<'_>,
        read: Read,
        ground: &Ground,
        reasons: &[String],
        session_key: &str,
        note: Option<&str>,
        permit: impl Fn(PolicyLabel, Read) -> Judged,
    ) -> Result<Judged, Failure> {
        if !surroundings.can_ask {
            self.count_command(caller, call, surroundings, Count::Refused(said("nowhere to ask", wish.command)))
                .await?;
            return Ok(Judged::ended(unavailable(&nowhere_to_ask(&self.home.run_allow_file(), note))));
        }
        let folder = ground.folder.path();
        // What was granted to one command is not remembered for others.
        let shapes = if read.granted.is_empty() { placed_shapes(&read.verdict, call, folder) } else { Vec::new() };
        let sandbox = self.sandbox_choice(surroundings);
        let shown = CommandQuestion { command: wish.command, folder: folder.to_str(), reasons, shapes: &[] };
        let dialog = match command_dialog(shown) {
            Ok(dialog) => dialog,
            Err(error) => {
                let text = format!(
                    "REFUSED (too long to show): {error}. Nothing was run. Put it into a script file that \
                    the user can read, and run that."
                );
                return Ok(Judged::ended(refused(&text)));
            }
        };
        {
            let mut session = self.hold_session(caller, call, surroundings).await?;
            if let Err(spent) = session.counts.budget.take(MOST_COMMAND_QUESTIONS, self.now()) {
                let text = format!(
                    "REFUSED (ask limit): {spent}; the next question is possible at {}. Nothing was run. The user can add \
                     lines to `{}`, or reset the count with `lwa worker sessions '{session_key}' --arm on`.",
                    crate::engine::rfc3339(spent.free_at),
                    self.home.run_allow_file().display()
                );
                return Ok(Judged::ended(refused(&text)));
            }
            self.store_session(&session).await?;
        }
        let question = question::question(wish, &read, folder, reasons, &shapes, sandbox.as_ref(), session_key);
        let client = question::client_dialog(dialog.message, &shapes);
        let asked = self.ask_for_job(caller, call, job, question, client).await?;
        let ended = match asked {
            Asked::Ended(ended) => ended,
            Asked::Nowhere(how) => {
                self.give_question_back(caller, call, surroundings).await?;
                let text = format!("{}\n\n{how}", nowhere_to_ask(&self.home.run_allow_file(), note));
                return Ok(Judged::ended(unavailable(&text)));
            }
        };
        let is_for_session = ended.outcome == Outcome::AllowedSession;
        match CommandAnswer::read(&reply_of(&ended)) {
            CommandAnswer::Once => {
                let again = self.still_as_shown(caller, call, surroundings, wish, ground, read).await?;
                let read = match again {
                    Ok(read) => read,
                    Err(ended) => return Ok(ended),
                };
                self.count_command(caller, call, surroundings, Count::Once).await?;
                if is_for_session {
                    let mut session = self.hold_session(caller, call, surroundings).await?;
                    session.allowed_shapes.extend(shapes);
                }
                Ok(permit(PolicyLabel::AskedOnce, read))
            }
            CommandAnswer::Always => {
                let again = self.still_as_shown(caller, call, surroundings, wish, ground, read).await?;
                let read = match again {
                    Ok(read) => read,
                    Err(ended) => return Ok(ended),
                };
                self.count_command(caller, call, surroundings, Count::Always).await?;
                let label = match self.allow_always(&shapes).await? {
                    Ok(()) => PolicyLabel::AskedAlways(shapes),
                    Err(file) => PolicyLabel::AskedAlwaysUnwritten(file),
                };
                Ok(permit(label, read))
            }
            CommandAnswer::Refused => {
                self.count_command(caller, call, surroundings, Count::Refused(said("user", wish.command))).await?;
                let reason = ended.reason.filter(|reason| !reason.is_empty());
                let (who, reason) = match reason {
                    // Nobody knows whether a human pressed it, so it is not said of one.
                    Some(reason) if reason == DECLINED => ("this command was declined in the client's dialog", None),
                    reason => ("the user said no to this command", reason),
                };
                let reason = reason.map(|reason| format!(" The user said: {reason}")).unwrap_or_default();
                let text = format!(
                    "REFUSED (user): {who}. Nothing was run. Do not try it again in another form; ask the user what they \
                    prefer.{reason}"
                );
                Ok(Judged::ended(refused(&text)))
            }
            CommandAnswer::Unanswered => {
                let action = reply_of(&ended).action();
                if ended.outcome == Outcome::Unavailable {
                    self.give_question_back(caller, call, surroundings).await?;
                }
                self.count_command(caller, call, surroundings, Count::Refused(said(action, wish.command))).await?;
                let text = format!("NOT RUN: the question to the user was not answered ({action}). Nothing was run.");
                Ok(Judged::ended(refused(&text)))
            }
        }
    }

    /// Reads a command as it will be run: placeholders put back, and judged in both forms.
    ///
    /// # Errors
    /// A sentence for the caller: a variable cannot be granted, or a value cannot stand where it would.
    fn read_command(
        &self,
        wish: Wish<'_>,
        ground: &Ground,
        list: &lwa_policy::AllowList,
        vault: &Vault,
    ) -> Result<Read, String> {
        let granted = granted(wish.secret_env, vault)
            .map_err(|error| format!("REFUSED (secret_env): {error}. Nothing was run."))?;
        let environment = ground.environment.clone().with_granted(&granted);
        let environment = environment.map_err(|error| format!("REFUSED (secret_env): {error}. Nothing was run."))?;
        let values = Values::of(wish.command, vault);
        let files = system_files(environment.search_path());
        let lookup = |placeholder: &str| values.use_of(placeholder);
        let home = environment.home().map(Path::to_owned);
        let mut context = self.policy_context(ground.folder.path(), environment.known(), home.as_deref());
        context.files = Some(&files);
        context.placeholders = Some(&lookup);
        let expanded = if values.is_empty() {
            wish.command.to_owned()
        } else {
            lwa_policy::expand(wish.command, &|placeholder| values.value_of(placeholder))
                .map_err(|error| format!("REFUSED (placeholder): {error}. Nothing was run."))
                .or_else(|problem| {
                    // What is refused as it is written needs no values.
                    let written = lwa_policy::decide(wish.command, list, &context);
                    if written.decision == Decision::Deny { Ok(wish.command.to_owned()) } else { Err(problem) }
                })?
        };
        let judge = |context: &Context<'_>| lwa_policy::decide_expanded(wish.command, &expanded, list, context);
        let mut verdict = judge(&context);
        // A variable that the command does not have is empty, so what stands behind it is a path of its own.
        let unset = unset_variables(&expanded, &context.variables);
        if !unset.is_empty() {
            context.variables.extend(unset.into_iter().map(|name| (name, String::new())));
            let by_empty = judge(&context);
            if by_empty.decision > verdict.decision {
                verdict = by_empty;
            }
        }
        // The user's own home is guarded as well where the command has another.
        if let Some(own) = std::env::home_dir().filter(|own| Some(own) != home.as_ref()) {
            context.home = Some(own.to_string_lossy().into_owned());
            let by_own = judge(&context);
            if by_own.decision > verdict.decision {
                verdict = by_own;
            }
        }
        let places = places_of(&verdict, ground.folder.path(), &files);
        Ok(Read { expanded, verdict, granted, places })
    }

    /// Where and for whom a command would run, with the variables that it will have.
    pub(super) fn policy_context<'c>(
        &self,
        folder: &Path,
        variables: BTreeMap<String, String>,
        home: Option<&Path>,
    ) -> Context<'c> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        // The shell looks `~NAME` up in the system's list of users, which says nothing of a `HOME` of one's own.
        let is_own_home = home.is_some() && home == std::env::home_dir().as_deref();
        let user = variables.get("USER").filter(|user| {
            is_own_home && std::env::var("USER").as_ref() == Ok(user) && variables.get("LOGNAME") == Some(user)
        });
        Context {
            working_folder: Some(text(folder)),
            home: home.map(text),
            user: user.cloned(),
            protected: self.kept_folders().iter().chain([&self.program_folder]).map(|path| text(path)).collect(),
            variables,
            files: None,
            placeholders: None,
        }
    }

    /// The folders of Lwa itself: rules, conversations of others, materials, keys, and the way to the host.
    pub(super) fn kept_folders(&self) -> Vec<PathBuf> {
        let home = &self.home;
        let mut folders: Vec<PathBuf> =
            [home.config_dir(), home.state_dir(), home.data_dir()].map(Path::to_owned).into_iter().collect();
        folders.extend(home.socket().parent().map(Path::to_owned));
        folders.extend(home.secrets_file().parent().map(Path::to_owned));
        let real: Vec<PathBuf> = folders.iter().filter_map(|folder| folder.canonicalize().ok()).collect();
        folders.extend(real);
        folders.sort();
        folders.dedup();
        folders
    }

    /// Why a human has to be asked; nothing when the list allows it and nothing else stands against it.
    fn reasons_to_ask(
        &self,
        call: &WorkerCall,
        surroundings: &Surroundings,
        read: &Read,
        ground: &Ground,
    ) -> Vec<String> {
        let folder = ground.folder.path();
        let mut reasons = Vec::new();
        if read.verdict.decision != Decision::Allow {
            reasons.push(read.verdict.reason.clone());
        }
        if !read.granted.is_empty() {
            reasons.push("it gets secrets in its environment".to_owned());
        }
        if let Some(project) = call.cwd.as_deref().map(Path::new)
            && !is_within(folder, project)
        {
            reasons.push("its folder is outside the client's project".to_owned());
        }
        if let Some(key) = git::program_of_a_repository(&read.verdict, folder) {
            reasons.push(format!("git would run a program that the repository's own configuration names (`{key}`)"));
        }
        if let Some(choice) = self.sandbox_choice(surroundings)
            && surroundings.caller_sandbox != CallerSandbox::Unknown
            && surroundings.caller_sandbox != CallerSandbox::Full
            && !choice.probe().is_ok_and(|report| report.is_as_required())
        {
            reasons.push("the client's own sandbox cannot be kept here".to_owned());
        }
        reasons
    }

    async fn count_command(
        &self,
        caller: &Caller,
        call: &WorkerCall,
        surroundings: &Surroundings,
        count: Count,
    ) -> Result<(), Failure> {
        let mut session = self.hold_session(caller, call, surroundings).await?;
        let way = self.way_out(&session, surroundings);
        let counts = &mut session.counts;
        let mut remember = |refusal: &str| counts.last_refusal = Some(way.short(refusal).into_text());
        match count {
            Count::Refused(ref refusal) | Count::Denied(ref refusal) => remember(refusal),
            _ => {}
        }
        match count {
            Count::Allowed => counts.allowed += 1,
            Count::Once => counts.asked_once += 1,
            Count::Always => counts.asked_always += 1,
            Count::Refused(_) => counts.refused += 1,
            Count::Denied(_) => counts.denied += 1,
            Count::Unasked => counts.unasked += 1,
        }
        self.store_session(&session).await
    }

    /// No human saw the question, so it does not count.
    async fn give_question_back(
        &self,
        caller: &Caller,
        call: &WorkerCall,
        surroundings: &Surroundings,
    ) -> Result<(), Failure> {
        let mut session = self.hold_session(caller, call, surroundings).await?;
        session.counts.budget.give_back();
        self.store_session(&session).await
    }

    /// `policy/check`: what the policy says of a command, without running it.
    ///
    /// # Errors
    /// The database failed.
    pub async fn check_policy(&self, caller: &Caller, params: &PolicyCheckParams) -> Result<PolicyChecked, Failure> {
        let folder = params.cwd.as_deref().map(PathBuf::from);
        let config = self.configuration.in_force().worker_for(caller.client_name(), folder.as_deref());
        let listed = self.allow_list(&config, &[]).await?;
        let environment = environment_of(&WorkerCall::default());
        let folder = folder.or_else(std::env::home_dir).unwrap_or_else(|| PathBuf::from("/"));
        let files = system_files(&std::env::var("PATH").unwrap_or_default());
        let mut context = self.policy_context(&folder, environment.known(), environment.home());
        context.files = Some(&files);
        let verdict = lwa_policy::decide(&params.command, &listed.list, &context);
        Ok(PolicyChecked {
            decision: word_of(verdict.decision).to_owned(),
            reason: verdict.reason,
            rule: verdict.rule,
            shapes: verdict.shapes,
        })
    }
}

/// The file system, with the search path that a command will have.
pub(super) fn system_files(search_path: &str) -> SystemFiles {
    SystemFiles::new(search_path)
}

/// The names behind a `$` that are no variables of the command. Which of them the shell sets itself does not matter: the
/// look with empty values only ever tightens.
fn unset_variables(text: &str, known: &BTreeMap<String, String>) -> Vec<String> {
    let names = text.split('$').skip(1).map(|behind| {
        let behind = behind.strip_prefix('{').unwrap_or(behind);
        let end = behind.find(|next: char| !next.is_ascii_alphanumeric() && next != '_').unwrap_or(behind.len());
        behind.get(..end).unwrap_or_default()
    });
    names
        .filter(|name| name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_'))
        .filter(|name| !known.contains_key(*name))
        .map(str::to_owned)
        .collect()
}

/// What an "always" would store: what runs the folder's own code holds in the client's project alone, or in the
/// command's folder where that lies elsewhere. Nothing where one of them cannot be stored.
fn placed_shapes(verdict: &Verdict, call: &WorkerCall, folder: &Path) -> Vec<String> {
    let project = call.cwd.as_deref().and_then(|project| Path::new(project).canonicalize().ok());
    let place = project.filter(|project| folder.starts_with(project)).unwrap_or_else(|| folder.to_owned());
    let place = place.to_string_lossy();
    let shapes: Option<_> = verdict.shapes.iter().map(|shape| lwa_policy::placed(shape, &place)).collect();
    shapes.unwrap_or_default()
}

/// Where everything that a command names leads to right now.
fn places_of(verdict: &Verdict, folder: &Path, files: &SystemFiles) -> Vec<Option<String>> {
    let lead = |path: &str| files.resolve(&folder.join(path).to_string_lossy());
    let mut places = Vec::new();
    for command in &verdict.commands {
        places.push(files.find_program(&command.program).and_then(|program| lead(&program)));
        places.extend(command.argv.iter().filter(|word| word.is_static).map(|word| lead(&word.text)));
        places.extend(command.effects.iter().filter_map(|effect| match effect {
            Effect::Write { path } | Effect::ReadPrivate { path } => Some(lead(path)),
            Effect::Network | Effect::Execute { .. } => None,
        }));
    }
    places
}

/// The word for a decision.
pub(super) const fn word_of(decision: Decision) -> &'static str {
    match decision {
        Decision::Allow => "allow",
        Decision::Ask => "ask",
        Decision::Deny => "deny",
    }
}

/// The placeholders of a command and their values.
struct Values {
    known: HashMap<String, (Placeholder, String)>,
}

impl Values {
    fn of(command: &str, vault: &Vault) -> Self {
        let known = mentions(command, Bare::Ignored)
            .into_iter()
            .filter_map(|mention| match vault.resolve(mention.placeholder) {
                Resolved::Value(_, value) => {
                    let name = mention.placeholder.to_string();
                    let name = name.trim_matches(|bracket| matches!(bracket, '[' | ']')).to_owned();
                    Some((name, (mention.placeholder, value.to_owned())))
                }
                Resolved::Ambiguous | Resolved::Unknown => None,
            })
            .collect();
        Self { known }
    }

    fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    fn use_of(&self, name: &str) -> Option<PlaceholderUse> {
        self.known.get(name).map(|(placeholder, _)| match placeholder.kind {
            Kind::Secret => PlaceholderUse::Secret,
            _ => PlaceholderUse::Data,
        })
    }

    fn value_of(&self, name: &str) -> Option<String> {
        self.known.get(name).filter(|(placeholder, _)| placeholder.kind != Kind::Secret).map(|(_, value)| value.clone())
    }
}

/// What the caller is told of a denied command.
fn denied(verdict: &Verdict) -> String {
    let segment = match &verdict.segment {
        Some(segment) => format!(" in `{}`", visible(segment)),
        None => String::new(),
    };
    format!(
        "REFUSED ({}){segment}: {}. Nothing was run, and no setting or permission mode of yours changes that. If it is \
         really wanted, the user can run it in a terminal; or narrow the command.",
        verdict.rule,
        verdict.reason.trim_end_matches('.')
    )
}

fn nowhere_to_ask(allow_file: &Path, note: Option<&str>) -> String {
    let note = note.map(|note| format!(" Note: {note}.")).unwrap_or_default();
    format!(
        "NOT RUN: this command needs the user's yes, and there is nowhere to ask. Nothing was run. The user can open the \
         Lwa app, answer with `lwa approvals` in a terminal, or add a line to `{}`.{note}",
        allow_file.display()
    )
}

/// What is remembered of a refusal.
fn said(rule: &str, command: &str) -> String {
    let command: String = visible(command).chars().take(REFUSAL_CHARS).collect();
    format!("{rule}: {command}")
}

/// Whether a folder lies in another, links followed.
fn is_within(folder: &Path, project: &Path) -> bool {
    match (folder.canonicalize(), project.canonicalize()) {
        (Ok(folder), Ok(project)) => folder.starts_with(project),
        _ => folder.starts_with(project),
    }
}
