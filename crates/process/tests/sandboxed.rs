//! What a sandbox holds, and that it says so.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "in tests a panic is the report")]

use std::net::TcpListener;
use std::path::Path;

use lwa_process::{End, Environment, Held, Need, Network, Outcome, ProcessError, Program, Sandbox, SandboxReport};
use tokio_util::sync::CancellationToken;

struct Place {
    temp: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        for folder in ["work", "outside", "hidden"] {
            std::fs::create_dir(temp.path().join(folder)).unwrap();
            std::fs::write(temp.path().join(folder).join("file"), "content").unwrap();
        }
        Self { temp }
    }

    fn path(&self) -> &Path {
        self.temp.path()
    }

    fn sandbox(&self) -> Sandbox {
        let mut sandbox = Sandbox::around(self.path().join("work"));
        sandbox.hidden = vec![self.path().join("hidden")];
        sandbox
    }

    /// Runs a line of shell in the sandbox. Where the system cannot hold it, makes sure that it was
    /// refused, and gives nothing.
    async fn run(&self, sandbox: Sandbox, script: &str) -> Option<Outcome> {
        let is_whole = sandbox.probe().unwrap().is_as_required();
        let mut program = Program::new("/bin/sh", self.path().join("work"));
        program.arguments = vec!["-c".into(), script.into()];
        program.environment = Environment::empty().with("PATH", "/usr/local/bin:/usr/bin:/bin").unwrap();
        program.sandbox = Some(sandbox);
        match program.run(&CancellationToken::new()).await {
            Ok(outcome) => {
                assert!(is_whole);
                Some(outcome)
            }
            Err(ProcessError::SandboxUnavailable(_)) => {
                assert!(!is_whole);
                None
            }
            Err(other) => panic!("{other}"),
        }
    }
}

fn content(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[tokio::test]
async fn writing_works_inside_and_nowhere_else() {
    let place = Place::new();
    let script = "echo new >made; echo more >>file; mkdir sub; mv made sub/; cat ../outside/file; \
        for act in 'echo x >../outside/made' 'echo x >>../outside/file' ': >../outside/file' 'rm ../outside/file' \
        'mv ../outside/file here' 'mkdir ../outside/sub' 'ln ../outside/file linked'; do \
        sh -c \"$act\" 2>/dev/null && echo \"did $act\"; done; \
        ln -s ../outside/file sym; sh -c 'echo x >sym' 2>/dev/null && echo 'did write through a link'; true";
    let Some(outcome) = place.run(place.sandbox(), script).await else { return };
    assert_eq!(outcome.stdout.text(), "content", "{}", outcome.stderr.text());
    assert_eq!(content(&place.path().join("outside/file")), "content");
    assert_eq!(content(&place.path().join("work/sub/made")), "new\n");
    assert_eq!(std::fs::read_dir(place.path().join("outside")).unwrap().count(), 1);
}

#[tokio::test]
async fn hidden_content_is_not_read_and_its_siblings_are() {
    let place = Place::new();
    let script = "cat ../outside/file; cat ../hidden/file; ls .. >/dev/null && ls / >/dev/null && echo listed";
    let Some(outcome) = place.run(place.sandbox(), script).await else { return };
    assert_eq!(outcome.stdout.text(), "contentlisted\n", "{}", outcome.stderr.text());
}

#[tokio::test]
async fn the_network_is_closed_and_only_when_asked() {
    let place = Place::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let script = format!(
        "python3 -c \"
import socket
for kind, act in (('tcp', lambda: socket.create_connection(('127.0.0.1', {port}), 5)),
                  ('udp', lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)),
                  ('unix', lambda: socket.socket(socket.AF_UNIX)),
                  ('pair', socket.socketpair)):
    try:
        act(); print(kind, 'open')
    except PermissionError:
        print(kind, 'closed')
\""
    );
    let Some(closed) = place.run(place.sandbox(), &script).await else { return };
    assert_eq!(closed.stdout.text(), "tcp closed\nudp closed\nunix closed\npair open\n", "{}", closed.stderr.text());
    assert_eq!(closed.sandbox.network, Held::Full);
    let open = Sandbox { network: Network::Open, ..place.sandbox() };
    let open = place.run(open, &script).await.unwrap();
    assert_eq!(open.stdout.text(), "tcp open\nudp open\nunix open\npair open\n");
    assert_eq!(open.sandbox.network, Held::NotRequested);
}

#[tokio::test]
async fn privileges_other_processes_and_their_secrets_are_out_of_reach() {
    let place = Place::new();
    let script = format!(
        "grep -E '^(NoNewPrivs|Seccomp):' /proc/self/status; cat /proc/{0}/environ >/dev/null 2>&1 && echo read; \
         kill -0 {0} 2>/dev/null && echo signalled; unshare -U true 2>/dev/null && echo unshared; true",
        std::process::id()
    );
    let Some(outcome) = place.run(place.sandbox(), &script).await else { return };
    let mut expected = "NoNewPrivs:\t1\nSeccomp:\t2\n".to_owned();
    if outcome.sandbox.signals != Held::Full {
        expected.push_str("signalled\n");
    }
    assert_eq!(outcome.stdout.text(), expected);
    assert_eq!(outcome.sandbox.privileges, Held::Full);
}

#[tokio::test]
async fn the_sandbox_binds_the_program_and_not_this_process() {
    let place = Place::new();
    if place.run(place.sandbox(), "true").await.is_none() {
        return;
    }
    let outside = place.path().join("outside/made");
    std::fs::write(&outside, "x").unwrap();
    TcpListener::bind("127.0.0.1:0").unwrap();
    tokio::task::spawn_blocking(move || std::fs::remove_file(outside).unwrap()).await.unwrap();
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    assert!(status.contains("NoNewPrivs:\t0"), "{status}");
}

#[tokio::test]
async fn a_run_without_a_sandbox_claims_none() {
    let place = Place::new();
    let mut program = Program::new("/bin/sh", place.path());
    program.arguments = vec!["-c".into(), "echo x >outside/made".into()];
    let outcome = program.run(&CancellationToken::new()).await.unwrap();
    assert_eq!((outcome.end, outcome.sandbox), (End::Exited(0), SandboxReport::none()));
    assert!(place.path().join("outside/made").exists());
}

#[tokio::test]
async fn descendants_in_a_sandbox_end_with_it() {
    let place = Place::new();
    let sandbox = Sandbox { need: Need::WhereAvailable, ..place.sandbox() };
    let script =
        "setsid sh -c 'echo $$ >pid; exec sleep 1000 </dev/null >/dev/null 2>&1' & while ! [ -s pid ]; do :; done";
    let Some(outcome) = place.run(sandbox, script).await else { return };
    let pid: u32 = content(&place.path().join("work/pid")).trim().parse().unwrap();
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    assert!(state.is_empty() || state.contains(") Z "), "{state}");
    assert!(outcome.ended_stragglers >= 1);
}
