//! The policies that come with the worker: a question and its options for three moments of a piece of work.

use std::str::FromStr;

use thiserror::Error;

use super::{Choice, DecisionRequest};

/// The version of the questions and options below; it changes with any of their words.
pub const POLICY_VERSION: u32 = 2;

/// A question that comes up again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Policy {
    /// How a step that prints much should be done.
    DelegationRoute,
    /// What to do about something that failed.
    FailureTriage,
    /// Whether a piece of work is done.
    CompletionReview,
}

/// A name that is no policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a policy is `delegation_route`, `failure_triage` or `completion_review`")]
pub struct UnknownPolicy;

impl Policy {
    /// Every policy.
    pub const ALL: [Self; 3] = [Self::DelegationRoute, Self::FailureTriage, Self::CompletionReview];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DelegationRoute => "delegation_route",
            Self::FailureTriage => "failure_triage",
            Self::CompletionReview => "completion_review",
        }
    }

    /// Its question.
    pub const fn question(self) -> &'static str {
        match self {
            Self::DelegationRoute => {
                "The evidence describes a step of work and what its material is like. In which form is its result \
                 needed?"
            }
            Self::FailureTriage => {
                "The evidence describes something that failed and what is known about it. What is the next step?"
            }
            Self::CompletionReview => {
                "The evidence describes a piece of work, what was asked for and what was checked. Is it done?"
            }
        }
    }

    /// Names and meanings of its options, the most careful one among them.
    pub const fn options(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::DelegationRoute => &[
                (
                    "digest",
                    "Much material, of which the meaning is needed: what happened, what stands out, which values \
                     matter. Wording does not.",
                ),
                (
                    "verbatim",
                    "Exact wording is needed: code to be edited, a message to be quoted, a configuration to be \
                     compared.",
                ),
                (
                    "deterministic",
                    "A program gives the result without judgement: a count, a sum, a search for a fixed text, a \
                     sorted list.",
                ),
                (
                    "review",
                    "The evidence does not say enough, the step changes something, or a mistake would be costly: a \
                     person or the caller looks first.",
                ),
            ],
            Self::FailureTriage => &[
                (
                    "gather_evidence",
                    "The cause cannot be told from what is known, and more can be read without changing anything.",
                ),
                (
                    "configured_fallback",
                    "The failure is one for which a fallback is configured, and the evidence shows that this one \
                     applies.",
                ),
                (
                    "review",
                    "Going on could lose data, cost money or touch what others use, or the evidence contradicts \
                     itself: a person decides.",
                ),
                ("diagnose", "The evidence is enough to name the cause, and the next step is to find it there."),
            ],
            Self::CompletionReview => &[
                ("verify", "The work looks whole, and a check that was asked for or is usual has not been made."),
                ("repair", "A check failed, or something that was asked for is missing or wrong."),
                (
                    "review",
                    "Whether it is done depends on a wish or a risk that the evidence does not settle: a person \
                     decides.",
                ),
                ("ready", "Everything that was asked for is there, and the evidence shows that the checks passed."),
            ],
        }
    }

    /// The policy's question about this evidence.
    pub fn request(self, evidence: &str) -> DecisionRequest {
        let choices = self
            .options()
            .iter()
            .map(|(id, description)| Choice { id: (*id).to_owned(), description: (*description).to_owned() })
            .collect();
        DecisionRequest { state: evidence.to_owned(), question: self.question().to_owned(), choices }
    }
}

impl FromStr for Policy {
    type Err = UnknownPolicy;

    fn from_str(name: &str) -> Result<Self, UnknownPolicy> {
        Self::ALL.into_iter().find(|policy| policy.as_str() == name).ok_or(UnknownPolicy)
    }
}
