//! The score of an eligible candidate, in integer hundredths of a point.
//!
//! The argument for the formula stands in `docs/reference/routing.md`.

use lwa_domain::{BillingClass, Model, Quality};

use crate::points::Points;
use crate::record::Record;
use crate::request::{Policy, Request};

const POINT: i32 = 100;
/// What a model without a score for the task starts with.
const ASSUMED_TASK_SCORE: i32 = 40;
/// The task score from which `high` rewards a model.
const SPECIALIST_TASK_SCORE: i32 = 75;
const SPECIALIST_BONUS: i32 = 12;
const ECONOMY_BONUS: i32 = 8;
/// From here on a route that costs money is good enough for `economy`, in hundredths.
pub(crate) const GOOD_ENOUGH: i32 = 75 * POINT;
const AMPLE_HEADROOM_TOKENS: u64 = 64_000;
const AMPLE_HEADROOM_BONUS: i32 = 6;
const SCARCE_HEADROOM_TOKENS: u64 = 2_048;
const SCARCE_HEADROOM_MALUS: i32 = -12;

/// A score, term by term.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Score {
    task: i32,
    is_task_known: bool,
    billing: i32,
    headroom: i32,
    quality: i32,
    record: Record,
}

impl Score {
    pub(crate) fn of(model: &Model, request: &Request, policy: &Policy) -> Self {
        let known = model.task_scores.get(&request.task).map(|score| i32::from(*score).min(100));
        let task = known.unwrap_or(ASSUMED_TASK_SCORE);
        Self {
            task: task * POINT,
            is_task_known: known.is_some(),
            billing: billing_bonus(model.billing_class, request, policy),
            headroom: headroom_bonus(headroom(model, request)) * POINT,
            quality: quality_bonus(task, model.billing_class, request, policy) * POINT,
            record: Record::default(),
        }
    }

    /// The same score with what is known from use.
    pub(crate) const fn with(self, record: Record) -> Self {
        Self { record, ..self }
    }

    pub(crate) fn total(&self) -> i32 {
        self.before_record() + self.record.total()
    }

    /// How good the model is for the task, whatever happened lately.
    pub(crate) const fn before_record(&self) -> i32 {
        self.task + self.billing + self.headroom + self.quality
    }

    /// One readable reason for each term that counts.
    pub(crate) fn reasons(&self, model: &Model, request: &Request, policy: &Policy) -> Vec<String> {
        let mut reasons = vec![if self.is_task_known {
            format!("task score for `{}`: {}", request.task, Points(self.task))
        } else {
            format!("no task score for `{}`, so {} is assumed", request.task, Points(self.task))
        }];
        let mut add = |points: i32, why: String| {
            if points != 0 {
                let sign = if points > 0 { "+" } else { "" };
                reasons.push(format!("{why}: {sign}{}", Points(points)));
            }
        };
        add(self.billing, format!("billing class `{}` at quality `{}`", model.billing_class, request.quality));
        add(self.headroom, format!("{} tokens of context to spare", headroom(model, request)));
        let quality = match request.quality {
            Quality::High if is_paid_open(request, policy) => {
                "quality `high` with paid routes allowed rewards each point of the task score"
            }
            Quality::High => "quality `high` rewards a task score of 75 or more",
            Quality::Balanced | Quality::Economy => "quality `economy` rewards a route that costs nothing",
        };
        add(self.quality, quality.to_owned());
        reasons.extend(self.record.reasons());
        reasons
    }
}

/// The score below which a route that may cost money is taken instead, in hundredths.
pub(crate) const fn floor(quality: Quality) -> i32 {
    match quality {
        Quality::Economy => 0,
        Quality::Balanced => 35 * POINT,
        Quality::High => 55 * POINT,
    }
}

/// Base points times a weight in hundredths is exact in hundredths.
fn billing_bonus(class: BillingClass, request: &Request, policy: &Policy) -> i32 {
    if !policy.prefer_free {
        return 0;
    }
    let base = match class {
        BillingClass::Free => 35,
        BillingClass::FreeQuota => 28,
        BillingClass::UserPays => 18,
        BillingClass::Paid => 0,
        BillingClass::Unknown => -8,
    };
    let weight = match request.quality {
        Quality::Economy => 100,
        Quality::Balanced => 60,
        Quality::High => 15,
    };
    base * weight
}

/// Tokens left under the context, or under the input limit where that is nearer: an estimate may be short of either.
fn headroom(model: &Model, request: &Request) -> u64 {
    let context = model.context_length.saturating_sub(request.total_tokens());
    let input = model.max_input_tokens.map(|most| most.saturating_sub(request.estimated_input_tokens));
    input.map_or(context, |input| input.min(context))
}

const fn headroom_bonus(headroom: u64) -> i32 {
    if headroom > AMPLE_HEADROOM_TOKENS {
        AMPLE_HEADROOM_BONUS
    } else if headroom < SCARCE_HEADROOM_TOKENS {
        SCARCE_HEADROOM_MALUS
    } else {
        0
    }
}

/// With paid routes open, `high` counts each task point above 75 twice, so that a lead of three points outweighs the
/// 4.2 that a free quota is worth there; a lead of two does not.
fn quality_bonus(task_score: i32, class: BillingClass, request: &Request, policy: &Policy) -> i32 {
    match request.quality {
        Quality::Economy if class.is_free() => ECONOMY_BONUS,
        Quality::High if task_score >= SPECIALIST_TASK_SCORE => {
            let lead = if is_paid_open(request, policy) { task_score - SPECIALIST_TASK_SCORE } else { 0 };
            SPECIALIST_BONUS + lead
        }
        Quality::Economy | Quality::Balanced | Quality::High => 0,
    }
}

fn is_paid_open(request: &Request, policy: &Policy) -> bool {
    policy.missing_leave(request, BillingClass::Paid).is_none()
}
