//! Everything that leaves goes through here: scrubbed with the session's vault, and read for names where they are
//! hidden.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use lwa_domain::ErrorCode;
use lwa_privacy::{Exposure, Kind, ScrubError, Scrubber, Vault, Visibility};
use lwa_protocol::Failure;
use lwa_worker::artifact::{ScrubbedText, Slice, Wanted};
use lwa_worker::entities::{self, Pass, PassLimits};
use lwa_worker::mode::Mode;
use lwa_worker::model::ChatModel;
use lwa_worker::outbound::{Draft, Exit, Names, Outbound};
use lwa_worker::trailer::LeakCheck;
use tokio::time::Instant;

use super::names::NameReader;
use super::session::{Session, Surroundings};
use crate::engine::{Engine, locked};
use crate::failure;

/// How long the model of names may read one text.
const NAMES_LIMIT: Duration = Duration::from_secs(2);
/// The longest text that the configured model is shown before it leaves; what is longer is checked by the embedded
/// model alone.
const MOST_ANSWER_CHARS: usize = 24_000;

/// The longest text that the embedded model is given; nothing that leaves is longer.
const MOST_NAMES_CHARS: usize = 200_000;

/// What is needed to let texts of one session out; made at the beginning of a piece of work.
#[derive(Debug, Clone)]
pub(super) struct WayOut {
    pub scrubber: Arc<Scrubber>,
    pub vault: Arc<Mutex<Vault>>,
    pub exposure: Exposure,
    pub mode: Mode,
    /// A line that nobody read for names stays here.
    withholds_unread: bool,
    names: Option<NameReader>,
    model: Option<Arc<dyn ChatModel>>,
    is_fail_closed: bool,
    /// The material was not wholly read for private values, so that no result of it was wholly checked.
    has_gap: bool,
}

/// What readers of names said about a text.
#[derive(Debug, Default)]
struct NamesRead {
    names: Option<Names>,
    /// Whether the configured model came to the end; none when it was not asked.
    by_model: Option<bool>,
}

impl NamesRead {
    /// How the check ended; none when none was due.
    fn check(&self, has_gap: bool) -> Option<LeakCheck> {
        let by_names = self.names.as_ref().map(Names::is_whole);
        let was_done = [by_names, self.by_model, has_gap.then_some(false)];
        let mut was_done = was_done.into_iter().flatten().peekable();
        was_done.peek()?;
        Some(if was_done.all(|is_whole| is_whole) { LeakCheck::Passed } else { LeakCheck::Failed })
    }
}

/// Of two exposures what both of them leave open.
pub(super) fn narrower(one: Exposure, other: Exposure) -> Exposure {
    if one == Exposure::pii() || other == Exposure::pii() {
        return Exposure::pii();
    }
    let of = |kind| if one.masks(kind) || other.masks(kind) { Visibility::Masked } else { Visibility::Open };
    Exposure::assist(of(Kind::Person), of(Kind::Account))
}

impl Engine {
    /// The way out of a session as it stands.
    pub(super) fn way_out(&self, session: &Session, surroundings: &Surroundings) -> WayOut {
        let config = &surroundings.config;
        WayOut {
            scrubber: self.recognisers(config).scrubber,
            vault: session.vault(),
            exposure: session.exposure(surroundings),
            mode: session.mode,
            withholds_unread: session.withholds_unread(surroundings),
            names: config.names.then(|| self.worker.names.clone()),
            model: None,
            is_fail_closed: config.fail_closed,
            has_gap: false,
        }
    }
}

impl WayOut {
    /// With the configured model, which reads results after the embedded one.
    pub(super) fn with_model(self, model: Option<Arc<dyn ChatModel>>) -> Self {
        Self { model, ..self }
    }

    /// The same way with another exposure, which somebody decided.
    pub(super) fn exposing(&self, exposure: Exposure, mode: Mode) -> Self {
        Self { exposure, mode, withholds_unread: true, ..self.clone() }
    }

    /// The same way for a result whose exposure was decided already, where that hides more.
    pub(super) fn narrowed(&self, verdict: Exposure, is_decided: bool) -> Self {
        let is_decided = is_decided || verdict == Exposure::pii();
        let withholds_unread = self.withholds_unread || (is_decided && verdict.masks(Kind::Person));
        Self { exposure: narrower(self.exposure, verdict), withholds_unread, ..self.clone() }
    }

    /// The same way as its session stands now.
    pub(super) fn now_of(&self, session: &Session, surroundings: &Surroundings) -> Self {
        let withholds_unread = session.withholds_unread(surroundings);
        Self { exposure: session.exposure(surroundings), mode: session.mode, withholds_unread, ..self.clone() }
    }

    /// The same way for a result of material that was not wholly read for private values.
    pub(super) fn with_gap(self, has_gap: bool) -> Self {
        Self { has_gap: self.has_gap || has_gap, ..self }
    }

    /// Work on the vault, off the threads that serve connections.
    pub(super) async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Scrubber, &mut Vault) -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let (scrubber, vault) = (self.scrubber.clone(), self.vault.clone());
        in_thread(move || work(&scrubber, &mut locked(&vault))).await
    }

    /// Gives placeholders to what stands in incoming material; how many different values of each kind there are.
    pub(super) async fn register(
        &self,
        material: Arc<String>,
        known: Vec<String>,
    ) -> Result<std::collections::BTreeMap<Kind, usize>, Failure> {
        let exposure = self.exposure;
        let counts = self
            .blocking(move |scrubber, vault| {
                for value in &known {
                    vault.mint(Kind::Secret, value);
                }
                scrubber.register(vault, &material, exposure)
            })
            .await?;
        counts.map_err(|error| unscrubbed(&error))
    }

    /// A short text: a label, a task, an error.
    pub(super) fn short(&self, text: &str) -> Outbound {
        let mut vault = locked(&self.vault);
        self.exit(&mut vault).text(text, None)
    }

    /// A remembered text: scrubbed and read for names. It blocks its thread.
    pub(super) fn short_with_names(&self, text: &str) -> String {
        match self.read_and_draft(text) {
            Ok(draft) => {
                // The names are read without the vault, so that nothing waits for it meanwhile.
                let names =
                    self.names.as_ref().map(|names| names.read(draft.for_reading(), Instant::now() + NAMES_LIMIT));
                self.exit(&mut locked(&self.vault)).finish(draft, names).into_text()
            }
            Err(error) => self.error(&unscrubbed(&error).message).into_text(),
        }
    }

    /// A text that is scrubbed, with the names that the embedded reader finds in it as it stands. It blocks its thread.
    fn read_and_draft(&self, text: &str) -> Result<Draft, ScrubError> {
        let Some(names) = self.names.as_ref().filter(|_| self.is_reading_due()) else {
            return self.exit(&mut locked(&self.vault)).draft(text);
        };
        // The names are read without the vault, so that nothing waits for it meanwhile.
        let names = names.read(&Exit::reading_of(text), Instant::now() + NAMES_LIMIT / 2);
        self.exit(&mut locked(&self.vault)).draft_of_read(text, &names)
    }

    /// A document whose texts are short or have been scrubbed: each is scrubbed by itself, then the whole.
    pub(super) fn document(&self, value: &serde_json::Value) -> serde_json::Value {
        self.exit(&mut locked(&self.vault)).json(value).into_value()
    }

    /// An error text.
    pub(super) fn error(&self, text: &str) -> Outbound {
        let mut vault = locked(&self.vault);
        self.exit(&mut vault).error(text)
    }

    /// A result: scrubbed, read for names, and looked at by the configured model where there is one.
    pub(super) async fn result(&self, text: String) -> Result<Outbound, Failure> {
        let way = self.clone();
        let drafted = in_thread(move || way.read_and_draft(&text)).await?;
        let draft = match drafted {
            Ok(draft) => draft,
            Err(error) => return Ok(self.error(&unscrubbed(&error).message)),
        };
        let read = self.read_names(draft.for_reading().to_owned()).await?;
        let check = read.check(self.has_gap && self.is_reading_due());
        let way = self.clone();
        let outbound = in_thread(move || {
            // Without the embedded reader the text is scrubbed once more all the same: the model may have named values.
            let names = read.names.or_else(|| read.by_model.map(|_| Names::default()));
            way.exit(&mut locked(&way.vault)).finish(draft, names)
        })
        .await?;
        Ok(self.checked(outbound, check))
    }

    /// A slice of a text. The lines that it touches are read for names whole, before it is cut.
    pub(super) async fn slice(&self, text: Arc<String>, wanted: Wanted) -> Result<(Slice, Outbound), Failure> {
        let scrubbed = self.scrubbed(text.clone()).await?;
        let reading = scrubbed.reading(wanted);
        let read = self.read_names(reading.text().to_owned()).await?;
        let check = read.check(self.has_gap && self.is_reading_due());
        let unread = read.names.as_ref().map(|names| names.unread.clone()).unwrap_or_default();
        let withheld =
            if self.withholds_unread { reading.lines_at(&unread) } else { std::collections::BTreeSet::new() };
        let is_news = read.by_model.is_some() || read.names.as_ref().is_some_and(|names| !names.values.is_empty());
        let scrubbed = if is_news {
            let way = self.clone();
            in_thread(move || {
                let names = read.names.unwrap_or_default();
                way.exit(&mut locked(&way.vault)).register(&names, reading.text());
            })
            .await?;
            self.scrubbed(text).await?
        } else {
            scrubbed
        };
        let slice = scrubbed.slice(wanted, &withheld);
        let outbound = self.exit(&mut locked(&self.vault)).text(&slice.text, None);
        let outbound = match check {
            Some(check) if !outbound.is_refusal() => outbound.with_reading(check, slice.withheld_lines),
            _ => outbound,
        };
        Ok((slice, self.checked(outbound, None)))
    }

    async fn scrubbed(&self, text: Arc<String>) -> Result<ScrubbedText, Failure> {
        let way = self.clone();
        let scrubbed = in_thread(move || {
            let mut vault = locked(&way.vault);
            let scrubbed = way.scrubber.scrub(&mut vault, &text, way.exposure);
            scrubbed.map(|scrubbed| ScrubbedText::of(&text, &scrubbed))
        })
        .await?;
        scrubbed
            .map_err(|error| unscrubbed(&error))?
            .map_err(|error| Failure::new(ErrorCode::Internal, error.to_string()))
    }

    fn is_reading_due(&self) -> bool {
        self.exposure.masks(Kind::Person)
    }

    /// Has a text read for names, where they are hidden. What the configured model finds is in the vault behind it; what
    /// the embedded one finds is still to be taken there.
    async fn read_names(&self, text: String) -> Result<NamesRead, Failure> {
        if !self.is_reading_due() {
            return Ok(NamesRead::default());
        }
        let mut read = NamesRead::default();
        if let Some(model) = self.model.as_deref() {
            let shown: String = text.chars().take(MOST_ANSWER_CHARS).collect();
            let limits = PassLimits::until(Instant::now() + Duration::from_mins(2));
            let found = entities::find(model, &shown, Pass::Answer, &limits).await;
            read.by_model = Some(found.status.is_ok() && shown.len() == text.len());
            let values = found.values;
            self.blocking(move |scrubber, vault| entities::register_all(scrubber, vault, &values, &shown)).await?;
        }
        if let Some(names) = self.names.clone() {
            // They are read without the vault, so that nothing waits for it meanwhile.
            let reading = move || names.read_up_to(MOST_NAMES_CHARS, &text, Instant::now() + NAMES_LIMIT);
            read.names = Some(in_thread(reading).await?);
        }
        Ok(read)
    }

    /// The text with its check, or a refusal where only what was checked may leave.
    fn checked(&self, outbound: Outbound, check: Option<LeakCheck>) -> Outbound {
        let outbound = if check == Some(LeakCheck::Failed) { outbound.with_failed_check() } else { outbound };
        if self.is_fail_closed && outbound.leak_check() == Some(LeakCheck::Failed) {
            let text = "the result was held back: it could not be checked for private values, and the setting \
                `fail_closed` wants that. Ask for less, or fetch exact lines with local_llm_artifact.";
            return self.error(text).with_failed_check();
        }
        outbound
    }

    fn exit<'e>(&'e self, vault: &'e mut Vault) -> Exit<'e> {
        Exit { scrubber: &self.scrubber, vault, exposure: self.exposure, withholds_unread: self.withholds_unread }
    }
}

/// Work that blocks, off the threads that serve connections.
async fn in_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        tracing::error!(%error, "a scrub failed unexpectedly");
        failure::unexpected()
    })
}

/// A text could not be scrubbed, so nothing of it is used.
pub(super) fn unscrubbed(error: &ScrubError) -> Failure {
    let hint = match error {
        ScrubError::Refused => "the user has to mend or remove the file; local_llm_status names it",
        ScrubError::TooLong { .. } | ScrubError::NotClean => "ask for a smaller part of it, or narrow the command",
    };
    Failure::new(ErrorCode::InvalidInput, format!("the text cannot be checked for private values: {error}")).hint(hint)
}
