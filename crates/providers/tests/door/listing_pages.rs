//! Lists in pages, and the shapes of providers that do not list as the others do.

use std::collections::BTreeMap;

use jiff::civil::Date;
use lwa_domain::{Capability, ErrorCode, PicoUsd};
use lwa_providers::{
    Adapter, DiscoveryState, Endpoint, ListedModel, ListedPrice, Listing, PageLimits, list_models_within,
};
use lwa_testkit::{FakeProvider, Reply, Script};
use rstest::rstest;

use crate::support::{KEY, client, endpoint, shape};

fn day(text: &str) -> Date {
    text.parse().unwrap()
}

fn ids(listing: &Listing) -> Vec<&str> {
    listing.models.iter().map(|model| model.id.as_str()).collect()
}

/// Lists with these pages at `path`, which is also what the endpoint asks for.
async fn list(adapter: Adapter, path: &str, pages: impl IntoIterator<Item = Reply>) -> (Listing, FakeProvider) {
    let asked = path.split('?').next().unwrap();
    let provider = FakeProvider::start(Script::new().on(&format!("GET {asked}"), pages)).unwrap();
    let endpoint = Endpoint { models_path: path.to_owned(), ..endpoint(&provider) };
    let listing = list_models_within(&client(), adapter, &endpoint, PageLimits::default()).await.unwrap();
    (listing, provider)
}

#[tokio::test]
async fn gemini_is_read_page_after_page_with_the_key_in_its_own_header() {
    let pages = [
        Reply::json(200, shape("list_gemini.json")),
        Reply::json(200, r#"{"models":[{"name":"models/last","supportedGenerationMethods":["generateContent"]}]}"#),
    ];
    let (listing, provider) = list(Adapter::Gemini, "/models?pageSize=1000", pages).await;
    assert_eq!((listing.pages, listing.is_cut), (2, false));
    let calls = provider.calls();
    assert_eq!(calls[0].target, "/models?pageSize=1000");
    assert_eq!(calls[1].target, "/models?pageSize=1000&pageToken=second+page");
    for call in &calls {
        assert_eq!((call.header("x-goog-api-key"), call.header("authorization")), (Some(KEY), None));
        assert!(!call.target.contains(KEY));
    }
    assert_eq!(
        ids(&listing),
        [
            "example-2.5-flash",
            "example-without-limits",
            "text-embedding-example",
            "not an object but a name",
            "veo-example",
            "last"
        ]
    );
    let flash = &listing.models[0];
    assert_eq!(flash.display_name.as_deref(), Some("Example 2.5 Flash"));
    assert_eq!(
        (flash.context_length, flash.max_input_tokens, flash.max_output_tokens),
        (Some(1_048_576), Some(1_048_576), Some(65_536))
    );
    assert_eq!(flash.capabilities, BTreeMap::from([(Capability::Text, true), (Capability::Reasoning, true)]));
    assert_eq!(flash.price, None);
    let chats: Vec<_> = listing.models.iter().map(|model| model.is_chat).collect();
    assert_eq!(chats, [Some(true), Some(true), Some(false), None, Some(false), Some(true)]);
}

#[tokio::test]
async fn cohere_is_read_page_after_page() {
    let pages = [
        Reply::json(200, shape("list_cohere.json")),
        Reply::json(200, r#"{"models":[{"name":"rerank-example","endpoints":["rerank"]}],"next_page_token":null}"#),
    ];
    let (listing, provider) = list(Adapter::Cohere, "/v1/models?page_size=1000", pages).await;
    assert_eq!(provider.calls()[1].target, "/v1/models?page_size=1000&page_token=cursor");
    let found: Vec<_> = listing.models.iter().map(|m| (m.id.as_str(), m.is_chat, m.context_length)).collect();
    assert_eq!(
        found,
        [
            ("command-example", Some(true), Some(256_000)),
            ("embed-example", Some(false), Some(512)),
            ("rerank-example", Some(false), None)
        ]
    );
    let able = [Capability::Text, Capability::Tools, Capability::Structured, Capability::Vision];
    assert_eq!(listing.models[0].capabilities, able.map(|capability| (capability, true)).into());
    assert_eq!(listing.models[0].is_deprecated, Some(false));
}

#[tokio::test]
async fn openrouter_is_read_along_its_links() {
    let pages = [
        Reply::json(200, r#"{"data":[{"id":"a"}],"total_count":2,"links":{"next":"/models?offset=1"}}"#),
        Reply::json(200, r#"{"data":[{"id":"b"},{"id":"a"}],"links":{"next":null}}"#),
    ];
    let (listing, provider) = list(Adapter::OpenAi, "/models", pages).await;
    assert_eq!(ids(&listing), ["a", "b"]);
    assert_eq!(provider.calls()[1].target, "/models?offset=1");
}

#[tokio::test]
async fn puter_is_read_beside_its_interface_in_cents() {
    let shipped = lwa_providers::catalog::find("puter").unwrap();
    let script = Script::new().on("GET /puterai/chat/models/details", [Reply::json(200, shape("list_puter.json"))]);
    let provider = FakeProvider::start(script).unwrap();
    let endpoint = Endpoint {
        base_url: format!("{}/puterai/openai/v1", provider.base_url()),
        models_path: shipped.models_path.clone(),
        ..endpoint(&provider)
    };
    let listing = list_models_within(&client(), shipped.adapter, &endpoint, PageLimits::default()).await.unwrap();
    let [thinker, in_credits] = listing.models.as_slice() else { panic!("{listing:?}") };
    assert_eq!((thinker.id.as_str(), thinker.display_name.as_deref()), ("example/thinker", Some("Thinker")));
    let pico = PicoUsd::new;
    let price = ListedPrice {
        cached_input_pico_usd: Some(pico(175_000)),
        ..ListedPrice::flat(pico(1_750_000), pico(14_000_000))
    };
    assert_eq!(thinker.price, Some(price));
    assert_eq!((thinker.context_length, thinker.max_output_tokens), (Some(400_000), Some(128_000)));
    assert_eq!((in_credits.id.as_str(), in_credits.price.as_ref()), ("example-in-credits", None));
}

#[tokio::test]
async fn cloudflare_is_read_by_name_and_page_number() {
    let pages = [
        Reply::json(200, shape("list_cloudflare.json")),
        Reply::json(200, r#"{"success":true,"result":[],"result_info":{"page":2,"total_pages":2}}"#),
    ];
    let (listing, provider) = list(Adapter::OpenAi, "/models/search?per_page=100", pages).await;
    assert_eq!(provider.calls()[1].target, "/models/search?per_page=100&page=2");
    let [chat, painter] = listing.models.as_slice() else { panic!("{listing:?}") };
    assert_eq!(
        (chat.id.as_str(), chat.is_chat, chat.context_length),
        ("@cf/example/chat-70b", Some(true), Some(24_000))
    );
    assert_eq!(chat.price, Some(ListedPrice::flat(PicoUsd::new(293_000), PicoUsd::new(2_253_000))));
    assert_eq!(chat.capabilities.get(&Capability::Tools), Some(&true));
    assert_eq!(painter.is_chat, Some(false));
}

#[rstest]
#[case::pages(PageLimits { pages: 2, models: 100 }, 4, 2)]
#[case::models(PageLimits { pages: 9, models: 3 }, 3, 2)]
#[case::at_least_one_page(PageLimits { pages: 0, models: 100 }, 2, 1)]
#[tokio::test]
async fn a_list_is_bounded_in_pages_and_models_and_says_so(
    #[case] limits: PageLimits,
    #[case] models: usize,
    #[case] pages: usize,
) {
    let page = |number: usize| {
        Reply::json(
            200,
            format!(r#"{{"models":[{{"name":"a{number}"}},{{"name":"b{number}"}}],"nextPageToken":"t{number}"}}"#),
        )
    };
    let provider = FakeProvider::start(Script::new().on("GET /models", [page(1), page(2), page(3)])).unwrap();
    let listing = list_models_within(&client(), Adapter::Gemini, &endpoint(&provider), limits).await.unwrap();
    assert_eq!((listing.models.len(), listing.pages, listing.is_cut), (models, pages, true));
    assert_eq!(provider.calls().len(), pages);
}

#[tokio::test]
async fn a_list_that_names_itself_as_its_next_page_ends() {
    let page = || Reply::json(200, r#"{"models":[{"name":"a"}],"nextPageToken":"same"}"#);
    let (listing, provider) = list(Adapter::Gemini, "/models", [page(), page(), page()]).await;
    assert_eq!((ids(&listing), provider.calls().len()), (vec!["a"], 2));
}

#[tokio::test]
async fn a_page_that_fails_makes_the_list_fail() {
    let pages = [
        Reply::json(200, r#"{"models":[{"name":"a"}],"nextPageToken":"next"}"#),
        Reply::json(503, r#"{"error":{"message":"overloaded"}}"#),
    ];
    let provider = FakeProvider::start(Script::new().on("GET /models", pages)).unwrap();
    let listing = list_models_within(&client(), Adapter::Gemini, &endpoint(&provider), PageLimits::default()).await;
    assert!(listing.is_err());
}

#[tokio::test]
async fn a_link_to_another_host_gets_no_key() {
    let other = FakeProvider::start(Script::new()).unwrap();
    let page = format!(r#"{{"data":[{{"id":"a"}}],"links":{{"next":"{}/models"}}}}"#, other.base_url());
    let (listing, _) = list(Adapter::OpenAi, "/models", [Reply::json(200, page)]).await;
    assert_eq!(ids(&listing), ["a"]);
    assert_eq!(other.calls().len(), 0);
}

async fn failed(status: u16) -> lwa_providers::ProviderError {
    let reply = Reply::json(status, r#"{"error":{"message":"no"}}"#);
    let provider = FakeProvider::start(Script::new().on("GET /models", [reply])).unwrap();
    list_models_within(&client(), Adapter::OpenAi, &endpoint(&provider), PageLimits::default()).await.unwrap_err()
}

fn listing(count: usize, is_cut: bool) -> Listing {
    let models = (0..count).map(|number| ListedModel { id: number.to_string(), ..ListedModel::default() }).collect();
    Listing { models, is_cut, pages: 1 }
}

#[tokio::test]
async fn lwa_050_a_refused_key_takes_the_seeds_away_only_while_no_list_was_ever_read() {
    let refused = failed(401).await;
    assert_eq!(refused.code(), ErrorCode::ProviderUnauthorized);
    let state = DiscoveryState::new(false).after_failure(&refused);
    assert_eq!((state.is_experimental, state.is_healthy), (true, Some(false)));
    assert!(state.seeds_disabled_reason().unwrap().starts_with("experimental provider: "));
    assert!(!state.detail.contains(KEY));
    let later = DiscoveryState::new(false).after_success(&listing(3, false), day("2026-11-28")).after_failure(&refused);
    assert_eq!((later.seeds_disabled_reason(), later.listed_on), (None, Some(day("2026-11-28"))));
}

#[tokio::test]
async fn lwa_050_a_failure_that_passes_takes_nothing_away_and_a_success_clears_the_mark() {
    let state = DiscoveryState::new(false).after_failure(&failed(503).await);
    assert_eq!((state.is_experimental, state.is_healthy, state.seeds_disabled_reason()), (true, Some(false), None));
    let state = state.after_success(&listing(2, true), day("2026-11-29"));
    assert_eq!((state.is_experimental, state.is_healthy), (false, Some(true)));
    assert_eq!(state.detail, "2 live models, bounded");
}

#[test]
fn lwa_051_an_empty_list_is_a_success_and_the_mark_of_a_new_provider_stays_until_one() {
    let state = DiscoveryState::new(true);
    assert_eq!((state.is_experimental, state.is_healthy), (true, None));
    let state = state.after_success(&listing(0, false), day("2026-11-29"));
    assert_eq!((state.is_experimental, state.is_healthy, state.detail.as_str()), (false, Some(true), "configured"));
    assert_eq!(state.seeds_disabled_reason(), None);
}
