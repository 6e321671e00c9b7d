//! The recognisers in force: the built-in ones, with the human's terms and rules.
//!
//! The files are read again when their content changes. What is added to them hides at once; what is taken out goes on
//! hiding until a human lets it go, so that nobody uncovers a value by editing a file. A file that cannot be used leaves
//! what it held before in force, and when it held nothing, nothing leaves.

mod kept;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use lwa_config::WorkerConfig;
use lwa_domain::{ApprovalKind, ErrorCode};
use lwa_privacy::{Rules, Scrubber, Terms};
use lwa_protocol::Failure;
use lwa_protocol::approval::{Answer, ApprovalDetail, PolicyChangeDetail, PolicyChangeLine};

use self::kept::{Form, merge};
use crate::broker::Question;
use crate::engine::{Engine, locked};
use crate::{failure, tokens};

/// The longest text that is scrubbed at once; a longer one is refused, never passed.
const LONGEST_TEXT: usize = lwa_worker::artifact::MOST_BYTES;
/// Questions about what was taken out of a file.
const MERGE_KEY: &str = "private_file";
/// The setting that holds the merge key of what a human wants to keep, for each file.
const REFUSED: &str = "worker.private.refused";

/// The recognisers as they were last made.
#[derive(Debug, Default)]
pub(crate) struct Recognisers {
    made: Mutex<Option<Made>>,
    /// The digest of what a human was shown last as gone from a file. Only that can be let go: two sets of the same
    /// kinds and counts look alike in a question.
    shown: Mutex<HashMap<&'static str, String>>,
}

#[derive(Debug, Clone)]
struct Made {
    /// What they were made of.
    of: Sources,
    terms: Settled,
    rules: Settled,
    recognising: Recognising,
}

/// Digests of the files, and the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Sources {
    terms: String,
    rules: String,
    has_shapes: bool,
    is_strict: bool,
}

/// What is in force of one file.
#[derive(Debug, Clone, Default)]
struct Settled {
    /// Its text; none when the file cannot be used and held nothing before.
    text: Option<Arc<String>>,
    /// What was taken out of the file and is still in force.
    gone: Vec<PolicyChangeLine>,
    /// The digest of what is gone.
    mark: String,
    /// Why the file is not in force as it stands.
    note: Option<String>,
}

/// The recognisers, and what is wrong with their files.
#[derive(Debug, Clone)]
pub(crate) struct Recognising {
    pub scrubber: Arc<Scrubber>,
    /// What is in force, in words.
    pub summary: String,
    /// One sentence for each file that is not in force as it stands.
    pub notes: Vec<String>,
}

impl Engine {
    /// The recognisers in force now.
    pub(crate) fn recognisers(&self, config: &WorkerConfig) -> Recognising {
        let terms = read(&self.private_file(Form::Terms));
        let rules = read(&self.private_file(Form::Rules));
        let of = Sources {
            terms: digest(&terms),
            rules: digest(&rules),
            has_shapes: config.shapes,
            is_strict: config.strict_pii,
        };
        let mut made = locked(&self.worker.recognisers.made);
        if let Some(made) = made.as_ref().filter(|made| made.of == of) {
            return made.recognising.clone();
        }
        let before = |form: Form| match made.as_ref() {
            Some(made) if form == Form::Terms => made.terms.text.clone(),
            Some(made) => made.rules.text.clone(),
            None => std::fs::read_to_string(self.kept_file(form)).ok().map(Arc::new),
        };
        let terms = settle(Form::Terms, &self.private_file(Form::Terms), &terms, before(Form::Terms));
        let rules = settle(Form::Rules, &self.private_file(Form::Rules), &rules, before(Form::Rules));
        let marks_before = made.as_ref().map(|made| (made.terms.mark.clone(), made.rules.mark.clone()));
        self.keep_in_force(Form::Terms, &terms);
        self.keep_in_force(Form::Rules, &rules);
        let recognising = recognising(&terms, &rules, config);
        let marks = (terms.mark.clone(), rules.mark.clone());
        *made = Some(Made { of, terms, rules, recognising: recognising.clone() });
        drop(made);
        if marks != marks_before.unwrap_or_default() {
            let engine = self.clone();
            self.tasks.spawn(async move {
                if let Err(error) = engine.ask_about_what_is_gone().await {
                    tracing::warn!(error = %error.message, "nobody could be asked about the private files");
                }
            });
        }
        recognising
    }

    fn private_file(&self, form: Form) -> PathBuf {
        match form {
            Form::Terms => self.home.private_terms_file(),
            Form::Rules => self.home.rules_file(),
        }
    }

    /// Where what is in force of a file is kept for the next host.
    fn kept_file(&self, form: Form) -> PathBuf {
        self.home.state_dir().join(format!("{}.kept.json", form.key()))
    }

    fn keep_in_force(&self, form: Form, settled: &Settled) {
        let path = self.kept_file(form);
        let Some(text) = &settled.text else { return };
        if std::fs::read_to_string(&path).is_ok_and(|kept| kept == **text) {
            return;
        }
        if let Err(error) = write_private(&path, text) {
            tracing::warn!(%error, "what is in force of a private file could not be kept");
        }
    }

    /// What was taken out of the private files and still hides, as a human is shown it now.
    pub(crate) fn show_what_is_gone(&self) -> Vec<PolicyChangeLine> {
        [Form::Terms, Form::Rules].into_iter().flat_map(|form| self.shown(form)).collect()
    }

    /// What is gone from one file, which a human is shown now.
    fn shown(&self, form: Form) -> Vec<PolicyChangeLine> {
        let settled = self.gone(form);
        locked(&self.worker.recognisers.shown).insert(form.key(), settled.mark);
        settled.gone
    }

    fn gone(&self, form: Form) -> Settled {
        self.recognisers(&self.configuration.in_force().worker);
        let made = locked(&self.worker.recognisers.made);
        let settled = made.as_ref().map(|made| if form == Form::Terms { &made.terms } else { &made.rules });
        settled.cloned().unwrap_or_default()
    }

    /// What was taken out of the private files and still hides.
    pub(crate) fn what_is_gone(&self) -> Vec<PolicyChangeLine> {
        [Form::Terms, Form::Rules].into_iter().flat_map(|form| self.gone(form).gone).collect()
    }

    /// A human lets go what was taken out of the private files. Lines about other things are left alone.
    pub(crate) fn let_go(&self, lines: &[PolicyChangeLine]) -> Result<(), Failure> {
        for form in [Form::Terms, Form::Rules] {
            let wanted: Vec<PolicyChangeLine> = lines.iter().filter(|line| line.key == form.key()).cloned().collect();
            if wanted.is_empty() {
                continue;
            }
            let settled = self.gone(form);
            let is_shown = locked(&self.worker.recognisers.shown).get(form.key()) == Some(&settled.mark);
            if wanted != settled.gone || !is_shown {
                return Err(Failure::new(ErrorCode::InvalidInput, "something else is gone from the file now")
                    .hint("nothing was accepted; look at what waits now"));
            }
            let text = read(&self.private_file(form)).unwrap_or_default();
            write_private(&self.kept_file(form), &text)
                .map_err(|error| Failure::new(ErrorCode::Internal, format!("the yes could not be written: {error}")))?;
            *locked(&self.worker.recognisers.made) = None;
        }
        Ok(())
    }

    async fn ask_about_what_is_gone(&self) -> Result<(), Failure> {
        for form in [Form::Terms, Form::Rules] {
            let is_news = locked(&self.worker.recognisers.shown).get(form.key()) != Some(&self.gone(form).mark);
            let lines = self.shown(form);
            let said: Vec<&str> = lines.iter().map(|line| line.from.as_str()).collect();
            let merge_key = format!("{MERGE_KEY}:{}:{}", form.key(), tokens::text_hash(&said.join("\n")));
            let open = self.db.open_approvals().await.map_err(failure::store)?;
            let prefix = format!("{MERGE_KEY}:{}:", form.key());
            let mut is_asked = false;
            for record in open.into_iter().filter(|record| record.merge_key.starts_with(&prefix)) {
                if record.merge_key == merge_key && !lines.is_empty() && !is_news {
                    is_asked = true;
                } else {
                    self.end_question(record, lwa_domain::Outcome::Withdrawn, "the file changed again").await?;
                }
            }
            let refused = self.db.setting(&refused_setting(form)).await.map_err(failure::store)?;
            if lines.is_empty() || is_asked || refused.as_ref() == Some(&merge_key) {
                continue;
            }
            let path = self.private_file(form).display().to_string();
            let question = Question {
                kind: ApprovalKind::PolicyChange,
                merge_key,
                title: match form {
                    Form::Terms => "Stop hiding private terms?".to_owned(),
                    Form::Rules => "Stop hiding what your own rules find?".to_owned(),
                },
                detail: ApprovalDetail::PolicyChange(PolicyChangeDetail { path, changes: lines }),
                consequence: "Somebody took them out of the file. Until you allow it, they go on being hidden."
                    .to_owned(),
                is_serious: true,
                offers: vec![Answer::AllowAlways],
                variants: Vec::new(),
            };
            self.open_question(question, None, None).await?;
        }
        Ok(())
    }

    /// Ends the questions about what a human let go in a terminal.
    pub(crate) async fn end_questions_about_what_is_gone(&self) -> Result<(), Failure> {
        let open = self.db.open_approvals().await.map_err(failure::store)?;
        for record in open.into_iter().filter(|record| is_about_what_is_gone(&record.merge_key)) {
            self.end_question(record, lwa_domain::Outcome::Withdrawn, "it was accepted in a terminal").await?;
        }
        Ok(())
    }

    /// A human wants what was taken out of a file to stay hidden; they are not asked again while nothing else is gone.
    pub(crate) async fn keep_what_is_gone(&self, merge_key: &str) -> Result<(), Failure> {
        for form in [Form::Terms, Form::Rules] {
            if merge_key.starts_with(&format!("{MERGE_KEY}:{}:", form.key())) {
                let setting = refused_setting(form);
                self.db.set_setting(&setting, Some(merge_key), self.now()).await.map_err(failure::store)?;
            }
        }
        Ok(())
    }
}

/// Whether a question with this merge key is about what was taken out of a private file.
pub(crate) fn is_about_what_is_gone(merge_key: &str) -> bool {
    merge_key.strip_prefix(MERGE_KEY).is_some_and(|rest| rest.starts_with(':'))
}

fn refused_setting(form: Form) -> String {
    format!("{REFUSED}.{}", form.key())
}

/// The content of a file; empty when there is none.
fn read(path: &Path) -> Result<String, String> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(error.to_string()),
    }
}

fn digest(read: &Result<String, String>) -> String {
    match read {
        Ok(text) => tokens::text_hash(text),
        Err(error) => error.clone(),
    }
}

/// Why a text cannot be used; an empty one can.
fn fault(form: Form, text: &str) -> Option<String> {
    if text.trim().is_empty() {
        return None;
    }
    match form {
        Form::Terms => Terms::parse(text).err().map(|error| error.to_string()),
        Form::Rules => Rules::parse(text).err().map(|error| error.to_string()),
    }
}

/// What is in force of a file, with what was in force of it before.
fn settle(form: Form, path: &Path, file: &Result<String, String>, before: Option<Arc<String>>) -> Settled {
    let wrong = match file {
        Ok(text) => fault(form, text),
        Err(error) => Some(format!("it cannot be read: {error}")),
    };
    let path = path.display();
    match (file, wrong) {
        (Ok(text), None) => {
            let merged = merge(form, text, before.as_deref().map_or("", String::as_str));
            // What is in force has to be usable as a whole; when the two cannot stand side by side, the older one stays.
            let text = if fault(form, &merged.text).is_none() { Some(Arc::new(merged.text)) } else { before };
            let gone: Vec<PolicyChangeLine> = merged.gone.iter().map(|what| change(form, what)).collect();
            let note = (!gone.is_empty()).then(|| {
                format!("what was taken out of `{path}` is hidden until a human lets it go (`lwa config accept`)")
            });
            let mark = if gone.is_empty() { String::new() } else { tokens::text_hash(&merged.entries) };
            Settled { text, gone, mark, note }
        }
        (_, wrong) => {
            let text = before.filter(|text| !text.trim().is_empty());
            let rest = if text.is_some() {
                "what it held before stays in force"
            } else {
                "nothing leaves until it is mended or removed"
            };
            let wrong = wrong.unwrap_or_default();
            Settled {
                text,
                gone: Vec::new(),
                mark: String::new(),
                note: Some(format!("`{path}` is not in force: {wrong}; {rest}")),
            }
        }
    }
}

fn change(form: Form, what: &str) -> PolicyChangeLine {
    let effect = match form {
        Form::Terms => "they are looked for no more",
        Form::Rules => "what it finds leaves in clear",
    };
    PolicyChangeLine { key: form.key().to_owned(), from: what.to_owned(), to: String::new(), effect: effect.to_owned() }
}

fn recognising(terms: &Settled, rules: &Settled, config: &WorkerConfig) -> Recognising {
    let notes = terms.note.iter().chain(&rules.note).cloned().collect();
    let (Some(terms), Some(rules)) = (&terms.text, &rules.text) else {
        return Recognising {
            scrubber: Arc::new(Scrubber::new().refusing()),
            summary: "a private file cannot be used, so nothing leaves".to_owned(),
            notes,
        };
    };
    // Both were looked at before they were settled on.
    let terms = Terms::parse(terms).unwrap_or_default();
    let rules = Rules::parse(rules).unwrap_or_default();
    let summary = format!(
        "{} private terms, {} own rules, shapes {}",
        terms.len(),
        rules.len(),
        if config.shapes { "on" } else { "off" }
    );
    let scrubber = Scrubber::new()
        .with_terms(terms)
        .with_rules(rules)
        .with_limit(LONGEST_TEXT)
        .with_strict_numbers(config.strict_pii);
    let scrubber = if config.shapes { scrubber } else { scrubber.without_shapes() };
    Recognising { scrubber: Arc::new(scrubber), summary, notes }
}

/// Replaces a file in one step; its owner alone can read it.
fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    let folder = path.parent().unwrap_or_else(|| Path::new("."));
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    new.write_all(text.as_bytes())?;
    new.as_file().sync_all()?;
    new.persist(path).map(drop).map_err(|error| error.error)
}
