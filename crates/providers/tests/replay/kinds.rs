//! Every provider has every kind of shape.

use std::collections::{BTreeMap, BTreeSet};

use lwa_providers::facts;

use crate::shape::{Shape, all};

const KINDS: [&str; 13] = [
    "list",
    "chat",
    "stream",
    "tool_call",
    "reasoning",
    "cached",
    "auth",
    "limit_short",
    "limit_exhausted",
    "moderation",
    "gone",
    "error_mid_stream",
    "empty",
];

fn by_provider() -> BTreeMap<String, Vec<Shape>> {
    let mut map: BTreeMap<String, Vec<Shape>> = BTreeMap::new();
    for shape in all() {
        map.entry(shape.provider.clone()).or_default().push(shape);
    }
    map
}

/// What a provider of pictures and predictions has in place of chats.
const JOB_KINDS: [&str; 6] = ["list", "auth", "limit_short", "limit_exhausted", "moderation", "gone"];

/// The least that is recorded of any provider.
const LEAST: usize = 12;

#[test]
fn every_provider_has_the_thirteen_kinds_and_one_without_chat_those_that_it_can_have() {
    let providers = by_provider();
    let known: BTreeSet<_> = facts::all().iter().map(|facts| facts.name.as_str()).collect();
    assert_eq!(providers.keys().map(String::as_str).collect::<BTreeSet<_>>(), known);
    for (provider, shapes) in &providers {
        let kinds = if shapes[0].is_media() { &JOB_KINDS[..] } else { &KINDS[..] };
        let names: BTreeSet<_> = shapes.iter().map(|shape| shape.name.as_str()).collect();
        let missing: Vec<_> = kinds.iter().filter(|kind| !names.contains(**kind)).collect();
        assert!(missing.is_empty(), "{provider} has no {missing:?}");
    }
    assert_eq!(providers.values().filter(|shapes| shapes[0].is_media()).count(), 2);
}

#[test]
fn every_provider_has_at_least_twelve_shapes_and_no_two_are_the_same() {
    for (provider, shapes) in &by_provider() {
        let different: BTreeSet<_> = shapes.iter().map(Shape::whole_bytes).collect();
        assert!(different.len() >= LEAST, "{provider} has {} different shapes", different.len());
        assert_eq!(different.len(), shapes.len(), "{provider} has a shape twice");
    }
}

#[test]
fn every_shape_has_a_mark_and_a_kind_that_fits_its_outcome() {
    for shape in all() {
        let expect = &shape.expect;
        assert!(matches!(expect.mark.as_str(), "V" | "2" | "U"), "{}: `{}`", shape.id(), expect.mark);
        let fits = match shape.name.as_str() {
            "list" => shape.is_list(),
            "chat" | "stream" | "reasoning" | "cached" => expect.outcome == "answer",
            "tool_call" | "empty" => expect.outcome == "failed",
            "auth" => expect.outcome == "unauthorized",
            "limit_short" => expect.outcome.starts_with("rate_limited"),
            "limit_exhausted" => expect.outcome.starts_with("quota_exhausted") || shape.provider == "local",
            "moderation" => expect.outcome == "refused",
            "gone" => expect.outcome == "rejected/unknown_model",
            "error_mid_stream" => expect.outcome != "answer" && expect.received > 0,
            _ => true,
        };
        assert!(fits, "{} is expected to be `{}`", shape.id(), expect.outcome);
        if matches!(shape.name.as_str(), "stream" | "error_mid_stream") {
            assert!(shape.is_stream(), "{}", shape.id());
        }
    }
}
