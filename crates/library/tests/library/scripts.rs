//! Scripts: registered as drafts, approved by content, and run on their own.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use lwa_library::{
    ContentId, InstallationKey, Library, LibraryError, ScriptOutcome, ScriptStatus, ScriptSurroundings, ToolKind,
    ToolStatus,
};
use rstest::rstest;
use tokio_util::sync::CancellationToken;

use crate::shelf::{Shelf, clock, recipe, script, slug};

fn surroundings(shelf: &Shelf) -> ScriptSurroundings {
    let environment = [
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("LANG", "C.UTF-8"),
        ("OPENAI_API_KEY", "planted-one"),
        ("GEMINI_KEY", "planted-two"),
        ("LC_TOKEN", "planted-three"),
        ("PYTHONSTARTUP", "planted-four"),
        ("HOME", "/planted-five"),
    ];
    let environment: Vec<(OsString, OsString)> = environment.map(|(name, value)| (name.into(), value.into())).to_vec();
    ScriptSurroundings::new(shelf.temp.path().join("scratch"), environment)
}

/// Registers, approves and runs a script.
async fn run(shelf: &Shelf, source: &str, input: &str, surroundings: &ScriptSurroundings) -> ScriptOutcome {
    let tool = shelf.library.register_script(&script("Tool", source)).unwrap();
    shelf.library.approve_script(&tool.slug, &ContentId::of(source.as_bytes()), "a person").unwrap();
    let ready = shelf.library.ready_script(&tool.slug).unwrap();
    ready.run(input, surroundings, &CancellationToken::new()).await.unwrap()
}

fn is_running(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).is_ok_and(|line| !line.contains(") Z "))
}

#[test]
fn lwa_073_a_registered_script_is_a_draft_that_nobody_approved() {
    let shelf = Shelf::new();
    let tool = shelf.library.register_script(&script("Count Words", "print(1)")).unwrap();
    assert_eq!((tool.kind, tool.status, tool.approved), (ToolKind::Script, ToolStatus::Draft, false));
    assert_eq!((tool.review_state.as_str(), tool.safety_state.as_str()), ("draft", "review_required"));
    assert_eq!(tool.metadata["review_required"], true);
    assert_eq!(shelf.text("tools/count-words/tool.py"), "print(1)");
    assert!(matches!(shelf.library.ready_script(&tool.slug), Err(LibraryError::ReviewRequired(_))));
    assert!(matches!(shelf.library.activate(&tool.slug), Err(LibraryError::WrongKind { .. })));
}

#[rstest]
#[case("tool.sh")]
#[case("../tool.py")]
#[case("/etc/tool.py")]
#[case(".py")]
#[case(".hidden.py")]
#[case("-c.py")]
#[case("a b.py")]
#[case("")]
fn a_script_has_a_plain_python_name(#[case] name: &str) {
    let shelf = Shelf::new();
    let mut odd = script("Tool", "print(1)");
    odd.file_name = name.to_owned();
    assert!(matches!(shelf.library.register_script(&odd), Err(LibraryError::ScriptName(_))));
}

#[test]
fn a_script_is_text_of_a_limited_length_without_keys() {
    let shelf = Shelf::new();
    let refused = |source: &[u8]| {
        let mut odd = script("Tool", "");
        odd.source = source.to_vec();
        shelf.library.register_script(&odd).unwrap_err()
    };
    assert!(matches!(refused(&b"#".repeat(250_001)), LibraryError::TooLong { limit: 250_000, .. }));
    assert!(matches!(refused(b"\xff"), LibraryError::ScriptText));
    assert!(matches!(refused(b" \n"), LibraryError::Empty("script")));
    assert!(matches!(refused(b"key = 'sk-planted-000000'"), LibraryError::HoldsKey("script")));
    let mut longest = script("Tool", "");
    longest.source = vec![b'#'; 250_000];
    assert!(shelf.library.register_script(&longest).is_ok());
}

#[test]
fn a_19_a_script_changed_after_its_approval_is_refused_until_approved_again() {
    let shelf = Shelf::new();
    let tool = shelf.library.register_script(&script("Tool", "print(1)")).unwrap().slug;
    let first = ContentId::of(b"print(1)");
    let approved = shelf.library.approve_script(&tool, &first, "a person").unwrap();
    assert_eq!((approved.status, approved.approved), (ToolStatus::Active, true));
    assert!(shelf.library.ready_script(&tool).is_ok());

    shelf.write("tools/tool/tool.py", "print(2)");
    assert!(matches!(shelf.library.ready_script(&tool), Err(LibraryError::ChangedSinceApproval { .. })));
    let seen = shelf.library.get(&tool).unwrap();
    assert_eq!((seen.status, seen.approved, seen.review_state.as_str()), (ToolStatus::Draft, false, "draft"));
    // An approval of what was there before does not cover what is there now.
    let stale = shelf.library.approve_script(&tool, &first, "a person");
    assert!(matches!(stale, Err(LibraryError::OtherContent { .. })));
    assert!(shelf.library.ready_script(&tool).is_err());

    let second = shelf.library.read(&tool).unwrap().content_id;
    let again = shelf.library.approve_script(&tool, &second, "a person").unwrap();
    assert_eq!((again.version.as_str(), again.approved), ("0.1.1", true));
    assert!(shelf.library.ready_script(&tool).is_ok());
    let ids: Vec<_> = shelf.library.history(&tool).unwrap().into_iter().map(|version| version.id).collect();
    assert_eq!(ids, [first, second]);
}

#[test]
fn a_new_content_and_a_restored_one_need_approval() {
    let shelf = Shelf::new();
    let tool = shelf.library.register_script(&script("Tool", "print(1)")).unwrap().slug;
    let first = ContentId::of(b"print(1)");
    shelf.library.approve_script(&tool, &first, "a person").unwrap();
    let changed = shelf.library.change_script(&tool, b"print(2)").unwrap();
    assert_eq!((changed.version.as_str(), changed.status), ("0.1.1", ToolStatus::Draft));
    assert!(matches!(shelf.library.ready_script(&tool), Err(LibraryError::ReviewRequired(_))));
    shelf.library.approve_script(&tool, &ContentId::of(b"print(2)"), "a person").unwrap();
    assert_eq!(shelf.library.restore(&tool, &first).unwrap().status, ToolStatus::Draft);
    assert!(shelf.library.ready_script(&tool).is_err());
}

#[test]
fn an_approval_written_into_the_files_is_none() {
    let shelf = Shelf::new();
    let tool = shelf.library.register_script(&script("Tool", "print(1)")).unwrap().slug;
    let other = shelf.library.register_script(&script("Other", "print(1)")).unwrap().slug;
    shelf.library.approve_script(&other, &ContentId::of(b"print(1)"), "a person").unwrap();
    let mut entries: serde_json::Value = serde_json::from_str(&shelf.text("registry.json")).unwrap();
    // Everything that a file can say, with the genuine approval of another tool of the same content.
    entries[0]["approval"] = entries[1]["approval"].clone();
    entries[0]["approved"] = true.into();
    entries[0]["status"] = "active".into();
    shelf.write("registry.json", &entries.to_string());
    assert!(matches!(shelf.library.ready_script(&tool), Err(LibraryError::ReviewRequired(_))));
    assert!(!shelf.library.get(&tool).unwrap().approved);
    assert!(shelf.library.ready_script(&other).is_ok());

    let foreign = Library::open(shelf.library.root(), InstallationKey::from_bytes([8; 32]), clock()).unwrap();
    assert!(matches!(foreign.ready_script(&other), Err(LibraryError::ReviewRequired(_))));
}

#[test]
fn a_genuine_approval_survives_the_loss_of_the_registry() {
    let shelf = Shelf::new();
    let tool = shelf.library.register_script(&script("Tool", "print(1)")).unwrap().slug;
    let approved = shelf.library.approve_script(&tool, &ContentId::of(b"print(1)"), "a person").unwrap();
    shelf.write("registry.json", "");
    let (library, _) = shelf.reopen();
    assert_eq!(library.get(&tool).unwrap(), approved);
    assert!(library.ready_script(&tool).is_ok());
}

#[test]
fn a_disabled_script_does_not_run_and_a_link_is_no_script() {
    let shelf = Shelf::new();
    let tool = shelf.library.register_script(&script("Tool", "print(1)")).unwrap().slug;
    shelf.library.approve_script(&tool, &ContentId::of(b"print(1)"), "a person").unwrap();
    shelf.library.disable(&tool).unwrap();
    assert!(matches!(shelf.library.ready_script(&tool), Err(LibraryError::NotActive { .. })));
    shelf.library.approve_script(&tool, &ContentId::of(b"print(1)"), "a person").unwrap();
    let elsewhere = shelf.temp.path().join("elsewhere.py");
    std::fs::rename(shelf.path("tools/tool/tool.py"), &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, shelf.path("tools/tool/tool.py")).unwrap();
    assert!(shelf.library.ready_script(&tool).is_err());
}

#[test]
fn a_recipe_is_no_script() {
    let shelf = Shelf::new();
    let tool = shelf.library.create_recipe(&recipe("Tool", "{input}")).unwrap().slug;
    assert!(matches!(shelf.library.ready_script(&tool), Err(LibraryError::WrongKind { .. })));
    assert!(matches!(shelf.library.change_script(&tool, b"print(1)"), Err(LibraryError::WrongKind { .. })));
    let absent = shelf.library.ready_script(&slug("none"));
    assert!(matches!(absent, Err(LibraryError::UnknownTool { .. })));
}

#[tokio::test]
async fn a_script_reads_its_input_and_runs_in_a_folder_that_goes() {
    let shelf = Shelf::new();
    let source = "import os, sys\nprint(sys.stdin.read().upper(), end='')\nprint(os.getcwd(), os.listdir('.'))\n\
                  open('left', 'w').write('x')\nsys.stderr.write('warn')\nsys.exit(3)\n";
    let outcome = run(&shelf, source, "naïve\n", &surroundings(&shelf)).await;
    assert_eq!((outcome.status, outcome.return_code), (ScriptStatus::Failed, Some(3)));
    let text = outcome.stdout.text().into_owned();
    let (first, second) = text.split_once('\n').unwrap();
    assert_eq!((first, outcome.stderr.text().as_ref()), ("NAÏVE", "warn"));
    let folder = second.trim_end().strip_suffix(" []").unwrap();
    assert!(folder.contains("/scratch/run-") && !Path::new(folder).exists(), "{second}");
    assert_eq!(std::fs::read_dir(shelf.temp.path().join("scratch")).unwrap().count(), 0);
    let completed = run(&shelf, "print('ok')", "", &surroundings(&shelf)).await;
    assert_eq!((completed.status, completed.return_code), (ScriptStatus::Completed, Some(0)));
}

#[tokio::test]
async fn a_21_a_script_sees_no_provider_key() {
    let shelf = Shelf::new();
    let source = "import os\nprint(sorted(os.environ))\nprint(list(os.environ.values()))\n";
    let outcome = run(&shelf, source, "", &surroundings(&shelf)).await;
    let text = outcome.stdout.text().into_owned();
    assert!(!text.contains("planted"), "{text}");
    assert!(text.starts_with("['HOME', 'LANG', 'LWA_RUN', 'PATH', 'TMPDIR']"), "{text}");
}

#[tokio::test]
async fn a_20_the_whole_group_of_a_script_is_ended_at_its_limit() {
    let shelf = Shelf::new();
    let source = "import subprocess, sys, time\n\
        child = subprocess.Popen(['sleep', '1000'])\n\
        far = subprocess.Popen(['sh', '-c', 'sleep 1000 & echo $!; wait'], stdout=subprocess.PIPE, \
        start_new_session=True)\n\
        print(child.pid, far.pid, int(far.stdout.readline()), flush=True)\ntime.sleep(1000)\n";
    let mut surroundings = surroundings(&shelf);
    surroundings.limits.time = Duration::from_secs(4);
    let outcome = run(&shelf, source, "", &surroundings).await;
    assert_eq!((outcome.status, outcome.return_code), (ScriptStatus::TimedOut, None));
    let text = outcome.stdout.text().into_owned();
    let pids: Vec<&str> = text.split_whitespace().collect();
    assert_eq!(pids.len(), 3, "{text} {}", outcome.stderr.text());
    assert!(pids.iter().all(|pid| !is_running(pid)), "{text}");
    assert_eq!((outcome.ended_stragglers, outcome.survivors), (3, 0));
}

#[tokio::test]
async fn a_flood_is_kept_to_the_cap_and_counted() {
    let shelf = Shelf::new();
    let outcome = run(&shelf, "print('x' * 2999999)", "", &surroundings(&shelf)).await;
    assert_eq!((outcome.stdout.bytes.len(), outcome.stdout.total_bytes), (1_000_000, 3_000_000));
    assert_eq!(outcome.status, ScriptStatus::Completed);
}

#[tokio::test]
async fn a_script_changes_nothing_and_reaches_nobody_where_the_sandbox_is_whole() {
    let shelf = Shelf::new();
    let outside = shelf.temp.path().join("outside");
    let hidden = shelf.temp.path().join("hidden");
    std::fs::write(&outside, "content").unwrap();
    std::fs::write(&hidden, "planted").unwrap();
    let source = format!(
        "import socket\n\
         def attempt(act):\n    try:\n        print(act())\n    except OSError as error:\n        print(type(error).__name__)\n\
         attempt(lambda: open({outside:?}).read())\n\
         attempt(lambda: open({outside:?}, 'w').write('x'))\n\
         attempt(lambda: open({hidden:?}).read())\n\
         attempt(lambda: socket.socket().fileno() > 0)\n\
         attempt(lambda: open('own', 'w').write('x'))\n"
    );
    let mut surroundings = surroundings(&shelf);
    surroundings.hidden = vec![hidden];
    let outcome = run(&shelf, &source, "", &surroundings).await;
    let text = outcome.stdout.text().into_owned();
    if outcome.sandbox.is_as_required() {
        assert_eq!(
            text,
            "content\nPermissionError\nPermissionError\nPermissionError\n1\n",
            "{}",
            outcome.stderr.text()
        );
        assert_eq!(std::fs::read_to_string(&outside).unwrap(), "content");
    } else {
        // An older system holds less, and the report must not say otherwise.
        assert_ne!(outcome.sandbox.overall(), lwa_process::Held::Full);
    }
}
