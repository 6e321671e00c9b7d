//! The router's upkeep through the engine: lists, quotas, sessions' own consent, jobs that outlive their host.

use lwa_domain::{ConsentMode, ErrorCode, PlanState};
use lwa_protocol::approval::{Answer, ApprovalDetail};
use lwa_protocol::plan::{ApproveStatus, MediaFileParams, MediaParams, PlanParams, PrepareParams, RunStatus};
use lwa_protocol::provider::ModelListParams;
use lwa_protocol::router::{
    CatalogueRefreshParams, CatalogueRefreshed, ConsentSetParams, ListStatus, PipelineParams, PipelineStatus,
};
use lwa_testkit::FakeProvider;
use lwa_testkit::fake_provider::Script;
use lwa_testkit::fake_provider::reply::Reply;
use rstest::rstest;

use crate::support::{Host, Place, agent, app, minutes, run};

const LIST: &str = r#"{"data":[
    {"id":"big-1"},
    {"id":"new-1","context_length":65536,"pricing":{"prompt":"0","completion":"0"}},
    {"id":"text-embedding-3-small"}]}"#;

fn config(provider: &FakeProvider, more: &str) -> String {
    format!(
        "[providers.acme]\nbase_url = \"{}/v1\"\n{more}\n[[models]]\nprovider = \"acme\"\nmodel = \"big-1\"\n\
         capabilities = [\"text\", \"reasoning\"]\ncontext_length = 131072\ntask_scores = {{ query = 77 }}\n\
         [[models]]\nprovider = \"acme\"\nmodel = \"off-1\"\nenabled = false\ndisabled_reason = \"switched off by hand\"\n",
        provider.base_url()
    )
}

fn start(script: Script) -> FakeProvider {
    FakeProvider::start(script).unwrap()
}

async fn refresh(host: &Host, force: bool) -> CatalogueRefreshed {
    let params = CatalogueRefreshParams { provider: Some("acme".to_owned()), force };
    host.engine.refresh_catalogue(&params).await.unwrap()
}

async fn models(host: &Host) -> Vec<lwa_protocol::provider::ModelView> {
    let params = ModelListParams { provider: Some("acme".to_owned()) };
    host.engine.list_models(&params).await.unwrap().models
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_04_a_list_adds_models_and_takes_nothing_from_those_that_are_known() {
    let fake = start(Script::new().on("GET /v1/models", [Reply::json(200, LIST)]));
    let host = Host::new(&config(&fake, "billing_class = \"paid\"")).await;
    let answer = refresh(&host, true).await;
    assert_eq!((answer.refreshed, answer.providers[0].status), (3, ListStatus::Ok));
    let models = models(&host).await;
    let find = |name: &str| models.iter().find(|model| model.model == name).unwrap();
    let big = find("big-1");
    assert_eq!((big.context_length, big.capabilities.len()), (131_072, 2));
    // A price of zero and a list without prices make nothing free.
    assert_eq!(find("new-1").billing_class, lwa_domain::BillingClass::Paid);
    assert!(find("text-embedding-3-small").capabilities.iter().all(|known| *known != lwa_domain::Capability::Text));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_05_a_model_that_was_switched_off_stays_off_when_its_provider_lists_it() {
    let list = r#"{"data":[{"id":"big-1"},{"id":"off-1","context_length":500000}]}"#;
    let fake = start(Script::new().on("GET /v1/models", [Reply::json(200, list)]));
    let host = Host::new(&config(&fake, "billing_class = \"free_quota\"")).await;
    assert_eq!(refresh(&host, true).await.providers[0].status, ListStatus::Ok);
    let off = models(&host).await.into_iter().find(|model| model.model == "off-1").unwrap();
    assert_eq!((off.disabled_reason.as_deref(), off.context_length), (Some("switched off by hand"), 500_000));
    let asked = |model: &str| PrepareParams {
        task: "query".to_owned(),
        model: Some(model.to_owned()),
        ..PrepareParams::default()
    };
    let refused = host.prepare_with(&agent(), asked("off-1")).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::NoRoute);
    assert!(refused.message.contains("switched off by hand"), "{}", refused.message);
    host.prepare_with(&agent(), asked("big-1")).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lwa_055_a_listed_model_can_be_planned_and_preparing_asks_no_provider() {
    let fake = start(Script::new().on("GET /v1/models", [Reply::json(200, LIST)]));
    let host = Host::new(&config(&fake, "billing_class = \"free_quota\"")).await;
    refresh(&host, false).await;
    let params =
        PrepareParams { task: "query".to_owned(), model: Some("new-1".to_owned()), ..PrepareParams::default() };
    let plan = host.prepare_with(&agent(), params).await.unwrap();
    assert_eq!(plan.routes[0].model, "new-1");
    assert_eq!(fake.calls().len(), 1, "the one list that was asked for");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fresh_list_is_not_asked_for_again_and_outlives_its_host() {
    let fake = start(Script::new().on("GET /v1/models", [Reply::json(200, LIST)]));
    let host = Host::new(&config(&fake, "billing_class = \"free_quota\"")).await;
    refresh(&host, false).await;
    assert_eq!(refresh(&host, false).await.providers[0].status, ListStatus::Fresh);
    let before = models(&host).await.len();
    host.engine.shut_down(std::time::Duration::from_secs(5)).await;
    let host = Host { engine: host.place.open().await, place: host.place };
    assert_eq!(models(&host).await.len(), before);
    assert_eq!(refresh(&host, false).await.providers[0].status, ListStatus::Fresh);
    assert_eq!(fake.calls().len(), 1);
    host.pass(minutes(31)).await;
    assert_eq!(refresh(&host, false).await.providers[0].status, ListStatus::Ok);
}

#[rstest]
#[case::refused(Reply::json(401, r#"{"error":{"message":"no"}}"#))]
#[case::broken(Reply::json(200, "no json"))]
#[case::down(Reply::reset())]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lwa_050_a_list_that_fails_disables_no_model_and_is_told(#[case] failure: Reply) {
    let fake = start(Script::new().on("GET /v1/models", [failure, Reply::json(200, LIST)]));
    let host = Host::new(&config(&fake, "billing_class = \"free_quota\"")).await;
    let answer = refresh(&host, true).await;
    assert_eq!((answer.refreshed, answer.providers[0].status), (0, ListStatus::Failed));
    assert!(answer.providers[0].detail.is_some());
    let params = PipelineParams { provider: Some("acme".to_owned()), probe: false };
    let pipeline = host.engine.pipelines(&params).await.unwrap().pipelines.remove(0);
    assert!(matches!(pipeline.status, PipelineStatus::Unhealthy | PipelineStatus::Ready), "{pipeline:?}");
    let known = models(&host).await;
    assert_eq!(known.iter().filter(|model| model.disabled_reason.is_none()).count(), 1, "the configured one stays");
    // What failed once is not held against the provider when it answers again.
    assert_eq!(refresh(&host, true).await.providers[0].status, ListStatus::Ok);
    let pipeline = host.engine.pipelines(&params).await.unwrap().pipelines.remove(0);
    assert!(pipeline.live_verified);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lwa_051_an_empty_list_is_a_success_that_changes_nothing() {
    let fake = start(Script::new().on("GET /v1/models", [Reply::json(200, r#"{"data":[]}"#)]));
    let host = Host::new(&config(&fake, "billing_class = \"free_quota\"")).await;
    let answer = refresh(&host, true).await;
    assert_eq!((answer.providers[0].status, answer.providers[0].models), (ListStatus::Ok, Some(0)));
    assert_eq!(models(&host).await.len(), 2);
}

fn mode(mode: &str) -> ConsentSetParams {
    ConsentSetParams { mode: mode.to_owned(), hold_ms: 0 }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn asking_more_is_at_once_and_asking_less_is_asked_about_for_that_session_alone() {
    let host = Host::new("").await;
    let (one, other) = (agent(), agent());
    let stricter = host.engine.set_consent_mode(&one, &mode("always")).await.unwrap();
    assert_eq!((stricter.status, stricter.consent_mode), (ApproveStatus::Ready, ConsentMode::AlwaysAsk));
    assert!(host.prepare(&one).await.requires_confirmation);
    assert!(!host.prepare(&other).await.requires_confirmation, "another session keeps the configured mode");

    let looser = host.engine.set_consent_mode(&one, &mode("never")).await.unwrap();
    assert_eq!((looser.status, looser.consent_mode), (ApproveStatus::Unavailable, ConsentMode::AlwaysAsk));
    let question = host.open_questions().await.remove(0);
    assert!(matches!(question.detail, ApprovalDetail::SessionConsent(_)));
    host.decide(&app(), &question.id, Answer::AllowOnce).await.unwrap();
    assert!(!host.prepare(&one).await.requires_confirmation);
    assert_eq!(host.value("router.consent_mode"), "paid_only", "the configuration is untouched");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_no_to_less_asking_is_remembered_and_survives_a_change_of_the_file() {
    let host = Host::new("").await;
    let agent = agent();
    host.engine.set_consent_mode(&agent, &mode("automatic")).await.unwrap();
    // Reading the file again must not take the question back as if it were about the file.
    host.place.write_config("[router]\nprefer_free = true\n");
    host.pass(minutes(1)).await;
    let question = host.open_questions().await.remove(0);
    host.decide(&app(), &question.id, Answer::Deny).await.unwrap();
    let again = host.engine.set_consent_mode(&agent, &mode("automatic")).await.unwrap();
    assert_eq!((again.status, again.consent_mode), (ApproveStatus::Denied, ConsentMode::PaidOnly));
    assert!(host.open_questions().await.is_empty());
}

/// The smallest bytes that begin like a film.
const FILM: &[u8] = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom";

fn film_config(fake: &FakeProvider) -> String {
    format!(
        "[providers.openai]\nbase_url = \"{}/v1\"\napi_key_env = \"\"\napi_key_envs = []\nbilling_class = \"free_quota\"\n\
         [[models]]\nprovider = \"openai\"\nmodel = \"film-1\"\ncapabilities = [\"video\"]\n",
        fake.base_url()
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_11_a_film_that_outlives_its_host_is_fetched_by_the_next_one() {
    let working = || Reply::json(200, r#"{"id":"job-7","status":"in_progress","progress":10}"#);
    let fake = start(
        Script::new()
            .on("POST /v1/videos", [Reply::json(200, r#"{"id":"job-7","status":"queued"}"#)])
            .on("GET /v1/videos/job-7", [working(), Reply::json(200, r#"{"id":"job-7","status":"completed"}"#)])
            .on("GET /v1/videos/job-7/content", [Reply::document(200, "video/mp4", FILM)]),
    );
    let place = Place::new(&film_config(&fake));
    let engine = place.open().await;
    let agent = agent();
    let params = PrepareParams {
        task: "video_generation".to_owned(),
        prompt: "a lighthouse".to_owned(),
        media: Some(MediaParams { seconds: Some("8".to_owned()), ..MediaParams::default() }),
        ..PrepareParams::default()
    };
    let plan = engine.prepare(&agent, &params).await.unwrap();
    assert_eq!(plan.mode, lwa_domain::PlanMode::Video);
    let started = engine
        .run(
            &agent,
            &lwa_protocol::plan::RunParams {
                plan_token: plan.plan_token.clone(),
                hold_ms: 0,
                max_text_bytes: None,
                next_tier_suggestion: None,
            },
            None,
        )
        .await
        .unwrap();
    assert_eq!(started.status, RunStatus::Working);
    fake.wait_for_calls(2);
    // The host ends while the job runs; nothing may be lost, and nothing may be submitted again.
    engine.shut_down(std::time::Duration::from_millis(50)).await;
    let engine = place.open().await;
    let answer = run(&engine, &agent, &plan).await.unwrap();
    assert_eq!(answer.status, RunStatus::Completed, "{}", answer.display);
    let media = answer.media.unwrap();
    assert_eq!((media.job_id.as_deref(), media.files.len()), (Some("job-7"), 1));
    assert_eq!(std::fs::read(&media.files[0].path).unwrap(), FILM);
    assert_eq!(fake.calls().iter().filter(|call| call.method == "POST").count(), 1);
    let params = MediaFileParams { plan_id: plan.plan_id.clone(), index: 0 };
    assert_eq!(engine.media_file(&agent, &params).await.unwrap().mime_type, "video/mp4");
    let stranger = {
        let mut other = crate::support::agent();
        other.client.name = lwa_domain::ClientName::new("another");
        other
    };
    assert_eq!(engine.media_file(&stranger, &params).await.unwrap_err().code, ErrorCode::NotFound);
    let view = engine.show_plan(&PlanParams { plan_id: plan.plan_id }).await.unwrap();
    assert_eq!(view.state, PlanState::Completed);
}

#[rstest]
#[case("image_generation", MediaParams { seconds: Some("4".to_owned()), ..MediaParams::default() }, "does not accept metadata keys")]
#[case("video_generation", MediaParams { aspect_ratio: Some("1:1".to_owned()), ..MediaParams::default() }, "does not accept metadata keys")]
#[case("image_generation", MediaParams { output_format: Some("../png".to_owned()), ..MediaParams::default() }, "output format")]
#[case("query", MediaParams::default(), "belongs to pictures and films")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lwa_012_what_belongs_to_another_kind_of_work_is_refused_before_routing(
    #[case] task: &str,
    #[case] media: MediaParams,
    #[case] message: &str,
) {
    let fake = start(Script::new());
    let host = Host::new(&film_config(&fake)).await;
    let params = PrepareParams { task: task.to_owned(), media: Some(media), ..PrepareParams::default() };
    let refused = host.prepare_with(&agent(), params).await.unwrap_err();
    assert!(refused.code == ErrorCode::InvalidInput && refused.message.contains(message), "{refused:?}");
    assert!(fake.calls().is_empty() && host.claims().await == (0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plan_dearer_than_its_caller_allows_is_refused_and_an_unknown_cost_too() {
    let fake = start(Script::new());
    let priced = "input_cost_per_million = 5.0\noutput_cost_per_million = 20.0\n";
    for (price, ceiling, is_allowed) in
        [(priced, 2_300_000_000, true), (priced, 1_000_000_000, false), ("", i64::MAX, false)]
    {
        let text = format!(
            "[router]\nallow_paid = true\n[providers.acme]\nbase_url = \"{}/v1\"\nbilling_class = \"paid\"\n\
             [[models]]\nprovider = \"acme\"\nmodel = \"big-1\"\ncapabilities = [\"text\", \"reasoning\"]\n{price}",
            fake.base_url()
        );
        let host = Host::new(&text).await;
        let params = PrepareParams {
            task: "query".to_owned(),
            allow_paid: true,
            max_output_tokens: Some(100),
            max_cost_pico_usd: Some(lwa_domain::PicoUsd::new(ceiling)),
            ..PrepareParams::default()
        };
        let prepared = host.prepare_with(&agent(), params).await;
        assert_eq!(prepared.as_ref().is_ok(), is_allowed, "{prepared:?}");
        if let Err(refused) = prepared {
            assert_eq!(refused.code, ErrorCode::CapExceeded);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn less_asking_is_never_granted_by_the_call_itself() {
    let host = Host::new("").await;
    let agent = agent();
    for _ in 0..3 {
        let answer = host.engine.set_consent_mode(&agent, &mode("automatic")).await.unwrap();
        assert_ne!(answer.status, ApproveStatus::Ready);
    }
    assert_eq!(host.open_questions().await.len(), 1, "repeats are one question");
}
