//! Pictures from a fake endpoint: prepared, consented to, made once, and read back.

use lwa_testkit::FakeProvider;
use lwa_testkit::fake_provider::Script;
use lwa_testkit::fake_provider::reply::Reply;
use lwa_tests::{Era, Sidecar, TestHome};
use serde_json::{Value, json};

/// The smallest picture: one pixel.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

fn painter() -> FakeProvider {
    let made = json!({ "created": 1, "data": [{ "b64_json": PIXEL }] }).to_string();
    FakeProvider::start(Script::new().on("POST /v1/images/generations", [Reply::json(200, made)])).unwrap()
}

fn home(painter: &FakeProvider, class: &str, more: &str) -> TestHome {
    TestHome::with_config(&format!(
        "[router]\nallow_paid = true\n[providers.openai]\nbase_url = \"{}/v1\"\napi_key_env = \"ACME_KEY\"\n\
         api_key_envs = []\nbilling_class = \"{class}\"\n\
         [[models]]\nprovider = \"openai\"\nmodel = \"painter-1\"\ncapabilities = [\"image\"]\n{more}\n\
         [[models]]\nprovider = \"openai\"\nmodel = \"gpt-image-2.5-sunburst\"\nenabled = false\n",
        painter.base_url()
    ))
    .set("ACME_KEY", "k-1")
}

fn prepare(sidecar: &mut Sidecar, more: &Value) -> Value {
    let mut arguments = json!({ "prompt": "a lighthouse at dawn, no people", "aspect_ratio": "16:9" });
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    sidecar.tool("generate_image", arguments)
}

#[test]
fn a_free_picture_is_made_once_and_comes_with_its_path_its_link_and_itself() {
    let painter = painter();
    let home = home(&painter, "free_quota", "");
    let mut sidecar = Sidecar::start(&home, Era::Legacy, &[]);
    let plan = prepare(&mut sidecar, &json!({}));
    assert_eq!((&plan["mode"], &plan["working_may_begin"]), (&json!("image"), &json!(true)), "{plan}");
    assert_eq!(painter.count("POST"), 0, "preparing calls nobody");
    let id = sidecar
        .post("tools/call", json!({ "name": "run_prepared_task", "arguments": { "plan_token": plan["plan_token"] } }));
    let answer = sidecar.answer(id);
    let ran = Sidecar::content(&answer);
    assert_eq!(ran["status"], "completed", "{ran}");
    let file = &ran["media"]["files"][0];
    let path = std::path::PathBuf::from(file["path"].as_str().unwrap());
    assert!(path.starts_with(home.lwa_home()) && path.is_file(), "{}", path.display());
    assert_eq!(ran["text"], file["path"]);
    let uri = format!("lwa://media/{}/0", plan["plan_id"].as_str().unwrap());
    assert_eq!((&file["uri"], &file["mime_type"]), (&json!(uri), &json!("image/png")));
    let blocks = answer["result"]["content"].as_array().unwrap();
    assert!(blocks.iter().any(|block| block["type"] == "resource_link" && block["uri"] == uri.as_str()));
    let inline = blocks.iter().find(|block| block["type"] == "image").unwrap();
    assert_eq!(inline["data"], PIXEL);
    let read = sidecar.request("resources/read", json!({ "uri": uri }));
    assert_eq!(read["result"]["contents"][0]["blob"], PIXEL);
    let body = painter.calls()[0].json();
    assert_eq!((&body["model"], &body["size"]), (&json!("painter-1"), &json!("1536x1024")));
    let again = sidecar.tool("run_prepared_task", json!({ "plan_token": plan["plan_token"] }));
    assert_eq!((&again["replayed"], painter.count("POST")), (&json!(true), 1));
    // Another client's file is not this one's to read.
    let mut command = home.command(&lwa_tests::program("lwa-mcp"));
    command.args(["--client", "somebody-else"]);
    let mut other = Sidecar::of(command, Era::Modern);
    let refused = other.request("resources/read", json!({ "uri": uri }));
    assert!(refused.get("error").is_some(), "{refused}");
}

#[test]
fn a_paid_picture_needs_leave_and_a_human() {
    let painter = painter();
    let home = home(&painter, "paid", "");
    let mut sidecar = Sidecar::start_apart(&home, Era::Legacy, &[]);
    let refused = prepare(&mut sidecar, &json!({}));
    assert_eq!(refused["error"]["code"], "no_route", "without leave nothing that costs money is chosen: {refused}");
    let plan = prepare(&mut sidecar, &json!({ "allow_paid": true }));
    assert_eq!(plan["requires_confirmation"], true, "{plan}");
    assert!(plan.get("max_cost_pico_usd").is_none(), "a price for tokens is none for a picture: {plan}");
    let run = json!({ "plan_token": plan["plan_token"] });
    assert_eq!(sidecar.tool("run_prepared_task", run.clone())["status"], "confirmation_required");
    sidecar.tool("approve_preflight", json!({ "confirmation_token": plan["confirmation_token"] }));
    let open = home.open_approvals();
    let (id, code) = (open[0]["id"].as_str().unwrap(), open[0]["code"].as_str().unwrap());
    assert_eq!(home.lwa_on_terminal(&["approvals", "allow", id], &format!("{code}\n")).code, 0);
    assert_eq!(sidecar.tool("run_prepared_task", run)["status"], "completed");
    assert_eq!(painter.count("POST"), 1);
}

#[test]
fn the_command_line_makes_a_picture_and_refuses_what_belongs_to_a_film() {
    let painter = painter();
    let home = home(&painter, "free_quota", "");
    let ran = home.lwa(&["run", "image_generation", "a lighthouse", "--aspect-ratio", "9:16", "--json"]);
    assert_eq!((ran.code, &ran.json()["media"]["files"][0]["index"]), (0, &json!(0)), "{ran:?}");
    assert_eq!(painter.calls()[0].json()["size"], "1024x1536");
    let wrong = home.lwa(&["run", "image_generation", "a lighthouse", "--seconds", "4", "--json"]);
    assert_eq!((wrong.code, &wrong.json()["error"]["code"]), (2, &json!("invalid_input")), "{wrong:?}");
    let plain = home.lwa(&["run", "image_generation", "a lighthouse"]);
    assert!(std::path::Path::new(plain.stdout.trim()).is_file(), "a script gets the path alone: {plain:?}");
}
