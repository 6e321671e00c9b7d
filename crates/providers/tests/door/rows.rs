//! Reports of others, as tests of ours.

use std::collections::BTreeSet;
use std::time::Duration;

use lwa_domain::{ErrorCode, PicoUsd, Price};
use lwa_providers::{
    Adapter, ChatRequest, Endpoint, Finish, Limits, ListedModel, ModelProfile, ProviderError, complete, facts,
};
use lwa_testkit::{FakeProvider, Reply, Script};
use rstest::rstest;
use serde_json::{Value, json};

use crate::media_support::{image, named, send};
use crate::support::{CHAT, call, call_with, client, endpoint, failure, failure_at, request, serve};

fn answer(usage: &str) -> Reply {
    let body = format!(r#"{{"choices":[{{"message":{{"content":"x"}},"finish_reason":"stop"}}],"usage":{usage}}}"#);
    Reply::json(200, body)
}

fn price() -> Price {
    let mut price = Price::flat(PicoUsd::new(1000), PicoUsd::new(10_000), "test", "2026-11-29");
    price.cached_input_pico_usd = Some(PicoUsd::new(100));
    price.cache_write_pico_usd = Some(PicoUsd::new(1250));
    price
}

async fn cost(reply: Reply) -> PicoUsd {
    let answer = call(&serve(reply)).await.0.unwrap();
    price().cost_of(&answer.usage.counts().unwrap())
}

#[tokio::test]
async fn rr_02_cached_tokens_are_not_added_on_top() {
    let reply =
        answer(r#"{"prompt_tokens":2006,"completion_tokens":300,"prompt_tokens_details":{"cached_tokens":1920}}"#);
    assert_eq!(cost(reply).await, PicoUsd::new(86 * 1000 + 1920 * 100 + 300 * 10_000));
}

#[tokio::test]
async fn rr_03_cache_writes_counted_beside_the_input_are_paid_once_and_at_their_own_price() {
    let reply = answer(
        r#"{"input_tokens":86,"cache_read_input_tokens":1920,"cache_creation_input_tokens":500,"output_tokens":10}"#,
    );
    assert_eq!(cost(reply).await, PicoUsd::new(86 * 1000 + 1920 * 100 + 500 * 1250 + 10 * 10_000));
}

#[rstest]
#[case::more_cached_than_read(r#"{"prompt_tokens":10,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":4000}}"#, 10 * 100 + 10_000)]
#[case::more_written_than_left(r#"{"prompt_tokens":10,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":8,"cache_write_tokens":900}}"#, 8 * 100 + 2 * 1250 + 10_000)]
#[case::negative(r#"{"prompt_tokens":10,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":-5}}"#, 10 * 1000 + 10_000)]
#[tokio::test]
async fn rr_04_counts_that_contradict_each_other_never_make_a_negative_cost(#[case] usage: &str, #[case] pico: i64) {
    assert_eq!(cost(answer(usage)).await, PicoUsd::new(pico));
}

/// One report: completion 0 and reasoning 60 of a total of 81; and its mirror image, where the total says that
/// reasoning was counted already.
#[tokio::test]
async fn rr_07_a_total_tells_whether_reasoning_was_counted() {
    for (usage, output) in [
        (
            r#"{"prompt_tokens":21,"completion_tokens":0,"total_tokens":81,"completion_tokens_details":{"reasoning_tokens":60}}"#,
            60,
        ),
        (
            r#"{"prompt_tokens":21,"completion_tokens":70,"total_tokens":91,"completion_tokens_details":{"reasoning_tokens":60}}"#,
            70,
        ),
        (
            r#"{"prompt_tokens":21,"completion_tokens":10,"total_tokens":91,"completion_tokens_details":{"reasoning_tokens":60}}"#,
            70,
        ),
    ] {
        let answer = call(&serve(answer(usage))).await.0.unwrap();
        assert_eq!(answer.usage.output, Some(output), "{usage}");
    }
}

#[tokio::test]
async fn rr_14_every_failure_carries_its_own_waiting_time() {
    let limited = |wait: &str| Reply::json(429, r#"{"error":{"message":"slow down"}}"#).header("retry-after", wait);
    let script = Script::new().on(CHAT, ["1", "5", "30"].map(limited));
    let provider = FakeProvider::start(script).unwrap();
    let mut waits = Vec::new();
    for _ in 0..3 {
        waits.push(call(&provider).await.0.unwrap_err().retry_after().unwrap().as_secs());
    }
    assert_eq!(waits, [1, 5, 30]);
}

#[rstest]
#[case::limited(Reply::json(429, "{}").header("retry-after", "0"))]
#[case::overloaded(Reply::json(503, r#"{"error":{"message":"overloaded"}}"#))]
#[case::broken(Reply::json(500, "{}"))]
#[case::reset(Reply::reset())]
#[case::no_such_model(Reply::json(404, r#"{"error":{"code":"model_not_found","message":"gone"}}"#))]
#[tokio::test]
async fn rr_16_a_failure_is_followed_by_no_other_request(#[case] reply: Reply) {
    // A second request, to this or to another model, would get an answer and be counted.
    let script = Script::new().on(CHAT, [reply, answer("{}")]).on("GET /models", [Reply::json(200, r#"{"data":[]}"#)]);
    let provider = FakeProvider::start(script).unwrap();
    assert!(call(&provider).await.0.is_err());
    let calls = provider.calls();
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].json()["model"], "example-small");
}

#[rstest]
#[case::error_in_the_stream(Reply::events(crate::support::shape("stream_error.sse")))]
#[case::cut(Reply::events(crate::support::shape("stream_cut.sse")).then_cut())]
#[tokio::test]
async fn rr_28_a_stream_that_breaks_is_finished_by_no_other_model(#[case] broken: Reply) {
    let script = Script::new().on(CHAT, [broken, answer("{}")]).on("GET /models", [Reply::json(200, r#"{"data":[]}"#)]);
    let provider = FakeProvider::start(script).unwrap();
    let (outcome, pieces) = call(&provider).await;
    assert!(outcome.unwrap_err().failure().received_chars > 0, "it broke after it had begun");
    assert!(!pieces.concat().contains('x'), "the second answer is nowhere: {pieces:?}");
    let calls = provider.calls();
    assert_eq!(calls.iter().map(|call| call.json()["model"].clone()).collect::<Vec<_>>(), ["example-small"]);
}

#[rstest]
#[case(
    "Rate limit reached for model `x` on tokens per minute: Limit 6000. Please try again in 6.034s. Visit us.",
    6034
)]
#[case("Please retry in 34.074824224s.", 34_074)]
#[case("Request was throttled. Your rate limit resets in ~30s.", 30_000)]
#[case("Too many requests, retry after 12 seconds", 12_000)]
#[tokio::test]
async fn rr_17_a_waiting_time_in_words_is_a_hint(#[case] message: &str, #[case] millis: u128) {
    let error = failure(Reply::json(429, json!({"error": {"message": message}}).to_string())).await;
    assert_eq!(error.code(), ErrorCode::ProviderRateLimited);
    assert_eq!(error.retry_after().unwrap().as_millis(), millis);
    // A header is a statement and beats the words.
    let body = json!({"error": {"message": message}}).to_string();
    let error = failure(Reply::json(429, body).header("retry-after", "2")).await;
    assert_eq!(error.retry_after(), Some(Duration::from_secs(2)));
}

#[tokio::test]
async fn rr_20_a_stream_without_usage_is_an_answer_without_counts() {
    let body = "data: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let answer = call(&serve(Reply::events(body))).await.0.unwrap();
    assert_eq!((answer.usage.counts(), answer.usage.reported, answer.cost), (None, false, None));
}

/// Who is known to refuse `stream_options` never sees it.
#[tokio::test]
async fn rr_20_stream_options_travel_only_where_they_are_taken() {
    let (mut with, mut without) = (0, 0);
    for facts in facts::all() {
        let provider = serve(answer("{}"));
        let request = ChatRequest { profile: facts.profile(), ..request() };
        call_with(&endpoint(&provider), &request, Limits::default()).await.0.unwrap();
        let body = provider.calls()[0].json();
        assert_eq!(body.get("stream_options").is_some(), facts.parameters.sends_stream_options, "{}", facts.name);
        if facts.parameters.sends_stream_options { with += 1 } else { without += 1 }
    }
    assert!(with > 10 && without >= 3, "{with} with, {without} without");
    assert!(!facts::find("mistral").unwrap().parameters.sends_stream_options);
}

/// Every provider's chat, with and without the options; a chat that asks for a picture in one piece; and a caller who
/// wants the one without the other.
#[tokio::test]
async fn rr_21_stream_options_never_travel_without_a_stream() {
    let mut bodies = Vec::new();
    for facts in facts::all() {
        for sends_stream_options in [true, false] {
            let provider = serve(answer("{}"));
            let profile = ModelProfile { sends_stream_options, ..facts.profile() };
            call_with(&endpoint(&provider), &ChatRequest { profile, ..request() }, Limits::default()).await.0.unwrap();
            bodies.push(provider.calls()[0].json());
        }
    }
    let whole = serve(answer("{}"));
    let outcome = send(&named(&whole, "blackbox"), &image("blackbox", "some-image-model")).await;
    assert!(outcome.is_err(), "the answer holds no address");
    assert_eq!(whole.calls()[0].json()["stream"], json!(false));
    bodies.push(whole.calls()[0].json());
    for body in bodies {
        assert!(body.get("stream_options").is_none() || body["stream"] == json!(true), "{body}");
    }
    for (field, value) in [("stream", json!(false)), ("stream_options", json!({"include_usage": true}))] {
        let provider = serve(answer("{}"));
        let extra_body = json!({ field: value }).as_object().cloned();
        let outcome =
            call_with(&endpoint(&provider), &ChatRequest { extra_body, ..request() }, Limits::default()).await.0;
        assert!(outcome.unwrap_err().to_string().contains(&format!("`{field}`")));
        assert_eq!(provider.calls().len(), 0, "{field}");
    }
}

#[rstest]
#[case::failed(
    r#"{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"gave up"}}}"#,
    "gave up"
)]
#[case::error_event(r#"{"type":"error","error":{"type":"overloaded","message":"gave up"}}"#, "gave up")]
#[case::finish_error(r#"{"choices":[{"delta":{},"finish_reason":"error","error":{"message":"gave up"}}]}"#, "gave up")]
#[tokio::test]
async fn rr_27_a_terminal_failure_is_a_failure_and_never_an_empty_answer(#[case] event: &str, #[case] says: &str) {
    let begun = "data: {\"choices\":[{\"delta\":{\"content\":\"It began\"}}]}\n\n";
    for body in [format!("{begun}data: {event}\n\ndata: [DONE]\n\n"), format!("data: {event}\n\ndata: [DONE]\n\n")] {
        let error = failure(Reply::events(body)).await;
        assert!(error.to_string().contains(says), "{error}");
        assert!(error.may_have_cost());
    }
    let nothing = "data: {\"choices\":[{\"delta\":{\"content\":\"\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    assert_eq!(failure(Reply::events(nothing)).await.code(), ErrorCode::ProviderFailed);
}

#[rstest]
#[case("eos", Some("eos"), Finish::Other)]
#[case("end_turn", Some("end_turn"), Finish::Other)]
#[case("", None, Finish::Other)]
#[case("a reason of 2029", Some("a reason of 2029"), Finish::Other)]
#[case("stop", Some("stop"), Finish::Complete)]
#[case("length", Some("length"), Finish::Length)]
#[tokio::test]
async fn rr_33_a_finish_reason_is_kept_as_it_is_and_an_unknown_one_is_other(
    #[case] reason: &str,
    #[case] kept: Option<&str>,
    #[case] finish: Finish,
) {
    let body = json!({"choices": [{"message": {"content": "x"}, "finish_reason": reason}]}).to_string();
    let answer = call(&serve(Reply::json(200, body))).await.0.unwrap();
    assert_eq!((answer.finish_reason.as_deref(), answer.finish()), (kept, finish));
}

#[tokio::test]
async fn rr_34_values_that_nobody_knows_do_not_fail() {
    let body = r#"{"object":"chat.completion.v9","service_tier":"galactic","system_fingerprint":7,"created":"soon",
        "choices":[{"index":0,"message":{"role":"oracle","content":"x","audio":{"id":1}},"finish_reason":"stop","logprobs":[1]}],
        "usage":{"prompt_tokens":1,"completion_tokens":1,"novel_tokens":{"a":[null]}}}"#;
    assert_eq!(call(&serve(Reply::json(200, body))).await.0.unwrap().text, "x");
}

#[rstest]
#[case("{}")]
#[case("null")]
#[case("[]")]
#[case(r#""none""#)]
#[case(r#"{"prompt_tokens":null,"completion_tokens":"7","total_tokens":{}}"#)]
#[case(r#"{"prompt_tokens_details":null,"completion_tokens_details":[]}"#)]
#[tokio::test]
async fn rr_35_every_field_of_usage_is_optional(#[case] usage: &str) {
    let body = format!(
        "data: {{\"choices\":[{{\"delta\":{{\"content\":\"x\"}},\"finish_reason\":\"stop\"}}],\"usage\":{usage}}}\n\ndata: [DONE]\n\n"
    );
    let answer = call(&serve(Reply::events(body))).await.0.unwrap();
    assert_eq!((answer.text.as_str(), answer.usage.counts(), answer.usage.reported), ("x", None, false));
}

/// A tool call that nobody asked for, in these pieces: alone it is a failure with a name, and beside a text it spoils
/// nothing.
async fn check_tool_call(pieces: &[&str]) {
    let chunk = |delta: &str, reason: &str| {
        format!("data: {{\"choices\":[{{\"delta\":{delta},\"finish_reason\":{reason}}}]}}\n\n")
    };
    let tool: String = pieces.iter().map(|piece| chunk(&format!(r#"{{"tool_calls":[{piece}]}}"#), "null")).collect();
    let end = chunk("{}", "\"tool_calls\"");
    let error = failure(Reply::events(format!("{tool}{end}data: [DONE]\n\n"))).await;
    assert!(error.to_string().contains("tool call"), "{error}");
    let text = chunk(r#"{"content":"Text."}"#, "null");
    let provider = serve(Reply::events(format!("{text}{tool}{end}data: [DONE]\n\n")));
    assert_eq!(call(&provider).await.0.unwrap().text, "Text.");
}

#[rstest]
#[case::empty_arguments(&[r#"{"index":0,"id":"c","function":{"name":"f","arguments":""}}"#])]
#[case::half_arguments(&[r#"{"index":0,"function":{"arguments":"{\"a"}}"#])]
#[case::in_pieces(&[
    r#"{"index":0,"id":"c","function":{"name":"f","arguments":""}}"#,
    r#"{"index":0,"function":{"arguments":"{\"a"}}"#,
    r#"{"index":0,"function":{"arguments":""}}"#,
    r#"{"index":0,"function":{"arguments":"\":1}"}}"#,
])]
#[tokio::test]
async fn rr_36_a_piece_of_arguments_is_not_taken_for_all_of_them(#[case] pieces: &[&str]) {
    check_tool_call(pieces).await;
}

#[rstest]
#[case::no_arguments(r#"{"index":0,"id":"c","function":{"name":"f"}}"#)]
#[case::no_arguments_but_null(r#"{"index":0,"id":"c","function":{"name":"f","arguments":null}}"#)]
#[case::no_function(r#"{"index":0}"#)]
#[tokio::test]
async fn rr_37_a_tool_call_without_input_is_a_tool_call(#[case] tool_call: &str) {
    check_tool_call(&[tool_call]).await;
}

#[tokio::test]
async fn rr_45_a_model_that_refuses_a_temperature_is_sent_none() {
    for (provider, is_sent) in [("openai", false), ("puter", false), ("groq", true)] {
        let fake = serve(answer("{}"));
        let request = ChatRequest { profile: facts::find(provider).unwrap().profile(), ..request() };
        assert_eq!(request.temperature, Some(0.45));
        call_with(&endpoint(&fake), &request, Limits::default()).await.0.unwrap();
        assert_eq!(fake.calls()[0].json().get("temperature").is_some(), is_sent, "{provider}");
    }
    // And what the provider says if it is sent all the same is no fault of the key or the model.
    let body = r#"{"error":{"message":"Unsupported parameter: 'temperature'","code":"unsupported_parameter"}}"#;
    let error = failure_at("openai", Reply::json(400, body)).await;
    assert!(matches!(error, ProviderError::Rejected { reason: lwa_providers::Rejection::BadRequest, .. }));
}

/// Beside model, text and stream, a request has only fields that the list names.
#[rstest]
#[case(&["max_tokens", "temperature"])]
#[case(&["max_completion_tokens"])]
#[case(&["max_tokens", "tools", "response_format"])]
#[tokio::test]
async fn rr_47_no_field_is_sent_that_the_list_does_not_name(#[case] listed: &[&str]) {
    let parameters: BTreeSet<String> = listed.iter().map(|name| (*name).to_owned()).collect();
    let model = ListedModel { supported_parameters: Some(parameters.clone()), ..ListedModel::default() };
    let fake = serve(answer("{}"));
    let request = ChatRequest { profile: ModelProfile::default().informed_by(&model), ..request() };
    call_with(&endpoint(&fake), &request, Limits::default()).await.0.unwrap();
    let Value::Object(body) = fake.calls()[0].json() else { panic!("the body is an object") };
    let always = ["model", "messages", "stream", "stream_options"];
    let others: Vec<_> = body.keys().filter(|field| !always.contains(&field.as_str())).collect();
    assert!(others.iter().all(|field| parameters.contains(*field)), "{others:?}");
    assert!(!others.is_empty());
}

#[tokio::test]
async fn rr_47_a_field_that_the_provider_is_known_to_refuse_is_refused_before_sending() {
    let fake = serve(answer("{}"));
    let endpoint = Endpoint { provider: "mistral".to_owned(), ..endpoint(&fake) };
    let request = ChatRequest { extra_body: json!({"store": true}).as_object().cloned(), ..request() };
    let outcome = complete(&client(), Adapter::OpenAi, &endpoint, &request, Limits::default(), |_| {}).await;
    assert!(outcome.unwrap_err().to_string().contains("`store`"));
    assert_eq!(fake.calls().len(), 0);
}

#[rstest]
#[case(Adapter::Replicate)]
#[case(Adapter::Stability)]
#[tokio::test]
async fn an_adapter_that_does_not_chat_says_so_and_sends_nothing(#[case] adapter: Adapter) {
    let fake = FakeProvider::start(Script::new()).unwrap();
    let outcome = complete(&client(), adapter, &endpoint(&fake), &request(), Limits::default(), |_| {}).await;
    assert!(outcome.unwrap_err().to_string().contains("does not chat"));
    assert_eq!(fake.calls().len(), 0);
}

#[tokio::test]
async fn lwa_044_the_list_of_puter_is_asked_at_its_own_place_with_the_token() {
    let recorded = String::from_utf8(crate::support::shape("puter/list.http")).unwrap();
    let (_, body) = recorded.split_once("\n\n").unwrap();
    let path = "/puterai/chat/models/details";
    let fake = FakeProvider::start(Script::new().on(&format!("GET {path}"), [Reply::json(200, body)])).unwrap();
    let endpoint = Endpoint { models_path: path.to_owned(), provider: "puter".to_owned(), ..endpoint(&fake) };
    let limits = lwa_providers::listing::PageLimits::default();
    let list = lwa_providers::listing::list_models_within(&client(), Adapter::Puter, &endpoint, limits).await.unwrap();
    let names: Vec<_> = list.models.iter().map(|model| model.id.as_str()).collect();
    assert_eq!(names, ["example-nano"]);
    let calls = fake.calls();
    assert_eq!((calls.len(), calls[0].target.as_str()), (1, path));
    assert_eq!(calls[0].header("authorization"), Some(format!("Bearer {}", crate::support::KEY).as_str()));
}
