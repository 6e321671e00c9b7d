//! Several fake providers at once, each saying something of its own.

use std::fmt::Write as _;

use lwa_testkit::FakeProvider;
use lwa_testkit::fake_provider::Script;
use lwa_testkit::fake_provider::reply::Reply;
use lwa_tests::TestHome;

/// The path that every one of them answers.
pub const CHAT: &str = "POST /v1/chat/completions";

/// A streamed answer.
pub fn saying(text: &str) -> Reply {
    let delta = serde_json::json!({
        "id": "fake-1", "model": "m-1",
        "choices": [{ "index": 0, "delta": { "content": text }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 11, "completion_tokens": 7 },
    });
    Reply::events(format!("data: {delta}\n\ndata: [DONE]\n\n"))
        .header("x-ratelimit-limit-requests", "50")
        .header("x-ratelimit-remaining-requests", "41")
}

/// A failure of the provider.
pub fn broken() -> Reply {
    Reply::json(500, r#"{"error":{"message":"Something broke"}}"#)
}

/// A provider whose answers to chats come in this order.
pub fn provider(replies: Vec<Reply>) -> FakeProvider {
    FakeProvider::start(Script::new().on(CHAT, replies)).unwrap()
}

/// One provider of a world.
pub struct Member {
    pub name: &'static str,
    pub class: &'static str,
    pub score: u8,
    pub fake: FakeProvider,
}

impl Member {
    pub fn new(name: &'static str, class: &'static str, score: u8, replies: Vec<Reply>) -> Self {
        Self { name, class, score, fake: provider(replies) }
    }

    /// Requests that reached it.
    pub fn calls(&self) -> usize {
        self.fake.count("POST")
    }
}

/// A home in which exactly these providers can be used.
pub fn home(members: &[Member], router: &str) -> TestHome {
    TestHome::with_config(&config(members, router)).set("ACME_KEY", "k-1")
}

/// Its configuration.
pub fn config(members: &[Member], router: &str) -> String {
    let mut text = format!("[router]\nallow_paid = true\nallow_user_pays = true\n{router}\n");
    for Member { name, class, score, fake } in members {
        write!(
            text,
            "[providers.{name}]\nbase_url = \"{}/v1\"\napi_key_env = \"ACME_KEY\"\nbilling_class = \"{class}\"\n\
             [[models]]\nprovider = \"{name}\"\nmodel = \"m-1\"\ncapabilities = [\"text\", \"reasoning\"]\n\
             context_length = 100000\ninput_cost_per_million = 5.0\noutput_cost_per_million = 20.0\n\
             task_scores = {{ consensus = {score}, query = {score} }}\n",
            fake.base_url()
        )
        .unwrap();
    }
    text
}
