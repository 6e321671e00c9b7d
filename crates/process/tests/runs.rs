//! A program runs, is fed and read, and ends with everything that it started.
#![allow(clippy::unwrap_used, clippy::panic, reason = "in tests a panic is the report")]

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use lwa_process::{End, Environment, Feed, Input, Limits, ProcessError, Program, Streams, Watch, Whole, WholeFile};
use rstest::rstest;
use tokio_util::sync::CancellationToken;

fn shell(script: &str, folder: &Path) -> Program {
    let mut program = Program::new("/bin/sh", folder);
    program.arguments = vec!["-c".into(), script.into()];
    program.environment = Environment::empty().with("PATH", "/usr/bin:/bin").unwrap();
    program
}

/// Whether the process runs; one that has ended and waits for its parent does not.
fn is_running(pid: u32) -> bool {
    let Ok(line) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    let state = line.rsplit_once(')').unwrap().1.trim_start().chars().next().unwrap();
    !matches!(state, 'Z' | 'X')
}

fn pids(text: &str) -> Vec<u32> {
    text.lines().filter_map(|line| line.strip_prefix("pid ")?.trim().parse().ok()).collect()
}

/// Comes back as soon as the program has named so many processes.
async fn until_named(watch: Watch, count: usize) -> Vec<u32> {
    loop {
        let found = pids(&watch.stdout_tail());
        if found.len() >= count {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn a_program_gets_its_input_and_gives_its_output_and_code() {
    let temp = tempfile::tempdir().unwrap();
    let mut program = shell("cat; echo problem >&2; exit 3", temp.path());
    program.input = Input::Bytes(b"text".to_vec());
    let outcome = program.run(&CancellationToken::new()).await.unwrap();
    assert_eq!(outcome.end, End::Exited(3));
    assert_eq!((outcome.stdout.text().as_ref(), outcome.stderr.text().as_ref()), ("text", "problem\n"));
    assert_eq!((outcome.ended_stragglers, outcome.survivors), (0, 0));
}

#[tokio::test]
async fn closed_input_ends_at_once() {
    let temp = tempfile::tempdir().unwrap();
    let outcome = shell("cat; pwd", temp.path()).run(&CancellationToken::new()).await.unwrap();
    let folder = temp.path().canonicalize().unwrap();
    assert_eq!(outcome.stdout.text().trim_end(), folder.to_str().unwrap());
    assert_eq!(outcome.end, End::Exited(0));
}

#[tokio::test]
async fn a_program_that_does_not_read_its_input_is_not_waited_for() {
    let temp = tempfile::tempdir().unwrap();
    let mut program = shell("exit 0", temp.path());
    program.input = Input::Bytes(vec![b'x'; 4_000_000]);
    assert_eq!(program.run(&CancellationToken::new()).await.unwrap().end, End::Exited(0));
}

#[tokio::test]
async fn output_beyond_the_cap_is_counted_and_blocks_nobody() {
    let temp = tempfile::tempdir().unwrap();
    let mut program = shell("head -c 3000000 /dev/zero; head -c 2000000 /dev/zero >&2; echo end", temp.path());
    program.limits.output_bytes = 1000;
    let outcome = program.run(&CancellationToken::new()).await.unwrap();
    assert_eq!(outcome.end, End::Exited(0));
    assert_eq!((outcome.stdout.bytes.len(), outcome.stdout.total_bytes), (1000, 3_000_004));
    assert_eq!((outcome.stderr.bytes.len(), outcome.stderr.total_bytes), (1000, 2_000_000));
}

#[tokio::test]
async fn a_signal_from_elsewhere_is_told_apart() {
    let temp = tempfile::tempdir().unwrap();
    let outcome = shell("kill -9 $$", temp.path()).run(&CancellationToken::new()).await.unwrap();
    assert_eq!(outcome.end, End::Signalled(9));
}

#[tokio::test]
async fn a_missing_program_or_folder_is_refused() {
    let temp = tempfile::tempdir().unwrap();
    let missing = Program::new(temp.path().join("none"), temp.path()).start().await;
    assert!(matches!(missing, Err(ProcessError::Start { .. })));
    let nowhere = shell("true", &temp.path().join("none")).start().await;
    assert!(matches!(nowhere, Err(ProcessError::Folder { .. })));
}

#[tokio::test]
async fn a_21_the_environment_has_no_planted_key() {
    let temp = tempfile::tempdir().unwrap();
    let host: Vec<(OsString, OsString)> = [
        ("PATH", "/usr/bin:/bin"),
        ("LANG", "C"),
        ("OPENAI_API_KEY", "planted-one"),
        ("MY_LITTLE_TOKEN", "planted-two"),
        ("LC_PASSWORD", "planted-three"),
        ("LC_NAME", "sk-ant-planted-four-0000000000"),
        ("LD_PRELOAD", "planted-five"),
        ("UNRELATED", "planted-six"),
    ]
    .map(|(name, value)| (name.into(), value.into()))
    .to_vec();
    let mut program = shell("env", temp.path());
    program.environment = Environment::allowed(host, &["PATH", "LANG", "LC_*", "OPENAI_API_KEY", "LD_PRELOAD"]);
    let outcome = program.run(&CancellationToken::new()).await.unwrap();
    let text = outcome.stdout.text();
    let mut names: Vec<&str> = text.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    names.retain(|name| !["PWD", "OLDPWD", "SHLVL", "_"].contains(name));
    names.sort_unstable();
    assert_eq!(names, ["LANG", "LWA_RUN", "PATH"]);
    assert!(!text.contains("planted"), "{text}");
}

#[tokio::test]
async fn a_20_the_whole_group_is_ended_at_the_limit() {
    let temp = tempfile::tempdir().unwrap();
    let mut program = shell("sleep 1000 & echo pid $!; echo pid $$; sleep 1000", temp.path());
    program.limits = Limits { time: Duration::from_secs(2), ..Limits::default() };
    let outcome = program.run(&CancellationToken::new()).await.unwrap();
    assert_eq!(outcome.end, End::TimedOut);
    let named = pids(&outcome.stdout.text());
    assert_eq!(named.len(), 2);
    assert!(named.iter().all(|pid| !is_running(*pid)));
    assert_eq!((outcome.ended_stragglers, outcome.survivors), (2, 0));
    assert!(outcome.duration < Duration::from_secs(20));
}

/// Processes that leave their parent, their group or their session, or that do not want to end.
const STAYERS: &[(&str, &str)] = &[
    ("child", "sleep 1000 & echo pid $!; wait"),
    ("grandchild", "sh -c 'sleep 1000 & echo pid $!; wait' & wait"),
    ("orphan of a double fork", "( ( sleep 1000 & echo pid $! ) & ); sleep 1000"),
    ("session of its own", "setsid sh -c 'echo pid $$; exec sleep 1000' & wait"),
    (
        "orphan in a session of its own, without streams",
        "( setsid sh -c 'echo pid $$; exec sleep 1000 </dev/null 2>/dev/null' & ) ; sleep 1000",
    ),
    ("deaf to the request", "trap '' TERM; echo pid $$; while :; do sleep 1000; done"),
    (
        "deaf grandchild in a session of its own",
        "setsid sh -c \"trap '' TERM; echo pid \\$\\$; while :; do sleep 1000; done\" & wait",
    ),
];

#[rstest]
#[tokio::test]
async fn a_cancelled_run_leaves_nobody(#[values(0, 1, 2, 3, 4, 5, 6)] case: usize) {
    let (what, script) = STAYERS[case];
    let temp = tempfile::tempdir().unwrap();
    let mut program = shell(script, temp.path());
    program.limits.grace = Duration::from_millis(100);
    let running = program.start().await.unwrap();
    let cancel = CancellationToken::new();
    let watch = running.watch();
    let (outcome, named) = tokio::join!(running.finish(&cancel), async {
        let named = until_named(watch, 1).await;
        assert!(named.iter().all(|pid| is_running(*pid)), "{what}");
        cancel.cancel();
        named
    });
    assert_eq!(outcome.end, End::Cancelled, "{what}");
    assert_eq!(outcome.survivors, 0, "{what}");
    assert!(named.iter().all(|pid| !is_running(*pid)), "{what}");
}

#[rstest]
#[tokio::test]
async fn a_dropped_run_leaves_nobody(#[values(0, 1, 2, 3, 4, 5, 6)] case: usize) {
    let (what, script) = STAYERS[case];
    let temp = tempfile::tempdir().unwrap();
    let running = shell(script, temp.path()).start().await.unwrap();
    let cancel = CancellationToken::new();
    let watch = running.watch();
    let named = tokio::select! {
        named = until_named(watch, 1) => named,
        outcome = running.finish(&cancel) => panic!("{what} ended early: {outcome:?}"),
    };
    assert!(named.iter().all(|pid| !is_running(*pid)), "{what}");
}

#[tokio::test]
async fn what_a_finished_program_leaves_behind_is_ended_and_counted() {
    let temp = tempfile::tempdir().unwrap();
    let script = "setsid sh -c 'echo pid $$; exec sleep 1000 </dev/null >/dev/null 2>&1' & sleep 1000 & echo pid $!; \
                  while ! grep -q sleep /proc/$!/comm; do :; done; echo done";
    let outcome = shell(script, temp.path()).run(&CancellationToken::new()).await.unwrap();
    assert_eq!(outcome.end, End::Exited(0));
    let text = outcome.stdout.text();
    assert!(text.contains("done"), "{text}");
    assert!(outcome.ended_stragglers >= 1);
    assert!(pids(&text).iter().all(|pid| !is_running(*pid)), "{text}");
}

#[tokio::test]
async fn a_daemon_that_hides_well_is_found_by_its_mark() {
    let temp = tempfile::tempdir().unwrap();
    // The parent waits until its descendant has a new parent, a new session and no common stream.
    let script = "setsid sh -c 'setsid sh -c \"echo \\$\\$ >daemon.pid; exec sleep 1000\" </dev/null >/dev/null 2>&1 &'; \
                  while ! [ -s daemon.pid ]; do :; done; echo pid $(cat daemon.pid)";
    let outcome = shell(script, temp.path()).run(&CancellationToken::new()).await.unwrap();
    let named = pids(&outcome.stdout.text());
    assert_eq!((outcome.end, named.len()), (End::Exited(0), 1));
    assert!(!is_running(named[0]));
    assert!(outcome.ended_stragglers >= 1);
}

#[tokio::test]
async fn a_program_may_say_good_bye() {
    let temp = tempfile::tempdir().unwrap();
    let program = shell("trap 'echo bye; exit 0' TERM; echo pid $$; while :; do sleep 0.01; done", temp.path());
    let running = program.start().await.unwrap();
    let cancel = CancellationToken::new();
    let watch = running.watch();
    let (outcome, ()) = tokio::join!(running.finish(&cancel), async {
        until_named(watch, 1).await;
        cancel.cancel();
    });
    assert_eq!(outcome.end, End::Cancelled);
    assert!(outcome.stdout.text().ends_with("bye\n"), "{}", outcome.stdout.text());
}

#[tokio::test]
async fn processes_of_others_are_left_alone() {
    let temp = tempfile::tempdir().unwrap();
    let mut other = std::process::Command::new("/bin/sleep").arg("1000").spawn().unwrap();
    let outcome = shell("sleep 1000 & exit 0", temp.path()).run(&CancellationToken::new()).await.unwrap();
    let is_left = is_running(other.id());
    other.kill().unwrap();
    other.wait().unwrap();
    assert!(is_left);
    assert_eq!(outcome.ended_stragglers, 1);
}

#[tokio::test]
async fn two_streams_become_one_in_the_order_of_writing() {
    let temp = tempfile::tempdir().unwrap();
    let mut program = shell("echo one; echo two >&2; printf three; echo four >&2", temp.path());
    program.streams = Streams::Together;
    let outcome = program.run(&CancellationToken::new()).await.unwrap();
    assert_eq!(outcome.stdout.text(), "one\ntwo\nthreefour\n");
    assert_eq!(outcome.stderr.text(), "");
}

#[tokio::test]
async fn the_end_of_a_long_output_is_kept_and_the_whole_goes_to_a_file() {
    use std::os::unix::fs::PermissionsExt;

    let temp = tempfile::tempdir().unwrap();
    let mut program =
        shell("i=0; while [ $i -lt 2000 ]; do echo line $i; i=$((i+1)); done; echo last >&2", temp.path());
    program.streams = Streams::Together;
    program.limits = Limits { output_bytes: 20, end_bytes: 10, ..Limits::default() };
    let path = temp.path().join("whole");
    program.whole_output = Some(WholeFile { path: path.clone(), most_bytes: 1_000_000 });
    let outcome = program.clone().run(&CancellationToken::new()).await.unwrap();
    assert_eq!(outcome.stdout.text(), "line 0\nline 1\nline 2");
    assert_eq!(outcome.stdout.end_text(), "1999\nlast\n");
    let written = std::fs::read_to_string(&path).unwrap();
    assert_eq!(written.lines().count(), 2001);
    assert_eq!(outcome.whole_output, Some(Whole { bytes: written.len() as u64, is_complete: true }));
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);

    let taken = program.clone().run(&CancellationToken::new()).await;
    assert!(matches!(taken, Err(ProcessError::WholeOutput { .. })));
    let short = temp.path().join("short");
    program.whole_output = Some(WholeFile { path: short.clone(), most_bytes: 100 });
    let outcome = program.run(&CancellationToken::new()).await.unwrap();
    assert_eq!(outcome.whole_output, Some(Whole { bytes: 100, is_complete: false }));
    assert_eq!(std::fs::read(&short).unwrap(), written.as_bytes()[..100]);
}

#[tokio::test]
async fn a_program_is_fed_while_it_runs_until_the_feed_ends() {
    let temp = tempfile::tempdir().unwrap();
    let mut program = shell("while read line; do echo \"got $line\"; done; echo over", temp.path());
    let (mut feed, input) = Feed::new().unwrap();
    program.input = input;
    let running = program.start().await.unwrap();
    let watch = running.watch();
    let finishing = tokio::spawn(async move { running.finish(&CancellationToken::new()).await });
    for word in ["one", "two"] {
        feed.write(format!("{word}\n").as_bytes()).await.unwrap();
        while !watch.stdout_tail().contains(&format!("got {word}\n")) {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
    drop(feed);
    let outcome = finishing.await.unwrap();
    assert_eq!((outcome.end, outcome.stdout.text().as_ref()), (End::Exited(0), "got one\ngot two\nover\n"));
}

#[tokio::test]
async fn a_feed_whose_program_is_gone_says_so() {
    let temp = tempfile::tempdir().unwrap();
    let mut program = shell("exit 0", temp.path());
    let (mut feed, input) = Feed::new().unwrap();
    program.input = input;
    let outcome = program.run(&CancellationToken::new()).await.unwrap();
    assert_eq!(outcome.end, End::Exited(0));
    assert_eq!(feed.write(b"line\n").await.unwrap_err().kind(), std::io::ErrorKind::BrokenPipe);
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_host_that_died_left_is_found_by_its_owner_and_others_are_spared() {
    use std::process::{Child, Command, Stdio};

    let start = |mark: &str| -> Child {
        let mut command = Command::new("setsid");
        command.args(["sh", "-c", "echo up; exec sleep 300"]).env("LWA_RUN", mark).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // What it says shows that its variables are its own already.
        std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut [0; 3]).unwrap();
        child
    };
    let owner = format!("owner{}", std::process::id());
    let (mut left, mut other) = (start(&format!("{owner}-00ff")), start(&format!("{owner}x-00ff")));
    assert_eq!(lwa_process::end_left_behind(&owner), 1);
    assert!(!left.wait().unwrap().success());
    assert!(other.try_wait().unwrap().is_none(), "another owner's run was ended");
    other.kill().unwrap();
    other.wait().unwrap();
    assert_eq!(lwa_process::end_left_behind(&owner), 0);
}

#[tokio::test]
async fn a_run_carries_the_name_of_its_owner() {
    let temp = tempfile::tempdir().unwrap();
    let owner = format!("named{}", std::process::id());
    lwa_process::mark_runs_of(&owner);
    let mut program = Program::new("/bin/sh", temp.path());
    program.arguments = ["-c", "echo $LWA_RUN"].map(Into::into).to_vec();
    let outcome = program.run(&CancellationToken::new()).await.unwrap();
    lwa_process::mark_runs_of("");
    assert!(outcome.stdout.text().starts_with(&format!("{owner}-")), "{}", outcome.stdout.text());
}
