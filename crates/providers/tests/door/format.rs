//! Structured output.

use lwa_domain::ErrorCode;
use lwa_providers::{
    Adapter, ChatAnswer, ChatRequest, Endpoint, Limits, ProviderError, Rejection, ResponseFormat, check, complete,
};
use lwa_testkit::{FakeProvider, Reply, Script};
use rstest::rstest;
use serde_json::{Value, json};

use crate::support::{CHAT, client, endpoint, request, shape};

fn schema() -> Value {
    json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false})
}

fn asking(format: ResponseFormat) -> ChatRequest {
    ChatRequest { response_format: Some(format), ..request() }
}

fn with_schema(schema: Value) -> ChatRequest {
    asking(ResponseFormat::JsonSchema { name: "answer".to_owned(), schema })
}

async fn ask(provider: &str, request: &ChatRequest) -> (Result<ChatAnswer, ProviderError>, FakeProvider) {
    let fake = FakeProvider::start(Script::new().on(CHAT, [Reply::json(200, shape("chat.json"))])).unwrap();
    let endpoint = Endpoint { provider: provider.to_owned(), ..endpoint(&fake) };
    (complete(&client(), Adapter::OpenAi, &endpoint, request, Limits::default(), |_| {}).await, fake)
}

#[tokio::test]
async fn an_object_and_a_schema_are_asked_for_by_their_names() {
    let (answer, fake) = ask("example", &asking(ResponseFormat::JsonObject)).await;
    assert!(answer.unwrap().notes.is_empty());
    assert_eq!(fake.calls()[0].json()["response_format"], json!({"type": "json_object"}));
    let (answer, fake) = ask("example", &with_schema(schema())).await;
    assert!(answer.unwrap().notes.is_empty());
    assert_eq!(
        fake.calls()[0].json()["response_format"],
        json!({"type": "json_schema", "json_schema": {"name": "answer", "schema": schema(), "strict": true}})
    );
}

#[tokio::test]
async fn a_schema_that_is_open_is_not_called_strict() {
    let open = json!({"type": "object", "properties": {"a": {"type": "object"}}, "required": ["a"], "additionalProperties": false});
    for schema in [
        open,
        json!({"type": "object"}),
        json!({"type": "array", "items": {"type": "object", "properties": {"b": {}}}}),
    ] {
        let (_, fake) = ask("example", &with_schema(schema)).await;
        assert_eq!(fake.calls()[0].json()["response_format"]["json_schema"]["strict"], json!(false));
    }
}

#[tokio::test]
async fn a_provider_without_schemas_gets_an_object_and_the_answer_says_so() {
    let (answer, fake) = ask("zai", &with_schema(schema())).await;
    let notes = answer.unwrap().notes;
    assert_eq!(fake.calls()[0].json()["response_format"], json!({"type": "json_object"}));
    assert!(notes.len() == 1 && notes[0].contains("`zai` takes no schema"), "{notes:?}");
}

#[rstest]
#[case(Adapter::OpenAi)]
#[case(Adapter::Gemini)]
#[case(Adapter::Cohere)]
#[tokio::test]
async fn lwa_041_a_format_that_is_not_advertised_is_refused_in_every_protocol(#[case] adapter: Adapter) {
    let fake = FakeProvider::start(Script::new()).unwrap();
    for format in [ResponseFormat::JsonObject, ResponseFormat::JsonSchema { name: "a".to_owned(), schema: schema() }] {
        let mut request = asking(format);
        request.profile.supported_parameters = Some(["tools".to_owned()].into());
        let outcome = complete(&client(), adapter, &endpoint(&fake), &request, Limits::default(), |_| {}).await;
        let error = outcome.unwrap_err();
        assert!(matches!(error, ProviderError::Rejected { reason: Rejection::Unsupported, .. }), "{error:?}");
        assert!(error.to_string().contains("does not advertise `response_format`"), "{error}");
        // Preparation sees the same before anybody is asked for consent.
        assert_eq!(check(adapter, &endpoint(&fake), &request).unwrap_err(), error);
        request.profile.supported_parameters = Some(["response_format".to_owned()].into());
        assert!(check(adapter, &endpoint(&fake), &request).is_ok());
    }
    assert_eq!(fake.calls().len(), 0);
}

#[tokio::test]
async fn a_provider_that_takes_no_format_at_all_is_not_asked_for_one() {
    let (outcome, fake) = ask("puter", &asking(ResponseFormat::JsonObject)).await;
    assert_eq!(outcome.unwrap_err().code(), ErrorCode::ProviderRejected);
    assert_eq!(fake.calls().len(), 0);
}

#[tokio::test]
async fn a_format_given_twice_or_a_name_that_is_none_is_refused() {
    let mut twice = asking(ResponseFormat::JsonObject);
    twice.extra_body = json!({"response_format": {"type": "text"}}).as_object().cloned();
    let named = asking(ResponseFormat::JsonSchema { name: "two words".to_owned(), schema: schema() });
    for (request, hint) in [(twice, "twice"), (named, "name")] {
        let (outcome, fake) = ask("example", &request).await;
        assert!(outcome.unwrap_err().to_string().contains(hint));
        assert_eq!(fake.calls().len(), 0);
    }
}

/// What Gemini is sent for a schema.
async fn converted(schema: Value) -> Result<Value, ProviderError> {
    let path = "POST /models/example-small:streamGenerateContent";
    let reply = r#"{"candidates":[{"content":{"parts":[{"text":"{}"}]},"finishReason":"STOP"}]}"#;
    let fake = FakeProvider::start(Script::new().on(path, [Reply::json(200, reply)])).unwrap();
    let outcome =
        complete(&client(), Adapter::Gemini, &endpoint(&fake), &with_schema(schema), Limits::default(), |_| {}).await;
    if outcome.is_err() {
        assert_eq!(fake.calls().len(), 0, "a refusal sends nothing");
    }
    outcome.map(|_| {
        let config = fake.calls()[0].json()["generationConfig"].clone();
        assert_eq!(config["responseMimeType"], "application/json");
        config["responseJsonSchema"].clone()
    })
}

#[rstest]
#[case::annotations(
    json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "x", "$comment": "c", "default": 1, "examples": [2], "type": "integer"}),
    json!({"type": "integer"})
)]
#[case::closed(
    json!({"type": "object", "properties": {"a": {"type": "string", "minLength": 0}}, "required": ["a"], "additionalProperties": false}),
    json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]})
)]
#[case::nullable(json!({"type": ["string", "null"]}), json!({"type": "string", "nullable": true}))]
#[case::constant(json!({"const": "x"}), json!({"enum": ["x"]}))]
#[case::open_bounds(json!({"exclusiveMinimum": 0, "exclusiveMaximum": 10, "type": "integer"}), json!({"minimum": 1, "maximum": 9, "type": "integer"}))]
#[case::one_of_all(json!({"allOf": [{"type": "string"}], "description": "d"}), json!({"type": "string", "description": "d"}))]
#[case::reference(
    json!({"$defs": {"c": {"type": "string", "enum": ["r", "g"]}}, "type": "array", "items": {"$ref": "#/$defs/c"}}),
    json!({"type": "array", "items": {"type": "string", "enum": ["r", "g"]}})
)]
#[case::a_property_named_like_a_keyword(
    json!({"type": "object", "properties": {"pattern": {"type": "string"}, "$schema": {"type": "string"}}}),
    json!({"type": "object", "properties": {"pattern": {"type": "string"}, "$schema": {"type": "string"}}})
)]
#[tokio::test]
async fn rr_48_what_a_schema_means_is_said_in_the_words_that_are_understood(
    #[case] schema: Value,
    #[case] expected: Value,
) {
    assert_eq!(converted(schema).await.unwrap(), expected);
}

#[rstest]
#[case(json!({"type": "string", "pattern": "^a"}), "pattern")]
#[case(json!({"type": "object", "additionalProperties": {"type": "string"}}), "additionalProperties")]
#[case(json!({"type": "object", "patternProperties": {"^a": {}}}), "patternProperties")]
#[case(json!({"not": {"type": "string"}}), "not")]
#[case(json!({"oneOf": [{"type": "string"}, {"type": "integer"}]}), "oneOf")]
#[case(json!({"type": "string", "minLength": 3}), "minLength")]
#[case(json!({"type": "array", "uniqueItems": true}), "uniqueItems")]
#[case(json!({"type": "number", "exclusiveMinimum": 0}), "exclusiveMinimum")]
#[case(json!({"type": "number", "multipleOf": 0.5}), "multipleOf")]
#[case(json!({"type": "object", "properties": {"a": {"properties": {"b": {"if": {}}}}}}), "/properties/a/properties/b")]
#[case(json!({"type": ["string", "integer"]}), "type")]
#[case(json!({"$ref": "#/$defs/missing"}), "#/$defs/missing")]
#[case(json!({"$ref": "https://elsewhere.invalid/schema"}), "elsewhere")]
#[case(json!({"$defs": {"n": {"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}}}}, "$ref": "#/$defs/n"}), "holds itself")]
#[tokio::test]
async fn rr_48_a_schema_that_would_lose_something_is_refused_before_sending(#[case] schema: Value, #[case] hint: &str) {
    let error = converted(schema).await.unwrap_err();
    assert!(matches!(error, ProviderError::Rejected { reason: Rejection::Unsupported, .. }), "{error:?}");
    assert!(error.to_string().contains(hint), "{error}");
}

/// Fourteen definitions, each twice the one before it: more than ten thousand parts if they were all written out.
#[tokio::test]
async fn rr_48_references_cannot_make_a_schema_explode() {
    let mut definitions = serde_json::Map::new();
    definitions.insert("d0".to_owned(), json!({"type": "string"}));
    for level in 1..=13 {
        let inner = json!({"$ref": format!("#/$defs/d{}", level - 1)});
        let object = json!({"type": "object", "properties": {"a": inner, "b": inner}});
        definitions.insert(format!("d{level}"), object);
    }
    let error = converted(json!({"$defs": definitions, "$ref": "#/$defs/d13"})).await.unwrap_err();
    assert!(error.to_string().contains("5000 parts"), "{error}");
}
