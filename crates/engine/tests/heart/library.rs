//! The tool library: what repeats becomes a recipe, what a human approved may run, and nothing of it costs an answer.

use std::path::PathBuf;

use lwa_domain::{ErrorCode, Outcome};
use lwa_protocol::Role;
use lwa_protocol::approval::{Answer, ApprovalDetail};
use lwa_protocol::library::{
    LibraryAnalyzeParams, LibraryApproveParams, LibraryApproved, LibraryCreateParams, LibraryListParams,
    LibraryObserveParams, LibraryObserveStatus, LibraryRan, LibraryRegisterParams, LibraryRunParams, LibraryRunStatus,
    LibrarySearchParams, LibrarySuggestParams, LibraryTool, LibraryToolParams,
};
use lwa_protocol::plan::{ApproveStatus, PrepareParams, WorkflowParams};
use sqlx::{Column, Connection, Row, SqliteConnection};

use crate::support::{AGENT, Host, agent, app, of_the_agent, run, terminal};

const SCRIPTS: &str = "[library]\nallow_reviewed_script_execution = true\n";
/// Made up at run time, so that no scanner finds a key in this file.
fn key() -> String {
    format!("sk-proj-{}", "Ab3dEf6hIj9kLm2nOp5q".repeat(2))
}

fn library(host: &Host, file: &str) -> PathBuf {
    host.place.home().library_dir().join(file)
}

fn text(host: &Host, file: &str) -> String {
    std::fs::read_to_string(library(host, file)).unwrap()
}

async fn tools(host: &Host) -> Vec<LibraryTool> {
    host.engine.list_library(&LibraryListParams::default()).await.unwrap().tools
}

/// A finished plan of a named workflow.
async fn done(host: &Host, name: &str) {
    let workflow = WorkflowParams { name: Some(name.to_owned()), ..WorkflowParams::default() };
    let params = PrepareParams { workflow: Some(workflow), ..PrepareParams::default() };
    let plan = host.prepare_with(&agent(), params).await.unwrap();
    let answer = host.run(&agent(), &plan).await.unwrap();
    assert!(answer.error.is_none() && answer.warnings.is_empty(), "{answer:?}");
}

fn observation(name: &str) -> LibraryObserveParams {
    LibraryObserveParams {
        workflow_name: name.to_owned(),
        description: "Turns merged changes into notes".to_owned(),
        task: "sitrep".to_owned(),
        ..LibraryObserveParams::default()
    }
}

fn recipe(name: &str) -> LibraryCreateParams {
    LibraryCreateParams {
        name: name.to_owned(),
        description: format!("Serves as {name}"),
        task: "token_optimization".to_owned(),
        prompt_template: "Shorten this text: {input}".to_owned(),
        activate: true,
        ..LibraryCreateParams::default()
    }
}

fn script(source: &str) -> LibraryRegisterParams {
    LibraryRegisterParams {
        name: "Shout".to_owned(),
        description: "Says it loudly".to_owned(),
        task: "coding_aux".to_owned(),
        source: source.to_owned(),
        ..LibraryRegisterParams::default()
    }
}

async fn run_tool(host: &Host, slug: &str, input: &str) -> LibraryRan {
    let params = LibraryRunParams {
        slug: slug.to_owned(),
        input_text: input.to_owned(),
        hold_ms: 60_000,
        ..LibraryRunParams::default()
    };
    // One session, so that a repeat of the call is one.
    let caller = lwa_engine::caller::Caller { session: lwa_domain::SessionId::new("5e5510"), ..agent() };
    host.engine.run_tool(&caller, &params).await.unwrap()
}

async fn ask_to_approve(host: &Host, slug: &str) -> LibraryApproved {
    let params = LibraryApproveParams { slug: slug.to_owned(), hold_ms: 0 };
    host.engine.approve_tool(&agent(), &params).await.unwrap()
}

/// A script that a human approved.
async fn approved(host: &Host, source: &str) -> String {
    let tool = host.engine.register_script(&agent(), script(source)).await.unwrap();
    let id = ask_to_approve(host, &tool.slug).await.approval_id.unwrap();
    host.decide(&app(), &id, Answer::AllowAlways).await.unwrap();
    tool.slug
}

#[tokio::test]
async fn lwa_072_three_named_runs_become_a_recipe_that_is_found_and_listed() {
    let host = Host::new("").await;
    for times in 1..=3 {
        assert!(tools(&host).await.is_empty(), "before run {times}");
        done(&host, "Weekly release notes").await;
    }
    let made = tools(&host).await;
    assert_eq!(made.len(), 1);
    let tool = &made[0];
    assert_eq!((tool.slug.as_str(), tool.status.as_str()), ("weekly-release-notes", "active"));
    assert_eq!((tool.evidence_count, tool.confidence, tool.created_by.as_str()), (3, 0.71, "pattern_detector"));
    for file in ["tool.yaml", "README.md", "run.py"] {
        assert!(library(&host, &format!("tools/weekly-release-notes/{file}")).is_file(), "{file}");
    }
    assert!(text(&host, "CATALOG.md").contains("Weekly Release Notes"));
    host.engine.create_recipe(&agent(), recipe("Notes")).await.unwrap();
    let query = LibrarySearchParams { query: "release notes".to_owned(), ..LibrarySearchParams::default() };
    let found = host.engine.search_library(&query).await.unwrap().tools;
    assert_eq!(found[0].tool.slug, "weekly-release-notes");
    assert!(found[0].relevance > 0.5 && found[0].relevance <= 1.0);

    done(&host, "Weekly release notes").await;
    let now = tools(&host).await;
    assert_eq!(now.len(), 2);
    let tool = now.iter().find(|tool| tool.slug == "weekly-release-notes").unwrap();
    assert_eq!((tool.evidence_count, tool.version.as_str()), (4, "0.1.0"));
}

#[tokio::test]
async fn lwa_078_failures_alone_make_no_tool() {
    let host = Host::new("").await;
    for _ in 0..4 {
        let failed = LibraryObserveParams { success: false, ..observation("Release notes") };
        let observed = host.engine.observe_workflow(&agent(), failed).await.unwrap();
        assert_eq!(observed.status, LibraryObserveStatus::Counted);
    }
    let pattern = host.engine.library_status().await.unwrap().patterns.remove(0);
    assert_eq!((pattern.occurrences, pattern.successes, pattern.is_eligible), (4, 0, false));
    assert!(tools(&host).await.is_empty());
    let analyzed = host.engine.analyze_workflows(&agent(), &LibraryAnalyzeParams::default()).await.unwrap();
    assert!(analyzed.created_tools.is_empty());
}

#[tokio::test]
async fn lwa_079_analysing_again_makes_no_duplicate() {
    let host = Host::new("[library]\nauto_create_library_tools = false\n").await;
    for _ in 0..3 {
        host.engine.observe_workflow(&agent(), observation("Release notes")).await.unwrap();
    }
    let analyze = LibraryAnalyzeParams::default();
    let off = host.engine.analyze_workflows(&agent(), &analyze).await.unwrap();
    assert!(off.created_tools.is_empty() && off.patterns[0].is_eligible);
    host.place.write_config("[library]\nauto_create_library_tools = true\n");
    host.engine.sweep().await;
    let first = host.engine.analyze_workflows(&agent(), &analyze).await.unwrap();
    assert_eq!(first.created_tools.len(), 1);
    assert_eq!(first.patterns[0].tool_slug.as_deref(), Some("release-notes"));
    let second = host.engine.analyze_workflows(&agent(), &analyze).await.unwrap();
    assert!(second.created_tools.is_empty());
    assert_eq!(tools(&host).await.len(), 1);
}

#[tokio::test]
async fn lwa_080_runs_of_a_recipe_are_not_observed_and_other_runs_are() {
    let host = Host::new("").await;
    host.engine.create_recipe(&agent(), recipe("Shortener")).await.unwrap();
    for _ in 0..3 {
        let ran = run_tool(&host, "shortener", "Please be so kind as to look at port 8443.").await;
        assert_eq!(ran.status, LibraryRunStatus::Prepared);
        let plan = ran.plan.unwrap();
        assert!(plan.library_suggestions.is_empty());
        let answer = run(&host.engine, &agent(), &plan).await.unwrap();
        assert!(answer.text.unwrap().contains("8443"));
    }
    assert_eq!(host.engine.library_status().await.unwrap().pattern_count, 0);
    let plan = host.prepare(&agent()).await;
    host.run(&agent(), &plan).await.unwrap();
    assert_eq!(host.engine.library_status().await.unwrap().pattern_count, 1);
}

#[tokio::test]
async fn a_plan_is_one_observation_whoever_tells_of_it() {
    let host = Host::new("").await;
    let plan = host.prepare(&agent()).await;
    host.run(&agent(), &plan).await.unwrap();
    let again = LibraryObserveParams { plan_id: Some(plan.plan_id.clone()), ..observation("Release notes") };
    let observed = host.engine.observe_workflow(&agent(), again).await.unwrap();
    assert_eq!(observed.status, LibraryObserveStatus::AlreadyCounted);
    let unknown = LibraryObserveParams { plan_id: Some(crate::support::no_plan()), ..observation("Release notes") };
    let refused = host.engine.observe_workflow(&agent(), unknown).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::UnknownPlan);
}

#[tokio::test]
async fn nothing_is_observed_when_watching_is_off() {
    let host = Host::new("[library]\nauto_detect_patterns = false\n").await;
    for _ in 0..3 {
        done(&host, "Release notes").await;
    }
    let status = host.engine.library_status().await.unwrap();
    assert_eq!((status.pattern_count, status.library.tools, status.library.is_observing), (0, 0, false));
}

#[tokio::test]
async fn a_15_unrelated_russian_prompts_have_no_common_pattern() {
    let host = Host::new("").await;
    let prompts = [
        "Сократи описание настройки почтового сервера и оставь номера портов 25 и 587",
        "Перепиши рецепт яблочного пирога короче, сохрани граммы муки и сахара",
        "Сожми протокол совещания о переезде склада в Казань до пяти предложений",
    ];
    for prompt in prompts {
        let task = "token_optimization".to_owned();
        let params = PrepareParams { task, prompt: prompt.to_owned(), ..PrepareParams::default() };
        let plan = host.engine.prepare(&agent(), &params).await.unwrap();
        host.run(&agent(), &plan).await.unwrap();
    }
    let status = host.engine.library_status().await.unwrap();
    assert_eq!((status.pattern_count, status.library.tools), (3, 0));
    assert!(status.patterns.iter().all(|pattern| pattern.occurrences == 1));
}

/// Every value of every table that the library has a part in.
async fn everything_kept(host: &Host) -> String {
    let url = format!("sqlite://{}?mode=ro", host.place.home().database().display());
    let mut connection = SqliteConnection::connect(&url).await.unwrap();
    let mut all = String::new();
    for query in [
        "SELECT * FROM workflow_patterns",
        "SELECT * FROM workflow_observations",
        "SELECT * FROM library_index",
        "SELECT * FROM library_words",
        "SELECT * FROM library_pieces",
        "SELECT * FROM settings",
        "SELECT * FROM audit",
        "SELECT * FROM ledger_reserved",
    ] {
        for row in sqlx::query(query).fetch_all(&mut connection).await.unwrap() {
            for column in row.columns() {
                let value = row.try_get_unchecked::<Option<Vec<u8>>, _>(column.ordinal()).unwrap();
                all.push_str(&String::from_utf8_lossy(&value.unwrap_or_default()));
                all.push('\n');
            }
        }
    }
    all
}

#[tokio::test]
async fn a_16_no_word_of_a_prompt_is_kept_and_least_of_all_a_key() {
    let host = Host::new("").await;
    let key = key();
    for _ in 0..3 {
        let workflow = WorkflowParams {
            name: Some(format!("Rotate {key} weekly")),
            description: Some(format!("Uses {key}")),
            project: Some(key.clone()),
            tags: vec![key.clone(), "weekly".to_owned()],
        };
        let params = PrepareParams {
            task: "token_optimization".to_owned(),
            prompt: format!("Wunderbarkeit: please rotate {key} and tell Nebukadnezar about it"),
            workflow: Some(workflow),
            ..PrepareParams::default()
        };
        let plan = host.engine.prepare(&agent(), &params).await.unwrap();
        host.run(&agent(), &plan).await.unwrap();
    }
    assert_eq!(tools(&host).await.len(), 1);
    let mut kept = everything_kept(&host).await;
    let tool = &tools(&host).await[0].slug;
    assert!(kept.contains(tool.as_str()), "the search looks at the wrong place");
    for file in ["CATALOG.md", "README.md", "registry.json"] {
        kept.push_str(&text(&host, file));
    }
    for file in ["tool.yaml", "README.md", "run.py"] {
        kept.push_str(&text(&host, &format!("tools/{tool}/{file}")));
    }
    let kept = kept.to_lowercase();
    for word in [key.to_lowercase().as_str(), "wunderbarkeit", "nebukadnezar"] {
        assert!(!kept.contains(word), "`{word}` was kept");
    }
}

#[tokio::test]
async fn a_13_a_library_that_cannot_be_used_costs_a_warning_and_no_answer() {
    let host = Host::new("").await;
    std::fs::write(host.place.home().library_dir(), "this is no folder").unwrap();
    let workflow = WorkflowParams { name: Some("Release notes".to_owned()), ..WorkflowParams::default() };
    let mut warnings = Vec::new();
    for _ in 0..3 {
        let params = PrepareParams { workflow: Some(workflow.clone()), ..PrepareParams::default() };
        let plan = host.prepare_with(&agent(), params).await.unwrap();
        let answer = host.run(&agent(), &plan).await.unwrap();
        assert!(answer.error.is_none() && answer.text.unwrap().contains("8443"));
        warnings.push(answer.warnings);
    }
    // The first two runs are counted in the database; the third would make a tool.
    assert_eq!([warnings[0].len(), warnings[1].len(), warnings[2].len()], [0, 0, 1], "{warnings:?}");
    assert!(warnings[2][0].contains("tool library"), "{warnings:?}");

    std::fs::remove_file(host.place.home().library_dir()).unwrap();
    done(&host, "Release notes").await;
    assert_eq!(tools(&host).await[0].evidence_count, 4);
}

#[tokio::test]
async fn a_17_a_truncated_registry_is_kept_aside_and_no_tool_is_lost() {
    let host = Host::new("").await;
    for name in ["One", "Two"] {
        host.engine.create_recipe(&agent(), recipe(name)).await.unwrap();
    }
    let whole = text(&host, "registry.json");
    std::fs::write(library(&host, "registry.json"), &whole[..whole.len() / 2]).unwrap();
    let names: Vec<String> = tools(&host).await.into_iter().map(|tool| tool.name).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    let notices = host.engine.library_status().await.unwrap().library.notices;
    assert!(notices.iter().any(|notice| notice.contains("registry.json")), "{notices:?}");
    let folder = std::fs::read_dir(host.place.home().library_dir()).unwrap();
    let aside = folder
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("registry.json.corrupt-"));
    assert_eq!(aside.count(), 1);
    host.engine.create_recipe(&agent(), recipe("Three")).await.unwrap();
    assert_eq!(tools(&host).await.len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_18_two_hosts_that_add_tools_at_once_lose_none() {
    let (one, other) = (Host::new("").await, Host::new("").await);
    std::fs::create_dir(one.place.home().library_dir()).unwrap();
    std::os::unix::fs::symlink(one.place.home().library_dir(), other.place.home().library_dir()).unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..6 {
        for (engine, owner) in [(one.engine.clone(), "left"), (other.engine.clone(), "right")] {
            tasks.spawn(async move {
                let recipe = recipe(&format!("{owner} {number}"));
                engine.create_recipe(&agent(), recipe).await.unwrap()
            });
        }
    }
    tasks.join_all().await;
    for host in [&one, &other] {
        assert_eq!(tools(host).await.len(), 12);
        let query = LibrarySearchParams { query: "right 5".to_owned(), ..LibrarySearchParams::default() };
        let found = host.engine.search_library(&query).await.unwrap().tools;
        assert_eq!(found[0].tool.name, "right 5");
    }
}

#[tokio::test]
async fn a_script_runs_only_when_a_human_approved_it_and_scripts_are_switched_on() {
    let host = Host::new("").await;
    let source = "import sys\nprint(sys.stdin.read().upper(), end='')\n";
    let tool = host.engine.register_script(&agent(), script(source)).await.unwrap();
    assert_eq!((tool.status.as_str(), tool.approved), ("draft", false));
    let waits = run_tool(&host, "shout", "hello").await;
    assert_eq!((waits.status, waits.script), (LibraryRunStatus::ReviewRequired, None));
    let id = ask_to_approve(&host, "shout").await.approval_id.unwrap();
    host.decide(&app(), &id, Answer::AllowAlways).await.unwrap();
    let switched_off = run_tool(&host, "shout", "hello").await;
    assert_eq!(switched_off.status, LibraryRunStatus::ReviewRequired);
    assert!(switched_off.message.contains("switched off"), "{}", switched_off.message);

    let host = Host::new(SCRIPTS).await;
    approved(&host, source).await;
    let ran = run_tool(&host, "shout", "hello").await;
    assert_eq!(ran.status, LibraryRunStatus::Completed);
    let result = ran.script.unwrap();
    assert_eq!((result.returncode, result.stdout.as_str(), result.timed_out), (Some(0), "HELLO", false));
    assert_eq!(host.audit("library.script_ran").await, 1);
    let shown = host.engine.audit_tail(&lwa_protocol::audit::AuditTailParams { limit: Some(100) }).await.unwrap();
    let rows = serde_json::to_string(&shown).unwrap().to_lowercase();
    assert!(!rows.contains("hello") && !rows.contains("import sys"));
}

#[tokio::test]
async fn the_question_shows_the_whole_content_and_names_it_by_its_digest() {
    let host = Host::new(SCRIPTS).await;
    let source = "print('what a human reads')\n";
    let tool = host.engine.register_script(&agent(), script(source)).await.unwrap();
    let asked = ask_to_approve(&host, "shout").await;
    assert_eq!(asked.status, ApproveStatus::Unavailable);
    let again = ask_to_approve(&host, "shout").await;
    assert_eq!(again.approval_id, asked.approval_id);
    let question = host.open_questions().await.remove(0);
    let ApprovalDetail::Script(shown) = &question.detail else { panic!("{question:?}") };
    assert_eq!((shown.source.as_str(), shown.is_source_whole), (source, true));
    assert_eq!(Some(&shown.sha256), tool.content_id.as_ref());
    assert!(question.is_serious && question.offers == [Answer::AllowAlways]);
    assert_eq!(tools(&host).await[0].status, "draft");
}

#[tokio::test]
async fn an_agent_cannot_approve_a_script_by_any_of_its_doors() {
    let host = Host::new(SCRIPTS).await;
    host.engine.register_script(&agent(), script("print(1)\n")).await.unwrap();
    let id = ask_to_approve(&host, "shout").await.approval_id.unwrap();
    let _sidecar = host.engine.attend(&agent(), "test");
    for role in [Role::App, Role::Cli] {
        let refused = host.decide(&of_the_agent(role), &id, Answer::AllowAlways).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::Forbidden, "{role:?}, started by process {AGENT}");
    }
    let no_code = host.decide(&terminal(), &id, Answer::AllowAlways).await.unwrap_err();
    assert_eq!(no_code.code, ErrorCode::Forbidden);
    assert_eq!(run_tool(&host, "shout", "x").await.status, LibraryRunStatus::ReviewRequired);
    assert_eq!(tools(&host).await[0].status, "draft");
}

#[tokio::test]
async fn a_refusal_is_remembered_for_this_content() {
    let host = Host::new(SCRIPTS).await;
    host.engine.register_script(&agent(), script("print(1)\n")).await.unwrap();
    let id = ask_to_approve(&host, "shout").await.approval_id.unwrap();
    host.decide(&app(), &id, Answer::Deny).await.unwrap();
    assert_eq!(ask_to_approve(&host, "shout").await.status, ApproveStatus::Denied);
    assert!(host.open_questions().await.is_empty());
    assert_eq!(tools(&host).await[0].status, "draft");
}

#[tokio::test]
async fn a_19_a_script_that_was_changed_is_refused_until_it_is_approved_again() {
    let host = Host::new(SCRIPTS).await;
    let slug = approved(&host, "print('first')\n").await;
    let file = library(&host, "tools/shout/tool.py");
    std::fs::write(&file, "print('second')\n").unwrap();
    let refused = run_tool(&host, &slug, "x").await;
    assert_eq!((refused.status, refused.script), (LibraryRunStatus::ReviewRequired, None));
    assert!(refused.message.contains("changed"), "{}", refused.message);
    assert!(!tools(&host).await[0].approved);

    let id = ask_to_approve(&host, &slug).await.approval_id.unwrap();
    host.decide(&app(), &id, Answer::AllowAlways).await.unwrap();
    let ran = run_tool(&host, &slug, "x").await;
    assert_eq!(ran.script.unwrap().stdout, "second\n");
}

#[tokio::test]
async fn a_yes_to_a_content_that_is_gone_approves_nothing() {
    let host = Host::new(SCRIPTS).await;
    host.engine.register_script(&agent(), script("print('shown')\n")).await.unwrap();
    let id = ask_to_approve(&host, "shout").await.approval_id.unwrap();
    std::fs::write(library(&host, "tools/shout/tool.py"), "print('not shown')\n").unwrap();
    host.decide(&app(), &id, Answer::AllowAlways).await.unwrap_err();
    assert_eq!(run_tool(&host, "shout", "x").await.status, LibraryRunStatus::ReviewRequired);
    assert!(!tools(&host).await[0].approved);
    let ended = host.questions().await.remove(0);
    assert_eq!(ended.outcome, Some(Outcome::AllowedAlways));
}

#[tokio::test]
async fn keys_in_the_output_of_a_script_are_masked() {
    let host = Host::new(SCRIPTS).await;
    // The script puts the key together, since no key may lie in the library.
    let source = "print('OPENAI_API_KEY=' + 'sk-' + 'proj-' + 'Ab3dEf6hIj9kLm2nOp5q' * 2)\n";
    let slug = approved(&host, source).await;
    let result = run_tool(&host, &slug, "x").await.script.unwrap();
    assert!(!result.stdout.contains(&key()), "{}", result.stdout);
    assert_eq!(result.masked, 1);
}

#[tokio::test]
async fn a_long_script_is_attached_to_by_a_repeat_of_the_call() {
    let host = Host::new(SCRIPTS).await;
    let source = "import sys\nsys.stdin.read()\nimport os\nprint(len(os.urandom(64 << 20)))\n";
    let slug = approved(&host, source).await;
    let caller = agent();
    let params = LibraryRunParams { slug, input_text: "x".to_owned(), hold_ms: 0, ..LibraryRunParams::default() };
    let first = host.engine.run_tool(&caller, &params).await.unwrap();
    assert_eq!((first.status, first.script), (LibraryRunStatus::Working, None));
    let patient = LibraryRunParams { hold_ms: 60_000, ..params };
    let ended = host.engine.run_tool(&caller, &patient).await.unwrap();
    assert_eq!(ended.script.unwrap().stdout, "67108864\n");
    assert_eq!(host.audit("library.script_ran").await, 1);
}

#[tokio::test]
async fn lwa_060_suggestions_come_with_the_preparation_and_not_again() {
    let host = Host::new("").await;
    host.engine.create_recipe(&agent(), recipe("Port check")).await.unwrap();
    host.engine.create_recipe(&agent(), recipe("Translate poems")).await.unwrap();
    let plan = host.prepare(&agent()).await;
    let slugs: Vec<&str> = plan.library_suggestions.iter().map(|one| one.slug.as_str()).collect();
    assert_eq!(slugs, ["port-check"]);
    let answer = host.run(&agent(), &plan).await.unwrap();
    assert!(!serde_json::to_string(&answer).unwrap().contains("port-check"));
}

#[tokio::test]
async fn the_same_task_alone_suggests_nothing_and_neither_does_what_is_not_active() {
    let host = Host::new("").await;
    for name in ["Translate poems", "Sort invoices"] {
        host.engine.create_recipe(&agent(), recipe(name)).await.unwrap();
    }
    host.engine.create_recipe(&agent(), LibraryCreateParams { activate: false, ..recipe("Port check") }).await.unwrap();
    assert!(host.prepare(&agent()).await.library_suggestions.is_empty());
}

#[tokio::test]
async fn suggestions_end_at_the_configured_number_and_can_be_switched_off() {
    let host = Host::new("[library]\nmax_library_suggestions = 2\n").await;
    for number in 1..=4 {
        host.engine.create_recipe(&agent(), recipe(&format!("Port check {number}"))).await.unwrap();
    }
    assert_eq!(host.prepare(&agent()).await.library_suggestions.len(), 2);
    let asked = LibrarySuggestParams { context: "check a port".to_owned(), ..LibrarySuggestParams::default() };
    assert_eq!(host.engine.suggest_library(&asked).await.unwrap().suggestions.len(), 2);
    host.place.write_config("[library]\nsuggest_library_tools = false\n");
    host.engine.sweep().await;
    assert!(host.prepare(&agent()).await.library_suggestions.is_empty());
    let off = host.engine.suggest_library(&asked).await.unwrap();
    assert!(!off.is_enabled && off.suggestions.is_empty());
}

#[tokio::test]
async fn a_29_a_search_without_a_shared_word_finds_nothing_however_strong_the_evidence() {
    let host = Host::new("").await;
    for _ in 0..8 {
        host.engine.observe_workflow(&agent(), observation("Release notes")).await.unwrap();
    }
    assert_eq!(tools(&host).await[0].evidence_count, 8);
    let search = |query: &str| LibrarySearchParams {
        query: query.to_owned(),
        task: Some("sitrep".to_owned()),
        ..LibrarySearchParams::default()
    };
    for query in ["kubernetes ingress", "сводка", "the of and", "!"] {
        assert!(host.engine.search_library(&search(query)).await.unwrap().tools.is_empty(), "{query}");
    }
    for query in ["releases", "elease-not", "merged"] {
        assert_eq!(host.engine.search_library(&search(query)).await.unwrap().tools.len(), 1, "{query}");
    }
    assert_eq!(host.engine.search_library(&search(" ")).await.unwrap().tools.len(), 1);
}

#[tokio::test]
async fn task_and_evidence_put_finds_in_an_order() {
    let host = Host::new("").await;
    host.engine
        .create_recipe(&agent(), LibraryCreateParams { task: "planning".to_owned(), ..recipe("Notes a") })
        .await
        .unwrap();
    host.engine.create_recipe(&agent(), recipe("Notes b")).await.unwrap();
    let first = async |task: &str| {
        let query = LibrarySearchParams {
            query: "notes".to_owned(),
            task: Some(task.to_owned()),
            ..LibrarySearchParams::default()
        };
        host.engine.search_library(&query).await.unwrap().tools.remove(0).tool.slug
    };
    assert_eq!(first("planning").await, "notes-a");
    assert_eq!(first("token_optimization").await, "notes-b");
}

#[tokio::test]
async fn what_a_person_deleted_is_not_made_again() {
    let host = Host::new("").await;
    for _ in 0..3 {
        host.engine.observe_workflow(&agent(), observation("Release notes")).await.unwrap();
    }
    let params = LibraryToolParams { slug: "release-notes".to_owned() };
    host.engine.delete_tool(&app(), &params).await.unwrap();
    assert!(!library(&host, "tools/release-notes").exists());
    let observed = host.engine.observe_workflow(&agent(), observation("Release notes")).await.unwrap();
    assert_eq!(observed.pattern.unwrap().occurrences, 4);
    assert!(tools(&host).await.is_empty());
    let missing = host.engine.read_library_tool(&params).await.unwrap_err();
    assert_eq!(missing.code, ErrorCode::NotFound);
}

#[tokio::test]
async fn a_draft_recipe_is_put_into_use_by_a_human_alone() {
    let host = Host::new("").await;
    host.engine.create_recipe(&agent(), LibraryCreateParams { activate: false, ..recipe("Shortener") }).await.unwrap();
    let params =
        LibraryRunParams { slug: "shortener".to_owned(), input_text: "x".to_owned(), ..LibraryRunParams::default() };
    let refused = host.engine.run_tool(&agent(), &params).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Forbidden);
    let asked = ask_to_approve(&host, "shortener").await;
    assert_eq!(asked.status, ApproveStatus::Unavailable);
    host.decide(&app(), &asked.approval_id.unwrap(), Answer::AllowAlways).await.unwrap();
    assert_eq!(run_tool(&host, "shortener", "x y z").await.status, LibraryRunStatus::Prepared);
    assert_eq!(ask_to_approve(&host, "shortener").await.status, ApproveStatus::Ready);
}

#[tokio::test]
async fn the_key_and_the_index_survive_the_host() {
    let host = Host::new(SCRIPTS).await;
    let slug = approved(&host, "print('still')\n").await;
    host.engine.create_recipe(&agent(), recipe("Port check")).await.unwrap();
    host.engine.shut_down(std::time::Duration::from_secs(5)).await;
    let again = Host { engine: host.place.open().await, place: host.place };
    // The index answers before any file was read.
    assert_eq!(again.prepare(&agent()).await.library_suggestions.len(), 1);
    assert_eq!(run_tool(&again, &slug, "x").await.script.unwrap().stdout, "still\n");
}

#[tokio::test]
async fn a_tool_that_was_put_there_by_hand_is_found() {
    let host = Host::new("").await;
    host.engine.create_recipe(&agent(), recipe("Port check")).await.unwrap();
    let other = Host::new("").await;
    other.engine.create_recipe(&agent(), recipe("Invoice sorter")).await.unwrap();
    let registry = text(&other, "registry.json");
    std::fs::write(library(&host, "registry.json"), registry).unwrap();
    let query = LibrarySearchParams { query: "invoice".to_owned(), ..LibrarySearchParams::default() };
    assert_eq!(host.engine.search_library(&query).await.unwrap().tools.len(), 1);
    // The folder of the other tool is taken in again when the library is put right.
    let repaired = host.engine.rebuild_library(&app()).await.unwrap();
    assert_eq!(repaired.tools, 2);
    assert!(!repaired.repaired.is_empty());
}
