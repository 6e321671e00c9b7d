//! What is known about providers of media, and that it says how well it is known.

use lwa_providers::media::MediaKind;
use lwa_providers::media::shape::{Mark, find, shape_for, shapes};
use rstest::rstest;

#[test]
fn every_shape_makes_something_and_says_where_that_is_known_from() {
    for shape in shapes() {
        let kinds = [MediaKind::Image, MediaKind::Video, MediaKind::Text];
        assert!(kinds.into_iter().any(|kind| shape.makes(kind)), "{}", shape.name);
        assert!(shape.models.iter().all(|model| shape.makes(model.kind) && model.score <= 100), "{}", shape.name);
        assert!(!shape.facts.is_empty(), "{}", shape.name);
        for fact in &shape.facts {
            assert_eq!(fact.source.is_empty(), fact.mark == Mark::Unverified, "{}: {}", shape.name, fact.text);
        }
    }
}

#[test]
fn the_models_of_the_seed_are_known() {
    let mut models: Vec<_> = shapes()
        .iter()
        .flat_map(|shape| shape.models.iter().map(|model| (shape.name.as_str(), model.name.as_str(), model.kind)))
        .collect();
    models.sort_unstable_by_key(|(provider, model, _)| (*provider, *model));
    assert_eq!(
        models,
        [
            ("openai", "gpt-image-1", MediaKind::Image),
            ("openai", "sora-2", MediaKind::Video),
            ("replicate", "black-forest-labs/flux-schnell", MediaKind::Image),
            ("replicate", "meta/meta-llama-3-70b-instruct", MediaKind::Text),
            ("stability", "stable-image-core", MediaKind::Image),
        ]
    );
}

#[test]
fn a_model_whose_provider_has_announced_its_end_is_not_offered() {
    let openai = find("openai").unwrap();
    let sora = openai.models.iter().find(|model| model.name == "sora-2").unwrap();
    assert!(sora.disabled_reason.as_deref().is_some_and(|reason| reason.contains("2026-09-24")));
}

#[test]
fn providers_that_the_other_catalogue_lacks_bring_their_address() {
    for name in ["replicate", "stability"] {
        assert!(find(name).unwrap().base_url.as_deref().is_some_and(|address| address.starts_with("https://")));
    }
    assert!(find("someone").is_none());
}

#[rstest]
#[case("venice", "openai", Some("venice"))]
#[case("my-relay", "openai", Some("openai"))]
#[case("my-relay", "openai_media", Some("openai"))]
#[case("my-replicate", "replicate", Some("replicate"))]
#[case("my-gemini", "gemini", None)]
fn a_provider_is_asked_in_its_own_way_or_as_the_one_that_it_is_like(
    #[case] provider: &str,
    #[case] adapter: &str,
    #[case] shape: Option<&str>,
) {
    assert_eq!(shape_for(provider, adapter).map(|shape| shape.name.as_str()), shape);
}
