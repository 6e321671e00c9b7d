//! Lists of models.

use lwa_domain::{Capability, EffortForm, EffortSupport, ErrorCode, PicoUsd, PriceTier, ReasoningEffort};
use lwa_providers::{ListedModel, ListedPrice, MaxTokensField, ModelProfile, list_models};
use lwa_testkit::{FakeProvider, Reply, Script};
use rstest::rstest;

use crate::support::{KEY, assert_has_no_key, client, endpoint, shape};

async fn listed(reply: Reply) -> Vec<ListedModel> {
    let provider = FakeProvider::start(Script::new().on("GET /models", [reply])).unwrap();
    let models = list_models(&client(), &endpoint(&provider)).await.unwrap();
    let calls = provider.calls();
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert!(!calls[0].target.contains(KEY));
    models
}

fn price(input: i64, output: i64) -> ListedPrice {
    ListedPrice::flat(PicoUsd::new(input), PicoUsd::new(output))
}

fn stated(model: &ListedModel, is_able: bool) -> Vec<Capability> {
    model.capabilities.iter().filter(|(_, stated)| **stated == is_able).map(|(capability, _)| *capability).collect()
}

#[tokio::test]
async fn lwa_043_a_list_gives_prices_limits_and_abilities_and_a_zero_price_stays_a_price() {
    let models = listed(Reply::json(200, shape("list_openrouter.json"))).await;
    let [thinker, gift, painter] = models.as_slice() else { panic!("{models:?}") };
    assert_eq!(thinker.id, "example/thinker");
    assert_eq!(thinker.display_name.as_deref(), Some("Example: Thinker"));
    assert_eq!(thinker.price, Some(price(200_000, 800_000)));
    // The route is narrower than the model.
    assert_eq!(thinker.context_length, Some(131_072));
    assert_eq!(thinker.max_output_tokens, Some(32_768));
    // `low` is a level that we do not know, and thinking cannot be switched off.
    assert_eq!(thinker.reasoning_levels, Some(vec![ReasoningEffort::Medium, ReasoningEffort::High]));
    let effort = EffortSupport {
        form: EffortForm::Level,
        levels: ["low", "medium", "high"].map(str::to_owned).to_vec(),
        is_mandatory: true,
    };
    assert_eq!(thinker.effort, Some(effort));
    assert_eq!(
        stated(thinker, true),
        [Capability::Text, Capability::Reasoning, Capability::Tools, Capability::Structured, Capability::Vision]
    );
    assert_eq!(gift.price, Some(price(0, 0)));
    assert_eq!(stated(gift, true), [Capability::Text]);
    assert_eq!(painter.is_chat, Some(false));
    assert_eq!(painter.price, None);
    assert_eq!(painter.context_length, None);
    assert_eq!(stated(painter, true), [Capability::Image]);
}

#[tokio::test]
async fn a_04_a_list_of_ids_states_nothing_else() {
    let models = listed(Reply::json(200, shape("list_ids.json"))).await;
    let expected =
        ListedModel { id: "example-large".to_owned(), owned_by: Some("example".to_owned()), ..ListedModel::default() };
    assert_eq!(models, [expected]);
}

#[tokio::test]
async fn a_01_a_list_without_prices_gives_no_price() {
    for name in ["list_ids.json", "list_mistral.json"] {
        assert!(listed(Reply::json(200, shape(name))).await.iter().all(|model| model.price.is_none()));
    }
}

#[tokio::test]
async fn models_that_do_not_chat_are_marked() {
    let models = listed(Reply::json(200, shape("list_mistral.json"))).await;
    let found: Vec<_> = models.iter().map(|m| (m.id.as_str(), m.is_chat, m.context_length, m.is_deprecated)).collect();
    assert_eq!(
        found,
        [
            ("example-small-latest", Some(true), Some(131_072), None),
            ("example-embed", Some(false), Some(8192), Some(true))
        ]
    );
    assert_eq!(stated(&models[0], true), [Capability::Text, Capability::Tools]);
    assert_eq!(stated(&models[0], false), [Capability::Vision]);
    let end = models[1].retirement.as_ref().unwrap();
    assert_eq!(end.on, Some("2027-01-01".parse().unwrap()));
    assert_eq!(end.successor.as_deref(), Some("example-embed-2"));
}

#[tokio::test]
async fn a_price_below_a_hundredth_of_a_dollar_a_million_is_not_taken_for_one_per_token() {
    let models = listed(Reply::json(200, shape("list_venice.json"))).await;
    assert_eq!(models[0].price, Some(price(5_000, 900_000)));
    assert_eq!(models[0].context_length, Some(65_536));
    assert_eq!(models[0].reasoning_levels, Some(vec![ReasoningEffort::Instant, ReasoningEffort::High]));
    assert_eq!(models[1].is_chat, Some(false));
    assert_eq!(models[1].price, None);
}

#[tokio::test]
async fn rr_12_prices_by_the_size_of_the_prompt_become_tiers() {
    let models = listed(Reply::json(200, shape("list_zenmux.json"))).await;
    let tier = PriceTier {
        above_input_tokens: 199_999,
        input_pico_usd: PicoUsd::new(4_000_000),
        output_pico_usd: PicoUsd::new(12_000_000),
        cached_input_pico_usd: None,
    };
    assert_eq!(models[0].price, Some(ListedPrice { tiers: vec![tier], ..price(2_000_000, 12_000_000) }));
    assert_eq!(models[0].display_name.as_deref(), Some("Example Pro"));
}

#[rstest]
#[case::under_models(r#"{"models":[{"name":"a"}]}"#)]
#[case::under_result(r#"{"result":[{"name":"a"}],"success":true}"#)]
#[case::bare(r#"[{"id":"a"}]"#)]
#[case::names_alone(r#"["a"]"#)]
#[tokio::test]
async fn other_shapes_of_a_list_are_read(#[case] body: &str) {
    let models = listed(Reply::json(200, body)).await;
    assert_eq!(models, [ListedModel { id: "a".to_owned(), ..ListedModel::default() }]);
}

#[tokio::test]
async fn lwa_051_an_empty_list_is_no_error() {
    assert_eq!(listed(Reply::json(200, r#"{"object":"list","data":[]}"#)).await, []);
}

#[rstest]
#[case::key(Reply::json(401, format!(r#"{{"error":{{"message":"bad {KEY}"}}}}"#)), ErrorCode::ProviderUnauthorized)]
#[case::page(Reply::document(200, "text/html", "<html>hello</html>"), ErrorCode::ProviderFailed)]
#[case::no_list(Reply::json(200, r#"{"hello":"world"}"#), ErrorCode::ProviderFailed)]
#[case::error_in_200(Reply::json(200, r#"{"error":{"message":"no"}}"#), ErrorCode::ProviderFailed)]
#[case::redirect(Reply::redirect(302, "http://127.0.0.1:9/models"), ErrorCode::ProviderRejected)]
#[case::cut(Reply::json(200, r#"{"data":["#).then_cut(), ErrorCode::ProviderFailed)]
#[tokio::test]
async fn lwa_050_a_list_that_fails_is_an_error_and_not_an_empty_list(#[case] reply: Reply, #[case] code: ErrorCode) {
    let provider = FakeProvider::start(Script::new().on("GET /models", [reply])).unwrap();
    let error = list_models(&client(), &endpoint(&provider)).await.unwrap_err();
    assert_eq!(error.code(), code, "{error}");
    assert_has_no_key(&error);
    assert_eq!(provider.calls().len(), 1);
}

#[tokio::test]
async fn a_list_has_a_time_limit() {
    let provider = FakeProvider::start(Script::new().on("GET /models", [Reply::silence()])).unwrap();
    let mut endpoint = endpoint(&provider);
    endpoint.timeout = std::time::Duration::from_millis(100);
    let error = list_models(&client(), &endpoint).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::ProviderTimedOut);
}

#[tokio::test]
async fn a_list_is_cut_at_its_limit() {
    let items: Vec<_> = (0..10_050).map(|number| format!(r#"{{"id":"m{number}"}}"#)).collect();
    let models = listed(Reply::json(200, format!(r#"{{"data":[{}]}}"#, items.join(",")))).await;
    assert_eq!(models.len(), lwa_providers::listing::MODEL_LIMIT);
}

#[test]
fn a_12_a_list_that_names_parameters_decides_what_is_sent() {
    let listed = |parameters: &[&str]| ListedModel {
        supported_parameters: Some(parameters.iter().map(|name| (*name).to_owned()).collect()),
        reasoning_levels: Some(vec![ReasoningEffort::High]),
        ..ListedModel::default()
    };
    let profile = ModelProfile::default().informed_by(&listed(&["max_completion_tokens", "reasoning"]));
    assert!(!profile.sends_temperature);
    assert_eq!(profile.max_tokens_field, MaxTokensField::MaxCompletionTokens);
    assert_eq!(profile.accepted_efforts, [ReasoningEffort::High]);
    let profile = ModelProfile::default().informed_by(&listed(&["max_tokens", "temperature"]));
    assert!(profile.sends_temperature);
    assert_eq!(profile.max_tokens_field, MaxTokensField::MaxTokens);
    let silent = ModelProfile::default().informed_by(&ListedModel::default());
    assert_eq!(silent, ModelProfile::default());
}
