//! A local server: what it may answer, how failures are told, the second worker, and counting.

use std::sync::Arc;
use std::time::Duration;

use lwa_testkit::fake_provider::reply::Reply;
use lwa_testkit::fake_provider::{FakeProvider, Script};
use lwa_worker::local_model::{
    Availability, Failover, Key, LocalBpe, LocalModel, LocalModelOptions, Thinking, TokenCounter, Tokenizer,
};
use lwa_worker::model::{ChatModel, ChatRequest, Excerpt, Finish, ModelError, ReplyFormat, Stage, Usage};
use rstest::rstest;
use serde_json::json;
use tokio::time::Instant;
use zeroize::Zeroizing;

use crate::support::{Scripted, reply, soon, unreachable};

const CHAT: &str = "POST /v1/chat/completions";

fn question() -> ChatRequest {
    ChatRequest {
        system: "s".to_owned(),
        user: "u".to_owned(),
        max_tokens: 10,
        temperature: 0.0,
        format: None,
        deadline: soon(),
    }
}

fn options(server: &FakeProvider) -> LocalModelOptions {
    LocalModelOptions {
        retry_pause: Duration::ZERO,
        ..LocalModelOptions::new("m", &format!("{}/v1", server.base_url()))
    }
}

fn serving(replies: Vec<Reply>) -> (FakeProvider, LocalModel) {
    let server = FakeProvider::start(Script::new().on(CHAT, replies)).unwrap();
    let model = LocalModel::new(options(&server)).unwrap();
    (server, model)
}

fn answer(content: &str) -> Reply {
    Reply::json(200, json!({"choices": [{"message": {"content": content}, "finish_reason": "stop"}]}).to_string())
}

#[tokio::test]
async fn a_question_says_what_the_server_needs_and_hides_the_key() {
    let server = FakeProvider::start(Script::new().on(CHAT, [answer("yes")])).unwrap();
    let key = Key::new(Zeroizing::new(" planted-key\n".to_owned()));
    let model = LocalModel::new(LocalModelOptions { key, ..options(&server) }).unwrap();
    assert!(!format!("{model:?}").contains("planted"));
    let format = ReplyFormat { name: "form", schema: json!({"type": "array"}) };
    model.chat(ChatRequest { format: Some(format), ..question() }).await.unwrap();
    let call = server.calls().remove(0);
    assert_eq!(call.header("authorization"), Some("Bearer planted-key"));
    assert_eq!(
        call.json(),
        json!({
            "model": "m",
            "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}],
            "max_tokens": 10, "temperature": 0.0, "stream": false,
            "chat_template_kwargs": {"enable_thinking": false},
            "response_format": {"type": "json_schema",
                "json_schema": {"name": "form", "strict": true, "schema": {"type": "array"}}},
        })
    );
    let thinking = LocalModel::new(LocalModelOptions { thinking: Thinking::On, ..options(&server) }).unwrap();
    thinking.chat(question()).await.unwrap();
    assert_eq!(server.calls()[1].json().get("chat_template_kwargs"), None);
}

#[rstest]
#[case("plain", "plain")]
#[case("<think>because</think>\n\nplain", "plain")]
#[case("because\n</think>\nplain", "plain")]
#[case("the file has <think> and </think> in it", "the file has <think> and </think> in it")]
#[tokio::test]
async fn reasoning_is_no_part_of_an_answer(#[case] content: &str, #[case] text: &str) {
    let (_server, model) = serving(vec![answer(content)]);
    assert_eq!(model.chat(question()).await.unwrap().text, text);
}

#[rstest]
#[case::unfinished(json!({"content": "<think>because"}), true)]
#[case::nothing_behind(json!({"content": "<think>because</think>"}), true)]
#[case::a_field_of_its_own(json!({"content": null, "reasoning_content": "because"}), true)]
#[case::empty(json!({"content": ""}), false)]
#[tokio::test]
async fn an_empty_answer_says_why(#[case] message: serde_json::Value, #[case] has_reasoned: bool) {
    let body = json!({"choices": [{"message": message, "finish_reason": "length"}]}).to_string();
    let (server, model) = serving(vec![Reply::json(200, body)]);
    let error = model.chat(question()).await.unwrap_err();
    let model = "m".to_owned();
    if has_reasoned {
        assert_eq!(error, ModelError::OnlyReasoning { model });
    } else {
        assert_eq!(error, ModelError::Empty { model, finish: Finish::TokenLimit });
    }
    assert_eq!(server.calls().len(), 1, "the same question gets the same answer");
}

#[tokio::test]
async fn an_answer_carries_its_end_and_its_counts() {
    let body = json!({
        "choices": [{"message": {"content": [{"type": "text", "text": "a"}, {"text": "b"}]}, "finish_reason": "length"}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7}, "model": "what the server calls itself",
    });
    let (_server, model) = serving(vec![Reply::json(200, body.to_string())]);
    let reply = model.chat(question()).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.finish, reply.model.as_str()), ("ab", Finish::TokenLimit, "m"));
    assert_eq!(reply.usage, Some(Usage { input_tokens: 11, output_tokens: 7 }));
}

#[tokio::test]
async fn w_11_what_a_server_says_with_an_error_is_kept_apart() {
    let echo = r#"{"error": {"message": "cannot tokenize: the password is planted-secret"}}"#;
    let (_server, model) = serving(vec![Reply::json(400, echo)]);
    let error = model.chat(question()).await.unwrap_err();
    assert_eq!(error.to_string(), "the worker `m` answered with HTTP 400");
    assert!(!format!("{error:?}").contains("planted"), "{error:?}");
    assert!(error.excerpts()[0].untrusted().contains("planted-secret"), "the scrub gets it whole");
    let both = ModelError::Both { first: Box::new(error.clone()), second: Box::new(error) };
    assert_eq!(both.excerpts().len(), 2);
    assert!(!both.to_string().contains("planted"));
}

#[tokio::test]
async fn a_key_that_is_not_accepted_is_named_as_such() {
    let (_server, model) = serving(vec![Reply::json(401, "{}")]);
    let error = model.chat(question()).await.unwrap_err();
    assert!(error.to_string().contains("check the key"), "{error}");
    assert!(!error.is_of_the_server());
}

#[rstest]
#[case::no_json(Reply::json(200, "no json"))]
#[case::another_form(Reply::json(200, r#"{"choices": []}"#))]
#[case::a_broken_line(Reply::reset())]
#[tokio::test]
async fn w_22_a_broken_exchange_is_tried_once_more_and_is_one_kind_of_error(#[case] broken: Reply) {
    let (server, model) = serving(vec![broken.clone(), answer("yes")]);
    assert_eq!(model.chat(question()).await.unwrap().text, "yes");
    assert_eq!(server.calls().len(), 2);
    let (server, model) = serving(vec![broken]);
    let error = model.chat(question()).await.unwrap_err();
    assert!(matches!(error, ModelError::Protocol { .. }), "{error}");
    assert!(error.is_of_the_server());
    assert_eq!(server.calls().len(), 2);
}

#[tokio::test]
async fn w_22_a_silent_server_ends_at_the_deadline_and_is_not_asked_twice() {
    let (server, model) = serving(vec![Reply::silence()]);
    let deadline = Instant::now() + Duration::from_millis(150);
    let error = model.chat(ChatRequest { deadline, ..question() }).await.unwrap_err();
    assert_eq!(error, ModelError::Timeout { model: "m".to_owned(), stage: Stage::Answer });
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn an_answer_without_end_is_not_read_to_it() {
    let endless = format!(r#"{{"choices": [{{"message": {{"content": "{}"}}}}]}}"#, "x".repeat(5 << 20));
    let (_server, model) = serving(vec![Reply::json(200, endless)]);
    let error = model.chat(question()).await.unwrap_err();
    assert_eq!(error, ModelError::Protocol { model: "m".to_owned(), what: "the body is longer than 4 MiB" });
}

#[tokio::test]
async fn a_server_lists_its_models_on_short_lines() {
    let list = json!({"data": [{"id": "a"}, {"id": "b\u{1b}[31m"}, {"id": " "}]}).to_string();
    let server = FakeProvider::start(Script::new().on("GET /v1/models", [Reply::json(200, list)])).unwrap();
    let model = LocalModel::new(options(&server)).unwrap();
    assert_eq!(model.models(soon()).await.unwrap(), ["a", "b[31m"]);
}

#[tokio::test(start_paused = true)]
async fn w_22_the_second_worker_answers_and_the_first_is_asked_last_for_two_minutes() {
    let primary = Scripted::new(|turn, _| if turn < 2 { Err(unreachable()) } else { Ok(reply("first")) });
    let fallback = Scripted::saying("second");
    let failover = Failover::new(primary.clone(), Some(fallback.clone()));
    assert_eq!(failover.chat(question()).await.unwrap().text, "second");
    assert_eq!(failover.availability().primary_down_for(), Some(Duration::from_mins(2)));
    assert_eq!(failover.chat(question()).await.unwrap().text, "second");
    assert_eq!(primary.asked().len(), 1, "it is down and not asked");
    tokio::time::advance(Duration::from_mins(2)).await;
    assert_eq!(failover.chat(question()).await.unwrap().text, "second");
    assert_eq!(primary.asked().len(), 2);
    tokio::time::advance(Duration::from_mins(2)).await;
    assert_eq!(failover.chat(question()).await.unwrap().text, "first");
    assert_eq!(failover.availability().primary_down_for(), None);
}

#[rstest]
#[case(ModelError::Protocol { model: "a".to_owned(), what: "the connection broke" }, true)]
#[case(ModelError::Timeout { model: "a".to_owned(), stage: Stage::Answer }, true)]
#[case(ModelError::Status { model: "a".to_owned(), status: 503, excerpt: Excerpt::default() }, true)]
#[case(ModelError::Status { model: "a".to_owned(), status: 400, excerpt: Excerpt::default() }, false)]
#[case(ModelError::Unauthorised { model: "a".to_owned() }, false)]
#[case(ModelError::OnlyReasoning { model: "a".to_owned() }, false)]
#[case(ModelError::NotLocal { model: "a".to_owned(), reason: "r" }, false)]
#[tokio::test]
async fn w_22_only_faults_of_the_server_go_to_the_second_worker(#[case] error: ModelError, #[case] goes: bool) {
    let primary = Scripted::in_turn(vec![Err(error.clone())]);
    let fallback = Scripted::saying("second");
    let answer = Failover::new(primary, Some(fallback.clone())).chat(question()).await;
    assert_eq!(fallback.asked().len(), usize::from(goes));
    assert_eq!(answer.is_ok(), goes);
    if !goes {
        assert_eq!(answer.unwrap_err(), error);
    }
}

#[tokio::test]
async fn when_both_fail_both_are_named() {
    let failing = |model: &str| Scripted::in_turn(vec![Err(ModelError::Connect { model: model.to_owned() })]);
    let error = Failover::new(failing("a"), Some(failing("b"))).chat(question()).await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("`a`") && text.contains("`b`"), "{text}");
}

#[tokio::test]
async fn w_22_a_first_worker_that_hangs_leaves_time_to_the_second() {
    let (_silent, primary) = serving(vec![Reply::silence()]);
    let fallback = Scripted::saying("second");
    let failover = Failover::new(Arc::new(primary), Some(fallback.clone()));
    let deadline = Instant::now() + Duration::from_millis(900);
    assert_eq!(failover.chat(ChatRequest { deadline, ..question() }).await.unwrap().text, "second");
    assert_eq!(fallback.asked()[0].deadline, deadline);
    assert!(Instant::now() < deadline);
}

fn counting(script: Script) -> (FakeProvider, LocalModel) {
    let server = FakeProvider::start(script).unwrap();
    let model = LocalModel::new(options(&server)).unwrap();
    (server, model)
}

const TOKENIZE: &str = "POST /tokenize";

#[rstest]
#[case::a_count(vec![Reply::json(200, r#"{"count": 3}"#)], 1)]
#[case::a_list(vec![Reply::json(200, r#"{"tokens": [1, 2, 3]}"#)], 1)]
#[case::the_other_dialect(vec![Reply::json(422, "{}"), Reply::json(200, r#"{"tokens": [1, 2, 3]}"#)], 2)]
#[case::an_empty_list_for_the_first(vec![Reply::json(200, r#"{"tokens": []}"#), Reply::json(200, r#"{"tokens": [1, 2, 3]}"#)], 2)]
#[tokio::test]
async fn a_server_counts_in_either_dialect(#[case] replies: Vec<Reply>, #[case] calls: usize) {
    let (server, model) = counting(Script::new().on(TOKENIZE, replies));
    assert_eq!(model.count_tokens("a b c", soon()).await.unwrap(), 3);
    let asked = server.calls();
    assert_eq!(asked.len(), calls);
    assert_eq!(asked[0].json(), json!({"model": "m", "prompt": "a b c", "add_special_tokens": false}));
    if calls == 2 {
        assert_eq!(asked[1].json(), json!({"content": "a b c"}));
    }
}

#[tokio::test]
async fn who_cannot_count_is_left_alone_for_ten_minutes() {
    let (server, model) = counting(Script::new());
    let counter = TokenCounter::new(vec![Arc::new(model)], Arc::new(Availability::default()));
    assert_eq!(counter.count("text", soon()).await, None);
    let asked = server.calls().len();
    assert_eq!(counter.count("text", soon()).await, None);
    assert_eq!(server.calls().len(), asked);
    tokio::time::pause();
    tokio::time::advance(Duration::from_mins(10)).await;
    tokio::time::resume();
    assert_eq!(counter.count("text", soon()).await, None);
    assert!(server.calls().len() > asked);
}

#[tokio::test]
async fn where_no_server_counts_the_vocabulary_of_the_program_does() {
    let (server, model) = counting(Script::new());
    let workers: Vec<Arc<dyn Tokenizer>> = vec![Arc::new(model), Arc::new(LocalBpe::new())];
    let counter = TokenCounter::new(workers, Arc::new(Availability::default()));
    assert_eq!(counter.count_both("hello world", "hello", soon()).await, Some((2, 1)));
    assert!(!server.calls().is_empty());
    let nobody = TokenCounter::new(Vec::new(), Arc::new(Availability::default()));
    assert_eq!(nobody.count_both("hello world", "hello", soon()).await, None);
}

#[rstest]
#[case("", 0)]
#[case("hello world", 2)]
#[case("fn main() {\n    println!(\"hello\");\n}\n", 10)]
#[tokio::test]
async fn without_a_server_tokens_are_counted_here(#[case] text: &str, #[case] tokens: u64) {
    assert_eq!(LocalBpe::new().count_tokens(text, soon()).await.unwrap(), tokens);
}

#[tokio::test]
async fn a_text_made_to_be_slow_is_counted_or_refused_in_time() {
    let bpe = LocalBpe::new();
    for text in ["a".repeat(200_000), " ".repeat(200_000), "\u{301}".repeat(60_000), "1-".repeat(60_000)] {
        assert!(bpe.count_tokens(&text, soon()).await.unwrap() > 0);
    }
    let error = bpe.count_tokens(&"a".repeat(5 << 20), soon()).await.unwrap_err();
    assert!(matches!(error, ModelError::Protocol { .. }), "{error}");
}

#[tokio::test]
async fn pieces_are_counted_as_the_whole_would_be() {
    let line = "2026-11-30T04:05:06Z host program[123]: error: cannot open `/srv/data/file.txt`: unreachable\n";
    let bpe = LocalBpe::new();
    let one = bpe.count_tokens(line, soon()).await.unwrap();
    assert_eq!(bpe.count_tokens(&line.repeat(1_000), soon()).await.unwrap(), one * 1_000);
}
