//! What of the private values may leave in clear, and who said so.
//!
//! A pure state machine. Secrets are never opened. Names, addresses and numbers open by a human's answer or by a
//! setting; every other way a question ends leaves them hidden. What a setting opened is hidden again when the setting
//! goes.

mod state;
mod text;

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use lwa_domain::Outcome;
use lwa_privacy::{Exposure, Kind, Tier, Visibility};
use serde::{Deserialize, Serialize};

use crate::dialog::DialogReply;
use crate::mode::Mode;

pub use state::{DisclosureSource, Escalation, Identity, Numbers, Stored};
pub use text::{disclosure_dialog, opening_dialog};

/// Questions between two resets.
pub const MOST_ASKED: u32 = 3;
/// Questions of one hour, resets or not, so that no caller can wear the human down.
pub const MOST_AN_HOUR: usize = 6;
/// How long a human's no to leaving the private mode is the answer to the next wish as well.
pub const NO_HOLDS: SignedDuration = SignedDuration::from_mins(10);

/// What holds for a call now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DisclosureSurroundings {
    /// The mode of the conversation.
    pub mode: Mode,
    /// The setting for undecided values.
    pub escalation: Escalation,
    /// The setting for numbers.
    pub numbers: Visibility,
    /// Whether there is a surface on which a human can be asked.
    pub can_ask: bool,
}

/// A question that is open. Its number keeps a late reply from deciding another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Round(u32);

/// What follows for a result that may hold private values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Due {
    /// Nothing to decide; go on with this exposure.
    Settled(Verdict),
    /// Show [`disclosure_dialog`] while the work goes on, then call [`Disclosure::settle`].
    Ask(Round),
}

/// How one result leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// What the scrub of this result hides.
    pub exposure: Exposure,
    /// For the trailer; none when there was nothing to decide.
    pub label: Option<String>,
    /// Stands between the result and the trailer.
    pub notice: Option<&'static str>,
    /// The conversation goes into this mode.
    pub switch_to: Option<Mode>,
    /// What was open is hidden from now on: register the summary and every stored turn, so that it stays hidden.
    pub is_memory_vaulted: bool,
}

/// What a caller asks of `local_llm_disclosure`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IdentityRequest {
    /// In clear.
    Open,
    /// Hidden.
    Masked,
    /// Undecided again, and the next result asks.
    Ask,
    /// As it is.
    #[default]
    Keep,
}

/// What a caller asks of `local_llm_disclosure` about numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NumbersRequest {
    /// In clear.
    Open,
    /// Hidden.
    Masked,
    /// As it is.
    #[default]
    Keep,
}

/// What follows for a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestStep {
    /// Done. When something open was hidden, the memory has to be vaulted.
    Done {
        /// See [`Verdict::is_memory_vaulted`].
        is_memory_vaulted: bool,
    },
    /// What it hides is hidden; a human has to say whether these may be opened. Show [`opening_dialog`], then call
    /// [`Disclosure::settle_request`].
    Ask {
        /// The question.
        round: Round,
        /// What it would open.
        opening: Opening,
        /// See [`Verdict::is_memory_vaulted`].
        is_memory_vaulted: bool,
    },
    /// Nobody may be asked; nothing was opened.
    Refused {
        /// Why.
        why: Unasked,
        /// See [`Verdict::is_memory_vaulted`].
        is_memory_vaulted: bool,
    },
}

/// Why a human is not asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unasked {
    /// There is no surface to ask on.
    Nowhere,
    /// Another question about what may leave is open.
    AnotherIsOpen,
    /// The questions of this hour are used up.
    TooOften {
        /// When the next one may be asked.
        free_at: Timestamp,
    },
    /// The human said no to the same a short while ago.
    SaidNo {
        /// When the next one may be asked.
        free_at: Timestamp,
    },
}

/// What a request would open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opening {
    /// Names, addresses, mail.
    pub identity: bool,
    /// Numbers.
    pub numbers: bool,
}

/// For status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DisclosureStatus {
    /// Names, addresses, mail.
    pub identity: Identity,
    /// Numbers, with the setting looked up.
    pub numbers: &'static str,
    /// Who decided.
    pub source: Option<DisclosureSource>,
    /// Questions since the last reset.
    pub asked: u32,
    /// When it was decided.
    pub ts: Option<Timestamp>,
    /// The setting.
    pub escalation: Escalation,
    /// The kinds that leave in clear now.
    pub open_kinds: Vec<&'static str>,
    /// Whether a human can be asked.
    pub client_can_ask: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pending {
    Result(Round),
    Request(Round, Opening),
}

/// The disclosure of one conversation.
#[derive(Debug, Clone, Default)]
pub struct Disclosure {
    stored: Stored,
    rounds: u32,
    pending: Option<Pending>,
}

impl Disclosure {
    /// The disclosure of a conversation whose state was stored.
    pub fn restore(stored: Stored) -> Self {
        Self { stored, ..Self::default() }
    }

    /// What has to be stored.
    pub fn stored(&self) -> &Stored {
        &self.stored
    }

    /// What leaves in clear now.
    pub fn exposure(&self, surroundings: DisclosureSurroundings) -> Exposure {
        match surroundings.mode {
            Mode::Pii => Exposure::pii(),
            Mode::Assist => {
                let identity = match self.identity(surroundings) {
                    Identity::Open => Visibility::Open,
                    Identity::Undecided | Identity::Masked => Visibility::Masked,
                };
                Exposure::assist(identity, self.numbers(surroundings))
            }
        }
    }

    /// The state with the settings looked up: what a setting opened or closed does not outlive the setting.
    pub fn identity(&self, surroundings: DisclosureSurroundings) -> Identity {
        match (self.stored.source, self.stored.identity) {
            (Some(DisclosureSource::Policy), Identity::Open) if surroundings.escalation != Escalation::Off => {
                Identity::Undecided
            }
            (_, identity) => identity,
        }
    }

    /// Decides how a result leaves whose material holds these private values. When it says [`Due::Ask`], the question
    /// is counted and has to be stored first.
    pub fn due(&mut self, surroundings: DisclosureSurroundings, counts: &BTreeMap<Kind, usize>, now: Timestamp) -> Due {
        let is_concerned = counts.iter().any(|(kind, count)| *count > 0 && kind.tier() != Tier::Secrets);
        // What somebody has hidden is opened by a human alone.
        let escalation = match surroundings.escalation {
            Escalation::Off if self.stored.was_closed => Escalation::Ask,
            set => set,
        };
        if surroundings.mode == Mode::Pii
            || !is_concerned
            || self.identity(surroundings) != Identity::Undecided
            || (escalation == Escalation::Ask && self.pending.is_some())
        {
            let label = self.label(surroundings).filter(|_| is_concerned);
            return Due::Settled(Verdict::plain(self.exposure(surroundings), label));
        }
        match escalation {
            Escalation::Off => {
                self.decide(Identity::Open, None, DisclosureSource::Policy, now);
                Due::Settled(Verdict::plain(self.exposure(surroundings), self.label(surroundings)))
            }
            Escalation::Ask if surroundings.can_ask && self.stored.asked < MOST_ASKED => {
                if self.stored.recent.take(MOST_AN_HOUR, now).is_err() {
                    let verdict = Verdict::plain(masked(), Some("masked (asked too often this hour)".to_owned()));
                    return Due::Settled(verdict);
                }
                self.stored.asked += 1;
                let round = self.next_round();
                self.pending = Some(Pending::Result(round));
                Due::Ask(round)
            }
            Escalation::Ask | Escalation::Auto => {
                self.decide(Identity::Masked, None, DisclosureSource::Auto, now);
                let verdict = Verdict::plain(self.exposure(surroundings), self.label(surroundings));
                Due::Settled(Verdict { notice: Some(text::HOW_TO_OPEN), ..verdict })
            }
        }
    }

    /// Takes the reply to the question of a result. Anything that is not clearly a choice hides this result and leaves
    /// the rest undecided; so does a reply to a question that is over.
    pub fn settle(
        &mut self,
        round: Round,
        reply: &DialogReply,
        surroundings: DisclosureSurroundings,
        now: Timestamp,
    ) -> Verdict {
        let is_open = self.pending == Some(Pending::Result(round));
        if is_open {
            self.pending = None;
        }
        match reply.choice().as_deref().filter(|_| is_open) {
            Some("switch") => {
                self.decide(Identity::Masked, None, DisclosureSource::Dialog, now);
                Verdict {
                    exposure: Exposure::pii(),
                    label: Some("asked → switched to PII".to_owned()),
                    notice: Some(text::SWITCHED),
                    switch_to: Some(Mode::Pii),
                    is_memory_vaulted: true,
                }
            }
            Some("continue") => {
                self.decide(Identity::Open, Some(Numbers::Masked), DisclosureSource::Dialog, now);
                Verdict::plain(self.exposure(surroundings), Some("asked → identity open".to_owned()))
            }
            Some("everything") => {
                self.decide(Identity::Open, Some(Numbers::Open), DisclosureSource::Dialog, now);
                Verdict::plain(self.exposure(surroundings), Some("asked → everything open".to_owned()))
            }
            _ => {
                if is_open && matches!(reply, DialogReply::Ended(Outcome::Unavailable)) {
                    self.give_back();
                }
                Verdict::plain(masked(), Some(format!("dialog {}: masked", reply.action())))
            }
        }
    }

    /// Takes a caller's request. Hiding is done at once; opening needs a human.
    pub fn request(
        &mut self,
        identity: IdentityRequest,
        numbers: NumbersRequest,
        surroundings: DisclosureSurroundings,
        now: Timestamp,
    ) -> RequestStep {
        let was_open = (self.identity(surroundings) == Identity::Open, self.numbers(surroundings) == Visibility::Open);
        match identity {
            IdentityRequest::Masked => self.decide(Identity::Masked, None, DisclosureSource::Tool, now),
            IdentityRequest::Ask => {
                self.decide(Identity::Undecided, None, DisclosureSource::Tool, now);
                self.stored.asked = 0;
            }
            IdentityRequest::Open | IdentityRequest::Keep => {}
        }
        if numbers == NumbersRequest::Masked {
            self.decide_numbers(Numbers::Masked, now);
        }
        let is_open = (self.identity(surroundings) == Identity::Open, self.numbers(surroundings) == Visibility::Open);
        let is_memory_vaulted = (was_open.0 && !is_open.0) || (was_open.1 && !is_open.1);
        let opening = Opening {
            identity: identity == IdentityRequest::Open && !is_open.0,
            numbers: numbers == NumbersRequest::Open && !is_open.1,
        };
        if !opening.identity && !opening.numbers {
            return RequestStep::Done { is_memory_vaulted };
        }
        if let Err(why) = self.take_question(surroundings.can_ask, now) {
            return RequestStep::Refused { why, is_memory_vaulted };
        }
        let round = self.next_round();
        self.pending = Some(Pending::Request(round, opening));
        RequestStep::Ask { round, opening, is_memory_vaulted }
    }

    /// Takes the reply to the question of a request, and says whether something was opened.
    pub fn settle_request(&mut self, round: Round, reply: &DialogReply, now: Timestamp) -> bool {
        let Some(Pending::Request(open, opening)) = self.pending else { return false };
        if open != round {
            return false;
        }
        self.pending = None;
        let is_yes = match reply {
            DialogReply::Ended(outcome) => outcome.is_allowed(),
            DialogReply::Chosen(_) => reply.choice().as_deref() == Some("open"),
        };
        if !is_yes {
            if matches!(reply, DialogReply::Ended(Outcome::Unavailable)) {
                self.stored.recent.give_back();
            }
            return false;
        }
        if opening.identity {
            self.decide(Identity::Open, None, DisclosureSource::Tool, now);
        }
        if opening.numbers {
            self.decide_numbers(Numbers::Open, now);
        }
        true
    }

    /// Counts a question whether the private mode may be left.
    ///
    /// # Errors
    /// Nobody may be asked now.
    pub fn ask_to_leave(&mut self, can_ask: bool, now: Timestamp) -> Result<(), Unasked> {
        let free_at = self.stored.stays_private.and_then(|said| said.checked_add(NO_HOLDS).ok());
        if let Some(free_at) = free_at.filter(|free_at| *free_at > now) {
            return Err(Unasked::SaidNo { free_at });
        }
        self.take_question(can_ask, now)
    }

    /// Takes the reply to the question whether the private mode may be left, and says whether it is a yes.
    pub fn settle_leaving(&mut self, outcome: Outcome, now: Timestamp) -> bool {
        match outcome {
            outcome if outcome.is_allowed() => self.stored.stays_private = None,
            Outcome::Unavailable => self.stored.recent.give_back(),
            Outcome::Denied => self.stored.stays_private = Some(now),
            _ => {}
        }
        outcome.is_allowed()
    }

    fn take_question(&mut self, can_ask: bool, now: Timestamp) -> Result<(), Unasked> {
        if !can_ask {
            return Err(Unasked::Nowhere);
        }
        if self.pending.is_some() {
            return Err(Unasked::AnotherIsOpen);
        }
        let taken = self.stored.recent.take(MOST_AN_HOUR, now);
        taken.map_err(|spent| Unasked::TooOften { free_at: spent.free_at })
    }

    /// A question whose call is gone: its reply decides nothing any more.
    pub fn withdraw(&mut self, round: Round) {
        if matches!(self.pending, Some(Pending::Result(open) | Pending::Request(open, _)) if open == round) {
            self.pending = None;
        }
    }

    /// A human lets the questions begin again; what was decided stays.
    pub fn reset_questions(&mut self) {
        self.stored.asked = 0;
        self.stored.recent.reset();
        self.stored.stays_private = None;
    }

    /// A human lets everything begin again: undecided, and no question counted.
    pub fn reset(&mut self) {
        self.stored = Stored::default();
        self.pending = None;
    }

    /// For status.
    pub fn status(&self, surroundings: DisclosureSurroundings) -> DisclosureStatus {
        DisclosureStatus {
            identity: self.identity(surroundings),
            numbers: match self.numbers(surroundings) {
                Visibility::Open => "open",
                Visibility::Masked => "masked",
            },
            source: self.stored.source,
            asked: self.stored.asked,
            ts: self.stored.ts,
            escalation: surroundings.escalation,
            open_kinds: self.exposure(surroundings).open_kinds().into_iter().map(Kind::as_str).collect(),
            client_can_ask: surroundings.can_ask,
        }
    }

    fn numbers(&self, surroundings: DisclosureSurroundings) -> Visibility {
        match self.stored.numbers {
            Numbers::Default => surroundings.numbers,
            Numbers::Open => Visibility::Open,
            Numbers::Masked => Visibility::Masked,
        }
    }

    fn label(&self, surroundings: DisclosureSurroundings) -> Option<String> {
        if surroundings.mode == Mode::Pii {
            return None;
        }
        let source = match self.stored.source {
            Some(DisclosureSource::Policy) => " (policy)",
            Some(DisclosureSource::Auto) => " (auto)",
            Some(DisclosureSource::Dialog | DisclosureSource::Tool) | None => "",
        };
        match (self.identity(surroundings), self.numbers(surroundings)) {
            (Identity::Open, Visibility::Open) => Some(format!("everything open{source}")),
            (Identity::Open, Visibility::Masked) => Some(format!("identity open{source}")),
            (Identity::Masked, _) => Some(format!("masked{source}")),
            (Identity::Undecided, _) => None,
        }
    }

    fn decide(&mut self, identity: Identity, numbers: Option<Numbers>, source: DisclosureSource, now: Timestamp) {
        let is_by_somebody = matches!(source, DisclosureSource::Dialog | DisclosureSource::Tool);
        match identity {
            Identity::Masked if is_by_somebody => self.stored.was_closed = true,
            Identity::Open if is_by_somebody => self.stored.was_closed = false,
            _ => {}
        }
        self.stored.identity = identity;
        self.stored.numbers = numbers.unwrap_or(self.stored.numbers);
        self.stored.source = Some(source);
        self.stored.ts = Some(now);
    }

    /// The source stays: it says who decided about names, and a setting that opened them must still be known.
    fn decide_numbers(&mut self, numbers: Numbers, now: Timestamp) {
        self.stored.numbers = numbers;
        self.stored.ts = Some(now);
    }

    fn next_round(&mut self) -> Round {
        self.rounds = self.rounds.wrapping_add(1);
        Round(self.rounds)
    }

    /// No human saw the question, so none has let it go by.
    fn give_back(&mut self) {
        self.stored.asked = self.stored.asked.saturating_sub(1);
        self.stored.recent.give_back();
    }
}

impl Verdict {
    fn plain(exposure: Exposure, label: Option<String>) -> Self {
        Self { exposure, label, notice: None, switch_to: None, is_memory_vaulted: false }
    }
}

/// Everything hidden, for one result.
fn masked() -> Exposure {
    Exposure::assist(Visibility::Masked, Visibility::Masked)
}
