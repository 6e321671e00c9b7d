//! Running an allowed command: a clean environment, one stream, an end for everything, and a sandbox that says what it is.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use lwa_privacy::{Exposure, Kind, Scrubber, Vault};
use lwa_worker::command::{
    self, CommandEnvironment, CommandError, CommandFolder, CommandRun, FileAccess, NetworkAccess, SandboxChoice,
    SandboxNeed, SecretEnvError, granted,
};
use lwa_worker::mode::Mode;
use lwa_worker::outbound::Exit;
use lwa_worker::trailer::CommandEnd;
use rstest::rstest;
use tokio_util::sync::CancellationToken;

fn environment(more: &[(&str, &str)]) -> CommandEnvironment {
    let path = [("PATH", "/usr/local/bin:/usr/bin:/bin")];
    let variables = path.iter().chain(more).map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    CommandEnvironment::of(&variables, Some(Path::new("/home/none")))
}

fn run(folder: &Path, command: &str) -> CommandRun {
    CommandRun {
        command: command.to_owned(),
        as_written: command.to_owned(),
        folder: CommandFolder::open(folder).unwrap(),
        environment: environment(&[]),
        is_environment_reduced: false,
        secret_env: Vec::new(),
        timeout: Duration::from_secs(20),
        most_chars: 10_000,
        spill: None,
        sandbox: None,
    }
}

async fn finished(run: CommandRun) -> command::CommandOutput {
    command::run(run, &CancellationToken::new()).await.unwrap()
}

#[tokio::test]
async fn both_streams_come_as_one_in_their_order_without_colours() {
    let temp = tempfile::tempdir().unwrap();
    let output = finished(run(temp.path(), "echo one; echo two >&2; printf '\\033[31mthree\\033[0m\\n'; exit 3")).await;
    assert_eq!(
        (output.text.as_str(), output.end, output.exit_code),
        ("one\ntwo\nthree\n", CommandEnd::Exited(3), Some(3))
    );
    assert_eq!(output.note().unwrap(), "The command ended with exit code 3.");
    assert!(!output.is_truncated && output.whole.is_none() && output.reduced_environment.is_none());
    assert_eq!(output.as_material().raw_chars, output.raw_chars);
}

#[tokio::test]
async fn a_command_is_a_command_and_no_option_and_has_no_input() {
    let temp = tempfile::tempdir().unwrap();
    let output = finished(run(temp.path(), "--version; cat; echo $((1+1))")).await;
    assert!(output.text.contains("--version: command not found") && output.text.ends_with("2\n"), "{}", output.text);
}

#[tokio::test]
async fn w_20_a_killed_command_leaves_no_child() {
    let temp = tempfile::tempdir().unwrap();
    let script = "sleep 600 & echo $! > child; setsid sleep 600 & echo $! > other; wait";
    let output = finished(CommandRun { timeout: Duration::from_millis(400), ..run(temp.path(), script) }).await;
    assert_eq!((output.end, output.exit_code), (CommandEnd::TimedOut, None));
    assert!(output.note().unwrap().starts_with("The command was killed after"), "{:?}", output.note());
    for name in ["child", "other"] {
        let pid = fs::read_to_string(temp.path().join(name)).unwrap();
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        let state = stat.rsplit_once(')').map(|(_, rest)| rest.trim_start().chars().next().unwrap());
        assert!(matches!(state, None | Some('Z' | 'X')), "{name} runs: {stat}");
    }
}

#[tokio::test]
async fn a_cancelled_command_ends_at_once() {
    let temp = tempfile::tempdir().unwrap();
    let cancel = CancellationToken::new();
    let started = command::start(run(temp.path(), "echo up; sleep 600")).await.unwrap();
    let watch = started.watch();
    let stop = cancel.clone();
    let finishing = tokio::spawn(async move { started.finish(&stop).await });
    let began = Instant::now();
    while !watch.stdout_tail().contains("up") {
        assert!(began.elapsed() < Duration::from_secs(20));
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    cancel.cancel();
    let output = finishing.await.unwrap();
    assert_eq!((output.end, output.text.as_str()), (CommandEnd::Cancelled, "up\n"));
    assert!(began.elapsed() < Duration::from_secs(20));
}

#[tokio::test]
async fn w_20_the_end_of_a_long_output_is_there_and_the_whole_is_in_a_file() {
    let temp = tempfile::tempdir().unwrap();
    let spill = temp.path().join("whole.part");
    let script = "for i in $(seq 1 20000); do echo \"line $i\"; done; echo 'FAILED at the end'; exit 1";
    let output =
        finished(CommandRun { most_chars: 2_000, spill: Some(spill.clone()), ..run(temp.path(), script) }).await;
    assert!(output.text.starts_with("line 1\n") && output.text.ends_with("FAILED at the end\n"));
    assert!(output.text.contains("left out here") && output.is_truncated && output.is_whole_complete);
    assert!(output.text.chars().count() <= 2_060);
    let whole = fs::read_to_string(output.whole.unwrap()).unwrap();
    assert_eq!((whole.lines().count(), whole.len() as u64), (20_001, output.raw_bytes));
}

#[tokio::test]
async fn a_short_output_needs_no_file_and_an_aborted_one_leaves_none() {
    let temp = tempfile::tempdir().unwrap();
    let spill = temp.path().join("whole.part");
    let output = finished(CommandRun { spill: Some(spill.clone()), ..run(temp.path(), "echo short") }).await;
    assert!(output.whole.is_none() && !spill.exists());
    let started =
        command::start(CommandRun { spill: Some(spill.clone()), ..run(temp.path(), "sleep 600") }).await.unwrap();
    assert!(spill.exists());
    drop(started);
    assert!(!spill.exists(), "raw output stays nowhere");
}

#[tokio::test]
async fn w_20_secrets_and_loaders_of_the_caller_do_not_reach_a_command() {
    let temp = tempfile::tempdir().unwrap();
    let mut run = run(temp.path(), "env");
    run.environment = environment(&[
        ("OPENAI_API_KEY", "planted-1"),
        ("LD_PRELOAD", "/planted-2.so"),
        ("BASH_ENV", "/planted-3"),
        ("VIRTUAL_ENV", "/srv/venv"),
        ("PAGER", "less"),
    ]);
    let output = finished(run).await;
    assert!(!output.text.contains("planted"), "{}", output.text);
    assert!(output.text.contains("VIRTUAL_ENV=/srv/venv\n") && output.text.contains("PAGER=cat\n"));
    assert!(output.text.contains("TERM=dumb\n") && output.text.contains("NO_COLOR=1\n"));
    assert_eq!(output.reduced_environment, Some(output.reduced_environment.unwrap().max(3)));
}

#[tokio::test]
async fn the_shell_is_the_systems_own_whatever_the_search_path_holds() {
    use std::os::unix::fs::PermissionsExt;

    let temp = tempfile::tempdir().unwrap();
    let planted = temp.path().join("bash");
    fs::write(&planted, "#!/bin/sh\necho planted\n").unwrap();
    fs::set_permissions(&planted, fs::Permissions::from_mode(0o755)).unwrap();
    let mut run = run(temp.path(), "echo read by $BASH");
    run.environment = environment(&[("PATH", &format!("{}:/usr/bin:/bin", temp.path().display()))]);
    let output = finished(run).await;
    assert!(output.text.starts_with("read by /") && !output.text.contains("planted"), "{}", output.text);
    assert!(!output.text.contains(temp.path().to_str().unwrap()), "{}", output.text);
    let error = CommandError::NoBash.to_string();
    assert!(error.contains("local_llm_run") && error.contains("local_llm_delegate"));
}

#[tokio::test]
async fn what_is_known_of_the_variables_is_what_the_command_has() {
    let temp = tempfile::tempdir().unwrap();
    // One of every kind that the host leaves out, replaces or passes on.
    let sent = [
        "PYTHONPATH",
        "NODE_PATH",
        "NODE_OPTIONS",
        "GIT_DIR",
        "GIT_PAGER",
        "CARGO_HOME",
        "CARGO_X",
        "JAVA_TOOL_OPTIONS",
        "MAKEFLAGS",
        "CDPATH",
        "ENV",
        "IFS",
        "PS4",
        "LD_PRELOAD",
        "API_KEY",
        "TERM",
        "NO_COLOR",
        "PAGER",
        "MANPAGER",
        "GIT_TERMINAL_PROMPT",
        "PYTHONUNBUFFERED",
        "VIRTUAL_ENV",
        "USER",
        "LOGNAME",
        "HOME",
        "TMPDIR",
        "EDITOR",
        "GIT_CONFIG_COUNT",
        "UID",
        "PWD",
        "OLDPWD",
        "SHLVL",
    ];
    let sent: Vec<(&str, &str)> = sent.iter().map(|name| (*name, "/sent")).collect();
    for environment in [environment(&sent), environment(&sent).for_reading_git(), environment(&[])] {
        let known = environment.known();
        let output = finished(CommandRun { environment, ..run(temp.path(), "env -0 | tr '\\0' '\\n'") }).await;
        let seen: BTreeMap<String, String> = output
            .text
            .lines()
            .filter_map(|line| line.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            // What the shell sets itself, and what tells a run and git how to behave.
            .filter(|(name, _)| !["PWD", "OLDPWD", "SHLVL", "_", "LWA_RUN"].contains(&name.as_str()))
            .filter(|(name, _)| !name.starts_with("GIT_CONFIG_"))
            .collect();
        assert_eq!(known, seen);
        assert!(known.contains_key("HOME") && known.contains_key("PATH"));
    }
}

#[tokio::test]
async fn a_command_runs_in_the_folder_that_was_opened_and_in_no_other() {
    let temp = tempfile::tempdir().unwrap();
    let (judged, other) = (temp.path().join("judged"), temp.path().join("other"));
    fs::create_dir(&judged).unwrap();
    fs::create_dir(&other).unwrap();
    let run = run(&judged, "echo x > made; pwd -P");
    let folder = run.folder.clone();
    assert!(folder.is_in_place());
    // Where the caller says that it is counts for nothing.
    let mut elsewhere = run.clone();
    std::os::unix::fs::symlink(&judged, other.join("link")).unwrap();
    elsewhere.environment = environment(&[("PWD", other.join("link").to_str().unwrap())]);
    elsewhere.command = "cd ..; pwd".to_owned();
    assert_eq!(finished(elsewhere).await.text.trim_end(), temp.path().canonicalize().unwrap().to_str().unwrap());
    fs::rename(&judged, temp.path().join("moved")).unwrap();
    std::os::unix::fs::symlink(&other, &judged).unwrap();
    assert!(!folder.is_in_place());
    if cfg!(target_os = "linux") {
        let output = finished(run).await;
        assert!(output.text.trim_end().ends_with("/moved"), "{}", output.text);
        assert!(temp.path().join("moved/made").exists() && !other.join("made").exists());
    }
}

fn vault() -> (Vault, String) {
    let mut vault = Vault::new();
    let secret = "vT9#kQ2m 'Z7pLw4xC".to_owned();
    vault.mint(Kind::Secret, &secret);
    vault.mint(Kind::Email, "ines@example.org");
    (vault, secret)
}

fn wanted(name: &str, value: &str) -> BTreeMap<String, String> {
    BTreeMap::from([(name.to_owned(), value.to_owned())])
}

#[tokio::test]
async fn a_granted_secret_reaches_one_command_and_comes_back_hidden() {
    let temp = tempfile::tempdir().unwrap();
    let (mut vault, secret) = vault();
    let secret_env = granted(&wanted("TOKEN", "[SECRET-1]"), &vault).unwrap();
    assert_eq!(format!("{secret_env:?}"), "[TOKEN=[SECRET-1]]");
    let run = CommandRun { secret_env, ..run(temp.path(), "printf '%s|' \"$TOKEN\"; printf %s \"$TOKEN\" | base64") };
    assert!(!format!("{run:?}").contains("vT9"));
    let output = finished(run).await;
    assert!(output.text.starts_with(&format!("{secret}|")));
    assert_eq!(output.known_values, std::slice::from_ref(&secret));
    assert!(!format!("{output:?}").contains("vT9"));
    let scrubber = Scrubber::new();
    let mut exit = Exit { scrubber: &scrubber, vault: &mut vault, exposure: Exposure::pii(), mode: Mode::Assist };
    let left = exit.text(&output.text, None);
    assert_eq!(left.as_str(), "[SECRET-1]|[SECRET-1]\n");
}

#[rstest]
#[case("TOKEN", "plain-value", SecretEnvError::NoPlaceholder("TOKEN".into()))]
#[case("LD_PRELOAD", "[SECRET-1]", SecretEnvError::Name("LD_PRELOAD".into()))]
#[case("PATH", "[SECRET-1]", SecretEnvError::Name("PATH".into()))]
#[case("A B", "[SECRET-1]", SecretEnvError::Name("A B".into()))]
#[case("1A", "[SECRET-1]", SecretEnvError::Name("1A".into()))]
#[case("", "[SECRET-1]", SecretEnvError::Name(String::new()))]
fn what_cannot_be_granted_is_refused_and_values_are_not_repeated(
    #[case] name: &str,
    #[case] value: &str,
    #[case] error: SecretEnvError,
) {
    let got = granted(&wanted(name, value), &vault().0).unwrap_err();
    assert_eq!(got, error);
    assert!(!got.to_string().contains("plain-value"));
}

#[test]
fn only_secrets_of_this_conversation_can_be_granted() {
    let (vault, _) = vault();
    assert!(matches!(granted(&wanted("A", "[EMAIL-1]"), &vault), Err(SecretEnvError::NoSecret(_))));
    assert!(matches!(granted(&wanted("A", "[SECRET-9]"), &vault), Err(SecretEnvError::Unknown(_))));
}

#[rstest]
#[case(None, None)]
#[case(Some("danger-full-access"), None)]
#[case(Some("workspace-write"), Some(FileAccess::Workspace))]
#[case(Some("read-only"), Some(FileAccess::ReadOnly))]
#[case(Some("something new"), Some(FileAccess::ReadOnly))]
fn pg_41_a_callers_sandbox_is_a_floor(#[case] declared: Option<&str>, #[case] files: Option<FileAccess>) {
    let floor = SandboxChoice::floor(declared);
    assert_eq!(floor.as_ref().map(|floor| floor.files), files);
    if let Some(floor) = floor {
        assert_eq!((floor.network, floor.need), (NetworkAccess::Closed, SandboxNeed::Required));
        let own = SandboxChoice {
            files: FileAccess::All,
            network: NetworkAccess::Open,
            need: SandboxNeed::WhereAvailable,
            hidden: vec!["/srv/keys".into()],
        };
        let both = own.with_floor(&floor);
        assert_eq!((both.files, both.network, both.need), (floor.files, NetworkAccess::Closed, SandboxNeed::Required));
        assert_eq!(both.hidden, [Path::new("/srv/keys")]);
    }
}

#[tokio::test]
async fn pg_41_a_sandbox_holds_and_its_state_is_shown() {
    let temp = tempfile::tempdir_in("/var/tmp").unwrap();
    let work = temp.path().join("work");
    fs::create_dir(&work).unwrap();
    let script = format!("echo in > inside; echo out > {}/outside; echo done", temp.path().display());
    let output = command::run(
        CommandRun { sandbox: Some(SandboxChoice::workspace()), ..run(&work, &script) },
        &CancellationToken::new(),
    )
    .await;
    let output = match output {
        Ok(output) => output,
        // A system without the means refuses, and says so; nothing ran.
        Err(error) => {
            assert!(matches!(error, CommandError::NoSandbox(_)), "{error}");
            assert!(error.to_string().contains("nothing was run") && !work.join("inside").exists());
            return;
        }
    };
    assert!(work.join("inside").exists() && !temp.path().join("outside").exists(), "{}", output.text);
    assert!(output.text.ends_with("done\n"));
    assert_eq!(output.sandbox.unwrap().to_string(), "workspace, no network");
    let read_only = SandboxChoice::read_only();
    let output = finished(CommandRun { sandbox: Some(read_only), ..run(&work, "echo x > more; cat inside") }).await;
    assert!(!work.join("more").exists() && output.text.ends_with("in\n"), "{}", output.text);
    assert_eq!(output.sandbox.unwrap().to_string(), "read-only, no network");
}

#[tokio::test]
async fn pg_41_a_temporary_folder_named_by_the_caller_does_not_open_the_disk() {
    let temp = tempfile::tempdir_in("/var/tmp").unwrap();
    let (work, home) = (temp.path().join("work"), temp.path().join("home"));
    fs::create_dir(&work).unwrap();
    fs::create_dir(&home).unwrap();
    let mut run = run(&work, &format!("echo x > {}/out", home.display()));
    run.environment = environment(&[("TMPDIR", "/var/tmp/../../")]);
    run.sandbox = Some(SandboxChoice::workspace());
    if command::run(run, &CancellationToken::new()).await.is_ok() {
        assert!(!home.join("out").exists());
    }
}

#[tokio::test]
async fn a_sandbox_hides_what_it_is_told_to_in_the_work_folder_too() {
    let temp = tempfile::tempdir_in("/var/tmp").unwrap();
    let hidden = temp.path().join("hidden");
    fs::create_dir(&hidden).unwrap();
    fs::write(hidden.join("file"), "violetkettle").unwrap();
    for choice in [SandboxChoice::read_only(), SandboxChoice::workspace()] {
        let choice = SandboxChoice { hidden: vec![hidden.clone()], ..choice };
        let mut run = run(temp.path(), "cat hidden/file; echo more >> hidden/file; echo done");
        run.sandbox = Some(choice);
        match command::run(run, &CancellationToken::new()).await {
            Ok(output) => {
                assert!(output.text.ends_with("done\n") && !output.text.contains("violet"), "{}", output.text);
            }
            Err(error) => assert!(matches!(error, CommandError::NoSandbox(_)), "{error}"),
        }
        assert_eq!(fs::read_to_string(hidden.join("file")).unwrap(), "violetkettle");
    }
}
