//! When the human is asked, and what a call can cost.

use lwa_domain::{BillingClass, ConsentMode, PicoUsd, Quality};
use lwa_routing::{Policy, Request};
use rstest::rstest;

use crate::support::{POLICY, REQUEST, World, model, paid_allowed, price};

#[rstest]
#[case(ConsentMode::AlwaysAsk, BillingClass::Free, true)]
#[case(ConsentMode::AlwaysAsk, BillingClass::Paid, true)]
#[case(ConsentMode::PaidOnly, BillingClass::Free, false)]
#[case(ConsentMode::PaidOnly, BillingClass::FreeQuota, false)]
#[case(ConsentMode::PaidOnly, BillingClass::UserPays, true)]
#[case(ConsentMode::PaidOnly, BillingClass::Paid, true)]
#[case(ConsentMode::PaidOnly, BillingClass::Unknown, true)]
#[case(ConsentMode::Automatic, BillingClass::Paid, false)]
#[case(ConsentMode::Automatic, BillingClass::Unknown, false)]
fn the_mode_and_the_class_decide_whether_to_ask(
    #[case] consent_mode: ConsentMode,
    #[case] class: BillingClass,
    #[case] requires_consent: bool,
) {
    let request = Request { allow_paid: true, allow_user_pays: true, ..REQUEST };
    let policy = Policy { consent_mode, allow_paid: true, allow_user_pays: true, ..POLICY };
    let decision = World::of([model("p:m", class, 80)]).decide(&request, &policy).unwrap();
    assert_eq!(decision.requires_consent, requires_consent);
    assert!(decision.consent_reason.contains(consent_mode.as_str()), "{}", decision.consent_reason);
    assert!(decision.consent_reason.starts_with("`p:m` "), "{}", decision.consent_reason);
}

#[test]
fn the_ceiling_is_estimate_and_full_answer_at_list_price() {
    let mut paid = model("paid:m", BillingClass::Paid, 90);
    paid.price = Some(price(1_250_000, 10_000_000));
    let (request, policy) = paid_allowed(Quality::Balanced);
    let decision = World::of([paid]).decide(&request, &policy).unwrap();
    assert_eq!(decision.chosen.max_cost, Some(PicoUsd::new(200 * 1_250_000 + 1200 * 10_000_000)));
    assert_eq!(
        decision.consent_reason,
        "`paid:m` is billed to your key, at most $0.01225 by its list price; consent mode `paid_only` asks before money \
         may be spent."
    );
}

#[test]
fn without_a_price_the_ceiling_is_unknown_and_said_to_be() {
    let (request, policy) = paid_allowed(Quality::Balanced);
    let decision = World::of([model("paid:m", BillingClass::Paid, 90)]).decide(&request, &policy).unwrap();
    assert_eq!(decision.chosen.max_cost, None);
    assert!(decision.consent_reason.contains("at a price that is not known"), "{}", decision.consent_reason);
}
