//! A decision is fast enough to be made again for every voter.

use std::time::{Duration, Instant};

use lwa_domain::BillingClass;

use crate::support::{POLICY, REQUEST, World, model};

/// The best of several rounds, because a busy machine interrupts some of them; this build is not optimised.
#[test]
fn a_31_seventeen_hundred_models_are_decided_within_ten_milliseconds() {
    let classes = [BillingClass::FreeQuota, BillingClass::Paid];
    let world = World::of((0..1700_usize).map(|index| {
        let score = u8::try_from(index % 100).unwrap();
        model(&format!("provider-{}:model-{index}", index % 20), classes[index % 2], score)
    }));
    let best = (0..20).map(|_| {
        let start = Instant::now();
        assert_eq!(world.decide(&REQUEST, &POLICY).unwrap().others.len(), 1699);
        start.elapsed()
    });
    assert!(best.min().unwrap() < Duration::from_millis(10));
}
