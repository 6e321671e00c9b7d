//! What the host tells its faces unasked, when the tool library or a quota changes.

use lwa_protocol::Event;
use lwa_protocol::library::{LibraryCreateParams, LibraryListParams, LibraryObserveParams, LibraryToolParams};
use lwa_protocol::plan::{PrepareParams, RunStatus};
use lwa_testkit::FakeProvider;
use lwa_testkit::fake_provider::Script;
use lwa_testkit::fake_provider::reply::Reply;
use tokio::sync::broadcast::Receiver;

use crate::support::{Host, agent, app, run};

/// What was told since the last look, of the kind that is asked for.
fn told(events: &mut Receiver<Event>, is_wanted: fn(&Event) -> bool) -> Vec<Event> {
    std::iter::from_fn(|| events.try_recv().ok()).filter(is_wanted).collect()
}

fn is_library(event: &Event) -> bool {
    matches!(event, Event::LibraryChanged)
}

fn is_quota(event: &Event) -> bool {
    matches!(event, Event::QuotaChanged { .. })
}

#[tokio::test]
async fn faces_hear_of_every_change_of_the_library_and_of_nothing_else() {
    let host = Host::new("").await;
    let (app, list) = (app(), LibraryListParams::default());
    let window = host.engine.attend(&app, "test");
    let mut events = window.subscribe();
    host.engine.list_library(&list).await.unwrap();
    assert_eq!(told(&mut events, is_library), [], "reading is no change");

    let recipe = LibraryCreateParams {
        name: "Notes".to_owned(),
        description: "Serves as notes".to_owned(),
        task: "token_optimization".to_owned(),
        prompt_template: "Shorten this text: {input}".to_owned(),
        activate: true,
        ..LibraryCreateParams::default()
    };
    let made = host.engine.create_recipe(&app, recipe).await.unwrap();
    assert_eq!(told(&mut events, is_library), [Event::LibraryChanged]);
    let named = LibraryToolParams { slug: made.slug.clone() };
    host.engine.disable_tool(&app, &named).await.unwrap();
    assert_eq!(told(&mut events, is_library), [Event::LibraryChanged]);

    // Somebody edits the registry beside the host: whoever looks first finds it out, and the others hear of it.
    let file = host.place.home().library_dir().join("registry.json");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("Serves as notes", "Serves as something else")).unwrap();
    host.engine.list_library(&list).await.unwrap();
    assert_eq!(told(&mut events, is_library), [Event::LibraryChanged]);
    host.engine.list_library(&list).await.unwrap();
    assert_eq!(told(&mut events, is_library), []);

    host.engine.delete_tool(&app, &named).await.unwrap();
    assert_eq!(told(&mut events, is_library), [Event::LibraryChanged]);
}

#[tokio::test]
async fn faces_hear_of_work_that_was_counted_and_of_the_recipe_that_it_became() {
    let host = Host::new("").await;
    let window = host.engine.attend(&app(), "test");
    let mut events = window.subscribe();
    let observation = || LibraryObserveParams {
        workflow_name: "release notes".to_owned(),
        description: "Turns merged changes into notes".to_owned(),
        task: "sitrep".to_owned(),
        success: true,
        ..LibraryObserveParams::default()
    };
    for count in 1..=3 {
        let observed = host.engine.observe_workflow(&agent(), observation()).await.unwrap();
        assert_eq!(observed.created_tool.is_some(), count == 3, "{observed:?}");
        let heard = told(&mut events, is_library).len();
        assert_eq!(heard, if count == 3 { 2 } else { 1 }, "the count, and the recipe at last");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn faces_hear_whose_quotas_changed_and_an_answer_that_says_nothing_of_them_tells_nothing() {
    let answer = r#"{"choices":[{"message":{"content":"Yes."},"finish_reason":"stop"}]}"#;
    let with = Reply::json(200, answer)
        .header("x-ratelimit-limit-requests", "100")
        .header("x-ratelimit-remaining-requests", "7");
    let refused = Reply::json(429, r#"{"error":{"message":"slow down"}}"#)
        .header("x-ratelimit-limit-requests", "100")
        .header("x-ratelimit-remaining-requests", "0");
    let script = Script::new().on("POST /v1/chat/completions", [Reply::json(200, answer), with, refused]);
    let fake = FakeProvider::start(script).unwrap();
    let host = Host::new(&format!(
        "[providers.acme]\nbase_url = \"{}/v1\"\nbilling_class = \"free\"\n[[models]]\nprovider = \"acme\"\n\
         model = \"m-1\"\ncapabilities = [\"text\", \"reasoning\"]\ncontext_length = 100000\n",
        fake.base_url()
    ))
    .await;
    let window = host.engine.attend(&app(), "test");
    let mut events = window.subscribe();
    let changed = Event::QuotaChanged { provider: "acme".to_owned() };
    for (status, expected) in [
        (RunStatus::Completed, vec![]),
        (RunStatus::Completed, vec![changed.clone()]),
        (RunStatus::RepreflightRequired, vec![changed]),
    ] {
        let params = PrepareParams { task: "query".to_owned(), ..PrepareParams::default() };
        let plan = host.prepare_with(&agent(), params).await.unwrap();
        assert_eq!(run(&host.engine, &agent(), &plan).await.unwrap().status, status);
        assert_eq!(told(&mut events, is_quota), expected, "{status:?}");
    }
    let kept = host.engine.list_quotas().await.unwrap().quotas;
    assert_eq!(kept.iter().map(|quota| quota.remaining.as_deref()).collect::<Vec<_>>(), [Some("0")]);
}
