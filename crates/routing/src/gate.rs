//! Why a candidate was not chosen.

use std::fmt;
use std::sync::Arc;

use lwa_domain::{BillingClass, Quality, ReasoningEffort};

use crate::capability_set::CapabilitySet;
use crate::effort_offer::EffortOffer;
use crate::points::Points;

/// Whose leave is missing for a route that may cost money.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leave {
    /// The configuration allows it, the request does not.
    OfRequest,
    /// The request allows it, the configuration does not.
    OfConfiguration,
    /// Neither allows it.
    OfBoth,
}

impl fmt::Display for Leave {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OfRequest => "not allowed by the request",
            Self::OfConfiguration => "not allowed by the configuration",
            Self::OfBoth => "allowed by neither request nor configuration",
        })
    }
}

/// What decided between equal scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TieBreak {
    /// The other one can cost less.
    Cost,
    /// The other one comes first by name.
    Name,
}

/// The first reason, in the order of the gates, why a candidate was not chosen.
///
/// Cheap to copy about: texts are shared, and a sentence is made only when it is printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gate {
    /// The model is switched off, for this reason.
    ModelDisabled(Arc<str>),
    /// The request names another provider.
    OtherProviderNamed,
    /// The request names another model.
    OtherModelNamed,
    /// The request excludes the provider.
    ProviderExcluded,
    /// The request requires another billing class.
    OtherClassRequired {
        /// The one it requires.
        required: BillingClass,
        /// The candidate's own.
        class: BillingClass,
    },
    /// The model lacks these capabilities, which the task needs or the request requires.
    MissingCapabilities(CapabilitySet),
    /// The built-in provider has no model, and the task needs one.
    NeedsModel,
    /// The model does not list the effort that the request asks for.
    EffortNotOffered {
        /// The effort that was asked for.
        asked: ReasoningEffort,
        /// What the model does accept.
        offer: EffortOffer,
    },
    /// The request wants a response format, and the model lists parameters without one.
    FormatNotAccepted,
    /// Input and output together do not fit.
    ContextTooSmall {
        /// Tokens needed.
        needed: u64,
        /// Tokens there are.
        context: u64,
    },
    /// The input alone is more than the model reads.
    InputTooLarge {
        /// Tokens needed.
        needed: u64,
        /// Tokens it reads at most.
        most: u64,
    },
    /// The answer may be longer than the model writes.
    OutputTooLarge {
        /// Tokens asked for.
        asked: u64,
        /// Tokens it writes at most.
        most: u64,
    },
    /// Nothing is known about the provider.
    ProviderNotConfigured,
    /// The provider is switched off, for this reason.
    ProviderDisabled(Arc<str>),
    /// The provider is known to fail, in this way.
    ProviderUnhealthy(Arc<str>),
    /// None of these credentials is present.
    MissingCredential(Arc<str>),
    /// A cap of the provider is used up: which one.
    CapExhausted(Arc<str>),
    /// The route is paid, and leave is missing.
    PaidRouteDisabled(Leave),
    /// Who pays is not known, so the route counts as paid, and leave is missing.
    UnknownClassDisabled(Leave),
    /// The user's subscription pays, and leave is missing.
    UserPaysRouteDisabled(Leave),
    /// The user's subscription pays, and pictures and films are never made on it.
    UserPaysNotForMedia,
    /// The route may cost money, and those never vote.
    VotersAreFree(BillingClass),
    /// The provider trains on what it is sent, and the configuration does not allow that.
    TrainsOnText,
    /// Eligible; the built-in provider steps back while a model is eligible and nobody named it.
    BuiltinStepsBack,
    /// Eligible, but below the chosen one's score.
    Outscored {
        /// This candidate's score in hundredths.
        score: i32,
        /// The chosen `provider:model`.
        winner: Arc<str>,
        /// The chosen one's score in hundredths.
        winning_score: i32,
    },
    /// Eligible with the same score as the chosen one.
    Tied {
        /// The common score in hundredths.
        score: i32,
        /// The chosen `provider:model`.
        winner: Arc<str>,
        /// What the chosen one has ahead.
        by: TieBreak,
    },
    /// Eligible, but the chosen one's provider comes earlier in the preferred list.
    LessPreferred {
        /// This candidate's score in hundredths.
        score: i32,
        /// The chosen `provider:model`.
        winner: Arc<str>,
    },
    /// Eligible and ahead, but below the quality floor while a route that may cost money was allowed.
    BelowFloor {
        /// This candidate's score in hundredths, its record left aside.
        score: i32,
        /// The floor in hundredths.
        floor: i32,
        /// The quality that sets the floor.
        quality: Quality,
    },
    /// Eligible and ahead, but at `economy` a cheaper route that is good enough is taken, and both cost money.
    Dearer {
        /// This candidate's score in hundredths.
        score: i32,
        /// The chosen `provider:model`.
        winner: Arc<str>,
    },
    /// Eligible to vote, but another model of the same provider does.
    ProviderVotes {
        /// The `provider:model` that votes.
        voter: Arc<str>,
    },
    /// Eligible to vote, but this many others vote already, and no more were asked for.
    EnoughVoters(usize),
    /// Eligible and ahead, but the synthesis goes to a model that did not vote and costs nothing.
    SynthesisElsewhere {
        /// This candidate's score in hundredths.
        score: i32,
        /// The chosen `provider:model`.
        winner: Arc<str>,
    },
}

impl Gate {
    /// Every label: first the gates in their order, then how eligible candidates compared.
    pub const LABELS: &[&'static str] = &[
        "model_disabled",
        "other_provider_named",
        "other_model_named",
        "provider_excluded",
        "other_class_required",
        "missing_capabilities",
        "needs_model",
        "effort_not_offered",
        "format_not_accepted",
        "context_too_small",
        "input_too_large",
        "output_too_large",
        "provider_not_configured",
        "provider_disabled",
        "provider_unhealthy",
        "missing_credential",
        "cap_exhausted",
        "paid_route_disabled",
        "unknown_class_disabled",
        "user_pays_route_disabled",
        "user_pays_not_for_media",
        "voters_are_free",
        "trains_on_text",
        "builtin_steps_back",
        "outscored",
        "tied",
        "less_preferred",
        "below_floor",
        "dearer",
        "provider_votes",
        "enough_voters",
        "synthesis_elsewhere",
    ];

    /// A stable name for programs.
    pub const fn label(&self) -> &'static str {
        match self {
            Self::ModelDisabled(_) => "model_disabled",
            Self::OtherProviderNamed => "other_provider_named",
            Self::OtherModelNamed => "other_model_named",
            Self::ProviderExcluded => "provider_excluded",
            Self::OtherClassRequired { .. } => "other_class_required",
            Self::MissingCapabilities(_) => "missing_capabilities",
            Self::NeedsModel => "needs_model",
            Self::EffortNotOffered { .. } => "effort_not_offered",
            Self::FormatNotAccepted => "format_not_accepted",
            Self::ContextTooSmall { .. } => "context_too_small",
            Self::InputTooLarge { .. } => "input_too_large",
            Self::OutputTooLarge { .. } => "output_too_large",
            Self::ProviderNotConfigured => "provider_not_configured",
            Self::ProviderDisabled(_) => "provider_disabled",
            Self::ProviderUnhealthy(_) => "provider_unhealthy",
            Self::MissingCredential(_) => "missing_credential",
            Self::CapExhausted(_) => "cap_exhausted",
            Self::PaidRouteDisabled(_) => "paid_route_disabled",
            Self::UnknownClassDisabled(_) => "unknown_class_disabled",
            Self::UserPaysRouteDisabled(_) => "user_pays_route_disabled",
            Self::UserPaysNotForMedia => "user_pays_not_for_media",
            Self::VotersAreFree(_) => "voters_are_free",
            Self::TrainsOnText => "trains_on_text",
            Self::BuiltinStepsBack => "builtin_steps_back",
            Self::Outscored { .. } => "outscored",
            Self::Tied { .. } => "tied",
            Self::LessPreferred { .. } => "less_preferred",
            Self::BelowFloor { .. } => "below_floor",
            Self::Dearer { .. } => "dearer",
            Self::ProviderVotes { .. } => "provider_votes",
            Self::EnoughVoters(_) => "enough_voters",
            Self::SynthesisElsewhere { .. } => "synthesis_elsewhere",
        }
    }

    /// Whether the candidate could have been chosen: it passed every gate and lost the comparison.
    pub const fn is_eligible(&self) -> bool {
        matches!(
            self,
            Self::BuiltinStepsBack
                | Self::Outscored { .. }
                | Self::Tied { .. }
                | Self::LessPreferred { .. }
                | Self::BelowFloor { .. }
                | Self::Dearer { .. }
                | Self::ProviderVotes { .. }
                | Self::EnoughVoters(_)
                | Self::SynthesisElsewhere { .. }
        )
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ModelDisabled(reason) => write!(f, "model disabled: {reason}"),
            Self::OtherProviderNamed => f.write_str("the request names another provider"),
            Self::OtherModelNamed => f.write_str("the request names another model"),
            Self::ProviderExcluded => f.write_str("provider excluded by the request"),
            Self::OtherClassRequired { required, class } => {
                write!(f, "billing class `{class}`, and the request requires `{required}`")
            }
            Self::MissingCapabilities(missing) => write!(f, "missing capabilities ({missing})"),
            Self::NeedsModel => f.write_str("the task needs a model, and the built-in provider has none"),
            Self::EffortNotOffered { asked, offer } => write!(f, "reasoning effort `{asked}` not offered ({offer})"),
            Self::FormatNotAccepted => f.write_str("no response format among the parameters it accepts"),
            Self::ContextTooSmall { needed, context } => {
                write!(f, "context too small ({needed} tokens needed, {context} there)")
            }
            Self::InputTooLarge { needed, most } => {
                write!(f, "input too large ({needed} tokens needed, {most} read at most)")
            }
            Self::OutputTooLarge { asked, most } => {
                write!(f, "answer too large ({asked} tokens asked for, {most} written at most)")
            }
            Self::ProviderNotConfigured => f.write_str("provider not configured"),
            Self::ProviderDisabled(reason) => write!(f, "provider disabled: {reason}"),
            Self::ProviderUnhealthy(reason) => write!(f, "provider unhealthy: {reason}"),
            Self::MissingCredential(names) => write!(f, "missing credential ({names})"),
            Self::CapExhausted(cap) => write!(f, "cap exhausted: {cap}"),
            Self::PaidRouteDisabled(leave) => write!(f, "paid route disabled ({leave})"),
            Self::UnknownClassDisabled(leave) => {
                write!(f, "billing class unknown and therefore treated as paid ({leave})")
            }
            Self::UserPaysRouteDisabled(leave) => write!(f, "user-pays route disabled ({leave})"),
            Self::UserPaysNotForMedia => f.write_str("your own subscription is never used for pictures and films"),
            Self::VotersAreFree(class) => write!(f, "billing class `{class}`, and only free routes vote"),
            Self::TrainsOnText => {
                f.write_str("the provider trains on what it is sent (not allowed by the configuration)")
            }
            Self::BuiltinStepsBack => {
                f.write_str("the built-in provider serves when it is named or when no model is eligible")
            }
            Self::Outscored { score, winner, winning_score } => {
                write!(f, "scored {}, below `{winner}` with {}", Points(*score), Points(*winning_score))
            }
            Self::Tied { score, winner, by } => {
                let why = match by {
                    TieBreak::Cost => "can cost less",
                    TieBreak::Name => "comes first by name",
                };
                write!(f, "scored {}, level with `{winner}`, which {why}", Points(*score))
            }
            Self::LessPreferred { score, winner } => {
                write!(f, "scored {}, but `{winner}` comes earlier in the preferred list", Points(*score))
            }
            Self::BelowFloor { score, floor, quality } => {
                write!(f, "scored {}, below the floor of {} for `{quality}`", Points(*score), Points(*floor))
            }
            Self::Dearer { score, winner } => {
                write!(f, "scored {}, but `{winner}` can cost less and is good enough for `economy`", Points(*score))
            }
            Self::ProviderVotes { voter } => write!(f, "`{voter}` votes for the provider"),
            Self::EnoughVoters(count) => write!(f, "{count} better ones vote, and no more were asked for"),
            Self::SynthesisElsewhere { score, winner } => {
                write!(f, "scored {}, but `{winner}` did not vote and costs nothing", Points(*score))
            }
        }
    }
}
