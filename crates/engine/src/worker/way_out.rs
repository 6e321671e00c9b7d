//! Everything that leaves goes through here: scrubbed with the session's vault, and read for names where they are
//! hidden.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use lwa_domain::ErrorCode;
use lwa_privacy::{Exposure, Kind, ScrubError, Scrubber, Vault};
use lwa_protocol::Failure;
use lwa_worker::entities::{self, Pass, PassLimits};
use lwa_worker::mode::Mode;
use lwa_worker::model::ChatModel;
use lwa_worker::outbound::{Exit, Outbound};
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

/// What is needed to let texts of one session out; made at the beginning of a piece of work.
#[derive(Debug, Clone)]
pub(super) struct WayOut {
    pub scrubber: Arc<Scrubber>,
    pub vault: Arc<Mutex<Vault>>,
    pub exposure: Exposure,
    pub mode: Mode,
    names: Option<NameReader>,
    model: Option<Arc<dyn ChatModel>>,
    is_fail_closed: bool,
}

impl Engine {
    /// The way out of a session as it stands.
    pub(super) fn way_out(&self, session: &Session, surroundings: &Surroundings) -> WayOut {
        let config = &surroundings.config;
        WayOut {
            scrubber: self.recognisers(config.shapes).scrubber,
            vault: session.vault(),
            exposure: session.exposure(surroundings),
            mode: session.mode,
            names: config.names.then(|| self.worker.names.clone()),
            model: None,
            is_fail_closed: config.fail_closed,
        }
    }
}

impl WayOut {
    /// With the configured model, which reads results after the embedded one.
    pub(super) fn with_model(self, model: Option<Arc<dyn ChatModel>>) -> Self {
        Self { model, ..self }
    }

    /// The same way with another exposure.
    pub(super) fn exposing(&self, exposure: Exposure, mode: Mode) -> Self {
        Self { exposure, mode, ..self.clone() }
    }

    /// Work on the vault, off the threads that serve connections.
    pub(super) async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Scrubber, &mut Vault) -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let (scrubber, vault) = (self.scrubber.clone(), self.vault.clone());
        let done = tokio::task::spawn_blocking(move || work(&scrubber, &mut locked(&vault))).await;
        done.map_err(|error| {
            tracing::error!(%error, "a scrub failed unexpectedly");
            failure::unexpected()
        })
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
        let drafted = self.exit(&mut locked(&self.vault)).draft(text);
        match drafted {
            Ok(draft) => {
                // The names are read without the vault, so that nothing waits for it meanwhile.
                let names =
                    self.names.as_ref().map(|names| names.read(draft.for_reading(), Instant::now() + NAMES_LIMIT));
                self.exit(&mut locked(&self.vault)).finish(draft, names).into_text()
            }
            Err(error) => self.error(&unscrubbed(&error).message).into_text(),
        }
    }

    /// An error text.
    pub(super) fn error(&self, text: &str) -> Outbound {
        let mut vault = locked(&self.vault);
        self.exit(&mut vault).error(text)
    }

    /// A result: scrubbed, read for names, and looked at by the configured model where there is one.
    pub(super) async fn result(&self, text: String) -> Result<Outbound, Failure> {
        let is_due = self.exposure.masks(Kind::Person);
        let (way, whole) = (self.clone(), text);
        let drafted = tokio::task::spawn_blocking(move || {
            let mut vault = locked(&way.vault);
            way.exit(&mut vault).draft(&whole)
        })
        .await
        .map_err(|_| failure::unexpected())?;
        let draft = match drafted {
            Ok(draft) => draft,
            Err(error) => return Ok(self.error(&unscrubbed(&error).message)),
        };
        let mut model_check = None;
        if is_due && let Some(model) = self.model.as_deref() {
            let shown: String = draft.for_reading().chars().take(MOST_ANSWER_CHARS).collect();
            let limits = PassLimits::until(Instant::now() + Duration::from_mins(2));
            let found = entities::find(model, &shown, Pass::Answer, &limits).await;
            let is_whole = shown.len() == draft.for_reading().len();
            model_check = Some(found.status.is_ok() && is_whole);
            let values = found.values;
            self.blocking(move |scrubber, vault| entities::register_all(scrubber, vault, &values, &shown)).await?;
        }
        let way = self.clone();
        let mut outbound = tokio::task::spawn_blocking(move || {
            // The names are read without the vault, so that nothing waits for it meanwhile.
            let names = way
                .names
                .as_ref()
                .filter(|_| is_due)
                .map(|names| names.read(draft.for_reading(), Instant::now() + NAMES_LIMIT));
            let mut vault = locked(&way.vault);
            let mut exit = way.exit(&mut vault);
            match (names, model_check) {
                (None, None) => exit.finish(draft, None),
                (names, _) => exit.finish(draft, Some(names.unwrap_or_default())),
            }
        })
        .await
        .map_err(|_| failure::unexpected())?;
        if model_check == Some(false) {
            outbound = outbound.with_failed_check();
        }
        if self.is_fail_closed && outbound.leak_check() == Some(LeakCheck::Failed) {
            let text = "the result was held back: it could not be checked for private values, and the setting \
                `fail_closed` wants that. Ask for less, or fetch exact lines with local_llm_artifact.";
            return Ok(self.error(text));
        }
        Ok(outbound)
    }

    fn exit<'e>(&'e self, vault: &'e mut Vault) -> Exit<'e> {
        Exit { scrubber: &self.scrubber, vault, exposure: self.exposure, mode: self.mode }
    }
}

/// A text could not be scrubbed, so nothing of it is used.
pub(super) fn unscrubbed(error: &ScrubError) -> Failure {
    let hint = match error {
        ScrubError::Refused => "the user has to mend or remove the file; local_llm_status names it",
        ScrubError::TooLong { .. } | ScrubError::NotClean => "ask for a smaller part of it, or narrow the command",
    };
    Failure::new(ErrorCode::InvalidInput, format!("the text cannot be checked for private values: {error}")).hint(hint)
}
