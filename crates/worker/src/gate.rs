//! The gate: the worker does nothing for a conversation until a human has turned it on.
//!
//! A pure state machine. What a human said is stored; what the settings say is looked at anew with every call, so a
//! setting that is taken back takes the arming back. One question is open at a time, and calls that come meanwhile get
//! the answer that it gets.

mod text;

use jiff::Timestamp;
use lwa_domain::Outcome;
use serde::{Deserialize, Serialize};

use crate::dialog::{Dialog, DialogReply};
use crate::mode::Mode;

pub use text::{Refusal, Unasked, turn_on_dialog};

/// How many questions a conversation may ask before it stays off.
pub const MOST_ASKED: u32 = 3;

/// Whether the worker is on, as it is stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Option<String>", into = "Option<&'static str>")]
pub enum ArmState {
    /// It does what it is asked.
    On,
    /// It refuses, and does not ask.
    Off,
    /// Nobody has decided; so is what cannot be read.
    #[default]
    Undecided,
}

impl From<Option<String>> for ArmState {
    fn from(stored: Option<String>) -> Self {
        match stored.as_deref() {
            Some("on") => Self::On,
            Some("off") => Self::Off,
            _ => Self::Undecided,
        }
    }
}

impl From<ArmState> for Option<&'static str> {
    fn from(state: ArmState) -> Self {
        match state {
            ArmState::On => Some("on"),
            ArmState::Off => Some("off"),
            ArmState::Undecided => None,
        }
    }
}

/// Where the state comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArmSource {
    /// A setting of the client or the project; never stored.
    Setting,
    /// A human's answer to a question.
    Dialog,
    /// A human's switch in the app or a terminal.
    Admin,
    /// Questions that nobody answered.
    Unanswered,
}

/// What is stored about one conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Armed {
    /// Whether it is on.
    pub state: ArmState,
    /// Who decided.
    pub source: Option<ArmSource>,
    /// When.
    pub ts: Option<Timestamp>,
    /// Questions that were shown since the last decision.
    pub asked: u32,
}

/// What the settings say about arming.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArmSetting {
    /// A human is asked.
    #[default]
    Ask,
    /// This client or project needs no question.
    On,
}

/// What a call finds around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GateSurroundings {
    /// The setting that holds for this client and project now.
    pub setting: ArmSetting,
    /// Whether there is a surface on which a human can be asked.
    pub can_ask: bool,
    /// The call is the tool that turns the worker on, so a human who was asked before may be asked again.
    pub is_enable: bool,
}

/// A question that is open. Its number keeps a late reply from deciding another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Round(u32);

/// What follows for a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateStep {
    /// Go on.
    Pass(Passage),
    /// Show the question, then call [`Gate::settle`].
    Ask(Round),
    /// Another call's question is open: wait for its end, then call [`Gate::after`].
    Wait(Round),
    /// End the call with this text.
    Refuse(Refusal),
}

/// What a call does first when it may go on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Passage {
    /// The operating rules stand before this call's result, whichever tool it is: this call turned the worker on.
    pub has_rules: bool,
    /// The conversation goes into this mode; for [`Mode::Pii`] its memory is vaulted.
    pub switch_to: Option<Mode>,
}

/// The gate of one conversation.
#[derive(Debug, Clone, Default)]
pub struct Gate {
    armed: Armed,
    rounds: u32,
    open: Option<Round>,
    /// How the last question ended, for the calls that waited.
    last: Option<(Round, GateStep)>,
}

impl Gate {
    /// The gate of a conversation whose state was stored.
    ///
    /// A state that came from a setting counts for nothing: the setting itself is asked.
    pub fn restore(armed: Armed) -> Self {
        let armed = if armed.source == Some(ArmSource::Setting) {
            Armed { asked: armed.asked, ..Armed::default() }
        } else {
            armed
        };
        Self { armed, ..Self::default() }
    }

    /// What has to be stored.
    pub fn armed(&self) -> &Armed {
        &self.armed
    }

    /// Whether it is on, and why.
    pub fn state(&self, setting: ArmSetting) -> (ArmState, Option<ArmSource>) {
        // A human who switched this conversation off meant it, whatever the setting.
        let is_switched_off = self.armed.state == ArmState::Off && self.armed.source == Some(ArmSource::Admin);
        match setting {
            ArmSetting::On if !is_switched_off => (ArmState::On, Some(ArmSource::Setting)),
            _ => (self.armed.state, self.armed.source),
        }
    }

    /// Decides about a call. When it says [`GateStep::Ask`], the question is counted and has to be stored first.
    pub fn check(&mut self, surroundings: GateSurroundings, now: Timestamp) -> GateStep {
        match self.state(surroundings.setting) {
            (ArmState::On, _) => return GateStep::Pass(Passage::default()),
            (ArmState::Off, source) if !self.may_ask_again(surroundings, source) => {
                return GateStep::Refuse(self.off());
            }
            _ => {}
        }
        if let Some(round) = self.open {
            return GateStep::Wait(round);
        }
        if !surroundings.can_ask {
            return GateStep::Refuse(Refusal::NoSurface);
        }
        if self.armed.asked >= MOST_ASKED {
            self.decide(ArmState::Off, ArmSource::Unanswered, now);
            return GateStep::Refuse(self.off());
        }
        self.rounds = self.rounds.wrapping_add(1);
        self.armed.asked += 1;
        let round = Round(self.rounds);
        self.open = Some(round);
        GateStep::Ask(round)
    }

    /// Takes the reply to a question. A reply to a question that is over changes nothing.
    pub fn settle(&mut self, round: Round, reply: &DialogReply, now: Timestamp) -> GateStep {
        if self.open != Some(round) {
            return self.after(round);
        }
        self.open = None;
        let step = self.take(reply, now);
        // Whoever waited passes without the rules: the call that asked brings them.
        let for_others = match &step {
            GateStep::Pass(_) => GateStep::Pass(Passage::default()),
            other => other.clone(),
        };
        self.last = Some((round, for_others));
        step
    }

    /// What a call does that waited for this question.
    pub fn after(&self, round: Round) -> GateStep {
        match &self.last {
            Some((last, step)) if *last == round => step.clone(),
            _ if self.open == Some(round) => GateStep::Wait(round),
            _ => GateStep::Refuse(Refusal::Unanswered { action: "withdrawn" }),
        }
    }

    /// A human's switch in the app or a terminal. It begins the counting anew, and ends an open question.
    pub fn switch(&mut self, state: ArmState, now: Timestamp) {
        self.decide(state, ArmSource::Admin, now);
        self.armed.asked = 0;
        if state == ArmState::Undecided {
            self.armed = Armed::default();
        }
        if let Some(round) = self.open.take() {
            let step = match state {
                ArmState::On => GateStep::Pass(Passage::default()),
                ArmState::Off => GateStep::Refuse(self.off()),
                ArmState::Undecided => GateStep::Refuse(Refusal::Unanswered { action: "withdrawn" }),
            };
            self.last = Some((round, step));
        }
    }

    /// The question for a tool.
    pub fn dialog(tool: &str, model: &str, mode: Mode) -> Dialog {
        turn_on_dialog(tool, model, mode)
    }

    fn take(&mut self, reply: &DialogReply, now: Timestamp) -> GateStep {
        let switched = |mode| GateStep::Pass(Passage { has_rules: true, switch_to: mode });
        match (reply.choice().as_deref(), reply) {
            (Some("on"), _)
            | (_, DialogReply::Ended(Outcome::AllowedOnce | Outcome::AllowedSession | Outcome::AllowedAlways)) => {
                self.decide(ArmState::On, ArmSource::Dialog, now);
                switched(None)
            }
            (Some("on_pii"), _) => {
                self.decide(ArmState::On, ArmSource::Dialog, now);
                switched(Some(Mode::Pii))
            }
            // Turning it on is the one question where a declined form is remembered as a no.
            (Some("off"), _) | (_, DialogReply::Ended(Outcome::Denied)) => {
                self.decide(ArmState::Off, ArmSource::Dialog, now);
                GateStep::Refuse(self.off())
            }
            (_, DialogReply::Ended(Outcome::Unavailable)) => {
                // No human saw it, so none has let it go by.
                self.armed.asked = self.armed.asked.saturating_sub(1);
                GateStep::Refuse(Refusal::NoSurface)
            }
            (
                _,
                DialogReply::Chosen(_)
                | DialogReply::Ended(Outcome::Dismissed | Outcome::TimedOut | Outcome::Withdrawn),
            ) => GateStep::Refuse(Refusal::Unanswered { action: reply.action() }),
        }
    }

    fn may_ask_again(&self, surroundings: GateSurroundings, source: Option<ArmSource>) -> bool {
        surroundings.is_enable && source == Some(ArmSource::Dialog) && self.armed.asked < MOST_ASKED
    }

    fn off(&self) -> Refusal {
        match self.armed.source {
            Some(ArmSource::Unanswered) => Refusal::Off(Unasked::NobodyAnswered),
            _ => Refusal::Off(Unasked::Chosen),
        }
    }

    fn decide(&mut self, state: ArmState, source: ArmSource, now: Timestamp) {
        self.armed.state = state;
        self.armed.source = Some(source);
        self.armed.ts = Some(now);
        if state == ArmState::On {
            self.armed.asked = 0;
        }
    }
}
