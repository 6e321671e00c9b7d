//! Whether a command of a caller may run: deny shapes, then the list, then a human.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use lwa_config::{CommandSandbox, RunPolicy, WorkerConfig};
use lwa_domain::{ApprovalKind, Outcome};
use lwa_policy::{Context, Decision, PlaceholderUse, SystemFiles, Verdict};
use lwa_privacy::{Bare, Kind, Placeholder, Resolved, Vault, mentions};
use lwa_protocol::Failure;
use lwa_protocol::approval::{Answer, ApprovalDetail, CommandDetail};
use lwa_protocol::worker::{CallerSandbox, PolicyCheckParams, PolicyChecked, WorkerAnswer, WorkerCall};
use lwa_worker::budget::MOST_COMMAND_QUESTIONS;
use lwa_worker::command::{FileAccess, GrantedVariable, NetworkAccess, SandboxChoice, SandboxNeed, granted};
use lwa_worker::dialog::{CommandAnswer, CommandQuestion, command_dialog, visible};
use lwa_worker::trailer::PolicyLabel;

use super::ask::{Asked, ClientChoice, ClientDialog, DECLINED};
use super::job::JobHandle;
use super::run::folder_of;
use super::session::Surroundings;
use super::turn_on::reply_of;
use super::{refused, unavailable};
use crate::broker::Question;
use crate::caller::Caller;
use crate::engine::{Engine, locked};
use crate::tokens;

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
    pub folder: PathBuf,
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

/// A command with its placeholders put back, and what the policy says of it.
struct Read {
    expanded: String,
    verdict: Verdict,
    granted: Vec<GrantedVariable>,
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
        let folder = folder_of(call, wish.cwd)?;
        let (vault, allowed_shapes, session_key) = {
            let session = self.hold_session(caller, call, surroundings).await?;
            (session.vault(), session.allowed_shapes.clone(), session.key.clone())
        };
        let listed = self.allow_list(config, &allowed_shapes).await?;
        let read = {
            let vault = locked(&vault);
            self.read_command(wish, &folder, &call.environment, &listed.list, &vault)
        };
        let read = match read {
            Ok(read) => read,
            Err(problem) => return Ok(Judged::ended(refused(&problem))),
        };
        let sandbox = sandbox_choice(surroundings);
        let permit = |label: PolicyLabel, read: Read| {
            let permitted = Permitted {
                command: read.expanded,
                folder: folder.clone(),
                label,
                secret_env: read.granted,
                sandbox: sandbox.clone(),
            };
            Judged::Run(Box::new(permitted))
        };
        let is_off = config.run_policy == RunPolicy::Off;
        if read.verdict.decision == Decision::Deny && (!is_off || read.verdict.rule == SECRET_IN_COMMAND) {
            self.count_command(caller, call, surroundings, Count::Denied(said(&read.verdict.rule, wish.command)))
                .await?;
            return Ok(Judged::ended(refused(&denied(&read.verdict))));
        }
        let reasons = Self::reasons_to_ask(call, surroundings, &read, &folder);
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
            &reasons,
            &session_key,
            listed.note.as_deref(),
            permit,
        )
        .await
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
        let folder = folder_of(call, wish.cwd)?;
        // What was granted to one command is not remembered for others.
        let shapes = if read.granted.is_empty() { read.verdict.shapes.clone() } else { Vec::new() };
        let sandbox = sandbox_choice(surroundings);
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
                     lines to `{}`, or reset the count with `lwa worker sessions`.",
                    crate::engine::rfc3339(spent.free_at),
                    self.home.run_allow_file().display()
                );
                return Ok(Judged::ended(refused(&text)));
            }
            self.store_session(&session).await?;
        }
        let question = question(wish, &read, &folder, reasons, &shapes, sandbox.as_ref(), session_key);
        let client = client_dialog(dialog.message, &shapes);
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
                self.count_command(caller, call, surroundings, Count::Once).await?;
                if is_for_session {
                    let mut session = self.hold_session(caller, call, surroundings).await?;
                    session.allowed_shapes.extend(shapes);
                }
                Ok(permit(PolicyLabel::AskedOnce, read))
            }
            CommandAnswer::Always => {
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
        folder: &Path,
        environment: &BTreeMap<String, String>,
        list: &lwa_policy::AllowList,
        vault: &Vault,
    ) -> Result<Read, String> {
        let granted = granted(wish.secret_env, vault)
            .map_err(|error| format!("REFUSED (secret_env): {error}. Nothing was run."))?;
        let values = Values::of(wish.command, vault);
        let files = system_files(environment);
        let lookup = |placeholder: &str| values.use_of(placeholder);
        let mut context = self.policy_context(folder, environment);
        context.files = Some(&files);
        context.placeholders = Some(&lookup);
        let written = lwa_policy::decide(wish.command, list, &context);
        if written.decision == Decision::Deny || values.is_empty() {
            return Ok(Read { expanded: wish.command.to_owned(), verdict: written, granted });
        }
        let expanded = lwa_policy::expand(wish.command, &|placeholder| values.value_of(placeholder))
            .map_err(|error| format!("REFUSED (placeholder): {error}. Nothing was run."))?;
        let verdict = lwa_policy::decide_expanded(wish.command, &expanded, list, &context);
        Ok(Read { expanded, verdict, granted })
    }

    /// Where and for whom a command would run.
    pub(super) fn policy_context<'c>(&self, folder: &Path, environment: &BTreeMap<String, String>) -> Context<'c> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        Context {
            working_folder: Some(text(folder)),
            home: std::env::home_dir().as_deref().map(text),
            user: environment.get("USER").cloned(),
            variables: environment.clone(),
            protected: [self.home.config_dir(), self.home.state_dir(), self.home.data_dir(), &self.program_folder]
                .into_iter()
                .map(text)
                .collect(),
            files: None,
            placeholders: None,
        }
    }

    /// Why a human has to be asked; nothing when the list allows it and nothing else stands against it.
    fn reasons_to_ask(call: &WorkerCall, surroundings: &Surroundings, read: &Read, folder: &Path) -> Vec<String> {
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
        if let Some(choice) = sandbox_choice(surroundings)
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
        let folder = folder.or_else(std::env::home_dir).unwrap_or_else(|| PathBuf::from("/"));
        let files = system_files(&BTreeMap::new());
        let mut context = self.policy_context(&folder, &BTreeMap::new());
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
pub(super) fn system_files(environment: &BTreeMap<String, String>) -> SystemFiles {
    let own = || std::env::var("PATH").unwrap_or_default();
    SystemFiles::new(&environment.get("PATH").cloned().unwrap_or_else(own))
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

/// The sandbox of commands: what is configured, and at least what the caller's client holds itself to.
pub(super) fn sandbox_choice(surroundings: &Surroundings) -> Option<SandboxChoice> {
    let configured = configured_sandbox(&surroundings.config);
    let floor = match surroundings.caller_sandbox {
        CallerSandbox::Unknown | CallerSandbox::Full => None,
        CallerSandbox::Workspace => Some(SandboxChoice::workspace()),
        CallerSandbox::ReadOnly => Some(SandboxChoice::read_only()),
    };
    match (configured, floor) {
        (Some(configured), Some(floor)) => Some(configured.with_floor(&floor)),
        (configured, floor) => configured.or(floor),
    }
}

fn configured_sandbox(config: &WorkerConfig) -> Option<SandboxChoice> {
    let files = match config.sandbox {
        CommandSandbox::Off if config.sandbox_network => return None,
        CommandSandbox::Off => FileAccess::All,
        CommandSandbox::Workspace => FileAccess::Workspace,
        CommandSandbox::ReadOnly => FileAccess::ReadOnly,
    };
    let network = if config.sandbox_network { NetworkAccess::Open } else { NetworkAccess::Closed };
    Some(SandboxChoice { files, network, need: SandboxNeed::Required, hidden: Vec::new() })
}

fn words_of(choice: &SandboxChoice) -> String {
    let files = match choice.files {
        FileAccess::All => "writes anywhere",
        FileAccess::Workspace => "writes in its folder",
        FileAccess::ReadOnly => "writes nothing",
    };
    let network = match choice.network {
        NetworkAccess::Open => "network open",
        NetworkAccess::Closed => "no network",
    };
    format!("{files}, {network}")
}

/// The question for the app and the terminal.
fn question(
    wish: Wish<'_>,
    read: &Read,
    folder: &Path,
    reasons: &[String],
    shapes: &[String],
    sandbox: Option<&SandboxChoice>,
    session_key: &str,
) -> Question {
    let detail = CommandDetail {
        command: visible(wish.command).into_owned(),
        cwd: visible(&folder.to_string_lossy()).into_owned(),
        segments: read.verdict.explain().lines().map(str::to_owned).collect(),
        reason: reasons.join("; "),
        warnings: read.verdict.warnings.clone(),
        shapes: shapes.to_vec(),
        sandbox: sandbox.map(words_of),
        secret_variables: read
            .granted
            .iter()
            .map(|variable| format!("{}={}", variable.name(), variable.placeholder()))
            .collect(),
        is_clients_own: false,
    };
    let mut offers = vec![Answer::AllowOnce];
    if !shapes.is_empty() {
        offers.extend([Answer::AllowSession, Answer::AllowAlways]);
    }
    let bound = tokens::text_hash(&format!("{}\n{}\n{:?}", wish.command, folder.display(), wish.secret_env));
    Question {
        kind: ApprovalKind::Command,
        merge_key: format!("command:{session_key}:{bound}"),
        title: "Run this command?".to_owned(),
        detail: ApprovalDetail::Command(detail),
        consequence: if read.granted.is_empty() {
            "It runs on this machine with your rights.".to_owned()
        } else {
            "It runs on this machine with your rights, and gets the named secrets in its environment.".to_owned()
        },
        is_serious: !read.granted.is_empty() || !read.verdict.warnings.is_empty(),
        offers,
        variants: Vec::new(),
    }
}

/// The client's dialog. It never answers for longer than the session.
fn client_dialog(message: String, shapes: &[String]) -> ClientDialog {
    let choice = |id, title: &str, answer| ClientChoice { id, title: title.to_owned(), answer, variant: None };
    let mut choices = vec![
        choice("refuse", "Refuse: do not run it", Answer::Deny),
        choice("once", "Run it this once", Answer::AllowOnce),
    ];
    if !shapes.is_empty() {
        let shapes: Vec<_> = shapes.iter().map(|shape| visible(shape)).collect();
        let title = format!("Run it, and do not ask again in this conversation for: {}", shapes.join(", "));
        choices.push(choice("session", &title, Answer::AllowSession));
    }
    ClientDialog { message, choices }
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
