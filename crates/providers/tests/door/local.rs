//! Servers on this machine.

use std::time::{Duration, Instant};

use lwa_providers::local::{DetectedServer, LocalCandidate, LocalKind, detect};
use lwa_testkit::{FakeProvider, Reply, Script};

use crate::support::client;

fn json(body: &str) -> [Reply; 1] {
    [Reply::json(200, body)]
}

fn ollama() -> Script {
    Script::new()
        .on("GET /api/version", json(r#"{"version":"0.12.3"}"#))
        .on(
            "GET /api/tags",
            json(
                r#"{"models":[
                {"name":"example:8b","model":"example:8b","details":{"family":"llama"}},
                {"name":"idle:4b","model":"idle:4b","details":{"family":"qwen3"}},
                {"name":"embed:latest","model":"embed:latest","details":{"family":"nomic-bert"}}]}"#,
            ),
        )
        .on("GET /api/ps", json(r#"{"models":[{"name":"example:8b","model":"example:8b","context_length":4096}]}"#))
}

fn lm_studio() -> Script {
    Script::new().on(
        "GET /api/v0/models",
        json(
            r#"{"object":"list","data":[
            {"id":"example-7b","object":"model","type":"llm","compatibility_type":"gguf","state":"loaded","max_context_length":131072,"loaded_context_length":8192},
            {"id":"example-embed","object":"model","type":"embeddings","compatibility_type":"gguf","state":"not-loaded","max_context_length":2048}]}"#,
        ),
    )
}

fn lm_studio_newer() -> Script {
    Script::new().on(
        "GET /api/v1/models",
        json(
            r#"{"models":[
            {"type":"llm","key":"example/9b","display_name":"Example 9B","loaded_instances":[{"id":"example/9b","config":{"context_length":16384}}],"max_context_length":262144},
            {"type":"embedding","key":"example-embed","loaded_instances":[],"max_context_length":2048}]}"#,
        ),
    )
}

fn llama_cpp() -> Script {
    Script::new()
        .on(
            "GET /props",
            json(r#"{"default_generation_settings":{"n_ctx":16384},"total_slots":1,"build_info":"b6700-abcdef"}"#),
        )
        .on(
            "GET /v1/models",
            json(
                r#"{"object":"list","data":[{"id":"example.gguf","object":"model","owned_by":"llamacpp","meta":{"n_ctx_train":131072}}]}"#,
            ),
        )
}

fn vllm() -> Script {
    Script::new().on("GET /version", json(r#"{"version":"0.11.0"}"#)).on(
        "GET /v1/models",
        json(r#"{"object":"list","data":[{"id":"example/70b","object":"model","owned_by":"vllm","max_model_len":32768}]}"#),
    )
}

fn candidate(kind: LocalKind, server: &FakeProvider) -> LocalCandidate {
    LocalCandidate { kind, port: server.port() }
}

async fn look(kind: LocalKind, script: Script) -> Option<DetectedServer> {
    let server = FakeProvider::start(script).unwrap();
    detect(&client(), &[candidate(kind, &server)]).await.pop()
}

fn models(server: &DetectedServer) -> Vec<(&str, Option<u64>)> {
    server.models.iter().map(|model| (model.id.as_str(), model.context_length)).collect()
}

#[tokio::test]
async fn each_kind_of_server_is_recognised_with_the_context_it_runs_with() {
    let servers = [ollama(), lm_studio(), llama_cpp(), vllm()].map(|script| FakeProvider::start(script).unwrap());
    let candidates: Vec<_> =
        LocalKind::ALL.iter().zip(&servers).map(|(kind, server)| candidate(*kind, server)).collect();
    let found = detect(&client(), &candidates).await;
    let names: Vec<_> = found.iter().map(|server| server.name.as_str()).collect();
    assert_eq!(names, ["ollama", "lmstudio", "llamacpp", "vllm"]);
    assert_eq!(models(&found[0]), [("example:8b", Some(4096)), ("idle:4b", None)]);
    assert_eq!(models(&found[1]), [("example-7b", Some(8192))]);
    assert_eq!(models(&found[2]), [("example.gguf", Some(16384))]);
    assert_eq!(models(&found[3]), [("example/70b", Some(32768))]);
    let versions: Vec<_> = found.iter().map(|server| server.version.as_deref()).collect();
    assert_eq!(versions, [Some("0.12.3"), None, Some("b6700-abcdef"), Some("0.11.0")]);
    assert_eq!(found[0].base_url, format!("http://127.0.0.1:{}/v1", servers[0].port()));
    for server in &servers {
        assert!(server.calls().iter().all(|call| call.method == "GET" && call.header("authorization").is_none()));
    }
}

#[tokio::test]
async fn the_newer_list_of_lm_studio_is_read_too() {
    let server = look(LocalKind::LmStudio, lm_studio_newer()).await.unwrap();
    assert_eq!(models(&server), [("example/9b", Some(16384))]);
}

#[tokio::test]
async fn a_server_of_another_kind_is_not_taken_for_this_one() {
    for kind in LocalKind::ALL {
        for (other, script) in LocalKind::ALL.iter().zip([ollama(), lm_studio(), llama_cpp(), vllm()]) {
            assert_eq!(look(kind, script).await.is_some(), kind == *other, "{kind:?} on the port of {other:?}");
        }
    }
}

#[tokio::test]
async fn a_web_server_that_answers_everything_is_not_taken_for_a_model_server() {
    let paths = [
        "/api/version",
        "/api/tags",
        "/api/ps",
        "/api/v0/models",
        "/api/v1/models",
        "/props",
        "/v1/models",
        "/version",
        "/health",
    ];
    let everywhere = |reply: Reply| {
        paths.iter().fold(Script::new(), |script, path| script.on(&format!("GET {path}"), [reply.clone()]))
    };
    let replies = [
        Reply::document(200, "text/html", "<html><body>Ollama is running</body></html>"),
        Reply::json(200, r#"{"status":"ok"}"#),
        Reply::json(200, r#"{"version":"1.0","models":null,"data":null}"#),
        Reply::json(200, r#"{"object":"list","data":[{"id":"gpt","owned_by":"somebody"}]}"#),
        Reply::json(200, "[]"),
        Reply::redirect(302, "/login"),
        Reply::json(404, "{}"),
    ];
    for reply in replies {
        for kind in LocalKind::ALL {
            assert_eq!(look(kind, everywhere(reply.clone())).await, None, "{kind:?} {reply:?}");
        }
    }
}

#[tokio::test]
async fn silent_servers_and_closed_ports_cost_a_third_of_a_second_together() {
    let silent = Script::new().on("GET /api/version", [Reply::silence()]).on("GET /api/tags", [Reply::silence()]);
    let server = FakeProvider::start(silent).unwrap();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut candidates = vec![candidate(LocalKind::Ollama, &server); 6];
    candidates.extend(LocalKind::ALL.map(|kind| LocalCandidate { kind, port: closed }));
    let begin = Instant::now();
    assert_eq!(detect(&client(), &candidates).await, []);
    // One after the other, the six silent ones alone would take 1.8 s.
    assert!(begin.elapsed() < Duration::from_millis(1500), "{:?}", begin.elapsed());
}

#[test]
fn the_usual_ports_are_looked_at() {
    let ports: Vec<_> =
        LocalCandidate::defaults().iter().map(|candidate| (candidate.kind.name(), candidate.port)).collect();
    assert_eq!(ports, [("ollama", 11434), ("lmstudio", 1234), ("llamacpp", 8080), ("vllm", 8000)]);
}
