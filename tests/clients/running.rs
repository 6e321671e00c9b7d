//! A client that runs, for a limited time.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// How long a client may run, on a machine that does other things as well.
const LIMIT: Duration = Duration::from_mins(2);

/// A process of its own group, which ends with this value.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    stdout: Receiver<String>,
    stderr: Receiver<String>,
}

/// What is left of a process.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The exit code.
    pub(crate) code: i32,
    /// What of stdout was not read before.
    pub(crate) stdout: String,
    /// The same of stderr, for the report of a failure.
    #[expect(dead_code, reason = "shown by Debug")]
    stderr: String,
}

impl Running {
    /// Starts a command with nobody at its stdin.
    pub(crate) fn start(mut command: Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
        let mut child = command.spawn().unwrap();
        let stdout = lines(child.stdout.take().unwrap());
        let stderr = lines(child.stderr.take().unwrap());
        Self { child, stdout, stderr }
    }

    /// The next line of stdout.
    pub(crate) fn line(&self) -> String {
        self.stdout.recv_timeout(LIMIT).expect("a line of stdout")
    }

    /// The next line of stderr.
    pub(crate) fn error_line(&self) -> String {
        self.stderr.recv_timeout(LIMIT).expect("a line of stderr")
    }

    /// Waits for the end.
    pub(crate) fn finish(mut self) -> Ended {
        // The streams end with the process.
        let deadline = Instant::now() + LIMIT;
        let (stdout, stderr) = (rest(&self.stdout, deadline), rest(&self.stderr, deadline));
        Ended { code: self.child.wait().unwrap().code().unwrap_or(-1), stdout, stderr }
    }

    fn kill(&self) {
        let group = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        // It may have ended already.
        let _gone = group.map(|group| kill_process_group(group, Signal::KILL));
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|status| status.is_none()) {
            self.kill();
            let _ended = self.child.wait();
        }
    }
}

fn lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    lines
}

fn rest(lines: &Receiver<String>, deadline: Instant) -> String {
    let mut text = String::new();
    loop {
        match lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) => {
                text.push_str(&line);
                text.push('\n');
            }
            Err(RecvTimeoutError::Disconnected) => return text,
            Err(RecvTimeoutError::Timeout) => panic!("the process did not end within {LIMIT:?}: {text}"),
        }
    }
}
